/* robocache: a recording with random access
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "pullinput.h"

GST_DEBUG_CATEGORY_EXTERN (robocache_mcap_demux_debug);
#define GST_CAT_DEFAULT robocache_mcap_demux_debug

/* Messages that are looked at before the first is sent, to find streams and origin. */
#define MAX_SCANNED_BYTES ((guint64) 64 << 20)
/* Of a channel, until one can be decoded. */
#define MAX_FIRST_MESSAGES 100

struct _RobocacheMcapPullInput
{
  RobocacheMcapSession *session;
  RobocacheMcapOpener opener;
  RobocacheBag *bag;            /* NULL: not open yet */
  gboolean needs_seek;
};

RobocacheMcapPullInput *
robocache_mcap_pull_input_new (RobocacheMcapSession *session, const RobocacheMcapOpener *opener)
{
  RobocacheMcapPullInput *input = g_new0 (RobocacheMcapPullInput, 1);

  input->session = session;
  input->opener = *opener;
  return input;
}

void
robocache_mcap_pull_input_free (RobocacheMcapPullInput *input)
{
  g_clear_pointer (&input->bag, robocache_bag_free);
  g_free (input);
}

/* What a fault means: nothing where the element flushes. Takes the error. */
static GstFlowReturn
fail (RobocacheMcapPullInput *input, GError *error)
{
  const GstFlowReturn ret = input->opener.is_flushing (input->opener.user_data) ? GST_FLOW_FLUSHING : GST_FLOW_ERROR;
  const gboolean is_of_gst = error->domain == GST_RESOURCE_ERROR || error->domain == GST_STREAM_ERROR;

  if (ret == GST_FLOW_ERROR)
    gst_element_message_full (input->session->element, GST_MESSAGE_ERROR, is_of_gst ? error->domain : GST_STREAM_ERROR,
        is_of_gst ? error->code : GST_STREAM_ERROR_DECODE, g_strdup (error->message), NULL, __FILE__, GST_FUNCTION, __LINE__);
  g_error_free (error);
  return ret;
}

static void
warn (RobocacheMcapPullInput *input, GError *error)
{
  GST_ELEMENT_WARNING (input->session->element, STREAM, DECODE, ("%s", error->message), ("What is behind it is read."));
  g_error_free (error);
}

/* ---- the first look ---- */

static void
note_metadata (gpointer session, const gchar *name, GHashTable *metadata)
{
  robocache_mcap_session_note_metadata (session, name, metadata);
}

/* Channels of topics that are chosen and can be read. */
static GArray *
list_channels (RobocacheMcapPullInput *input)
{
  const RobocacheMcapDefinitions *definitions = robocache_bag_get_definitions (input->bag);
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (guint16));
  const RobocacheMcapChannelInfo *channel;

  for (guint id = 0; (channel = robocache_mcap_definitions_next_channel (definitions, id)) != NULL; id = channel->id + 1u) {
    const RobocacheMcapTopic *topic = robocache_mcap_session_topic (input->session, channel->id);

    if (topic && !topic->fault)
      g_array_append_val (ids, channel->id);
  }
  return ids;
}

static void
forget (GArray *ids, guint16 id)
{
  for (guint i = 0; i < ids->len; i++) {
    if (g_array_index (ids, guint16, i) == id) {
      g_array_remove_index_fast (ids, i);
      return;
    }
  }
}

static gboolean
has_id (const GArray *ids, guint16 id)
{
  for (guint i = 0; i < ids->len; i++) {
    if (g_array_index (ids, guint16, i) == id)
      return TRUE;
  }
  return FALSE;
}

/* Looks at a message of a channel that is still sought. */
static void
scan_message (RobocacheMcapPullInput *input, GArray *sought, const RobocacheMcapMessage *message)
{
  RobocacheMcapTopic *topic;

  if (!has_id (sought, message->channel_id))
    return;
  robocache_mcap_session_scan (input->session, message);
  topic = robocache_mcap_session_topic (input->session, message->channel_id);
  /* a calibration gives no stream */
  if (topic->camera || (topic->has_stream && !robocache_mcap_topic_has_several_streams (topic)))
    forget (sought, message->channel_id);
}

/* The messages of the time that transport takes at most, until all channels are seen. */
static GstFlowReturn
scan_beginning (RobocacheMcapPullInput *input, GArray *sought)
{
  const guint64 window = input->session->settings.max_transport;
  guint64 first_time = 0, n_bytes = 0;
  gboolean has_first = FALSE;

  while (sought->len > 0 && n_bytes < MAX_SCANNED_BYTES) {
    RobocacheMcapMessage message;
    GError *error = NULL;
    const RobocacheMcapReadResult result = robocache_bag_next (input->bag, &message, &error);

    if (result == ROBOCACHE_MCAP_READ_END)
      break;
    if (result == ROBOCACHE_MCAP_READ_FAILED)
      return fail (input, error);
    g_clear_error (&error);
    if (result == ROBOCACHE_MCAP_READ_DAMAGED)
      continue;
    if (!has_first)
      first_time = message.log_time;
    has_first = TRUE;
    if (message.log_time - first_time > window)
      break;
    n_bytes += message.data.size;
    scan_message (input, sought, &message);
  }
  return GST_FLOW_OK;
}

/* The first messages of a channel that begins later, until one gives a stream. */
static GstFlowReturn
scan_late_channel (RobocacheMcapPullInput *input, guint16 id)
{
  const RobocacheMcapTopic *topic = robocache_mcap_session_topic (input->session, id);

  robocache_bag_select (input->bag, &id, 1);
  robocache_bag_seek (input->bag, 0);
  for (guint i = 0; i < MAX_FIRST_MESSAGES && !topic->has_stream; i++) {
    RobocacheMcapMessage message;
    GError *error = NULL;
    const RobocacheMcapReadResult result = robocache_bag_next (input->bag, &message, &error);

    if (result == ROBOCACHE_MCAP_READ_FAILED)
      return fail (input, error);
    g_clear_error (&error);
    if (result == ROBOCACHE_MCAP_READ_END)
      break;
    if (result == ROBOCACHE_MCAP_READ_MESSAGE)
      robocache_mcap_session_scan (input->session, &message);
  }
  return GST_FLOW_OK;
}

static GstFlowReturn
scan_late_channels (RobocacheMcapPullInput *input, GArray *sought)
{
  GstFlowReturn ret = GST_FLOW_OK;

  for (guint i = 0; i < sought->len && ret == GST_FLOW_OK; i++)
    ret = scan_late_channel (input, g_array_index (sought, guint16, i));
  return ret;
}

static void
set_duration (RobocacheMcapPullInput *input)
{
  RobocacheMcapSession *session = input->session;
  guint64 end_time;
  gint64 end;

  if (!robocache_bag_get_end_time (input->bag, &end_time) || session->origin_ns == ROBOCACHE_MCAP_NO_ORIGIN)
    return;
  end = robocache_mcap_time_difference (robocache_mcap_time_signed (end_time), session->origin_ns);
  GST_OBJECT_LOCK (session->element);
  session->duration = (GstClockTime) MAX (end, 0);
  session->segment.duration = session->duration;
  GST_OBJECT_UNLOCK (session->element);
}

static GstFlowReturn
scan (RobocacheMcapPullInput *input)
{
  GArray *chosen = list_channels (input), *sought = g_array_copy (chosen);
  GstFlowReturn ret;

  if (chosen->len > 0)
    robocache_bag_select (input->bag, (const guint16 *) (gpointer) chosen->data, chosen->len);
  robocache_bag_seek (input->bag, 0);
  ret = scan_beginning (input, sought);
  if (ret == GST_FLOW_OK)
    ret = scan_late_channels (input, sought);
  if (chosen->len > 0)
    robocache_bag_select (input->bag, (const guint16 *) (gpointer) chosen->data, chosen->len);
  g_array_unref (sought);
  g_array_unref (chosen);
  return ret;
}

static GstFlowReturn
open_recording (RobocacheMcapPullInput *input)
{
  GError *error = NULL;
  GstFlowReturn ret;

  input->bag = input->opener.open (input->opener.user_data, &error);
  if (!input->bag)
    return fail (input, error);
  input->session->definitions = robocache_bag_get_definitions (input->bag);
  robocache_bag_read_metadata (input->bag, note_metadata, input->session);
  ret = scan (input);
  if (ret != GST_FLOW_OK)
    return ret;
  if (input->session->topics->len == 0 && !robocache_mcap_session_check_end (input->session))
    return GST_FLOW_ERROR;
  robocache_mcap_session_expose (input->session);
  set_duration (input);
  robocache_mcap_session_send_headers (input->session);
  input->needs_seek = TRUE;
  return GST_FLOW_OK;
}

/* ---- seeks ---- */

void
robocache_mcap_pull_input_seek (RobocacheMcapPullInput *input)
{
  input->needs_seek = TRUE;
}

/* A log time as the recording has them, from a time of the segment and a margin before it. */
static guint64
log_time_of (const RobocacheMcapSession *session, guint64 time, gint64 margin)
{
  const gint64 absolute = session->origin_ns > G_MAXINT64 - (gint64) MIN (time, G_MAXINT64) ? G_MAXINT64
      : session->origin_ns + (gint64) MIN (time, G_MAXINT64);
  const gint64 log_time = robocache_mcap_time_difference (absolute, margin);

  return (guint64) MAX (log_time, 0);
}

/* A key frame is sought that was captured at a time or before. */
typedef struct
{
  const RobocacheMcapSession *session;
  RobocacheRosDecoder *decoder;
  gint64 latest_ns;
} KeyFrame;

static gboolean
is_key_message (gpointer user_data, const RobocacheMcapMessage *message)
{
  const KeyFrame *sought = user_data;
  GArray *samples = robocache_ros_decoder_run (sought->decoder, message->data.data, message->data.size, NULL);

  for (guint i = 0; samples && i < samples->len; i++) {
    const RobocacheRosSample *sample = &g_array_index (samples, RobocacheRosSample, i);
    const RobocacheMcapTimes times = { sample->stamp_ns, message->log_time, message->publish_time };
    gboolean from_stamp;

    if (!GST_BUFFER_FLAG_IS_SET (sample->buffer, GST_BUFFER_FLAG_DELTA_UNIT)
        && robocache_mcap_time_of_capture (sought->session->settings.time_source, &times, &from_stamp) <= sought->latest_ns)
      return TRUE;
  }
  return FALSE;
}

static gboolean
is_video (const RobocacheMcapOutput *output)
{
  const gchar *name = gst_structure_get_name (gst_caps_get_structure (output->caps, 0));

  return g_str_has_prefix (name, "video/x-h26");
}

/* The log time of the last key frame of each video stream up to the beginning of the segment, the earliest of them; at most `from`. Key
 * frames may arrive up to margin after their capture. */
static guint64
find_key_frames (RobocacheMcapPullInput *input, guint64 from, gint64 margin)
{
  const RobocacheMcapSession *session = input->session;
  const guint64 target = log_time_of (session, session->segment.position, 0);
  const guint64 log_time = log_time_of (session, session->segment.position, -margin);
  guint64 earliest = from;

  for (guint i = 0; i < session->outputs->len; i++) {
    const RobocacheMcapOutput *output = g_ptr_array_index (session->outputs, i);
    KeyFrame sought = { session, output->topic->decoder, robocache_mcap_time_signed (target) };
    guint64 found;

    if (output->pad && output->caps && is_video (output) && sought.decoder
        && robocache_bag_find_back (input->bag, output->topic->channel_id, log_time, is_key_message, &sought, &found))
      earliest = MIN (earliest, found);
  }
  return earliest;
}

static void
seek (RobocacheMcapPullInput *input)
{
  const RobocacheMcapSession *session = input->session;
  const gint64 margin = MIN (session->max_lag_ns, (gint64) session->settings.max_transport);
  guint64 from = log_time_of (session, session->segment.position, margin);

  /* all of the beginning is to be sent */
  if (session->segment.position == 0)
    from = 0;
  else
    from = find_key_frames (input, from, margin);
  GST_DEBUG_OBJECT (session->element, "segment %" GST_SEGMENT_FORMAT " from log time %" G_GUINT64_FORMAT, &session->segment, from);
  robocache_bag_seek (input->bag, from);
  input->needs_seek = FALSE;
}

/* ---- messages ---- */

static gboolean
is_behind_segment (const RobocacheMcapSession *session, const RobocacheMcapMessage *message)
{
  return GST_CLOCK_TIME_IS_VALID (session->segment.stop)
      && message->log_time > log_time_of (session, session->segment.stop, -(gint64) session->settings.max_transport);
}

GstFlowReturn
robocache_mcap_pull_input_run (RobocacheMcapPullInput *input)
{
  RobocacheMcapMessage message;
  GError *error = NULL;

  if (!input->bag)
    return open_recording (input);
  if (input->needs_seek)
    seek (input);
  switch (robocache_bag_next (input->bag, &message, &error)) {
    case ROBOCACHE_MCAP_READ_MESSAGE:
      if (is_behind_segment (input->session, &message))
        return GST_FLOW_EOS;
      return robocache_mcap_session_handle (input->session, &message);
    case ROBOCACHE_MCAP_READ_DAMAGED:
      warn (input, error);
      return GST_FLOW_OK;
    case ROBOCACHE_MCAP_READ_FAILED:
      return fail (input, error);
    default:
      return GST_FLOW_EOS;
  }
}
