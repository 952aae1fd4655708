/* robocache: what decided a sample of robocachefuse, as its meta has it, and settings as an event has them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/fuse/fuseharness.h"

#include "gst/fuse/core/journal.h"

/* Caps make the stream live, and their rate adds to the latency. */
#define STARTS "latency playing@0 event0 latency:5000000 latency:15000000 event0 rows0:1@0 tick:1@0"

static gint64
int64_of (GstBuffer *sample, const gchar *field)
{
  gint64 value;

  fail_unless (gst_structure_get_int64 (sample_meta (sample), field, &value), "no %s", field);
  return value;
}

static const gint64 *
numbers_of (GstBuffer *sample, const gchar *field, gsize *n)
{
  const GValue *value = gst_structure_get_value (sample_meta (sample), field);
  const gint64 *numbers;

  fail_unless (value != NULL, "no %s", field);
  numbers = g_bytes_get_data (g_value_get_boxed (value), n);
  *n /= sizeof (gint64);
  return numbers;
}

/* "rows0:1@12 tick:1@12": kind, number of the pad, n, and ms of running time. */
static gchar *
journal_text (GstBuffer *sample)
{
  static const gchar *const kinds[] = { "rows", "gap", "event", "tick", "dropped", "moved", "started", "settings", "rate", "latency",
    "playing", "paused", "ended", "pts"
  };
  GString *text = g_string_new (NULL);
  const gint64 *numbers;
  gsize n;

  numbers = numbers_of (sample, "journal", &n);
  for (gsize i = 0; i + 4 <= n; i += 4) {
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "", kinds[numbers[i]]);
    if (numbers[i + 1] >= 0)
      g_string_append_printf (text, "%" G_GINT64_FORMAT, numbers[i + 1]);
    if (numbers[i + 2] > 0)
      g_string_append_printf (text, ":%" G_GINT64_FORMAT, numbers[i + 2]);
    if (numbers[i + 3] >= 0)
      g_string_append_printf (text, "@%" G_GINT64_FORMAT, numbers[i + 3] / MS (1));
  }
  return g_string_free (text, FALSE);
}

/* Pulls the sample at a tick, and checks what decided it. taken: of the only stream. */
static void
assert_decision (Rig *rig, gint tick_ms, gint decided_ms, gint64 rows, gint64 gaps, gint64 events, const gchar *journal)
{
  GstBuffer *sample = pull (rig);
  gchar *text = journal_text (sample);
  const gint64 *taken;
  gsize n;

  fail_unless_equals_int64 (int64_of (sample, "tick"), MS (tick_ms));
  fail_unless_equals_int64 (int64_of (sample, "decided"), MS (decided_ms));
  taken = numbers_of (sample, "taken", &n);
  fail_unless_equals_int (n, 3);
  fail_unless_equals_int64 (taken[0], rows);
  fail_unless_equals_int64 (taken[1], gaps);
  fail_unless_equals_int64 (taken[2], events);
  fail_unless_equals_string (text, journal);
  g_free (text);
  gst_buffer_unref (sample);
}

static void
set_time (Rig *rig, gint ms)
{
  gst_test_clock_set_time (rig->clock, (GstClockTime) MS (ms));
}

/* A live stream that has started. */
static Feed *
start (Rig *rig, const gchar *pad_settings)
{
  Feed *feed = feed_new_bare (rig, "sink_0", TRUE);

  set_all (feed->sink, pad_settings);
  rig_play (rig);
  feed_start (feed, AT_100_HZ);
  return feed;
}

GST_START_TEST (test_what_decided)
{
  Rig *rig = rig_new ("rate=100/1");
  Feed *feed = start (rig, "");

  feed_one (feed, 0, 1);
  assert_decision (rig, 0, 0, 1, 0, 2, STARTS);
  feed_event (feed, gst_event_new_gap (MS (1), MS (2)));
  set_time (rig, 11);
  feed_one (feed, MS (8), 2);
  set_time (rig, 12);
  feed_one (feed, MS (12), 2);
  assert_decision (rig, 10, 12, 3, 1, 2, "gap0@0 rows0:1@11 rows0:1@12 tick:1@12");
  rig_free (rig);
}
GST_END_TEST;

/* Rows with times of their own that took others: their buffer's PTS and duration, which does not count as rows. */
GST_START_TEST (test_times_of_pts)
{
  static const struct
  {
    gfloat row;
    gint64 time;
  } row = { 1, 3 };
  Rig *rig = rig_new ("rate=100/1");
  Feed *feed = feed_new_bare (rig, "sink_0", TRUE);
  GstBuffer *buffer = gst_buffer_new_memdup (&row.row, sizeof row.row);

  set_all (feed->sink, "timestamp-source=pts");
  rig_play (rig);
  feed_start (feed, "other/tensors, format=(string)static, num_tensors=(int)2, types=(string)\"float32,int64\", dimensions=(string)\"1,1\", "
      "framerate=(fraction)100/1");
  buffer = gst_buffer_append (buffer, gst_buffer_new_memdup (&row.time, sizeof row.time));
  GST_BUFFER_PTS (buffer) = MS (10);
  GST_BUFFER_DURATION (buffer) = 7;
  fail_unless_equals_int (gst_pad_push (feed->pad, buffer), GST_FLOW_OK);
  assert_decision (rig, 10, 0, 1, 0, 2, "latency playing@0 event0 latency:5000000 latency:15000000 event0 pts0:7@10 rows0:1@0 tick:1@0");
  rig_free (rig);
}
GST_END_TEST;

/* The first entry of a sample is behind the last one of the sample before. */
GST_START_TEST (test_entries_are_counted)
{
  Rig *rig = rig_new ("rate=100/1");
  Feed *feed = start (rig, "");
  GstBuffer *sample;

  feed_one (feed, 0, 1);
  sample = pull (rig);
  fail_unless_equals_int64 (int64_of (sample, "journal-start"), 0);
  fail_unless_equals_string (gst_structure_get_string (sample_meta (sample), "journal-pads"), "sink_0");
  gst_buffer_unref (sample);
  feed_one (feed, MS (12), 2);
  sample = pull (rig);
  fail_unless_equals_int64 (int64_of (sample, "journal-start"), 8);
  gst_buffer_unref (sample);
  rig_free (rig);
}
GST_END_TEST;

/* A sample has the ticks that were dropped before it. */
GST_START_TEST (test_dropped_ticks)
{
  Rig *rig = rig_new ("rate=100/1");
  Feed *feed = start (rig, "required=true max-gap=15ms hold-limit=0");

  feed_one (feed, 0, 1);
  assert_decision (rig, 0, 0, 1, 0, 2, STARTS);
  set_time (rig, 40);
  feed_one (feed, MS (40), 2);
  assert_decision (rig, 40, 40, 2, 0, 2, "rows0:1@40 dropped:1@40 dropped:1@40 dropped:1@40 tick:1@40");
  rig_free (rig);
}
GST_END_TEST;

static GstEvent *
settings_event (Rig *rig)
{
  GstEvent *event = gst_pad_get_sticky_event (rig->out->sinkpad, GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, 0);

  fail_unless (event && gst_event_has_name (event, "RobocacheFuseSettings"), "no event with settings");
  return event;
}

static void
assert_settings (Rig *rig, gint64 number, const gchar *key, const gchar *expected)
{
  GstEvent *event = settings_event (rig);
  const GstStructure *settings = gst_event_get_structure (event);
  gint64 found;

  fail_unless (gst_structure_get_int64 (settings, "number", &found));
  fail_unless_equals_int64 (found, number);
  fail_unless_equals_string (gst_structure_get_string (settings, key), expected);
  gst_event_unref (event);
}

/* They leave after the sample that came first, and before that which comes after a change. */
GST_START_TEST (test_settings)
{
  Rig *rig = rig_new ("rate=100/1");
  Feed *feed = start (rig, "offset=0ms");

  feed_one (feed, 0, 1);
  assert_decision (rig, 0, 0, 1, 0, 2, STARTS);
  g_object_set (feed->sink, "offset", MS (1), NULL);
  feed_one (feed, MS (12), 2);
  assert_decision (rig, 10, 0, 2, 0, 2, "settings:1 rows0:1@0 tick:1@0");
  assert_settings (rig, 1, "sink_0.offset", "1000000");
  assert_settings (rig, 1, "element.rate", "100/1");
  assert_settings (rig, 1, "sink_0.source-live", "true");
  assert_settings (rig, 1, "sink_0.source-stream-id", "sink_0");
  rig_free (rig);
}
GST_END_TEST;

/* Then a sample is a function of the rows alone, and so is its meta. */
GST_START_TEST (test_nothing_unless_live)
{
  static const gchar *const fields[] = { "decided", "taken", "journal", "journal-start", "journal-pads" };
  Rig *rig = rig_new ("rate=100/1");
  Feed *feed = feed_new_bare (rig, "sink_0", FALSE);
  GstBuffer *sample;

  rig_play (rig);
  feed_start (feed, AT_100_HZ);
  feed_ramp (feed, 0, 30, 10);
  feed_eos (feed);
  sample = pull (rig);
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    fail_if (gst_structure_has_field (sample_meta (sample), fields[i]), "%s", fields[i]);
  fail_if (gst_pad_get_sticky_event (rig->out->sinkpad, GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, 0) != NULL);
  gst_buffer_unref (sample);
  rig_free (rig);
}
GST_END_TEST;

/* Entries that do not fit are counted, so that nobody takes the rest for all. */
GST_START_TEST (test_journal_is_bounded)
{
  GArray *taken = g_array_new (FALSE, FALSE, sizeof (FuseJournalEntry));
  FuseJournal journal;
  guint64 n_before;

  fuse_journal_init (&journal);
  for (guint i = 0; i < FUSE_JOURNAL_MAX_ENTRIES + 3; i++)
    fuse_journal_add (&journal, FUSE_JOURNAL_ROWS, 0, 1, i);
  fuse_journal_take (&journal, taken, &n_before);
  fail_unless_equals_int (taken->len, FUSE_JOURNAL_MAX_ENTRIES);
  fail_unless_equals_uint64 (n_before, 0);
  fuse_journal_take (&journal, taken, &n_before);
  fail_unless_equals_int (taken->len, 0);
  fail_unless_equals_uint64 (n_before, FUSE_JOURNAL_MAX_ENTRIES + 3);
  fuse_journal_clear (&journal);
  g_array_unref (taken);
}
GST_END_TEST;

CHECK_MAIN (journal, NULL, NULL, ONCE (test_what_decided), ONCE (test_times_of_pts), ONCE (test_entries_are_counted), ONCE (test_dropped_ticks),
  ONCE (test_settings), ONCE (test_nothing_unless_live), ONCE (test_journal_is_bounded))
