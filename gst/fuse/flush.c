/* robocache: seeks and flushes of robocachefuse
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "flush.h"

#include "common/time/segments.h"
#include "debug.h"
#include "downstream.h"
#include "gst/fuse/core/control.h"
#include "gst/fuse/core/status.h"
#include "gst/fuse/pads/padsettings.h"
#include "reports.h"
#include "task.h"

/* ---- flushes of all pads; with flush_lock ---- */

static gboolean
is_open (GstRobocacheFuse *fuse)
{
  return fuse->open_flush != GST_SEQNUM_INVALID;
}

/* Restarts the ticks. Called with the lock. */
static void
reset_ticks (GstRobocacheFuse *fuse)
{
  fuse->flush_has_reset = TRUE;
  fuse_core_reset_ticks (fuse->core);
  gst_robocache_fuse_reset_downstream (fuse);
  gst_robocache_fuse_reset_stats_timer (fuse);
}

/* pads: those whose FLUSH_STOP it waits for; NULL: all that are linked, since nothing else could end theirs. */
static void
begin_flush (GstRobocacheFuse *fuse, guint32 seqnum, const GPtrArray *pads)
{
  GstEvent *event = gst_event_new_flush_start ();

  GST_DEBUG_OBJECT (fuse, "a flush of all pads begins, number %u: waits for FLUSH_STOP of %s", seqnum, pads ? "those that seek"
      : "those that are linked");
  FUSE_LOCK (fuse);
  fuse->open_flush = seqnum;
  fuse->flush_resets = TRUE;
  fuse->flush_has_reset = FALSE;
  gst_robocache_fuse_mark_downstream (fuse, seqnum);
  for (guint i = 0; i < fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = gst_robocache_fuse_nth_pad (fuse, i);

    pad->flush_awaited = pads ? g_ptr_array_find ((GPtrArray *) pads, pad, NULL) : gst_pad_is_linked (GST_PAD (pad));
  }
  FUSE_UNLOCK (fuse);
  gst_event_set_seqnum (event, seqnum);
  gst_pad_push_event (fuse->src, event);
  gst_robocache_fuse_stop_task (fuse, TRUE);
}

/* Ends a flush that no pad holds open any more. */
static void
end_flush_when_due (GstRobocacheFuse *fuse, GPtrArray *released)
{
  gboolean due;
  GstEvent *event;
  guint32 seqnum;

  FUSE_LOCK (fuse);
  due = is_open (fuse) && fuse->pads->len > 0;
  for (guint i = 0; due && i < fuse->pads->len; i++)
    due = !gst_robocache_fuse_nth_pad (fuse, i)->flush_awaited;
  seqnum = fuse->open_flush;
  if (due) {
    fuse->open_flush = GST_SEQNUM_INVALID;
    gst_robocache_fuse_renew_segment (fuse);
    if (fuse->flush_resets)
      reset_ticks (fuse);
  }
  gst_robocache_fuse_unlock_to (fuse, released);
  if (!due)
    return;
  GST_DEBUG_OBJECT (fuse, "a flush of all pads ends, number %u", seqnum);
  event = gst_event_new_flush_stop (TRUE);
  gst_event_set_seqnum (event, seqnum);
  gst_pad_push_event (fuse->src, event);
  gst_robocache_fuse_start_task (fuse);
}

/* Whether a flush of a pad is one of all: every pad is between FLUSH_START and FLUSH_STOP, or after EOS nothing follows
 * without one. */
static gboolean
concerns_all (GstRobocacheFuse *fuse)
{
  gboolean any = FALSE, all = TRUE;

  FUSE_LOCK (fuse);
  for (guint i = 0; i < fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = gst_robocache_fuse_nth_pad (fuse, i);

    if (gst_pad_is_linked (GST_PAD (pad))) {
      any = TRUE;
      all &= pad->flushing;
    }
  }
  all &= any;
  all |= fuse->ended != GST_FLOW_OK;
  FUSE_UNLOCK (fuse);
  return all;
}

static gboolean
is_active (GstRobocacheFuse *fuse)
{
  return GST_PAD_IS_ACTIVE (fuse->src);
}

/* ---- flushes of a pad ---- */

static void
set_flushing (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, gboolean flushing)
{
  FUSE_LOCK (fuse);
  pad->flushing = flushing;
  g_cond_broadcast (&fuse->progress);
  FUSE_UNLOCK (fuse);
}

/* Drops the rows of a pad: kind is FUSE_EVENT_FLUSH or FUSE_EVENT_DISCARD. Called with the lock. */
static void
flush_stream (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, FuseEventKind kind)
{
  const FuseEvent event = {.kind = kind };

  fuse_core_event (fuse->core, pad->stream, &event, NULL);
  pad->flow = !is_open (fuse) && !fuse_core_has_failed (fuse->core) ? fuse->ended : GST_FLOW_OK;
  gst_robocache_fuse_look_for_failure (fuse);
  g_cond_broadcast (&fuse->progress);
}

static void
stop_flush (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GPtrArray *released)
{
  FUSE_LOCK (fuse);
  GST_DEBUG_OBJECT (pad, "FLUSH_STOP: its rows are dropped%s", is_open (fuse) ? ", and the ticks begin anew" : "");
  if (is_open (fuse))
    reset_ticks (fuse);
  pad->flush_awaited = pad->flushing = FALSE;
  flush_stream (fuse, pad, FUSE_EVENT_FLUSH);
  gst_robocache_fuse_unlock_to (fuse, released);
}

gboolean
gst_robocache_fuse_flush_event (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstEvent *event)
{
  const gboolean starts = GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START;
  const gboolean is_task = gst_robocache_fuse_is_task (fuse);   /* a flush of all would wait for its own thread */
  GPtrArray *released = gst_robocache_fuse_released_new ();

  if (starts)
    set_flushing (fuse, pad, TRUE);
  if (!is_task)
    g_rec_mutex_lock (&fuse->flush_lock);
  if (!starts)
    stop_flush (fuse, pad, released);
  else if (!is_task && is_active (fuse) && !is_open (fuse) && concerns_all (fuse))
    begin_flush (fuse, gst_event_get_seqnum (event), NULL);
  if (!is_task) {
    end_flush_when_due (fuse, released);
    g_rec_mutex_unlock (&fuse->flush_lock);
  }
  g_ptr_array_unref (released);
  gst_event_unref (event);
  return TRUE;
}

/* ---- pads that come and go ---- */

void
gst_robocache_fuse_excuse_from_flush (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  const gboolean is_task = gst_robocache_fuse_is_task (fuse);   /* which a flush that is open may wait for */
  GPtrArray *released = gst_robocache_fuse_released_new ();

  if (!is_task)
    g_rec_mutex_lock (&fuse->flush_lock);
  FUSE_LOCK (fuse);
  if (pad->flush_awaited && !pad->stream->is_removed)
    flush_stream (fuse, pad, FUSE_EVENT_DISCARD);
  pad->flush_awaited = FALSE;
  gst_robocache_fuse_unlock_to (fuse, released);
  if (!is_task) {
    end_flush_when_due (fuse, released);
    g_rec_mutex_unlock (&fuse->flush_lock);
  }
  g_ptr_array_unref (released);
}

void
gst_robocache_fuse_activate_sink (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, gboolean active)
{
  set_flushing (fuse, pad, !active);
  if (!active)
    gst_robocache_fuse_excuse_from_flush (fuse, pad);
}

static void
forget_flush (GstRobocacheFuse *fuse)
{
  FUSE_LOCK (fuse);
  fuse->open_flush = GST_SEQNUM_INVALID;
  for (guint i = 0; i < fuse->pads->len; i++)
    gst_robocache_fuse_nth_pad (fuse, i)->flush_awaited = FALSE;
  fuse->last_seek = GST_SEQNUM_INVALID;
  FUSE_UNLOCK (fuse);
}

void
gst_robocache_fuse_activate_src (GstRobocacheFuse *fuse, gboolean active)
{
  g_rec_mutex_lock (&fuse->flush_lock);
  if (!active) {
    forget_flush (fuse);
    gst_robocache_fuse_stop_task (fuse, FALSE);
  } else if (!is_open (fuse)) { /* a flush that began since the pad became active ends by starting the task */
    gst_robocache_fuse_start_task (fuse);
  }
  g_rec_mutex_unlock (&fuse->flush_lock);
}

/* ---- seeks: which ones, and to whom ---- */

static gboolean
is_flushing (GstEvent *seek)
{
  GstSeekFlags flags;

  gst_event_parse_seek (seek, NULL, NULL, &flags, NULL, NULL, NULL, NULL);
  return (flags & GST_SEEK_FLAG_FLUSH) != 0;
}

/* What an event asks for that cannot be done; NULL: it can. Called with the lock. */
static const gchar *
find_fault (GstRobocacheFuse *fuse, GstEvent *seek)
{
  GstSeekType start_type;
  GstSeekFlags flags;
  GstSegment segment;

  gst_event_parse_seek (seek, NULL, NULL, &flags, &start_type, NULL, NULL, NULL);
  gst_robocache_fuse_newest_segment (fuse, &segment);
  if (flags & GST_SEEK_FLAG_INSTANT_RATE_CHANGE || !robocache_seek_fits (&segment, seek))
    return "it must play forwards in TIME, and stop after its start";
  if (!(flags & GST_SEEK_FLAG_FLUSH) && start_type != GST_SEEK_TYPE_SET)
    return "without a flush, it must set a start, because sources are at different positions";
  if (!(flags & GST_SEEK_FLAG_FLUSH) && (fuse->ended != GST_FLOW_OK || is_open (fuse)))
    return "after the end or during a flush, it must flush";
  return fuse_core_awaits_new_streams (fuse->core) && gst_robocache_fuse_n_unused_pad_settings (fuse) > 0
      ? "pads that the first tick waits for are not linked yet" : NULL;
}

/* An element that adds pads may bring one that does not get the seek. */
static void
note_early_seek (GstRobocacheFuse *fuse)
{
  FUSE_LOCK (fuse);
  if (fuse->expected_pads)
    fuse_expected_pads_note_seek (fuse->expected_pads);
  FUSE_UNLOCK (fuse);
}

static gboolean
is_supported (GstRobocacheFuse *fuse, GstEvent *seek)
{
  const gchar *fault;

  FUSE_LOCK (fuse);
  fault = find_fault (fuse, seek);
  FUSE_UNLOCK (fuse);
  if (fault)
    GST_INFO_OBJECT (fuse, "a seek is refused: %s: %" GST_PTR_FORMAT, fault, seek);
  else
    GST_DEBUG_OBJECT (fuse, "%" GST_PTR_FORMAT, seek);
  return fault == NULL;
}

static gboolean
source_seeks (GstPad *pad)
{
  GstQuery *query = gst_query_new_seeking (GST_FORMAT_TIME);
  gboolean seekable = TRUE;

  if (gst_pad_peer_query (pad, query))
    gst_query_parse_seeking (query, NULL, &seekable, NULL, NULL);
  gst_query_unref (query);
  if (!seekable)
    GST_INFO_OBJECT (pad, "the source cannot seek");
  return seekable;
}

/* Linked pads whose sources can seek; free with g_ptr_array_unref. */
static GPtrArray *
pads_that_seek (GstRobocacheFuse *fuse)
{
  GPtrArray *pads = gst_robocache_fuse_ref_pads (fuse);

  for (guint i = pads->len; i > 0; i--) {
    GstPad *pad = g_ptr_array_index (pads, i - 1);

    if (!gst_pad_is_linked (pad) || !source_seeks (pad))
      g_ptr_array_remove_index (pads, i - 1);
  }
  return pads;
}

gboolean
gst_robocache_fuse_sources_seek (GstRobocacheFuse *fuse)
{
  GPtrArray *pads = pads_that_seek (fuse);
  const gboolean any = pads->len > 0;

  g_ptr_array_unref (pads);
  return any;
}

/* ---- what a seek asks a source for ---- */

/* The seek that a pad's source gets, which brings the rows that the others have at the start; a reference. */
static GstEvent *
seek_of_pad (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstEvent *seek)
{
  GstSeekType start_type, stop_type;
  gint64 start, stop;
  GstSeekFlags flags;
  GstFormat format;
  GstEvent *moved;
  gboolean moves;
  gdouble rate;

  gst_event_parse_seek (seek, &rate, &format, &flags, &start_type, &start, &stop_type, &stop);
  FUSE_LOCK (fuse);
  moves = pad->stream->origin_shift != 0;
  if (start_type == GST_SEEK_TYPE_SET)
    start = fuse_stream_position (pad->stream, start);
  if (stop_type == GST_SEEK_TYPE_SET && stop >= 0)
    stop = fuse_stream_position (pad->stream, stop);
  FUSE_UNLOCK (fuse);
  if (!moves)
    return gst_event_ref (seek);
  moved = gst_event_new_seek (rate, format, flags, start_type, start, stop_type, stop);
  gst_event_set_seqnum (moved, gst_event_get_seqnum (seek));
  return moved;
}

/* An event for the core about a seek without a flush. Called with the lock. */
static void
note_seek (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, FuseEventKind kind, GstEvent *seek)
{
  const FuseEvent event = {.kind = kind,.seek = gst_event_get_seqnum (seek) };

  if (!pad->stream->is_removed)
    fuse_core_event (fuse->core, pad->stream, &event, NULL);
}

static gboolean
forward_to (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstEvent *seek)
{
  const gboolean ok = gst_pad_push_event (GST_PAD (pad), seek_of_pad (fuse, pad, seek));

  GST_DEBUG_OBJECT (pad, "the source %s seek %u", ok ? "has done" : "refuses", gst_event_get_seqnum (seek));
  if (ok || is_flushing (seek))
    return ok;
  FUSE_LOCK (fuse);
  note_seek (fuse, pad, FUSE_EVENT_SEEK_FAILED, seek);
  FUSE_UNLOCK (fuse);
  return ok;
}

/* Sources flush from any thread, so flush_lock is free while they are asked. FALSE: one has failed to seek. */
static gboolean
forward_seek (GstRobocacheFuse *fuse, GstEvent *seek, const GPtrArray *pads)
{
  gboolean all = TRUE;

  for (guint i = 0; i < pads->len; i++)
    all &= forward_to (fuse, g_ptr_array_index (pads, i), seek);
  return all;
}

/* ---- the segment that a seek asks for ---- */

static void
apply_seek (GstSegment *segment, GstEvent *seek)
{
  GstSeekType start_type, stop_type;
  gint64 start, stop;
  GstSeekFlags flags;
  GstFormat format;
  gdouble rate;

  gst_event_parse_seek (seek, &rate, &format, &flags, &start_type, &start, &stop_type, &stop);
  if (start_type == GST_SEEK_TYPE_SET || !GST_CLOCK_TIME_IS_VALID (segment->position))
    segment->position = segment->start;
  gst_segment_do_seek (segment, rate, format, flags, start_type, (guint64) start, stop_type, (guint64) stop, NULL);
}

/* Live, rows of a source that is not flushed have the running time of before. Called with the lock. */
static void
leave_behind (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  if (pad->stream->eos)
    return;
  if (pad->stream->source.live)
    flush_stream (fuse, pad, FUSE_EVENT_DISCARD);
  else if (pad->flow > GST_FLOW_NOT_NEGOTIATED)
    pad->flow = GST_FLOW_OK;
}

/* Makes the seek's segment ours, and begins its flush. With flush_lock. */
static void
begin_flushing_seek (GstRobocacheFuse *fuse, GstEvent *seek, GPtrArray *pads, GPtrArray *released)
{
  GstSegment segment;

  begin_flush (fuse, gst_event_get_seqnum (seek), pads);
  FUSE_LOCK (fuse);
  segment = fuse->segment;
  apply_seek (&segment, seek);
  gst_robocache_fuse_set_segment (fuse, &segment);
  for (guint i = 0; i < fuse->pads->len; i++) {
    if (!g_ptr_array_find (pads, gst_robocache_fuse_nth_pad (fuse, i), NULL))
      leave_behind (fuse, gst_robocache_fuse_nth_pad (fuse, i));
  }
  gst_robocache_fuse_unlock_to (fuse, released);
}

/* The seek's segment comes after this one: ticks wait for all sources to begin it. With flush_lock. */
static void
begin_other_seek (GstRobocacheFuse *fuse, GstEvent *seek, GPtrArray *pads)
{
  GstSegment segment;

  FUSE_LOCK (fuse);
  gst_robocache_fuse_newest_segment (fuse, &segment);
  apply_seek (&segment, seek);
  gst_robocache_fuse_add_segment (fuse, &segment, gst_event_get_seqnum (seek));
  for (guint i = 0; i < pads->len; i++)
    note_seek (fuse, g_ptr_array_index (pads, i), FUSE_EVENT_SEEK, seek);
  g_cond_broadcast (&fuse->progress);
  FUSE_UNLOCK (fuse);
}

/* A source has failed to seek: no flush is awaited, and the segment stays unchanged. Called with flush_lock. */
static void
take_back_seek (GstRobocacheFuse *fuse, guint32 seqnum, GstSegment *before)
{
  GST_INFO_OBJECT (fuse, "seek %u fails, since a source refuses it: samples continue in the segment before", seqnum);
  FUSE_LOCK (fuse);
  if (fuse->last_seek == seqnum)
    fuse->last_seek = GST_SEQNUM_INVALID;
  if (fuse->open_flush == seqnum) {
    fuse->flush_resets = FALSE;
    for (guint i = 0; i < fuse->pads->len; i++)
      gst_robocache_fuse_nth_pad (fuse, i)->flush_awaited = FALSE;
    if (fuse->flush_has_reset)
      before->base = 0;
    gst_robocache_fuse_set_segment (fuse, before);
  }
  FUSE_UNLOCK (fuse);
}

/* A source cannot continue a segment after its end. Called without locks. */
static void
leave_out_ended_pads (GstRobocacheFuse *fuse, GPtrArray *pads)
{
  FUSE_LOCK (fuse);
  for (guint i = pads->len; i > 0; i--) {
    if (((GstRobocacheFusePad *) g_ptr_array_index (pads, i - 1))->stream->eos)
      g_ptr_array_remove_index (pads, i - 1);
  }
  FUSE_UNLOCK (fuse);
}

/* FALSE: the element stops, or has this seek already, of another sink; then *ok is whether it is under way. With flush_lock. */
static gboolean
accept_seek (GstRobocacheFuse *fuse, GstEvent *seek, GPtrArray *pads, GPtrArray *released, gboolean *ok)
{
  const guint32 seqnum = gst_event_get_seqnum (seek);

  *ok = is_active (fuse) && fuse->last_seek == seqnum;
  if (!is_active (fuse) || fuse->last_seek == seqnum)
    return FALSE;
  fuse->last_seek = seqnum;
  if (is_flushing (seek))
    begin_flushing_seek (fuse, seek, pads, released);
  else
    begin_other_seek (fuse, seek, pads);
  return TRUE;
}

/* Before any source can end its segment: the pipeline waits for the SEGMENT_DONE of each element that posted this. */
static void
post_segment_start (GstRobocacheFuse *fuse, GstEvent *seek)
{
  GstMessage *message;
  GstSeekFlags flags;
  GstSegment segment;

  gst_event_parse_seek (seek, NULL, NULL, &flags, NULL, NULL, NULL, NULL);
  if (!(flags & GST_SEEK_FLAG_SEGMENT))
    return;
  FUSE_LOCK (fuse);
  gst_robocache_fuse_newest_segment (fuse, &segment);
  FUSE_UNLOCK (fuse);
  message = gst_message_new_segment_start (GST_OBJECT (fuse), GST_FORMAT_TIME, (gint64) segment.start);
  gst_message_set_seqnum (message, gst_event_get_seqnum (seek));
  gst_element_post_message (GST_ELEMENT (fuse), message);
}

static gboolean
run_seek (GstRobocacheFuse *fuse, GstEvent *seek, GPtrArray *pads)
{
  GPtrArray *released = gst_robocache_fuse_released_new ();
  GstSegment before;
  gboolean ok;

  g_rec_mutex_lock (&fuse->flush_lock);
  FUSE_LOCK (fuse);
  before = fuse->segment;
  FUSE_UNLOCK (fuse);
  if (accept_seek (fuse, seek, pads, released, &ok)) {
    g_rec_mutex_unlock (&fuse->flush_lock);
    post_segment_start (fuse, seek);
    ok = forward_seek (fuse, seek, pads);
    g_rec_mutex_lock (&fuse->flush_lock);
    if (!ok)
      take_back_seek (fuse, gst_event_get_seqnum (seek), &before);
    if (is_active (fuse))
      end_flush_when_due (fuse, released);
  }
  g_rec_mutex_unlock (&fuse->flush_lock);
  g_ptr_array_unref (released);
  return ok;
}

static gboolean
seek_sources (GstRobocacheFuse *fuse, GstEvent *seek)
{
  GPtrArray *pads = pads_that_seek (fuse);
  gboolean ok;

  if (!is_flushing (seek))
    leave_out_ended_pads (fuse, pads);
  if (pads->len == 0)
    GST_INFO_OBJECT (fuse, "a seek is refused: no source can seek: %" GST_PTR_FORMAT, seek);
  ok = pads->len > 0 && run_seek (fuse, seek, pads);
  g_ptr_array_unref (pads);
  return ok;
}

gboolean
gst_robocache_fuse_seek (GstRobocacheFuse *fuse, GstEvent *event)
{
  gboolean ok = FALSE;

  if (is_flushing (event) && gst_robocache_fuse_is_task (fuse))
    GST_WARNING_OBJECT (fuse, "a seek from the thread that sends samples is refused, because its flush would wait for itself");
  else
    ok = is_supported (fuse, event) && seek_sources (fuse, event);
  if (ok)
    note_early_seek (fuse);
  gst_event_unref (event);
  return ok;
}
