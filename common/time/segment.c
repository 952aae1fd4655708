/* robocache: segments that go on
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "segment.h"

gboolean
robocache_segment_goes_on (const GstSegment *segment, const GstSegment *next)
{
  GstSegment there = *segment;

  there.position = next->position;
  return gst_segment_is_equal (&there, next);
}
