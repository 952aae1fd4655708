/* robocache: a sensor's own clock, followed by the times at which its rows arrive
 *
 * From pairs (sensor time, arrival time) the offset and the skew between the two clocks are estimated, and sensor times
 * become arrival times less the delay. A delay only adds, so the pairs with the least delay count: the line below all
 * pairs (delaybound.h) of the last two minutes, of which the least in each eighth of a second is kept. Whatever delay the
 * fastest row has cannot be told from an offset of the clocks.
 *
 * The times that come out increase with those that go in, and smoothly: a new estimate is reached by running a little
 * faster or slower. When the sensor's clock jumps the estimate starts anew with the skew that is known. All is computed
 * from the pairs alone, in integers and in arithmetic that is the same everywhere. Not thread-safe.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_CLOCKTRACK_H
#define ROBOCACHE_CLOCKTRACK_H

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  ROBOCACHE_CLOCK_NONE,         /* the sensor's times are those of the pipeline */
  ROBOCACHE_CLOCK_TRACK
} RobocacheClockMode;

typedef enum
{
  ROBOCACHE_CLOCK_NO_EVENT,
  ROBOCACHE_CLOCK_CONVERGED,
  ROBOCACHE_CLOCK_JUMPED,       /* the sensor's clock was set, or started anew */
  ROBOCACHE_CLOCK_STEPPED,      /* the least delay, or the clock, changed by less than a jump */
  ROBOCACHE_CLOCK_UNSURE        /* the uncertainty has grown */
} RobocacheClockEvent;

typedef struct
{
  gint64 offset_ns;             /* what is added to the newest sensor time; wraps around */
  gdouble skew_ppm;             /* of the sensor's clock: positive when it gains */
  gint64 uncertainty_ns;        /* of offset_ns, two standard deviations; -1 while unknown */
  gboolean converged;
  guint64 pairs;
  guint64 outliers;             /* pairs left out, since their neighbours contradict them */
  guint64 jumps, steps;        /* estimates started anew */
} RobocacheClockEstimate;

typedef struct _RobocacheClockTrack RobocacheClockTrack;

RobocacheClockTrack *robocache_clock_track_new (void);
void robocache_clock_track_free (RobocacheClockTrack * track);
/* As new. */
void robocache_clock_track_reset (RobocacheClockTrack * track);

/* Takes a pair, and returns when the row was captured on the arrivals' clock. Arrivals do not decrease. */
gint64 robocache_clock_track_add (RobocacheClockTrack * track, gint64 sensor_ns, gint64 arrival_ns);
/* The same for a row that came with the last pair and is no newer. */
gint64 robocache_clock_track_map (const RobocacheClockTrack * track, gint64 sensor_ns);

/* Events since the last call. */
RobocacheClockEvent robocache_clock_track_take_event (RobocacheClockTrack * track);

void robocache_clock_track_get (const RobocacheClockTrack * track, RobocacheClockEstimate * estimate);

G_END_DECLS
#endif
