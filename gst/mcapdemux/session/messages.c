/* robocache: messages of a recording: decoded, and sent as buffers of their streams
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session.h"

#include <string.h>

/* Log time between two checks of silent streams (ns). */
#define ADVANCE_INTERVAL (GST_SECOND / 10)

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
  GST_CAT_LOG_OBJECT (session->category, session->element, "%s", text);
  if (!topic->has_reported)
    GST_ELEMENT_WARNING (session->element, STREAM, DECODE, ("%s", text), ("Further ones are counted in stats."));
  topic->has_reported = TRUE;
  if (!topic->first_loss)
    topic->first_loss = g_steal_pointer (&what);
  g_free (text);
  g_free (what);
  g_error_free (error);
}

/* The samples of a message; NULL: it has none, or an error. */
static GArray *
decode (RobocacheMcapTopic *topic, const RobocacheMcapMessage *message, GError **error)
{
  gconstpointer data = message->data.data;
  gsize size = message->data.size;

  if (topic->decoder)
    return robocache_ros_decoder_run (topic->decoder, data, size, error);
  if (topic->camera && robocache_transcoder_run (topic->camera_transcoder, &data, &size, error))
    robocache_camera_info_read (topic->camera, data, size, error);
  return NULL;
}

static void
report_notes (RobocacheMcapSession *session, RobocacheMcapTopic *topic)
{
  const gchar *note;

  for (; topic->decoder && (note = robocache_ros_decoder_note (topic->decoder, topic->n_reported_notes)); topic->n_reported_notes++)
    GST_ELEMENT_INFO (session->element, STREAM, FORMAT, ("%s: %s", topic->name, note), (NULL));
}

static gint64
time_of_sample (RobocacheMcapSession *session, const RobocacheMcapTopic *topic, const RobocacheMcapMessage *message,
    const RobocacheRosSample *sample, gboolean *from_stamp)
{
  const RobocacheMcapTimes times = { sample->stamp_ns, message->log_time, message->publish_time };
  const gint64 time = robocache_mcap_time_of_capture (session->settings.time_source, &session->clocks, topic->name, &times, from_stamp);
  const gint64 lag = robocache_mcap_time_difference (robocache_mcap_session_arrival (session, message->log_time), time);

  session->max_lag_ns = MAX (session->max_lag_ns, lag == G_MININT64 ? G_MAXINT64 : ABS (lag));
  return time;
}

static void
take_into_origin (RobocacheMcapSession *session, gint64 time)
{
  if (!session->is_origin_set && (session->origin_ns == ROBOCACHE_MCAP_NO_ORIGIN || time < session->origin_ns))
    session->origin_ns = time;
}

/* A stamp of 0 waits for the next one. */
static void
judge_zeros (RobocacheMcapSession *session, RobocacheMcapTopic *topic, const RobocacheMcapMessage *message, const RobocacheRosSample *sample)
{
  const gint64 log_ns = robocache_mcap_time_signed (message->log_time);

  if (sample->stamp_ns == ROBOCACHE_ROS_NO_TIME) {
    topic->awaits_stamp = robocache_ros_decoder_has_stamps (topic->decoder) && session->settings.time_source == ROBOCACHE_MCAP_TIME_AUTO
        && !session->clocks.map;
    topic->zero_log_time = message->log_time;
  } else if (topic->awaits_stamp) {
    topic->awaits_stamp = FALSE;
    if (robocache_clock_continues_from_zero (robocache_mcap_time_signed (topic->zero_log_time), sample->stamp_ns, log_ns)) {
      g_hash_table_add (session->clocks.zeros, topic->name);
      take_into_origin (session, 0);
      GST_CAT_INFO_OBJECT (session->category, session->element, "stamps of 0 of %s are times: the next one is %" G_GINT64_FORMAT " ns", topic->name,
          sample->stamp_ns);
    }
  }
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
    const gint64 time = time_of_sample (session, topic, message, sample, &from_stamp);
    RobocacheRosOutput *output = robocache_mcap_session_find_output (session, topic, sample->key);

    topic->has_stream = TRUE;
    /* those of a later channel of that name come with its messages */
    if (output->topic == topic)
      robocache_ros_output_update (output, sample, robocache_mcap_session_camera_of (session, topic, sample->caps));
    take_into_origin (session, time);
    judge_zeros (session, topic, message, sample);
  }
  /* those of a large message would stay until the next one */
  if (samples)
    g_array_set_size (samples, 0);
}

static void
count_sequence (RobocacheMcapSession *session, RobocacheMcapTopic *topic, const RobocacheMcapMessage *message)
{
  RobocacheMcapSequence *sequence;

  if (message->channel_id >= session->sequences->len)
    g_array_set_size (session->sequences, message->channel_id + 1u);
  sequence = &g_array_index (session->sequences, RobocacheMcapSequence, message->channel_id);
  if (sequence->n == 0)
    sequence->first = sequence->last = message->sequence;
  if (message->sequence > sequence->last) {
    if (message->sequence - sequence->last > 1)
      GST_CAT_LOG_OBJECT (session->category, session->element, "%s: sequence numbers %u to %u are not in the recording", topic->name,
          sequence->last + 1, message->sequence - 1);
    topic->counts.missing += message->sequence - sequence->last - 1;
    sequence->last = message->sequence;
  } else if (sequence->n > 0 && message->sequence > sequence->first && topic->counts.missing > 0) {
    /* it came after one that was sent later */
    topic->counts.missing--;
  }
  sequence->n++;
}

/* ---- buffers ---- */

static void
report_time (RobocacheMcapSession *session, RobocacheMcapTopic *topic, const RobocacheMcapMessage *message)
{
  const gboolean is_publish_time = message->publish_time != 0 && message->publish_time != message->log_time;

  if (topic->has_reported_time || session->settings.time_source != ROBOCACHE_MCAP_TIME_AUTO)
    return;
  /* those whose stamp could be another one are counted first, to the end */
  if (robocache_ros_decoder_has_stamps (topic->decoder) && message->log_time != 0) {
    topic->n_zero_stamps++;
    return;
  }
  topic->has_reported_time = TRUE;
  GST_ELEMENT_INFO (session->element, STREAM, FORMAT, ("messages of %s have no stamp: their times are %s times", topic->name,
          is_publish_time ? "publish" : "log"), ("time-source chooses the time."));
}

static void
drop_before_origin (RobocacheMcapSession *session, RobocacheMcapTopic *topic, RobocacheRosOutput *output, gint64 time)
{
  GST_OBJECT_LOCK (session->element);
  topic->counts.before_origin++;
  GST_OBJECT_UNLOCK (session->element);
  output->needs_discont = TRUE;
  GST_CAT_LOG_OBJECT (session->category, session->element, "a message of %s is dropped: its time %" G_GINT64_FORMAT " is %" G_GINT64_FORMAT
      " ns before running time 0", output->name, time, robocache_mcap_time_difference (session->origin_ns, time));
  if (session->warned_before_origin++ == 0)
    GST_ELEMENT_WARNING (session->element, STREAM, FORMAT, ("a message of %s is dropped: its time %" G_GINT64_FORMAT " is %"
            G_GINT64_FORMAT " ns before running time 0", output->name, time,
            robocache_mcap_time_difference (session->origin_ns, time)), ("Set time-origin to an earlier time to send it."));
}

static GstFlowReturn
send_sample (RobocacheMcapSession *session, RobocacheRosOutput *output, RobocacheRosSample *sample, gint64 time, guint64 log_time)
{
  const gint64 since_origin = robocache_mcap_time_difference (time, session->origin_ns);
  const RobocacheRosOutputContext context = robocache_mcap_session_output_context (session);
  const gint64 arrival_ns = GST_CLOCK_TIME_IS_VALID (log_time) ? robocache_mcap_time_signed (log_time) : -1;
  GstBuffer *buffer = robocache_ros_output_make_buffer (sample, (guint64) since_origin, time, arrival_ns);
  GstFlowReturn ret;

  robocache_mcap_session_note_position (session, (guint64) since_origin);
  ret = robocache_ros_output_push (output, &context, buffer);
  return gst_flow_combiner_update_pad_flow (session->flows, output->pad, ret);
}

/* ---- samples ---- */

/* A sink drops what begins at the end of the segment or later. */
static gboolean
is_behind_stop (const RobocacheMcapSession *session, gint64 since_origin)
{
  const GstSegment *segment = &session->segment;
  const guint64 pts = (guint64) since_origin;

  return GST_CLOCK_TIME_IS_VALID (segment->stop) && (pts > segment->stop || (pts == segment->stop && segment->start != segment->stop));
}

static GstFlowReturn
handle_sample (RobocacheMcapSession *session, RobocacheMcapTopic *topic, const RobocacheMcapMessage *message, RobocacheRosSample *sample)
{
  RobocacheRosOutput *output = robocache_mcap_session_find_output (session, topic, sample->key);
  const GstStructure *camera;
  GstFlowReturn ret;
  gboolean from_stamp;
  const gint64 time = time_of_sample (session, topic, message, sample, &from_stamp);

  if (!from_stamp) {
    GST_OBJECT_LOCK (session->element);
    topic->counts.without_stamp++;
    GST_OBJECT_UNLOCK (session->element);
    report_time (session, topic, message);
  }
  if (session->origin_ns == ROBOCACHE_MCAP_NO_ORIGIN) {
    GST_CAT_INFO_OBJECT (session->category, session->element, "running time 0 is %" G_GINT64_FORMAT " ns, the time of the first message, of %s",
        time, topic->name);
    session->origin_ns = time;
  }
  if (time < session->origin_ns) {
    drop_before_origin (session, topic, output, time);
    return GST_FLOW_OK;
  }
  if (is_behind_stop (session, robocache_mcap_time_difference (time, session->origin_ns))) {
    GST_CAT_LOG_OBJECT (session->category, session->element, "a message of %s is left out: its time %" G_GINT64_FORMAT " is after the segment",
        topic->name, time);
    return GST_FLOW_OK;
  }
  camera = robocache_mcap_session_camera_of (session, topic, sample->caps);
  if (output->needs_discont || !robocache_ros_output_continues (output, sample, camera)) {
    ret = robocache_mcap_session_push_rows_of (session, output);
    if (ret != GST_FLOW_OK)
      return ret;
    robocache_ros_output_update (output, sample, camera);
  }
  if (!output->pad)
    robocache_mcap_session_expose_late (session, output);
  if (output->block)
    return robocache_mcap_session_collect_row (session, topic, output, sample, message,
        (guint64) robocache_mcap_time_difference (time, session->origin_ns));
  GST_OBJECT_LOCK (session->element);
  topic->counts.buffers++;
  GST_OBJECT_UNLOCK (session->element);
  return send_sample (session, output, sample, time, message->log_time);
}

/* ---- the next message ---- */

/* Streams that are silent for longer than transport takes will not bring a buffer of that time. */
static GstFlowReturn
advance (RobocacheMcapSession *session, guint64 log_time)
{
  RobocacheRosOutputContext context;
  GstFlowReturn ret = GST_FLOW_OK;
  gint64 arrived, until;

  if (session->origin_ns == ROBOCACHE_MCAP_NO_ORIGIN || (log_time >= session->advanced_to
          && log_time - session->advanced_to < ADVANCE_INTERVAL))
    return GST_FLOW_OK;
  session->advanced_to = log_time;
  context = robocache_mcap_session_output_context (session);
  arrived = robocache_mcap_time_difference (robocache_mcap_session_arrival (session, log_time), (gint64) session->settings.max_transport);
  until = robocache_mcap_time_difference (arrived, session->origin_ns);
  if (GST_CLOCK_TIME_IS_VALID (session->segment.stop))
    until = MIN (until, (gint64) session->segment.stop);
  for (guint i = 0; until > 0 && i < session->outputs->len && ret == GST_FLOW_OK; i++) {
    RobocacheRosOutput *output = g_ptr_array_index (session->outputs, i);

    if (!output->pad || !robocache_ros_output_is_behind (output, &context, (guint64) until))
      continue;
    ret = robocache_mcap_session_push_rows_of (session, output);
    robocache_ros_output_advance (output, &context, (guint64) until);
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

  if (!topic) {
    robocache_mcap_session_warn_of_undefined (session, message->channel_id);
    return GST_FLOW_OK;
  }
  GST_OBJECT_LOCK (session->element);
  topic->counts.messages++;
  topic->counts.malformed += topic->fault != NULL;
  count_sequence (session, topic, message);
  GST_OBJECT_UNLOCK (session->element);
  ret = robocache_mcap_session_push_due_rows (session, message->log_time);
  samples = decode (topic, message, &error);
  report_notes (session, topic);
  if (error)
    report_malformed (session, topic, message, error);
  for (guint i = 0; samples && i < samples->len && ret == GST_FLOW_OK; i++)
    ret = handle_sample (session, topic, message, &g_array_index (samples, RobocacheRosSample, i));
  /* a time that no clock has would announce silence for ever */
  return ret == GST_FLOW_OK && message->log_time <= G_MAXINT64 ? advance (session, message->log_time) : ret;
}
