/* robocache: from interleaved points or depth pixels to voxel indices, the vectorised part
 *
 * A block is loaded into one array an axis, so that the three divisions a point, the dearest part, run in full vectors.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "block.h"

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

/* x, y, z of points of that many floats: a distance that is known is one for vectors. */
#define LOAD_FLOATS(apart) \
  static void \
  load_##apart##_floats (RcCpuVoxelBlock *restrict block, const float *restrict points, int64_t n) \
  { \
    for (int64_t i = 0; i < n; i++) { \
      block->x[i] = points[apart * i]; \
      block->y[i] = points[apart * i + 1]; \
      block->z[i] = points[apart * i + 2]; \
    } \
  }

LOAD_FLOATS (3)
LOAD_FLOATS (4)

static int
are_floats (const RcVoxelField xyz[3], const char *points, int64_t stride, int64_t apart)
{
  const int64_t size = sizeof (float);

  return stride == apart * size && (uintptr_t) points % sizeof (float) == 0 && xyz[0].dtype == RC_FLOAT32
      && xyz[0].offset == 0 && xyz[1].offset == size && xyz[2].offset == 2 * size;
}

void
RC_LEVEL_NAME (rc_cpu_voxel_load) (RcCpuVoxelBlock *block, const RcVoxelField xyz[3], const char *points,
    int64_t stride, int64_t n)
{
  float *const axes[3] = { block->x, block->y, block->z };

  block->n = n;
  if (are_floats (xyz, points, stride, 3)) {
    load_3_floats (block, (const float *) points, n);
    return;
  }
  if (are_floats (xyz, points, stride, 4)) {
    load_4_floats (block, (const float *) points, n);
    return;
  }
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

static inline float
float_depth_of (const char *pixels, int64_t i, float scale)
{
  float depth;

  memcpy (&depth, pixels + 4 * i, sizeof (depth));
  return depth > 0.0f && depth < INFINITY ? depth * scale : rc_float32 (RC_NAN32_BITS);
}

/* z of the pixels. */
static void
load_depth (RcCpuVoxelBlock *block, const char *pixels, const RcVoxelDepth *depth, int64_t n)
{
  const float scale = (float) depth->scale;

  block->n = n;
  for (int64_t i = 0; i < n && !depth->is_float; i++)
    block->z[i] = depth_of (pixels, i, scale);
  for (int64_t i = 0; i < n && depth->is_float; i++)
    block->z[i] = float_depth_of (pixels, i, scale);
}

void
RC_LEVEL_NAME (rc_cpu_voxel_unproject) (RcCpuVoxelBlock *block, const char *pixels, const float *rx, float ry,
    const RcVoxelDepth *depth, int64_t n)
{
  load_depth (block, pixels, depth, n);
  for (int64_t i = 0; i < n; i++) {
    const float z = block->z[i];

    block->x[i] = rx[i] * z;
    block->y[i] = ry * z;
  }
}

void
RC_LEVEL_NAME (rc_cpu_voxel_unproject_rays) (RcCpuVoxelBlock *block, const char *pixels, const float *rays,
    const RcVoxelDepth *depth, int64_t n)
{
  load_depth (block, pixels, depth, n);
  for (int64_t i = 0; i < n; i++) {
    const float z = block->z[i];

    block->x[i] = rays[2 * i] * z;
    block->y[i] = rays[2 * i + 1] * z;
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

static void
locate_64 (RcCpuVoxelBlock *block, const RcVoxelBox *box)
{
  const RcVoxelBox in = *box;   /* a copy that no store below can alias */
  const int64_t n = block->n;

  for (int64_t i = 0; i < n; i++)
    block->voxel[i] = rc_voxel_of (&in, block->x[i], block->y[i], block->z[i]);
  count_lost (block);
}

/* Vectors hold twice as many, and products of 64 bits are many instructions in most of them. */
static void
locate_32 (RcCpuVoxelBlock *block, const RcVoxelBox *box)
{
  const RcVoxelBox in = *box;
  const int64_t n = block->n;
  int32_t voxel[RC_CPU_VOXEL_BLOCK], lost = 0;

  for (int64_t i = 0; i < n; i++) {
    voxel[i] = rc_voxel_of_32 (&in, block->x[i], block->y[i], block->z[i]);
    lost |= voxel[i];
  }
  for (int64_t i = 0; i < n; i++)
    block->voxel[i] = voxel[i];
  block->outside = block->nan = block->infinite = 0;
  if (lost < 0)
    count_lost (block);
}

void
RC_LEVEL_NAME (rc_cpu_voxel_locate) (RcCpuVoxelBlock *block, const RcVoxelBox *box)
{
  if ((double) box->plane * (double) box->n[2] <= (double) INT32_MAX)
    locate_32 (block, box);
  else
    locate_64 (block, box);
}
