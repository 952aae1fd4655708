/* robocache: robocacheresample, what it tells of itself: statistics, and QoS messages about what was lost
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "gstrobocacheresample.h"

#include <string.h>

#include "common/rows/qos.h"

/* ---- statistics ---- */

/* Called with the object lock. */
static RobocacheRowCounts
row_counts (const GstRobocacheResample *resample)
{
  RobocacheRowCounts counts = resample->past_counts;

  if (resample->has_history)
    robocache_row_counts_add (&counts, &resample->history.counts);
  return counts;
}

gboolean
gst_robocache_resample_take_readback (GstRobocacheResample *resample, guint but_last, GError **error)
{
  union
  {
    gint64 all[ROBOCACHE_EPISODES_N_COUNTERS];
    RcAlignCounters named;
  } counters;
  GstClockTime pts;

  while (robocache_readback_pending (&resample->readback) > but_last) {
    if (!robocache_readback_take (&resample->readback, counters.all, &pts, error))
      return FALSE;
    resample->disordered_episodes += (guint64) counters.named.disordered_episodes;
    resample->ticks_out += (guint64) (counters.named.aligned + counters.named.held + counters.named.missing);
    resample->ticks_held += (guint64) counters.named.held;
    resample->ticks_nan += (guint64) counters.named.missing;
    resample->last_pts = pts;
  }
  return TRUE;
}

GstStructure *
gst_robocache_resample_make_stats (GstRobocacheResample *resample)
{
  GstStructure *stats;
  RobocacheRowCounts counts;

  /* exact for what was handed out; a device that failed says so when it is used again */
  gst_robocache_resample_take_readback (resample, 0, NULL);
  counts = row_counts (resample);
  stats = gst_structure_new ("robocacheresample", "ticks-out", G_TYPE_UINT64, resample->ticks_out,
      "ticks-held", G_TYPE_UINT64, resample->ticks_held, "ticks-nan", G_TYPE_UINT64, resample->ticks_nan,
      "ticks-dropped", G_TYPE_UINT64, resample->ticks_dropped,
      "clock-jumps", G_TYPE_UINT64, resample->jump.n_jumps, "clock-shift", G_TYPE_INT64, resample->jump.shift,
      "disordered-episodes", G_TYPE_UINT64, resample->disordered_episodes,
      "last-pts", G_TYPE_UINT64, resample->last_pts, NULL);

  robocache_row_counts_to_structure (&counts, resample->has_history ? resample->history.n : 0, stats);
  robocache_histogram_to_structure (&resample->age, stats, "age");
  robocache_histogram_to_structure (&resample->losses.lateness, stats, "lateness");
  robocache_device_to_structure (&resample->device, stats);
  return stats;
}

void
gst_robocache_resample_reset_stats (GstRobocacheResample *resample)
{
  memset (&resample->past_counts, 0, sizeof (resample->past_counts));
  memset (&resample->losses, 0, sizeof (resample->losses));
  memset (&resample->tick_losses, 0, sizeof (resample->tick_losses));
  robocache_histogram_clear (&resample->age);
  resample->disordered_episodes = 0;
  resample->last_pts = GST_CLOCK_TIME_NONE;
  resample->ticks_out = resample->ticks_held = resample->ticks_nan = resample->ticks_dropped = 0;
}

void
gst_robocache_resample_post_stats_when_due (GstRobocacheResample *resample, GstClockTime running_time)
{
  GstStructure *stats = NULL;

  GST_OBJECT_LOCK (resample);
  if (robocache_statistics_timer_due (&resample->stats_timer, running_time))
    stats = gst_robocache_resample_make_stats (resample);
  GST_OBJECT_UNLOCK (resample);
  if (stats)
    robocache_statistics_post (GST_ELEMENT (resample), stats);
}

void
gst_robocache_resample_refuse_rows (GstRobocacheResample *resample)
{
  GST_OBJECT_LOCK (resample);
  if (!resample->format.batch)
    robocache_row_counts_refuse (&resample->past_counts, ROBOCACHE_DROPPED_REFUSED,
        gst_robocache_resample_is_negotiated (resample) ? resample->format.layout.n_rows : 1);
  GST_OBJECT_UNLOCK (resample);
}

/* ---- QoS ---- */

GstClockTime
gst_robocache_resample_live_now (GstRobocacheResample *resample)
{
  return resample->live ? robocache_running_time_now (GST_ELEMENT (resample)) : GST_CLOCK_TIME_NONE;
}

/* The time that spaces reports: the clock's when live, otherwise the newest row's. */
static gint64
report_time (GstRobocacheResample *resample)
{
  const GstClockTime now = gst_robocache_resample_live_now (resample);

  if (GST_CLOCK_TIME_IS_VALID (now))
    return (gint64) now;
  return resample->has_history ? resample->history.newest_row : ROBOCACHE_NO_TIME;
}

/* Reads losses when their report is due, or whatever is pending when at_end. Returns whether to post it. */
static gboolean
read_losses (GstRobocacheResample *resample, RobocacheLosses *losses, gboolean at_end, RobocacheLoss *loss)
{
  gint64 now, interval;
  gboolean on;

  if (losses->pending.n == 0)
    return FALSE;
  now = report_time (resample);
  GST_OBJECT_LOCK (resample);
  on = resample->qos_messages;
  interval = (gint64) MIN (resample->qos_interval, (guint64) G_MAXINT64);
  GST_OBJECT_UNLOCK (resample);
  return (at_end ? robocache_losses_flush (losses, loss) : robocache_losses_take (losses, now, interval, loss)) && on;
}

static void
post_losses (GstRobocacheResample *resample, gboolean at_end)
{
  const RobocacheQosPlace place = { GST_OBJECT (resample), &resample->clock.segment, resample->live };
  RobocacheRowCounts counts;
  guint64 out, dropped;
  RobocacheLoss loss;

  if (read_losses (resample, &resample->losses, at_end, &loss)) {
    GST_OBJECT_LOCK (resample);
    counts = row_counts (resample);
    GST_OBJECT_UNLOCK (resample);
    gst_element_post_message (GST_ELEMENT (resample), robocache_qos_of_rows (&place, &loss,
            resample->clock.nominal_duration, &counts));
  }
  if (read_losses (resample, &resample->tick_losses, at_end, &loss)) {
    GST_OBJECT_LOCK (resample);
    out = resample->ticks_out;
    dropped = resample->ticks_dropped;
    GST_OBJECT_UNLOCK (resample);
    gst_element_post_message (GST_ELEMENT (resample), robocache_qos_of_tick (&place, loss.time,
            robocache_tick_period (&resample->format.grid), loss.lateness, out, dropped));
  }
}

void
gst_robocache_resample_post_losses (GstRobocacheResample *resample)
{
  post_losses (resample, FALSE);
}

void
gst_robocache_resample_flush_losses (GstRobocacheResample *resample)
{
  post_losses (resample, TRUE);
}

void
gst_robocache_resample_count_dropped_tick (GstRobocacheResample *resample, gint64 tick)
{
  const GstClockTime now = gst_robocache_resample_live_now (resample);

  robocache_losses_late (&resample->tick_losses, tick, GST_CLOCK_TIME_IS_VALID (now)
      ? GST_CLOCK_DIFF ((GstClockTime) tick, now) : 0);
}
