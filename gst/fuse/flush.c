/* robocache: robocachefuse, seeks, and what the base class does not expect of them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "gstrobocachefuse.h"

#include "common/time/segments.h"

GST_DEBUG_CATEGORY_EXTERN (gst_robocache_fuse_debug);
#define GST_CAT_DEFAULT gst_robocache_fuse_debug

/* All pads that the base class knows, one that is about to go among them, and which state of its list that is. */
static GPtrArray *
take_pads (GstRobocacheFuse *fuse, guint32 *cookie)
{
  GPtrArray *pads = g_ptr_array_new_with_free_func (gst_object_unref);

  GST_OBJECT_LOCK (fuse);
  for (GList *item = GST_ELEMENT (fuse)->sinkpads; item; item = item->next)
    g_ptr_array_add (pads, gst_object_ref (item->data));
  *cookie = GST_ELEMENT (fuse)->pads_cookie;
  GST_OBJECT_UNLOCK (fuse);
  return pads;
}

static GstAggregatorClass *
base_class (GstRobocacheFuse *fuse)
{
  return g_type_class_peek_parent (GST_AGGREGATOR_GET_CLASS (fuse));
}

/* ---- one flush at a time ----
 *
 * While the base class (GStreamer 1.22) waits for its src thread to end, for a FLUSH_START, a seek or a change of state, the
 * FLUSH_STOP of another flush, from another thread, would set that thread off again, and both wait for ever. So what stops
 * and starts it takes turns. A seek gives its turn up when the src thread has ended, before the sources hear of it, since
 * they may flush from any thread; the base class asks the src pad then where the seek goes to.
 *
 * When the src thread has ended the ticks begin anew with the first pad that is flushed: rows that come before the last of
 * the pads was are those of after the flush. It ends when each pad that was there has been flushed, or is gone, whatever
 * number the events have; the base class wants one and the same on all pads, and would wait for those for ever. */

/* With the lock of flushes. */
static void
note_flush (GstRobocacheFuse *fuse, GstEvent *begin)
{
  FUSE_LOCK (fuse);
  fuse->open_flush = gst_event_get_seqnum (begin);
  FUSE_UNLOCK (fuse);
}

static gboolean
src_is_running (GstRobocacheFuse *fuse)
{
  return gst_pad_get_task_state (GST_AGGREGATOR_SRC_PAD (fuse)) != GST_TASK_STOPPED;
}

/* A flush waits for the src thread to end, so that cannot be what asks for it. */
static gboolean
is_src_thread (GstRobocacheFuse *fuse)
{
  GRecMutex *held = GST_PAD_GET_STREAM_LOCK (GST_AGGREGATOR_SRC_PAD (fuse));
  gboolean ours;

  if (g_atomic_pointer_get (&fuse->src_thread) != g_thread_self () || !src_is_running (fuse))
    return FALSE;
  ours = g_rec_mutex_trylock (held);    /* threads are used again */
  if (ours)
    g_rec_mutex_unlock (held);
  return ours;
}

/* By a seek, which all sources get, or by the last of the pads' FLUSH_START. */
static void
note_end_of_src (GstRobocacheFuse *fuse, gboolean by_seek)
{
  FUSE_LOCK (fuse);
  if (!fuse->src_has_ended) {
    fuse->src_has_ended = TRUE;
    for (guint i = 0; i < fuse->pads->len; i++) {
      GstRobocacheFusePad *pad = g_ptr_array_index (fuse->pads, i);

      pad->flush_awaited = by_seek ? gst_pad_is_linked (GST_PAD (pad)) : pad->flushing;
    }
  }
  FUSE_UNLOCK (fuse);
}

static void
end_turn_of_seek (GstRobocacheFuse *fuse)
{
  if (g_atomic_pointer_compare_and_exchange (&fuse->seeking, g_thread_self (), NULL))
    g_rec_mutex_unlock (&fuse->flushes);
}

static void
begin_turn_of_seek (GstRobocacheFuse *fuse)
{
  if (g_atomic_pointer_get (&fuse->seeking) == g_thread_self ())
    return;                     /* a seek out of a seek */
  g_rec_mutex_lock (&fuse->flushes);
  g_atomic_pointer_set (&fuse->seeking, g_thread_self ());
}

/* A query out of the FLUSH_START of a seek comes here too, but then the src thread has not ended. */
GstIterator *
gst_robocache_fuse_iterate_internal_links (GstPad *src, GstObject *parent)
{
  GstRobocacheFuse *fuse = (GstRobocacheFuse *) parent;

  if (fuse && g_atomic_pointer_get (&fuse->seeking) == g_thread_self () && !src_is_running (fuse)) {
    note_end_of_src (fuse, TRUE);
    end_turn_of_seek (fuse);
  }
  return gst_pad_iterate_internal_links_default (src, parent);
}

/* ---- flushes ---- */

void
gst_robocache_fuse_revive_pad (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, guint32 seqnum)
{
  GstEvent *flush_stop = gst_event_new_flush_stop (TRUE);

  gst_event_set_seqnum (flush_stop, seqnum);
  pad->is_revived = TRUE;
  base_class (fuse)->sink_event (GST_AGGREGATOR (fuse), GST_AGGREGATOR_PAD (pad), flush_stop);
  pad->is_revived = FALSE;
}

/* With the lock of flushes. */
static void
forget_flush (GstRobocacheFuse *fuse)
{
  FUSE_LOCK (fuse);
  fuse->open_flush = GST_SEQNUM_INVALID;
  fuse->src_has_ended = FALSE;
  FUSE_UNLOCK (fuse);
}

/* With the lock of flushes. After a seek that no source has followed the base class is not flushing any more, and leaves the
 * src thread ended. */
static void
restart_src (GstRobocacheFuse *fuse)
{
  GstPad *src = GST_AGGREGATOR_SRC_PAD (fuse);
  GstSegment segment;

  forget_flush (fuse);
  GST_OBJECT_LOCK (fuse);
  segment = GST_AGGREGATOR_PAD (src)->segment;
  GST_OBJECT_UNLOCK (fuse);
  gst_aggregator_update_segment (GST_AGGREGATOR (fuse), &segment);      /* it is sent again */
  GST_PAD_ACTIVATEMODEFUNC (src) (src, GST_OBJECT (fuse), GST_PAD_MODE_PUSH, TRUE);
}

/* Whether the flush goes on although all pads were said to be flushed, and none came or went meanwhile. */
static gboolean
is_left_over (GstRobocacheFuse *fuse, guint32 cookie)
{
  gboolean left;

  FUSE_LOCK (fuse);
  GST_OBJECT_LOCK (fuse);
  left = fuse->src_has_ended && GST_ELEMENT (fuse)->pads_cookie == cookie;
  GST_OBJECT_UNLOCK (fuse);
  FUSE_UNLOCK (fuse);
  return left;
}

/* With the lock of flushes. Tells the base class that all pads were flushed, which sets off the src thread. A pad that comes
 * or goes meanwhile is excused from the flush in a moment: then the base class is told again. */
static void
end_open_flush (GstRobocacheFuse *fuse)
{
  guint32 seqnum, cookie;
  GPtrArray *pads = take_pads (fuse, &cookie);

  FUSE_LOCK (fuse);
  seqnum = fuse->open_flush;
  fuse->flush_seqnum = GST_SEQNUM_INVALID;
  FUSE_UNLOCK (fuse);
  for (guint i = 0; seqnum != GST_SEQNUM_INVALID && i < pads->len; i++)
    gst_robocache_fuse_revive_pad (fuse, g_ptr_array_index (pads, i), seqnum);
  g_ptr_array_unref (pads);
  if (!fuse->stopping && is_left_over (fuse, cookie))
    restart_src (fuse);
}

/* With the lock of flushes. */
static void
end_flush_when_due (GstRobocacheFuse *fuse)
{
  gboolean due;

  FUSE_LOCK (fuse);
  due = fuse->src_has_ended && fuse->pads->len > 0;
  for (guint i = 0; due && i < fuse->pads->len; i++)
    due = !((GstRobocacheFusePad *) g_ptr_array_index (fuse->pads, i))->flush_awaited;
  FUSE_UNLOCK (fuse);
  if (due)
    end_open_flush (fuse);
}

static GstFlowReturn
begin_flush (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstEvent *event)
{
  const gboolean was_running = src_is_running (fuse);
  GstFlowReturn flow;

  /* the base class stops the src thread with the pad's flush lock held, which that thread takes to push a token */
  gst_robocache_fuse_await_tokens (fuse, pad);
  if (was_running)
    note_flush (fuse, event);
  flow = base_class (fuse)->sink_event_pre_queue (GST_AGGREGATOR (fuse), GST_AGGREGATOR_PAD (pad), event);
  if (was_running && !src_is_running (fuse))
    note_end_of_src (fuse, FALSE);
  return flow;
}

static GstFlowReturn
end_flush (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstEvent *event)
{
  GstFlowReturn flow;

  FUSE_LOCK (fuse);
  if (fuse->src_has_ended)
    gst_robocache_fuse_reset_ticks (fuse);
  pad->flush_awaited = FALSE;
  fuse->last_flushed = pad;
  fuse->flush_seqnum = gst_event_get_seqnum (event);
  FUSE_UNLOCK (fuse);
  flow = base_class (fuse)->sink_event_pre_queue (GST_AGGREGATOR (fuse), GST_AGGREGATOR_PAD (pad), event);
  FUSE_LOCK (fuse);
  pad->flushing = fuse->tick_known = FALSE;     /* who looked at tokens meanwhile passed this pad over */
  g_cond_broadcast (&fuse->progress);
  FUSE_UNLOCK (fuse);
  end_flush_when_due (fuse);
  return flow;
}

GstFlowReturn
gst_robocache_fuse_take_flush (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstEvent *event)
{
  const gboolean begins = GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START;
  GstFlowReturn flow = GST_FLOW_FLUSHING;

  if (begins)
    gst_robocache_fuse_set_flushing (fuse, pad, TRUE);
  g_rec_mutex_lock (&fuse->flushes);
  if (fuse->stopping)
    gst_event_unref (event);
  else
    flow = begins ? begin_flush (fuse, pad, event) : end_flush (fuse, pad, event);
  g_rec_mutex_unlock (&fuse->flushes);
  if (!begins)
    gst_robocache_fuse_refresh_tokens (fuse);
  return flow;
}

void
gst_robocache_fuse_excuse_from_flush (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  gboolean has_rows;

  if (is_src_thread (fuse))
    return;                     /* it runs, so no flush waits; one that begins may have its turn already */
  g_rec_mutex_lock (&fuse->flushes);
  FUSE_LOCK (fuse);
  has_rows = pad->flush_awaited && !pad->removed;
  pad->flush_awaited = FALSE;
  FUSE_UNLOCK (fuse);
  if (has_rows)
    gst_robocache_fuse_flush_pad (fuse, pad);
  if (!fuse->stopping)
    end_flush_when_due (fuse);
  g_rec_mutex_unlock (&fuse->flushes);
}

void
gst_robocache_fuse_stop_flushes (GstRobocacheFuse *fuse)
{
  g_rec_mutex_lock (&fuse->flushes);
  fuse->stopping = TRUE;
  fuse->last_seek = GST_SEQNUM_INVALID;
  end_open_flush (fuse);
  forget_flush (fuse);
  g_rec_mutex_unlock (&fuse->flushes);
}

void
gst_robocache_fuse_allow_flushes (GstRobocacheFuse *fuse)
{
  g_rec_mutex_lock (&fuse->flushes);
  fuse->stopping = FALSE;
  g_rec_mutex_unlock (&fuse->flushes);
}

/* ---- which seeks are taken ---- */

/* Without a flush our segment would change, and what downstream was told of it would not. */
static gboolean
is_seek_for_us (GstRobocacheFuse *fuse, GstEvent *event)
{
  GstSeekFlags flags;
  gboolean fits;

  gst_event_parse_seek (event, NULL, NULL, &flags, NULL, NULL, NULL, NULL);
  GST_OBJECT_LOCK (fuse);
  fits = flags & GST_SEEK_FLAG_FLUSH
      && robocache_seek_fits (&GST_AGGREGATOR_PAD (GST_AGGREGATOR_SRC_PAD (fuse))->segment, event);
  GST_OBJECT_UNLOCK (fuse);
  if (!fits)
    GST_INFO_OBJECT (fuse, "a seek flushes, and goes forwards, in time, to before its end: refused %" GST_PTR_FORMAT,
        event);
  return fits;
}

/* FALSE where its source says so. */
static gboolean
may_seek (GstPad *pad)
{
  GstQuery *query = gst_query_new_seeking (GST_FORMAT_TIME);
  gboolean seekable = TRUE;

  if (gst_pad_peer_query (pad, query))
    gst_query_parse_seeking (query, NULL, &seekable, NULL, NULL);
  gst_query_unref (query);
  return seekable;
}

/* When a source refuses, the base class (GStreamer 1.22) has stopped the src thread already, and leaves it so: then the
 * seek had better not begin. */
static gboolean
sources_may_seek (GstRobocacheFuse *fuse)
{
  guint32 cookie;
  GPtrArray *pads = take_pads (fuse, &cookie);
  gboolean all = pads->len > 0;

  for (guint i = 0; all && i < pads->len; i++) {
    all = may_seek (g_ptr_array_index (pads, i));
    if (!all)
      GST_INFO_OBJECT (fuse, "a seek is refused, since the source of %s cannot",
          GST_OBJECT_NAME (g_ptr_array_index (pads, i)));
  }
  g_ptr_array_unref (pads);
  return all;
}

/* A source has failed to seek: no flush is awaited, and the segment is what it was. */
static void
take_back_seek (GstRobocacheFuse *fuse, guint32 seqnum, const GstSegment *before)
{
  FUSE_LOCK (fuse);
  for (guint i = 0; fuse->open_flush == seqnum && i < fuse->pads->len; i++)
    ((GstRobocacheFusePad *) g_ptr_array_index (fuse->pads, i))->flush_awaited = FALSE;
  FUSE_UNLOCK (fuse);
  gst_aggregator_update_segment (GST_AGGREGATOR (fuse), before);
}

static gboolean
seek (GstRobocacheFuse *fuse, GstEvent *event)
{
  const guint32 seqnum = gst_event_get_seqnum (event);
  GstSegment before;
  gboolean taken;

  begin_turn_of_seek (fuse);
  GST_OBJECT_LOCK (fuse);
  before = GST_AGGREGATOR_PAD (GST_AGGREGATOR_SRC_PAD (fuse))->segment;
  GST_OBJECT_UNLOCK (fuse);
  if (fuse->stopping || fuse->last_seek == seqnum) {
    taken = !fuse->stopping;    /* another sink's of a seek that is under way */
    gst_event_unref (event);
  } else {
    fuse->last_seek = seqnum;
    note_flush (fuse, event);
    taken = base_class (fuse)->src_event (GST_AGGREGATOR (fuse), event);
  }
  end_turn_of_seek (fuse);

  g_rec_mutex_lock (&fuse->flushes);
  if (!taken)
    take_back_seek (fuse, seqnum, &before);
  if (!fuse->stopping)
    end_flush_when_due (fuse);
  g_rec_mutex_unlock (&fuse->flushes);
  gst_robocache_fuse_refresh_tokens (fuse);
  return taken;
}

gboolean
gst_robocache_fuse_src_event (GstAggregator *agg, GstEvent *event)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (agg);

  if (GST_EVENT_TYPE (event) != GST_EVENT_SEEK)
    return base_class (fuse)->src_event (agg, event);
  if (is_src_thread (fuse)) {
    GST_WARNING_OBJECT (fuse, "a seek from the thread that hands out samples is refused: it would wait for itself");
  } else if (is_seek_for_us (fuse, event) && sources_may_seek (fuse)) {
    return seek (fuse, event);
  }
  gst_event_unref (event);
  return FALSE;
}

gboolean
gst_robocache_fuse_send_event (GstElement *element, GstEvent *event)
{
  GstElementClass *base = g_type_class_peek_parent (GST_ELEMENT_GET_CLASS (element));

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK && !is_seek_for_us (GST_ROBOCACHE_FUSE (element), event)) {
    gst_event_unref (event);
    return FALSE;
  }
  return base->send_event (element, event);
}
