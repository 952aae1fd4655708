/* robocache: everything except caps that robocachefuse pushes downstream, in order: stream-start, segments, events, GAPs, samples, EOS
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "element.h"

/* ---- the next item to push; called with the lock ---- */

/* Call this at the start of the element: all events become due, and the segment covers all times. */
void gst_robocache_fuse_begin_downstream (GstRobocacheFuse * fuse);
/* Call this when the ticks restart: discards waiting events, and makes the segment complete again. */
void gst_robocache_fuse_reset_downstream (GstRobocacheFuse * fuse);
/* Sets the segment that a seek requests, at whose stop the core's ticks end. It is due after the flush. */
void gst_robocache_fuse_set_segment (GstRobocacheFuse * fuse, const GstSegment * segment);
void gst_robocache_fuse_renew_segment (GstRobocacheFuse * fuse);
/* Adds the segment that a seek without a flush requests. It is due when the core begins its range. */
void gst_robocache_fuse_add_segment (GstRobocacheFuse * fuse, const GstSegment * segment, guint32 seqnum);
/* Returns the segment that the last seek requested, which is current or will be. */
void gst_robocache_fuse_newest_segment (GstRobocacheFuse * fuse, GstSegment * segment);
/* Notes that the core has begun the range of such a segment. */
void gst_robocache_fuse_begin_range (GstRobocacheFuse * fuse, const FuseRange * range);
/* Makes the segment from a running time on due, since ticks went back to this time. */
void gst_robocache_fuse_go_back (GstRobocacheFuse * fuse, gint64 running_time);
/* From now on, events have the sequence number of this flush. */
void gst_robocache_fuse_mark_downstream (GstRobocacheFuse * fuse, guint32 seqnum);
/* Stores the sequence number of a pad's SEGMENT or EOS for our events: the last number of all pads is used, as in aggregators. */
void gst_robocache_fuse_note_seqnum (GstRobocacheFuse * fuse, GstEvent * event);
/* Queues an event (taken), to be pushed in order with samples. */
void gst_robocache_fuse_queue_event (GstRobocacheFuse * fuse, GstEvent * event);
/* Returns the first queued event, to be pushed; NULL: none. */
GstEvent *gst_robocache_fuse_next_event (GstRobocacheFuse * fuse);
/* Discards queued events and segments that seeks requested. */
void gst_robocache_fuse_release_events (GstRobocacheFuse * fuse);

/* ---- pushes; called by the task, without the lock ---- */

/* Pushes stream-start, before caps. */
void gst_robocache_fuse_push_stream_start (GstRobocacheFuse * fuse);
/* Pushes a queued event (taken). */
void gst_robocache_fuse_push_event (GstRobocacheFuse * fuse, GstEvent * event);
/* Pushes the GAP of a departure, if it has one. */
void gst_robocache_fuse_push_gap (GstRobocacheFuse * fuse, const FuseDeparture * departure);
/* Pushes a sample (taken). */
GstFlowReturn gst_robocache_fuse_push_sample (GstRobocacheFuse * fuse, GstBuffer * sample, const FuseTick * tick);
/* Pushes EOS or SEGMENT_DONE. */
void gst_robocache_fuse_push_end (GstRobocacheFuse * fuse, gboolean segment_done);
