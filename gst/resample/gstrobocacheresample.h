/* robocache: robocacheresample, one stream with any timing in, an exact grid out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_RESAMPLE_H
#define GST_ROBOCACHE_RESAMPLE_H

#include <gst/base/gstbasetransform.h>

#include "common/rows/blender.h"
#include "common/rows/channelroles.h"
#include "common/time/clockjump.h"
#include "common/backend/enginechoice.h"
#include "common/rows/episodes.h"
#include "common/rows/history.h"
#include "common/element/statistics.h"
#include "common/device/readback.h"
#include "format.h"
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
  gboolean qos_messages;
  guint64 qos_interval;         /* ns between reports; 0: report each loss */

  /* streaming thread; written under the object lock where stats and queries read it */
  GstRobocacheResampleSettings run;     /* settings as they were when caps were set */
  GstRobocacheResampleFormat format;
  RcSearch search;
  gboolean in_on_device, out_on_device;
  RcAlignPlan *plan;            /* of a stream; with episodes NULL too: not negotiated */
  RobocacheBlender blender;
  RobocacheEpisodes *episodes;  /* of a batch */
  gboolean failed;              /* an error of a device was posted: nothing is handed out any more */
  gboolean tried_caps;          /* set_caps was called since last cleared */
  gboolean stream_failed;       /* an error of the data was posted: rows of before do not go out any more */
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
  RobocacheStatisticsTimer stats_timer;
  RobocacheRowCounts past_counts;       /* of histories that are over, and of refused rows */
  RobocacheHistogram age;       /* of the newest row at or before a tick, at the tick */
  RobocacheLosses losses;       /* of rows; what is pending in it is the streaming thread's */
  RobocacheLosses tick_losses;  /* of dropped ticks, the streaming thread's */
  guint64 ticks_out, ticks_held, ticks_nan, ticks_dropped;
  RobocacheReadback readback;         /* of batches */
  guint64 disordered_episodes;
  GstClockTime last_pts;        /* of the last batch that was counted */
};

/* ---- where it computes (gstrobocacheresampleengine.c) ---- */

/* Chooses an engine for format and run, and makes plans. FALSE and an error that says which property does not fit, or
 * what the device lacks. */
gboolean gst_robocache_resample_open_engine (GstRobocacheResample * resample, GError ** error);
void gst_robocache_resample_close_engine (GstRobocacheResample * resample);
gboolean gst_robocache_resample_is_negotiated (const GstRobocacheResample * resample);
/* Whether rows stay in device memory until their tick. */
gboolean gst_robocache_resample_keeps_device_rows (const GstRobocacheResample * resample);
/* The plans of a batch, made anew on the CPU when error says that a GPU has no room. FALSE where they cannot be. */
gboolean gst_robocache_resample_fall_back (GstRobocacheResample * resample, const GError * error);
/* The row of a tick; NULL: an error was posted. */
GstBuffer *gst_robocache_resample_new_row (GstRobocacheResample * resample, const RobocacheAlignment * alignment);
/* Posts error, and hands out nothing any more. */
void gst_robocache_resample_fail (GstRobocacheResample * resample, const GError * error);

/* ---- rows in (gstrobocacheresamplerows.c) ---- */

/* FALSE and an error when the buffer is not what caps say. */
gboolean gst_robocache_resample_take_rows (GstRobocacheResample * resample, GstBuffer * buffer, GError ** error);

/* No more rows of this kind will come: what they still decide goes out, and they are forgotten; batches are counted. */
void gst_robocache_resample_finish_history (GstRobocacheResample * resample);

/* ---- what it tells of itself (gstrobocacheresamplestats.c); called without the object lock, but for the first three;
 * those that post, by the streaming thread ---- */

GstStructure *gst_robocache_resample_make_stats (GstRobocacheResample * resample);
void gst_robocache_resample_reset_stats (GstRobocacheResample * resample);
/* Takes all but the last so many jobs from the readback, with the object lock. FALSE and an error when a device failed. */
gboolean gst_robocache_resample_take_readback (GstRobocacheResample * resample, guint but_last, GError ** error);
/* Posts the stats when stats-interval has passed. */
void gst_robocache_resample_post_stats_when_due (GstRobocacheResample * resample, GstClockTime running_time);
/* Counts the rows of a buffer that is not taken. */
void gst_robocache_resample_refuse_rows (GstRobocacheResample * resample);
/* Posts QoS messages about rows and ticks lost since the last ones, unless those are less than qos-interval ago. */
void gst_robocache_resample_post_losses (GstRobocacheResample * resample);
/* The same at the end of a stream or segment, regardless of qos-interval. */
void gst_robocache_resample_flush_losses (GstRobocacheResample * resample);
/* The running time, when it says which rows are of use. */
GstClockTime gst_robocache_resample_live_now (GstRobocacheResample * resample);
void gst_robocache_resample_count_dropped_tick (GstRobocacheResample * resample, gint64 tick);

/* ---- recorded episodes (gstrobocacheresamplebatch.c) ---- */

/* Resamples a buffer of three tensors into batch_out. FALSE and an error when it is not what caps say; other errors are
 * posted. */
gboolean gst_robocache_resample_take_batch (GstRobocacheResample * resample, GstBuffer * buffer, GstFlowReturn * flow,
    GError ** error);
/* Waits for all but the last so many batches, and counts them. */
void gst_robocache_resample_count_batches (GstRobocacheResample * resample, guint but_last);

G_END_DECLS
#endif
