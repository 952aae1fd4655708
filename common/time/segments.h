/* robocache: comparison and validation of segments, and validation of seeks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_SEGMENTS_H
#define ROBOCACHE_SEGMENTS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Whether next maps times as segment does. Positions are ignored, since each buffer moves them. */
gboolean robocache_segment_continues (const GstSegment * segment, const GstSegment * next);

/* FALSE and an error with the fault if a segment has no running times: its stop is before its start, or it plays
 * backwards from no stop. The functions of GstSegment take it for granted that there are none of these. */
gboolean robocache_segment_check (const GstSegment * segment, GError ** error);

/* Whether a seek event plays forwards, is in the segment's format, and starts at or before its stop: gst_segment_do_seek
 * takes the last for granted. Seeks relative to the end keep the segment's start or stop, as its duration is unknown. */
gboolean robocache_seek_fits (const GstSegment * segment, GstEvent * seek);

G_END_DECLS
#endif
