/* robocache: waiting until the pipeline's clock reaches a row, as a live source does
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "livewait.h"

void
robocache_live_wait_init (RobocacheLiveWait *wait)
{
  g_mutex_init (&wait->lock);
  g_cond_init (&wait->changed);
  wait->clock_id = NULL;
  wait->playing = wait->flushing = FALSE;
}

void
robocache_live_wait_clear (RobocacheLiveWait *wait)
{
  g_mutex_clear (&wait->lock);
  g_cond_clear (&wait->changed);
}

static void
interrupt (RobocacheLiveWait *wait)
{
  if (wait->clock_id)
    gst_clock_id_unschedule (wait->clock_id);
  g_cond_broadcast (&wait->changed);
}

void
robocache_live_wait_set_playing (RobocacheLiveWait *wait, gboolean playing)
{
  g_mutex_lock (&wait->lock);
  wait->playing = playing;
  interrupt (wait);
  g_mutex_unlock (&wait->lock);
}

void
robocache_live_wait_set_flushing (RobocacheLiveWait *wait, gboolean flushing)
{
  g_mutex_lock (&wait->lock);
  wait->flushing = flushing;
  interrupt (wait);
  g_mutex_unlock (&wait->lock);
}

gboolean
robocache_live_wait_is_flushing (RobocacheLiveWait *wait)
{
  gboolean flushing;

  g_mutex_lock (&wait->lock);
  flushing = wait->flushing;
  g_mutex_unlock (&wait->lock);
  return flushing;
}

GstFlowReturn
robocache_live_wait_for_playing (RobocacheLiveWait *wait)
{
  GstFlowReturn flow;

  g_mutex_lock (&wait->lock);
  while (!wait->playing && !wait->flushing)
    g_cond_wait (&wait->changed, &wait->lock);
  flow = wait->flushing ? GST_FLOW_FLUSHING : GST_FLOW_OK;
  g_mutex_unlock (&wait->lock);
  return flow;
}

/* A clock id for the running time on the element's clock of now; NULL when it has none. */
static GstClockID
new_clock_id (GstElement *element, GstClockTime running_time)
{
  GstClock *clock = gst_element_get_clock (element);
  GstClockID id = NULL;

  if (clock) {
    id = gst_clock_new_single_shot_id (clock, gst_element_get_base_time (element) + running_time);
    gst_object_unref (clock);
  }
  return id;
}

GstFlowReturn
robocache_live_wait_until (RobocacheLiveWait *wait, GstElement *element, GstClockTime running_time)
{
  GstClockReturn reached = GST_CLOCK_UNSCHEDULED;
  GstFlowReturn flow;

  g_mutex_lock (&wait->lock);
  do {
    while (!wait->playing && !wait->flushing)
      g_cond_wait (&wait->changed, &wait->lock);
    if (wait->flushing)
      break;
    wait->clock_id = new_clock_id (element, running_time);
    if (!wait->clock_id)
      break;
    g_mutex_unlock (&wait->lock);
    reached = gst_clock_id_wait (wait->clock_id, NULL);
    g_mutex_lock (&wait->lock);
    g_clear_pointer (&wait->clock_id, gst_clock_id_unref);
  } while (reached == GST_CLOCK_UNSCHEDULED);
  flow = wait->flushing ? GST_FLOW_FLUSHING : GST_FLOW_OK;
  g_mutex_unlock (&wait->lock);
  return flow;
}
