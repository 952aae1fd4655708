/* robocache: the exact grid of ticks
 *
 * Tick k of a num/den Hz grid is at floor (k * den * 10^9 / num) ns of running time, computed in integers, so two elements at the same
 * rate have the same ticks, without drift.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

typedef struct
{
  gint num, den;                /* Hz, both > 0 */
} RobocacheTickGrid;

/* Running time of tick k >= 0; G_MAXINT64: it does not fit. */
gint64 robocache_tick_time (const RobocacheTickGrid * grid, gint64 k);

/* The first tick at or after running time t; never below 0. */
gint64 robocache_tick_at_or_after (const RobocacheTickGrid * grid, gint64 t);

/* The period of the grid, which is the length of the first interval, floor (den * 10^9 / num). */
gint64 robocache_tick_period (const RobocacheTickGrid * grid);
