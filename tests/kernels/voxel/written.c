/* robocache: voxel grids written out, with results that a reader can verify, and clouds that are hard by design
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "case.h"

#include <inttypes.h>

#include "tests/kernels/numbers.h"

#define MAX_ROWS 10
#define MAX_VALUES 20
#define MAX_GPU_POINTS (1 << 24)        /* stated: scratch is by the point */
#define LAST (RC_VOXEL_MAX_AXIS - 1)
#define FLOAT_MAX 3.4028234663852886e38
#define BELOW_1 0x1.fffffep-1   /* the float32 before 1 */
#define BELOW_2 0x1.fffffep0
#define K(ceil_log2) (62 - 1 - (ceil_log2))     /* of 2^-k, beside a feature of 1 */

/* Points of x, y, z and one feature in a grid of unit voxels. */
typedef struct
{
  const char *name;
  RcVoxelMode mode;
  RcVoxelOutput output;
  RcDtype input, dtype;
  int64_t grid[3];
  int n_rows;
  double rows[MAX_ROWS][4];
  double expected[MAX_VALUES];  /* the first values, or numbers of a map */
  RcVoxelCounters counters;     /* of these, those that are not 0 */
  double origin, feature_range;
  int64_t max_voxels, max_points;       /* 0: 600, and 2 */
  int64_t stated;               /* N; 0: n_rows */
  int centre_z;
} Written;

#define F32 RC_FLOAT32, RC_FLOAT32
#define F64 RC_FLOAT64, RC_FLOAT32
#define TWO {2, 1, 1}
#define LARGEST {RC_VOXEL_MAX_AXIS, RC_VOXEL_MAX_AXIS, RC_VOXEL_MAX_AXIS}
#define FACES 9, {{0}, {-0.0, -0.0, -0.0}, {BELOW_1}, {1}, {BELOW_2}, {2}, {-1e-45}, {0, 1}, {0, 0, 1}}
#define NO_NUMBERS 7, {{NAN}, {0, INFINITY}, {0, NAN, INFINITY}, {0, 0, -INFINITY}, {1e300}, {0.5, 0.5, 0.5, NAN}, {5}}
#define CORNERS 8, {{LAST, LAST, LAST, 7}, {0, 0, 0, 1}, {LAST, 0, 0, 2}, {0, LAST, 0, 3}, {0, 0, LAST, 4}, {LAST, LAST, LAST, 8}, \
    {12345, 67890, 23456, 5}, {RC_VOXEL_MAX_AXIS, 0, 0, 6}}
#define FAR 10, {{0}, {LAST, LAST, LAST}, {LAST}, {0, 1}, {5, 0, 3}, {RC_VOXEL_MAX_AXIS}, {-1}, {NAN, INFINITY}, {0, 0, -INFINITY}, \
    {5, 0.5, 3.75}}
#define RANGED 6, {{0, 0, 0, 50}, {0, 0, 0, -200}, {0, 0, 0, 100}, {1, 0, 0, 1000}, {1, 0, 0, INFINITY}, {9, 0, 0, 1e9}}
#define THREE 3, {{0, 0, 0, 0.125}, {0, 0, 0, 0.75}, {0, 0, 0, 123.5}}, {41.458333333333336}
#define FIXED(n, ceil_log2) {"fixed point", RC_VOXEL_MEAN, RC_VOXEL_DENSE, F32, {3, 1, 1}, 3, \
    {{0, 0, 0, 1}, {1, 0, 0, 0}, {2, 0, 0, 0}}, {1}, {0}, .stated = n, .max_points = -(ceil_log2)}

static const Written written[] = {
  {"points on faces", RC_VOXEL_COUNT, RC_VOXEL_DENSE, F32, TWO, FACES, {3, 2}, {.inside = 5,.outside = 4}},
  {"NaN and infinite points are counted apart", RC_VOXEL_COUNT, RC_VOXEL_DENSE, F64, TWO, NO_NUMBERS, {1, 0},
    {.points = 7,.nan = 2,.infinite = 3,.outside = 1,.inside = 1}},
  /* 1 + 2^-11 + 2^-40 rounds up in float16, but to even, down, where float32 lost the last term */
  {"a mean is rounded once", RC_VOXEL_MEAN, RC_VOXEL_DENSE, RC_FLOAT64, RC_FLOAT16, TWO, 1, {{0, 0, 0, 1 + 0x1p-11 + 0x1p-40}},
    {1 + 0x1p-10}},
  {"a maximum is rounded once", RC_VOXEL_MAX, RC_VOXEL_DENSE, RC_FLOAT64, RC_FLOAT16, TWO, 1, {{0, 0, 0, 1 + 0x1p-11 + 0x1p-40}},
    {1 + 0x1p-10}},
  {"a minimum is rounded once", RC_VOXEL_MIN, RC_VOXEL_DENSE, RC_FLOAT64, RC_FLOAT16, TWO, 1, {{0, 0, 0, 1 + 0x1p-11 + 0x1p-40}},
    {1 + 0x1p-10}},
  {"first points are rounded once", RC_VOXEL_FIRST, RC_VOXEL_SPARSE, RC_FLOAT64, RC_FLOAT16, TWO, 1,
    {{0.5, 0, 0, 1 + 0x1p-11 + 0x1p-40}}, {0.5, 0, 0, 1 + 0x1p-10}},
  {"largest grid: occupancy", RC_VOXEL_OCCUPANCY, RC_VOXEL_SPARSE, F32, LARGEST, CORNERS, {0}, {.occupied = 6,.outside = 1}},
  {"largest grid: count", RC_VOXEL_COUNT, RC_VOXEL_SPARSE, F32, LARGEST, CORNERS, {1, 1, 1, 1, 1, 2}, {.occupied = 6}},
  {"largest grid: mean", RC_VOXEL_MEAN, RC_VOXEL_SPARSE, F32, LARGEST, CORNERS, {1, 2, 3, 5, 4, 7.5}, {.occupied = 6}},
  {"largest grid: centroid", RC_VOXEL_CENTROID, RC_VOXEL_SPARSE, F32, LARGEST, CORNERS, {0, 0, 0, LAST}, {.occupied = 6}},
  {"largest grid: maximum", RC_VOXEL_MAX, RC_VOXEL_SPARSE, F32, LARGEST, CORNERS, {1, 2, 3, 5, 4, 8}, {.occupied = 6}},
  {"largest grid: minimum", RC_VOXEL_MIN, RC_VOXEL_SPARSE, F32, LARGEST, CORNERS, {1, 2, 3, 5, 4, 7}, {.occupied = 6}},
  {"largest grid: first", RC_VOXEL_FIRST, RC_VOXEL_SPARSE, F32, LARGEST, CORNERS, {0, 0, 0, 1}, {.occupied = 6},
    .max_points = 32},
  {"largest grid: index", RC_VOXEL_OCCUPANCY, RC_VOXEL_INDEX, F32, LARGEST, FAR, {0, 0x1p63, LAST, RC_VOXEL_MAX_AXIS,
      3.0 * RC_VOXEL_MAX_AXIS * RC_VOXEL_MAX_AXIS + 5, -1, -1, -2, -3, 3.0 * RC_VOXEL_MAX_AXIS * RC_VOXEL_MAX_AXIS + 5},
    {.inside = 6}},
  {"largest grid: rank", RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, F32, LARGEST, FAR, {0, RC_VOXEL_OVER_CAP, 1, 2, 3, -1, -1, -2, -3, 3},
    {.inside = 6,.occupied = 5,.over_cap = 1},.max_voxels = 4},
  {"more voxels than the output has", RC_VOXEL_COUNT, RC_VOXEL_SPARSE, F32, {10, 1, 1}, 5, {{3}, {1}, {2}, {0}, {1}}, {1, 2, 0},
    {.occupied = 4,.over_cap = 2},.max_voxels = 2},
  {"feature range, dense", RC_VOXEL_MEAN, RC_VOXEL_DENSE, F32, TWO, RANGED, {50.0 / 3.0, INFINITY}, {.clamped = 2},
    .feature_range = 100},
  {"feature range, sparse", RC_VOXEL_MEAN, RC_VOXEL_SPARSE, F32, TWO, RANGED, {50.0 / 3.0, INFINITY}, {.clamped = 2},
    .feature_range = 100},
  {"N as stated", RC_VOXEL_MEAN, RC_VOXEL_DENSE, F32, TWO, THREE, {0},.stated = 1000},
  {"N as stated, the most", RC_VOXEL_MEAN, RC_VOXEL_DENSE, F32, TWO, THREE, {0},.stated = RC_VOXEL_MAX_POINTS},
  {"centroid far from zero", RC_VOXEL_CENTROID, RC_VOXEL_DENSE, F64, TWO, 2, {{1e6 + 0.25, 1e6 + 0.5, 1e6 + 0.5},
      {1e6 + 0.75, 1e6 + 0.25, 1e6 + 0.125}}, {1e6 + 0.5, 1e6 + 0.375, 1e6 + 0.3125},.origin = 1e6},
  {"extremes of float64: 5e-324", RC_VOXEL_MEAN, RC_VOXEL_DENSE, F64, TWO, 2, {{0, 0, 0, 5e-324}, {1, 0, 0, 5e-324}}, {0, 0}},
  {"extremes of float64: 2e-308", RC_VOXEL_MEAN, RC_VOXEL_SPARSE, F64, TWO, 3, {{0, 0, 0, 2e-308}, {0, 0, 0, -1e-308},
      {1, 0, 0, 2e-308}}, {0, 0}},
  {"extremes of float64: 1e308", RC_VOXEL_MEAN, RC_VOXEL_DENSE, F64, TWO, 3, {{0, 0, 0, 1.7e308}, {0, 0, 0, -1.7e308},
      {1, 0, 0, 1.7e308}}, {0, INFINITY}},
  {"extremes of float64: 1e308, sparse", RC_VOXEL_MEAN, RC_VOXEL_SPARSE, F64, TWO, 3, {{0, 0, 0, 1.7e308}, {0, 0, 0, -1.7e308},
      {1, 0, 0, 1.7e308}}, {0, INFINITY}},
  {"the first points of a voxel", RC_VOXEL_FIRST, RC_VOXEL_SPARSE, F32, TWO, 4, {{0, 0, 0, 1}, {1, 0, 0, 2}, {0.5, 0, 0, 3},
      {0.25, 0, 0, 4}}, {0, 0, 0, 1, 0.5, 0, 0, 3, 1, 0}, {.occupied = 2,.over_points = 1}},
  {"pillars", RC_VOXEL_PILLARS, RC_VOXEL_SPARSE, F32, TWO, 4, {{0.25, 0, 0.5, 1}, {1, 0.5, 0.5, 2}, {0.75, 0.5, 0.25, -3}, {0, 0, 0, 4}},
    {0.25, 0, 0.5, 1, -0.25, -0.25, 0.125, -0.25, -0.5, 0, 0.75, 0.5, 0.25, -3, 0.25, 0.25, -0.125, 0.25, 0, -0.25},
    {.occupied = 2,.over_points = 1},.centre_z = 1},
  {"pillars of 9 features", RC_VOXEL_PILLARS, RC_VOXEL_SPARSE, F32, TWO, 2, {{0.25, 0, 0.5, 1}, {0.75, 0.5, 0.25, NAN}},
    {0.25, 0, 0.5, 1, -0.25, -0.25, 0.125, -0.25, -0.5, 0.75, 0.5, 0.25, NAN, 0.25, 0.25, -0.125, 0.25, 0}, {.inside = 2}},
  {"a pillar of one point", RC_VOXEL_PILLARS, RC_VOXEL_SPARSE, F32, TWO, 1, {{-0.0, BELOW_1, 0.1, INFINITY}},
    {-0.0, BELOW_1, (float) 0.1, INFINITY, -0.0, 0, 0, -0.5, BELOW_1 - 0.5, (float) 0.1 - 0.5}, {.inside = 1},.centre_z = 1},
  {"pillars far from zero", RC_VOXEL_PILLARS, RC_VOXEL_SPARSE, F64, TWO, 2, {{1e6 + 0.25, 1e6 + 0.5, 1e6 + 0.5, 0x1p60},
      {1e6 + 0.75, 1e6 + 0.25, 1e6 + 0.125, 3}}, {1e6 + 0.25, 1e6 + 0.5, 1e6 + 0.5, 0x1p60, -0.25, 0.125, 0.1875, -0.25, 0, 0,
      1e6 + 0.75, 1e6 + 0.25, 1e6 + 0.125, 3, 0.25, -0.125, -0.1875, 0.25, -0.25, -0.375},.origin = 1e6,.centre_z = 1},
  /* float16 numbers near 1000 are half a metre apart; those of offsets are not */
  {"offsets of float32 coordinates in float16", RC_VOXEL_PILLARS, RC_VOXEL_SPARSE, RC_FLOAT64, RC_FLOAT16, TWO, 1,
    {{1000.1875, 1000.3125, 1000.4375, 1 + 0x1p-11 + 0x1p-40}}, {1000, 1000.5, 1000.5, 1 + 0x1p-10, 0, 0, 0, -0.3125, -0.1875, -0.0625},
    .origin = 1000,.centre_z = 1},
  {"largest grid: pillars", RC_VOXEL_PILLARS, RC_VOXEL_SPARSE, F32, LARGEST, CORNERS, {0, 0, 0, 1, 0, 0, 0, -0.5, -0.5, -0.5},
    {.occupied = 6},.max_points = 32,.centre_z = 1},
  FIXED (3, 2), FIXED (4, 2), FIXED (5, 3), FIXED (8, 3), FIXED (9, 4), FIXED (1 << 20, 20), FIXED ((1 << 20) + 1, 21),
  FIXED (RC_VOXEL_MAX_POINTS, 32),
};

/* Four features in voxel 0, and the result of each mode. */
static const struct
{
  double x[4], results[3];      /* mean, max, min */
} features[] = {
  {{1, 2, 3, 4}, {2.5, 4, 1}},
  {{NAN, 2, 3, 4}, {NAN, NAN, NAN}},
  {{INFINITY, 2, 3, 4}, {INFINITY, INFINITY, 2}},
  {{-INFINITY, 2, 3, 4}, {-INFINITY, 4, -INFINITY}},
  {{INFINITY, -INFINITY, 3, 4}, {NAN, INFINITY, -INFINITY}},
  {{-0.0, 0.0, -0.0, -0.0}, {0.0, 0.0, -0.0}},
  {{-0.0, -0.0, -0.0, -0.0}, {0.0, -0.0, -0.0}},
  {{FLOAT_MAX, FLOAT_MAX, FLOAT_MAX, FLOAT_MAX}, {FLOAT_MAX, FLOAT_MAX, FLOAT_MAX}},
  {{FLOAT_MAX, -FLOAT_MAX, 0, 0}, {0.0, FLOAT_MAX, -FLOAT_MAX}},
  {{1e-45, 1e-45, 1e-45, 1e-45}, {1e-45, 1e-45, 1e-45}},
  {{-1, -2, -3, -4}, {-2.5, -1, -4}},
};

/* A case of a written spec, with room for n points of it. */
static int
begin (VoxelCase *c, Suite *suite, const Written *w, int64_t n, Test *test)
{
  const int64_t size = (int64_t) rc_dtype_size (w->input);

  memset (c, 0, sizeof (*c));
  arena_clear (suite->arena);
  c->seed = c->random = suite_next_seed (suite);
  c->spec = (RcVoxelSpec) {.points = {w->input, 4, 3, 1},.origin = {w->origin, w->origin, w->origin},.voxel_size = {1, 1, 1},
    .grid = {w->grid[0], w->grid[1], w->grid[2]},.mode = w->mode,.output = w->output,.dtype = w->dtype,
    .max_voxels = w->max_voxels ? w->max_voxels : 600,.feature_range = w->feature_range,.batch = 1,
    .max_points = w->max_points > 0 ? w->max_points : 2,.centre_z = w->centre_z
  };
  c->job.n_points = w->stated > n ? w->stated : n;
  c->n_chunks = 1;
  c->chunks[0] = (RcVoxelChunk) {.data = arena_take (suite->arena, "points", n * 4 * size + 1, 0),.n = n,.stride = 4 * size,
    .counters = arena_take (suite->arena, "counters of add", sizeof (RcVoxelCounters), 0)
  };
  memset (c->chunks[0].counters, 0, sizeof (RcVoxelCounters));
  return voxel_case_take_outputs (c, suite, 1, test);
}

static void
put (const VoxelCase *c, int64_t point, const double *row)
{
  const RcDtype dtype = c->spec.points.dtype;

  for (int field = 0; field < 4; field++)
    oracle_put (dtype, (uint8_t *) c->chunks[0].data + (4 * point + field) * (int64_t) rc_dtype_size (dtype), row[field]);
}

/* Value i of the output against a double, with the sign of 0. */
static void
expect_value (const VoxelCase *c, int i, double expected, Test *test)
{
  const void *values = c->job.point_voxels ? (const void *) c->job.point_voxels : c->out.grid ? c->out.grid : c->out.values;
  const RcDtype dtype = c->job.point_voxels ? RC_INT64 : c->spec.dtype;
  const size_t size = rc_dtype_size (dtype);
  const uint8_t *at = (const uint8_t *) values + (size_t) i * size;
  uint8_t bits[8];

  oracle_put (dtype, bits, expected);
  test_expect (test, c->job.point_voxels ? oracle_get (dtype, at) == expected : memcmp (at, bits, size) == 0,
      "value %d is %g, not %g", i, oracle_get (dtype, at), expected);
}

static void
expect_counters (const VoxelCase *c, const RcVoxelCounters *expected, Test *test)
{
  const int64_t *const want = (const int64_t *) expected;

  for (size_t i = 0; i < sizeof (*expected) / sizeof (int64_t); i++) {
    const int64_t got = ((const int64_t *) c->chunks[0].counters)[i] + (c->out.counters ? ((const int64_t *) c->out.counters)[i] : 0);

    test_expect (test, want[i] == 0 || got == want[i], "counter %zu is %" PRId64 ", not %" PRId64, i, got, want[i]);
  }
}

/* Of 3 voxels one has 1, whose 2^e is 2; 1.5 units of 2^-k are rounded to 2 and 1.25 to 1: k itself shows. */
static void
put_fixed (const VoxelCase *c, double *expected, int ceil_log2)
{
  const double rows[2][4] = { {1, 0, 0, ldexp (1.5, -K (ceil_log2))}, {2, 0, 0, ldexp (1.25, -K (ceil_log2))} };

  put (c, 1, rows[0]);
  put (c, 2, rows[1]);
  expected[1] = ldexp (2.0, -K (ceil_log2));
  expected[2] = ldexp (1.0, -K (ceil_log2));
}

static int
values_of (const Written *w)
{
  if (w->mode == RC_VOXEL_PILLARS)
    return MAX_VALUES;          /* of two points or 40, zeros among them */
  if (w->output == RC_VOXEL_SPARSE)
    return w->mode == RC_VOXEL_OCCUPANCY ? 0 : w->max_voxels ? (int) w->max_voxels : 4;
  return w->output == RC_VOXEL_DENSE ? (int) w->grid[0] : w->n_rows;
}

static void
check_row (Suite *suite, const Written *w, Test *test)
{
  double expected[MAX_VALUES];
  VoxelCase c;

  memcpy (expected, w->expected, sizeof (expected));
  if (suite->is_gpu && w->stated > MAX_GPU_POINTS)
    return;
  if (!begin (&c, suite, w, w->n_rows, test))
    return;
  for (int i = 0; i < w->n_rows; i++)
    put (&c, i, w->rows[i]);
  if (w->max_points < 0)
    put_fixed (&c, expected, (int) -w->max_points);
  voxel_case_check (&c, suite, test);
  for (int i = 0; i < values_of (w) && test_holds (test); i++)
    expect_value (&c, i, expected[i], test);
  if (test_holds (test))
    expect_counters (&c, &w->counters, test);
}

static void
check_features (Suite *suite, size_t i, int k)
{
  static const RcVoxelMode modes[] = { RC_VOXEL_MEAN, RC_VOXEL_MAX, RC_VOXEL_MIN };
  Written w = { "", modes[k], RC_VOXEL_DENSE, i % 2 ? RC_FLOAT64 : RC_FLOAT32, RC_FLOAT32, TWO, 4 };
  Test test = test_begin ("voxel_features_%zu_%s", i, voxel_modes[modes[k]]);

  for (int p = 0; p < 4; p++)
    w.rows[p][3] = features[i].x[p];
  w.expected[0] = features[i].results[k];
  check_row (suite, &w, &test);
  suite_end (suite, &test);
}

/* More points in a voxel than the dtype counts, and than mode first puts out. */
static void
check_crowded_voxel (Suite *suite, RcVoxelMode mode, RcVoxelOutput output, RcDtype dtype, int64_t voxels, int64_t max_points,
    double expected)
{
  const int64_t n = 70001;
  const Written w = { "", mode, output, RC_FLOAT32, dtype, {voxels, 1, 1},.max_points = max_points };
  Test test = test_begin ("voxel_crowded_%s_%s_%s_%" PRId64 "_%" PRId64, voxel_modes[mode], voxel_outputs[output], rc_dtype_name (dtype),
      voxels, max_points);
  VoxelCase c;

  if (begin (&c, suite, &w, n, &test)) {
    for (int64_t i = 0; i < n; i++)
      put (&c, i, (const double[4]) {0, 0, 0, (double) i});
    voxel_case_check (&c, suite, &test);
    expect_value (&c, !rc_voxel_lists_points (mode) ? 0 : (mode == RC_VOXEL_FIRST ? 4 : 9) * (max_points - 1) + 3, expected, &test);
  }
  suite_end (suite, &test);
}

/* One field of another type, at an odd offset: the one rounding of 64-bit integers is to even at halfway, else to nearest. */
static void
check_large_integers (Suite *suite)
{
  static const struct
  {
    RcDtype dtype;
    uint64_t bits;
    double value;
  } integers[] = {
    {RC_INT64, (UINT64_C (1) << 53) + 1, 0x1p53}, {RC_INT64, (UINT64_C (1) << 53) + 3, 0x1p53 + 4},
    {RC_INT64, UINT64_C (1) << 63, -0x1p63}, {RC_UINT64, UINT64_MAX, 0x1p64},
    {RC_UINT64, (UINT64_C (1) << 63) + 1025, 0x1p63 + 2048}, {RC_UINT32, UINT32_MAX, 4294967295.0},
    {RC_INT64, (UINT64_C (1) << 24) + 3, 16777219.0},
  };
  static const RcVoxelMode modes[] = { RC_VOXEL_MAX, RC_VOXEL_MEAN, RC_VOXEL_FIRST, RC_VOXEL_PILLARS };

  for (size_t i = 0; i < COUNT (modes) * COUNT (integers); i++) {
    const RcVoxelMode mode = modes[i % COUNT (modes)];
    const int lists = rc_voxel_lists_points (mode);
    const Written w = { "", mode, lists ? RC_VOXEL_SPARSE : RC_VOXEL_DENSE, F64, TWO };
    Test test = test_begin ("voxel_large_integer_%zu_%s", i / COUNT (modes), voxel_modes[mode]);
    VoxelCase c;

    if (begin (&c, suite, &w, 1, &test)) {
      for (int field = 0; field < 4; field++)
        c.layout[field] = (RcVoxelField) {field < 3 ? RC_FLOAT64 : integers[i / COUNT (modes)].dtype, field < 3 ? 8 + 8 * field : 0};
      c.spec.points.layout = c.layout;
      memset ((void *) c.chunks[0].data, 0, 32);
      memcpy ((void *) c.chunks[0].data, &integers[i / COUNT (modes)].bits, rc_dtype_size (integers[i / COUNT (modes)].dtype));
      voxel_case_check (&c, suite, &test);
      expect_value (&c, lists ? 3 : 0, integers[i / COUNT (modes)].value, &test);
    }
    suite_end (suite, &test);
  }
}

void
check_written_voxels (Suite *suite)
{
  static const RcDtype dtypes[] = { RC_UINT8, RC_UINT32, RC_FLOAT16, RC_FLOAT32 };
  static const double saturated[] = { 255, 70001, 65504, 70001 };
  static const int64_t first[] = { 1, 2, 31, 32, 33 };  /* a GPU lists up to 32 of a large grid */

  for (size_t i = 0; i < COUNT (written); i++) {
    Test test = test_begin ("voxel_written_%zu (%s)", i, written[i].name);

    check_row (suite, &written[i], &test);
    suite_end (suite, &test);
  }
  for (size_t i = 0; i < COUNT (features); i++) {
    for (int k = 0; k < 3; k++)
      check_features (suite, i, k);
  }
  for (int i = 0; i < 4; i++) {
    check_crowded_voxel (suite, RC_VOXEL_COUNT, RC_VOXEL_DENSE, dtypes[i], 2, 1, saturated[i]);
    check_crowded_voxel (suite, RC_VOXEL_COUNT, RC_VOXEL_SPARSE, dtypes[i], 2, 1, saturated[i]);
  }
  for (size_t i = 0; i < COUNT (first); i++) {
    for (int64_t voxels = 2; voxels <= 1 << 16; voxels <<= 15) {
      check_crowded_voxel (suite, RC_VOXEL_FIRST, RC_VOXEL_SPARSE, RC_FLOAT32, voxels, first[i], (double) (first[i] - 1));
      check_crowded_voxel (suite, RC_VOXEL_PILLARS, RC_VOXEL_SPARSE, RC_FLOAT32, voxels, first[i], (double) (first[i] - 1));
    }
  }
  check_large_integers (suite);
}
