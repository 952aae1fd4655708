/* robocache: what robocachefuse pushes downstream beside caps, in its order: the stream's start, segments, events, GAPs, samples, the end
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "downstream.h"

#include "debug.h"
#include "gst/fuse/core/control.h"

/* A segment that a seek without a flush asks for. */
typedef struct
{
  GstSegment segment;           /* its base is known when it begins */
  guint32 seqnum;
} Sought;

/* ---- what is due; called with the lock ---- */

static void
forget_sought (GstRobocacheFuse *fuse)
{
  g_queue_clear_full (&fuse->sought, g_free);
}

static FuseRange
range_of (const GstSegment *segment, guint32 seqnum)
{
  FuseRange range = {
    .number = seqnum,
    .start = fuse_time_of_clock (segment->start),
    .length = ROBOCACHE_NO_TIME,
    .begin = fuse_time_of_clock (segment->base),
    .is_segment = (segment->flags & GST_SEGMENT_FLAG_SEGMENT) != 0,
  };

  if (GST_CLOCK_TIME_IS_VALID (segment->stop))
    range.length = fuse_time_of_clock (gst_segment_to_running_time (segment, GST_FORMAT_TIME, segment->stop) - segment->base);
  return range;
}

void
gst_robocache_fuse_release_events (GstRobocacheFuse *fuse)
{
  GstEvent *event;

  while ((event = gst_robocache_fuse_next_event (fuse)))
    g_ptr_array_add (fuse->released, event);
  forget_sought (fuse);
}

void
gst_robocache_fuse_begin_downstream (GstRobocacheFuse *fuse)
{
  gst_segment_init (&fuse->segment, GST_FORMAT_TIME);
  fuse->segment.position = GST_CLOCK_TIME_NONE;
  forget_sought (fuse);
  fuse->segment_from = 0;
  fuse->stream_started = FALSE;
  fuse->need_segment = TRUE;
  fuse->flush_seqnum = fuse->segment_seqnum = fuse->eos_seqnum = GST_SEQNUM_INVALID;
}

void
gst_robocache_fuse_reset_downstream (GstRobocacheFuse *fuse)
{
  fuse->segment_from = 0;
  fuse->segment.base = 0;
  gst_robocache_fuse_release_events (fuse);
}

void
gst_robocache_fuse_set_segment (GstRobocacheFuse *fuse, const GstSegment *segment)
{
  const FuseRange range = range_of (segment, fuse->flush_seqnum);

  fuse->segment = *segment;
  fuse_core_set_range (fuse->core, &range);
  forget_sought (fuse);
}

void
gst_robocache_fuse_add_segment (GstRobocacheFuse *fuse, const GstSegment *segment, guint32 seqnum)
{
  const FuseRange range = range_of (segment, seqnum);
  Sought *sought = g_new0 (Sought, 1);

  sought->segment = *segment;
  sought->seqnum = seqnum;
  g_queue_push_tail (&fuse->sought, sought);
  fuse_core_add_range (fuse->core, &range);
}

void
gst_robocache_fuse_newest_segment (GstRobocacheFuse *fuse, GstSegment *segment)
{
  const Sought *last = g_queue_peek_tail (&fuse->sought);

  *segment = last ? last->segment : fuse->segment;
}

void
gst_robocache_fuse_begin_range (GstRobocacheFuse *fuse, const FuseRange *range)
{
  Sought *sought;
  gboolean found = FALSE;

  while (!found && (sought = g_queue_pop_head (&fuse->sought))) {
    found = sought->seqnum == range->number;
    fuse->segment = sought->segment;
    g_free (sought);
  }
  GST_DEBUG_OBJECT (fuse, "the segment of seek %u begins at running time %" GST_STIME_FORMAT, range->number, GST_STIME_ARGS (range->begin));
  fuse->segment.base = (guint64) range->begin;
  fuse->segment_from = 0;
  fuse->flush_seqnum = range->number;
  fuse->need_segment = TRUE;
}

void
gst_robocache_fuse_renew_segment (GstRobocacheFuse *fuse)
{
  fuse->need_segment = TRUE;
}

void
gst_robocache_fuse_go_back (GstRobocacheFuse *fuse, gint64 running_time)
{
  GST_DEBUG_OBJECT (fuse, "the next segment begins at running time %" GST_STIME_FORMAT ", since ticks went back", GST_STIME_ARGS (running_time));
  fuse->segment_from = running_time;
  fuse->need_segment = TRUE;
}

void
gst_robocache_fuse_mark_downstream (GstRobocacheFuse *fuse, guint32 seqnum)
{
  fuse->flush_seqnum = seqnum;
  fuse->eos_seqnum = GST_SEQNUM_INVALID;
}

void
gst_robocache_fuse_note_seqnum (GstRobocacheFuse *fuse, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    fuse->eos_seqnum = gst_event_get_seqnum (event);
  else
    fuse->segment_seqnum = gst_event_get_seqnum (event);
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

/* Takes event, and gives it the number of the event that caused it. */
static void
push_marked (GstRobocacheFuse *fuse, GstEvent *event)
{
  guint32 seqnum = GST_SEQNUM_INVALID;

  FUSE_LOCK (fuse);
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    seqnum = fuse->eos_seqnum;
  if (seqnum == GST_SEQNUM_INVALID)
    seqnum = fuse->flush_seqnum != GST_SEQNUM_INVALID ? fuse->flush_seqnum : fuse->segment_seqnum;
  FUSE_UNLOCK (fuse);
  if (seqnum != GST_SEQNUM_INVALID)
    gst_event_set_seqnum (event, seqnum);
  GST_DEBUG_OBJECT (fuse->src, "%" GST_PTR_FORMAT, event);
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
  GST_DEBUG_OBJECT (fuse->src, "%" GST_PTR_FORMAT, event);
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
  GST_DEBUG_OBJECT (fuse->src, "GAP from %" GST_TIME_FORMAT ", running time %" GST_STIME_FORMAT " to %" GST_STIME_FORMAT, GST_TIME_ARGS (pts),
      GST_STIME_ARGS (start), GST_STIME_ARGS (end));
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
  GST_LOG_OBJECT (fuse->src, "%" GST_PTR_FORMAT, sample);
  return gst_pad_push (fuse->src, sample);
}

/* Where the next segment continues. */
static gint64
end_of_segment (const GstSegment *segment)
{
  if (GST_CLOCK_TIME_IS_VALID (segment->stop))
    return (gint64) segment->stop;
  return (gint64) (GST_CLOCK_TIME_IS_VALID (segment->position) ? segment->position : segment->start);
}

/* A bin waits for it, since a seek posted SEGMENT_START. */
static void
post_segment_done (GstRobocacheFuse *fuse, gint64 position, guint32 seqnum)
{
  GstMessage *message = gst_message_new_segment_done (GST_OBJECT (fuse), GST_FORMAT_TIME, position);

  gst_message_set_seqnum (message, seqnum);
  gst_element_post_message (GST_ELEMENT (fuse), message);
}

void
gst_robocache_fuse_push_end (GstRobocacheFuse *fuse, gboolean segment_done)
{
  gboolean is_sought;
  gint64 position;
  guint32 seqnum;

  gst_robocache_fuse_push_stream_start (fuse);
  push_segment (fuse);
  FUSE_LOCK (fuse);
  position = end_of_segment (&fuse->segment);
  is_sought = segment_done && (fuse->segment.flags & GST_SEGMENT_FLAG_SEGMENT);
  seqnum = fuse->flush_seqnum;
  FUSE_UNLOCK (fuse);
  GST_INFO_OBJECT (fuse, "%s", segment_done ? "the segment is done" : "EOS");
  if (is_sought)
    post_segment_done (fuse, position, seqnum);
  push_marked (fuse, segment_done ? gst_event_new_segment_done (GST_FORMAT_TIME, position) : gst_event_new_eos ());
}
