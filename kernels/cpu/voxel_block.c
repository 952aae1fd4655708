/* robocache: from interleaved points or depth pixels to voxel indices, the vectorised part
 *
 * A block is loaded into one array an axis, so that the three divisions a point, the dearest part, run in full vectors.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "voxel_block.h"

static void
load_float16 (RcCpuVoxelBlock *block, const char *points, int64_t stride, int64_t n)
{
  for (int64_t i = 0; i < n; i++) {
    uint16_t p[3];

    memcpy (p, points + i * stride, sizeof (p));
    block->x[i] = rc_float32_from_float16 (p[0]);
    block->y[i] = rc_float32_from_float16 (p[1]);
    block->z[i] = rc_float32_from_float16 (p[2]);
  }
}

static void
load_float32 (RcCpuVoxelBlock *block, const char *points, int64_t stride, int64_t n)
{
  for (int64_t i = 0; i < n; i++) {
    float p[3];

    memcpy (p, points + i * stride, sizeof (p));
    block->x[i] = p[0];
    block->y[i] = p[1];
    block->z[i] = p[2];
  }
}

static void
load_float64 (RcCpuVoxelBlock *block, const char *points, int64_t stride, int64_t n)
{
  for (int64_t i = 0; i < n; i++) {
    double p[3];

    memcpy (p, points + i * stride, sizeof (p));
    block->x[i] = (float) p[0];
    block->y[i] = (float) p[1];
    block->z[i] = (float) p[2];
  }
}

static void (*const loaders[RC_N_DTYPES]) (RcCpuVoxelBlock * block, const char *points, int64_t stride, int64_t n) = {
  [RC_FLOAT16] = load_float16,
  [RC_FLOAT32] = load_float32,
  [RC_FLOAT64] = load_float64,
};

void
RC_LEVEL_NAME (rc_cpu_voxel_load) (RcCpuVoxelBlock *block, RcDtype dtype, const char *points, int64_t stride, int64_t n)
{
  block->n = n;
  loaders[dtype] (block, points, stride, n);
}

void
RC_LEVEL_NAME (rc_cpu_voxel_unproject) (RcCpuVoxelBlock *block, const char *pixels, const float *rx, float ry,
    float scale, int64_t n)
{
  const uint8_t *bytes = (const uint8_t *) pixels;

  block->n = n;
  for (int64_t i = 0; i < n; i++) {
    const uint16_t depth = (uint16_t) (bytes[2 * i] | bytes[2 * i + 1] << 8);
    const float metres = (float) depth * scale;
    const float z = depth > 0 ? metres : rc_float32 (RC_NAN32_BITS);

    block->x[i] = rx[i] * z;
    block->y[i] = ry * z;
    block->z[i] = z;
  }
}

static void
count_lost (RcCpuVoxelBlock *block)
{
  const int64_t n = block->n;
  int64_t outside = 0, nan = 0, infinite = 0;

  for (int64_t i = 0; i < n; i++) {
    outside += block->voxel[i] == RC_VOXEL_OUTSIDE;
    nan += block->voxel[i] == RC_VOXEL_NAN;
    infinite += block->voxel[i] == RC_VOXEL_INFINITE;
  }
  block->outside = outside;
  block->nan = nan;
  block->infinite = infinite;
}

void
RC_LEVEL_NAME (rc_cpu_voxel_locate) (RcCpuVoxelBlock *block, const RcVoxelBox *box)
{
  const RcVoxelBox in = *box;   /* a copy that no store below can alias */
  const int64_t n = block->n;

  for (int64_t i = 0; i < n; i++)
    block->voxel[i] = rc_voxel_of (&in, block->x[i], block->y[i], block->z[i]);
  count_lost (block);
}
