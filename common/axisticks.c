/* robocache: where an axis has its ticks, and what is written at them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "axisticks.h"

#include <math.h>

/* Of a step's own size: the last tick is not lost to rounding. */
#define TOLERANCE 1e-6
#define MAX_DECIMALS 9
#define MAX_PLAIN 1e7           /* from here on numbers are written with an exponent */

/* The least of 1, 2, 5, 10, … that is not below. */
static gdouble
nice_step (gdouble least)
{
  const gdouble decade = pow (10.0, floor (log10 (least)));
  const gdouble digits = least / decade;

  return decade * (digits <= 1.0 + TOLERANCE ? 1.0 : digits <= 2.0 + TOLERANCE ? 2.0
      : digits <= 5.0 + TOLERANCE ? 5.0 : 10.0);
}

void
robocache_axis_ticks (RobocacheAxisTicks *ticks, gdouble least, gdouble greatest, gdouble wanted)
{
  gdouble first;

  ticks->n = 0;
  ticks->step = 1.0;
  if (!(least < greatest) || !isnormal (greatest - least))
    return;
  ticks->step = nice_step ((greatest - least) / CLAMP (wanted, 1.0, ROBOCACHE_MAX_TICKS - 1.0));
  first = ceil (least / ticks->step - TOLERANCE);
  for (guint i = 0; i < ROBOCACHE_MAX_TICKS; i++) {
    const gdouble at = (first + i) * ticks->step;

    if (at > greatest + TOLERANCE * ticks->step || (i > 0 && at <= ticks->at[i - 1]))
      return;
    ticks->at[ticks->n++] = at;
  }
}

void
robocache_axis_tick_text (const RobocacheAxisTicks *ticks, guint i, gchar text[ROBOCACHE_TICK_TEXT])
{
  /* never "-0" */
  const gdouble value = fabs (ticks->at[i]) < TOLERANCE * ticks->step ? 0.0 : ticks->at[i];
  const gint decimals = MAX (0, (gint) - floor (log10 (ticks->step) + TOLERANCE));
  gchar format[8] = "%g";

  if (decimals <= MAX_DECIMALS && fabs (value) < MAX_PLAIN)
    g_snprintf (format, sizeof (format), "%%.%df", decimals);
  g_ascii_formatd (text, ROBOCACHE_TICK_TEXT, format, value);
}
