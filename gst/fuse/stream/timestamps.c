/* robocache: the running time of each row of a stream, from the timestamps that its settings select
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "timestamps.h"

#include "common/rows/history.h"
#include "debug.h"

/* ---- life ---- */

void
fuse_timestamps_init (FuseTimestamps *times)
{
  *times = (FuseTimestamps) { .base_time = 0 };
  fuse_timestamp_settings_init (&times->settings);
  robocache_row_times_init (&times->clock);
}

gboolean
fuse_timestamps_are_tracked (const FuseTimestamps *times)
{
  return times->settings.clock_mode == ROBOCACHE_CLOCK_TRACK;
}

static RobocacheClockEstimate
estimate_of (const FuseTimestamps *times)
{
  RobocacheClockEstimate estimate = {.uncertainty_ns = -1 };

  if (times->track)
    robocache_clock_track_get (times->track, &estimate);
  estimate.jumps += times->n_jumps;
  return estimate;
}

guint64
fuse_timestamps_jumps (const FuseTimestamps *times)
{
  return estimate_of (times).jumps;
}

void
fuse_timestamps_forget_origin (FuseTimestamps *times)
{
  if (times->origin)
    fuse_origins_release (times->origins, times->origin);
  times->origin = NULL;
}

void
fuse_timestamps_reset (FuseTimestamps *times)
{
  times->n_jumps = fuse_timestamps_jumps (times);
  g_clear_pointer (&times->track, robocache_clock_track_free);
  fuse_timestamps_forget_origin (times);
}

void
fuse_timestamps_clear (FuseTimestamps *times)
{
  fuse_timestamps_reset (times);
  fuse_timestamp_settings_clear (&times->settings);
}

void
fuse_timestamps_to_structure (const FuseTimestamps *times, GstStructure *stats)
{
  if (fuse_timestamps_are_tracked (times)) {
    const RobocacheClockEstimate estimate = estimate_of (times);

    robocache_clock_estimate_to_structure (&estimate, stats);
  }
  if (times->origin)
    gst_structure_set (stats, "reference-origin", G_TYPE_INT64, times->origin->origin, NULL);
}

/* ---- what a stream's rows must have ---- */

/* A measured origin depends on when buffers come. */
static gboolean
measures_origin (const FuseTimestampSettings *settings)
{
  return settings->source == FUSE_TIMES_REFERENCE && settings->clock_mode == ROBOCACHE_CLOCK_NONE
      && settings->reference_clock == FUSE_REFERENCE_OTHER && settings->reference_origin == ROBOCACHE_NO_TIME;
}

gboolean
fuse_timestamps_check (const FuseTimestamps *times, const RobocacheRowLayout *rows, gboolean live, GstClockTime now,
    GError **error)
{
  if (times->settings.source == FUSE_TIMES_ROW_TIMES && !rows->has_times) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "timestamp-source=row-times needs a second int64 tensor "
        "with the time of each row, and its caps have none: send it, or set another timestamp-source");
    return FALSE;
  }
  if (fuse_timestamps_are_tracked (times) && (!live || !GST_CLOCK_TIME_IS_VALID (now))) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "clock-mode=track estimates the sensor's clock from "
        "the arrivals of its rows, but %s: set clock-mode=none, or use a live source in a pipeline with a clock",
        live ? "no clock runs" : "its source is not live, so its arrivals have no meaning");
    return FALSE;
  }
  if (measures_origin (&times->settings) && !live) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "timestamp-source=reference needs reference-origin, "
        "because its source is not live: set it to the reference time of running time 0");
    return FALSE;
  }
  return TRUE;
}

/* ---- reference timestamps ---- */

static GstReferenceTimestampMeta *
reference_of (const FuseTimestampSettings *settings, GstBuffer *buffer)
{
  static GstStaticCaps usual = GST_STATIC_CAPS (FUSE_DEFAULT_REFERENCE);
  GstCaps *caps = settings->reference ? gst_caps_ref (settings->reference) : gst_static_caps_get (&usual);
  GstReferenceTimestampMeta *meta = gst_buffer_get_reference_timestamp_meta (buffer, caps);

  gst_caps_unref (caps);
  return meta;
}

/* The reference time of running time 0, from a buffer whose running time is known by its PTS or else is now. */
static gint64
measured_origin (FuseTimestamps *times, GstBuffer *buffer, gint64 reference_time, GstClockTime now)
{
  GstClockTime running = now;

  if (times->origin == NULL)
    times->origin = fuse_origins_find (times->origins, times->settings.reference);
  if (times->origin == NULL) {
    if (GST_BUFFER_PTS_IS_VALID (buffer))
      running = gst_segment_to_running_time (&times->clock.segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
    if (!GST_CLOCK_TIME_IS_VALID (running))
      return ROBOCACHE_NO_TIME;
    times->origin = fuse_origins_add (times->origins, times->settings.reference, reference_time - (gint64) running);
    GST_INFO ("running time 0 is %" G_GINT64_FORMAT " on the reference's clock", times->origin->origin);
  }
  return times->origin->origin;
}

static gint64
reference_origin (FuseTimestamps *times, GstBuffer *buffer, gint64 reference_time, GstClockTime now)
{
  const FuseTimestampSettings *settings = &times->settings;

  if (settings->clock_mode == ROBOCACHE_CLOCK_TRACK)
    return 0;
  if (settings->reference_clock == FUSE_REFERENCE_PIPELINE)
    return times->base_time;
  if (settings->reference_origin != ROBOCACHE_NO_TIME)
    return settings->reference_origin;
  return measured_origin (times, buffer, reference_time, now);
}

static gboolean
begin_reference (FuseTimestamps *times, GstBuffer *buffer, GstClockTime now, FuseBufferTimes *of_buffer)
{
  const GstReferenceTimestampMeta *meta = reference_of (&times->settings, buffer);

  if (meta == NULL || meta->timestamp > G_MAXINT64)
    return FALSE;
  of_buffer->by_reference = TRUE;
  of_buffer->rows.pts = meta->timestamp;
  of_buffer->rows.row_times = NULL;
  if (GST_CLOCK_TIME_IS_VALID (meta->duration))
    of_buffer->rows.duration = meta->duration;
  of_buffer->origin = reference_origin (times, buffer, (gint64) meta->timestamp, now);
  return of_buffer->origin != ROBOCACHE_NO_TIME;
}

/* ---- the rows of a buffer ---- */

/* On the sensor's timeline. */
static gboolean
sensor_time (const FuseTimestamps *times, const FuseBufferTimes *of_buffer, guint64 i, gint64 *t)
{
  guint64 later = 0;

  if (!of_buffer->by_reference)
    return robocache_row_times_nth (&times->clock, &of_buffer->rows, i, t);
  if (i > 0 && GST_CLOCK_TIME_IS_VALID (of_buffer->rows.duration))
    later = gst_util_uint64_scale (of_buffer->rows.duration, i, of_buffer->rows.n_rows);
  return !__builtin_sub_overflow ((gint64) of_buffer->rows.pts, of_buffer->origin, t)
      && !__builtin_add_overflow (*t, (gint64) later, t);
}

/* The newest row has waited least. */
static void
add_arrival (FuseTimestamps *times, const FuseBufferTimes *of_buffer, GstClockTime now)
{
  gint64 newest;

  if (times->track == NULL)
    times->track = robocache_clock_track_new ();
  if (of_buffer->rows.n_rows > 0 && sensor_time (times, of_buffer, of_buffer->rows.n_rows - 1, &newest))
    robocache_clock_track_add (times->track, newest, (gint64) now + times->base_time);
}

FuseBufferTiming
fuse_timestamps_begin (FuseTimestamps *times, GstBuffer *buffer, guint64 n_rows, const gint64 *row_times, GstClockTime now,
    FuseBufferTimes *of_buffer)
{
  const gint64 *used = times->settings.source == FUSE_TIMES_PTS ? NULL : row_times;
  RobocacheBufferTiming timed;

  *of_buffer = (FuseBufferTimes) {.by_reference = FALSE };
  timed = robocache_row_times_begin (&times->clock, buffer, n_rows, used, &of_buffer->rows);
  if (times->settings.source == FUSE_TIMES_REFERENCE) {
    if (!begin_reference (times, buffer, now, of_buffer))
      return FUSE_BUFFER_WITHOUT_REFERENCE;
  } else if (timed != ROBOCACHE_BUFFER_TIMED) {
    return FUSE_BUFFER_WITHOUT_TIME;
  }
  if (fuse_timestamps_are_tracked (times))
    add_arrival (times, of_buffer, now);
  return FUSE_BUFFER_TIMED;
}

/* Arrivals are times of the clock and not running times, which stand still while the pipeline is paused. */
static gboolean
to_running_time (const FuseTimestamps *times, gint64 *t)
{
  if (!fuse_timestamps_are_tracked (times))
    return TRUE;
  if (times->track == NULL)
    return FALSE;
  return !__builtin_sub_overflow (robocache_clock_track_map (times->track, *t), times->base_time, t);
}

gboolean
fuse_timestamps_nth (const FuseTimestamps *times, const FuseBufferTimes *of_buffer, guint64 i, gint64 *running_time)
{
  return sensor_time (times, of_buffer, i, running_time) && to_running_time (times, running_time) && *running_time >= 0;
}

gboolean
fuse_timestamps_of_gap (const FuseTimestamps *times, gint64 *running_time)
{
  return times->settings.source != FUSE_TIMES_REFERENCE && to_running_time (times, running_time);
}
