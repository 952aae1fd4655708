/* robocache: a recording with random access
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "pullinput.h"

#include "clockreading.h"


/* Messages that are scanned before the first one is sent, to find streams and origin. */
#define MAX_SCANNED_BYTES ((guint64) 64 << 20)
/* Before the last arrival: messages in which the ends of streams are looked for. */
#define END_WINDOW (GST_SECOND / 2)
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

/* What a fault means: nothing where the element flushes, or the application ends the recording. Takes the error. */
static GstFlowReturn
fail (RobocacheMcapPullInput *input, GError *error)
{
  GstFlowReturn ret = input->opener.reason (input->opener.user_data);

  GST_CAT_INFO_OBJECT (input->session->category, input->session->element, "the recording cannot be read, %s: %s", gst_flow_get_name (ret),
      error->message);
  /* without streams there is nothing that could end */
  if (ret == GST_FLOW_EOS && !robocache_mcap_session_has_pads (input->session))
    ret = GST_FLOW_ERROR;
  if (ret == GST_FLOW_ERROR)
    robocache_mcap_session_post_error (input->session, error);
  g_error_free (error);
  return ret;
}

static void
warn (RobocacheMcapPullInput *input, GError *error)
{
  GST_ELEMENT_WARNING (input->session->element, STREAM, DECODE, ("%s", error->message), ("The data after it are read."));
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

/* Channels of which a first message is sought. */
typedef struct
{
  guint8 *is_sought, *n_tries;  /* by id */
  guint n;
} Sought;

static Sought
sought_new (const GArray *ids)
{
  Sought sought = { g_new0 (guint8, G_MAXUINT16 + 1), g_new0 (guint8, G_MAXUINT16 + 1), ids->len };

  for (guint i = 0; i < ids->len; i++)
    sought.is_sought[g_array_index (ids, guint16, i)] = TRUE;
  return sought;
}

static void
sought_clear (Sought *sought)
{
  g_free (sought->is_sought);
  g_free (sought->n_tries);
}

static void
forget (Sought *sought, guint16 id)
{
  sought->n -= sought->is_sought[id];
  sought->is_sought[id] = FALSE;
}

/* Reads the next message, past damaged ones, which are reported when they are played. FALSE: the end, or a fault, after which *ret is
 * not OK. */
static gboolean
read_to_scan (RobocacheMcapPullInput *input, RobocacheMcapMessage *message, GstFlowReturn *ret)
{
  RobocacheMcapReadResult result;
  GError *error = NULL;

  do {
    g_clear_error (&error);
    result = robocache_bag_next (input->bag, message, &error);
  } while (result == ROBOCACHE_MCAP_READ_DAMAGED);
  *ret = result == ROBOCACHE_MCAP_READ_FAILED ? fail (input, error) : GST_FLOW_OK;
  return result == ROBOCACHE_MCAP_READ_MESSAGE;
}

/* Looks at a message of a channel that is still sought. */
static void
scan_message (RobocacheMcapPullInput *input, Sought *sought, const RobocacheMcapMessage *message)
{
  RobocacheMcapTopic *topic;

  if (!sought->is_sought[message->channel_id])
    return;
  robocache_mcap_session_scan (input->session, message);
  topic = robocache_mcap_session_topic (input->session, message->channel_id);
  /* a calibration gives no stream */
  if (topic->camera || (topic->has_stream && !topic->awaits_stamp && !robocache_mcap_topic_has_several_streams (topic)))
    forget (sought, message->channel_id);
}

/* The messages of the time that transport takes at most, until all channels are seen. */
static GstFlowReturn
scan_beginning (RobocacheMcapPullInput *input, Sought *sought)
{
  const guint64 window = input->session->settings.max_transport;
  guint64 first_time = 0, n_bytes = 0;
  gboolean has_first = FALSE;
  RobocacheMcapMessage message;
  GstFlowReturn ret = GST_FLOW_OK;

  while (sought->n > 0 && n_bytes < MAX_SCANNED_BYTES && read_to_scan (input, &message, &ret)) {
    if (!has_first)
      first_time = message.log_time;
    has_first = TRUE;
    if (message.log_time - first_time > window)
      break;
    n_bytes += message.data.size;
    scan_message (input, sought, &message);
  }
  return ret;
}

/* Reads channels that are still sought alone, from a log time on. */
static void
select_sought (RobocacheMcapPullInput *input, const Sought *sought, const GArray *chosen, guint64 log_time)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (guint16));

  for (guint i = 0; i < chosen->len; i++) {
    const guint16 id = g_array_index (chosen, guint16, i);

    if (sought->is_sought[id])
      g_array_append_val (ids, id);
  }
  robocache_bag_select (input->bag, (const guint16 *) (gpointer) ids->data, ids->len);
  robocache_bag_seek (input->bag, log_time);
  g_array_unref (ids);
}

/* Topics that have a stream now, even if more streams come later. */
static void
forget_seen (RobocacheMcapPullInput *input, Sought *sought, const GArray *chosen)
{
  for (guint i = 0; i < chosen->len; i++) {
    const guint16 id = g_array_index (chosen, guint16, i);

    if (robocache_mcap_session_topic (input->session, id)->has_stream)
      forget (sought, id);
  }
}

static void
try_late_message (RobocacheMcapPullInput *input, Sought *sought, const RobocacheMcapMessage *message)
{
  const guint16 id = message->channel_id;

  if (!sought->is_sought[id])
    return;
  robocache_mcap_session_scan (input->session, message);
  if (robocache_mcap_session_topic (input->session, id)->has_stream || ++sought->n_tries[id] >= MAX_FIRST_MESSAGES)
    forget (sought, id);
}

/* The first messages of channels that begin later, until one gives a stream: in one pass, which leaves out more channels from time to time. */
static GstFlowReturn
scan_late_channels (RobocacheMcapPullInput *input, Sought *sought, const GArray *chosen)
{
  guint n_selected = 0;
  guint64 log_time = 0;
  RobocacheMcapMessage message;
  GstFlowReturn ret = GST_FLOW_OK;

  forget_seen (input, sought, chosen);
  while (sought->n > 0) {
    if (n_selected == 0 || sought->n <= n_selected / 2) {
      select_sought (input, sought, chosen, log_time);
      n_selected = sought->n;
      GST_CAT_DEBUG_OBJECT (input->session->category, input->session->element, "%u channels are sought from log time %" G_GUINT64_FORMAT " on",
          n_selected, log_time);
    }
    if (!read_to_scan (input, &message, &ret))
      break;
    log_time = message.log_time;
    try_late_message (input, sought, &message);
  }
  return ret;
}

/* The last messages, from which the end of the last sample is known. */
static GstFlowReturn
scan_end (RobocacheMcapPullInput *input, guint64 end_time, RobocacheMcapEnd *end)
{
  const guint64 window = MIN (END_WINDOW + (guint64) MAX (input->session->max_lag_ns, 0), input->session->settings.max_transport
      + END_WINDOW);
  guint64 n_bytes = 0;
  RobocacheMcapMessage message;
  GstFlowReturn ret = GST_FLOW_OK;

  robocache_bag_seek (input->bag, end_time > window ? end_time - window : 0);
  while (n_bytes < MAX_SCANNED_BYTES && read_to_scan (input, &message, &ret)) {
    n_bytes += message.data.size;
    robocache_mcap_end_add (end, &message);
  }
  return ret;
}

/* The duration ends with the last sample; where none was read with the last arrival. */
static GstFlowReturn
set_duration (RobocacheMcapPullInput *input)
{
  RobocacheMcapSession *session = input->session;
  RobocacheMcapEnd *end;
  GstFlowReturn ret;
  guint64 end_time;
  gint64 end_ns;

  if (!robocache_bag_get_end_time (input->bag, &end_time) || session->origin_ns == ROBOCACHE_MCAP_NO_ORIGIN)
    return GST_FLOW_OK;
  end = robocache_mcap_end_new (session->definitions, &session->settings, &session->clocks);
  ret = scan_end (input, end_time, end);
  if (!robocache_mcap_end_get (end, &end_ns))
    end_ns = robocache_mcap_session_arrival (session, end_time);
  robocache_mcap_end_free (end);
  end_ns = robocache_mcap_time_difference (end_ns, session->origin_ns);
  GST_OBJECT_LOCK (session->element);
  session->duration = (GstClockTime) MAX (end_ns, 0);
  session->segment.duration = session->duration;
  GST_OBJECT_UNLOCK (session->element);
  GST_CAT_INFO_OBJECT (session->category, session->element, "running time 0 is %" G_GINT64_FORMAT " ns, the duration is %" GST_TIME_FORMAT,
      session->origin_ns, GST_TIME_ARGS (session->duration));
  return ret;
}

static GstFlowReturn
scan (RobocacheMcapPullInput *input)
{
  GArray *chosen = list_channels (input);
  Sought sought = sought_new (chosen);
  GstFlowReturn ret;

  if (chosen->len > 0)
    robocache_bag_select (input->bag, (const guint16 *) (gpointer) chosen->data, chosen->len);
  robocache_bag_seek (input->bag, 0);
  ret = scan_beginning (input, &sought);
  GST_CAT_DEBUG_OBJECT (input->session->category, input->session->element, "%u of %u channels have no message at the beginning", sought.n, chosen->len);
  if (ret == GST_FLOW_OK)
    ret = scan_late_channels (input, &sought, chosen);
  if (chosen->len > 0)
    robocache_bag_select (input->bag, (const guint16 *) (gpointer) chosen->data, chosen->len);
  sought_clear (&sought);
  g_array_unref (chosen);
  return ret;
}

/* Before the first message is decoded. */
static gboolean
find_clocks (RobocacheMcapPullInput *input, GError **error)
{
  RobocacheTimeline timeline;
  gboolean survey;
  GArray *chosen;

  if (!robocache_mcap_session_read_clocks (input->session, &survey, &timeline, error))
    return FALSE;
  if (!survey)
    return TRUE;
  chosen = list_channels (input);
  if (chosen->len > 0) {
    robocache_bag_select (input->bag, (const guint16 *) (gpointer) chosen->data, chosen->len);
    robocache_mcap_find_clocks (input->session, input->bag, chosen, timeline);
  }
  g_array_unref (chosen);
  return TRUE;
}

static void
warn_of_faults (RobocacheMcapPullInput *input)
{
  const GPtrArray *warnings = robocache_bag_get_warnings (input->bag);

  for (guint i = 0; i < warnings->len; i++)
    robocache_mcap_session_warn (input->session, g_ptr_array_index (warnings, i));
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
  if (!find_clocks (input, &error))
    return fail (input, error);
  ret = scan (input);
  if (ret != GST_FLOW_OK)
    return ret;
  if (input->session->topics->len == 0 && !robocache_mcap_session_check_end (input->session))
    return GST_FLOW_ERROR;
  warn_of_faults (input);
  robocache_mcap_session_expose (input->session);
  ret = set_duration (input);
  if (ret != GST_FLOW_OK)
    return ret;
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

/* A time of the segment as a time of capture. */
static gint64
absolute_time (const RobocacheMcapSession *session, guint64 time)
{
  return session->origin_ns > G_MAXINT64 - (gint64) MIN (time, G_MAXINT64) ? G_MAXINT64 : session->origin_ns + (gint64) MIN (time, G_MAXINT64);
}

/* A log time as the recording has them, from a time of the segment and a margin before it. */
static guint64
log_time_of (const RobocacheMcapSession *session, guint64 time, gint64 margin)
{
  return robocache_mcap_session_log_time (session, robocache_mcap_time_difference (absolute_time (session, time), margin));
}

/* A message is sought that was captured at a time or before; of video a key frame. */
typedef struct
{
  const RobocacheMcapSession *session;
  const RobocacheMcapTopic *topic;
  gint64 latest_ns;
} Earlier;

static gboolean
is_early_enough (gpointer user_data, const RobocacheMcapMessage *message)
{
  const Earlier *earlier = user_data;
  GArray *samples = robocache_ros_decoder_run (earlier->topic->decoder, message->data.data, message->data.size, NULL);

  for (guint i = 0; samples && i < samples->len; i++) {
    const RobocacheRosSample *sample = &g_array_index (samples, RobocacheRosSample, i);
    const RobocacheMcapTimes times = { sample->stamp_ns, message->log_time, message->publish_time };
    gboolean from_stamp;

    if ((sample->buffer == NULL || !GST_BUFFER_FLAG_IS_SET (sample->buffer, GST_BUFFER_FLAG_DELTA_UNIT))
        && robocache_mcap_time_of_capture (earlier->session->settings.time_source, &earlier->session->clocks, earlier->topic->name, &times,
            &from_stamp) <= earlier->latest_ns)
      return TRUE;
  }
  return FALSE;
}

static gboolean
is_video (const RobocacheRosOutput *output)
{
  const gchar *name = gst_structure_get_name (gst_caps_get_structure (output->caps, 0));

  return g_str_has_prefix (name, "video/x-h26");
}

/* Where a message is in the recording. */
typedef struct
{
  guint64 log_time;
  guint16 channel_id;
} Place;

/* The place of a stream's last message that was captured up to the beginning of the segment, in any channel of its topic; for video, of its last
 * key frame. The message may arrive up to margin after its capture. FALSE: no such message. */
static gboolean
find_earlier (RobocacheMcapPullInput *input, const RobocacheRosOutput *output, gint64 margin, Place *place)
{
  RobocacheMcapSession *session = input->session;
  const RobocacheMcapDefinitions *definitions = robocache_bag_get_definitions (input->bag);
  const RobocacheMcapTopic *topic = output->topic;
  const guint64 latest = log_time_of (session, session->segment.position, -margin);
  Earlier earlier = { session, topic, MAX (absolute_time (session, session->segment.position), 0) };
  const RobocacheMcapChannelInfo *channel;
  gboolean has_found = FALSE;
  guint64 log_time;

  if (!output->pad || !output->caps || !topic->decoder)
    return FALSE;
  for (guint id = 0; (channel = robocache_mcap_definitions_next_channel (definitions, id)) != NULL; id = channel->id + 1u) {
    if (robocache_mcap_session_topic (session, channel->id) != topic
        || !robocache_bag_find_back (input->bag, channel->id, latest, is_early_enough, &earlier, &log_time)
        || (has_found && log_time <= place->log_time))
      continue;
    *place = (Place) {log_time, channel->id};
    has_found = TRUE;
  }
  if (has_found)
    GST_CAT_DEBUG_OBJECT (session->category, output->pad, "the last %s before the segment has log time %" G_GUINT64_FORMAT " in channel %u",
        is_video (output) ? "key frame" : "message", place->log_time, place->channel_id);
  return has_found;
}

/* The earliest of video's last key frames; at most `from`. */
static guint64
find_key_frames (RobocacheMcapPullInput *input, guint64 from, gint64 margin)
{
  const RobocacheMcapSession *session = input->session;
  guint64 earliest = from;
  Place found;

  for (guint i = 0; i < session->outputs->len; i++) {
    const RobocacheRosOutput *output = g_ptr_array_index (session->outputs, i);

    if (output->pad && output->caps && is_video (output) && find_earlier (input, output, margin, &found))
      earliest = MIN (earliest, found.log_time);
  }
  return earliest;
}

static GstFlowReturn
send_message_at (RobocacheMcapPullInput *input, const Place *place)
{
  RobocacheMcapMessage message;
  GError *error = NULL;

  robocache_bag_select (input->bag, &place->channel_id, 1);
  robocache_bag_seek (input->bag, place->log_time);
  switch (robocache_bag_next (input->bag, &message, &error)) {
    case ROBOCACHE_MCAP_READ_MESSAGE:
      return robocache_mcap_session_handle (input->session, &message);
    case ROBOCACHE_MCAP_READ_DAMAGED:
      warn (input, error);
      return GST_FLOW_OK;
    case ROBOCACHE_MCAP_READ_FAILED:
      return fail (input, error);
    default:
      return GST_FLOW_OK;
  }
}

/* Sends each stream's message that is valid at the beginning of the segment, if it is before `from`; all messages from there on are sent. */
static GstFlowReturn
send_messages_in_force (RobocacheMcapPullInput *input, guint64 from, gint64 margin)
{
  const RobocacheMcapSession *session = input->session;
  GArray *chosen = list_channels (input);
  GstFlowReturn ret = GST_FLOW_OK;
  Place found;

  for (guint i = 0; i < session->outputs->len && ret == GST_FLOW_OK; i++) {
    const RobocacheRosOutput *output = g_ptr_array_index (session->outputs, i);

    if (output->pad && output->caps && !is_video (output) && find_earlier (input, output, margin, &found) && found.log_time < from)
      ret = send_message_at (input, &found);
  }
  /* no message is lost between these and the next ones */
  g_array_set_size (session->sequences, 0);
  if (chosen->len > 0)
    robocache_bag_select (input->bag, (const guint16 *) (gpointer) chosen->data, chosen->len);
  g_array_unref (chosen);
  return ret;
}

static GstFlowReturn
seek (RobocacheMcapPullInput *input)
{
  const RobocacheMcapSession *session = input->session;
  const gint64 margin = MIN (session->max_lag_ns, (gint64) session->settings.max_transport);
  guint64 from = log_time_of (session, session->segment.position, margin);
  GstFlowReturn ret = GST_FLOW_OK;

  input->needs_seek = FALSE;
  /* all of the beginning is to be sent */
  if (session->segment.position == 0)
    from = 0;
  else
    from = find_key_frames (input, from, margin);
  GST_CAT_DEBUG_OBJECT (session->category, session->element, "segment %" GST_SEGMENT_FORMAT " is read from log time %" G_GUINT64_FORMAT
      ": messages arrive up to %" G_GINT64_FORMAT " ns after their capture", &session->segment, from, margin);
  if (from > 0)
    ret = send_messages_in_force (input, from, margin);
  robocache_bag_seek (input->bag, from);
  return ret;
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
  GstFlowReturn ret;

  if (!input->bag)
    return open_recording (input);
  if (input->needs_seek && (ret = seek (input)) != GST_FLOW_OK)
    return ret;
  switch (robocache_bag_next (input->bag, &message, &error)) {
    case ROBOCACHE_MCAP_READ_MESSAGE:
      if (is_behind_segment (input->session, &message)) {
        GST_CAT_DEBUG_OBJECT (input->session->category, input->session->element, "log time %" G_GUINT64_FORMAT " is after the segment",
            message.log_time);
        return GST_FLOW_EOS;
      }
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
