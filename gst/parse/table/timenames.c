/* robocache: what the name of a column tells of times
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "timenames.h"

#include <string.h>

/* The first column of tables of robocache align, and how it began in earlier ones. */
#define TABLE_NAME "tick_ns"
#define OLD_TABLE_NAME "tick_ns_since_"

static const struct
{
  const gchar *name;
  RobocacheTimeUnit unit;
} unit_names[] = {
  {"s", ROBOCACHE_TIME_UNIT_S}, {"sec", ROBOCACHE_TIME_UNIT_S}, {"secs", ROBOCACHE_TIME_UNIT_S}, {"second", ROBOCACHE_TIME_UNIT_S},
  {"seconds", ROBOCACHE_TIME_UNIT_S}, {"ms", ROBOCACHE_TIME_UNIT_MS}, {"msec", ROBOCACHE_TIME_UNIT_MS}, {"msecs", ROBOCACHE_TIME_UNIT_MS},
  {"millis", ROBOCACHE_TIME_UNIT_MS}, {"millisec", ROBOCACHE_TIME_UNIT_MS}, {"milliseconds", ROBOCACHE_TIME_UNIT_MS},
  {"us", ROBOCACHE_TIME_UNIT_US}, {"µs", ROBOCACHE_TIME_UNIT_US}, {"usec", ROBOCACHE_TIME_UNIT_US}, {"usecs", ROBOCACHE_TIME_UNIT_US},
  {"micros", ROBOCACHE_TIME_UNIT_US}, {"microsec", ROBOCACHE_TIME_UNIT_US}, {"microseconds", ROBOCACHE_TIME_UNIT_US},
  {"ns", ROBOCACHE_TIME_UNIT_NS}, {"nsec", ROBOCACHE_TIME_UNIT_NS}, {"nsecs", ROBOCACHE_TIME_UNIT_NS}, {"nanos", ROBOCACHE_TIME_UNIT_NS},
  {"nanosec", ROBOCACHE_TIME_UNIT_NS}, {"nanosecs", ROBOCACHE_TIME_UNIT_NS}, {"nanoseconds", ROBOCACHE_TIME_UNIT_NS},
};

/* From ROBOCACHE_NAME_STAMP on. */
static const gchar *const first_names[] = { "stamp", "timestamp", "time", "t", NULL };

static const gchar *const other_names[] = { "datetime", "date", "ts", "epoch", "clock", "elapsed", "elapsedtime", "unixtime", "utc", "utctime",
  "systime", "rostime", "simtime", "logtime", "localtime", "timeofday", "timeutc", "uptime", "zeit", "zeitstempel", "uhrzeit", "datum", "temps", "tiempo",
  "heure", "tijd", "tempo", "gpstime", NULL
};

static gboolean
is_in (const gchar *word, const gchar *const *words)
{
  return g_strv_contains (words, word);
}

/* "Header.Stamp_ns_since_5" to "header.stamp_ns": lower case, without what a tick counts from. */
static gchar *
simplify (const gchar *name)
{
  gchar *simple = g_ascii_strdown (name, -1), *since = strstr (simple, "_since_");

  if (since)
    *since = '\0';
  return g_strstrip (g_strdelimit (simple, ")]", ' '));
}

/* Where a unit begins that ends a simplified name, which it may be; NULL: it has none. In "timeus" it is behind one of the first names. */
static gchar *
find_unit (gchar *name, RobocacheTimeUnit *unit)
{
  const gsize length = strlen (name);

  for (guint i = 0; i < G_N_ELEMENTS (unit_names); i++) {
    const gsize n = strlen (unit_names[i].name);
    gchar *part = name + length - MIN (n, length);
    gboolean is_unit = n <= length && g_str_equal (part, unit_names[i].name);

    if (is_unit && part > name && !strchr ("_([ ./", part[-1])) {
      gchar *stem = g_strndup (name, (gsize) (part - name));

      is_unit = is_in (stem, first_names) && length - n > 1;
      g_free (stem);
    }
    if (!is_unit)
      continue;
    *unit = unit_names[i].unit;
    return part;
  }
  return NULL;
}

gboolean
robocache_time_unit_of_name (const gchar *name, RobocacheTimeUnit *unit)
{
  gchar *simple = simplify (name);
  const gboolean has_unit = find_unit (simple, unit) != NULL;

  g_free (simple);
  return has_unit;
}

gchar *
robocache_time_name_stem (const gchar *name)
{
  gchar *simple = simplify (name);
  RobocacheTimeUnit unit;
  gchar *part = find_unit (simple, &unit);
  gsize length;

  if (part)
    *part = '\0';
  for (length = strlen (simple); length > 0 && strchr ("_([ ./-", simple[length - 1]); length--)
    simple[length - 1] = '\0';
  return simple;
}

/* Without names of messages around it, and without _ and blanks. */
static gchar *
core_of (const gchar *name)
{
  gchar *stem = robocache_time_name_stem (name), *from = stem, *to = stem;

  for (const gchar *at = stem; *at; at++) {
    if (strchr ("./:%#", *at))
      from = (gchar *) at + 1;
  }
  for (; *from; from++) {
    if (!strchr ("_-([ ", *from))
      *to++ = *from;
  }
  *to = '\0';
  return stem;
}

/* time or stamp, and no arrival, exposure, duration, … */
static gboolean
is_vague (const gchar *core)
{
  static const gchar *const others[] = { "arriv", "receiv", "recv", "expos", "durat", "delta", "out", "timer", "step", "life", "run", "stampede", "diff",
    "zone", "count", "cycle", "compute", "delay", "lag"
  };
  gboolean is = strstr (core, "time") || strstr (core, "stamp");

  for (guint i = 0; is && i < G_N_ELEMENTS (others); i++)
    is = strstr (core, others[i]) == NULL;
  return is;
}

RobocacheTimeName
robocache_time_name_of (const gchar *name)
{
  gchar *core = core_of (name);
  RobocacheTimeName found = ROBOCACHE_NAME_OF_NO_TIME;
  RobocacheTimeUnit unit;

  if (g_str_equal (name, TABLE_NAME) || g_str_has_prefix (name, OLD_TABLE_NAME))
    found = ROBOCACHE_NAME_OF_TABLE;
  for (guint i = 0; found == ROBOCACHE_NAME_OF_NO_TIME && first_names[i]; i++) {
    if (g_str_equal (core, first_names[i]))
      found = ROBOCACHE_NAME_STAMP + i;
  }
  if (found == ROBOCACHE_NAME_OF_NO_TIME && (is_in (core, other_names) || (*core == '\0' && robocache_time_unit_of_name (name, &unit))))
    found = ROBOCACHE_NAME_OTHER;
  if (found == ROBOCACHE_NAME_OF_NO_TIME && is_vague (core))
    found = ROBOCACHE_NAME_VAGUE;
  g_free (core);
  return found;
}

gboolean
robocache_time_name_is_possible (const gchar *name)
{
  static const gchar *const parts[] = { "time", "stamp", "arriv", "sec", "epoch", "date", "clock" };
  gchar *simple = simplify (name);
  RobocacheTimeUnit unit = ROBOCACHE_TIME_UNIT_S;
  gboolean may = robocache_time_name_of (name) < ROBOCACHE_NAME_OF_NO_TIME || (find_unit (simple, &unit) && unit != ROBOCACHE_TIME_UNIT_S);

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    may |= strstr (simple, parts[i]) != NULL;
  g_free (simple);
  return may;
}

gboolean
robocache_name_is_of_gps_week (const gchar *name)
{
  static const gchar *const names[] = { "week", "gpsweek", "gpswk", "gwk", "wn", "weeknumber", "gpsweeknumber", "weekno", "gpsweekno", NULL };
  gchar *core = core_of (name);
  const gboolean is = is_in (core, names);

  g_free (core);
  return is;
}

gboolean
robocache_name_is_of_week_time (const gchar *name)
{
  static const gchar *const names[] = { "tow", "itow", "sow", "gpstow", "gpssow", "gps", "gms", "gpsseconds", "secondsofweek", "secondofweek", "secofweek",
    "timeofweek", "gpstimeofweek", "gpssecondsofweek", "week", "gpsweek", NULL
  };
  gchar *core = core_of (name);
  RobocacheTimeUnit unit;
  gboolean is = is_in (core, names);

  /* gps_week is no time in it, but week_ms is */
  if (is && g_str_has_suffix (core, "week") && !strstr (core, "of"))
    is = robocache_time_unit_of_name (name, &unit);
  else if (is && g_str_equal (core, "gps"))
    is = robocache_time_unit_of_name (name, &unit);
  g_free (core);
  return is;
}
