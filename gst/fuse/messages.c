/* robocache: reports of robocachefuse: statistics, and QoS messages about losses
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "messages.h"

#include "common/rows/qos.h"

#define REMOVED_PADS "removed-pads"

/* ---- statistics ---- */

static void
add_structure (GstStructure *stats, GstStructure *part)
{
  gst_structure_set (stats, gst_structure_get_name (part), GST_TYPE_STRUCTURE, part, NULL);
  gst_structure_free (part);
}

/* Rows of all pads, those that are gone included. */
static void
add_totals (GstRobocacheFuse *fuse, GstStructure *stats)
{
  FuseStatistics *sum = g_new0 (FuseStatistics, 1);

  fuse_statistics_add (sum, &fuse->removed);
  for (guint i = 0; i < fuse->pads->len; i++)
    fuse_stream_add_statistics (&gst_robocache_fuse_nth_pad (fuse, i)->stream, sum);
  fuse_statistics_add_totals (sum, stats);
  g_free (sum);
}

GstStructure *
gst_robocache_fuse_make_statistics (GstRobocacheFuse *fuse)
{
  GstStructure *stats = gst_structure_new ("robocachefuse", "live", G_TYPE_BOOLEAN, fuse->clock.live, NULL);

  fuse_tick_statistics_to_structure (&fuse->ticks, stats);
  GST_OBJECT_LOCK (fuse);
  robocache_device_to_structure (&fuse->device, stats);
  GST_OBJECT_UNLOCK (fuse);
  add_totals (fuse, stats);
  for (guint i = 0; i < fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = gst_robocache_fuse_nth_pad (fuse, i);

    add_structure (stats, fuse_stream_to_structure (&pad->stream, GST_OBJECT_NAME (pad)));
  }
  add_structure (stats, fuse_statistics_to_structure (&fuse->removed, REMOVED_PADS));
  return stats;
}

GstStructure *
gst_robocache_fuse_make_pad_statistics (GstElement *element, GstRobocacheFusePad *pad)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (element);
  GstStructure *stats;

  FUSE_LOCK (fuse);
  stats = fuse_stream_to_structure (&pad->stream, GST_OBJECT_NAME (pad));
  FUSE_UNLOCK (fuse);
  return stats;
}

void
gst_robocache_fuse_close_statistics (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  fuse_stream_discard (&pad->stream, ROBOCACHE_DROPPED_REMOVED);
  fuse_stream_add_statistics (&pad->stream, &fuse->removed);
  fuse_timestamps_reset (&pad->stream.times);   /* its use of a shared origin ends */
  pad->removed = TRUE;
}

/* ---- QoS ---- */

static gboolean
get_qos_settings (GstRobocacheFuse *fuse, gint64 *interval)
{
  gboolean on;

  GST_OBJECT_LOCK (fuse);
  on = fuse->qos_messages;
  *interval = (gint64) MIN (fuse->qos_interval, G_MAXINT64);
  GST_OBJECT_UNLOCK (fuse);
  return on;
}

/* Intervals are of running time, or not live of the times of rows. */
static gint64
report_time (const GstRobocacheFusePad *pad, GstClockTime now)
{
  return GST_CLOCK_TIME_IS_VALID (now) ? (gint64) now : fuse_stream_last_time (&pad->stream);
}

gboolean
gst_robocache_fuse_losses_are_due (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstClockTime now)
{
  gint64 interval;

  return pad->stream.losses.pending.n > 0 && get_qos_settings (fuse, &interval)
      && robocache_losses_are_due (&pad->stream.losses, report_time (pad, now), interval);
}

static void
collect_losses (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstClockTime now, gint64 interval, gboolean all,
    GQueue *messages)
{
  const FuseStream *stream = &pad->stream;
  const RobocacheQosPlace place = { GST_OBJECT (pad), &stream->times.clock.segment, fuse->clock.live };
  const gint64 time = report_time (pad, now);
  FuseStatistics *statistics;
  RobocacheLoss loss;

  if (messages == NULL) {
    robocache_losses_flush (&pad->stream.losses, &loss);        /* nothing is reported afterwards */
    return;
  }
  if (all ? !robocache_losses_flush (&pad->stream.losses, &loss)
      : !robocache_losses_take (&pad->stream.losses, time, interval, &loss))
    return;
  statistics = g_new0 (FuseStatistics, 1);
  fuse_stream_add_statistics (stream, statistics);
  g_queue_push_tail (messages, robocache_qos_of_rows (&place, &loss, stream->times.clock.nominal_duration,
          &statistics->rows));
  g_free (statistics);
}

static void
collect_clock_event (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GQueue *messages)
{
  GstMessage *message = NULL;

  if (pad->stream.times.track)
    message = robocache_clock_event_message (pad->stream.times.track, GST_ELEMENT (fuse), GST_PAD (pad));
  if (message)
    g_queue_push_tail (messages, message);
}

static void
add_tick_message (GstRobocacheFuse *fuse, GstClockTime duration, gint64 lag, GQueue *messages)
{
  const RobocacheQosPlace place = { GST_OBJECT (fuse), &fuse->segment, fuse->clock.live };

  g_queue_push_tail (messages, robocache_qos_of_tick (&place, fuse->qos_first, duration, lag, fuse->ticks.n_out,
          fuse->ticks.n_dropped));
  fuse->qos_dropped = 0;
}

void
gst_robocache_fuse_collect_messages (GstRobocacheFuse *fuse, gboolean all, GQueue *messages)
{
  const GstClockTime now = gst_robocache_fuse_live_now (fuse);
  gint64 interval;
  const gboolean on = get_qos_settings (fuse, &interval);

  for (guint i = 0; i < fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = gst_robocache_fuse_nth_pad (fuse, i);

    if (pad->stream.losses.pending.n > 0)
      collect_losses (fuse, pad, now, interval, all, on ? messages : NULL);
    collect_clock_event (fuse, pad, messages);
  }
  if (on && all && fuse->qos_dropped > 0)
    add_tick_message (fuse, GST_CLOCK_TIME_NONE, 0, messages);
}

void
gst_robocache_fuse_collect_dropped (GstRobocacheFuse *fuse, gint64 first, GstClockTime duration, gint64 lag, guint64 n,
    GQueue *messages)
{
  gint64 interval;

  fuse->ticks.n_dropped += n;
  if (!get_qos_settings (fuse, &interval))
    return;
  if (fuse->qos_dropped == 0)
    fuse->qos_first = first;
  fuse->qos_dropped += n;
  if (fuse->qos_last != ROBOCACHE_NO_TIME && rc_add_saturating (first, -fuse->qos_last) < interval)
    return;
  fuse->qos_last = first;
  add_tick_message (fuse, duration, lag, messages);
}

void
gst_robocache_fuse_post_messages (GstRobocacheFuse *fuse, GQueue *messages)
{
  GstMessage *message;

  while ((message = g_queue_pop_head (messages)))
    gst_element_post_message (GST_ELEMENT (fuse), message);
}
