/* robocache: comparison and validation of segments, and validation of seeks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* Whether next converts times like segment. Positions are ignored, since each buffer moves them. */
gboolean robocache_segment_continues (const GstSegment * segment, const GstSegment * next);

/* Checks that a segment has running times. FALSE and an error with the fault: its stop is before its start, or it plays backwards without
 * a stop. The functions of GstSegment assume that such segments do not occur. */
gboolean robocache_segment_check (const GstSegment * segment, GError ** error);

/* Whether a seek event plays forwards, is in the segment's format, and starts at or before its stop: gst_segment_do_seek assumes the last
 * condition. Seeks relative to the end keep the segment's start or stop, as its duration is unknown. */
gboolean robocache_seek_fits (const GstSegment * segment, GstEvent * seek);

/* Sets segment to that of a seek event. FALSE: the seek does not fit, or it is an instant change of rate, so it cannot be played. */
gboolean robocache_seek_apply (GstSegment * segment, GstEvent * seek);
