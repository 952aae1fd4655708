/* robocache: robocachefuse, seeks, and what the base class does not expect of them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "gstrobocachefuse.h"

#include "common/seek.h"

GST_DEBUG_CATEGORY_EXTERN (gst_robocache_fuse_debug);
#define GST_CAT_DEFAULT gst_robocache_fuse_debug

static GPtrArray *
take_pads (GstRobocacheFuse *fuse)
{
  GPtrArray *pads = g_ptr_array_new_with_free_func (gst_object_unref);

  FUSE_LOCK (fuse);
  for (guint i = 0; i < fuse->pads->len; i++)
    g_ptr_array_add (pads, gst_object_ref (g_ptr_array_index (fuse->pads, i)));
  FUSE_UNLOCK (fuse);
  return pads;
}

/* With the lock of flushes. */
static void
note_flush (GstRobocacheFuse *fuse, GstEvent *begin)
{
  FUSE_LOCK (fuse);
  fuse->open_flush = gst_event_get_seqnum (begin);
  FUSE_UNLOCK (fuse);
}

/* ---- one flush at a time ----
 *
 * While the base class (GStreamer 1.22) waits for its src thread to end, for a FLUSH_START, a seek or a change of state, the
 * FLUSH_STOP of another flush, from another thread, would set that thread off again, and both wait for ever. So what stops
 * and starts it takes turns. A seek gives its turn up when the src thread has ended, before the sources hear of it, since
 * they may flush from any thread; the base class asks the src pad then where the seek goes to. */

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

GstIterator *
gst_robocache_fuse_iterate_internal_links (GstPad *src, GstObject *parent)
{
  if (parent)
    end_turn_of_seek (GST_ROBOCACHE_FUSE (parent));
  return gst_pad_iterate_internal_links_default (src, parent);
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
  GPtrArray *pads = take_pads (fuse);
  gboolean all = TRUE;

  for (guint i = 0; all && i < pads->len; i++) {
    all = may_seek (g_ptr_array_index (pads, i));
    if (!all)
      GST_INFO_OBJECT (fuse, "a seek is refused, since the source of %s cannot",
          GST_OBJECT_NAME (g_ptr_array_index (pads, i)));
  }
  g_ptr_array_unref (pads);
  return all;
}

static gboolean
seek (GstRobocacheFuse *fuse, GstEvent *event)
{
  GstAggregatorClass *base = g_type_class_peek_parent (GST_AGGREGATOR_GET_CLASS (fuse));
  gboolean taken = FALSE;

  begin_turn_of_seek (fuse);
  if (fuse->stopping) {
    gst_event_unref (event);
  } else {
    note_flush (fuse, event);
    taken = base->src_event (GST_AGGREGATOR (fuse), event);
  }
  end_turn_of_seek (fuse);
  return taken;
}

gboolean
gst_robocache_fuse_src_event (GstAggregator *agg, GstEvent *event)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (agg);
  GstAggregatorClass *base = g_type_class_peek_parent (GST_AGGREGATOR_GET_CLASS (agg));

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK) {
    if (!is_seek_for_us (fuse, event) || !sources_may_seek (fuse)) {
      gst_event_unref (event);
      return FALSE;
    }
    return seek (fuse, event);
  }
  return base->src_event (agg, event);
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

/* ---- flushes ---- */

GstFlowReturn
gst_robocache_fuse_take_flush (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstEvent *event)
{
  GstAggregatorClass *base = g_type_class_peek_parent (GST_AGGREGATOR_GET_CLASS (fuse));
  GstFlowReturn flow = GST_FLOW_FLUSHING;

  g_rec_mutex_lock (&fuse->flushes);
  if (fuse->stopping) {
    gst_event_unref (event);
  } else {
    if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START) {
      note_flush (fuse, event);
    } else {
      FUSE_LOCK (fuse);
      fuse->last_flushed = pad;
      fuse->flush_seqnum = gst_event_get_seqnum (event);
      FUSE_UNLOCK (fuse);
    }
    flow = base->sink_event_pre_queue (GST_AGGREGATOR (fuse), GST_AGGREGATOR_PAD (pad), event);
  }
  g_rec_mutex_unlock (&fuse->flushes);
  return flow;
}

void
gst_robocache_fuse_revive_pad (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, guint32 seqnum)
{
  GstAggregatorClass *base = g_type_class_peek_parent (GST_AGGREGATOR_GET_CLASS (fuse));
  GstEvent *flush_stop = gst_event_new_flush_stop (TRUE);

  gst_event_set_seqnum (flush_stop, seqnum);
  pad->is_revived = TRUE;
  base->sink_event (GST_AGGREGATOR (fuse), GST_AGGREGATOR_PAD (pad), flush_stop);
  pad->is_revived = FALSE;
}

/* The base class would take a flush that was cut short into its next life, and hand nothing out. */
static void
end_open_flush (GstRobocacheFuse *fuse)
{
  GPtrArray *pads = take_pads (fuse);
  guint32 seqnum;

  FUSE_LOCK (fuse);
  seqnum = fuse->open_flush;
  fuse->open_flush = fuse->flush_seqnum = GST_SEQNUM_INVALID;
  FUSE_UNLOCK (fuse);
  for (guint i = 0; seqnum != GST_SEQNUM_INVALID && i < pads->len; i++)
    gst_robocache_fuse_revive_pad (fuse, g_ptr_array_index (pads, i), seqnum);
  g_ptr_array_unref (pads);
}

void
gst_robocache_fuse_stop_flushes (GstRobocacheFuse *fuse)
{
  g_rec_mutex_lock (&fuse->flushes);
  fuse->stopping = TRUE;
  end_open_flush (fuse);
  g_rec_mutex_unlock (&fuse->flushes);
}

void
gst_robocache_fuse_allow_flushes (GstRobocacheFuse *fuse)
{
  g_rec_mutex_lock (&fuse->flushes);
  fuse->stopping = FALSE;
  g_rec_mutex_unlock (&fuse->flushes);
}
