/* robocache: interpolation as a product with a banded matrix of weights: experimental kernels
 *
 * Rows and output are bfloat16, of BANDED_CHANNELS channels. Each takes EpisodesArgs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_BANDED_H
#define BENCH_BANDED_H

#ifdef __cplusplus
extern "C" {
#endif

#define BANDED_CHANNELS 64
#define BANDED_THREADS 128
#define BANDED_STEP 16          /* rows that one instruction multiplies */
#define BANDED_MMA_TICKS 16     /* that share these rows */
#define BANDED_WGMMA_TICKS 64

/* [1]: weights as the sum of two bfloat16, and twice the products. */
extern const void *const banded_mma[2];
extern const void *const banded_wgmma[2];       /* where the build has code for compute capability 9.0a */

#ifdef __cplusplus
}
#endif
#endif
