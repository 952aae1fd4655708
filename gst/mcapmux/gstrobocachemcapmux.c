/* robocache: robocachemcapmux, streams into one MCAP file
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
/**
 * SECTION:element-robocachemcapmux
 * @title: robocachemcapmux
 *
 * Records tensors, point clouds, pictures and video as ROS 2 messages in an MCAP file, which ROS 2, Foxglove, Rerun and PlotJuggler open.
 * robocachemcapsink does the same and writes the file itself, safe against crashes.
 *
 * |[
 * gst-launch-1.0 -e robocachemcapmux name=mux sink_0::topic=/joint_states ! filesink location=run.mcap \
 *     robocachetestsrc kind=proprio is-live=true ! mux.sink_0 \
 *     videotestsrc is-live=true ! video/x-raw,format=RGB ! mux.sink_1
 * ]|
 */
#include "gstrobocachemcapmux.h"

#include <string.h>

#include "common/element/errordomain.h"
#include "common/element/fixedcapsquery.h"
#include "common/tensors/memorycaps.h"
#include "element.h"

GST_DEBUG_CATEGORY_STATIC (mcap_mux_debug);
#define GST_CAT_DEFAULT mcap_mux_debug

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("application/x-mcap"));

#define GST_TYPE_ROBOCACHE_MCAP_MUX (gst_robocache_mcap_mux_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheMcapMux, gst_robocache_mcap_mux, GST, ROBOCACHE_MCAP_MUX, GstRobocacheMcapRecorder)

struct _GstRobocacheMcapMux
{
  GstRobocacheMcapRecorder parent;
  GstPad *src;
  /* the output task while it runs */
  guint64 offset;               /* of the next byte */
  GQueue waiting;               /* of GstBuffer: downstream was flushing */
  guint64 waiting_bytes;
};

G_DEFINE_TYPE (GstRobocacheMcapMux, gst_robocache_mcap_mux, GST_TYPE_ROBOCACHE_MCAP_RECORDER)
GST_ELEMENT_REGISTER_DEFINE (robocachemcapmux, "robocachemcapmux", GST_RANK_PRIMARY, GST_TYPE_ROBOCACHE_MCAP_MUX);

/* ---- output ---- */

static GstFlowReturn
open_file (GstElement *element, guint file, GError **error)
{
  GstRobocacheMcapMux *mux = GST_ROBOCACHE_MCAP_MUX (element);
  GstCaps *caps = gst_caps_new_empty_simple ("application/x-mcap");
  /* gst_pad_create_stream_id is for elements of one sink pad */
  gchar *stream_id = g_strdup_printf ("%08x%08x", g_random_int (), g_random_int ());
  GstSegment segment;

  gst_pad_push_event (mux->src, gst_event_new_stream_start (stream_id));
  gst_pad_set_caps (mux->src, caps);
  gst_segment_init (&segment, GST_FORMAT_BYTES);
  gst_pad_push_event (mux->src, gst_event_new_segment (&segment));
  mux->offset = 0;
  g_free (stream_id);
  gst_caps_unref (caps);
  return GST_FLOW_OK;
}

/* NULL and an error: no memory. */
static GstBuffer *
copy_pieces (GstRobocacheMcapMux *mux, const RobocacheMcapBytes *pieces, guint n_pieces, GError **error)
{
  GstBuffer *buffer;
  guint8 *data;
  gsize size = 0;

  for (guint i = 0; i < n_pieces; i++)
    size += pieces[i].size;
  data = g_try_malloc (size);
  if (!data) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_MEMORY, "no memory for a record of %" G_GSIZE_FORMAT " bytes", size);
    return NULL;
  }
  for (gsize i = 0, at = 0; i < n_pieces; at += pieces[i].size, i++)
    if (pieces[i].size > 0)
      memcpy (data + at, pieces[i].data, pieces[i].size);
  buffer = gst_buffer_new_wrapped (data, size);
  if (mux->offset == 0)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  GST_BUFFER_OFFSET (buffer) = mux->offset;
  mux->offset += size;
  GST_BUFFER_OFFSET_END (buffer) = mux->offset;
  return buffer;
}

/* Pushes what waits. A push that is answered FLUSHING is tried again with the next one, so the file stays whole. */
static GstFlowReturn
push_waiting (GstRobocacheMcapMux *mux)
{
  GstFlowReturn flow = GST_FLOW_OK;
  GstBuffer *buffer;

  while (flow == GST_FLOW_OK && (buffer = g_queue_peek_head (&mux->waiting))) {
    flow = gst_pad_push (mux->src, gst_buffer_ref (buffer));
    if (flow == GST_FLOW_FLUSHING)
      break;
    mux->waiting_bytes -= gst_buffer_get_size (buffer);
    gst_buffer_unref (g_queue_pop_head (&mux->waiting));
  }
  return flow;
}

static GstFlowReturn
write_pieces (GstElement *element, guint file, const RobocacheMcapBytes *pieces, guint n_pieces, GError **error)
{
  GstRobocacheMcapMux *mux = GST_ROBOCACHE_MCAP_MUX (element);
  GstBuffer *buffer = copy_pieces (mux, pieces, n_pieces, error);
  GstFlowReturn flow;

  if (!buffer)
    return GST_FLOW_ERROR;
  g_queue_push_tail (&mux->waiting, buffer);
  mux->waiting_bytes += gst_buffer_get_size (buffer);
  flow = push_waiting (mux);
  if (flow == GST_FLOW_FLUSHING && mux->waiting_bytes < mux_element_get_recorder (mux)->started.max_queue_size) {
    GST_DEBUG_OBJECT (mux, "downstream is flushing: %" G_GUINT64_FORMAT " bytes wait, at most max-queue-size=%" G_GUINT64_FORMAT,
        mux->waiting_bytes, mux_element_get_recorder (mux)->started.max_queue_size);
    return GST_FLOW_OK;
  }
  if (flow != GST_FLOW_OK)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE, "downstream accepts no more data: %s", gst_flow_get_name (flow));
  return flow;
}

static GstFlowReturn
close_file (GstElement *element, guint file, const MuxOutput *closed, GError **error)
{
  return GST_FLOW_OK;
}

static void
end (GstElement *element, guint32 seqnum)
{
  GstRobocacheMcapMux *mux = GST_ROBOCACHE_MCAP_MUX (element);
  GstEvent *event = gst_event_new_eos ();

  push_waiting (mux);
  GST_INFO_OBJECT (mux, "EOS after %" G_GUINT64_FORMAT " bytes", mux->offset);
  if (seqnum != GST_SEQNUM_INVALID)
    gst_event_set_seqnum (event, seqnum);
  gst_pad_push_event (mux->src, event);
}

static void
forget_waiting (GstElement *element)
{
  GstRobocacheMcapMux *mux = GST_ROBOCACHE_MCAP_MUX (element);

  if (mux->waiting_bytes > 0)
    GST_WARNING_OBJECT (mux, "%" G_GUINT64_FORMAT " bytes are lost, because downstream did not accept them", mux->waiting_bytes);
  g_queue_clear_full (&mux->waiting, (GDestroyNotify) gst_buffer_unref);
  mux->waiting_bytes = 0;
}

/* ---- source pad ---- */

/* Bytes that were written stay. */
static gboolean
src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GST_DEBUG_OBJECT (pad, "%" GST_PTR_FORMAT, event);
  if (GST_EVENT_TYPE (event) != GST_EVENT_SEEK)
    return gst_pad_event_default (pad, parent, event);
  GST_INFO_OBJECT (pad, "a seek is refused: bytes that were written stay");
  gst_event_unref (event);
  return FALSE;
}

static gboolean
src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstFormat format;

  if (GST_QUERY_TYPE (query) != GST_QUERY_SEEKING)
    return robocache_fixed_caps_query (pad, parent, query);
  gst_query_parse_seeking (query, &format, NULL, NULL, NULL);
  gst_query_set_seeking (query, format, FALSE, 0, -1);
  return TRUE;
}

/* ---- life ---- */

static void
gst_robocache_mcap_mux_class_init (GstRobocacheMcapMuxClass *klass)
{
  GstRobocacheMcapRecorderClass *recorder_class = GST_ROBOCACHE_MCAP_RECORDER_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (mcap_mux_debug, "robocachemcapmux", 0, "streams into one MCAP file");
  recorder_class->output.open_file = open_file;
  recorder_class->output.write = write_pieces;
  recorder_class->output.close_file = close_file;
  recorder_class->output.end = end;
  recorder_class->stop = forget_waiting;
  robocache_add_pad_template (GST_ELEMENT_CLASS (klass), &src_template, GST_TYPE_PAD);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass), "MCAP muxer", "Codec/Muxer",
      "Records tensors, point clouds, pictures and video as ROS 2 messages in an MCAP file", "The robocache authors");
}

static void
gst_robocache_mcap_mux_init (GstRobocacheMcapMux *mux)
{
  mux_element_get_recorder (mux)->category = mcap_mux_debug;
  g_queue_init (&mux->waiting);
  mux->src = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_event_function (mux->src, src_event);
  gst_pad_set_query_function (mux->src, src_query);
  gst_pad_use_fixed_caps (mux->src);
  gst_element_add_pad (GST_ELEMENT (mux), mux->src);
}
