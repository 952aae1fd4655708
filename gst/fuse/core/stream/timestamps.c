/* robocache: the running time of each row of a stream, from the timestamps that its settings select
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "timestamps.h"

#include "common/element/errordomain.h"
#include "kernels/interpolation.h"

/* ---- life ---- */

void
fuse_timestamps_init (FuseTimestamps *times)
{
  *times = (FuseTimestamps) {.settings.reference_origin = ROBOCACHE_NO_TIME };
}

gboolean
fuse_timestamps_are_tracked (const FuseTimestamps *times)
{
  return times->settings.clock_mode == ROBOCACHE_CLOCK_TRACK;
}

RobocacheClockEstimate
fuse_timestamps_estimate (const FuseTimestamps *times)
{
  RobocacheClockEstimate estimate = {.uncertainty_ns = -1 };

  if (times->track)
    robocache_clock_track_get (times->track, &estimate);
  estimate.jumps += times->n_jumps;
  return estimate;
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
  times->n_jumps = fuse_timestamps_estimate (times).jumps;
  g_clear_pointer (&times->track, robocache_clock_track_free);
  fuse_timestamps_forget_origin (times);
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
fuse_timestamps_check (const FuseTimestamps *times, gboolean has_row_times, gboolean live, gint64 now, GError **error)
{
  if (times->settings.source == FUSE_TIMES_ROW_TIMES && !has_row_times) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "timestamp-source=row-times needs a second tensor of int64 with "
        "the time of each row, but the caps lack this tensor: add the tensor, or set another timestamp-source");
    return FALSE;
  }
  if (fuse_timestamps_are_tracked (times) && (!live || now == ROBOCACHE_NO_TIME)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "clock-mode=track estimates the sensor's clock from "
        "the arrivals of its rows, but %s: set clock-mode=none, or use a live source in a pipeline with a clock",
        live ? "no clock runs" : "its source is not live, so its arrivals have no meaning");
    return FALSE;
  }
  if (measures_origin (&times->settings) && !live) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "timestamp-source=reference needs reference-origin if the "
        "source is not live: set reference-origin to the reference time at running time 0");
    return FALSE;
  }
  return TRUE;
}

/* ---- reference timestamps ---- */

/* The reference time of running time 0, from rows whose running time is known by their buffer or else is now. */
static gint64
measured_origin (FuseTimestamps *times, const FuseRows *rows, gint64 now)
{
  const gint64 running = rows->has_start ? rows->start : now;

  if (times->origin == NULL)
    times->origin = fuse_origins_find (times->origins, times->settings.reference);
  if (times->origin == NULL && running != ROBOCACHE_NO_TIME)
    times->origin = fuse_origins_add (times->origins, times->settings.reference, rc_subtract_saturating (rows->reference, running));
  return times->origin ? times->origin->origin : ROBOCACHE_NO_TIME;
}

/* A tracked clock needs no origin. */
static gboolean
find_origin (FuseTimestamps *times, const FuseRows *rows, gint64 now)
{
  const FuseTimestampSettings *settings = &times->settings;

  if (rows->reference == ROBOCACHE_NO_TIME)
    return FALSE;
  return !measures_origin (settings) || measured_origin (times, rows, now) != ROBOCACHE_NO_TIME;
}

static gint64
reference_origin (const FuseTimestamps *times)
{
  const FuseTimestampSettings *settings = &times->settings;

  if (settings->clock_mode == ROBOCACHE_CLOCK_TRACK)
    return 0;
  if (settings->reference_clock == FUSE_REFERENCE_PIPELINE)
    return times->base_time;
  return settings->reference_origin != ROBOCACHE_NO_TIME ? settings->reference_origin : times->origin->origin;
}

/* ---- the rows of a buffer ---- */

static gboolean
time_by_reference (const FuseTimestamps *times, const FuseRows *rows, guint64 i, gint64 *t)
{
  gint64 later = 0;

  if (i > 0 && rows->duration != ROBOCACHE_NO_TIME)
    later = (gint64) ((__int128) rows->duration * (__int128) i / (__int128) rows->n_rows);
  return !__builtin_sub_overflow (rows->reference, reference_origin (times), t) && !__builtin_add_overflow (*t, later, t);
}

/* On the sensor's timeline. */
static gboolean
sensor_time (const FuseTimestamps *times, const FuseRows *rows, guint64 i, gint64 *t)
{
  if (times->settings.source == FUSE_TIMES_REFERENCE)
    return time_by_reference (times, rows, i, t);
  *t = rows->times[i];
  return *t != ROBOCACHE_NO_TIME;
}

/* The newest row has waited least. */
static void
add_arrival (FuseTimestamps *times, const FuseRows *rows, gint64 now)
{
  gint64 newest;

  if (times->track == NULL)
    times->track = robocache_clock_track_new ();
  if (rows->n_rows > 0 && sensor_time (times, rows, rows->n_rows - 1, &newest))
    robocache_clock_track_add (times->track, newest, now + times->base_time);
}

FuseRowsTiming
fuse_timestamps_begin (FuseTimestamps *times, const FuseRows *rows, gint64 now)
{
  times->base_time = rows->base_time;
  if (times->settings.source == FUSE_TIMES_REFERENCE) {
    if (!find_origin (times, rows, now))
      return FUSE_ROWS_WITHOUT_REFERENCE;
  } else if (rows->times == NULL) {
    return FUSE_ROWS_WITHOUT_TIME;
  }
  if (fuse_timestamps_are_tracked (times))
    add_arrival (times, rows, now);
  return FUSE_ROWS_TIMED;
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
fuse_timestamps_nth (const FuseTimestamps *times, const FuseRows *rows, guint64 i, gint64 *running_time)
{
  return sensor_time (times, rows, i, running_time) && to_running_time (times, running_time)
      && (*running_time >= 0 || rows->has_earlier);
}

gboolean
fuse_timestamps_of_gap (const FuseTimestamps *times, gint64 *running_time)
{
  return times->settings.source != FUSE_TIMES_REFERENCE && to_running_time (times, running_time);
}
