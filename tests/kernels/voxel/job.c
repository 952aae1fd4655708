/* robocache: what tests of voxel kernels share: running a job, comparing with the oracle, clouds
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

RcBackend *
open_cpu (RcCpuLevel level)
{
  const RcWhere where = { RC_BACKEND_CPU, 0, level, 0 };
  RcBackend *backend = NULL;

  rc_backend_open (&where, &backend, NULL);
  return backend;
}

#define CANARY 64

/* Scratch of exactly the stated size, dirty, with a canary behind it. */
void *
scratch_new (const RcFootprint *footprint, int64_t n, uint64_t *bytes)
{
  void *scratch = NULL;

  *bytes = footprint->scratch_bytes + footprint->scratch_bytes_per_point * (uint64_t) n;
  fail_unless_equals_int (posix_memalign (&scratch, 256, *bytes + CANARY), 0);
  memset (scratch, 0xA5, *bytes + CANARY);
  return scratch;
}

void
scratch_free (void *scratch, uint64_t bytes)
{
  for (int i = 0; i < CANARY; i++)
    fail_unless_equals_int (((uint8_t *) scratch)[bytes + i], 0xA5);
  free (scratch);
}

RcVoxelSpec
some_spec (void)
{
  RcVoxelSpec spec;

  memset (&spec, 0, sizeof (spec));
  spec.source = RC_VOXEL_POINTS;
  spec.points = (RcVoxelPoints) {RC_FLOAT32, 6, 4, 2};
  spec.depth = (RcVoxelDepth) {70, 9, 60.0, 61.0, 34.5, 4.25, 0.001};
  for (int axis = 0; axis < 3; axis++) {
    spec.origin[axis] = (const double[3]) {-1.5, 0.0, 2.25}[axis];
    spec.voxel_size[axis] = (const double[3]) {0.1, 0.25, 0.3}[axis];
    spec.grid[axis] = (const int64_t[3]) {37, 11, 5}[axis];
  }
  spec.mode = RC_VOXEL_COUNT;
  spec.output = RC_VOXEL_DENSE;
  spec.dtype = RC_FLOAT32;
  spec.max_voxels = 600;
  spec.batch = 1;
  return spec;
}

int64_t
point_bytes (const RcVoxelSpec *spec)
{
  const RcVoxelPoints *points = &spec->points;
  int64_t bytes = points->layout ? 0 : points->fields * (int64_t) rc_dtype_size (points->dtype);

  for (int64_t i = 0; points->layout && i < points->fields; i++)
    bytes = MAX (bytes, points->layout[i].offset + (int64_t) rc_dtype_size (points->layout[i].dtype));
  return bytes;
}

/* ---- one job, as a caller runs it ---- */

static RcVoxelChunk
chunk_of (const RcVoxelSpec *spec, const char *data, const Cuts *cuts, int i)
{
  const int which = cuts->backwards ? cuts->n - 1 - i : i;
  RcVoxelChunk chunk;

  memset (&chunk, 0, sizeof (chunk));
  chunk.stride = point_bytes (spec) + cuts->padding;
  chunk.data = data + cuts->at[which] * chunk.stride;
  chunk.n = cuts->at[which + 1] - cuts->at[which];
  return chunk;
}

void
result_alloc (Result *result, const RcVoxelPlan *plan, const RcVoxelSpec *spec, RcVoxelOut *out)
{
  memset (result, 0, sizeof (*result));
  memset (out, 0, sizeof (*out));
  result->grid_bytes = rc_voxel_value_bytes (plan);
  result->grid = g_malloc ((gsize) result->grid_bytes + 1);
  memset (result->grid, 0x5A, (gsize) result->grid_bytes);
  result->coordinates = g_malloc ((gsize) MAX (spec->max_voxels, 1) * 12);
  memset (result->coordinates, 0x5A, (gsize) MAX (spec->max_voxels, 1) * 12);
  out->grid = out->values = result->grid;
  out->n_voxels = &result->n_voxels;
  out->coordinates = result->coordinates;
  out->counters = &result->counters;
}

void
result_clear (Result *result)
{
  g_free (result->grid);
  g_free (result->coordinates);
}

static void
run_phases (RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelSpec *spec, const char *data, const Cuts *cuts,
    const RcVoxelOut *out)
{
  run_ok (rc_voxel_begin (plan, job, NULL, &run_error));
  for (int i = 0; i < cuts->n; i++) {
    const RcVoxelChunk chunk = chunk_of (spec, data, cuts, i);

    run_ok (rc_voxel_range (plan, job, &chunk, NULL, &run_error));
  }
  for (int i = 0; i < cuts->n; i++) {
    RcVoxelChunk chunk = chunk_of (spec, data, cuts, i);

    chunk.counters = out->counters;
    run_ok (rc_voxel_add (plan, job, &chunk, NULL, &run_error));
  }
  run_ok (rc_voxel_end (plan, job, out, NULL, &run_error));
}

/* All phases at once, of a job that is one chunk. */
static void
run_at_once (RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelSpec *spec, const char *data, const Cuts *cuts,
    const RcVoxelOut *out)
{
  RcVoxelChunk chunk = chunk_of (spec, data, cuts, 0);

  chunk.counters = out->counters;
  run_ok (rc_voxel_run (plan, job, &chunk, out, NULL, &run_error));
}

Result
run_job (RcBackend *backend, const RcVoxelSpec *spec, const void *data, const Cuts *cuts, int64_t n_points)
{
  RcVoxelJob job = { n_points, NULL, NULL };
  RcFootprint footprint;
  RcVoxelPlan *plan;
  RcVoxelOut out;
  Result result;
  uint64_t bytes;

  run_ok (rc_voxel_plan (backend, spec, &plan, &footprint, &run_error));
  result_alloc (&result, plan, spec, &out);
  job.scratch = scratch_new (&footprint, n_points, &bytes);
  (cuts->n == 1 ? run_at_once : run_phases) (plan, &job, spec, data, cuts, &out);
  scratch_free (job.scratch, bytes);
  rc_voxel_plan_free (plan);
  return result;
}

Cuts
whole (int64_t n)
{
  return (Cuts) {1, {0, n}, FALSE};
}

static int
compare_int64 (const void *a, const void *b)
{
  const int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;

  return x < y ? -1 : x > y;
}

Cuts
random_cuts (GRand *rand, int64_t n)
{
  Cuts cuts = { g_rand_int_range (rand, 2, 12), {0}, g_rand_boolean (rand) };

  for (int i = 1; i < cuts.n; i++)
    cuts.at[i] = g_rand_int_range (rand, 0, (gint32) n + 1);
  cuts.at[cuts.n] = n;
  qsort (cuts.at, (size_t) cuts.n + 1, sizeof (int64_t), compare_int64);
  return cuts;
}

/* ---- comparing ---- */

static double
saturated (RcDtype dtype, RcVoxelMode mode, double x)
{
  if (mode != RC_VOXEL_COUNT)
    return x;
  return fmin (x, dtype == RC_UINT8 ? 255.0 : dtype == RC_FLOAT16 ? 65504.0 : 4294967295.0);
}

/* The output that the oracle's grid makes. */
static void *
expected_values (const RcVoxelSpec *spec, const OracleGrid *oracle, int64_t bytes)
{
  void *values = g_malloc0 ((gsize) bytes + 1);
  const int64_t cap = spec->output == RC_VOXEL_SPARSE ? spec->max_voxels : G_MAXINT64;

  for (int64_t m = 0; m < MIN (oracle->n_occupied, cap); m++) {
    const int64_t voxel = oracle->voxels[m], x = voxel % spec->grid[0], row = voxel / spec->grid[0];

    if (spec->output == RC_VOXEL_BITS) {
      ((uint32_t *) values)[row * ((spec->grid[0] + 31) / 32) + x / 32] |= 1u << (x % 32);
      continue;
    }
    if (spec->output == RC_VOXEL_SPARSE && spec->mode == RC_VOXEL_OCCUPANCY)
      continue;
    for (int64_t c = 0; c < oracle->channels; c++)
      oracle_store (values, (spec->output == RC_VOXEL_SPARSE ? m : voxel) * oracle->channels + c, spec->dtype,
          saturated (spec->dtype, spec->mode, oracle->results[m * oracle->channels + c]));
  }
  return values;
}

/* Of a mean the formula gives the bits; that the formula is a mean is another thing to check. */
static void
check_means (const RcVoxelSpec *spec, const OracleGrid *oracle)
{
  const int64_t n = oracle->channels;

  for (int64_t i = 0; i < oracle->n_occupied * n; i++) {
    const double got = oracle->results[i], wanted = oracle->plain_means[i];
    double magnitude = oracle->magnitudes[i % n];

    if (spec->mode == RC_VOXEL_CENTROID)
      magnitude += fabs (spec->origin[i % n]);
    fail_unless (got == wanted || (isnan (got) && isnan (wanted)) || fabs (got - wanted) <= 1e-9 * magnitude,
        "mean %g, plainly %g", got, wanted);
  }
}

static void
check_counters (const RcVoxelCounters *got, const RcVoxelCounters *wanted)
{
  fail_unless_equals_int64 (got->points, wanted->points);
  fail_unless_equals_int64 (got->inside, wanted->inside);
  fail_unless_equals_int64 (got->outside, wanted->outside);
  fail_unless_equals_int64 (got->nan, wanted->nan);
  fail_unless_equals_int64 (got->infinite, wanted->infinite);
  fail_unless_equals_int64 (got->clamped, wanted->clamped);
  fail_unless_equals_int64 (got->occupied, wanted->occupied);
  fail_unless_equals_int64 (got->over_cap, wanted->over_cap);
}

void
check_result (const Result *result, const RcVoxelSpec *spec, const OracleGrid *oracle)
{
  void *values = expected_values (spec, oracle, result->grid_bytes);
  int64_t m;

  fail_unless (memcmp (result->grid, values, (size_t) result->grid_bytes) == 0, "mode %d output %d dtype %d from %s",
      spec->mode, spec->output, spec->dtype, rc_dtype_name (spec->points.dtype));
  g_free (values);
  check_counters (&result->counters, &oracle->counters);
  if (spec->mode == RC_VOXEL_MEAN || spec->mode == RC_VOXEL_CENTROID)
    check_means (spec, oracle);
  if (spec->output != RC_VOXEL_SPARSE)
    return;
  fail_unless_equals_int (result->n_voxels, MIN (oracle->n_occupied, spec->max_voxels));
  for (m = 0; m < result->n_voxels; m++) {
    const int32_t *p = result->coordinates + 3 * m;

    fail_unless_equals_int64 (((int64_t) p[2] * spec->grid[1] + p[1]) * spec->grid[0] + p[0], oracle->voxels[m]);
  }
  for (m *= 3; m < 3 * spec->max_voxels; m++)
    fail_unless_equals_int (result->coordinates[m], 0);
}

void
check_same (const Result *a, const Result *b, const RcVoxelSpec *spec)
{
  fail_unless (memcmp (a->grid, b->grid, (size_t) a->grid_bytes) == 0);
  fail_unless (memcmp (&a->counters, &b->counters, sizeof (a->counters)) == 0);
  fail_unless_equals_int (a->n_voxels, b->n_voxels);
  if (spec->output == RC_VOXEL_SPARSE)
    fail_unless (memcmp (a->coordinates, b->coordinates, (size_t) spec->max_voxels * 12) == 0);
}

/* ---- clouds ---- */

static const double special_coordinates[] = { NAN, INFINITY, -INFINITY, -0.0, 0.0, 1e-45, -1e-45, 1e-310, 1e30, -1e30,
  1e300, 3.4e38
};

static const double special_features[] = { NAN, INFINITY, -INFINITY, -0.0, 0.0, 1e-45, -3e-42, 6e-8, 65504.0 };

static double
random_coordinate (GRand *rand, const RcVoxelSpec *spec, int axis)
{
  const double extent = (double) spec->grid[axis] * spec->voxel_size[axis];
  const int kind = g_rand_int_range (rand, 0, 100);

  if (kind == 0)
    return special_coordinates[g_rand_int_range (rand, 0, G_N_ELEMENTS (special_coordinates))];
  if (kind < 20)                /* on a boundary, or one float beside it */
    return (double) nextafterf ((float) (spec->origin[axis]
            + spec->voxel_size[axis] * g_rand_int_range (rand, 0, (gint32) MIN (spec->grid[axis], 1000) + 1)),
        (float) g_rand_double_range (rand, -1e6, 1e6));
  if (kind < 40)
    return spec->origin[axis] + spec->voxel_size[axis] * g_rand_int_range (rand, -1, (gint32) spec->grid[axis] + 2);
  return spec->origin[axis] + g_rand_double_range (rand, -0.1, 1.1) * extent;
}

static double
random_feature (GRand *rand, int64_t channel, gboolean special)
{
  static const double scales[] = { 1.0, 255.0, 1e-6, 3e4 };

  if (special && g_rand_int_range (rand, 0, 40) == 0)
    return special_features[g_rand_int_range (rand, 0, G_N_ELEMENTS (special_features))];
  return g_rand_double_range (rand, -1.0, 1.0) * scales[channel % G_N_ELEMENTS (scales)];
}

/* A cloud, stored as dtype in *data, its values those that dtype holds. */
OracleCloud
random_cloud (GRand *rand, const RcVoxelSpec *spec, int64_t n, gboolean special, void **data)
{
  OracleCloud cloud = { n, spec->points.fields, g_new (double, n * spec->points.fields + 1) };

  *data = g_malloc0 ((gsize) (n * cloud.fields + 1) * 8);
  for (int64_t i = 0; i < n * cloud.fields; i++) {
    const int64_t field = i % cloud.fields;

    oracle_store (*data, i, spec->points.dtype, field < 3 ? random_coordinate (rand, spec, (int) field)
        : random_feature (rand, field, special));
    cloud.values[i] = oracle_load (*data, i, spec->points.dtype);
  }
  return cloud;
}

DepthScene
depth_scene_new (GRand *rand, int width, int height, gboolean has_lens)
{
  const int n = width * height;
  const RcVoxelDepth depth = { width, height, 500, 510, width / 2, 2.5, 0.001, NULL };
  DepthScene scene = { depth, g_new (float, n * 2), g_new (uint16_t, n), g_new0 (RcVoxelChunk, height),
    {n, 3, g_new (double, n * 3)}
  };

  scene.depth.rays = has_lens ? scene.rays : NULL;
  for (int i = 0; i < n; i++) {
    const gboolean has_ray = !has_lens || g_rand_int_range (rand, 0, 9) > 0;
    float z;

    scene.pixels[i] = g_rand_int_range (rand, 0, 5) ? (uint16_t) g_rand_int_range (rand, 1, 5000) : 0;
    scene.rays[2 * i] = has_ray ? (float) ((i % width - depth.cx) / depth.fx) : NAN;
    scene.rays[2 * i + 1] = (float) ((i / width - depth.cy) / depth.fy);
    z = scene.pixels[i] ? (float) scene.pixels[i] * 0.001f : NAN;
    for (int axis = 0; axis < 2; axis++) {
      const float p = scene.rays[2 * i + axis] * z;

      scene.cloud.values[3 * i + axis] = (double) p;
    }
    scene.cloud.values[3 * i + 2] = (double) z;
  }
  for (int row = 0; row < height; row++)
    scene.rows[row] = (RcVoxelChunk) {.data = scene.pixels + row * width,.n = 1,.stride = 2 * width,.first_row = row };
  return scene;
}

void
depth_scene_clear (DepthScene *scene)
{
  g_free (scene->cloud.values);
  g_free (scene->rows);
  g_free (scene->pixels);
  g_free (scene->rays);
}
