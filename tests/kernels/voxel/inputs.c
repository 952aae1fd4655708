/* robocache: voxel grids of points of any layout, and of depth images with a ray a pixel, against the oracle
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernels/voxel.h"

#include <gst/check/gstcheck.h>

#include <math.h>
#include <string.h>

#include "job.h"

#define MAX_FIELDS 16

static const RcCpuLevel levels[] = { RC_CPU_BEST, RC_CPU_BASELINE, RC_CPU_AVX2, RC_CPU_AVX512 };

/* ---- numbers of any dtype at any address ---- */

static void
put_float (RcDtype dtype, guint8 *at, double x)
{
  guint64 bytes = 0;

  if (dtype == RC_BFLOAT16) {   /* cut off, which is a bfloat16 too */
    const float single = (float) x;

    memcpy (at, (const guint8 *) &single + 2, 2);
    return;
  }
  oracle_store (&bytes, 0, dtype, x);
  memcpy (at, &bytes, rc_dtype_size (dtype));
}

static double
get_bfloat16 (const guint8 *at)
{
  float single = 0;

  memcpy ((guint8 *) &single + 2, at, 2);
  return (double) single;
}

#define GET(type) { type x; memcpy (&x, at, sizeof (x)); return (double) x; }

static double
get (RcDtype dtype, const guint8 *at)
{
  guint64 bytes = 0;

  switch (dtype) {
    case RC_INT8: GET (int8_t)
    case RC_UINT8: GET (uint8_t)
    case RC_INT16: GET (int16_t)
    case RC_UINT16: GET (uint16_t)
    case RC_INT32: GET (int32_t)
    case RC_UINT32: GET (uint32_t)
    case RC_INT64: GET (int64_t)
    case RC_UINT64: GET (uint64_t)
    case RC_BFLOAT16: return get_bfloat16 (at);
    default:
      memcpy (&bytes, at, rc_dtype_size (dtype));
      return oracle_load (&bytes, 0, dtype);
  }
}

/* Of integers any bits: so 64-bit ones are rounded. */
static void
put_feature (GRand *rand, RcDtype dtype, guint8 *at, double x)
{
  if (rc_dtype_is_float (dtype)) {
    put_float (dtype, at, x);
    return;
  }
  for (gsize i = 0; i < rc_dtype_size (dtype); i++)
    at[i] = (guint8) g_rand_int (rand);
}

/* ---- layouts ---- */

/* Fields in any order, with gaps, of any type. */
static void
random_layout (GRand *rand, const RcVoxelSpec *spec, RcVoxelField *fields)
{
  const int n = (int) spec->points.fields;
  int order[MAX_FIELDS];
  int64_t offset = g_rand_int_range (rand, 0, 5);

  for (int i = 0; i < n; i++) {
    const int other = g_rand_int_range (rand, 0, i + 1);

    order[i] = order[other];
    order[other] = i;
  }
  for (int i = 0; i < n; i++) {
    RcVoxelField *field = &fields[order[i]];

    field->dtype = order[i] < 3 ? spec->points.dtype : (RcDtype) g_rand_int_range (rand, 0, RC_N_DTYPES);
    field->offset = offset;
    offset += (int64_t) rc_dtype_size (field->dtype) + (g_rand_boolean (rand) ? 0 : g_rand_int_range (rand, 1, 7));
  }
}

/* A cloud of the spec's layout in *data, from an odd address on; its values are those that the fields hold. */
static OracleCloud
random_laid_out_cloud (GRand *rand, const RcVoxelSpec *spec, int64_t n, int64_t stride, guint8 **data)
{
  void *packed;
  OracleCloud cloud = random_cloud (rand, spec, n, TRUE, &packed);

  *data = g_malloc0 ((gsize) (n * stride + 16));
  for (int64_t i = 0; i < n * cloud.fields; i++) {
    const RcVoxelField *field = &spec->points.layout[i % cloud.fields];
    guint8 *at = *data + 1 + i / cloud.fields * stride + field->offset;

    if (i % cloud.fields < 3)
      put_float (field->dtype, at, cloud.values[i]);
    else
      put_feature (rand, field->dtype, at, cloud.values[i]);
    cloud.values[i] = get (field->dtype, at);
  }
  g_free (packed);
  return cloud;
}

/* A spec of a mode and output, the layout apart. */
static RcVoxelSpec
spec_of (GRand *rand, int i)
{
  static const RcDtype coordinates[] = { RC_FLOAT32, RC_FLOAT64, RC_FLOAT16 };
  RcVoxelSpec spec = some_spec ();

  spec.mode = (RcVoxelMode) (i % 6);
  spec.output = i / 6 % 2 ? RC_VOXEL_SPARSE : RC_VOXEL_DENSE;
  spec.dtype = i / 12 % 2 ? RC_FLOAT16 : RC_FLOAT32;
  spec.points.dtype = coordinates[i / 24];
  spec.points.fields = g_rand_int_range (rand, 4, MAX_FIELDS + 1);
  spec.points.first_feature = g_rand_int_range (rand, 3, (gint32) spec.points.fields);
  spec.points.features = spec.points.fields - spec.points.first_feature;
  return spec;
}

#define N_SPECS (6 * 2 * 2 * 3)

GST_START_TEST (test_any_layout)
{
  GRand *rand = g_rand_new_with_seed ((guint32) __i__ + 9000);
  const int64_t n = 1200;

  for (int round = 0; round < 6; round++) {
    RcBackend *backend = open_cpu (levels[round % 4]);
    RcVoxelSpec spec = spec_of (rand, __i__);
    RcVoxelField fields[MAX_FIELDS];
    Cuts cuts = random_cuts (rand, n);
    OracleCloud cloud;
    OracleGrid *oracle;
    Result result;
    guint8 *data;

    if (backend == NULL)
      continue;
    random_layout (rand, &spec, fields);
    spec.points.layout = fields;
    cuts.padding = g_rand_int_range (rand, 0, 9);
    cloud = random_laid_out_cloud (rand, &spec, n, point_bytes (&spec) + cuts.padding, &data);
    oracle = oracle_voxelize (&spec, &cloud, n);
    result = run_job (backend, &spec, data + 1, &cuts, n);
    check_result (&result, &spec, oracle);
    fail_unless (oracle->counters.inside > 100);
    result_clear (&result);
    oracle_free (oracle);
    g_free (cloud.values);
    g_free (data);
    rc_backend_close (backend);
  }
  g_rand_free (rand);
}

GST_END_TEST;

/* A table that says what is so without one. */
GST_START_TEST (test_packed_layout_is_none)
{
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  GRand *rand = g_rand_new_with_seed ((guint32) __i__);
  RcVoxelSpec spec = some_spec ();
  RcVoxelField fields[6];
  const int64_t n = 900;
  const Cuts all = whole (n);
  Result with, without;
  void *data;

  spec.mode = (RcVoxelMode) __i__;
  g_free (random_cloud (rand, &spec, n, TRUE, &data).values);
  without = run_job (backend, &spec, data, &all, n);
  for (int i = 0; i < 6; i++)
    fields[i] = (RcVoxelField) {RC_FLOAT32, 4 * i};
  spec.points.layout = fields;
  with = run_job (backend, &spec, data, &all, n);
  check_same (&with, &without, &spec);
  result_clear (&with);
  result_clear (&without);
  g_free (data);
  g_rand_free (rand);
  rc_backend_close (backend);
}

GST_END_TEST;

/* The one rounding of 64-bit integers: halfway goes to even, and the next one up. */
GST_START_TEST (test_large_integers_round_once)
{
  static const struct
  {
    RcDtype dtype;
    guint64 bits;
    double value;
  } cases[] = {
    {RC_INT64, (G_GUINT64_CONSTANT (1) << 53) + 1, 0x1p53},
    {RC_INT64, (G_GUINT64_CONSTANT (1) << 53) + 3, 0x1p53 + 4},
    {RC_INT64, G_GUINT64_CONSTANT (1) << 63, -0x1p63},
    {RC_UINT64, G_MAXUINT64, 0x1p64},
    {RC_UINT64, (G_GUINT64_CONSTANT (1) << 63) + 1025, 0x1p63 + 2048},
    {RC_UINT32, G_MAXUINT32, 4294967295.0},
  };
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  const RcVoxelField fields[4] = { {RC_FLOAT32, 8}, {RC_FLOAT32, 12}, {RC_FLOAT32, 16}, {cases[__i__].dtype, 0} };
  RcVoxelSpec spec = some_spec ();
  guint8 point[20] = { 0 };
  const Cuts one = whole (1);
  Result result;

  spec.points = (RcVoxelPoints) {RC_FLOAT32, 4, 3, 1, fields};
  spec.mode = RC_VOXEL_MAX;
  memset (spec.origin, 0, sizeof (spec.origin));
  memcpy (point, &cases[__i__].bits, rc_dtype_size (cases[__i__].dtype));
  result = run_job (backend, &spec, point, &one, 1);
  fail_unless (((float *) result.grid)[0] == (float) cases[__i__].value);
  result_clear (&result);
  spec.mode = RC_VOXEL_MEAN;
  result = run_job (backend, &spec, point, &one, 1);
  fail_unless (((float *) result.grid)[0] == (float) cases[__i__].value);
  result_clear (&result);
  rc_backend_close (backend);
}

GST_END_TEST;

GST_START_TEST (test_stride_ends_with_the_last_field)
{
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  const RcVoxelField fields[4] = { {RC_FLOAT32, 10}, {RC_FLOAT32, 4}, {RC_FLOAT32, 0}, {RC_UINT16, 14} };
  RcVoxelSpec spec = some_spec ();
  const guint8 points[32] = { 0 };
  RcVoxelChunk chunk = { points, 2, 15, 0, NULL, 0, NULL };
  RcVoxelJob job = { 2, NULL, NULL };
  RcError error = { RC_OK, "" };
  RcFootprint footprint;
  RcVoxelPlan *plan;
  uint64_t bytes;

  spec.points = (RcVoxelPoints) {RC_FLOAT32, 4, 3, 1, fields};
  run_ok (rc_voxel_plan (backend, &spec, &plan, &footprint, &run_error));
  job.scratch = scratch_new (&footprint, 2, &bytes);
  run_ok (rc_voxel_begin (plan, &job, NULL, &run_error));
  fail_unless_equals_int (rc_voxel_add (plan, &job, &chunk, NULL, &error), RC_INVALID_ARGUMENT);
  fail_unless (strstr (error.message, "stride of 15 bytes: a point has 16") != NULL, "%s", error.message);
  chunk.stride = 16;
  run_ok (rc_voxel_add (plan, &job, &chunk, NULL, &run_error));
  scratch_free (job.scratch, bytes);
  rc_voxel_plan_free (plan);
  rc_backend_close (backend);
}

GST_END_TEST;

/* ---- depth with a ray a pixel ---- */

#define WIDTH 700
#define HEIGHT 7

static OracleCloud
unproject (const float *rays, const uint16_t *pixels, double scale)
{
  OracleCloud cloud = { WIDTH * HEIGHT, 3, g_new (double, WIDTH * HEIGHT * 3) };

  for (int64_t i = 0; i < cloud.n; i++) {
    const float z = pixels[i] ? (float) pixels[i] * (float) scale : NAN;
    const float x = rays[2 * i] * z, y = rays[2 * i + 1] * z;

    cloud.values[3 * i] = (double) x;
    cloud.values[3 * i + 1] = (double) y;
    cloud.values[3 * i + 2] = (double) z;
  }
  return cloud;
}

static Result
run_image (RcBackend *backend, const RcVoxelSpec *spec, const uint16_t *pixels, int64_t rows_a_chunk)
{
  RcVoxelJob job = { WIDTH * HEIGHT, NULL, NULL };
  RcFootprint footprint;
  RcVoxelPlan *plan;
  RcVoxelOut out;
  Result result;
  uint64_t bytes;

  run_ok (rc_voxel_plan (backend, spec, &plan, &footprint, &run_error));
  result_alloc (&result, plan, spec, &out);
  job.scratch = scratch_new (&footprint, job.n_points, &bytes);
  run_ok (rc_voxel_begin (plan, &job, NULL, &run_error));
  for (int64_t row = 0; row < HEIGHT; row += rows_a_chunk) {
    const RcVoxelChunk chunk = { pixels + row * WIDTH, MIN (rows_a_chunk, HEIGHT - row), WIDTH * 2, 0, NULL, row,
      &result.counters
    };

    run_ok (rc_voxel_add (plan, &job, &chunk, NULL, &run_error));
  }
  run_ok (rc_voxel_end (plan, &job, &out, NULL, &run_error));
  scratch_free (job.scratch, bytes);
  rc_voxel_plan_free (plan);
  return result;
}

GST_START_TEST (test_rays)
{
  static const RcVoxelMode modes[] = { RC_VOXEL_OCCUPANCY, RC_VOXEL_COUNT, RC_VOXEL_CENTROID };
  RcBackend *backend = open_cpu (levels[__i__ / 3]);
  GRand *rand = g_rand_new_with_seed ((guint32) __i__);
  uint16_t *pixels = g_new0 (uint16_t, WIDTH * HEIGHT);
  float *rays = g_new (float, WIDTH * HEIGHT * 2);
  RcVoxelSpec spec = some_spec ();
  OracleCloud cloud;
  OracleGrid *oracle;

  for (int i = 0; i < WIDTH * HEIGHT; i++) {
    pixels[i] = g_rand_int_range (rand, 0, 5) ? (uint16_t) g_rand_int_range (rand, 1, 3000) : 0;
    rays[2 * i] = g_rand_int_range (rand, 0, 9) ? (float) g_rand_double_range (rand, -1, 1) : NAN;
    rays[2 * i + 1] = (float) g_rand_double_range (rand, -1, 1);
  }
  spec.source = RC_VOXEL_DEPTH;
  spec.mode = modes[__i__ % 3];
  spec.depth = (RcVoxelDepth) {WIDTH, HEIGHT, 500, 500, 350, 3, 0.001, rays};
  cloud = unproject (rays, pixels, spec.depth.scale);
  oracle = oracle_voxelize (&spec, &cloud, cloud.n);
  fail_unless (oracle->counters.nan > WIDTH && oracle->counters.inside > 100);
  for (int rows = 1; backend && rows <= HEIGHT; rows += 3) {
    Result result = run_image (backend, &spec, pixels, rows);

    check_result (&result, &spec, oracle);
    result_clear (&result);
  }
  oracle_free (oracle);
  g_free (cloud.values);
  g_free (pixels);
  g_free (rays);
  g_rand_free (rand);
  rc_backend_close (backend);
}

GST_END_TEST;

static Suite *
voxel_inputs_suite (void)
{
  Suite *suite = suite_create ("voxel kernels: what goes in");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_loop_test (tc, test_any_layout, 0, N_SPECS);
  tcase_add_loop_test (tc, test_packed_layout_is_none, 0, 6);
  tcase_add_loop_test (tc, test_large_integers_round_once, 0, 6);
  tcase_add_test (tc, test_stride_ends_with_the_last_field);
  tcase_add_loop_test (tc, test_rays, 0, 12);
  return suite;
}

GST_CHECK_MAIN (voxel_inputs);
