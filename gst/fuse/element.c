/* robocache: what the parts of the robocachefuse element share: its state, its lock and its failures
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element.h"

#include "common/element/errors.h"
#include "gst/fuse/stream/debug.h"

/* A pad that is not live may be this many rows ahead of the next tick; then its source waits until there is room for several
 * more, since each wait costs as much as many rows. */
#define MAX_ROWS_AHEAD 32
#define ROWS_AHEAD_TO_CONTINUE 16

void
gst_robocache_fuse_wake (GstRobocacheFuse *fuse)
{
  g_atomic_int_inc (&fuse->wakeups);
  if (fuse->clock_id)
    gst_clock_id_unschedule (fuse->clock_id);
  else if (fuse->sleeps)
    g_cond_signal (&fuse->work);
  fuse->sleeps = FALSE;
}

GstRobocacheFusePad *
gst_robocache_fuse_nth_pad (GstRobocacheFuse *fuse, guint i)
{
  return g_ptr_array_index (fuse->pads, i);
}

GPtrArray *
gst_robocache_fuse_ref_pads (GstRobocacheFuse *fuse)
{
  GPtrArray *pads = g_ptr_array_new_with_free_func (gst_object_unref);

  FUSE_LOCK (fuse);
  for (guint i = 0; i < fuse->pads->len; i++)
    g_ptr_array_add (pads, gst_object_ref (g_ptr_array_index (fuse->pads, i)));
  FUSE_UNLOCK (fuse);
  return pads;
}

GstClockTime
gst_robocache_fuse_clock_now (GstRobocacheFuse *fuse)
{
  GstClock *clock = gst_element_get_clock (GST_ELEMENT (fuse));
  const GstClockTime base_time = gst_element_get_base_time (GST_ELEMENT (fuse));
  GstClockTime now;

  if (clock == NULL)
    return GST_CLOCK_TIME_NONE;
  now = gst_clock_get_time (clock);
  gst_object_unref (clock);
  return now > base_time ? now - base_time : 0;
}

GstClockTime
gst_robocache_fuse_live_now (GstRobocacheFuse *fuse)
{
  return fuse->clock.live && fuse->playing ? gst_robocache_fuse_clock_now (fuse) : GST_CLOCK_TIME_NONE;
}

gboolean
gst_robocache_fuse_is_ahead (GstRobocacheFuse *fuse, const GstRobocacheFusePad *pad)
{
  const gsize too_many = pad->waiting ? ROWS_AHEAD_TO_CONTINUE : MAX_ROWS_AHEAD;
  const FuseStream *stream = &pad->stream;
  gint64 tick;

  if ((fuse->clock.live && pad->live) || pad->flow != GST_FLOW_OK || pad->flushing)
    return FALSE;
  if (fuse_tick_clock_candidate (&fuse->clock, &tick))
    return fuse_stream_rows_after (stream, tick) >= too_many && fuse_stream_is_ready (stream, tick, TRUE)
        && fuse_stream_frontier (stream) >= tick;
  if (stream == fuse->clock.reference)
    return FALSE;
  return fuse_stream_rows_after (stream, fuse->clock.last_tick) >= too_many
      && fuse_stream_frontier (stream) >= fuse_stream_first_time (stream);
}

/* ---- failures ---- */

gboolean
gst_robocache_fuse_end_streams (GstRobocacheFuse *fuse, GstFlowReturn flow)
{
  gboolean failed = fuse->failed;

  if (fuse->ended == GST_FLOW_OK)
    fuse->ended = flow;
  for (guint i = 0; i < fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = gst_robocache_fuse_nth_pad (fuse, i);

    if (pad->flow > GST_FLOW_NOT_NEGOTIATED)
      pad->flow = flow;
  }
  fuse->failed |= flow <= GST_FLOW_NOT_NEGOTIATED;
  g_cond_broadcast (&fuse->progress);
  return !failed;
}

void
gst_robocache_fuse_look_for_failure (GstRobocacheFuse *fuse)
{
  fuse->failed = FALSE;
  for (guint i = 0; i < fuse->pads->len; i++)
    fuse->failed |= gst_robocache_fuse_nth_pad (fuse, i)->flow <= GST_FLOW_NOT_NEGOTIATED;
}

void
gst_robocache_fuse_post_failure (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GError *error)
{
  gchar *name = gst_object_get_name (pad ? GST_OBJECT (pad) : GST_OBJECT (fuse));
  GstClockTime position = GST_CLOCK_TIME_NONE;

  FUSE_LOCK (fuse);
  if (fuse->segment.format == GST_FORMAT_TIME)
    position = gst_segment_to_stream_time (&fuse->segment, GST_FORMAT_TIME, fuse->segment.position);
  FUSE_UNLOCK (fuse);
  robocache_post_error_at (GST_ELEMENT (fuse), name, error, position);
  g_free (name);
  g_error_free (error);
}

void
gst_robocache_fuse_fail (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstFlowReturn flow, GError *error)
{
  gboolean first;

  FUSE_LOCK (fuse);
  first = gst_robocache_fuse_end_streams (fuse, flow);
  FUSE_UNLOCK (fuse);
  if (first)
    gst_robocache_fuse_post_failure (fuse, pad, error);
  else
    g_error_free (error);
}

/* ---- ticks and rows begin anew ---- */

void
gst_robocache_fuse_reset_ticks (GstRobocacheFuse *fuse)
{
  fuse_tick_clock_reset (&fuse->clock);
  fuse->sent_buffer = fuse->segment_done_sent = FALSE;
  fuse->discont = TRUE;
  fuse->hole.n = fuse->qos_dropped = 0;
  fuse->last_gap = fuse->qos_last = fuse->awaited = ROBOCACHE_NO_TIME;
  robocache_statistics_timer_reset (&fuse->stats_timer);
  g_queue_clear_full (&fuse->events, (GDestroyNotify) gst_event_unref);
}

void
gst_robocache_fuse_flush_stream (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  fuse_stream_flush (&pad->stream);
  pad->flow = fuse->open_flush == GST_SEQNUM_INVALID && !fuse->failed ? fuse->ended : GST_FLOW_OK;
  gst_robocache_fuse_look_for_failure (fuse);
  fuse->composition_changed = TRUE;     /* rows of an older format may have gone */
  g_cond_broadcast (&fuse->progress);
  gst_robocache_fuse_wake (fuse);
}
