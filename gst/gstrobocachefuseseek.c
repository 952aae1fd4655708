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

static void
note_flush (GstRobocacheFuse *fuse, guint32 seqnum)
{
  FUSE_LOCK (fuse);
  fuse->open_flush = seqnum;
  FUSE_UNLOCK (fuse);
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
    note_flush (fuse, gst_event_get_seqnum (event));
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

void
gst_robocache_fuse_begin_flush (GstRobocacheFuse *fuse, GstEvent *flush_start)
{
  note_flush (fuse, gst_event_get_seqnum (flush_start));
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

void
gst_robocache_fuse_end_open_flush (GstRobocacheFuse *fuse)
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
