/* robocache: of each point the voxel it is in, and that voxel's row, against the oracle
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernels/voxel.h"

#include <gst/check/gstcheck.h>

#include <math.h>
#include <string.h>

#include "job.h"

#define UNTOUCHED G_GINT64_CONSTANT (0x5A5A5A5A5A5A5A5A)
#define MAX_CHUNKS 16

static const RcCpuLevel levels[] = { RC_CPU_BEST, RC_CPU_BASELINE, RC_CPU_AVX2, RC_CPU_AVX512 };

static RcVoxelSpec
map_spec (RcVoxelOutput output, int64_t max_voxels)
{
  RcVoxelSpec spec = some_spec ();

  spec.mode = RC_VOXEL_OCCUPANCY;
  spec.output = output;
  spec.dtype = RC_N_DTYPES;     /* nobody asks for it */
  spec.max_voxels = max_voxels;
  return spec;
}

/* ---- running ---- */

/* The map of each item, one after the other; the counters are those of add and end. */
static int64_t *
run_map (RcBackend *backend, const RcVoxelSpec *spec, const RcVoxelJob *stated, const RcVoxelChunk *chunks, int n_chunks,
    RcVoxelCounters *counters)
{
  const int64_t each = stated->n_points - stated->first_point, n = each * spec->batch;
  int64_t *voxels = g_new (int64_t, n + 1);
  RcVoxelOut out = {.counters = counters };
  RcVoxelJob job = *stated;
  RcFootprint footprint;
  RcVoxelPlan *plan;
  uint64_t bytes;

  for (int64_t i = 0; i <= n; i++)
    voxels[i] = UNTOUCHED;
  memset (counters, 0, sizeof (*counters));
  run_ok (rc_voxel_plan (backend, spec, &plan, &footprint, &run_error));
  fail_unless (!rc_voxel_needs_range (plan));
  job.scratch = scratch_new (&footprint, job.n_points, &bytes);
  job.point_voxels = n > 0 ? voxels : NULL;
  job.point_voxels_batch_stride = each * 8;
  run_ok (rc_voxel_begin (plan, &job, NULL, &run_error));
  for (int i = 0; i < n_chunks; i++) {
    RcVoxelChunk chunk = chunks[i];

    chunk.counters = counters;
    run_ok (rc_voxel_add (plan, &job, &chunk, NULL, &run_error));
  }
  run_ok (rc_voxel_end (plan, &job, &out, NULL, &run_error));
  fail_unless (voxels[n] == UNTOUCHED);
  scratch_free (job.scratch, bytes);
  rc_voxel_plan_free (plan);
  return voxels;
}

/* ---- what is wanted ---- */

/* The number of occupied voxels before one, counted one by one from a list that the oracle sorted otherwise. */
static int64_t
rank_of (const OracleGrid *oracle, int64_t voxel, int64_t max_voxels)
{
  int64_t rank = 0;

  while (oracle->voxels[rank] != voxel)
    rank++;
  return rank < max_voxels ? rank : RC_VOXEL_OVER_CAP;
}

static int64_t
wanted_voxel (const RcVoxelSpec *spec, const OracleGrid *oracle, int64_t n, int64_t point)
{
  const int64_t voxel = point < n ? oracle->point_voxels[point] : RC_VOXEL_OUTSIDE;

  return voxel >= 0 && spec->output == RC_VOXEL_RANK ? rank_of (oracle, voxel, spec->max_voxels) : voxel;
}

static void
check_map (const RcVoxelSpec *spec, const OracleGrid *oracle, int64_t n, const RcVoxelJob *job, const int64_t *got)
{
  for (int64_t i = job->first_point; i < job->n_points; i++) {
    const int64_t wanted = wanted_voxel (spec, oracle, n, i);

    fail_unless (got[i - job->first_point] == wanted, "point %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT ": %"
        G_GINT64_FORMAT ", expected %" G_GINT64_FORMAT, (gint64) i, (gint64) n, (gint64) got[i - job->first_point],
        (gint64) wanted);
  }
}

static void
check_counters (const RcVoxelSpec *spec, const RcVoxelCounters *got, const OracleGrid *oracle)
{
  RcVoxelCounters wanted = oracle->counters;

  if (spec->output == RC_VOXEL_INDEX)
    wanted.occupied = wanted.over_cap = 0;
  fail_unless (memcmp (got, &wanted, sizeof (wanted)) == 0);
}

/* ---- clouds ---- */

/* Fields of the same points in another order, with gaps, from an odd address on. */
static guint8 *
lay_out (GRand *rand, const OracleCloud *cloud, const void *packed, RcDtype dtype, RcVoxelField *fields, int64_t *stride)
{
  const int64_t size = (int64_t) rc_dtype_size (dtype), n = cloud->fields;
  guint8 *data;

  for (int64_t f = 0; f < n; f++)
    fields[(f * 5 + 1) % n] = (RcVoxelField) {dtype, 3 + f * (size + 2)};
  *stride = 3 + n * (size + 2) + g_rand_int_range (rand, 0, 7);
  data = g_malloc0 ((gsize) (*stride * cloud->n + 1));
  for (int64_t i = 0; i < cloud->n * n; i++)
    memcpy (data + 1 + i / n * *stride + fields[i % n].offset, (const guint8 *) packed + i * size, (size_t) size);
  return data;
}

/* In order. */
static int
cut (GRand *rand, const guint8 *data, int64_t n, int64_t stride, RcVoxelChunk chunks[MAX_CHUNKS])
{
  Cuts cuts = random_cuts (rand, n);

  for (int i = 0; i < cuts.n; i++)
    chunks[i] = (RcVoxelChunk) {.data = data + cuts.at[i] * stride,.n = cuts.at[i + 1] - cuts.at[i],.stride = stride };
  return cuts.n;
}

/* Each type of points, packed and in a layout, at each level, with points that are not wanted and points that do not come,
 * and fewer voxels than are occupied. */
GST_START_TEST (test_points)
{
  static const RcDtype inputs[] = { RC_FLOAT16, RC_FLOAT32, RC_FLOAT64 };
  static const int64_t sizes[] = { 0, 1, 511, 512, 513, 2500 };
  RcBackend *backend = open_cpu (levels[__i__ % 4]);
  GRand *rand = g_rand_new_with_seed ((guint32) __i__ + 500);
  RcVoxelSpec spec = map_spec (__i__ / 4 % 2 ? RC_VOXEL_RANK : RC_VOXEL_INDEX, 1);

  spec.points.dtype = inputs[__i__ / 8 % 3];
  for (guint round = 0; backend && round < 2 * G_N_ELEMENTS (sizes); round++) {
    const int64_t n = sizes[round % G_N_ELEMENTS (sizes)];
    RcVoxelJob job = {.n_points = n + (round % 3 == 2 ? 37 : 0) };
    int64_t stride = 6 * (int64_t) rc_dtype_size (spec.points.dtype), *got;
    RcVoxelChunk chunks[MAX_CHUNKS];
    RcVoxelCounters counters;
    RcVoxelField fields[6];
    guint8 *laid_out = NULL;
    OracleGrid *oracle;
    OracleCloud cloud;
    int n_chunks;
    void *data;

    job.first_point = round % 2 ? g_rand_int_range (rand, 0, (gint32) job.n_points + 1) : 0;
    spec.max_voxels = round % 4 == 3 ? g_rand_int_range (rand, 1, 200) : 3000;
    spec.points.layout = NULL;
    cloud = random_cloud (rand, &spec, n, TRUE, &data);
    if (__i__ / 24) {
      laid_out = lay_out (rand, &cloud, data, spec.points.dtype, fields, &stride);
      spec.points.layout = fields;
    }
    oracle = oracle_voxelize (&spec, &cloud, n);
    n_chunks = cut (rand, laid_out ? laid_out + 1 : data, n, stride, chunks);
    got = run_map (backend, &spec, &job, chunks, n_chunks, &counters);
    check_map (&spec, oracle, n, &job, got);
    check_counters (&spec, &counters, oracle);
    fail_unless (n < 2500 || (oracle->counters.nan + oracle->counters.infinite > 0 && oracle->counters.outside > 100
            && oracle->n_occupied > 100));
    oracle_free (oracle);
    g_free (cloud.values);
    g_free (data);
    g_free (laid_out);
    g_free (got);
  }
  g_rand_free (rand);
  rc_backend_close (backend);
}

GST_END_TEST;

/* x, y, z and what index makes of them in a grid of the largest size there is. */
static const struct
{
  float p[3];
  int64_t index;
} far_points[] = {
  {{0, 0, 0}, 0},
  {{RC_VOXEL_MAX_AXIS - 1, RC_VOXEL_MAX_AXIS - 1, RC_VOXEL_MAX_AXIS - 1}, G_MAXINT64},
  {{RC_VOXEL_MAX_AXIS - 1, 0, 0}, RC_VOXEL_MAX_AXIS - 1},
  {{0, 1, 0}, RC_VOXEL_MAX_AXIS},
  {{5, 0, 3}, G_GINT64_CONSTANT (3) * RC_VOXEL_MAX_AXIS * RC_VOXEL_MAX_AXIS + 5},
  {{RC_VOXEL_MAX_AXIS, 0, 0}, RC_VOXEL_OUTSIDE},
  {{-1, 0, 0}, RC_VOXEL_OUTSIDE},
  {{NAN, INFINITY, 0}, RC_VOXEL_NAN},
  {{0, 0, -INFINITY}, RC_VOXEL_INFINITE},
  {{5, 0.5f, 3.75f}, G_GINT64_CONSTANT (3) * RC_VOXEL_MAX_AXIS * RC_VOXEL_MAX_AXIS + 5},
};

static const int64_t far_ranks[] = { 0, RC_VOXEL_OVER_CAP, 1, 2, 3, -1, -1, -2, -3, 3 };

GST_START_TEST (test_largest_grid)
{
  const int64_t n = G_N_ELEMENTS (far_points);
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  RcVoxelSpec spec = map_spec (__i__ ? RC_VOXEL_RANK : RC_VOXEL_INDEX, 4);
  const RcVoxelJob job = {.n_points = n };
  float points[3 * G_N_ELEMENTS (far_points)];
  const RcVoxelChunk chunk = {.data = points,.n = n,.stride = 12 };
  RcVoxelCounters counters;
  int64_t *got;

  spec.points = (RcVoxelPoints) {RC_FLOAT32, 3, 3, 0};
  for (int axis = 0; axis < 3; axis++) {
    spec.origin[axis] = 0.0;
    spec.voxel_size[axis] = 1.0;
    spec.grid[axis] = RC_VOXEL_MAX_AXIS;
  }
  for (int64_t i = 0; i < n; i++)
    memcpy (points + 3 * i, far_points[i].p, 12);
  got = run_map (backend, &spec, &job, &chunk, 1, &counters);
  for (int64_t i = 0; i < n; i++)
    fail_unless_equals_int64 (got[i], __i__ ? far_ranks[i] : far_points[i].index);
  fail_unless_equals_int64 (counters.occupied, __i__ ? 5 : 0);
  fail_unless_equals_int64 (counters.over_cap, __i__ ? 1 : 0);
  fail_unless_equals_int64 (counters.inside, 6);
  g_free (got);
  rc_backend_close (backend);
}

GST_END_TEST;

/* A rank is a row of the sparse output of the same settings. */
GST_START_TEST (test_ranks_are_rows_of_sparse)
{
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  GRand *rand = g_rand_new_with_seed (42);
  const int64_t n = 4000;
  RcVoxelSpec spec = map_spec (RC_VOXEL_INDEX, 150);
  const RcVoxelJob job = {.n_points = n };
  const Cuts all = whole (n);
  int64_t *index, *ranks, n_over = 0;
  RcVoxelCounters counters;
  RcVoxelChunk chunk;
  Result sparse;
  void *data;

  g_free (random_cloud (rand, &spec, n, TRUE, &data).values);
  chunk = (RcVoxelChunk) {.data = data,.n = n,.stride = 24 };
  index = run_map (backend, &spec, &job, &chunk, 1, &counters);
  spec.output = RC_VOXEL_RANK;
  ranks = run_map (backend, &spec, &job, &chunk, 1, &counters);
  spec.output = RC_VOXEL_SPARSE;
  sparse = run_job (backend, &spec, data, &all, n);
  fail_unless_equals_int (sparse.n_voxels, 150);
  fail_unless_equals_int64 (sparse.counters.over_cap, counters.over_cap);
  fail_unless_equals_int64 (sparse.counters.occupied, counters.occupied);
  for (int64_t i = 0; i < n; i++) {
    const int32_t *p = sparse.coordinates + 3 * ranks[i];

    n_over += ranks[i] == RC_VOXEL_OVER_CAP;
    fail_unless (ranks[i] < 0 || (p[2] * spec.grid[1] + p[1]) * spec.grid[0] + p[0] == index[i]);
    fail_unless (ranks[i] >= 0 || ranks[i] == index[i] || (ranks[i] == RC_VOXEL_OVER_CAP && index[i] >= 0));
  }
  fail_unless (n_over > 100);
  result_clear (&sparse);
  g_free (index);
  g_free (ranks);
  g_free (data);
  g_rand_free (rand);
  rc_backend_close (backend);
}

GST_END_TEST;

/* ---- batches ---- */

/* Items of different length, each of whose points keep their order over two chunks. */
GST_START_TEST (test_batch_gives_what_each_gives_alone)
{
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  GRand *rand = g_rand_new_with_seed ((guint32) __i__);
  const int64_t counts[2][3] = { {400, 0, 17}, {100, 250, 0} }, stated[3] = { 500, 300, 17 };
  const RcVoxelSpec one = map_spec (__i__ ? RC_VOXEL_RANK : RC_VOXEL_INDEX, 90);
  const RcVoxelJob job = {.n_points = 500,.item_points = stated,.first_point = 11 };
  const int64_t stride = 24, item = 400 * stride + 8;
  guint8 *data = g_malloc0 ((gsize) (2 * 3 * item));
  RcVoxelCounters counters, alone_counters;
  RcVoxelSpec batch = one;
  RcVoxelChunk chunks[2];
  int64_t *got, inside = 0;

  batch.batch = 3;
  for (int k = 0; k < 2; k++) {
    chunks[k] = (RcVoxelChunk) {.data = data + k * 3 * item,.n = 400,.stride = stride,.batch_stride = item,
      .counts = counts[k]
    };
    for (int b = 0; b < 3; b++) {
      void *cloud;

      g_free (random_cloud (rand, &one, counts[k][b], TRUE, &cloud).values);
      memcpy (data + (k * 3 + b) * item, cloud, (size_t) (counts[k][b] * stride));
      g_free (cloud);
    }
  }
  got = run_map (backend, &batch, &job, chunks, 2, &counters);
  for (int b = 0; b < 3; b++) {
    RcVoxelChunk own[2];
    int64_t *alone;

    for (int k = 0; k < 2; k++)
      own[k] = (RcVoxelChunk) {.data = data + (k * 3 + b) * item,.n = counts[k][b],.stride = stride };
    alone = run_map (backend, &one, &(RcVoxelJob) {.n_points = 500,.first_point = 11}, own, 2, &alone_counters);
    fail_unless (memcmp (alone, got + b * 489, 489 * 8) == 0, "item %d", b);
    inside += alone_counters.inside;
    g_free (alone);
  }
  fail_unless_equals_int64 (inside, counters.inside);
  g_free (got);
  g_free (data);
  g_rand_free (rand);
  rc_backend_close (backend);
}

GST_END_TEST;

/* ---- depth ---- */

#define WIDTH 1030
#define HEIGHT 5

GST_START_TEST (test_depth)
{
  RcBackend *backend = open_cpu (levels[__i__ / 4]);
  GRand *rand = g_rand_new_with_seed ((guint32) __i__);
  RcVoxelSpec spec = map_spec (__i__ % 2 ? RC_VOXEL_RANK : RC_VOXEL_INDEX, 60);
  const RcVoxelJob job = {.n_points = WIDTH * HEIGHT,.first_point = __i__ % 3 * 700 };
  DepthScene scene = depth_scene_new (rand, WIDTH, HEIGHT, __i__ / 2 % 2);
  RcVoxelCounters counters;
  OracleGrid *oracle;

  spec.source = RC_VOXEL_DEPTH;
  spec.depth = scene.depth;
  oracle = oracle_voxelize (&spec, &scene.cloud, scene.cloud.n);
  fail_unless (oracle->counters.nan > 500 && oracle->n_occupied > 60);
  if (backend) {
    int64_t *got = run_map (backend, &spec, &job, scene.rows, HEIGHT, &counters);

    check_map (&spec, oracle, scene.cloud.n, &job, got);
    check_counters (&spec, &counters, oracle);
    g_free (got);
  }
  oracle_free (oracle);
  depth_scene_clear (&scene);
  g_rand_free (rand);
  rc_backend_close (backend);
}

GST_END_TEST;

static Suite *
voxel_map_suite (void)
{
  Suite *suite = suite_create ("voxel kernels: points to voxels");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_loop_test (tc, test_points, 0, 48);
  tcase_add_loop_test (tc, test_largest_grid, 0, 2);
  tcase_add_test (tc, test_ranks_are_rows_of_sparse);
  tcase_add_loop_test (tc, test_batch_gives_what_each_gives_alone, 0, 2);
  tcase_add_loop_test (tc, test_depth, 0, 16);
  return suite;
}

GST_CHECK_MAIN (voxel_map);
