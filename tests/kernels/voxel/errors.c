/* robocache: every wrong spec and argument of a voxel grid has an error that names it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma GCC diagnostic ignored "-Woverride-init"        /* a row of a table overrides one field of what is right */
#include "case.h"

#include <math.h>

#include "kernels/voxel_arithmetic.h"

/* ---- specs ---- */

#define GOOD .points = {RC_FLOAT32, 6, 4, 2}, .depth = {70, 9, 60.0, 61.0, 34.5, 4.25, 0.001}, .origin = {-1.5, 0.0, 2.25}, \
    .voxel_size = {0.1, 0.25, 0.3}, .grid = {37, 11, 5}, .mode = RC_VOXEL_MEAN, .dtype = RC_FLOAT32, .max_voxels = 600, .batch = 1
#define SPEC(...) {GOOD, __VA_ARGS__}
#define DEPTH(...) {GOOD, .source = RC_VOXEL_DEPTH, .mode = RC_VOXEL_COUNT, __VA_ARGS__}
#define FIRST(...) {GOOD, .mode = RC_VOXEL_FIRST, .output = RC_VOXEL_SPARSE, .max_points = 32, __VA_ARGS__}
#define FIELD(n, ...) SPEC (.points = {RC_FLOAT32, 6, 4, 2, (const RcVoxelField[6]) {{RC_FLOAT32, 0}, {RC_FLOAT32, 4}, \
    {RC_FLOAT32, 8}, {RC_FLOAT32, 12}, {RC_FLOAT32, 16}, {RC_FLOAT32, 20}, [n] = {__VA_ARGS__}}})
#define SPARSE .output = RC_VOXEL_SPARSE

static const struct
{
  const char *fragments;
  RcVoxelSpec spec;
  RcSetting setting;
} wrong_specs[] = {
  {"mode|17", SPEC (.mode = (RcVoxelMode) 17)},
  {"output|-1", SPEC (.output = (RcVoxelOutput) -1)},
  {"source|2", SPEC (.source = (RcVoxelSource) 2)},
  {"mode is count with output bits|occupancy", SPEC (.mode = RC_VOXEL_COUNT, .output = RC_VOXEL_BITS), RC_SETTING_MODE},
  {"points.dtype is int16|float32", SPEC (.points.dtype = RC_INT16), RC_SETTING_POINT_DTYPE},
  {"points.fields is 2", SPEC (.points.fields = 2), RC_SETTING_FIELDS},
  {"points.fields is 4097|4096", SPEC (.points.fields = 4097), RC_SETTING_FIELDS},
  {"mode is mean|feature", SPEC (.points.features = 0), RC_SETTING_MODE},
  {"features 4 to 6|6 fields", SPEC (.points.features = 3)},
  {"features -1|fields", SPEC (.points.first_feature = -1)},
  {"grid[1] is 0|2097152", SPEC (.grid[1] = 0), RC_SETTING_GRID},
  {"grid[2] is 2097153", SPEC (.grid[2] = RC_VOXEL_MAX_AXIS + 1), RC_SETTING_GRID},
  {"origin[1] is nan|finite", SPEC (.origin[1] = NAN), RC_SETTING_ORIGIN},
  {"origin[0] is 1e+300", SPEC (.origin[0] = 1e300), RC_SETTING_ORIGIN},
  {"voxel_size[2] is 0|above 0", SPEC (.voxel_size[2] = 0.0), RC_SETTING_VOXEL_SIZE},
  {"voxel_size[0] is 1e-60", SPEC (.voxel_size[0] = 1e-60), RC_SETTING_VOXEL_SIZE},
  {"voxel_size[0] is -1", SPEC (.voxel_size[0] = -1.0), RC_SETTING_VOXEL_SIZE},
  {"voxel_size[1] is nan", SPEC (.voxel_size[1] = NAN), RC_SETTING_VOXEL_SIZE},
  {"voxel_size[1] is 1e+60", SPEC (.voxel_size[1] = 1e60), RC_SETTING_VOXEL_SIZE},
  {"dtype is float64|uint8", SPEC (.dtype = RC_FLOAT64), RC_SETTING_DTYPE},
  {"dtype is bfloat16", SPEC (.dtype = RC_BFLOAT16), RC_SETTING_DTYPE},
  {"dtype is uint8 with mode mean|float16", SPEC (.dtype = RC_UINT8), RC_SETTING_DTYPE},
  {"dtype is uint32 with mode mean", SPEC (SPARSE, .dtype = RC_UINT32), RC_SETTING_DTYPE},
  {"dtype is uint32 with mode centroid", SPEC (.mode = RC_VOXEL_CENTROID, .dtype = RC_UINT32), RC_SETTING_DTYPE},
  {"dtype is uint8 with mode max", SPEC (.mode = RC_VOXEL_MAX, .dtype = RC_UINT8), RC_SETTING_DTYPE},
  {"dtype is uint32 with mode min", SPEC (.mode = RC_VOXEL_MIN, .dtype = RC_UINT32), RC_SETTING_DTYPE},
  {"mode is mean with output bits", SPEC (.output = RC_VOXEL_BITS), RC_SETTING_MODE},
  {"max_voxels is 0|2147483647", SPEC (SPARSE, .max_voxels = 0), RC_SETTING_MAX_VOXELS},
  {"max_voxels is 2147483648", SPEC (SPARSE, .max_voxels = INT64_C (1) << 31), RC_SETTING_MAX_VOXELS},
  {"feature_range is -1", SPEC (.feature_range = -1.0), RC_SETTING_FEATURE_RANGE},
  {"feature_range is nan", SPEC (.feature_range = NAN), RC_SETTING_FEATURE_RANGE},
  {"batch|0", SPEC (.batch = 0)},
  {"field 4|type ?", FIELD (4, RC_N_DTYPES, 16)},
  {"field 1|float64", FIELD (1, RC_FLOAT64, 4)},
  {"field 5|-1", FIELD (5, RC_FLOAT32, -1)},
  {"field 0|2147483644", FIELD (0, RC_FLOAT32, RC_VOXEL_MAX_POINT_BYTES - 3)},
  {"mode is mean with output index|occupancy", SPEC (.output = RC_VOXEL_INDEX), RC_SETTING_MODE},
  {"mode is count with output rank|occupancy", SPEC (.mode = RC_VOXEL_COUNT, .output = RC_VOXEL_RANK), RC_SETTING_MODE},
  {"max_voxels is -1", SPEC (.mode = RC_VOXEL_OCCUPANCY, .output = RC_VOXEL_RANK, .max_voxels = -1), RC_SETTING_MAX_VOXELS},
  {"output is dense with mode first|sparse", FIRST (.output = RC_VOXEL_DENSE), RC_SETTING_OUTPUT},
  {"mode is first with output bits|occupancy", FIRST (.output = RC_VOXEL_BITS), RC_SETTING_MODE},
  {"output is dense with mode pillars|sparse", FIRST (.mode = RC_VOXEL_PILLARS, .output = RC_VOXEL_DENSE), RC_SETTING_OUTPUT},
  {"mode is pillars with output rank|occupancy", FIRST (.mode = RC_VOXEL_PILLARS, .output = RC_VOXEL_RANK), RC_SETTING_MODE},
  {"max_points is 65537|65536", FIRST (.mode = RC_VOXEL_PILLARS, .max_points = 65537), RC_SETTING_MAX_POINTS},
  {"dtype is uint32 with mode pillars|float16", FIRST (.mode = RC_VOXEL_PILLARS, .dtype = RC_UINT32), RC_SETTING_DTYPE},
  {"max_points is 0|65536", FIRST (.max_points = 0), RC_SETTING_MAX_POINTS},
  {"max_points is 65537", FIRST (.max_points = 65537), RC_SETTING_MAX_POINTS},
  {"dtype is uint8 with mode first", FIRST (.dtype = RC_UINT8), RC_SETTING_DTYPE},
  {"max_voxels is 2147483647 with max_points 65536|2^46 bytes",
      FIRST (.max_points = 65536, .max_voxels = INT32_MAX), RC_SETTING_MAX_VOXELS},
  {"grid is 2097152:2097152:2097152 with output dense|sparse",
      SPEC (.grid = {RC_VOXEL_MAX_AXIS, RC_VOXEL_MAX_AXIS, RC_VOXEL_MAX_AXIS}), RC_SETTING_GRID},
  {"fx is 0|above 0", DEPTH (.depth.fx = 0.0), RC_SETTING_FX},
  {"cx is nan|finite", DEPTH (.depth.cx = NAN), RC_SETTING_CX},
  {"scale is 0|above 0", DEPTH (.depth.scale = 1e-60), RC_SETTING_SCALE},
  {"width is 0|65536", DEPTH (.depth.width = 0), RC_SETTING_WIDTH},
  {"height is 65537|65536", DEPTH (.depth.height = 65537), RC_SETTING_HEIGHT},
  {"mode is max|depth image", DEPTH (.mode = RC_VOXEL_MAX), RC_SETTING_MODE},
  {"accumulates is -1", SPEC (.mode = RC_VOXEL_MAX, .accumulates = -1)},
};

static void
check_specs (Suite *suite, const Place *place)
{
  const RcVoxelSpec good = SPEC (.batch = 1);
  Test test = { "voxel_errors_of_specs", "" };
  RcVoxelPlan *plan;
  RcError error;

  for (size_t i = 0; i < COUNT (wrong_specs); i++) {
    plan = (RcVoxelPlan *) 1;
    expect_refusal (rc_voxel_plan (place->backend, &wrong_specs[i].spec, &plan, NULL, &error), RC_INVALID_ARGUMENT, &error,
        wrong_specs[i].fragments, &test);
    expect_setting (&error, wrong_specs[i].setting, &test);
    test_expect (&test, plan == NULL, "row %zu has a plan", i);
  }
  expect_refusal (rc_voxel_plan (NULL, &good, &plan, NULL, &error), RC_INVALID_ARGUMENT, &error, "backend is NULL", &test);
  expect_refusal (rc_voxel_plan (place->backend, NULL, &plan, NULL, &error), RC_INVALID_ARGUMENT, &error, "spec is NULL", &test);
  rc_voxel_plan_free (NULL);
  suite_end (suite, &test);
}

/* ---- calls of one plan, one after another ---- */

typedef enum
{
  BEGIN, RANGE, ADD, REMOVE, MEASURE, END, RUN
} Call;

/* Memory that arguments point to, at a place. */
typedef struct
{
  uint8_t points[4096], outputs[16384];
  int64_t counts[8];
  uint32_t occupied[128];
} Data;

typedef struct
{
  Call call;
  const char *fragments;        /* NULL: it succeeds */
  int only;                     /* on the CPU, on a GPU, or anywhere */
  RcVoxelJob job;
  RcVoxelChunk chunk;
  RcVoxelOut out;
  int null;                     /* the chunk, out or ranges is NULL */
} Step;

enum
{
  ANYWHERE, CPU, GPU
};

/* Jobs of 2 points; a row overrides what is wrong in it. */
#define JOB(...) .job = {.n_points = 2, .scratch = scratch, __VA_ARGS__}
#define CHUNK(...) .chunk = {.data = data->points, .n = 2, .stride = 24, __VA_ARGS__}
#define OUT(...) .out = {.grid = data->outputs, .values = data->outputs, .n_voxels = (uint32_t *) data->outputs, \
    .coordinates = (int32_t *) data->outputs, .point_counts = (uint32_t *) data->outputs, __VA_ARGS__}
#define ALL JOB (), CHUNK (), OUT ()
#define OK(call, ...) {call, NULL, ANYWHERE, ALL, ##__VA_ARGS__}
#define BAD(call, fragments, ...) {call, fragments, ANYWHERE, ALL, ##__VA_ARGS__}
#define BAD_ON_CPU(call, fragments, ...) {call, fragments, CPU, ALL, ##__VA_ARGS__}
#define BAD_ON_GPU(call, fragments, ...) {call, fragments, GPU, ALL, ##__VA_ARGS__}
#define OTHER .scratch = (char *) scratch + other

/* A plan and memory for its calls. data and scratch are at the place; a second scratch follows the first one after `other` bytes. */
typedef struct
{
  Suite *suite;
  const Place *place;
  Test test;
  RcVoxelPlan *plan;
  Data *data;
  void *scratch;
  size_t other;
} Stage;

static const double good_ranges[2] = { 1, 1 };

static RcStatus
do_step (const Stage *stage, const Step *step, RcError *error)
{
  static RcStatus (*const phases[]) (RcVoxelPlan *, const RcVoxelJob *, const RcVoxelChunk *, RcStream, RcError *) = {
    [RANGE] = rc_voxel_range,[ADD] = rc_voxel_add,[REMOVE] = rc_voxel_remove
  };
  const RcVoxelChunk *chunk = step->null ? NULL : &step->chunk;
  const RcVoxelOut *out = step->null ? NULL : &step->out;
  const RcStream stream = stage->place->stream;
  double ranges[2] = { 0, 0 };

  switch (step->call) {
    case BEGIN:
      return rc_voxel_begin (stage->plan, &step->job, stream, error);
    case END:
      return rc_voxel_end (stage->plan, &step->job, out, stream, error);
    case MEASURE:
      return rc_voxel_measure (stage->plan, &step->chunk, step->null ? NULL : ranges, stream, error);
    case RUN:
      return rc_voxel_run (stage->plan, &step->job, chunk, &step->out, stream, error);
    default:
      return phases[step->call] (stage->plan, &step->job, chunk, stream, error);
  }
}

static void
do_steps (Stage *stage, const Step *steps, size_t n)
{
  for (size_t i = 0; i < n && test_holds (&stage->test); i++) {
    const Step *step = &steps[i];
    char row[1024];
    RcStatus status;
    RcError error = { RC_OK, "" };

    if (step->only != ANYWHERE && (step->only == GPU) != stage->place->is_gpu)
      continue;
    status = do_step (stage, step, &error);
    if (step->fragments == NULL)
      is_ok (status, &error, &stage->test);
    else
      expect_refusal (status, RC_INVALID_ARGUMENT, &error, step->fragments, &stage->test);
    if (!test_holds (&stage->test)) {
      snprintf (row, sizeof (row), "step %zu: %.900s", i, stage->test.why);
      memcpy (stage->test.why, row, sizeof (row));
    }
  }
}

/* rows: a function that fills the table, which has addresses of the stage. */
static void
run_stage (Suite *suite, const Place *place, const char *name, const RcVoxelSpec *spec, void (*rows) (Stage * stage))
{
  Stage stage = {.suite = suite,.place = place,.test = test_begin ("voxel_errors_of_%s", name),
    .data = place_alloc (place, sizeof (Data))
  };
  static const Data zero = { .counts = {2, 3, -1, 0, 1, 0, 2, 0} };
  RcFootprint footprint = { 0, 0 };
  RcError error;

  if (is_ok (rc_voxel_plan (place->backend, spec, &stage.plan, &footprint, &error), &error, &stage.test)
      && place_copy (place, stage.data, &zero, sizeof (zero), &stage.test)) {
    stage.other = (footprint.scratch_bytes + 1000 * footprint.scratch_bytes_per_point + 511) / 256 * 256;
    stage.scratch = place_alloc (place, 2 * stage.other);
    rows (&stage);
    place_wait (place, &stage.test);
  }
  rc_voxel_plan_free (stage.plan);
  place_free (place, stage.scratch);
  place_free (place, stage.data);
  suite_end (suite, &stage.test);
}

#define ROWS(name, ...) \
static void \
name (Stage *stage) \
{ \
  Data *const data = stage->data; \
  void *const scratch = stage->scratch; \
  const size_t other = stage->other; \
  const int64_t *const two = &data->counts[0], *const three = &data->counts[1], *const one = &data->counts[4]; \
  const Step steps[] = { __VA_ARGS__ }; \
\
  (void) other, (void) two, (void) three, (void) one; \
  do_steps (stage, steps, COUNT (steps)); \
}

ROWS (of_means,
  BAD (ADD, "before begin"), BAD (RANGE, "before begin"), BAD (END, "before begin"),
  BAD (BEGIN, "256", JOB (.scratch = (char *) scratch + 8)),
  BAD (BEGIN, "scratch", JOB (.scratch = NULL)),
  BAD (BEGIN, "n_points is -1", JOB (.n_points = -1)),
  BAD (BEGIN, "n_points is 4294967296", JOB (.n_points = RC_VOXEL_MAX_POINTS + 1)),
  BAD_ON_CPU (BEGIN, "item_points[0] is 3", JOB (.item_points = three)),
  OK (BEGIN),
  BAD (RANGE, "data", CHUNK (.data = NULL)),
  BAD (RANGE, "-2 points", CHUNK (.n = -2)),
  BAD (RANGE, "job.n_points is 2", CHUNK (.n = 3)),
  BAD (RANGE, "stride of 23 bytes", CHUNK (.stride = 23)),
  BAD_ON_CPU (RANGE, "counts[0]", CHUNK (.counts = three)),
  BAD (ADD, "needs range over all points first"),
  OK (BEGIN), OK (RANGE),
  BAD (END, "end after 0 points in add and 2 in range"),
  OK (ADD),
  BAD (RANGE, "after add"),
  BAD (ADD, "points in add, but 2 in range", CHUNK (.counts = one)),
  BAD (END, "out is NULL", .null = 1),
  BAD (END, "grid is NULL", OUT (.grid = NULL)),
  BAD (REMOVE, "plan that keeps nothing"),
  BAD (BEGIN, "jobs of this plan are never incremental", JOB (.is_incremental = 1)))

#define PILLARS(...) OUT (.n_voxels_batch_stride = 4, .coordinates_batch_stride = 36, .values_batch_stride = 660, \
    .point_counts_batch_stride = 12, __VA_ARGS__)
ROWS (of_pillars,
  OK (BEGIN),
  BAD (END, "point_counts is NULL: output sparse of mode pillars", PILLARS (.point_counts = NULL)),
  BAD (END, "values_batch_stride of 659 bytes: an item has 660", PILLARS (.values_batch_stride = 659)))

ROWS (of_first_points,
  OK (BEGIN),
  BAD (END, "point_counts is NULL: output sparse of mode first", OUT (.n_voxels_batch_stride = 4, .coordinates_batch_stride = 36,
      .values_batch_stride = 360, .point_counts = NULL)),
  BAD (END, "point_counts_batch_stride of 11 bytes: an item has 12", OUT (.n_voxels_batch_stride = 4,
      .coordinates_batch_stride = 36, .values_batch_stride = 360, .point_counts_batch_stride = 11)),
  BAD (END, "values_batch_stride of 359 bytes: an item has 360", OUT (.n_voxels_batch_stride = 4, .coordinates_batch_stride = 36,
      .values_batch_stride = 359, .point_counts_batch_stride = 12)))

#define MAP(...) JOB (.n_points = 4, .point_voxels = (int64_t *) data->outputs, .point_voxels_batch_stride = 32, __VA_ARGS__)
ROWS (of_maps,
  BAD (BEGIN, "first_point is -1", MAP (.first_point = -1)),
  BAD (BEGIN, "first_point is 5 of a job of 4 points", MAP (.first_point = 5)),
  BAD (BEGIN, "point_voxels_batch_stride of 23 bytes: an item has 24", MAP (.first_point = 1, .point_voxels_batch_stride = 23)),
  BAD (BEGIN, "point_voxels is NULL: output | writes it", MAP (.point_voxels = NULL)),
  BAD_ON_GPU (BEGIN, "point_voxels is", MAP (.point_voxels_batch_stride = 36)),
  OK (BEGIN, MAP (.first_point = 4, .point_voxels = NULL)))

/* An item that gets more than its N is an error where the host sees the counts. */
ROWS (of_counts,
  OK (BEGIN, JOB (.n_points = 3, .item_points = three)),
  OK (ADD, JOB (.n_points = 3, .item_points = three), CHUNK (.counts = two)),
  BAD_ON_CPU (ADD, "2 points after 2 others", JOB (.n_points = 3, .item_points = three), CHUNK (.counts = two)))

#define STRIDES .grid_batch_stride = 8140, .n_voxels_batch_stride = 4, .coordinates_batch_stride = 7200, .values_batch_stride = 4800
#define BATCH CHUNK (.batch_stride = 48)
ROWS (of_batches,
  OK (BEGIN), BAD (ADD, "batch_stride of 40 bytes", CHUNK (.batch_stride = 40)),
  BAD (END, "grid_batch_stride of 12 bytes", OUT (STRIDES, .grid_batch_stride = 12)),
  BAD_ON_GPU (END, "grid is", OUT (STRIDES, .grid = data->outputs + 2)),
  OK (BEGIN), OK (ADD, BATCH),
  BAD_ON_GPU (END, "occupied is", OUT (STRIDES, .occupied = (uint32_t *) ((char *) data->occupied + 2), .occupied_batch_stride = 256)))

ROWS (of_sparse_batches,
  OK (BEGIN),
  BAD (END, "coordinates_batch_stride of 12 bytes", OUT (STRIDES, .coordinates_batch_stride = 12)),
  BAD_ON_GPU (END, "values is", OUT (STRIDES, .values_batch_stride = 4801)),
  OK (BEGIN), BAD_ON_GPU (END, "n_voxels is", OUT (STRIDES, .n_voxels_batch_stride = 6)),
  OK (BEGIN), BAD_ON_GPU (END, "coordinates is", OUT (STRIDES, .coordinates_batch_stride = 7201)))

/* Wrong statements of what scratch and grid hold. */
ROWS (of_knowledge,
  BAD (BEGIN, "is_clean with scratch", JOB (.is_clean = 1)),
  OK (BEGIN),
  BAD (END, "occupied is NULL", OUT (.grid_batch_stride = 8140, .is_known = 1)),
  BAD (END, "occupied_batch_stride of 252 bytes: an item has 256", OUT (.grid_batch_stride = 8140, .is_known = 1,
      .occupied = data->occupied, .occupied_batch_stride = 252)),
  OK (END, OUT (.grid_batch_stride = 8140, .occupied = data->occupied, .occupied_batch_stride = 256)),
  BAD (BEGIN, "is_clean with scratch", JOB (.is_clean = 1, OTHER)),
  OK (BEGIN, JOB (.is_clean = 1)),
  BAD (BEGIN, "is_clean with scratch", JOB (.is_clean = 1)))      /* that job was given up */

#define IMAGE JOB (.n_points = 630)
ROWS (of_depth,
  OK (BEGIN, IMAGE),
  BAD (ADD, "rows 6 to 9 of an image of 9 rows", IMAGE, CHUNK (.n = 4, .stride = 140, .first_row = 6)),
  BAD (ADD, "stride of 139 bytes: a row has 140", IMAGE, CHUNK (.n = 4, .stride = 139)))

ROWS (of_layouts,
  OK (BEGIN), BAD (ADD, "stride of 15 bytes: a point has 16", CHUNK (.stride = 15)), OK (ADD, CHUNK (.stride = 16)))

/* All phases at once: the errors of each of them, and an error ends the job. */
ROWS (of_runs,
  BAD (RUN, "scratch", JOB (.scratch = NULL)),
  BAD (RUN, "chunk is NULL", .null = 1),
  BAD (RUN, "job.n_points is 2", CHUNK (.n = 3)),
  BAD (RUN, "grid is NULL", OUT (.grid = NULL)),
  BAD (END, "end before begin"),
  BAD (RUN, "is_clean with scratch", JOB (.is_clean = 1)),
  OK (RUN),
  BAD (ADD, "add before begin"),
  OK (RUN, JOB (.is_clean = 1)))

static const double nan_ranges[2] = { 1, NAN };

#define ONE CHUNK (.n = 1)
ROWS (of_windows,
  BAD (BEGIN, "is_incremental: the last job ended in scratch", JOB (.ranges = good_ranges, .is_incremental = 1)),
  BAD (BEGIN, "ranges[1] is nan", JOB (.ranges = nan_ranges)),
  BAD (REMOVE, "remove before begin"),
  OK (BEGIN, JOB (.ranges = good_ranges)),
  BAD (REMOVE, "remove of 1 points: 0 are held", ONE),
  OK (ADD), OK (END),
  OK (BEGIN, JOB (.ranges = good_ranges, .is_incremental = 1)), OK (ADD, ONE),
  BAD (END, "3 points are held, but job.n_points is 2"),
  OK (BEGIN, JOB (.ranges = good_ranges)), OK (ADD, ONE),
  BAD_ON_CPU (REMOVE, "counts[0] of a chunk is 2; expected 0 to 1", CHUNK (.n = 1, .counts = two)),
  BAD_ON_CPU (END, "end before begin"),
  BAD (MEASURE, "ranges is NULL", .null = 1))

ROWS (of_fixed_ranges, BAD (MEASURE, "needs a range"))

/* A job that goes on adds points that are numbered from first_added on. */
#define RANK(...) JOB (.n_points = 3, .point_voxels = (int64_t *) data->outputs, __VA_ARGS__)
ROWS (of_numbers,
  BAD (BEGIN, "first_added is 1: expected 0 to 0", RANK (.first_added = 1, .first_point = 1)),
  OK (RUN, RANK (.first_point = 1)),
  BAD (BEGIN, "first_added is 2: expected 0 to 1", RANK (.first_added = 2, .first_point = 1, .is_incremental = 1)),
  OK (BEGIN, RANK (.first_added = 2, .first_point = 2, .is_incremental = 1)),
  BAD (ADD, "2 points after 2 others: job.n_points is 3", RANK (.first_added = 2, .first_point = 2, .is_incremental = 1)),
  BAD_ON_CPU (ADD, "2 points after 2 others for item 0", RANK (.first_added = 2, .first_point = 2, .is_incremental = 1),
      CHUNK (.counts = two)))

/* The points of a layer are removed as a whole, before anything else is done. */
#define LAYER(points, number) JOB (.n_points = 8), CHUNK (.n = points, .layer = number)
ROWS (of_layers,
  OK (BEGIN, JOB (.n_points = 8)),
  BAD (ADD, "layer of a chunk is 3: expected 0 to 2", LAYER (1, 3)),
  BAD (ADD, "layer of a chunk is -1", LAYER (1, -1)),
  OK (ADD, LAYER (2, 2)),
  BAD (REMOVE, "layer of a chunk is 3", LAYER (1, 3)),
  BAD (REMOVE, "remove of 1 points of layer 1: 0 are held", LAYER (1, 1)),
  OK (ADD, LAYER (1, 1)),
  BAD (REMOVE, "remove of 2 points of layer 1: 1 are held", LAYER (2, 1)),
  OK (REMOVE, LAYER (1, 2)),
  BAD (ADD, "layer 2 still holds 1 points", LAYER (1, 2)),
  BAD (ADD, "layer 2 still holds 1 points", LAYER (1, 1)),
  BAD (REMOVE, "layer 2 still holds 1 points", LAYER (1, 1)),
  BAD (END, "layer 2 still holds 1 points", JOB (.n_points = 8)),
  OK (REMOVE, LAYER (0, 2)), OK (REMOVE, LAYER (1, 2)), OK (ADD, LAYER (2, 2)), OK (REMOVE, LAYER (1, 2)),
  OK (BEGIN, JOB (.n_points = 8)),      /* anew: nothing is held */
  BAD (REMOVE, "0 are held", LAYER (1, 2)),
  OK (ADD, LAYER (2, 2)), OK (END, JOB (.n_points = 8)))

/* Streams are the default ones of nobody. */
static void
check_streams (Suite *suite, const Place *place)
{
  const RcVoxelSpec spec = SPEC (.mode = RC_VOXEL_COUNT);
  const RcVoxelChunk chunk = { NULL };
  const RcVoxelJob job = {.scratch = place_alloc (place, 256) };
  /* NULL, and of CUDA the legacy stream and that of each thread */
  const RcStream streams[] = { place->is_gpu ? NULL : (RcStream) 16, (RcStream) 1, (RcStream) 2 };
  Test test = { "voxel_errors_of_streams", "" };
  RcVoxelPlan *plan = NULL;
  RcError error;

  is_ok (rc_voxel_plan (place->backend, &spec, &plan, NULL, &error), &error, &test);
  for (size_t i = 0; i < COUNT (streams) && test_holds (&test); i++)
    expect_refusal (rc_voxel_begin (plan, &job, streams[i], &error), RC_INVALID_ARGUMENT, &error, "stream", &test);
  expect_refusal (rc_voxel_begin (NULL, &job, NULL, &error), RC_INVALID_ARGUMENT, &error, "plan is NULL", &test);
  expect_refusal (rc_voxel_begin (plan, NULL, NULL, &error), RC_INVALID_ARGUMENT, &error, "job is NULL", &test);
  expect_refusal (rc_voxel_add (plan, &job, &chunk, place->stream, &error), RC_INVALID_ARGUMENT, &error, "before begin", &test);
  rc_voxel_plan_free (plan);
  place_free (place, job.scratch);
  suite_end (suite, &test);
}

static void
check_calls (Suite *suite, const Place *place)
{
  static const RcVoxelField fields[] = { {RC_FLOAT32, 10}, {RC_FLOAT32, 4}, {RC_FLOAT32, 0}, {RC_UINT16, 14} };
  static const struct
  {
    const char *name;
    void (*rows) (Stage * stage);
    RcVoxelSpec spec;
  } stages[] = {
    {"means", of_means, SPEC (.accumulates = 0)},
    {"first_points", of_first_points, FIRST (.max_voxels = 3, .max_points = 5, .batch = 2)},
    {"pillars", of_pillars, FIRST (.mode = RC_VOXEL_PILLARS, .max_voxels = 3, .max_points = 5, .batch = 2)},
    {"index", of_maps, SPEC (.mode = RC_VOXEL_OCCUPANCY, .output = RC_VOXEL_INDEX, .batch = 2)},
    {"rank", of_maps, SPEC (.mode = RC_VOXEL_OCCUPANCY, .output = RC_VOXEL_RANK, .batch = 2)},
    {"counts_dense", of_counts, SPEC (.mode = RC_VOXEL_COUNT)},
    {"counts_sparse", of_counts, SPEC (.mode = RC_VOXEL_COUNT, SPARSE)},
    {"batches", of_batches, SPEC (.mode = RC_VOXEL_COUNT, .batch = 2)},
    {"sparse_batches", of_sparse_batches, SPEC (.mode = RC_VOXEL_COUNT, SPARSE, .batch = 2)},
    {"knowledge", of_knowledge, SPEC (.mode = RC_VOXEL_COUNT, .batch = 2)},
    {"depth", of_depth, DEPTH (.batch = 1)},
    {"layouts", of_layouts, SPEC (.mode = RC_VOXEL_COUNT, .points = {RC_FLOAT32, 4, 3, 1, fields})},
    {"runs", of_runs, SPEC (.mode = RC_VOXEL_COUNT)},
    {"windows", of_windows, SPEC (.accumulates = 1)},
    {"fixed_ranges", of_fixed_ranges, SPEC (.accumulates = 1, .feature_range = 1.0)},
    {"numbers", of_numbers, SPEC (.mode = RC_VOXEL_OCCUPANCY, .output = RC_VOXEL_RANK, .accumulates = 1)},
    {"layers", of_layers, SPEC (.mode = RC_VOXEL_MAX, .accumulates = 3)},
  };

  for (size_t i = 0; i < COUNT (stages); i++)
    run_stage (suite, place, stages[i].name, &stages[i].spec, stages[i].rows);
}

void
check_voxel_errors (Suite *suite)
{
  const Place *const place = suite->is_gpu ? &suite->places[0] : &suite->reference;

  check_specs (suite, place);
  check_calls (suite, place);
  check_streams (suite, place);
}

/* ---- what plans say of themselves ---- */

/* Plans that keep accumulators within a bound; one that would keep more is as if its spec had not asked. */
static const struct
{
  RcVoxelMode mode;
  RcVoxelOutput output;
  int64_t side, batch;
  int accumulates;                  /* 4 clouds of 2 features */
} keeping[] = {
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, 512, 1, 1}, {RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, 513, 1, 0},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, 256, 8, 1}, {RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, 256, 9, 0},
  {RC_VOXEL_COUNT, RC_VOXEL_DENSE, 1024, 1, 1}, {RC_VOXEL_CENTROID, RC_VOXEL_SPARSE, 256, 1, 1},
  {RC_VOXEL_CENTROID, RC_VOXEL_SPARSE, 512, 1, 0}, {RC_VOXEL_OCCUPANCY, RC_VOXEL_SPARSE, RC_VOXEL_MAX_AXIS, 1, 0},
  {RC_VOXEL_MAX, RC_VOXEL_DENSE, 256, 1, 1}, {RC_VOXEL_MAX, RC_VOXEL_DENSE, 257, 1, 0}, {RC_VOXEL_MIN, RC_VOXEL_DENSE, 128, 8, 1},
  {RC_VOXEL_MIN, RC_VOXEL_DENSE, 128, 9, 0}, {RC_VOXEL_MIN, RC_VOXEL_SPARSE, 128, 1, 1},
  {RC_VOXEL_MAX, RC_VOXEL_SPARSE, RC_VOXEL_MAX_AXIS, 1, 0}, {RC_VOXEL_FIRST, RC_VOXEL_SPARSE, 8, 1, 0},
  {RC_VOXEL_PILLARS, RC_VOXEL_SPARSE, 8, 1, 0},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, 256, 7, 1}, {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, 256, 8, 0},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_VOXEL_MAX_AXIS, 1, 0}, {RC_VOXEL_OCCUPANCY, RC_VOXEL_INDEX, 8, 1, 0},
};

static void
check_keeping (Suite *suite, const Place *place)
{
  Test test = { "voxel_plans_that_keep", "" };
  RcFootprint without, with;
  RcVoxelPlan *plan;
  RcError error;

  for (size_t i = 0; i < COUNT (keeping) && test_holds (&test); i++) {
    RcVoxelSpec spec = SPEC (.mode = keeping[i].mode, .output = keeping[i].output, .batch = keeping[i].batch, .max_points = 3,
        .grid = {keeping[i].side, keeping[i].side, keeping[i].side});

    if (!is_ok (rc_voxel_plan (place->backend, &spec, &plan, &without, &error), &error, &test))
      break;
    test_expect (&test, !rc_voxel_accumulates (plan), "row %zu keeps unasked", i);
    rc_voxel_plan_free (plan);
    spec.accumulates = 4;
    if (!is_ok (rc_voxel_plan (place->backend, &spec, &plan, &with, &error), &error, &test))
      break;
    test_expect (&test, rc_voxel_accumulates (plan) == keeping[i].accumulates, "row %zu", i);
    test_expect (&test, rc_voxel_layers (plan) == (keeping[i].accumulates && (spec.mode == RC_VOXEL_MAX || spec.mode == RC_VOXEL_MIN)
            ? 4 : 0), "layers of row %zu", i);
    test_expect (&test, place->is_gpu || (with.scratch_bytes <= without.scratch_bytes + (keeping[i].accumulates ? RC_VOXEL_MAX_ACCUMULATED_BYTES : 0)
        && with.scratch_bytes_per_point <= without.scratch_bytes_per_point), "bytes of row %zu", i);
    rc_voxel_plan_free (plan);
  }
  suite_end (suite, &test);
}

/* Which jobs may go on from one that has ended in its scratch with 2 points and ranges 1, 1. */
static void
check_going_on (Suite *suite, const Place *place)
{
  static const double wider[2] = { 1, 2 }, as_wide[2] = { 1, 1.75 };
  const RcVoxelSpec spec = SPEC (.accumulates = 1);
  Test test = { "voxel_jobs_that_go_on", "" };
  Data *data = place_alloc (place, sizeof (Data));
  RcVoxelPlan *plan = NULL;
  RcFootprint footprint;
  RcError error;

  if (is_ok (rc_voxel_plan (place->backend, &spec, &plan, &footprint, &error), &error, &test)) {
    void *scratch = place_alloc (place, footprint.scratch_bytes + 2 * footprint.scratch_bytes_per_point);
    const RcVoxelChunk chunk = {.data = data->points,.n = 2,.stride = 24 };
    const RcVoxelOut out = {.grid = data->outputs };
    const struct
    {
      RcVoxelJob job;
      int may;
    } jobs[] = {
      {{2,.scratch = scratch,.ranges = good_ranges}, 1}, {{2,.scratch = (char *) scratch + 256,.ranges = good_ranges}, 0},
      {{3,.scratch = scratch,.ranges = good_ranges}, 0}, {{2,.scratch = scratch,.ranges = wider}, 0},
      {{2,.scratch = scratch,.ranges = as_wide}, 1}, {{2,.scratch = scratch}, 0},
    };

    test_expect (&test, rc_voxel_channels (plan) == 2 && rc_voxel_needs_range (plan), "channels or range");
    test_expect (&test, !rc_voxel_can_be_incremental (plan, &jobs[0].job), "before the first job");
    is_ok (rc_voxel_run (plan, &jobs[0].job, &chunk, &out, place->stream, &error), &error, &test);
    for (size_t i = 0; i < COUNT (jobs); i++)
      test_expect (&test, rc_voxel_can_be_incremental (plan, &jobs[i].job) == jobs[i].may, "job %zu", i);
    is_ok (rc_voxel_begin (plan, &jobs[0].job, place->stream, &error), &error, &test);
    test_expect (&test, !rc_voxel_can_be_incremental (plan, &jobs[0].job), "from a job that has not ended");
    place_wait (place, &test);
    place_free (place, scratch);
  }
  rc_voxel_plan_free (plan);
  place_free (place, data);
  suite_end (suite, &test);
}

/* The key 0 means no point, so no value has it. */
static void
check_keys (Suite *suite)
{
  static const uint32_t flips[] = { 0, 0xFFFFFFFFu }, ends[] = { 0, 1, 0x7FFF, 0xFFFE, 0xFFFF };
  Test test = { "voxel_no_key_is_0", "" };

  for (uint32_t i = 0; i < (1 << 16) * COUNT (ends) && test_holds (&test); i++) {
    const float x = rc_float32 ((uint32_t) (i / COUNT (ends)) << 16 | ends[i % COUNT (ends)]);

    for (size_t k = 0; k < COUNT (flips); k++) {
      const uint32_t key = rc_voxel_key (x, flips[k]);

      test_expect (&test, key != 0 && rc_bits32 (rc_voxel_value_of_key (key, flips[k])) == (isnan (x) ? RC_NAN32_BITS
              : rc_bits32 (x)), "of %g", (double) x);
    }
  }
  suite_end (suite, &test);
}

void
check_voxel_plans (Suite *suite)
{
  const Place *const place = suite->is_gpu ? &suite->places[0] : &suite->reference;

  check_keeping (suite, place);
  check_going_on (suite, place);
  check_keys (suite);
}
