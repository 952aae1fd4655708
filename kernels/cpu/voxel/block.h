/* robocache: a block of points on its way into a voxel grid, built once for each instruction set
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CPU_VOXEL_BLOCK_H
#define RC_CPU_VOXEL_BLOCK_H

#include "kernels/cpu/cpu.h"
#include "kernels/voxel_arithmetic.h"

/* Small enough for the first-level cache, with its voxels. */
#define RC_CPU_VOXEL_BLOCK 512

struct RcCpuVoxelBlock
{
  int64_t n;
  int64_t first;                /* point of the item, in order of arrival */
  float x[RC_CPU_VOXEL_BLOCK], y[RC_CPU_VOXEL_BLOCK], z[RC_CPU_VOXEL_BLOCK];
  int64_t voxel[RC_CPU_VOXEL_BLOCK];    /* or RC_VOXEL_OUTSIDE, RC_VOXEL_NAN, RC_VOXEL_INFINITE */
  int64_t outside, nan, infinite;       /* how many are that */
};

/* x, y, z of n interleaved points. */
void RC_LEVEL_NAME (rc_cpu_voxel_load) (RcCpuVoxelBlock * block, const RcVoxelField xyz[3], const char *points,
    int64_t stride, int64_t n);
/* x, y, z of n pixels of one row, whose rays are rx[i] and ry. */
void RC_LEVEL_NAME (rc_cpu_voxel_unproject) (RcCpuVoxelBlock * block, const char *pixels, const float *rx, float ry,
    float scale, int64_t n);
/* The same of pixels whose rays are rays[2 i] and rays[2 i + 1]. */
void RC_LEVEL_NAME (rc_cpu_voxel_unproject_rays) (RcCpuVoxelBlock * block, const char *pixels, const float *rays,
    float scale, int64_t n);
/* The voxel of each point, and how many are in none. */
void RC_LEVEL_NAME (rc_cpu_voxel_locate) (RcCpuVoxelBlock * block, const RcVoxelBox * box);

#endif
