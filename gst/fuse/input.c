/* robocache: input of the sink pads of robocachefuse: rows, events and queries
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "input.h"

#include <string.h>

#include "common/device/budget.h"
#include "common/element/linkadvice.h"
#include "common/tensors/flexible.h"
#include "common/tensors/tensormeta.h"
#include "common/time/segments.h"
#include "gst/fuse/checks/silence.h"
#include "gst/fuse/stream/debug.h"
#include "gst/fuse/stream/insertion.h"
#include "commonclock.h"
#include "flush.h"
#include "elementlatency.h"
#include "messages.h"
#include "negotiation.h"
#include "settingsevent.h"
#include "ticktask.h"
#include "timejumps.h"

/* Few enough frames for any camera's pool. */
#define MIN_ROWS_WORTH_PRUNING 4

/* ---- pace; called with the lock ---- */

/* Releases rows between two ticks that no tick needs: a camera's pool may be small. */
static void
prune (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  const FuseEpoch *epoch = fuse_stream_epoch (&pad->stream);
  gint64 tick;

  if (epoch && epoch->history.n > MIN_ROWS_WORTH_PRUNING && fuse_tick_clock_lower_bound (&fuse->clock, &tick))
    fuse_stream_prune (&pad->stream, tick);
}

/* ---- pace; called without the lock ---- */

/* Before a pad waits for the first time: whether it may, which is asked upstream. */
static gboolean
may_wait (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  GError *error = NULL;
  gboolean ahead;

  if (pad->sources_checked)
    return TRUE;
  FUSE_LOCK (fuse);
  ahead = gst_robocache_fuse_is_ahead (fuse, pad);
  FUSE_UNLOCK (fuse);
  if (!ahead)
    return TRUE;
  pad->sources_checked = TRUE;
  if (gst_robocache_fuse_check_sources (fuse, &error))
    return TRUE;
  gst_robocache_fuse_fail (fuse, NULL, GST_FLOW_NOT_NEGOTIATED, error);
  return FALSE;
}

static GstFlowReturn
wait_for_the_others (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  if (!may_wait (fuse, pad))
    return GST_FLOW_NOT_NEGOTIATED;
  FUSE_LOCK (fuse);
  while (gst_robocache_fuse_is_ahead (fuse, pad)) {
    pad->waiting = TRUE;
    g_cond_wait (&fuse->progress, &fuse->lock);
  }
  pad->waiting = FALSE;
  FUSE_UNLOCK (fuse);
  return GST_FLOW_OK;
}

/* ---- rows ---- */

/* Rows of a pad that was removed meanwhile are counted with the pad's others. Called with the lock. */
static void
refuse_rows (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  GST_LOG_OBJECT (pad, "rows are refused: %s", pad->removed ? "the pad was removed" : gst_flow_get_name (pad->flow));
  if (pad->removed)
    robocache_row_counts_refuse (&fuse->removed.rows, ROBOCACHE_DROPPED_REMOVED,
        pad->stream.has_format ? pad->stream.format.rows.n_rows : 1);
  else
    fuse_stream_refuse (&pad->stream);
}

/* What is left to do without the lock when a buffer's rows are in. */
typedef struct
{
  GError *error;
  FuseOddities oddities;
  gchar *gap_warning;           /* about max-gap; NULL: none */
  gchar *quaternion_warning;    /* NULL: none */
  gboolean latency_is_off;
  gboolean has_no_caps;         /* for the first time */
} AfterRows;

/* Ticks of the reference are its rows, so no tick is in a gap of it. Called with the lock. */
static gchar *
check_gap (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, gboolean at_end)
{
  return fuse->clock.reference == &pad->stream ? NULL : fuse_stream_check_gap (&pad->stream, at_end);
}

/* The pad's answer to a buffer, before it reads the buffer. Called with the lock. */
static GstFlowReturn
flow_of (const GstRobocacheFusePad *pad)
{
  return pad->removed ? GST_FLOW_FLUSHING : pad->flow;
}

/* Called with the lock. */
static GstFlowReturn
insert_rows (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstBuffer *buffer, AfterRows *then)
{
  FuseStream *stream = &pad->stream;
  const FuseEpoch *epoch = fuse_stream_epoch (stream);
  GstFlowReturn flow = flow_of (pad);
  GstClockTime now;

  if (flow == GST_FLOW_OK && (!stream->has_format || stream->is_declared || stream->times.clock.segment.format
          != GST_FORMAT_TIME))
    flow = GST_FLOW_NOT_NEGOTIATED;
  if (flow != GST_FLOW_OK) {
    then->has_no_caps = flow == GST_FLOW_NOT_NEGOTIATED && !stream->has_format && !pad->missing_caps_are_reported;
    pad->missing_caps_are_reported |= then->has_no_caps;
    refuse_rows (fuse, pad);
    return flow;
  }
  now = gst_robocache_fuse_note_running_time (fuse);
  gst_robocache_fuse_note_start (fuse, now);
  stream->times.base_time = (gint64) gst_element_get_base_time (GST_ELEMENT (fuse));
  if (!fuse_stream_insert (stream, buffer, fuse->clock.live && pad->live, now, &then->oddities, &then->error))
    return GST_FLOW_ERROR;
  if (then->oddities.ignores_row_times)
    gst_robocache_fuse_note_taken (fuse, pad, FUSE_JOURNAL_PTS, then->oddities.duration, then->oddities.pts);
  gst_robocache_fuse_note_taken (fuse, pad, FUSE_JOURNAL_ROWS, stream->format.rows.n_rows - then->oddities.n_outside, now);
  if (!gst_robocache_fuse_choose_reference (fuse, &then->error))
    return GST_FLOW_NOT_NEGOTIATED;
  then->gap_warning = check_gap (fuse, pad, FALSE);
  then->quaternion_warning = robocache_quaternion_check_take_warning (&stream->statistics.quaternions);
  prune (fuse, pad);
  then->latency_is_off = gst_robocache_fuse_latency_is_off (fuse, pad);
  if (then->oddities.jumped || fuse_stream_epoch (stream) != epoch)     /* rows of an older format may have gone */
    fuse->composition_changed = TRUE;
  gst_robocache_fuse_note_rows (fuse, pad, now);
  if (then->oddities.jumped || gst_robocache_fuse_losses_are_due (fuse, pad, now)) {
    if (fuse->waits)            /* the task reports them */
      gst_robocache_fuse_wake (fuse);
  } else {
    gst_robocache_fuse_look_at_pad (fuse, pad);
  }
  return GST_FLOW_OK;
}

/* Takes warning; NULL: none. */
static void
warn_small_gap (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, gchar *warning)
{
  if (warning)
    GST_ELEMENT_WARNING (fuse, LIBRARY, SETTINGS, ("%s: %s", GST_OBJECT_NAME (pad), warning), (NULL));
  g_free (warning);
}

/* Takes warning; NULL: none. */
static void
warn_odd_quaternion (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, gchar *warning)
{
  if (warning)
    GST_ELEMENT_WARNING (fuse, STREAM, FORMAT, ("%s: %s", GST_OBJECT_NAME (pad), warning), (NULL));
  g_free (warning);
}

static void
warn_without_reference (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  gchar *caps;

  FUSE_LOCK (fuse);
  caps = pad->stream.times.settings.reference ? gst_caps_to_string (pad->stream.times.settings.reference)
      : g_strdup (FUSE_DEFAULT_REFERENCE);
  FUSE_UNLOCK (fuse);
  GST_ELEMENT_WARNING (fuse, STREAM, FORMAT, ("%s: dropped a buffer without a timestamp of %s; further ones are counted in "
      "stats (rows-dropped-no-reference). Set add-reference-timestamp-meta on rtpbin: it adds the timestamp after the first "
      "sender report", GST_OBJECT_NAME (pad), caps), (NULL));
  g_free (caps);
}

/* Of rows that are so far from running time that their pad is missing, or that are dropped. */
static void
warn_far (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, gint64 lead)
{
  const gboolean is_dropped = lead > gst_robocache_fuse_pad_get_settings (pad).max_lead;

  GST_ELEMENT_WARNING (fuse, STREAM, FORMAT, ("%s: rows are %.3f s %s running time%s: set offset to correct a constant "
      "difference, clock-mode=track for a sensor with its own clock, or timestamp-source if the buffers have other times",
          GST_OBJECT_NAME (pad), ABS ((gdouble) lead) / 1e9, lead > 0 ? "ahead of" : "behind", is_dropped
          ? ", more than max-lead, and are dropped (stats: rows-dropped-ahead)" : ""), (NULL));
}

static void
post_missing_caps (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  GError *error = robocache_error_without_caps (GST_PAD (pad));

  if (error)
    gst_robocache_fuse_post_failure (fuse, pad, error);
}

/* ---- caps ---- */

static gboolean
caps_are_new (GstRobocacheFusePad *pad, const GstCaps *caps)
{
  GstCaps *current = gst_pad_get_current_caps (GST_PAD (pad));
  const gboolean same = current && pad->stream.has_format && !pad->stream.is_declared && gst_caps_is_equal (current, caps);

  gst_clear_caps (&current);
  return !same;
}

/* Before rows of a format come: FALSE and an error where those of all pads that may wait exceed memory. Called with the lock. */
static gboolean
check_memory (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, const FuseFormat *format, GError **error)
{
  const guint64 own = fuse_stream_held_bytes (&pad->stream, format);
  guint64 others = 0;
  gboolean fits;
  gchar *what;

  for (guint i = 0; i < fuse->pads->len; i++) {
    const GstRobocacheFusePad *other = gst_robocache_fuse_nth_pad (fuse, i);

    if (other != pad && other->stream.has_format)
      others = robocache_bytes_add (others, fuse_stream_held_bytes (&other->stream, &other->stream.format));
  }
  what = g_strdup_printf ("keeping rows of %" G_GSIZE_FORMAT " bytes until their tick, with %" G_GUINT64_FORMAT " bytes of "
      "other pads,", fuse_format_row_bytes (format), others);
  fits = robocache_check_memory (robocache_bytes_add (own, others), what, "send smaller frames or rows, or link fewer pads",
      error);
  g_free (what);
  return fits;
}

/* Takes format over. FALSE and an error: caps differ from those that were expected. */
static gboolean
set_format (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, FuseFormat *format, const GstCaps *caps, GError **error)
{
  gboolean ok;

  FUSE_LOCK (fuse);
  gst_robocache_fuse_sync_pad (fuse, pad, TRUE);
  if (!pad->stream.has_format)
    gst_robocache_fuse_pad_start_roles (pad);
  ok = fuse_stream_set_format (&pad->stream, format, FALSE, error);
  fuse_stream_set_quaternions (&pad->stream, pad->started_roles.strings[ROBOCACHE_ROLE_QUATERNIONS]);
  gst_robocache_fuse_note_settings (fuse);      /* the pad's stream is known now */
  gst_robocache_fuse_note_taken (fuse, pad, FUSE_JOURNAL_EVENT, 0, GST_CLOCK_TIME_NONE);
  fuse_tick_clock_sync_period (&fuse->clock);
  fuse->composition_changed = TRUE;
  gst_robocache_fuse_wake (fuse);
  FUSE_UNLOCK (fuse);
  if (!ok) {
    gchar *came = gst_caps_to_string (caps), *expected;

    GST_OBJECT_LOCK (pad);
    expected = pad->expected_caps ? gst_caps_to_string (pad->expected_caps) : g_strdup ("others");
    GST_OBJECT_UNLOCK (pad);
    g_clear_error (error);
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "caps are %s, but expected-caps are %s: correct expected-caps or the "
        "source", came, expected);
    g_free (expected);
    g_free (came);
  }
  return ok;
}

/* Of caps that change nothing. */
static void
note_event (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  FUSE_LOCK (fuse);
  gst_robocache_fuse_note_taken (fuse, pad, FUSE_JOURNAL_EVENT, 0, GST_CLOCK_TIME_NONE);
  FUSE_UNLOCK (fuse);
}

static gboolean
use_caps (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, const GstCaps *caps)
{
  FuseFormat format;
  GError *error = NULL;
  gboolean fits;

  if (!gst_robocache_fuse_pad_parse_caps (pad, &format, caps, &error)) {
    gst_robocache_fuse_fail (fuse, pad, GST_FLOW_NOT_NEGOTIATED, error);
    return FALSE;
  }
  FUSE_LOCK (fuse);
  fits = check_memory (fuse, pad, &format, &error);
  FUSE_UNLOCK (fuse);
  if (!fits) {
    fuse_format_clear (&format);
    gst_robocache_fuse_fail (fuse, pad, GST_FLOW_NOT_NEGOTIATED, error);
    return FALSE;
  }
  GST_INFO_OBJECT (pad, "rows are %" GST_PTR_FORMAT, caps);
  robocache_device_prepare (&fuse->device, GST_ELEMENT (fuse), format.on_device);
  if (!set_format (fuse, pad, &format, caps, &error)) {
    gst_robocache_fuse_fail (fuse, pad, GST_FLOW_NOT_NEGOTIATED, error);
    return FALSE;
  }
  gst_robocache_fuse_query_sources (fuse, pad);
  gst_robocache_fuse_update_latency (fuse);
  return TRUE;
}

/* Rows have a format from the first buffer on. */
static gboolean
expect_flexible (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, const GstCaps *caps)
{
  GError *error = NULL;

  pad->is_flexible = TRUE;
  pad->flexible = (RobocacheTensorsInfo) { 0 };
  if (!robocache_framerate_parse (gst_caps_get_structure (caps, 0), &pad->flexible.rate_num, &pad->flexible.rate_den, &error)) {
    gst_robocache_fuse_fail (fuse, pad, GST_FLOW_NOT_NEGOTIATED, error);
    return FALSE;
  }
  note_event (fuse, pad);
  return TRUE;
}

static gboolean
take_caps (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstEvent *event)
{
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  if (robocache_caps_are_flexible (caps))
    return expect_flexible (fuse, pad, caps);
  pad->is_flexible = FALSE;
  if (caps_are_new (pad, caps))
    return use_caps (fuse, pad, caps);
  note_event (fuse, pad);
  return TRUE;
}

/* ---- buffers ---- */

/* The pad's tensor of a frame, which is taken; NULL and *flow: it has none, and the element fails. */
static GstBuffer *
take_tensor (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstBuffer *frame, GstFlowReturn *flow)
{
  const FuseFormat *format = &pad->stream.format;
  GError *error = NULL;
  GstBuffer *rows = robocache_tensor_meta_extract (frame, &format->tensors, format->tensor_id, &error);

  gst_buffer_unref (frame);
  *flow = GST_FLOW_ERROR;
  if (rows == NULL)
    gst_robocache_fuse_fail (fuse, pad, *flow, error);
  return rows;
}

/* The tensors of a buffer that describes them, which is taken; the stream gets their format. NULL and *flow: it cannot, and the
 * element fails. */
static GstBuffer *
take_flexible (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstBuffer *buffer, GstFlowReturn *flow)
{
  RobocacheTensorsInfo info = pad->flexible;
  GError *error = NULL;
  GstBuffer *rows = robocache_flexible_strip (buffer, &info, &error);
  GstCaps *caps, *came;

  gst_buffer_unref (buffer);
  *flow = GST_FLOW_ERROR;
  if (rows == NULL) {
    gst_robocache_fuse_fail (fuse, pad, *flow, error);
    return NULL;
  }
  if (pad->stream.has_format && !pad->stream.is_declared && memcmp (&info, &pad->flexible, sizeof (info)) == 0)
    return rows;
  pad->flexible = info;
  came = gst_pad_get_current_caps (GST_PAD (pad));
  caps = robocache_flexible_caps_to_static (came, &info);
  gst_caps_unref (came);
  *flow = GST_FLOW_NOT_NEGOTIATED;
  if (!use_caps (fuse, pad, caps))
    gst_clear_buffer (&rows);
  gst_caps_unref (caps);
  return rows;
}

/* The pad's rows of a buffer, which is taken; NULL and *flow: there are none. A pad that accepts no rows does not report faults in them. */
static GstBuffer *
take_rows (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstBuffer *buffer, GstFlowReturn *flow)
{
  if (!pad->is_flexible && !pad->stream.format.is_in_frames)
    return buffer;
  FUSE_LOCK (fuse);
  *flow = flow_of (pad);
  FUSE_UNLOCK (fuse);
  if (*flow == GST_FLOW_OK)
    return pad->is_flexible ? take_flexible (fuse, pad, buffer, flow) : take_tensor (fuse, pad, buffer, flow);
  gst_buffer_unref (buffer);
  return NULL;
}

GstFlowReturn
gst_robocache_fuse_sink_chain (GstPad *gstpad, GstObject *parent, GstBuffer *buffer)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (parent);
  GstRobocacheFusePad *pad = GST_ROBOCACHE_FUSE_PAD (gstpad);
  AfterRows then = { NULL };
  GstFlowReturn flow;

  GST_LOG_OBJECT (pad, "%" GST_PTR_FORMAT, buffer);
  buffer = take_rows (fuse, pad, buffer, &flow);
  if (buffer == NULL) {
    FUSE_LOCK (fuse);
    refuse_rows (fuse, pad);
    FUSE_UNLOCK (fuse);
    return flow;
  }
  fuse_stream_wait_for_device (&pad->stream.format, buffer);
  FUSE_LOCK (fuse);
  flow = insert_rows (fuse, pad, buffer, &then);
  FUSE_UNLOCK (fuse);
  gst_buffer_unref (buffer);

  if (then.error)
    gst_robocache_fuse_fail (fuse, pad, flow, then.error);
  if (then.has_no_caps)
    post_missing_caps (fuse, pad);
  if (then.oddities.without_time)
    robocache_row_times_warn (GST_ELEMENT (fuse), GST_PAD (pad));
  if (then.oddities.without_reference)
    warn_without_reference (fuse, pad);
  if (then.oddities.far != 0)
    warn_far (fuse, pad, then.oddities.far);
  if (then.oddities.jumped)
    robocache_clock_jump_warn (&pad->stream.jump, GST_ELEMENT (fuse), GST_PAD (pad));
  warn_small_gap (fuse, pad, then.gap_warning);
  warn_odd_quaternion (fuse, pad, then.quaternion_warning);
  if (flow != GST_FLOW_OK)
    return flow;
  if (then.latency_is_off)
    gst_robocache_fuse_update_latency (fuse);
  return wait_for_the_others (fuse, pad);
}

/* ---- events, in order with rows ---- */

static gboolean
take_segment (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstEvent *event)
{
  const GstSegment *segment;
  GError *error = NULL;
  gboolean first;

  gst_event_parse_segment (event, &segment);
  FUSE_LOCK (fuse);
  if (segment->format != GST_FORMAT_TIME) {
    first = gst_robocache_fuse_end_streams (fuse, GST_FLOW_ERROR);
    FUSE_UNLOCK (fuse);
    if (first)
      GST_ELEMENT_ERROR (fuse, STREAM, FORMAT, ("%s: a segment in %s, but alignment needs times: " ROBOCACHE_ADVICE_ON_TIMES,
            GST_OBJECT_NAME (pad), gst_format_get_name (segment->format)), (NULL));
    return FALSE;
  }
  if (!robocache_segment_check (segment, &error)) {
    FUSE_UNLOCK (fuse);
    gst_robocache_fuse_fail (fuse, pad, GST_FLOW_ERROR, error);
    return FALSE;
  }
  if (!robocache_segment_continues (&pad->stream.times.clock.segment, segment) || pad->stream.segment_done)
    fuse_stream_set_segment (&pad->stream, segment);
  gst_robocache_fuse_note_start_of_segment (fuse, pad, segment);
  gst_robocache_fuse_note_taken (fuse, pad, FUSE_JOURNAL_EVENT, 0, GST_CLOCK_TIME_NONE);
  fuse->segment_done_sent &= fuse_tick_clock_streams_are_over (&fuse->clock);
  gst_robocache_fuse_wake (fuse);
  FUSE_UNLOCK (fuse);
  gst_robocache_fuse_query_sources (fuse, pad);
  gst_robocache_fuse_update_latency (fuse);
  return TRUE;
}

/* A recording has only such GAPs. */
static gboolean
has_running_time (const GstSegment *segment, GstClockTime pts)
{
  return segment->format == GST_FORMAT_TIME && gst_segment_to_running_time (segment, GST_FORMAT_TIME, pts) < G_MAXINT64 / 2;
}

static void
take_gap (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstEvent *event)
{
  const GstClockTime now = pad->live ? gst_robocache_fuse_live_now (fuse) : GST_CLOCK_TIME_NONE;
  GstClockTime pts, duration;

  gst_event_parse_gap (event, &pts, &duration);
  fuse_stream_gap (&pad->stream, pts, duration, now);
  if (has_running_time (&pad->stream.times.clock.segment, pts))
    gst_robocache_fuse_note_taken (fuse, pad, FUSE_JOURNAL_GAP, 0, now);
}

/* Events without data; called with the lock. */
static void
take_mark (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstEvent *event)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_STREAM_START:
      fuse_stream_restart (&pad->stream);
      break;
    case GST_EVENT_GAP:
      take_gap (fuse, pad, event);
      break;
    case GST_EVENT_SEGMENT_DONE:
      fuse_stream_segment_done (&pad->stream);
      break;
    default:
      fuse_stream_eos (&pad->stream);
      gst_robocache_fuse_note_taken (fuse, pad, FUSE_JOURNAL_EVENT, 0, GST_CLOCK_TIME_NONE);
      break;
  }
}

/* Called without the lock. */
static void
end_pad (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstEvent *event)
{
  GstMessage *empty;
  gchar *gap_warning, *quaternion_warning;

  FUSE_LOCK (fuse);
  take_mark (fuse, pad, event);
  empty = gst_robocache_fuse_warn_empty_pad (fuse, pad);
  gap_warning = check_gap (fuse, pad, TRUE);
  quaternion_warning = robocache_quaternion_check_take_warning (&pad->stream.statistics.quaternions);
  gst_robocache_fuse_wake (fuse);
  FUSE_UNLOCK (fuse);
  if (empty)
    gst_element_post_message (GST_ELEMENT (fuse), empty);
  warn_small_gap (fuse, pad, gap_warning);
  warn_odd_quaternion (fuse, pad, quaternion_warning);
}

/* Those that mean nothing to a stream go downstream in order with samples; tags and the like are of one sensor alone. */
static gboolean
forward (GstRobocacheFuse *fuse, GstPad *pad, GstEvent *event)
{
  const gboolean is_sticky = GST_EVENT_IS_STICKY (event);

  if (!GST_EVENT_IS_SERIALIZED (event))
    return gst_pad_event_default (pad, GST_OBJECT (fuse), event);
  FUSE_LOCK (fuse);
  if (!is_sticky) {
    g_queue_push_tail (&fuse->events, event);
    gst_robocache_fuse_wake (fuse);
  }
  FUSE_UNLOCK (fuse);
  if (is_sticky)
    gst_event_unref (event);
  return TRUE;
}

gboolean
gst_robocache_fuse_sink_event (GstPad *gstpad, GstObject *parent, GstEvent *event)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (parent);
  GstRobocacheFusePad *pad = GST_ROBOCACHE_FUSE_PAD (gstpad);
  gboolean ok = TRUE;

  GST_DEBUG_OBJECT (pad, "%" GST_PTR_FORMAT, event);
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
    case GST_EVENT_FLUSH_STOP:
      return gst_robocache_fuse_flush_event (fuse, pad, event);
    case GST_EVENT_CAPS:
      ok = take_caps (fuse, pad, event);
      break;
    case GST_EVENT_SEGMENT:
      ok = take_segment (fuse, pad, event);
      break;
    case GST_EVENT_STREAM_START:
    case GST_EVENT_GAP:
    case GST_EVENT_SEGMENT_DONE:
      FUSE_LOCK (fuse);
      take_mark (fuse, pad, event);
      gst_robocache_fuse_wake (fuse);
      FUSE_UNLOCK (fuse);
      break;
    case GST_EVENT_CUSTOM_DOWNSTREAM:
      if (!gst_robocache_fuse_replay_latency (fuse, event))
        return forward (fuse, gstpad, event);
      break;
    case GST_EVENT_EOS:
      end_pad (fuse, pad, event);
      break;
    case GST_EVENT_TAG:
      gst_robocache_fuse_note_origin (fuse, pad, event);
      return forward (fuse, gstpad, event);
    default:
      return forward (fuse, gstpad, event);
  }
  gst_event_unref (event);
  return ok;
}

/* ---- queries ---- */

static gboolean
propose_allocation (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstQuery *query)
{
  GstVideoInfo video;
  GstCaps *caps;
  guint frames;

  gst_query_parse_allocation (query, &caps, NULL);
  if (pad->role != GST_ROBOCACHE_FUSE_CAMERA || caps == NULL || !gst_video_info_from_caps (&video, caps))
    return FALSE;
  FUSE_LOCK (fuse);
  frames = pad->stream.max_frames;
  FUSE_UNLOCK (fuse);
  gst_query_add_allocation_pool (query, NULL, GST_VIDEO_INFO_SIZE (&video), frames + FUSE_FRAMES_ON_THEIR_WAY, 0);
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  robocache_device_propose_pinned (&fuse->device, GST_ELEMENT (fuse), query);
  return TRUE;
}

static gboolean
answer_caps (GstRobocacheFuse *fuse, GstPad *pad, GstQuery *query)
{
  GstCaps *caps = gst_robocache_fuse_sink_caps (fuse, pad), *filter, *filtered;

  gst_query_parse_caps (query, &filter);
  if (filter) {
    filtered = gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST);
    gst_caps_unref (caps);
    caps = filtered;
  }
  gst_query_set_caps_result (query, caps);
  gst_caps_unref (caps);
  return TRUE;
}

/* Frames that are held for ticks are replaced by copies, so that upstream's pool gets them back. FALSE: a sample that is being
 * made uses some. */
static gboolean
drain (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  gboolean drained;

  FUSE_LOCK (fuse);
  drained = fuse_stream_copy_frames (&pad->stream) && !(fuse->composing && pad->stream.format.is_camera);
  FUSE_UNLOCK (fuse);
  return drained;
}

gboolean
gst_robocache_fuse_sink_query (GstPad *gstpad, GstObject *parent, GstQuery *query)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (parent);
  GstRobocacheFusePad *pad = GST_ROBOCACHE_FUSE_PAD (gstpad);

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
      return answer_caps (fuse, gstpad, query);
    case GST_QUERY_ALLOCATION:
      return propose_allocation (fuse, pad, query);
    case GST_QUERY_DRAIN:
      return drain (fuse, pad);
    default:
      return robocache_device_answer_context (&fuse->device, GST_ELEMENT (fuse), query)
          || gst_pad_query_default (gstpad, parent, query);
  }
}
