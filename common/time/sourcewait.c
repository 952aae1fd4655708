/* robocache: waiting until the pipeline's clock reaches a row, as a live source does
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sourcewait.h"

/* No clock is asked to wait for longer at a time: instants near the end of its range make it spin, with a lock that all pipelines of a
 * process share. */
#define MAX_CLOCK_WAIT (24 * 3600 * GST_SECOND)

void
robocache_source_wait_init (RobocacheSourceWait *wait)
{
  g_mutex_init (&wait->lock);
  g_cond_init (&wait->changed);
  wait->clock_id = NULL;
  wait->playing = wait->flushing = FALSE;
}

void
robocache_source_wait_clear (RobocacheSourceWait *wait)
{
  g_mutex_clear (&wait->lock);
  g_cond_clear (&wait->changed);
}

static void
interrupt (RobocacheSourceWait *wait)
{
  if (wait->clock_id)
    gst_clock_id_unschedule (wait->clock_id);
  g_cond_broadcast (&wait->changed);
}

void
robocache_source_wait_set_playing (RobocacheSourceWait *wait, gboolean playing)
{
  g_mutex_lock (&wait->lock);
  wait->playing = playing;
  interrupt (wait);
  g_mutex_unlock (&wait->lock);
}

void
robocache_source_wait_set_flushing (RobocacheSourceWait *wait, gboolean flushing)
{
  g_mutex_lock (&wait->lock);
  wait->flushing = flushing;
  interrupt (wait);
  g_mutex_unlock (&wait->lock);
}

gboolean
robocache_source_wait_is_flushing (RobocacheSourceWait *wait)
{
  gboolean flushing;

  g_mutex_lock (&wait->lock);
  flushing = wait->flushing;
  g_mutex_unlock (&wait->lock);
  return flushing;
}

GstFlowReturn
robocache_source_wait_for_playing (RobocacheSourceWait *wait)
{
  GstFlowReturn flow;

  g_mutex_lock (&wait->lock);
  while (!wait->playing && !wait->flushing)
    g_cond_wait (&wait->changed, &wait->lock);
  flow = wait->flushing ? GST_FLOW_FLUSHING : GST_FLOW_OK;
  g_mutex_unlock (&wait->lock);
  return flow;
}

/* A clock id for the running time on the element's clock of now, or for a time on the way there; NULL when it has none. */
static GstClockID
new_clock_id (GstElement *element, GstClockTime running_time, gboolean *is_there)
{
  GstClock *clock = gst_element_get_clock (element);
  const GstClockTime base_time = gst_element_get_base_time (element);
  GstClockTime latest;
  GstClockID id;

  if (clock == NULL)
    return NULL;
  latest = gst_clock_get_time (clock) + MAX_CLOCK_WAIT;
  *is_there = running_time <= latest && base_time <= latest - running_time;
  id = gst_clock_new_single_shot_id (clock, *is_there ? base_time + running_time : latest);
  gst_object_unref (clock);
  return id;
}

GstFlowReturn
robocache_source_wait_until (RobocacheSourceWait *wait, GstElement *element, GstClockTime running_time)
{
  GstClockReturn reached = GST_CLOCK_UNSCHEDULED;
  gboolean is_there = FALSE;
  GstFlowReturn flow;

  g_mutex_lock (&wait->lock);
  do {
    while (!wait->playing && !wait->flushing)
      g_cond_wait (&wait->changed, &wait->lock);
    if (wait->flushing)
      break;
    wait->clock_id = new_clock_id (element, running_time, &is_there);
    if (!wait->clock_id)
      break;
    g_mutex_unlock (&wait->lock);
    reached = gst_clock_id_wait (wait->clock_id, NULL);
    g_mutex_lock (&wait->lock);
    g_clear_pointer (&wait->clock_id, gst_clock_id_unref);
  } while (reached == GST_CLOCK_UNSCHEDULED || !is_there);
  flow = wait->flushing ? GST_FLOW_FLUSHING : GST_FLOW_OK;
  g_mutex_unlock (&wait->lock);
  return flow;
}
