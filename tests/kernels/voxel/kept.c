/* robocache: a grid and a scratch that one job after another uses without clearing them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "case.h"


static const RcDtype dtypes[] = { RC_UINT8, RC_UINT32, RC_FLOAT16, RC_FLOAT32 };

/* Some of the points of the only chunk, as a job of that many. */
static void
take_some_points (VoxelCase *c, PlacedCase *all, int64_t points, int i)
{
  const int64_t n = i % 3 == 0 ? points : points * (i % 4) / 4;

  c->chunks[0].n = c->job.n_points = n;
  for (int p = 0; p < all->n; p++)
    all->placed[p].chunks[0].n = all->placed[p].job.n_points = n;
}

/* How cloud i + 1 finds the scratch and the grid. Now and then a job is given up in between, or somebody writes to the grid. */
static void
prepare_next (VoxelCase *c, PlacedCase *all, int i, Test *test)
{
  const int gives_up = i % 8 == 6;

  if (i % 7 == 6 && c->out.grid != NULL)
    memset (c->out.grid, 0x77, (size_t) (c->spec.batch * c->out.grid_batch_stride));
  for (int p = 0; p < all->n; p++) {
    PlacedVoxels *placed = &all->placed[p];

    if (gives_up)
      voxels_give_up (c, placed, test);
    placed->job.is_clean = i % 5 != 4 && !gives_up;
    placed->out.is_known = placed->out.occupied != NULL && i % 7 != 6;
  }
}

/* Clouds one after another into one grid, which is never cleared; what is expected is made anew. The arena is copied there with
 * the points, and with the grid of the cloud before. Plain clouds are of several sizes. */
static void
check_sequence (Suite *suite, const char *name, const VoxelWish *wish)
{
  Test test = test_begin ("%s", name);
  PlacedCase all = { .n = 0 };
  VoxelCase c;

  if (voxel_case_make (&c, wish, suite_next_seed (suite), suite, &test) && voxel_case_place (&c, suite, &all, &test)) {
    const int64_t points = c.chunks[0].n;

    for (int i = 0; i < (suite->few ? 4 : 12) && test_holds (&test); i++) {
      if (wish->plain)
        take_some_points (&c, &all, points, i);
      if (i > 0) {
        voxel_case_replace_points (&c);
        voxel_case_upload (&c, suite, &all, &test);
      }
      voxel_case_run (&c, suite, &all, &test);
      prepare_next (&c, &all, i, &test);
    }
  }
  voxel_case_leave (&all, &test);
  voxel_case_clear (&c);
  suite_end (suite, &test);
}

static const struct
{
  const char *name;
  int first_mode, last_mode, output;
  int64_t batch, axis;
  int plain, gpu;               /* gpu: on one alone, 1: and not with --few */
} sequences[] = {
  {"any", RC_VOXEL_OCCUPANCY, RC_VOXEL_MIN, RC_VOXEL_DENSE, ANY, ANY},
  {"batch", RC_VOXEL_OCCUPANCY, RC_VOXEL_MIN, RC_VOXEL_DENSE, 9, 16},
  {"plain", RC_VOXEL_OCCUPANCY, RC_VOXEL_MIN, RC_VOXEL_DENSE, 1, 40, 1},
  {"plain_batch", RC_VOXEL_OCCUPANCY, RC_VOXEL_MIN, RC_VOXEL_DENSE, 8, 32, 1, 2},
  {"words", RC_VOXEL_OCCUPANCY, RC_VOXEL_MIN, RC_VOXEL_DENSE, 8, 64, 1, 2},     /* a warp reads several words */
  {"many_words", RC_VOXEL_OCCUPANCY, RC_VOXEL_MIN, RC_VOXEL_DENSE, 32, 64, 1, 1},
  {"bits", RC_VOXEL_OCCUPANCY, RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, ANY, ANY},
  {"bits_batch", RC_VOXEL_OCCUPANCY, RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, 9, 40},
  {"sparse", RC_VOXEL_MEAN, RC_VOXEL_MEAN, RC_VOXEL_SPARSE, ANY, ANY},
  {"sparse_plain", RC_VOXEL_MEAN, RC_VOXEL_MEAN, RC_VOXEL_SPARSE, 3, 40, 1},
};

/* Sequence s in a mode and dtype, several times. */
static void
check_sequences (Suite *suite, size_t s, int mode, RcDtype dtype)
{
  const int n = suite->few || !suite->is_gpu ? 1 : 4;
  char name[128];

  for (int i = 0; i < n; i++) {
    VoxelWish wish = { ANY, ANY, mode, sequences[s].output, (int) dtype, sequences[s].batch, ANY, sequences[s].axis, ANY, ANY, ANY,
      sequences[s].plain
    };

    if (sequences[s].plain) {
      wish.source = RC_VOXEL_POINTS;
      wish.points = 3000;
      wish.features = 3;
    }
    snprintf (name, sizeof (name), "voxel_kept_%s_%s_%s_%d", sequences[s].name, voxel_modes[mode], rc_dtype_name (dtype), i);
    check_sequence (suite, name, &wish);
  }
}

/* ---- the cost: a byte that does not change is not written ---- */

#define VOXELS 65536
#define MARGIN 64               /* voxels at both ends of the grid */

typedef struct
{
  float points[2][4];
  uint32_t occupied[VOXELS / 32];
  uint8_t grid[VOXELS * 12];
} CostData;

static void
run_point (const Place *place, RcVoxelPlan *plan, const RcVoxelJob *job, CostData *there, int point, int is_known, Test *test)
{
  const RcVoxelChunk chunk = {.data = there->points[point],.n = 1,.stride = 16 };
  const RcVoxelOut out = {.grid = there->grid,.occupied = there->occupied,.is_known = is_known };
  RcError error;

  is_ok (rc_voxel_run (plan, job, &chunk, &out, place->stream, &error), &error, test);
  place_wait (place, test);
}

static int64_t
count_others (const uint8_t *bytes, int64_t n, uint8_t byte)
{
  int64_t others = 0;

  for (int64_t i = 0; i < n; i++)
    others += bytes[i] != byte;
  return others;
}

/* One point, then another: of the grid between them, which is said to be 0 and is not, no byte is written; once nothing is
 * known of the grid every byte is. */
static void
check_cost_at (const Place *place, RcVoxelPlan *plan, RcVoxelJob *job, CostData *there, Test *test)
{
  static CostData data;
  const int64_t value = rc_voxel_value_bytes (plan) / VOXELS, margin = MARGIN * value, between = VOXELS * value - 2 * margin;

  data = (CostData) {.points = {{3.0f, 0.0f, 0.0f, 1.0f}, {65535.0f, 0.0f, 0.0f, 2.0f}} };
  place_copy (place, there, &data, sizeof (data), test);
  job->is_clean = 0;
  run_point (place, plan, job, there, 0, 0, test);
  memset (data.grid, 0x77, sizeof (data.grid));
  place_copy (place, there->grid + margin, data.grid, (uint64_t) between, test);
  job->is_clean = 1;
  run_point (place, plan, job, there, 1, 1, test);
  place_copy (place, data.grid, there->grid, (uint64_t) (VOXELS * value), test);
  test_expect (test, count_others (data.grid, margin, 0) == 0, "the first voxel is not cleared on %s", place->name);
  test_expect (test, count_others (data.grid + margin, between, 0x77) == 0, "bytes between were written on %s", place->name);
  test_expect (test, count_others (data.grid + margin + between, margin - value, 0) == 0, "the end, on %s", place->name);
  run_point (place, plan, job, there, 1, 0, test);
  place_copy (place, data.grid, there->grid, (uint64_t) (VOXELS * value), test);
  test_expect (test, count_others (data.grid, (VOXELS - 1) * value, 0) == 0, "it is not written anew on %s", place->name);
}

static void
check_cost (Suite *suite, int mode)
{
  const RcVoxelSpec spec = {.points = {RC_FLOAT32, 4, 3, 1},.voxel_size = {1.0, 1.0, 1.0},.grid = {VOXELS, 1, 1},
    .mode = (RcVoxelMode) mode,.dtype = RC_FLOAT32,.batch = 1
  };
  Test test = test_begin ("voxel_kept_cost_%s", voxel_modes[mode]);

  for (int p = 0; p < suite->n_places && test_holds (&test); p++) {
    const Place *place = &suite->places[p];
    CostData *there = place_alloc (place, sizeof (CostData));
    RcVoxelJob job = {.n_points = 1 };
    RcVoxelPlan *plan = NULL;
    RcFootprint footprint;
    Scratch scratch = { NULL };
    RcError error;

    if (is_ok (rc_voxel_plan (place->backend, &spec, &plan, &footprint, &error), &error, &test)) {
      scratch = scratch_new (place, &footprint, 1, &test);
      job.scratch = scratch.memory;
      check_cost_at (place, plan, &job, there, &test);
    }
    rc_voxel_plan_free (plan);
    scratch_free (place, &scratch, &test);
    place_free (place, there);
  }
  suite_end (suite, &test);
}

/* ---- a plan that is made between two runs of another ---- */

/* A plan of small slabs after one of large ones, which keeps the shared memory that it needs. */
static void
check_other_plan (Suite *suite)
{
  const VoxelWish wish = { RC_VOXEL_POINTS, RC_FLOAT32, RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, ANY, 8, 1000, 256, ANY, SPREAD, ANY, 1 };
  Test test = { "voxel_again_after_another_plan", "" };
  PlacedCase all = { .n = 0 };
  RcVoxelPlan *other = NULL;
  RcError error;
  VoxelCase c;

  if (voxel_case_make (&c, &wish, suite_next_seed (suite), suite, &test) && voxel_case_place (&c, suite, &all, &test)) {
    RcVoxelSpec spec = c.spec;

    spec.batch = 1;
    spec.grid[0] = spec.grid[1] = spec.grid[2] = 64;
    is_ok (rc_voxel_plan (suite->places[0].backend, &spec, &other, NULL, &error), &error, &test);
    voxel_case_run (&c, suite, &all, &test);
    rc_voxel_plan_free (other);
  }
  voxel_case_leave (&all, &test);
  voxel_case_clear (&c);
  suite_end (suite, &test);
}

void
check_kept_voxels (Suite *suite)
{
  for (size_t s = 0; s < COUNT (sequences); s++) {
    const int runs = !sequences[s].gpu || (suite->is_gpu && (!suite->few || sequences[s].gpu > 1));

    for (int mode = sequences[s].first_mode; mode <= sequences[s].last_mode && runs; mode++) {
      for (int d = 0; d < 4; d++) {
        const int has_dtype = mode <= RC_VOXEL_COUNT || rc_dtype_is_float (dtypes[d]);

        if (has_dtype && (!suite->small || dtypes[d] == (mode % 2 ? RC_FLOAT32 : RC_FLOAT16)))
          check_sequences (suite, s, mode, dtypes[d]);
      }
    }
  }
  for (int mode = 0; mode <= RC_VOXEL_MIN; mode++)
    check_cost (suite, mode);
  check_other_plan (suite);
}
