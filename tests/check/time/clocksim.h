/* robocache: a sensor with a clock of its own, whose rows are delayed
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CLOCK_SIM_H
#define CLOCK_SIM_H

#include <math.h>

#include "common/time/clocktrack.h"

typedef enum
{
  SIM_UNIFORM,                  /* 0 … jitter */
  SIM_EXPONENTIAL,              /* of that mean */
  SIM_N_DELAYS
} SimDelays;

typedef enum
{
  SIM_IN_ORDER,                 /* a row waits for the one before it */
  SIM_OVERTAKING,               /* as datagrams do */
  SIM_BUNCHED,                  /* rows are fetched all at once, at intervals of that distribution */
  SIM_N_ORDERS
} SimOrder;

typedef struct
{
  gdouble rate;                 /* Hz */
  gdouble jitter_ms;
  SimDelays delays;
  gdouble skew_ppm;             /* of the sensor's clock */
  gint64 offset;                /* sensor time at arrivals' time 0 */
  gint64 least_delay;
  guint32 seed;
  SimOrder order;
} Sim;

typedef struct
{
  gint64 captured;              /* on the arrivals' clock */
  gint64 sensor, arrival;
} SimRow;

/* Rows on their way: of 1000 Hz with delays of up to a second. */
#define SIM_PENDING 1024

typedef struct
{
  const Sim *sim;
  GRand *rand;
  guint64 n;
  gint64 shift;                 /* added to the sensor's clock from now on */
  gint64 extra_delay;
  gint64 last_arrival;          /* in bunches: of the next one */
  SimRow pending[SIM_PENDING];  /* by arrival, the last one first */
  guint n_pending;
} SimState;

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

static inline gint64
sim_arrival (SimState *state, gint64 captured)
{
  const gint64 floor = state->sim->least_delay + state->extra_delay;

  if (state->sim->order == SIM_BUNCHED) {
    while (state->last_arrival < captured)
      state->last_arrival = MAX (state->last_arrival, 0) + sim_delay (state) + 1;
    return state->last_arrival + floor;
  }
  return captured + sim_delay (state) + floor;
}

static inline SimRow
sim_capture (SimState *state)
{
  const Sim *sim = state->sim;
  SimRow row;

  row.captured = (gint64) ((gdouble) state->n++ * 1e9 / sim->rate);
  row.sensor = sim->offset + row.captured + (gint64) ((gdouble) row.captured * sim->skew_ppm * 1e-6) + state->shift;
  row.arrival = sim_arrival (state, row.captured);
  return row;
}

/* The row that arrives first of all that were or will be captured. */
static inline SimRow
sim_next_to_arrive (SimState *state)
{
  while (state->n_pending == 0 || (state->pending[state->n_pending - 1].arrival > (gint64) ((gdouble) state->n * 1e9
              / state->sim->rate) && state->n_pending < SIM_PENDING)) {
    const SimRow row = sim_capture (state);
    guint i = state->n_pending++;

    for (; i > 0 && state->pending[i - 1].arrival <= row.arrival; i--)
      state->pending[i] = state->pending[i - 1];
    state->pending[i] = row;
  }
  return state->pending[--state->n_pending];
}

static inline SimRow
sim_next (SimState *state)
{
  SimRow row;

  if (state->sim->order == SIM_OVERTAKING)
    return sim_next_to_arrive (state);
  row = sim_capture (state);
  if (state->sim->order == SIM_IN_ORDER)
    row.arrival = state->last_arrival = MAX (row.arrival, state->last_arrival);
  return row;
}

/* Estimated less true time of capture of the last row before `seconds`, the constant delay aside. */
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
