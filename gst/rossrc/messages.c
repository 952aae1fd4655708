/* robocache: live messages, decoded and sent as buffers of their streams
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/ros/cdr.h"
#include "common/ros/messageencoders.h"
#include "expected.h"

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
drop_before_origin (RobocacheRosSession *session, RobocacheRosTopic *topic, gint64 early, gint64 arrival_running_ns)
{
  count (session, &topic->counts.before_origin);
  robocache_ros_session_interrupt (session, topic);
  GST_CAT_LOG_OBJECT (session->category, session->element, "a message of %s is dropped: its time is %" G_GINT64_FORMAT " ns before running time 0",
      topic->name, early);
  if (arrival_running_ns > (gint64) MAX_LAG && !session->has_warned_before_origin) {
    session->has_warned_before_origin = TRUE;
    GST_ELEMENT_WARNING (session->element, STREAM, FORMAT, ("a message of %s is dropped: its time is %" G_GINT64_FORMAT
            " ns before running time 0", topic->name, early), ("Set time-origin to an earlier time to send it."));
  }
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

typedef struct
{
  const gchar *fault;           /* why the message has no time; NULL: it has */
  RobocacheRosPlacement place;
  gint64 time_ns, now_ns;       /* capture and arrival, on the clock of the stamps */
  gint64 early_ns;              /* from the capture to running time 0, for captures before it */
  gint64 running_ns, arrival_running_ns;
} Timing;

/* Converts times of another host to the system clock of this one. Called with the object lock. */
static void
convert_times (const RobocacheRosSession *session, const RobocacheRosHostClock *clock, RobocacheRosTimes *times)
{
  const guint64 lead_ns = (guint64) session->mapping.lead_ns;

  if (times->stamp_ns != 0 && times->stamp_ns != ROBOCACHE_ROS_NO_TIME)
    times->stamp_ns = (gint64) ((guint64) robocache_ros_host_clock_convert (clock, times->stamp_ns) + lead_ns);
  times->source_ns = (gint64) ((guint64) robocache_ros_host_clock_convert (clock, times->source_ns) + lead_ns);
}

/* Called with the object lock. */
static void
find_time (const RobocacheRosSession *session, const RobocacheRosTopic *topic, RobocacheRosTimes times, const RobocacheDdsMessage *message,
    Timing *timing)
{
  const RobocacheRosMapping *mapping = &session->mapping;
  const gboolean is_simulated = session->settings.use_sim_time;

  if (robocache_ros_mapping_origin (mapping) == ROBOCACHE_ROS_NO_ORIGIN || (is_simulated && session->sim_ns == ROBOCACHE_ROS_NO_ORIGIN)) {
    timing->fault = "there is no message of /clock yet";
    return;
  }
  timing->now_ns = times.now_ns = robocache_ros_mapping_now (mapping, message->arrival_ns, message->monotonic_ns, session->sim_ns,
      &timing->arrival_running_ns);
  timing->fault = robocache_ros_time_of_capture (&session->settings, &times,
      topic->is_transient_local ? 1 : robocache_ros_mapping_boot (mapping), &timing->time_ns);
  if (timing->fault)
    return;
  timing->place = robocache_ros_mapping_place (mapping, timing->time_ns, timing->arrival_running_ns, &timing->running_ns);
  timing->early_ns = (gint64) ((guint64) mapping->spans[0].origin_ns - (guint64) timing->time_ns);
  /* the last state is sent as of now: later elements compare its time with its running time */
  if (timing->place != ROBOCACHE_ROS_PLACED && topic->is_transient_local)
    timing->time_ns = robocache_ros_mapping_time (mapping, timing->running_ns);
}

/* A publisher that is transient local sends its last messages to each new reader, so they are the state at the start. FALSE: the message is
 * dropped. */
static gboolean
accept_time (RobocacheRosSession *session, RobocacheRosTopic *topic, const Timing *timing)
{
  if (timing->fault) {
    drop_without_time (session, topic, timing->fault);
    return FALSE;
  }
  if (timing->place == ROBOCACHE_ROS_PLACED)
    return TRUE;
  if (topic->is_transient_local) {
    count (session, &topic->counts.latched);
    return TRUE;
  }
  if (timing->place == ROBOCACHE_ROS_BEFORE_ORIGIN) {
    drop_before_origin (session, topic, timing->early_ns, timing->arrival_running_ns);
    return FALSE;
  }
  GST_CAT_LOG_OBJECT (session->category, session->element, "a message of %s is dropped: it was captured in a pause", topic->name);
  count (session, &topic->counts.in_pause);
  robocache_ros_session_interrupt (session, topic);
  return FALSE;
}

/* A branch that flushes stops no other, and begins anew afterwards. */
static GstFlowReturn
push (RobocacheRosSession *session, RobocacheRosOutput *output, GstBuffer *buffer)
{
  const RobocacheRosOutputContext context = robocache_ros_session_context (session);
  GstFlowReturn ret = robocache_ros_output_push (output, &context, buffer);

  if (ret == GST_FLOW_FLUSHING)
    output->needs_segment = output->needs_discont = TRUE;
  return gst_flow_combiner_update_pad_flow (session->flows, output->pad, ret);
}

static GstFlowReturn
handle_sample (RobocacheRosSession *session, RobocacheRosTopic *topic, const RobocacheRosHostClock *clock, const RobocacheDdsMessage *message,
    RobocacheRosSample *sample)
{
  RobocacheRosTimes times = {.stamp_ns = sample->stamp_ns,.has_stamp = robocache_ros_decoder_has_stamps (topic->decoder),
    .source_ns = message->source_ns
  };
  RobocacheRosOutput *output = robocache_ros_session_find_output (session, topic, sample->key);
  Timing timing = { 0 };
  GstBuffer *buffer;

  if (!output) {
    count (session, &topic->counts.refused);
    return GST_FLOW_OK;
  }
  GST_OBJECT_LOCK (session->element);
  if (clock && message->source_ns != 0)
    convert_times (session, clock, &times);
  find_time (session, topic, times, message, &timing);
  GST_OBJECT_UNLOCK (session->element);
  if (!accept_time (session, topic, &timing))
    return GST_FLOW_OK;
  robocache_ros_expected_update (session, output, sample, camera_of (session, topic, sample->caps));
  if (!output->pad)
    robocache_ros_session_expose (session, output);
  buffer = robocache_ros_output_make_buffer (sample, (guint64) timing.running_ns, timing.time_ns, timing.now_ns);
  note_position (session, topic, (guint64) timing.running_ns);
  return push (session, output, buffer);
}

/* ---- messages ---- */

/* Pads come and go as applications link them, so a pad that is not linked yet stops nothing. */
static gboolean
goes_on (GstFlowReturn ret)
{
  return ret == GST_FLOW_OK || ret == GST_FLOW_NOT_LINKED || ret == GST_FLOW_FLUSHING;
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
  if (!publisher || publisher->is_refused) {
    GST_CAT_LOG_OBJECT (session->category, session->element, "a message of %s is dropped: its publisher is not read", topic->name);
    count (session, &topic->counts.refused);
    return GST_FLOW_OK;
  }
  if (publisher->clock && message->source_ns != 0)
    robocache_ros_host_clock_read (publisher->clock, message->source_ns, message->monotonic_ns);
  if (topic->camera)
    robocache_camera_info_read (topic->camera, message->data, message->size, &error);
  else
    samples = robocache_ros_decoder_run (topic->decoder, message->data, message->size, &error);
  if (error)
    report_malformed (session, topic, message, error);
  for (guint i = 0; samples && i < samples->len && goes_on (ret); i++)
    ret = handle_sample (session, topic, publisher->clock, message, &g_array_index (samples, RobocacheRosSample, i));
  return goes_on (ret) ? GST_FLOW_OK : ret;
}

void
robocache_ros_session_set_sim_time (RobocacheRosSession *session, const RobocacheDdsMessage *message)
{
  RobocacheCdrReader reader;
  gint64 seconds, nanoseconds, sim_ns, step, origin_ns;

  robocache_cdr_reader_init (&reader, message->data, message->size);
  seconds = robocache_cdr_read_int32 (&reader);
  nanoseconds = robocache_cdr_read_uint32 (&reader);
  if (!robocache_cdr_reader_check (&reader, NULL))
    return;
  sim_ns = seconds * (gint64) GST_SECOND + nanoseconds;
  GST_OBJECT_LOCK (session->element);
  step = robocache_ros_mapping_set_sim_time (&session->mapping, session->sim_ns, sim_ns, message->monotonic_ns);
  session->clock_steps += step > 0;
  origin_ns = robocache_ros_mapping_origin (&session->mapping);
  session->sim_ns = sim_ns;
  GST_OBJECT_UNLOCK (session->element);
  if (step > 0)
    GST_ELEMENT_WARNING (session->element, STREAM, FORMAT, ("/clock stepped back by %" G_GINT64_FORMAT " ns: times continue from where it was", step),
        (NULL));
  GST_CAT_LOG_OBJECT (session->category, session->element, "/clock is at %" G_GINT64_FORMAT " ns; running time 0 is %" G_GINT64_FORMAT " ns of it",
      sim_ns, origin_ns);
}
