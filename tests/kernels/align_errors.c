/* robocache: every wrong spec and argument has an error that names it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>

#include "kernels/align.h"

static RcBackend *
open_cpu (void)
{
  const RcWhere where = { RC_BACKEND_CPU, 0, RC_CPU_BEST, 0 };
  RcBackend *backend;

  fail_unless (rc_backend_open (&where, &backend, NULL) == RC_OK);
  return backend;
}

/* Both words are in the message: what was wrong, and its value. */
static void
assert_error (RcStatus status, RcStatus expected, const RcError *error, const gchar *name, const gchar *value)
{
  fail_unless_equals_int (status, expected);
  fail_unless_equals_int (error->status, expected);
  fail_unless (strstr (error->message, name) != NULL, "no \"%s\" in: %s", name, error->message);
  fail_unless (strstr (error->message, value) != NULL, "no \"%s\" in: %s", value, error->message);
  fail_unless (strstr (error->message, "expected") != NULL, "nothing expected in: %s", error->message);
}

/* ---- backends ---- */

static void
refuse_backend (const RcWhere *where, RcStatus expected, const gchar *name, const gchar *value)
{
  RcBackend *backend = (RcBackend *) 1;
  RcError error;

  assert_error (rc_backend_open (where, &backend, &error), expected, &error, name, value);
  fail_unless (backend == NULL);
}

GST_START_TEST (test_open_without_where)
{
  refuse_backend (NULL, RC_INVALID_ARGUMENT, "where", "NULL");
}

GST_END_TEST;

GST_START_TEST (test_open_unknown_kind)
{
  const RcWhere where = { (RcBackendKind) 7, 0, RC_CPU_BEST, 0 };

  refuse_backend (&where, RC_INVALID_ARGUMENT, "where.kind", "7");
}

GST_END_TEST;

GST_START_TEST (test_open_unknown_level)
{
  const RcWhere where = { RC_BACKEND_CPU, 0, (RcCpuLevel) 9, 0 };

  refuse_backend (&where, RC_INVALID_ARGUMENT, "where.cpu_level", "9");
}

GST_END_TEST;

GST_START_TEST (test_open_without_result)
{
  const RcWhere where = { RC_BACKEND_CPU, 0, RC_CPU_BEST, 0 };
  RcError error;

  assert_error (rc_backend_open (&where, NULL, &error), RC_INVALID_ARGUMENT, &error, "backend", "NULL");
}

GST_END_TEST;

GST_START_TEST (test_open_baseline_everywhere)
{
  const RcWhere where = { RC_BACKEND_CPU, 0, RC_CPU_BASELINE, 0 };
  RcBackend *backend;

  fail_unless (rc_backend_open (&where, &backend, NULL) == RC_OK);
  fail_unless_equals_int (rc_backend_kind (backend), RC_BACKEND_CPU);
  rc_backend_close (backend);
  rc_backend_close (NULL);
}

GST_END_TEST;

/* ---- specs ---- */

#define N_CHANNELS 10

static RcAlignStreamSpec
good_spec (void)
{
  const RcAlignStreamSpec spec = { RC_FLOAT32, RC_FLOAT32, N_CHANNELS, {RC_LINEAR, -1, 0, 0} };

  return spec;
}

/* The wrong stream is the second of two, and named so. */
static void
refuse_spec (const RcAlignStreamSpec *wrong, const gchar *name, const gchar *value)
{
  const RcAlignStreamSpec streams[] = { good_spec (), *wrong };
  const RcAlignSpec spec = { streams, 2 };
  RcBackend *backend = open_cpu ();
  RcAlignPlan *plan = (RcAlignPlan *) 1;
  RcError error;

  assert_error (rc_align_plan (backend, &spec, &plan, NULL, &error), RC_INVALID_ARGUMENT, &error, name, value);
  fail_unless (strstr (error.message, "streams[1]") != NULL, "which stream? %s", error.message);
  fail_unless (plan == NULL);
  fail_unless (rc_align_plan (backend, &spec, &plan, NULL, NULL) == RC_INVALID_ARGUMENT);
  rc_backend_close (backend);
}

/* Fields that are numbers: __i__ counts these. */
static const struct
{
  const gchar *field;
  gsize offset;
  gboolean is_enum;
  gint64 value;
} wrong_numbers[] = {
#define FIELD(name) #name, G_STRUCT_OFFSET (RcAlignStreamSpec, name)
  {FIELD (in), TRUE, RC_N_DTYPES},
  {FIELD (in), TRUE, -1},
  {FIELD (out), TRUE, 99},
  {FIELD (channels), FALSE, 0},
  {FIELD (channels), FALSE, -3},
  {FIELD (channels), FALSE, G_MAXINT64},
  {FIELD (search.interpolation), TRUE, 6},
  {FIELD (search.max_gap_ns), FALSE, -2},
  {FIELD (search.hold_limit_ns), FALSE, -7},
  {FIELD (search.period_ns), FALSE, -1},
  {FIELD (n_quaternions), FALSE, -1},
  {FIELD (n_angles), FALSE, -1},
  {FIELD (n_velocities), FALSE, -1},
  {FIELD (n_angles), FALSE, 11},
  {FIELD (n_velocities), FALSE, 11},
  {FIELD (n_quaternions), FALSE, 11},
#undef FIELD
};

GST_START_TEST (test_wrong_number)
{
  RcAlignStreamSpec spec = good_spec ();
  gchar *value = g_strdup_printf ("is %" G_GINT64_FORMAT ";", wrong_numbers[__i__].value);
  guint8 *field = (guint8 *) & spec + wrong_numbers[__i__].offset;

  if (wrong_numbers[__i__].is_enum)
    *(gint *) field = (gint) wrong_numbers[__i__].value;
  else
    *(gint64 *) field = wrong_numbers[__i__].value;
  refuse_spec (&spec, wrong_numbers[__i__].field, value);
  g_free (value);
}

GST_END_TEST;

GST_START_TEST (test_list_is_null)
{
  RcAlignStreamSpec spec = good_spec ();

  spec.n_quaternions = 1;
  refuse_spec (&spec, "quaternions", "NULL");
  spec = good_spec ();
  spec.n_angles = 1;
  refuse_spec (&spec, "angles", "NULL");
  spec = good_spec ();
  spec.n_velocities = 1;
  refuse_spec (&spec, "velocities", "NULL");
}

GST_END_TEST;

GST_START_TEST (test_quaternion_past_the_end)
{
  static const gint32 list[] = { 0, 7 };
  RcAlignStreamSpec spec = good_spec ();

  spec.quaternions = list;
  spec.n_quaternions = 2;
  refuse_spec (&spec, "quaternions[1]", "is 7");
}

GST_END_TEST;

GST_START_TEST (test_quaternion_in_a_narrow_row)
{
  static const gint32 list[] = { 0 };
  RcAlignStreamSpec spec = good_spec ();

  spec.channels = 3;
  spec.quaternions = list;
  spec.n_quaternions = 1;
  refuse_spec (&spec, "quaternions[0]", "3 channels");
}

GST_END_TEST;

GST_START_TEST (test_quaternions_overlap)
{
  static const gint32 list[] = { 5, 2 };
  RcAlignStreamSpec spec = good_spec ();

  spec.quaternions = list;
  spec.n_quaternions = 2;
  refuse_spec (&spec, "quaternions", "5");
}

GST_END_TEST;

GST_START_TEST (test_angle_out_of_range)
{
  static const gint32 high[] = { 10 }, low[] = { 3, -1 };
  RcAlignStreamSpec spec = good_spec ();

  spec.angles = high;
  spec.n_angles = 1;
  refuse_spec (&spec, "angles[0]", "is 10");
  spec.angles = low;
  spec.n_angles = 2;
  refuse_spec (&spec, "angles[1]", "is -1");
}

GST_END_TEST;

GST_START_TEST (test_angle_in_a_quaternion)
{
  static const gint32 quaternions[] = { 6, 0 }, angles[] = { 9, 5 };
  RcAlignStreamSpec spec = good_spec ();

  spec.quaternions = quaternions;
  spec.n_quaternions = 2;
  spec.angles = angles;
  spec.n_angles = 2;
  refuse_spec (&spec, "angles", "is 9");
}

GST_END_TEST;

GST_START_TEST (test_velocity_out_of_range)
{
  static const gint32 list[] = { 5, 6, 10 };
  RcAlignStreamSpec spec = good_spec ();

  spec.velocities = list;
  spec.n_velocities = 3;
  refuse_spec (&spec, "velocities[2]", "is 10");
}

GST_END_TEST;

GST_START_TEST (test_plan_without_streams)
{
  const RcAlignStreamSpec stream = good_spec ();
  const RcAlignSpec no_streams = { &stream, 0 }, no_list = { NULL, 1 };
  RcBackend *backend = open_cpu ();
  RcAlignPlan *plan;
  RcError error;

  assert_error (rc_align_plan (backend, &no_streams, &plan, NULL, &error), RC_INVALID_ARGUMENT, &error, "n_streams",
      "0");
  assert_error (rc_align_plan (backend, &no_list, &plan, NULL, &error), RC_INVALID_ARGUMENT, &error, "streams", "NULL");
  assert_error (rc_align_plan (backend, NULL, &plan, NULL, &error), RC_INVALID_ARGUMENT, &error, "spec", "NULL");
  assert_error (rc_align_plan (backend, &no_streams, NULL, NULL, &error), RC_INVALID_ARGUMENT, &error, "plan", "NULL");
  assert_error (rc_align_plan (NULL, &no_streams, &plan, NULL, &error), RC_INVALID_ARGUMENT, &error, "backend", "NULL");
  rc_backend_close (backend);
  rc_align_plan_free (NULL);
}

GST_END_TEST;

/* The lists belong to the caller again once the plan is made. */
GST_START_TEST (test_lists_are_copied)
{
  gint32 *angles = g_new (gint32, 1);
  const gint64 times[] = { 0, 2 }, tick = 1;
  const gfloat rows[] = { 3.f, -3.f };
  RcAlignStreamSpec stream_spec = { RC_FLOAT32, RC_FLOAT32, 1, {RC_LINEAR, -1, 0, 0}, NULL, 0, angles, 1 };
  const RcAlignSpec spec = { &stream_spec, 1 };
  gfloat out = 0;
  const RcAlignStreamArgs stream = { rows, 2, 4, 0, NULL, times, 0, NULL, &out };
  const RcAlignArgs args = { &stream, 1, 1, &tick, 0, NULL };
  RcBackend *backend = open_cpu ();
  RcAlignPlan *plan;

  angles[0] = 0;
  fail_unless (rc_align_plan (backend, &spec, &plan, NULL, NULL) == RC_OK);
  angles[0] = 1000;
  g_free (angles);
  fail_unless (rc_align_run (plan, &args, NULL, NULL) == RC_OK);
  fail_unless (fabsf (out) > 3.1f, "%g", out);
  rc_align_plan_free (plan);
  rc_backend_close (backend);
}

GST_END_TEST;

/* ---- runs: 3 episodes of 4 rows, 2 ticks ---- */

typedef struct
{
  gint64 times[3][4], ticks[3][2];
  gfloat rows[3][4][N_CHANNELS], out[3][2][N_CHANNELS];
  guint8 status[3][2];
  RcBracket brackets[2];
  RcAlignStreamArgs stream;
  RcAlignArgs args;
} Run;

static void
good_run (Run *run)
{
  const RcAlignStreamArgs stream = { run->rows, 4, 4 * N_CHANNELS, 16 * N_CHANNELS, NULL, run->times[0], 32, NULL,
    run->out, 4 * N_CHANNELS, 8 * N_CHANNELS, run->status[0], 2, NULL
  };
  const RcAlignArgs args = { &run->stream, 3, 2, run->ticks[0], 16, NULL };

  memset (run, 0, sizeof (*run));
  run->stream = stream;
  run->args = args;
  run->brackets[0] = run->brackets[1] = rc_bracket_copy (0, RC_ALIGNED);
}

static void
use_brackets (Run *run)
{
  run->stream.brackets = run->brackets;
  run->args.batch = 1;
}

static RcStatus
run_it (const Run *run, RcStream queue, RcError *error)
{
  const RcAlignStreamSpec stream_spec = good_spec ();
  const RcAlignSpec spec = { &stream_spec, 1 };
  RcBackend *backend = open_cpu ();
  RcAlignPlan *plan;
  RcStatus status;

  fail_unless (rc_align_plan (backend, &spec, &plan, NULL, NULL) == RC_OK);
  status = rc_align_run (plan, &run->args, queue, error);
  rc_align_plan_free (plan);
  rc_backend_close (backend);
  return status;
}

static void
refuse_run (const Run *run, const gchar *name, const gchar *value)
{
  RcError error;

  assert_error (run_it (run, NULL, &error), RC_INVALID_ARGUMENT, &error, name, value);
}

GST_START_TEST (test_the_good_run_is_good)
{
  Run run;

  good_run (&run);
  fail_unless (run_it (&run, NULL, NULL) == RC_OK);
  use_brackets (&run);
  fail_unless (run_it (&run, NULL, NULL) == RC_OK);
}

GST_END_TEST;

/* One field of the arguments, set to a wrong number; __i__ counts these. */
static const struct
{
  const gchar *field;
  gboolean of_stream;
  gsize offset;
  gint64 value;
} wrong_arguments[] = {
#define STREAM(name) #name, TRUE, G_STRUCT_OFFSET (RcAlignStreamArgs, name)
#define ALL(name) #name, FALSE, G_STRUCT_OFFSET (RcAlignArgs, name)
  {ALL (batch), -1},
  {ALL (ticks), -2},
  {ALL (tick_times_batch_stride), 8},
  {ALL (tick_times_batch_stride), 17},
  {ALL (tick_times_batch_stride), -16},
  {STREAM (n_rows), -1},
  {STREAM (row_stride), 39},
  {STREAM (row_stride), -40},
  {STREAM (batch_stride), 39},
  {STREAM (batch_stride), -160},
  {STREAM (times_batch_stride), 24},
  {STREAM (times_batch_stride), 33},
  {STREAM (times_batch_stride), -32},
  {STREAM (out_row_stride), 39},
  {STREAM (out_row_stride), 0},
  {STREAM (out_row_stride), G_MININT64},
  {STREAM (out_batch_stride), 39},
  {STREAM (out_batch_stride), 79},       /* two rows need 80 */
  {STREAM (out_batch_stride), G_MININT64},
  {STREAM (status_batch_stride), 1},
#undef STREAM
#undef ALL
};

GST_START_TEST (test_wrong_argument)
{
  gchar *value = g_strdup_printf ("is %" G_GINT64_FORMAT ";", wrong_arguments[__i__].value);
  Run run;

  good_run (&run);
  *(gint64 *) ((guint8 *) (wrong_arguments[__i__].of_stream ? (gpointer) & run.stream : &run.args)
      + wrong_arguments[__i__].offset) = wrong_arguments[__i__].value;
  refuse_run (&run, wrong_arguments[__i__].field, value);
  g_free (value);
}

GST_END_TEST;

GST_START_TEST (test_null_arguments)
{
  Run run;

  good_run (&run);
  run.stream.out = NULL;
  refuse_run (&run, "streams[0].out", "NULL");
  good_run (&run);
  run.stream.times = NULL;
  refuse_run (&run, "streams[0].times", "NULL");
  good_run (&run);
  run.args.tick_times = NULL;
  refuse_run (&run, "tick_times", "NULL");
  good_run (&run);
  run.args.streams = NULL;
  refuse_run (&run, "args.streams", "NULL");
}

GST_END_TEST;

GST_START_TEST (test_run_without_plan)
{
  RcError error;
  Run run;

  good_run (&run);
  assert_error (rc_align_run (NULL, &run.args, NULL, &error), RC_INVALID_ARGUMENT, &error, "plan", "NULL");
}

GST_END_TEST;

GST_START_TEST (test_lists_at_odd_addresses)
{
  Run run;

  good_run (&run);
  run.stream.times = (const int64_t *) ((const guint8 *) run.times + 4);
  refuse_run (&run, "times", "multiple of 8");
  good_run (&run);
  run.args.tick_times = (const int64_t *) ((const guint8 *) run.ticks + 1);
  refuse_run (&run, "tick_times", "multiple of 8");
  good_run (&run);
  use_brackets (&run);
  run.stream.brackets = (const RcBracket *) ((const guint8 *) run.brackets + 4);
  refuse_run (&run, "brackets", "multiple of 8");
}

GST_END_TEST;

GST_START_TEST (test_brackets_of_a_batch)
{
  Run run;

  good_run (&run);
  run.stream.brackets = run.brackets;
  refuse_run (&run, "batch", "is 3");
}

GST_END_TEST;

GST_START_TEST (test_a_stream_on_the_cpu)
{
  RcError error;
  Run run;

  good_run (&run);
  assert_error (run_it (&run, (RcStream) 0x10, &error), RC_INVALID_ARGUMENT, &error, "stream", "0x10");
}

GST_END_TEST;

/* Brackets that would read outside 4 rows; __i__ counts these. Blends read other rows of them. */
static const RcBracket wild_brackets[] = {
  {6, RC_ALIGNED, 0, 1, 0, 0, 0.5, {0}},
  {-1, RC_ALIGNED, 0, 1, 0, 0, 0.5, {0}},
  {RC_BLEND_LINEAR, 3, 0, 1, 0, 0, 0.5, {0}},
  {RC_BLEND_LINEAR, RC_MISSING, 0, 1, 0, 0, 0.5, {0}},
  {RC_BLEND_NONE, RC_ALIGNED, 0, 0, 0, 0, 0, {0}},
  {RC_BLEND_COPY, RC_ALIGNED, 4, 0, 0, 0, 0, {0}},
  {RC_BLEND_COPY, RC_HELD, -1, 0, 0, 0, 0, {0}},
  {RC_BLEND_LINEAR, RC_ALIGNED, 3, 4, 0, 0, 0.5, {0}},
  {RC_BLEND_LINEAR, RC_ALIGNED, G_MININT64, 1, 0, 0, 0.5, {0}},
  {RC_BLEND_HERMITE, RC_ALIGNED, 1, G_MAXINT64, 0, 0, 0.5, {0}},
  {RC_BLEND_CUBIC, RC_ALIGNED, 0, 1, -1, 2, 0.5, {0}},
  {RC_BLEND_CUBIC, RC_ALIGNED, 2, 3, 1, 4, 0.5, {0}},
  {RC_BLEND_MEAN, RC_ALIGNED, 0, 5, 0, 0, 0, {0}},
  {RC_BLEND_MEAN, RC_ALIGNED, 2, 2, 0, 0, 0, {0}},
  {RC_BLEND_MEAN, RC_ALIGNED, -1, 2, 0, 0, 0, {0}},
};

GST_START_TEST (test_wild_bracket)
{
  gchar *row = g_strdup_printf ("row %" G_GINT64_FORMAT, wild_brackets[__i__].row);
  Run run;

  good_run (&run);
  use_brackets (&run);
  run.brackets[1] = wild_brackets[__i__];
  refuse_run (&run, "streams[0].brackets[1]", row);
  g_free (row);
}

GST_END_TEST;

/* Nothing is written when an argument is wrong. */
GST_START_TEST (test_a_refused_run_writes_nothing)
{
  RcAlignCounters counters = { 0 };
  Run run, untouched;

  good_run (&run);
  use_brackets (&run);
  run.brackets[1].row = 17;
  run.stream.counters = &counters;
  untouched = run;
  refuse_run (&run, "brackets[1]", "17");
  fail_unless (memcmp (run.out, untouched.out, sizeof (run.out)) == 0);
  fail_unless_equals_int64 (counters.aligned, 0);
}

GST_END_TEST;

/* What an axis of length 1 makes irrelevant is not looked at. */
GST_START_TEST (test_unread_arguments_may_be_anything)
{
  Run run;

  good_run (&run);
  run.args.batch = 1;
  run.stream.batch_stride = run.stream.times_batch_stride = run.stream.out_batch_stride = -1;
  run.stream.status_batch_stride = run.args.tick_times_batch_stride = -1;
  fail_unless (run_it (&run, NULL, NULL) == RC_OK);
  run.args.ticks = 1;
  run.stream.n_rows = 1;
  run.stream.row_stride = run.stream.out_row_stride = -1;
  fail_unless (run_it (&run, NULL, NULL) == RC_OK);
  run.args.ticks = 0;
  run.stream.out = NULL;
  run.args.tick_times = NULL;
  fail_unless (run_it (&run, NULL, NULL) == RC_OK);
}

GST_END_TEST;

static Suite *
align_errors_suite (void)
{
  Suite *s = suite_create ("align_errors");
  TCase *backends = tcase_create ("backends"), *specs = tcase_create ("specs"), *runs = tcase_create ("runs");

  suite_add_tcase (s, backends);
  tcase_add_test (backends, test_open_without_where);
  tcase_add_test (backends, test_open_unknown_kind);
  tcase_add_test (backends, test_open_unknown_level);
  tcase_add_test (backends, test_open_without_result);
  tcase_add_test (backends, test_open_baseline_everywhere);

  suite_add_tcase (s, specs);
  tcase_add_loop_test (specs, test_wrong_number, 0, G_N_ELEMENTS (wrong_numbers));
  tcase_add_test (specs, test_list_is_null);
  tcase_add_test (specs, test_quaternion_past_the_end);
  tcase_add_test (specs, test_quaternion_in_a_narrow_row);
  tcase_add_test (specs, test_quaternions_overlap);
  tcase_add_test (specs, test_angle_out_of_range);
  tcase_add_test (specs, test_angle_in_a_quaternion);
  tcase_add_test (specs, test_velocity_out_of_range);
  tcase_add_test (specs, test_plan_without_streams);
  tcase_add_test (specs, test_lists_are_copied);

  suite_add_tcase (s, runs);
  tcase_add_test (runs, test_the_good_run_is_good);
  tcase_add_loop_test (runs, test_wrong_argument, 0, G_N_ELEMENTS (wrong_arguments));
  tcase_add_test (runs, test_null_arguments);
  tcase_add_test (runs, test_run_without_plan);
  tcase_add_test (runs, test_lists_at_odd_addresses);
  tcase_add_test (runs, test_brackets_of_a_batch);
  tcase_add_test (runs, test_a_stream_on_the_cpu);
  tcase_add_loop_test (runs, test_wild_bracket, 0, G_N_ELEMENTS (wild_brackets));
  tcase_add_test (runs, test_a_refused_run_writes_nothing);
  tcase_add_test (runs, test_unread_arguments_may_be_anything);
  return s;
}

GST_CHECK_MAIN (align_errors);
