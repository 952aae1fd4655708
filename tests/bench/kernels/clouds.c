/* robocache: the clouds that voxel grids are timed with
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/kernels/clouds.h"

#include <stdlib.h>

#include "kernels/rays.h"
#include "tests/bench/kernels/device.h"

/* ---- points ---- */

/* From 0 on and below extent, rounded or not. */
static double
within (double extent)
{
  const double x = extent * bench_uniform ();

  return (float) x < (float) extent ? x : 0;
}

/* On walls a tenth of the room from its ends, two across each axis by turns; those of the next cloud are a voxel further. */
static double
on_wall (const BenchVoxels *work, int64_t i, int cloud)
{
  return ((i / 3 % 2 ? 0.9 : 0.1) * (double) work->axis + 0.5 + cloud) * work->voxel_m;
}

static double
feature_of (RcDtype dtype)
{
  return rc_dtype_is_float (dtype) ? 2 * bench_uniform () - 1 : 127 * bench_uniform ();
}

static void
make_points (BenchClouds *clouds, int cloud)
{
  const BenchVoxels *work = clouds->work;
  const double extent = work->side * work->voxel_m * (double) work->axis;
  const RcVoxelField *layout = clouds->layout;
  int64_t i, k;

  for (i = 0; i < work->clouds * work->points; i++) {
    char *point = (char *) clouds->clouds[cloud] + i * clouds->stride;

    for (k = 0; k < 3 + work->features; k++)
      bench_put (point + layout[k].offset, layout[k].dtype, k < 3 ? within (extent) : feature_of (layout[k].dtype));
    if (work->room)
      bench_put (point + layout[i % 3].offset, layout[i % 3].dtype, on_wall (work, i, cloud));
  }
}

/* Fields one after the other. */
static void
lay_out_points (BenchClouds *clouds)
{
  const BenchVoxels *work = clouds->work;
  const int64_t fields = 3 + work->features;
  int64_t k;

  clouds->layout = malloc ((size_t) fields * sizeof (*clouds->layout));
  for (k = 0; k < fields; k++) {
    clouds->layout[k] = (RcVoxelField) { k < 3 ? work->in : work->feature_in, clouds->stride };
    clouds->stride += (int64_t) rc_dtype_size (clouds->layout[k].dtype);
  }
  clouds->spec.points = (RcVoxelPoints) { work->in, fields, 3, work->features, clouds->layout };
  clouds->cloud_bytes = work->clouds * work->points * clouds->stride;
}

/* ---- images ---- */

/* A wall that is further at its right end than at its left, with noise. */
static void
make_images (BenchClouds *clouds, int cloud)
{
  const BenchVoxels *work = clouds->work;
  uint16_t *pixels = clouds->clouds[cloud];
  int64_t i;

  for (i = 0; i < work->clouds * work->points; i++)
    pixels[i] = (uint16_t) (0x4000 + 0x8000 * (i % work->width) / work->width + (int64_t) (0x1000 * bench_uniform ()));
}

static void
find_rays (BenchClouds *clouds)
{
  const RcVoxelDepth *depth = &clouds->spec.depth;
  const RcCamera camera = {.width = depth->width,.height = depth->height,.fx = depth->fx,.fy = depth->fy,.cx = depth->cx,
    .cy = depth->cy,.k1 = -0.1,.k2 = 0.01,.p1 = 0.001,.p2 = -0.001
  };
  RcError error;

  clouds->rays = malloc (rc_camera_rays_bytes (&camera));
  if (rc_camera_rays (&camera, clouds->rays, NULL, &error) != RC_OK)
    bench_fail ("rays", error.message);
}

/* The camera is in the middle of a side of the grid, and sees nothing beyond it. */
static void
lay_out_images (BenchClouds *clouds)
{
  const BenchVoxels *work = clouds->work;
  const double extent = work->voxel_m * (double) work->axis, width = (double) work->width, height = (double) work->height;

  clouds->spec.source = RC_VOXEL_DEPTH;
  clouds->spec.depth = (RcVoxelDepth) { work->width, work->height, 1.3 * width, 1.3 * width, width / 2, height / 2,
    extent / 0x10000, NULL
  };
  clouds->spec.origin[0] = clouds->spec.origin[1] = -extent / 2;
  clouds->stride = 2 * work->width;
  clouds->cloud_bytes = work->clouds * work->height * clouds->stride;
  if (work->distorts)
    find_rays (clouds);
  clouds->spec.depth.rays = clouds->rays;
}

/* ---- clouds ---- */

static void
make_spec (BenchClouds *clouds)
{
  const BenchVoxels *work = clouds->work;
  const int64_t points = work->points * MAX (work->window, 1);
  int k;

  clouds->spec = (RcVoxelSpec) {.mode = work->mode,.output = work->output,.dtype = work->type,.max_voxels = points,
    .feature_range = work->feature_range,.batch = work->clouds,.max_points = work->max_points,.keeps = work->window > 0 ? work->window + 1 : 0
  };
  for (k = 0; k < 3; k++) {
    clouds->spec.grid[k] = work->axis;
    clouds->spec.voxel_size[k] = work->voxel_m;
  }
}

void
bench_clouds_make (BenchClouds *clouds, const BenchVoxels *work)
{
  const int has_images = work->width > 0;
  int i;

  *clouds = (BenchClouds) {.work = work,.n_clouds = work->window > 0 ? 3 : work->kept ? 2 : 1 };
  make_spec (clouds);
  (has_images ? lay_out_images : lay_out_points) (clouds);
  for (i = 0; i < clouds->n_clouds; i++) {
    clouds->clouds[i] = malloc ((size_t) clouds->cloud_bytes);
    (has_images ? make_images : make_points) (clouds, i);
  }
}

void
bench_clouds_free (BenchClouds *clouds)
{
  int i;

  for (i = 0; i < clouds->n_clouds; i++)
    free (clouds->clouds[i]);
  free (clouds->layout);
  free (clouds->rays);
}

int64_t
bench_clouds_bytes (const BenchClouds *clouds)
{
  const BenchVoxels *work = clouds->work;

  return (work->window > 0 ? 2 : 1) * clouds->cloud_bytes + (work->distorts ? work->points * 8 : 0);
}

/* ---- what changes ---- */

/* The bitmap of the first item of a cloud. */
static uint32_t *
occupied_by (const BenchClouds *clouds, const float *points)
{
  const BenchVoxels *work = clouds->work;
  uint32_t *bits = calloc ((size_t) (work->axis * work->axis * work->axis / 32 + 1), sizeof (uint32_t));
  const int64_t fields = 3 + work->features;
  int64_t i, k, voxel;

  for (i = 0; i < work->points; i++) {
    for (k = 2, voxel = 0; k >= 0; k--)
      voxel = voxel * work->axis + (int64_t) ((double) points[i * fields + k] / work->voxel_m);
    bits[voxel / 32] |= 1u << voxel % 32;
  }
  return bits;
}

int64_t
bench_clouds_bytes_that_change (const BenchClouds *clouds, int64_t value_bytes)
{
  const BenchVoxels *work = clouds->work;
  const int64_t voxels = work->axis * work->axis * work->axis, sectors = value_bytes / 32;
  const int is_occupancy = work->mode == RC_VOXEL_OCCUPANCY;
  uint32_t *was = occupied_by (clouds, clouds->clouds[0]), *is = occupied_by (clouds, clouds->clouds[1]);
  int64_t bytes = 0, sector, voxel;

  for (sector = 0; sector < sectors; sector++) {
    uint32_t changes = 0;

    for (voxel = sector * voxels / sectors; voxel <= ((sector + 1) * voxels - 1) / sectors; voxel++)
      changes |= (is_occupancy ? was[voxel / 32] ^ is[voxel / 32] : was[voxel / 32] | is[voxel / 32]) >> voxel % 32 & 1;
    bytes += changes ? 32 : 0;
  }
  free (was);
  free (is);
  return work->clouds * bytes;
}
