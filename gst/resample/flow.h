/* robocache: robocacheresample, the flow of rows: buffers in, ticks decided, buffers out
 *
 * Errors are posted here, once. Called by the streaming thread without the object lock, except where noted.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_RESAMPLE_FLOW_H
#define GST_ROBOCACHE_RESAMPLE_FLOW_H

#include "engine.h"
#include "output.h"
#include "properties.h"
#include "statistics.h"

G_BEGIN_DECLS

typedef struct
{
  GstElement *element;          /* source of messages; its object lock guards what stats and queries read */
  GstPad *src;
  GstRobocacheResampleProperties *properties;   /* those that may change while data flows */

  GstRobocacheResampleEngine engine;
  GstRobocacheResampleStream stream;
  GstRobocacheResampleStatistics statistics;
  GstRobocacheResampleOffer offer;      /* of downstream */
  GstBuffer *batch_out;         /* waits for the next buffer out */
  gboolean sent_buffer, discont;
  gboolean warned_no_time;
  gboolean stream_failed;       /* an error about data was posted: earlier rows are not output any more */
  gboolean failed;              /* an error about a device was posted: nothing is output any more */
} GstRobocacheResampleFlow;

void gst_robocache_resample_flow_init (GstRobocacheResampleFlow * flow, GstElement * element, GstPad * src,
    RobocacheDevice * device, GstRobocacheResampleProperties * properties);

void gst_robocache_resample_flow_start (GstRobocacheResampleFlow * flow);
/* Closes stream and engine without output. */
void gst_robocache_resample_flow_stop (GstRobocacheResampleFlow * flow);
/* Forgets all rows. */
void gst_robocache_resample_flow_flush (GstRobocacheResampleFlow * flow);
/* Outputs from now on as if nothing had been sent before. */
void gst_robocache_resample_flow_reset (GstRobocacheResampleFlow * flow);

/* Takes over a new format. Rows stay if only the output changed, the rate or the type; otherwise the old format is left. FALSE
 * and an error: nothing is open then. */
gboolean gst_robocache_resample_flow_set_format (GstRobocacheResampleFlow * flow,
    const GstRobocacheResampleFormat * format, const GstRobocacheResampleSettings * settings,
    const RobocacheChannelRoles * roles, GError ** error);
/* Drains, and closes stream and engine. */
void gst_robocache_resample_flow_leave_format (GstRobocacheResampleFlow * flow);
/* Drains, and continues in a segment. live: whether upstream is; otherwise a tick waits until no row can change it. */
void gst_robocache_resample_flow_set_segment (GstRobocacheResampleFlow * flow, const GstSegment * segment, gboolean live);

/* Outputs what the rows so far decide, and forgets them; counts batches. at_end: reports all losses. */
void gst_robocache_resample_flow_drain (GstRobocacheResampleFlow * flow, gboolean at_end);

/* Inserts the rows of a buffer, or resamples a batch. */
GstFlowReturn gst_robocache_resample_flow_insert (GstRobocacheResampleFlow * flow, GstBuffer * buffer);
/* Counts the rows of a buffer that was refused. */
void gst_robocache_resample_flow_count_refused (GstRobocacheResampleFlow * flow);
/* No row comes before the position end. FALSE: the GAP is ignored. */
gboolean gst_robocache_resample_flow_gap (GstRobocacheResampleFlow * flow, GstClockTime start, GstClockTime end);

/* The next buffer out; NULL when no tick is decided. Dropped ticks become GAP events on the way. */
GstFlowReturn gst_robocache_resample_flow_next (GstRobocacheResampleFlow * flow, GstBuffer ** buffer);

/* Called with the object lock held. */
GstStructure *gst_robocache_resample_flow_make_stats (GstRobocacheResampleFlow * flow);

G_END_DECLS
#endif
