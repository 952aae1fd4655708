/* robocache: times and durations as text, exact to the nanosecond
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "timetext.h"

#include <math.h>
#include <string.h>

static const struct
{
  const gchar *name;
  gint exponent;                /* of ten: nanoseconds in a unit */
  gint64 ns;
} units[] = {
  [ROBOCACHE_TIME_UNIT_S] = {"s", 9, 1000000000},
  [ROBOCACHE_TIME_UNIT_MS] = {"ms", 6, 1000000},
  [ROBOCACHE_TIME_UNIT_US] = {"us", 3, 1000},
  [ROBOCACHE_TIME_UNIT_NS] = {"ns", 0, 1},
};

const gchar *
robocache_time_unit_name (RobocacheTimeUnit unit)
{
  return units[unit].name;
}

gboolean
robocache_time_unit_by_name (const gchar *name, RobocacheTimeUnit *unit)
{
  guint i = 0;

  while (i < G_N_ELEMENTS (units) && !g_str_equal (units[i].name, name))
    i++;
  if (i < G_N_ELEMENTS (units))
    *unit = i;
  return i < G_N_ELEMENTS (units);
}

/* A decimal number as its parts: whole digits, digits of the fraction, exponent of ten. */
typedef struct
{
  gboolean negative;
  const gchar *whole, *fraction;
  gsize n_whole, n_fraction;
  gint64 exponent;
} Decimal;

/* Exponents beyond this are all the same: zero or overflow. */
#define EXPONENT_LIMIT 1000000000

static const gchar *
skip_digits (const gchar *cursor, gsize *n)
{
  const gchar *first = cursor;

  while (g_ascii_isdigit (*cursor))
    cursor++;
  *n = (gsize) (cursor - first);
  return cursor;
}

static gboolean
split_exponent (const gchar *cursor, gint64 *exponent)
{
  gboolean negative = *cursor == '-';
  gsize n;

  if (*cursor == '+' || *cursor == '-')
    cursor++;
  if (*skip_digits (cursor, &n) != '\0' || n == 0)
    return FALSE;
  *exponent = 0;
  for (gsize i = 0; i < n && *exponent < EXPONENT_LIMIT; i++)
    *exponent = *exponent * 10 + (cursor[i] - '0');
  if (negative)
    *exponent = -*exponent;
  return TRUE;
}

static gboolean
split_decimal (const gchar *cursor, Decimal *d)
{
  *d = (Decimal) { .negative = *cursor == '-' };
  if (*cursor == '+' || *cursor == '-')
    cursor++;
  d->whole = cursor;
  cursor = skip_digits (cursor, &d->n_whole);
  if (*cursor == '.') {
    d->fraction = ++cursor;
    cursor = skip_digits (cursor, &d->n_fraction);
  }
  if (d->n_whole + d->n_fraction == 0)
    return FALSE;
  if (*cursor == 'e' || *cursor == 'E')
    return split_exponent (cursor + 1, &d->exponent);
  return *cursor == '\0';
}

/* Digit i of the number written without a point, 0 after the last one. */
static guint
digit (const Decimal *d, gsize i)
{
  if (i < d->n_whole)
    return (guint) (d->whole[i] - '0');
  i -= d->n_whole;
  return i < d->n_fraction ? (guint) (d->fraction[i] - '0') : 0;
}

RobocacheTimeStatus
robocache_time_from_text (const gchar *text, RobocacheTimeUnit unit, gint64 *time_ns)
{
  Decimal d;
  gint64 n_kept, value = 0;     /* of the sign of the number, so that the least int64 can be reached */

  if (!split_decimal (text, &d))
    return ROBOCACHE_TIME_NOT_A_NUMBER;

  n_kept = (gint64) d.n_whole + d.exponent + units[unit].exponent;
  for (gint64 i = 0; i < n_kept; i++) {
    const gint64 next = d.negative ? -(gint64) digit (&d, (gsize) i) : (gint64) digit (&d, (gsize) i);

    if (value == 0 && (gsize) i >= d.n_whole + d.n_fraction)
      break;                    /* zero with any exponent */
    if (__builtin_mul_overflow (value, 10, &value) || __builtin_add_overflow (value, next, &value))
      return ROBOCACHE_TIME_OVERFLOW;
  }
  *time_ns = value;
  return ROBOCACHE_TIME_OK;
}

RobocacheTimeStatus
robocache_time_from_int64 (gint64 value, RobocacheTimeUnit unit, gint64 *time_ns)
{
  gint64 product;

  if (__builtin_mul_overflow (value, units[unit].ns, &product))
    return ROBOCACHE_TIME_OVERFLOW;
  *time_ns = product;
  return ROBOCACHE_TIME_OK;
}

RobocacheTimeStatus
robocache_time_from_uint64 (guint64 value, RobocacheTimeUnit unit, gint64 *time_ns)
{
  return value > G_MAXINT64 ? ROBOCACHE_TIME_OVERFLOW : robocache_time_from_int64 ((gint64) value, unit, time_ns);
}

RobocacheTimeStatus
robocache_time_from_double (gdouble value, RobocacheTimeUnit unit, gint64 *time_ns)
{
  gint exponent;
  gint64 mantissa;
  __int128 product;

  if (isnan (value))
    return ROBOCACHE_TIME_NOT_A_NUMBER;
  if (!(fabs (value) < 0x1p63))
    return ROBOCACHE_TIME_OVERFLOW;

  /* value = mantissa * 2^exponent exactly */
  mantissa = (gint64) ldexp (frexp (value, &exponent), 53);
  exponent -= 53;
  product = (__int128) mantissa * units[unit].ns;       /* below 2^83 */
  if (exponent <= -84) {
    product = 0;
  } else if (exponent < 0) {
    product /= (__int128) 1 << -exponent;       /* division cuts towards zero, a shift would not */
  } else {
    product *= (__int128) 1 << exponent;        /* exponent <= 10 */
  }
  if (product > G_MAXINT64 || product < G_MININT64)
    return ROBOCACHE_TIME_OVERFLOW;
  *time_ns = (gint64) product;
  return ROBOCACHE_TIME_OK;
}

gboolean
robocache_duration_from_text (const gchar *text, gint64 *ns)
{
  const gsize length = strspn (text, "+-.0123456789");
  gchar *number = g_strndup (text, length);
  RobocacheTimeUnit unit = ROBOCACHE_TIME_UNIT_NS;
  gboolean ok = text[length] == '\0' || robocache_time_unit_by_name (text + length, &unit);

  ok = ok && robocache_time_from_text (number, unit, ns) == ROBOCACHE_TIME_OK;
  g_free (number);
  return ok;
}

gchar *
robocache_duration_to_text (gint64 ns)
{
  RobocacheTimeUnit unit = ROBOCACHE_TIME_UNIT_S;

  while (unit < ROBOCACHE_TIME_UNIT_NS && ns < units[unit].ns)
    unit++;
  return g_strdup_printf ("%.4g%s", (gdouble) ns / (gdouble) units[unit].ns, units[unit].name);
}

gboolean
robocache_time_difference (gint64 later, gint64 earlier, gint64 *difference)
{
  return !__builtin_sub_overflow (later, earlier, difference);
}
