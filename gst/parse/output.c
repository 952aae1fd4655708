/* robocache: output of robocacheparse: caps, segment, events and buffers in their order, and faults of the input
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "output.h"

#include "common/device/devicememory.h"
#include "common/element/errors.h"
#include "common/element/linkadvice.h"
#include "common/tensors/tensorcaps.h"

GST_DEBUG_CATEGORY (robocache_parse_debug);
#define GST_CAT_DEFAULT robocache_parse_debug

/* ---- life ---- */

void
robocache_parse_output_init (RobocacheParseOutput *output, GstElement *element, GstPad *pad)
{
  output->element = element;
  output->pad = pad;
  gst_segment_init (&output->segment, GST_FORMAT_TIME);
  output->newest = output->duration = GST_CLOCK_TIME_NONE;
}

void
robocache_parse_output_start (RobocacheParseOutput *output, gboolean is_of_clouds, gint max_errors)
{
  GST_OBJECT_LOCK (output->element);
  g_free (output->statistics.column_groups);
  output->statistics = (RobocacheParseStatistics) {.clock.uncertainty_ns = -1 };
  output->duration = GST_CLOCK_TIME_NONE;
  output->is_live = output->replays = output->follows_upstream = FALSE;
  output->has_times = !is_of_clouds;
  GST_OBJECT_UNLOCK (output->element);
  output->is_of_clouds = is_of_clouds;
  output->max_errors = max_errors;
  robocache_parse_output_restart (output);
  robocache_parse_output_flush (output);
}

static void
drop_waiting_events (RobocacheParseOutput *output)
{
  g_list_free_full (g_steal_pointer (&output->waiting_events), (GDestroyNotify) gst_event_unref);
}

void
robocache_parse_output_stop (RobocacheParseOutput *output)
{
  drop_waiting_events (output);
  gst_clear_event (&output->origin);
  output->needs_origin = FALSE;
  g_clear_pointer (&output->first_fault, g_free);
  GST_OBJECT_LOCK (output->element);
  gst_clear_event (&output->seek);
  GST_OBJECT_UNLOCK (output->element);
}

void
robocache_parse_output_restart (RobocacheParseOutput *output)
{
  output->errors_in_row = 0;
  output->discont = TRUE;
  output->previous = GST_CLOCK_TIME_NONE;
  robocache_statistics_timer_reset (&output->stats_timer);
  GST_OBJECT_LOCK (output->element);
  output->newest = GST_CLOCK_TIME_NONE;
  GST_OBJECT_UNLOCK (output->element);
}

void
robocache_parse_output_flush (RobocacheParseOutput *output)
{
  drop_waiting_events (output);
  output->failed = FALSE;
  output->needs_segment = TRUE;
  GST_OBJECT_LOCK (output->element);
  if (!output->seek) {
    gst_segment_init (&output->segment, GST_FORMAT_TIME);
    output->segment_seqnum = GST_SEQNUM_INVALID;
  }
  GST_OBJECT_UNLOCK (output->element);
}

void
robocache_parse_output_end (RobocacheParseOutput *output)
{
  gboolean is_new;

  GST_OBJECT_LOCK (output->element);
  is_new = !output->follows_upstream && GST_CLOCK_TIME_IS_VALID (output->newest) && output->newest != output->duration;
  if (is_new)
    output->duration = output->newest;
  GST_OBJECT_UNLOCK (output->element);
  if (!is_new)
    return;
  GST_DEBUG_OBJECT (output->element, "the duration is %" GST_TIME_FORMAT, GST_TIME_ARGS (output->duration));
  gst_element_post_message (output->element, gst_message_new_duration_changed (GST_OBJECT (output->element)));
}

/* ---- headers ---- */

void
robocache_parse_output_set_segment (RobocacheParseOutput *output, const GstSegment *segment, guint32 seqnum)
{
  GST_OBJECT_LOCK (output->element);
  output->segment = *segment;
  output->segment_seqnum = seqnum;
  GST_OBJECT_UNLOCK (output->element);
  output->needs_segment = TRUE;
}

void
robocache_parse_output_set_origin (RobocacheParseOutput *output, GstEvent *event)
{
  gst_clear_event (&output->origin);
  output->origin = event;
  output->needs_origin = TRUE;
}

/* What the user can do for a downstream that does not take the caps. */
static const gchar *
advise_of_link (const RobocacheParseOutput *output, const GstCaps *caps, const GstCaps *peer)
{
  return output->is_of_clouds ? robocache_link_advice (caps, peer) : "set channels, or link another element";
}

static gboolean
fail_negotiation (RobocacheParseOutput *output, GstCaps *caps, GstCaps *peer)
{
  gchar *ours = gst_caps_to_string (caps), *theirs = gst_caps_to_string (peer);

  GST_ELEMENT_ERROR (output->element, CORE, NEGOTIATION, ("The recording's %s are %s, but downstream accepts only %s; %s",
          output->is_of_clouds ? "clouds" : "rows", ours, theirs, advise_of_link (output, caps, peer)), (NULL));
  output->failed = TRUE;
  g_free (ours);
  g_free (theirs);
  return FALSE;
}

static gboolean
has_caps (GstPad *pad, GstCaps *caps)
{
  GstCaps *current = gst_pad_get_current_caps (pad);
  const gboolean has = current && gst_caps_is_equal (current, caps);

  gst_clear_caps (&current);
  return has;
}

static gboolean
send_caps (RobocacheParseOutput *output, GstCaps *caps)
{
  GstCaps *peer, *spelled;
  gboolean accepted;

  if (has_caps (output->pad, caps))
    return TRUE;
  peer = gst_pad_peer_query_caps (output->pad, NULL);
  accepted = output->is_of_clouds ? gst_caps_can_intersect (caps, peer) : robocache_tensors_caps_compatible (caps, peer);
  if (!accepted) {
    fail_negotiation (output, caps, peer);
  } else {
    spelled = output->is_of_clouds ? gst_caps_ref (caps) : robocache_tensors_caps_in_spelling_of (caps, peer);
    if (!has_caps (output->pad, spelled)) {
      GST_INFO_OBJECT (output->pad, "%s are %" GST_PTR_FORMAT, output->is_of_clouds ? "clouds" : "rows", spelled);
      gst_pad_push_event (output->pad, gst_event_new_caps (spelled));
    }
    gst_caps_unref (spelled);
  }
  gst_caps_unref (peer);
  return accepted;
}

static void
send_segment (RobocacheParseOutput *output)
{
  GstEvent *event;

  GST_OBJECT_LOCK (output->element);
  event = gst_event_new_segment (&output->segment);
  if (output->segment_seqnum != GST_SEQNUM_INVALID)
    gst_event_set_seqnum (event, output->segment_seqnum);
  GST_OBJECT_UNLOCK (output->element);
  GST_DEBUG_OBJECT (output->pad, "%" GST_PTR_FORMAT, event);
  output->needs_segment = FALSE;
  output->needs_origin = output->origin != NULL;
  gst_pad_push_event (output->pad, event);
}

gboolean
robocache_parse_output_send_headers (RobocacheParseOutput *output, GstCaps *caps)
{
  if (!send_caps (output, caps))
    return FALSE;
  if (output->needs_segment)
    send_segment (output);
  if (output->needs_origin)     /* a copy: the pad does not send one event twice */
    gst_pad_push_event (output->pad, gst_event_copy (output->origin));
  output->needs_origin = FALSE;
  while (output->waiting_events) {
    GstEvent *event = output->waiting_events->data;

    output->waiting_events = g_list_delete_link (output->waiting_events, output->waiting_events);
    gst_pad_push_event (output->pad, event);
  }
  return TRUE;
}

/* Memories of other allocators may not be writable by the CPU. */
GstAllocator *
robocache_parse_output_get_allocator (RobocacheParseOutput *output)
{
  GstCaps *caps = gst_pad_get_current_caps (output->pad);
  GstQuery *query = gst_query_new_allocation (caps, FALSE);
  GstAllocator *allocator = NULL;

  if (gst_pad_peer_query (output->pad, query) && gst_query_get_n_allocation_params (query) > 0)
    gst_query_parse_nth_allocation_param (query, 0, &allocator, NULL);
  if (allocator && g_strcmp0 (allocator->mem_type, ROBOCACHE_MEMORY_TYPE) != 0)
    gst_clear_object (&allocator);
  gst_query_unref (query);
  gst_clear_caps (&caps);
  GST_DEBUG_OBJECT (output->element, "downstream's allocator: %" GST_PTR_FORMAT, allocator);
  return allocator;
}

/* Of consecutive GAPs only the last one is needed, and a source that is silent for days sends very many. */
static void
drop_previous_gap (RobocacheParseOutput *output)
{
  GList *last = g_list_last (output->waiting_events);

  if (last == NULL || GST_EVENT_TYPE (last->data) != GST_EVENT_GAP)
    return;
  gst_event_unref (last->data);
  output->waiting_events = g_list_delete_link (output->waiting_events, last);
}

gboolean
robocache_parse_output_send_event (RobocacheParseOutput *output, GstEvent *event)
{
  if (!GST_EVENT_IS_SERIALIZED (event) || !output->needs_segment)
    return gst_pad_push_event (output->pad, event);
  GST_DEBUG_OBJECT (output->pad, "waits for the first segment: %" GST_PTR_FORMAT, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_GAP)
    drop_previous_gap (output);
  output->waiting_events = g_list_append (output->waiting_events, event);
  return TRUE;
}

/* ---- rows and clouds ---- */

/* A seek reads the file from its beginning, since rows need not be in order of time. */
gboolean
robocache_parse_output_admit (RobocacheParseOutput *output, GstClockTime pts)
{
  gboolean is_outside;

  if (!GST_CLOCK_TIME_IS_VALID (pts))
    return TRUE;
  GST_OBJECT_LOCK (output->element);
  output->statistics.equal_times += pts == output->previous;
  output->statistics.backwards += GST_CLOCK_TIME_IS_VALID (output->previous) && pts < output->previous;
  output->newest = GST_CLOCK_TIME_IS_VALID (output->newest) ? MAX (output->newest, pts) : pts;
  is_outside = !output->follows_upstream && (pts < output->segment.start || pts >= output->segment.stop);
  output->statistics.skipped += is_outside;
  GST_OBJECT_UNLOCK (output->element);
  output->previous = pts;
  if (is_outside)
    GST_LOG_OBJECT (output->element, "skipped: %" GST_TIME_FORMAT " is outside of the segment %" GST_SEGMENT_FORMAT, GST_TIME_ARGS (pts),
        &output->segment);
  return !is_outside;
}

gint
robocache_parse_output_compare_to_start (RobocacheParseOutput *output, GstClockTime pts)
{
  GstClockTime start;

  GST_OBJECT_LOCK (output->element);
  start = output->follows_upstream ? 0 : output->segment.start;
  GST_OBJECT_UNLOCK (output->element);
  return (pts > start) - (pts < start);
}

void
robocache_parse_output_admit_earlier (RobocacheParseOutput *output)
{
  GST_OBJECT_LOCK (output->element);
  output->statistics.skipped--;
  GST_OBJECT_UNLOCK (output->element);
}

static void
post_statistics (RobocacheParseOutput *output)
{
  GstStructure *statistics;

  GST_OBJECT_LOCK (output->element);
  statistics = robocache_parse_statistics_to_structure (&output->statistics);
  GST_OBJECT_UNLOCK (output->element);
  robocache_statistics_post (output->element, statistics);
}

GstFlowReturn
robocache_parse_output_push (RobocacheParseOutput *output, GstBuffer *buffer, guint64 n_points)
{
  const GstClockTime pts = GST_BUFFER_PTS (buffer);

  if (output->discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  output->discont = FALSE;

  GST_OBJECT_LOCK (output->element);
  if (output->is_of_clouds)
    output->statistics.clouds++;
  else
    output->statistics.rows++;
  output->statistics.points += n_points;
  if (GST_CLOCK_TIME_IS_VALID (pts))
    output->segment.position = pts;
  output->stats_timer.interval = output->stats_interval;
  GST_OBJECT_UNLOCK (output->element);
  if (robocache_statistics_timer_due (&output->stats_timer, pts))
    post_statistics (output);
  return gst_pad_push (output->pad, buffer);
}

/* ---- faults ---- */

/* The first one is worth a message on the bus; more are in the log and in stats. */
GstFlowReturn
robocache_parse_output_malformed (RobocacheParseOutput *output, const gchar *fault)
{
  /* a damaged part of a file may have thousands */
  if (output->errors_in_row == 0)
    GST_WARNING_OBJECT (output->element, "dropped: %s", fault);
  else
    GST_LOG_OBJECT (output->element, "dropped, the %dth in a row of at most max-errors=%d: %s", output->errors_in_row + 1, output->max_errors,
        fault);
  GST_OBJECT_LOCK (output->element);
  output->statistics.malformed++;
  GST_OBJECT_UNLOCK (output->element);
  output->discont = TRUE;
  output->errors_in_row++;

  if (output->max_errors >= 0 && output->errors_in_row > output->max_errors) {
    GST_ELEMENT_ERROR (output->element, STREAM, DECODE, ("%d consecutive malformed records, more than max-errors=%d; the "
            "last: %s", output->errors_in_row, output->max_errors, fault), (NULL));
    output->failed = TRUE;
    return GST_FLOW_ERROR;
  }
  if (!output->first_fault) {
    output->first_fault = g_strdup (fault);
    GST_ELEMENT_WARNING (output->element, STREAM, DECODE, ("Dropped a malformed record: %s", fault),
        ("further ones are counted in stats and written to the debug log"));
  }
  return GST_FLOW_OK;
}

GstFlowReturn
robocache_parse_output_refuse (RobocacheParseOutput *output, const GError *fault)
{
  robocache_post_error (output->element, fault);
  output->failed = TRUE;
  return GST_FLOW_ERROR;
}

void
robocache_parse_output_check_not_empty (RobocacheParseOutput *output)
{
  const gchar *item = output->is_of_clouds ? "cloud" : "record";
  RobocacheParseStatistics s;

  GST_OBJECT_LOCK (output->element);
  s = output->statistics;
  GST_OBJECT_UNLOCK (output->element);
  GST_INFO_OBJECT (output->element, "the input ended: %" G_GUINT64_FORMAT " rows and %" G_GUINT64_FORMAT " clouds were sent; not sent: %"
      G_GUINT64_FORMAT " malformed, %" G_GUINT64_FORMAT " before running time 0, %" G_GUINT64_FORMAT " outside of the segment", s.rows, s.clouds,
      s.malformed, s.before_origin, s.skipped);
  if (output->failed || s.rows + s.clouds + s.skipped > 0)
    return;
  if (s.before_origin > 0) {
    GST_ELEMENT_WARNING (output->element, STREAM, FAILED, ("All %" G_GUINT64_FORMAT " rows are before running time 0, so "
            "none was sent", s.before_origin), (NULL));
  } else if (s.incomplete > 0) {
    GST_ELEMENT_WARNING (output->element, STREAM, FAILED, ("No row was sent: none of the %" G_GUINT64_FORMAT " records has a value "
        "in each channel; select other columns with channels", s.incomplete), (NULL));
  } else if (output->first_fault) {
    GST_ELEMENT_ERROR (output->element, STREAM, DECODE, ("No %s of %" G_GUINT64_FORMAT " could be read; the first: %s",
            item, s.malformed, output->first_fault), (NULL));
    output->failed = TRUE;
  } else {
    GST_ELEMENT_WARNING (output->element, STREAM, FAILED, ("The input ended without a %s", item), (NULL));
  }
}
