/* robocache: grids of a window of clouds that slides are what they are when they are made anew of all its clouds
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernels/voxel.h"
#include "kernels/voxel_arithmetic.h"

#include <gst/check/gstcheck.h>

#include <math.h>
#include <string.h>

#include "job.h"
#include "oracle.h"

#define BATCH 2
#define ROUNDS 150
#define MAX_CLOUDS 6
#define MAX_HELD (MAX_CLOUDS + 1)
#define MAX_CLOUD_POINTS 600
#define MAX_POINTS (MAX_HELD * MAX_CLOUD_POINTS)

typedef enum
{
  FULL,                         /* every item has all points of a chunk */
  COUNTED                       /* and not: chunks have counts, and jobs item_points */
} Filling;

typedef struct
{
  RcVoxelMode mode;
  RcVoxelOutput output;
  RcDtype dtype;
  double feature_range;
  RcDtype points;
  RcVoxelSource source;
  Filling filling;
} Kind;

static const Kind kinds[] = {
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_UINT8, 0, RC_FLOAT32},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_FLOAT16, 0, RC_FLOAT16},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, RC_UINT8, 0, RC_FLOAT32},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_SPARSE, RC_UINT8, 0, RC_FLOAT64},
  {RC_VOXEL_COUNT, RC_VOXEL_DENSE, RC_UINT8, 0, RC_FLOAT32},
  {RC_VOXEL_COUNT, RC_VOXEL_DENSE, RC_FLOAT32, 0, RC_FLOAT32},
  {RC_VOXEL_COUNT, RC_VOXEL_SPARSE, RC_UINT32, 0, RC_FLOAT32},
  {RC_VOXEL_MEAN, RC_VOXEL_DENSE, RC_FLOAT32, 0, RC_FLOAT32},
  {RC_VOXEL_MEAN, RC_VOXEL_DENSE, RC_FLOAT16, 0, RC_FLOAT64},
  {RC_VOXEL_MEAN, RC_VOXEL_DENSE, RC_FLOAT32, 200.0, RC_FLOAT32},
  {RC_VOXEL_MEAN, RC_VOXEL_SPARSE, RC_FLOAT32, 0, RC_FLOAT32},
  {RC_VOXEL_MEAN, RC_VOXEL_SPARSE, RC_FLOAT16, 3e4, RC_FLOAT16},
  {RC_VOXEL_CENTROID, RC_VOXEL_DENSE, RC_FLOAT32, 0, RC_FLOAT32},
  {RC_VOXEL_CENTROID, RC_VOXEL_SPARSE, RC_FLOAT16, 0, RC_FLOAT64},
  {RC_VOXEL_MAX, RC_VOXEL_DENSE, RC_FLOAT32, 0, RC_FLOAT32},
  {RC_VOXEL_MIN, RC_VOXEL_DENSE, RC_FLOAT16, 0, RC_FLOAT64},
  {RC_VOXEL_MAX, RC_VOXEL_SPARSE, RC_FLOAT16, 0, RC_FLOAT16},
  {RC_VOXEL_MIN, RC_VOXEL_SPARSE, RC_FLOAT32, 0, RC_FLOAT32},
  {RC_VOXEL_COUNT, RC_VOXEL_DENSE, RC_UINT32, 0, RC_FLOAT32, RC_VOXEL_DEPTH},
  {RC_VOXEL_CENTROID, RC_VOXEL_SPARSE, RC_FLOAT32, 0, RC_FLOAT32, RC_VOXEL_DEPTH},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, RC_UINT8, 0, RC_FLOAT32, RC_VOXEL_POINTS, COUNTED},
  {RC_VOXEL_COUNT, RC_VOXEL_SPARSE, RC_FLOAT16, 0, RC_FLOAT32, RC_VOXEL_POINTS, COUNTED},
  {RC_VOXEL_MEAN, RC_VOXEL_DENSE, RC_FLOAT32, 0, RC_FLOAT32, RC_VOXEL_POINTS, COUNTED},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_UINT8, 0, RC_FLOAT32},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_UINT8, 0, RC_FLOAT32, RC_VOXEL_DEPTH},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_UINT8, 0, RC_FLOAT64, RC_VOXEL_POINTS, COUNTED},
  {RC_VOXEL_MIN, RC_VOXEL_DENSE, RC_FLOAT32, 0, RC_FLOAT32, RC_VOXEL_POINTS, COUNTED},
  {RC_VOXEL_MAX, RC_VOXEL_SPARSE, RC_FLOAT32, 0, RC_FLOAT32, RC_VOXEL_POINTS, COUNTED},
};

static const int64_t grids[][3] = { {37, 11, 5}, {32, 8, 6}, {1, 1, 1}, {33, 1, 1} };

static RcVoxelSpec
spec_of (const Kind *kind, const int64_t grid[3])
{
  RcVoxelSpec spec = some_spec ();

  spec.source = kind->source;
  spec.mode = kind->mode;
  spec.output = kind->output;
  spec.dtype = kind->dtype;
  spec.feature_range = kind->feature_range;
  spec.points.dtype = kind->points;
  spec.depth.height = 8;
  spec.max_voxels = 70;
  spec.batch = BATCH;
  memcpy (spec.grid, grid, sizeof (spec.grid));
  return spec;
}

/* ---- clouds ---- */

typedef struct
{
  int64_t rows, points;         /* of each item, as chunks count them and as jobs do */
  int64_t layer;
  int64_t row_bytes;
  char *data;
  int64_t counts[BATCH];
  double ranges[BATCH * 2];     /* as they were measured, of both features */
} Cloud;

static void
cloud_free (gpointer data)
{
  g_free (((Cloud *) data)->data);
  g_free (data);
}

/* Ranges change when what is largest comes and goes. */
static void
scale_features (const RcVoxelSpec *spec, float *points, int64_t n, float scale)
{
  for (int64_t i = 0; i < n; i++) {
    for (int64_t c = 4; c < 6 && spec->points.dtype == RC_FLOAT32; c++)
      points[6 * i + c] *= scale;
  }
}

/* Values that several clouds have in a voxel, the greatest and the least among them. */
static void
repeat_features (GRand *rand, const RcVoxelSpec *spec, void *points, int64_t n)
{
  static const double values[] = { 0.0, -0.0, 1.0, -1.0, 2000.0, INFINITY, -INFINITY, NAN };

  for (int64_t i = 0; i < n * spec->points.fields; i++) {
    if (i % spec->points.fields >= 4 && g_rand_int_range (rand, 0, 3) == 0)
      oracle_store (points, i, spec->points.dtype, values[g_rand_int_range (rand, 0, g_rand_int_range (rand, 1, 9))]);
  }
}

static void
fill_cloud (GRand *rand, const RcVoxelSpec *spec, Cloud *cloud)
{
  const int64_t item_bytes = cloud->rows * cloud->row_bytes;
  const float scale = g_rand_int_range (rand, 0, 6) == 0 ? 8.0f : 1.0f;

  for (int64_t b = 0; b < BATCH; b++) {
    uint16_t *pixels = (uint16_t *) (cloud->data + b * item_bytes);
    void *data;

    cloud->counts[b] = g_rand_int_range (rand, 0, (gint32) cloud->rows + 1);
    for (int64_t i = 0; spec->source == RC_VOXEL_DEPTH && i < cloud->points; i++)
      pixels[i] = (uint16_t) g_rand_int_range (rand, 0, 5000);
    if (spec->source == RC_VOXEL_DEPTH)
      continue;
    g_free (random_cloud (rand, spec, cloud->points, TRUE, &data).values);
    scale_features (spec, data, cloud->points, scale);
    if (spec->mode == RC_VOXEL_MAX || spec->mode == RC_VOXEL_MIN)
      repeat_features (rand, spec, data, cloud->points);
    memcpy (cloud->data + b * item_bytes, data, (gsize) item_bytes);
    g_free (data);
  }
}

static Cloud *
new_cloud (GRand *rand, const RcVoxelSpec *spec)
{
  static const int64_t sizes[] = { 0, 1, 40, 250, 260, 270, 300, MAX_CLOUD_POINTS };
  const gboolean depth = spec->source == RC_VOXEL_DEPTH;
  Cloud *cloud = g_new0 (Cloud, 1);

  cloud->rows = depth ? g_rand_int_range (rand, 0, 9) : sizes[g_rand_int_range (rand, 0, G_N_ELEMENTS (sizes))];
  cloud->points = depth ? cloud->rows * spec->depth.width : cloud->rows;
  cloud->row_bytes = depth ? 2 * spec->depth.width : point_bytes (spec);
  cloud->data = g_malloc ((gsize) (BATCH * cloud->rows * cloud->row_bytes + 1));
  fill_cloud (rand, spec, cloud);
  return cloud;
}

/* Rows first … end - 1 of it. */
static RcVoxelChunk
chunk_of (const Cloud *cloud, Filling filling, int64_t first, int64_t end)
{
  return (RcVoxelChunk) {.data = cloud->data + first * cloud->row_bytes,.n = end - first,.stride = cloud->row_bytes,
    .batch_stride = cloud->rows * cloud->row_bytes,.counts = filling == COUNTED ? cloud->counts : NULL,.layer = cloud->layer
  };
}

/* ---- grids ---- */

typedef struct
{
  RcVoxelOut out;
  RcVoxelCounters counters;
  uint32_t n_voxels[BATCH];
  gsize value_bytes, bitmap_bytes;      /* of all items */
  int64_t map[BATCH][MAX_POINTS];      /* rank */
} Grid;

static void
grid_init (Grid *grid, const RcVoxelPlan *plan, const RcVoxelSpec *spec)
{
  memset (grid, 0, sizeof (*grid));
  grid->value_bytes = (gsize) (BATCH * rc_voxel_value_bytes (plan));
  grid->bitmap_bytes = (gsize) (BATCH * rc_voxel_bitmap_bytes (plan));
  grid->out.grid = grid->out.values = g_malloc (grid->value_bytes + 1);
  grid->out.grid_batch_stride = grid->out.values_batch_stride = rc_voxel_value_bytes (plan);
  grid->out.n_voxels = grid->n_voxels;
  grid->out.n_voxels_batch_stride = sizeof (uint32_t);
  grid->out.coordinates = g_malloc ((gsize) (BATCH * spec->max_voxels * 12));
  grid->out.coordinates_batch_stride = spec->max_voxels * 12;
  grid->out.occupied = g_malloc (grid->bitmap_bytes + 1);
  grid->out.occupied_batch_stride = rc_voxel_bitmap_bytes (plan);
  memset (grid->out.grid, 0x5A, grid->value_bytes);
  memset (grid->out.coordinates, 0x5A, (gsize) (BATCH * spec->max_voxels * 12));
  memset (grid->out.occupied, 0x5A, grid->bitmap_bytes);
}

static void
grid_clear (Grid *grid)
{
  g_free (grid->out.grid);
  g_free (grid->out.coordinates);
  g_free (grid->out.occupied);
}

/* ---- a window, and the plan whose jobs go on ---- */

typedef struct
{
  RcVoxelSpec spec;
  Filling filling;
  RcBackend *backend;
  GRand *rand;
  RcVoxelPlan *plan;
  void *scratch;
  uint64_t scratch_bytes;
  Grid grids[2];                /* written by turns, where dense each known from when it was last written */
  GPtrArray *clouds, *leaving;  /* the oldest first */
  int64_t stated[BATCH];        /* N of each item */
  int64_t first_wanted;         /* rank: the first point of the newest cloud that is */
  double ranges[BATCH * 2];     /* of all clouds */
  gboolean is_ended;
  int round, n_clouds, n_went_on, n_anew;
} Window;

static void
window_init (Window *window, RcBackend *backend, const RcVoxelSpec *spec, Filling filling, guint32 seed)
{
  RcFootprint footprint;

  memset (window, 0, sizeof (*window));
  window->spec = *spec;
  window->spec.keeps = MAX_HELD;
  window->filling = filling;
  window->backend = backend;
  window->rand = g_rand_new_with_seed (seed);
  run_ok (rc_voxel_plan (backend, &window->spec, &window->plan, &footprint, &run_error));
  fail_unless (rc_voxel_keeps (window->plan));
  fail_unless_equals_uint64 (footprint.scratch_bytes_per_point, 0);
  window->scratch = scratch_new (&footprint, MAX_POINTS, &window->scratch_bytes);
  grid_init (&window->grids[0], window->plan, spec);
  grid_init (&window->grids[1], window->plan, spec);
  window->clouds = g_ptr_array_new_with_free_func (cloud_free);
  window->leaving = g_ptr_array_new_with_free_func (cloud_free);
}

static void
window_clear (Window *window)
{
  g_ptr_array_unref (window->clouds);
  g_ptr_array_unref (window->leaving);
  grid_clear (&window->grids[0]);
  grid_clear (&window->grids[1]);
  scratch_free (window->scratch, window->scratch_bytes);
  rc_voxel_plan_free (window->plan);
  g_rand_free (window->rand);
}

static int64_t
points_of (const Window *window)
{
  int64_t n = 0;

  for (guint i = 0; i < window->clouds->len; i++)
    n += ((const Cloud *) g_ptr_array_index (window->clouds, i))->points;
  return n;
}

/* Whether features are measured, and need be. */
static gboolean
has_ranges (const Window *window)
{
  return window->spec.mode == RC_VOXEL_MEAN && window->spec.feature_range == 0.0;
}

static void
push_cloud (Window *window, guint most)
{
  Cloud *cloud = new_cloud (window->rand, &window->spec);
  const RcVoxelChunk chunk = chunk_of (cloud, window->filling, 0, cloud->rows);

  cloud->layer = window->n_clouds++ % MAX_HELD;
  if (has_ranges (window))
    run_ok (rc_voxel_measure (window->plan, &chunk, cloud->ranges, NULL, &run_error));
  g_ptr_array_add (window->clouds, cloud);
  while (window->clouds->len > most)
    g_ptr_array_add (window->leaving, g_ptr_array_steal_index (window->clouds, 0));
}

static RcVoxelJob
job_of (Window *window)
{
  RcVoxelJob job = {.n_points = points_of (window),.scratch = window->scratch };

  memset (window->stated, 0, sizeof (window->stated));
  memset (window->ranges, 0, sizeof (window->ranges));
  for (guint i = 0; i < window->clouds->len; i++) {
    const Cloud *cloud = g_ptr_array_index (window->clouds, i);

    for (int b = 0; b < BATCH; b++)
      window->stated[b] += cloud->counts[b];
    for (int k = 0; k < 2 * BATCH; k++)
      window->ranges[k] = fmax (window->ranges[k], cloud->ranges[k]);
  }
  if (window->filling == COUNTED)
    job.item_points = window->stated;
  if (has_ranges (window))
    job.ranges = window->ranges;
  return job;
}

static const Cloud *
newest_of (const Window *window)
{
  return g_ptr_array_index (window->clouds, window->clouds->len - 1);
}

/* Of the newest cloud, which alone a job that goes on adds. */
static void
set_map (const Window *window, RcVoxelJob *job, Grid *grid)
{
  const int64_t first = job->n_points - newest_of (window)->points;

  if (window->spec.output != RC_VOXEL_RANK)
    return;
  job->first_point = first + window->first_wanted;
  job->first_added = job->goes_on ? first : 0;
  job->point_voxels = grid->map[0];
  job->point_voxels_batch_stride = sizeof (grid->map[0]);
  memset (grid->map, 0x5A, sizeof (grid->map));
}

/* What the job says, of a map of all points of the window. Items have points as chunks and jobs count them: so a job that is
 * made anew has others from first_point on than one that goes on, which has those of the newest cloud. */
static void
keep_wanted (const Window *window, const RcVoxelJob *job, Grid *grid)
{
  const Cloud *newest = newest_of (window);
  const int64_t n_wanted = job->n_points - job->first_point;

  for (int b = 0; b < BATCH; b++) {
    const int64_t n = window->filling == COUNTED ? window->stated[b] : job->n_points;
    const int64_t added = window->filling == COUNTED ? newest->counts[b] : newest->points;
    const int64_t first = job->goes_on ? n - added + window->first_wanted : job->first_point;
    int64_t said[MAX_CLOUD_POINTS];

    for (int64_t i = 0; i < n_wanted; i++)
      said[i] = first + i < n ? grid->map[b][first + i] : RC_VOXEL_OUTSIDE;
    memset (grid->map[b], 0x5A, sizeof (grid->map[b]));
    memcpy (grid->map[b], said, (gsize) n_wanted * sizeof (int64_t));
  }
}

/* By a plan of its own, which keeps nothing. */
static Grid
make_anew (const Window *window, const RcVoxelJob *of)
{
  RcVoxelJob job = {.n_points = of->n_points,.item_points = of->item_points };
  RcVoxelSpec spec = window->spec;
  RcFootprint footprint;
  RcVoxelPlan *plan;
  RcVoxelOut out;
  uint64_t bytes;
  Grid grid;

  spec.keeps = 0;
  run_ok (rc_voxel_plan (window->backend, &spec, &plan, &footprint, &run_error));
  fail_if (rc_voxel_keeps (plan));
  grid_init (&grid, plan, &spec);
  job.scratch = scratch_new (&footprint, job.n_points, &bytes);
  job.point_voxels = grid.map[0];
  job.point_voxels_batch_stride = sizeof (grid.map[0]);
  run_ok (rc_voxel_begin (plan, &job, NULL, &run_error));
  for (int phase = 0; phase < 2; phase++) {
    for (guint i = 0; i < window->clouds->len; i++) {
      const Cloud *cloud = g_ptr_array_index (window->clouds, i);
      RcVoxelChunk chunk = chunk_of (cloud, window->filling, 0, cloud->rows);

      chunk.counters = i + 1 == window->clouds->len ? &grid.counters : NULL;
      run_ok ((phase ? rc_voxel_add : rc_voxel_range) (plan, &job, &chunk, NULL, &run_error));
    }
  }
  out = grid.out;
  out.counters = &grid.counters;
  out.occupied = NULL;
  run_ok (rc_voxel_end (plan, &job, &out, NULL, &run_error));
  if (spec.output == RC_VOXEL_RANK)
    keep_wanted (window, of, &grid);
  scratch_free (job.scratch, bytes);
  rc_voxel_plan_free (plan);
  return grid;
}

static void
compare (const Window *window, const Grid *got, const Grid *wanted)
{
  fail_unless (memcmp (got->out.grid, wanted->out.grid, got->value_bytes) == 0, "round %d", window->round);
  fail_unless (memcmp (&got->counters, &wanted->counters, sizeof (got->counters)) == 0, "round %d", window->round);
  if (window->spec.output == RC_VOXEL_RANK)
    fail_unless (memcmp (got->map, wanted->map, sizeof (got->map)) == 0, "round %d", window->round);
  if (window->spec.output != RC_VOXEL_SPARSE)
    return;
  fail_unless (memcmp (got->n_voxels, wanted->n_voxels, sizeof (got->n_voxels)) == 0);
  fail_unless (memcmp (got->out.coordinates, wanted->out.coordinates, (gsize) (BATCH * window->spec.max_voxels * 12))
      == 0);
}

typedef RcStatus (*Phase) (RcVoxelPlan * plan, const RcVoxelJob * job, const RcVoxelChunk * chunk, RcStream stream,
    RcError * error);

/* In two chunks, cut anywhere, unless it is counted. */
static void
take_cloud (Window *window, const RcVoxelJob *job, Phase phase, const Cloud *cloud, RcVoxelCounters *counters)
{
  const int64_t cut = window->filling == COUNTED ? cloud->rows
      : g_rand_int_range (window->rand, 0, (gint32) cloud->rows + 1);

  for (int part = 0; part < 2 && (part == 0 || cut < cloud->rows); part++) {
    RcVoxelChunk chunk = chunk_of (cloud, window->filling, part ? cut : 0, part ? cloud->rows : cut);

    chunk.counters = counters;
    chunk.first_row = window->spec.source == RC_VOXEL_DEPTH && part ? cut : 0;
    run_ok (phase (window->plan, job, &chunk, NULL, &run_error));
  }
}

static void
run_round (Window *window)
{
  Grid *grid = &window->grids[window->round % 2], wanted;
  RcVoxelJob job = job_of (window);
  const gboolean goes_on = rc_voxel_can_go_on (window->plan, &job) && g_rand_int_range (window->rand, 0, 12) != 0;
  const guint n = window->clouds->len;
  RcVoxelOut out = grid->out;

  memset (&grid->counters, 0, sizeof (grid->counters));
  job.goes_on = goes_on;
  window->first_wanted = g_rand_int_range (window->rand, 0, 3) == 0
      ? g_rand_int_range (window->rand, 0, (gint32) newest_of (window)->points + 1) : 0;
  set_map (window, &job, grid);
  job.is_clean = window->is_ended && g_rand_int_range (window->rand, 0, 4) != 0;
  run_ok (rc_voxel_begin (window->plan, &job, NULL, &run_error));
  for (guint i = goes_on ? n - 1 : 0; i < n; i++) {
    const Cloud *cloud = g_ptr_array_index (window->clouds, i);

    take_cloud (window, &job, rc_voxel_add, cloud, i + 1 == n ? &grid->counters : NULL);
  }
  for (guint i = 0; goes_on && i < window->leaving->len; i++)
    take_cloud (window, &job, rc_voxel_remove, g_ptr_array_index (window->leaving, i), NULL);
  out.counters = &grid->counters;
  run_ok (rc_voxel_end (window->plan, &job, &out, NULL, &run_error));
  grid->out.is_known = grid->bitmap_bytes > 0;
  window->is_ended = TRUE;
  window->n_went_on += goes_on;
  window->n_anew += !goes_on;
  g_ptr_array_set_size (window->leaving, 0);
  wanted = make_anew (window, &job);
  compare (window, grid, &wanted);
  grid_clear (&wanted);
}

/* A job that is begun and not ended. */
static void
give_up (Window *window)
{
  RcVoxelJob job = job_of (window);

  job.goes_on = rc_voxel_can_go_on (window->plan, &job);
  set_map (window, &job, &window->grids[0]);
  run_ok (rc_voxel_begin (window->plan, &job, NULL, &run_error));
  fail_if (rc_voxel_can_go_on (window->plan, &job));
  window->is_ended = FALSE;
}

/* How long the window is changes; of means, scales do. */
static void
run_window (const RcVoxelSpec *spec, Filling filling, RcCpuLevel level, guint32 seed)
{
  const gboolean is_mean = spec->mode == RC_VOXEL_MEAN || spec->mode == RC_VOXEL_CENTROID;
  RcBackend *backend = open_cpu (level);
  guint most = MAX_CLOUDS;
  Window window;

  if (backend == NULL)          /* this machine lacks the level */
    return;
  window_init (&window, backend, spec, filling, seed);
  for (; window.round < ROUNDS; window.round++) {
    if (g_rand_int_range (window.rand, 0, 20) == 0)
      most = (guint) g_rand_int_range (window.rand, 1, MAX_CLOUDS + 1);
    if (window.round % 37 == 36)
      give_up (&window);
    push_cloud (&window, most);
    run_round (&window);
  }
  fail_unless (is_mean && filling == COUNTED ? window.n_went_on == 0 : window.n_went_on >= 10);
  fail_unless (window.n_anew >= (is_mean ? 10 : 5));
  window_clear (&window);
  rc_backend_close (backend);
}

GST_START_TEST (test_every_kind)
{
  const Kind *kind = &kinds[__i__ / G_N_ELEMENTS (grids)];
  const RcVoxelSpec spec = spec_of (kind, grids[__i__ % G_N_ELEMENTS (grids)]);

  run_window (&spec, kind->filling, RC_CPU_BEST, (guint32) __i__);
}

GST_END_TEST;

GST_START_TEST (test_instruction_sets)
{
  static const RcCpuLevel levels[] = { RC_CPU_BASELINE, RC_CPU_AVX2, RC_CPU_AVX512 };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i += 3) {
    const RcVoxelSpec spec = spec_of (&kinds[i], grids[0]);

    run_window (&spec, kinds[i].filling, levels[__i__], i + 1000);
  }
}

GST_END_TEST;

/* A key of 0 is no point, whatever the value. */
GST_START_TEST (test_no_key_is_0)
{
  static const uint32_t flips[] = { 0, 0xFFFFFFFFu }, ends[] = { 0, 1, 0x7FFF, 0xFFFE, 0xFFFF };

  for (guint i = 0; i < (1 << 16) * G_N_ELEMENTS (ends); i++) {
    const float x = rc_float32 ((i / G_N_ELEMENTS (ends)) << 16 | ends[i % G_N_ELEMENTS (ends)]);

    for (guint k = 0; k < G_N_ELEMENTS (flips); k++) {
      const uint32_t key = rc_voxel_key (x, flips[k]);

      fail_unless (key != 0, "of %g", (double) x);
      fail_unless (rc_bits32 (rc_voxel_value_of_key (key, flips[k])) == (isnan (x) ? RC_NAN32_BITS : rc_bits32 (x)));
    }
  }
}

GST_END_TEST;

/* ---- what is refused ---- */

#define refused(call, words) G_STMT_START { \
  RcError run_error = { RC_OK, "" }; \
  fail_unless_equals_int (call, RC_INVALID_ARGUMENT); \
  fail_unless (strstr (run_error.message, words) != NULL, "\"%s\" lacks \"%s\"", run_error.message, words); \
} G_STMT_END

GST_START_TEST (test_refused)
{
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  RcVoxelSpec spec = some_spec ();
  const float points[4 * 6] = { 0 };
  const int64_t counts[1] = { 2 };
  const RcVoxelChunk one = { points, 1, 24 }, two = { points, 2, 24 }, too_many = { points, 1, 24, 0, counts };
  double ranges[2] = { 1, 1 }, wrong[2] = { 1, NAN };
  RcVoxelJob job = {.n_points = 2,.ranges = ranges }, other;
  RcFootprint footprint;
  RcVoxelPlan *plan;
  RcVoxelOut out;
  Result result;
  void *elsewhere;
  uint64_t bytes;

  spec.mode = RC_VOXEL_MEAN;
  spec.keeps = 1;
  run_ok (rc_voxel_plan (backend, &spec, &plan, &footprint, &run_error));
  result_alloc (&result, plan, &spec, &out);
  job.scratch = scratch_new (&footprint, 2, &bytes);
  elsewhere = scratch_new (&footprint, 2, &bytes);
  other = job;
  job.goes_on = 1;
  fail_if (rc_voxel_can_go_on (plan, &job));
  refused (rc_voxel_begin (plan, &job, NULL, &run_error), "goes_on: the last job ended in scratch (nil)");
  job.goes_on = 0;
  job.ranges = wrong;
  refused (rc_voxel_begin (plan, &job, NULL, &run_error), "ranges[1] is nan");
  job.ranges = ranges;
  refused (rc_voxel_remove (plan, &job, &one, NULL, &run_error), "remove before begin");
  run_ok (rc_voxel_begin (plan, &job, NULL, &run_error));
  refused (rc_voxel_remove (plan, &job, &one, NULL, &run_error), "remove of 1 points: 0 are held");
  run_ok (rc_voxel_add (plan, &job, &two, NULL, &run_error));
  run_ok (rc_voxel_end (plan, &job, &out, NULL, &run_error));
  fail_unless (rc_voxel_can_go_on (plan, &job));
  other.scratch = elsewhere;
  fail_if (rc_voxel_can_go_on (plan, &other));
  other.scratch = job.scratch;
  other.n_points = 3;
  fail_if (rc_voxel_can_go_on (plan, &other));
  ranges[1] = 2;
  fail_if (rc_voxel_can_go_on (plan, &job));
  ranges[1] = 1.75;
  fail_unless (rc_voxel_can_go_on (plan, &job));
  job.ranges = NULL;
  fail_if (rc_voxel_can_go_on (plan, &job));
  job.ranges = ranges;
  job.goes_on = 1;
  run_ok (rc_voxel_begin (plan, &job, NULL, &run_error));
  run_ok (rc_voxel_add (plan, &job, &one, NULL, &run_error));
  refused (rc_voxel_end (plan, &job, &out, NULL, &run_error), "3 points are held; the job was said to have 2");
  fail_if (rc_voxel_can_go_on (plan, &job));
  job.goes_on = 0;
  run_ok (rc_voxel_begin (plan, &job, NULL, &run_error));
  run_ok (rc_voxel_add (plan, &job, &one, NULL, &run_error));
  refused (rc_voxel_remove (plan, &job, &too_many, NULL, &run_error), "counts[0] of a chunk is 2; expected 0 to 1");
  refused (rc_voxel_end (plan, &job, &out, NULL, &run_error), "end before begin");
  fail_if (rc_voxel_can_go_on (plan, &job));
  refused (rc_voxel_measure (plan, &one, NULL, NULL, &run_error), "ranges is NULL");
  rc_voxel_plan_free (plan);

  job.goes_on = 1;
  spec.feature_range = 1.0;
  run_ok (rc_voxel_plan (backend, &spec, &plan, &footprint, &run_error));
  refused (rc_voxel_measure (plan, &one, ranges, NULL, &run_error), "needs a range");
  rc_voxel_plan_free (plan);
  spec.keeps = 0;
  run_ok (rc_voxel_plan (backend, &spec, &plan, &footprint, &run_error));
  refused (rc_voxel_begin (plan, &job, NULL, &run_error), "jobs of this plan are made anew");
  refused (rc_voxel_remove (plan, &job, &one, NULL, &run_error), "nothing is kept");
  rc_voxel_plan_free (plan);
  scratch_free (job.scratch, bytes);
  scratch_free (elsewhere, bytes);
  result_clear (&result);
  rc_backend_close (backend);
}

GST_END_TEST;

/* Of a job that goes on, add brings points that are said from a number on. */
GST_START_TEST (test_refused_numbers)
{
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  RcVoxelSpec spec = some_spec ();
  const float points[4 * 6] = { 0 };
  const int64_t counts[1] = { 2 };
  const RcVoxelChunk two = { points, 2, 24 }, counted = { points, 2, 24, 0, counts };
  int64_t map[3];
  RcVoxelJob job = {.n_points = 3,.point_voxels = map,.first_added = 1,.first_point = 1 };
  const RcVoxelOut out = { NULL };
  RcFootprint footprint;
  RcVoxelPlan *plan;
  uint64_t bytes;

  spec.mode = RC_VOXEL_OCCUPANCY;
  spec.output = RC_VOXEL_RANK;
  spec.keeps = 1;
  run_ok (rc_voxel_plan (backend, &spec, &plan, &footprint, &run_error));
  job.scratch = scratch_new (&footprint, 3, &bytes);
  refused (rc_voxel_begin (plan, &job, NULL, &run_error), "first_added is 1: expected 0 to 0");
  job.first_added = 0;
  run_ok (rc_voxel_run (plan, &job, &two, &out, NULL, &run_error));
  job.goes_on = 1;
  job.first_added = 2;
  refused (rc_voxel_begin (plan, &job, NULL, &run_error), "first_added is 2: expected 0 to 1");
  job.first_point = 2;
  run_ok (rc_voxel_begin (plan, &job, NULL, &run_error));
  refused (rc_voxel_add (plan, &job, &two, NULL, &run_error), "2 points after 2 others: the job was said to have 3");
  refused (rc_voxel_add (plan, &job, &counted, NULL, &run_error), "2 points after 2 others for item 0");
  rc_voxel_plan_free (plan);
  scratch_free (job.scratch, bytes);
  rc_backend_close (backend);
}

GST_END_TEST;

/* What a layer holds leaves as a whole, before anything else is done. */
GST_START_TEST (test_refused_layers)
{
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  RcVoxelSpec spec = some_spec ();
  const float points[4 * 6] = { 0 };
  RcVoxelChunk one = { points, 1, 24 }, two = { points, 2, 24 }, none = { NULL };
  RcVoxelJob job = {.n_points = 8 };
  RcFootprint footprint;
  RcVoxelPlan *plan;
  RcVoxelOut out;
  Result result;
  uint64_t bytes;

  spec.mode = RC_VOXEL_MAX;
  spec.keeps = -1;
  refused (rc_voxel_plan (backend, &spec, &plan, &footprint, &run_error), "keeps is -1");
  spec.keeps = 3;
  run_ok (rc_voxel_plan (backend, &spec, &plan, &footprint, &run_error));
  fail_unless_equals_int64 (rc_voxel_layers (plan), 3);
  result_alloc (&result, plan, &spec, &out);
  job.scratch = scratch_new (&footprint, 8, &bytes);
  run_ok (rc_voxel_begin (plan, &job, NULL, &run_error));
  one.layer = 3;
  refused (rc_voxel_add (plan, &job, &one, NULL, &run_error), "layer of a chunk is 3: expected 0 to 2");
  one.layer = -1;
  refused (rc_voxel_add (plan, &job, &one, NULL, &run_error), "layer of a chunk is -1");
  two.layer = none.layer = 2;
  run_ok (rc_voxel_add (plan, &job, &two, NULL, &run_error));
  one.layer = 3;
  refused (rc_voxel_remove (plan, &job, &one, NULL, &run_error), "layer of a chunk is 3");
  one.layer = 1;
  refused (rc_voxel_remove (plan, &job, &one, NULL, &run_error), "remove of 1 points of layer 1: 0 are held");
  run_ok (rc_voxel_add (plan, &job, &one, NULL, &run_error));
  refused (rc_voxel_remove (plan, &job, &(RcVoxelChunk) {points, 2, 24,.layer = 1}, NULL, &run_error),
      "remove of 2 points of layer 1: 1 are held");
  one.layer = 2;
  run_ok (rc_voxel_remove (plan, &job, &one, NULL, &run_error));
  refused (rc_voxel_add (plan, &job, &one, NULL, &run_error), "layer 2 still holds 1 points");
  one.layer = 1;
  refused (rc_voxel_add (plan, &job, &one, NULL, &run_error), "layer 2 still holds 1 points");
  refused (rc_voxel_remove (plan, &job, &one, NULL, &run_error), "layer 2 still holds 1 points");
  refused (rc_voxel_end (plan, &job, &out, NULL, &run_error), "layer 2 still holds 1 points");
  run_ok (rc_voxel_remove (plan, &job, &none, NULL, &run_error));
  one.layer = 2;
  run_ok (rc_voxel_remove (plan, &job, &one, NULL, &run_error));
  run_ok (rc_voxel_add (plan, &job, &two, NULL, &run_error));
  run_ok (rc_voxel_remove (plan, &job, &one, NULL, &run_error));
  run_ok (rc_voxel_begin (plan, &job, NULL, &run_error));       /* anew: nothing is held */
  refused (rc_voxel_remove (plan, &job, &one, NULL, &run_error), "0 are held");
  run_ok (rc_voxel_add (plan, &job, &two, NULL, &run_error));
  run_ok (rc_voxel_end (plan, &job, &out, NULL, &run_error));
  rc_voxel_plan_free (plan);

  spec.mode = RC_VOXEL_COUNT;
  run_ok (rc_voxel_plan (backend, &spec, &plan, &footprint, &run_error));
  fail_unless (rc_voxel_keeps (plan) && rc_voxel_layers (plan) == 0);
  rc_voxel_plan_free (plan);
  scratch_free (job.scratch, bytes);
  result_clear (&result);
  rc_backend_close (backend);
}

GST_END_TEST;

/* What is kept is bounded, and a plan that would keep more is as if it had not been asked. */
GST_START_TEST (test_which_plans_keep)
{
  static const struct
  {
    RcVoxelMode mode;
    RcVoxelOutput output;
    int64_t side, batch;
    gboolean keeps;             /* 4 clouds of 2 features */
  } plans[] = {
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, 512, 1, TRUE},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, 513, 1, FALSE},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, 256, 8, TRUE},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, 256, 9, FALSE},
    {RC_VOXEL_COUNT, RC_VOXEL_DENSE, 1024, 1, TRUE},
    {RC_VOXEL_CENTROID, RC_VOXEL_SPARSE, 256, 1, TRUE},
    {RC_VOXEL_CENTROID, RC_VOXEL_SPARSE, 512, 1, FALSE},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_SPARSE, RC_VOXEL_MAX_AXIS, 1, FALSE},
    {RC_VOXEL_MAX, RC_VOXEL_DENSE, 256, 1, TRUE},
    {RC_VOXEL_MAX, RC_VOXEL_DENSE, 257, 1, FALSE},
    {RC_VOXEL_MIN, RC_VOXEL_DENSE, 128, 8, TRUE},
    {RC_VOXEL_MIN, RC_VOXEL_DENSE, 128, 9, FALSE},
    {RC_VOXEL_MIN, RC_VOXEL_SPARSE, 128, 1, TRUE},
    {RC_VOXEL_MAX, RC_VOXEL_SPARSE, RC_VOXEL_MAX_AXIS, 1, FALSE},
    {RC_VOXEL_FIRST, RC_VOXEL_SPARSE, 8, 1, FALSE},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, 256, 7, TRUE},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, 256, 8, FALSE},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_VOXEL_MAX_AXIS, 1, FALSE},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_INDEX, 8, 1, FALSE},
  };
  RcBackend *backend = open_cpu (RC_CPU_BEST);

  for (guint i = 0; i < G_N_ELEMENTS (plans); i++) {
    RcFootprint wanted, got;
    RcVoxelSpec spec = some_spec ();
    RcVoxelPlan *plan;

    spec.mode = plans[i].mode;
    spec.output = plans[i].output;
    spec.batch = plans[i].batch;
    spec.max_points = 3;
    spec.grid[0] = spec.grid[1] = spec.grid[2] = plans[i].side;
    run_ok (rc_voxel_plan (backend, &spec, &plan, &wanted, &run_error));
    rc_voxel_plan_free (plan);
    spec.keeps = 4;
    run_ok (rc_voxel_plan (backend, &spec, &plan, &got, &run_error));
    fail_unless_equals_int (rc_voxel_keeps (plan), plans[i].keeps);
    fail_unless (got.scratch_bytes <= wanted.scratch_bytes + (plans[i].keeps ? RC_VOXEL_MAX_KEPT_BYTES : 0));
    fail_unless (got.scratch_bytes_per_point <= wanted.scratch_bytes_per_point);
    rc_voxel_plan_free (plan);
  }
  rc_backend_close (backend);
}

GST_END_TEST;

static Suite *
voxel_window_suite (void)
{
  Suite *suite = suite_create ("voxel kernels: windows of clouds");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_loop_test (tc, test_every_kind, 0, G_N_ELEMENTS (kinds) * G_N_ELEMENTS (grids));
  tcase_add_loop_test (tc, test_instruction_sets, 0, 3);
  tcase_add_test (tc, test_no_key_is_0);
  tcase_add_test (tc, test_refused);
  tcase_add_test (tc, test_refused_numbers);
  tcase_add_test (tc, test_refused_layers);
  tcase_add_test (tc, test_which_plans_keep);
  return suite;
}

GST_CHECK_MAIN (voxel_window);
