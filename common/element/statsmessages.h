/* robocache: messages with the statistics of elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* Determines by stats-interval when to post the next element message. Times are running times of the data, so tests need no clock. */
typedef struct
{
  GstClockTime interval;        /* 0: off */
  GstClockTime next;            /* GST_CLOCK_TIME_NONE: not started */
} RobocacheStatisticsTimer;

void robocache_statistics_timer_reset (RobocacheStatisticsTimer * timer);
gboolean robocache_statistics_timer_due (RobocacheStatisticsTimer * timer, GstClockTime running_time);

/* Posts an element message with stats (taken), whose name is the element's factory name. */
void robocache_statistics_post (GstElement * element, GstStructure * stats);
/* At the end of the stream, before EOS is sent: posts the last statistics of an element with stats-interval set, from its property stats.
 * Called without locks of the element. */
void robocache_statistics_post_last (GstElement * element);
