/* robocache: fifty pads at 1 kHz that get no CPU time for a while, what comes out meanwhile, and how soon all rows come in again
 *
 * Each round: a calm second; then busy loops on the same cores for some seconds, while the pipeline's process is stopped for a part of
 * them; then their end. Without a stop, ticks must come at half their rate or more meanwhile. Rows must come in at the full rate again
 * within two seconds of the end. Rows, ticks, lag, lateness, drops and memory are printed for the time before, during and after.
 *
 *   starve [--rounds N] [--pads N] [--rate HZ] [--ticks HZ] [--loops N] [--seconds N] [--stopped N] [--cores N]
 *
 * The pipeline, the loops and the judge are processes of their own; counters are in memory that they share. A sensor that wakes up
 * after more than a second has lost the rows before that second, as a driver's buffer would have.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE             /* sched_setaffinity */
#endif
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "soak.h"

#define MAX_PADS 256
#define MAX_LOOPS 64
#define CALM_US G_USEC_PER_SEC
#define LOOK_US (20 * 1000)
#define STATISTICS_US (100 * 1000)
#define WINDOW_US (250 * 1000)  /* of intake, and how old rows may be */
#define BOUND_US (2 * G_USEC_PER_SEC)
#define GIVE_UP_US (20 * G_USEC_PER_SEC)
#define FULL 0.95               /* of the rate */
#define ENOUGH 0.5              /* of the ticks, without a stop */

static gint n_rounds = 1, n_pads = 50, rate = 1000, tick_rate = 100, n_loops = 6, n_seconds = 10, n_stopped = 5, n_cores = 2;

static const GOptionEntry options[] = {
  {"rounds", 0, 0, G_OPTION_ARG_INT, &n_rounds, "starvations", "N"},
  {"pads", 0, 0, G_OPTION_ARG_INT, &n_pads, "pads", "N"},
  {"rate", 0, 0, G_OPTION_ARG_INT, &rate, "rows a second of each pad", "HZ"},
  {"ticks", 0, 0, G_OPTION_ARG_INT, &tick_rate, "ticks a second", "HZ"},
  {"loops", 0, 0, G_OPTION_ARG_INT, &n_loops, "busy loops", "N"},
  {"seconds", 0, 0, G_OPTION_ARG_INT, &n_seconds, "a starvation", "N"},
  {"stopped", 0, 0, G_OPTION_ARG_INT, &n_stopped, "seconds of it in which the process is stopped", "N"},
  {"cores", 0, 0, G_OPTION_ARG_INT, &n_cores, "cores for all of it", "N"},
  {NULL}
};

/* Memory that the processes share; all are atomic. */
typedef struct
{
  gint is_ready;
  gint n_errors, n_messages;
  gint64 rows[MAX_PADS];        /* that the element has taken in */
  gint64 ticks;                 /* that came out */
  gint64 ticks_dropped, rows_lost;      /* by its statistics */
  gint64 max_lag_us;            /* from a row's time to its arrival, since it was set to 0 */
  gint64 max_lateness_us;       /* of a sample beyond the latency, likewise */
  gint64 last_tick;             /* monotonic time (us) of the last sample */
  gint64 max_hole_us;           /* between two samples, likewise */
} Shared;

#define GET(field) __atomic_load_n (&(field), __ATOMIC_RELAXED)
#define SET(field, value) __atomic_store_n (&(field), value, __ATOMIC_RELAXED)

static void
raise_to (gint64 *most, gint64 value)
{
  gint64 before = GET (*most);

  while (value > before && !__atomic_compare_exchange_n (most, &before, value, TRUE, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

/* ---- the pipeline, in a process of its own ---- */

typedef struct
{
  Shared *shared;
  GstElement *pipeline, *fuse;
  GstClock *clock;              /* a sensor's own look at it takes no lock of the element */
  GstClockTime base_time, latency;
} Robot;

typedef struct
{
  Robot *robot;
  guint index;
  GstPad *from;
} Sensor;

static gint64
running_us (Robot *robot)
{
  return GST_CLOCK_DIFF (robot->base_time, gst_clock_get_time (robot->clock)) / 1000;
}

static gboolean
answer_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_latency (query, TRUE, 0, GST_CLOCK_TIME_NONE);
  return TRUE;
}

static void
begin_stream (Sensor *sensor)
{
  gchar *id = g_strdup_printf ("sensor-%u", sensor->index);
  GstCaps *caps = gst_caps_new_simple ("other/tensors", "format", G_TYPE_STRING, "static", "num_tensors", G_TYPE_INT, 1, "types",
      G_TYPE_STRING, "float32", "dimensions", G_TYPE_STRING, "7", "framerate", GST_TYPE_FRACTION, rate, 1, NULL);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (sensor->from, gst_event_new_stream_start (id));
  gst_pad_push_event (sensor->from, gst_event_new_caps (caps));
  gst_pad_push_event (sensor->from, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
  g_free (id);
}

static gpointer
push_rows (gpointer data)
{
  Sensor *sensor = data;
  Robot *robot = sensor->robot;
  const gfloat row[7] = { 0 };
  const gint64 period_us = G_USEC_PER_SEC / rate;
  gint64 now, t;

  begin_stream (sensor);
  for (t = running_us (robot);; t += period_us) {
    GstBuffer *buffer = gst_buffer_new_memdup (row, sizeof (row));

    while ((now = running_us (robot)) < t)
      g_usleep ((gulong) (t - now));
    t = MAX (t, now - G_USEC_PER_SEC);
    GST_BUFFER_PTS (buffer) = (GstClockTime) t * 1000;
    if (gst_pad_push (sensor->from, buffer) != GST_FLOW_OK)
      return NULL;
    SET (robot->shared->rows[sensor->index], robot->shared->rows[sensor->index] + 1);
    raise_to (&robot->shared->max_lag_us, running_us (robot) - t);
  }
}

static void
note_hole (Shared *shared)
{
  if (GET (shared->last_tick) > 0)
    raise_to (&shared->max_hole_us, g_get_monotonic_time () - GET (shared->last_tick));
}

static GstPadProbeReturn
note_sample (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Robot *robot = data;
  const gint64 due_us = (gint64) (GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info)) + robot->latency) / 1000;

  SET (robot->shared->ticks, robot->shared->ticks + 1);
  note_hole (robot->shared);
  SET (robot->shared->last_tick, g_get_monotonic_time ());
  raise_to (&robot->shared->max_lateness_us, running_us (robot) - due_us);
  return GST_PAD_PROBE_OK;
}

static void
note_messages (Robot *robot)
{
  GstMessage *message;

  while ((message = gst_bus_pop (GST_ELEMENT_BUS (robot->pipeline)))) {
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
      g_atomic_int_inc (&robot->shared->n_errors);
    else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_QOS)
      g_atomic_int_inc (&robot->shared->n_messages);
    gst_message_unref (message);
  }
}

static void
note_statistics (Robot *robot)
{
  GstStructure *stats;
  guint64 dropped = 0, lost = 0, late = 0;

  g_object_get (robot->fuse, "stats", &stats, NULL);
  gst_structure_get (stats, "ticks-dropped", G_TYPE_UINT64, &dropped, "rows-dropped", G_TYPE_UINT64,
      &lost, "rows-late", G_TYPE_UINT64, &late, NULL);
  gst_structure_free (stats);
  SET (robot->shared->ticks_dropped, (gint64) dropped);
  SET (robot->shared->rows_lost, (gint64) (lost + late));
}

static void
plug_in_sensors (Robot *robot)
{
  for (guint i = 0; i < (guint) n_pads; i++) {
    Sensor *sensor = g_new0 (Sensor, 1);        /* as long as the process */
    GstPad *to = gst_element_request_pad_simple (robot->fuse, "proprio_%u");

    *sensor = (Sensor) { robot, i, gst_pad_new (NULL, GST_PAD_SRC) };
    gst_pad_set_query_function (sensor->from, answer_query);
    gst_pad_set_active (sensor->from, TRUE);
    gst_pad_link (sensor->from, to);
    gst_object_unref (to);
    g_thread_unref (g_thread_new ("sensor", push_rows, sensor));
  }
}

static void
run_robot (Shared *shared)
{
  Robot robot = { shared };
  GstElement *sink;
  GstQuery *query;
  GstPad *pad;

  gst_init (NULL, NULL);
  robot.pipeline = gst_pipeline_new (NULL);
  robot.fuse = gst_element_factory_make ("robocachefuse", NULL);
  sink = gst_element_factory_make ("fakesink", NULL);
  g_object_set (robot.fuse, "rate", tick_rate, 1, "layout", 1, NULL);
  g_object_set (sink, "sync", FALSE, "async", FALSE, NULL);
  gst_bin_add_many (GST_BIN (robot.pipeline), robot.fuse, sink, NULL);
  gst_element_link (robot.fuse, sink);
  gst_element_set_state (robot.pipeline, GST_STATE_PLAYING);
  gst_element_get_state (robot.pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  robot.clock = gst_element_get_clock (robot.fuse);
  robot.base_time = gst_element_get_base_time (robot.fuse);
  plug_in_sensors (&robot);
  g_usleep (CALM_US);
  query = gst_query_new_latency ();
  gst_element_query (robot.fuse, query);
  gst_query_parse_latency (query, NULL, &robot.latency, NULL);
  gst_query_unref (query);
  pad = gst_element_get_static_pad (robot.fuse, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_sample, &robot, NULL);
  for (SET (shared->is_ready, TRUE);; g_usleep (STATISTICS_US)) {
    note_messages (&robot);
    note_statistics (&robot);
  }
}

/* ---- the judge ---- */

static pid_t
spawn (void (*run) (Shared *shared), Shared *shared)
{
  const pid_t pid = fork ();

  if (pid == 0) {
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    run (shared);
    _exit (EXIT_FAILURE);
  }
  return pid;
}

static void
spin (Shared *shared)
{
  for (;;)
    __asm__ volatile ("");
}

static void
kill_all (const pid_t *pids, gint n)
{
  for (gint i = 0; i < n; i++) {
    kill (pids[i], SIGKILL);
    waitpid (pids[i], NULL, 0);
  }
}

static gint64
count_rows (Shared *shared)
{
  gint64 n = 0;

  for (gint i = 0; i < n_pads; i++)
    n += GET (shared->rows[i]);
  return n;
}

/* Resident memory of a process (MB). */
static gint64
memory_of (pid_t pid)
{
  gchar *path = g_strdup_printf ("/proc/%d/statm", (int) pid), *text = NULL;
  gint64 pages = 0;

  if (g_file_get_contents (path, &text, NULL, NULL))
    pages = g_ascii_strtoll (strchr (text, ' '), NULL, 10);
  g_free (path);
  g_free (text);
  return pages * sysconf (_SC_PAGESIZE) / 1000000;
}

typedef struct
{
  gint64 time, rows, ticks, ticks_dropped, rows_lost;
  gint messages;
} Mark;

static Mark
mark (Shared *shared)
{
  SET (shared->max_lag_us, 0);
  SET (shared->max_lateness_us, 0);
  SET (shared->max_hole_us, 0);
  return (Mark) { g_get_monotonic_time (), count_rows (shared), GET (shared->ticks), GET (shared->ticks_dropped),
    GET (shared->rows_lost), g_atomic_int_get (&shared->n_messages)
  };
}

/* Returns the ticks a second. */
static gdouble
report (Shared *shared, pid_t robot, const gchar *phase, const Mark *since)
{
  const gdouble s = (gdouble) (g_get_monotonic_time () - since->time) / 1e6;

  note_hole (shared);           /* one that has not ended */
  printf ("  %-7s %8.0f rows/s, %6.1f ticks/s, lag of rows at most %9.3f ms, ticks late by at most %9.3f ms, hole at most %9.3f ms, "
      "lost %" G_GINT64_FORMAT " rows and %" G_GINT64_FORMAT " ticks, %d QoS messages, %" G_GINT64_FORMAT " MB\n", phase,
      (gdouble) (count_rows (shared) - since->rows) / s, (gdouble) (GET (shared->ticks) - since->ticks) / s,
      (gdouble) GET (shared->max_lag_us) / 1e3, (gdouble) GET (shared->max_lateness_us) / 1e3,
      (gdouble) GET (shared->max_hole_us) / 1e3, GET (shared->rows_lost) - since->rows_lost, GET (shared->ticks_dropped) - since->ticks_dropped,
      g_atomic_int_get (&shared->n_messages) - since->messages, memory_of (robot));
  return (gdouble) (GET (shared->ticks) - since->ticks) / s;
}

/* Rows come in at the rate, and not those of long ago. */
static gboolean
is_full (Shared *shared, const Mark *since)
{
  const gdouble s = (gdouble) (g_get_monotonic_time () - since->time) / 1e6;

  return (gdouble) (count_rows (shared) - since->rows) >= FULL * n_pads * rate * s && GET (shared->max_lag_us) < WINDOW_US;
}

/* From now to the beginning of the first window at the full rate; GIVE_UP_US: there was none. */
static gint64
time_to_recover (Shared *shared)
{
  const gint64 begin = g_get_monotonic_time ();

  while (g_get_monotonic_time () < begin + GIVE_UP_US) {
    const Mark since = mark (shared);

    g_usleep (WINDOW_US);
    if (is_full (shared, &since))
      return since.time - begin;
  }
  return GIVE_UP_US;
}

static void
starve (pid_t robot)
{
  pid_t loops[MAX_LOOPS];

  for (gint i = 0; i < n_loops; i++)
    loops[i] = spawn (spin, NULL);
  g_usleep ((gulong) (n_seconds - n_stopped) * G_USEC_PER_SEC / 2);
  kill (robot, SIGSTOP);
  g_usleep ((gulong) n_stopped * G_USEC_PER_SEC);
  kill (robot, SIGCONT);
  g_usleep ((gulong) (n_seconds - n_stopped) * G_USEC_PER_SEC / 2);
  kill_all (loops, n_loops);
}

static gboolean
run_round (Shared *shared, pid_t robot, gint round, gint64 *us)
{
  Mark since = mark (shared);
  gboolean enough;

  printf ("round %d\n", round);
  g_usleep (CALM_US);
  report (shared, robot, "before", &since);
  since = mark (shared);
  starve (robot);
  enough = report (shared, robot, "during", &since) >= ENOUGH * tick_rate || n_stopped > 0;
  *us = time_to_recover (shared);
  since = mark (shared);
  g_usleep (CALM_US);
  report (shared, robot, "after", &since);
  printf ("  %s full intake after %.2f s\n", *us <= BOUND_US ? "back at" : "not back in time at", (gdouble) *us / 1e6);
  if (!enough)
    printf ("  too few ticks\n");
  fflush (stdout);
  return enough && *us <= BOUND_US;
}

static gboolean
judge (Shared *shared, pid_t robot)
{
  gint n_back = 0;
  gint64 slowest = 0, us;

  while (!GET (shared->is_ready) && waitpid (robot, NULL, WNOHANG) == 0)
    g_usleep (LOOK_US);
  for (gint i = 1; i <= n_rounds && waitpid (robot, NULL, WNOHANG) == 0; i++) {
    n_back += run_round (shared, robot, i, &us);
    slowest = MAX (slowest, us);
  }
  return verdict (n_back == n_rounds && GET (shared->n_errors) == 0, "starved_pipelines_recover",
      "%d of %d times enough ticks, and back at full intake within 2 s, at most %.2f s, %d errors", n_back, n_rounds, (gdouble) slowest / 1e6,
      GET (shared->n_errors));
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;
  Shared *shared = mmap (NULL, sizeof (Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  cpu_set_t cores;
  pid_t robot;
  gboolean ok;

  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || n_pads < 1 || n_pads > MAX_PADS || n_loops < 0 || n_loops > MAX_LOOPS
      || n_rounds < 1 || rate < 1 || tick_rate < 1 || n_cores < 1 || n_stopped < 0 || n_seconds < n_stopped || shared == MAP_FAILED) {
    fprintf (stderr, "%s\n", error ? error->message : "a number is out of range");
    return EXIT_FAILURE;
  }
  g_option_context_free (context);
  CPU_ZERO (&cores);
  for (gint i = 0; i < n_cores; i++)
    CPU_SET ((gsize) i, &cores);
  sched_setaffinity (0, sizeof (cores), &cores);
  robot = spawn (run_robot, shared);
  ok = judge (shared, robot);
  kill_all (&robot, 1);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
