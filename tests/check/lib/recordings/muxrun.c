/* robocache: robocachemcapmux on pads of the test, and what its file says as text
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/recordings/muxrun.h"

static gboolean
answer_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  const MuxSource *source = gst_pad_get_element_private (pad);

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  if (source->needs_caps && !gst_pad_has_current_caps (pad))
    return FALSE;
  gst_query_set_latency (query, source->is_live, 0, GST_CLOCK_TIME_NONE);
  return TRUE;
}

static gboolean
note_request (GstPad *pad, GstObject *parent, GstEvent *event)
{
  MuxSource *source = gst_pad_get_element_private (pad);

  if (gst_event_has_name (event, "GstForceKeyUnit"))
    g_atomic_int_inc (&source->n_key_requests);
  gst_event_unref (event);
  return TRUE;
}

GstFlowReturn
collect (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  MuxRun *run = gst_pad_get_element_private (pad);
  GstMapInfo map;

  g_mutex_lock (&run->lock);
  while (run->is_blocked) {
    run->is_waiting = TRUE;
    g_cond_broadcast (&run->changed);
    g_cond_wait (&run->changed, &run->lock);
  }
  run->is_waiting = FALSE;
  gst_buffer_map (buffer, &map, GST_MAP_READ);
  g_byte_array_append (run->file, map.data, (guint) map.size);
  gst_buffer_unmap (buffer, &map);
  g_cond_broadcast (&run->changed);
  g_mutex_unlock (&run->lock);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

GstFlowReturn
forget (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  MuxRun *run = gst_pad_get_element_private (pad);

  g_mutex_lock (&run->lock);
  while (run->is_blocked)
    g_cond_wait (&run->changed, &run->lock);
  g_mutex_unlock (&run->lock);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static gboolean
note_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  MuxRun *run = gst_pad_get_element_private (pad);

  g_mutex_lock (&run->lock);
  run->has_eos |= GST_EVENT_TYPE (event) == GST_EVENT_EOS;
  g_cond_broadcast (&run->changed);
  g_mutex_unlock (&run->lock);
  gst_event_unref (event);
  return TRUE;
}

void
set_blocked (MuxRun *run, gboolean is_blocked)
{
  g_mutex_lock (&run->lock);
  run->is_blocked = is_blocked;
  g_cond_broadcast (&run->changed);
  g_mutex_unlock (&run->lock);
}

void
mux_open_element (MuxRun *run, GstElement *element, const gchar *properties)
{
  gchar **items = g_strsplit (properties, " ", -1);
  GstPad *src;

  *run = (MuxRun) {.mux = gst_object_ref_sink (element), .bus = gst_bus_new ()};
  g_mutex_init (&run->lock);
  g_cond_init (&run->changed);
  run->file = g_byte_array_new ();
  gst_element_set_bus (run->mux, run->bus);
  for (gchar **item = items; *item; item++) {
    gchar **pair = g_strsplit (*item, "=", 2);

    if (**item)
      gst_util_set_object_arg (G_OBJECT (run->mux), pair[0], pair[1]);
    g_strfreev (pair);
  }
  g_strfreev (items);
  run->clock = GST_TEST_CLOCK (gst_test_clock_new ());
  gst_element_set_clock (run->mux, GST_CLOCK (run->clock));
  gst_element_set_base_time (run->mux, 0);
  src = gst_element_get_static_pad (run->mux, "src");
  if (!src)
    return;
  run->sink = gst_object_ref_sink (gst_pad_new ("sink", GST_PAD_SINK));
  gst_pad_set_element_private (run->sink, run);
  gst_pad_set_chain_function (run->sink, collect);
  gst_pad_set_event_function (run->sink, note_event);
  gst_pad_set_active (run->sink, TRUE);
  gst_pad_link (src, run->sink);
  gst_object_unref (src);
}

void
mux_open (MuxRun *run, const gchar *factory, const gchar *properties)
{
  mux_open_element (run, gst_element_factory_make (factory, "m"), properties);
}

MuxSource *
mux_add (MuxRun *run, gboolean is_live)
{
  MuxSource *source = &run->sources[run->n_sources++];

  source->is_live = is_live;
  source->peer = gst_element_request_pad_simple (run->mux, "sink_%u");
  source->pad = gst_object_ref_sink (gst_pad_new (NULL, GST_PAD_SRC));
  gst_pad_set_element_private (source->pad, source);
  gst_pad_set_query_function (source->pad, answer_query);
  gst_pad_set_event_function (source->pad, note_request);
  gst_pad_set_active (source->pad, TRUE);
  fail_unless (gst_pad_link (source->pad, source->peer) == GST_PAD_LINK_OK);
  return source;
}

void
mux_play (MuxRun *run)
{
  fail_unless (gst_element_set_state (run->mux, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE);
}

void
mux_begin (MuxSource *source, const gchar *caps_text)
{
  GstCaps *caps = gst_caps_from_string (caps_text);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (source->pad, gst_event_new_stream_start ("s"));
  gst_pad_set_caps (source->pad, caps);
  gst_pad_push_event (source->pad, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
}

GstFlowReturn
mux_push_bytes (MuxSource *source, gint64 pts_ms, gconstpointer bytes, gsize size)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

  if (bytes)
    gst_buffer_fill (buffer, 0, bytes, size);
  else
    gst_buffer_memset (buffer, 0, 0, size);
  GST_BUFFER_PTS (buffer) = pts_ms < 0 ? GST_CLOCK_TIME_NONE : (GstClockTime) pts_ms * MS;
  return gst_pad_push (source->pad, buffer);
}

GstFlowReturn
mux_push (MuxSource *source, gint64 pts_ms, gsize size)
{
  return mux_push_bytes (source, pts_ms, NULL, size);
}

void
mux_set_time (MuxRun *run, gint64 ms)
{
  gst_test_clock_set_time (run->clock, (GstClockTime) ms * MS);
}

void
mux_end (MuxRun *run)
{
  for (guint i = 0; i < run->n_sources; i++)
    gst_pad_push_event (run->sources[i].pad, gst_event_new_eos ());
  if (!run->sink) {
    gst_message_unref (gst_bus_timed_pop_filtered (run->bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
    return;
  }
  g_mutex_lock (&run->lock);
  while (!run->has_eos)
    g_cond_wait (&run->changed, &run->lock);
  g_mutex_unlock (&run->lock);
}

gchar *
mux_messages (MuxRun *run)
{
  GString *text = g_string_new (NULL);
  GstMessage *message;

  while ((message = gst_bus_pop_filtered (run->bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR))) {
    GError *error;

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
      gst_message_parse_error (message, &error, NULL);
    else
      gst_message_parse_warning (message, &error, NULL);
    g_string_append_printf (text, "%s ", error->message);
    g_error_free (error);
    gst_message_unref (message);
  }
  return g_string_free (text, FALSE);
}

void
mux_close (MuxRun *run)
{
  gst_element_set_state (run->mux, GST_STATE_NULL);
  for (guint i = 0; i < run->n_sources; i++) {
    gst_pad_set_active (run->sources[i].pad, FALSE);
    gst_clear_object (&run->sources[i].pad);
    if (GST_OBJECT_PARENT (run->sources[i].peer))
      gst_element_release_request_pad (run->mux, run->sources[i].peer);
    gst_clear_object (&run->sources[i].peer);
  }
  gst_clear_object (&run->sink);
  gst_element_set_bus (run->mux, NULL);
  gst_object_unref (run->bus);
  gst_object_unref (run->clock);
  gst_object_unref (run->mux);
  g_byte_array_unref (run->file);
  g_mutex_clear (&run->lock);
  g_cond_clear (&run->changed);
}

static void
append_event_message (GString *text, const RobocacheMcapMessage *message)
{
  RobocacheCdrReader reader;
  const gchar *kind, *topic, *words;
  guint32 length, n_before;

  robocache_cdr_reader_init (&reader, message->data.data, message->data.size);
  robocache_cdr_read_int32 (&reader);
  robocache_cdr_read_uint32 (&reader);
  robocache_cdr_read_string (&reader, &length);
  kind = robocache_cdr_read_string (&reader, &length);
  topic = robocache_cdr_read_string (&reader, &length);
  n_before = robocache_cdr_read_uint32 (&reader);
  robocache_cdr_read_array (&reader, 8, 1);
  words = robocache_cdr_read_string (&reader, &length);
  fail_unless (robocache_cdr_reader_check (&reader, NULL));
  /* what begins each stream is left out */
  if (n_before > 0 || !g_strv_contains ((const gchar *const[]) { "stream", "caps", "segment", NULL }, kind))
    g_string_append_printf (text, "%s(%s %s)@%" G_GUINT64_FORMAT " ", kind, topic, words, message->log_time / MS);
}

static void
append_message (GString *text, const gchar *topic, const RobocacheMcapMessage *message)
{
  if (g_str_equal (topic, "/robocache/events"))
    append_event_message (text, message);
  else
    g_string_append_printf (text, "%s#%u@%" G_GUINT64_FORMAT "/%" G_GUINT64_FORMAT " ", topic, message->sequence, message->log_time / MS,
        message->publish_time / MS);
}

static void
append_metadata (GString *text, const RobocacheMcapMetadata *metadata)
{
  gchar *name = robocache_mcap_text_dup (metadata->name);
  GHashTable *map = robocache_mcap_text_map (metadata->metadata);
  const gchar *value = g_hash_table_lookup (map, strcmp (name, "robocache.tags") == 0 ? "title" : "clock");

  g_string_append_printf (text, "[%s%s%s] ", name + strlen ("robocache."), value ? " " : "", value ? value : "");
  g_hash_table_unref (map);
  g_free (name);
}

static void
append_record (GString *text, RobocacheMcapDefinitions *definitions, const RobocacheMcapStreamRecord *record, guint64 *chunk)
{
  if (record->opcode != ROBOCACHE_MCAP_MESSAGE && record->opcode != ROBOCACHE_MCAP_METADATA) {
    robocache_mcap_definitions_add (definitions, record->opcode, record->content, NULL);
    return;
  }
  if (*chunk != record->offset && *chunk != 0)
    g_string_append (text, "| ");
  *chunk = record->offset;
  if (record->opcode == ROBOCACHE_MCAP_MESSAGE) {
    append_message (text, robocache_mcap_definitions_channel (definitions, record->record.message.channel_id)->topic,
        &record->record.message);
    return;
  }
  append_metadata (text, &record->record.metadata);
}

gchar *
describe_file (const guint8 *bytes, gsize size)
{
  RobocacheMcapStream *stream = robocache_mcap_stream_new ();
  RobocacheMcapDefinitions *definitions = robocache_mcap_definitions_new ();
  RobocacheMcapStreamRecord record;
  GString *text = g_string_new (NULL);
  guint64 chunk = 0;

  robocache_mcap_stream_push (stream, bytes, size);
  while (robocache_mcap_stream_next (stream, &record, NULL) == ROBOCACHE_MCAP_STREAM_RECORD)
    append_record (text, definitions, &record, &chunk);
  robocache_mcap_definitions_free (definitions);
  robocache_mcap_stream_free (stream);
  return g_strchomp (g_string_free (text, FALSE));
}

gchar *
mux_file (MuxRun *run)
{
  gchar *text;

  g_mutex_lock (&run->lock);
  text = describe_file (run->file->data, run->file->len);
  g_mutex_unlock (&run->lock);
  return text;
}

gboolean
mux_file_has (MuxRun *run, const gchar *words)
{
  gchar *text = mux_file (run);
  const gboolean has = strstr (text, words) != NULL;

  g_free (text);
  return has;
}
