/* robocache: robocacheresample, the flow of rows: buffers in, ticks decided, buffers out
 *
 * Errors are posted here, once. Called by the streaming thread without the object lock, except where noted.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/element/inputfaults.h"
#include "engine.h"
#include "output.h"
#include "properties.h"
#include "statistics.h"

typedef struct
{
  GstElement *element;          /* source of messages; its object lock guards the fields that stats and queries read */
  GstPad *src;
  GstRobocacheResampleProperties *properties;   /* properties that may change while data flows */

  GstRobocacheResampleEngine engine;
  GstRobocacheResampleStream stream;
  GstRobocacheResampleStatistics statistics;
  GstRobocacheResampleOffer offer;      /* what downstream accepts */
  GstBuffer *batch_out;         /* waits for the next buffer out */
  gboolean sent_buffer, is_in_hole, discont;
  RobocacheInputFaults faults;
  gboolean warned_no_time;
  gboolean stream_failed;       /* an error about data was posted: earlier rows are no longer output */
  gboolean failed;              /* an error about a device was posted: no more output */
} GstRobocacheResampleFlow;

void gst_robocache_resample_flow_init (GstRobocacheResampleFlow * flow, GstElement * element, GstPad * src,
    RobocacheDevice * device, GstRobocacheResampleProperties * properties);

void gst_robocache_resample_flow_start (GstRobocacheResampleFlow * flow);
/* Closes stream and engine without output. */
void gst_robocache_resample_flow_stop (GstRobocacheResampleFlow * flow);
/* Discards all rows. */
void gst_robocache_resample_flow_flush (GstRobocacheResampleFlow * flow);

/* Sets a new format. Rows are kept if only the output rate or type changed; otherwise the old format is closed. FALSE and an error:
 * nothing is open. */
gboolean gst_robocache_resample_flow_set_format (GstRobocacheResampleFlow * flow,
    const GstRobocacheResampleFormat * format, const GstRobocacheResampleSettings * settings,
    const RobocacheChannelRoles * roles, GError ** error);
/* Drains, and closes stream and engine. */
void gst_robocache_resample_flow_leave_format (GstRobocacheResampleFlow * flow);
/* Drains, and continues in a segment. live: upstream is live; otherwise a tick waits until no row can change it. */
void gst_robocache_resample_flow_set_segment (GstRobocacheResampleFlow * flow, const GstSegment * segment, gboolean live);

/* Outputs the ticks that the rows so far decide, and discards the rows; counts batches. at_end: reports all losses. */
void gst_robocache_resample_flow_drain (GstRobocacheResampleFlow * flow, gboolean at_end);
/* Call this after the last row: reports the checks of all rows, and drains. */
void gst_robocache_resample_flow_end (GstRobocacheResampleFlow * flow);

/* Inserts the rows of a buffer, or resamples a batch. */
GstFlowReturn gst_robocache_resample_flow_insert (GstRobocacheResampleFlow * flow, GstBuffer * buffer);
/* For a buffer with such an error (taken): drops the buffer if upstream is live, or posts the error, which ends the stream. */
GstFlowReturn gst_robocache_resample_flow_refuse (GstRobocacheResampleFlow * flow, GError * error);
/* Counts the rows of a buffer that was refused or dropped as malformed, which ret distinguishes. */
void gst_robocache_resample_flow_count_refused (GstRobocacheResampleFlow * flow, GstFlowReturn ret);
/* Handles a GAP: no row comes before the position end. FALSE: the GAP is ignored. */
gboolean gst_robocache_resample_flow_gap (GstRobocacheResampleFlow * flow, GstClockTime start, GstClockTime end);

/* Returns the next output buffer; NULL: no tick is decided. Sends GAP events for dropped ticks. */
GstFlowReturn gst_robocache_resample_flow_next (GstRobocacheResampleFlow * flow, GstBuffer ** buffer);

/* Returns the statistics. Called with the object lock held. */
GstStructure *gst_robocache_resample_flow_make_stats (GstRobocacheResampleFlow * flow);
