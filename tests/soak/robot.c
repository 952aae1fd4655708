/* robocache: a live robot with all faults on, for as long as wanted: nothing leaks, nothing is lost, no tick is late
 *
 * Sensors jitter, lose, reorder and fall silent. A gremlin unplugs them and plugs them in again, stalls them, so that a
 * burst follows, and changes their settings. Every second, and before a pad goes, its counters must add up. A thread
 * that only waits on the clock tells how late the machine itself is. Where the latency may fall, ticks are due from
 * then on.
 *
 *   robot SECONDS LATE_LIMIT_MS [SEED]     how long, the greatest time after tick + latency, and the seed of the sensors and of
 *                                          the gremlin (from the clock)
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

#include "examples/tools/program.h"
#include "examples/tools/statstable.h"
#include "soak.h"
#include "tests/check/lib/memorylimit.h"

#define TICK_RATE 100
#define TICK_PERIOD (GST_SECOND / TICK_RATE)
#define STEP (20 * GST_MSECOND) /* of the gremlin */
#define MAX_STALL_MS 400
#define MAX_ABSENCE_MS 2000
#define MAX_PEACE_MS 1500       /* between two misdeeds */

/* What a page more or less in each of glibc's arenas comes to. A leak of 12 bytes a tick would exceed it in an hour. */
#define ALLOWED_GROWTH_KIB 4096
#define WARM_UP_SECONDS 60      /* at most a quarter of the time */

static gint seconds, late_limit_ms;
static gint64 seed;

/* Each source ends where its seed goes; the camera takes it as its name, and draws from g_random. */
static const struct
{
  const gchar *pad, *source, *settings;
} sensors[] = {
  {"camera_0", "videotestsrc is-live=true pattern=ball ! video/x-raw,format=RGB,width=160,height=120,framerate=30/1 "
        "! identity drop-probability=0.02 name=camera", ""},
  {"proprio_0", "robocachetestsrc kind=proprio is-live=true rate=100/1 jitter=8000000 drop=0.02 disorder=0.05 "
        "gap=300000000 gap-interval=2000000000 seed=", "reorder-window=20000000"},
  {"proprio_1", "robocachetestsrc kind=imu is-live=true rate=200/1 jitter=3000000 drop=0.02 disorder=0.1 "
        "gap=150000000 seed=", "interpolation=cubic quaternions=0"},
  {"force_0", "robocachetestsrc kind=force is-live=true rate=1000/1 jitter=1500000 drop=0.01 disorder=0.05 "
        "gap=50000000 gap-interval=500000000 seed=", "interpolation=mean reorder-window=2000000"},
  {"sink_0", "robocachetestsrc kind=proprio is-live=true channels=3 rate=25/1 jitter=30000000 drop=0.1 disorder=0.2 "
        "gap=1500000000 gap-interval=5000000000 seed=", "interpolation=previous hold-limit=100000000"},
};

#define N_SENSORS G_N_ELEMENTS (sensors)

/* Beside the ticks: the other elements, live. */
#define BYSTANDERS "robocachetestsrc kind=force is-live=true rate=500/1 jitter=1500000 drop=0.05 disorder=0.1 " \
    "gap=200000000 ! robocacheresample name=resample rate=100/1 interpolation=mean reorder-window=4000000 " \
    "max-gap=50000000 ! fakesink sync=false robocachetestsrc kind=points is-live=true channels=2000 rate=10/1 " \
    "jitter=20000000 drop=0.1 ! robocachevoxelize name=voxelize voxel-size=<0.5,0.5,0.5> accumulate=3 mode=centroid " \
    "output=sparse ! fakesink sync=false"

typedef struct
{
  GstElement *branch;           /* NULL: unplugged */
  GstPad *from, *to;
  gulong stall;                 /* a probe that blocks; 0: none */
  GstClockTime next;            /* when it is plugged in again, or goes on */
} Sensor;

typedef struct
{
  guint64 n, n_late;
  GstClockTimeDiff worst;
} Punctuality;

typedef struct
{
  GRand *rand;
  GstElement *pipeline, *fuse;
  GstClock *clock;
  gboolean running;
  Sensor sensors[N_SENSORS];
  GstClockTime next_misdeed, next_second;
  guint unplugged, stalled, tuned;
  guint64 balances, unbalanced;
  GArray *resident_kib;         /* one a second */

  GMutex lock;
  GstClockTime latency_changed; /* with the lock: running time */

  /* of the src thread */
  Punctuality ticks;
  GstClockTime last_tick;
  guint64 holes;

  gint stop;                    /* atomic */
  Punctuality machine;          /* of its thread */
} Soak;

static void
note_lateness (Punctuality *punctuality, GstClockTimeDiff late)
{
  punctuality->n++;
  punctuality->n_late += late > late_limit_ms * (GstClockTimeDiff) GST_MSECOND;
  punctuality->worst = MAX (punctuality->worst, late);
}

static GstClockTime
running_time (Soak *soak)
{
  return gst_clock_get_time (soak->clock) - gst_element_get_base_time (soak->pipeline);
}

/* ---- what comes out ---- */

/* A latency that falls makes the ticks between due at once, and not before. Called ahead of what may let it fall. */
static void
expect_new_latency (Soak *soak)
{
  g_mutex_lock (&soak->lock);
  soak->latency_changed = running_time (soak);
  g_mutex_unlock (&soak->lock);
}

static GstClockTime
due_time (Soak *soak, GstClockTime tick, GstClockTime latency)
{
  GstClockTime due;

  g_mutex_lock (&soak->lock);
  due = MAX (tick + latency, soak->latency_changed);
  g_mutex_unlock (&soak->lock);
  return due;
}

/* What the element announces; GST_CLOCK_TIME_NONE while it is not live. */
static GstClockTime
latency_of (GstPad *src)
{
  GstQuery *query = gst_query_new_latency ();
  GstClockTime min = GST_CLOCK_TIME_NONE;
  gboolean live = FALSE;

  if (gst_pad_query (src, query))
    gst_query_parse_latency (query, &live, &min, NULL);
  gst_query_unref (query);
  return live ? min : GST_CLOCK_TIME_NONE;
}

static GstPadProbeReturn
take_tick (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Soak *soak = data;
  const GstClockTime tick = GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info));
  const GstClockTime latency = latency_of (pad);

  if (GST_CLOCK_TIME_IS_VALID (latency))
    note_lateness (&soak->ticks, GST_CLOCK_DIFF (due_time (soak, tick, latency), running_time (soak)));
  soak->holes += GST_CLOCK_TIME_IS_VALID (soak->last_tick) && tick != soak->last_tick + TICK_PERIOD;
  soak->last_tick = tick;
  return GST_PAD_PROBE_OK;
}

/* Wakes up as often as the ticks, and does nothing. */
static gpointer
watch_machine (gpointer data)
{
  Soak *soak = data;
  GstClockTime t = gst_clock_get_time (soak->clock);

  while (!g_atomic_int_get (&soak->stop)) {
    GstClockID id = gst_clock_new_single_shot_id (soak->clock, t += TICK_PERIOD);

    gst_clock_id_wait (id, NULL);
    note_lateness (&soak->machine, GST_CLOCK_DIFF (t, gst_clock_get_time (soak->clock)));
    gst_clock_id_unref (id);
  }
  return NULL;
}

static void
check_balance (Soak *soak, gpointer object)
{
  soak->balances++;
  soak->unbalanced += !rows_balance (object);
}

static void
check_balances (Soak *soak)
{
  GstElement *resample = gst_bin_get_by_name (GST_BIN (soak->pipeline), "resample");

  for (guint i = 0; i < N_SENSORS; i++) {
    if (soak->sensors[i].branch)
      check_balance (soak, soak->sensors[i].to);
  }
  check_balance (soak, resample);
  check_balance (soak, soak->fuse);
  gst_object_unref (resample);
}

/* ---- sensors that come and go ---- */

/* What is called name=value in text, to a child of the pipeline or a pad. */
static void
apply_settings (GObject *object, const gchar *text)
{
  gchar **settings = g_strsplit (text, " ", 0);

  for (guint i = 0; settings[i]; i++) {
    gchar **parts = g_strsplit (settings[i], "=", 2);

    if (parts[0] && parts[1])
      gst_util_set_object_arg (object, parts[0], parts[1]);
    g_strfreev (parts);
  }
  g_strfreev (settings);
}

/* Its rows begin now: a source counts time from the base time of its branch. */
static void
plug_in (Soak *soak, guint i)
{
  Sensor *sensor = &soak->sensors[i];
  gchar *text = g_strdup_printf ("%s%u", sensors[i].source, g_rand_int (soak->rand));

  sensor->branch = gst_parse_bin_from_description (text, TRUE, NULL);
  sensor->from = gst_element_get_static_pad (sensor->branch, "src");
  sensor->to = gst_element_request_pad_simple (soak->fuse, sensors[i].pad);
  apply_settings (G_OBJECT (sensor->to), sensors[i].settings);
  gst_bin_add (GST_BIN (soak->pipeline), sensor->branch);
  if (soak->running) {
    const GstClockTime now = running_time (soak);

    gst_element_set_base_time (sensor->branch, gst_element_get_base_time (soak->pipeline) + now);
    gst_pad_set_offset (sensor->from, (gint64) now);
  }
  gst_pad_link (sensor->from, sensor->to);
  gst_element_sync_state_with_parent (sensor->branch);
  g_free (text);
}

static void
end_stall (Sensor *sensor)
{
  if (sensor->stall)
    gst_pad_remove_probe (sensor->from, sensor->stall);
  sensor->stall = 0;
}

static void
unplug (Soak *soak, Sensor *sensor)
{
  gst_element_set_state (sensor->branch, GST_STATE_NULL);
  end_stall (sensor);
  check_balance (soak, sensor->to);
  expect_new_latency (soak);
  gst_pad_unlink (sensor->from, sensor->to);
  gst_element_release_request_pad (soak->fuse, sensor->to);
  gst_clear_object (&sensor->from);
  gst_clear_object (&sensor->to);
  gst_bin_remove (GST_BIN (soak->pipeline), sensor->branch);
  sensor->branch = NULL;
}

static GstPadProbeReturn
stand_still (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  return GST_PAD_PROBE_OK;
}

static guint
n_plugged_in (const Soak *soak)
{
  guint n = 0;

  for (guint i = 0; i < N_SENSORS; i++)
    n += soak->sensors[i].branch != NULL;
  return n;
}

static GstClockTime
some_time (Soak *soak, gint max_ms)
{
  return g_rand_int_range (soak->rand, 1, max_ms) * GST_MSECOND;
}

/* A sensor that is well is unplugged, stalled or tuned; the last one stays in, since without any there are no ticks. */
static void
do_mischief (Soak *soak, Sensor *sensor, GstClockTime now)
{
  static const gchar *tunings[] = { "offset=-3000000", "offset=0", "offset=2000000", "max-gap=20000000", "max-gap=-1",
    "hold-limit=0", "hold-limit=200000000", "interpolation=nearest", "interpolation=linear", "reorder-window=5000000"
  };

  switch (g_rand_int_range (soak->rand, 0, 3)) {
    case 0:
      if (n_plugged_in (soak) == 1)
        break;
      unplug (soak, sensor);
      sensor->next = now + some_time (soak, MAX_ABSENCE_MS);
      soak->unplugged++;
      break;
    case 1:
      sensor->stall = gst_pad_add_probe (sensor->from, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, stand_still, NULL, NULL);
      sensor->next = now + some_time (soak, MAX_STALL_MS);
      soak->stalled++;
      break;
    default:
      expect_new_latency (soak);
      apply_settings (G_OBJECT (sensor->to), tunings[g_rand_int_range (soak->rand, 0, G_N_ELEMENTS (tunings))]);
      soak->tuned++;
      break;
  }
}

static void
let_gremlin_act (Soak *soak, GstClockTime now)
{
  Sensor *victim = &soak->sensors[g_rand_int_range (soak->rand, 0, N_SENSORS)];

  for (guint i = 0; i < N_SENSORS; i++) {
    Sensor *sensor = &soak->sensors[i];

    if (now >= sensor->next && !sensor->branch)
      plug_in (soak, i);
    else if (now >= sensor->next)
      end_stall (sensor);
  }
  if (now < soak->next_misdeed)
    return;
  soak->next_misdeed = now + some_time (soak, MAX_PEACE_MS);
  if (victim->branch && !victim->stall)
    do_mischief (soak, victim, now);
}

/* ---- memory ---- */

static guint64
greatest (const GArray *values, guint first, guint end)
{
  guint64 most = 0;

  for (guint i = first; i < end; i++)
    most = MAX (most, g_array_index (values, guint64, i));
  return most;
}

static void
tell_progress (Soak *soak)
{
  const guint n = soak->resident_kib->len;

  if (n % 60 != 0)
    return;
  printf ("%4u min  %" G_GUINT64_FORMAT " KiB  %" G_GUINT64_FORMAT " ticks, %" G_GUINT64_FORMAT " late, worst %.3f ms  "
      "(machine: %" G_GUINT64_FORMAT " late, worst %.3f ms)\n", n / 60,
      g_array_index (soak->resident_kib, guint64, n - 1),
      soak->ticks.n, soak->ticks.n_late, soak->ticks.worst / 1e6, soak->machine.n_late, soak->machine.worst / 1e6);
  fflush (stdout);
}

/* ---- the run ---- */

static void
make_robot (Soak *soak)
{
  GstElement *bystanders = gst_parse_bin_from_description (BYSTANDERS, FALSE, NULL);
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  GstPad *src;

  soak->pipeline = gst_pipeline_new (NULL);
  soak->clock = gst_system_clock_obtain ();
  gst_pipeline_use_clock (GST_PIPELINE (soak->pipeline), soak->clock);
  soak->fuse = gst_element_factory_make ("robocachefuse", "fuse");
  g_object_set (soak->fuse, "rate", TICK_RATE, 1, "window", 4, NULL);
  gst_util_set_object_arg (G_OBJECT (soak->fuse), "info", "tensor");
  g_object_set (sink, "sync", FALSE, NULL);
  gst_bin_add_many (GST_BIN (soak->pipeline), bystanders, soak->fuse, sink, NULL);
  gst_element_link (soak->fuse, sink);
  src = gst_element_get_static_pad (soak->fuse, "src");
  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BUFFER, take_tick, soak, NULL);
  gst_object_unref (src);
  for (guint i = 0; i < N_SENSORS; i++)
    plug_in (soak, i);
}

static void
wait_until (Soak *soak, GstClockTime time)
{
  GstClockID id = gst_clock_new_single_shot_id (soak->clock, gst_element_get_base_time (soak->pipeline) + time);

  gst_clock_id_wait (id, NULL);
  gst_clock_id_unref (id);
}

/* FALSE: the pipeline posted an error. */
static gboolean
run (Soak *soak)
{
  GThread *machine;
  gboolean failed = FALSE;
  GstMessage *message;

  gst_element_set_state (soak->pipeline, GST_STATE_PLAYING);
  gst_element_get_state (soak->pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  soak->running = TRUE;
  machine = g_thread_new ("machine", watch_machine, soak);
  for (GstClockTime now = STEP; !failed && now < (guint64) seconds * GST_SECOND; now += STEP) {
    wait_until (soak, now);
    let_gremlin_act (soak, now);
    if (now >= soak->next_second) {
      const guint64 kib = resident_kib ();

      soak->next_second += GST_SECOND;
      check_balances (soak);
      g_array_append_val (soak->resident_kib, kib);
      tell_progress (soak);
    }
    failed = messages_handle (soak->pipeline, NULL, NULL);
  }
  for (guint i = 0; i < N_SENSORS; i++)
    end_stall (&soak->sensors[i]);
  gst_element_send_event (soak->pipeline, gst_event_new_eos ());
  message = gst_bus_timed_pop_filtered (GST_ELEMENT_BUS (soak->pipeline), 10 * GST_SECOND, GST_MESSAGE_EOS
      | GST_MESSAGE_ERROR);
  failed |= message == NULL || GST_MESSAGE_TYPE (message) != GST_MESSAGE_EOS;
  gst_clear_message (&message);
  g_atomic_int_set (&soak->stop, TRUE);
  g_thread_join (machine);
  check_balances (soak);
  return !failed;
}

static gboolean
judge_memory (const Soak *soak)
{
  const guint n = soak->resident_kib->len, warm = MIN (n / 4, WARM_UP_SECONDS), quarter = (n - warm) / 4;
  const guint64 before = greatest (soak->resident_kib, warm, warm + quarter);
  const guint64 after = greatest (soak->resident_kib, n - quarter, n);

#if defined (__SANITIZE_ADDRESS__) || defined (__SANITIZE_THREAD__)
  printf ("SKIP soak_memory_is_flat: a sanitizer keeps memory that was freed\n");
  return TRUE;
#endif
  return verdict (quarter > 0 && after <= before + ALLOWED_GROWTH_KIB, "soak_memory_is_flat",
      "at most %" G_GUINT64_FORMAT " KiB resident in the first quarter after %u s, %" G_GUINT64_FORMAT
      " in the last; %d KiB more are allowed", before, warm, after, ALLOWED_GROWTH_KIB);
}

static gboolean
judge (const Soak *soak, gboolean ended_well)
{
  GstStructure *stats;
  guint64 expected = (guint64) seconds * TICK_RATE;
  gboolean ok;

  g_object_get (soak->fuse, "stats", &stats, NULL);
  printf ("%u times unplugged, %u stalled, %u tuned; lag p50 %.3f p99 %.3f ms; lateness p99 %.3f max %.3f ms\n",
      soak->unplugged, soak->stalled, soak->tuned, stats_get (stats, "lag-p50") / 1e6,
      stats_get (stats, "lag-p99") / 1e6, stats_get (stats, "lateness-p99") / 1e6,
      stats_get (stats, "lateness-max") / 1e6);
  gst_structure_free (stats);

  ok = verdict (ended_well, "soak_ends_without_error", "%d s, seed %" G_GINT64_FORMAT, seconds, seed);
  ok &= judge_memory (soak);
  ok &= verdict (soak->unbalanced == 0, "soak_counters_balance", "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
      " times they did not", soak->unbalanced, soak->balances);
  ok &= verdict (soak->ticks.n > expected - expected / 10 - TICK_RATE / 2 && soak->holes == 0,
      "soak_every_tick_is_there", "%" G_GUINT64_FORMAT " in %d s at %d Hz, %" G_GUINT64_FORMAT " holes", soak->ticks.n,
      seconds, TICK_RATE, soak->holes);
  /* what the machine itself was late by is no fault of ours */
  ok &= verdict (soak->ticks.worst <= late_limit_ms * (GstClockTimeDiff) GST_MSECOND + soak->machine.worst,
      "soak_no_tick_is_late", "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
      " more than %d ms after tick + latency, worst %.3f ms; a thread that only waits was late %" G_GUINT64_FORMAT
      " times, worst %.3f ms", soak->ticks.n_late, soak->ticks.n, late_limit_ms, soak->ticks.worst / 1e6,
      soak->machine.n_late, soak->machine.worst / 1e6);
  return ok;
}

int
main (int argc, char **argv)
{
  Soak soak = { NULL };
  gboolean ok;

  gst_init (&argc, &argv);
  seconds = argc > 1 ? atoi (argv[1]) : 0;
  late_limit_ms = argc > 2 ? atoi (argv[2]) : 0;
  seed = argc > 3 ? g_ascii_strtoll (argv[3], NULL, 10) : g_get_real_time () & G_MAXINT32;
  if (seconds < 5 || late_limit_ms < 1 || argc > 4) {
    fprintf (stderr, "robot SECONDS LATE_LIMIT_MS [SEED], with 5 seconds or more\n");
    return EXIT_FAILURE;
  }
  printf ("seed %" G_GINT64_FORMAT "\n", seed);
  g_mutex_init (&soak.lock);
  soak.rand = g_rand_new_with_seed ((guint32) seed);
  g_random_set_seed ((guint32) seed);
  soak.resident_kib = g_array_new (FALSE, FALSE, sizeof (guint64));
  soak.last_tick = GST_CLOCK_TIME_NONE;
  make_robot (&soak);
  ok = run (&soak);
  ok = judge (&soak, ok);

  gst_element_set_state (soak.pipeline, GST_STATE_NULL);
  for (guint i = 0; i < N_SENSORS; i++) {
    gst_clear_object (&soak.sensors[i].from);
    gst_clear_object (&soak.sensors[i].to);
  }
  gst_object_unref (soak.clock);
  gst_object_unref (soak.pipeline);
  g_array_unref (soak.resident_kib);
  g_rand_free (soak.rand);
  g_mutex_clear (&soak.lock);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
