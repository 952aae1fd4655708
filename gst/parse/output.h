/* robocache: output of robocacheparse: caps, segment, events and buffers in their order, and faults of the input
 *
 * The lowest part of the element: the parsers of rows and of clouds hand their results to it. An error is posted once;
 * from then on the element refuses data until a flush or a new start.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_PARSE_OUTPUT_H
#define ROBOCACHE_PARSE_OUTPUT_H

#include <gst/gst.h>

#include "common/element/statistics.h"
#include "statistics.h"

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (robocache_parse_debug);

typedef struct
{
  GstElement *element;          /* owner of this struct, for messages and its object lock */
  GstPad *pad;                  /* its source pad */

  /* object lock */
  RobocacheParseStatistics statistics;
  GstClockTime stats_interval;  /* ns; 0: off */
  GstSegment segment;           /* position is the last row or cloud */
  guint32 segment_seqnum;
  GstEvent *seek;               /* awaits the segment from upstream that answers it; NULL: none */
  GstClockTime newest;          /* latest time in the input since the last restart */
  GstClockTime duration;        /* of an input that was read to its end; none: unknown */
  gboolean is_live, replays;    /* replays: rows wait for their time of arrival */
  gboolean has_times;           /* rows, or clouds with a rate: a seek in TIME makes sense */
  gboolean follows_upstream;    /* upstream's segment is in TIME and ours, and so are seeks and queries */

  /* streaming thread, or no streaming thread */
  gboolean is_of_clouds;
  gint max_errors;              /* in a row; -1: no limit */
  gint errors_in_row;
  gchar *first_fault;
  gboolean failed;              /* an error was posted */
  gboolean discont;             /* the next buffer follows a loss */
  gboolean needs_segment;       /* before the next buffer */
  GstClockTime previous;        /* time of the row or cloud before */
  GstEvent *origin;             /* of the times; NULL: not known, or not to be announced */
  gboolean needs_origin;        /* origin follows the segment */
  GList *waiting_events;        /* GstEvent, to follow the segment */
  RobocacheStatisticsTimer stats_timer;
} RobocacheParseOutput;

void robocache_parse_output_init (RobocacheParseOutput * output, GstElement * element, GstPad * pad);
/* Before the first buffer of a run. */
void robocache_parse_output_start (RobocacheParseOutput * output, gboolean is_of_clouds, gint max_errors);
/* After a run, or after _init alone: frees what is left of it, except for statistics. */
void robocache_parse_output_stop (RobocacheParseOutput * output);
/* Input that does not continue the input before. */
void robocache_parse_output_restart (RobocacheParseOutput * output);
/* After a flush. Keeps the segment of a pending seek. */
void robocache_parse_output_flush (RobocacheParseOutput * output);
/* The input was read to its end: announces a duration that is new. */
void robocache_parse_output_end (RobocacheParseOutput * output);

/* Replaces the segment, to be sent before the next buffer. */
void robocache_parse_output_set_segment (RobocacheParseOutput * output, const GstSegment * segment, guint32 seqnum);
/* Takes the event with the origin of the times, to be sent after this segment and the following ones. */
void robocache_parse_output_set_origin (RobocacheParseOutput * output, GstEvent * event);
/* Sends caps, in downstream's spelling when they are tensors, and after them the segment, the origin and the events that wait.
 * FALSE when downstream does not accept the caps, after a CORE/NEGOTIATION error. */
gboolean robocache_parse_output_send_headers (RobocacheParseOutput * output, GstCaps * caps);
/* After the headers: the allocator of the plugin's that downstream offers, pinned for a GPU, or NULL. */
GstAllocator *robocache_parse_output_get_allocator (RobocacheParseOutput * output);
/* Takes a serialized or other event, and sends it after the segment. */
gboolean robocache_parse_output_send_event (RobocacheParseOutput * output, GstEvent * event);

/* Records the time of a row or cloud. FALSE, and a count, when the segment of a seek leaves it out. */
gboolean robocache_parse_output_admit (RobocacheParseOutput * output, GstClockTime pts);
/* Takes a buffer, a row or a cloud of n_points, and sends it after the headers. */
GstFlowReturn robocache_parse_output_push (RobocacheParseOutput * output, GstBuffer * buffer, guint64 n_points);

/* Counts and reports a dropped record. GST_FLOW_ERROR, after a STREAM/DECODE error, when max_errors is exceeded. */
GstFlowReturn robocache_parse_output_malformed (RobocacheParseOutput * output, const gchar * fault);
/* Posts the fault, of settings or of input that cannot be read, as an error. Returns GST_FLOW_ERROR. */
GstFlowReturn robocache_parse_output_refuse (RobocacheParseOutput * output, const GError * fault);
/* At the end of input without a row or cloud: an error when all records were malformed, otherwise a warning. */
void robocache_parse_output_check_not_empty (RobocacheParseOutput * output);

G_END_DECLS
#endif
