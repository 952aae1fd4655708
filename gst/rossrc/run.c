/* robocache: the thread of robocacherossrc, and the states and the end that others ask it for
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "run.h"

#include <time.h>

/* Time between two checks of the clock and of silent topics. */
#define CHECK_INTERVAL_US (G_TIME_SPAN_SECOND / 10)
/* Readings of the clocks, of which the closest counts. */
#define N_READINGS 5

/* ---- clocks ---- */

static gint64
read_clock (clockid_t id)
{
  struct timespec time;

  clock_gettime (id, &time);
  return time.tv_sec * (gint64) GST_SECOND + time.tv_nsec;
}

static RobocacheRosClocks
read_once (GstClock *clock, GstClockTime base_time)
{
  RobocacheRosClocks clocks;

  clocks.system_before_ns = read_clock (CLOCK_REALTIME);
  clocks.running_ns = clock ? (gint64) (gst_clock_get_time (clock) - base_time) : 0;
  clocks.system_after_ns = read_clock (CLOCK_REALTIME);
  clocks.monotonic_ns = read_clock (CLOCK_MONOTONIC);
  clocks.boot_ns = read_clock (CLOCK_BOOTTIME);
  return clocks;
}

static RobocacheRosClocks
read_clocks (GstElement *element)
{
  GstClock *clock = gst_element_get_clock (element);
  const GstClockTime base_time = gst_element_get_base_time (element);
  RobocacheRosClocks best = read_once (clock, base_time);

  for (guint i = 1; i < N_READINGS; i++) {
    const RobocacheRosClocks next = read_once (clock, base_time);

    if (next.system_after_ns - next.system_before_ns < best.system_after_ns - best.system_before_ns)
      best = next;
  }
  if (clock)
    gst_object_unref (clock);
  return best;
}

/* ---- states ---- */

void
robocache_ros_session_play (RobocacheRosSession *session)
{
  const RobocacheRosClocks clocks = read_clocks (session->element);
  RobocacheRosMapping mapping;

  robocache_ros_mapping_init (&mapping, &clocks, session->settings.time_origin);
  GST_CAT_INFO_OBJECT (session->category, session->element, "running time 0 is %" G_GINT64_FORMAT " ns, +- %" G_GINT64_FORMAT " ns",
      mapping.origin_ns, mapping.uncertainty_ns);
  GST_OBJECT_LOCK (session->element);
  session->next_mapping = session->shown_mapping = mapping;
  session->has_next_mapping = session->is_playing = TRUE;
  GST_OBJECT_UNLOCK (session->element);
  robocache_ros_inbox_set_open (session->inbox, TRUE);
}

void
robocache_ros_session_pause (RobocacheRosSession *session)
{
  GST_OBJECT_LOCK (session->element);
  session->is_playing = FALSE;
  GST_OBJECT_UNLOCK (session->element);
  robocache_ros_inbox_set_open (session->inbox, FALSE);
}

/* A pause lets the system clock run on, so the mapping changes with the next start. */
static void
take_mapping (RobocacheRosSession *session)
{
  gboolean has_next;

  GST_OBJECT_LOCK (session->element);
  has_next = session->has_next_mapping;
  session->has_next_mapping = FALSE;
  if (has_next)
    session->mapping = session->next_mapping;
  GST_OBJECT_UNLOCK (session->element);
  if (!has_next)
    return;
  if (session->settings.use_sim_time && session->settings.time_origin == ROBOCACHE_ROS_NO_ORIGIN)
    session->mapping.origin_ns = session->sim_ns = ROBOCACHE_ROS_NO_ORIGIN;
  for (guint i = 0; i < session->outputs->len; i++) {
    RobocacheRosOutput *output = g_ptr_array_index (session->outputs, i);

    output->needs_tags = output->needs_discont = TRUE;
  }
}

/* ---- checks by time ---- */

static void
check_step (RobocacheRosSession *session)
{
  const gboolean follows = session->settings.clock_mode == ROBOCACHE_ROS_CLOCK_FOLLOW && session->settings.time_origin == ROBOCACHE_ROS_NO_ORIGIN
      && !session->settings.use_sim_time;
  const gint64 step = robocache_ros_mapping_check (&session->mapping, read_clock (CLOCK_REALTIME), read_clock (CLOCK_MONOTONIC), follows);

  if (step == 0)
    return;
  GST_OBJECT_LOCK (session->element);
  session->clock_steps++;
  if (follows)
    session->shown_mapping.origin_ns = session->mapping.origin_ns;
  GST_OBJECT_UNLOCK (session->element);
  GST_ELEMENT_WARNING (session->element, STREAM, FORMAT, ("the system clock was set by %" G_GINT64_FORMAT " ns: %s", step, follows
          ? "times of messages follow it" : "messages of this host are shifted by it (clock-mode=follow prevents this)"), (NULL));
}

static void
check (RobocacheRosSession *session, gint64 now_us)
{
  gboolean is_playing;
  gint64 now_ns, until;

  GST_OBJECT_LOCK (session->element);
  is_playing = session->is_playing;
  GST_OBJECT_UNLOCK (session->element);
  session->advance_at_us = now_us + CHECK_INTERVAL_US;
  if (is_playing && session->mapping.lead_ns != 0)
    check_step (session);
  now_ns = session->settings.use_sim_time ? session->sim_ns : read_clock (CLOCK_REALTIME);
  if (!is_playing || session->mapping.origin_ns == ROBOCACHE_ROS_NO_ORIGIN || now_ns == ROBOCACHE_ROS_NO_ORIGIN)
    return;
  until = now_ns - session->mapping.origin_ns - (gint64) session->settings.max_transport;
  if (until > 0)
    robocache_ros_session_advance (session, (guint64) until);
}

/* ---- the thread ---- */

static GstFlowReturn
handle (RobocacheRosSession *session, const RobocacheRosItem *item)
{
  GstFlowReturn ret = GST_FLOW_OK;

  if (item->endpoint && item->endpoint->topic)
    robocache_ros_session_add_endpoint (session, item->endpoint);
  else if (item->endpoint)
    robocache_ros_session_remove_endpoint (session, item->endpoint->id);
  else if (item->queue == session->clock_queue)
    robocache_ros_session_set_sim_time (session, item->message);
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

  has_item = robocache_ros_inbox_take (session->inbox, MIN (session->advance_at_us, session->wait_until_us), &item);
  take_mapping (session);
  if (has_item)
    ret = handle (session, &item);
  now_us = g_get_monotonic_time ();
  if (now_us >= session->advance_at_us)
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
