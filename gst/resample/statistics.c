/* robocache: robocacheresample, statistics and QoS messages
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "statistics.h"

#include <string.h>

#include "common/rows/reports.h"

void
gst_robocache_resample_statistics_reset (GstRobocacheResampleStatistics *statistics)
{
  memset (statistics, 0, sizeof (*statistics));
  statistics->last_pts = GST_CLOCK_TIME_NONE;
}

static void
add_dropped_ticks (GstRobocacheResampleStatistics *statistics, const GstRobocacheResampleTick *tick, GstClockTime now)
{
  statistics->ticks_dropped += tick->n_ticks;
  robocache_losses_late (&statistics->ticks, tick->time,
      GST_CLOCK_TIME_IS_VALID (now) ? GST_CLOCK_DIFF ((GstClockTime) tick->time, now) : 0);
  robocache_losses_dropped (&statistics->ticks, tick->time, tick->n_ticks - 1);
}

void
gst_robocache_resample_statistics_add_tick (GstRobocacheResampleStatistics *statistics, const GstRobocacheResampleTick *tick,
    GstClockTime now)
{
  const gint32 status = tick->alignment.bracket.status;

  robocache_quaternion_check_scattered (&statistics->quaternions, rc_bracket_is_scattered (&tick->alignment.bracket));
  if (tick->dropped) {
    add_dropped_ticks (statistics, tick, now);
    return;
  }
  statistics->ticks_out++;
  statistics->ticks_held += status == RC_HELD;
  statistics->ticks_nan += status == RC_MISSING;
  if (status != RC_MISSING && tick->alignment.used != ROBOCACHE_NO_TIME)
    robocache_histogram_add (&statistics->age, tick->time - tick->alignment.used);
}

void
gst_robocache_resample_statistics_add_batch (GstRobocacheResampleStatistics *statistics, const RcAlignCounters *counters,
    GstClockTime pts)
{
  statistics->disordered_episodes += (guint64) counters->disordered_episodes;
  statistics->ticks_out += (guint64) (counters->aligned + counters->held + counters->missing);
  statistics->ticks_held += (guint64) counters->held;
  statistics->ticks_nan += (guint64) counters->missing;
  robocache_quaternion_check_scattered (&statistics->quaternions, (guint64) counters->scattered);
  statistics->last_pts = pts;
}

static RobocacheRowCounts
count_rows (const GstRobocacheResampleStatistics *statistics, const GstRobocacheResampleStream *stream)
{
  RobocacheRowCounts counts = statistics->past_rows;

  if (stream->is_open)
    robocache_row_counts_add (&counts, &stream->history.counts);
  return counts;
}

GstStructure *
gst_robocache_resample_statistics_to_structure (const GstRobocacheResampleStatistics *statistics,
    const GstRobocacheResampleStream *stream)
{
  const RobocacheRowCounts counts = count_rows (statistics, stream);
  GstStructure *structure = gst_structure_new ("robocacheresample", "ticks-out", G_TYPE_UINT64, statistics->ticks_out,
      "ticks-held", G_TYPE_UINT64, statistics->ticks_held, "ticks-nan", G_TYPE_UINT64, statistics->ticks_nan,
      "ticks-dropped", G_TYPE_UINT64, statistics->ticks_dropped,
      "clock-jumps", G_TYPE_UINT64, stream->jump.n_jumps, "clock-shift", G_TYPE_INT64, stream->jump.shift,
      "disordered-episodes", G_TYPE_UINT64, statistics->disordered_episodes,
      "last-pts", G_TYPE_UINT64, statistics->last_pts,
      "kinds", G_TYPE_STRING, statistics->kinds ? statistics->kinds : "",
      "kinds-source", G_TYPE_STRING, statistics->kinds_source ? statistics->kinds_source : "none", NULL);

  if (stream->is_open || stream->max_gap != 0)
    gst_structure_set (structure, "max-gap", G_TYPE_INT64, gst_robocache_resample_stream_max_gap (stream), NULL);
  robocache_quaternion_check_to_structure (&statistics->quaternions, structure);
  robocache_row_counts_to_structure (&counts, stream->is_open ? stream->history.n : 0, structure);
  robocache_histogram_to_structure (&statistics->age, structure, "age");
  robocache_histogram_to_structure (&statistics->rows.lateness, structure, "lateness");
  return structure;
}

static gboolean
read_losses (RobocacheLosses *losses, const GstRobocacheResampleReport *report, RobocacheLoss *loss)
{
  const gint64 interval = (gint64) MIN (report->interval, (guint64) G_MAXINT64);

  return (report->at_end ? robocache_losses_flush (losses, loss) : robocache_losses_take (losses, report->now, interval, loss))
      && report->on;
}

void
gst_robocache_resample_statistics_report (GstRobocacheResampleStatistics *statistics,
    const GstRobocacheResampleStream *stream, GstElement *element, const GstRobocacheResampleReport *report)
{
  const RobocacheQosPlace place = { GST_OBJECT (element), &stream->clock.segment, stream->live };
  const RobocacheRowCounts counts = count_rows (statistics, stream);
  RobocacheLoss loss;

  if (read_losses (&statistics->rows, report, &loss))
    gst_element_post_message (element, robocache_qos_of_rows (&place, &loss, stream->clock.nominal_duration, &counts));
  if (read_losses (&statistics->ticks, report, &loss))
    gst_element_post_message (element, robocache_qos_of_tick (&place, loss.time, robocache_tick_period (&stream->format.grid),
            loss.lateness, statistics->ticks_out, statistics->ticks_dropped));
}
