/* robocache: which clocks stamped the topics of a recording
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/gst.h>
#include <math.h>

#include "common/time/clockmap.h"
#include "common/time/clocksurvey.h"
#include "tests/check/lib/checks.h"

#define MS(n) ((gint64) ((n) * 1e6))
#define SECONDS(n) ((gint64) ((n) * 1e9))
#define UTC SECONDS (1700000000)

/* Topics of 50 Hz whose messages take 2 to 5 ms. A clock's stamps are origin + time + drift. */
typedef struct
{
  const gchar *topic;
  gint64 origin;
  gdouble drift_ppm;
  gint64 restart_ns;            /* true time from which on it counts from its origin again; 0: it does not */
} Clock;

static const struct
{
  const gchar *name;
  Clock clocks[3];
  guint n_clocks, n_breaks;
  gdouble seconds;
} cases[] = {
  {"one clock", {{"/a", UTC}, {"/b", UTC}}, 1, 0, 20.0},
  {"simulated time", {{"/a", SECONDS (1438)}, {"/b", SECONDS (1438)}}, 1, 0, 20.0},
  {"boot time", {{"/a", UTC}, {"/b", SECONDS (523.7)}}, 2, 0, 20.0},
  {"a drift", {{"/a", UTC}, {"/b", UTC + SECONDS (37.4), 200.0}}, 2, 0, 600.0},
  {"a simulation at half speed", {{"/a", SECONDS (100), -5e5}, {"/b", SECONDS (100), -5e5}}, 1, 0, 60.0},
  {"half speed beside the recorder", {{"/a", UTC}, {"/b", SECONDS (100), -5e5}}, 2, 0, 60.0},
  {"three clocks", {{"/a", UTC}, {"/b", SECONDS (523.7)}, {"/c", UTC - SECONDS (86400 * 90), -100.0}}, 3, 0, 60.0},
  {"half a second", {{"/a", UTC}, {"/b", UTC - SECONDS (0.6)}}, 2, 0, 20.0},
  {"less than half a second", {{"/a", UTC}, {"/b", UTC - SECONDS (0.4)}}, 1, 0, 20.0},
  {"a step back", {{"/a", UTC}, {"/b", 0, 0.0, SECONDS (12)}}, 3, 1, 20.0},
};

static gint64
stamp_of (const Clock *clock, gint64 time)
{
  const gint64 since = clock->restart_ns > 0 && time >= clock->restart_ns ? time - clock->restart_ns : time;

  return clock->origin + since + (gint64) rint ((gdouble) since * clock->drift_ppm * 1e-6);
}

static gint64
delay_of (GRand *rand)
{
  return MS (2) + (gint64) (g_rand_double (rand) * MS (3));
}

static GVariant *
survey_of (guint i)
{
  RobocacheClockSurvey *survey = robocache_clock_survey_new ();
  GRand *rand = g_rand_new_with_seed (i);
  GVariant *found;

  for (gint64 time = 0; time < SECONDS (cases[i].seconds); time += MS (20)) {
    for (const Clock *clock = cases[i].clocks; clock < cases[i].clocks + 3 && clock->topic; clock++)
      robocache_clock_survey_add (survey, clock->topic, TRUE, stamp_of (clock, time), UTC + time + delay_of (rand));
  }
  found = robocache_clock_survey_finish (survey, ROBOCACHE_TIMELINE_AUTO);
  robocache_clock_survey_free (survey);
  g_rand_free (rand);
  return found;
}

static guint
count (GVariant *all, const gchar *name)
{
  GVariant *list = g_variant_lookup_value (all, name, NULL);
  const gsize n = g_variant_n_children (list);

  g_variant_unref (list);
  return (guint) n;
}

/* Greatest uncertainty of a shift. */
static gint64
greatest_uncertainty (GVariant *all)
{
  gint64 greatest = 0, uncertainty;
  GVariantIter *iter;

  g_variant_lookup (all, "clocks", "a(asxxdbb)", &iter);
  while (g_variant_iter_next (iter, "(asxxdbb)", NULL, NULL, &uncertainty, NULL, NULL, NULL))
    greatest = MAX (greatest, uncertainty);
  g_variant_iter_free (iter);
  return greatest;
}

/* All topics of a time are at one time, within the uncertainty that is stated, or their delays where they have one clock. */
static void
check_map (guint i, GVariant *all)
{
  GVariant *text = g_variant_lookup_value (all, "map", G_VARIANT_TYPE (ROBOCACHE_CLOCK_MAP_TYPE));
  RobocacheClockMap *map = robocache_clock_map_new (text);
  const Clock *first = &cases[i].clocks[0];
  const gint64 uncertainty = greatest_uncertainty (all);

  fail_unless (uncertainty <= MS (40), "uncertainty %" G_GINT64_FORMAT, uncertainty);
  for (gint64 time = 0; time < SECONDS (cases[i].seconds); time += MS (500)) {
    const guint64 log_time = (guint64) (UTC + time + MS (6));
    const gint64 expected = robocache_clock_map_stamp (map, first->topic, log_time, stamp_of (first, time));

    for (const Clock *clock = first + 1; clock < first + 3 && clock->topic && cases[i].n_clocks > 1; clock++) {
      const gint64 error = robocache_clock_map_stamp (map, clock->topic, log_time, stamp_of (clock, time)) - expected;

      fail_unless (ABS (error) <= uncertainty, "%s at %g s: off by %" G_GINT64_FORMAT " ns, uncertainty %" G_GINT64_FORMAT, clock->topic,
          (gdouble) time / 1e9, error, uncertainty);
    }
    fail_unless (ABS (robocache_clock_map_log (map, UTC + time) - expected) <= MS (10), "log time at %g s", (gdouble) time / 1e9);
    fail_unless (ABS (robocache_clock_map_to_log (map, expected) - (UTC + time)) <= MS (25), "back at %g s", (gdouble) time / 1e9);
  }
  robocache_clock_map_free (map);
  g_variant_unref (text);
}

GST_START_TEST (clocks_of_topics)
{
  GVariant *all = survey_of (__i__);

  fail_unless_equals_int (count (all, "clocks"), cases[__i__].n_clocks);
  fail_unless_equals_int (count (all, "breaks"), cases[__i__].n_breaks);
  check_map (__i__, all);
  g_variant_unref (all);
}

GST_END_TEST;

/* Stamps of 0, the next stamp after them, and what they are. */
static const struct
{
  gint64 next;
  gboolean are_times;
} zeros[] = { {MS (20), TRUE}, {SECONDS (0.9), TRUE}, {SECONDS (5), FALSE}, {UTC, FALSE} };

GST_START_TEST (stamps_of_zero)
{
  RobocacheClockSurvey *survey = robocache_clock_survey_new ();
  RobocacheClockMap *map;
  GVariant *all, *text;

  robocache_clock_survey_add (survey, "/a", TRUE, 0, UTC);
  for (gint i = 0; i < 50; i++)
    robocache_clock_survey_add (survey, "/a", TRUE, zeros[__i__].next + MS (20 * i), UTC + MS (20 * (i + 1)));
  all = robocache_clock_survey_finish (survey, ROBOCACHE_TIMELINE_AUTO);
  text = g_variant_lookup_value (all, "map", G_VARIANT_TYPE (ROBOCACHE_CLOCK_MAP_TYPE));
  map = robocache_clock_map_new (text);
  fail_unless_equals_int (robocache_clock_map_has_zero (map, "/a"), zeros[__i__].are_times);
  robocache_clock_map_free (map);
  g_variant_unref (text);
  g_variant_unref (all);
  robocache_clock_survey_free (survey);
}

GST_END_TEST;

/* One late message, and several that are followed by newer ones, are no step back. */
GST_START_TEST (late_messages_are_no_step_back)
{
  RobocacheClockSurvey *survey = robocache_clock_survey_new ();
  GVariant *all;

  for (gint i = 0; i < 500; i++) {
    const gboolean is_late = i == 100 || (i >= 200 && i < 200 + __i__);

    robocache_clock_survey_add (survey, "/a", TRUE, UTC + MS (20 * i) - (is_late ? SECONDS (3) : 0), UTC + MS (20 * i + 2));
  }
  all = robocache_clock_survey_finish (survey, ROBOCACHE_TIMELINE_AUTO);
  fail_unless_equals_int (count (all, "breaks"), 0);
  fail_unless_equals_int (count (all, "clocks"), 1);
  g_variant_unref (all);
  robocache_clock_survey_free (survey);
}

GST_END_TEST;

CHECK_MAIN (clocksurvey, NULL, NULL, EACH (cases, clocks_of_topics), EACH (zeros, stamps_of_zero), TIMES (10, late_messages_are_no_step_back))
