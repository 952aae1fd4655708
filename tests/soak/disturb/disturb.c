/* robocache: live pipelines of random shape that are disturbed at random: all is as before a second after each disturbance
 *
 * After each one: ticks are at their rate again, sensors are in the samples, rows are accounted for, no thread spins. After each
 * round of them: the state reaches NULL and PLAYING, and memory is what it was. Each seed runs in a process of its own. Where one
 * fails, disturbances are left out one by one, and the shortest list that fails is printed.
 *
 *   disturb [--seed N] [--seeds N | --seconds N] [--count N] [--rounds N] [--wall SECONDS] [--only I,J,…] [--verbose]
 *
 * With --only, that seed runs in this process, with those disturbances of its list. Without --wall, pipelines are on a test clock.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "disturbances.h"
#include "tests/soak/seeds.h"
#include "tests/soak/soak.h"

#define SETTLE (GST_SECOND + 100 * GST_MSECOND)    /* and what is on its way */
#define LAST_TICKS (100 * GST_MSECOND)  /* a setting counts from the next tick on: a row before it may still be an error */
#define WINDOW (600 * GST_MSECOND)
#define CPU_US_TO_CATCH_UP (5 * G_USEC_PER_SEC)
#define MAX_RATE 20000          /* Hz */

static gint seed = 1, n_seeds = 1, n_disturbances = 5, n_rounds = 2, n_seconds, wall_seconds;
static gchar *only;
static gboolean verbose;

static const GOptionEntry options[] = {
  {"seed", 0, 0, G_OPTION_ARG_INT, &seed, "the first seed", "N"},
  {"seeds", 0, 0, G_OPTION_ARG_INT, &n_seeds, "how many", "N"},
  {"seconds", 0, 0, G_OPTION_ARG_INT, &n_seconds, "as many seeds as begin in this time", "N"},
  {"count", 0, 0, G_OPTION_ARG_INT, &n_disturbances, "disturbances of a list", "N"},
  {"rounds", 0, 0, G_OPTION_ARG_INT, &n_rounds, "how often each list runs", "N"},
  {"wall", 0, 0, G_OPTION_ARG_INT, &wall_seconds, "each list runs for so long on the system clock", "SECONDS"},
  {"only", 0, 0, G_OPTION_ARG_STRING, &only, "disturbances of the list to run", "I,J,…"},
  {"verbose", 0, 0, G_OPTION_ARG_NONE, &verbose, "print what happens", NULL},
  {NULL}
};

/* ---- what must be true ---- */

typedef struct
{
  guint64 ticks, holes;
} Progress;

static Progress
look (Rig *rig)
{
  Progress progress;

  g_mutex_lock (&rig->lock);
  progress = (Progress) { rig->n_ticks, rig->n_holes };
  g_mutex_unlock (&rig->lock);
  return progress;
}

/* Ticks of a window of time: all of them, but for what is on its way, and nothing between. */
static void
check_rate (Rig *rig, const gchar *after)
{
  const guint64 expected = WINDOW / rig->tick_period;
  const Progress before = look (rig);
  Progress progress;

  rig_advance (rig, WINDOW);
  progress = look (rig);
  if (progress.ticks + 3 < before.ticks + expected)
    rig_fail (rig, "%s: %" G_GUINT64_FORMAT " ticks in %.1f s, not %" G_GUINT64_FORMAT, after, progress.ticks - before.ticks,
        WINDOW / 1e9, expected);
  if (progress.holes > before.holes)
    rig_fail (rig, "%s: %" G_GUINT64_FORMAT " holes between ticks", after, progress.holes - before.holes);
}

/* The newest tick is about now. */
static void
check_time (Rig *rig, const gchar *after)
{
  const GstClockTime now = rig_now (rig);
  GstClockTime tick;

  g_mutex_lock (&rig->lock);
  tick = rig->last_tick;
  g_mutex_unlock (&rig->lock);
  if (!GST_CLOCK_TIME_IS_VALID (tick) || ABS (GST_CLOCK_DIFF (tick, now)) >= (GstClockTimeDiff) (GST_SECOND / 2))
    rig_fail (rig, "%s: the last tick is %" GST_TIME_FORMAT ", and it is %" GST_TIME_FORMAT, after, GST_TIME_ARGS (tick),
        GST_TIME_ARGS (now));
}

static guint64
count_of (gpointer object, const gchar *name)
{
  GstStructure *stats;
  guint64 n = 0;

  g_object_get (object, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, name, &n);
  gst_structure_free (stats);
  return n;
}

/* Each sensor is in the samples of a window of time. */
static void
check_streams (Rig *rig, const gchar *after)
{
  guint64 present[MAX_SENSORS], missing[MAX_SENSORS];

  for (guint i = 0; i < rig->n_sensors; i++) {
    present[i] = count_of (rig->sensors[i].to, "ticks-aligned") + count_of (rig->sensors[i].to, "ticks-held");
    missing[i] = count_of (rig->sensors[i].to, "ticks-missing");
  }
  rig_advance (rig, WINDOW);
  for (guint i = 0; i < rig->n_sensors; i++) {
    GstPad *pad = rig->sensors[i].to;
    const guint64 n = count_of (pad, "ticks-aligned") + count_of (pad, "ticks-held") - present[i];
    const guint64 n_missing = count_of (pad, "ticks-missing") - missing[i];

    if (rig->sensors[i].app && n_missing > 2 + n / 10)
      rig_fail (rig, "%s: %s is missing in %" G_GUINT64_FORMAT " ticks and present in %" G_GUINT64_FORMAT, after,
          rig->sensors[i].name, n_missing, n);
  }
}

static void
check_balances (Rig *rig, const gchar *after)
{
  gboolean ok = rows_balance (rig->fuse);

  for (guint i = 0; i < rig->n_sensors; i++)
    ok &= rig->sensors[i].branch == NULL || rows_balance (rig->sensors[i].to);
  if (!ok)
    rig_fail (rig, "%s: rows are not accounted for", after);
}

/* By a setting: it spins, or hands out more ticks than it can. */
static gboolean
is_told_to_work (Rig *rig)
{
  gint num, den;
  GstClockTime busy_wait;
  GValue rate = G_VALUE_INIT;

  g_object_get (rig->fuse, "busy-wait", &busy_wait, NULL);
  g_value_init (&rate, GST_TYPE_FRACTION);
  g_object_get_property (G_OBJECT (rig->fuse), "rate", &rate);
  num = gst_value_get_fraction_numerator (&rate);
  den = gst_value_get_fraction_denominator (&rate);
  g_value_unset (&rate);
  return busy_wait > 0 || num / den > MAX_RATE;
}

/* Once no time passes, and what was left to do is done, no thread works. */
static void
check_quiet (Rig *rig, const gchar *after)
{
  if (!is_told_to_work (rig) && !rig_await_idle (rig, CPU_US_TO_CATCH_UP))
    rig_fail (rig, "%s: a thread spins", after);
}

static void
check_errors (Rig *rig, const gchar *after)
{
  rig_handle_messages (rig);
  if (rig->n_errors > 0)
    rig_fail (rig, "%s: %s", after, rig->error);
}

/* ---- a list of disturbances, in this process ---- */

/* An application restarts a pipeline that had an error, or flushes it. A GstBin that had one completes no change of state by
 * itself, and sinks that are flushed have lost theirs. */
static void
recover (Rig *rig, GRand *rand)
{
  const gboolean flushes = g_rand_boolean (rand);

  rig_handle_messages (rig);
  if (rig->n_errors == 0)
    return;
  if (verbose)
    printf ("  an error, and %s: %s\n", flushes ? "a flush" : "READY", rig->error);
  if (flushes)
    rig_flush (rig, NULL, TRUE);
  rig_set_state (rig, flushes ? GST_STATE_PAUSED : GST_STATE_READY);
  rig_handle_messages (rig);
  rig->n_errors = 0;
  g_clear_pointer (&rig->error, g_free);
  rig_set_state (rig, GST_STATE_PLAYING);
}

static void
run_disturbance (Rig *rig, Disturbance *disturbance)
{
  gchar *after;

  rig->is_disturbed = TRUE;
  disturbance_begin (disturbance, rig);
  after = g_strdup_printf ("%s (%s)", disturbance->kind->name, disturbance->detail);
  if (verbose)
    printf ("  %s\n", after);
  rig_advance (rig, g_rand_int_range (disturbance->rand, 1, 150) * STEP);
  check_balances (rig, after);
  check_quiet (rig, after);
  disturbance_end (disturbance, rig);
  if (disturbance->kind->flags & MAY_FAIL) {
    rig_advance (rig, LAST_TICKS);
    recover (rig, disturbance->rand);
  }
  rig_advance (rig, SETTLE);
  rig->is_disturbed = FALSE;

  check_quiet (rig, after);
  check_rate (rig, after);
  check_time (rig, after);
  rig_advance (rig, SETTLE);
  check_streams (rig, after);
  check_balances (rig, after);
  check_quiet (rig, after);
  check_errors (rig, after);
  g_free (after);
}

static void
judge_memory (Rig *rig, const GArray *bytes)
{
  const gssize growth = heap_growth (bytes);

  if (growth > ALLOWED_GROWTH)
    rig_fail (rig, "%" G_GSSIZE_FORMAT " bytes more in use in NULL than %u rounds before", growth, bytes->len - 1 - bytes->len / 3);
}

static void
run_round (Rig *rig, Disturbance **list)
{
  rig->is_disturbed = TRUE;
  rig_set_state (rig, GST_STATE_PLAYING);
  rig_advance (rig, SETTLE);
  rig->is_disturbed = FALSE;
  check_quiet (rig, "at the start");
  check_rate (rig, "at the start");
  check_time (rig, "at the start");
  for (guint i = 0; list[i] && !rig->is_bad; i++) {
    if (seeds_list_has (only, i))
      run_disturbance (rig, list[i]);
  }
  rig_set_state (rig, GST_STATE_NULL);
  rig_handle_messages (rig);
}

static gboolean
run_list (void)
{
  const gint64 end = g_get_monotonic_time () + (gint64) wall_seconds * G_USEC_PER_SEC;
  Rig *rig = rig_new ((guint32) seed, wall_seconds > 0);
  GRand *rand = g_rand_new_with_seed ((guint32) seed);
  Disturbance **list = g_new0 (Disturbance *, (gsize) n_disturbances + 1);
  GArray *bytes = g_array_new (FALSE, FALSE, sizeof (gsize));
  gboolean ok;

  for (gint i = 0; i < n_disturbances; i++)
    list[i] = disturbance_new (rand, rig);
  if (verbose)
    printf ("%s\n", rig->shape);
  for (gint i = 0; !rig->is_bad && (wall_seconds > 0 ? g_get_monotonic_time () < end : i < n_rounds); i++) {
    run_round (rig, list);
    heap_note (bytes);
  }
  judge_memory (rig, bytes);
  ok = !rig->is_bad;
  if (!ok) {
    printf ("  %s\n", rig->shape);
    for (gint i = 0; i < n_disturbances; i++) {
      if (seeds_list_has (only, (guint) i))
        printf ("  %d: %s (%s)\n", i, list[i]->kind->name, list[i]->detail);
    }
  }
  rig_free (rig);
  for (gint i = 0; i < n_disturbances; i++)
    disturbance_free (list[i]);
  g_free (list);
  g_rand_free (rand);
  g_array_unref (bytes);
  return ok;
}

/* ---- seeds, each in a process of its own ---- */

static gboolean
run_seeds (void)
{
  const SeedsList disturbances = { "only", (guint) n_disturbances };
  gchar *arguments = g_strdup_printf ("--count=%d --rounds=%d --wall=%d", n_disturbances, n_rounds, wall_seconds);
  Seeds seeds = { seed, n_seeds, n_seconds, arguments, &disturbances, 1, 1, verbose };
  const guint n_failed = seeds_run (&seeds);

  g_free (arguments);
  return verdict (n_failed == 0, "disturbed_pipelines_go_on", "%u of seeds %d to %d failed, with %d disturbances each, %s",
      n_failed, seed, seed + seeds.n - 1, n_disturbances, wall_seconds > 0 ? "on the system clock" : "on a test clock");
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;

  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error) || n_disturbances < 1 || n_seeds < 1 || n_rounds < 1) {
    fprintf (stderr, "%s\n", error ? error->message : "counts are 1 or more");
    return EXIT_FAILURE;
  }
  g_option_context_free (context);
  if (only == NULL)
    return run_seeds () ? EXIT_SUCCESS : EXIT_FAILURE;
  setvbuf (stdout, NULL, _IOLBF, 0);    /* what was printed before a hang */
  return run_list () ? EXIT_SUCCESS : EXIT_FAILURE;
}
