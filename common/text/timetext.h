/* robocache: times and durations as text, exact to the nanosecond
 *
 * A time such as 1326899528.468056009 has more digits than a double can represent, so decimals are read digit by digit into
 * int64 nanoseconds. Digits below 1 ns are cut off: rounding is towards zero.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

typedef enum
{
  ROBOCACHE_TIME_UNIT_S,
  ROBOCACHE_TIME_UNIT_MS,
  ROBOCACHE_TIME_UNIT_US,
  ROBOCACHE_TIME_UNIT_NS,
  ROBOCACHE_TIME_UNIT_AUTO      /* to be guessed */
} RobocacheTimeUnit;

/* The name of a unit: "s", "ms", "us" or "ns". */
const gchar *robocache_time_unit_name (RobocacheTimeUnit unit);
/* Finds a unit by its name. FALSE: unknown name. */
gboolean robocache_time_unit_by_name (const gchar * name, RobocacheTimeUnit * unit);

typedef enum
{
  ROBOCACHE_TIME_OK,
  ROBOCACHE_TIME_NOT_A_NUMBER,
  ROBOCACHE_TIME_OVERFLOW       /* a number beyond int64 nanoseconds (292 years) */
} RobocacheTimeStatus;

/* Reads all of text as a decimal number with an optional sign, fraction and exponent ("-1.5e-3"). Sets *time_ns on OK. */
RobocacheTimeStatus robocache_time_from_text (const gchar * text, RobocacheTimeUnit unit, gint64 * time_ns);

/* Convert a time that is stored as a binary number; the value of a double is converted exactly. */
RobocacheTimeStatus robocache_time_from_int64 (gint64 value, RobocacheTimeUnit unit, gint64 * time_ns);
RobocacheTimeStatus robocache_time_from_uint64 (guint64 value, RobocacheTimeUnit unit, gint64 * time_ns);
RobocacheTimeStatus robocache_time_from_double (gdouble value, RobocacheTimeUnit unit, gint64 * time_ns);

/* Reads a number of ns, or a number with a unit, "100ms". FALSE: not a duration. */
gboolean robocache_duration_from_text (const gchar * text, gint64 * ns);

/* The text of a duration of at least 0, in the largest unit in which it is 1 or more, with up to four digits: "33.33ms". Free with
 * g_free. */
gchar *robocache_duration_to_text (gint64 ns);

/* Computes later - earlier. FALSE: the difference does not fit into int64. */
gboolean robocache_time_difference (gint64 later, gint64 earlier, gint64 * difference);
