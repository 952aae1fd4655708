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
 * Of the same ticks are the stages that the element logs: the row that makes the tick complete is taken in (`decided`), the
 * source pad's thread is awake (`woken`), the sample is made (`made`), it is at the next pad (`handed`), the device has
 * written it (`device`). Each is given as the median of all ticks, and as that of the slowest hundredth.
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
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/common/table.h"
#include "tests/bench/pipelines/live.h"

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

/* us of a tick */
typedef struct
{
  gdouble pushed, complete;
  gdouble stages[N_STAGES];
} Tick;

/* Medians, us. */
typedef struct
{
  gdouble stages[N_STAGES];
} Parts;

typedef struct
{
  guint n;                      /* ticks of which the following is */
  guint by_deadline, absent, differing;
  gdouble pushed_us[N_QUANTILES], complete_us[N_QUANTILES];
  gboolean has_parts;
  Parts all, slowest;           /* of all ticks, and of the hundredth that took longest */
} Figures;

/* The least value that so much of all is not above. */
static gdouble
quantile (const GArray *sorted, gdouble share)
{
  return sorted->len == 0 ? 0 : g_array_index (sorted, gdouble, (guint) (share * (sorted->len - 1)));
}

static gboolean
same_bytes (const LiveSample *a, const LiveSample *b)
{
  return a->n_tensors == b->n_tensors && memcmp (a->bytes, b->bytes, sizeof (a->bytes)) == 0;
}

static Tick
tick_of (const LiveSample *sample, gint64 completed)
{
  const gint64 times[N_STAGES] = { sample->decided, sample->woken, sample->made, sample->pushed, sample->complete };
  Tick tick = {.pushed = (gdouble) (sample->pushed - completed) * 1e-3,
    .complete = (gdouble) (sample->complete - completed) * 1e-3
  };

  for (guint i = 0; i < N_STAGES; i++)
    tick.stages[i] = (gdouble) (times[i] - (i > 0 ? times[i - 1] : completed)) * 1e-3;
  return tick;
}

/* Complete ticks after the first ones. */
static GArray *
look_at_ticks (const LiveRun *run, const LiveRun *truth, Figures *figures)
{
  GArray *ticks = g_array_new (FALSE, FALSE, sizeof (Tick));
  guint64 next[MAX_LINE_STREAMS] = { 0 };

  for (guint i = 0; i < run->n_ticks; i++) {
    const LiveSample *sample = &run->samples[i];
    const gint64 completed = live_completed_at (run, i, next);

    if (i < WARM_UP)
      continue;
    if (sample->n_tensors == 0) {
      figures->absent++;
    } else if (!sample->is_whole) {
      figures->by_deadline++;
    } else {
      const Tick tick = tick_of (sample, completed);

      figures->differing += !same_bytes (sample, &truth->samples[i]);
      g_array_append_val (ticks, tick);
    }
  }
  return ticks;
}

/* Of one of a tick's figures, which is so many bytes from its begin, in the ticks from first on. */
static GArray *
column (const GArray *ticks, guint first, gsize offset)
{
  GArray *values = g_array_new (FALSE, FALSE, sizeof (gdouble));

  for (guint i = first; i < ticks->len; i++)
    g_array_append_vals (values, (const guint8 *) &g_array_index (ticks, Tick, i) + offset, 1);
  if (values->len > 0)
    bench_spread ((gdouble *) (gpointer) values->data, (gint) values->len);     /* which sorts */
  return values;
}

static gdouble
median (const GArray *ticks, guint first, gsize offset)
{
  GArray *values = column (ticks, first, offset);
  const gdouble middle = quantile (values, 0.5);

  g_array_unref (values);
  return middle;
}

static Parts
parts_of (const GArray *ticks, guint first)
{
  Parts parts;

  for (guint i = 0; i < N_STAGES; i++)
    parts.stages[i] = median (ticks, first, G_STRUCT_OFFSET (Tick, stages) + i * sizeof (gdouble));
  return parts;
}

static gint
compare_ticks (gconstpointer a, gconstpointer b)
{
  const gdouble x = ((const Tick *) a)->complete, y = ((const Tick *) b)->complete;

  return (x > y) - (x < y);
}

static void
quantiles (const GArray *ticks, gsize offset, gdouble out[N_QUANTILES])
{
  GArray *values = column (ticks, 0, offset);

  for (guint i = 0; i < N_QUANTILES; i++)
    out[i] = quantile (values, shares[i]);
  g_array_unref (values);
}

static void
measure_ticks (const LiveWork *work, guint n, const LiveRun *truth, Figures *figures)
{
  GArray *ticks;
  LiveRun run;

  live_run_open (&run, work, n, TRUE);
  ticks = look_at_ticks (&run, truth, figures);
  g_array_sort (ticks, compare_ticks);
  figures->n = ticks->len;
  figures->has_parts = TRUE;
  quantiles (ticks, G_STRUCT_OFFSET (Tick, pushed), figures->pushed_us);
  quantiles (ticks, G_STRUCT_OFFSET (Tick, complete), figures->complete_us);
  figures->all = parts_of (ticks, 0);
  figures->slowest = parts_of (ticks, ticks->len - (ticks->len + 99) / 100);
  g_array_unref (ticks);
  live_run_close (&run);
}

/* ---- what no element can do without: waking a thread ---- */

typedef struct
{
  GMutex lock;
  GCond due;
  guint n;                      /* times to wake */
  gint64 woken_by;              /* when it was asked to; 0: it is not */
  GArray *ticks;
} Sleeper;

static gpointer
sleep_and_note (gpointer data)
{
  Sleeper *sleeper = data;
  Tick tick = { 0 };

  g_mutex_lock (&sleeper->lock);
  for (guint i = 0; i < sleeper->n; i++) {
    while (sleeper->woken_by == 0)
      g_cond_wait (&sleeper->due, &sleeper->lock);
    tick.pushed = (gdouble) ((gint64) line_now () - sleeper->woken_by) * 1e-3;
    g_array_append_val (sleeper->ticks, tick);
    sleeper->woken_by = 0;
  }
  g_mutex_unlock (&sleeper->lock);
  return NULL;
}

/* Of a thread that has slept for as long as a tick takes, by another that has slept too. */
static void
measure_waking (guint n, Figures *figures)
{
  Sleeper sleeper = {.n = n,.ticks = g_array_new (FALSE, FALSE, sizeof (Tick)) };
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
  quantiles (sleeper.ticks, G_STRUCT_OFFSET (Tick, pushed), figures->pushed_us);
  memcpy (figures->complete_us, figures->pushed_us, sizeof (figures->complete_us));
  g_array_unref (sleeper.ticks);
  g_cond_clear (&sleeper.due);
  g_mutex_clear (&sleeper.lock);
}

/* ---- what is printed ---- */

static const gchar *
verdict (const Figures *figures)
{
  if (!figures->has_parts)
    return "";
  if (figures->n == 0)
    return "nothing came out in time";
  return figures->differing > 0 ? "differs from the CPU" : "yes";
}

static void
put_us (Table *table, const gdouble *us, guint n, gboolean measured)
{
  for (guint i = 0; i < n; i++)
    table_number (table, measured ? us[i] : NAN, 2);
}

static void
put_row (Table *table, const LiveWork *work, const Figures *figures)
{
  const gdouble wanted[] = { work->p50_us, work->p99_us };

  table_text (table, work->name);
  table_number (table, figures->n, 0);
  table_number (table, figures->by_deadline, 0);
  table_number (table, figures->absent, 0);
  put_us (table, figures->pushed_us, N_QUANTILES, TRUE);
  put_us (table, figures->complete_us, N_QUANTILES, TRUE);
  put_us (table, figures->all.stages, N_STAGES, figures->has_parts);
  put_us (table, figures->slowest.stages, N_STAGES, figures->has_parts);
  put_us (table, wanted, G_N_ELEMENTS (wanted), work->p50_us > 0);
  table_text (table, verdict (figures));
}

/* ---- works ---- */

static gboolean
measure (const LiveWork *work, Table *table)
{
  const guint ticks = (guint) n_ticks + WARM_UP;
  Figures figures = { 0 };
  LiveRun truth;

  live_run_open (&truth, work, ticks, FALSE);
  measure_ticks (work, ticks, &truth, &figures);
  live_run_close (&truth);
  if (smoke)
    printf ("%s %s: %u ticks, %s\n", figures.n > 0 && figures.differing == 0 ? "PASS" : "FAIL", work->name, figures.n,
        verdict (&figures));
  else
    put_row (table, work, &figures);
  return figures.n > 0 && figures.differing == 0;
}

static void
wake_alone (Table *table)
{
  static const LiveWork alone = {.name = "a thread, woken" };
  Figures figures = { 0 };

  measure_waking ((guint) MIN (n_ticks, 500), &figures);
  put_row (table, &alone, &figures);
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new ("- from the last row of a live tick to the sample");
  GError *error = NULL;
  gboolean ok = TRUE;
  Table table;

  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error))
    line_fail ("%s", error->message);
  g_option_context_free (context);
  if (n_ticks < 1 || n_ticks > 1000000)
    line_fail ("--ticks is %d, expected 1 to 1000000", n_ticks);
  if (smoke)
    n_ticks = 50;
  live_init ();
  /* in a bundle it is among the plugins */
  if (gst_plugin_load_file (ROBOCACHE_PLUGIN, NULL) == NULL)
    gst_element_factory_find ("robocachefuse");

  if (!smoke)
    table_open (&table, csv, "work,ticks,by_deadline,absent,pushed_p50_us,pushed_p95_us,pushed_p99_us,pushed_max_us,complete_p50_us,"
        "complete_p95_us,complete_p99_us,complete_max_us,decided_us,woken_us,made_us,handed_us,device_us,slowest_decided_us,"
        "slowest_woken_us,slowest_made_us,slowest_handed_us,slowest_device_us,wanted_p50_us,wanted_p99_us,checked");
  if (!smoke && only == NULL)
    wake_alone (&table);
  for (guint i = 0; i < G_N_ELEMENTS (works); i++) {
    GstElement *element = NULL;

    if (only == NULL || strstr (works[i].name, only))
      element = line_open_backend ("robocachefuse", works[i].backend, works[i].name);
    if (element == NULL)
      continue;
    line_close_element (element);
    ok = measure (&works[i], &table) && ok;
  }
  if (!smoke)
    table_end (&table);
  return ok ? 0 : 1;
}
