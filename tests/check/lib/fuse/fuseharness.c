/* robocache: what tests of robocachefuse share: an element with feeds on its sink pads and a harness at its end
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/fuse/fuseharness.h"

const gchar *rig_busy_wait = "0";
GType rig_clock_type;

void
set_from_text (gpointer object, const gchar *text)
{
  gchar **pair = g_strsplit (text, "=", 2), *value;

  fail_unless (pair[1] && g_object_class_find_property (G_OBJECT_GET_CLASS (object), pair[0]), "\"%s\" sets nothing", text);
  value = setting_in_ns (pair[1]);
  gst_util_set_object_arg (object, pair[0], value);
  g_free (value);
  g_strfreev (pair);
}

void
set_all (gpointer object, const gchar *text)
{
  gchar **settings = g_strsplit (text, " ", -1);

  for (gchar **setting = settings; *setting; setting++) {
    if (**setting)
      set_from_text (object, *setting);
  }
  g_strfreev (settings);
}

Rig *
rig_new (const gchar *settings)
{
  Rig *rig = g_new0 (Rig, 1);

  rig->fuse = gst_element_factory_make ("robocachefuse", "fuse");
  fail_unless (rig->fuse != NULL);
  rig->bus = gst_bus_new ();
  gst_element_set_bus (rig->fuse, rig->bus);
  rig->clock = g_object_new (rig_clock_type ? rig_clock_type : GST_TYPE_TEST_CLOCK, NULL);
  gst_object_ref_sink (rig->clock);
  gst_element_set_clock (rig->fuse, GST_CLOCK (rig->clock));
  rig->wall = g_object_new (GST_TYPE_TEST_CLOCK, NULL);
  gst_object_ref_sink (rig->wall);
  gst_system_clock_set_default (GST_CLOCK (rig->wall));
  rig->feeds = g_ptr_array_new ();
  gst_util_set_object_arg (G_OBJECT (rig->fuse), "busy-wait", rig_busy_wait);
  gst_util_set_object_arg (G_OBJECT (rig->fuse), "qos-interval", "0");
  set_all (rig->fuse, settings);
  return rig;
}

void
rig_play (Rig *rig)
{
  rig->out = gst_harness_new_with_element (rig->fuse, NULL, "src");
}

static gboolean
feed_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  const Feed *feed = gst_pad_get_element_private (pad);
  const gboolean refuses = g_strcmp0 (feed->on_seek, "refuse") == 0;

  if (GST_QUERY_TYPE (query) == GST_QUERY_SEEKING && (refuses || g_strcmp0 (feed->on_seek, "never") == 0)) {
    gst_query_set_seeking (query, GST_FORMAT_TIME, refuses, 0, -1);
    return TRUE;
  }
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_latency (query, feed->live, feed->latency, feed->holds_nothing ? 0 : GST_CLOCK_TIME_NONE);
  return TRUE;
}

void
feed_event (Feed *feed, GstEvent *event)
{
  gst_pad_push_event (feed->pad, event);
}

gboolean
feed_caps (Feed *feed, const gchar *text)
{
  GstCaps *caps = gst_caps_from_string (text);
  const gboolean ok = gst_pad_push_event (feed->pad, gst_event_new_caps (caps));

  gst_caps_unref (caps);
  return ok;
}

void
feed_segment (Feed *feed)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  feed_event (feed, gst_event_new_segment (&segment));
}

/* Flushes with numbers of their own, or with that of the seek: all of it, or only its beginning. */
static gboolean
feed_answer_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  Feed *feed = gst_pad_get_element_private (pad);
  const guint32 seqnum = gst_event_get_seqnum (event);
  GstEvent *flush;

  if (GST_EVENT_TYPE (event) != GST_EVENT_SEEK || feed->on_seek == NULL)
    return gst_pad_event_default (pad, parent, event);
  gst_event_parse_seek (event, NULL, NULL, NULL, NULL, &feed->sought_start, NULL, &feed->sought_stop);
  gst_event_unref (event);
  if (g_str_equal (feed->on_seek, "take"))
    return TRUE;
  if (g_str_equal (feed->on_seek, "refuse") || g_str_equal (feed->on_seek, "never"))
    return FALSE;
  flush = gst_event_new_flush_start ();
  if (!g_str_equal (feed->on_seek, "flush"))
    gst_event_set_seqnum (flush, seqnum);
  feed_event (feed, flush);
  if (g_str_equal (feed->on_seek, "flush-start"))
    return TRUE;
  flush = gst_event_new_flush_stop (TRUE);
  if (!g_str_equal (feed->on_seek, "flush"))
    gst_event_set_seqnum (flush, seqnum);
  feed_event (feed, flush);
  feed_segment (feed);
  return TRUE;
}

Feed *
feed_new_unlinked (Rig *rig, const gchar *name, gboolean live)
{
  Feed *feed = g_new0 (Feed, 1);

  feed->rig = rig;
  feed->live = live;
  feed->pad = gst_pad_new (NULL, GST_PAD_SRC);
  /* The element may be in a query of the pad while it is unlinked: the feed lives as long as its pad. */
  gst_pad_set_element_private (feed->pad, feed);
  g_object_set_data_full (G_OBJECT (feed->pad), "feed", feed, g_free);
  gst_pad_set_query_function (feed->pad, feed_query);
  gst_pad_set_event_function (feed->pad, feed_answer_event);
  gst_pad_set_active (feed->pad, TRUE);
  feed->sink = gst_element_request_pad_simple (rig->fuse, name);
  fail_unless (feed->sink != NULL);
  g_ptr_array_add (rig->feeds, feed);
  return feed;
}

void
feed_link (Feed *feed)
{
  fail_unless_equals_int (gst_pad_link (feed->pad, feed->sink), GST_PAD_LINK_OK);
}

Feed *
feed_new_bare (Rig *rig, const gchar *name, gboolean live)
{
  Feed *feed = feed_new_unlinked (rig, name, live);

  feed_link (feed);
  return feed;
}

void
feed_start (Feed *feed, const gchar *caps)
{
  gchar *id = gst_pad_get_name (feed->sink);

  feed_event (feed, gst_event_new_stream_start (id));
  fail_unless (feed_caps (feed, caps));
  feed_segment (feed);
  g_free (id);
}

void
feed_free (Feed *feed)
{
  g_ptr_array_remove (feed->rig->feeds, feed);
  gst_pad_set_active (feed->pad, FALSE);
  gst_object_unref (feed->sink);
  gst_object_unref (feed->pad);
}

void
feed_remove (Feed *feed)
{
  gst_pad_unlink (feed->pad, feed->sink);
  gst_element_release_request_pad (feed->rig->fuse, feed->sink);
  feed_free (feed);
}

void
rig_stop (Rig *rig)
{
  GstPad *src = gst_element_get_static_pad (rig->fuse, "src");

  fail_unless_equals_int (gst_element_set_state (rig->fuse, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  gst_pad_unlink (src, rig->out->sinkpad);
  gst_object_unref (src);
  gst_harness_teardown (rig->out);
  rig->out = NULL;
}

void
rig_renew_output (Rig *rig)
{
  GstPad *src = gst_element_get_static_pad (rig->fuse, "src");
  GstHarness *old = rig->out;

  gst_pad_unlink (src, old->sinkpad);
  rig->out = gst_harness_new_with_element (rig->fuse, NULL, "src");
  gst_harness_teardown (old);
  gst_object_unref (src);
}

void
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
  gst_system_clock_set_default (NULL);
  gst_object_unref (rig->wall);
  ASSERT_OBJECT_REFCOUNT (rig->fuse, "fuse", 1);
  gst_object_unref (rig->fuse);
  g_free (rig);
}

GstBuffer *
fuse_buffer (gint64 pts, gconstpointer data, gsize size)
{
  GstBuffer *buffer = size > 0 ? gst_buffer_new_memdup (data, size) : gst_buffer_new ();

  GST_BUFFER_PTS (buffer) = pts == NONE ? GST_CLOCK_TIME_NONE : (GstClockTime) pts;
  return buffer;
}

GstFlowReturn
feed_bytes (Feed *feed, gint64 pts, gconstpointer data, gsize size)
{
  return gst_pad_push (feed->pad, fuse_buffer (pts, data, size));
}

GstFlowReturn
feed_row (Feed *feed, gint64 pts, const gfloat *values, guint n)
{
  return feed_bytes (feed, pts, values, n * sizeof (gfloat));
}

void
feed_one (Feed *feed, gint64 pts, gfloat value)
{
  fail_unless_equals_int (feed_row (feed, pts, &value, 1), GST_FLOW_OK);
}

void
feed_ramp (Feed *feed, gint first_ms, gint last_ms, gint step_ms)
{
  for (gint t = first_ms; t <= last_ms; t += step_ms)
    feed_one (feed, MS (t), (gfloat) t);
}

void
feed_eos (Feed *feed)
{
  feed_event (feed, gst_event_new_eos ());
}

void
all_eos (Rig *rig)
{
  for (guint i = 0; i < rig->feeds->len; i++)
    feed_eos (g_ptr_array_index (rig->feeds, i));
}

GstBuffer *
pull (Rig *rig)
{
  GstBuffer *sample = gst_harness_pull (rig->out);

  fail_unless (sample != NULL, "no sample came");
  return sample;
}

GstEvent *
seek_to (gint64 start, gint64 stop)
{
  return gst_event_new_seek (1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, start, stop < 0 ? GST_SEEK_TYPE_NONE
      : GST_SEEK_TYPE_SET, stop);
}

GstBuffer *
pull_until_eos (Rig *rig)
{
  GstBuffer *sample = NULL;

  fail_unless (gst_harness_pull_until_eos (rig->out, &sample), "neither a sample nor EOS came");
  return sample;
}

gfloat
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

GstStructure *
sample_meta (GstBuffer *sample)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (sample, "RobocacheSampleMeta");

  fail_unless (meta != NULL, "the sample has no meta");
  return gst_custom_meta_get_structure (meta);
}

gint64
info_of (GstBuffer *sample, guint stream, guint field)
{
  const GValue *value = gst_structure_get_value (sample_meta (sample), "info");
  gsize size;
  const gint64 *info = g_bytes_get_data (g_value_get_boxed (value), &size);

  fail_unless (size >= (stream * 4 + field + 1) * sizeof (gint64));
  return info[stream * 4 + field];
}

gint64
status_of (GstBuffer *sample, guint stream)
{
  return info_of (sample, stream, INFO_STATUS);
}

void
assert_value (gfloat value, gfloat expected)
{
  if (isnan (expected))
    fail_unless (isnan (value), "%g instead of NaN", value);
  else
    fail_unless (fabsf (value - expected) <= 1e-5f * MAX (1.0f, fabsf (expected)), "%.9g instead of %.9g", value, expected);
}

GstStructure *
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

void
assert_output_field (Rig *rig, const gchar *field, const gchar *expected)
{
  GstStructure *caps = output_caps (rig);
  const GValue *value = gst_structure_get_value (caps, field);
  gchar *text = value == NULL ? NULL : G_VALUE_HOLDS_STRING (value) ? g_value_dup_string (value) : gst_value_serialize (value);

  fail_unless (g_strcmp0 (text, expected) == 0, "%s is %s, expected %s", field, text, expected);
  g_free (text);
  gst_structure_free (caps);
}

void
pass_deadline (Rig *rig, gint64 expected)
{
  fail_unless (gst_test_clock_crank (rig->clock));
  fail_unless_equals_int64 (gst_clock_get_time (GST_CLOCK (rig->clock)), expected);
}

void
jump_clock (Rig *rig, gint64 time)
{
  GstClockID waiting = NULL, done;

  gst_test_clock_wait_for_next_pending_id (rig->clock, &waiting);
  gst_test_clock_set_time (rig->clock, (GstClockTime) time);
  done = gst_test_clock_process_next_clock_id (rig->clock);
  gst_clock_id_unref (waiting);
  if (done)
    gst_clock_id_unref (done);
}

void
set_clock (Rig *rig, gint64 time)
{
  gst_test_clock_set_time (rig->clock, (GstClockTime) time);
}

void
pass_wall_time (Rig *rig, gint64 time)
{
  GstClockID done;

  gst_test_clock_set_time (rig->wall, (GstClockTime) time);
  while ((done = gst_test_clock_process_next_clock_id (rig->wall)))
    gst_clock_id_unref (done);
}

GstMessage *
wait_message (Rig *rig, GstMessageType type)
{
  GstMessage *message = gst_bus_timed_pop_filtered (rig->bus, 60 * GST_SECOND, type);

  fail_unless (message != NULL, "no %s message came", gst_message_type_get_name (type));
  return message;
}

void
expect_message (Rig *rig, GstMessageType type, const gchar *text)
{
  static const struct
  {
    const gchar *kind, *domain;
    gint code;
  } kinds[] = {
    {"negotiation", "gst-core-error-quark", GST_CORE_ERROR_NEGOTIATION},
    {"format", "gst-stream-error-quark", GST_STREAM_ERROR_FORMAT},
    {"settings", "gst-library-error-quark", GST_LIBRARY_ERROR_SETTINGS},
    {"memory", "gst-resource-error-quark", GST_RESOURCE_ERROR_NO_SPACE_LEFT},
  };
  GstMessage *message = wait_message (rig, type);
  gchar **parts = g_strsplit (text, ":", 2), **words = g_strsplit (parts[1], "|", -1);
  gboolean is_known = *parts[0] == '\0';
  GError *error = NULL;

  if (type == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    if (!g_str_equal (kinds[i].kind, parts[0]))
      continue;
    is_known = TRUE;
    fail_unless (g_error_matches (error, g_quark_from_string (kinds[i].domain), kinds[i].code), "of another kind: %s",
        error->message);
  }
  fail_unless (is_known, "\"%s\" has no kind of error", text);
  for (gchar **word = words; *word; word++)
    fail_unless (strstr (error->message, *word) != NULL, "\"%s\" does not say \"%s\"", error->message, *word);
  g_strfreev (words);
  g_strfreev (parts);
  g_error_free (error);
  gst_message_unref (message);
}

void
assert_error (Rig *rig, const gchar *format, ...)
{
  va_list args;
  gchar *text;
  GstMessage *second;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  expect_message (rig, GST_MESSAGE_ERROR, text);
  second = gst_bus_pop_filtered (rig->bus, GST_MESSAGE_ERROR);
  fail_unless (second == NULL, "a second error: %" GST_PTR_FORMAT, second);
  g_free (text);
}

void
assert_no_message (Rig *rig, GstMessageType type)
{
  GstMessage *message = gst_bus_pop_filtered (rig->bus, type);

  fail_unless (message == NULL, "an unexpected message");
}

void
drop_messages (Rig *rig, GstMessageType type)
{
  GstMessage *message;

  while ((message = gst_bus_pop_filtered (rig->bus, type)))
    gst_message_unref (message);
}

GstStructure *
stats_of (gpointer object)
{
  GstStructure *stats = NULL;

  g_object_get (object, "stats", &stats, NULL);
  fail_unless (stats != NULL);
  return stats;
}

guint64
count_in (const GstStructure *stats, const gchar *name)
{
  guint64 n = 0;

  fail_unless (gst_structure_get_uint64 (stats, name, &n), "stats have no %s", name);
  return n;
}

guint64
fuse_count (gpointer object, const gchar *name)
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
static void
assert_columns_balance (const GstStructure *stats)
{
  const guint64 sum = count_in (stats, "rows-used") + count_in (stats, "rows-late") + count_in (stats, "rows-duplicate")
      + count_in (stats, "rows-superseded") + count_in (stats, "rows-dropped") + count_in (stats, "rows-kept");
  guint64 reasons = 0;

  fail_unless_equals_uint64 (count_in (stats, "rows-in"), sum);
  gst_structure_foreach (stats, add_field, &reasons);
  fail_unless_equals_uint64 (count_in (stats, "rows-dropped"), reasons);
}

void
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

void
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

void
assert_all_rows_balance (Rig *rig)
{
  GstStructure *stats = stats_of (rig->fuse);

  assert_account_balances (stats);
  gst_structure_free (stats);
}

GstElement *
launch (const gchar *line, GstElement **fuse)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error);

  fail_unless (pipeline != NULL && error == NULL, "%s", error ? error->message : "no pipeline");
  *fuse = gst_bin_get_by_name (GST_BIN (pipeline), "fuse");
  return pipeline;
}

void
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

void
end_pipeline (GstElement *pipeline, GstElement *fuse)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (fuse);
  gst_object_unref (pipeline);
}

gpointer
push_until_refused (gpointer data)
{
  const gfloat zero = 0;
  gint64 n = 0;

  while (feed_row (data, MS (10 * n), &zero, 1) == GST_FLOW_OK)
    n++;
  return NULL;
}

TCase *
add_case (Suite *s, const gchar *name)
{
  TCase *tc = tcase_create (name);

  suite_add_tcase (s, tc);
  return tc;
}
