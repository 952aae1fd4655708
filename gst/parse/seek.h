/* robocache: seeks in recordings, and queries of their times
 *
 * A seek in TIME requests byte 0 from upstream, and makes the segment that limits the rows. With the flag SEGMENT, the input ends with
 * SEGMENT_DONE instead of EOS.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "output.h"

/* Sends a seek event to the peer of sinkpad; the caller keeps the event. FALSE: refused. */
gboolean robocache_parse_seek (RobocacheParseOutput * output, GstPad * sinkpad, GstEvent * event);
/* Makes the segment of the pending seek, if any. Called when upstream sends a segment in bytes. */
void robocache_parse_seek_answered (RobocacheParseOutput * output);
/* At the end of the input. FALSE: send EOS. TRUE: the end of a SEGMENT seek was announced on the bus and downstream. */
gboolean robocache_parse_seek_end_segment (RobocacheParseOutput * output);

/* Whether upstream reads a file of known length. */
gboolean robocache_parse_reads_a_file (GstPad * sinkpad);

/* Answers a query at the source pad: POSITION, DURATION, SEEKING or LATENCY. */
gboolean robocache_parse_query (RobocacheParseOutput * output, GstPad * sinkpad, GstQuery * query);
