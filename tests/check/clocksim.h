/* robocache: a sensor with a clock of its own, whose rows are delayed
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CLOCK_SIM_H
#define CLOCK_SIM_H

#include <math.h>

#include "common/clocktrack.h"

typedef enum
{
  SIM_UNIFORM,                  /* 0 … jitter */
  SIM_EXPONENTIAL,              /* of that mean */
  SIM_N_DELAYS
} SimDelays;

typedef struct
{
  gdouble rate;                 /* Hz */
  gdouble jitter_ms;
  SimDelays delays;
  gdouble skew_ppm;             /* of the sensor's clock */
  gint64 offset;                /* sensor time at arrivals' time 0 */
  gint64 least_delay;
  guint32 seed;
} Sim;

typedef struct
{
  const Sim *sim;
  GRand *rand;
  guint64 n;
  gint64 shift;                 /* added to the sensor's clock from now on */
  gint64 extra_delay;
  gint64 last_arrival;
} SimState;

typedef struct
{
  gint64 captured;              /* on the arrivals' clock */
  gint64 sensor, arrival;
} SimRow;

static inline SimState
sim_begin (const Sim *sim)
{
  return (SimState) {.sim = sim,.rand = g_rand_new_with_seed (sim->seed),.last_arrival = G_MININT64 };
}

static inline void
sim_end (SimState *state)
{
  g_rand_free (state->rand);
}

static inline gint64
sim_delay (SimState *state)
{
  const gdouble u = g_rand_double (state->rand), scale = state->sim->jitter_ms * 1e6;

  return (gint64) (state->sim->delays == SIM_UNIFORM ? u * scale : -log (1.0 - u) * scale);
}

/* Rows come in the order in which they were captured, as over a serial line or TCP. */
static inline SimRow
sim_next (SimState *state)
{
  const Sim *sim = state->sim;
  SimRow row;

  row.captured = (gint64) ((gdouble) state->n++ * 1e9 / sim->rate);
  row.sensor = sim->offset + row.captured + (gint64) ((gdouble) row.captured * sim->skew_ppm * 1e-6) + state->shift;
  row.arrival = MAX (row.captured + sim->least_delay + sim_delay (state) + state->extra_delay, state->last_arrival);
  state->last_arrival = row.arrival;
  return row;
}

/* Estimated less true time of capture of the last row before `seconds`; the constant delay is none of the estimate's. */
static inline gint64
sim_error_after (const Sim *sim, gdouble seconds, RobocacheClockEstimate *e)
{
  RobocacheClockTrack *track = robocache_clock_track_new ();
  SimState state = sim_begin (sim);
  gint64 error = 0;

  for (guint64 n = (guint64) (seconds * sim->rate); n > 0; n--) {
    const SimRow row = sim_next (&state);

    error = robocache_clock_track_add (track, row.sensor, row.arrival) - row.captured - sim->least_delay;
  }
  robocache_clock_track_get (track, e);
  robocache_clock_track_free (track);
  sim_end (&state);
  return error;
}

#endif
