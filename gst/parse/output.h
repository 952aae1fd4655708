/* robocache: output of robocacheparse: caps, segment, events and buffers in their order, and faults of the input
 *
 * The lowest layer of the element: the parsers of rows and of clouds pass their results to it. An error is posted once;
 * from then on the element refuses data until a flush or a new start.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "common/element/statsmessages.h"
#include "statistics.h"

GST_DEBUG_CATEGORY_EXTERN (robocache_parse_debug);

typedef struct
{
  GstElement *element;          /* owner of this struct; source of messages, and its object lock guards the next fields */
  GstPad *pad;                  /* source pad of the element */

  /* object lock */
  RobocacheParseStatistics statistics;
  GstClockTime stats_interval;  /* ns; 0: off */
  GstSegment segment;           /* position is the time of the last row or cloud */
  guint32 segment_seqnum;
  GstEvent *seek;               /* seek that waits for its segment from upstream; NULL: none */
  GstClockTime newest;          /* latest time in the input since the last restart */
  GstClockTime duration;        /* duration of an input that was read to its end; GST_CLOCK_TIME_NONE: unknown */
  gboolean is_live, replays;    /* replays: rows wait for their time of arrival */
  gboolean has_times;           /* rows, or clouds with a rate: a seek in TIME is possible */
  gboolean follows_upstream;    /* upstream's segment is in TIME and used as ours; upstream handles seeks and queries */

  /* streaming thread, or no streaming thread */
  gboolean is_of_clouds;
  gint max_errors;              /* consecutive errors; -1: no limit */
  gint errors_in_row;
  gchar *first_fault;
  gboolean failed;              /* an error was posted */
  gboolean discont;             /* the next buffer follows lost data */
  gboolean needs_segment;       /* send the segment before the next buffer */
  GstClockTime previous;        /* time of the previous row or cloud */
  GstEvent *origin;             /* event with the origin of the times; NULL: unknown, or not announced */
  gboolean needs_origin;        /* send origin after the segment */
  GList *waiting_events;        /* GstEvent items to send after the segment */
  RobocacheStatisticsTimer stats_timer;
} RobocacheParseOutput;

void robocache_parse_output_init (RobocacheParseOutput * output, GstElement * element, GstPad * pad);
/* Starts a run, before its first buffer. */
void robocache_parse_output_start (RobocacheParseOutput * output, gboolean is_of_clouds, gint max_errors);
/* Stops after a run, or after only _init: frees the state of the run, except for statistics. */
void robocache_parse_output_stop (RobocacheParseOutput * output);
/* Restarts for input that does not continue the previous input. */
void robocache_parse_output_restart (RobocacheParseOutput * output);
/* Resets after a flush. Keeps the segment of a pending seek. */
void robocache_parse_output_flush (RobocacheParseOutput * output);
/* Announces a new duration after the input was read to its end. */
void robocache_parse_output_end (RobocacheParseOutput * output);

/* Replaces the segment, to be sent before the next buffer. */
void robocache_parse_output_set_segment (RobocacheParseOutput * output, const GstSegment * segment, guint32 seqnum);
/* Takes the event with the origin of the times, to send after this segment and later segments. */
void robocache_parse_output_set_origin (RobocacheParseOutput * output, GstEvent * event);
/* Sends caps, which for tensors use downstream's spelling, then the segment, the origin and the waiting events. FALSE: downstream does
 * not accept the caps, and a CORE/NEGOTIATION error was posted. */
gboolean robocache_parse_output_send_headers (RobocacheParseOutput * output, GstCaps * caps);
/* Downstream's allocator if it is one of this plugin's, whose memory is pinned if downstream computes on a GPU. NULL: downstream offers none.
 * Call it after the headers were sent. */
GstAllocator *robocache_parse_output_get_allocator (RobocacheParseOutput * output);
/* Takes an event, serialized or not, and sends it after the segment. */
gboolean robocache_parse_output_send_event (RobocacheParseOutput * output, GstEvent * event);

/* Records the time of a row or cloud. FALSE: the segment of a seek excludes it, and it is counted. */
gboolean robocache_parse_output_admit (RobocacheParseOutput * output, GstClockTime pts);
/* Compares a row with the start of the segment: below 0 before it, 0 at it, above 0 after it. */
gint robocache_parse_output_compare_to_start (RobocacheParseOutput * output, GstClockTime pts);
/* Admits a row before the segment, since it is valid at the start of the segment. */
void robocache_parse_output_admit_earlier (RobocacheParseOutput * output);
/* Takes a buffer with a row or a cloud of n_points, and sends it after the headers. */
GstFlowReturn robocache_parse_output_push (RobocacheParseOutput * output, GstBuffer * buffer, guint64 n_points);

/* Counts and reports a dropped record. GST_FLOW_ERROR: max_errors is exceeded, and a STREAM/DECODE error was posted. */
GstFlowReturn robocache_parse_output_malformed (RobocacheParseOutput * output, const gchar * fault);
/* Posts a fault of settings or of unreadable input as an error. Returns GST_FLOW_ERROR. */
GstFlowReturn robocache_parse_output_refuse (RobocacheParseOutput * output, const GError * fault);
/* At the end of input without a row or cloud: posts an error if all records were malformed, otherwise a warning. */
void robocache_parse_output_check_not_empty (RobocacheParseOutput * output);
