/* robocache: what robocachefuse pushes downstream beside caps, in its order: the stream's start, segments, events, GAPs, samples, the end
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "downstream.h"

#include "debug.h"
#include "gst/fuse/core/control.h"

/* ---- what is due; called with the lock ---- */

void
gst_robocache_fuse_release_events (GstRobocacheFuse *fuse)
{
  GstEvent *event;

  while ((event = gst_robocache_fuse_next_event (fuse)))
    g_ptr_array_add (fuse->released, event);
}

void
gst_robocache_fuse_begin_downstream (GstRobocacheFuse *fuse)
{
  gst_segment_init (&fuse->segment, GST_FORMAT_TIME);
  fuse->segment.position = GST_CLOCK_TIME_NONE;
  fuse->segment_from = 0;
  fuse->stream_started = FALSE;
  fuse->need_segment = TRUE;
  fuse->seqnum = GST_SEQNUM_INVALID;
}

void
gst_robocache_fuse_reset_downstream (GstRobocacheFuse *fuse)
{
  fuse->segment_from = 0;
  gst_robocache_fuse_release_events (fuse);
}

void
gst_robocache_fuse_set_segment (GstRobocacheFuse *fuse, const GstSegment *segment)
{
  gint64 end = ROBOCACHE_NO_TIME;

  fuse->segment = *segment;
  if (GST_CLOCK_TIME_IS_VALID (segment->stop))
    end = fuse_time_of_clock (gst_segment_to_running_time (segment, GST_FORMAT_TIME, segment->stop));
  fuse_core_set_range (fuse->core, fuse_time_of_clock (segment->start), end, (segment->flags & GST_SEGMENT_FLAG_SEGMENT) != 0);
}

void
gst_robocache_fuse_renew_segment (GstRobocacheFuse *fuse)
{
  fuse->need_segment = TRUE;
}

void
gst_robocache_fuse_go_back (GstRobocacheFuse *fuse, gint64 running_time)
{
  fuse->segment_from = running_time;
  fuse->need_segment = TRUE;
}

void
gst_robocache_fuse_mark_downstream (GstRobocacheFuse *fuse, guint32 seqnum)
{
  fuse->seqnum = seqnum;
}

void
gst_robocache_fuse_queue_event (GstRobocacheFuse *fuse, GstEvent *event)
{
  g_queue_push_tail (&fuse->events, event);
  gst_robocache_fuse_wake (fuse);
}

GstEvent *
gst_robocache_fuse_next_event (GstRobocacheFuse *fuse)
{
  return g_queue_pop_head (&fuse->events);
}

/* ---- what leaves; called without the lock ---- */

void
gst_robocache_fuse_push_stream_start (GstRobocacheFuse *fuse)
{
  gboolean due;
  gchar *id;

  FUSE_LOCK (fuse);
  due = !fuse->stream_started;
  fuse->stream_started = TRUE;
  FUSE_UNLOCK (fuse);
  if (!due)
    return;
  id = g_strdup_printf ("robocachefuse/%s", GST_OBJECT_NAME (fuse));    /* equal runs have equal ids */
  gst_pad_push_event (fuse->src, gst_event_new_stream_start (id));
  g_free (id);
}

/* Takes event, and gives it the number of the last seek or flush. */
static void
push_marked (GstRobocacheFuse *fuse, GstEvent *event)
{
  guint32 seqnum;

  FUSE_LOCK (fuse);
  seqnum = fuse->seqnum;
  FUSE_UNLOCK (fuse);
  if (seqnum != GST_SEQNUM_INVALID)
    gst_event_set_seqnum (event, seqnum);
  gst_pad_push_event (fuse->src, event);
}

/* The part of a segment from a running time on; positions have the running times that they had. */
static void
begin_segment_at (GstSegment *segment, gint64 from)
{
  const guint64 start = gst_segment_position_from_running_time (segment, GST_FORMAT_TIME, (guint64) from);

  if (!GST_CLOCK_TIME_IS_VALID (start))
    return;
  segment->time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME, start);
  segment->start = segment->position = start;
  segment->base = (guint64) from;
  segment->offset = 0;
}

static void
push_segment (GstRobocacheFuse *fuse)
{
  GstSegment segment;
  gboolean due;

  FUSE_LOCK (fuse);
  due = fuse->need_segment;
  fuse->need_segment = FALSE;
  segment = fuse->segment;
  if (fuse->segment_from > 0)
    begin_segment_at (&segment, fuse->segment_from);
  FUSE_UNLOCK (fuse);
  if (due)
    push_marked (fuse, gst_event_new_segment (&segment));
}

void
gst_robocache_fuse_push_event (GstRobocacheFuse *fuse, GstEvent *event)
{
  gst_robocache_fuse_push_stream_start (fuse);
  gst_pad_push_event (fuse->src, event);
}

void
gst_robocache_fuse_push_gap (GstRobocacheFuse *fuse, const FuseDeparture *departure)
{
  const gint64 start = departure->gap_start, end = departure->gap_end;
  GstClockTime pts;

  if (start == ROBOCACHE_NO_TIME)
    return;
  push_segment (fuse);
  FUSE_LOCK (fuse);
  pts = gst_segment_position_from_running_time (&fuse->segment, GST_FORMAT_TIME, (guint64) start);
  FUSE_UNLOCK (fuse);
  gst_pad_push_event (fuse->src, gst_event_new_gap (pts, end > start ? (GstClockTime) (end - start) : GST_CLOCK_TIME_NONE));
}

GstFlowReturn
gst_robocache_fuse_push_sample (GstRobocacheFuse *fuse, GstBuffer *sample, const FuseTick *tick)
{
  GstClockTime pts;

  gst_robocache_fuse_push_stream_start (fuse);
  push_segment (fuse);
  FUSE_LOCK (fuse);
  pts = gst_segment_position_from_running_time (&fuse->segment, GST_FORMAT_TIME, (guint64) tick->time);
  fuse->segment.position = pts;
  FUSE_UNLOCK (fuse);
  GST_BUFFER_PTS (sample) = pts;
  GST_BUFFER_DURATION (sample) = fuse_clock_time_of (tick->duration);
  return gst_pad_push (fuse->src, sample);
}

void
gst_robocache_fuse_push_end (GstRobocacheFuse *fuse, gboolean segment_done)
{
  GstClockTime position;

  gst_robocache_fuse_push_stream_start (fuse);
  push_segment (fuse);
  FUSE_LOCK (fuse);
  position = GST_CLOCK_TIME_IS_VALID (fuse->segment.position) ? fuse->segment.position : fuse->segment.start;
  FUSE_UNLOCK (fuse);
  GST_INFO_OBJECT (fuse, "%s", segment_done ? "the segment is done" : "EOS");
  push_marked (fuse, segment_done ? gst_event_new_segment_done (GST_FORMAT_TIME, (gint64) position) : gst_event_new_eos ());
}
