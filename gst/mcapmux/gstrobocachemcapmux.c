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

#include "common/element/sourcequery.h"
#include "common/tensors/memorycaps.h"
#include "element.h"

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("application/x-mcap"));

#define GST_TYPE_ROBOCACHE_MCAP_MUX (gst_robocache_mcap_mux_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheMcapMux, gst_robocache_mcap_mux, GST, ROBOCACHE_MCAP_MUX, GstRobocacheMcapElement)

struct _GstRobocacheMcapMux
{
  GstRobocacheMcapElement parent;
  GstPad *src;
  guint64 offset;               /* of the next byte; used by the output task */
};

G_DEFINE_TYPE (GstRobocacheMcapMux, gst_robocache_mcap_mux, GST_TYPE_ROBOCACHE_MCAP_ELEMENT)
GST_ELEMENT_REGISTER_DEFINE (robocachemcapmux, "robocachemcapmux", GST_RANK_NONE, GST_TYPE_ROBOCACHE_MCAP_MUX);

/* ---- output ---- */

static GstFlowReturn
open_file (GstRobocacheMcapRecorder *recorder, guint file, GError **error)
{
  GstRobocacheMcapMux *mux = GST_ROBOCACHE_MCAP_MUX (recorder);
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

static GstBuffer *
copy_pieces (GstRobocacheMcapMux *mux, const RobocacheMcapBytes *pieces, guint n_pieces)
{
  GstBuffer *buffer;
  GstMapInfo map;
  gsize size = 0;

  for (guint i = 0; i < n_pieces; i++)
    size += pieces[i].size;
  buffer = gst_buffer_new_allocate (NULL, size, NULL);
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0, at = 0; i < n_pieces; at += pieces[i].size, i++)
    if (pieces[i].size > 0)
      memcpy (map.data + at, pieces[i].data, pieces[i].size);
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_OFFSET (buffer) = mux->offset;
  mux->offset += size;
  GST_BUFFER_OFFSET_END (buffer) = mux->offset;
  return buffer;
}

static GstFlowReturn
write_pieces (GstRobocacheMcapRecorder *recorder, guint file, const RobocacheMcapBytes *pieces, guint n_pieces, GError **error)
{
  GstRobocacheMcapMux *mux = GST_ROBOCACHE_MCAP_MUX (recorder);
  const GstFlowReturn flow = gst_pad_push (mux->src, copy_pieces (mux, pieces, n_pieces));

  if (flow != GST_FLOW_OK)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE, "downstream takes no more: %s", gst_flow_get_name (flow));
  return flow;
}

static GstFlowReturn
close_file (GstRobocacheMcapRecorder *recorder, guint file, const MuxOutput *closed, GError **error)
{
  return GST_FLOW_OK;
}

static void
end (GstRobocacheMcapRecorder *recorder)
{
  gst_pad_push_event (GST_ROBOCACHE_MCAP_MUX (recorder)->src, gst_event_new_eos ());
}

/* ---- source pad ---- */

/* Bytes that were written stay. */
static gboolean
src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) != GST_EVENT_SEEK)
    return gst_pad_event_default (pad, parent, event);
  gst_event_unref (event);
  return FALSE;
}

static gboolean
src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstFormat format;

  if (GST_QUERY_TYPE (query) != GST_QUERY_SEEKING)
    return robocache_source_query_default (pad, parent, query);
  gst_query_parse_seeking (query, &format, NULL, NULL, NULL);
  gst_query_set_seeking (query, format, FALSE, 0, -1);
  return TRUE;
}

/* ---- life ---- */

static void
gst_robocache_mcap_mux_class_init (GstRobocacheMcapMuxClass *klass)
{
  GstRobocacheMcapRecorderClass *recorder_class = GST_ROBOCACHE_MCAP_RECORDER_CLASS (klass);

  recorder_class->open_file = open_file;
  recorder_class->write = write_pieces;
  recorder_class->close_file = close_file;
  recorder_class->end = end;
  robocache_add_pad_template (GST_ELEMENT_CLASS (klass), &src_template, GST_TYPE_PAD);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass), "MCAP muxer", "Codec/Muxer",
      "Records tensors, point clouds, pictures and video as ROS 2 messages in an MCAP file", "The robocache authors");
}

static void
gst_robocache_mcap_mux_init (GstRobocacheMcapMux *mux)
{
  mux->src = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_event_function (mux->src, src_event);
  gst_pad_set_query_function (mux->src, src_query);
  gst_pad_use_fixed_caps (mux->src);
  gst_element_add_pad (GST_ELEMENT (mux), mux->src);
}
