/* robocache: an alignment as one writes it at first, for others to be compared with
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_KERNELS_PLAIN_ALIGN_H
#define BENCH_KERNELS_PLAIN_ALIGN_H

#include <cuda_runtime_api.h>

#include "kernels/align.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether there is one: linear or nearest, of floats that stay what they are. */
int bench_plain_has_align (RcInterpolation interpolation, RcDtype in, RcDtype out);

/* Enqueues a thread for each element of a stream of dense arrays. A tick with rows on one side only gets what it gets. */
void bench_plain_align (RcInterpolation interpolation, RcDtype dtype, int64_t channels, const RcAlignArgs * args,
    const RcAlignStreamArgs * stream, cudaStream_t on);

#ifdef __cplusplus
}
#endif
#endif
