/* robocache: one experimental kernel with several sizes of blocks, and loads of a thread under way
 *
 * Each aligns float32 rows and takes EpisodesArgs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_BLOCKS_H
#define BENCH_BLOCKS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct
{
  int threads;                  /* of a block */
  int pairs;                    /* of 16 bytes that a thread has under way */
  const void *kernel;
} Blocks;

#define BLOCKS_KERNELS 11
extern const Blocks blocks_kernels[BLOCKS_KERNELS];

#ifdef __cplusplus
}
#endif
#endif
