/* robocache: how long after its last row a live sample comes out of robocachefuse, and what takes that time
 *
 *   bench-latency [--ticks N] [--only TEXT] [--csv FILE] [--smoke]
 *
 * A thread a sensor pushes each row when it is due: 14 channels at 100 Hz, 6 at 1 kHz, and in half of the works a camera of
 * 640x480, with a jitter of a tenth of the period. For each tick at 100 Hz the row that completes it is known: of each stream the
 * first at or after the tick, and of these the one that was pushed last. The latency goes from there to the sample at the
 * next element's pad (`pushed`), and where it is in device memory on to the end of the work on it (`complete`). Ticks that
 * their deadline made, before they were complete, are counted apart.
 *
 * A second, shorter run of each work notes the stages that the element logs, and gives the median of each: the row that makes
 * the tick complete is taken in (`decided`), the source pad's thread is awake (`woken`), the sample is made (`made`), it is at
 * the next pad (`pushed`).
 *
 * The first row is the least that any such element pays: from the signal to a thread that has slept for a tick to that thread.
 * Works that are `awake` set busy-wait and have no thread to wake.
 *
 * What came out is compared, bit for bit, with what the CPU makes of the same rows when it is not live: of a tensor all that
 * it holds, up to 64 bytes, of a frame the first 8, which are its row's time. Status 1 when something differs; SKIP lines for
 * what needs a GPU where there is none.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/gst.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live.h"

#define WARM_UP 50              /* ticks, in which pools fill and kernels are loaded */

static const LiveWork works[] = {
  {"CPU", "cpu", FALSE, FALSE, FALSE, 30, 100},
  {"CPU, with a camera", "cpu", FALSE, TRUE, FALSE, 30, 100},
  {"CPU, awake", "cpu", FALSE, FALSE, TRUE, 30, 100},
  {"CPU, with a camera, awake", "cpu", FALSE, TRUE, TRUE, 30, 100},
  {"GPU", "cuda", TRUE, FALSE, FALSE, 45, 120},
  {"GPU, with a camera", "cuda", TRUE, TRUE, FALSE, 45, 120},
  {"GPU, awake", "cuda", TRUE, FALSE, TRUE, 45, 120},
  {"GPU, with a camera, awake", "cuda", TRUE, TRUE, TRUE, 45, 120},
  {"GPU, to system memory", "cuda", FALSE, FALSE, FALSE, 0, 0},
  {"GPU, to system memory, awake", "cuda", FALSE, FALSE, TRUE, 0, 0},
};

static gint n_ticks = 2000;
static gchar *only = NULL, *csv = NULL;
static gboolean smoke = FALSE;

static const GOptionEntry options[] = {
  {"ticks", 'n', 0, G_OPTION_ARG_INT, &n_ticks, "Ticks of each work, 100 of them a second (default 2000)", "N"},
  {"only", 'o', 0, G_OPTION_ARG_STRING, &only, "Works whose names hold the text", "TEXT"},
  {"csv", 0, 0, G_OPTION_ARG_FILENAME, &csv, "Writes the figures there, too", "FILE"},
  {"smoke", 0, 0, G_OPTION_ARG_NONE, &smoke, "A short run, to see that it works", NULL},
  {NULL}
};

/* ---- figures ---- */

enum
{
  P50,
  P95,
  P99,
  MOST,
  N_QUANTILES
};

static const gdouble shares[N_QUANTILES] = { 0.5, 0.95, 0.99, 1 };

/* From the one before to this; the first from the push of the row. */
enum
{
  DECIDED,
  WOKEN,
  MADE,
  PUSHED,
  COMPLETE,
  N_STAGES
};

typedef struct
{
  guint n;                      /* ticks of which the following is */
  guint n_checked;
  guint by_deadline, absent, differing;
  gdouble pushed_us[N_QUANTILES], complete_us[N_QUANTILES];
  gdouble stage_us[N_STAGES];   /* medians */
} Figures;

static gint
compare (gconstpointer a, gconstpointer b)
{
  const gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return (x > y) - (x < y);
}

/* The least value that so much of all is not above. */
static gdouble
quantile (const GArray *sorted, gdouble share)
{
  return sorted->len == 0 ? 0 : g_array_index (sorted, gdouble, (guint) (share * (sorted->len - 1)));
}

static void
quantiles (GArray *values, gdouble out[N_QUANTILES])
{
  g_array_sort (values, compare);
  for (guint i = 0; i < N_QUANTILES; i++)
    out[i] = quantile (values, shares[i]);
}

static void
append_us (GArray *values, gint64 ns)
{
  const gdouble us = (gdouble) ns * 1e-3;

  g_array_append_val (values, us);
}

static gboolean
same_bytes (const LiveSample *a, const LiveSample *b)
{
  return a->n_tensors == b->n_tensors && memcmp (a->bytes, b->bytes, sizeof (a->bytes)) == 0;
}

/* calls with each complete tick after the first ones. */
static void
look_at_ticks (const LiveRun *run, const LiveRun *truth, Figures *figures, void (*look) (gpointer data, const LiveSample * sample,
        gint64 completed), gpointer data)
{
  guint64 next[MAX_LINE_STREAMS] = { 0 };

  for (guint tick = 0; tick < run->n_ticks; tick++) {
    const LiveSample *sample = &run->samples[tick];
    const gint64 completed = live_completed_at (run, tick, next);

    if (tick < WARM_UP)
      continue;
    if (sample->n_tensors == 0) {
      figures->absent++;
    } else if (!sample->is_whole) {
      figures->by_deadline++;
    } else {
      figures->n_checked++;
      figures->differing += !same_bytes (sample, &truth->samples[tick]);
      look (data, sample, completed);
    }
  }
}

typedef struct
{
  GArray *pushed, *complete;
} Latencies;

static void
add_latency (gpointer data, const LiveSample *sample, gint64 completed)
{
  const Latencies *latencies = data;

  append_us (latencies->pushed, sample->pushed - completed);
  append_us (latencies->complete, sample->complete - completed);
}

static void
measure_latencies (const LiveWork *work, guint ticks, const LiveRun *truth, Figures *figures)
{
  Latencies latencies = { g_array_new (FALSE, FALSE, sizeof (gdouble)), g_array_new (FALSE, FALSE, sizeof (gdouble)) };
  LiveRun run;

  live_run_open (&run, work, ticks, TRUE);
  look_at_ticks (&run, truth, figures, add_latency, &latencies);
  figures->n = latencies.pushed->len;
  quantiles (latencies.pushed, figures->pushed_us);
  quantiles (latencies.complete, figures->complete_us);
  g_array_unref (latencies.pushed);
  g_array_unref (latencies.complete);
  live_run_close (&run);
}

static void
add_stages (gpointer data, const LiveSample *sample, gint64 completed)
{
  GArray **stage = data;
  const gint64 times[N_STAGES] = { sample->decided, sample->woken, sample->made, sample->pushed, sample->complete };
  gint64 before = completed;

  for (guint i = 0; i < N_STAGES; i++) {
    append_us (stage[i], times[i] - before);
    before = times[i];
  }
}

static void
measure_stages (const LiveWork *work, guint ticks, const LiveRun *truth, Figures *figures)
{
  GArray *stage[N_STAGES];
  Figures ignored = { 0 };
  LiveRun run;

  for (guint i = 0; i < N_STAGES; i++)
    stage[i] = g_array_new (FALSE, FALSE, sizeof (gdouble));
  live_note_stages (TRUE);
  live_run_open (&run, work, ticks, TRUE);
  live_note_stages (FALSE);
  look_at_ticks (&run, truth, &ignored, add_stages, stage);
  for (guint i = 0; i < N_STAGES; i++) {
    g_array_sort (stage[i], compare);
    figures->stage_us[i] = quantile (stage[i], 0.5);
    g_array_unref (stage[i]);
  }
  live_run_close (&run);
}

/* ---- what no element can do without: waking a thread ---- */

typedef struct
{
  GMutex lock;
  GCond due;
  guint n;                      /* times to wake */
  gint64 woken_by;              /* when it was asked to; 0: it is not */
  GArray *us;
} Sleeper;

static gpointer
sleep_and_note (gpointer data)
{
  Sleeper *sleeper = data;

  g_mutex_lock (&sleeper->lock);
  for (guint i = 0; i < sleeper->n; i++) {
    while (sleeper->woken_by == 0)
      g_cond_wait (&sleeper->due, &sleeper->lock);
    append_us (sleeper->us, (gint64) line_now () - sleeper->woken_by);
    sleeper->woken_by = 0;
  }
  g_mutex_unlock (&sleeper->lock);
  return NULL;
}

/* Of a thread that has slept for as long as a tick takes, by another that has slept too. */
static void
measure_waking (guint n, Figures *figures)
{
  Sleeper sleeper = {.n = n,.us = g_array_new (FALSE, FALSE, sizeof (gdouble)) };
  GThread *thread;

  g_mutex_init (&sleeper.lock);
  g_cond_init (&sleeper.due);
  thread = g_thread_new ("sleeper", sleep_and_note, &sleeper);
  for (guint i = 0; i < n; i++) {
    g_usleep (LIVE_TICK_NS / 1000);
    g_mutex_lock (&sleeper.lock);
    sleeper.woken_by = (gint64) line_now ();
    g_cond_signal (&sleeper.due);
    g_mutex_unlock (&sleeper.lock);
  }
  g_thread_join (thread);
  figures->n = n;
  quantiles (sleeper.us, figures->pushed_us);
  memcpy (figures->complete_us, figures->pushed_us, sizeof (figures->complete_us));
  g_array_unref (sleeper.us);
  g_cond_clear (&sleeper.due);
  g_mutex_clear (&sleeper.lock);
}

/* ---- what is printed ---- */

static const gchar *
verdict (const Figures *figures)
{
  if (figures->n_checked == 0 && figures->n > 0)
    return "";
  if (figures->n == 0)
    return "nothing came out in time";
  return figures->differing > 0 ? "differs from the CPU" : "yes";
}

static void
print_row (const LiveWork *work, const Figures *figures)
{
  const gdouble *const p = figures->pushed_us, *const c = figures->complete_us, *const s = figures->stage_us;

  printf ("| %s | %u | %u | %.1f | %.1f | %.1f | %.0f | %.1f | %.1f | %.1f | %.0f | %.1f | %.1f | %.1f | %.1f | %.1f | %s |\n",
      work->name, figures->n, figures->by_deadline + figures->absent, p[P50], p[P95], p[P99], p[MOST], c[P50], c[P95], c[P99],
      c[MOST], s[DECIDED], s[WOKEN], s[MADE], s[PUSHED], s[COMPLETE], verdict (figures));
  fflush (stdout);
}

static void
write_csv_head (FILE *file)
{
  fprintf (file, "work,ticks,by_deadline,absent,pushed_p50_us,pushed_p95_us,pushed_p99_us,pushed_max_us,complete_p50_us,"
      "complete_p95_us,complete_p99_us,complete_max_us,decided_us,woken_us,made_us,handed_us,device_us,wanted_p50_us,"
      "wanted_p99_us,checked\n");
}

static void
write_csv_row (FILE *file, const LiveWork *work, const Figures *figures)
{
  fprintf (file, "\"%s\",%u,%u,%u", work->name, figures->n, figures->by_deadline, figures->absent);
  for (guint i = 0; i < N_QUANTILES; i++)
    fprintf (file, ",%.2f", figures->pushed_us[i]);
  for (guint i = 0; i < N_QUANTILES; i++)
    fprintf (file, ",%.2f", figures->complete_us[i]);
  for (guint i = 0; i < N_STAGES; i++) {
    if (figures->n_checked > 0)
      fprintf (file, ",%.2f", figures->stage_us[i]);
    else
      fprintf (file, ",");
  }
  if (work->p50_us > 0)
    fprintf (file, ",%g,%g,%s\n", work->p50_us, work->p99_us, verdict (figures));
  else
    fprintf (file, ",,,%s\n", verdict (figures));
}

/* ---- works ---- */

/* Whether the work's backend is there; the reason is the element's. */
static gboolean
can_run (const LiveWork *work)
{
  GstElement *element = gst_element_factory_make ("robocachefuse", NULL);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GError *error = NULL;
  gboolean can;

  if (element == NULL)
    line_fail ("there is no element robocachefuse");
  gst_element_set_bus (element, bus);
  gst_util_set_object_arg (G_OBJECT (element), "backend", work->backend);
  can = gst_element_set_state (element, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE;
  gst_element_set_state (element, GST_STATE_NULL);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  if (message) {
    gst_message_parse_error (message, &error, NULL);
    printf ("SKIP %s: %s\n", work->name, error->message);
    g_error_free (error);
    gst_message_unref (message);
  }
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
  return can;
}

static gboolean
measure (const LiveWork *work, FILE *file)
{
  const guint ticks = (guint) n_ticks + WARM_UP, of_stages = (guint) MAX (n_ticks / 4, 50) + WARM_UP;
  Figures figures = { 0 };
  LiveRun truth;

  live_run_open (&truth, work, MAX (ticks, of_stages), FALSE);
  measure_latencies (work, ticks, &truth, &figures);
  measure_stages (work, of_stages, &truth, &figures);
  live_run_close (&truth);
  if (smoke)
    printf ("%s %s: %u ticks, %s\n", figures.n > 0 && figures.differing == 0 ? "PASS" : "FAIL", work->name, figures.n,
        verdict (&figures));
  else
    print_row (work, &figures);
  if (file)
    write_csv_row (file, work, &figures);
  return figures.n > 0 && figures.differing == 0;
}

static void
wake_alone (FILE *file)
{
  static const LiveWork alone = {.name = "a thread, woken" };
  Figures figures = { 0 };

  measure_waking ((guint) MIN (n_ticks, 500), &figures);
  print_row (&alone, &figures);
  if (file)
    write_csv_row (file, &alone, &figures);
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new ("- from the last row of a live tick to the sample");
  GError *error = NULL;
  gboolean ok = TRUE;
  FILE *file = NULL;

  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error))
    line_fail ("%s", error->message);
  g_option_context_free (context);
  if (n_ticks < 1 || n_ticks > 1000000)
    line_fail ("--ticks is %d, expected 1 to 1000000", n_ticks);
  if (smoke)
    n_ticks = 50;
  if (csv && (file = fopen (csv, "w")) == NULL)
    line_fail ("--csv: %s cannot be written", csv);
  /* in a bundle it is among the plugins */
  if (gst_plugin_load_file (ROBOCACHE_PLUGIN, NULL) == NULL)
    gst_element_factory_find ("robocachefuse");

  if (file)
    write_csv_head (file);
  if (!smoke)
    printf ("| live | ticks | by deadline | pushed us, p50 | p95 | p99 | max | complete us, p50 | p95 | p99 | max | decided us "
        "| woken | made | handed | device | checked |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  if (!smoke && only == NULL)
    wake_alone (file);
  for (guint i = 0; i < G_N_ELEMENTS (works); i++) {
    if ((only == NULL || strstr (works[i].name, only)) && can_run (&works[i]))
      ok = measure (&works[i], file) && ok;
  }
  if (file && fclose (file) != 0)
    line_fail ("--csv: %s cannot be written", csv);
  return ok ? 0 : 1;
}
