/* robocache: how fast voxel grids are
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_KERNELS_VOXEL_H
#define BENCH_KERNELS_VOXEL_H

#include "kernels_timing.h"

/* A table of the shapes that are wished for. */
void bench_voxels (const Bench * bench, const BenchWish * wish);

/* The same as lines of JSON. Files of row i, in folder: i.points, float32 [batch, points, fields]; what came of them, as
 * many items as fit FILE_BYTES: i.grid, of dense grids and bits; i.n_voxels, i.coordinates and i.values; or i.map, of
 * index and rank. */
void bench_voxel_rows (const Bench * bench, const BenchWish * wish, const char *folder);

/* Each shape as bench_twice does. */
void bench_voxels_once (const Bench * bench, const BenchWish * wish);

#endif
