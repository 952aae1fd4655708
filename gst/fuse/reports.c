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
#include "gst/fuse/checks/checks.h"

#define REMOVED_PADS "removed-pads"

/* Channels with NaN that have a count of their own. */
#define MAX_NAN_CHANNELS 64

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

/* A copy made with the lock. Structures are built of it without: those of many pads take milliseconds, for which no tick should wait. */
typedef struct
{
  gchar *name;
  FuseStatistics rows;
  guint64 n_nan_values;
  struct
  {
    guint64 channel, n;
  } nan_channels[MAX_NAN_CHANNELS];     /* [n_nan_channels] the first ones that have NaN */
  guint n_nan_channels;
  gint64 clock_shift, origin_shift, reference_origin, max_gap, hold_limit;
  RobocacheClockEstimate clock;
  gboolean is_tracked, has_reference_origin;
  RobocacheChannelRoles kinds;  /* with no more than their text */
} StreamStatistics;

struct _FuseElementStatistics
{
  gboolean is_live;
  FuseTickStatistics ticks;
  FuseStatistics sum, removed;  /* sum: of all pads, those that are gone included */
  StreamStatistics *streams;    /* [n_streams] */
  guint n_streams;
};

static void
copy_nan_counts (const RobocacheNanCheck *nan, StreamStatistics *copy)
{
  for (guint64 c = 0; c < nan->n_channels; c++) {
    copy->n_nan_values += nan->counts[c];
    if (nan->counts[c] == 0 || copy->n_nan_channels == MAX_NAN_CHANNELS)
      continue;
    copy->nan_channels[copy->n_nan_channels].channel = c;
    copy->nan_channels[copy->n_nan_channels++].n = nan->counts[c];
  }
}

static void
copy_pad (const GstRobocacheFusePad *pad, StreamStatistics *copy)
{
  const FuseStream *stream = pad->stream;
  const FuseTimestamps *times = &stream->times;

  copy->kinds.used = g_strdup (pad->started_roles.used);
  copy->kinds.source = pad->started_roles.source;
  copy->hold_limit = fuse_stream_search (stream, fuse_stream_epoch (stream))->hold_limit_ns;
  copy->name = g_strdup (stream->name);
  fuse_stream_add_statistics (stream, &copy->rows);
  copy_nan_counts (&stream->nan, copy);
  copy->clock_shift = stream->jump.shift;
  copy->origin_shift = stream->origin_shift;
  copy->max_gap = fuse_stream_max_gap (stream);
  copy->is_tracked = fuse_timestamps_are_tracked (times);
  if (copy->is_tracked)
    copy->clock = fuse_timestamps_estimate (times);
  copy->has_reference_origin = times->origin != NULL;
  if (times->origin)
    copy->reference_origin = times->origin->origin;
}

static void
clear_stream (StreamStatistics *stream)
{
  robocache_channel_roles_clear (&stream->kinds);
  g_clear_pointer (&stream->name, g_free);
}

/* All, and those of each of the first channels that have some. */
static void
add_nan_values (const StreamStatistics *stream, GstStructure *structure)
{
  GstStructure *channels = gst_structure_new_empty ("nan-channels");

  for (guint i = 0; i < stream->n_nan_channels; i++) {
    gchar *name = g_strdup_printf ("channel-%" G_GUINT64_FORMAT, stream->nan_channels[i].channel);

    gst_structure_set (channels, name, G_TYPE_UINT64, stream->nan_channels[i].n, NULL);
    g_free (name);
  }
  gst_structure_set (structure, "nan-values", G_TYPE_UINT64, stream->n_nan_values, NULL);
  add_structure (structure, channels);
}

/* Clears the copy. */
static GstStructure *
stream_to_structure (StreamStatistics *stream)
{
  GstStructure *structure = statistics_to_structure (&stream->rows, stream->name);

  gst_structure_set (structure, "clock-shift", G_TYPE_INT64, stream->clock_shift, "origin-shift", G_TYPE_INT64, stream->origin_shift,
      "max-gap", G_TYPE_INT64, stream->max_gap, "hold-limit", G_TYPE_INT64, stream->hold_limit, NULL);
  robocache_channel_roles_to_structure (&stream->kinds, structure);
  if (stream->is_tracked)
    robocache_clock_estimate_to_structure (&stream->clock, structure);
  if (stream->has_reference_origin)
    gst_structure_set (structure, "reference-origin", G_TYPE_INT64, stream->reference_origin, NULL);
  add_nan_values (stream, structure);
  clear_stream (stream);
  return structure;
}

static void
add_totals (const FuseStatistics *sum, GstStructure *stats)
{
  robocache_row_counts_to_structure (&sum->rows, sum->n_kept, stats);
  gst_structure_set (stats, "clock-jumps", G_TYPE_UINT64, sum->clock_jumps, NULL);
  robocache_quaternion_check_to_structure (&sum->quaternions, stats);
  robocache_histogram_to_structure (&sum->age, stats, "age");
  robocache_histogram_to_structure (&sum->lateness, stats, "row-lateness");
}

static void
add_ticks (const FuseTickStatistics *ticks, GstStructure *stats)
{
  gst_structure_set (stats, "ticks-out", G_TYPE_UINT64, ticks->n_out, "ticks-dropped", G_TYPE_UINT64, ticks->n_dropped, NULL);
  robocache_histogram_to_structure (&ticks->lag, stats, "lag");
  robocache_histogram_to_structure (&ticks->lateness, stats, "lateness");
}

FuseElementStatistics *
gst_robocache_fuse_copy_statistics (GstRobocacheFuse *fuse)
{
  FuseElementStatistics *copy = g_new0 (FuseElementStatistics, 1);

  copy->is_live = fuse_core_is_live (fuse->core);
  copy->ticks = *fuse_core_tick_statistics (fuse->core);
  copy->n_streams = fuse->pads->len;
  copy->streams = g_new0 (StreamStatistics, copy->n_streams);
  for (guint i = 0; i < copy->n_streams; i++) {
    GstRobocacheFusePad *pad = gst_robocache_fuse_nth_pad (fuse, i);

    gst_robocache_fuse_count_thinned (fuse, pad);
    copy_pad (pad, &copy->streams[i]);
  }
  fuse_core_add_removed_statistics (fuse->core, &copy->removed);
  fuse_core_add_statistics (fuse->core, &copy->sum);
  return copy;
}

void
gst_robocache_fuse_statistics_free (FuseElementStatistics *copy)
{
  for (guint i = 0; i < copy->n_streams; i++)
    clear_stream (&copy->streams[i]);
  g_free (copy->streams);
  g_free (copy);
}

GstStructure *
gst_robocache_fuse_statistics_to_structure (GstRobocacheFuse *fuse, FuseElementStatistics *copy)
{
  GstStructure *stats = gst_structure_new ("robocachefuse", "live", G_TYPE_BOOLEAN, copy->is_live, NULL);

  add_ticks (&copy->ticks, stats);
  GST_OBJECT_LOCK (fuse);
  robocache_device_to_structure (fuse->device, stats);
  GST_OBJECT_UNLOCK (fuse);
  add_totals (&copy->sum, stats);
  for (guint i = 0; i < copy->n_streams; i++)
    add_structure (stats, stream_to_structure (&copy->streams[i]));
  add_structure (stats, statistics_to_structure (&copy->removed, REMOVED_PADS));
  gst_robocache_fuse_statistics_free (copy);
  return stats;
}

GstStructure *
gst_robocache_fuse_make_pad_statistics (GstElement *element, GstRobocacheFusePad *pad)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (element);
  StreamStatistics *copy = g_new0 (StreamStatistics, 1);
  GstStructure *stats;

  FUSE_LOCK (fuse);
  gst_robocache_fuse_count_thinned (fuse, pad);
  copy_pad (pad, copy);
  FUSE_UNLOCK (fuse);
  stats = stream_to_structure (copy);
  g_free (copy);
  return stats;
}

void
gst_robocache_fuse_reset_stats_timer (GstRobocacheFuse *fuse)
{
  robocache_statistics_timer_reset (&fuse->stats_timer);
}

FuseElementStatistics *
gst_robocache_fuse_copy_due_statistics (GstRobocacheFuse *fuse, gint64 tick)
{
  return robocache_statistics_timer_due (&fuse->stats_timer, (GstClockTime) tick) ? gst_robocache_fuse_copy_statistics (fuse) : NULL;
}

/* ---- messages ---- */

static GstMessage *
message_of_rows (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, const FuseNote *note)
{
  const RobocacheQosPlace place = { GST_OBJECT (pad), &pad->reader.clock.segment, fuse_core_is_live (fuse->core) };

  GST_INFO_OBJECT (pad, "posts QOS: %" G_GUINT64_FORMAT " rows were lost, the first at %" GST_STIME_FORMAT, note->loss.n,
      GST_STIME_ARGS (note->loss.time));
  return robocache_qos_of_rows (&place, &note->loss, pad->reader.clock.nominal_duration, &note->rows);
}

static GstMessage *
message_of_ticks (GstRobocacheFuse *fuse, const FuseNote *note)
{
  const RobocacheQosPlace place = { GST_OBJECT (fuse), &fuse->segment, fuse_core_is_live (fuse->core) };

  GST_INFO_OBJECT (fuse, "posts QOS: %" G_GUINT64_FORMAT " ticks were dropped, the first at %" GST_STIME_FORMAT ", %" G_GINT64_FORMAT
      " ns late; %" G_GUINT64_FORMAT " samples left", note->loss.n, GST_STIME_ARGS (note->loss.time), note->loss.lateness, note->ticks_out);
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
warning_of (GstRobocacheFuse *fuse, gpointer object, const FuseNote *note)
{
  GError *warning = g_error_new_literal (warnings[note->kind].domain (), warnings[note->kind].code, note->text);
  GstMessage *message = gst_message_new_warning (GST_OBJECT (fuse), warning, NULL);

  GST_WARNING_OBJECT (object, "%s", note->text);
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
      return warning_of (fuse, pad ? (gpointer) pad : fuse, note);
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
