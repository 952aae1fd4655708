/* robocache: robocacheresample: scenarios of rows in and rows out, as a table
 *
 * A scenario is a line of words; times are in ms, and the value of a row is its time unless another one is given:
 *
 *     +T[=V]  a row in; T is - for a row without a time     >T[=V][!?]  a row out; ! with DISCONT, ? without
 *     .       no row is out                                 gap:T,D     a GAP event in; >gap:T,D one out; >nogap none
 *     eos, flush, stream (STREAM_START), caps (the same again); >eos
 *     seg:START,BASE,OFFSET,RATE[,STOP]  a segment; without one at the beginning it is the default one
 *     time:T  the clock is at T     qos:T,DURATION,JITTER,PROCESSED,DROPPED  the next QoS message; noqos: there is none
 *     NAME=N  a number of stats, or of messages since last asked: warnings, errors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "resampleharness.h"

enum
{
  FILE_LIKE = 1 << NOT_LIVE,
  LIVE_LIKE = 1 << LIVE,
  BOTH = FILE_LIKE | LIVE_LIKE
};

#define GAP_ROWS "+0 +10 +20 +60 +70 eos >0 >10? >20? "     /* 30, 40 and 50 lie in a gap of max-gap=15000000 */

static const struct
{
  const gchar *name;
  guint modes;
  const gchar *properties, *caps, *words;
} scenarios[] = {
  /* when a tick is output, and which ones there are */
  {"live, as soon as the row after it is there", LIVE_LIKE, "rate=100/1", ONE,
      "+0 >0 +9 . +10 >10 +15 . +41 >20 >30 >40 ."},
  {"not live, when no row can change it: the row after it may come twice", FILE_LIKE, "rate=100/1", ONE,
      "+0 +20=1 . +20 . +21 >0 >10 . eos >20 . >eos"},
  {"ticks run from the first row to the last", BOTH, "rate=100/1", ONE, "+31 +59 eos >40 >50 ."},
  {"no rows", BOTH, "rate=100/1", ONE, "eos . >eos errors=0"},
  {"one row", FILE_LIKE, "rate=100/1", ONE, "+20=7 eos >20=7 . >eos"},
  {"the rate of the property wins", BOTH, "rate=1000/3", F32 ("1", "50/1"), "+0 +6 eos >0 >3 >6 ."},
  {"the rate of the input", BOTH, "", F32 ("1", "100/1"), "+5 +15 eos >10 ."},

  /* times of rows */
  {"no time at first", BOTH, "rate=100/1", ONE,
      "+-=1 +-=2 warnings=1 rows-dropped=2 rows-dropped-no-time=2 +0=5 eos >0=5"},
  {"no time, continued by the framerate", BOTH, "rate=100/1", F32 ("1", "100/1"),
      "+0 +-=10 +-=20 +-=30 eos >0 >10 >20 >30 rows-dropped=0"},
  {"no time, and no duration before", BOTH, "rate=100/1", ONE, "+0 +-=1 rows-dropped-no-time=1 warnings=1"},
  {"of equal times the last wins", FILE_LIKE, "rate=100/1", ONE, "+0=1 +0=2 +0=3 +20=5 eos >0=3 >10=4 >20=5 rows-duplicate=2"},
  {"live, the first of a pair is output", LIVE_LIKE, "rate=40/1", ONE,
      "+0=0 +0=10 >0=0 +50=20 >25=15 >50=20 rows-duplicate=1"},
  {"backwards is late", FILE_LIKE, "rate=100/1", ONE, "+0 +20 +10=99 +30 eos >0 >10 >20 >30 rows-late=1"},
  {"the reorder window is 12 ms", BOTH, "rate=100/1 reorder-window=12000000", ONE,
      "+0 +20 +8 +7=99 +12 +40 eos >0 >10 >20 >30 >40 rows-late=1"},
  {"the first row may come second", FILE_LIKE, "rate=100/1 reorder-window=50000000", ONE,
      "+40 +20 +60 eos >20 >30 >40 >50 >60 ."},
  {"lateness is beyond the reorder window", LIVE_LIKE, "rate=100/1 reorder-window=10000000", ONE,
      "+50 +33 rows-late=1 lateness-max=7000000 lateness-p50=7000000"},
  {"age of the row at or before a tick", LIVE_LIKE, "rate=100/1", ONE, "+6 +13 +27 age-max=7000000"},
  {"each kind of row", FILE_LIKE, "rate=100/1 interpolation=previous reorder-window=5000000", ONE,
      "+-=9 +0=0 +4=1 +8=2 +8=3 +2=4 +30=5 eos >0=0 >10=3 >20=3 >30=5 "
      "rows-in=7 rows-used=3 rows-late=1 rows-duplicate=1 rows-superseded=1 rows-dropped=1"},

  /* gaps */
  {"a gap is dropped", BOTH, "rate=100/1 max-gap=15000000", ONE,
      GAP_ROWS ">60! >70? >gap:30,30 >nogap ticks-dropped=3 ticks-out=5"},
  {"a gap is NaN", BOTH, "rate=100/1 max-gap=15000000 gap-policy=nan", ONE,
      GAP_ROWS ">30=nan? >40=nan >50=nan >60? >70 ticks-nan=3 >nogap"},
  {"a gap is held", BOTH, "rate=100/1 max-gap=15000000 gap-policy=hold", ONE,
      GAP_ROWS ">30=20 >40=20 >50=20 >60 >70 ticks-held=3 >nogap"},
  {"max-gap is the greatest age for previous", BOTH, "rate=100/1 max-gap=15000000 gap-policy=nan interpolation=previous", ONE,
      GAP_ROWS ">30=20 >40=nan >50=nan >60 >70"},
  {"nearest does not cross a gap", BOTH, "rate=100/1 max-gap=15000000 gap-policy=nan interpolation=nearest", ONE,
      GAP_ROWS ">30=nan >40=nan >50=nan >60 >70"},
  {"no GAP event before the first buffer", LIVE_LIKE, "rate=100/1 max-gap=5000000", ONE,
      "+5 +35 gap:35,1 . >nogap ticks-dropped=3 +38 +42 >40"},

  /* GAP events */
  {"a GAP decides ticks", FILE_LIKE, "rate=100/1", ONE,
      "+0 +20 . gap:20,30 >0 >10 >20 . +45=99 rows-late=1 +60 eos >30 >40 >50 >60"},
  {"a GAP passes where no row waits", FILE_LIKE, "rate=100/1", ONE,
      "+0 +10 seg:0,100,0,1 >0 >10 gap:20,30 >gap:20,30"},
  {"GAPs before a segment, outside it, without a duration, beyond its end", FILE_LIKE, "rate=100/1", ONE,
      "gap:0,10 seg:100,0,0,1,200 gap:0,10 +100 +120 gap:150,- >100 gap:150,1000 eos >110 >120 ."},

  /* QoS messages: of the element, with times and counts of rows or ticks */
  {"QoS of a late row", LIVE_LIKE, "rate=50/1", F32 ("1", "100/1"), "+50 +30 qos:30,10,20,1,1 noqos"},
  {"QoS of a run of ticks", FILE_LIKE, "rate=100/1 max-gap=5000000", ONE, "+0 +30 eos qos:10,10,0,1,2 noqos"},
  {"QoS of a live tick has its lateness", LIVE_LIKE, "rate=100/1 max-gap=5000000", ONE, "+0 time:23 +20 qos:10,10,13,1,1 noqos"},
  {"no QoS of rows between ticks, equal times, a flush", LIVE_LIKE, "rate=100/1", ONE, "+0 +4 +8 +10 +13 +20 +20 flush noqos"},
  {"QoS is off", LIVE_LIKE, "rate=100/1 max-gap=5000000 qos-messages=false", ONE,
      "+0 +20 +10 rows-late=1 ticks-dropped=1 noqos"},

  /* sensors that misbehave */
  {"not live a day is a day: rows behind one of tomorrow are late", FILE_LIKE, "rate=1/3600 gap-policy=nan max-gap=1000000000", ONE,
      "+0=1 +86400000=2 +10=3 eos ticks-out=25 ticks-nan=23 rows-late=1 rows-dropped=0"},
  {"NaN is a value", LIVE_LIKE, "rate=40/1", ONE, "+0 >0 +50=nan >25=nan >50=nan +100 >75=nan >100"},

  /* segments */
  {"start and base: running time is PTS - 997", FILE_LIKE, "rate=100/1", ONE,
      "seg:1000,3,0,1 +1002=5 +1032=35 eos >1007=10 >1017=20 >1027=30 ."},
  {"offset: running time is PTS - 1004", FILE_LIKE, "rate=100/1", ONE,
      "seg:1000,0,4,1 +1002=99 +1008=4 +1032=28 eos >1014=10 >1024=20 . rows-dropped-outside-segment=1 rows-dropped=1"},
  {"double rate", FILE_LIKE, "rate=100/1", ONE, "seg:0,0,0,2 +0 +80 eos >0 >20 >40 >60 >80 ."},
  {"double rate, a GAP", FILE_LIKE, "rate=100/1 max-gap=15000000", ONE,
      "seg:0,0,0,2 +0 +80 eos >0 >80! >gap:20,60 >nogap"},
  {"rows outside the segment", BOTH, "rate=100/1", ONE,
      "seg:50,0,0,1 +20=99 +50 +60 eos >50 >60 rows-dropped-outside-segment=1 rows-dropped=1"},
  {"a new segment drains, and nothing is blended across", FILE_LIKE, "rate=100/1", ONE,
      "+0 +18 seg:0,18,0,1 >0 >10 . +7=107 +27=127 eos >12=112 >22=122 ."},

  /* streams and flushes */
  {"STREAM_START drains", FILE_LIKE, "rate=100/1", ONE,
      "+0 +10 stream >0 >10 seg:0,0,0,1 +20=5 +40=7 eos >20=5 >30=6 >40=7"},
  {"the same caps again change nothing", FILE_LIKE, "rate=100/1", ONE,
      "+0 +20=1 caps . +20 +40 +41 >0 >10 >20 >30 ."},
  {"a flush forgets", FILE_LIKE, "rate=100/1", ONE,
      "+0 +15 flush seg:0,0,0,1 . +-=99 +5=105 +25=125 eos >10=110 >20=120 . rows-dropped-no-time=1 rows-dropped-flush=2"},
  {"a flush forgets, live", LIVE_LIKE, "rate=100/1", ONE,
      "+1 +2 flush seg:0,0,0,1 rows-dropped-flush=2 rows-dropped=2 +-=99 +5=105 +25=125 eos >10=110 >20=120 ."},
  {"a seek: running time begins anew", FILE_LIKE, "rate=100/1", ONE,
      "+0 +7 +14 >0! flush seg:2000,0,0,1 +2004=4 +2014=14 +2015=15 >2010=10! . flush seg:0,0,0,1 +4 +14 eos >10!"},
};

static gboolean is_live;        /* the scenario that runs */

/* The times and numbers of a word after its name: "gap:T,D". */
static guint
parse_numbers (const gchar *text, gdouble numbers[5])
{
  gchar **items = g_strsplit (text, ",", 5);
  const guint n = g_strv_length (items);

  for (guint i = 0; i < n; i++)
    numbers[i] = g_str_equal (items[i], "-") ? -1 : g_ascii_strtod (items[i], NULL);
  g_strfreev (items);
  return n;
}

static void
push_segment_of (GstHarness *h, const gchar *text)
{
  gdouble numbers[5] = { 0 };
  GstSegment segment;
  const guint n = parse_numbers (text, numbers);

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = segment.position = NS (numbers[0]);
  segment.base = NS (numbers[1]);
  segment.offset = NS (numbers[2]);
  segment.rate = numbers[3];
  if (n > 4)
    segment.stop = NS (numbers[4]);
  push_segment (h, &segment);
}

/* T[=V][!?] */
static GstClockTime
parse_row (const gchar *text, gfloat *value, gchar *flag)
{
  gchar *rest = NULL;
  const gdouble ms = *text == '-' ? -1 : g_ascii_strtod (text, &rest);

  if (rest == NULL)
    rest = (gchar *) text + 1;
  *value = (gfloat) ms;
  if (*rest == '=')
    *value = (gfloat) g_ascii_strtod (rest + 1, &rest);
  *flag = *rest;
  return ms < 0 ? GST_CLOCK_TIME_NONE : NS (ms);
}

static void
expect_row_of (GstHarness *h, const gchar *text)
{
  gchar flag;
  gfloat value, got = 0;
  const GstClockTime t = parse_row (text, &value, &flag);
  GstBuffer *buffer = gst_harness_try_pull (h);

  fail_unless (buffer != NULL, "no row at %s", text);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), t);
  gst_buffer_extract (buffer, 0, &got, sizeof got);
  fail_unless (isnan (value) ? isnan (got) : got == value, "at %s %g", text, got);
  if (flag)
    fail_unless_equals_int (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT), flag == '!');
  gst_buffer_unref (buffer);
}

static void
expect_number (GstHarness *h, const gchar *name, const gchar *number)
{
  const gint64 wanted = g_ascii_strtoll (number, NULL, 10);
  GstStructure *stats;
  const GValue *value;

  if (g_str_equal (name, "warnings") || g_str_equal (name, "errors")) {
    fail_unless_equals_int64 (count_messages (h, *name == 'w' ? GST_MESSAGE_WARNING : GST_MESSAGE_ERROR), wanted);
    return;
  }
  g_object_get (h->element, "stats", &stats, NULL);
  value = gst_structure_get_value (stats, name);
  fail_unless (value != NULL, "no %s", name);
  fail_unless (wanted == (G_VALUE_HOLDS_INT64 (value) ? g_value_get_int64 (value) : (gint64) g_value_get_uint64 (value)),
      "%s is not %" G_GINT64_FORMAT, name, wanted);
  gst_structure_free (stats);
}

/* "T,DURATION,JITTER,PROCESSED,DROPPED" */
static void
expect_qos (GstHarness *h, const gchar *text)
{
  GstMessage *message = pop_message (h, GST_MESSAGE_QOS);
  guint64 running_time, stream_time, timestamp, duration, processed, dropped;
  gdouble numbers[5] = { 0 }, proportion;
  gboolean live;
  gint64 jitter;

  fail_unless (message != NULL, "no QoS message");
  fail_unless (GST_MESSAGE_SRC (message) == GST_OBJECT (h->element));
  parse_numbers (text, numbers);
  gst_message_parse_qos (message, &live, &running_time, &stream_time, &timestamp, &duration);
  gst_message_parse_qos_values (message, &jitter, &proportion, NULL);
  gst_message_parse_qos_stats (message, NULL, &processed, &dropped);
  fail_unless_equals_int (live, is_live);
  fail_unless (running_time == NS (numbers[0]) && stream_time == running_time && timestamp == running_time);
  fail_unless_equals_uint64 (duration, NS (numbers[1]));
  fail_unless_equals_int64 (jitter, NS (numbers[2]));
  fail_unless_equals_float (proportion, 1.0);
  fail_unless_equals_uint64 (processed, (guint64) numbers[3]);
  fail_unless_equals_uint64 (dropped, (guint64) numbers[4]);
  gst_message_unref (message);
}

static void
expect_event (GstHarness *h, GstEventType type)
{
  GstEvent *event = pull_event (h, type);

  fail_unless (event != NULL, "no %s", gst_event_type_get_name (type));
  gst_event_unref (event);
}

static void
push_event_of (GstHarness *h, const gchar *word, const gchar *caps)
{
  gdouble numbers[5] = { 0 };

  if (g_str_equal (word, "eos")) {
    gst_harness_push_event (h, gst_event_new_eos ());
  } else if (g_str_equal (word, "stream")) {
    gst_harness_push_event (h, gst_event_new_stream_start ("another"));
  } else if (g_str_equal (word, "caps")) {
    push_caps (h, caps);
  } else if (g_str_equal (word, "flush")) {
    gst_harness_push_event (h, gst_event_new_flush_start ());
    gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
  } else if (g_str_has_prefix (word, "seg:")) {
    push_segment_of (h, word + 4);
  } else {
    fail_unless (g_str_has_prefix (word, "gap:"), "\"%s\" is no word of a scenario", word);
    parse_numbers (word + 4, numbers);
    gst_harness_push_event (h, gst_event_new_gap (NS (numbers[0]), numbers[1] < 0 ? GST_CLOCK_TIME_NONE : NS (numbers[1])));
  }
}

static void
expect_of (GstHarness *h, const gchar *word)
{
  gdouble numbers[5] = { 0 };

  if (g_str_equal (word, "eos")) {
    expect_event (h, GST_EVENT_EOS);
  } else if (g_str_equal (word, "nogap")) {
    fail_unless (pull_event (h, GST_EVENT_GAP) == NULL);
  } else if (g_str_has_prefix (word, "gap:")) {
    parse_numbers (word + 4, numbers);
    expect_gap (h, numbers[0], numbers[1]);
  } else {
    expect_row_of (h, word);
  }
}

static void
follow (GstHarness *h, const gchar *word, const gchar *caps)
{
  const gchar *number = strchr (word, '=');
  gfloat value;
  gchar flag;

  if (*word == '+') {
    const GstClockTime t = parse_row (word + 1, &value, &flag);

    push_ns (h, t, value);
  } else if (*word == '>') {
    expect_of (h, word + 1);
  } else if (g_str_equal (word, ".")) {
    expect_nothing (h);
  } else if (g_str_equal (word, "noqos")) {
    fail_unless_equals_int (count_messages (h, GST_MESSAGE_QOS), 0);
  } else if (g_str_has_prefix (word, "qos:")) {
    expect_qos (h, word + 4);
  } else if (g_str_has_prefix (word, "time:")) {
    gst_harness_set_time (h, NS (g_ascii_strtod (word + 5, NULL)));
  } else if (number) {
    gchar *name = g_strndup (word, (gsize) (number - word));

    expect_number (h, name, number + 1);
    g_free (name);
  } else {
    push_event_of (h, word, caps);
  }
}

GST_START_TEST (test_scenario)
{
  const guint i = __i__ / 2;
  const gchar *caps = scenarios[i].caps;
  const gboolean has_segment = strstr (scenarios[i].words, "seg:") != NULL
      && (g_str_has_prefix (scenarios[i].words, "seg:") || g_str_has_prefix (scenarios[i].words, "gap:"));
  GstHarness *h;
  gchar **words;

  is_live = __i__ % 2;
  if (!(scenarios[i].modes & 1 << is_live))
    return;
  GST_INFO ("%s", scenarios[i].name);
  h = harness_open (is_live, scenarios[i].properties);
  start_stream (h, caps);
  if (!has_segment)
    push_time_segment (h);
  words = g_strsplit (scenarios[i].words, " ", -1);
  for (gchar **word = words; *word; word++) {
    if (**word)
      follow (h, *word, caps);
  }
  expect_balance (h);
  g_strfreev (words);
  harness_close (h);
}

GST_END_TEST;

static Suite *
robocacheresamplescenarios_suite (void)
{
  Suite *s = suite_create ("robocacheresamplescenarios");
  TCase *tc = tcase_create ("scenarios");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_scenario, 0, 2 * G_N_ELEMENTS (scenarios));
  return s;
}

GST_CHECK_MAIN (robocacheresamplescenarios);
