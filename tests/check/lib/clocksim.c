/* robocache: a sensor with a clock of its own, whose rows are delayed
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/clocksim.h"

SimState
sim_begin (const Sim *sim)
{
  return (SimState) {.sim = sim,.rand = g_rand_new_with_seed (sim->seed),.last_arrival = G_MININT64 };
}

void
sim_end (SimState *state)
{
  g_rand_free (state->rand);
}

static gint64
sim_delay (SimState *state)
{
  const gdouble u = g_rand_double (state->rand), scale = state->sim->jitter_ms * 1e6;

  return (gint64) (state->sim->delays == SIM_UNIFORM ? u * scale : -log (1.0 - u) * scale);
}

static gint64
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

static SimRow
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
static SimRow
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

SimRow
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

gint64
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

/* Slews of either direction for 5 to 20 s, after 10 to 30 s without. */
typedef struct
{
  gdouble ppm, current, until;  /* s */
} SimSlew;

static void
sim_slew (SimState *state, SimSlew *slew)
{
  const gdouble now = (gdouble) state->n / state->sim->rate;

  if (now >= slew->until) {
    slew->current = slew->current != 0.0 ? 0.0 : g_rand_boolean (state->rand) ? slew->ppm : -slew->ppm;
    slew->until = now + (slew->current != 0.0 ? g_rand_double_range (state->rand, 5.0, 20.0) : g_rand_double_range (state->rand, 10.0, 30.0));
  }
  state->shift += (gint64) rint (slew->current * 1e3 / state->sim->rate);
}

void
sim_follow_slews (const Sim *sim, gdouble slew_ppm, gdouble seconds, SimBounds *bounds)
{
  RobocacheClockTrack *track = robocache_clock_track_new ();
  SimState state = sim_begin (sim);
  SimSlew slew = { slew_ppm, 0.0, 15.0 };

  while ((gdouble) state.n < seconds * sim->rate) {
    SimRow row;
    gdouble error;
    RobocacheClockEstimate e;

    sim_slew (&state, &slew);
    row = sim_next (&state);
    error = fabs ((gdouble) (robocache_clock_track_add (track, row.sensor, row.arrival) - row.captured - sim->least_delay)) / 1e6;
    robocache_clock_track_get (track, &e);
    if (e.uncertainty_ns < 0 || (gdouble) state.n < 10.0 * sim->rate)
      continue;
    if (bounds->errors)
      bounds->errors[bounds->n] = error;
    bounds->n++;
    bounds->bounds += (gdouble) e.uncertainty_ns / 1e6;
    bounds->n_inside += error <= (gdouble) e.uncertainty_ns / 1e6;
  }
  robocache_clock_track_free (track);
  sim_end (&state);
}
