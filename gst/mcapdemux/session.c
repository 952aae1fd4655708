/* robocache: one recording on its way through its element: its topics, streams and origin
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session.h"

#include <string.h>

#include "common/ros/messageencoders.h"

GST_DEBUG_CATEGORY (robocache_mcap_demux_debug);
#define GST_CAT_DEFAULT robocache_mcap_demux_debug

/* Log time between two looks at silent streams (ns). */
#define ADVANCE_INTERVAL (GST_SECOND / 10)
/* Log time for which rows are collected, so that slow streams do not delay others. */
#define MAX_COLLECTING (GST_SECOND)
/* Of robocachemcapmux. */
#define RECORDING_METADATA "robocache.recording"

/* Sequence numbers of a channel since the last seek. */
typedef struct
{
  guint32 first, last;
  guint64 n;
} Sequence;

/* ---- life ---- */

RobocacheMcapSession *
robocache_mcap_session_new (GstElement *element, GstPadTemplate *template, RobocacheMcapDemuxSettings *settings)
{
  RobocacheMcapSession *session = g_new0 (RobocacheMcapSession, 1);

  session->element = element;
  session->template = template;
  session->settings = *settings;
  *settings = (RobocacheMcapDemuxSettings) { 0 };
  session->topics = g_ptr_array_new_with_free_func ((GDestroyNotify) robocache_mcap_topic_free);
  session->by_channel = g_ptr_array_new ();
  session->unchosen = g_new0 (RobocacheMcapTopic, 1);
  session->outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) robocache_mcap_output_free);
  session->flows = gst_flow_combiner_new ();
  session->group_id = gst_util_group_id_next ();
  gst_segment_init (&session->segment, GST_FORMAT_TIME);
  session->segment_seqnum = gst_util_seqnum_next ();
  session->duration = GST_CLOCK_TIME_NONE;
  session->origin_ns = session->settings.time_origin;
  if (session->origin_ns == ROBOCACHE_MCAP_NO_ORIGIN && session->settings.start == ROBOCACHE_MCAP_START_KEEP)
    session->origin_ns = 0;
  session->oldest_row = G_MAXUINT64;
  session->is_origin_set = session->origin_ns != ROBOCACHE_MCAP_NO_ORIGIN;
  session->sequences = g_array_new (FALSE, TRUE, sizeof (Sequence));
  session->timer.interval = session->settings.stats_interval;
  robocache_statistics_timer_reset (&session->timer);
  return session;
}

void
robocache_mcap_session_free (RobocacheMcapSession *session)
{
  gst_flow_combiner_free (session->flows);
  for (guint i = 0; i < session->outputs->len; i++) {
    RobocacheMcapOutput *output = g_ptr_array_index (session->outputs, i);

    if (output->pad)
      gst_element_remove_pad (session->element, output->pad);
  }
  g_ptr_array_unref (session->outputs);
  g_ptr_array_unref (session->by_channel);
  g_ptr_array_unref (session->topics);
  robocache_mcap_topic_free (session->unchosen);
  g_array_unref (session->sequences);
  robocache_mcap_demux_settings_clear (&session->settings);
  g_free (session);
}

/* ---- metadata ---- */

void
robocache_mcap_session_note_metadata (RobocacheMcapSession *session, const gchar *name, GHashTable *metadata)
{
  const gchar *text = g_strcmp0 (name, RECORDING_METADATA) == 0 ? g_hash_table_lookup (metadata, "time-origin") : NULL;
  gint64 origin_ns;

  if (!text || session->origin_ns != ROBOCACHE_MCAP_NO_ORIGIN
      || !g_ascii_string_to_signed (text, 10, G_MININT64 + 1, G_MAXINT64, &origin_ns, NULL))
    return;
  GST_INFO_OBJECT (session->element, "running time 0 is %" G_GINT64_FORMAT, origin_ns);
  session->origin_ns = origin_ns;
  session->is_origin_set = TRUE;
}

/* ---- topics ---- */

/* A warning where the topic was asked for. */
static void
report_fault (RobocacheMcapSession *session, RobocacheMcapTopic *topic)
{
  const gchar *type = *topic->type ? topic->type : "unknown";

  topic->has_reported = TRUE;
  if (session->settings.topics && *session->settings.topics)
    GST_ELEMENT_WARNING (session->element, STREAM, DECODE, ("%s of type %s cannot be read: %s", topic->name, type, topic->fault), (NULL));
  else
    GST_ELEMENT_INFO (session->element, STREAM, DECODE, ("%s of type %s cannot be read: %s", topic->name, type, topic->fault), (NULL));
}

/* The stream is then read without what they add. */
static void
check_noted_caps (RobocacheMcapSession *session, const RobocacheMcapTopic *topic)
{
  GstCaps *caps = topic->noted_caps ? robocache_ros_read_noted_caps (topic->noted_caps) : NULL;

  if (topic->noted_caps && !caps)
    GST_ELEMENT_WARNING (session->element, STREAM, FORMAT, ("the caps noted for %s cannot be read: its stream has those of its messages",
            topic->name), ("%s", topic->noted_caps));
  gst_clear_caps (&caps);
}

static void
log_skipped (RobocacheMcapSession *session, const RobocacheMcapTopic *topic)
{
  const gchar *const *skipped = topic->decoder ? robocache_ros_decoder_skipped (topic->decoder) : NULL;
  gchar *list = skipped && *skipped ? g_strjoinv (", ", (gchar **) skipped) : NULL;

  if (list)
    GST_INFO_OBJECT (session->element, "%s of type %s: left out %s", topic->name, topic->type, list);
  g_free (list);
}

/* The topic of a channel that is chosen, an old one if it has it. */
static RobocacheMcapTopic *
find_topic (RobocacheMcapSession *session, const RobocacheMcapChannelInfo *channel, guint order)
{
  const RobocacheMcapSchemaInfo *schema = robocache_mcap_definitions_schema (session->definitions, channel->schema_id);
  RobocacheMcapTopic *topic;

  for (guint i = 0; i < session->topics->len; i++) {
    topic = g_ptr_array_index (session->topics, i);
    if (robocache_mcap_topic_has (topic, channel, schema))
      return topic;
  }
  topic = robocache_mcap_topic_new (channel, schema, &session->settings, order);
  if (topic->fault)
    report_fault (session, topic);
  check_noted_caps (session, topic);
  log_skipped (session, topic);
  GST_OBJECT_LOCK (session->element);
  g_ptr_array_add (session->topics, topic);
  GST_OBJECT_UNLOCK (session->element);
  return topic;
}

static RobocacheMcapTopic *
choose_topic (RobocacheMcapSession *session, guint16 channel_id)
{
  const RobocacheMcapChannelInfo *channel = robocache_mcap_definitions_channel (session->definitions, channel_id);
  gint order;

  if (!channel)
    return NULL;
  order = robocache_mcap_topics_find (session->settings.topics, channel->topic);
  return order < 0 ? session->unchosen : find_topic (session, channel, (guint) order);
}

RobocacheMcapTopic *
robocache_mcap_session_topic (RobocacheMcapSession *session, guint16 channel_id)
{
  RobocacheMcapTopic *topic = channel_id < session->by_channel->len ? g_ptr_array_index (session->by_channel, channel_id) : NULL;

  if (!topic) {
    topic = choose_topic (session, channel_id);
    if (!topic)
      return NULL;
    if (channel_id >= session->by_channel->len)
      g_ptr_array_set_size (session->by_channel, channel_id + 1);
    session->by_channel->pdata[channel_id] = topic;
  }
  return topic == session->unchosen ? NULL : topic;
}

/* ---- messages ---- */

static void
report_malformed (RobocacheMcapSession *session, RobocacheMcapTopic *topic, const RobocacheMcapMessage *message, GError *error)
{
  gchar *what = g_utf8_make_valid (error->message, -1);
  gchar *text = g_strdup_printf ("message %u of %s, type %s, log time %" G_GUINT64_FORMAT ", is lost: %s", message->sequence, topic->name,
      topic->type, message->log_time, what);

  GST_OBJECT_LOCK (session->element);
  topic->counts.malformed++;
  GST_OBJECT_UNLOCK (session->element);
  GST_INFO_OBJECT (session->element, "%s", text);
  if (!topic->has_reported)
    GST_ELEMENT_WARNING (session->element, STREAM, DECODE, ("%s", text), ("Further ones are counted in stats."));
  topic->has_reported = TRUE;
  g_free (text);
  g_free (what);
  g_error_free (error);
}

/* The samples of a message; NULL: it has none, or an error. */
static GArray *
decode (RobocacheMcapTopic *topic, const RobocacheMcapMessage *message, GError **error)
{
  if (topic->decoder)
    return robocache_ros_decoder_run (topic->decoder, message->data.data, message->data.size, error);
  if (topic->camera)
    robocache_camera_info_read (topic->camera, message->data.data, message->data.size, error);
  return NULL;
}

static gboolean
are_pictures (const GstCaps *caps)
{
  const gchar *name = gst_structure_get_name (gst_caps_get_structure (caps, 0));

  return g_str_has_prefix (name, "video/") || g_str_has_prefix (name, "image/");
}

/* Fields of the camera that a stream's pictures are from; NULL: none is known. */
static const GstStructure *
camera_of (const RobocacheMcapSession *session, const RobocacheMcapTopic *topic, const GstCaps *caps)
{
  for (guint i = 0; i < session->topics->len; i++) {
    const RobocacheMcapTopic *info = g_ptr_array_index (session->topics, i);

    if (info->camera && robocache_camera_info_is_of (info->name, topic->name))
      return are_pictures (caps) ? robocache_camera_info_fields (info->camera) : NULL;
  }
  return NULL;
}

/* Channels of one name are one stream: a writer begins another one where caps change. */
static RobocacheMcapOutput *
find_output (RobocacheMcapSession *session, RobocacheMcapTopic *topic, const gchar *key)
{
  RobocacheMcapOutput *output;

  for (guint i = 0; i < session->outputs->len; i++) {
    output = g_ptr_array_index (session->outputs, i);
    if (output->topic->name == topic->name && g_str_equal (output->key, key))
      return output;
  }
  output = robocache_mcap_output_new (topic, key, session->settings.block_rows);
  g_ptr_array_add (session->outputs, output);
  return output;
}

static gint64
time_of_sample (RobocacheMcapSession *session, const RobocacheMcapMessage *message, const RobocacheRosSample *sample,
    gboolean *from_stamp)
{
  const RobocacheMcapTimes times = { sample->stamp_ns, message->log_time, message->publish_time };
  const gint64 time = robocache_mcap_time_of_capture (session->settings.time_source, &times, from_stamp);
  const gint64 lag = robocache_mcap_time_difference (robocache_mcap_time_signed (message->log_time), time);

  session->max_lag_ns = MAX (session->max_lag_ns, lag == G_MININT64 ? G_MAXINT64 : ABS (lag));
  return time;
}

void
robocache_mcap_session_scan (RobocacheMcapSession *session, const RobocacheMcapMessage *message)
{
  RobocacheMcapTopic *topic = robocache_mcap_session_topic (session, message->channel_id);
  /* what cannot be read is reported when the message is handled */
  GArray *samples = topic ? decode (topic, message, NULL) : NULL;

  for (guint i = 0; samples && i < samples->len; i++) {
    const RobocacheRosSample *sample = &g_array_index (samples, RobocacheRosSample, i);
    gboolean from_stamp;
    const gint64 time = time_of_sample (session, message, sample, &from_stamp);
    RobocacheMcapOutput *output = find_output (session, topic, sample->key);

    topic->has_stream = TRUE;
    /* those of a later channel of that name come with its messages */
    if (output->topic == topic)
      robocache_mcap_output_update (output, sample, camera_of (session, topic, sample->caps));
    if (!session->is_origin_set && (session->origin_ns == ROBOCACHE_MCAP_NO_ORIGIN || time < session->origin_ns))
      session->origin_ns = time;
  }
}

/* ---- pads ---- */

static RobocacheMcapOutputContext
output_context (const RobocacheMcapSession *session)
{
  const gboolean is_set = session->settings.time_origin != ROBOCACHE_MCAP_NO_ORIGIN
      || session->settings.start == ROBOCACHE_MCAP_START_KEEP;

  return (RobocacheMcapOutputContext) {session->element, session->group_id, &session->segment, session->segment_seqnum,
        session->settings.start == ROBOCACHE_MCAP_START_OWN && !is_set ? ROBOCACHE_MCAP_NO_ORIGIN : session->origin_ns, !is_set};
}

static void
expose (RobocacheMcapSession *session, RobocacheMcapOutput *output)
{
  const RobocacheMcapOutputContext context = output_context (session);

  if (session->has_no_more_pads)
    GST_INFO_OBJECT (session->element, "%s has a new stream \"%s\"", output->topic->name, output->key);
  robocache_mcap_output_expose (output, &context, session->template, session->n_pads++);
  gst_flow_combiner_add_pad (session->flows, output->pad);
  gst_element_add_pad (session->element, output->pad);
}

static gint
compare_outputs (gconstpointer a, gconstpointer b)
{
  const RobocacheMcapTopic *s = (*(RobocacheMcapOutput * const *) a)->topic, *t = (*(RobocacheMcapOutput * const *) b)->topic;

  if (s->order != t->order)
    return s->order < t->order ? -1 : 1;
  return (gint) s->channel_id - (gint) t->channel_id;
}

void
robocache_mcap_session_expose (RobocacheMcapSession *session)
{
  /* stable, so that the streams of a topic keep their order */
  g_ptr_array_sort (session->outputs, compare_outputs);
  for (guint i = 0; i < session->outputs->len; i++) {
    RobocacheMcapOutput *output = g_ptr_array_index (session->outputs, i);

    if (output->pad)
      continue;
    /* its calibration may have come after the picture */
    robocache_mcap_output_set_camera (output, camera_of (session, output->topic, output->decoded_caps));
    expose (session, output);
  }
  if (session->outputs->len > 0)
    robocache_mcap_session_no_more_pads (session);
}

void
robocache_mcap_session_send_headers (RobocacheMcapSession *session)
{
  const RobocacheMcapOutputContext context = output_context (session);

  for (guint i = 0; i < session->outputs->len; i++) {
    RobocacheMcapOutput *output = g_ptr_array_index (session->outputs, i);

    if (output->pad)
      robocache_mcap_output_send_headers (output, &context);
  }
}

static gboolean
has_pad_of (const RobocacheMcapSession *session, const gchar *name)
{
  for (guint i = 0; i < session->outputs->len; i++) {
    const RobocacheMcapOutput *output = g_ptr_array_index (session->outputs, i);

    if (output->pad && g_str_equal (output->topic->name, name))
      return !robocache_mcap_topic_has_several_streams (output->topic);
  }
  return FALSE;
}

/* Each topic of the setting is named without a glob, and has all pads that it can have. */
static gboolean
has_all_chosen_pads (const RobocacheMcapSession *session)
{
  gchar **names = g_strsplit (session->settings.topics ? session->settings.topics : "", ",", -1);
  guint n_names = 0;
  gboolean has_all = TRUE;

  for (guint i = 0; names[i] && has_all; i++) {
    const gchar *name = g_strstrip (names[i]);

    has_all = *name == '\0' || (strpbrk (name, "*?") == NULL && has_pad_of (session, name));
    n_names += *name != '\0';
  }
  g_strfreev (names);
  return has_all && n_names > 0;
}

/* Names in the setting that no topic has; a glob may match none. */
static void
warn_of_missing_topics (RobocacheMcapSession *session)
{
  gchar **names = g_strsplit (session->settings.topics ? session->settings.topics : "", ",", -1);

  for (guint i = 0; names[i]; i++) {
    const gchar *name = g_strstrip (names[i]);
    gboolean is_there = *name == '\0' || strpbrk (name, "*?") != NULL;

    for (guint t = 0; t < session->topics->len && !is_there; t++)
      is_there = g_str_equal (((RobocacheMcapTopic *) g_ptr_array_index (session->topics, t))->name, name);
    if (!is_there)
      GST_ELEMENT_WARNING (session->element, STREAM, WRONG_TYPE, ("the recording has no topic %s", name), (NULL));
  }
  g_strfreev (names);
}

void
robocache_mcap_session_no_more_pads (RobocacheMcapSession *session)
{
  if (session->has_no_more_pads)
    return;
  session->has_no_more_pads = TRUE;
  if (session->topics->len > 0)
    warn_of_missing_topics (session);
  gst_element_no_more_pads (session->element);
}

/* ---- buffers ---- */

static void
count_sequence (RobocacheMcapSession *session, RobocacheMcapTopic *topic, const RobocacheMcapMessage *message)
{
  Sequence *sequence;

  if (message->channel_id >= session->sequences->len)
    g_array_set_size (session->sequences, message->channel_id + 1u);
  sequence = &g_array_index (session->sequences, Sequence, message->channel_id);
  if (sequence->n == 0)
    sequence->first = sequence->last = message->sequence;
  if (message->sequence > sequence->last) {
    topic->counts.missing += message->sequence - sequence->last - 1;
    sequence->last = message->sequence;
  } else if (sequence->n > 0 && message->sequence > sequence->first && topic->counts.missing > 0) {
    /* it came after one that was sent later */
    topic->counts.missing--;
  }
  sequence->n++;
}

static void
report_time (RobocacheMcapSession *session, RobocacheMcapTopic *topic, const RobocacheMcapMessage *message)
{
  const gboolean is_publish_time = message->publish_time != 0 && message->publish_time != message->log_time;

  if (topic->has_reported_time || session->settings.time_source != ROBOCACHE_MCAP_TIME_AUTO)
    return;
  topic->has_reported_time = TRUE;
  GST_ELEMENT_INFO (session->element, STREAM, FORMAT, ("messages of %s have no stamp: their times are %s times", topic->name,
          is_publish_time ? "publish" : "log"), ("time-source chooses the time."));
}

static void
drop_before_origin (RobocacheMcapSession *session, RobocacheMcapTopic *topic, RobocacheMcapOutput *output, gint64 time)
{
  GST_OBJECT_LOCK (session->element);
  topic->counts.before_origin++;
  GST_OBJECT_UNLOCK (session->element);
  output->needs_discont = TRUE;
  if (session->warned_before_origin++ == 0)
    GST_ELEMENT_WARNING (session->element, STREAM, FORMAT, ("a message of %s is dropped: its time %" G_GINT64_FORMAT " is %"
            G_GINT64_FORMAT " ns before running time 0", output->topic->name, time,
            robocache_mcap_time_difference (session->origin_ns, time)), ("Set time-origin to an earlier time to send it."));
}

/* Times of rows come after the stamp, and go on the timeline of PTS. */
static void
shift_row_times (GstBuffer *buffer, guint64 pts)
{
  GstMemory *memory = gst_buffer_peek_memory (buffer, gst_buffer_n_memory (buffer) - 1);
  GstMapInfo map;

  if (!gst_memory_map (memory, &map, GST_MAP_READWRITE))
    return;
  for (gsize i = 0; i + sizeof (guint64) <= map.size; i += sizeof (guint64)) {
    guint64 time;

    memcpy (&time, map.data + i, sizeof (time));
    time += pts;
    memcpy (map.data + i, &time, sizeof (time));
  }
  gst_memory_unmap (memory, &map);
}

/* Posts statistics when they are due. */
static void
note_position (RobocacheMcapSession *session, guint64 pts)
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

static void
add_timestamp (GstBuffer *buffer, GstStaticCaps *clock, guint64 time)
{
  GstCaps *caps = gst_static_caps_get (clock);

  gst_buffer_add_reference_timestamp_meta (buffer, caps, time, GST_CLOCK_TIME_NONE);
  gst_caps_unref (caps);
}

/* Times on the recording's clock: of capture, and of arrival. */
static void
add_timestamps (GstBuffer *buffer, gint64 time, guint64 log_time)
{
  static GstStaticCaps unix_clock = GST_STATIC_CAPS ("timestamp/x-unix");
  static GstStaticCaps arrival = GST_STATIC_CAPS ("timestamp/x-robocache-arrival");

  if (time >= 0)
    add_timestamp (buffer, &unix_clock, (guint64) time);
  add_timestamp (buffer, &arrival, log_time);
}

static GstFlowReturn
send_sample (RobocacheMcapSession *session, RobocacheMcapOutput *output, RobocacheRosSample *sample, gint64 time, guint64 log_time)
{
  const gint64 since_origin = robocache_mcap_time_difference (time, session->origin_ns);
  const RobocacheMcapOutputContext context = output_context (session);
  GstBuffer *buffer = sample->buffer ? g_steal_pointer (&sample->buffer) : gst_buffer_new_memdup (sample->row, sample->row_bytes);
  GstFlowReturn ret;

  add_timestamps (buffer, time, log_time);
  GST_BUFFER_PTS (buffer) = (guint64) since_origin;
  if (sample->has_row_times)
    shift_row_times (buffer, (guint64) since_origin);
  note_position (session, (guint64) since_origin);
  ret = robocache_mcap_output_push (output, &context, buffer);
  return gst_flow_combiner_update_pad_flow (session->flows, output->pad, ret);
}

/* ---- collected rows ---- */

static GstFlowReturn
push_rows (RobocacheMcapSession *session, RobocacheMcapOutput *output)
{
  if (!robocache_mcap_output_has_rows (output))
    return GST_FLOW_OK;
  GST_OBJECT_LOCK (session->element);
  output->block_topic->counts.buffers++;
  GST_OBJECT_UNLOCK (session->element);
  return gst_flow_combiner_update_pad_flow (session->flows, output->pad, robocache_mcap_output_push_rows (output));
}

static gboolean
is_old (const RobocacheMcapOutput *output, guint64 log_time)
{
  return log_time > output->block_log_time && log_time - output->block_log_time > MAX_COLLECTING;
}

/* Pushes rows that were collected for too long, or all. */
static GstFlowReturn
push_old_rows (RobocacheMcapSession *session, guint64 log_time, gboolean all)
{
  GstFlowReturn ret = GST_FLOW_OK;

  session->oldest_row = G_MAXUINT64;
  for (guint i = 0; i < session->outputs->len; i++) {
    RobocacheMcapOutput *output = g_ptr_array_index (session->outputs, i);

    if (ret == GST_FLOW_OK && (all || is_old (output, log_time)))
      ret = push_rows (session, output);
    if (robocache_mcap_output_has_rows (output))
      session->oldest_row = MIN (session->oldest_row, output->block_log_time);
  }
  return ret;
}

static GstFlowReturn
push_due_rows (RobocacheMcapSession *session, guint64 log_time)
{
  const gboolean has_other_rows = session->has_other_rows;

  session->has_other_rows = FALSE;
  if (has_other_rows || (log_time > session->oldest_row && log_time - session->oldest_row > MAX_COLLECTING))
    return push_old_rows (session, log_time, has_other_rows);
  return GST_FLOW_OK;
}

static GstFlowReturn
collect_row (RobocacheMcapSession *session, RobocacheMcapTopic *topic, RobocacheMcapOutput *output, const RobocacheRosSample *sample,
    const RobocacheMcapMessage *message, guint64 since_origin)
{
  const RobocacheMcapOutputContext context = output_context (session);

  if (!robocache_mcap_output_has_rows (output)) {
    output->block_topic = topic;
    output->block_log_time = message->log_time;
    session->oldest_row = MIN (session->oldest_row, message->log_time);
  }
  robocache_mcap_output_collect (output, &context, sample, since_origin);
  note_position (session, since_origin);
  return robocache_row_block_is_full (output->block) ? push_rows (session, output) : GST_FLOW_OK;
}

/* ---- samples ---- */

static GstFlowReturn
handle_sample (RobocacheMcapSession *session, RobocacheMcapTopic *topic, const RobocacheMcapMessage *message, RobocacheRosSample *sample)
{
  RobocacheMcapOutput *output = find_output (session, topic, sample->key);
  const GstStructure *camera;
  GstFlowReturn ret;
  gboolean from_stamp;
  const gint64 time = time_of_sample (session, message, sample, &from_stamp);

  if (!from_stamp) {
    GST_OBJECT_LOCK (session->element);
    topic->counts.without_stamp++;
    GST_OBJECT_UNLOCK (session->element);
    report_time (session, topic, message);
  }
  if (session->origin_ns == ROBOCACHE_MCAP_NO_ORIGIN)
    session->origin_ns = time;
  if (time < session->origin_ns) {
    drop_before_origin (session, topic, output, time);
    return GST_FLOW_OK;
  }
  camera = camera_of (session, topic, sample->caps);
  if (output->needs_discont || !robocache_mcap_output_continues (output, sample, camera)) {
    ret = push_rows (session, output);
    if (ret != GST_FLOW_OK)
      return ret;
    robocache_mcap_output_update (output, sample, camera);
  }
  if (!output->pad) {
    expose (session, output);
    if (has_all_chosen_pads (session))
      robocache_mcap_session_no_more_pads (session);
  }
  if (output->block)
    return collect_row (session, topic, output, sample, message, (guint64) robocache_mcap_time_difference (time, session->origin_ns));
  GST_OBJECT_LOCK (session->element);
  topic->counts.buffers++;
  GST_OBJECT_UNLOCK (session->element);
  return send_sample (session, output, sample, time, message->log_time);
}

/* Streams that are silent for longer than transport takes will not bring a buffer of that time. */
static GstFlowReturn
advance (RobocacheMcapSession *session, guint64 log_time)
{
  RobocacheMcapOutputContext context;
  GstFlowReturn ret = GST_FLOW_OK;
  gint64 arrived, until;

  if (session->origin_ns == ROBOCACHE_MCAP_NO_ORIGIN || (log_time >= session->advanced_to
          && log_time - session->advanced_to < ADVANCE_INTERVAL))
    return GST_FLOW_OK;
  session->advanced_to = log_time;
  context = output_context (session);
  arrived = robocache_mcap_time_difference (robocache_mcap_time_signed (log_time), (gint64) session->settings.max_transport);
  until = robocache_mcap_time_difference (arrived, session->origin_ns);
  for (guint i = 0; until > 0 && i < session->outputs->len && ret == GST_FLOW_OK; i++) {
    RobocacheMcapOutput *output = g_ptr_array_index (session->outputs, i);

    if (!output->pad || !robocache_mcap_output_is_behind (output, &context, (guint64) until))
      continue;
    ret = push_rows (session, output);
    robocache_mcap_output_advance (output, &context, (guint64) until);
  }
  return ret;
}

GstFlowReturn
robocache_mcap_session_handle (RobocacheMcapSession *session, const RobocacheMcapMessage *message)
{
  RobocacheMcapTopic *topic = robocache_mcap_session_topic (session, message->channel_id);
  GstFlowReturn ret = GST_FLOW_OK;
  GError *error = NULL;
  GArray *samples;

  if (!topic)
    return GST_FLOW_OK;
  GST_OBJECT_LOCK (session->element);
  topic->counts.messages++;
  topic->counts.malformed += topic->fault != NULL;
  count_sequence (session, topic, message);
  GST_OBJECT_UNLOCK (session->element);
  ret = push_due_rows (session, message->log_time);
  samples = decode (topic, message, &error);
  if (error)
    report_malformed (session, topic, message, error);
  for (guint i = 0; samples && i < samples->len && ret == GST_FLOW_OK; i++)
    ret = handle_sample (session, topic, message, &g_array_index (samples, RobocacheRosSample, i));
  return ret == GST_FLOW_OK ? advance (session, message->log_time) : ret;
}

/* ---- segments and events ---- */

/* Rows of a segment that is flushed are gone; before another one they are sent as soon as the thread runs. */
static void
leave_rows (RobocacheMcapSession *session, gboolean is_flushed)
{
  for (guint i = 0; i < session->outputs->len && is_flushed; i++)
    robocache_mcap_output_discard_rows (g_ptr_array_index (session->outputs, i));
  session->has_other_rows = !is_flushed;
  session->oldest_row = G_MAXUINT64;
}

void
robocache_mcap_session_restart (RobocacheMcapSession *session, const GstSegment *segment, guint32 seqnum, gboolean is_flushed)
{
  GST_OBJECT_LOCK (session->element);
  session->segment = *segment;
  session->segment_seqnum = seqnum;
  GST_OBJECT_UNLOCK (session->element);
  for (guint i = 0; i < session->outputs->len; i++)
    robocache_mcap_output_restart (g_ptr_array_index (session->outputs, i));
  leave_rows (session, is_flushed);
  gst_flow_combiner_reset (session->flows);
  g_array_set_size (session->sequences, 0);
  session->advanced_to = 0;
}

void
robocache_mcap_session_push_rows (RobocacheMcapSession *session)
{
  push_old_rows (session, 0, TRUE);
}

void
robocache_mcap_session_send (RobocacheMcapSession *session, GstEvent *event)
{
  const RobocacheMcapOutputContext context = output_context (session);

  robocache_mcap_session_push_rows (session);
  for (guint i = 0; i < session->outputs->len; i++) {
    RobocacheMcapOutput *output = g_ptr_array_index (session->outputs, i);

    if (!output->pad)
      continue;
    robocache_mcap_output_send_headers (output, &context);
    gst_pad_push_event (output->pad, gst_event_ref (event));
  }
  gst_event_unref (event);
}

/* Topics of the recording, "/a, /b". */
static gchar *
list_topics (const RobocacheMcapSession *session)
{
  GString *list = g_string_new (NULL);

  for (guint i = 0; i < session->topics->len; i++)
    g_string_append_printf (list, "%s%s", i ? ", " : "", ((RobocacheMcapTopic *) g_ptr_array_index (session->topics, i))->name);
  return g_string_free (list, FALSE);
}

gboolean
robocache_mcap_session_check_end (RobocacheMcapSession *session)
{
  gchar *list;

  for (guint i = 0; i < session->outputs->len; i++) {
    if (((RobocacheMcapOutput *) g_ptr_array_index (session->outputs, i))->pad)
      return TRUE;
  }
  list = list_topics (session);
  if (session->topics->len == 0)
    GST_ELEMENT_ERROR (session->element, STREAM, WRONG_TYPE, ("the recording has no topic that topics=\"%s\" chooses",
            session->settings.topics ? session->settings.topics : ""), (NULL));
  else
    GST_ELEMENT_ERROR (session->element, STREAM, DECODE, ("the recording has no message that can be read of %s", list), (NULL));
  g_free (list);
  return FALSE;
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
  return stats;
}
