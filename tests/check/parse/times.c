/* robocache: robocacheparse: the time column and its unit, which are guessed, refused or doubted
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <math.h>

#include "gst/parse/table/timedate.h"
#include "gst/parse/table/timeguess.h"
#include "gst/parse/records/firstrows.h"
#include "gst/parse/records/timesteps.h"
#include "tests/check/lib/points/parseharness.h"

/* ---- dates ---- */

GST_START_TEST (dates)
{
  static const struct
  {
    const gchar *text;
    gint64 time;
    RobocacheTimeStatus status;
  } cases[] = {
    {"1970-01-01T00:00:00Z", 0}, {"1970-01-01 00:00:01", 1000000000}, {"1970-01-01t00:00:00.000000001z", 1},
    {"2012-01-18T15:12:08.468056009Z", 1326899528468056009}, {"2012-01-18T16:12:08,468056009+01:00", 1326899528468056009},
    {"2012-01-18T10:42:08.4680560099-0430", 1326899528468056009}, {"2012-01-18T17:12:08.468056009+02", 1326899528468056009},
    {"1969-12-31T23:59:59.5Z", -500000000}, {"2016-02-29T12:00:00Z", 1456747200000000000},
    {"2016-12-31T23:59:60Z", 1483228800000000000}, {"2262-04-11T23:47:16.854775807Z", G_MAXINT64},
    {"2262-04-11T23:47:16.854775808Z", 0, ROBOCACHE_TIME_OVERFLOW}, {"9999-01-01T00:00:00Z", 0, ROBOCACHE_TIME_OVERFLOW},
    {"2015-02-29T12:00:00Z", 0, ROBOCACHE_TIME_NOT_A_NUMBER}, {"2012-13-01T00:00:00Z", 0, ROBOCACHE_TIME_NOT_A_NUMBER},
    {"2012-01-18", 0, ROBOCACHE_TIME_NOT_A_NUMBER}, {"2012-01-18T15:12", 0, ROBOCACHE_TIME_NOT_A_NUMBER},
    {"2012-01-18T24:00:00Z", 0, ROBOCACHE_TIME_NOT_A_NUMBER}, {"2012-01-18T15:12:08.Z", 0, ROBOCACHE_TIME_NOT_A_NUMBER},
    {"2012-01-18T15:12:08Zulu", 0, ROBOCACHE_TIME_NOT_A_NUMBER}, {"2012-01-18T15:12:08+1", 0, ROBOCACHE_TIME_NOT_A_NUMBER},
    {"18.01.2012 15:12:08", 0, ROBOCACHE_TIME_NOT_A_NUMBER}, {"", 0, ROBOCACHE_TIME_NOT_A_NUMBER},
    {"0000-01-01T00:00:00Z", 0, ROBOCACHE_TIME_NOT_A_NUMBER},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gint64 time = 0;
    const RobocacheTimeStatus status = robocache_time_from_date (cases[i].text, &time);

    fail_unless (status == cases[i].status, "%s: status %d", cases[i].text, status);
    if (status == ROBOCACHE_TIME_OK)
      fail_unless (time == cases[i].time, "%s: %" G_GINT64_FORMAT, cases[i].text, time);
  }
}

GST_END_TEST;

/* ---- names ---- */

GST_START_TEST (columns_by_name)
{
  static const struct
  {
    const gchar *header;
    gint arrival_column;
    gint column;                /* -1: none is taken */
    const gchar *others;
    RobocacheTimeUnit unit;
    gint second;                /* 0: none, else + 1 */
    RobocacheTimeForm form;
  } cases[] = {
    {"t,q0", -1, 0, NULL, ROBOCACHE_TIME_UNIT_S}, {"q0,t", -1, 1, NULL, ROBOCACHE_TIME_UNIT_S},
    {"arrival_ns,stamp_ns,q", -1, 1, "arrival_ns", ROBOCACHE_TIME_UNIT_NS},
    {"arrival_ns,stamp_ns,q", 0, 1, NULL, ROBOCACHE_TIME_UNIT_NS}, {"stamp_us,time", 0, 1, NULL, ROBOCACHE_TIME_UNIT_S},
    {"t,time,timestamp,stamp", -1, 3, "t, time, timestamp", ROBOCACHE_TIME_UNIT_S},
    {"x,Time [ms]", -1, 1, NULL, ROBOCACHE_TIME_UNIT_MS}, {"x,TimeStamp(us)", -1, 1, NULL, ROBOCACHE_TIME_UNIT_US},
    {"x,time_stamp_sec", -1, 1, NULL, ROBOCACHE_TIME_UNIT_S}, {"%time,field.header.stamp", -1, 1, "%time", ROBOCACHE_TIME_UNIT_S},
    {"clock_us,q1", -1, 0, NULL, ROBOCACHE_TIME_UNIT_US}, {"TimeUS,AccX", -1, 0, NULL, ROBOCACHE_TIME_UNIT_US},
    {"x,tick_ns_since_1326899528468056009", -1, 1, NULL, ROBOCACHE_TIME_UNIT_NS}, {"tick_ns,t", -1, 0, "t", ROBOCACHE_TIME_UNIT_NS},
    {"timestamp,timestamp_sample,control_0", -1, 0, "timestamp_sample", ROBOCACHE_TIME_UNIT_S},
    {"x,ms", -1, 1, NULL, ROBOCACHE_TIME_UNIT_MS}, {"Zeit [ms];x", -1, 0, NULL, ROBOCACHE_TIME_UNIT_MS},
    {"frame,x", -1, -1}, {"q0,q1", -1, -1}, {"pan,lift,grip", -1, -1}, {"seq,exposure_time", -1, -1}, {"id,arrival_ns", -1, -1},
    {"sec,nanosec,x", -1, 0, NULL, ROBOCACHE_TIME_UNIT_NS, 2, ROBOCACHE_TIME_PARTS},
    {"x,header.stamp.nanosec,header.stamp.sec", -1, 2, NULL, ROBOCACHE_TIME_UNIT_NS, 2, ROBOCACHE_TIME_PARTS},
    {"tv_sec,tv_usec", -1, 0, NULL, ROBOCACHE_TIME_UNIT_US, 2, ROBOCACHE_TIME_PARTS},
    {"a,stamp_s,stamp_ms", -1, 1, NULL, ROBOCACHE_TIME_UNIT_MS, 3, ROBOCACHE_TIME_PARTS},
    {"gps_week,gps_tow,x", -1, 0, NULL, ROBOCACHE_TIME_UNIT_S, 2, ROBOCACHE_TIME_GPS},
    {"GWk,GMS,x", -1, 0, NULL, ROBOCACHE_TIME_UNIT_S, 2, ROBOCACHE_TIME_GPS},
    {"week,iTOW [ms]", -1, 0, NULL, ROBOCACHE_TIME_UNIT_MS, 2, ROBOCACHE_TIME_GPS},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar **names = g_strsplit_set (cases[i].header, ",;", -1);
    const RobocacheTimeChoice choice = {.unit = ROBOCACHE_TIME_UNIT_AUTO,.leap_seconds = -1,.arrival_column = cases[i].arrival_column };
    RobocacheTimeSource source = {.second = -1 };
    const gboolean ok = robocache_time_source_guess (&source, &choice, names, g_strv_length (names), NULL, NULL);
    const RobocacheTimeUnit unit = cases[i].form == ROBOCACHE_TIME_PARTS ? source.reading.second_unit : source.reading.unit;

    fail_unless (ok == (cases[i].column >= 0), "%s: column %u", cases[i].header, source.column);
    if (ok)
      fail_unless ((gint) source.column == cases[i].column && unit == cases[i].unit && source.second == cases[i].second - 1
          && source.reading.form == cases[i].form && (cases[i].second || g_strcmp0 (source.others, cases[i].others) == 0),
          "%s: columns %u and %d in %s, others %s", cases[i].header, source.column, source.second, robocache_time_unit_name (unit), source.others);
    robocache_time_source_clear (&source);
    g_strfreev (names);
  }
}

GST_END_TEST;

/* ---- recordings ---- */

/* Rows whose first two columns are of these kinds. */
typedef enum
{
  STEADY,                       /* k * step */
  TWICE,                        /* each time twice */
  LATE,                         /* every fourth at the time of the third after it */
  SHUFFLED,
  JOINT                         /* sin (k / 40) */
} Kind;

static gdouble
value_of (Kind kind, guint k, gdouble step)
{
  switch (kind) {
    case TWICE:
      return k / 2 * step;
    case LATE:
      return (k + (k % 4 == 0 ? 3 : 0)) * step;
    case SHUFFLED:
      return (k * 37 % 101) * step;
    case JOINT:
      return ((gint) (1e4 * sin (k / 40.0))) / 1e4;
    default:
      return k * step;
  }
}

static gchar *
make_recording (const gchar *header, const Kind kinds[2], gdouble step, guint n)
{
  GString *text = g_string_new (header);

  for (guint k = 0; k < n; k++) {
    gchar a[G_ASCII_DTOSTR_BUF_SIZE], b[G_ASCII_DTOSTR_BUF_SIZE];

    g_ascii_formatd (a, sizeof (a), "%.9f", value_of (kinds[0], k, step));
    g_ascii_formatd (b, sizeof (b), "%.9f", value_of (kinds[1], k, step));
    g_string_append_printf (text, "%s,%s,1\n", a, b);
  }
  return g_string_free (text, FALSE);
}

static const struct
{
  const gchar *name, *header, *properties;
  Kind kinds[2];
  gdouble step;
  guint n;                      /* rows */
  const gchar *error, *warning; /* NULL: none */
  gboolean is_guessed;          /* in a file, whose rows are looked at first: no error */
  gboolean is_refused_at_once;  /* no row is sent */
} recordings[] = {
  {"an ordinary one", "t,q,x\n", "", {STEADY, JOINT}, 0.01, 300},
  {"an ordinary one without a header", "", "", {STEADY, JOINT}, 0.01, 300},
  {"time in another column", "q,t,x\n", "", {JOINT, STEADY}, 0.01, 300},
  {"a joint for the time", "q,r,x\n", "", {JOINT, JOINT}, 0.01, 300, "no column has a name of a time, like stamp, timestamp, time or t: "
        "the table has q, r, x; set time-column", .is_refused_at_once = TRUE},
  {"a counter of rows, a joint", "frame,r,x\n", "", {STEADY, JOINT}, 1, 9, "the table has frame, r, x; set time-column", .is_refused_at_once = TRUE},
  {"a joint for the time, without a header", "", "", {JOINT, STEADY}, 0.01, 300,
        "but among its first 100 rows, 0 repeat a time and 36 go back in time; set time-column to the column of the time, or to 0 if it is this "
        "one"},
  {"a torque that is called t", "t,q,x\n", "", {JOINT, STEADY}, 0.01, 300, "The time is in column 0 (\"t\"), but among its first 100 rows"},
  {"a joint that the user called time", "q,r,x\n", "time-column=0 time-origin=-2000000000", {JOINT, STEADY}, 0.01, 300, NULL,
        "The time is in column 0 (\"q\"), but among its first 100 rows"},
  {"few rows prove nothing", "", "", {JOINT, STEADY}, 0.01, 9},
  {"rows twice", "stamp,q,x\n", "", {TWICE, JOINT}, 0.01, 300},
  {"rows twice without a name", "", "", {TWICE, JOINT}, 0.01, 300, "set time-column"},
  {"rows twice without a name, as the user wants it", "", "time-column=0", {TWICE, JOINT}, 0.01, 300},
  {"some rows late and some twice", "", "time-origin=0", {LATE, JOINT}, 0.01, 300, NULL, "25 repeat a time and 25 go back in time; set time-column to"},
  {"rows in a wrong order", "t,q,x\n", "time-origin=0", {SHUFFLED, JOINT}, 0.01, 101},
  {"rows in a wrong order, without a name", "", "time-origin=0", {SHUFFLED, JOINT}, 0.01, 101, "36 go back in time"},
  {"us for s", "t,q,x\n", "", {STEADY, JOINT}, 5000, 300,
        "The median step of the first rows is 5000 s with time-unit=s, which was not set; with time-unit=us it is 5 ms: set this unit, or time-unit=s",
        .is_guessed = TRUE},
  {"us for s as the user wants it", "t,q,x\n", "time-unit=s", {STEADY, JOINT}, 5000, 300, NULL,
        "The median step of the first rows is 5000 s with time-unit=s; with time-unit=us it is 5 ms: set this unit"},
  {"s for us", "t_us,q,x\n", "", {STEADY, JOINT}, 0.005, 300, "The median step of the first rows is 5 ns with time-unit=us"},
  {"s for us as the user wants it", "t,q,x\n", "time-unit=us", {STEADY, JOINT}, 0.005, 300, NULL,
        "is 5 ns with time-unit=us; with time-unit=s it is 5 ms: set this unit"},
  {"the fastest sensor", "t,q,x\n", "", {STEADY, JOINT}, 0.00001, 300},
  {"the slowest sensor", "t,q,x\n", "", {STEADY, JOINT}, 100, 300},
  {"no sensor", "t,q,x\n", "", {STEADY, JOINT}, 1e-7, 300, "the median step of the times, 1e-07, fits no sensor of 0.5 Hz to 20 kHz"},
  {"the unit of a name", "stamp_ms,q,x\n", "", {STEADY, JOINT}, 5, 300},
};

/* A file: no row is sent before the verdict, so nothing is left on disk but an empty file. */
GST_START_TEST (files)
{
  gchar *text = make_recording (recordings[__i__].header, recordings[__i__].kinds, recordings[__i__].step, recordings[__i__].n);
  Output out = parse (text, recordings[__i__].properties);
  const gchar *error = recordings[__i__].is_guessed ? NULL : recordings[__i__].error;

  expect_complaints (&out, error, recordings[__i__].warning, recordings[__i__].name);
  fail_unless_equals_int (out.buffers->len, error ? 0 : recordings[__i__].n);
  output_clear (&out);
  g_free (text);
}

GST_END_TEST;

/* Bytes of unknown number: each row leaves at once, and the verdict stops those that follow. */
GST_START_TEST (streams)
{
  gchar *text = make_recording (recordings[__i__].header, recordings[__i__].kinds, recordings[__i__].step, recordings[__i__].n);
  gchar **lines = g_strsplit (text, "\n", -1);
  GstHarness *h = parse_harness (recordings[__i__].properties);
  const guint n_headers = *recordings[__i__].header ? 1 : 0;
  GstFlowReturn flow = GST_FLOW_OK;
  guint n_sent = 0;

  for (guint i = 0; lines[i] && *lines[i] && flow == GST_FLOW_OK; i++) {
    gchar *line = g_strconcat (lines[i], "\n", NULL);

    flow = push_text (h, line);
    n_sent += i >= n_headers && flow == GST_FLOW_OK;
    fail_unless_equals_int (gst_harness_buffers_received (h), n_sent);
    g_free (line);
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_ERROR), recordings[__i__].error ? 1 : 0);
  fail_unless_equals_int (n_sent, recordings[__i__].is_refused_at_once ? 0 : recordings[__i__].error ? MIN (99, recordings[__i__].n) : recordings[__i__].n);
  harness_close (h);
  g_strfreev (lines);
  g_free (text);
}

GST_END_TEST;

/* Neither sizes of pieces nor malformed lines and comments among the rows that wait change what leaves. */
GST_START_TEST (waiting_rows_change_nothing)
{
  static const Kind kinds[] = { STEADY, JOINT };
  gchar *rows = make_recording ("t,q,x\n0,bad\n# a comment\n0,1,2\n0.001,x,1\n", kinds, 0.01, 250);
  gchar *text = g_strconcat (rows, "x\n9,9,9\n", NULL);
  GBytes *expected = NULL;

  for (guint i = 0; i < 6; i++) {
    static const guint blocks[] = { 1, 7, 64, 4096, 100000, 4096 };
    Run run = file_run_begin (text, -1, i < 5 ? "" : "time-column=0 time-unit=s", blocks[i]);
    Output out = play_to_end (run.pipeline);
    GBytes *bytes = output_bytes (&out);

    fail_unless_equals_string (out.warning, "Dropped a malformed record: line 2, column 1: \"bad\" is not a number");
    fail_unless_equals_int (out.buffers->len, 252);
    fail_unless (!expected || g_bytes_equal (expected, bytes), "%u", blocks[i]);
    fail_unless (GST_BUFFER_IS_DISCONT (output_buffer (&out, 1)) && !GST_BUFFER_IS_DISCONT (output_buffer (&out, 2)));
    if (!expected)
      expected = g_bytes_ref (bytes);
    g_bytes_unref (bytes);
    output_clear (&out);
    run_end (&run);
  }
  g_bytes_unref (expected);
  g_free (rows);
  g_free (text);
}

GST_END_TEST;

/* Equal times and times that go back are counted, whatever the verdict. */
GST_START_TEST (counts)
{
  Output out = parse ("t,q\n0,1\n0,2\n0.01,3\n0.005,4\n0.02,5\n0.02,6\n", "");

  fail_unless_equals_uint64 (output_count (&out, "equal-times"), 2);
  fail_unless_equals_uint64 (output_count (&out, "backwards"), 1);
  expect_complaints (&out, NULL, NULL, "counts");
  output_clear (&out);
}

GST_END_TEST;

/* A header whose names are none of a time is an error, live, too. */
GST_START_TEST (a_header_without_a_time)
{
  GstHarness *h = parse_harness ("");

  push_text (h, "q,arrival\n0,1\n0.1,2\n");
  fail_unless (message_fault (h, GST_MESSAGE_ERROR, "settings", "no column is called stamp, timestamp, time or t; set time-column to the column of the "
          "time (perhaps arrival)") == NULL);
  fail_unless_equals_int (gst_harness_buffers_received (h), 0);
  harness_close (h);
}

GST_END_TEST;

/* What was chosen is said once where there was a choice. */
GST_START_TEST (choices_are_said)
{
  static const struct
  {
    const gchar *text;
    const gchar *info;          /* NULL: nothing is said */
  } cases[] = {
    {"t,q\n0,1\n", NULL}, {"0,1\n", NULL},
    {"q,t\n1,0\n", "The time is in column 1 (\"t\") in s (by its name); set time-column to choose another column"},
    {"arrival_ns,stamp_ns\n1,2\n", "The time is in column 1 (\"stamp_ns\") in ns (by its name), and not in arrival_ns; set time-column to choose another column"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstHarness *h = parse_harness ("");
    GError *error = NULL;
    GstMessage *message;

    push_text (h, cases[i].text);
    push_segment_of (h, GST_FORMAT_BYTES);
    push_text (h, cases[i].text);
    message = pop_message (h, GST_MESSAGE_INFO);
    fail_unless_equals_int (message != NULL, cases[i].info != NULL);
    if (message) {
      gst_message_parse_info (message, &error, NULL);
      fail_unless_equals_string (error->message, cases[i].info);
      g_error_free (error);
      gst_message_unref (message);
    }
    fail_unless (pop_message (h, GST_MESSAGE_INFO) == NULL);
    harness_close (h);
  }
}

GST_END_TEST;

/* ---- steps back ---- */

GST_START_TEST (steps_back)
{
  static const struct
  {
    const gchar *times;         /* ranges FIRST-LAST, or single times */
    guint64 n;
    gint64 greatest;
    guint64 first;              /* record, from 1 */
  } cases[] = {
    {"0-99", 0}, {"0-49 0-49", 1, 49, 51}, {"0-49 20-49", 1, 29, 51}, {"0-49 0-49 0-49", 2, 49, 51}, {"0-49 40-49", 0},
    /* rows out of order are none */
    {"0-49 30-38 50-99", 0}, {"0-49 10 50 11 51 12 52 13 53 14 54 15 55 16 56 17 57 18 58 19 59 20 60", 0},
    {"0-49 30-39 60-99", 1, 19, 51}, {"", 0}, {"5", 0}, {"99 98 97 96 95 94 93 92 91 90 89 88 87 86 85", 0}, {"0-49 2 0 1 3-49", 1, 47, 51},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar **ranges = g_strsplit (cases[i].times, " ", -1);
    RobocacheTimeSteps steps = { 0 };
    guint64 record = 0;

    for (guint k = 0; ranges[k]; k++) {
      gchar *end;
      gint64 first = g_ascii_strtoll (ranges[k], &end, 10), last = *end ? g_ascii_strtoll (end + 1, NULL, 10) : first;

      for (; first <= last; first++)
        robocache_time_steps_add (&steps, first, ++record);
    }
    fail_unless (steps.n == cases[i].n && steps.greatest == cases[i].greatest && steps.first == cases[i].first, "%s: %" G_GUINT64_FORMAT " steps of up to %"
        G_GINT64_FORMAT ", first at %" G_GUINT64_FORMAT, cases[i].times, steps.n, steps.greatest, steps.first);
    g_strfreev (ranges);
  }
}

GST_END_TEST;

/* Rows stay in the order of the file. */
GST_START_TEST (a_clock_that_was_set_back)
{
  GString *text = g_string_new ("t,a\n");
  Output out;

  for (guint k = 0; k < 100; k++)
    g_string_append_printf (text, "%u.%02u,%u\n", 100 + (k < 50 ? k : k - 40) / 100, (k < 50 ? k : k - 40) % 100, k);
  out = parse (text->str, "");
  expect_complaints (&out, NULL, "The time goes back 1 time, first at line 52, by up to 0.390 s", "a clock that was set back");
  fail_unless_equals_int (out.buffers->len, 100);
  for (guint k = 0; k < 100; k++)
    fail_unless_equals_int ((gint) output_value (&out, k, 0), (gint) k);
  fail_unless_equals_uint64 (output_count (&out, "steps-back"), 1);
  output_clear (&out);
  g_string_free (text, TRUE);
}

GST_END_TEST;

/* ---- rows that are read before any is sent ---- */

/* A line is read n_lines times, of which `extra` characters are more x, then the last text. */
static const struct
{
  const gchar *begin, *line;
  guint extra, n_lines;
  const gchar *last;
  gboolean judges_times, has_ended;
  guint64 n_records;            /* that were read */
  const gchar *without_value;   /* names of columns */
} beginnings[] = {
  {"t,a,b\n0,1,\n", "1,2,\n", 0, 3, "2,3,\n", FALSE, TRUE, 5, "b"},
  {"t,a,b\n0,1,\n", "1,2,\n", 0, 3, "2,3,4\n3,4,5\n", FALSE, FALSE, 5},
  {"t,a\n", "x\n", 0, 100, "0,1\n", TRUE, FALSE, 0},
  {"t,a\n0,1\n", "x\n", 0, 100, "1,2\n", TRUE, FALSE, 1},
  /* malformed lines before a sparse column has its first value */
  {"t,a,b\n0,1,\n", "x\n", 0, 300, "2,3,4\n3,4,5\n", FALSE, FALSE, 2},
  {"t,a,b\n0,1,\n", "x\n", 0, 300, "2,3,\n", TRUE, TRUE, 2, "b"},
  /* of 4 MiB */
  {"t,a\n0,1\n1,2\n", "#", (1 << 20) - 2, 3, "2,3\n", TRUE, TRUE, 3},
  {"t,a\n0,1\n", "#", (1 << 20) - 2, 4, "1,2\n", TRUE, FALSE, 1},
  /* of 64 MiB */
  {"t,a,b\n0,1,\n", "#", (1 << 20) - 2, 63, "1,2,3\n", FALSE, FALSE, 2},
  {"t,a,b\n0,1,\n", "#", (1 << 20) - 2, 64, "1,2,3\n", FALSE, FALSE, 1, "b"},
};

/* The text as buffers of n_bytes; its lines are one memory. */
static gboolean
push_lines (RobocacheFirstRows *head, guint i, gsize n_bytes)
{
  GString *line = g_string_new (beginnings[i].line);
  GstBuffer *all = gst_buffer_new_memdup (beginnings[i].begin, strlen (beginnings[i].begin)), *lines;
  gboolean is_done = FALSE;
  gsize size;

  for (guint k = 0; k < beginnings[i].extra; k++)
    g_string_append_c (line, 'x');
  if (beginnings[i].extra > 0)
    g_string_append_c (line, '\n');
  lines = gst_buffer_new_memdup (line->str, line->len);
  for (guint k = 0; k < beginnings[i].n_lines; k++)
    all = gst_buffer_append (all, gst_buffer_ref (lines));
  all = gst_buffer_append (all, gst_buffer_new_memdup (beginnings[i].last, strlen (beginnings[i].last)));
  size = gst_buffer_get_size (all);
  for (gsize offset = 0; offset < size && !is_done; offset += n_bytes) {
    GstBuffer *piece = gst_buffer_copy_region (all, GST_BUFFER_COPY_MEMORY, offset, MIN (n_bytes, size - offset));

    is_done = robocache_first_rows_push (head, piece);
    gst_buffer_unref (piece);
  }
  gst_buffer_unref (lines);
  gst_buffer_unref (all);
  g_string_free (line, TRUE);
  return is_done;
}

/* What is read depends on the bytes, not on their buffers. */
GST_START_TEST (first_rows)
{
  static const gsize pieces[] = { 65521, 1000003, 100 << 20 };
  const RobocacheRecordSpec spec = {.format = ROBOCACHE_INPUT_CSV,.delimiter = ",",.time = {.unit = ROBOCACHE_TIME_UNIT_AUTO,.leap_seconds = -1,.arrival_column = -1} };

  for (guint k = 0; k < G_N_ELEMENTS (pieces); k++) {
    RobocacheFirstRows *head = robocache_first_rows_new (&spec, beginnings[__i__].judges_times);
    const RobocacheEmptyCells *cells = robocache_first_rows_cells (head);
    gchar *names;

    fail_unless (push_lines (head, __i__, pieces[k]) == !beginnings[__i__].has_ended, "pieces of %" G_GSIZE_FORMAT, pieces[k]);
    robocache_first_rows_end (head);
    names = robocache_empty_cells_names_without_value (cells);
    fail_unless_equals_int (robocache_first_rows_has_ended (head), beginnings[__i__].has_ended);
    fail_unless_equals_uint64 (cells->n_records, beginnings[__i__].n_records);
    fail_unless (g_strcmp0 (names, beginnings[__i__].without_value) == 0, "%s", names);
    g_free (names);
    robocache_first_rows_free (head);
  }
}

GST_END_TEST;

CHECK_MAIN (robocacheparsetimes, NULL, NULL, ONCE (dates), ONCE (columns_by_name), EACH (recordings, files), EACH (recordings, streams),
  ONCE (waiting_rows_change_nothing), ONCE (counts), ONCE (a_header_without_a_time), ONCE (choices_are_said), ONCE (steps_back),
  ONCE (a_clock_that_was_set_back), EACH (beginnings, first_rows))
