/* robocache: input of the sink pads of robocachefuse: rows, events and queries
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "padinput.h"

#include <string.h>

#include "common/device/budget.h"
#include "common/device/mapping.h"
#include "common/element/linkadvice.h"
#include "common/tensors/flexible.h"
#include "common/tensors/tensormeta.h"
#include "common/time/originevent.h"
#include "common/time/segments.h"
#include "gst/fuse/checks/checks.h"
#include "debug.h"
#include "downstream.h"
#include "firsttickwait.h"
#include "flush.h"
#include "gst/fuse/core/control.h"
#include "gst/fuse/core/status.h"
#include "negotiation.h"
#include "reports.h"
#include "settingsevent.h"
#include "sources.h"

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
  ahead = gst_robocache_fuse_must_wait (fuse, pad);
  FUSE_UNLOCK (fuse);
  if (!ahead)
    return TRUE;
  GST_INFO_OBJECT (pad, "the source must wait for other pads: all sources are queried for liveness");
  pad->sources_checked = TRUE;
  if (gst_robocache_fuse_check_sources (fuse, &error))
    return TRUE;
  gst_robocache_fuse_fail (fuse, NULL, GST_FLOW_NOT_NEGOTIATED, error);
  return FALSE;
}

static GstFlowReturn
wait_for_the_others (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  GError *error = NULL;

  if (!may_wait (fuse, pad))
    return GST_FLOW_NOT_NEGOTIATED;
  FUSE_LOCK (fuse);
  gst_robocache_fuse_wait_for_turn (fuse, pad, &error);
  FUSE_UNLOCK (fuse);
  if (error == NULL)
    return GST_FLOW_OK;
  gst_robocache_fuse_fail (fuse, pad, GST_FLOW_ERROR, error);
  return GST_FLOW_ERROR;
}

/* ---- rows ---- */

/* Rows of a pad that was removed meanwhile are counted with the pad's others. Called with the lock. */
static void
refuse_rows (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, RobocacheDropReason reason)
{
  GST_LOG_OBJECT (pad, "rows are dropped (%s): %s", robocache_drop_reason_name (reason),
      pad->stream->is_removed ? "the pad was removed" : gst_flow_get_name (pad->flow));
  fuse_core_refuse (fuse->core, pad->stream, reason);
}

/* What is left to do without the lock when a buffer's rows are in. */
typedef struct
{
  GError *error;
  gboolean is_malformed;        /* the error is about the buffer */
  FuseReports reports;
  gboolean has_no_caps;
} AfterRows;

/* The pad's answer to a buffer, before it reads the buffer. Called with the lock. */
static GstFlowReturn
flow_of (const GstRobocacheFusePad *pad)
{
  return pad->stream->is_removed ? GST_FLOW_FLUSHING : pad->flow;
}

/* Called with the lock. */
static gboolean
has_caps (const GstRobocacheFusePad *pad)
{
  return pad->reader.format && !pad->stream->is_declared && pad->reader.clock.segment.format == GST_FORMAT_TIME;
}

/* Called with the lock. */
static GstFlowReturn
read_rows (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstBuffer *buffer, AfterRows *then)
{
  GstFlowReturn flow = GST_FLOW_ERROR;
  FuseRows rows;

  then->is_malformed = !fuse_reader_begin (&pad->reader, pad->stream, buffer, gst_element_get_base_time (GST_ELEMENT (fuse)), &rows,
      &then->error);
  if (then->is_malformed)
    refuse_rows (fuse, pad, ROBOCACHE_DROPPED_MALFORMED);
  else if (fuse_core_insert (fuse->core, pad->stream, &rows, &then->reports.notes, &then->error))
    flow = fuse_core_choose_reference (fuse->core, &then->error) ? GST_FLOW_OK : GST_FLOW_NOT_NEGOTIATED;
  fuse_reader_end (&pad->reader);
  return flow;
}

/* Called with the lock. */
static GstFlowReturn
insert_rows (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstBuffer *buffer, AfterRows *then)
{
  GstFlowReturn flow = flow_of (pad);

  if (flow == GST_FLOW_OK && !pad->faults.has_bad_caps && !has_caps (pad))
    flow = GST_FLOW_NOT_NEGOTIATED;
  if (flow != GST_FLOW_OK) {
    GST_LOG_OBJECT (pad, "the buffer is answered %s", gst_flow_get_name (flow));
    then->has_no_caps = flow == GST_FLOW_NOT_NEGOTIATED && pad->reader.format == NULL;
    refuse_rows (fuse, pad, ROBOCACHE_DROPPED_REFUSED);
    return flow;
  }
  if (pad->faults.has_bad_caps) {
    refuse_rows (fuse, pad, ROBOCACHE_DROPPED_MALFORMED);
    return flow;
  }
  gst_robocache_fuse_set_time (fuse, &then->reports.notes);
  flow = read_rows (fuse, pad, buffer, then);
  gst_robocache_fuse_collect_reports (fuse, &then->reports);
  return flow;
}

static void
fail_without_caps (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  GError *error = robocache_error_without_caps (GST_PAD (pad));

  if (error)
    gst_robocache_fuse_fail (fuse, pad, GST_FLOW_NOT_NEGOTIATED, error);
}

/* ---- caps ---- */

/* An event for the core. Called with the lock. */
static void
send_to_core (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, FuseEventKind kind)
{
  const FuseEvent event = {.kind = kind };

  fuse_core_event (fuse->core, pad->stream, &event, NULL);
}

static gboolean
caps_are_new (GstRobocacheFusePad *pad, const GstCaps *caps)
{
  GstCaps *current = gst_pad_get_current_caps (GST_PAD (pad));
  const gboolean same = current && pad->reader.format && !pad->stream->is_declared && gst_caps_is_equal (current, caps);

  gst_clear_caps (&current);
  return !same;
}

/* Before rows of a format come: FALSE and an error where those of all pads that may wait exceed memory. Called with the lock. */
static gboolean
check_memory (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, const FuseFormat *format, GError **error)
{
  const guint64 own = fuse_format_held_bytes (format, pad->stream->max_frames);
  guint64 others = 0;
  gboolean fits;
  gchar *what;

  for (guint i = 0; i < fuse->pads->len; i++) {
    const GstRobocacheFusePad *other = gst_robocache_fuse_nth_pad (fuse, i);

    if (other != pad && other->reader.format)
      others = robocache_bytes_add (others, fuse_format_held_bytes (other->reader.format, other->stream->max_frames));
  }
  what = g_strdup_printf ("keeping rows of %" G_GSIZE_FORMAT " bytes until their tick, with %" G_GUINT64_FORMAT " bytes of "
      "other pads,", fuse_row_format_bytes (&format->rows), others);
  GST_DEBUG_OBJECT (pad, "its rows that wait for ticks may take %" G_GUINT64_FORMAT " bytes, those of other pads %" G_GUINT64_FORMAT, own, others);
  fits = robocache_check_memory (robocache_bytes_add (own, others), what, "send smaller frames or rows, or link fewer pads",
      error);
  g_free (what);
  return fits;
}

static void
explain_unexpected_caps (GstRobocacheFusePad *pad, const GstCaps *caps, GError **error)
{
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

/* Takes format. FALSE and an error: caps differ from those that were expected. */
static gboolean
set_format (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, FuseFormat *format, const GstCaps *caps, GError **error)
{
  FuseEvent event;
  gboolean ok;

  FUSE_LOCK (fuse);
  ok = gst_robocache_fuse_pad_set_format (pad, format, &event, error);
  pad->faults.has_bad_caps &= !ok;
  gst_robocache_fuse_note_settings (fuse);      /* the pad's stream is known now */
  if (ok)
    fuse_core_event (fuse->core, pad->stream, &event, NULL);
  FUSE_UNLOCK (fuse);
  if (!ok)
    explain_unexpected_caps (pad, caps, error);
  return ok;
}

static gboolean
use_format (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, FuseFormat *format, const GstCaps *caps, GError **error)
{
  gboolean fits;

  FUSE_LOCK (fuse);
  fits = check_memory (fuse, pad, format, error);
  FUSE_UNLOCK (fuse);
  if (!fits) {
    fuse_format_unref (format);
    return FALSE;
  }
  GST_INFO_OBJECT (pad, "rows are %" GST_PTR_FORMAT ", in %s", caps, format->rows.on_device ? "GPU memory" : "system memory");
  robocache_device_prepare (fuse->device, GST_ELEMENT (fuse), format->rows.on_device);
  return set_format (fuse, pad, format, caps, error);
}

static GstFlowReturn
use_caps (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, const GstCaps *caps)
{
  GError *error = NULL;
  FuseFormat *format = gst_robocache_fuse_pad_parse_caps (pad, caps, &error);

  if (format == NULL || !use_format (fuse, pad, format, caps, &error))
    return gst_robocache_fuse_answer_bad_caps (fuse, pad, error);
  gst_robocache_fuse_query_sources (fuse, pad);
  gst_robocache_fuse_update_latency (fuse);
  return GST_FLOW_OK;
}

/* Of caps that change nothing. */
static void
note_same_caps (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  FUSE_LOCK (fuse);
  send_to_core (fuse, pad, FUSE_EVENT_SAME_FORMAT);
  FUSE_UNLOCK (fuse);
}

/* Rows have a format from the first buffer on. */
static gboolean
expect_flexible (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, const GstCaps *caps)
{
  GError *error = NULL;

  pad->flexible = (RobocacheTensorsInfo) { 0 };
  pad->is_flexible = robocache_framerate_parse (gst_caps_get_structure (caps, 0), &pad->flexible.rate_num, &pad->flexible.rate_den, &error);
  if (!pad->is_flexible)
    return gst_robocache_fuse_answer_bad_caps (fuse, pad, error) == GST_FLOW_OK;
  note_same_caps (fuse, pad);
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
    return use_caps (fuse, pad, caps) == GST_FLOW_OK;
  note_same_caps (fuse, pad);
  return TRUE;
}

/* ---- buffers ---- */

/* The pad's tensor of a frame, which is taken; NULL and *flow: the frame has none. */
static GstBuffer *
take_tensor (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstBuffer *frame, GstFlowReturn *flow)
{
  const FuseFormat *format = pad->reader.format;
  GError *error = NULL;
  GstBuffer *rows = robocache_tensor_meta_extract (frame, &format->tensors, format->tensor_id, &error);

  gst_buffer_unref (frame);
  if (rows == NULL)
    *flow = gst_robocache_fuse_answer_bad_buffer (fuse, pad, GST_FLOW_ERROR, error);
  return rows;
}

/* The tensors of a buffer that describes them, which is taken; the stream gets their format. NULL and *flow: they cannot be used. */
static GstBuffer *
take_flexible (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstBuffer *buffer, GstFlowReturn *flow)
{
  RobocacheTensorsInfo info = pad->flexible;
  GError *error = NULL;
  GstBuffer *rows = robocache_flexible_strip (buffer, &info, &error);
  GstCaps *caps, *came;

  gst_buffer_unref (buffer);
  if (rows == NULL) {
    *flow = gst_robocache_fuse_answer_bad_buffer (fuse, pad, GST_FLOW_ERROR, error);
    return NULL;
  }
  if (pad->reader.format && !pad->stream->is_declared && memcmp (&info, &pad->flexible, sizeof (info)) == 0)
    return rows;
  GST_DEBUG_OBJECT (pad, "the header of a flexible tensor has another format than before");
  pad->flexible = info;
  came = gst_pad_get_current_caps (GST_PAD (pad));
  caps = robocache_flexible_caps_to_static (came, &info);
  gst_caps_unref (came);
  *flow = use_caps (fuse, pad, caps);
  if (*flow != GST_FLOW_OK || pad->faults.has_bad_caps)
    gst_clear_buffer (&rows);
  gst_caps_unref (caps);
  return rows;
}

/* Returns the pad's rows of a buffer, which is taken; NULL and the reason in *flow: no rows. A pad that accepts no rows does not report
 * faults in them. */
static GstBuffer *
take_rows (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstBuffer *buffer, GstFlowReturn *flow, RobocacheDropReason *reason)
{
  gboolean has_bad_caps;

  *reason = ROBOCACHE_DROPPED_MALFORMED;
  if (!pad->is_flexible && (pad->reader.format == NULL || !pad->reader.format->is_in_frames))
    return buffer;
  FUSE_LOCK (fuse);
  *flow = flow_of (pad);
  has_bad_caps = pad->faults.has_bad_caps && !pad->is_flexible;        /* flexible caps change with each header */
  FUSE_UNLOCK (fuse);
  if (*flow == GST_FLOW_OK && !has_bad_caps)
    return pad->is_flexible ? take_flexible (fuse, pad, buffer, flow) : take_tensor (fuse, pad, buffer, flow);
  if (*flow != GST_FLOW_OK)
    *reason = ROBOCACHE_DROPPED_REFUSED;
  gst_buffer_unref (buffer);
  return NULL;
}

GstFlowReturn
gst_robocache_fuse_sink_chain (GstPad *gstpad, GstObject *parent, GstBuffer *buffer)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (parent);
  GstRobocacheFusePad *pad = GST_ROBOCACHE_FUSE_PAD (gstpad);
  AfterRows then = {.reports = FUSE_REPORTS_INIT };
  RobocacheDropReason reason;
  GstFlowReturn flow;

  GST_LOG_OBJECT (pad, "%" GST_PTR_FORMAT, buffer);
  if (gst_robocache_fuse_thins (fuse, pad, buffer)) {
    GST_LOG_OBJECT (pad, "the buffer is dropped unread: ticks are late, and enough rows of this pad are there");
    gst_buffer_unref (buffer);
    return GST_FLOW_OK;
  }
  buffer = take_rows (fuse, pad, buffer, &flow, &reason);
  if (buffer == NULL) {
    FUSE_LOCK (fuse);
    refuse_rows (fuse, pad, reason);
    FUSE_UNLOCK (fuse);
    return flow;
  }
  fuse_reader_wait_for_device (&pad->reader, buffer);
  FUSE_LOCK (fuse);
  gst_robocache_fuse_count_thinned (fuse, pad);
  flow = insert_rows (fuse, pad, buffer, &then);
  gst_robocache_fuse_note_inserted (fuse, pad, flow);
  FUSE_UNLOCK (fuse);
  gst_buffer_unref (buffer);

  if (then.is_malformed)
    flow = gst_robocache_fuse_answer_bad_buffer (fuse, pad, flow, then.error);
  else if (then.error)
    gst_robocache_fuse_fail (fuse, flow == GST_FLOW_NOT_NEGOTIATED ? NULL : pad, flow, then.error);  /* no tick source: no pad's fault */
  if (then.has_no_caps)
    fail_without_caps (fuse, pad);
  gst_robocache_fuse_post_reports (fuse, &then.reports);
  return flow == GST_FLOW_OK ? wait_for_the_others (fuse, pad) : flow;
}

/* ---- events, in order with rows ---- */

static gboolean
refuse_format (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstFormat format)
{
  gboolean first;

  FUSE_LOCK (fuse);
  first = gst_robocache_fuse_end_streams (fuse, GST_FLOW_ERROR);
  FUSE_UNLOCK (fuse);
  if (first)
    GST_ELEMENT_ERROR (fuse, STREAM, FORMAT, ("%s: a segment in %s, but alignment needs times: " ROBOCACHE_ADVICE_ON_TIMES,
            GST_OBJECT_NAME (pad), gst_format_get_name (format)), (NULL));
  return FALSE;
}

static gboolean
take_segment (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstEvent *event)
{
  const GstSegment *segment;
  GError *error = NULL;
  FuseEvent taken;

  gst_event_parse_segment (event, &segment);
  if (segment->format != GST_FORMAT_TIME)
    return refuse_format (fuse, pad, segment->format);
  if (!robocache_segment_check (segment, &error)) {
    gst_robocache_fuse_fail (fuse, pad, GST_FLOW_ERROR, error);
    return FALSE;
  }
  FUSE_LOCK (fuse);
  fuse_reader_take_segment (&pad->reader, segment, &taken);
  taken.segment.number = gst_event_get_seqnum (event);
  fuse_core_event (fuse->core, pad->stream, &taken, NULL);
  gst_robocache_fuse_note_seqnum (fuse, event);
  FUSE_UNLOCK (fuse);
  gst_robocache_fuse_query_sources (fuse, pad);
  gst_robocache_fuse_update_latency (fuse);
  return TRUE;
}

static void
take_gap (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstEvent *event)
{
  FuseReports reports = FUSE_REPORTS_INIT;
  GstClockTime pts, duration;
  FuseEvent taken;

  gst_event_parse_gap (event, &pts, &duration);
  FUSE_LOCK (fuse);
  gst_robocache_fuse_set_time (fuse, &reports.notes);
  fuse_reader_take_gap (&pad->reader, pts, duration, &taken);
  fuse_core_event (fuse->core, pad->stream, &taken, &reports.notes);
  gst_robocache_fuse_collect_reports (fuse, &reports);
  FUSE_UNLOCK (fuse);
  gst_robocache_fuse_post_reports (fuse, &reports);
}

/* A source that counts times from its first row announces what that row's time is. */
static void
take_tags (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstEvent *event)
{
  FuseReports reports = FUSE_REPORTS_INIT;
  FuseEvent taken = {.kind = FUSE_EVENT_ORIGIN };

  if (!robocache_origin_event_parse (event, &taken.origin.time, &taken.origin.is_first_row))
    return;
  FUSE_LOCK (fuse);
  fuse_core_event (fuse->core, pad->stream, &taken, &reports.notes);
  gst_robocache_fuse_collect_reports (fuse, &reports);
  FUSE_UNLOCK (fuse);
  gst_robocache_fuse_post_reports (fuse, &reports);
}

static void
take_mark (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, FuseEventKind kind)
{
  FUSE_LOCK (fuse);
  send_to_core (fuse, pad, kind);
  FUSE_UNLOCK (fuse);
}

static void
end_pad (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstEvent *event)
{
  const FuseEvent eos = {.kind = FUSE_EVENT_EOS };
  FuseReports reports = FUSE_REPORTS_INIT;

  FUSE_LOCK (fuse);
  gst_robocache_fuse_note_seqnum (fuse, event);
  fuse_core_event (fuse->core, pad->stream, &eos, &reports.notes);
  gst_robocache_fuse_collect_empty_pad (fuse, pad, &reports.messages);
  gst_robocache_fuse_collect_reports (fuse, &reports);
  FUSE_UNLOCK (fuse);
  gst_robocache_fuse_post_reports (fuse, &reports);
}

/* Those that mean nothing to a stream go downstream in order with samples; tags and the like are of one sensor alone. */
static gboolean
forward (GstRobocacheFuse *fuse, GstPad *pad, GstEvent *event)
{
  const gboolean is_sticky = GST_EVENT_IS_STICKY (event);

  if (!GST_EVENT_IS_SERIALIZED (event))
    return gst_pad_event_default (pad, GST_OBJECT (fuse), event);
  FUSE_LOCK (fuse);
  if (!is_sticky)
    gst_robocache_fuse_queue_event (fuse, event);
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
  if (GST_EVENT_IS_SERIALIZED (event))
    gst_robocache_fuse_end_thinning (fuse, pad);
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
      take_mark (fuse, pad, FUSE_EVENT_STREAM_START);
      break;
    case GST_EVENT_GAP:
      take_gap (fuse, pad, event);
      break;
    case GST_EVENT_SEGMENT_DONE:
      take_mark (fuse, pad, FUSE_EVENT_SEGMENT_DONE);
      break;
    case GST_EVENT_EOS:
      end_pad (fuse, pad, event);
      break;
    case GST_EVENT_TAG:
      take_tags (fuse, pad, event);
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
  frames = pad->stream->max_frames;
  FUSE_UNLOCK (fuse);
  GST_DEBUG_OBJECT (pad, "proposes a pool of %u frames of %" G_GSIZE_FORMAT " bytes: %u wait for ticks, %u are on their way",
      frames + FUSE_FRAMES_ON_THEIR_WAY, GST_VIDEO_INFO_SIZE (&video), frames, FUSE_FRAMES_ON_THEIR_WAY);
  gst_query_add_allocation_pool (query, NULL, GST_VIDEO_INFO_SIZE (&video), frames + FUSE_FRAMES_ON_THEIR_WAY, 0);
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  robocache_device_propose_pinned (fuse->device, GST_ELEMENT (fuse), query);
  return TRUE;
}

/* Caps that a pad does not accept are answered as those that it cannot use. */
static gboolean
answer_accept_caps (GstRobocacheFuse *fuse, GstPad *pad, GstQuery *query)
{
  const gboolean is_answered = gst_pad_query_default (pad, GST_OBJECT (fuse), query);
  gboolean accepts;
  GError *error;
  GstCaps *caps;

  gst_query_parse_accept_caps (query, &caps);
  gst_query_parse_accept_caps_result (query, &accepts);
  error = is_answered ? robocache_refused_caps (pad, caps, accepts) : NULL;
  if (error)
    gst_robocache_fuse_answer_bad_caps (fuse, GST_ROBOCACHE_FUSE_PAD (pad), error);
  return is_answered;
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

/* In memory that no pool owns. */
static gpointer
copy_frame (gpointer frame)
{
  return robocache_copy_buffer (frame);
}

/* Frames that are held for ticks are replaced by copies, so that upstream's pool gets them back. FALSE: a sample that is being
 * made uses some. */
static gboolean
drain (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  gboolean drained;

  FUSE_LOCK (fuse);
  drained = fuse_stream_copy_frames (pad->stream, copy_frame) && !(fuse_core_is_composing (fuse->core) && pad->reader.format
      && pad->reader.format->rows.is_camera);
  FUSE_UNLOCK (fuse);
  GST_DEBUG_OBJECT (pad, "frames that wait for ticks are %s", drained ? "replaced by copies" : "not all replaced: a sample uses some");
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
    case GST_QUERY_ACCEPT_CAPS:
      return answer_accept_caps (fuse, gstpad, query);
    case GST_QUERY_ALLOCATION:
      return propose_allocation (fuse, pad, query);
    case GST_QUERY_DRAIN:
      return drain (fuse, pad);
    default:
      return robocache_device_answer_context (fuse->device, GST_ELEMENT (fuse), query)
          || gst_pad_query_default (gstpad, parent, query);
  }
}
