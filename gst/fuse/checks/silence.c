/* robocache: warnings about streams of robocachefuse without a row, with the remedy
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "checks.h"

#include "gst/fuse/core/control.h"
#include "gst/fuse/core/status.h"
#include "gst/fuse/debug.h"
#include "gst/fuse/firsttickwait.h"

#define CHECK_SOURCE "check its source (the file, device or address)"

/* Rows that are further in the future of live streams are not on their way from a clock that is a little ahead. */
#define FUTURE ROBOCACHE_SECOND

static GstMessage *
make_warning (GstRobocacheFuse *fuse, gpointer object, GQuark domain, gint code, gchar *text)
{
  GError *warning = g_error_new_literal (domain, code, text);
  GstMessage *message = gst_message_new_warning (GST_OBJECT (fuse), warning, NULL);

  GST_WARNING_OBJECT (object, "%s", text);
  g_error_free (warning);
  g_free (text);
  return message;
}

/* The reason for which most rows were dropped. */
static RobocacheDropReason
main_reason (const RobocacheRowCounts *counts)
{
  RobocacheDropReason reason = 0;

  for (guint i = 1; i < ROBOCACHE_N_DROP_REASONS; i++) {
    if (counts->dropped[i] > counts->dropped[reason])
      reason = i;
  }
  return reason;
}

/* Returns what must be corrected at the source of such rows. */
static const gchar *
name_remedy (RobocacheDropReason reason)
{
  switch (reason) {
    case ROBOCACHE_DROPPED_MALFORMED:
      return "caps or buffers";
    case ROBOCACHE_DROPPED_NAN:
      return "values";
    case ROBOCACHE_DROPPED_REFUSED:
      return "caps";
    case ROBOCACHE_DROPPED_OVERFLOW:
      return "rate or the length of its buffers";
    default:
      return "times";
  }
}

/* "all 12 rows were dropped (stats: rows-dropped-outside-segment): …"; NULL: none has arrived. */
static gchar *
describe_dropped_rows (const FuseStream *stream)
{
  FuseStatistics *statistics = g_new0 (FuseStatistics, 1);
  RobocacheDropReason reason;
  gchar *text = NULL;

  fuse_stream_add_statistics (stream, statistics);
  reason = main_reason (&statistics->rows);
  if (statistics->rows.in > 0)
    text = g_strdup_printf ("all %" G_GUINT64_FORMAT " rows were dropped (stats: rows-dropped-%s): correct the %s of its source", statistics->rows.in,
        robocache_drop_reason_name (reason), name_remedy (reason));
  g_free (statistics);
  return text;
}

static gchar *
describe_cause (GstRobocacheFusePad *pad)
{
  gchar *dropped;

  if (!gst_pad_is_linked (GST_PAD (pad)))
    return g_strdup ("the pad is not linked: link a stream to it, or release it");
  dropped = describe_dropped_rows (pad->stream);
  if (dropped)
    return dropped;
  if (pad->reader.format == NULL || pad->stream->is_declared)
    return g_strdup ("it has no caps yet: " CHECK_SOURCE);
  return g_strdup ("it has caps, but no buffer has arrived: " CHECK_SOURCE
      "; if one element feeds several pads, put a queue before each");
}

/* What a stream without rows means for samples. */
static const gchar *
describe_effect (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  if (!fuse_core_is_live (fuse->core))
    return "samples wait for it";
  return pad->stream->settings.required ? "no sample leaves, since it is required" : "samples leave without it";
}

/* A declared stream is waited for before the first tick of recordings. */
static gboolean
is_silent (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  if (pad->stream->is_declared)
    return !pad->stream->eos && fuse_core_awaits_streams (fuse->core);
  return !pad->stream->has_data && !fuse_stream_is_over (pad->stream);
}

static void
collect_expected_pads (GstRobocacheFuse *fuse, GQueue *messages)
{
  gchar *names = fuse->expected_pads_are_reported ? NULL : gst_robocache_fuse_awaited_elements (fuse);

  if (names == NULL)
    return;
  fuse->expected_pads_are_reported = TRUE;
  g_queue_push_tail (messages, make_warning (fuse, fuse, GST_CORE_ERROR, GST_CORE_ERROR_PAD,
          g_strdup_printf ("samples wait for all pads of %s: after 2 s, it has not signalled no-more-pads, and one of its expected "
              "pads is not linked; " CHECK_SOURCE ", and remove links to pads that it does not have", names)));
  g_free (names);
}

static void
collect_no_pad (GstRobocacheFuse *fuse, GQueue *messages)
{
  if (fuse->pads->len > 0 || fuse->no_pad_is_reported || fuse->expected_pads_are_reported)
    return;
  fuse->no_pad_is_reported = TRUE;
  g_queue_push_tail (messages, make_warning (fuse, fuse, GST_CORE_ERROR, GST_CORE_ERROR_PAD,
          g_strdup_printf ("%s has no sink pad, so no sample leaves: link streams to it, like \"robocachetestsrc ! %s.proprio_0\"",
              GST_OBJECT_NAME (fuse), GST_OBJECT_NAME (fuse))));
}

static void
collect_silent_pad (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GQueue *messages)
{
  gchar *cause;

  if (!is_silent (fuse, pad) || pad->silence_is_reported)
    return;
  pad->silence_is_reported = TRUE;
  cause = describe_cause (pad);
  g_queue_push_tail (messages, make_warning (fuse, pad, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
          g_strdup_printf ("%s has no row after 2 s, and %s; %s", GST_OBJECT_NAME (pad), describe_effect (fuse, pad), cause)));
  g_free (cause);
}

/* Live, rows of a recording or of another clock may be in the future: ticks reach them late, or never. */
static void
collect_future_pad (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, gint64 now, GQueue *messages)
{
  const gint64 first = fuse_stream_begin (pad->stream);

  if (!fuse_core_is_live (fuse->core) || pad->silence_is_reported || pad->stream->is_removed || first == ROBOCACHE_NO_TIME
      || rc_subtract_saturating (first, now) < FUTURE)
    return;
  pad->silence_is_reported = TRUE;
  g_queue_push_tail (messages, make_warning (fuse, pad, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
          g_strdup_printf ("the first row of %s is at %.3f s, %.3f s ahead of the live streams, so earlier ticks have no row of "
              "it: its times come from a recording or another clock; set start=zero or time-origin on its source, or offset or "
              "clock-mode=track on the pad",
              GST_OBJECT_NAME (pad), (gdouble) first / 1e9, (gdouble) rc_subtract_saturating (first, now) / 1e9)));
}

void
gst_robocache_fuse_collect_silent_pads (GstRobocacheFuse *fuse, GQueue *messages)
{
  const GstClockTime now = fuse_core_is_playing (fuse->core) ? gst_robocache_fuse_clock_now (fuse) : GST_CLOCK_TIME_NONE;

  collect_expected_pads (fuse, messages);
  collect_no_pad (fuse, messages);
  for (guint i = 0; i < fuse->pads->len; i++)
    collect_silent_pad (fuse, gst_robocache_fuse_nth_pad (fuse, i), messages);
  for (guint i = 0; i < fuse->pads->len && GST_CLOCK_TIME_IS_VALID (now); i++)
    collect_future_pad (fuse, gst_robocache_fuse_nth_pad (fuse, i), (gint64) now, messages);
}

void
gst_robocache_fuse_collect_empty_pad (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GQueue *messages)
{
  gchar *cause;

  if (!pad->stream->eos || pad->stream->has_data || pad->silence_is_reported || pad->stream->is_removed || fuse_core_has_failed (fuse->core))
    return;
  pad->silence_is_reported = TRUE;
  cause = describe_dropped_rows (pad->stream);
  g_queue_push_tail (messages, make_warning (fuse, pad, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED, g_strdup_printf ("%s ended without a row, so %s; %s",
          GST_OBJECT_NAME (pad), pad->reader.format ? "it is missing in all samples" : "samples have no tensor for it",
          cause ? cause : CHECK_SOURCE)));
  g_free (cause);
}
