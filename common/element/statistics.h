/* robocache: statistics of elements: when they are posted, and how
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_STATISTICS_H
#define ROBOCACHE_STATISTICS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* stats-interval: when to post the next element message. Times are running times of the data, so tests need no
 * clock. */
typedef struct
{
  GstClockTime interval;        /* 0: off */
  GstClockTime next;            /* GST_CLOCK_TIME_NONE: not started */
} RobocacheStatisticsTimer;

void robocache_statistics_timer_reset (RobocacheStatisticsTimer * timer);
gboolean robocache_statistics_timer_due (RobocacheStatisticsTimer * timer, GstClockTime running_time);

/* Posts an element message that holds stats (taken), whose name is the element's factory name. */
void robocache_statistics_post (GstElement * element, GstStructure * stats);
/* At the end of the stream, before EOS goes on: posts the last ones of an element with stats-interval set, as its property
 * stats has them. Called without locks of the element. */
void robocache_statistics_post_last (GstElement * element);

G_END_DECLS
#endif
