/* robocache: robocacheresample, one stream with any timing in, an exact grid out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_RESAMPLE_H
#define GST_ROBOCACHE_RESAMPLE_H

#include <gst/base/gstbasetransform.h>

#include "common/channelroles.h"
#include "common/clockjump.h"
#include "common/device.h"
#include "common/history.h"
#include "common/scratch.h"
#include "common/stats.h"
#include "gstrobocacheresampleformat.h"
#include "kernels/align.h"

G_BEGIN_DECLS

#define GST_TYPE_ROBOCACHE_RESAMPLE (gst_robocache_resample_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheResample, gst_robocache_resample, GST, ROBOCACHE_RESAMPLE, GstBaseTransform)

GST_ELEMENT_REGISTER_DECLARE (robocacheresample)

struct _GstRobocacheResample
{
  GstBaseTransform parent;

  /* object lock */
  GstRobocacheResampleSettings settings;
  RobocacheChannelRoles roles;
  RobocacheDevice device;

  /* streaming thread; written under the object lock where stats and queries read it */
  GstRobocacheResampleSettings run;     /* settings as they were when caps were set */
  GstRobocacheResampleFormat format;
  RcSearch search;
  RcAlignPlan *plan;            /* NULL: not negotiated */
  RobocacheScratch scratch;
  gboolean tried_caps;          /* set_caps was called since last cleared */
  gboolean refused;             /* an error about caps or segment was posted, and nothing was right since */

  gboolean live;
  RobocacheRowTimes clock;
  RobocacheClockJump jump;      /* of a live sensor's clock */
  RobocacheHistory history;
  gboolean has_history;
  gboolean ticking;             /* next_index is fixed */
  gint64 next_index, next_tick; /* on the grid, and its time */
  gint64 last_tick;             /* -1 before the first */
  GstBuffer *batch_out;         /* waits for generate_output */
  gboolean sent_buffer, discont;
  gboolean warned_no_time;
  GstClockTime announced_latency;
  guint spacings_measured;      /* of the history, when the latency was last measured */

  /* object lock */
  RobocacheStatsTimer stats_timer;
  RobocacheRowCounts past_counts;       /* of histories that are over, and of refused rows */
  RobocacheHistogram age;       /* of the newest row at or before a tick, at the tick */
  RobocacheLosses losses;       /* what is pending in it is the streaming thread's */
  guint64 ticks_out, ticks_held, ticks_nan, ticks_dropped;
  RcAlignCounters batch_counters;
};

/* Runs the plan; an error is posted. */
GstFlowReturn gst_robocache_resample_run_plan (GstRobocacheResample * resample, const RcAlignArgs * args);
/* ---- rows in (gstrobocacheresamplerows.c) ---- */

void gst_robocache_resample_take_rows (GstRobocacheResample * resample, GstBuffer * buffer,
    const RobocacheTensorsMap * map);

/* No more rows of this kind will come: what they still decide goes out, and they are forgotten. */
void gst_robocache_resample_finish_history (GstRobocacheResample * resample);

/* ---- what it tells of itself (gstrobocacheresamplestats.c); called without the object lock, but for the first two;
 * those that post, by the streaming thread ---- */

GstStructure *gst_robocache_resample_make_stats (GstRobocacheResample * resample);
void gst_robocache_resample_reset_stats (GstRobocacheResample * resample);
/* Posts the stats when stats-interval has passed. */
void gst_robocache_resample_post_stats_when_due (GstRobocacheResample * resample, GstClockTime running_time);
/* Counts the rows of a buffer that is not taken. */
void gst_robocache_resample_refuse_rows (GstRobocacheResample * resample);
/* Posts a QoS message about rows lost since this was last called, if there are any. */
void gst_robocache_resample_post_lost_rows (GstRobocacheResample * resample);
/* The running time, when it says which rows are of use. */
GstClockTime gst_robocache_resample_live_now (GstRobocacheResample * resample);
void gst_robocache_resample_post_dropped_tick (GstRobocacheResample * resample, gint64 tick, GstClockTime duration);

/* Recorded episodes: resamples a buffer of three tensors into batch_out. */
GstFlowReturn gst_robocache_resample_take_batch (GstRobocacheResample * resample, GstBuffer * buffer,
    const RobocacheTensorsMap * map);

G_END_DECLS
#endif
