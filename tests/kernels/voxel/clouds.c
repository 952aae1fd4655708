/* robocache: clouds by name, from harmless to hostile, and the forms of grids that are made of them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "clouds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/voxel_plan.h"
#include "tests/kernels/random.h"

#define MAX_DENSE (INT64_C (1) << 31)

static uint64_t
below (uint64_t *random, uint64_t n)
{
  return random_bits (random) % n;
}

static float
one_of (uint64_t *random, const float *values, size_t n)
{
  return values[below (random, n)];
}

#define ONE_OF(random, values) one_of (random, values, sizeof (values) / sizeof (values[0]))

/* ---- points ---- */

static void
set_features (uint64_t *random, float *point)
{
  point[3] = (float) random_real (random, -1, 1);
  point[4] = (float) (255 * random_real (random, 0, 1));
}

/* From `from` to `to` of the grid's extent along each axis. */
static void
set_within (const VoxelCloud *cloud, uint64_t *random, double from, double to, float *point)
{
  int axis;

  for (axis = 0; axis < 3; axis++)
    point[axis] = (float) (cloud->origin[axis] + random_real (random, from, to) * cloud->voxel_size[axis]
        * (double) cloud->grid[axis]);
}

static void
anywhere (const VoxelCloud *cloud, uint64_t random, float *point)
{
  set_features (&random, point);
  set_within (cloud, &random, -0.05, 1.05, point);
}

static void
in_one_voxel (const VoxelCloud *cloud, uint64_t random, float *point)
{
  int axis;

  set_features (&random, point);
  for (axis = 0; axis < 3; axis++)
    point[axis] = (float) (cloud->origin[axis] + (floor ((double) cloud->grid[axis] / 2) + random_real (&random, 0.1, 0.9))
        * cloud->voxel_size[axis]);
}

static void
outside (const VoxelCloud *cloud, uint64_t random, float *point)
{
  const uint64_t axis = below (&random, 3);

  anywhere (cloud, random, point);
  point[axis] = (float) (cloud->origin[axis] + cloud->voxel_size[axis] * (double) cloud->grid[axis]
      * (random & 1 ? random_real (&random, 1.01, 9) : random_real (&random, -9, -0.01)));
}

/* Of voxels and of the grid, or a float beside one. */
static void
on_faces (const VoxelCloud *cloud, uint64_t random, float *point)
{
  int axis;

  set_features (&random, point);
  for (axis = 0; axis < 3; axis++) {
    const double voxel = (double) below (&random, (uint64_t) cloud->grid[axis] + 3) - 1;
    const float face = (float) (cloud->origin[axis] + voxel * cloud->voxel_size[axis]);
    const float faces[] = { face, nextafterf (face, INFINITY), nextafterf (face, -INFINITY) };

    point[axis] = ONE_OF (&random, faces);
  }
}

/* Some coordinates of three points of four are special. */
static void
set_special (const VoxelCloud *cloud, uint64_t random, const float *special, size_t n, float *point)
{
  const uint64_t which = below (&random, 32);
  int axis;

  anywhere (cloud, random, point);
  for (axis = 0; axis < 3 && which < 24; axis++) {
    if (which % 8 == 7 || which % 8 >> axis & 1)
      point[axis] = one_of (&random, special, n);
  }
}

static void
with_nan (const VoxelCloud *cloud, uint64_t random, float *point)
{
  static const float special[] = { NAN, -NAN, NAN, INFINITY };

  set_special (cloud, random, special, 4, point);
}

static void
with_infinities (const VoxelCloud *cloud, uint64_t random, float *point)
{
  static const float special[] = { INFINITY, -INFINITY };

  set_special (cloud, random, special, 2, point);
}

static void
with_huge_numbers (const VoxelCloud *cloud, uint64_t random, float *point)
{
  static const float special[] = { 1e30f, -1e30f, 3.4028235e38f, -3.4028235e38f };

  set_special (cloud, random, special, 4, point);
  point[3] = ONE_OF (&random, special);
}

/* Features that sums and comparisons stumble over. */
static void
with_special_features (const VoxelCloud *cloud, uint64_t random, float *point)
{
  static const float special[] = { NAN, INFINITY, -INFINITY, 0.0f, -0.0f, 1e-45f, -3e-42f, 65504.0f, 1e30f, -1e30f };

  anywhere (cloud, random, point);
  if (below (&random, 8) == 0)
    point[3] = ONE_OF (&random, special);
  point[4] = below (&random, 2) ? 0.0f : -0.0f;
}

/* Two numbers for all: there are many of them. */
static void
of_many (const VoxelCloud *cloud, uint64_t random, float *point)
{
  const uint64_t where = random_bits (&random), what = random_bits (&random);
  int axis;

  for (axis = 0; axis < 3; axis++)
    point[axis] = (float) (cloud->origin[axis] + ((double) (where >> 21 * axis & 0x1FFFFF) * 0x1.1p-21 - 0x1p-6)
        * cloud->voxel_size[axis] * (double) cloud->grid[axis]);
  point[3] = (float) (int32_t) what * 0x1p-31f;
  point[4] = (float) (what >> 56);
}

/* ---- clouds ---- */

#define SMALL {37, 11, 5}, {-1.5, 0.0, 2.25}, {0.1, 0.25, 0.3}
#define WHOLE_WORDS {64, 16, 8}, {-3.2, -0.8, 0.0}, {0.1, 0.1, 0.1}

const VoxelCloud voxel_clouds[] = {
  {"random", 1, 3000, SMALL, anywhere},
  {"random_in_whole_words", 1, 20000, WHOLE_WORDS, anywhere},
  {"random_batch", 6, 1500, WHOLE_WORDS, anywhere},
  {"few_in_many_voxels", 1, 200, {64, 64, 64}, {-3.2, -3.2, 0}, {0.1, 0.1, 0.1}, anywhere},
  {"recording", 1, 0, {96, 96, 16}, {-48, -48, -4}, {1, 1, 1}},
  {"one_voxel", 1, 5000, SMALL, in_one_voxel},
  {"all_outside", 1, 2000, SMALL, outside},
  {"on_faces", 1, 3000, WHOLE_WORDS, on_faces},
  {"on_faces_of_a_long_axis", 1, 3000, {1 << 19, 1, 1}, {-2621.44, -1, -1}, {0.01, 2, 2}, on_faces},
  {"on_faces_of_tiny_voxels", 1, 3000, {96, 4, 2}, {0, 0, 0}, {0x1p-61, 0x1p-59, 0x1p-126}, on_faces},
  {"on_faces_of_huge_voxels", 1, 3000, {96, 4, 2}, {0, 0, 0}, {0x1p59, 0x1p61, 0x1p100}, on_faces},
  {"on_faces_far_away", 1, 3000, {96, 32, 8}, {1e6, -1e6, 3e5}, {0.01, 0.05, 0.1}, on_faces},
  {"nan", 1, 3000, SMALL, with_nan},
  {"infinities", 1, 3000, SMALL, with_infinities},
  {"huge_numbers", 1, 3000, SMALL, with_huge_numbers},
  {"special_features", 1, 3000, SMALL, with_special_features},
  {"empty", 1, 0, SMALL, anywhere},
  {"one_point", 1, 1, SMALL, in_one_voxel},
  {"beyond_2_31_voxels", 1, 4000, {2048, 2048, 1024}, {-10, -10, -5}, {0.01, 0.01, 0.01}, anywhere},
  {"largest_grid", 1, 4000, {RC_VOXEL_MAX_AXIS, RC_VOXEL_MAX_AXIS, RC_VOXEL_MAX_AXIS}, {0, 0, 0}, {0x1p-7, 0x1p-7, 0x1p-7},
    anywhere},
};

const size_t n_voxel_clouds = sizeof (voxel_clouds) / sizeof (voxel_clouds[0]);

const VoxelCloud voxel_cloud_of_many = { "many", 1, 100000000, {64, 64, 64}, {-3.2, -3.2, 0}, {0.1, 0.1, 0.1}, of_many };

int
voxel_cloud_load (VoxelCloud *cloud, const char *path)
{
  FILE *file = fopen (path, "rb");
  long bytes;

  if (file == NULL)
    return 0;
  if (fseek (file, 0, SEEK_END) == 0 && (bytes = ftell (file)) > 0) {
    cloud->n = bytes / 12;
    cloud->recorded = malloc ((size_t) bytes);
    rewind (file);
    if (cloud->recorded == NULL || fread (cloud->recorded, 12, (size_t) cloud->n, file) != (size_t) cloud->n)
      voxel_cloud_unload (cloud);
  }
  fclose (file);
  return cloud->recorded != NULL;
}

void
voxel_cloud_unload (VoxelCloud *cloud)
{
  free (cloud->recorded);
  cloud->recorded = NULL;
}

void
voxel_cloud_fill (const VoxelCloud *cloud, int64_t first, int64_t n, float *points)
{
  int64_t i;

  for (i = 0; i < n; i++) {
    uint64_t number = (uint64_t) (first + i), random = random_bits (&number);

    if (cloud->point) {
      cloud->point (cloud, random, points + i * CLOUD_FIELDS);
    } else {
      set_features (&random, points + i * CLOUD_FIELDS);
      memcpy (points + i * CLOUD_FIELDS, cloud->recorded + (first + i) * 3, 3 * sizeof (float));
    }
  }
}

/* ---- forms ---- */

const VoxelForm voxel_forms[] = {
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_UINT8},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_FLOAT32},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, RC_UINT8},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_SPARSE, RC_UINT8},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_INDEX, RC_UINT8},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_UINT8},
  {RC_VOXEL_COUNT, RC_VOXEL_DENSE, RC_UINT32},
  {RC_VOXEL_COUNT, RC_VOXEL_SPARSE, RC_UINT8},
  {RC_VOXEL_MEAN, RC_VOXEL_DENSE, RC_FLOAT32},
  {RC_VOXEL_MEAN, RC_VOXEL_SPARSE, RC_FLOAT16},
  {RC_VOXEL_CENTROID, RC_VOXEL_DENSE, RC_FLOAT32},
  {RC_VOXEL_CENTROID, RC_VOXEL_SPARSE, RC_FLOAT32},
  {RC_VOXEL_MAX, RC_VOXEL_DENSE, RC_FLOAT32},
  {RC_VOXEL_MAX, RC_VOXEL_SPARSE, RC_FLOAT32},
  {RC_VOXEL_MIN, RC_VOXEL_DENSE, RC_FLOAT16},
  {RC_VOXEL_MIN, RC_VOXEL_SPARSE, RC_FLOAT32},
  {RC_VOXEL_FIRST, RC_VOXEL_SPARSE, RC_FLOAT32},
};

const size_t n_voxel_forms = sizeof (voxel_forms) / sizeof (voxel_forms[0]);

int
voxel_cloud_takes (const VoxelCloud *cloud, const VoxelForm *form)
{
  const int has_grid = form->output == RC_VOXEL_DENSE || form->output == RC_VOXEL_BITS;

  return !has_grid || cloud->grid[0] < MAX_DENSE / cloud->grid[1] / cloud->grid[2];
}

const char *
voxel_form_name (const VoxelForm *form)
{
  static __thread char name[64];

  snprintf (name, sizeof (name), "%s_%s_%s", rc_voxel_mode_name (form->mode), rc_voxel_output_name (form->output),
      rc_dtype_name (form->dtype));
  return name;
}

RcVoxelSpec
voxel_cloud_spec (const VoxelCloud *cloud, const VoxelForm *form)
{
  RcVoxelSpec spec = {.points = {.dtype = RC_FLOAT32,.fields = CLOUD_FIELDS,.first_feature = 3,
      .features = CLOUD_FEATURES},.mode = form->mode,.output = form->output,.dtype = form->dtype,.max_voxels = 2500,
    .batch = cloud->batch,.max_points = 3
  };

  memcpy (spec.grid, cloud->grid, sizeof (spec.grid));
  memcpy (spec.origin, cloud->origin, sizeof (spec.origin));
  memcpy (spec.voxel_size, cloud->voxel_size, sizeof (spec.voxel_size));
  return spec;
}
