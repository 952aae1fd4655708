/* robocache: voxel grids against the oracle, bit for bit, and however a job is cut
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernels/voxel.h"

#include <gst/check/gstcheck.h>

#include <math.h>
#include <string.h>

#include "tests/recordings.h"
#include "job.h"

static const RcCpuLevel levels[] = { RC_CPU_BEST, RC_CPU_BASELINE, RC_CPU_AVX2, RC_CPU_AVX512 };

/* ---- every combination of input type, mode, output and output type ---- */

static const RcDtype inputs[] = { RC_FLOAT16, RC_FLOAT32, RC_FLOAT64 };
static const RcDtype outputs[] = { RC_UINT8, RC_UINT32, RC_FLOAT16, RC_FLOAT32 };

#define N_COMBINATIONS (3 * 6 * 3 * 4)

static RcVoxelSpec
combination (int i)
{
  RcVoxelSpec spec = some_spec ();

  spec.dtype = outputs[i % 4];
  spec.output = (RcVoxelOutput) (i / 4 % 3);
  spec.mode = (RcVoxelMode) (i / 12 % 6);
  spec.points.dtype = inputs[i / 72];
  return spec;
}

static gboolean
is_valid (const RcVoxelSpec *spec)
{
  if (spec->output == RC_VOXEL_BITS)
    return spec->mode == RC_VOXEL_OCCUPANCY;
  return spec->mode <= RC_VOXEL_COUNT || spec->dtype == RC_FLOAT16 || spec->dtype == RC_FLOAT32;
}

GST_START_TEST (test_combination)
{
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  const RcVoxelSpec spec = combination (__i__);
  GRand *rand = g_rand_new_with_seed ((guint32) __i__);
  RcVoxelPlan *plan = NULL;

  if (!is_valid (&spec)) {
    RcError error;

    fail_unless_equals_int (rc_voxel_plan (backend, &spec, &plan, NULL, &error), RC_INVALID_ARGUMENT);
    fail_unless (plan == NULL && strstr (error.message, "mode"));
  } else {
    for (int round = 0; round < 4; round++) {
      const int64_t n = (const int64_t[]) {0, 1, 700, 3000}[round];
      void *data;
      OracleCloud cloud = random_cloud (rand, &spec, n, round != 2, &data);
      OracleGrid *oracle = oracle_voxelize (&spec, &cloud, n);
      const Cuts all = whole (n);
      Result result = run_job (backend, &spec, data, &all, n);

      check_result (&result, &spec, oracle);
      result_clear (&result);
      oracle_free (oracle);
      g_free (cloud.values);
      g_free (data);
    }
  }
  g_rand_free (rand);
  rc_backend_close (backend);
}

GST_END_TEST;

GST_START_TEST (test_cuts_change_no_bit)
{
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  const RcVoxelSpec spec = combination (__i__);
  GRand *rand = g_rand_new_with_seed ((guint32) __i__ + 1000);
  const int64_t n = 2500;

  if (is_valid (&spec)) {
    void *data;
    OracleCloud cloud = random_cloud (rand, &spec, n, TRUE, &data);
    const Cuts all = whole (n);
    Result once = run_job (backend, &spec, data, &all, n);

    for (int round = 0; round < 4; round++) {
      const Cuts cuts = random_cuts (rand, n);
      Result again = run_job (backend, &spec, data, &cuts, n);

      check_same (&once, &again, &spec);
      result_clear (&again);
    }
    result_clear (&once);
    g_free (cloud.values);
    g_free (data);
  }
  g_rand_free (rand);
  rc_backend_close (backend);
}

GST_END_TEST;

GST_START_TEST (test_instruction_sets_change_no_bit)
{
  RcBackend *baseline = open_cpu (RC_CPU_BASELINE), *other = open_cpu (levels[__i__]);
  GRand *rand = g_rand_new_with_seed ((guint32) __i__ + 2000);

  for (int i = 0; other && i < N_COMBINATIONS; i += 5) {
    const RcVoxelSpec spec = combination (i);
    const int64_t n = 1500;
    const Cuts all = whole (n);
    void *data;

    if (is_valid (&spec)) {
      OracleCloud cloud = random_cloud (rand, &spec, n, TRUE, &data);
      Result a = run_job (baseline, &spec, data, &all, n), b = run_job (other, &spec, data, &all, n);

      check_same (&a, &b, &spec);
      result_clear (&a);
      result_clear (&b);
      g_free (cloud.values);
      g_free (data);
    }
  }
  g_rand_free (rand);
  rc_backend_close (baseline);
  rc_backend_close (other);
}

GST_END_TEST;

/* ---- chosen points ---- */

/* Checks rows of float64 fields against the oracle and returns the result. */
static Result
check_points (const RcVoxelSpec *given, const double *rows, int64_t n, int64_t n_points)
{
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  RcVoxelSpec spec = *given;
  OracleCloud cloud = { n, spec.points.fields, g_new (double, n * spec.points.fields + 1) };
  void *data = g_malloc0 ((gsize) (n * cloud.fields + 1) * 8);
  const Cuts all = whole (n);
  OracleGrid *oracle;
  Result result;

  for (int64_t i = 0; i < n * cloud.fields; i++) {
    oracle_store (data, i, spec.points.dtype, rows[i]);
    cloud.values[i] = oracle_load (data, i, spec.points.dtype);
  }
  oracle = oracle_voxelize (&spec, &cloud, n_points);
  result = run_job (backend, &spec, data, &all, n_points);
  check_result (&result, &spec, oracle);
  oracle_free (oracle);
  g_free (cloud.values);
  g_free (data);
  rc_backend_close (backend);
  return result;
}

/* A grid of two voxels along x, points of x, y, z and one feature. */
static RcVoxelSpec
two_voxels (RcVoxelMode mode, RcDtype input)
{
  RcVoxelSpec spec = some_spec ();

  spec.points = (RcVoxelPoints) {input, 4, 3, 1};
  for (int axis = 0; axis < 3; axis++) {
    spec.origin[axis] = 0.0;
    spec.voxel_size[axis] = 1.0;
    spec.grid[axis] = axis == 0 ? 2 : 1;
  }
  spec.mode = mode;
  return spec;
}

GST_START_TEST (test_points_on_boundaries)
{
  RcVoxelSpec spec = two_voxels (RC_VOXEL_COUNT, RC_FLOAT32);
  const double below = (double) nextafterf (1.0f, 0.0f), end = (double) nextafterf (2.0f, 0.0f);
  const double rows[] = { 0, 0, 0, 0, -0.0, -0.0, -0.0, 0, below, 0, 0, 0, 1, 0, 0, 0, end, 0, 0, 0, 2, 0, 0, 0,
    -1e-45, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0
  };
  Result result = check_points (&spec, rows, 9, 9);
  const float *counts = result.grid;

  assert_equals_float (counts[0], 3.0f);
  assert_equals_float (counts[1], 2.0f);
  fail_unless_equals_int64 (result.counters.outside, 4);
  result_clear (&result);
}

GST_END_TEST;

GST_START_TEST (test_nan_and_infinite_points_are_counted_apart)
{
  RcVoxelSpec spec = two_voxels (RC_VOXEL_COUNT, RC_FLOAT64);
  const double rows[] = { NAN, 0, 0, 0, 0, INFINITY, 0, 0, 0, NAN, INFINITY, 0, 0, 0, -INFINITY, 0, 1e300, 0, 0, 0,
    0.5, 0.5, 0.5, NAN, 5, 0, 0, 0
  };
  Result result = check_points (&spec, rows, 7, 7);

  fail_unless_equals_int64 (result.counters.points, 7);
  fail_unless_equals_int64 (result.counters.nan, 2);
  fail_unless_equals_int64 (result.counters.infinite, 3);
  fail_unless_equals_int64 (result.counters.outside, 1);
  fail_unless_equals_int64 (result.counters.inside, 1);
  result_clear (&result);
}

GST_END_TEST;

/* One feature list, all in voxel 0, and what each mode makes of it. */
static const struct
{
  double x[4];
  double mean, max, min;
} feature_cases[] = {
  {{1, 2, 3, 4}, 2.5, 4, 1},
  {{NAN, 2, 3, 4}, NAN, NAN, NAN},
  {{INFINITY, 2, 3, 4}, INFINITY, INFINITY, 2},
  {{-INFINITY, 2, 3, 4}, -INFINITY, 4, -INFINITY},
  {{INFINITY, -INFINITY, 3, 4}, NAN, INFINITY, -INFINITY},
  {{-0.0, 0.0, -0.0, -0.0}, 0.0, 0.0, -0.0},
  {{-0.0, -0.0, -0.0, -0.0}, 0.0, -0.0, -0.0},
  {{3.4028234663852886e38, 3.4028234663852886e38, 3.4028234663852886e38, 3.4028234663852886e38},
      3.4028234663852886e38, 3.4028234663852886e38, 3.4028234663852886e38},
  {{3.4028234663852886e38, -3.4028234663852886e38, 0, 0}, 0.0, 3.4028234663852886e38, -3.4028234663852886e38},
  {{1e-45, 1e-45, 1e-45, 1e-45}, 1e-45, 1e-45, 1e-45},
  {{-1, -2, -3, -4}, -2.5, -1, -4},
};

static void
check_feature (int i, RcVoxelMode mode, RcDtype input, double wanted)
{
  RcVoxelSpec spec = two_voxels (mode, input);
  double rows[16] = { 0 };
  uint32_t bits;
  Result result;

  for (int p = 0; p < 4; p++)
    rows[4 * p + 3] = feature_cases[i].x[p];
  result = check_points (&spec, rows, 4, 4);
  oracle_store (&bits, 0, RC_FLOAT32, wanted);
  fail_unless (((uint32_t *) result.grid)[0] == bits, "case %d mode %d: 0x%08x, expected 0x%08x", i, mode,
      ((uint32_t *) result.grid)[0], bits);
  fail_unless_equals_int (((uint32_t *) result.grid)[1], 0);
  result_clear (&result);
}

GST_START_TEST (test_special_features_mean)
{
  check_feature (__i__, RC_VOXEL_MEAN, RC_FLOAT32, feature_cases[__i__].mean);
  check_feature (__i__, RC_VOXEL_MEAN, RC_FLOAT64, feature_cases[__i__].mean);
}

GST_END_TEST;

GST_START_TEST (test_special_features_max)
{
  check_feature (__i__, RC_VOXEL_MAX, RC_FLOAT32, feature_cases[__i__].max);
}

GST_END_TEST;

GST_START_TEST (test_special_features_min)
{
  check_feature (__i__, RC_VOXEL_MIN, RC_FLOAT32, feature_cases[__i__].min);
}

GST_END_TEST;

/* Dense and sparse, from magnitudes at the ends of float64: the scale 2^k itself is no double there. */
GST_START_TEST (test_extreme_float64_features)
{
  static const double magnitudes[] = { 5e-324, 1e-310, 2.3e-308, 1e-200, 1e200, 1.7976931348623157e308 };
  const double m = magnitudes[__i__];
  const double rows[] = { 0, 0, 0, m, 0, 0, 0, m, 0, 0, 0, -m / 2, 1, 0, 0, m };

  for (int output = RC_VOXEL_DENSE; output <= RC_VOXEL_SPARSE; output += 2) {
    RcVoxelSpec spec = two_voxels (RC_VOXEL_MEAN, RC_FLOAT64);
    Result result;

    spec.output = (RcVoxelOutput) output;
    result = check_points (&spec, rows, 4, 4);
    fail_unless_equals_int64 (result.counters.occupied, 2);
    result_clear (&result);
  }
}

GST_END_TEST;

GST_START_TEST (test_rounding_to_float16_is_once)
{
  /* 1 + 2^-11 + 2^-40 rounds up in float16, but to even, down, after float32 took the last term away */
  const double x = 1.0 + ldexp (1.0, -11) + ldexp (1.0, -40);
  const double rows[] = { 0, 0, 0, x };
  static const RcVoxelMode modes[] = { RC_VOXEL_MEAN, RC_VOXEL_MAX, RC_VOXEL_MIN };
  RcVoxelSpec spec = two_voxels (modes[__i__], RC_FLOAT64);
  Result result;

  spec.dtype = RC_FLOAT16;
  result = check_points (&spec, rows, 1, 1);
  fail_unless_equals_int (((uint16_t *) result.grid)[0], 0x3C01);
  result_clear (&result);
}

GST_END_TEST;

GST_START_TEST (test_counts_saturate)
{
  static const RcDtype types[] = { RC_UINT8, RC_UINT32, RC_FLOAT16, RC_FLOAT32 };
  static const double wanted[] = { 255, 70001, 65504, 70001 };
  const int64_t n = 70001;
  RcVoxelSpec spec = two_voxels (RC_VOXEL_COUNT, RC_FLOAT16);
  double *rows = g_new0 (double, 4 * n);
  Result result;

  spec.dtype = types[__i__];
  spec.output = RC_VOXEL_SPARSE;
  result = check_points (&spec, rows, n, n);
  fail_unless (oracle_load (result.grid, 0, spec.dtype) == wanted[__i__]);
  result_clear (&result);
  spec.output = RC_VOXEL_DENSE;
  result = check_points (&spec, rows, n, n);
  fail_unless (oracle_load (result.grid, 0, spec.dtype) == wanted[__i__]);
  result_clear (&result);
  g_free (rows);
}

GST_END_TEST;

/* 2^63 voxels: no dense memory, and linear indices of 63 bits. */
GST_START_TEST (test_largest_grid_is_sparse)
{
  RcVoxelSpec spec = two_voxels ((RcVoxelMode) __i__, RC_FLOAT32);
  const double last = RC_VOXEL_MAX_AXIS - 1;
  const double rows[] = { last, last, last, 7, 0, 0, 0, 1, last, 0, 0, 2, 0, last, 0, 3, 0, 0, last, 4, last, last,
      last, 8, 12345, 67890, 23456, 5, RC_VOXEL_MAX_AXIS, 0, 0, 6
  };
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  RcFootprint footprint;
  RcVoxelPlan *plan;
  Result result;

  spec.output = RC_VOXEL_SPARSE;
  spec.max_voxels = 10;
  for (int axis = 0; axis < 3; axis++)
    spec.grid[axis] = RC_VOXEL_MAX_AXIS;
  run_ok (rc_voxel_plan (backend, &spec, &plan, &footprint, &run_error));
  rc_voxel_plan_free (plan);
  fail_unless (footprint.scratch_bytes < 4096 && footprint.scratch_bytes_per_point < 64);
  result = check_points (&spec, rows, 8, 8);
  fail_unless_equals_int (result.n_voxels, 6);
  fail_unless_equals_int (result.coordinates[15], RC_VOXEL_MAX_AXIS - 1);
  fail_unless_equals_int64 (result.counters.outside, 1);
  result_clear (&result);
  rc_backend_close (backend);
}

GST_END_TEST;

GST_START_TEST (test_random_sparse_in_huge_grid)
{
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  GRand *rand = g_rand_new_with_seed (77 + (guint32) __i__);
  RcVoxelSpec spec = some_spec ();
  const int64_t n = 20000;
  OracleCloud cloud;
  OracleGrid *oracle;
  const Cuts cuts = random_cuts (rand, n);
  Result result;
  void *data;

  spec.mode = (RcVoxelMode) __i__;
  spec.output = RC_VOXEL_SPARSE;
  spec.max_voxels = 30000;
  for (int axis = 0; axis < 3; axis++) {
    spec.grid[axis] = (const int64_t[3]) {1000003, 77, 2000000}[axis];
    spec.voxel_size[axis] = 0.001;
  }
  cloud = random_cloud (rand, &spec, n, TRUE, &data);
  oracle = oracle_voxelize (&spec, &cloud, n);
  result = run_job (backend, &spec, data, &cuts, n);
  fail_unless (oracle->n_occupied > 3000);
  check_result (&result, &spec, oracle);
  result_clear (&result);
  oracle_free (oracle);
  g_free (cloud.values);
  g_free (data);
  g_rand_free (rand);
  rc_backend_close (backend);
}

GST_END_TEST;

GST_START_TEST (test_over_cap_is_counted)
{
  RcVoxelSpec spec = two_voxels (RC_VOXEL_COUNT, RC_FLOAT32);
  const double rows[] = { 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0 };
  Result result;

  spec.output = RC_VOXEL_SPARSE;
  spec.grid[0] = 10;
  spec.max_voxels = 2;
  result = check_points (&spec, rows, 5, 5);
  fail_unless_equals_int (result.n_voxels, 2);
  fail_unless_equals_int64 (result.counters.occupied, 4);
  fail_unless_equals_int64 (result.counters.over_cap, 2);
  fail_unless_equals_int (result.coordinates[3], 1);
  assert_equals_float (((float *) result.grid)[1], 2.0f);
  result_clear (&result);
}

GST_END_TEST;

GST_START_TEST (test_feature_range)
{
  RcVoxelSpec spec = two_voxels (RC_VOXEL_MEAN, RC_FLOAT32);
  const double rows[] = { 0, 0, 0, 50, 0, 0, 0, -200, 0, 0, 0, 100, 1, 0, 0, 1000, 1, 0, 0, INFINITY, 9, 0, 0, 1e9 };
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  RcVoxelPlan *plan;
  Result result;

  spec.feature_range = 100.0;
  spec.output = __i__ ? RC_VOXEL_SPARSE : RC_VOXEL_DENSE;
  run_ok (rc_voxel_plan (backend, &spec, &plan, NULL, &run_error));
  fail_unless (!rc_voxel_needs_range (plan));
  rc_voxel_plan_free (plan);
  result = check_points (&spec, rows, 6, 6);
  fail_unless_equals_int64 (result.counters.clamped, 2);
  assert_equals_float (((float *) result.grid)[0], (float) (50.0 / 3.0));
  fail_unless (isinf (((float *) result.grid)[1]));
  result_clear (&result);
  rc_backend_close (backend);
}

GST_END_TEST;

/* A job may be said to have more points than come; N is then that number, and the bits follow the formula. */
GST_START_TEST (test_n_is_what_the_job_states)
{
  static const int64_t stated[] = { 3, 4, 5, 1000, 1 << 20, RC_VOXEL_MAX_POINTS };
  RcVoxelSpec spec = two_voxels (RC_VOXEL_MEAN, RC_FLOAT32);
  const double rows[] = { 0, 0, 0, 0.1, 0, 0, 0, 0.7, 0, 0, 0, 123.456 };
  Result result = check_points (&spec, rows, 3, stated[__i__]);

  fail_unless (fabsf (((float *) result.grid)[0] - 41.418667f) < 1e-4f);
  result_clear (&result);
}

GST_END_TEST;

/* Beside a value of 1, whose 2^e is 2, one of 1.5 units of 2^-k is rounded to 2 and one of 1.25 to 1: k itself shows. */
static const struct
{
  int64_t n;
  int ceil_log2;
} fixed_points[] = { {3, 2}, {4, 2}, {5, 3}, {8, 3}, {9, 4}, {1 << 20, 20}, {(1 << 20) + 1, 21},
  {RC_VOXEL_MAX_POINTS, 32}
};

GST_START_TEST (test_fixed_point_has_the_k_of_the_formula)
{
  const int k = 62 - 1 - fixed_points[__i__].ceil_log2;
  const double rows[] = { 0, 0, 0, 1, 1, 0, 0, ldexp (1.5, -k), 2, 0, 0, ldexp (1.25, -k) };
  RcVoxelSpec spec = two_voxels (RC_VOXEL_MEAN, RC_FLOAT32);
  Result result;

  spec.grid[0] = 3;
  result = check_points (&spec, rows, 3, fixed_points[__i__].n);
  fail_unless (((float *) result.grid)[1] == (float) ldexp (2.0, -k));
  fail_unless (((float *) result.grid)[2] == (float) ldexp (1.0, -k));
  result_clear (&result);
}

GST_END_TEST;

GST_START_TEST (test_centroid_far_from_zero)
{
  RcVoxelSpec spec = two_voxels (RC_VOXEL_CENTROID, RC_FLOAT64);
  const double rows[] = { 1e6 + 0.25, 0.5, 0.5, 0, 1e6 + 0.75, 0.25, 0.125, 0 };
  Result result;

  spec.origin[0] = 1e6;
  result = check_points (&spec, rows, 2, 2);
  assert_equals_float (((float *) result.grid)[0], 1000000.5f);
  assert_equals_float (((float *) result.grid)[1], 0.375f);
  assert_equals_float (((float *) result.grid)[2], 0.3125f);
  result_clear (&result);
}

GST_END_TEST;

/* ---- depth ---- */

/* The points of a depth image, as the definition unprojects them. */
static OracleCloud
unproject (const RcVoxelDepth *depth, const uint16_t *pixels)
{
  OracleCloud cloud = { depth->width * depth->height, 3, g_malloc ((gsize) (depth->width * depth->height) * 24) };

  for (int64_t i = 0; i < cloud.n; i++) {
    const float rx = (float) (((double) (i % depth->width) - depth->cx) / depth->fx);
    const float ry = (float) (((double) (i / depth->width) - depth->cy) / depth->fy);
    const float z = pixels[i] ? (float) pixels[i] * (float) depth->scale : NAN;
    const float x = rx * z, y = ry * z;

    cloud.values[3 * i] = (double) x;
    cloud.values[3 * i + 1] = (double) y;
    cloud.values[3 * i + 2] = (double) z;
  }
  return cloud;
}

/* Runs the image in runs of rows, from memory whose rows are wider than the image. */
static Result
run_depth (RcBackend *backend, const RcVoxelSpec *spec, const uint16_t *pixels, int64_t rows_a_chunk)
{
  const int64_t stride = spec->depth.width * 2 + 6, n = spec->depth.width * spec->depth.height;
  char *image = g_malloc0 ((gsize) (stride * spec->depth.height));
  RcVoxelJob job = { n, NULL, NULL };
  RcFootprint footprint;
  RcVoxelPlan *plan;
  RcVoxelOut out;
  Result result;
  uint64_t bytes;

  for (int64_t row = 0; row < spec->depth.height; row++)
    memcpy (image + row * stride, pixels + row * spec->depth.width, (size_t) spec->depth.width * 2);
  run_ok (rc_voxel_plan (backend, spec, &plan, &footprint, &run_error));
  result_alloc (&result, plan, spec, &out);
  job.scratch = scratch_new (&footprint, n, &bytes);
  run_ok (rc_voxel_begin (plan, &job, NULL, &run_error));
  for (int64_t row = 0; row < spec->depth.height; row += rows_a_chunk) {
    RcVoxelChunk chunk = { image + row * stride, MIN (rows_a_chunk, spec->depth.height - row), stride, 0, NULL, row,
      &result.counters
    };

    run_ok (rc_voxel_add (plan, &job, &chunk, NULL, &run_error));
  }
  run_ok (rc_voxel_end (plan, &job, &out, NULL, &run_error));
  scratch_free (job.scratch, bytes);
  rc_voxel_plan_free (plan);
  g_free (image);
  return result;
}

GST_START_TEST (test_depth)
{
  static const RcVoxelMode modes[] = { RC_VOXEL_OCCUPANCY, RC_VOXEL_COUNT, RC_VOXEL_CENTROID };
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  GRand *rand = g_rand_new_with_seed ((guint32) __i__);
  RcVoxelSpec spec = some_spec ();
  uint16_t *pixels;
  OracleCloud cloud;
  OracleGrid *oracle;
  Result rows[3];

  spec.source = RC_VOXEL_DEPTH;
  spec.mode = modes[__i__ % 3];
  spec.output = __i__ / 3 ? RC_VOXEL_SPARSE : RC_VOXEL_DENSE;
  spec.depth.width = __i__ == 1 ? 1100 : 70;
  for (int axis = 0; axis < 3; axis++) {
    spec.origin[axis] = (const double[3]) {-2.0, -2.0, 0.0}[axis];
    spec.voxel_size[axis] = 0.11;
    spec.grid[axis] = (const int64_t[3]) {36, 37, 20}[axis];
  }
  pixels = g_new (uint16_t, spec.depth.width * spec.depth.height);
  for (int64_t i = 0; i < spec.depth.width * spec.depth.height; i++)
    pixels[i] = g_rand_int_range (rand, 0, 4) ? (uint16_t) g_rand_int_range (rand, 1, 3000) : 0;
  pixels[0] = 65535;
  cloud = unproject (&spec.depth, pixels);
  oracle = oracle_voxelize (&spec, &cloud, cloud.n);
  for (int i = 0; i < 3; i++) {
    rows[i] = run_depth (backend, &spec, pixels, (const int64_t[]) {9, 1, 4}[i]);
    check_result (&rows[i], &spec, oracle);
    result_clear (&rows[i]);
  }
  fail_unless (oracle->counters.nan > 50 && oracle->counters.inside > 20);
  oracle_free (oracle);
  g_free (cloud.values);
  g_free (pixels);
  g_rand_free (rand);
  rc_backend_close (backend);
}

GST_END_TEST;

/* ---- batches ---- */

/* Three clouds of different length side by side, with padding between points and items, give what each gives alone. */
GST_START_TEST (test_batch_gives_what_each_gives_alone)
{
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  GRand *rand = g_rand_new_with_seed ((guint32) __i__);
  const RcVoxelSpec one = combination (72 + __i__);     /* float32 points */
  const int64_t counts[3] = { 900, 0, 37 }, n = 900, stride = 6 * 4 + 4, item = n * stride + 12;
  char *data = g_malloc0 ((gsize) (3 * item));
  RcVoxelChunk chunk = { data, n, stride, item, counts, 0, NULL };
  RcVoxelJob job = { n, counts, NULL };
  RcVoxelSpec spec = one;
  RcFootprint footprint;
  RcVoxelPlan *plan;
  RcVoxelCounters counters = { 0 }, sum = { 0 };
  void *clouds[3];
  uint64_t bytes;

  if (is_valid (&one)) {
    spec.batch = 3;
    for (int b = 0; b < 3; b++) {
      g_free (random_cloud (rand, &one, counts[b], TRUE, &clouds[b]).values);
      for (int64_t i = 0; i < counts[b]; i++)
        memcpy (data + b * item + i * stride, (char *) clouds[b] + i * 24, 24);
    }
    run_ok (rc_voxel_plan (backend, &spec, &plan, &footprint, &run_error));
    {
      const int64_t value_bytes = rc_voxel_value_bytes (plan);
      char *grids = g_malloc ((gsize) (3 * value_bytes + 1));
      int32_t *coordinates = g_new (int32_t, 3 * 3 * 600);
      uint32_t n_voxels[3];
      RcVoxelOut out = { grids, value_bytes, n_voxels, 4, coordinates, 600 * 12, grids, value_bytes, &counters };

      job.scratch = scratch_new (&footprint, n, &bytes);
      run_ok (rc_voxel_begin (plan, &job, NULL, &run_error));
      run_ok (rc_voxel_range (plan, &job, &chunk, NULL, &run_error));
      chunk.counters = &counters;
      run_ok (rc_voxel_add (plan, &job, &chunk, NULL, &run_error));
      run_ok (rc_voxel_end (plan, &job, &out, NULL, &run_error));
      scratch_free (job.scratch, bytes);
      for (int b = 0; b < 3; b++) {
        const Cuts all = whole (counts[b]);
        Result alone = run_job (backend, &one, clouds[b], &all, counts[b]);

        fail_unless (memcmp (alone.grid, grids + b * value_bytes, (size_t) value_bytes) == 0, "item %d", b);
        if (spec.output == RC_VOXEL_SPARSE) {
          fail_unless_equals_int (alone.n_voxels, n_voxels[b]);
          fail_unless (memcmp (alone.coordinates, coordinates + b * 1800, 7200) == 0);
        }
        sum.points += alone.counters.points;
        sum.inside += alone.counters.inside;
        sum.occupied += alone.counters.occupied;
        result_clear (&alone);
      }
      fail_unless_equals_int64 (sum.points, counters.points);
      fail_unless_equals_int64 (sum.inside, counters.inside);
      fail_unless_equals_int64 (sum.occupied, counters.occupied);
      g_free (grids);
      g_free (coordinates);
    }
    for (int b = 0; b < 3; b++)
      g_free (clouds[b]);
    rc_voxel_plan_free (plan);
  }
  g_free (data);
  g_rand_free (rand);
  rc_backend_close (backend);
}

GST_END_TEST;

/* ---- float modes of the caller ---- */

#if defined (__SSE2__)
#include <xmmintrin.h>

GST_START_TEST (test_float_mode_of_the_caller)
{
  static const unsigned modes[] = { 0x9FC0u, 0x7F80u, 0x3F80u, 0xFFC0u };       /* flush denormals; to zero; down; both */
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  GRand *rand = g_rand_new_with_seed (5);

  for (int i = 72; i < 144; i++) {
    const RcVoxelSpec spec = combination (i);
    const Cuts all = whole (1000);
    OracleCloud cloud;
    Result plain, other;
    unsigned saved;
    void *data;

    if (!is_valid (&spec))
      continue;
    cloud = random_cloud (rand, &spec, 1000, TRUE, &data);
    plain = run_job (backend, &spec, data, &all, 1000);
    saved = _mm_getcsr ();
    _mm_setcsr (modes[__i__]);
    other = run_job (backend, &spec, data, &all, 1000);
    fail_unless_equals_int (_mm_getcsr () & ~0x3Fu, modes[__i__]);
    _mm_setcsr (saved);
    check_same (&plain, &other, &spec);
    result_clear (&plain);
    result_clear (&other);
    g_free (cloud.values);
    g_free (data);
  }
  g_rand_free (rand);
  rc_backend_close (backend);
}

GST_END_TEST;
#endif

/* ---- a recorded cloud ---- */

GST_START_TEST (test_recorded_cloud)
{
  const char *path = recording_path ("recorded_cloud", "cloud_119978_xyz_f32.bin");
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  RcVoxelSpec spec = some_spec ();
  gchar *data;
  gsize size;

  if (path) {
    Result result;
    int64_t n, greatest = 0;
    Cuts all;

    fail_unless (g_file_get_contents (path, &data, &size, NULL));
    n = (int64_t) size / 12;
    fail_unless_equals_int64 (n, 119978);
    all = whole (n);
    spec.points = (RcVoxelPoints) {RC_FLOAT32, 3, 3, 0};
    for (int axis = 0; axis < 3; axis++) {
      spec.origin[axis] = -256.0;
      spec.voxel_size[axis] = 1.0;
      spec.grid[axis] = 512;
    }
    spec.dtype = RC_UINT32;
    spec.max_voxels = 4000;
    spec.output = __i__ ? RC_VOXEL_SPARSE : RC_VOXEL_DENSE;
    result = run_job (backend, &spec, data, &all, n);
    for (int64_t v = 0; v < result.grid_bytes / 4; v++)
      greatest = MAX (greatest, (int64_t) ((uint32_t *) result.grid)[v]);
    fail_unless_equals_int64 (result.counters.occupied, 3440);
    fail_unless_equals_int64 (result.counters.inside, n);
    fail_unless_equals_int64 (greatest, 833);
    result_clear (&result);
    g_free (data);
  }
  rc_backend_close (backend);
}

GST_END_TEST;

static Suite *
voxel_suite (void)
{
  Suite *suite = suite_create ("voxel kernels");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_loop_test (tc, test_combination, 0, N_COMBINATIONS);
  tcase_add_loop_test (tc, test_cuts_change_no_bit, 0, N_COMBINATIONS);
  tcase_add_loop_test (tc, test_instruction_sets_change_no_bit, 0, G_N_ELEMENTS (levels));
  tcase_add_test (tc, test_points_on_boundaries);
  tcase_add_test (tc, test_nan_and_infinite_points_are_counted_apart);
  tcase_add_loop_test (tc, test_special_features_mean, 0, G_N_ELEMENTS (feature_cases));
  tcase_add_loop_test (tc, test_special_features_max, 0, G_N_ELEMENTS (feature_cases));
  tcase_add_loop_test (tc, test_special_features_min, 0, G_N_ELEMENTS (feature_cases));
  tcase_add_loop_test (tc, test_extreme_float64_features, 0, 6);
  tcase_add_loop_test (tc, test_rounding_to_float16_is_once, 0, 3);
  tcase_add_loop_test (tc, test_counts_saturate, 0, 4);
  tcase_add_loop_test (tc, test_largest_grid_is_sparse, 0, 6);
  tcase_add_loop_test (tc, test_random_sparse_in_huge_grid, 0, 6);
  tcase_add_test (tc, test_over_cap_is_counted);
  tcase_add_loop_test (tc, test_feature_range, 0, 2);
  tcase_add_loop_test (tc, test_n_is_what_the_job_states, 0, 6);
  tcase_add_loop_test (tc, test_fixed_point_has_the_k_of_the_formula, 0, G_N_ELEMENTS (fixed_points));
  tcase_add_test (tc, test_centroid_far_from_zero);
  tcase_add_loop_test (tc, test_depth, 0, 6);
  tcase_add_loop_test (tc, test_batch_gives_what_each_gives_alone, 0, 72);
#if defined (__SSE2__)
  tcase_add_loop_test (tc, test_float_mode_of_the_caller, 0, 4);
#endif
  tcase_add_loop_test (tc, test_recorded_cloud, 0, 2);
  return suite;
}

GST_CHECK_MAIN (voxel);
