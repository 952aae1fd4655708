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
#include "reports.h"
#include "task.h"

/* ---- flushes of all pads; with flush_lock ---- */

static gboolean
is_open (GstRobocacheFuse *fuse)
{
  return fuse->open_flush != GST_SEQNUM_INVALID;
}

/* The ticks begin anew. Called with the lock. */
static void
reset_ticks (GstRobocacheFuse *fuse)
{
  fuse_core_reset_ticks (fuse->core);
  gst_robocache_fuse_reset_downstream (fuse);
  gst_robocache_fuse_reset_stats_timer (fuse);
}

static void
begin_flush (GstRobocacheFuse *fuse, guint32 seqnum)
{
  GstEvent *event = gst_event_new_flush_start ();

  GST_DEBUG_OBJECT (fuse, "a flush of all pads begins");
  FUSE_LOCK (fuse);
  fuse->open_flush = seqnum;
  fuse->flush_resets = TRUE;
  gst_robocache_fuse_mark_downstream (fuse, seqnum);
  for (guint i = 0; i < fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = gst_robocache_fuse_nth_pad (fuse, i);

    pad->flush_awaited = gst_pad_is_linked (GST_PAD (pad));     /* nothing else could end it */
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
  GST_DEBUG_OBJECT (fuse, "a flush of all pads ends");
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
    begin_flush (fuse, gst_event_get_seqnum (event));
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

/* ---- seeks ---- */

/* Without a flush our segment would change, and downstream would not be told. */
static gboolean
is_supported (GstRobocacheFuse *fuse, GstEvent *event)
{
  GstSeekFlags flags;
  gboolean fits;

  gst_event_parse_seek (event, NULL, NULL, &flags, NULL, NULL, NULL, NULL);
  FUSE_LOCK (fuse);
  fits = flags & GST_SEEK_FLAG_FLUSH && robocache_seek_fits (&fuse->segment, event);
  FUSE_UNLOCK (fuse);
  if (!fits)
    GST_INFO_OBJECT (fuse, "a seek is refused: it must flush, play forwards in TIME, and stop after its start: %" GST_PTR_FORMAT,
        event);
  return fits;
}

static gboolean
source_seeks (GstPad *pad)
{
  GstQuery *query = gst_query_new_seeking (GST_FORMAT_TIME);
  gboolean seekable = TRUE;

  if (gst_pad_peer_query (pad, query))
    gst_query_parse_seeking (query, NULL, &seekable, NULL, NULL);
  gst_query_unref (query);
  return seekable;
}

gboolean
gst_robocache_fuse_sources_seek (GstRobocacheFuse *fuse)
{
  GPtrArray *pads = gst_robocache_fuse_ref_pads (fuse);
  gboolean all = FALSE;

  for (guint i = 0; i < pads->len; i++) {
    GstPad *pad = g_ptr_array_index (pads, i);

    if (!gst_pad_is_linked (pad))
      continue;
    all = source_seeks (pad);
    if (!all) {
      GST_INFO_OBJECT (fuse, "the source of %s cannot seek", GST_OBJECT_NAME (pad));
      break;
    }
  }
  g_ptr_array_unref (pads);
  return all;
}

/* Makes the seek's segment ours, and begins its flush. FALSE: the element stops, or has this seek already. With flush_lock. */
static gboolean
begin_seek (GstRobocacheFuse *fuse, GstEvent *event)
{
  const guint32 seqnum = gst_event_get_seqnum (event);
  GstSeekType start_type, stop_type;
  gint64 start, stop;
  GstSeekFlags flags;
  GstSegment segment;
  GstFormat format;
  gdouble rate;

  if (!is_active (fuse) || fuse->last_seek == seqnum)
    return FALSE;
  fuse->last_seek = seqnum;
  gst_event_parse_seek (event, &rate, &format, &flags, &start_type, &start, &stop_type, &stop);
  begin_flush (fuse, seqnum);
  FUSE_LOCK (fuse);
  segment = fuse->segment;
  gst_segment_do_seek (&segment, rate, format, flags, start_type, (guint64) start, stop_type, (guint64) stop, NULL);
  gst_robocache_fuse_set_segment (fuse, &segment);
  FUSE_UNLOCK (fuse);
  return TRUE;
}

/* A source has failed to seek: no flush is awaited, and the segment is what it was. With flush_lock. */
static void
take_back_seek (GstRobocacheFuse *fuse, guint32 seqnum, const GstSegment *before)
{
  FUSE_LOCK (fuse);
  if (fuse->last_seek == seqnum)
    fuse->last_seek = GST_SEQNUM_INVALID;
  if (fuse->open_flush == seqnum) {
    fuse->flush_resets = FALSE;
    for (guint i = 0; i < fuse->pads->len; i++)
      gst_robocache_fuse_nth_pad (fuse, i)->flush_awaited = FALSE;
    gst_robocache_fuse_set_segment (fuse, before);
  }
  FUSE_UNLOCK (fuse);
}

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

static gboolean
forward_seek (GstRobocacheFuse *fuse, GstEvent *event)
{
  GPtrArray *pads = gst_robocache_fuse_ref_pads (fuse);
  gboolean all = TRUE;

  for (guint i = 0; i < pads->len; i++) {
    GstPad *pad = g_ptr_array_index (pads, i);

    if (gst_pad_is_linked (pad))
      all &= gst_pad_push_event (pad, seek_of_pad (fuse, g_ptr_array_index (pads, i), event));
  }
  g_ptr_array_unref (pads);
  return all;
}

/* Sources flush from any thread, so flush_lock is free while they are asked. */
static gboolean
run_seek (GstRobocacheFuse *fuse, GstEvent *event)
{
  const guint32 seqnum = gst_event_get_seqnum (event);
  gboolean begun, known, ok;
  GPtrArray *released;
  GstSegment before;

  g_rec_mutex_lock (&fuse->flush_lock);
  FUSE_LOCK (fuse);
  before = fuse->segment;
  FUSE_UNLOCK (fuse);
  begun = begin_seek (fuse, event);
  known = is_active (fuse) && fuse->last_seek == seqnum;        /* another sink's, of a seek that is under way */
  g_rec_mutex_unlock (&fuse->flush_lock);
  if (!begun)
    return known;

  ok = forward_seek (fuse, event);
  released = gst_robocache_fuse_released_new ();
  g_rec_mutex_lock (&fuse->flush_lock);
  if (!ok)
    take_back_seek (fuse, seqnum, &before);
  if (is_active (fuse))
    end_flush_when_due (fuse, released);
  g_rec_mutex_unlock (&fuse->flush_lock);
  g_ptr_array_unref (released);
  return ok;
}

gboolean
gst_robocache_fuse_seek (GstRobocacheFuse *fuse, GstEvent *event)
{
  gboolean ok = FALSE;

  if (gst_robocache_fuse_is_task (fuse))
    GST_WARNING_OBJECT (fuse, "a seek from the thread that sends samples is refused, because it would wait for itself");
  else
    ok = is_supported (fuse, event) && gst_robocache_fuse_sources_seek (fuse) && run_seek (fuse, event);
  gst_event_unref (event);
  return ok;
}
