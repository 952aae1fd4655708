/* robocache: what robocachefuse pushes downstream beside caps, in its order: the stream's start, segments, events, GAPs, samples, the end
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_DOWNSTREAM_H
#define FUSE_DOWNSTREAM_H

#include "element.h"

G_BEGIN_DECLS

/* ---- what is due; called with the lock ---- */

/* The element starts: all is due, and the segment is all of time. */
void gst_robocache_fuse_begin_downstream (GstRobocacheFuse * fuse);
/* The ticks begin anew: events that wait are not pushed, and the segment is whole again. */
void gst_robocache_fuse_reset_downstream (GstRobocacheFuse * fuse);
/* The segment that a seek asks for, which is where the core's ticks end. It is due after the flush. */
void gst_robocache_fuse_set_segment (GstRobocacheFuse * fuse, const GstSegment * segment);
void gst_robocache_fuse_renew_segment (GstRobocacheFuse * fuse);
/* The segment's part from a running time on is due, since ticks went back to it. */
void gst_robocache_fuse_go_back (GstRobocacheFuse * fuse, gint64 running_time);
/* Events carry the number of this flush from now on. */
void gst_robocache_fuse_mark_downstream (GstRobocacheFuse * fuse, guint32 seqnum);
/* Takes an event, to push in order with samples. */
void gst_robocache_fuse_queue_event (GstRobocacheFuse * fuse, GstEvent * event);
/* The first of them, to be pushed; NULL: none waits. */
GstEvent *gst_robocache_fuse_next_event (GstRobocacheFuse * fuse);
/* Events that wait are not pushed any more. */
void gst_robocache_fuse_release_events (GstRobocacheFuse * fuse);

/* ---- what leaves; called by the task, without the lock ---- */

/* Caps follow the stream's start. */
void gst_robocache_fuse_push_stream_start (GstRobocacheFuse * fuse);
/* Takes an event that waited. */
void gst_robocache_fuse_push_event (GstRobocacheFuse * fuse, GstEvent * event);
/* The GAP of a departure, if it has one. */
void gst_robocache_fuse_push_gap (GstRobocacheFuse * fuse, const FuseDeparture * departure);
/* Takes the sample. */
GstFlowReturn gst_robocache_fuse_push_sample (GstRobocacheFuse * fuse, GstBuffer * sample, const FuseTick * tick);
/* EOS, or SEGMENT_DONE. */
void gst_robocache_fuse_push_end (GstRobocacheFuse * fuse, gboolean segment_done);

G_END_DECLS
#endif
