/* robocache: voxel grids as one writes them at first, for others to be compared with
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_KERNELS_PLAIN_VOXEL_H
#define BENCH_KERNELS_PLAIN_VOXEL_H

#include <cuda_runtime_api.h>

#include "kernels/voxel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether there is one: occupancy in uint8, float32 or bits; counts and means in float32; the index of each point. What is
 * sparse or ranked needs a sort, and the first points of a voxel their order, which no thread of a point knows. */
int bench_plain_has_voxels (const RcVoxelSpec * spec);

/* Enqueues a thread for each point of dense float32. out: the grid, or of an index the map. counts: of a mean, one for each
 * voxel. */
void bench_plain_voxels (const RcVoxelSpec * spec, const RcVoxelChunk * chunk, void *out, float *counts, cudaStream_t on);

#ifdef __cplusplus
}
#endif
#endif
