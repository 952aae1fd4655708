/* robocache: the state that the parts of robocachefuse share, its lock and its failures
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

GPtrArray *
gst_robocache_fuse_released_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) gst_mini_object_unref);
}

static gpointer
take_last (GPtrArray *released)
{
  return g_ptr_array_steal_index_fast (released, released->len - 1);
}

void
gst_robocache_fuse_unlock_to (GstRobocacheFuse *fuse, GPtrArray *released)
{
  while (fuse->released->len > 0)
    g_ptr_array_add (released, take_last (fuse->released));
  g_mutex_unlock (&fuse->lock);
}

/* Takes all at once: what is left behind would go in another thread. */
void
gst_robocache_fuse_unlock (GstRobocacheFuse *fuse)
{
  GstMiniObject *few[16];
  GPtrArray *many;
  guint n = 0;

  if (fuse->released->len > G_N_ELEMENTS (few)) {
    many = gst_robocache_fuse_released_new ();
    gst_robocache_fuse_unlock_to (fuse, many);
    g_ptr_array_unref (many);
    return;
  }
  while (fuse->released->len > 0)
    few[n++] = take_last (fuse->released);
  g_mutex_unlock (&fuse->lock);
  while (n > 0)
    gst_mini_object_unref (few[--n]);
}

void
gst_robocache_fuse_release_events (GstRobocacheFuse *fuse)
{
  GstEvent *event;

  while ((event = g_queue_pop_head (&fuse->events)))
    g_ptr_array_add (fuse->released, event);
}

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

FuseTimeSeen
gst_robocache_fuse_see_time (GstRobocacheFuse *fuse)
{
  FuseTimeSeen seen = {.running_time = GST_CLOCK_TIME_NONE,.monotonic = g_get_monotonic_time () * 1000 };
  GstClock *clock = NULL;
  GstClockTime now;

  GST_OBJECT_LOCK (fuse);
  seen.base_time = GST_ELEMENT_CAST (fuse)->base_time;
  if (GST_ELEMENT_CLOCK (fuse))
    seen.clock = clock = gst_object_ref (GST_ELEMENT_CLOCK (fuse));
  GST_OBJECT_UNLOCK (fuse);
  if (clock) {
    now = gst_clock_get_time (clock);
    seen.running_time = now > seen.base_time ? now - seen.base_time : 0;
    gst_object_unref (clock);
  }
  return seen;
}

GstClockTime
gst_robocache_fuse_clock_now (GstRobocacheFuse *fuse)
{
  return gst_robocache_fuse_see_time (fuse).running_time;
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

  if (fuse->is_replayed || (fuse->clock.live && pad->live) || pad->flow != GST_FLOW_OK || pad->flushing)
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
  gchar *name = pad ? gst_object_get_name (GST_OBJECT (pad)) : NULL;    /* the message has the element's */
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

/* ---- the journal ---- */

void
gst_robocache_fuse_note_taken (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, FuseJournalKind kind, guint64 n_rows,
    GstClockTime now)
{
  if (pad->removed)             /* what comes now changes nothing */
    return;
  if (pad->journal_number < 0)
    pad->journal_number = fuse_journal_add_pad (&fuse->journal, GST_OBJECT_NAME (pad));
  pad->n_rows += kind == FUSE_JOURNAL_ROWS ? (gint64) n_rows : 0;
  pad->n_gaps += kind == FUSE_JOURNAL_GAP;
  pad->n_events += kind == FUSE_JOURNAL_EVENT;
  fuse_journal_add (&fuse->journal, kind, pad->journal_number, n_rows, now);
}

/* ---- ticks and rows begin anew ---- */

void
gst_robocache_fuse_reset_ticks (GstRobocacheFuse *fuse)
{
  fuse_tick_clock_reset (&fuse->clock);
  fuse_journal_add (&fuse->journal, FUSE_JOURNAL_ENDED, -1, 0, GST_CLOCK_TIME_NONE);
  fuse->sent_buffer = fuse->segment_done_sent = FALSE;
  fuse->discont = TRUE;
  fuse->hole.n = fuse->qos_dropped = 0;
  fuse->last_gap = fuse->qos_last = fuse->awaited = ROBOCACHE_NO_TIME;
  fuse->seen.running_time = GST_CLOCK_TIME_NONE;
  fuse->segment_from = 0;
  for (guint i = 0; i < fuse->pads->len; i++)
    gst_robocache_fuse_nth_pad (fuse, i)->start_is_checked = gst_robocache_fuse_nth_pad (fuse, i)->end_is_checked = FALSE;
  fuse->common_origin = ROBOCACHE_NO_TIME;
  fuse->went_back = 0;
  robocache_statistics_timer_reset (&fuse->stats_timer);
  gst_robocache_fuse_release_events (fuse);
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
