/* robocache: tests of what viewers are told about a stream: which fault, and the value that mends it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "gst/foxglovesink/status/findings.h"
#include "tests/check/lib/checks.h"

#define MS G_GINT64_CONSTANT (1000000)
#define OFFSET_NS (-10 * MS)
#define LATENCY_NS (5 * MS)

/* A stream camera_0 of a live fuse f in a second; durations in ms. */
static const struct
{
  guint rows, late, aligned, held, missing;
  gint lag, age, lateness;
  gint delay, max_delay;        /* both 0: unknown */
  const gchar *text;            /* of the only finding; NULL: none */
  gint shift;                   /* of the offset */
  guint kept;                   /* rows */
} streams[] = {
  {30, 0, 50, 0, 0, 20, 10, 0, 1, 4, NULL},
  {30, 0, 50, 0, 0, 20, 10, 0, 0, 0, NULL},
  /* times that are too late are harmless to the ticks */
  {30, 0, 50, 0, 0, 20, 10, 0, -80, -79, "The timestamps of camera_0 are 80 ms late: its rows arrive before their times. Set camera_0::offset=-90000000 "
        "(ns, now -10000000)"},
  {30, 0, 50, 0, 0, 20, 10, 0, -19, -18, NULL},
  {30, 0, 50, 0, 0, 20, 10, 0, -1000, -999, "The clock of camera_0 is 1 s ahead: its rows arrive before their times. Set camera_0::clock-mode=track, or "
        "camera_0::offset=-1010000000 (ns, now -10000000)"},
  /* where they are meant to be, by the offset; and ahead by more than the offset */
  {30, 0, 50, 0, 0, 20, 10, 0, -50, -49, NULL,.shift = 60},
  {30, 0, 50, 0, 0, 20, 10, 0, -130, -129, "The timestamps of camera_0 are 130 ms late: its rows arrive before their times. Set camera_0::offset=-80000000 "
        "(ns, now 50000000)",.shift = 60},
  /* unknown arrivals: by the rows that wait */
  {100, 0, 50, 0, 0, 20, 10, 0, 0, 0, "The clock of camera_0 is 1 s ahead: its rows arrive before their times. Set camera_0::clock-mode=track, or "
        "camera_0::offset=-1010000000 (ns, now -10000000)",.kept = 102},
  {100, 0, 50, 0, 0, 20, 10, 0, 0, 0, NULL,.kept = 102,.shift = 1010},
  {100, 0, 50, 0, 0, 20, 10, 0, 0, 0, NULL,.kept = 30},
  /* rows that come late */
  {30, 0, 0, 50, 0, 38, 42, 0, 80, 84, "camera_0 is 80 ms late: it repeats its last row in 100 % of the ticks, because no newer row had arrived. Set "
        "latency=89000000 of f (ns, now 5000000), or, if its timestamps are too early, camera_0::offset=70000000 (ns, now -10000000)"},
  {30, 0, 45, 5, 0, 38, 42, 0, 80, 84, NULL},
  {30, 0, 0, 50, 0, 38, 42, 0, 0, 0, "camera_0 repeats its last row in 100 % of the ticks, because no newer row had arrived. Set latency=85000000 of f "
        "(ns, now 5000000)"},
  /* in time, but more rarely than its caps promise */
  {30, 0, 0, 50, 0, 38, 42, 0, 1, 4, "camera_0 repeats its last row in 100 % of the ticks, because no newer row had arrived. Set latency=85000000 of f "
        "(ns, now 5000000)"},
  {10, 0, 0, 50, 0, 70, 42, 0, 35, 39, "camera_0 repeats its last row in 100 % of the ticks, because no newer row had arrived. Set latency=117000000 of f "
        "(ns, now 5000000)"},
  {30, 30, 0, 0, 50, 38, 0, 100, 200, 210, "camera_0 is 200 ms late: it sends 100 % of its rows after their ticks have left. Set latency=215000000 of f "
        "(ns, now 5000000), or, if its timestamps are too early, camera_0::offset=190000000 (ns, now -10000000)"},
  {30, 30, 0, 0, 50, 38, 0, 962, 1000, 1001, "The clock of camera_0 is 1 s behind, or its rows are slow: it sends 100 % of its rows after their ticks have "
        "left. Set camera_0::clock-mode=track, or camera_0::offset=990000000 (ns, now -10000000)"},
  {30, 30, 0, 0, 50, 38, 0, 962, 0, 0, "The clock of camera_0 is 1 s behind, or its rows are slow: it sends 100 % of its rows after their ticks have left. "
        "Set camera_0::clock-mode=track, or camera_0::offset=990000000 (ns, now -10000000)"},
  {2, 0, 10, 0, 40, 38, 0, 0, 1, 4, "camera_0 is missing in 80.0 % of the ticks, though rows come: they are further apart than camera_0::max-gap, now "
        "200 ms"},
  /* one that has ended says nothing else */
  {0, 0, 0, 25, 25, 38, 42, 0, 80, 84, "camera_0 has sent no row for 1 s, and is missing in the samples: look at the sensor, its cable and its driver"},
};

static void
add_stats (RobocacheRecentStats *stats, gint i, gboolean is_after)
{
  const guint64 n = is_after ? 1 : 0;
  GstStructure *stream = gst_structure_new ("stream", "rows-in", G_TYPE_UINT64, 7 + n * streams[i].rows, "rows-late", G_TYPE_UINT64, n * streams[i].late,
      "ticks-aligned", G_TYPE_UINT64, n * streams[i].aligned, "ticks-held", G_TYPE_UINT64, n * streams[i].held, "ticks-missing", G_TYPE_UINT64,
      n * streams[i].missing, "lateness-p50", G_TYPE_INT64, streams[i].lateness * MS, "max-gap", G_TYPE_INT64, 200 * MS, "rows-kept",
      G_TYPE_UINT64, (guint64) streams[i].kept, NULL);

  robocache_recent_stats_add (stats, gst_structure_new ("stats", "live", G_TYPE_BOOLEAN, TRUE, "camera_0", GST_TYPE_STRUCTURE, stream, NULL),
      n * G_USEC_PER_SEC);
  gst_structure_free (stream);
}

/* The fuse is_alone, or one of several. With spaces of one kind. Free with g_free. */
static gchar *
append (const RobocacheFindings *findings, gboolean is_alone)
{
  GString *json = g_string_new (NULL);
  gchar **parts, *text;

  robocache_findings_append (findings, "f", is_alone, json);
  parts = g_strsplit (json->str, "\u202f", -1);
  text = g_strjoinv (" ", parts);
  g_strfreev (parts);
  g_string_free (json, TRUE);
  return text;
}

static void
check_text (const RobocacheFindings *findings, gboolean is_alone, const gchar *text)
{
  gchar *json = append (findings, is_alone), *expected = g_strdup ("");

  if (text) {
    g_free (expected);
    expected = g_strdup_printf ("{\"fuse\":\"f\",\"stream\":\"camera_0\",\"text\":\"%s%s\"}", is_alone ? "" : "f: ", text);
  }
  fail_unless_equals_string (json, expected);
  g_free (expected);
  g_free (json);
}

GST_START_TEST (finds_faults)
{
  const guint n_delays = streams[__i__].delay != 0 ? 30 : 0;
  RobocacheFindings *findings = robocache_findings_new ();
  RobocacheRecentStats stats = { 0 };
  const RobocacheStreamState state = { "f", "camera_0", &stats, LATENCY_NS, streams[__i__].lag * MS, streams[__i__].age * MS,
    {.n = n_delays,.p50 = streams[__i__].delay * MS,.p99 = streams[__i__].max_delay * MS}, OFFSET_NS + streams[__i__].shift * MS, 30.0
  };

  add_stats (&stats, __i__, FALSE);
  robocache_findings_look (findings, &state, 0);
  add_stats (&stats, __i__, TRUE);
  robocache_findings_look (findings, &state, G_USEC_PER_SEC);
  check_text (findings, TRUE, streams[__i__].text);
  check_text (findings, FALSE, streams[__i__].text);
  robocache_recent_stats_clear (&stats);
  robocache_findings_free (findings);
}

GST_END_TEST;

/* Buffers come at an interval, and then no more; in ms. */
static const struct
{
  guint interval, n, silent;
  gboolean is_silent;
} silences[] = {
  {100, 10, 700, FALSE},
  {100, 10, 900, TRUE},
  {900, 3, 1700, FALSE},
  {900, 3, 1900, TRUE},
  /* a stream that had ended before */
  {0, 0, 700, FALSE},
  {0, 0, 900, TRUE},
};

static void
look_at_rows (RobocacheFindings *findings, guint64 rows, guint now_ms)
{
  GstStructure *stream = gst_structure_new ("stream", "rows-in", G_TYPE_UINT64, rows, NULL);
  RobocacheRecentStats stats = { 0 };
  const RobocacheStreamState state = {.fuse = "f",.name = "camera_0",.stats = &stats,.nominal_rate = 100.0 };

  robocache_recent_stats_add (&stats, gst_structure_new ("stats", "live", G_TYPE_BOOLEAN, TRUE, "camera_0", GST_TYPE_STRUCTURE, stream, NULL), 0);
  robocache_findings_look (findings, &state, now_ms * G_TIME_SPAN_MILLISECOND);
  robocache_recent_stats_clear (&stats);
  gst_structure_free (stream);
}

GST_START_TEST (waits_for_blocks)
{
  RobocacheFindings *findings = robocache_findings_new ();
  const guint interval = silences[__i__].interval;
  gchar *json;

  for (guint i = 0; i <= silences[__i__].n; i++)
    look_at_rows (findings, i + 1, i * interval);
  look_at_rows (findings, silences[__i__].n + 1, silences[__i__].n * interval + silences[__i__].silent);
  json = append (findings, TRUE);
  fail_unless (silences[__i__].is_silent == (strstr (json, "has sent no row for") != NULL), "%s", json);
  g_free (json);
  robocache_findings_free (findings);
}

GST_END_TEST;

CHECK_MAIN (view_findings, NULL, NULL, EACH (streams, finds_faults), EACH (silences, waits_for_blocks))
