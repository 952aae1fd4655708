/* robocache: reports of robocachefuse: statistics, and messages about what the core notes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "reports.h"

#include "common/rows/qos.h"
#include "common/rows/reports.h"
#include "debug.h"
#include "gst/fuse/core/status.h"
#include "sources.h"

#define REMOVED_PADS "removed-pads"

/* ---- statistics ---- */

static void
add_structure (GstStructure *stats, GstStructure *part)
{
  gst_structure_set (stats, gst_structure_get_name (part), GST_TYPE_STRUCTURE, part, NULL);
  gst_structure_free (part);
}

/* A structure of that name with every count and the quantiles. */
static GstStructure *
statistics_to_structure (const FuseStatistics *statistics, const gchar *name)
{
  GstStructure *structure = gst_structure_new_empty (name);

  robocache_row_counts_to_structure (&statistics->rows, statistics->n_kept, structure);
  gst_structure_set (structure, "ticks-aligned", G_TYPE_UINT64, statistics->ticks_aligned, "ticks-held", G_TYPE_UINT64,
      statistics->ticks_held, "ticks-missing", G_TYPE_UINT64, statistics->ticks_missing,
      "clock-jumps", G_TYPE_UINT64, statistics->clock_jumps, NULL);
  robocache_quaternion_check_to_structure (&statistics->quaternions, structure);
  robocache_histogram_to_structure (&statistics->age, structure, "age");
  robocache_histogram_to_structure (&statistics->lateness, structure, "lateness");
  return structure;
}

static void
add_clock (const FuseStream *stream, GstStructure *structure)
{
  const FuseTimestamps *times = &stream->times;

  gst_structure_set (structure, "clock-shift", G_TYPE_INT64, stream->jump.shift, "origin-shift", G_TYPE_INT64, stream->origin_shift,
      NULL);
  if (fuse_timestamps_are_tracked (times)) {
    const RobocacheClockEstimate estimate = fuse_timestamps_estimate (times);

    robocache_clock_estimate_to_structure (&estimate, structure);
  }
  if (times->origin)
    gst_structure_set (structure, "reference-origin", G_TYPE_INT64, times->origin->origin, NULL);
}

static GstStructure *
stream_to_structure (const FuseStream *stream)
{
  FuseStatistics *statistics = g_new0 (FuseStatistics, 1);
  GstStructure *structure;

  fuse_stream_add_statistics (stream, statistics);
  structure = statistics_to_structure (statistics, stream->name);
  add_clock (stream, structure);
  g_free (statistics);
  return structure;
}

/* Rows of all pads, those that are gone included. */
static void
add_totals (GstRobocacheFuse *fuse, GstStructure *stats)
{
  FuseStatistics *sum = g_new0 (FuseStatistics, 1);

  fuse_core_add_statistics (fuse->core, sum);
  robocache_row_counts_to_structure (&sum->rows, sum->n_kept, stats);
  gst_structure_set (stats, "clock-jumps", G_TYPE_UINT64, sum->clock_jumps, NULL);
  robocache_quaternion_check_to_structure (&sum->quaternions, stats);
  robocache_histogram_to_structure (&sum->age, stats, "age");
  robocache_histogram_to_structure (&sum->lateness, stats, "row-lateness");
  g_free (sum);
}

static void
add_removed (GstRobocacheFuse *fuse, GstStructure *stats)
{
  FuseStatistics *removed = g_new0 (FuseStatistics, 1);

  fuse_core_add_removed_statistics (fuse->core, removed);
  add_structure (stats, statistics_to_structure (removed, REMOVED_PADS));
  g_free (removed);
}

static void
add_ticks (const FuseTickStatistics *ticks, GstStructure *stats)
{
  gst_structure_set (stats, "ticks-out", G_TYPE_UINT64, ticks->n_out, "ticks-dropped", G_TYPE_UINT64, ticks->n_dropped, NULL);
  robocache_histogram_to_structure (&ticks->lag, stats, "lag");
  robocache_histogram_to_structure (&ticks->lateness, stats, "lateness");
}

GstStructure *
gst_robocache_fuse_make_statistics (GstRobocacheFuse *fuse)
{
  GstStructure *stats = gst_structure_new ("robocachefuse", "live", G_TYPE_BOOLEAN, fuse_core_is_live (fuse->core), NULL);

  add_ticks (fuse_core_tick_statistics (fuse->core), stats);
  GST_OBJECT_LOCK (fuse);
  robocache_device_to_structure (fuse->device, stats);
  GST_OBJECT_UNLOCK (fuse);
  add_totals (fuse, stats);
  for (guint i = 0; i < fuse->pads->len; i++)
    add_structure (stats, stream_to_structure (gst_robocache_fuse_nth_pad (fuse, i)->stream));
  add_removed (fuse, stats);
  return stats;
}

GstStructure *
gst_robocache_fuse_make_pad_statistics (GstElement *element, GstRobocacheFusePad *pad)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (element);
  GstStructure *stats;

  FUSE_LOCK (fuse);
  stats = stream_to_structure (pad->stream);
  FUSE_UNLOCK (fuse);
  return stats;
}

void
gst_robocache_fuse_reset_stats_timer (GstRobocacheFuse *fuse)
{
  robocache_statistics_timer_reset (&fuse->stats_timer);
}

GstStructure *
gst_robocache_fuse_take_due_statistics (GstRobocacheFuse *fuse, gint64 tick)
{
  return robocache_statistics_timer_due (&fuse->stats_timer, (GstClockTime) tick) ? gst_robocache_fuse_make_statistics (fuse) : NULL;
}

/* ---- messages ---- */

static GstMessage *
message_of_rows (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, const FuseNote *note)
{
  const RobocacheQosPlace place = { GST_OBJECT (pad), &pad->reader.clock.segment, fuse_core_is_live (fuse->core) };

  return robocache_qos_of_rows (&place, &note->loss, pad->reader.clock.nominal_duration, &note->rows);
}

static GstMessage *
message_of_ticks (GstRobocacheFuse *fuse, const FuseNote *note)
{
  const RobocacheQosPlace place = { GST_OBJECT (fuse), &fuse->segment, fuse_core_is_live (fuse->core) };

  return robocache_qos_of_tick (&place, note->loss.time, fuse_clock_time_of (note->duration), note->loss.lateness, note->ticks_out,
      note->ticks_dropped);
}

static const struct
{
  GQuark (*domain) (void);
  gint code;
} warnings[] = {
  [FUSE_NOTE_FORMAT] = {gst_stream_error_quark, GST_STREAM_ERROR_FORMAT},
  [FUSE_NOTE_SETTING] = {gst_library_error_quark, GST_LIBRARY_ERROR_SETTINGS},
  [FUSE_NOTE_TIME] = {gst_core_error_quark, GST_CORE_ERROR_CLOCK},
  [FUSE_NOTE_REFERENCE_LOST] = {gst_core_error_quark, GST_CORE_ERROR_PAD},
};

static GstMessage *
warning_of (GstRobocacheFuse *fuse, const FuseNote *note)
{
  GError *warning = g_error_new_literal (warnings[note->kind].domain (), warnings[note->kind].code, note->text);
  GstMessage *message = gst_message_new_warning (GST_OBJECT (fuse), warning, NULL);

  GST_WARNING_OBJECT (fuse, "%s", note->text);
  g_error_free (warning);
  return message;
}

/* NULL: it is about a pad that is gone. */
static GstMessage *
message_of (GstRobocacheFuse *fuse, const FuseNote *note)
{
  GstRobocacheFusePad *pad = note->stream ? gst_robocache_fuse_pad_of_stream (fuse, note->stream) : NULL;

  switch (note->kind) {
    case FUSE_NOTE_CLOCK:
      return pad ? robocache_clock_event_message (note->clock_event, &note->clock, GST_ELEMENT (fuse), GST_PAD (pad)) : NULL;
    case FUSE_NOTE_LOST_ROWS:
      return pad ? message_of_rows (fuse, pad, note) : NULL;
    case FUSE_NOTE_LOST_TICKS:
      return message_of_ticks (fuse, note);
    default:
      return warning_of (fuse, note);
  }
}

void
gst_robocache_fuse_collect_reports (GstRobocacheFuse *fuse, FuseReports *reports)
{
  FuseNote *note;

  while ((note = g_queue_pop_head (&reports->notes))) {
    GstMessage *message = note->kind == FUSE_NOTE_LATENCY ? NULL : message_of (fuse, note);

    reports->latency_is_off |= note->kind == FUSE_NOTE_LATENCY;
    if (message)
      g_queue_push_tail (&reports->messages, message);
    fuse_note_free (note);
  }
}

void
gst_robocache_fuse_post_messages (GstRobocacheFuse *fuse, GQueue *messages)
{
  GstMessage *message;

  while ((message = g_queue_pop_head (messages)))
    gst_element_post_message (GST_ELEMENT (fuse), message);
}

void
gst_robocache_fuse_post_reports (GstRobocacheFuse *fuse, FuseReports *reports)
{
  gst_robocache_fuse_post_messages (fuse, &reports->messages);
  if (reports->latency_is_off)
    gst_robocache_fuse_update_latency (fuse);
  reports->latency_is_off = FALSE;
}
