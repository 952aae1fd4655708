/* robocache: how fast voxel grids are
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_KERNELS_VOXEL_H
#define BENCH_KERNELS_VOXEL_H

#include "tests/bench/kernels/rows.h"

/* A row for each of the works, which are BenchVoxels; in rows, too, where they are wanted. */
void bench_voxels (BenchTable * table, BenchRows * rows, const GArray * works);

/* Each as bench_once does. */
void bench_voxels_once (const Bench * bench, const GArray * works);

#endif
