/* robocache: from interleaved points or depth pixels to voxel indices, the vectorised part
 *
 * A block is loaded into one array an axis, so that the three divisions a point, the dearest part, run in full vectors.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "voxel_block.h"

#define LOAD(name, type, value) \
  static void \
  load_##name (float *restrict to, const char *from, int64_t stride, int64_t n) \
  { \
    for (int64_t i = 0; i < n; i++) { \
      type p; \
\
      memcpy (&p, from + i * stride, sizeof (p)); \
      to[i] = value; \
    } \
  }

LOAD (float16, uint16_t, rc_float32_from_float16 (p))
LOAD (float32, float, p)
LOAD (float64, double, (float) p)

static void (*const loaders[RC_N_DTYPES]) (float *to, const char *from, int64_t stride, int64_t n) = {
  [RC_FLOAT16] = load_float16,
  [RC_FLOAT32] = load_float32,
  [RC_FLOAT64] = load_float64,
};

void
RC_LEVEL_NAME (rc_cpu_voxel_load) (RcCpuVoxelBlock *block, const RcVoxelField xyz[3], const char *points,
    int64_t stride, int64_t n)
{
  float *const axes[3] = { block->x, block->y, block->z };

  block->n = n;
  for (int axis = 0; axis < 3; axis++)
    loaders[xyz[axis].dtype] (axes[axis], points + xyz[axis].offset, stride, n);
}

/* Metres; NaN where there is no return. */
static inline float
depth_of (const char *pixels, int64_t i, float scale)
{
  const uint8_t *bytes = (const uint8_t *) pixels;
  const uint16_t depth = (uint16_t) (bytes[2 * i] | bytes[2 * i + 1] << 8);
  const float metres = (float) depth * scale;

  return depth > 0 ? metres : rc_float32 (RC_NAN32_BITS);
}

void
RC_LEVEL_NAME (rc_cpu_voxel_unproject) (RcCpuVoxelBlock *block, const char *pixels, const float *rx, float ry,
    float scale, int64_t n)
{
  block->n = n;
  for (int64_t i = 0; i < n; i++) {
    const float z = depth_of (pixels, i, scale);

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
RC_LEVEL_NAME (rc_cpu_voxel_unproject_rays) (RcCpuVoxelBlock *block, const char *pixels, const float *rays,
    float scale, int64_t n)
{
  block->n = n;
  for (int64_t i = 0; i < n; i++) {
    const float z = depth_of (pixels, i, scale);

    block->x[i] = rays[2 * i] * z;
    block->y[i] = rays[2 * i + 1] * z;
    block->z[i] = z;
  }
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
