/* robocache: which clocks stamped the topics of a recording
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/gst.h>
#include <math.h>
#include <string.h>

#include "common/time/clocks/clockmap.h"
#include "common/time/clocks/clocksurvey.h"
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
  gint64 step_at_ns, step_ns;   /* true time from which on stamps are greater by step_ns */
  gint64 ahead_ns;              /* by so much every n_ahead-th stamp is greater */
  guint n_ahead, n_latched;     /* n_latched: so many messages have the origin as their stamp, and no others come */
  gint64 delays_ns;             /* 0: as above; else up to so much, of a message each 4 s */
  gint64 behind_ns;             /* by so much 3 messages in turn of each 10 are less */
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
  {"a step back", {{"/a", UTC}, {"/b", 0, 0.0, SECONDS (12), -SECONDS (12)}}, 3, 1, 20.0},
  {"a step forward", {{"/a", UTC}, {"/b", SECONDS (523.7), 0.0, SECONDS (12), SECONDS (4)}}, 3, 1, 20.0},
  {"a step forward to the recorder's time", {{"/a", UTC}, {"/b", 0, 0.0, SECONDS (12), UTC}}, 2, 1, 20.0},
  {"a step forward within a second", {{"/a", SECONDS (10)}, {"/b", SECONDS (523.7), 0.0, SECONDS (12), SECONDS (0.7)}}, 3, 1, 20.0},
  {"a step back of the first messages", {{"/a", UTC}, {"/b", SECONDS (523.7), 0.0, SECONDS (24), -SECONDS (60),.delays_ns = MS (3)}}, 3, 1, 240.0},
  {"a step back before the last messages", {{"/a", UTC}, {"/b", SECONDS (523.7), 0.0, SECONDS (216), -SECONDS (60),.delays_ns = MS (3)}}, 3, 1, 240.0},
  {"a step forward before the last messages", {{"/a", UTC}, {"/b", SECONDS (523.7), 0.0, SECONDS (216), SECONDS (60),.delays_ns = MS (3)}}, 3, 1, 240.0},
  {"others are behind", {{"/a", UTC}, {"/tf", UTC,.behind_ns = SECONDS (10)}}, 1, 0, 20.0},
  {"a step of all", {{"/a", SECONDS (10), 0.0, SECONDS (12), SECONDS (4)}, {"/b", SECONDS (10), 0.0, SECONDS (12), SECONDS (4)}}, 2, 2, 20.0},
  {"one stamp 30 s ahead", {{"/a", UTC}, {"/b", SECONDS (523.7), 0.0, 0, 0, SECONDS (30), 20000}}, 2, 0, 600.0},
  {"one stamp 0.8 s ahead", {{"/a", UTC, 0.0, 0, 0, SECONDS (0.8), 20000}, {"/b", SECONDS (523.7)}}, 2, 0, 600.0},
  {"transforms that are ahead", {{"/a", UTC}, {"/tf", UTC, 0.0, 0, 0, SECONDS (0.9), 3}}, 1, 0, 20.0},
  {"others are ahead as well", {{"/a", SECONDS (99)}, {"/tf", SECONDS (99), 0.0, 0, 0, SECONDS (5), 3}, {"/c", UTC}}, 2, 0, 60.0},
  {"a latched stamp", {{"/a", SECONDS (523.7)}, {"/map", UTC - SECONDS (100),.n_latched = 1}}, 2, 0, 20.0},
  {"latched and sent again", {{"/a", SECONDS (523.7)}, {"/map", UTC - SECONDS (100),.n_latched = 1000}}, 2, 0, 20.0},
  {"messages that take up to 3 s", {{"/a", UTC}, {"/b", UTC,.delays_ns = SECONDS (3)}}, 1, 0, 240.0},
  {"another clock beside them", {{"/a", UTC}, {"/b", UTC,.delays_ns = SECONDS (3)}, {"/c", UTC - SECONDS (30)}}, 2, 0, 240.0},
  {"a fast simulation", {{"/a", SECONDS (100), 9e6}, {"/b", SECONDS (100), 9e6}}, 1, 0, 60.0},
};

static gboolean
is_ahead (const Clock *clock, gint64 time)
{
  return clock->n_ahead > 0 && time / MS (20) % clock->n_ahead == clock->n_ahead / 2;
}

static gboolean
is_behind (const Clock *clock, gint64 time)
{
  return clock->behind_ns > 0 && time / MS (20) % 10 < 3;
}

/* Of the message at a true time, one each 20 ms. */
static gint64
stamp_of (const Clock *clock, gint64 time)
{
  gint64 stamp = clock->origin + time + (gint64) rint ((gdouble) time * clock->drift_ppm * 1e-6);

  if (clock->step_ns != 0 && time >= clock->step_at_ns)
    stamp += clock->step_ns;
  if (is_ahead (clock, time))
    stamp += clock->ahead_ns;
  if (is_behind (clock, time))
    stamp -= clock->behind_ns;
  return clock->n_latched > 0 ? clock->origin : stamp;
}

static gint64
delay_of (const Clock *clock, GRand *rand)
{
  return MS (2) + (gint64) (g_rand_double (rand) * (gdouble) (clock->delays_ns > 0 ? clock->delays_ns : MS (3)));
}

static gboolean
has_message (const Clock *clock, gint64 time)
{
  return (clock->n_latched == 0 || time < clock->n_latched * MS (20)) && (clock->delays_ns == 0 || time % SECONDS (4) == 0);
}

static GVariant *
survey_of (guint i, guint seed)
{
  RobocacheClockSurvey *survey = robocache_clock_survey_new ();
  GRand *rand = g_rand_new_with_seed (seed);
  GVariant *found;

  for (gint64 time = 0; time < SECONDS (cases[i].seconds); time += MS (20)) {
    for (const Clock *clock = cases[i].clocks; clock < cases[i].clocks + 3 && clock->topic; clock++) {
      if (has_message (clock, time))
        robocache_clock_survey_add (survey, clock->topic, TRUE, stamp_of (clock, time), UTC + time + delay_of (clock, rand));
    }
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

/* Sentences with a text. */
static guint
count_sentences (GVariant *all, const gchar *text)
{
  GVariantIter *iter;
  const gchar *line;
  guint n = 0;

  g_variant_lookup (all, "lines", "as", &iter);
  while (g_variant_iter_next (iter, "&s", &line))
    n += strstr (line, text) != NULL;
  g_variant_iter_free (iter);
  return n;
}

/* All topics of a time are at one time, within the uncertainty that is stated, or their delays where they have one clock. */
static void
check_map (guint i, GVariant *all)
{
  GVariant *text = g_variant_lookup_value (all, "map", G_VARIANT_TYPE (ROBOCACHE_CLOCK_MAP_TYPE));
  RobocacheClockMap *map = robocache_clock_map_new (text);
  const Clock *first = &cases[i].clocks[0];
  const gint64 uncertainty = greatest_uncertainty (all);
  const gint64 delay = (gint64) (MS (10) * (1.0 + fmax (first->drift_ppm, 0.0) * 1e-6));  /* by the first clock, which is the timeline or agrees with it */

  fail_unless (uncertainty <= MS (40), "uncertainty %" G_GINT64_FORMAT, uncertainty);
  for (gint64 time = 0; time < SECONDS (cases[i].seconds); time += MS (500)) {
    const guint64 log_time = (guint64) (UTC + time + MS (6));
    const gint64 expected = robocache_clock_map_stamp (map, first->topic, log_time, stamp_of (first, time)) - (is_ahead (first, time) ? first->ahead_ns : 0);

    for (const Clock *clock = first + 1; clock < first + 3 && clock->topic && cases[i].n_clocks > 1; clock++) {
      const gint64 error = robocache_clock_map_stamp (map, clock->topic, log_time, stamp_of (clock, time)) - expected;

      fail_unless (ABS (error) <= uncertainty || clock->n_latched > 0 || is_ahead (clock, time) || is_behind (clock, time), "%s at %g s: off by %" G_GINT64_FORMAT " ns, uncertainty %" G_GINT64_FORMAT, clock->topic,
          (gdouble) time / 1e9, error, uncertainty);
    }
    fail_unless (ABS (robocache_clock_map_log (map, UTC + time) - expected) <= delay, "log time at %g s", (gdouble) time / 1e9);
    fail_unless (ABS (robocache_clock_map_to_log (map, expected) - (UTC + time)) <= MS (25), "back at %g s", (gdouble) time / 1e9);
  }
  robocache_clock_map_free (map);
  g_variant_unref (text);
}

static guint
clocks_ahead (guint i)
{
  guint n = 0;

  for (const Clock *clock = cases[i].clocks; clock < cases[i].clocks + 3; clock++)
    n += clock->n_ahead > 0;
  return n;
}

/* A message that takes much less time than others looks as one that is ahead. */
static gboolean
has_long_delays (guint i)
{
  return cases[i].clocks[1].delays_ns > 0;
}

GST_START_TEST (clocks_of_topics)
{
  for (guint seed = 0; seed < 10; seed++) {
    GVariant *all = survey_of (__i__, seed);

    fail_unless_equals_int (count (all, "clocks"), cases[__i__].n_clocks);
    fail_unless_equals_int (count (all, "breaks"), cases[__i__].n_breaks);
    fail_unless (count_sentences (all, "are ahead of the others") == clocks_ahead (__i__) || has_long_delays (__i__));
    check_map (__i__, all);
    g_variant_unref (all);
  }
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

/* Messages of a topic, in turn: how many have stamps, stamps of 0 after them, no stamp; the last time of the topic is that of the last one. */
static const struct
{
  gint64 origin;
  guint n_stamps, n_zeros, n_unstamped;
} ends[] = { {UTC, 100, 0, 0}, {UTC, 100, 0, 50}, {UTC, 100, 50, 0}, {UTC - SECONDS (100), 1, 0, 50}, {SECONDS (523.7), 100, 0, 50}, {UTC, 0, 0, 50} };

GST_START_TEST (ends_of_a_topic)
{
  RobocacheClockSurvey *survey = robocache_clock_survey_new ();
  const guint n_stamped = ends[__i__].n_stamps + ends[__i__].n_zeros, n = n_stamped + ends[__i__].n_unstamped;
  gint64 first, last, expected;
  RobocacheClockMap *map;
  GVariantIter *iter;
  GVariant *all, *text;

  for (guint i = 0; i < n; i++)
    robocache_clock_survey_add (survey, "/a", i < n_stamped, i < ends[__i__].n_stamps ? ends[__i__].origin + MS (20 * i) : 0, UTC + MS (20 * i));
  all = robocache_clock_survey_finish (survey, ROBOCACHE_TIMELINE_AUTO);
  text = g_variant_lookup_value (all, "map", G_VARIANT_TYPE (ROBOCACHE_CLOCK_MAP_TYPE));
  map = robocache_clock_map_new (text);
  expected = robocache_clock_map_log (map, UTC + MS (20 * (n - 1)));
  g_variant_lookup (all, "topics", "a(sxxx)", &iter);
  fail_unless (g_variant_iter_next (iter, "(&sxxx)", NULL, &first, &last, NULL));
  fail_unless (ABS (last - expected) <= MS (2), "%" G_GINT64_FORMAT " ns too late", last - expected);
  fail_unless (ABS (first - (expected - MS (20 * (n - 1)))) <= MS (2), "the first time is %" G_GINT64_FORMAT, first);
  g_variant_iter_free (iter);
  robocache_clock_map_free (map);
  g_variant_unref (text);
  g_variant_unref (all);
  robocache_clock_survey_free (survey);
}

GST_END_TEST;

CHECK_MAIN (clocksurvey, NULL, NULL, EACH (cases, clocks_of_topics), EACH (zeros, stamps_of_zero), TIMES (10, late_messages_are_no_step_back),
    EACH (ends, ends_of_a_topic))
