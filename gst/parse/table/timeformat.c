/* robocache: times in a format of the user
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "timeformat.h"

#include <string.h>

#include "common/element/errors.h"
#include "timedate.h"

/* What was read; a field that is not in the format has its first value. */
typedef struct
{
  guint year, month, day, day_of_year, hour, minute, second;
  gint64 fraction, ahead;       /* ns; seconds that the zone is ahead of UTC */
  gint64 epoch;                 /* of %s */
  gboolean has_epoch, is_afternoon, has_half;
} Moment;

static const gchar *const months[] = { "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
  "november", "december", NULL
};
static const gchar *const weekdays[] = { "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", NULL };
static const gchar *const halves[] = { "am", "pm", NULL };
static const gchar *const zones[] = { "utc", "gmt", "z", NULL };

/* Reads at most n digits. */
static gboolean
read_digits (const gchar **text, guint n, guint least, guint most, guint *number)
{
  const gchar *first = *text;

  *number = 0;
  for (; n > 0 && g_ascii_isdigit (**text); n--, (*text)++)
    *number = *number * 10 + (guint) (**text - '0');
  return *text > first && *number >= least && *number <= most;
}

static gboolean
read_fraction (const gchar **text, gint64 *ns)
{
  const gchar *first = *text;

  *ns = 0;
  for (gint64 weight = 100000000; g_ascii_isdigit (**text); (*text)++, weight /= 10)
    *ns += (**text - '0') * weight;
  return *text > first;
}

/* Names may be cut to three letters. */
static gboolean
read_name (const gchar **text, const gchar *const *names, guint *number)
{
  for (guint i = 0; names[i]; i++) {
    const gsize length = strlen (names[i]), cut = MIN (length, 3);

    if (g_ascii_strncasecmp (*text, names[i], cut) != 0)
      continue;
    *text += g_ascii_strncasecmp (*text, names[i], length) == 0 ? length : cut;
    *number = i;
    return TRUE;
  }
  return FALSE;
}

static gboolean
read_zone (const gchar **text, gint64 *ahead)
{
  const gboolean is_behind = **text == '-';
  guint hour, minute = 0;

  *ahead = 0;
  if (**text == 'Z' || **text == 'z') {
    (*text)++;
    return TRUE;
  }
  if (**text != '+' && **text != '-')
    return FALSE;
  (*text)++;
  if (!read_digits (text, 2, 0, 23, &hour))
    return FALSE;
  *text += **text == ':';
  if (g_ascii_isdigit (**text) && !read_digits (text, 2, 0, 59, &minute))
    return FALSE;
  *ahead = (is_behind ? -60 : 60) * (gint64) (60 * hour + minute);
  return TRUE;
}

static void
skip_blanks (const gchar **text)
{
  while (g_ascii_isspace (**text))
    (*text)++;
}

static gboolean
read_second (const gchar **text, Moment *m)
{
  if (!read_digits (text, 2, 0, 60, &m->second))
    return FALSE;
  if ((**text == '.' || **text == ',') && g_ascii_isdigit ((*text)[1])) {
    (*text)++;
    return read_fraction (text, &m->fraction);
  }
  return TRUE;
}

static gboolean
read_year_of_century (const gchar **text, Moment *m)
{
  if (!read_digits (text, 2, 0, 99, &m->year))
    return FALSE;
  m->year += m->year < 69 ? 2000 : 1900;        /* as POSIX has it */
  return TRUE;
}

static gboolean
read_epoch (const gchar **text, Moment *m)
{
  gchar *end;

  m->epoch = g_ascii_strtoll (*text, &end, 10);
  m->has_epoch = end > *text;
  *text = end;
  return m->has_epoch;
}

static gboolean
read_month (const gchar **text, Moment *m)
{
  if (!read_name (text, months, &m->month))
    return FALSE;
  m->month++;
  return TRUE;
}

static gboolean
read_half (const gchar **text, Moment *m)
{
  m->has_half = read_name (text, halves, (guint *) & m->is_afternoon);
  return m->has_half;
}

/* What a conversion stands for; NULL: it is not one of these. */
static const gchar *
expand (gchar conversion)
{
  return conversion == 'T' ? "%H:%M:%S" : conversion == 'R' ? "%H:%M" : conversion == 'D' ? "%m/%d/%y" : conversion == 'F' ? "%Y-%m-%d" : NULL;
}

#define CONVERSIONS "YymdebBhjHIMSpTRDFaAszZntf%"
#define CONVERSIONS_TEXT "Y y m d e b B h j H I M S p T R D F a A s z Z n t f %%"

static gboolean
read_conversion (const gchar **text, gchar conversion, Moment *m)
{
  guint unused;

  switch (conversion) {
    case 'Y':
      return read_digits (text, 4, 1, 9999, &m->year);
    case 'y':
      return read_year_of_century (text, m);
    case 'm':
      return read_digits (text, 2, 1, 12, &m->month);
    case 'd':
    case 'e':
      skip_blanks (text);
      return read_digits (text, 2, 1, 31, &m->day);
    case 'b':
    case 'B':
    case 'h':
      return read_month (text, m);
    case 'j':
      return read_digits (text, 3, 1, 366, &m->day_of_year);
    case 'H':
      return read_digits (text, 2, 0, 23, &m->hour);
    case 'I':
      return read_digits (text, 2, 1, 12, &m->hour);
    case 'M':
      return read_digits (text, 2, 0, 59, &m->minute);
    case 'S':
      return read_second (text, m);
    case 'f':
      return read_fraction (text, &m->fraction);
    case 'p':
      return read_half (text, m);
    case 'a':
    case 'A':
      return read_name (text, weekdays, &unused);
    case 's':
      return read_epoch (text, m);
    case 'z':
      return read_zone (text, &m->ahead);
    case 'Z':
      return read_name (text, zones, &unused);
    case '%':
      return *(*text)++ == '%';
    default:
      skip_blanks (text);
      return TRUE;
  }
}

static gboolean
read_all (const gchar **text, const gchar *format, Moment *m)
{
  gboolean ok = TRUE;

  for (; ok && *format; format++) {
    if (g_ascii_isspace (*format)) {
      skip_blanks (text);
    } else if (*format != '%') {
      ok = **text == *format;
      *text += ok;
    } else {
      const gchar *expanded = expand (*++format);

      /* the fraction is for %f */
      if (*format == 'S' && (format[1] == '.' || format[1] == ',') && format[2] == '%' && format[3] == 'f')
        ok = read_digits (text, 2, 0, 60, &m->second);
      else
        ok = expanded ? read_all (text, expanded, m) : **text && read_conversion (text, *format, m);
    }
  }
  return ok;
}

static gboolean
has (const gchar *format, const gchar *conversions)
{
  for (; *format; format++) {
    if (*format == '%' && strchr (conversions, *++format))
      return TRUE;
  }
  return FALSE;
}

gboolean
robocache_time_format_check (const gchar *format, gboolean *has_day, GError **error)
{
  for (const gchar *at = format; *at; at++) {
    if (*at != '%')
      continue;
    if (at[1] && strchr (CONVERSIONS, at[1])) {
      at++;
      continue;
    }
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "time-format=\"%s\": %%%.1s is not a supported conversion of "
        "strptime: expected one of " CONVERSIONS_TEXT, format, at + 1);
    return FALSE;
  }
  *has_day = has (format, "dejsDF");
  if (has (format, "HITRs"))
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "time-format=\"%s\" has no time of day: expected a format like "
      "%%d.%%m.%%Y %%H:%%M:%%S", format);
  return FALSE;
}

RobocacheTimeStatus
robocache_time_from_format (const gchar *text, const gchar *format, gint64 *time_ns)
{
  Moment m = {.year = 1970,.month = 1,.day = 1 };
  gint64 days, seconds;

  if (!read_all (&text, format, &m))
    return ROBOCACHE_TIME_NOT_A_NUMBER;
  skip_blanks (&text);
  if (*text != '\0')
    return ROBOCACHE_TIME_NOT_A_NUMBER;
  if (m.has_epoch)
    return robocache_time_from_days (0, m.epoch, m.fraction, time_ns);
  if (m.has_half)
    m.hour = m.hour % 12 + (m.is_afternoon ? 12 : 0);
  if (!robocache_days_from_numbers (m.year, m.day_of_year ? 1 : m.month, m.day_of_year ? 1 : m.day, &days))
    return ROBOCACHE_TIME_NOT_A_NUMBER;
  days += m.day_of_year ? (gint64) m.day_of_year - 1 : 0;
  seconds = 3600 * (gint64) m.hour + 60 * (gint64) m.minute + m.second - m.ahead;
  return robocache_time_from_days (days, seconds, m.fraction, time_ns);
}
