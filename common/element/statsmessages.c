/* robocache: messages with the statistics of elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "statsmessages.h"

void
robocache_statistics_timer_reset (RobocacheStatisticsTimer *timer)
{
  timer->next = GST_CLOCK_TIME_NONE;
}

/* From the end of time on, which is no valid one, nothing is due. */
static GstClockTime
later (GstClockTime time, GstClockTime interval)
{
  return interval < GST_CLOCK_TIME_NONE - time ? time + interval : GST_CLOCK_TIME_NONE - 1;
}

gboolean
robocache_statistics_timer_due (RobocacheStatisticsTimer *timer, GstClockTime running_time)
{
  if (timer->interval == 0 || !GST_CLOCK_TIME_IS_VALID (running_time))
    return FALSE;
  if (!GST_CLOCK_TIME_IS_VALID (timer->next)) {
    timer->next = later (running_time, timer->interval);
    return FALSE;
  }
  if (running_time < timer->next)
    return FALSE;
  timer->next = later (running_time - (running_time - timer->next) % timer->interval, timer->interval);
  return TRUE;
}

void
robocache_statistics_post (GstElement *element, GstStructure *stats)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  if (factory)
    gst_structure_set_name (stats, GST_OBJECT_NAME (factory));
  gst_element_post_message (element, gst_message_new_element (GST_OBJECT (element), stats));
}

void
robocache_statistics_post_last (GstElement *element)
{
  GstStructure *stats;
  guint64 interval;

  g_object_get (element, "stats-interval", &interval, NULL);
  if (interval == 0)
    return;
  g_object_get (element, "stats", &stats, NULL);
  robocache_statistics_post (element, stats);
}
