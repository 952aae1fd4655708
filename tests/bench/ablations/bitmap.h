/* robocache: which voxels of a grid have a point: experimental kernels that write a bitmap
 *
 * Points are float32 x, y, z in a grid of BITMAP_AXIS^3 voxels of 1 / BITMAP_AXIS, all inside.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_BITMAP_H
#define BENCH_BITMAP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BITMAP_AXIS 128
#define BITMAP_WORDS (BITMAP_AXIS * BITMAP_AXIS * BITMAP_AXIS / 32)     /* of a cloud */
#define BITMAP_THREADS 512

typedef struct
{
  const float *points;          /* [batch, n, 3] */
  uint32_t *words;              /* [batch, BITMAP_WORDS] */
  int64_t n;
  int32_t batch;
  int32_t parts;                /* blocks of a cloud */
} BitmapArgs;

extern const void *const bitmap_clear;
extern const void *const bitmap_global; /* bits set in the L2, of words that are 0 */
extern const void *const bitmap_slab;   /* a block has a part of the bitmap in shared memory, and reads all points */
extern const void *const bitmap_cluster;        /* the same parts, in a cluster: a block reads a part of the points */

#ifdef __cplusplus
}
#endif
#endif
