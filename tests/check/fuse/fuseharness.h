/* robocache: what tests of robocachefuse share: an element with feeds on its sink pads and a harness at its end
 *
 * A feed is a source pad whose buffers the test makes; its answer to a LATENCY query says whether it is live. The clock is
 * a GstTestClock at 0, and running time is clock time. Times in tests are ns; MS makes them of ms.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_HARNESS_H
#define FUSE_HARNESS_H

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>
#include <gst/video/video.h>

#include <math.h>
#include <string.h>

#define MS(ms) ((gint64) ((ms) * 1000000.0))
#define NONE G_MININT64

#define F32(dims) "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, dimensions=(string)" \
    dims ", framerate=(fraction)0/1"
#define ONE_CHANNEL F32 ("1")

enum
{
  ALIGNED,
  HELD,
  MISSING
};

/* Fields of one stream's info. */
enum
{
  INFO_TICK,
  INFO_BEFORE,
  INFO_AFTER,
  INFO_STATUS
};

typedef struct
{
  GstElement *fuse;
  GstHarness *out;
  GstTestClock *clock;
  GstBus *bus;
  GPtrArray *feeds;
} Rig;

typedef struct
{
  Rig *rig;
  GstPad *pad;                  /* ours */
  GstPad *sink;                 /* fuse's */
  gboolean live;
  GstClockTime latency;         /* upstream's */
  gboolean holds_nothing;       /* upstream's greatest latency is 0 */
  guint rows;                   /* of a buffer, as the caps say */
} Feed;

G_GNUC_UNUSED static void
set_properties (GObject *object, va_list args)
{
  const gchar *name;

  while ((name = va_arg (args, const gchar *)))
      gst_util_set_object_arg (object, name, va_arg (args, const gchar *));
}

/* busy-wait of all rigs. */
static const gchar *rig_busy_wait = "0";

/* Pairs of property and value, both text, up to NULL. The element is in NULL; rig_play starts it. */
G_GNUC_UNUSED static Rig *
rig_new (const gchar *first, ...)
{
  Rig *rig = g_new0 (Rig, 1);
  va_list args;

  rig->fuse = gst_element_factory_make ("robocachefuse", "fuse");
  fail_unless (rig->fuse != NULL);
  rig->bus = gst_bus_new ();
  gst_element_set_bus (rig->fuse, rig->bus);
  rig->clock = GST_TEST_CLOCK (gst_test_clock_new ());
  gst_element_set_clock (rig->fuse, GST_CLOCK (rig->clock));
  rig->feeds = g_ptr_array_new ();
  gst_util_set_object_arg (G_OBJECT (rig->fuse), "busy-wait", rig_busy_wait);
  gst_util_set_object_arg (G_OBJECT (rig->fuse), "qos-interval", "0");
  if (first) {
    va_start (args, first);
    gst_util_set_object_arg (G_OBJECT (rig->fuse), first, va_arg (args, const gchar *));
    set_properties (G_OBJECT (rig->fuse), args);
    va_end (args);
  }
  return rig;
}

/* Links a harness to the src pad and starts the element. */
G_GNUC_UNUSED static void
rig_play (Rig *rig)
{
  rig->out = gst_harness_new_with_element (rig->fuse, NULL, "src");
}

static gboolean
feed_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  const Feed *feed = gst_pad_get_element_private (pad);

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_latency (query, feed->live, feed->latency, feed->holds_nothing ? 0 : GST_CLOCK_TIME_NONE);
  return TRUE;
}

G_GNUC_UNUSED static void
feed_event (Feed *feed, GstEvent *event)
{
  gst_pad_push_event (feed->pad, event);
}

G_GNUC_UNUSED static gboolean
feed_caps (Feed *feed, const gchar *text)
{
  GstCaps *caps = gst_caps_from_string (text);
  const gchar *dims = gst_structure_get_string (gst_caps_get_structure (caps, 0), "dimensions");
  const gboolean ok = gst_pad_push_event (feed->pad, gst_event_new_caps (caps));

  feed->rows = dims && strchr (dims, ':') ? atoi (strchr (dims, ':') + 1) : 1;
  gst_caps_unref (caps);
  return ok;
}

G_GNUC_UNUSED static void
feed_segment (Feed *feed)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  feed_event (feed, gst_event_new_segment (&segment));
}

/* A source pad linked to a new sink pad of that name, with nothing sent yet. */
G_GNUC_UNUSED static Feed *
feed_new_bare (Rig *rig, const gchar *name, gboolean live)
{
  Feed *feed = g_new0 (Feed, 1);

  feed->rig = rig;
  feed->live = live;
  feed->pad = gst_pad_new (NULL, GST_PAD_SRC);
  /* The element may be in a query of the pad while it is unlinked: the feed lives as long as its pad. */
  gst_pad_set_element_private (feed->pad, feed);
  g_object_set_data_full (G_OBJECT (feed->pad), "feed", feed, g_free);
  gst_pad_set_query_function (feed->pad, feed_query);
  gst_pad_set_active (feed->pad, TRUE);
  feed->sink = gst_element_request_pad_simple (rig->fuse, name);
  fail_unless (feed->sink != NULL);
  fail_unless_equals_int (gst_pad_link (feed->pad, feed->sink), GST_PAD_LINK_OK);
  g_ptr_array_add (rig->feeds, feed);
  return feed;
}

/* Sends what comes before rows. The element must be running. */
G_GNUC_UNUSED static void
feed_start (Feed *feed, const gchar *caps)
{
  gchar *id = gst_pad_get_name (feed->sink);

  feed_event (feed, gst_event_new_stream_start (id));
  fail_unless (feed_caps (feed, caps));
  feed_segment (feed);
  g_free (id);
}

G_GNUC_UNUSED static void
feed_free (Feed *feed)
{
  g_ptr_array_remove (feed->rig->feeds, feed);
  gst_pad_set_active (feed->pad, FALSE);
  gst_object_unref (feed->sink);
  gst_object_unref (feed->pad);
}

/* Takes the pad away while the element runs. */
G_GNUC_UNUSED static void
feed_remove (Feed *feed)
{
  gst_pad_unlink (feed->pad, feed->sink);
  gst_element_release_request_pad (feed->rig->fuse, feed->sink);
  feed_free (feed);
}

/* To NULL, so that rig_play can start it again. */
G_GNUC_UNUSED static void
rig_stop (Rig *rig)
{
  GstPad *src = gst_element_get_static_pad (rig->fuse, "src");

  fail_unless_equals_int (gst_element_set_state (rig->fuse, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  gst_pad_unlink (src, rig->out->sinkpad);
  gst_object_unref (src);
  gst_harness_teardown (rig->out);
  rig->out = NULL;
}

/* A harness remembers EOS for good: after a flush, another in its place. Nothing may be on its way. */
G_GNUC_UNUSED static void
rig_renew_output (Rig *rig)
{
  GstPad *src = gst_element_get_static_pad (rig->fuse, "src");
  GstHarness *old = rig->out;

  gst_pad_unlink (src, old->sinkpad);
  rig->out = gst_harness_new_with_element (rig->fuse, NULL, "src");
  gst_harness_teardown (old);
  gst_object_unref (src);
}

G_GNUC_UNUSED static void
rig_free (Rig *rig)
{
  if (rig->out)
    rig_stop (rig);
  while (rig->feeds->len > 0)
    feed_free (g_ptr_array_index (rig->feeds, 0));
  g_ptr_array_unref (rig->feeds);
  gst_element_set_bus (rig->fuse, NULL);
  gst_bus_set_flushing (rig->bus, TRUE);
  gst_object_unref (rig->bus);
  gst_object_unref (rig->clock);
  ASSERT_OBJECT_REFCOUNT (rig->fuse, "fuse", 1);
  gst_object_unref (rig->fuse);
  g_free (rig);
}

/* A running element at a rate, not live, whose first feed is proprio_0 of one channel. */
G_GNUC_UNUSED static Rig *
rig_with_one (const gchar *rate, Feed ** feed)
{
  Rig *rig = rig_new ("rate", rate, NULL);

  *feed = feed_new_bare (rig, "proprio_0", FALSE);
  rig_play (rig);
  feed_start (*feed, ONE_CHANNEL);
  return rig;
}

/* Pairs of pad property and value, both text, up to NULL. */
G_GNUC_UNUSED static void
feed_set (Feed *feed, ...)
{
  va_list args;

  va_start (args, feed);
  set_properties (G_OBJECT (feed->sink), args);
  va_end (args);
}

/* ---- rows in ---- */

G_GNUC_UNUSED static GstBuffer *
buffer_of (gint64 pts, gconstpointer data, gsize size)
{
  GstBuffer *buffer = size > 0 ? gst_buffer_new_memdup (data, size) : gst_buffer_new ();

  GST_BUFFER_PTS (buffer) = pts == NONE ? GST_CLOCK_TIME_NONE : (GstClockTime) pts;
  return buffer;
}

G_GNUC_UNUSED static GstFlowReturn
feed_bytes (Feed *feed, gint64 pts, gconstpointer data, gsize size)
{
  return gst_pad_push (feed->pad, buffer_of (pts, data, size));
}

/* One row of n channels. */
G_GNUC_UNUSED static GstFlowReturn
feed_row (Feed *feed, gint64 pts, const gfloat *values, guint n)
{
  return feed_bytes (feed, pts, values, n * sizeof (gfloat));
}

/* One row of one channel. */
G_GNUC_UNUSED static void
feed_one (Feed *feed, gint64 pts, gfloat value)
{
  fail_unless_equals_int (feed_row (feed, pts, &value, 1), GST_FLOW_OK);
}

/* Rows of one channel, their value the time in ms, from first to last. */
G_GNUC_UNUSED static void
feed_ramp (Feed *feed, gint first_ms, gint last_ms, gint step_ms)
{
  for (gint t = first_ms; t <= last_ms; t += step_ms)
    feed_one (feed, MS (t), (gfloat) t);
}

G_GNUC_UNUSED static void
feed_eos (Feed *feed)
{
  feed_event (feed, gst_event_new_eos ());
}

G_GNUC_UNUSED static void
all_eos (Rig *rig)
{
  for (guint i = 0; i < rig->feeds->len; i++)
    feed_eos (g_ptr_array_index (rig->feeds, i));
}

/* ---- samples out ---- */

G_GNUC_UNUSED static GstBuffer *
pull (Rig *rig)
{
  GstBuffer *sample = gst_harness_pull (rig->out);

  fail_unless (sample != NULL, "no sample came");
  return sample;
}

/* The next sample, or NULL at EOS. */
G_GNUC_UNUSED static GstBuffer *
pull_until_eos (Rig *rig)
{
  GstBuffer *sample = NULL;

  fail_unless (gst_harness_pull_until_eos (rig->out, &sample), "neither a sample nor EOS came");
  return sample;
}

G_GNUC_UNUSED static void
assert_eos (Rig *rig)
{
  GstBuffer *sample = pull_until_eos (rig);

  fail_unless (sample == NULL, "a sample where EOS was expected");
}

/* Element i of the tensor, as float32. */
G_GNUC_UNUSED static gfloat
value_of (GstBuffer *sample, guint tensor, guint i)
{
  GstMemory *memory = gst_buffer_peek_memory (sample, tensor);
  GstMapInfo map;
  gfloat value;

  fail_unless (gst_memory_map (memory, &map, GST_MAP_READ));
  fail_unless (map.size >= (i + 1) * sizeof (gfloat), "tensor %u has %" G_GSIZE_FORMAT " bytes", tensor, map.size);
  memcpy (&value, map.data + i * sizeof (gfloat), sizeof (value));
  gst_memory_unmap (memory, &map);
  return value;
}

G_GNUC_UNUSED static GstStructure *
sample_meta (GstBuffer *sample)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (sample, "RobocacheSampleMeta");

  fail_unless (meta != NULL, "the sample has no meta");
  return gst_custom_meta_get_structure (meta);
}

/* A field of the info of a stream, counted over all slots of the window: slot * streams + stream. */
G_GNUC_UNUSED static gint64
info_of (GstBuffer *sample, guint stream, guint field)
{
  const GValue *value = gst_structure_get_value (sample_meta (sample), "info");
  gsize size;
  const gint64 *info = g_bytes_get_data (g_value_get_boxed (value), &size);

  fail_unless (size >= (stream * 4 + field + 1) * sizeof (gint64));
  return info[stream * 4 + field];
}

G_GNUC_UNUSED static gint64
status_of (GstBuffer *sample, guint stream)
{
  return info_of (sample, stream, INFO_STATUS);
}

static void
assert_value (gfloat value, gfloat expected)
{
  if (isnan (expected))
    fail_unless (isnan (value), "%g instead of NaN", value);
  else
    fail_unless (fabsf (value - expected) <= 1e-5f * MAX (1.0f, fabsf (expected)), "%.9g instead of %.9g", value, expected);
}

/* The next sample has this time, and the first channel of its first tensor this value and status. */
G_GNUC_UNUSED static void
expect (Rig *rig, gint64 tick, gfloat value, gint status)
{
  GstBuffer *sample = pull_until_eos (rig);

  fail_unless (sample != NULL, "EOS where a sample at %" G_GINT64_FORMAT " was expected", tick);
  fail_unless_equals_int64 (GST_BUFFER_PTS (sample), tick);
  fail_unless_equals_int64 (status_of (sample, 0), status);
  assert_value (value_of (sample, 0, 0), value);
  gst_buffer_unref (sample);
}

/* Both streams of the next sample. */
G_GNUC_UNUSED static void
expect_two (Rig *rig, gint64 tick, gfloat value0, gint status0, gfloat value1, gint status1)
{
  GstBuffer *sample = pull_until_eos (rig);

  fail_unless (sample != NULL, "EOS where a sample at %" G_GINT64_FORMAT " was expected", tick);
  fail_unless_equals_int64 (GST_BUFFER_PTS (sample), tick);
  fail_unless_equals_int64 (status_of (sample, 0), status0);
  fail_unless_equals_int64 (status_of (sample, 1), status1);
  assert_value (value_of (sample, 0, 0), value0);
  assert_value (value_of (sample, 1, 0), value1);
  gst_buffer_unref (sample);
}

/* The caps that samples have now. */
G_GNUC_UNUSED static GstStructure *
output_caps (Rig *rig)
{
  GstPad *src = gst_element_get_static_pad (rig->fuse, "src");
  GstCaps *caps = gst_pad_get_current_caps (src);
  GstStructure *structure;

  fail_unless (caps != NULL);
  structure = gst_structure_copy (gst_caps_get_structure (caps, 0));
  gst_caps_unref (caps);
  gst_object_unref (src);
  return structure;
}

G_GNUC_UNUSED static void
assert_output_field (Rig *rig, const gchar *field, const gchar *expected)
{
  GstStructure *caps = output_caps (rig);
  const GValue *value = gst_structure_get_value (caps, field);
  gchar *text = value == NULL ? NULL : G_VALUE_HOLDS_STRING (value) ? g_value_dup_string (value) : gst_value_serialize (value);

  fail_unless (g_strcmp0 (text, expected) == 0, "%s is %s, expected %s", field, text, expected);
  g_free (text);
  gst_structure_free (caps);
}

/* ---- messages and statistics ---- */

/* The next message of that type; waits for it. */
G_GNUC_UNUSED static GstMessage *
wait_message (Rig *rig, GstMessageType type)
{
  GstMessage *message = gst_bus_timed_pop_filtered (rig->bus, 60 * GST_SECOND, type);

  fail_unless (message != NULL, "no %s message came", gst_message_type_get_name (type));
  return message;
}

/* The one error is of this kind, and its text holds all of the words. */
G_GNUC_UNUSED static void
assert_error (Rig *rig, GQuark domain, gint code, const gchar *word, ...)
{
  GstMessage *message = wait_message (rig, GST_MESSAGE_ERROR);
  GError *error = NULL;
  va_list args;

  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, domain, code), "an error of another kind: %s", error->message);
  va_start (args, word);
  for (; word; word = va_arg (args, const gchar *))
      fail_unless (strstr (error->message, word) != NULL, "\"%s\" does not say \"%s\"", error->message, word);
  va_end (args);
  g_error_free (error);
  gst_message_unref (message);
  message = gst_bus_pop_filtered (rig->bus, GST_MESSAGE_ERROR);
  fail_unless (message == NULL, "a second error: %" GST_PTR_FORMAT, message);
}

G_GNUC_UNUSED static void
assert_no_message (Rig *rig, GstMessageType type)
{
  GstMessage *message = gst_bus_pop_filtered (rig->bus, type);

  fail_unless (message == NULL, "an unexpected message");
}

G_GNUC_UNUSED static GstStructure *
stats_of (gpointer object)
{
  GstStructure *stats = NULL;

  g_object_get (object, "stats", &stats, NULL);
  fail_unless (stats != NULL);
  return stats;
}

G_GNUC_UNUSED static guint64
count_in (const GstStructure *stats, const gchar *name)
{
  guint64 n = 0;

  fail_unless (gst_structure_get_uint64 (stats, name, &n), "stats have no %s", name);
  return n;
}

G_GNUC_UNUSED static guint64
count_of (gpointer object, const gchar *name)
{
  GstStructure *stats = stats_of (object);
  const guint64 n = count_in (stats, name);

  gst_structure_free (stats);
  return n;
}

/* Sum of the fields whose name begins so. */
static gboolean
add_field (GQuark field, const GValue *value, gpointer data)
{
  guint64 *sum = data;

  if (g_str_has_prefix (g_quark_to_string (field), "rows-dropped-"))
    *sum += g_value_get_uint64 (value);
  return TRUE;
}

/* The columns of one set of stats add up: rows in = used + late + … + kept, and dropped = its reasons. */
G_GNUC_UNUSED static void
assert_columns_balance (const GstStructure *stats)
{
  const guint64 sum = count_in (stats, "rows-used") + count_in (stats, "rows-late") + count_in (stats, "rows-duplicate")
      + count_in (stats, "rows-superseded") + count_in (stats, "rows-dropped") + count_in (stats, "rows-kept");
  guint64 reasons = 0;

  fail_unless_equals_uint64 (count_in (stats, "rows-in"), sum);
  gst_structure_foreach (stats, add_field, &reasons);
  fail_unless_equals_uint64 (count_in (stats, "rows-dropped"), reasons);
}

/* Every row that came in is accounted for. */
G_GNUC_UNUSED static void
assert_rows_balance (Feed *feed)
{
  GstStructure *stats = stats_of (feed->sink);

  assert_columns_balance (stats);
  gst_structure_free (stats);
}

static const gchar *const row_columns[] = { "rows-in", "rows-used", "rows-late", "rows-duplicate", "rows-superseded",
  "rows-dropped", "rows-kept"
};

static gboolean
take_off_pad (GQuark field, const GValue *value, gpointer data)
{
  guint64 *totals = data;

  if (!GST_VALUE_HOLDS_STRUCTURE (value))
    return TRUE;
  assert_columns_balance (gst_value_get_structure (value));
  for (guint i = 0; i < G_N_ELEMENTS (row_columns); i++)
    totals[i] -= count_in (gst_value_get_structure (value), row_columns[i]);
  return TRUE;
}

/* So is every row of every pad, those included that are gone, and the element's totals are the sums of all of them. */
G_GNUC_UNUSED static void
assert_account_balances (const GstStructure *stats)
{
  guint64 totals[G_N_ELEMENTS (row_columns)];

  assert_columns_balance (stats);
  fail_unless (gst_structure_has_field_typed (stats, "removed-pads", GST_TYPE_STRUCTURE));
  for (guint i = 0; i < G_N_ELEMENTS (row_columns); i++)
    totals[i] = count_in (stats, row_columns[i]);
  gst_structure_foreach (stats, take_off_pad, totals);
  for (guint i = 0; i < G_N_ELEMENTS (row_columns); i++)
    fail_unless (totals[i] == 0, "%s: the pads do not add up to the total", row_columns[i]);
}

G_GNUC_UNUSED static void
assert_all_rows_balance (Rig *rig)
{
  GstStructure *stats = stats_of (rig->fuse);

  assert_account_balances (stats);
  gst_structure_free (stats);
}

/* ---- pipelines ---- */

#define SENSOR(n) "robocachetestsrc kind=proprio channels=2 rate=100/1 num-buffers=" #n " ! "

G_GNUC_UNUSED static GstElement *
launch (const gchar *line, GstElement **fuse)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error);

  fail_unless (pipeline != NULL && error == NULL, "%s", error ? error->message : "no pipeline");
  *fuse = gst_bin_get_by_name (GST_BIN (pipeline), "fuse");
  return pipeline;
}

G_GNUC_UNUSED static void
run_to_eos (GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_object_unref (bus);
}

G_GNUC_UNUSED static void
end_pipeline (GstElement *pipeline, GstElement *fuse)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (fuse);
  gst_object_unref (pipeline);
}

/* ---- threads ---- */

/* For a thread: rows of one channel, 10 ms apart, for as long as they are taken. */
G_GNUC_UNUSED static gpointer
push_until_refused (gpointer data)
{
  const gfloat zero = 0;
  gint64 n = 0;

  while (feed_row (data, MS (10 * n), &zero, 1) == GST_FLOW_OK)
    n++;
  return NULL;
}

/* A test case of that name in the suite. */
G_GNUC_UNUSED static TCase *
add_case (Suite *s, const gchar *name)
{
  TCase *tc = tcase_create (name);

  suite_add_tcase (s, tc);
  return tc;
}

#endif
