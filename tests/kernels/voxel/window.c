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

#include "kernels/voxel.h"
#include "tests/kernels/numbers.h"
#include "tests/kernels/random.h"
#include "tests/kernels/suite.h"

#define WINDOW 4                /* clouds */
#define SLOTS (WINDOW + 1)      /* the one that leaves, too */
#define ROUNDS 120
#define MAX_POINTS 3000        /* of an item of a cloud; all rows of an image have as many */
#define WIDTH 60
#define HEIGHT (MAX_POINTS / WIDTH)
#define MAX_BATCH 5
#define MAX_FEATURES 5
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

static int
is_extreme (const Form *form)
{
  return form->mode == RC_VOXEL_MAX || form->mode == RC_VOXEL_MIN;
}

static const RcDtype packed_dtypes[] = { RC_FLOAT16, RC_FLOAT32, RC_FLOAT64, RC_FLOAT32, RC_FLOAT32 };

static int64_t
point_bytes (const Form *form)
{
  if (form->input == DEPTH)
    return 2;
  return form->input == LAYOUT ? 29 : (3 + form->features) * (int64_t) rc_dtype_size (packed_dtypes[form->input]);
}

static void
put_number (const Form *form, uint8_t *point, int64_t field, float x)
{
  const RcDtype dtype = form->input == LAYOUT ? fields[field].dtype : packed_dtypes[form->input];

  oracle_put (dtype, point + (form->input == LAYOUT ? fields[field].offset : field * (int64_t) rc_dtype_size (dtype)), (double) x);
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
  int64_t field;

  if (form->input == DEPTH)
    memcpy (point, &depth, 2);
  for (field = 0; field < (form->input == DEPTH ? 0 : 3 + form->features); field++) {
    const float most = field < 3 ? (float) grid[field] : most_feature;
    float x = (float) random_real (random, field < 3 ? -0.1 * (double) most : -(double) most, 1.1 * (double) most);

    if (below (random, 2) == 0 && field < 3)
      x = fminf (x, 4.5f);
    if (field >= 3 && is_extreme (form) && below (random, 3) == 0)
      x = rintf (x);            /* several clouds have it */
    if (below (random, 60) == 0)
      x = specials[below (random, field >= 3 && has_ranges (form) ? 4 : 5)];
    put_number (form, point, field, x);
  }
}

/* ---- memory ---- */

/* The same bytes on the host and where a backend computes. */
typedef struct
{
  const Place *place;
  uint8_t *host, *there;
  uint64_t bytes;
} Block;

static void
init_block (Block *block, const Place *place, uint64_t bytes, Test *test)
{
  *block = (Block) { place, calloc (1, bytes + 1), place_alloc (place, bytes + 1), bytes };
  test_expect (test, block->host != NULL && block->there != NULL, "no memory");
}

static void
clear_block (Block *block)
{
  if (block->there != NULL)
    place_free (block->place, block->there);
  free (block->host);
}

static void
bring_there (const Block *block, Test *test)
{
  place_copy (block->place, block->there, block->host, block->bytes, test);
}

static void
bring_back (const Block *block, Test *test)
{
  place_copy (block->place, block->host, block->there, block->bytes, test);
}

/* ---- a grid ---- */

/* Counters, numbers of voxels, coordinates, grid or values, bitmap, map of points. */
#define PARTS 6
typedef struct
{
  Block block;
  uint64_t at[PARTS + 1], bytes[PARTS];
} Output;

static void
init_output (Output *output, const Place *place, const RcVoxelPlan *plan, int64_t batch, Test *test)
{
  const uint64_t bytes[PARTS] = { sizeof (RcVoxelCounters), 4, 12 * MAX_VOXELS, (uint64_t) rc_voxel_value_bytes (plan),
    (uint64_t) rc_voxel_bitmap_bytes (plan), 8 * MAX_POINTS
  };
  int part;

  output->at[0] = 0;
  for (part = 0; part < PARTS; part++) {
    output->bytes[part] = bytes[part] * (part > 0 ? (uint64_t) batch : 1);
    output->at[part + 1] = output->at[part] + (output->bytes[part] + 255) / 256 * 256;
  }
  init_block (&output->block, place, output->at[PARTS], test);
  if (output->block.host != NULL)
    memset (output->block.host, 0xA5, output->at[PARTS]);   /* of what is written every byte is */
  bring_there (&output->block, test);
}

static RcVoxelOut
out_of (const Output *output, const RcVoxelPlan *plan)
{
  uint8_t *there = output->block.there;

  return (RcVoxelOut) {.counters = (RcVoxelCounters *) there,.n_voxels = (uint32_t *) (there + output->at[1]),
    .n_voxels_batch_stride = 4,.coordinates = (int32_t *) (there + output->at[2]),
    .coordinates_batch_stride = 12 * MAX_VOXELS,.grid = there + output->at[3],
    .grid_batch_stride = rc_voxel_value_bytes (plan),.values = there + output->at[3],
    .values_batch_stride = rc_voxel_value_bytes (plan),.occupied = (uint32_t *) (there + output->at[4]),
    .occupied_batch_stride = rc_voxel_bitmap_bytes (plan)
  };
}

static RcVoxelSpec
spec_of (const Form *form, const int64_t *grid)
{
  RcVoxelSpec spec = {.source = form->input == DEPTH ? RC_VOXEL_DEPTH : RC_VOXEL_POINTS,
    .points = {packed_dtypes[form->input], 3 + form->features, 3, form->features, form->input == LAYOUT ? fields : NULL},
    .depth = {WIDTH, HEIGHT, 20.0, 20.0, 3.0, 2.0, 0.002},.mode = form->mode,.output = form->output,.dtype = form->dtype,
    .max_voxels = MAX_VOXELS,.feature_range = form->feature_range,.batch = form->batch
  };
  int axis;

  for (axis = 0; axis < 3; axis++) {
    spec.voxel_size[axis] = 1.0;
    spec.grid[axis] = grid[axis];
  }
  return spec;
}

/* ---- a window ---- */

typedef struct
{
  const Suite *suite;
  const Place *place;
  const Form *form;
  Test *test;
  RcVoxelSpec spec;
  uint64_t random;
  int first, gone;              /* clouds: the oldest of the window, and of the one before */
  RcVoxelPlan *plan;
  Scratch scratch;
  Block clouds[SLOTS];          /* cloud i in slot i % SLOTS: points of all items, then the counts of items */
  int64_t rows[SLOTS];          /* of an item: points, or lines of an image */
  double ranges[SLOTS][MAX_BATCH * MAX_FEATURES];     /* of each item's features, as they were measured */
  double greatest[MAX_BATCH * MAX_FEATURES];  /* of all clouds of the window */
  Block stated;                 /* N of each item */
  Output outputs[2];            /* written by turns */
  int64_t *map;                 /* [batch, WINDOW * MAX_POINTS] of all points, as the CPU makes it */
  int went_on, gave_up;
} Window;

static int64_t
row_bytes (const Form *form)
{
  return point_bytes (form) * (form->input == DEPTH ? WIDTH : 1);
}

static uint64_t
counts_at (const Form *form)
{
  return (uint64_t) (form->batch * MAX_POINTS * point_bytes (form) + 7) / 8 * 8;
}

static void
make_cloud (Window *window, int i)
{
  static const int64_t sizes[] = { 0, 1, 700, 1000, 1010, 1030, 2999, MAX_POINTS };
  uint64_t *random = &window->random;
  const Form *form = window->form;
  const float most_feature = below (random, 8) == 0 ? 17.0f : 3.0f;
  Block *cloud = &window->clouds[i % SLOTS];
  int64_t *counts = (int64_t *) (cloud->host + counts_at (form)), n, k;

  n = form->input == DEPTH ? below (random, HEIGHT + 1) : sizes[below (random, 8)];
  window->rows[i % SLOTS] = n;
  for (k = 0; k < form->batch; k++)
    counts[k] = form->is_counted ? below (random, n + 1) : n;
  for (k = 0; k < n * (form->input == DEPTH ? WIDTH : 1) * form->batch; k++)
    put_point (random, form, window->spec.grid, most_feature, cloud->host + k * point_bytes (form));
  bring_there (cloud, window->test);
}

static RcVoxelChunk
whole_cloud (const Window *window, int i, const uint8_t *data)
{
  const Form *form = window->form;
  const int64_t n = window->rows[i % SLOTS];

  return (RcVoxelChunk) {.data = data,.n = n,.stride = row_bytes (form),.batch_stride = n * row_bytes (form),
    .counts = form->is_counted ? (const int64_t *) (data + counts_at (form)) : NULL,.layer = i % SLOTS
  };
}

static void
measure_cloud (Window *window, int i)
{
  const RcVoxelChunk chunk = whole_cloud (window, i, window->clouds[i % SLOTS].there);
  double *ranges = window->ranges[i % SLOTS];
  RcError error;

  memset (ranges, 0, sizeof (window->ranges[0]));
  if (has_ranges (window->form))
    is_ok (rc_voxel_measure (window->plan, &chunk, ranges, window->place->stream, &error), &error, window->test);
}

typedef RcStatus (*Phase) (RcVoxelPlan * plan, const RcVoxelJob * job, const RcVoxelChunk * chunk, RcStream stream,
    RcError * error);

/* Cloud i, of which the first rows, then the others. */
static void
take_cloud (const Window *window, RcVoxelPlan *plan, const RcVoxelJob *job, Phase phase, int i, int on_host,
    RcVoxelCounters *counters)
{
  const Form *form = window->form;
  const Block *cloud = &window->clouds[i % SLOTS];
  const uint8_t *data = on_host ? cloud->host : cloud->there;
  const int64_t n = window->rows[i % SLOTS], cut = form->is_counted || on_host ? n : n * (i % 3) / 3;
  int part;

  for (part = 0; part < 2 && test_holds (window->test); part++) {
    const int64_t first = part ? cut : 0, end = part ? n : cut;
    RcVoxelChunk chunk = whole_cloud (window, i, data);
    RcError error;

    chunk.data = data + first * row_bytes (form);
    chunk.n = end - first;
    chunk.first_row = form->input == DEPTH ? first : 0;
    chunk.counters = counters;
    if (part == 0 || end > first)
      is_ok (phase (plan, job, &chunk, on_host ? NULL : window->place->stream, &error), &error, window->test);
  }
}

/* Of the window whose newest cloud is i. */
static RcVoxelJob
job_of (Window *window, int i)
{
  const Form *form = window->form;
  int64_t *stated = (int64_t *) window->stated.host, k;
  RcVoxelJob job = {.scratch = window->scratch.memory };
  int cloud;

  memset (stated, 0, window->stated.bytes);
  memset (window->greatest, 0, sizeof (window->greatest));
  for (cloud = window->first; cloud <= i; cloud++) {
    for (k = 0; k < MAX_BATCH * MAX_FEATURES; k++)
      window->greatest[k] = fmax (window->greatest[k], window->ranges[cloud % SLOTS][k]);
    job.n_points += window->rows[cloud % SLOTS] * (form->input == DEPTH ? WIDTH : 1);
    for (k = 0; k < form->batch; k++)
      stated[k] += ((const int64_t *) (window->clouds[cloud % SLOTS].host + counts_at (form)))[k]
          * (form->input == DEPTH ? WIDTH : 1);
  }
  bring_there (&window->stated, window->test);
  if (form->is_counted)
    job.item_points = (const int64_t *) window->stated.there;
  if (has_ranges (form) && i % 17 != 16)        /* now and then a job finds them itself */
    job.ranges = window->greatest;
  return job;
}

static int
has_map (const Window *window)
{
  return window->form->output == RC_VOXEL_RANK;
}

/* Of the newest cloud, which a job that goes on adds alone. */
static void
set_map (const Window *window, int i, const Output *output, RcVoxelJob *job)
{
  if (!has_map (window))
    return;
  job->first_point = job->n_points - window->rows[i % SLOTS] * (window->form->input == DEPTH ? WIDTH : 1);
  job->first_added = job->is_incremental ? job->first_point : 0;
  job->point_voxels = (int64_t *) (output->block.there + output->at[PARTS - 1]);
  job->point_voxels_batch_stride = 8 * MAX_POINTS;
}

/* Items have points as chunks count them: so a job that is made anew has others from first_point on than one that goes on. */
static void
compare_maps (const Window *window, int i, const RcVoxelJob *job, const Output *got)
{
  const Form *form = window->form;
  const int64_t *counts = (const int64_t *) (window->clouds[i % SLOTS].host + counts_at (form));
  int64_t k, at;

  for (k = 0; k < form->batch; k++) {
    const int64_t *map = (const int64_t *) (got->block.host + got->at[PARTS - 1]) + k * MAX_POINTS;
    const int64_t n = ((const int64_t *) window->stated.host)[k];
    const int64_t first = job->is_incremental ? n - counts[k] * (form->input == DEPTH ? WIDTH : 1) : job->first_point;

    for (at = 0; at < job->n_points - job->first_point && test_holds (window->test); at++) {
      const int64_t wanted = first + at < n ? window->map[k * WINDOW * MAX_POINTS + first + at] : RC_VOXEL_OUTSIDE;

      if (map[at] != wanted)
        test_fail (window->test, "cloud %d: item %" PRId64 ": point %" PRId64 " of the map is %" PRId64 ", not %" PRId64, i, k, at,
            map[at], wanted);
    }
  }
}

/* The reference makes the grid of all clouds. */
static void
make_anew (Window *window, int i, const RcVoxelJob *there, Output *output)
{
  RcVoxelSpec spec = window->spec;
  RcVoxelJob job = *there;
  RcFootprint footprint;
  RcVoxelPlan *plan = NULL;
  RcVoxelOut out;
  RcError error;
  int cloud;

  spec.accumulates = 0;
  job.is_incremental = job.is_clean = 0;
  job.ranges = NULL;
  job.first_point = job.first_added = 0;
  job.point_voxels = window->map;
  job.point_voxels_batch_stride = 8 * WINDOW * MAX_POINTS;
  job.item_points = there->item_points ? (const int64_t *) window->stated.host : NULL;
  if (!is_ok (rc_voxel_plan (window->suite->reference.backend, &spec, &plan, &footprint, &error), &error, window->test))
    return;
  init_output (output, &window->suite->reference, plan, spec.batch, window->test);
  job.scratch = aligned_alloc (256, (footprint.scratch_bytes + footprint.scratch_bytes_per_point * (uint64_t) job.n_points
          + 256) / 256 * 256);
  memset (output->block.there, 0, output->block.bytes);
  is_ok (rc_voxel_begin (plan, &job, NULL, &error), &error, window->test);
  for (cloud = window->first; cloud <= i; cloud++)
    take_cloud (window, plan, &job, rc_voxel_range, cloud, 1, NULL);
  for (cloud = window->first; cloud <= i; cloud++)
    take_cloud (window, plan, &job, rc_voxel_add, cloud, 1, cloud == i ? (RcVoxelCounters *) output->block.there : NULL);
  out = out_of (output, plan);
  out.occupied = NULL;
  if (test_holds (window->test))
    is_ok (rc_voxel_end (plan, &job, &out, NULL, &error), &error, window->test);
  bring_back (&output->block, window->test);
  free (job.scratch);
  rc_voxel_plan_free (plan);
}

static void
compare (const Window *window, int i, const Output *got, const Output *wanted)
{
  static const char *const parts[] = { "counters", "numbers of voxels", "coordinates", "values" };
  const int is_sparse = window->form->output == RC_VOXEL_SPARSE;
  int part;

  for (part = 0; part < 4; part++) {
    const uint8_t *a = got->block.host + got->at[part], *b = wanted->block.host + wanted->at[part];
    uint64_t k = 0;

    while (k < wanted->bytes[part] && a[k] == b[k])
      k++;
    if (k < wanted->bytes[part] && (is_sparse || part == 0 || part == 3))
      test_fail (window->test, "cloud %d: byte %" PRIu64 " of %" PRIu64 " of the %s is %u, not %u", i, k, wanted->bytes[part],
          parts[part], a[k], b[k]);
  }
}

static void
run_round (Window *window, int i)
{
  Output *output = &window->outputs[i % 2], wanted = { { NULL } };
  RcVoxelJob job = job_of (window, i);
  RcVoxelOut out = out_of (output, window->plan);
  RcError error;
  int first, cloud;

  job.is_incremental = i % 29 != 28 && rc_voxel_can_be_incremental (window->plan, &job);
  job.is_clean = i > 0 && i % 2 && !window->gave_up;
  set_map (window, i, output, &job);
  out.is_known = i > 1 && out.occupied_batch_stride > 0;
  first = job.is_incremental || i == 0 ? i : window->first;
  is_ok (rc_memory_clear (window->place->backend, out.counters, sizeof (RcVoxelCounters), window->place->stream, &error), &error,
      window->test);
  is_ok (rc_voxel_begin (window->plan, &job, window->place->stream, &error), &error, window->test);
  for (cloud = first; cloud <= i; cloud++)
    take_cloud (window, window->plan, &job, rc_voxel_range, cloud, 0, NULL);
  for (cloud = first; cloud <= i; cloud++)
    take_cloud (window, window->plan, &job, rc_voxel_add, cloud, 0, cloud == i ? out.counters : NULL);
  for (cloud = window->gone; job.is_incremental && cloud < window->first; cloud++)
    take_cloud (window, window->plan, &job, rc_voxel_remove, cloud, 0, NULL);
  if (test_holds (window->test))
    is_ok (rc_voxel_end (window->plan, &job, &out, window->place->stream, &error), &error, window->test);
  bring_back (&output->block, window->test);
  make_anew (window, i, &job, &wanted);
  if (test_holds (window->test))
    compare (window, i, output, &wanted);
  if (test_holds (window->test) && has_map (window))
    compare_maps (window, i, &job, output);
  clear_block (&wanted.block);
  window->went_on += job.is_incremental;
}

/* At least; of means fewer, since scales change with the clouds, and none where the host does not know N. */
static int
rounds_that_go_on (const Form *form, int rounds)
{
  if (form->mode != RC_VOXEL_MEAN && form->mode != RC_VOXEL_CENTROID)
    return rounds / 4;
  return form->is_counted ? 0 : rounds / 12;
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
give_up (Window *window, int i)
{
  RcVoxelJob job = job_of (window, i);
  RcError error;

  set_map (window, i, &window->outputs[0], &job);
  is_ok (rc_voxel_begin (window->plan, &job, window->place->stream, &error), &error, window->test);
  test_expect (window->test, !rc_voxel_can_be_incremental (window->plan, &job), "it goes on from a job that was given up");
}

static void
run_rounds (Window *window, int rounds)
{
  int i;

  for (i = 0; i < rounds && test_holds (window->test); i++) {
    make_cloud (window, i);
    measure_cloud (window, i);
    slide (window, i);
    window->gave_up = i % 37 == 36;
    if (window->gave_up)
      give_up (window, i);
    run_round (window, i);
  }
  test_expect (window->test, window->went_on >= rounds_that_go_on (window->form, rounds)
      && (window->went_on == 0 || rounds_that_go_on (window->form, rounds) > 0), "%d of %d went on", window->went_on, rounds);
}

static int
window_init (Window *window)
{
  const Place *place = window->place;
  Test *test = window->test;
  RcFootprint footprint;
  RcError error;
  int i;

  window->spec.accumulates = SLOTS;
  window->map = calloc ((size_t) (window->spec.batch * WINDOW * MAX_POINTS), sizeof (int64_t));
  test_expect (test, window->map != NULL, "no memory");
  if (!is_ok (rc_voxel_plan (place->backend, &window->spec, &window->plan, &footprint, &error), &error, test))
    return 0;
  window->scratch = scratch_new (place, &footprint, WINDOW * MAX_POINTS, test);
  test_expect (test, rc_voxel_accumulates (window->plan), "does not keep");
  for (i = 0; i < SLOTS; i++)
    init_block (&window->clouds[i], place, counts_at (window->form) + 8 * MAX_BATCH, test);
  init_block (&window->stated, place, 8 * MAX_BATCH, test);
  for (i = 0; i < 2; i++)
    init_output (&window->outputs[i], place, window->plan, window->spec.batch, test);
  return test_holds (test);
}

static void
window_clear (Window *window)
{
  int i;

  rc_voxel_plan_free (window->plan);
  scratch_free (window->place, &window->scratch, window->test);
  for (i = 0; i < SLOTS; i++)
    clear_block (&window->clouds[i]);
  clear_block (&window->stated);
  clear_block (&window->outputs[0].block);
  clear_block (&window->outputs[1].block);
  free (window->map);
}

static void
check_form (Suite *suite, const Form *form, size_t f, const int64_t *grid)
{
  Test test = test_begin ("voxelwindow_%zu_%" PRId64, f, grid[0]);
  int p;

  for (p = 0; p < suite->n_places && test_holds (&test); p++) {
    Window window = {.suite = suite,.place = &suite->places[p],.form = form,.test = &test,.spec = spec_of (form, grid),
      .random = suite->seed + f
    };

    if (window_init (&window))
      run_rounds (&window, suite_fewer (suite, ROUNDS));
    window_clear (&window);
    suite->cases++;
  }
  suite_end (suite, &test);
}

static void
check_windows (Suite *suite)
{
  size_t f, g;

  for (f = 0; f < COUNT (forms); f++) {
    for (g = 0; g < COUNT (grids); g++)
      check_form (suite, &forms[f], f, grids[g]);
    if (suite->is_gpu && !suite->few && forms[f].output == RC_VOXEL_RANK && forms[f].batch == 1)
      check_form (suite, &forms[f], f, large_grid);
  }
}

int
main (int argc, char **argv)
{
  static const Section sections[] = { {"all", check_windows} };

  return suite_main ("voxel-window", argc, argv, sections, 1, 20260501, 1 << 20);
}
