/* robocache: kernels that only fill or only read memory
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_FLOORS_H
#define BENCH_FLOORS_H

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_THREADS 256       /* of a block */
#define BENCH_THREAD_WORDS 8    /* of 16 bytes */
#define BENCH_BLOCK_BYTES (BENCH_THREADS * BENCH_THREAD_WORDS * 16)

extern const void *const bench_fill;    /* (memory, value of 32 bits) */
extern const void *const bench_add_up;  /* (memory, for each block the sum of its 32-bit words) */

#ifdef __cplusplus
}
#endif
#endif
