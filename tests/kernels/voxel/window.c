/* robocache: grids of a window of clouds that slides have the same bits as those of all its clouds, made anew
 *
 *   voxel-window [--gpu] [--few] [--only SECTION]      see tests/kernels/suite.h
 *
 * A cloud arrives, old ones leave, again and again: the job of a place goes on from its last one wherever it can, and the
 * reference adds all clouds of the window. --few: a tenth of the clouds, and no large grid.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <inttypes.h>
#include <stdlib.h>

#include "case.h"
#include "tests/kernels/numbers.h"
#include "tests/kernels/random.h"

#define WINDOW 4                /* clouds */
#define SLOTS (WINDOW + 1)      /* the one that leaves, too */
#define ROUNDS 120
#define MAX_POINTS 3000        /* of an item of a cloud; all rows of an image have as many */
#define WIDTH 60
#define HEIGHT (MAX_POINTS / WIDTH)
#define MAX_BATCH 5
#define MAX_FEATURES 5
#define ARENA_BYTES ((size_t) 32 << 20)
#define MAX_VOXELS 700         /* in sparse outputs: fewer than there are */

typedef enum
{
  FLOAT16,
  FLOAT32,
  FLOAT64,
  LAYOUT,
  DEPTH
} Input;

typedef struct
{
  RcVoxelMode mode;
  RcVoxelOutput output;
  RcDtype dtype;
  Input input;
  int64_t batch, features;
  double feature_range;
  int is_counted;               /* chunks have counts, and jobs item_points */
} Form;

static const Form forms[] = {
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_UINT8, FLOAT32, 1},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_FLOAT32, FLOAT16, MAX_BATCH},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_FLOAT16, DEPTH, 2},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, RC_UINT8, FLOAT64, 1},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, RC_UINT8, LAYOUT, 3},
  {RC_VOXEL_COUNT, RC_VOXEL_DENSE, RC_UINT8, FLOAT32, 3},
  {RC_VOXEL_COUNT, RC_VOXEL_DENSE, RC_UINT32, LAYOUT, 1},
  {RC_VOXEL_COUNT, RC_VOXEL_DENSE, RC_FLOAT16, DEPTH, 1},
  {RC_VOXEL_CENTROID, RC_VOXEL_DENSE, RC_FLOAT32, FLOAT32, 1},
  {RC_VOXEL_CENTROID, RC_VOXEL_DENSE, RC_FLOAT16, DEPTH, 2},
  {RC_VOXEL_CENTROID, RC_VOXEL_DENSE, RC_FLOAT32, FLOAT64, MAX_BATCH},
  {RC_VOXEL_MEAN, RC_VOXEL_DENSE, RC_FLOAT32, FLOAT32, 1, 3, 2.0},
  {RC_VOXEL_MEAN, RC_VOXEL_DENSE, RC_FLOAT16, FLOAT16, 2, 1, 1.5},
  {RC_VOXEL_MEAN, RC_VOXEL_DENSE, RC_FLOAT32, FLOAT64, 1, MAX_FEATURES, 2.5},
  {RC_VOXEL_MEAN, RC_VOXEL_DENSE, RC_FLOAT32, LAYOUT, 3, 2, 2.0},
  {RC_VOXEL_MEAN, RC_VOXEL_DENSE, RC_FLOAT32, FLOAT32, 2, 3},
  {RC_VOXEL_MEAN, RC_VOXEL_DENSE, RC_FLOAT16, FLOAT64, 1, 2},
  {RC_VOXEL_MEAN, RC_VOXEL_DENSE, RC_FLOAT32, FLOAT16, 1, MAX_FEATURES},
  {RC_VOXEL_MEAN, RC_VOXEL_SPARSE, RC_FLOAT32, LAYOUT, 3, 2},
  {RC_VOXEL_MEAN, RC_VOXEL_DENSE, RC_FLOAT32, FLOAT32, 3, 2, 0, 1},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_SPARSE, RC_UINT8, FLOAT32, 1},
  {RC_VOXEL_COUNT, RC_VOXEL_SPARSE, RC_UINT8, FLOAT32, 2},
  {RC_VOXEL_COUNT, RC_VOXEL_SPARSE, RC_FLOAT32, DEPTH, 1},
  {RC_VOXEL_CENTROID, RC_VOXEL_SPARSE, RC_FLOAT32, FLOAT32, 3},
  {RC_VOXEL_MEAN, RC_VOXEL_SPARSE, RC_FLOAT16, FLOAT32, 1, 3, 2.0},
  {RC_VOXEL_MEAN, RC_VOXEL_SPARSE, RC_FLOAT32, LAYOUT, 2, 2, 2.0},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, RC_UINT8, FLOAT32, 3, 0, 0, 1},
  {RC_VOXEL_COUNT, RC_VOXEL_DENSE, RC_UINT32, FLOAT32, 2, 0, 0, 1},
  {RC_VOXEL_COUNT, RC_VOXEL_SPARSE, RC_UINT32, DEPTH, 2, 0, 0, 1},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_UINT8, FLOAT32, 1},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_UINT8, FLOAT16, MAX_BATCH},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_UINT8, FLOAT64, 2},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_UINT8, LAYOUT, 3},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_UINT8, DEPTH, 2},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_UINT8, FLOAT32, 3, 0, 0, 1},
  {RC_VOXEL_MAX, RC_VOXEL_DENSE, RC_FLOAT32, FLOAT32, 1, 3},
  {RC_VOXEL_MIN, RC_VOXEL_DENSE, RC_FLOAT16, FLOAT16, 2, 1},
  {RC_VOXEL_MAX, RC_VOXEL_DENSE, RC_FLOAT32, FLOAT64, MAX_BATCH, MAX_FEATURES},
  {RC_VOXEL_MIN, RC_VOXEL_DENSE, RC_FLOAT32, LAYOUT, 3, 2},
  {RC_VOXEL_MAX, RC_VOXEL_SPARSE, RC_FLOAT16, FLOAT32, 1, 3},
  {RC_VOXEL_MIN, RC_VOXEL_SPARSE, RC_FLOAT32, LAYOUT, 2, 2},
  {RC_VOXEL_MAX, RC_VOXEL_DENSE, RC_FLOAT32, FLOAT32, 3, 2, 0, 1},
};

static const int64_t grids[][3] = { {37, 11, 5}, {64, 32, 16}, {1, 1, 1} };

/* Of which ranks that are made anew are found by blocks. */
static const int64_t large_grid[3] = { 512, 512, 260 };

static int64_t
below (uint64_t *random, int64_t n)
{
  return random_between (random, 0, n - 1);
}

/* ---- points ---- */

static const RcVoxelField fields[3 + 2] = {
  {RC_FLOAT32, 1}, {RC_FLOAT32, 9}, {RC_FLOAT32, 5}, {RC_UINT16, 14}, {RC_FLOAT64, 17},
};

static const RcDtype packed_dtypes[] = { RC_FLOAT16, RC_FLOAT32, RC_FLOAT64, RC_FLOAT32, RC_FLOAT32 };

static int64_t
point_bytes (const Form *form)
{
  if (form->input == DEPTH)
    return 2;
  return form->input == LAYOUT ? 29 : (3 + form->features) * (int64_t) rc_dtype_size (packed_dtypes[form->input]);
}

/* Whether the scales of means depend on the points. */
static int
has_ranges (const Form *form)
{
  return form->mode == RC_VOXEL_MEAN && form->feature_range == 0.0;
}

/* Voxels are of one metre, at the origin; many points share one. What is measured is no larger than most_feature. */
static void
put_point (uint64_t *random, const Form *form, const int64_t *grid, float most_feature, uint8_t *point)
{
  static const float specials[] = { NAN, INFINITY, -INFINITY, -0.0f, 1e30f };
  const uint16_t depth = (uint16_t) below (random, 4000);

  if (form->input == DEPTH)
    memcpy (point, &depth, 2);
  for (int64_t field = 0; field < (form->input == DEPTH ? 0 : 3 + form->features); field++) {
    const float most = field < 3 ? (float) grid[field] : most_feature;
    float x = (float) random_real (random, field < 3 ? -0.1 * (double) most : -(double) most, 1.1 * (double) most);

    if (below (random, 2) == 0 && field < 3)
      x = fminf (x, 4.5f);
    if (field >= 3 && (form->mode == RC_VOXEL_MAX || form->mode == RC_VOXEL_MIN) && below (random, 3) == 0)
      x = rintf (x);            /* several clouds have it */
    if (below (random, 60) == 0)
      x = specials[below (random, field >= 3 && has_ranges (form) ? 4 : 5)];
    if (form->input == LAYOUT)
      oracle_put (fields[field].dtype, point + fields[field].offset, (double) x);
    else
      oracle_put (packed_dtypes[form->input], point + field * (int64_t) rc_dtype_size (packed_dtypes[form->input]), (double) x);
  }
}

static RcVoxelSpec
spec_of (const Form *form, const int64_t *grid)
{
  RcVoxelSpec spec = {.source = form->input == DEPTH ? RC_VOXEL_DEPTH : RC_VOXEL_POINTS,
    .points = {packed_dtypes[form->input], 3 + form->features, 3, form->features, form->input == LAYOUT ? fields : NULL},
    .depth = {WIDTH, HEIGHT, 20.0, 20.0, 3.0, 2.0, 0.002},.mode = form->mode,.output = form->output,.dtype = form->dtype,
    .max_voxels = MAX_VOXELS,.feature_range = form->feature_range,.batch = form->batch,.accumulates = SLOTS
  };

  for (int axis = 0; axis < 3; axis++) {
    spec.voxel_size[axis] = 1.0;
    spec.grid[axis] = grid[axis];
  }
  return spec;
}

/* ---- a window ---- */

/* On all places at once. */
typedef struct
{
  Suite *suite;
  const Form *form;
  Test *test;
  uint64_t random;
  int first, gone;              /* clouds: the oldest of the window, and of the one before */
  int went_on, gave_up;
  VoxelCase c;                  /* of the round; chunk i % SLOTS is cloud i */
  PlacedCase all;
  RcVoxelOut outs[2];           /* written by turns, as the maps */
  int64_t *maps[2];             /* of the newest cloud, which a job that goes on adds alone */
  int64_t *counts[SLOTS];       /* of each item, even if the chunk does not have them */
  int64_t *stated;              /* N of each item */
  RcVoxelCounters *counters;    /* of the newest cloud */
  double ranges[SLOTS][MAX_BATCH * MAX_FEATURES];     /* of each item's features, as they were measured */
  double greatest[MAX_BATCH * MAX_FEATURES];  /* of all clouds of the window */
  int64_t *map;                 /* [batch, WINDOW * MAX_POINTS] of all points, as the CPU makes it */
} Window;

static int64_t
pixels_of (const Form *form)
{
  return form->input == DEPTH ? WIDTH : 1;
}

static void
make_cloud (Window *window, int i)
{
  static const int64_t sizes[] = { 0, 1, 700, 1000, 1010, 1030, 2999, MAX_POINTS };
  uint64_t *random = &window->random;
  const Form *form = window->form;
  const float most_feature = below (random, 8) == 0 ? 17.0f : 3.0f;
  RcVoxelChunk *chunk = &window->c.chunks[i % SLOTS];

  chunk->n = form->input == DEPTH ? below (random, HEIGHT + 1) : sizes[below (random, 8)];
  chunk->batch_stride = chunk->n * chunk->stride;
  for (int64_t k = 0; k < form->batch; k++)
    window->counts[i % SLOTS][k] = form->is_counted ? below (random, chunk->n + 1) : chunk->n;
  for (int64_t k = 0; k < chunk->n * pixels_of (form) * form->batch; k++)
    put_point (random, form, window->c.spec.grid, most_feature, (uint8_t *) chunk->data + k * point_bytes (form));
}

/* The job of the window whose newest cloud is i, and its output. */
static void
set_job (Window *window, int i)
{
  const Form *form = window->form;
  RcVoxelJob *job = &window->c.job;

  *job = (RcVoxelJob) { 0 };
  memset (window->stated, 0, MAX_BATCH * sizeof (int64_t));
  memset (window->greatest, 0, sizeof (window->greatest));
  for (int cloud = window->first; cloud <= i; cloud++) {
    for (int k = 0; k < MAX_BATCH * MAX_FEATURES; k++)
      window->greatest[k] = fmax (window->greatest[k], window->ranges[cloud % SLOTS][k]);
    job->n_points += window->c.chunks[cloud % SLOTS].n * pixels_of (form);
    for (int64_t k = 0; k < form->batch; k++)
      window->stated[k] += window->counts[cloud % SLOTS][k] * pixels_of (form);
  }
  if (form->is_counted)
    job->item_points = window->stated;
  if (has_ranges (form) && i % 17 != 16)        /* now and then a job finds them itself */
    job->ranges = window->greatest;
  if (form->output == RC_VOXEL_RANK) {
    job->first_point = job->n_points - window->c.chunks[i % SLOTS].n * pixels_of (form);
    job->point_voxels = window->maps[i % 2];
    job->point_voxels_batch_stride = 8 * MAX_POINTS;
  }
  for (int slot = 0; slot < SLOTS; slot++)
    window->c.chunks[slot].counters = slot == i % SLOTS ? window->counters : NULL;
  window->c.out = window->outs[i % 2];
  memset (window->counters, 0, sizeof (RcVoxelCounters));
  memset (window->c.out.counters, 0, sizeof (RcVoxelCounters));
}

static void
find_addresses (Window *window)
{
  for (int p = 0; p < window->all.n; p++)
    voxels_find (&window->c, window->suite->arena, &window->all.placed[p]);
}

/* Of the newest cloud; the same on all places. */
static void
measure_cloud (Window *window, int i)
{
  double ranges[MAX_BATCH * MAX_FEATURES], *kept = window->ranges[i % SLOTS];

  for (int p = 0; p < window->all.n && has_ranges (window->form); p++) {
    const PlacedVoxels *placed = &window->all.placed[p];
    RcError error;

    memset (ranges, 0, sizeof (ranges));
    is_ok (rc_voxel_measure (placed->plan, &placed->chunks[i % SLOTS], ranges, placed->place->stream, &error), &error, window->test);
    test_expect (window->test, p == 0 || memcmp (kept, ranges, sizeof (ranges)) == 0, "other ranges on %s", placed->place->name);
    memcpy (kept, ranges, sizeof (ranges));
  }
}

/* ---- rounds ---- */

typedef RcStatus (*Phase) (RcVoxelPlan * plan, const RcVoxelJob * job, const RcVoxelChunk * chunk, RcStream stream,
    RcError * error);

/* Clouds first … end - 1: of each the first rows, then the others. */
static void
pass_clouds (const Window *window, const PlacedVoxels *placed, Phase phase, int first, int end)
{
  for (int i = first; i < end; i++) {
    const RcVoxelChunk *cloud = &placed->chunks[i % SLOTS];
    const int64_t cut = cloud->counts ? cloud->n : cloud->n * (i % 3) / 3;

    for (int part = 0; part < 2 && test_holds (window->test); part++) {
      const int64_t row = part ? cut : 0;
      RcVoxelChunk chunk = *cloud;
      RcError error;

      chunk.data = (const uint8_t *) cloud->data + row * cloud->stride;
      chunk.n = part ? cloud->n - cut : cut;
      chunk.first_row = window->form->input == DEPTH ? row : 0;
      if (part == 0 || chunk.n > 0)
        is_ok (phase (placed->plan, &placed->job, &chunk, placed->place->stream, &error), &error, window->test);
    }
  }
}

static void
run_round_at (const Window *window, const PlacedVoxels *placed, int i)
{
  const int goes_on = placed->job.is_incremental, first = goes_on || i == 0 ? i : window->first;
  const RcStream stream = placed->place->stream;
  RcError error;

  is_ok (rc_voxel_begin (placed->plan, &placed->job, stream, &error), &error, window->test);
  pass_clouds (window, placed, rc_voxel_range, first, i + 1);
  pass_clouds (window, placed, rc_voxel_add, first, i + 1);
  if (goes_on)
    pass_clouds (window, placed, rc_voxel_remove, window->gone, window->first);
  if (test_holds (window->test))
    is_ok (rc_voxel_end (placed->plan, &placed->job, &placed->out, stream, &error), &error, window->test);
}

/* Items have points as chunks count them: so a job that is made anew has others from first_point on than one that goes on. */
static void
expect_map (const Window *window, int i)
{
  const Form *form = window->form;
  const RcVoxelJob *job = &window->c.job;

  for (int64_t k = 0; k < form->batch; k++) {
    const int64_t n = window->stated[k], newest = window->counts[i % SLOTS][k] * pixels_of (form);
    const int64_t first = job->is_incremental ? n - newest : job->first_point;

    for (int64_t at = 0; at < job->n_points - job->first_point; at++)
      job->point_voxels[k * MAX_POINTS + at] = first + at < n ? window->map[k * WINDOW * MAX_POINTS + first + at] : RC_VOXEL_OUTSIDE;
  }
}

/* The reference makes the grid of all clouds anew, in the arena. */
static void
expect_round (const Window *window, int i)
{
  VoxelCase anew = window->c;

  anew.spec.accumulates = 0;
  anew.job = (RcVoxelJob) {.n_points = window->c.job.n_points,.item_points = window->c.job.item_points };
  if (window->form->output == RC_VOXEL_RANK) {
    anew.job.point_voxels = window->map;
    anew.job.point_voxels_batch_stride = 8 * WINDOW * MAX_POINTS;
  }
  for (anew.n_chunks = 0; anew.n_chunks <= i - window->first; anew.n_chunks++) {
    anew.chunks[anew.n_chunks] = window->c.chunks[(window->first + anew.n_chunks) % SLOTS];
    anew.range_order[anew.n_chunks] = anew.add_order[anew.n_chunks] = anew.n_chunks;
  }
  anew.out.is_known = 0;
  voxel_case_expect (&anew, window->suite, 0, window->test);
  if (window->form->output == RC_VOXEL_RANK && test_holds (window->test))
    expect_map (window, i);
}

static void
run_round (Window *window, int i)
{
  RcVoxelJob *job = &window->c.job;
  char text[32];

  snprintf (text, sizeof (text), "cloud %d", i);
  window->c.out.is_known = i > 1 && window->c.out.occupied != NULL;
  job->is_clean = i > 0 && i % 2 && !window->gave_up;
  job->is_incremental = i % 29 != 28;
  for (int p = 0; p < window->all.n; p++)
    job->is_incremental &= rc_voxel_can_be_incremental (window->all.placed[p].plan, &window->all.placed[p].job);
  job->first_added = job->is_incremental ? job->first_point : 0;
  window->went_on += job->is_incremental;
  find_addresses (window);
  for (int p = 0; p < window->all.n && test_holds (window->test); p++)
    run_round_at (window, &window->all.placed[p], i);
  expect_round (window, i);
  for (int p = 0; p < window->all.n && test_holds (window->test); p++)
    arena_compare (window->suite->arena, window->all.placed[p].place, text, window->test);
}

/* The window slides, and now and then loses more than its oldest cloud. */
static void
slide (Window *window, int i)
{
  const int length = i % 20 == 13 ? 1 : WINDOW;

  window->gone = window->first;
  if (window->first < i - length + 1)
    window->first = i - length + 1;
}

/* A job that begins and does not end. */
static void
give_up (const Window *window)
{
  for (int p = 0; p < window->all.n; p++) {
    const PlacedVoxels *placed = &window->all.placed[p];
    RcError error;

    is_ok (rc_voxel_begin (placed->plan, &placed->job, placed->place->stream, &error), &error, window->test);
    test_expect (window->test, !rc_voxel_can_be_incremental (placed->plan, &placed->job), "it goes on from a job that was given up");
  }
}

static void
run_rounds (Window *window, int rounds)
{
  /* of means fewer go on, since scales change with the clouds, and none where the host does not know N */
  const int has_sums = window->form->mode == RC_VOXEL_MEAN || window->form->mode == RC_VOXEL_CENTROID;
  const int least = !has_sums ? rounds / 4 : window->form->is_counted ? 0 : rounds / 12;

  for (int i = 0; i < rounds && test_holds (window->test); i++) {
    make_cloud (window, i);
    slide (window, i);
    set_job (window, i);
    find_addresses (window);
    if (!voxel_case_upload (&window->c, window->suite, &window->all, window->test))
      return;
    measure_cloud (window, i);
    set_job (window, i);        /* with the ranges */
    find_addresses (window);
    window->gave_up = i % 37 == 36;
    if (window->gave_up)
      give_up (window);
    run_round (window, i);
  }
  test_expect (window->test, window->went_on >= least && (window->went_on == 0 || least > 0), "%d of %d went on", window->went_on,
      rounds);
}

static int
open_window (Window *window)
{
  const Form *form = window->form;
  Arena *arena = window->suite->arena;
  VoxelCase *c = &window->c;

  arena_clear (arena);
  c->n_chunks = SLOTS;
  for (int slot = 0; slot < SLOTS; slot++) {
    window->counts[slot] = arena_take (arena, "counts", MAX_BATCH * 8, 0);
    c->chunks[slot] = (RcVoxelChunk) {.data = arena_take (arena, "points", form->batch * MAX_POINTS * point_bytes (form), 0),
      .stride = point_bytes (form) * pixels_of (form),.counts = form->is_counted ? window->counts[slot] : NULL,.layer = slot
    };
  }
  window->stated = arena_take (arena, "item_points", MAX_BATCH * 8, 0);
  window->counters = arena_take (arena, "counters of add", sizeof (RcVoxelCounters), 0);
  window->map = calloc ((size_t) (form->batch * WINDOW * MAX_POINTS), sizeof (int64_t));
  for (int k = 0; k < 2; k++) {
    c->job = (RcVoxelJob) {.n_points = MAX_POINTS };
    if (!voxel_case_take_outputs (c, window->suite, 1, window->test))
      return 0;
    window->outs[k] = c->out;
    window->maps[k] = c->job.point_voxels;
  }
  c->job = (RcVoxelJob) {.n_points = WINDOW * MAX_POINTS };
  for (; window->all.n < window->suite->n_places; window->all.n++) {
    PlacedVoxels *placed = &window->all.placed[window->all.n];

    if (!voxels_place (c, arena, &window->suite->places[window->all.n], placed, window->test))
      return 0;
    test_expect (window->test, rc_voxel_accumulates (placed->plan), "does not keep on %s", placed->place->name);
  }
  return test_holds (window->test);
}

static void
check_form (Suite *suite, const Form *form, size_t f, const int64_t *grid)
{
  Test test = test_begin ("voxelwindow_%zu_%" PRId64, f, grid[0]);
  Window window = {.suite = suite,.form = form,.test = &test,.random = suite->seed + f,.c.spec = spec_of (form, grid) };

  if (open_window (&window))
    run_rounds (&window, suite_fewer (suite, ROUNDS));
  voxel_case_leave (&window.all, &test);
  free (window.map);
  suite->cases++;
  suite_end (suite, &test);
}

static void
check_windows (Suite *suite)
{
  for (size_t f = 0; f < COUNT (forms); f++) {
    for (size_t g = 0; g < COUNT (grids); g++)
      check_form (suite, &forms[f], f, grids[g]);
    if (suite->is_gpu && !suite->few && forms[f].output == RC_VOXEL_RANK && forms[f].batch == 1)
      check_form (suite, &forms[f], f, large_grid);
  }
}

int
main (int argc, char **argv)
{
  static const Section sections[] = { {"all", check_windows} };

  return suite_main ("voxel-window", argc, argv, sections, 1, 20260501, ARENA_BYTES);
}
