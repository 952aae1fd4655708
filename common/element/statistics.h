/* robocache: statistics of elements: histograms, properties and messages
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_STATISTICS_H
#define ROBOCACHE_STATISTICS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Distribution of durations, with fixed bounds: each power of two of ns is cut into 32 equal bins, so a quantile read
 * off is at most 3.2 % above the true one. Negative values count as 0. */
#define ROBOCACHE_HISTOGRAM_BINS (60 * 32)

typedef struct
{
  guint64 n;
  gint64 max_ns;
  guint32 bins[ROBOCACHE_HISTOGRAM_BINS];
} RobocacheHistogram;

void robocache_histogram_clear (RobocacheHistogram * histogram);
void robocache_histogram_add (RobocacheHistogram * histogram, gint64 duration_ns);
/* Adds what is in another one. */
void robocache_histogram_merge (RobocacheHistogram * histogram, const RobocacheHistogram * other);
/* Upper bound of the bin that holds the q-quantile (0 < q <= 1), at most max_ns; 0 when empty. */
gint64 robocache_histogram_quantile (const RobocacheHistogram * histogram, gdouble q);
/* Adds NAME-p50, NAME-p99 and NAME-max (int64 ns) to structure. */
void robocache_histogram_to_structure (const RobocacheHistogram * histogram, GstStructure * structure,
    const gchar * name);

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
