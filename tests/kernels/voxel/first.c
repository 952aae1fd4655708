/* robocache: the first points of each voxel, against the oracle
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernels/voxel.h"

#include <gst/check/gstcheck.h>

#include <math.h>
#include <string.h>

#include "job.h"

#define MAX_CHUNKS 64

static const RcCpuLevel levels[] = { RC_CPU_BEST, RC_CPU_BASELINE, RC_CPU_AVX2, RC_CPU_AVX512 };

static RcVoxelSpec
first_spec (RcDtype dtype, int64_t max_voxels, int64_t max_points)
{
  RcVoxelSpec spec = some_spec ();

  spec.mode = RC_VOXEL_FIRST;
  spec.output = RC_VOXEL_SPARSE;
  spec.dtype = dtype;
  spec.max_voxels = max_voxels;
  spec.max_points = max_points;
  spec.points.first_feature = -7;       /* nobody asks for these */
  spec.points.features = 99;
  spec.feature_range = 0.5;
  return spec;
}

static int64_t
fields_of (const RcVoxelSpec *spec)
{
  return spec->source == RC_VOXEL_DEPTH ? 3 : spec->points.fields;
}

/* ---- running ---- */

/* Of all items, one after the other. */
typedef struct First
{
  uint32_t *n_voxels;
  int32_t *coordinates;
  char *points;
  uint32_t *counts;
  int64_t point_bytes;          /* of an item's points */
  RcVoxelCounters counters;
} First;

static First
first_new (const RcVoxelSpec *spec)
{
  const int64_t rows = spec->max_voxels * spec->batch;
  First result;

  memset (&result, 0, sizeof (result));
  result.point_bytes = spec->max_voxels * spec->max_points * fields_of (spec) * (int64_t) rc_dtype_size (spec->dtype);
  result.n_voxels = g_new0 (uint32_t, spec->batch);
  result.coordinates = g_malloc ((gsize) rows * 12 + 1);
  result.points = g_malloc ((gsize) (result.point_bytes * spec->batch) + 1);
  result.counts = g_malloc ((gsize) rows * 4 + 1);
  memset (result.coordinates, 0x5A, (gsize) rows * 12 + 1);
  memset (result.points, 0x5A, (gsize) (result.point_bytes * spec->batch) + 1);
  memset (result.counts, 0x5A, (gsize) rows * 4 + 1);
  return result;
}

static void
first_clear (First *first)
{
  g_free (first->n_voxels);
  g_free (first->coordinates);
  g_free (first->points);
  g_free (first->counts);
}

static First
run_first (RcBackend *backend, const RcVoxelSpec *spec, const RcVoxelJob *stated, const RcVoxelChunk *chunks, int n_chunks)
{
  First result = first_new (spec);
  const RcVoxelOut out = {.n_voxels = result.n_voxels,.n_voxels_batch_stride = 4,.coordinates = result.coordinates,
    .coordinates_batch_stride = spec->max_voxels * 12,.values = result.points,.values_batch_stride = result.point_bytes,
    .counters = &result.counters,.point_counts = result.counts,.point_counts_batch_stride = spec->max_voxels * 4
  };
  RcVoxelJob job = *stated;
  RcFootprint footprint;
  RcVoxelPlan *plan;
  uint64_t bytes;

  run_ok (rc_voxel_plan (backend, spec, &plan, &footprint, &run_error));
  fail_unless (!rc_voxel_needs_range (plan));
  fail_unless_equals_int64 (rc_voxel_channels (plan), fields_of (spec));
  fail_unless_equals_int64 (rc_voxel_value_bytes (plan), result.point_bytes);
  job.scratch = scratch_new (&footprint, job.n_points, &bytes);
  run_ok (rc_voxel_begin (plan, &job, NULL, &run_error));
  for (int i = 0; i < n_chunks; i++) {
    RcVoxelChunk chunk = chunks[i];

    chunk.counters = &result.counters;
    run_ok (rc_voxel_add (plan, &job, &chunk, NULL, &run_error));
  }
  run_ok (rc_voxel_end (plan, &job, &out, NULL, &run_error));
  fail_unless (result.points[result.point_bytes * spec->batch] == 0x5A);
  scratch_free (job.scratch, bytes);
  rc_voxel_plan_free (plan);
  return result;
}

/* ---- what is wanted: a look at every point for each voxel ---- */

static int64_t
fill_voxel (First *wanted, const RcVoxelSpec *spec, const OracleCloud *cloud, const OracleGrid *oracle, int64_t m)
{
  const int64_t n = fields_of (spec), nx = spec->grid[0], ny = spec->grid[1], voxel = oracle->voxels[m];
  int64_t kept = 0, lost = 0;

  wanted->coordinates[3 * m] = (int32_t) (voxel % nx);
  wanted->coordinates[3 * m + 1] = (int32_t) (voxel / nx % ny);
  wanted->coordinates[3 * m + 2] = (int32_t) (voxel / nx / ny);
  for (int64_t i = 0; i < cloud->n; i++) {
    if (oracle->point_voxels[i] != voxel)
      continue;
    for (int64_t c = 0; c < n && kept < spec->max_points; c++)
      oracle_store (wanted->points, (m * spec->max_points + kept) * n + c, spec->dtype, cloud->values[i * cloud->fields + c]);
    lost += kept == spec->max_points;
    kept += kept < spec->max_points;
  }
  wanted->counts[m] = (uint32_t) kept;
  return lost;
}

static void
check_first (const RcVoxelSpec *spec, const OracleCloud *cloud, const First *got)
{
  OracleGrid *oracle = oracle_voxelize (spec, cloud, cloud->n);
  First wanted = first_new (spec);

  memset (wanted.coordinates, 0, (gsize) spec->max_voxels * 12);
  memset (wanted.points, 0, (gsize) wanted.point_bytes);
  memset (wanted.counts, 0, (gsize) spec->max_voxels * 4);
  wanted.counters = oracle->counters;
  wanted.n_voxels[0] = (uint32_t) MIN (oracle->n_occupied, spec->max_voxels);
  for (int64_t m = 0; m < wanted.n_voxels[0]; m++)
    wanted.counters.over_points += fill_voxel (&wanted, spec, cloud, oracle, m);
  fail_unless_equals_int (got->n_voxels[0], wanted.n_voxels[0]);
  fail_unless (memcmp (got->coordinates, wanted.coordinates, (gsize) spec->max_voxels * 12) == 0);
  fail_unless (memcmp (got->counts, wanted.counts, (gsize) spec->max_voxels * 4) == 0);
  fail_unless (memcmp (got->points, wanted.points, (gsize) wanted.point_bytes) == 0);
  fail_unless (memcmp (&got->counters, &wanted.counters, sizeof (wanted.counters)) == 0, "%" G_GINT64_FORMAT
      " points over, expected %" G_GINT64_FORMAT, (gint64) got->counters.over_points,
      (gint64) wanted.counters.over_points);
  first_clear (&wanted);
  oracle_free (oracle);
}

/* ---- clouds ---- */

static int
cut (GRand *rand, const guint8 *data, int64_t n, int64_t stride, RcVoxelChunk chunks[MAX_CHUNKS])
{
  const Cuts cuts = random_cuts (rand, n);

  for (int i = 0; i < cuts.n; i++)
    chunks[i] = (RcVoxelChunk) {.data = data + cuts.at[i] * stride,.n = cuts.at[i + 1] - cuts.at[i],.stride = stride };
  return cuts.n;
}

/* The same fields in another order, with gaps, from an odd address on. */
static guint8 *
lay_out (const OracleCloud *cloud, const void *packed, RcDtype dtype, RcVoxelField *fields, int64_t stride)
{
  const int64_t size = (int64_t) rc_dtype_size (dtype), n = cloud->fields;
  guint8 *data = g_malloc0 ((gsize) (stride * cloud->n + 1));

  for (int64_t f = 0; f < n; f++)
    fields[(f * 5 + 1) % n] = (RcVoxelField) {dtype, 3 + f * (size + 2)};
  for (int64_t i = 0; i < cloud->n * n; i++)
    memcpy (data + 1 + i / n * stride + fields[i % n].offset, (const guint8 *) packed + i * size, (size_t) size);
  return data;
}

/* Every type in and out, packed and not, each level, no points and many, and outputs that hold all, or few voxels, or few
 * points of each. */
GST_START_TEST (test_points)
{
  static const RcDtype inputs[] = { RC_FLOAT16, RC_FLOAT32, RC_FLOAT64 };
  static const int64_t sizes[] = { 0, 1, 513, 2000 }, most_points[] = { 32, 1, 3, 7 }, most_voxels[] = { 600, 90, 2500 };
  RcBackend *backend = open_cpu (levels[__i__ % 4]);
  GRand *rand = g_rand_new_with_seed ((guint32) __i__);
  const RcDtype input = inputs[__i__ / 8 % 3];
  const int64_t size = (int64_t) rc_dtype_size (input);
  int64_t n_over = 0;

  for (int round = 0; backend && round < 12; round++) {
    RcVoxelSpec spec = first_spec (__i__ / 4 % 2 ? RC_FLOAT16 : RC_FLOAT32, most_voxels[round % 3], most_points[round / 3]);
    const int64_t n = sizes[(round + 3) % 4], stride = __i__ / 24 ? 3 + 6 * (size + 2) + round : 6 * size;
    const RcVoxelJob job = {.n_points = n + round % 2 * 11 };
    RcVoxelChunk chunks[MAX_CHUNKS];
    RcVoxelField fields[6];
    guint8 *laid_out = NULL;
    OracleCloud cloud;
    First got;
    void *data;
    int n_chunks;

    spec.points.dtype = input;
    for (int axis = 0; axis < 3 && round % 2; axis++)
      spec.grid[axis] = 2;      /* crowded */
    cloud = random_cloud (rand, &spec, n, TRUE, &data);
    if (__i__ / 24) {
      laid_out = lay_out (&cloud, data, input, fields, stride);
      spec.points.layout = fields;
    }
    n_chunks = cut (rand, laid_out ? laid_out + 1 : data, n, stride, chunks);
    got = run_first (backend, &spec, &job, chunks, n_chunks);
    check_first (&spec, &cloud, &got);
    n_over += got.counters.over_points;
    first_clear (&got);
    g_free (cloud.values);
    g_free (data);
    g_free (laid_out);
  }
  fail_unless (backend == NULL || n_over > 300, "%" G_GINT64_FORMAT " points over", (gint64) n_over);
  g_rand_free (rand);
  rc_backend_close (backend);
}

GST_END_TEST;

/* Fields of their own types: what is put out is each of them as a number, rounded once. */
GST_START_TEST (test_fields_of_mixed_types)
{
  const RcVoxelField fields[5] = { {RC_FLOAT64, 3}, {RC_FLOAT64, 11}, {RC_FLOAT64, 19}, {RC_UINT16, 0}, {RC_INT64, 27} };
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  RcVoxelSpec spec = first_spec (__i__ ? RC_FLOAT16 : RC_FLOAT32, 2, 2);
  const RcVoxelJob job = {.n_points = 2 };
  guint8 data[70] = { 0 };
  const RcVoxelChunk chunk = {.data = data,.n = 2,.stride = 35 };
  /* a float16 that float32 would have rounded down, and an integer that float32 rounds up */
  const double x = 1.0 + ldexp (1.0, -11) + ldexp (1.0, -40), y = 0.1, z = 2.3;
  const guint16 ring = 65535;
  const gint64 stamp = (G_GINT64_CONSTANT (1) << 24) + 3;
  double wanted[5] = { x, y, z, ring, (double) stamp };
  guint8 bytes[20];
  First got;

  spec.points = (RcVoxelPoints) {RC_FLOAT64, 5, 0, 0, fields};
  for (int i = 0; i < 2; i++) {
    memcpy (data + 35 * i, &ring, 2);
    memcpy (data + 35 * i + 3, &x, 8);
    memcpy (data + 35 * i + 11, &y, 8);
    memcpy (data + 35 * i + 19, &z, 8);
    memcpy (data + 35 * i + 27, &stamp, 8);
  }
  got = run_first (backend, &spec, &job, &chunk, 1);
  for (int c = 0; c < 5; c++)
    oracle_store (bytes, c, spec.dtype, wanted[c]);
  fail_unless_equals_int (got.n_voxels[0], 1);
  fail_unless_equals_int (got.counts[0], 2);
  fail_unless (memcmp (got.points, bytes, 5 * rc_dtype_size (spec.dtype)) == 0);
  fail_unless (memcmp (got.points + 5 * rc_dtype_size (spec.dtype), bytes, 5 * rc_dtype_size (spec.dtype)) == 0);
  fail_unless (!__i__ || ((guint16 *) got.points)[0] == 0x3C01);
  first_clear (&got);
  rc_backend_close (backend);
}

GST_END_TEST;

/* Which points find a place is a matter of when they came: here all are in one voxel. */
GST_START_TEST (test_order_of_arrival)
{
  enum { N = 1500, P = 40 };
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  RcVoxelSpec spec = first_spec (RC_FLOAT32, 3, P);
  const RcVoxelJob job = {.n_points = N };
  float data[4 * N];
  const RcVoxelChunk halves[2] = { {.data = data + 4 * (N / 2),.n = N - N / 2,.stride = 16}, {.data = data,.n = N / 2,.stride = 16} };
  First got;

  spec.points = (RcVoxelPoints) {RC_FLOAT32, 4, 0, 0};
  for (int i = 0; i < N; i++) {
    data[4 * i] = data[4 * i + 1] = 0.01f;
    data[4 * i + 2] = 2.5f;
    data[4 * i + 3] = (float) i;
  }
  got = run_first (backend, &spec, &job, halves, 2);
  fail_unless_equals_int (got.counts[0], P);
  fail_unless_equals_int64 (got.counters.over_points, N - P);
  for (int i = 0; i < P; i++)
    fail_unless (((float *) got.points)[4 * i + 3] == (float) (N / 2 + i));
  first_clear (&got);
  rc_backend_close (backend);
}

GST_END_TEST;

GST_START_TEST (test_largest_grid)
{
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  RcVoxelSpec spec = first_spec (RC_FLOAT32, 9, RC_VOXEL_MAX_FIRST);
  const double last = RC_VOXEL_MAX_AXIS - 1;
  double rows[] = { last, last, last, 1, 2, 3, 0, 0, 0, 4, 5, 6, last, last, last, 7, 8, 9, NAN, 0, 0, 1, 1, 1 };
  OracleCloud cloud = { 4, 6, rows };
  float points[24];
  const RcVoxelChunk chunk = {.data = points,.n = 4,.stride = 24 };
  First got;

  for (int axis = 0; axis < 3; axis++) {
    spec.origin[axis] = 0.0;
    spec.voxel_size[axis] = 1.0;
    spec.grid[axis] = RC_VOXEL_MAX_AXIS;
  }
  for (int i = 0; i < 24; i++)
    points[i] = (float) rows[i];
  got = run_first (backend, &spec, &(RcVoxelJob) {.n_points = 4}, &chunk, 1);
  check_first (&spec, &cloud, &got);
  fail_unless_equals_int (got.counts[1], 2);
  first_clear (&got);
  rc_backend_close (backend);
}

GST_END_TEST;

/* ---- batches ---- */

GST_START_TEST (test_batch_gives_what_each_gives_alone)
{
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  GRand *rand = g_rand_new_with_seed ((guint32) __i__);
  RcVoxelSpec one = first_spec (__i__ ? RC_FLOAT16 : RC_FLOAT32, 70, 3), batch;
  const int64_t counts[2][3] = { {400, 0, 17}, {100, 250, 0} }, stated[3] = { 500, 300, 17 }, stride = 28;
  const int64_t item = 400 * stride + 12;
  guint8 *data = g_malloc0 ((gsize) (2 * 3 * item));
  const RcVoxelJob job = {.n_points = 500,.item_points = stated };
  RcVoxelChunk chunks[2];
  int64_t n_over = 0;
  First got;

  one.points = (RcVoxelPoints) {RC_FLOAT32, 5, 0, 0};   /* an odd number: what is kept of float16 is padded */
  one.grid[0] = one.grid[1] = one.grid[2] = 2;
  batch = one;
  batch.batch = 3;
  for (int k = 0; k < 2; k++) {
    chunks[k] = (RcVoxelChunk) {.data = data + k * 3 * item,.n = 400,.stride = stride,.batch_stride = item,
      .counts = counts[k]
    };
    for (int b = 0; b < 3; b++) {
      void *cloud;

      g_free (random_cloud (rand, &one, counts[k][b], TRUE, &cloud).values);
      for (int64_t i = 0; i < counts[k][b]; i++)
        memcpy (data + (k * 3 + b) * item + i * stride, (char *) cloud + i * 20, 20);
      g_free (cloud);
    }
  }
  got = run_first (backend, &batch, &job, chunks, 2);
  for (int b = 0; b < 3; b++) {
    RcVoxelChunk own[2];
    First alone;

    for (int k = 0; k < 2; k++)
      own[k] = (RcVoxelChunk) {.data = data + (k * 3 + b) * item,.n = counts[k][b],.stride = stride };
    alone = run_first (backend, &one, &(RcVoxelJob) {.n_points = 500}, own, 2);
    fail_unless_equals_int (got.n_voxels[b], alone.n_voxels[0]);
    fail_unless (memcmp (got.coordinates + b * 210, alone.coordinates, 70 * 12) == 0);
    fail_unless (memcmp (got.counts + b * 70, alone.counts, 70 * 4) == 0);
    fail_unless (memcmp (got.points + b * alone.point_bytes, alone.points, (size_t) alone.point_bytes) == 0, "item %d", b);
    n_over += alone.counters.over_points;
    first_clear (&alone);
  }
  fail_unless_equals_int64 (n_over, got.counters.over_points);
  fail_unless (n_over > 50);
  first_clear (&got);
  g_free (data);
  g_rand_free (rand);
  rc_backend_close (backend);
}

GST_END_TEST;

/* ---- depth ---- */

#define WIDTH 600
#define HEIGHT 6

GST_START_TEST (test_depth)
{
  RcBackend *backend = open_cpu (levels[__i__ / 4]);
  GRand *rand = g_rand_new_with_seed ((guint32) __i__);
  RcVoxelSpec spec = first_spec (__i__ % 2 ? RC_FLOAT16 : RC_FLOAT32, 400, 1);
  DepthScene scene = depth_scene_new (rand, WIDTH, HEIGHT, __i__ / 2 % 2);

  spec.source = RC_VOXEL_DEPTH;
  spec.depth = scene.depth;
  if (backend) {
    First got = run_first (backend, &spec, &(RcVoxelJob) {.n_points = WIDTH * HEIGHT}, scene.rows, HEIGHT);

    check_first (&spec, &scene.cloud, &got);
    fail_unless (got.counters.over_points > 10);
    first_clear (&got);
  }
  depth_scene_clear (&scene);
  g_rand_free (rand);
  rc_backend_close (backend);
}

GST_END_TEST;

static Suite *
voxel_first_suite (void)
{
  Suite *suite = suite_create ("voxel kernels: first points");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_loop_test (tc, test_points, 0, 48);
  tcase_add_loop_test (tc, test_fields_of_mixed_types, 0, 2);
  tcase_add_test (tc, test_order_of_arrival);
  tcase_add_test (tc, test_largest_grid);
  tcase_add_loop_test (tc, test_batch_gives_what_each_gives_alone, 0, 2);
  tcase_add_loop_test (tc, test_depth, 0, 16);
  return suite;
}

GST_CHECK_MAIN (voxel_first);
