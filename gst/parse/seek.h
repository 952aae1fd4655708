/* robocache: seeks in recordings, and queries of their times
 *
 * A seek in TIME asks upstream for byte 0 and makes the segment that its bytes are cut to. With the flag SEGMENT the end of
 * the input is SEGMENT_DONE and not EOS.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_PARSE_SEEK_H
#define ROBOCACHE_PARSE_SEEK_H

#include <gst/gst.h>

#include "output.h"

G_BEGIN_DECLS

/* Sends a seek event, which stays the caller's, to the peer of sinkpad. FALSE: refused. */
gboolean robocache_parse_seek (RobocacheParseOutput * output, GstPad * sinkpad, GstEvent * event);
/* A segment of bytes comes from upstream: makes the segment of the seek that it answers, if there is one. */
void robocache_parse_seek_answered (RobocacheParseOutput * output);
/* The input ends. FALSE: with EOS. TRUE: it ends a SEGMENT seek, which was announced on the bus and downstream. */
gboolean robocache_parse_seek_end_segment (RobocacheParseOutput * output);

/* Whether upstream reads a file, whose length it knows. */
gboolean robocache_parse_reads_a_file (GstPad * sinkpad);

/* Answers a query at the source pad: POSITION, DURATION, SEEKING or LATENCY. */
gboolean robocache_parse_query (RobocacheParseOutput * output, GstPad * sinkpad, GstQuery * query);

G_END_DECLS
#endif
