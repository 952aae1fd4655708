/* robocache: queries of a recording's times
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "queries.h"

#include "common/time/segments.h"

static gboolean
answer_position (const RobocacheMcapSession *session, GstQuery *query)
{
  GstClockTime position;
  GstFormat format;

  gst_query_parse_position (query, &format, NULL);
  if (format != GST_FORMAT_TIME)
    return FALSE;
  position = gst_segment_to_stream_time (&session->segment, GST_FORMAT_TIME, session->segment.position);
  gst_query_set_position (query, GST_FORMAT_TIME, (gint64) position);
  return GST_CLOCK_TIME_IS_VALID (position);
}

static gboolean
answer_duration (const RobocacheMcapSession *session, GstQuery *query)
{
  GstFormat format;

  gst_query_parse_duration (query, &format, NULL);
  if (format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID (session->duration))
    return FALSE;
  gst_query_set_duration (query, GST_FORMAT_TIME, (gint64) session->duration);
  return TRUE;
}

static gboolean
answer_seeking (const RobocacheMcapSession *session, gboolean is_seekable, GstQuery *query)
{
  GstFormat format;

  gst_query_parse_seeking (query, &format, NULL, NULL, NULL);
  gst_query_set_seeking (query, format, is_seekable && format == GST_FORMAT_TIME, 0,
      format == GST_FORMAT_TIME ? (gint64) session->duration : -1);
  return TRUE;
}

static gboolean
answer_segment (const RobocacheMcapSession *session, GstQuery *query)
{
  const GstSegment *segment = &session->segment;
  const guint64 start = gst_segment_to_stream_time (segment, GST_FORMAT_TIME, segment->start);
  const guint64 stop = GST_CLOCK_TIME_IS_VALID (segment->stop)
      ? gst_segment_to_stream_time (segment, GST_FORMAT_TIME, segment->stop) : session->duration;

  gst_query_set_segment (query, segment->rate, GST_FORMAT_TIME, (gint64) start, (gint64) stop);
  return TRUE;
}

gboolean
robocache_mcap_query (const RobocacheMcapSession *session, gboolean is_seekable, GstQuery *query, gboolean *is_known)
{
  *is_known = TRUE;
  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_POSITION:
      return answer_position (session, query);
    case GST_QUERY_DURATION:
      return answer_duration (session, query);
    case GST_QUERY_SEEKING:
      return answer_seeking (session, is_seekable, query);
    case GST_QUERY_SEGMENT:
      return answer_segment (session, query);
    default:
      *is_known = FALSE;
      return FALSE;
  }
}

gboolean
robocache_mcap_seek_segment (GstSegment *segment, GstEvent *event)
{
  GstSeekType start_type, stop_type;
  GstSeekFlags flags;
  GstFormat format;
  gint64 start, stop;
  gdouble rate;

  gst_event_parse_seek (event, &rate, &format, &flags, &start_type, &start, &stop_type, &stop);
  return robocache_seek_fits (segment, event) && !(flags & GST_SEEK_FLAG_INSTANT_RATE_CHANGE)
      && gst_segment_do_seek (segment, rate, format, flags, start_type, (guint64) start, stop_type, (guint64) stop, NULL);
}
