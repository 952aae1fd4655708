/* robocache: alignments written out, with results that a reader can verify
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "case.h"


#include "oracle.h"
#include "tests/kernels/random.h"

#define MAX_ROWS 8
#define MAX_CHANNELS 5
#define S INT64_C (1000000000)

/* ---- one stream, one tick ---- */

/* Rows at times, and the row at tick. */
typedef struct
{
  const char *name;
  RcInterpolation interpolation;
  int64_t max_gap_ns, hold_limit_ns, period_ns;
  int64_t n_rows, channels;
  int64_t times[MAX_ROWS];
  double rows[MAX_ROWS][MAX_CHANNELS];
  int64_t tick;
  RcRowStatus status;
  double expected[MAX_CHANNELS], tolerance;
  RcDtype in, out;
  int quaternions, angles, velocities, holds;   /* of the lists below; holds -1: of last_list */
} Written;

static const int32_t quaternion_list[] = { 0 }, angle_list[] = { 1 }, velocity_list[] = { 1 }, hold_list[] = { 1 },
    last_list[] = { 4 };

#define FLOATS .in = RC_FLOAT32, .out = RC_FLOAT32
#define ROWS 4, 2, {0, 100, 300, 400}, {{1, 10}, {2, 20}, {4, 0}, {5, -8}}
#define PARABOLA 4, 2, {0, 100, 300, 400}, {{0, 3}, {100, -97}, {900, -297}, {1600, -397}}
#define CUBIC_IN_TIME 4, 2, {0, S, 2 * S, 3 * S}, {{0, 0}, {1, 3}, {8, 12}, {27, 27}}
#define TURN(...) "slerp", RC_LINEAR, -1, 0, 0, 2, 4, {0, 100}, {__VA_ARGS__}
#define MEAN(...) RC_MEAN, -1, 0, 10, 2, 4, {0, 1}, {__VA_ARGS__}, 0
#define BETWEEN(tick, y0, y1) RC_LINEAR, -1, 0, 0, 2, 2, {100, 300}, {{0, y0}, {0, y1}}, tick, RC_ALIGNED
#define ANGLES .in = RC_FLOAT64, .out = RC_FLOAT64, .angles = 1
#define HALVES .in = RC_FLOAT16, .out = RC_FLOAT16, .angles = 1
#define PI ORACLE_PI
#define QUATERNION .in = RC_FLOAT64, .out = RC_FLOAT64, .quaternions = 1
#define HELD .in = RC_FLOAT32, .out = RC_FLOAT32, .holds = 1
#define SWITCH 5, 2, {0, 10, 20, 30, 40}, {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}}
#define R 0.70710678118654752440        /* √½ */
#define COS 0.92387953251128675613      /* of π/8 */
#define SIN 0.38268343236508977173

static const Written written[] = {
  {"linear", RC_LINEAR, -1, 0, 0, ROWS, 150, RC_ALIGNED, {2.5, 15}, 0, FLOATS},
  {"nearest: the earlier row at the midpoint", RC_NEAREST, -1, 0, 0, ROWS, 200, RC_ALIGNED, {2, 20}, 0, FLOATS},
  {"nearest: the later row past it", RC_NEAREST, -1, 0, 0, ROWS, 201, RC_ALIGNED, {4, 0}, 0, FLOATS},
  {"previous: no row after the tick", RC_PREVIOUS, -1, 0, 0, ROWS, 1000000, RC_ALIGNED, {5, -8}, 0, FLOATS},
  {"previous: within the gap", RC_PREVIOUS, 99, 0, 0, ROWS, 499, RC_ALIGNED, {5, -8}, 0, FLOATS},
  {"previous: beyond the gap", RC_PREVIOUS, 99, 0, 0, ROWS, 500, RC_MISSING, {NAN, NAN}, 0, FLOATS},
  {"cubic: a parabola", RC_CUBIC, -1, 0, 0, PARABOLA, 220, RC_ALIGNED, {484, -217}, 1e-3, FLOATS},
  {"hermite: x = t^3 with its rate", RC_HERMITE, -1, 0, 0, CUBIC_IN_TIME, 3 * S / 2, RC_ALIGNED, {3.375, 7.5}, 0, FLOATS,
    .velocities = 1},
  {"mean: 100 <= t < 300", RC_MEAN, -1, 0, 200, ROWS, 200, RC_ALIGNED, {2, 20}, 0, FLOATS},
  {"mean: 100 <= t < 301", RC_MEAN, -1, 0, 201, ROWS, 200, RC_ALIGNED, {3, 10}, 0, FLOATS},
  {"mean: linear where the interval is empty", RC_MEAN, -1, 0, 10, ROWS, 150, RC_ALIGNED, {2.5, 15}, 0, FLOATS},
  {"mean: of equal times the last row, once", RC_MEAN, -1, 0, 1000, 5, 2, {0, 100, 100, 100, 200},
    {{1, 1}, {50, 50}, {60, 60}, {2, 2}, {6, 9}}, 100, RC_ALIGNED, {3, 4}, 0, FLOATS},
  {"gap: missing", RC_LINEAR, 199, 0, 0, ROWS, 150, RC_MISSING, {NAN, NAN}, 0, FLOATS},
  {"gap: held", RC_LINEAR, 199, 50, 0, ROWS, 150, RC_HELD, {2, 20}, 0, FLOATS},
  {"gap: past the hold limit", RC_LINEAR, 199, 50, 0, ROWS, 151, RC_MISSING, {NAN, NAN}, 0, FLOATS},
  {"gap: just bridged", RC_LINEAR, 200, 50, 0, ROWS, 151, RC_ALIGNED, {2.51, 14.9}, 1e-5, FLOATS},
  {"before the first row", RC_LINEAR, -1, -1, 0, ROWS, -1, RC_MISSING, {NAN, NAN}, 0, FLOATS},
  {"at the first row", RC_LINEAR, -1, -1, 0, ROWS, 0, RC_ALIGNED, {1, 10}, 0, FLOATS},
  {"held forever", RC_LINEAR, -1, -1, 0, ROWS, INT64_MAX, RC_HELD, {5, -8}, 0, FLOATS},
  {"linear over all of int64", RC_LINEAR, -1, 0, 0, 2, 2, {INT64_MIN, INT64_MAX}, {{0, 0}, {2, 4}}, 0, RC_ALIGNED, {1, 2}, 0,
    FLOATS},
  {"mean at the end of int64", RC_MEAN, -1, 0, INT64_MAX, 2, 2, {INT64_MIN, INT64_MAX}, {{0, 0}, {2, 4}}, INT64_MIN, RC_ALIGNED,
    {0, 0}, 0, FLOATS},
  {"an angle takes the shorter way", RC_LINEAR, -1, 0, 0, 2, 2, {100, 300}, {{2, 3}, {4, -3}}, 250, RC_ALIGNED,
    {3.5, -3.0707963267948966}, 1e-6, FLOATS, .angles = 1},
  {"NaN stays in its channel", RC_LINEAR, -1, 0, 0, 2, 2, {100, 300}, {{NAN, 20}, {4, 0}}, 150, RC_ALIGNED, {NAN, 15}, 0, FLOATS},
  {"infinities", RC_LINEAR, -1, 0, 0, 2, 2, {100, 300}, {{2, -INFINITY}, {INFINITY, INFINITY}}, 150, RC_ALIGNED, {INFINITY, NAN},
    0, FLOATS},
  {"denormals are kept", RC_LINEAR, -1, 0, 0, 2, 3, {0, 2}, {{0, 0x1p-148, 0x1p-147}, {0, 0x1p-147, 0x1p-146}}, 1, RC_ALIGNED,
    {0, 0x1.8p-148, 0x1.8p-147}, 0, FLOATS},
  /* through float32 this one would become the even neighbour below */
  {"a mean is rounded once", RC_MEAN, -1, 0, 10, 2, 1, {0, 1}, {{1 + 0x1p-11 + 0x1p-30}, {1 + 0x1p-11 + 0x1p-30}}, 0, RC_ALIGNED,
    {1 + 0x1p-10}, 0, .in = RC_FLOAT64, .out = RC_FLOAT16},
  {"the mean of two quaternions has norm 1", MEAN ({1, 0, 0, 0}, {0, 1, 0, 0}), RC_ALIGNED, {R, R, 0, 0}, 1e-15, QUATERNION},
  {"q and -q are one rotation", MEAN ({R, R, 0, 0}, {-R, -R, 0, 0}), RC_ALIGNED, {R, R, 0, 0}, 1e-15, QUATERNION},
  {"a mean normalises rows", MEAN ({0, 3, 0, 0}, {0, 0, -0.25, 0}), RC_ALIGNED, {0, R, -R, 0}, 1e-15, QUATERNION},
  {"a mean without a quaternion of length 0", MEAN ({0, 0, 0, 0}, {1, 0, 0, 0}), RC_ALIGNED, {NAN, NAN, NAN, NAN}, 0, QUATERNION},
  /* at right angles to the first one both signs of the others are as near: the mean is (1, 0, 0, 0) / 5 */
  {"scattered quaternions are missing, other channels are not", RC_MEAN, -1, 0, 10, 5, 5, {0, 1, 2, 3, 4},
    {{1, 0, 0, 0, 1}, {0, 1, 0, 0, 2}, {0, -1, 0, 0, 3}, {0, 0, 1, 0, 4}, {0, 0, -1, 0, 5}}, 2, RC_MISSING,
    {NAN, NAN, NAN, NAN, 3}, 0, QUATERNION},
  {"scattered quaternions are not held", RC_MEAN, -1, -1, 10, 5, 4, {0, 1, 2, 3, 4},
    {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, -1, 0, 0}, {0, 0, 1, 0}, {0, 0, -1, 0}}, 2, RC_MISSING, {NAN, NAN, NAN, NAN}, 0, QUATERNION},
  {"a row at a tick is copied", BETWEEN (100, PI, -PI), {0, PI}, 0, ANGLES},
  {"a constant angle in [0, 2 pi) stays", BETWEEN (130, 4, 4), {0, 4}, 0, ANGLES},
  {"so does one in [-pi, pi)", BETWEEN (130, -2.5, -2.5), {0, -2.5}, 0, ANGLES},
  {"one of many turns stays", BETWEEN (130, 100, 100), {0, 100}, 0, ANGLES},
  {"through 0 in [0, 2 pi)", BETWEEN (250, 2 * PI - 0.2, 0.2), {0, 0.1}, 1e-14, ANGLES},
  {"back through 0 in [0, 2 pi)", BETWEEN (250, 0.2, 2 * PI - 0.2), {0, 2 * PI - 0.1}, 1e-14, ANGLES},
  {"through pi in [-pi, pi)", BETWEEN (250, PI - 0.2, 0.2 - PI), {0, 0.1 - PI}, 1e-14, ANGLES},
  {"back through -pi in [-pi, pi)", BETWEEN (250, 0.2 - PI, PI - 0.2), {0, PI - 0.1}, 1e-14, ANGLES},
  {"through turns in all numbers", BETWEEN (250, 6.2, 6.6), {0, 6.5}, 1e-14, ANGLES},
  {"half a turn goes up", BETWEEN (150, 0, -PI), {0, PI / 4}, 1e-14, ANGLES},
  {"half a turn goes up from below", BETWEEN (150, -PI, 0), {0, PI / 4 - PI}, 1e-14, ANGLES},
  {"the upper limit becomes the lower one: pi", BETWEEN (200, PI, -PI), {0, -PI}, 0, ANGLES},
  {"the upper limit becomes the lower one: 2 pi", BETWEEN (200, 2 * PI, 2 * PI), {0, 0}, 0, ANGLES},
  {"pi without a negative row stays", BETWEEN (200, PI, PI), {0, PI}, 0, ANGLES},
  {"the limits of float16: 3.14", BETWEEN (200, 3.140625, -3.140625), {0, -3.140625}, 0, HALVES},
  {"the limits of float16: 6.28", BETWEEN (200, 6.28125, 6.28125), {0, 0}, 0, HALVES},
  {"beyond the limits of float16", BETWEEN (200, 6.28515625, 6.28515625), {0, 6.28515625}, 0, HALVES},
  {"a constant -pi of float32 stays in float64", BETWEEN (200, -0x1.921fb6p+1, -0x1.921fb6p+1), {0, -0x1.921fb6p+1}, 0,
    .in = RC_FLOAT32, .out = RC_FLOAT64, .angles = 1},
  {"a float64 that float32 rounds to pi", BETWEEN (150, PI - 2e-9, 2e-9 - PI), {0, -0x1.921fb6p+1}, 0, .in = RC_FLOAT64,
    .out = RC_FLOAT32, .angles = 1},
  {"a mean of angles over pi", RC_MEAN, -1, 0, 10, 4, 2, {0, 1, 2, 3}, {{0, 3}, {0, -3}, {0, 3.1}, {0, -3}}, 1, RC_ALIGNED,
    {0, 0.025 - PI}, 1e-14, ANGLES},
  {"a mean of angles in [0, 2 pi)", RC_MEAN, -1, 0, 10, 4, 2, {0, 1, 2, 3}, {{0, 6}, {0, 0.1}, {0, 6.2}, {0, 0.1}}, 1, RC_ALIGNED,
    {0, 3.1 + PI}, 1e-14, ANGLES},
  {"a mean of many turns", RC_MEAN, -1, 0, 10, 4, 2, {0, 1, 2, 3}, {{0, 6}, {0, 7}, {0, 8}, {0, 9}}, 1, RC_ALIGNED, {0, 7.5}, 1e-14,
    ANGLES},
  {"a mean of one angle is its row", RC_MEAN, -1, 0, 1, 2, 2, {100, 300}, {{0, -PI}, {0, 2}}, 100, RC_ALIGNED, {0, -PI}, 0, ANGLES},
  {"a hold beside a blend", RC_LINEAR, -1, 0, 0, ROWS, 299, RC_ALIGNED, {3.99, 20}, 1e-6, HELD},
  {"a hold of the row before the nearest", RC_NEAREST, -1, 0, 0, ROWS, 299, RC_ALIGNED, {4, 20}, 0, HELD},
  {"a hold of a row at the tick", RC_CUBIC, -1, 0, 0, ROWS, 300, RC_ALIGNED, {4, 0}, 0, HELD},
  {"a hold beside a parabola", RC_CUBIC, -1, 0, 0, PARABOLA, 220, RC_ALIGNED, {484, -97}, 1e-3, HELD},
  {"a hold that is a rate", RC_HERMITE, -1, 0, 0, CUBIC_IN_TIME, 3 * S / 2, RC_ALIGNED, {3.375, 3}, 0, FLOATS, .velocities = 1,
    .holds = 1},
  {"a hold of the newest row of a mean", RC_MEAN, -1, 0, 30, SWITCH, 29, RC_ALIGNED, {0, 2}, 0, HELD},
  {"a hold of a row before those of a mean", RC_MEAN, -1, 0, 10, SWITCH, 26, RC_ALIGNED, {0, 2}, 0, HELD},
  {"a mean before the first hold is missing", RC_MEAN, -1, -1, 30, SWITCH, -1, RC_MISSING, {NAN, NAN}, 0, HELD},
  {"a hold beyond a gap", RC_LINEAR, 199, 50, 0, ROWS, 150, RC_HELD, {2, 20}, 0, HELD},
  {"a hold beside scattered quaternions", RC_MEAN, -1, 0, 10, 5, 5, {0, 1, 2, 3, 4},
    {{1, 0, 0, 0, 1}, {0, 1, 0, 0, 2}, {0, -1, 0, 0, 3}, {0, 0, 1, 0, 4}, {0, 0, -1, 0, 9}}, 2, RC_MISSING,
    {NAN, NAN, NAN, NAN, 3}, 0, .in = RC_FLOAT64, .out = RC_FLOAT64, .quaternions = 1, .holds = -1},
  {TURN ({1, 0, 0, 0}, {R, R, 0, 0}), 50, RC_ALIGNED, {COS, SIN, 0, 0}, 1e-15, QUATERNION},
  {TURN ({1, 0, 0, 0}, {-R, -R, 0, 0}), 50, RC_ALIGNED, {COS, SIN, 0, 0}, 1e-15, QUATERNION},
  {TURN ({0, 3, 0, 0}, {0, 0, 0.25, 0}), 50, RC_ALIGNED, {0, R, R, 0}, 1e-15, QUATERNION},
  {TURN ({0.5, 0.5, -0.5, 0.5}, {0.5, 0.5, -0.5, 0.5}), 30, RC_ALIGNED, {0.5, 0.5, -0.5, 0.5}, 0, QUATERNION},
  {TURN ({0, 0, 0, 0}, {1, 0, 0, 0}), 50, RC_ALIGNED, {NAN, NAN, NAN, NAN}, 0, QUATERNION},
};

/* An alignment of n_streams streams that are yet to be filled. */
static void
begin (AlignCase *c, Suite *suite, int n_streams, int64_t batch, int64_t ticks)
{
  memset (c, 0, sizeof (*c));
  arena_clear (suite->arena);
  c->seed = suite_next_seed (suite);
  c->spec = (RcAlignSpec) { c->specs, n_streams };
  c->args = (RcAlignArgs) {.streams = c->streams,.batch = batch,.ticks = ticks };
}

static void *
take_copy (Suite *suite, const void *data, size_t bytes)
{
  void *copy = arena_take (suite->arena, "an input", (int64_t) bytes, 0);

  memcpy (copy, data, bytes);
  return copy;
}

/* Dense outputs of the stream, its status and counters. */
static void
take_outputs (AlignCase *c, Suite *suite, int i)
{
  RcAlignStreamArgs *s = &c->streams[i];
  const RcAlignCounters none = { 0 };

  s->out_row_stride = c->specs[i].channels * (int64_t) rc_dtype_size (c->specs[i].out);
  s->out_batch_stride = c->args.ticks * s->out_row_stride;
  s->out = arena_take (suite->arena, "out", c->args.batch * s->out_batch_stride, 0);
  s->status_batch_stride = c->args.ticks;
  s->status = arena_take (suite->arena, "status", c->args.batch * c->args.ticks, 0);
  s->counters = take_copy (suite, &none, sizeof (none));
}

static void
check (AlignCase *c, Suite *suite, Test *test)
{
  memcpy (c->searched, c->streams, sizeof (c->searched));
  align_case_check (c, suite->arena, &suite->reference, suite->places, suite->n_places, test);
}

static void
fill_written (AlignCase *c, Suite *suite, const Written *w)
{
  const int64_t size = (int64_t) rc_dtype_size (w->in);
  uint8_t *rows = arena_take (suite->arena, "rows", w->n_rows * w->channels * size, 0);

  c->specs[0] = (RcAlignStreamSpec) { w->in, w->out, w->channels, {w->interpolation, w->max_gap_ns, w->hold_limit_ns, w->period_ns},
    quaternion_list, w->quaternions, angle_list, w->angles, velocity_list, w->velocities, w->holds < 0 ? last_list : hold_list, w->holds != 0
  };
  for (int64_t i = 0; i < w->n_rows * w->channels; i++)
    oracle_put (w->in, rows + i * size, w->rows[i / w->channels][i % w->channels]);
  c->streams[0] = (RcAlignStreamArgs) {.rows = rows,.n_rows = w->n_rows,.row_stride = w->channels * size,
    .times = take_copy (suite, w->times, sizeof (w->times))
  };
  c->args.tick_times = take_copy (suite, &w->tick, sizeof (w->tick));
  take_outputs (c, suite, 0);
}

/* A NaN is the canonical one. */
static void
check_result (const AlignCase *c, const Written *w, Test *test)
{
  const RcAlignStreamArgs *s = &c->streams[0];
  const int64_t size = (int64_t) rc_dtype_size (w->out);

  test_expect (test, s->status[0] == w->status, "status %d, not %d", s->status[0], (int) w->status);
  test_expect (test, s->counters->aligned == (w->status == RC_ALIGNED) && s->counters->held == (w->status == RC_HELD)
      && s->counters->missing == (w->status == RC_MISSING), "counters");
  for (int64_t i = 0; i < w->channels; i++) {
    const uint8_t *at = (const uint8_t *) s->out + i * size;
    const double got = oracle_get (w->out, at);
    uint8_t nan[8];

    oracle_put (w->out, nan, NAN);
    test_expect (test, isnan (w->expected[i]) ? memcmp (at, nan, (size_t) size) == 0
        : got == w->expected[i] || fabs (got - w->expected[i]) <= w->tolerance, "channel %d is %.17g, not %.17g", (int) i, got,
        w->expected[i]);
  }
}

static void
check_written (Suite *suite)
{
  static AlignCase c;

  for (size_t i = 0; i < COUNT (written); i++) {
    Test test = test_begin ("align_written_%zu (%s)", i, written[i].name);

    begin (&c, suite, 1, 1, 1);
    fill_written (&c, suite, &written[i]);
    check (&c, suite, &test);
    if (test_holds (&test))
      check_result (&c, &written[i], &test);
    suite_end (suite, &test);
  }
}

/* ---- a row that is copied ---- */

#define LIST(type, ...) (const type[]) {__VA_ARGS__}

static const struct
{
  const char *name;
  RcDtype in, out;
  int64_t channels;
  const void *row, *expected;
} copies[] = {
  {"integers widen exactly", RC_INT32, RC_INT64, 5, LIST (int32_t, INT32_MIN, -1, 0, 1, INT32_MAX),
    LIST (int64_t, INT32_MIN, -1, 0, 1, INT32_MAX)},
  {"int64 above 2^53 is exact", RC_INT64, RC_UINT64, 3, LIST (int64_t, 9007199254740993, INT64_MAX - 1, -5),
    LIST (uint64_t, 9007199254740993, INT64_MAX - 1, 0)},
  {"uint64 saturates in int64", RC_UINT64, RC_INT64, 4, LIST (uint64_t, UINT64_MAX, (uint64_t) INT64_MAX + 1, INT64_MAX, 7),
    LIST (int64_t, INT64_MAX, INT64_MAX, INT64_MAX, 7)},
  {"int64 saturates in int8", RC_INT64, RC_INT8, 9, LIST (int64_t, INT64_MIN, -129, -128, -1, 127, 128, 255, 256, INT64_MAX),
    LIST (int8_t, -128, -128, -128, -1, 127, 127, 127, 127, 127)},
  {"int64 saturates in uint8", RC_INT64, RC_UINT8, 9, LIST (int64_t, INT64_MIN, -129, -128, -1, 127, 128, 255, 256, INT64_MAX),
    LIST (uint8_t, 0, 0, 0, 0, 127, 128, 255, 255, 255)},
  {"floats round to even and saturate", RC_FLOAT32, RC_INT8, 10, LIST (float, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 300.f, -300.f, NAN,
      INFINITY, -INFINITY), LIST (int8_t, 0, 2, 2, 0, -2, 127, -128, 0, 127, -128)},
  {"a converted NaN is canonical: float16", RC_FLOAT32, RC_FLOAT16, 3, LIST (uint32_t, 0xFFFFFFFF, 0x7F800001, 0x7FC00000),
    LIST (uint16_t, 0x7E00, 0x7E00, 0x7E00)},
  {"a converted NaN is canonical: float64", RC_FLOAT32, RC_FLOAT64, 2, LIST (uint32_t, 0xFFC12345, 0x7F800001),
    LIST (uint64_t, 0x7FF8000000000000, 0x7FF8000000000000)},
  {"a copied NaN keeps its bits", RC_FLOAT32, RC_FLOAT32, 2, LIST (uint32_t, 0xFFC12345, 0x7F800001),
    LIST (uint32_t, 0xFFC12345, 0x7F800001)},
};

static void
check_copy (Suite *suite, const char *name, RcDtype in, RcDtype out, int64_t channels, const void *row, const void *expected)
{
  const RcBracket bracket = rc_bracket_copy (0, RC_ALIGNED);
  const size_t bytes = (size_t) channels * rc_dtype_size (in);
  Test test = test_begin ("%s", name);
  static AlignCase c;

  begin (&c, suite, 1, 1, 1);
  c.specs[0] = (RcAlignStreamSpec) { in, out, channels, {RC_NEAREST, -1, 0, 0} };
  c.streams[0] = (RcAlignStreamArgs) {.rows = take_copy (suite, row, bytes),.n_rows = 1,
    .brackets = take_copy (suite, &bracket, sizeof (bracket))
  };
  take_outputs (&c, suite, 0);
  check (&c, suite, &test);
  test_expect (&test, memcmp (c.streams[0].out, expected, (size_t) channels * rc_dtype_size (out)) == 0, "other bits");
  suite_end (suite, &test);
}

static void
check_copies (Suite *suite)
{
  uint8_t row[8 * 333];
  char name[128];
  uint64_t random = 3;

  for (size_t i = 0; i < COUNT (copies); i++) {
    snprintf (name, sizeof (name), "align_copy_%zu (%s)", i, copies[i].name);
    check_copy (suite, name, copies[i].in, copies[i].out, copies[i].channels, copies[i].row, copies[i].expected);
  }
  for (size_t i = 0; i < sizeof (row); i++)
    row[i] = (uint8_t) random_bits (&random);
  for (size_t i = 0; i < RC_N_DTYPES; i++) {
    snprintf (name, sizeof (name), "align_copy_of_any_bits_%s", rc_dtype_name ((RcDtype) i));
    check_copy (suite, name, (RcDtype) i, (RcDtype) i, 333, row, row);
  }
}

/* ---- three episodes of four rows and two ticks ---- */

typedef struct
{
  const char *name;
  int64_t times[3][4], counts[3], ticks[3][2];
  int64_t times_stride, ticks_stride;
  float expected[3][2];         /* of rows {0, 1, 2, 3}, {10, …}, {20, …}; NaN where missing */
  RcAlignCounters counters;
} Episodes;

#define TIMES {0, 10, 20, 30}
#define ALL_TIMES {TIMES, TIMES, TIMES}
#define TICKS {{5, 15}, {5, 25}, {15, 25}}

static const Episodes episodes[] = {
  {"in order", ALL_TIMES, {4, 4, 4}, TICKS, 32, 16, {{0.5f, 1.5f}, {10.5f, 12.5f}, {21.5f, 22.5f}}, {6, 0, 0, 0}},
  {"share ticks", ALL_TIMES, {4, 4, 4}, TICKS, 32, 0, {{0.5f, 1.5f}, {10.5f, 11.5f}, {20.5f, 21.5f}}, {6, 0, 0, 0}},
  {"share times", {TIMES, {0, -100, 20, 30}, TIMES}, {4, 4, 4}, TICKS, 0, 16, {{0.5f, 1.5f}, {10.5f, 12.5f}, {21.5f, 22.5f}},
    {6, 0, 0, 0}},
  {"one in disorder", {TIMES, {0, 10, 20, 19}, TIMES}, {4, 4, 4}, TICKS, 32, 16, {{0.5f, 1.5f}, {NAN, NAN}, {21.5f, 22.5f}},
    {4, 0, 2, 1}},
  {"ragged, times behind the count ignored", {{0, 10, -1, 30}, TIMES, TIMES}, {2, 4, 0}, TICKS, 32, 16,
    {{0.5f, NAN}, {10.5f, 12.5f}, {NAN, NAN}}, {3, 0, 3, 0}},
  {"wrong counts", {TIMES, {40, 10, 20, 30}, TIMES}, {5, -1, 4}, TICKS, 32, 16, {{NAN, NAN}, {NAN, NAN}, {21.5f, 22.5f}},
    {2, 0, 4, 2}},
};

static void
check_episodes (Suite *suite)
{
  static const float rows[3][4] = { {0, 1, 2, 3}, {10, 11, 12, 13}, {20, 21, 22, 23} };
  static AlignCase c;

  for (size_t i = 0; i < COUNT (episodes); i++) {
    const Episodes *e = &episodes[i];
    Test test = test_begin ("align_episodes_%zu (%s)", i, e->name);

    begin (&c, suite, 1, 3, 2);
    c.specs[0] = (RcAlignStreamSpec) { RC_FLOAT32, RC_FLOAT32, 1, {RC_LINEAR, -1, 0, 0} };
    c.streams[0] = (RcAlignStreamArgs) {.rows = take_copy (suite, rows, sizeof (rows)),.n_rows = 4,.row_stride = 4,
      .batch_stride = 16,.times = take_copy (suite, e->times, sizeof (e->times)),.times_batch_stride = e->times_stride,
      .row_counts = take_copy (suite, e->counts, sizeof (e->counts))
    };
    c.args.tick_times = take_copy (suite, e->ticks, sizeof (e->ticks));
    c.args.tick_times_batch_stride = e->ticks_stride;
    take_outputs (&c, suite, 0);
    check (&c, suite, &test);
    for (int k = 0; k < 6; k++) {
      const float got = ((const float *) c.streams[0].out)[k], expected = e->expected[k / 2][k % 2];

      test_expect (&test, isnan (expected) ? isnan (got) && c.streams[0].status[k] == RC_MISSING : got == expected,
          "tick %d is %g, not %g", k, (double) got, (double) expected);
    }
    test_expect (&test, memcmp (c.streams[0].counters, &e->counters, sizeof (e->counters)) == 0, "counters");
    suite_end (suite, &test);
  }
}

/* ---- streams that are absent, and streams side by side ---- */

static void
check_absent (Suite *suite)
{
  static AlignCase c;

  for (int dtype = 0; dtype < RC_N_DTYPES; dtype++) {
    const int64_t size = (int64_t) rc_dtype_size ((RcDtype) dtype);
    Test test = test_begin ("align_absent_%s", rc_dtype_name ((RcDtype) dtype));

    begin (&c, suite, 1, 1, 1);
    c.specs[0] = (RcAlignStreamSpec) { RC_FLOAT32, (RcDtype) dtype, 300, {RC_LINEAR, -1, -1, 0} };
    take_outputs (&c, suite, 0);
    check (&c, suite, &test);
    test_expect (&test, c.streams[0].status[0] == RC_MISSING, "status %d", c.streams[0].status[0]);
    for (int i = 0; i < 300; i++) {
      const double x = oracle_get ((RcDtype) dtype, (const uint8_t *) c.streams[0].out + i * size);

      test_expect (&test, rc_dtype_is_float ((RcDtype) dtype) ? isnan (x) : x == 0, "channel %d is %g", i, x);
    }
    suite_end (suite, &test);
  }
}

void
check_written_alignments (Suite *suite)
{
  check_written (suite);
  check_copies (suite);
  check_episodes (suite);
  check_absent (suite);
}

/* ---- the order of operations that docs/explanation/arithmetic.md fixes, in float32 and float64 ---- */

#define N_ORDER 37

#define CHECK_ORDER(real, dtype) \
static void \
check_order_##real (Suite *suite, RcBlend blend, uint64_t *random, Test *test) \
{ \
  static const int32_t velocities[N_ORDER] = { 36, 35, 34, 33, 32, 31, 30, 29, 28, 27 }; \
  RcBracket b = { blend, RC_ALIGNED, 1, 2, 0, 3 }; \
  real y[4][N_ORDER], w, c0, c1, c2; \
  static AlignCase c; \
  int i; \
\
  for (i = 0; i < 4 * N_ORDER; i++) \
    y[i / N_ORDER][i % N_ORDER] = (real) random_real (random, -10, 10); \
  b.w = random_real (random, 0, 1); \
  for (i = 0; i < 3; i++) \
    b.c[i] = random_real (random, -1, 1); \
  w = (real) b.w; \
  c0 = (real) b.c[0]; \
  c1 = (real) b.c[1]; \
  c2 = (real) b.c[2]; \
  begin (&c, suite, 1, 1, 1); \
  c.specs[0] = (RcAlignStreamSpec) {.in = dtype,.out = dtype,.channels = N_ORDER,.search = {RC_HERMITE, -1, 0, 0}, \
    .velocities = velocities,.n_velocities = 10 }; \
  c.streams[0] = (RcAlignStreamArgs) {.rows = take_copy (suite, y, sizeof (y)),.n_rows = 4,.row_stride = sizeof (y[0]), \
    .brackets = take_copy (suite, &b, sizeof (b)) }; \
  take_outputs (&c, suite, 0); \
  check (&c, suite, test); \
  for (i = 0; i < N_ORDER; i++) { \
    const real y0 = y[1][i], y1 = y[2][i], got = ((const real *) c.streams[0].out)[i]; \
    real expected = y0 + w * (y1 - y0); \
\
    if (blend == RC_BLEND_CUBIC) \
      expected = ((y0 + c0 * (y1 - y0)) + c1 * (y[0][i] - y0)) + c2 * (y[3][i] - y0); \
    else if (blend == RC_BLEND_HERMITE && i < 10) \
      expected = ((y0 + c0 * (y1 - y0)) + c1 * y[1][velocities[i]]) + c2 * y[2][velocities[i]]; \
    test_expect (test, got == expected, "channel %d is %a, not %a", i, (double) got, (double) expected); \
  } \
}

CHECK_ORDER (float, RC_FLOAT32)
CHECK_ORDER (double, RC_FLOAT64)

/* A mean begins with its first row, adds the others in time order and divides once. */
static void
check_order_of_mean (Suite *suite)
{
  static const int64_t times[] = { 0, 1, 2, 3, 4, 5, 6 }, tick = 3;
  Test test = { "align_order_mean", "" };
  uint64_t random = 13;
  static AlignCase c;
  double y[7][5];

  for (int i = 0; i < 35; i++)
    y[i / 5][i % 5] = i % 5 == 4 ? -0.0 : random_real (&random, -1, 1) * pow (10, i % 7);
  begin (&c, suite, 1, 1, 1);
  c.specs[0] = (RcAlignStreamSpec) { RC_FLOAT64, RC_FLOAT64, 5, {RC_MEAN, -1, 0, 10} };
  c.streams[0] = (RcAlignStreamArgs) {.rows = take_copy (suite, y, sizeof (y)),.n_rows = 7,.row_stride = 40,
    .times = take_copy (suite, times, sizeof (times))
  };
  c.args.tick_times = take_copy (suite, &tick, sizeof (tick));
  take_outputs (&c, suite, 0);
  check (&c, suite, &test);
  for (int k = 0; k < 5; k++) {
    double sum = y[0][k];

    for (int i = 1; i < 7; i++)
      sum = sum + y[i][k];
    sum = sum / 7;
    test_expect (&test, memcmp ((const double *) c.streams[0].out + k, &sum, 8) == 0, "channel %d, not %a", k, sum);
  }
  suite_end (suite, &test);
}

void
check_order_of_operations (Suite *suite)
{
  static const char *const names[] = { "linear", "cubic", "hermite" };
  uint64_t random = 12;

  for (int blend = RC_BLEND_LINEAR; blend <= RC_BLEND_HERMITE; blend++) {
    Test test = test_begin ("align_order_%s", names[blend - RC_BLEND_LINEAR]);

    for (int i = 0; i < suite_fewer (suite, 200) && test_holds (&test); i++) {
      check_order_float (suite, (RcBlend) blend, &random, &test);
      check_order_double (suite, (RcBlend) blend, &random, &test);
    }
    suite_end (suite, &test);
  }
  check_order_of_mean (suite);
}
