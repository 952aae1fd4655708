/* robocache: voxel grids that are not cleared are what they are when they are made anew
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernels/voxel.h"

#include <gst/check/gstcheck.h>

#include <string.h>

#include "job.h"

#define BATCH 2
#define ROUNDS 14
#define MAX_POINTS 3000

static const RcDtype dtypes[] = { RC_UINT8, RC_UINT32, RC_FLOAT16, RC_FLOAT32 };

/* Words that are whole, that are not, more of them than are taken at once, and less than one. */
static const int64_t grids[][3] = { {37, 11, 5}, {32, 8, 6}, {1, 1, 1}, {33, 1, 1}, {50, 41, 20} };

static const RcCpuLevel levels[] = { RC_CPU_BEST, RC_CPU_BASELINE, RC_CPU_AVX2, RC_CPU_AVX512 };

#define N_KINDS (6 * G_N_ELEMENTS (dtypes) * G_N_ELEMENTS (grids))

/* FALSE: there is none. */
static gboolean
kind (int i, RcVoxelSpec *spec)
{
  *spec = some_spec ();
  spec->mode = (RcVoxelMode) (i % 6);
  spec->dtype = dtypes[i / 6 % G_N_ELEMENTS (dtypes)];
  memcpy (spec->grid, grids[i / 6 / G_N_ELEMENTS (dtypes)], sizeof (spec->grid));
  return spec->mode <= RC_VOXEL_COUNT || spec->dtype == RC_FLOAT16 || spec->dtype == RC_FLOAT32;
}

/* ---- a grid that is kept, and the scratch of its jobs ---- */

typedef struct
{
  RcVoxelSpec spec;             /* of a batch */
  RcVoxelPlan *plan;
  RcVoxelJob job;
  RcVoxelOut out;
  RcVoxelCounters counters;
  uint64_t scratch_bytes;
  int64_t grid_bytes, bitmap_bytes;     /* of an item */
} Kept;

static void
kept_init (Kept *kept, RcBackend *backend, const RcVoxelSpec *spec, int64_t batch)
{
  RcFootprint footprint;

  memset (kept, 0, sizeof (*kept));
  kept->spec = *spec;
  kept->spec.batch = batch;
  run_ok (rc_voxel_plan (backend, &kept->spec, &kept->plan, &footprint, &run_error));
  kept->job.scratch = scratch_new (&footprint, MAX_POINTS, &kept->scratch_bytes);
  kept->grid_bytes = rc_voxel_value_bytes (kept->plan);
  kept->bitmap_bytes = rc_voxel_bitmap_bytes (kept->plan);
  kept->out.grid = g_malloc ((gsize) (batch * kept->grid_bytes));
  kept->out.grid_batch_stride = kept->grid_bytes;
  kept->out.occupied = g_malloc ((gsize) (batch * kept->bitmap_bytes));
  kept->out.occupied_batch_stride = kept->bitmap_bytes;
  memset (kept->out.grid, 0x5A, (gsize) (batch * kept->grid_bytes));
  memset (kept->out.occupied, 0x5A, (gsize) (batch * kept->bitmap_bytes));
}

static void
kept_clear (Kept *kept)
{
  scratch_free (kept->job.scratch, kept->scratch_bytes);
  rc_voxel_plan_free (kept->plan);
  g_free (kept->out.grid);
  g_free (kept->out.occupied);
}

/* ---- clouds of a batch ---- */

typedef struct
{
  int64_t n, item_bytes;
  char *data;
} Clouds;

static Clouds
random_clouds (GRand *rand, const RcVoxelSpec *spec)
{
  static const int64_t sizes[] = { 0, 1, 40, 700, MAX_POINTS };
  Clouds clouds = {.n = sizes[g_rand_int_range (rand, 0, G_N_ELEMENTS (sizes))] };

  clouds.item_bytes = clouds.n * point_bytes (spec);
  clouds.data = g_malloc ((gsize) (spec->batch * clouds.item_bytes + 1));
  for (int64_t b = 0; b < spec->batch; b++) {
    void *data;

    g_free (random_cloud (rand, spec, clouds.n, TRUE, &data).values);
    memcpy (clouds.data + b * clouds.item_bytes, data, (gsize) clouds.item_bytes);
    g_free (data);
  }
  return clouds;
}

static void
add_clouds (Kept *kept, const Clouds *clouds)
{
  RcVoxelChunk chunk = {.data = clouds->data,.n = clouds->n,.stride = point_bytes (&kept->spec),
    .batch_stride = clouds->item_bytes
  };

  kept->job.n_points = clouds->n;
  run_ok (rc_voxel_begin (kept->plan, &kept->job, NULL, &run_error));
  run_ok (rc_voxel_range (kept->plan, &kept->job, &chunk, NULL, &run_error));
  memset (&kept->counters, 0, sizeof (kept->counters));
  chunk.counters = &kept->counters;
  run_ok (rc_voxel_add (kept->plan, &kept->job, &chunk, NULL, &run_error));
}

static void
end_job (Kept *kept, gboolean wants_bitmap)
{
  RcVoxelOut out = kept->out;

  out.counters = &kept->counters;
  if (!wants_bitmap)
    out.occupied = NULL;
  out.is_known = wants_bitmap && kept->out.is_known;
  run_ok (rc_voxel_end (kept->plan, &kept->job, &out, NULL, &run_error));
  kept->job.is_clean = 1;
  kept->out.is_known = wants_bitmap;
}

/* ---- what comes out ---- */

/* A set bit is an occupied voxel; the value of an occupied one is 0 in the modes of features only. */
static void
check_bitmap (const Kept *kept, int64_t item, int64_t occupied)
{
  const int64_t voxels = kept->spec.grid[0] * kept->spec.grid[1] * kept->spec.grid[2];
  const int64_t bytes = kept->grid_bytes / voxels;
  const uint32_t *bits = kept->out.occupied + item * kept->bitmap_bytes / 4;
  const char *grid = (const char *) kept->out.grid + item * kept->grid_bytes;
  int64_t set = 0, wrong = 0;

  for (int64_t v = 0; v < 8 * kept->bitmap_bytes; v++) {
    const gboolean is_set = bits[v / 32] >> (v % 32) & 1;
    gboolean is_zero = TRUE;

    for (int64_t i = 0; v < voxels && i < bytes; i++)
      is_zero = is_zero && grid[v * bytes + i] == 0;
    set += is_set;
    wrong += is_set ? v >= voxels || (is_zero && kept->spec.mode <= RC_VOXEL_COUNT) : !is_zero;
  }
  fail_unless_equals_int64 (wrong, 0);
  fail_unless_equals_int64 (set, occupied);
}

static void
check_grids (const Kept *kept, const Clouds *clouds, RcBackend *other)
{
  RcVoxelSpec alone = kept->spec;
  RcVoxelCounters sum = { 0 };

  alone.batch = 1;
  for (int64_t b = 0; b < kept->spec.batch; b++) {
    const Cuts all = whole (clouds->n);
    Result anew = run_job (other, &alone, clouds->data + b * clouds->item_bytes, &all, clouds->n);

    fail_unless (memcmp (anew.grid, (char *) kept->out.grid + b * kept->grid_bytes, (gsize) kept->grid_bytes) == 0,
        "item %d", (int) b);
    if (kept->out.is_known)
      check_bitmap (kept, b, anew.counters.occupied);
    sum.inside += anew.counters.inside;
    sum.occupied += anew.counters.occupied;
    sum.clamped += anew.counters.clamped;
    result_clear (&anew);
  }
  fail_unless_equals_int64 (kept->counters.inside, sum.inside);
  fail_unless_equals_int64 (kept->counters.occupied, sum.occupied);
  fail_unless_equals_int64 (kept->counters.clamped, sum.clamped);
}

static void
scribble (Kept *kept, GRand *rand)
{
  for (int64_t i = 0; i < kept->spec.batch * kept->grid_bytes; i++)
    ((uint8_t *) kept->out.grid)[i] = (uint8_t) g_rand_int (rand);
  kept->out.is_known = 0;
}

/* A job that is begun and not ended. */
static void
give_up (Kept *kept, GRand *rand)
{
  Clouds clouds = random_clouds (rand, &kept->spec);

  add_clouds (kept, &clouds);
  kept->job.is_clean = 0;
  g_free (clouds.data);
}

static void
run_sequence (const RcVoxelSpec *spec, RcCpuLevel level, guint32 seed)
{
  RcBackend *backend = open_cpu (level), *baseline = open_cpu (RC_CPU_BASELINE);
  GRand *rand = g_rand_new_with_seed (seed);
  Kept kept;

  if (backend == NULL) {        /* this machine lacks the level */
    rc_backend_close (baseline);
    g_rand_free (rand);
    return;
  }
  kept_init (&kept, backend, spec, BATCH);
  for (int round = 0; round < ROUNDS; round++) {
    Clouds clouds = random_clouds (rand, &kept.spec);

    if (g_rand_int_range (rand, 0, 6) == 0)
      scribble (&kept, rand);
    if (g_rand_int_range (rand, 0, 6) == 0)
      give_up (&kept, rand);
    add_clouds (&kept, &clouds);
    end_job (&kept, g_rand_int_range (rand, 0, 6) != 0);
    check_grids (&kept, &clouds, baseline);
    g_free (clouds.data);
  }
  kept_clear (&kept);
  g_rand_free (rand);
  rc_backend_close (backend);
  rc_backend_close (baseline);
}

GST_START_TEST (test_dense)
{
  RcVoxelSpec spec;

  if (kind (__i__, &spec))
    run_sequence (&spec, RC_CPU_BEST, (guint32) __i__);
}

GST_END_TEST;

GST_START_TEST (test_instruction_sets)
{
  for (int i = 0; i < (int) N_KINDS; i += 7) {
    RcVoxelSpec spec;

    if (kind (i, &spec))
      run_sequence (&spec, levels[__i__], (guint32) i + 1000);
  }
}

GST_END_TEST;

GST_START_TEST (test_points_of_float64)
{
  RcVoxelSpec spec;

  fail_unless (kind (6 * 3 + __i__, &spec));
  spec.points.dtype = RC_FLOAT64;
  spec.feature_range = __i__ == RC_VOXEL_MEAN ? 200.0 : 0.0;
  run_sequence (&spec, RC_CPU_BEST, (guint32) __i__ + 2000);
}

GST_END_TEST;

/* Their scratch is clean too, and there is no bitmap beside them: the grid is one, and sparse output is written whole. */
GST_START_TEST (test_outputs_without_a_bitmap)
{
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  GRand *rand = g_rand_new_with_seed (3000 + (guint32) __i__);
  RcVoxelSpec spec = some_spec ();
  RcFootprint footprint;
  uint64_t bytes;
  RcVoxelPlan *plan;
  RcVoxelJob job = { 0 };

  spec.output = __i__ ? RC_VOXEL_SPARSE : RC_VOXEL_BITS;
  spec.mode = __i__ ? RC_VOXEL_MEAN : RC_VOXEL_OCCUPANCY;
  run_ok (rc_voxel_plan (backend, &spec, &plan, &footprint, &run_error));
  fail_unless_equals_int64 (rc_voxel_bitmap_bytes (plan), 0);
  job.scratch = scratch_new (&footprint, MAX_POINTS, &bytes);
  for (int round = 0; round < ROUNDS; round++) {
    Clouds clouds = random_clouds (rand, &spec);
    RcVoxelChunk chunk = {.data = clouds.data,.n = clouds.n,.stride = point_bytes (&spec) };
    const Cuts all = whole (clouds.n);
    Result anew = run_job (backend, &spec, clouds.data, &all, clouds.n), got;
    RcVoxelOut out;

    result_alloc (&got, plan, &spec, &out);
    out.is_known = 1;           /* of what there is not */
    job.n_points = clouds.n;
    run_ok (rc_voxel_begin (plan, &job, NULL, &run_error));
    run_ok (rc_voxel_range (plan, &job, &chunk, NULL, &run_error));
    chunk.counters = &got.counters;
    run_ok (rc_voxel_add (plan, &job, &chunk, NULL, &run_error));
    run_ok (rc_voxel_end (plan, &job, &out, NULL, &run_error));
    check_same (&anew, &got, &spec);
    job.is_clean = 1;
    result_clear (&anew);
    result_clear (&got);
    g_free (clouds.data);
  }
  scratch_free (job.scratch, bytes);
  rc_voxel_plan_free (plan);
  g_rand_free (rand);
  rc_backend_close (backend);
}

GST_END_TEST;

/* ---- the cost: what does not change is not written ---- */

static void
add_point (Kept *kept, float x)
{
  const float point[6] = { x, 0.5f, 0.5f, 0.0f, 1.0f, 2.0f };
  const RcVoxelChunk chunk = {.data = point,.n = 1,.stride = sizeof (point) };

  kept->job.n_points = 1;
  run_ok (rc_voxel_begin (kept->plan, &kept->job, NULL, &run_error));
  run_ok (rc_voxel_range (kept->plan, &kept->job, &chunk, NULL, &run_error));
  run_ok (rc_voxel_add (kept->plan, &kept->job, &chunk, NULL, &run_error));
  end_job (kept, TRUE);
}

/* Of the grid from begin on. */
static int64_t
bytes_other_than (const Kept *kept, int64_t begin, int64_t end, int byte)
{
  int64_t n = 0;

  for (int64_t i = begin; i < end; i++)
    n += ((const uint8_t *) kept->out.grid)[i] != byte;
  return n;
}

/* The bytes of voxels that neither were nor are occupied stay those that a test puts there; once nothing is known of the
 * grid they are 0. */
GST_START_TEST (test_what_stays_is_not_written)
{
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  RcVoxelSpec spec = some_spec ();
  int64_t bytes;
  Kept kept;

  spec.mode = (RcVoxelMode) __i__;
  for (int axis = 0; axis < 3; axis++) {
    spec.origin[axis] = 0.0;
    spec.voxel_size[axis] = 1.0;
    spec.grid[axis] = axis == 0 ? 40000 : 1;
  }
  kept_init (&kept, backend, &spec, 1);
  bytes = kept.grid_bytes / spec.grid[0];
  add_point (&kept, 3.0f);
  memset ((char *) kept.out.grid + 64 * bytes, 0x77, (gsize) (kept.grid_bytes - 128 * bytes));
  add_point (&kept, 39999.0f);
  fail_unless_equals_int64 (bytes_other_than (&kept, 0, 64 * bytes, 0), 0);
  fail_unless_equals_int64 (bytes_other_than (&kept, 64 * bytes, kept.grid_bytes - 64 * bytes, 0x77), 0);
  fail_unless_equals_int64 (bytes_other_than (&kept, kept.grid_bytes - 64 * bytes, kept.grid_bytes - bytes, 0), 0);
  kept.out.is_known = 0;
  add_point (&kept, 0.0f);
  fail_unless_equals_int64 (bytes_other_than (&kept, bytes, kept.grid_bytes, 0), 0);
  kept_clear (&kept);
  rc_backend_close (backend);
}

GST_END_TEST;

static Suite *
voxel_clearing_suite (void)
{
  Suite *suite = suite_create ("voxel kernels: grids without clearing");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_loop_test (tc, test_dense, 0, N_KINDS);
  tcase_add_loop_test (tc, test_instruction_sets, 0, G_N_ELEMENTS (levels));
  tcase_add_loop_test (tc, test_points_of_float64, 0, 6);
  tcase_add_loop_test (tc, test_outputs_without_a_bitmap, 0, 2);
  tcase_add_loop_test (tc, test_what_stays_is_not_written, 0, 6);
  return suite;
}

GST_CHECK_MAIN (voxel_clearing);
