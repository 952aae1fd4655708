/* robocache: times that are written as dates, ISO 8601, or as times of day
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "timedate.h"

#include <string.h>

#define NS_PER_S G_GINT64_CONSTANT (1000000000)
#define S_PER_DAY G_GINT64_CONSTANT (86400)
#define JULIAN_1970 719163       /* of 1970-01-01, as GLib counts days */

/* Reads n digits, a number of at most max, and moves the cursor past them. */
static gboolean
read_number (const gchar **cursor, guint n_digits, guint max, guint *number)
{
  *number = 0;
  for (guint i = 0; i < n_digits; i++, (*cursor)++) {
    if (!g_ascii_isdigit (**cursor))
      return FALSE;
    *number = *number * 10 + (guint) (**cursor - '0');
  }
  return *number <= max;
}

static gboolean
skip (const gchar **cursor, const gchar *accepted)
{
  if (**cursor == '\0' || !strchr (accepted, **cursor))
    return FALSE;
  (*cursor)++;
  return TRUE;
}

gboolean
robocache_days_from_numbers (guint year, guint month, guint day, gint64 *days)
{
  GDate date;

  if (month > 12 || day > 31 || year > G_MAXUINT16 || !g_date_valid_dmy ((GDateDay) day, (GDateMonth) month, (GDateYear) year))
    return FALSE;
  g_date_clear (&date, 1);
  g_date_set_dmy (&date, (GDateDay) day, (GDateMonth) month, (GDateYear) year);
  *days = (gint64) g_date_get_julian (&date) - JULIAN_1970;
  return TRUE;
}

static gboolean
read_day (const gchar **cursor, gint64 *days)
{
  guint year, month, day;

  return read_number (cursor, 4, 9999, &year) && skip (cursor, "-/") && read_number (cursor, 2, 12, &month) && skip (cursor, "-/")
      && read_number (cursor, 2, 31, &day) && robocache_days_from_numbers (year, month, day, days);
}

/* A leap second is the first of the next minute. */
static gboolean
read_clock (const gchar **cursor, gint64 *seconds)
{
  guint hour, minute, second;

  if (!read_number (cursor, 2, 23, &hour) || !skip (cursor, ":") || !read_number (cursor, 2, 59, &minute)
      || !skip (cursor, ":") || !read_number (cursor, 2, 60, &second))
    return FALSE;
  *seconds = 3600 * (gint64) hour + 60 * (gint64) minute + second;
  return TRUE;
}

static gboolean
read_fraction (const gchar **cursor, gint64 *ns)
{
  const gchar *first;

  *ns = 0;
  if (!skip (cursor, ".,"))
    return TRUE;
  first = *cursor;
  for (gint64 weight = NS_PER_S / 10; g_ascii_isdigit (**cursor); (*cursor)++, weight /= 10)
    *ns += (**cursor - '0') * weight;
  return *cursor > first;
}

/* Seconds that the zone is ahead of UTC. */
static gboolean
read_zone (const gchar **cursor, gint64 *ahead)
{
  const gboolean is_behind = **cursor == '-';
  guint hour, minute = 0;

  *ahead = 0;
  if (**cursor == '\0' || skip (cursor, "Zz"))
    return TRUE;
  if (!skip (cursor, "+-") || !read_number (cursor, 2, 23, &hour))
    return FALSE;
  if (**cursor != '\0') {
    skip (cursor, ":");
    if (!read_number (cursor, 2, 59, &minute))
      return FALSE;
  }
  *ahead = 3600 * (gint64) hour + 60 * (gint64) minute;
  if (is_behind)
    *ahead = -*ahead;
  return TRUE;
}

RobocacheTimeStatus
robocache_time_from_days (gint64 days, gint64 seconds, gint64 ns, gint64 *time_ns)
{
  if (__builtin_mul_overflow (days * S_PER_DAY + seconds, NS_PER_S, time_ns) || __builtin_add_overflow (*time_ns, ns, time_ns))
    return ROBOCACHE_TIME_OVERFLOW;
  return ROBOCACHE_TIME_OK;
}

RobocacheTimeStatus
robocache_time_from_date (const gchar *text, gint64 *time_ns)
{
  gint64 days, seconds, fraction, ahead;

  if (!read_day (&text, &days) || !skip (&text, "Tt ") || !read_clock (&text, &seconds) || !read_fraction (&text, &fraction)
      || !read_zone (&text, &ahead) || *text != '\0')
    return ROBOCACHE_TIME_NOT_A_NUMBER;
  return robocache_time_from_days (days, seconds - ahead, fraction, time_ns);
}

RobocacheTimeStatus
robocache_time_from_clock (const gchar *text, gint64 *time_ns)
{
  const gchar *padded = text;
  gchar hour[9];
  gint64 seconds, fraction;

  /* 7:03:22 */
  if (g_ascii_isdigit (text[0]) && text[1] == ':') {
    hour[0] = '0';
    g_strlcpy (hour + 1, text, sizeof (hour) - 1);
    padded = hour;
  }
  if (strlen (padded) < 8 || !read_clock (&padded, &seconds))
    return ROBOCACHE_TIME_NOT_A_NUMBER;
  text += text[1] == ':' ? 7 : 8;
  if (!read_fraction (&text, &fraction) || *text != '\0')
    return ROBOCACHE_TIME_NOT_A_NUMBER;
  *time_ns = seconds * NS_PER_S + fraction;
  return ROBOCACHE_TIME_OK;
}

gboolean
robocache_days_from_text (const gchar *text, gint64 *days)
{
  return read_day (&text, days) && *text == '\0';
}
