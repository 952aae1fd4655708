/* robocache: comparison of segments, and validation of seeks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "segments.h"

#include "common/element/errors.h"

gboolean
robocache_segment_continues (const GstSegment *segment, const GstSegment *next)
{
  GstSegment moved = *segment;

  moved.position = next->position;
  return gst_segment_is_equal (&moved, next);
}

gboolean
robocache_segment_check (const GstSegment *segment, GError **error)
{
  const gboolean has_stop = segment->stop != (guint64) -1;

  if (has_stop && segment->stop < segment->start) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a segment from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT " in %s: "
        "its stop must not be before its start", segment->start, segment->stop, gst_format_get_name (segment->format));
    return FALSE;
  }
  if (segment->rate > 0.0 || (segment->rate < 0.0 && has_stop && segment->stop >= segment->offset))
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a segment of rate %g has no stop to play back from: expected a "
      "rate above 0, or a stop", segment->rate);
  return FALSE;
}

gboolean
robocache_seek_fits (const GstSegment *segment, GstEvent *seek)
{
  GstSeekType start_type, stop_type;
  gint64 start, stop;
  GstFormat format;
  gdouble rate;

  gst_event_parse_seek (seek, &rate, &format, NULL, &start_type, &start, &stop_type, &stop);
  if (format != segment->format || rate <= 0.0)
    return FALSE;
  if (start_type != GST_SEEK_TYPE_SET)
    start = (gint64) segment->start;
  if (stop_type != GST_SEEK_TYPE_SET)
    stop = (gint64) segment->stop;
  return stop == -1 || MAX (start, 0) <= MAX (stop, 0);
}

gboolean
robocache_seek_apply (GstSegment *segment, GstEvent *seek)
{
  GstSeekType start_type, stop_type;
  GstSeekFlags flags;
  GstFormat format;
  gint64 start, stop;
  gdouble rate;

  gst_event_parse_seek (seek, &rate, &format, &flags, &start_type, &start, &stop_type, &stop);
  return robocache_seek_fits (segment, seek) && !(flags & GST_SEEK_FLAG_INSTANT_RATE_CHANGE)
      && gst_segment_do_seek (segment, rate, format, flags, start_type, (guint64) start, stop_type, (guint64) stop, NULL);
}
