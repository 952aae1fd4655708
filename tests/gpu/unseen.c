/* robocache: wrong arguments in device memory, which only the kernels see: they read nothing outside and the result says so
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <inttypes.h>

#include "kernels/align.h"
#include "kernels/voxel.h"
#include "tests/kernels/place.h"

/* ---- brackets that no search gives ---- */

/* The last one is right. */
static const RcBracket brackets[] = {
  {RC_BLEND_COPY, RC_ALIGNED, 5, 0, 0, 0, 0, {0, 0, 0}},
  {RC_BLEND_LINEAR, RC_ALIGNED, 0, -1, 0, 0, 0, {0, 0, 0}},
  {RC_BLEND_CUBIC, RC_ALIGNED, 0, 1, 0, 1 << 30, 0, {0, 0, 0}},
  {RC_BLEND_MEAN, RC_ALIGNED, 3, 6, 0, 0, 0, {0, 0, 0}},
  {7, RC_ALIGNED, 0, 1, 0, 0, 0, {0, 0, 0}},
  {RC_BLEND_LOWPASS, RC_ALIGNED, 0, 5, 2, 3, 1, {0.5, 1, 0}},   /* rows without times */
  {RC_BLEND_COPY, RC_MISSING, 0, 0, 0, 0, 0, {0, 0, 0}},
  {RC_BLEND_LINEAR, RC_HELD, 0, 4, 0, 0, 0.5, {0, 0, 0}},
};

typedef struct
{
  RcBracket brackets[COUNT (brackets)];
  float rows[5], out[COUNT (brackets)];
  uint8_t status[COUNT (brackets)];
} Rows;

static int
check_brackets (const Place *gpu)
{
  const RcAlignStreamSpec stream_spec = { RC_FLOAT32, RC_FLOAT32, 1, {RC_LINEAR, -1, 0, 0} };
  const RcAlignSpec spec = { &stream_spec, 1 };
  Rows rows = {.rows = {1, 2, 3, 4, 5} }, *there = place_alloc (gpu, sizeof (rows));
  Test test = { "unseen_brackets", "" };
  RcAlignPlan *plan = NULL;
  RcFootprint footprint;
  Scratch scratch = { NULL };
  RcError error;
  size_t i;

  memcpy (rows.brackets, brackets, sizeof (brackets));
  if (is_ok (rc_align_plan (gpu->backend, &spec, &plan, &footprint, &error), &error, &test)
      && place_copy (gpu, there, &rows, sizeof (rows), &test)) {
    const RcAlignStreamArgs stream = {.rows = there->rows,.n_rows = 5,.row_stride = 4,.brackets = there->brackets,
      .out = there->out,.out_row_stride = 4,.status = there->status
    };
    const size_t last = COUNT (brackets) - 1;

    scratch = scratch_new (gpu, &footprint, 0, &test);
    is_ok (rc_align_run (plan, &(RcAlignArgs) {.streams = &stream,.batch = 1,.ticks = COUNT (brackets),.scratch = scratch.memory},
            gpu->stream, &error), &error, &test);
    place_copy (gpu, &rows, there, sizeof (rows), &test);
    for (i = 0; i < last; i++)
      test_expect (&test, rows.status[i] == RC_MISSING && rows.out[i] != rows.out[i], "bracket %zu: status %d, %g", i,
          rows.status[i], (double) rows.out[i]);
    test_expect (&test, rows.status[last] == RC_HELD && rows.out[last] == 3.0f, "status %d, %g", rows.status[last],
        (double) rows.out[last]);
  }
  rc_align_plan_free (plan);
  scratch_free (gpu, &scratch, &test);
  place_free (gpu, there);
  return test_end (&test);
}

/* ---- counts of points ---- */

#define MAX_POINTS 8

/* Three items, all points in voxel 0: N of items, counts of items in two chunks of at most 4 points. */
typedef struct
{
  int64_t item_points[3], counts[2][3];
} Counts;

/* An item whose count is wrong, or that has more than its N, gets no points of the chunk. */
static const struct
{
  Counts counts;
  int64_t added[3];
} cases[] = {
  {{{4, 4, 4}, {{-1, 5, 4}, {0, 2, 0}}}, {0, 2, 4}},
  {{{3, 8, 9}, {{4, 4, 4}, {3, 4, 1}}}, {3, 8, 0}},
  {{{-1, 6, 4}, {{0, 4, 2}, {1, 3, 2}}}, {0, 4, 4}},
};

/* Of a job with a map: its only chunk has the first of the two counts. */
static const Counts map_counts = { {4, 9, 4}, {{3, -1, 2}} };
static const int64_t map[12] = { 0, 0, 0, -1, -1, -1, -1, -1, 0, 0, -1, -1 };

typedef struct
{
  Counts counts;
  RcVoxelCounters counters;
  float points[3][4][3];
  uint32_t values[6], n_voxels[3];
  int32_t coordinates[3][2][3];
  int64_t map[12];
} Voxels;

static const struct
{
  const char *name;
  RcVoxelMode mode;
  RcVoxelOutput output;
  RcDtype dtype;
} forms[] = {
  {"count_dense", RC_VOXEL_COUNT, RC_VOXEL_DENSE, RC_UINT32}, {"count_sparse", RC_VOXEL_COUNT, RC_VOXEL_SPARSE, RC_UINT32},
  {"mean_dense", RC_VOXEL_MEAN, RC_VOXEL_DENSE, RC_FLOAT32}, {"mean_sparse", RC_VOXEL_MEAN, RC_VOXEL_SPARSE, RC_FLOAT32},
  {"index", RC_VOXEL_OCCUPANCY, RC_VOXEL_INDEX, RC_FLOAT32}, {"rank", RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_FLOAT32},
};

static void
run_job (const Place *gpu, RcVoxelPlan *plan, Voxels *there, void *scratch, int is_map, Test *test)
{
  const RcVoxelJob job = {.n_points = is_map ? 4 : MAX_POINTS,.item_points = there->counts.item_points,.scratch = scratch,
    .point_voxels = there->map,.point_voxels_batch_stride = 32
  };
  const RcVoxelOut out = {.grid = there->values,.grid_batch_stride = 8,.n_voxels = there->n_voxels,.n_voxels_batch_stride = 4,
    .coordinates = there->coordinates[0][0],.coordinates_batch_stride = 24,.values = there->values,.values_batch_stride = 8,
    .counters = &there->counters
  };
  const int n_chunks = is_map ? 1 : 2;
  RcError error;
  int i;

  is_ok (rc_voxel_begin (plan, &job, gpu->stream, &error), &error, test);
  for (i = 0; i < 2 * n_chunks && test_holds (test); i++) {
    const RcVoxelChunk chunk = {.data = there->points,.n = 4,.stride = 12,.batch_stride = 48,
      .counts = there->counts.counts[i % n_chunks],.counters = &there->counters
    };

    is_ok ((i < n_chunks ? rc_voxel_range : rc_voxel_add) (plan, &job, &chunk, gpu->stream, &error), &error, test);
  }
  if (test_holds (test))
    is_ok (rc_voxel_end (plan, &job, &out, gpu->stream, &error), &error, test);
}

static void
check_case (const Place *gpu, size_t form, RcVoxelPlan *plan, Voxels *there, void *scratch, size_t i, Test *test)
{
  const int64_t *a = cases[i].added, added = a[0] + a[1] + a[2];
  Voxels voxels = {.counts = cases[i].counts };
  uint32_t sum = 0;
  int k;

  place_copy (gpu, there, &voxels, sizeof (voxels), test);
  run_job (gpu, plan, there, scratch, 0, test);
  place_copy (gpu, &voxels, there, sizeof (voxels), test);
  for (k = 0; k < 6; k++)
    sum += voxels.values[k];
  test_expect (test, voxels.counters.points == added && voxels.counters.inside == added
      && voxels.counters.occupied == (a[0] > 0) + (a[1] > 0) + (a[2] > 0), "case %zu: %" PRId64 " points, %" PRId64 " inside, %"
      PRId64 " voxels", i, voxels.counters.points, voxels.counters.inside, voxels.counters.occupied);
  test_expect (test, sum == (forms[form].mode == RC_VOXEL_COUNT ? added : 0), "case %zu: %u in the grid of %" PRId64 " points", i,
      sum, added);
}

static void
check_map (const Place *gpu, RcVoxelPlan *plan, Voxels *there, void *scratch, Test *test)
{
  Voxels voxels = {.counts = map_counts };
  int i;

  place_copy (gpu, there, &voxels, sizeof (voxels), test);
  run_job (gpu, plan, there, scratch, 1, test);
  place_copy (gpu, &voxels, there, sizeof (voxels), test);
  for (i = 0; i < 12; i++)
    test_expect (test, voxels.map[i] == map[i], "point %d of item %d is in %" PRId64, i % 4, i / 4, voxels.map[i]);
}

static int
check_counts (const Place *gpu, size_t form)
{
  const RcVoxelSpec spec = {.points = {RC_FLOAT32, 3, 0, forms[form].mode == RC_VOXEL_MEAN},.voxel_size = {1, 1, 1},
    .grid = {2, 1, 1},.mode = forms[form].mode,.output = forms[form].output,.dtype = forms[form].dtype,.max_voxels = 2,.batch = 3
  };
  Voxels *there = place_alloc (gpu, sizeof (Voxels));
  RcVoxelPlan *plan = NULL;
  Scratch scratch = { NULL };
  RcFootprint footprint;
  Test test = test_begin ("unseen_counts_%s", forms[form].name);
  RcError error;
  size_t i;

  if (is_ok (rc_voxel_plan (gpu->backend, &spec, &plan, &footprint, &error), &error, &test)) {
    scratch = scratch_new (gpu, &footprint, MAX_POINTS, &test);
    for (i = 0; i < COUNT (cases) && test_holds (&test) && !rc_voxel_maps_points (spec.output); i++)
      check_case (gpu, form, plan, there, scratch.memory, i, &test);
    if (rc_voxel_maps_points (spec.output))
      check_map (gpu, plan, there, scratch.memory, &test);
  }
  rc_voxel_plan_free (plan);
  scratch_free (gpu, &scratch, &test);
  place_free (gpu, there);
  return test_end (&test);
}

int
main (int argc, char **argv)
{
  const RcWhere where = {.kind = RC_BACKEND_CUDA };
  Place gpu = { .name = NULL };
  RcError error;
  int failures = 0;
  size_t i;

  if (place_open (&gpu, "the GPU", &where, &error) != RC_OK) {
    test_skip ("unseen_gpu", error.message);
    return error.status != RC_NO_DEVICE;
  }
  gpu.separate = argc == 2 && strcmp (argv[1], "--separate") == 0;
  failures += check_brackets (&gpu);
  for (i = 0; i < COUNT (forms); i++)
    failures += check_counts (&gpu, i);
  place_close (&gpu);
  return failures != 0;
}
