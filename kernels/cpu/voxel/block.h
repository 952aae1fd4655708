/* robocache: the points that are added to a voxel grid at once, built once for each instruction set
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/cpu/cpu.h"
#include "kernels/voxel_arithmetic.h"

/* Points of a block: few enough for the first-level cache, with their voxels. */
#define RC_CPU_VOXEL_BLOCK 512

struct RcCpuVoxelBlock
{
  int64_t n;
  int64_t first;                /* number of the first point within the item, in order of arrival */
  float x[RC_CPU_VOXEL_BLOCK], y[RC_CPU_VOXEL_BLOCK], z[RC_CPU_VOXEL_BLOCK];
  int64_t voxel[RC_CPU_VOXEL_BLOCK];    /* linear index, RC_VOXEL_OUTSIDE, RC_VOXEL_NAN or RC_VOXEL_INFINITE */
  int64_t outside, nan, infinite;       /* number of points of each kind */
};

/* Loads x, y, z of n interleaved points. */
void RC_LEVEL_NAME (rc_cpu_voxel_load) (RcCpuVoxelBlock * block, const RcVoxelField xyz[3], const char *points,
    int64_t stride, int64_t n);
/* Computes x, y, z of n pixels of one image row, whose rays are rx[i] and ry. */
void RC_LEVEL_NAME (rc_cpu_voxel_unproject) (RcCpuVoxelBlock * block, const char *pixels, const float *rx, float ry,
    const RcVoxelDepth * depth, int64_t n);
/* Like rc_cpu_voxel_unproject, for pixels whose rays are rays[2 i] and rays[2 i + 1]. */
void RC_LEVEL_NAME (rc_cpu_voxel_unproject_rays) (RcCpuVoxelBlock * block, const char *pixels, const float *rays,
    const RcVoxelDepth * depth, int64_t n);
/* The voxel of each point, and how many are in none. */
void RC_LEVEL_NAME (rc_cpu_voxel_locate) (RcCpuVoxelBlock * block, const RcVoxelBox * box);
