/* robocache: the clouds that voxel grids are timed with
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_KERNELS_CLOUDS_H
#define BENCH_KERNELS_CLOUDS_H

#include "tests/bench/kernels/configurations.h"

#define BENCH_MAX_CLOUDS 3

typedef struct
{
  const BenchVoxels *work;
  RcVoxelSpec spec;             /* as long as this is there */
  RcVoxelField *layout;
  float *rays;                  /* of the pixels of a lens that distorts; NULL: none */
  void *clouds[BENCH_MAX_CLOUDS];       /* two that come by turns; and one that stays, for all others of a window */
  int n_clouds;
  int64_t stride;               /* bytes of a point, or of a row of an image */
  int64_t cloud_bytes;          /* of all items */
} BenchClouds;

void bench_clouds_make (BenchClouds * clouds, const BenchVoxels * work);
void bench_clouds_free (BenchClouds * clouds);

/* Bytes of what a run must read: all that comes and leaves, and the rays of a lens that distorts. */
int64_t bench_clouds_bytes (const BenchClouds * clouds);

/* Bytes of the sectors of dense grids of value_bytes each that differ between the two clouds, or of means those that either
 * has something in: as many in each item as in the first. */
int64_t bench_clouds_bytes_that_change (const BenchClouds * clouds, int64_t value_bytes);

#endif
