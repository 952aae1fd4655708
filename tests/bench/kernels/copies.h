/* robocache: copies of a work, as many as are not in the L2 together
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_KERNELS_COPIES_H
#define BENCH_KERNELS_COPIES_H

#include "tests/bench/kernels/alignment.h"
#include "tests/bench/kernels/results.h"
#include "tests/bench/kernels/voxels.h"

/* On the backend of the bench. The figures, so far those of nothing, have the work, its bytes, and how many there are. */
BenchAlignCopy *bench_align_copies (const Bench * bench, const BenchAlignData * data, BenchFigures * figures);
void bench_align_free_copies (BenchAlignCopy * copies, int n);

/* The same; all of them have run once. */
BenchVoxelCopy *bench_voxel_copies (const Bench * bench, const BenchClouds * clouds, BenchFigures * figures);
void bench_voxel_free_copies (BenchVoxelCopy * copies, int n);

#endif
