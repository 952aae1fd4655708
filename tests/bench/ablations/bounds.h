/* robocache: one experimental kernel with several sizes of blocks, and loads of a thread under way
 *
 * Each aligns float32 rows and takes EpisodesArgs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_BOUNDS_H
#define BENCH_BOUNDS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct
{
  int threads;                  /* of a block */
  int pairs;                    /* of 16 bytes that a thread has under way */
  const void *kernel;
} Bounds;

#define BOUNDS_KERNELS 11
extern const Bounds bounds_kernels[BOUNDS_KERNELS];

#ifdef __cplusplus
}
#endif
#endif
