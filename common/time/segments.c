/* robocache: comparison of segments, and validation of seeks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "segments.h"

gboolean
robocache_segment_continues (const GstSegment *segment, const GstSegment *next)
{
  GstSegment moved = *segment;

  moved.position = next->position;
  return gst_segment_is_equal (&moved, next);
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
