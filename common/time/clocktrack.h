/* robocache: estimates a sensor's own clock from the arrival times of its rows
 *
 * The offset and the skew between both clocks are estimated from pairs (sensor time, arrival time). Sensor times are converted to
 * arrival times minus the delay. Delays are positive, so the pairs with the smallest delays determine the line below all pairs
 * (delaybound.h) of the last two minutes. In each eighth of a second, only the pair with the smallest delay is kept. The delay of the
 * fastest row cannot be distinguished from an offset of the clocks.
 *
 * Output times increase smoothly with input times: the output reaches a new estimate by running a little faster or slower. When the
 * sensor's clock jumps, the estimate restarts with the known skew. Everything is computed only from the pairs, in integers and in
 * arithmetic that is the same on every machine. Not thread-safe.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

typedef enum
{
  ROBOCACHE_CLOCK_NONE,         /* the sensor's times are those of the pipeline */
  ROBOCACHE_CLOCK_TRACK
} RobocacheClockMode;

typedef enum
{
  ROBOCACHE_CLOCK_NO_EVENT,
  ROBOCACHE_CLOCK_CONVERGED,
  ROBOCACHE_CLOCK_JUMPED,       /* the sensor's clock was set or restarted */
  ROBOCACHE_CLOCK_STEPPED,      /* the smallest delay, or the clock, changed by less than a jump */
  ROBOCACHE_CLOCK_UNSURE        /* the uncertainty has grown */
} RobocacheClockEvent;

typedef struct
{
  gint64 offset_ns;             /* added to the newest sensor time; wraps around */
  gdouble skew_ppm;             /* skew of the sensor's clock; positive if it gains */
  gint64 uncertainty_ns;        /* two standard deviations of offset_ns; -1: unknown */
  gboolean converged;
  guint64 pairs;
  guint64 outliers;             /* pairs omitted because they contradict their neighbours */
  guint64 jumps, steps;        /* number of restarts of the estimate */
} RobocacheClockEstimate;

typedef struct _RobocacheClockTrack RobocacheClockTrack;

RobocacheClockTrack *robocache_clock_track_new (void);
void robocache_clock_track_free (RobocacheClockTrack * track);
/* Resets the estimate. */
void robocache_clock_track_reset (RobocacheClockTrack * track);

/* Adds a pair, and returns the time of capture of the row on the clock of arrivals. Arrivals must not decrease. */
gint64 robocache_clock_track_add (RobocacheClockTrack * track, gint64 sensor_ns, gint64 arrival_ns);
/* Converts the time of a row that arrived together with the row of the last pair, and is not newer than that row. */
gint64 robocache_clock_track_map (const RobocacheClockTrack * track, gint64 sensor_ns);

/* Events since the last call. */
RobocacheClockEvent robocache_clock_track_take_event (RobocacheClockTrack * track);

void robocache_clock_track_get (RobocacheClockTrack * track, RobocacheClockEstimate * estimate);
