/* robocache: seeks in recordings, and queries of their times
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "seek.h"

#include "common/element/fixedcapsquery.h"
#include "common/time/segments.h"

#define GST_CAT_DEFAULT robocache_parse_debug

/* ---- seeks ---- */

static void
set_seek (RobocacheParseOutput *output, GstEvent *event)
{
  GST_OBJECT_LOCK (output->element);
  gst_event_replace (&output->seek, event);
  GST_OBJECT_UNLOCK (output->element);
}

/* Only upstream can go back, and the only byte whose time is known is the first. */
gboolean
robocache_parse_seek (RobocacheParseOutput *output, GstPad *sinkpad, GstEvent *event)
{
  GstSegment segment;
  GstSeekFlags flags;
  GstEvent *bytes;
  gboolean is_possible;

  GST_OBJECT_LOCK (output->element);
  segment = output->segment;
  is_possible = !output->is_live && output->has_times;
  GST_OBJECT_UNLOCK (output->element);
  if (!is_possible || !robocache_seek_apply (&segment, event)) {
    GST_INFO_OBJECT (output->element, "refused, %s: %" GST_PTR_FORMAT, is_possible ? "since it must play forwards in TIME, and stop after its start"
        : "since the source is live or clouds have no times", event);
    return FALSE;
  }
  gst_event_parse_seek (event, NULL, NULL, &flags, NULL, NULL, NULL, NULL);
  bytes = gst_event_new_seek (1.0, GST_FORMAT_BYTES, flags & (GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_SEGMENT),
      GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET, -1);
  gst_event_set_seqnum (bytes, gst_event_get_seqnum (event));
  set_seek (output, event);
  GST_DEBUG_OBJECT (sinkpad, "the file is read from byte 0 for %" GST_PTR_FORMAT, event);
  if (gst_pad_push_event (sinkpad, bytes))
    return TRUE;
  GST_INFO_OBJECT (output->element, "upstream cannot seek to byte 0");
  set_seek (output, NULL);
  return FALSE;
}

void
robocache_parse_seek_answered (RobocacheParseOutput *output)
{
  GstSegment segment;
  GstEvent *seek;

  GST_OBJECT_LOCK (output->element);
  segment = output->segment;
  seek = g_steal_pointer (&output->seek);
  output->follows_upstream = FALSE;
  GST_OBJECT_UNLOCK (output->element);
  if (!seek)
    return;
  if (robocache_seek_apply (&segment, seek)) {
    robocache_parse_output_set_segment (output, &segment, gst_event_get_seqnum (seek));
    /* before upstream is done: a bin waits for the SEGMENT_DONE of each element that posted this */
    if (segment.flags & GST_SEGMENT_FLAG_SEGMENT)
      gst_element_post_message (output->element, gst_message_new_segment_start (GST_OBJECT (output->element),
              GST_FORMAT_TIME, (gint64) segment.position));
  }
  gst_event_unref (seek);
}

gboolean
robocache_parse_seek_end_segment (RobocacheParseOutput *output)
{
  GstElement *element = output->element;
  GstMessage *message;
  gboolean is_segment_seek;
  GstEvent *event;
  gint64 position;
  guint32 seqnum;

  GST_OBJECT_LOCK (element);
  is_segment_seek = !output->follows_upstream && (output->segment.flags & GST_SEGMENT_FLAG_SEGMENT);
  /* where the next segment continues when its seek does not flush */
  if (is_segment_seek && GST_CLOCK_TIME_IS_VALID (output->segment.stop))
    output->segment.position = output->segment.stop;
  position = (gint64) output->segment.position;
  seqnum = output->segment_seqnum;
  GST_OBJECT_UNLOCK (element);
  if (!is_segment_seek)
    return FALSE;

  message = gst_message_new_segment_done (GST_OBJECT (element), GST_FORMAT_TIME, position);
  event = gst_event_new_segment_done (GST_FORMAT_TIME, position);
  gst_message_set_seqnum (message, seqnum);
  gst_event_set_seqnum (event, seqnum);
  gst_element_post_message (element, message);
  robocache_parse_output_send_event (output, event);
  return TRUE;
}

/* ---- queries ---- */

gboolean
robocache_parse_reads_a_file (GstPad *sinkpad)
{
  gint64 n_bytes;

  return gst_pad_peer_query_duration (sinkpad, GST_FORMAT_BYTES, &n_bytes) && n_bytes >= 0;
}

static gboolean
answer_position (RobocacheParseOutput *output, GstQuery *query)
{
  GstClockTime position;
  GstFormat format;

  gst_query_parse_position (query, &format, NULL);
  if (format != GST_FORMAT_TIME)
    return FALSE;
  GST_OBJECT_LOCK (output->element);
  position = gst_segment_to_stream_time (&output->segment, GST_FORMAT_TIME, output->segment.position);
  GST_OBJECT_UNLOCK (output->element);
  gst_query_set_position (query, GST_FORMAT_TIME, (gint64) position);
  return GST_CLOCK_TIME_IS_VALID (position);
}

static gboolean
answer_duration (RobocacheParseOutput *output, GstQuery *query)
{
  GstClockTime duration;
  GstFormat format;

  gst_query_parse_duration (query, &format, NULL);
  GST_OBJECT_LOCK (output->element);
  duration = output->duration;
  GST_OBJECT_UNLOCK (output->element);
  if (format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID (duration))
    return FALSE;
  gst_query_set_duration (query, GST_FORMAT_TIME, (gint64) duration);
  return TRUE;
}

static gboolean
answer_seeking (RobocacheParseOutput *output, GstPad *sinkpad, GstQuery *query)
{
  GstQuery *bytes = gst_query_new_seeking (GST_FORMAT_BYTES);
  gboolean is_possible, is_seekable = FALSE;
  GstClockTime duration;
  GstFormat format;

  gst_query_parse_seeking (query, &format, NULL, NULL, NULL);
  GST_OBJECT_LOCK (output->element);
  is_possible = format == GST_FORMAT_TIME && !output->is_live && output->has_times;
  duration = format == GST_FORMAT_TIME ? output->duration : GST_CLOCK_TIME_NONE;
  GST_OBJECT_UNLOCK (output->element);
  if (is_possible && gst_pad_peer_query (sinkpad, bytes))
    gst_query_parse_seeking (bytes, NULL, &is_seekable, NULL, NULL);
  gst_query_unref (bytes);
  gst_query_set_seeking (query, format, is_seekable, 0, (gint64) duration);
  return TRUE;
}

/* A live replay does not know how long after its capture a row arrives, so it reports no latency; `latency` of
 * robocachefuse waits for transport. Nothing of a file is lost by waiting. */
static gboolean
answer_latency (RobocacheParseOutput *output, GstQuery *query)
{
  gboolean is_live, replays, is_upstream_live;

  GST_OBJECT_LOCK (output->element);
  is_live = output->is_live;
  replays = output->replays;
  GST_OBJECT_UNLOCK (output->element);
  if (!replays) {
    if (!gst_pad_query_default (output->pad, GST_OBJECT (output->element), query))
      return FALSE;
    gst_query_parse_latency (query, &is_upstream_live, NULL, NULL);
    if (is_upstream_live || !is_live)
      return TRUE;
  }
  gst_query_set_latency (query, TRUE, 0, GST_CLOCK_TIME_NONE);
  return TRUE;
}

gboolean
robocache_parse_query (RobocacheParseOutput *output, GstPad *sinkpad, GstQuery *query)
{
  gboolean follows;

  GST_OBJECT_LOCK (output->element);
  follows = output->follows_upstream;
  GST_OBJECT_UNLOCK (output->element);
  switch (follows ? GST_QUERY_UNKNOWN : GST_QUERY_TYPE (query)) {
    case GST_QUERY_POSITION:
      return answer_position (output, query);
    case GST_QUERY_DURATION:
      return answer_duration (output, query);
    case GST_QUERY_SEEKING:
      return answer_seeking (output, sinkpad, query);
    case GST_QUERY_LATENCY:
      return answer_latency (output, query);
    default:
      return robocache_fixed_caps_query (output->pad, GST_OBJECT (output->element), query);
  }
}
