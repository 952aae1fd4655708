/* robocache: live messages, decoded and sent as buffers of their streams
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/ros/cdr.h"
#include "common/ros/messageencoders.h"
#include "session.h"

/* Messages that arrive this long after running time 0, and were captured before it, come from another clock. */
#define MAX_LAG GST_SECOND

/* ---- counts ---- */

static void
count (RobocacheRosSession *session, guint64 *counter)
{
  GST_OBJECT_LOCK (session->element);
  (*counter)++;
  GST_OBJECT_UNLOCK (session->element);
}

static void
report_malformed (RobocacheRosSession *session, RobocacheRosTopic *topic, const RobocacheDdsMessage *message, GError *error)
{
  gchar *what = g_utf8_make_valid (error->message, -1);
  gchar *text = g_strdup_printf ("message %" G_GUINT64_FORMAT " of %s, type %s, is lost: %s", message->sequence, topic->name, topic->type, what);

  count (session, &topic->counts.malformed);
  GST_CAT_LOG_OBJECT (session->category, session->element, "%s", text);
  if (!topic->has_reported)
    GST_ELEMENT_WARNING (session->element, STREAM, DECODE, ("%s", text), ("Further ones are counted in stats."));
  topic->has_reported = TRUE;
  g_free (text);
  g_free (what);
  g_error_free (error);
}

static void
drop_without_time (RobocacheRosSession *session, RobocacheRosTopic *topic, const gchar *why)
{
  count (session, &topic->counts.without_time);
  robocache_ros_session_interrupt (session, topic);
  GST_CAT_LOG_OBJECT (session->category, session->element, "a message of %s is dropped: %s", topic->name, why);
  if (!topic->has_reported_time)
    GST_ELEMENT_WARNING (session->element, STREAM, FORMAT, ("a message of %s is dropped: %s", topic->name, why),
        ("time-source and time-fallback choose other times; further messages are counted in stats."));
  topic->has_reported_time = TRUE;
}

static void
drop_before_origin (RobocacheRosSession *session, RobocacheRosTopic *topic, gint64 time, gint64 arrival_ns)
{
  const gint64 early = session->mapping.origin_ns - time;

  count (session, &topic->counts.before_origin);
  robocache_ros_session_interrupt (session, topic);
  GST_CAT_LOG_OBJECT (session->category, session->element, "a message of %s is dropped: its time is %" G_GINT64_FORMAT " ns before running time 0",
      topic->name, early);
  if (arrival_ns - session->mapping.origin_ns > (gint64) MAX_LAG && session->warned_before_origin++ == 0)
    GST_ELEMENT_WARNING (session->element, STREAM, FORMAT, ("a message of %s is dropped: its time is %" G_GINT64_FORMAT
            " ns before running time 0", topic->name, early), ("Set time-origin to an earlier time to send it."));
}

/* ---- samples ---- */

static const GstStructure *
camera_of (const RobocacheRosSession *session, const RobocacheRosTopic *topic, const GstCaps *caps)
{
  for (guint i = 0; i < session->topics->len; i++) {
    const RobocacheRosTopic *info = g_ptr_array_index (session->topics, i);

    if (info->camera && robocache_camera_info_is_of (info->name, topic->name))
      return robocache_camera_info_fields (info->camera, caps);
  }
  return NULL;
}

static void
note_position (RobocacheRosSession *session, RobocacheRosTopic *topic, guint64 pts)
{
  GstStructure *stats = NULL;

  GST_OBJECT_LOCK (session->element);
  topic->counts.buffers++;
  session->segment.position = MAX (session->segment.position, pts);
  if (session->timer.interval > 0 && robocache_statistics_timer_due (&session->timer, pts))
    stats = robocache_ros_session_statistics (session);
  GST_OBJECT_UNLOCK (session->element);
  if (stats)
    robocache_statistics_post (session->element, stats);
}

/* A publisher that is transient local sends its last messages to each new reader, so they are the state at the start. */
static gboolean
place (RobocacheRosSession *session, RobocacheRosTopic *topic, const RobocacheDdsMessage *message, gint64 time, guint64 *pts)
{
  *pts = time < session->mapping.origin_ns ? 0 : (guint64) time - (guint64) session->mapping.origin_ns;
  if (time >= session->mapping.origin_ns)
    return TRUE;
  if (!topic->is_transient_local) {
    drop_before_origin (session, topic, time, message->arrival_ns);
    return FALSE;
  }
  count (session, &topic->counts.latched);
  return TRUE;
}

static GstFlowReturn
handle_sample (RobocacheRosSession *session, RobocacheRosTopic *topic, const RobocacheDdsMessage *message, RobocacheRosSample *sample)
{
  RobocacheRosOutput *output = robocache_ros_session_find_output (session, topic, sample->key);
  const gint64 now_ns = session->settings.use_sim_time ? session->sim_ns : message->arrival_ns;
  const RobocacheRosTimes times = { sample->stamp_ns, robocache_ros_decoder_has_stamps (topic->decoder), message->source_ns, message->arrival_ns,
    now_ns
  };
  const GstStructure *camera = camera_of (session, topic, sample->caps);
  RobocacheRosOutputContext context;
  GstFlowReturn ret;
  GstBuffer *buffer;
  const gchar *fault;
  gint64 time;
  guint64 pts;

  fault = session->mapping.origin_ns == ROBOCACHE_ROS_NO_ORIGIN ? "there is no message of /clock yet"
      : robocache_ros_time_of_capture (&session->settings, &times, topic->is_transient_local || session->settings.use_sim_time ? 1
      : session->mapping.boot_ns, &time);
  if (fault) {
    drop_without_time (session, topic, fault);
    return GST_FLOW_OK;
  }
  if (!place (session, topic, message, time, &pts))
    return GST_FLOW_OK;
  robocache_ros_output_update (output, sample, camera);
  if (!output->pad)
    robocache_ros_session_expose (session, output);
  buffer = robocache_ros_output_make_buffer (sample, pts, time, message->arrival_ns);
  note_position (session, topic, pts);
  context = robocache_ros_session_context (session);
  ret = robocache_ros_output_push (output, &context, buffer);
  return gst_flow_combiner_update_pad_flow (session->flows, output->pad, ret);
}

/* ---- messages ---- */

/* Pads come and go as applications link them, so a pad that is not linked yet stops nothing. */
static gboolean
goes_on (GstFlowReturn ret)
{
  return ret == GST_FLOW_OK || ret == GST_FLOW_NOT_LINKED;
}

GstFlowReturn
robocache_ros_session_handle (RobocacheRosSession *session, RobocacheRosTopic *topic, const RobocacheRosItem *item)
{
  const RobocacheDdsMessage *message = item->message;
  const RobocacheRosPublisher *publisher = robocache_ros_topic_publisher (topic, message->writer);
  GstFlowReturn ret = GST_FLOW_OK;
  GArray *samples = NULL;
  GError *error = NULL;

  count (session, &topic->counts.messages);
  if (item->has_loss) {
    GST_CAT_LOG_OBJECT (session->category, session->element, "%s: messages are missing before %" G_GUINT64_FORMAT, topic->name,
        message->sequence);
    robocache_ros_session_interrupt (session, topic);
  }
  if (publisher && publisher->is_refused) {
    count (session, &topic->counts.malformed);
    return GST_FLOW_OK;
  }
  if (topic->camera)
    robocache_camera_info_read (topic->camera, message->data, message->size, &error);
  else
    samples = robocache_ros_decoder_run (topic->decoder, message->data, message->size, &error);
  if (error)
    report_malformed (session, topic, message, error);
  for (guint i = 0; samples && i < samples->len && goes_on (ret); i++)
    ret = handle_sample (session, topic, message, &g_array_index (samples, RobocacheRosSample, i));
  return goes_on (ret) ? GST_FLOW_OK : ret;
}

void
robocache_ros_session_set_sim_time (RobocacheRosSession *session, const RobocacheDdsMessage *message)
{
  const gboolean is_first = session->sim_ns == ROBOCACHE_ROS_NO_ORIGIN;
  RobocacheCdrReader reader;
  gint64 seconds, nanoseconds;

  robocache_cdr_reader_init (&reader, message->data, message->size);
  seconds = robocache_cdr_read_int32 (&reader);
  nanoseconds = robocache_cdr_read_uint32 (&reader);
  if (!robocache_cdr_reader_check (&reader, NULL))
    return;
  session->sim_ns = seconds * (gint64) GST_SECOND + nanoseconds;
  if (!is_first || session->settings.time_origin != ROBOCACHE_ROS_NO_ORIGIN)
    return;
  /* the pipeline's time of the first message is known by the system clock */
  GST_OBJECT_LOCK (session->element);
  session->mapping.origin_ns = session->sim_ns - (message->arrival_ns - session->shown_mapping.origin_ns);
  session->shown_mapping.origin_ns = session->mapping.origin_ns;
  GST_OBJECT_UNLOCK (session->element);
  GST_CAT_INFO_OBJECT (session->category, session->element, "running time 0 is %" G_GINT64_FORMAT " ns of /clock", session->mapping.origin_ns);
}
