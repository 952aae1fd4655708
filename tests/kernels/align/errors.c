/* robocache: every wrong spec and argument of an alignment has an error that names it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma GCC diagnostic ignored "-Woverride-init"        /* a row of a table overrides one field of what is right */
#include "case.h"

#include <inttypes.h>

/* ---- backends ---- */

static void
check_backends (Suite *suite)
{
  static const struct
  {
    const char *fragments;
    RcWhere where;
  } wrong[] = {
    {"where.kind|7|expected", {.kind = (RcBackendKind) 7}}, {"where.cpu_level|9|expected", {.cpu_level = (RcCpuLevel) 9}},
  };
  const RcWhere cpu = {.cpu_level = RC_CPU_BASELINE };
  RcBackend *backend = (RcBackend *) 1;
  Test test = { "align_errors_of_backends", "" };
  RcError error;

  for (size_t i = 0; i < COUNT (wrong); i++) {
    expect_refusal (rc_backend_open (&wrong[i].where, &backend, &error), RC_INVALID_ARGUMENT, &error, wrong[i].fragments, &test);
    test_expect (&test, backend == NULL, "%p", (void *) backend);
  }
  expect_refusal (rc_backend_open (NULL, &backend, &error), RC_INVALID_ARGUMENT, &error, "where|NULL|expected", &test);
  expect_refusal (rc_backend_open (&cpu, NULL, &error), RC_INVALID_ARGUMENT, &error, "backend|NULL|expected", &test);
  expect_refusal (rc_backend_probe (&wrong[0].where, &error), RC_INVALID_ARGUMENT, &error, wrong[0].fragments, &test);
  is_ok (rc_backend_probe (&cpu, &error), &error, &test);
  if (is_ok (rc_backend_open (&cpu, &backend, &error), &error, &test))
    test_expect (&test, rc_backend_kind (backend) == RC_BACKEND_CPU && rc_backend_device (backend) == -1, "kind or device");
  rc_backend_close (backend);
  rc_backend_close (NULL);
  suite_end (suite, &test);
}

/* ---- specs ---- */

#define N_CHANNELS 10
#define GOOD .in = RC_FLOAT32, .out = RC_FLOAT32, .channels = N_CHANNELS, .search = {RC_LINEAR, -1, 0, 0}
#define SPEC(...) {GOOD, __VA_ARGS__}
#define LIST(...) (const int32_t[]) {__VA_ARGS__}

static const struct
{
  const char *fragments;        /* beside the stream and what was expected */
  RcAlignStreamSpec spec;
  RcSetting setting;
} wrong_specs[] = {
  {"in is 12;", SPEC (.in = RC_N_DTYPES), RC_SETTING_IN},
  {"in is -1;", SPEC (.in = (RcDtype) -1), RC_SETTING_IN},
  {"out is 99;", SPEC (.out = (RcDtype) 99), RC_SETTING_OUT},
  {"channels is 0;", SPEC (.channels = 0), RC_SETTING_CHANNELS},
  {"channels is -3;", SPEC (.channels = -3), RC_SETTING_CHANNELS},
  {"channels is 9223372036854775807;", SPEC (.channels = INT64_MAX), RC_SETTING_CHANNELS},
  {"search.interpolation is 7;", SPEC (.search = {(RcInterpolation) 7, -1, 0, 0}), RC_SETTING_INTERPOLATION},
  {"search.cutoff_hz is -1;", SPEC (.search = {RC_LOWPASS, -1, 0, 0, -1, 4}), RC_SETTING_CUTOFF},
  {"search.cutoff_hz is 1e-07;", SPEC (.search = {RC_LOWPASS, -1, 0, 0, 1e-7, 4}), RC_SETTING_CUTOFF},
  {"search.cutoff_hz is inf;", SPEC (.search = {RC_LOWPASS, -1, 0, 0, INFINITY, 4}), RC_SETTING_CUTOFF},
  {"search.cutoff_hz is nan;", SPEC (.search = {RC_LOWPASS, -1, 0, 0, NAN, 4}), RC_SETTING_CUTOFF},
  {"search.lobes is 1;", SPEC (.search = {RC_LOWPASS, -1, 0, 0, 0, 1}), RC_SETTING_LOBES},
  {"search.lobes is 9;", SPEC (.search = {RC_LOWPASS, -1, 0, 0, 0, 9}), RC_SETTING_LOBES},
  {"search.max_gap_ns is -3;", SPEC (.search = {RC_LINEAR, -3, 0, 0}), RC_SETTING_MAX_GAP},
  {"search.hold_limit_ns is -7;", SPEC (.search = {RC_LINEAR, -1, -7, 0}), RC_SETTING_HOLD_LIMIT},
  {"search.period_ns is -1;", SPEC (.search = {RC_LINEAR, -1, 0, -1}), RC_SETTING_PERIOD},
  {"n_quaternions is -1;", SPEC (.n_quaternions = -1), RC_SETTING_QUATERNIONS},
  {"n_angles is -1;", SPEC (.n_angles = -1), RC_SETTING_ANGLES},
  {"n_velocities is -1;", SPEC (.n_velocities = -1), RC_SETTING_VELOCITIES},
  {"n_quaternions is 11;", SPEC (.n_quaternions = 11), RC_SETTING_QUATERNIONS},
  {"n_angles is 11;", SPEC (.n_angles = 11), RC_SETTING_ANGLES},
  {"n_velocities is 11;", SPEC (.n_velocities = 11), RC_SETTING_VELOCITIES},
  {"quaternions|NULL", SPEC (.n_quaternions = 1), RC_SETTING_QUATERNIONS},
  {"angles|NULL", SPEC (.n_angles = 1), RC_SETTING_ANGLES},
  {"velocities|NULL", SPEC (.n_velocities = 1), RC_SETTING_VELOCITIES},
  {"quaternions[1]|is 7", SPEC (.quaternions = LIST (0, 7), .n_quaternions = 2), RC_SETTING_QUATERNIONS},
  {"quaternions[0]|3 channels", SPEC (.channels = 3, .quaternions = LIST (0), .n_quaternions = 1), RC_SETTING_QUATERNIONS},
  {"quaternions|5", SPEC (.quaternions = LIST (5, 2), .n_quaternions = 2), RC_SETTING_QUATERNIONS},
  {"angles[0]|is 10", SPEC (.angles = LIST (10), .n_angles = 1), RC_SETTING_ANGLES},
  {"angles[1]|is -1", SPEC (.angles = LIST (3, -1), .n_angles = 2), RC_SETTING_ANGLES},
  {"angles|is 9", SPEC (.quaternions = LIST (6, 0), .n_quaternions = 2, .angles = LIST (9, 5), .n_angles = 2), RC_SETTING_ANGLES},
  {"n_holds is 11;", SPEC (.n_holds = 11), RC_SETTING_HOLDS},
  {"holds|NULL", SPEC (.n_holds = 1), RC_SETTING_HOLDS},
  {"holds[1]|is 10", SPEC (.holds = LIST (0, 10), .n_holds = 2), RC_SETTING_HOLDS},
  {"holds|is 5|quaternion at channel 4", SPEC (.quaternions = LIST (4), .n_quaternions = 1, .holds = LIST (9, 5), .n_holds = 2),
    RC_SETTING_HOLDS},
  {"holds|is 3|angle", SPEC (.angles = LIST (0, 3), .n_angles = 2, .holds = LIST (1, 2, 3, 4), .n_holds = 4), RC_SETTING_HOLDS},
  {"velocities[2]|is 10", SPEC (.velocities = LIST (5, 6, 10), .n_velocities = 3), RC_SETTING_VELOCITIES},
};

/* The wrong stream is the second of two. */
static void
check_specs (Suite *suite, const Place *place)
{
  const RcAlignSpec no_streams = { &wrong_specs[0].spec, 0 }, no_list = { NULL, 1 };
  Test test = { "align_errors_of_specs", "" };
  RcAlignPlan *plan;
  RcError error;

  for (size_t i = 0; i < COUNT (wrong_specs); i++) {
    const RcAlignStreamSpec streams[] = { SPEC (.channels = 1), wrong_specs[i].spec };
    const RcAlignSpec spec = { streams, 2 };

    plan = (RcAlignPlan *) 1;
    expect_refusal (rc_align_plan (place->backend, &spec, &plan, NULL, &error), RC_INVALID_ARGUMENT, &error,
        wrong_specs[i].fragments, &test);
    expect_refusal (error.status, RC_INVALID_ARGUMENT, &error, "streams[1]|expected", &test);
    expect_setting (&error, wrong_specs[i].setting, &test);
    test_expect (&test, error.wrong.stream == 1, "row %zu: stream %d", i, (int) error.wrong.stream);
    test_expect (&test, plan == NULL, "row %zu has a plan", i);
    test_expect (&test, rc_align_plan (place->backend, &spec, &plan, NULL, NULL) == RC_INVALID_ARGUMENT, "row %zu", i);
  }
#define REFUSED(backend, spec, plan, fragments) \
  expect_refusal (rc_align_plan (backend, spec, plan, NULL, &error), RC_INVALID_ARGUMENT, &error, fragments, &test)
  REFUSED (place->backend, &no_streams, &plan, "n_streams|0|expected");
  REFUSED (place->backend, &no_list, &plan, "streams|NULL|expected");
  REFUSED (place->backend, NULL, &plan, "spec|NULL|expected");
  REFUSED (place->backend, &no_streams, NULL, "plan|NULL|expected");
  REFUSED (NULL, &no_streams, &plan, "backend|NULL|expected");
  rc_align_plan_free (NULL);
  suite_end (suite, &test);
}

/* ---- runs: 3 episodes of 4 rows, 2 ticks ---- */

typedef struct
{
  int64_t times[3][4], ticks[3][2];
  float rows[3][4][N_CHANNELS], out[3][2][N_CHANNELS];
  RcBracket brackets[2];
  RcAlignCounters counters;
  uint8_t status[3][2];
} Data;

typedef enum
{
  ANYWHERE,
  CPU_ONLY                      /* a GPU cannot see what is wrong, or has other streams */
} Backends;

typedef struct
{
  const char *fragments;        /* NULL: it runs */
  Backends backends;
  RcAlignStreamArgs stream;
  RcAlignArgs args;
} Run;

/* Good arguments in data at a place, but for what a row overrides. */
#define STREAM(...) {.rows = data->rows, .n_rows = 4, .row_stride = 4 * N_CHANNELS, .batch_stride = 16 * N_CHANNELS, \
    .times = data->times[0], .times_batch_stride = 32, .out = data->out, .out_row_stride = 4 * N_CHANNELS, \
    .out_batch_stride = 8 * N_CHANNELS, .status = data->status[0], .status_batch_stride = 2, __VA_ARGS__}
#define ARGS(...) {.batch = 3, .ticks = 2, .tick_times = data->ticks[0], .tick_times_batch_stride = 16, \
    .scratch = scratch, __VA_ARGS__}
#define BAD_STREAM(fragments, ...) {fragments, ANYWHERE, STREAM (__VA_ARGS__), ARGS ()}
#define BAD_ARGS(fragments, ...) {fragments, ANYWHERE, STREAM (), ARGS (__VA_ARGS__)}
#define ODD(pointer, by) (const void *) ((const char *) (pointer) + by)
#define ONE .batch = 1

static void
check_run (const Place *place, RcAlignPlan *plan, const Run *run, size_t i, Test *test)
{
  RcAlignArgs args = run->args;
  RcError error;
  RcStatus status;

  if (run->backends == CPU_ONLY && place->is_gpu)
    return;
  args.streams = &run->stream;
  status = rc_align_run (plan, &args, place->stream, &error);
  if (run->fragments == NULL)
    is_ok (status, &error, test);
  else
    expect_refusal (status, RC_INVALID_ARGUMENT, &error, run->fragments, test);
  test_expect (test, run->fragments == NULL || strstr (error.message, "expected") != NULL, "row %zu: %s", i, error.message);
}

static void
check_rows (const Place *place, RcAlignPlan *plan, const Data *there, void *scratch, Test *test)
{
  Data *const data = (Data *) there;
  const Run runs[] = {
    {NULL, ANYWHERE, STREAM (), ARGS ()},
    {NULL, ANYWHERE, STREAM (.brackets = data->brackets), ARGS (ONE)},
    BAD_ARGS ("batch is -1;", .batch = -1),
    BAD_ARGS ("ticks is -2;", .ticks = -2),
    BAD_ARGS ("tick_times_batch_stride is 8;", .tick_times_batch_stride = 8),
    BAD_ARGS ("tick_times_batch_stride is 17;", .tick_times_batch_stride = 17),
    BAD_ARGS ("tick_times_batch_stride is -16;", .tick_times_batch_stride = -16),
    BAD_ARGS ("tick_times|NULL", .tick_times = NULL),
    BAD_ARGS ("tick_times|multiple of 8", .tick_times = ODD (data->ticks, 1)),
    BAD_STREAM ("n_rows is -1;", .n_rows = -1),
    BAD_STREAM ("row_stride is 39;", .row_stride = 39),
    BAD_STREAM ("row_stride is -40;", .row_stride = -40),
    BAD_STREAM ("batch_stride is 39;", .batch_stride = 39),
    BAD_STREAM ("batch_stride is -160;", .batch_stride = -160),
    BAD_STREAM ("times_batch_stride is 24;", .times_batch_stride = 24),
    BAD_STREAM ("times_batch_stride is 33;", .times_batch_stride = 33),
    BAD_STREAM ("times_batch_stride is -32;", .times_batch_stride = -32),
    BAD_STREAM ("out_row_stride is 39;", .out_row_stride = 39),
    BAD_STREAM ("out_row_stride is 0;", .out_row_stride = 0),
    BAD_STREAM ("out_row_stride is -9223372036854775808;", .out_row_stride = INT64_MIN),
    BAD_STREAM ("out_batch_stride is 39;", .out_batch_stride = 39),
    BAD_STREAM ("out_batch_stride is 79;", .out_batch_stride = 79),     /* two rows need 80 */
    BAD_STREAM ("out_batch_stride is -9223372036854775808;", .out_batch_stride = INT64_MIN),
    BAD_STREAM ("status_batch_stride is 1;", .status_batch_stride = 1),
    BAD_STREAM ("streams[0].out|NULL", .out = NULL),
    BAD_STREAM ("streams[0].times|NULL", .times = NULL),
    BAD_STREAM ("times|multiple of 8", .times = ODD (data->times, 4)),
    BAD_STREAM ("batch|is 3", .brackets = data->brackets),
    {"brackets|multiple of 8", ANYWHERE, STREAM (.brackets = ODD (data->brackets, 4)), ARGS (ONE)},
    /* a stride over an axis of length 1, and times of no ticks, are not read */
    {NULL, ANYWHERE, STREAM (.batch_stride = -1, .times_batch_stride = -1, .out_batch_stride = -1, .status_batch_stride = -1),
      ARGS (ONE, .tick_times_batch_stride = -1)},
    {NULL, ANYWHERE, STREAM (.n_rows = 1, .row_stride = -1, .out_row_stride = -1), ARGS (ONE, .ticks = 1)},
    {NULL, ANYWHERE, STREAM (.out = NULL), ARGS (ONE, .ticks = 0, .tick_times = NULL)},
  };

  for (size_t i = 0; i < COUNT (runs); i++)
    check_run (place, plan, &runs[i], i, test);
}

/* Brackets that would read outside 4 rows: blends read other rows of them. The CPU refuses them before anything is written; a GPU,
 * which cannot, makes the row missing (tests/gpu/unseen.c). */
static const RcBracket wrong_brackets[] = {
  {7, RC_ALIGNED, 0, 1, 0, 0, 0.5, {0}},
  {-1, RC_ALIGNED, 0, 1, 0, 0, 0.5, {0}},
  {RC_BLEND_LINEAR, 3, 0, 1, 0, 0, 0.5, {0}},
  {RC_BLEND_LINEAR, RC_MISSING, 0, 1, 0, 0, 0.5, {0}},
  {RC_BLEND_NONE, RC_ALIGNED, 0, 0, 0, 0, 0, {0}},
  {RC_BLEND_COPY, RC_ALIGNED, 4, 0, 0, 0, 0, {0}},
  {RC_BLEND_COPY, RC_HELD, -1, 0, 0, 0, 0, {0}},
  {RC_BLEND_LINEAR, RC_ALIGNED, 3, 4, 0, 0, 0.5, {0}},
  {RC_BLEND_LINEAR, RC_ALIGNED, INT64_MIN, 1, 0, 0, 0.5, {0}},
  {RC_BLEND_HERMITE, RC_ALIGNED, 1, INT64_MAX, 0, 0, 0.5, {0}},
  {RC_BLEND_CUBIC, RC_ALIGNED, 0, 1, -1, 2, 0.5, {0}},
  {RC_BLEND_CUBIC, RC_ALIGNED, 2, 3, 1, 4, 0.5, {0}},
  {RC_BLEND_COPY, RC_MISSING, 0, 0, 0, 0, 0, {0}},
  {RC_BLEND_MEAN, 3, 0, 2, 0, 0, 0, {0}},
  {RC_BLEND_MEAN, RC_ALIGNED, 0, 5, 0, 0, 0, {0}},
  {RC_BLEND_MEAN, RC_ALIGNED, 2, 2, 0, 0, 0, {0}},
  {RC_BLEND_MEAN, RC_ALIGNED, -1, 2, 0, 0, 0, {0}},
  {RC_BLEND_LOWPASS, 3, 0, 2, 1, 2, 1, {1, 1}},
  {RC_BLEND_LOWPASS, RC_ALIGNED, 0, 5, 1, 2, 1, {1, 1}},
  {RC_BLEND_LOWPASS, RC_ALIGNED, 2, 2, 1, 2, 1, {1, 1}},
  {RC_BLEND_LOWPASS, RC_ALIGNED, 0, 2, 1, 0, 1, {1, 1}},
  {RC_BLEND_LOWPASS, RC_ALIGNED, 0, 2, 1, 2, 1, {0, 1}},
  {RC_BLEND_LOWPASS, RC_ALIGNED, 0, 2, 1, 2, 1, {NAN, 1}},
  {RC_BLEND_LOWPASS, RC_ALIGNED, 0, 2, 1, 2, 1, {5, 1}},
  {RC_BLEND_LOWPASS, RC_ALIGNED, 0, 2, -100, 2, 1, {1, 1}},
  {RC_BLEND_COPY, RC_ALIGNED, 0, 0, 0, 0, 0, {0}, 4},
  {RC_BLEND_MEAN, RC_ALIGNED, 0, 2, 0, 0, 0, {0}, -1},
};

static void
check_brackets (const Place *place, RcAlignPlan *plan, Data *data, Test *test)
{
  void *const scratch = NULL;
  char fragments[64];

  for (size_t i = 0; i < COUNT (wrong_brackets); i++) {
    const Run run = { fragments, CPU_ONLY, STREAM (.brackets = data->brackets, .counters = &data->counters), ARGS (ONE) };
    Data before;

    data->brackets[1] = wrong_brackets[i];
    before = *data;
    snprintf (fragments, sizeof (fragments), "streams[0].brackets[1]|row %" PRId64, wrong_brackets[i].row);
    check_run (place, plan, &run, i, test);
    test_expect (test, memcmp (data, &before, sizeof (before)) == 0, "bracket %zu: something was written", i);
  }
}

static void
check_calls (const Place *place, RcAlignPlan *plan, void *scratch, Test *test)
{
  const RcAlignStreamArgs stream = { NULL };
  const RcAlignArgs args = {.streams = &stream,.scratch = scratch }, no_streams = {.scratch = scratch };
  const RcStream streams[] = { NULL, (RcStream) 1, (RcStream) 2 };      /* CUDA's default ones */
  RcError error;

  expect_refusal (rc_align_run (NULL, &args, NULL, &error), RC_INVALID_ARGUMENT, &error, "plan|NULL|expected", test);
  expect_refusal (rc_align_run (plan, NULL, place->stream, &error), RC_INVALID_ARGUMENT, &error, "args|NULL|expected", test);
  expect_refusal (rc_align_run (plan, &no_streams, place->stream, &error), RC_INVALID_ARGUMENT, &error, "args.streams|NULL", test);
  if (!place->is_gpu)
    expect_refusal (rc_align_run (plan, &args, (RcStream) 0x10, &error), RC_INVALID_ARGUMENT, &error, "stream|0x10|expected", test);
  for (int i = 0; i < 3 && place->is_gpu; i++)
    expect_refusal (rc_align_run (plan, &args, streams[i], &error), RC_INVALID_ARGUMENT, &error, "default stream", test);
}

static void
check_runs (Suite *suite, const Place *place)
{
  static const RcBracket first = { RC_BLEND_COPY, RC_ALIGNED };
  const RcAlignStreamSpec stream = { GOOD,.search = {RC_LOWPASS, -1, 0, 0, 0, RC_DEFAULT_LOBES} };  /* brackets of any blend */
  const RcAlignSpec spec = { &stream, 1 };
  Test test = { "align_errors_of_runs", "" };
  Data data = {.brackets = {first, first} }, *there = place_alloc (place, sizeof (data));
  Scratch scratch = { NULL };
  RcFootprint footprint;
  RcAlignPlan *plan = NULL;
  RcError error;

  if (is_ok (rc_align_plan (place->backend, &spec, &plan, &footprint, &error), &error, &test)
      && place_copy (place, there, &data, sizeof (data), &test)) {
    scratch = scratch_new (place, &footprint, 0, &test);
    check_calls (place, plan, scratch.memory, &test);
    check_rows (place, plan, there, scratch.memory, &test);
    if (!place->is_gpu)
      check_brackets (place, plan, there, &test);
    place_wait (place, &test);
  }
  rc_align_plan_free (plan);
  scratch_free (place, &scratch, &test);
  place_free (place, there);
  suite_end (suite, &test);
}

/* The lists belong to the caller again once the plan is made. */
static void
check_lists (Suite *suite)
{
  int32_t angles[1] = { 0 };
  const int64_t times[] = { 0, 2 }, tick = 1;
  const float rows[] = { 3.f, -3.f };
  const RcAlignStreamSpec stream_spec = { GOOD,.channels = 1,.angles = angles,.n_angles = 1 };
  const RcAlignSpec spec = { &stream_spec, 1 };
  float out = 0;
  const RcAlignStreamArgs stream = {.rows = rows,.n_rows = 2,.row_stride = 4,.times = times,.out = &out };
  const RcAlignArgs args = {.streams = &stream,.batch = 1,.ticks = 1,.tick_times = &tick };
  Test test = { "align_lists_are_copied", "" };
  RcAlignPlan *plan = NULL;
  RcError error;

  if (is_ok (rc_align_plan (suite->reference.backend, &spec, &plan, NULL, &error), &error, &test)) {
    angles[0] = 1000;
    is_ok (rc_align_run (plan, &args, NULL, &error), &error, &test);
    test_expect (&test, out > 3.1f || out < -3.1f, "%g", (double) out);
  }
  rc_align_plan_free (plan);
  suite_end (suite, &test);
}

void
check_align_errors (Suite *suite)
{
  const Place *const place = suite->is_gpu ? &suite->places[0] : &suite->reference;

  check_backends (suite);
  check_specs (suite, place);
  check_runs (suite, place);
  check_lists (suite);
}
