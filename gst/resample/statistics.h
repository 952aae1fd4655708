/* robocache: robocacheresample, statistics and QoS messages
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/rows/qos.h"
#include "common/rows/checks.h"
#include "kernels/align.h"
#include "stream.h"

typedef struct
{
  RobocacheRowCounts past_rows; /* counts of histories that ended, and of refused rows */
  RobocacheHistogram age;       /* age at the tick of the copied row, or else of the newest row at or before the tick; 0: a later row was copied */
  RobocacheLosses rows;         /* late and dropped rows; pending ones are the streaming thread's */
  RobocacheLosses ticks;        /* dropped ticks, the streaming thread's */
  guint64 ticks_out, ticks_held, ticks_nan, ticks_dropped;
  guint64 disordered_episodes;
  RobocacheQuaternionCheck quaternions; /* check of quaternions in input rows */
  GstClockTime last_pts;        /* PTS of the last batch that was counted */
  const gchar *kinds, *kinds_source;    /* see robocache_channel_roles_to_structure; NULL before caps */
} GstRobocacheResampleStatistics;

void gst_robocache_resample_statistics_reset (GstRobocacheResampleStatistics * statistics);
/* now: running time of the clock; GST_CLOCK_TIME_NONE: not live. */
void gst_robocache_resample_statistics_add_tick (GstRobocacheResampleStatistics * statistics,
    const GstRobocacheResampleTick * tick, GstClockTime now);
void gst_robocache_resample_statistics_add_batch (GstRobocacheResampleStatistics * statistics,
    const RcAlignCounters * counters, GstClockTime pts);
/* A structure for the property `stats`, without the device's fields. */
GstStructure *gst_robocache_resample_statistics_to_structure (const GstRobocacheResampleStatistics * statistics,
    const GstRobocacheResampleStream * stream);
/* Determines when QoS messages are due. */
typedef struct
{
  gboolean on;
  guint64 interval;             /* ns; 0: a message for each loss */
  gint64 now;                   /* running time of the clock or the newest row; ROBOCACHE_NO_TIME: unknown */
  gboolean at_end;              /* report all pending losses, regardless of the interval */
} GstRobocacheResampleReport;

/* Posts QoS messages about rows and ticks that were lost since the last messages, if they are due. Called by the
 * streaming thread, without the object lock. */
void gst_robocache_resample_statistics_report (GstRobocacheResampleStatistics * statistics,
    const GstRobocacheResampleStream * stream, GstElement * element, const GstRobocacheResampleReport * report);
