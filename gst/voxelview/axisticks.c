/* robocache: the ticks of an axis, and their texts
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "axisticks.h"

#include <math.h>
#include <string.h>

/* Of a step's own size: the last tick is not lost to rounding. */
#define TOLERANCE 1e-6
#define LONG 1e5                /* numbers from here on are too long to be written */
#define MIN_STEP 1e-4         /* and so are those below 1 with a smaller step */
#define NARROW 1e-3             /* a range beside its numbers: they begin with the same digits */
#define MIN_PLAIN_OFFSET 1e-3 /* written without an exponent */
#define GREATEST_PLAIN_OFFSET 1e7

static gint
floor_log10 (gdouble value)
{
  return (gint) floor (log10 (value) + TOLERANCE);
}

/* Divides where 10^exponent itself is no double. */
static gdouble
times_power (gdouble value, gint exponent)
{
  return exponent < 0 ? value / pow (10.0, -exponent) : value * pow (10.0, exponent);
}

/* The least of 1, 2, 5, 10, … that is not below. */
static gdouble
nice_step (gdouble least)
{
  const gdouble decade = pow (10.0, floor (log10 (least)));
  const gdouble digits = least / decade;

  return decade * (digits <= 1.0 + TOLERANCE ? 1.0 : digits <= 2.0 + TOLERANCE ? 2.0
      : digits <= 5.0 + TOLERANCE ? 5.0 : 10.0);
}

/* What numbers in a narrow range begin with, in the power of ten that the range fits into. */
static gdouble
find_offset (gdouble least, gdouble greatest)
{
  const gdouble span = greatest - least, largest = MAX (fabs (least), fabs (greatest));
  const gdouble unit = pow (10.0, ceil (log10 (span) - TOLERANCE));

  if (span > NARROW * largest && (largest < LONG || 10.0 * span > LONG))
    return 0.0;
  return floor (least / unit + TOLERANCE) * unit;
}

static gint
find_exponent (gdouble least, gdouble greatest, gdouble step)
{
  const gdouble largest = MAX (fabs (least), fabs (greatest));

  return largest >= LONG || (largest < 1.0 && step < (1.0 - TOLERANCE) * MIN_STEP) ? floor_log10 (largest) : 0;
}

void
robocache_axis_ticks (RobocacheAxisTicks *ticks, gdouble least, gdouble greatest, gdouble wanted, gdouble least_step)
{
  gdouble first;

  *ticks = (RobocacheAxisTicks) {.step = 1.0 };
  if (!(least < greatest) || !isnormal (greatest - least))
    return;
  ticks->step = nice_step (MAX ((greatest - least) / CLAMP (wanted, 1.0, ROBOCACHE_MAX_TICKS - 1.0), least_step));
  ticks->offset = find_offset (least, greatest);
  ticks->exponent = find_exponent (least - ticks->offset, greatest - ticks->offset, ticks->step);
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
  const gdouble value = ticks->at[i] - ticks->offset;
  const gint decimals = MAX (0, ticks->exponent - floor_log10 (ticks->step));
  gchar format[8];

  g_snprintf (format, sizeof (format), "%%.%df", decimals);
  /* never "-0" */
  g_ascii_formatd (text, ROBOCACHE_TICK_TEXT, format,
      fabs (value) < TOLERANCE * ticks->step ? 0.0 : times_power (value, -ticks->exponent));
}

void
robocache_axis_factor_text (const RobocacheAxisTicks *ticks, gchar text[ROBOCACHE_TICK_TEXT])
{
  text[0] = '\0';
  if (ticks->exponent != 0)
    g_snprintf (text, ROBOCACHE_TICK_TEXT, "×1e%d", ticks->exponent);
}

void
robocache_axis_offset_text (const RobocacheAxisTicks *ticks, gchar text[ROBOCACHE_TICK_TEXT])
{
  const gdouble size = fabs (ticks->offset);
  const gboolean plain = size >= MIN_PLAIN_OFFSET && size < GREATEST_PLAIN_OFFSET;
  const gint exponent = plain || size == 0.0 ? 0 : floor_log10 (size);

  text[0] = '\0';
  if (size == 0.0)
    return;
  g_ascii_formatd (text, ROBOCACHE_TICK_TEXT, "%+.12g", times_power (ticks->offset, -exponent));
  if (exponent != 0) {
    const gsize length = strlen (text);

    g_snprintf (text + length, ROBOCACHE_TICK_TEXT - length, "e%d", exponent);
  }
}
