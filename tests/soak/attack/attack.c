/* robocache: elements that are attacked by threads: buffers that caps allow, events and queries in any order that GStreamer allows
 *
 * Each pad has a thread that feeds it. The application has one: properties, states, pads that come and go, flushes. Downstream has
 * one: seeks, queries, statistics. A fourth moves the clock on. Meanwhile no critical, counters add up, what leaves fits its caps.
 * Then: the state reaches NULL, nobody refers to the element, memory is what it was, and most buffers were accepted.
 *
 *   attack [--seed N] [--seeds N] [--seconds N] [--rounds N] [--steps N] [--only I,…] [--operations I,…] [--verbose]
 *
 * Each seed runs in a process of its own: every element once, that --rounds times. Where one fails, elements and operations are left
 * out one by one, and the shortest attack that fails is printed. With --only, that seed runs in this process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

#include "hang.h"
#include "sources.h"
#include "tests/fuzz/operations.h"
#include "tests/soak/seeds.h"
#include "tests/soak/soak.h"

#define MAX_FEEDS 8
#define MAX_PAUSE_US 1500       /* of downstream between operations */
#define MAX_PAUSE 100           /* of the application: operations of others … */
#define MAX_PAUSE_MS 3          /* … where there are any */
#define MAX_GROWTH (256 * 1024) /* rounds end differently; what is lost the address sanitizer finds */

static gint first_seed = 1, n_seeds = 1, n_seconds, n_rounds = 3, n_steps = 25;
static gchar *only, *chosen_operations;
static gboolean verbose;

static const GOptionEntry options[] = {
  {"seed", 0, 0, G_OPTION_ARG_INT, &first_seed, "the first seed", "N"},
  {"seeds", 0, 0, G_OPTION_ARG_INT, &n_seeds, "how many", "N"},
  {"seconds", 0, 0, G_OPTION_ARG_INT, &n_seconds, "seeds begin for so long", "N"},
  {"rounds", 0, 0, G_OPTION_ARG_INT, &n_rounds, "how often each element is attacked", "N"},
  {"steps", 0, 0, G_OPTION_ARG_INT, &n_steps, "operations of the application in one attack", "N"},
  {"only", 0, 0, G_OPTION_ARG_STRING, &only, "elements to attack", "I,J,…"},
  {"operations", 0, 0, G_OPTION_ARG_STRING, &chosen_operations, "operations to attack with", "I,J,…"},
  {"verbose", 0, 0, G_OPTION_ARG_NONE, &verbose, "print what happens", NULL},
  {NULL}
};

/* ---- what an application does ---- */

static void
add_pad (Bench *bench, Input *input)
{
  static const gchar *const names[] = { "proprio_0", "proprio_%u", "force_%u", "sink_%u", "camera_%u", "camera_0", "proprio_%u", "force_0",
    "proprio_4294967296", "sink_00"
  };
  Attack *attack = (Attack *) bench;
  const gchar *name = input_pick (input, names);
  GstPad *pad = attack->target->has_request_pads ? gst_element_get_static_pad (bench->element, name) : NULL;

  if (pad || !attack->target->has_request_pads || bench->feeds->len >= MAX_FEEDS) {
    gst_clear_object (&pad);
    return;
  }
  pad = gst_element_request_pad_simple (bench->element, name);
  if (pad)
    source_add (attack, pad, TRUE, input);
}

static void
remove_pad (Feed *feed, Input *input)
{
  Attack *attack = (Attack *) feed->bench;

  if (attack->target->has_request_pads)
    source_remove (attack, feed);
}

static void
flush (Feed *feed, Input *input)
{
  feed_flush (feed, input_one_in (input, 2));
}

/* Flushes that have begun end first, and none begins until the sources start: a restart would undo FLUSH_START, and FLUSH_STOP would
 * wait for a source that pushes on. */
static void
stop_sources (Bench *bench)
{
  for (guint i = 0; i < bench->feeds->len; i++) {
    Feed *feed = bench_feed (bench, i);

    gst_pad_set_active (feed->pad, FALSE);
    g_mutex_lock (&feed->flush);
    GST_PAD_STREAM_LOCK (feed->pad);
    feed->over = TRUE;
    feed->is_flushed = FALSE;
    GST_PAD_STREAM_UNLOCK (feed->pad);
  }
}

/* The source sends nothing between the pad's start and its own: a stream begins with its events. */
static void
start_sources (Bench *bench)
{
  for (guint i = 0; i < bench->feeds->len; i++) {
    Feed *feed = bench_feed (bench, i);

    GST_PAD_STREAM_LOCK (feed->pad);
    gst_pad_set_active (feed->pad, TRUE);
    feed->over = FALSE;
    feed->is_flushed = TRUE;
    GST_PAD_STREAM_UNLOCK (feed->pad);
    g_mutex_unlock (&feed->flush);
  }
}

static void
choose_base_time (Bench *bench, Input *input)
{
  const GstClockTime now = gst_clock_get_time (GST_ELEMENT_CLOCK (bench->element));
  const GstClockTime times[] = { now, now, 0, now - MIN (now, GST_SECOND), now + GST_SECOND };

  gst_element_set_base_time (bench->element, input_pick (input, times));
}

/* In the order of a pipeline: sources stop last, and start last. */
static void
restart_from (Bench *bench, GstState state, Input *input)
{
  const gboolean stops = state <= GST_STATE_READY;

  bench_set_state (bench, state);
  if (stops) {
    stop_sources (bench);
    g_atomic_int_set (&bench->has_failed, FALSE);
  }
  if (stops || input_one_in (input, 2))
    choose_base_time (bench, input);
  if (!bench_set_state (bench, GST_STATE_PLAYING))
    g_atomic_int_set (&bench->has_failed, TRUE);
  if (stops)
    start_sources (bench);
}

static void
change_state (Bench *bench, Input *input)
{
  static const GstState states[] = { GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_NULL, GST_STATE_PAUSED };

  restart_from (bench, input_pick (input, states), input);
}

/* What an application does when an error was posted: with settings that work, sooner or later. */
static void
recover (Attack *attack, Input *input)
{
  Bench *bench = &attack->bench;

  if (!g_atomic_int_get (&bench->has_failed))
    return;
  bench_set_state (bench, GST_STATE_READY);
  if (!input_one_in (input, 4)) {
    reset_properties (bench);
    attack->target->configure (bench, input);
  }
  restart_from (bench, GST_STATE_READY, input);
}

static void
set_several_properties (Bench *bench, Input *input)
{
  for (guint i = input_below (input, 3); i > 0; i--)
    set_property (bench, input);
}

static void
check_pad_stats (Bench *bench)
{
  const Target *target = ((Attack *) bench)->target;

  for (guint i = 0; i < bench->feeds->len && target->has_request_pads; i++)
    bench_check_sum (bench_feed (bench, i)->peer, target->total, target->parts);
}

static void
read_pads (Bench *bench, Input *input)
{
  check_pad_stats (bench);
  for (guint i = 0; i < bench->feeds->len; i++)
    read_pad_properties (bench_feed (bench, i), input);
}

static const Deed by_application[] = {
  {"property", 4,.on_bench = set_several_properties}, {"pad-property", 4,.on_feed = set_pad_property}, {"read-pads", 3,.on_bench = read_pads},
  {"state", 2,.on_bench = change_state}, {"base-time", 1,.on_bench = choose_base_time}, {"add-pad", 4,.on_bench = add_pad},
  {"remove-pad", 2,.on_feed = remove_pad}, {"flush", 3,.on_feed = flush},
};

/* ---- what downstream does ---- */

static void
change_own_answer (Bench *bench, Input *input)
{
  if (g_atomic_int_get ((gint *) &bench->answer) != GST_FLOW_OK)
    g_atomic_int_set ((gint *) &bench->answer, GST_FLOW_OK);
  else
    change_answer (bench, input);
}

static void
read_element (Bench *bench, Input *input)
{
  const Target *target = ((Attack *) bench)->target;

  read_properties (bench, input);
  if (target->total && !target->has_request_pads)
    bench_check_sum (bench->element, target->total, target->parts);
}

static const Deed by_downstream[] = {
  {"upstream-event", 4,.on_bench = send_upstream_event}, {"ask", 4,.on_bench = ask_src}, {"answer", 2,.on_bench = change_own_answer},
  {"read", 4,.on_bench = read_element},
};

#define N_OPERATIONS (N_SOURCE_OPERATIONS + G_N_ELEMENTS (by_application) + G_N_ELEMENTS (by_downstream))

static gpointer
run_downstream (gpointer data)
{
  Attacker *attacker = data;

  while (!attacker_must_stop (attacker)) {
    Input input = attacker_next_input (attacker);

    attacker_act (attacker, &input);
    g_usleep (g_rand_int_range (attacker->rand, 0, MAX_PAUSE_US));
  }
  return NULL;
}

static gpointer
run_clock (gpointer data)
{
  Attacker *attacker = data;
  Attack *attack = attacker->attack;
  const GstClockTime step = MIN ((GstClockTime) attack->bench.step_ns, GST_SECOND);

  while (!attacker_must_stop (attacker)) {
    const GstClockTime time = gst_clock_get_time (GST_CLOCK (attack->clock)) + step / 8 * g_rand_int_range (attacker->rand, 0, 16);
    GstClockID id;

    gst_test_clock_set_time (attack->clock, time);
    while (gst_test_clock_peek_next_pending_id (attack->clock, &id)) {
      const gboolean is_due = gst_clock_id_get_time (id) <= time;

      gst_clock_id_unref (id);
      if (!is_due || attacker_must_stop (attacker))
        break;
      id = gst_test_clock_process_next_clock_id (attack->clock);
      if (id)
        gst_clock_id_unref (id);
    }
    g_usleep (g_rand_int_range (attacker->rand, 0, MAX_PAUSE_US / 4));
  }
  return NULL;
}

/* ---- an attack ---- */

/* What would only test how much memory there is, or another machine. */
static const gchar *const untouched[] = { "backend", "device-id", "devices", "n-threads", "max-device-memory", "blocksize", NULL };

static void
set_up (Attack *attack, Attacker *application)
{
  Bench *bench = &attack->bench;
  Input input = attacker_next_input (application);
  GstClock *clock;

  bench_init (bench, attack->target->factory);
  bench->untouched = untouched;
  bench->is_wild = bench->is_shared = TRUE;
  bench->max_steps = G_MAXINT32;
  bench->max_buffers = G_MAXUINT64;
  attack->is_live = input_one_in (&input, 2);
  attack->target->set_up (bench, &input);
  attack->target->configure (bench, &input);
  if (input_one_in (&input, 16) && bench->accepted == NULL)
    choose_downstream (bench, &input);
  /* by itself a pad would take no other caps than the first */
  if (bench->accepted == NULL)
    bench->accepted = gst_caps_new_any ();
  if (!input_one_in (&input, 4))
    attack->clock = GST_TEST_CLOCK (gst_test_clock_new ());
  clock = attack->clock ? gst_object_ref (attack->clock) : gst_system_clock_obtain ();
  gst_element_set_clock (bench->element, clock);
  gst_object_unref (clock);
  for (guint i = 1 + input_below (&input, 4); i > 0 && attack->target->has_request_pads; i--)
    add_pad (bench, &input);
  restart_from (bench, GST_STATE_READY, &input);
  if (!attack->target->has_request_pads && !attack->target->is_source)
    source_add (attack, gst_element_get_static_pad (bench->element, "sink"), FALSE, &input);
}

/* The state reaches NULL while all others go on. */
static void
tear_down (Attack *attack)
{
  Bench *bench = &attack->bench;

  if (!bench_set_state (bench, GST_STATE_NULL))
    fuzz_fail ("the state does not reach NULL");
  check_pad_stats (bench);
  while (bench->feeds->len > 0) {
    hang_note_step ();
    source_remove (attack, bench_feed (bench, 0));
  }
}

static void
pause_for_others (Attacker *application)
{
  const gint until = g_atomic_int_get (&application->attack->n_operations) + g_rand_int_range (application->rand, 0, MAX_PAUSE);

  for (guint i = 0; i < 10 * MAX_PAUSE_MS && g_atomic_int_get (&application->attack->n_operations) < until; i++)
    g_usleep (100);
}

static void
run_application (Attack *attack, Attacker *application)
{
  for (gint i = 0; i < n_steps; i++) {
    Input input = attacker_next_input (application);

    hang_note_step ();
    recover (attack, &input);
    attacker_act (application, &input);
    pause_for_others (application);
  }
}

static gboolean
is_chosen (guint number)
{
  return seeds_list_has (chosen_operations, number);
}

/* Counts what was pushed. */
static void
run_attack (const Target *target, guint32 seed, guint64 *n_pushed, guint64 *n_accepted, guint64 *n_operations)
{
  Attack attack = {.target = target,.seed = seed,.is_chosen = is_chosen };
  Attacker *application = attacker_new (&attack, NULL, by_application, G_N_ELEMENTS (by_application), N_SOURCE_OPERATIONS, 0);
  Attacker *downstream = attacker_new (&attack, NULL, by_downstream, G_N_ELEMENTS (by_downstream),
      N_SOURCE_OPERATIONS + G_N_ELEMENTS (by_application), 1);
  Attacker *clock = attacker_new (&attack, NULL, NULL, 0, 0, 2);
  guint64 n_left;

  hang_note_step ();
  attack.threads = g_ptr_array_new_with_free_func ((GDestroyNotify) attacker_free);
  set_up (&attack, application);
  attacker_start (downstream, "downstream", run_downstream);
  if (attack.clock)
    attacker_start (clock, "clock", run_clock);
  run_application (&attack, application);
  tear_down (&attack);

  g_atomic_int_set (&attack.stop, TRUE);
  g_thread_join (downstream->thread);
  if (clock->thread)
    g_thread_join (clock->thread);
  n_left = attack.bench.n_buffers;
  bench_clear (&attack.bench);
  g_ptr_array_unref (attack.threads);
  gst_clear_object (&attack.clock);
  attacker_free (application);
  attacker_free (downstream);
  attacker_free (clock);
  if (verbose)
    printf ("  %s: %d operations, %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " buffers accepted, %" G_GUINT64_FORMAT " left\n",
        target->factory, attack.n_operations, attack.n_accepted, attack.n_pushed, n_left);
  *n_pushed += attack.n_pushed;
  *n_accepted += attack.n_accepted;
  *n_operations += (guint) attack.n_operations;
}

/* ---- all of a seed, in this process ---- */

static guint
count_targets (void)
{
  guint n = 0;

  while (targets[n].factory)
    n++;
  return n;
}

static gboolean
run_seed (void)
{
  GArray *bytes = g_array_new (FALSE, FALSE, sizeof (gsize));
  guint64 n_pushed = 0, n_accepted = 0, n_operations = 0;
  gboolean ok;
  gssize growth;

  for (gint round = 0; round < n_rounds; round++) {
    for (guint i = 0; i < count_targets (); i++) {
      if (seeds_list_has (only, i))
        run_attack (&targets[i], (guint32) (first_seed * 64 + (gint) i), &n_pushed, &n_accepted, &n_operations);
    }
    heap_note (bytes);
  }
  growth = heap_growth (bytes);
  ok = growth <= MAX_GROWTH && n_accepted * 2 >= n_pushed;
  if (growth > MAX_GROWTH)
    printf ("  %" G_GSSIZE_FORMAT " bytes more in use than rounds before\n", growth);
  printf ("  %" G_GUINT64_FORMAT " operations, %" G_GUINT64_FORMAT " buffers, %.1f %% of them accepted\n", n_operations, n_pushed,
      n_pushed > 0 ? 100.0 * (gdouble) n_accepted / (gdouble) n_pushed : 100.0);
  g_array_unref (bytes);
  return ok;
}

static gboolean
run_seeds (void)
{
  const SeedsList lists[] = { {"only", count_targets ()}, {"operations", N_OPERATIONS} };
  gchar *arguments = g_strdup_printf ("--rounds=%d --steps=%d", n_rounds, n_steps);
  Seeds seeds = { first_seed, n_seeds, n_seconds, arguments, lists, G_N_ELEMENTS (lists), 3, verbose };
  const guint n_failed = seeds_run (&seeds);

  g_free (arguments);
  return verdict (n_failed == 0, "attacked_elements_keep_promises", "%u of seeds %d to %d failed, with %d rounds each", n_failed, first_seed,
      first_seed + seeds.n - 1, n_rounds);
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;

  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || n_seeds < 1 || n_rounds < 1 || n_steps < 1 || n_seconds < 0) {
    fprintf (stderr, "%s\n", error ? error->message : "counts are 1 or more");
    return EXIT_FAILURE;
  }
  g_option_context_free (context);
  if (only == NULL)
    return run_seeds () ? EXIT_SUCCESS : EXIT_FAILURE;
  if (chosen_operations == NULL)
    chosen_operations = g_strdup ("all");
  bench_begin (&argc, &argv);
  hang_watch ();
  return run_seed () ? EXIT_SUCCESS : EXIT_FAILURE;
}
