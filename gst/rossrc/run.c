/* robocache: the thread of robocacherossrc, and the states and the end that others ask it for
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "run.h"

#include "inquiry.h"

/* Time between two checks of the clock and of silent topics. */
#define CHECK_INTERVAL_US (G_TIME_SPAN_SECOND / 10)

/* ---- states ---- */

void
robocache_ros_session_play (RobocacheRosSession *session)
{
  const RobocacheClockReading clocks = robocache_clock_reading_of (session->element);
  gint64 origin_ns, uncertainty_ns;

  GST_OBJECT_LOCK (session->element);
  robocache_ros_mapping_start (&session->mapping, &clocks);
  origin_ns = robocache_ros_mapping_origin (&session->mapping);
  uncertainty_ns = session->mapping.uncertainty_ns;
  session->is_playing = TRUE;
  GST_OBJECT_UNLOCK (session->element);
  GST_CAT_INFO_OBJECT (session->category, session->element, "running time 0 is %" G_GINT64_FORMAT " ns, +- %" G_GINT64_FORMAT " ns", origin_ns,
      uncertainty_ns);
  robocache_ros_inbox_set_open (session->inbox, TRUE);
}

void
robocache_ros_session_pause (RobocacheRosSession *session)
{
  const RobocacheClockReading clocks = robocache_clock_reading_of (session->element);

  GST_OBJECT_LOCK (session->element);
  robocache_ros_mapping_stop (&session->mapping, &clocks);
  session->is_playing = FALSE;
  GST_OBJECT_UNLOCK (session->element);
  robocache_ros_inbox_set_open (session->inbox, FALSE);
}

/* Topics are waited for while messages come. */
static void
note_playing (RobocacheRosSession *session, gboolean is_playing)
{
  const gint64 now_us = g_get_monotonic_time ();

  if (is_playing == session->was_playing)
    return;
  session->was_playing = is_playing;
  if (is_playing) {
    session->wait_until_us = session->wait_left_us == G_MAXINT64 ? G_MAXINT64 : now_us + session->wait_left_us;
    return;
  }
  session->wait_left_us = session->wait_until_us == G_MAXINT64 ? G_MAXINT64 : MAX (session->wait_until_us - now_us, 0);
  session->wait_until_us = G_MAXINT64;
}

/* After a pause, or a step of a clock, times have another origin. */
static void
note_state (RobocacheRosSession *session)
{
  gboolean is_playing;
  guint64 n_changes;

  GST_OBJECT_LOCK (session->element);
  is_playing = session->is_playing;
  n_changes = session->mapping.n_changes;
  GST_OBJECT_UNLOCK (session->element);
  note_playing (session, is_playing);
  if (n_changes == session->seen_changes)
    return;
  session->seen_changes = n_changes;
  for (guint i = 0; i < session->outputs->len; i++) {
    RobocacheRosOutput *output = g_ptr_array_index (session->outputs, i);

    output->needs_tags = output->needs_discont = TRUE;
  }
}

/* ---- checks by time ---- */

static void
check_step (RobocacheRosSession *session)
{
  const RobocacheClockReading clocks = robocache_clock_reading_of (session->element);
  gboolean follows;
  gint64 step = 0;

  GST_OBJECT_LOCK (session->element);
  follows = session->mapping.follows;
  if (session->is_playing)
    step = robocache_ros_mapping_check (&session->mapping, clocks.system_after_ns, clocks.monotonic_ns);
  session->clock_steps += step != 0;
  GST_OBJECT_UNLOCK (session->element);
  if (step != 0)
    GST_ELEMENT_WARNING (session->element, STREAM, FORMAT, ("the system clock was set by %" G_GINT64_FORMAT " ns: %s", step, follows
            ? "times of messages follow it" : "messages of this host are shifted by it (clock-mode=follow prevents this)"), (NULL));
}

/* A message that arrived after a step shows it before the next check. */
static void
check_arrival (RobocacheRosSession *session, const RobocacheDdsMessage *message)
{
  gint64 lead_ns;

  GST_OBJECT_LOCK (session->element);
  lead_ns = session->mapping.lead_ns;
  GST_OBJECT_UNLOCK (session->element);
  if (!session->settings.use_sim_time && ABS (message->arrival_ns - message->monotonic_ns - lead_ns) > (gint64) GST_MSECOND / 2)
    check_step (session);
}

static void
check_silence (RobocacheRosSession *session)
{
  const RobocacheClockReading clocks = robocache_clock_reading_of (session->element);
  gint64 running_ns;
  gboolean is_known;

  GST_OBJECT_LOCK (session->element);
  is_known = session->is_playing && robocache_ros_mapping_origin (&session->mapping) != ROBOCACHE_ROS_NO_ORIGIN
      && (!session->settings.use_sim_time || session->sim_ns != ROBOCACHE_ROS_NO_ORIGIN);
  if (is_known)
    robocache_ros_mapping_now (&session->mapping, clocks.system_after_ns, clocks.monotonic_ns, session->sim_ns, &running_ns);
  GST_OBJECT_UNLOCK (session->element);
  if (is_known)
    robocache_ros_session_advance (session, running_ns);
}

static void
check (RobocacheRosSession *session, gint64 now_us)
{
  session->check_at_us = now_us + CHECK_INTERVAL_US;
  if (!session->settings.use_sim_time)
    check_step (session);
  check_silence (session);
  robocache_ros_session_check_limits (session);
  robocache_ros_inquiries_check (session, now_us);
}

/* ---- the thread ---- */

static void
add_endpoint (RobocacheRosSession *session, const RobocacheDdsEndpoint *endpoint)
{
  gboolean is_new;
  RobocacheRosTopic *topic = robocache_ros_session_add_topic (session, endpoint, &is_new);

  if (is_new && !robocache_ros_inquiry_begin (session, topic, endpoint))
    robocache_ros_session_settle (session, topic, NULL);
  if (topic)
    robocache_ros_session_add_publisher (session, topic, endpoint);
}

static GstFlowReturn
handle (RobocacheRosSession *session, const RobocacheRosItem *item)
{
  GstFlowReturn ret = GST_FLOW_OK;

  if (item->endpoint && item->endpoint->topic)
    add_endpoint (session, item->endpoint);
  else if (item->endpoint)
    robocache_ros_session_remove_endpoint (session, item->endpoint->id);
  else if (item->queue == session->clock_queue)
    robocache_ros_session_set_sim_time (session, item->message);
  else if (item->queue == session->nodes_queue)
    robocache_ros_inquiry_read_nodes (session, item->message);
  else if (item->queue == ((RobocacheRosTopic *) item->queue->topic)->answers)
    robocache_ros_inquiry_read_answer (session, item->queue->topic, item->message);
  else
    ret = robocache_ros_session_handle (session, item->queue->topic, item);
  if (item->endpoint)
    robocache_dds_endpoint_free (item->endpoint);
  else
    robocache_dds_message_free (item->message);
  return ret;
}

GstFlowReturn
robocache_ros_session_run (RobocacheRosSession *session)
{
  GstFlowReturn ret = GST_FLOW_OK;
  RobocacheRosItem item;
  gboolean has_item;
  gint64 now_us;

  has_item = robocache_ros_inbox_take (session->inbox, MIN (session->check_at_us, session->wait_until_us), &item);
  if (has_item && item.message)
    check_arrival (session, item.message);
  note_state (session);
  if (has_item)
    ret = item.is_end ? GST_FLOW_CUSTOM_SUCCESS : handle (session, &item);
  now_us = g_get_monotonic_time ();
  if (now_us >= session->check_at_us)
    check (session, now_us);
  if (now_us >= session->wait_until_us)
    robocache_ros_session_end_wait (session);
  return ret;
}

gboolean
robocache_ros_session_end (RobocacheRosSession *session, guint32 seqnum)
{
  const RobocacheRosOutputContext context = robocache_ros_session_context (session);
  guint n = 0;

  robocache_statistics_post_last (session->element);
  for (guint i = 0; i < session->outputs->len; i++) {
    RobocacheRosOutput *output = g_ptr_array_index (session->outputs, i);
    GstEvent *event;

    if (!output->pad)
      continue;
    n++;
    event = gst_event_new_eos ();
    gst_event_set_seqnum (event, seqnum);
    robocache_ros_output_send_headers (output, &context);
    gst_pad_push_event (output->pad, event);
  }
  if (n == 0)
    GST_ELEMENT_ERROR (session->element, RESOURCE, NOT_FOUND, ("EOS before the first message of a topic that topics=\"%s\" chooses",
            session->settings.topics ? session->settings.topics : ""), (NULL));
  return n > 0;
}
