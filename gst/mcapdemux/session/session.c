/* robocache: one recording on its way through its element: state, reports, origin and statistics
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session.h"

#include "common/ros/messageencoders.h"

/* Name of the metadata record that robocachemcapmux writes. */
#define RECORDING_METADATA "robocache.recording"

/* ---- life ---- */

RobocacheMcapSession *
robocache_mcap_session_new (GstElement *element, GstDebugCategory *category, GstPadTemplate *template, RobocacheMcapDemuxSettings *settings)
{
  RobocacheMcapSession *session = g_new0 (RobocacheMcapSession, 1);

  session->element = element;
  session->category = category;
  session->template = template;
  session->settings = *settings;
  *settings = (RobocacheMcapDemuxSettings) { 0 };
  session->topics = g_ptr_array_new_with_free_func ((GDestroyNotify) robocache_mcap_topic_free);
  session->topics_by_name = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) g_ptr_array_unref);
  session->outputs_by_name = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);
  session->cameras = g_ptr_array_new ();
  session->by_channel = g_ptr_array_new ();
  session->unchosen = g_new0 (RobocacheMcapTopic, 1);
  session->outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) robocache_ros_output_free);
  session->flows = gst_flow_combiner_new ();
  session->group_id = (gint) gst_util_group_id_next ();
  gst_segment_init (&session->segment, GST_FORMAT_TIME);
  session->segment_seqnum = gst_util_seqnum_next ();
  session->duration = GST_CLOCK_TIME_NONE;
  session->origin_ns = session->settings.time_origin;
  if (session->origin_ns == ROBOCACHE_MCAP_NO_ORIGIN && session->settings.start == ROBOCACHE_MCAP_START_KEEP)
    session->origin_ns = 0;
  session->oldest_row = G_MAXUINT64;
  session->is_origin_set = session->origin_ns != ROBOCACHE_MCAP_NO_ORIGIN;
  session->sequences = g_array_new (FALSE, TRUE, sizeof (RobocacheMcapSequence));
  session->undefined = g_hash_table_new (NULL, NULL);
  session->clocks.zeros = g_hash_table_new (g_str_hash, g_str_equal);
  session->timer.interval = session->settings.stats_interval;
  robocache_statistics_timer_reset (&session->timer);
  GST_CAT_DEBUG_OBJECT (category, element, "topics=\"%s\", at most %u rows in a buffer, a message arrives up to %" GST_TIME_FORMAT
      " after its capture", session->settings.topics ? session->settings.topics : "", session->settings.block_rows,
      GST_TIME_ARGS (session->settings.max_transport));
  return session;
}

void
robocache_mcap_session_free (RobocacheMcapSession *session)
{
  gst_flow_combiner_free (session->flows);
  for (guint i = 0; i < session->outputs->len; i++) {
    RobocacheRosOutput *output = g_ptr_array_index (session->outputs, i);

    if (output->pad)
      gst_element_remove_pad (session->element, output->pad);
  }
  g_hash_table_unref (session->outputs_by_name);
  g_hash_table_unref (session->topics_by_name);
  g_ptr_array_unref (session->cameras);
  g_ptr_array_unref (session->outputs);
  g_ptr_array_unref (session->by_channel);
  g_ptr_array_unref (session->topics);
  robocache_mcap_topic_free (session->unchosen);
  g_array_unref (session->sequences);
  g_hash_table_unref (session->undefined);
  g_hash_table_unref (session->clocks.zeros);
  robocache_clock_map_free (session->clocks.map);
  g_free (session->clocks_text);
  robocache_mcap_demux_settings_clear (&session->settings);
  g_free (session);
}

/* ---- clocks ---- */

static const struct
{
  const gchar *name;
  RobocacheTimeline timeline;
} timelines[] = {
  {"auto", ROBOCACHE_TIMELINE_AUTO},
  {"recorder", ROBOCACHE_TIMELINE_RECORDER},
  {"stamp", ROBOCACHE_TIMELINE_STAMPS},
};

/* Takes the map of a text of stats. */
static gboolean
read_map (RobocacheMcapSession *session, const gchar *text, GError **error)
{
  GVariant *clocks = g_variant_parse (G_VARIANT_TYPE_VARDICT, text, NULL, NULL, NULL);
  GVariant *map = clocks ? g_variant_lookup_value (clocks, "map", G_VARIANT_TYPE (ROBOCACHE_CLOCK_MAP_TYPE)) : NULL;

  if (map)
    session->clocks.map = robocache_clock_map_new (map);
  else
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, "clocks=\"%.40s\": expected auto, recorder, stamp, or the text of "
        "clocks in stats", text);
  g_clear_pointer (&map, g_variant_unref);
  g_clear_pointer (&clocks, g_variant_unref);
  return session->clocks.map != NULL;
}

gboolean
robocache_mcap_session_read_clocks (RobocacheMcapSession *session, gboolean *survey, RobocacheTimeline *timeline, GError **error)
{
  const gchar *text = session->settings.clocks;

  *survey = FALSE;
  /* other times than stamps are all of one clock */
  if (!text || !*text || session->settings.time_source != ROBOCACHE_MCAP_TIME_AUTO)
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (timelines); i++) {
    if (g_str_equal (text, timelines[i].name)) {
      *survey = TRUE;
      *timeline = timelines[i].timeline;
      return TRUE;
    }
  }
  return read_map (session, text, error);
}

void
robocache_mcap_session_set_clocks (RobocacheMcapSession *session, GVariant *clocks)
{
  GVariant *map = g_variant_lookup_value (clocks, "map", G_VARIANT_TYPE (ROBOCACHE_CLOCK_MAP_TYPE));
  gchar *text = g_variant_print (clocks, TRUE);

  session->clocks.map = robocache_clock_map_new (map);
  GST_CAT_INFO_OBJECT (session->category, session->element, "the clocks of the recording are %s", text);
  GST_OBJECT_LOCK (session->element);
  session->clocks_text = text;
  GST_OBJECT_UNLOCK (session->element);
  g_variant_unref (map);
  g_variant_unref (clocks);
}

gint64
robocache_mcap_session_arrival (const RobocacheMcapSession *session, guint64 log_time)
{
  return robocache_clock_map_log (session->clocks.map, robocache_mcap_time_signed (log_time));
}

guint64
robocache_mcap_session_log_time (const RobocacheMcapSession *session, gint64 time_ns)
{
  return (guint64) MAX (robocache_clock_map_to_log (session->clocks.map, time_ns), 0);
}

/* ---- reports ---- */

void
robocache_mcap_session_warn (RobocacheMcapSession *session, const gchar *text)
{
  GST_ELEMENT_WARNING (session->element, STREAM, DECODE, ("%s", text), (NULL));
}

void
robocache_mcap_session_post_error_at (RobocacheMcapSession *session, const GError *error, const gchar *file, const gchar *function,
    gint line)
{
  const gboolean is_of_gst = error->domain == GST_RESOURCE_ERROR || error->domain == GST_STREAM_ERROR;
  GError *posted = g_error_new_literal (is_of_gst ? error->domain : GST_STREAM_ERROR, is_of_gst ? error->code : GST_STREAM_ERROR_DECODE,
      error->message);
  gchar *path = gst_object_get_path_string (GST_OBJECT (session->element));
  gchar *debug = g_strdup_printf ("%s(%d): %s (): %s", file, line, function, path);
  GstMessage *message = gst_message_new_error (GST_OBJECT (session->element), posted, debug);

  GST_CAT_ERROR_OBJECT (session->category, session->element, "%s", error->message);
  gst_message_set_seqnum (message, session->segment_seqnum);
  gst_element_post_message (session->element, message);
  g_error_free (posted);
  g_free (debug);
  g_free (path);
}

/* ---- metadata ---- */

/* The time of running time 0 in a record; NULL: it has none, or a damaged one. */
static const gchar *
find_origin (RobocacheMcapSession *session, const gchar *name, GHashTable *metadata)
{
  gboolean is_damaged;
  const gchar *text = robocache_mcap_get_sealed (metadata, "time-origin", &is_damaged);
  const gboolean is_named = g_strcmp0 (name, RECORDING_METADATA) == 0;
  const gboolean is_sealed = g_hash_table_contains (metadata, "time-origin-crc32");

  if (session->origin_ns != ROBOCACHE_MCAP_NO_ORIGIN || (!is_named && !is_sealed))
    return NULL;
  if (!text || !is_named)
    robocache_mcap_session_warn (session, "the record with the time at running time 0 is damaged: the time of the first message is "
        "used instead");
  return is_named ? text : NULL;
}

void
robocache_mcap_session_note_metadata (RobocacheMcapSession *session, const gchar *name, GHashTable *metadata)
{
  const gchar *text = find_origin (session, name, metadata);
  gint64 origin_ns;

  if (!text || !g_ascii_string_to_signed (text, 10, G_MININT64 + 1, G_MAXINT64, &origin_ns, NULL))
    return;
  GST_CAT_INFO_OBJECT (session->category, session->element, "running time 0 is %" G_GINT64_FORMAT " ns, as the metadata \"%s\" of the recording say",
      origin_ns, name);
  session->origin_ns = origin_ns;
  session->is_origin_set = TRUE;
}

void
robocache_mcap_list_add (GHashTable *lists, gchar *name, gpointer item)
{
  GPtrArray *list = g_hash_table_lookup (lists, name);

  if (!list) {
    list = g_ptr_array_new ();
    g_hash_table_insert (lists, name, list);
  }
  g_ptr_array_add (list, item);
}

/* ---- sequence numbers and groups of events ---- */

void
robocache_mcap_session_follow (RobocacheMcapSession *session, GstEvent *stream_start)
{
  guint group_id;

  if (gst_event_parse_group_id (stream_start, &group_id))
    g_atomic_int_set (&session->group_id, (gint) group_id);
}

void
robocache_mcap_session_set_seqnum (RobocacheMcapSession *session, guint32 seqnum)
{
  GST_OBJECT_LOCK (session->element);
  session->segment_seqnum = seqnum;
  GST_OBJECT_UNLOCK (session->element);
}

/* ---- statistics ---- */

GstStructure *
robocache_mcap_session_statistics (const RobocacheMcapSession *session)
{
  GstStructure *stats = gst_structure_new_empty (GST_OBJECT_NAME (gst_element_get_factory (session->element)));
  RobocacheMcapCounts total = { 0 };
  GValue topics = G_VALUE_INIT;

  g_value_init (&topics, GST_TYPE_ARRAY);
  for (guint i = 0; i < session->topics->len; i++) {
    const RobocacheMcapTopic *topic = g_ptr_array_index (session->topics, i);
    GstStructure *structure = gst_structure_new ("topic", "topic", G_TYPE_STRING, topic->name, "type", G_TYPE_STRING, topic->type, NULL);
    GValue value = G_VALUE_INIT;

    robocache_mcap_counts_to_structure (&topic->counts, structure);
    robocache_mcap_counts_add (&total, &topic->counts);
    g_value_init (&value, GST_TYPE_STRUCTURE);
    g_value_take_boxed (&value, structure);
    gst_value_array_append_and_take_value (&topics, &value);
  }
  robocache_mcap_counts_to_structure (&total, stats);
  gst_structure_take_value (stats, "topics", &topics);
  if (session->clocks_text)
    gst_structure_set (stats, "clocks", G_TYPE_STRING, session->clocks_text, NULL);
  return stats;
}

void
robocache_mcap_session_note_position (RobocacheMcapSession *session, guint64 pts)
{
  GstStructure *stats = NULL;

  GST_OBJECT_LOCK (session->element);
  session->segment.position = MAX (session->segment.position, pts);
  if (session->timer.interval > 0
      && robocache_statistics_timer_due (&session->timer, gst_segment_to_running_time (&session->segment, GST_FORMAT_TIME, pts)))
    stats = robocache_mcap_session_statistics (session);
  GST_OBJECT_UNLOCK (session->element);
  if (stats)
    robocache_statistics_post (session->element, stats);
}
