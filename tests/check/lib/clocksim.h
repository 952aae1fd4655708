/* robocache: a sensor with a clock of its own, whose rows are delayed
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

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

SimState sim_begin (const Sim *sim);

void sim_end (SimState *state);

SimRow sim_next (SimState *state);

/* Estimated less true time of capture of the last row before `seconds`, the constant delay aside. */
gint64 sim_error_after (const Sim *sim, gdouble seconds, RobocacheClockEstimate *e);

/* Rows from 10 s on whose uncertainty is known. */
typedef struct
{
  guint64 n, n_inside;
  gdouble *errors;              /* [n], ms; NULL: not kept */
  gdouble bounds;               /* sum, ms */
} SimBounds;

/* Follows a clock that is slewed by up to slew_ppm at random, and adds its rows to bounds. */
void sim_follow_slews (const Sim * sim, gdouble slew_ppm, gdouble seconds, SimBounds * bounds);
