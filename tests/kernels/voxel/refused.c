/* robocache: what voxel grids refuse, and what they say then
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernels/voxel.h"

#include <gst/check/gstcheck.h>

#include <math.h>
#include <string.h>

#include "job.h"

typedef enum WrongSpec
{
  WRONG_MODE, WRONG_OUTPUT, WRONG_SOURCE, WRONG_BITS, WRONG_INPUT, FEW_FIELDS, MANY_FIELDS, NO_FEATURES,
      FEATURES_PAST_END,
  NEGATIVE_FEATURE, NO_GRID, LARGE_GRID, NAN_ORIGIN, HUGE_ORIGIN, ZERO_SIZE, TINY_SIZE, NEGATIVE_SIZE, NAN_SIZE,
  HUGE_SIZE,
  WRONG_DTYPE, BF16_DTYPE, INTEGER_MEAN, NO_CAP, LARGE_CAP, NEGATIVE_RANGE, NAN_RANGE, NO_BATCH, DENSE_TOO_LARGE,
  UNKNOWN_FIELD, MIXED_COORDINATES, NEGATIVE_OFFSET, HUGE_OFFSET,
  INDEX_OF_MEANS, RANK_OF_COUNTS, RANK_WITHOUT_CAP, DENSE_FIRST, BITS_OF_FIRST, FIRST_OF_NONE, FIRST_OF_MANY, INTEGER_FIRST,
  FIRST_TOO_LARGE,
  NO_FX, NAN_CX, NO_SCALE, NO_WIDTH, LARGE_HEIGHT, DEPTH_FEATURES, NOTHING_WRONG
} WrongSpec;

static const struct
{
  WrongSpec wrong;
  const char *named, *value;
} wrong_specs[] = {
  {WRONG_MODE, "mode", "17"}, {WRONG_OUTPUT, "output", "-1"}, {WRONG_SOURCE, "source", "2"},
  {WRONG_BITS, "bits", "count"}, {WRONG_INPUT, "type", "int16"}, {FEW_FIELDS, "fields", "2"},
  {MANY_FIELDS, "fields", "4097"}, {NO_FEATURES, "mean", "feature"}, {FEATURES_PAST_END, "features 4 to 6", "6 fields"},
  {NEGATIVE_FEATURE, "features -1", "fields"}, {NO_GRID, "along y", "0"}, {LARGE_GRID, "along z", "2097153"},
  {NAN_ORIGIN, "origin y", "nan"}, {HUGE_ORIGIN, "origin x", "1e+300"}, {ZERO_SIZE, "voxel size z", "0"},
  {TINY_SIZE, "voxel size x", "1e-60"}, {NEGATIVE_SIZE, "voxel size x", "-1"}, {NAN_SIZE, "voxel size y", "nan"},
  {HUGE_SIZE, "voxel size y", "1e+60"}, {WRONG_DTYPE, "type", "float64"}, {BF16_DTYPE, "type", "bfloat16"},
  {INTEGER_MEAN, "centroid", "uint32"}, {NO_CAP, "max_voxels", "0"}, {LARGE_CAP, "max_voxels", "2147483648"},
  {NEGATIVE_RANGE, "feature_range", "-1"}, {NAN_RANGE, "feature_range", "nan"}, {NO_BATCH, "batch", "0"},
  {UNKNOWN_FIELD, "field 4", "type ?"}, {MIXED_COORDINATES, "field 1", "float64"}, {NEGATIVE_OFFSET, "field 5", "-1"},
  {HUGE_OFFSET, "field 0", "2147483644"}, {INDEX_OF_MEANS, "mode mean with output index", "occupancy"},
  {RANK_OF_COUNTS, "mode count with output rank", "occupancy"}, {RANK_WITHOUT_CAP, "max_voxels", "-1"},
  {DENSE_FIRST, "mode first with output dense", "sparse"}, {BITS_OF_FIRST, "mode first with output bits", "occupancy"},
  {FIRST_OF_NONE, "max_points is 0", "65536"}, {FIRST_OF_MANY, "max_points", "65537"},
  {INTEGER_FIRST, "mode first", "uint8"}, {FIRST_TOO_LARGE, "393216 values a voxel", "lower max_voxels"},
  {DENSE_TOO_LARGE, "2097152:2097152:2097152", "sparse"}, {NO_FX, "fx", "0"}, {NAN_CX, "cx", "nan"},
  {NO_SCALE, "scale", "0"}, {NO_WIDTH, "0 x 9", "65536"}, {LARGE_HEIGHT, "70 x 65537", "65536"},
  {DEPTH_FEATURES, "max", "depth image"},
};

static void
make_wrong_depth (RcVoxelSpec *spec, WrongSpec wrong)
{
  spec->source = RC_VOXEL_DEPTH;
  spec->mode = wrong == DEPTH_FEATURES ? RC_VOXEL_MAX : RC_VOXEL_COUNT;
  if (wrong == NO_FX)
    spec->depth.fx = 0.0;
  else if (wrong == NAN_CX)
    spec->depth.cx = NAN;
  else if (wrong == NO_SCALE)
    spec->depth.scale = 1e-60;
  else if (wrong == NO_WIDTH)
    spec->depth.width = 0;
  else if (wrong == LARGE_HEIGHT)
    spec->depth.height = 65537;
}

/* Six float32 fields, one of them wrong. */
static void
make_wrong_layout (RcVoxelSpec *spec, WrongSpec wrong)
{
  static RcVoxelField fields[6];

  for (int i = 0; i < 6; i++)
    fields[i] = (RcVoxelField) {RC_FLOAT32, 4 * i};
  if (wrong == UNKNOWN_FIELD)
    fields[4].dtype = RC_N_DTYPES;
  else if (wrong == MIXED_COORDINATES)
    fields[1].dtype = RC_FLOAT64;
  else if (wrong == NEGATIVE_OFFSET)
    fields[5].offset = -1;
  else if (wrong == HUGE_OFFSET)
    fields[0].offset = RC_VOXEL_MAX_POINT_BYTES - 3;
  spec->points.layout = fields;
}

static void
make_wrong_first (RcVoxelSpec *spec, WrongSpec wrong)
{
  spec->mode = RC_VOXEL_FIRST;
  spec->output = wrong == DENSE_FIRST ? RC_VOXEL_DENSE : wrong == BITS_OF_FIRST ? RC_VOXEL_BITS : RC_VOXEL_SPARSE;
  spec->max_points = wrong == FIRST_OF_NONE ? 0 : wrong == FIRST_OF_MANY ? 65537 : wrong == FIRST_TOO_LARGE ? 65536 : 32;
  spec->max_voxels = wrong == FIRST_TOO_LARGE ? INT32_MAX : 600;
  spec->dtype = wrong == INTEGER_FIRST ? RC_UINT8 : RC_FLOAT32;
}

static RcVoxelSpec
make_wrong (WrongSpec wrong)
{
  RcVoxelSpec spec = some_spec ();

  spec.mode = RC_VOXEL_MEAN;
  if (wrong >= NO_FX)
    make_wrong_depth (&spec, wrong);
  switch (wrong) {
    case WRONG_MODE: spec.mode = (RcVoxelMode) 17; break;
    case WRONG_OUTPUT: spec.output = (RcVoxelOutput) -1; break;
    case WRONG_SOURCE: spec.source = (RcVoxelSource) 2; break;
    case WRONG_BITS: spec.mode = RC_VOXEL_COUNT; spec.output = RC_VOXEL_BITS; break;
    case WRONG_INPUT: spec.points.dtype = RC_INT16; break;
    case FEW_FIELDS: spec.points.fields = 2; break;
    case MANY_FIELDS: spec.points.fields = 4097; break;
    case NO_FEATURES: spec.points.features = 0; break;
    case FEATURES_PAST_END: spec.points.features = 3; break;
    case NEGATIVE_FEATURE: spec.points.first_feature = -1; break;
    case NO_GRID: spec.grid[1] = 0; break;
    case LARGE_GRID: spec.grid[2] = RC_VOXEL_MAX_AXIS + 1; break;
    case NAN_ORIGIN: spec.origin[1] = NAN; break;
    case HUGE_ORIGIN: spec.origin[0] = 1e300; break;
    case ZERO_SIZE: spec.voxel_size[2] = 0.0; break;
    case TINY_SIZE: spec.voxel_size[0] = 1e-60; break;
    case NEGATIVE_SIZE: spec.voxel_size[0] = -1.0; break;
    case NAN_SIZE: spec.voxel_size[1] = NAN; break;
    case HUGE_SIZE: spec.voxel_size[1] = 1e60; break;
    case WRONG_DTYPE: spec.dtype = RC_FLOAT64; break;
    case BF16_DTYPE: spec.dtype = RC_BFLOAT16; break;
    case INTEGER_MEAN: spec.mode = RC_VOXEL_CENTROID; spec.dtype = RC_UINT32; break;
    case NO_CAP: spec.output = RC_VOXEL_SPARSE; spec.max_voxels = 0; break;
    case LARGE_CAP: spec.output = RC_VOXEL_SPARSE; spec.max_voxels = INT64_C (1) << 31; break;
    case NEGATIVE_RANGE: spec.feature_range = -1.0; break;
    case NAN_RANGE: spec.feature_range = NAN; break;
    case NO_BATCH: spec.batch = 0; break;
    case UNKNOWN_FIELD: case MIXED_COORDINATES: case NEGATIVE_OFFSET: case HUGE_OFFSET:
      make_wrong_layout (&spec, wrong); break;
    case INDEX_OF_MEANS: spec.output = RC_VOXEL_INDEX; break;
    case RANK_OF_COUNTS: spec.mode = RC_VOXEL_COUNT; spec.output = RC_VOXEL_RANK; break;
    case RANK_WITHOUT_CAP: spec.mode = RC_VOXEL_OCCUPANCY; spec.output = RC_VOXEL_RANK; spec.max_voxels = -1; break;
    case DENSE_FIRST: case BITS_OF_FIRST: case FIRST_OF_NONE: case FIRST_OF_MANY: case INTEGER_FIRST: case FIRST_TOO_LARGE:
      make_wrong_first (&spec, wrong); break;
    case DENSE_TOO_LARGE: spec.grid[0] = spec.grid[1] = spec.grid[2] = RC_VOXEL_MAX_AXIS; break;
    default: break;
  }
  return spec;
}

GST_START_TEST (test_wrong_spec)
{
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  const RcVoxelSpec spec = make_wrong (wrong_specs[__i__].wrong);
  RcVoxelPlan *plan = (RcVoxelPlan *) & spec;
  RcError error = { RC_OK, "" };

  fail_unless_equals_int (rc_voxel_plan (backend, &spec, &plan, NULL, &error), RC_INVALID_ARGUMENT);
  fail_unless (plan == NULL);
  fail_unless_equals_int (error.status, RC_INVALID_ARGUMENT);
  fail_unless (strstr (error.message, wrong_specs[__i__].named) && strstr (error.message, wrong_specs[__i__].value),
      "\"%s\" does not name %s and %s", error.message, wrong_specs[__i__].named, wrong_specs[__i__].value);
  rc_backend_close (backend);
}

GST_END_TEST;

#define refused(call, text) G_STMT_START { \
  RcError run_error = { RC_OK, "" }; \
  fail_unless_equals_int ((call), RC_INVALID_ARGUMENT); \
  fail_unless (strstr (run_error.message, text), "\"%s\" lacks \"%s\"", run_error.message, text); \
} G_STMT_END

GST_START_TEST (test_wrong_arguments)
{
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  RcVoxelSpec spec = some_spec ();
  const float points[12] = { 0 };
  RcVoxelChunk chunk = { points, 2, 24, 0, NULL, 0, NULL };
  const RcVoxelChunk good = chunk;
  RcVoxelJob job = { 2, NULL, NULL };
  RcVoxelOut out = { 0 };
  RcVoxelPlan *plan;
  RcFootprint footprint;
  void *scratch;
  int64_t item;
  uint64_t bytes;

  spec.mode = RC_VOXEL_MEAN;
  refused (rc_voxel_plan (NULL, &spec, &plan, NULL, &run_error), "backend is NULL");
  refused (rc_voxel_plan (backend, NULL, &plan, NULL, &run_error), "spec is NULL");
  run_ok (rc_voxel_plan (backend, &spec, &plan, &footprint, &run_error));
  job.scratch = scratch = scratch_new (&footprint, 2, &bytes);
  refused (rc_voxel_add (plan, &job, &chunk, NULL, &run_error), "before begin");
  refused (rc_voxel_range (plan, &job, &chunk, NULL, &run_error), "before begin");
  refused (rc_voxel_end (plan, &job, &out, NULL, &run_error), "before begin");

  job.scratch = (char *) scratch + 8;
  refused (rc_voxel_begin (plan, &job, NULL, &run_error), "256");
  job.scratch = NULL;
  refused (rc_voxel_begin (plan, &job, NULL, &run_error), "scratch");
  job.scratch = scratch;
  job.n_points = -1;
  refused (rc_voxel_begin (plan, &job, NULL, &run_error), "-1 points");
  job.n_points = RC_VOXEL_MAX_POINTS + 1;
  refused (rc_voxel_begin (plan, &job, NULL, &run_error), "4294967296 points");
  job.n_points = 2;
  item = 3;
  job.item_points = &item;
  refused (rc_voxel_begin (plan, &job, NULL, &run_error), "item_points[0] is 3");
  job.item_points = NULL;
  refused (rc_voxel_begin (plan, &job, (RcStream) & job, &run_error), "stream");
  run_ok (rc_voxel_begin (plan, &job, NULL, &run_error));

  chunk.data = NULL;
  refused (rc_voxel_range (plan, &job, &chunk, NULL, &run_error), "data");
  chunk = good;
  chunk.n = -2;
  refused (rc_voxel_range (plan, &job, &chunk, NULL, &run_error), "-2 points");
  chunk.n = 3;
  refused (rc_voxel_range (plan, &job, &chunk, NULL, &run_error), "said to have 2");
  chunk = good;
  chunk.stride = 23;
  refused (rc_voxel_range (plan, &job, &chunk, NULL, &run_error), "stride of 23 bytes");
  chunk = good;
  item = 3;
  chunk.counts = &item;
  refused (rc_voxel_range (plan, &job, &chunk, NULL, &run_error), "counts[0]");
  chunk = good;
  refused (rc_voxel_add (plan, &job, &chunk, NULL, &run_error), "needs range over all points first");

  run_ok (rc_voxel_begin (plan, &job, NULL, &run_error));
  run_ok (rc_voxel_range (plan, &job, &good, NULL, &run_error));
  refused (rc_voxel_end (plan, &job, &out, NULL, &run_error), "end after add saw 0 points, range 2");
  run_ok (rc_voxel_add (plan, &job, &good, NULL, &run_error));
  refused (rc_voxel_range (plan, &job, &good, NULL, &run_error), "after add");
  item = 1;
  chunk.counts = &item;
  refused (rc_voxel_add (plan, &job, &chunk, NULL, &run_error), "range only 2");
  refused (rc_voxel_end (plan, &job, NULL, NULL, &run_error), "out is NULL");
  refused (rc_voxel_end (plan, &job, &out, NULL, &run_error), "grid is NULL");
  scratch_free (scratch, bytes);
  rc_voxel_plan_free (plan);
  rc_voxel_plan_free (NULL);
  rc_backend_close (backend);
}

GST_END_TEST;

GST_START_TEST (test_wrong_point_counts)
{
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  RcVoxelSpec spec = some_spec ();
  char memory[4096];
  RcVoxelOut out = {.n_voxels = (uint32_t *) memory,.n_voxels_batch_stride = 4,.coordinates = (int32_t *) memory,
    .coordinates_batch_stride = 36,.values = memory,.values_batch_stride = 3 * 5 * 24
  };
  RcVoxelJob job = { 2, NULL, NULL };
  RcVoxelPlan *plan;
  RcFootprint footprint;
  uint64_t bytes;

  make_wrong_first (&spec, NOTHING_WRONG);
  spec.max_voxels = 3;
  spec.max_points = 5;
  spec.batch = 2;
  run_ok (rc_voxel_plan (backend, &spec, &plan, &footprint, &run_error));
  job.scratch = scratch_new (&footprint, 2, &bytes);
  run_ok (rc_voxel_begin (plan, &job, NULL, &run_error));
  refused (rc_voxel_end (plan, &job, &out, NULL, &run_error), "point_counts is NULL: output sparse of mode first");
  out.point_counts = (uint32_t *) memory;
  out.point_counts_batch_stride = 11;
  refused (rc_voxel_end (plan, &job, &out, NULL, &run_error), "point_counts_batch_stride of 11 bytes: an item has 12");
  out.point_counts_batch_stride = 12;
  out.values_batch_stride--;
  refused (rc_voxel_end (plan, &job, &out, NULL, &run_error), "values_batch_stride of 359 bytes: an item has 360");
  scratch_free (job.scratch, bytes);
  rc_voxel_plan_free (plan);
  rc_backend_close (backend);
}

GST_END_TEST;

/* Outputs index and rank: where they go is the job's to say. */
GST_START_TEST (test_wrong_point_voxels)
{
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  RcVoxelSpec spec = some_spec ();
  int64_t voxels[8];
  RcVoxelJob job = { 4, NULL, NULL, voxels, 32, 0 };
  RcVoxelPlan *plan;
  RcFootprint footprint;
  uint64_t bytes;

  spec.mode = RC_VOXEL_OCCUPANCY;
  spec.output = __i__ ? RC_VOXEL_RANK : RC_VOXEL_INDEX;
  spec.batch = 2;
  run_ok (rc_voxel_plan (backend, &spec, &plan, &footprint, &run_error));
  fail_unless_equals_int64 (rc_voxel_value_bytes (plan), 0);
  job.scratch = scratch_new (&footprint, 4, &bytes);
  job.first_point = -1;
  refused (rc_voxel_begin (plan, &job, NULL, &run_error), "first_point is -1");
  job.first_point = 5;
  refused (rc_voxel_begin (plan, &job, NULL, &run_error), "first_point is 5 of a job of 4 points");
  job.first_point = 1;
  job.point_voxels_batch_stride = 23;
  refused (rc_voxel_begin (plan, &job, NULL, &run_error), "point_voxels_batch_stride of 23 bytes: an item has 24");
  job.point_voxels = NULL;
  refused (rc_voxel_begin (plan, &job, NULL, &run_error), __i__ ? "output rank writes it" : "output index writes it");
  job.first_point = 4;
  run_ok (rc_voxel_begin (plan, &job, NULL, &run_error));
  scratch_free (job.scratch, bytes);
  rc_voxel_plan_free (plan);
  rc_backend_close (backend);
}

GST_END_TEST;

/* An item that gets more than its N is an error even where only the backend sees the counts. */
GST_START_TEST (test_more_points_than_stated)
{
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  RcVoxelSpec spec = some_spec ();
  const float points[12] = { 0 };
  const int64_t counts[1] = { 2 }, stated[1] = { 3 };
  RcVoxelChunk chunk = { points, 2, 24, 0, counts, 0, NULL };
  RcVoxelJob job = { 3, stated, NULL };
  RcVoxelPlan *plan;
  RcFootprint footprint;
  uint64_t bytes;

  spec.output = __i__ ? RC_VOXEL_SPARSE : RC_VOXEL_DENSE;
  run_ok (rc_voxel_plan (backend, &spec, &plan, &footprint, &run_error));
  job.scratch = scratch_new (&footprint, 3, &bytes);
  run_ok (rc_voxel_begin (plan, &job, NULL, &run_error));
  run_ok (rc_voxel_add (plan, &job, &chunk, NULL, &run_error));
  refused (rc_voxel_add (plan, &job, &chunk, NULL, &run_error), "2 points after 2 others");
  scratch_free (job.scratch, bytes);
  rc_voxel_plan_free (plan);
  rc_backend_close (backend);
}

GST_END_TEST;

GST_START_TEST (test_wrong_batch_strides)
{
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  RcVoxelSpec spec = some_spec ();
  const float points[24] = { 0 };
  float grid[4096];
  uint32_t n_voxels[2];
  int32_t coordinates[2 * 3 * 600];
  RcVoxelChunk chunk = { points, 2, 24, 40, NULL, 0, NULL };
  RcVoxelJob job = { 2, NULL, NULL };
  RcVoxelOut out = { grid, 12, n_voxels, 4, coordinates, 12, grid, 2400, NULL };
  RcVoxelPlan *plan;
  RcFootprint footprint;
  uint64_t bytes;

  spec.batch = 2;
  spec.output = __i__ ? RC_VOXEL_SPARSE : RC_VOXEL_DENSE;
  run_ok (rc_voxel_plan (backend, &spec, &plan, &footprint, &run_error));
  job.scratch = scratch_new (&footprint, 2, &bytes);
  run_ok (rc_voxel_begin (plan, &job, NULL, &run_error));
  refused (rc_voxel_add (plan, &job, &chunk, NULL, &run_error), "batch_stride of 40 bytes");
  refused (rc_voxel_end (plan, &job, &out, NULL, &run_error), __i__ ? "coordinates_batch_stride of 12 bytes"
      : "grid_batch_stride of 12 bytes");
  scratch_free (job.scratch, bytes);
  rc_voxel_plan_free (plan);
  rc_backend_close (backend);
}

GST_END_TEST;

/* What is said of scratch and grid that they cannot be. */
GST_START_TEST (test_wrong_knowledge)
{
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  RcVoxelSpec spec = some_spec ();
  float grid[2 * 37 * 11 * 5];
  uint32_t occupied[2 * 64];
  RcVoxelOut out = {.grid = grid,.grid_batch_stride = sizeof (grid) / 2,.is_known = 1 };
  RcVoxelJob job = {.is_clean = 1 };
  RcVoxelPlan *plan;
  RcFootprint footprint;
  uint64_t bytes, other_bytes;
  void *scratch, *other;

  spec.batch = 2;
  run_ok (rc_voxel_plan (backend, &spec, &plan, &footprint, &run_error));
  scratch = scratch_new (&footprint, 0, &bytes);
  other = scratch_new (&footprint, 0, &other_bytes);
  job.scratch = scratch;
  refused (rc_voxel_begin (plan, &job, NULL, &run_error), "is said to be clean");
  job.is_clean = 0;
  run_ok (rc_voxel_begin (plan, &job, NULL, &run_error));
  refused (rc_voxel_end (plan, &job, &out, NULL, &run_error), "occupied is NULL");
  out.occupied = occupied;
  out.occupied_batch_stride = 252;
  refused (rc_voxel_end (plan, &job, &out, NULL, &run_error), "occupied_batch_stride of 252 bytes: an item has 256");
  out.is_known = 0;
  out.occupied_batch_stride = 256;
  run_ok (rc_voxel_end (plan, &job, &out, NULL, &run_error));
  job.is_clean = 1;
  job.scratch = other;
  refused (rc_voxel_begin (plan, &job, NULL, &run_error), "is said to be clean");
  job.scratch = scratch;
  run_ok (rc_voxel_begin (plan, &job, NULL, &run_error));
  refused (rc_voxel_begin (plan, &job, NULL, &run_error), "is said to be clean");       /* the job was given up */
  scratch_free (scratch, bytes);
  scratch_free (other, other_bytes);
  rc_voxel_plan_free (plan);
  rc_backend_close (backend);
}

GST_END_TEST;

GST_START_TEST (test_wrong_depth_rows)
{
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  RcVoxelSpec spec = some_spec ();
  const uint16_t pixels[70 * 9] = { 0 };
  RcVoxelChunk chunk = { pixels, 4, 140, 0, NULL, 6, NULL };
  RcVoxelJob job = { 70 * 9, NULL, NULL };
  RcVoxelPlan *plan;
  RcFootprint footprint;
  uint64_t bytes;

  spec.source = RC_VOXEL_DEPTH;
  run_ok (rc_voxel_plan (backend, &spec, &plan, &footprint, &run_error));
  job.scratch = scratch_new (&footprint, job.n_points, &bytes);
  run_ok (rc_voxel_begin (plan, &job, NULL, &run_error));
  refused (rc_voxel_add (plan, &job, &chunk, NULL, &run_error), "rows 6 to 9 of an image of 9 rows");
  chunk.first_row = 0;
  chunk.stride = 139;
  refused (rc_voxel_add (plan, &job, &chunk, NULL, &run_error), "stride of 139 bytes: a row has 140");
  scratch_free (job.scratch, bytes);
  rc_voxel_plan_free (plan);
  rc_backend_close (backend);
}

GST_END_TEST;

/* All phases at once say what each of them says, and an error ends the job. */
GST_START_TEST (test_wrong_runs)
{
  RcBackend *backend = open_cpu (RC_CPU_BEST);
  const RcVoxelSpec spec = some_spec ();
  const float points[2][6] = { {0.0f}, {1.0f} };
  const RcVoxelChunk good = {.data = points,.n = 2,.stride = sizeof (points[0]) };
  RcVoxelChunk chunk = good;
  RcVoxelJob job = {.n_points = 2 };
  RcVoxelPlan *plan;
  RcVoxelOut out;
  RcFootprint footprint;
  Result result;
  uint64_t bytes;

  run_ok (rc_voxel_plan (backend, &spec, &plan, &footprint, &run_error));
  result_alloc (&result, plan, &spec, &out);
  refused (rc_voxel_run (plan, &job, &good, &out, NULL, &run_error), "scratch");
  job.scratch = scratch_new (&footprint, 2, &bytes);
  refused (rc_voxel_run (plan, &job, NULL, &out, NULL, &run_error), "chunk is NULL");
  chunk.n = 3;
  refused (rc_voxel_run (plan, &job, &chunk, &out, NULL, &run_error), "said to have 2");
  refused (rc_voxel_run (plan, &job, &good, NULL, NULL, &run_error), "out is NULL");
  refused (rc_voxel_end (plan, &job, &out, NULL, &run_error), "end before begin");
  job.is_clean = 1;
  refused (rc_voxel_run (plan, &job, &good, &out, NULL, &run_error), "is said to be clean");
  job.is_clean = 0;
  run_ok (rc_voxel_run (plan, &job, &good, &out, NULL, &run_error));
  refused (rc_voxel_add (plan, &job, &good, NULL, &run_error), "add before begin");
  job.is_clean = 1;
  run_ok (rc_voxel_run (plan, &job, &good, &out, NULL, &run_error));
  scratch_free (job.scratch, bytes);
  result_clear (&result);
  rc_voxel_plan_free (plan);
  rc_backend_close (backend);
}

GST_END_TEST;

static Suite *
voxel_refused_suite (void)
{
  Suite *suite = suite_create ("voxel kernels: what they refuse");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_loop_test (tc, test_wrong_spec, 0, G_N_ELEMENTS (wrong_specs));
  tcase_add_test (tc, test_wrong_arguments);
  tcase_add_test (tc, test_wrong_point_counts);
  tcase_add_loop_test (tc, test_wrong_point_voxels, 0, 2);
  tcase_add_loop_test (tc, test_more_points_than_stated, 0, 2);
  tcase_add_loop_test (tc, test_wrong_batch_strides, 0, 2);
  tcase_add_test (tc, test_wrong_knowledge);
  tcase_add_test (tc, test_wrong_depth_rows);
  tcase_add_test (tc, test_wrong_runs);
  return suite;
}

GST_CHECK_MAIN (voxel_refused);
