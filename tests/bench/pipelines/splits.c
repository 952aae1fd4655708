/* robocache: what a split over several GPUs gains an element whose batches come in system memory and leave in it
 *
 *   bench-splits [--runs N] [--csv FILE]
 *
 * The same batch goes through the element again and again, on 1, 2 and 4 GPUs, as many as there are, with backend=cuda, which
 * splits as it is told; the numbers of GPUs take turns. A row has the time from one output to the next, and how many times
 * faster the median is than that of one GPU: where it is, backend=auto might split, too (robocache_device_shards in
 * common/backend/enginechoice.h). Outputs are compared, bit for bit, with those of backend=cpu.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/gst.h>
#include <stdio.h>
#include <string.h>

#include "tests/bench/pipelines/line.h"
#include "tests/bench/common/spread.h"
#include "tests/bench/common/table.h"

#define EPISODE_ROWS 500
#define EPISODE_TICKS 256
#define EPISODE_CHANNELS 32
#define CLOUD_POINTS 100000
#define AXIS 128
#define WARM_UP 4               /* buffers */
#define ROUNDS 3                /* in which each number of GPUs has its turn */
#define MAX_GPUS 4
#define MAX_COUNTS 3            /* of GPUs: 1, 2 and 4 */

static gint n_runs = 11;
static gchar *csv = NULL;

static const GOptionEntry options[] = {
  {"runs", 'n', 0, G_OPTION_ARG_INT, &n_runs, "Buffers of each turn (default 11)", "N"},
  {"csv", 0, 0, G_OPTION_ARG_FILENAME, &csv, "Writes the figures there, too", "FILE"},
  {NULL}
};

typedef struct
{
  const gchar *name;
  const gchar *element;
  const gchar *settings[4];
  gsize out_bytes;              /* of an item */
  GstBuffer *(*make) (guint items);
  gchar *(*caps) (guint items);
  guint items[6];               /* up to 0 */
} Work;

/* ---- batches ---- */

static GstBuffer *
buffer_of (GstMemory *const *parts, guint n)
{
  GstBuffer *buffer = gst_buffer_new ();

  for (guint i = 0; i < n; i++)
    gst_buffer_append_memory (buffer, parts[i]);
  return buffer;
}

static GstMemory *
memory_of (gpointer data, gsize bytes)
{
  return gst_memory_new_wrapped (0, data, bytes, 0, bytes, data, g_free);
}

static GstBuffer *
make_episodes (guint items)
{
  const gsize n_rows = (gsize) items * EPISODE_ROWS, n_ticks = (gsize) items * EPISODE_TICKS;
  gfloat *rows = g_new (gfloat, n_rows * EPISODE_CHANNELS);
  gint64 *times = g_new (gint64, n_rows), *ticks = g_new (gint64, n_ticks);
  GRand *random = g_rand_new_with_seed (1);
  GstMemory *parts[3];

  for (gsize i = 0; i < n_rows * EPISODE_CHANNELS; i++)
    rows[i] = (gfloat) g_rand_double_range (random, -1, 1);
  for (gsize i = 0; i < n_rows; i++)
    times[i] = (gint64) (i % EPISODE_ROWS) * GST_MSECOND + g_rand_int_range (random, 0, 300000);
  for (gsize i = 0; i < n_ticks; i++)
    ticks[i] = (gint64) ((i % EPISODE_TICKS) * EPISODE_ROWS * GST_MSECOND / EPISODE_TICKS);
  g_rand_free (random);
  parts[0] = memory_of (rows, n_rows * EPISODE_CHANNELS * sizeof (*rows));
  parts[1] = memory_of (times, n_rows * sizeof (*times));
  parts[2] = memory_of (ticks, n_ticks * sizeof (*ticks));
  return buffer_of (parts, G_N_ELEMENTS (parts));
}

static gchar *
caps_of_episodes (guint items)
{
  return g_strdup_printf ("other/tensors, format=(string)static, num_tensors=(int)3, types=(string)\"float32,int64,int64\", "
      "dimensions=(string)\"%d:%d:%u,%d:%u,%d:%u\", framerate=(fraction)0/1", EPISODE_CHANNELS, EPISODE_ROWS, items,
      EPISODE_ROWS, items, EPISODE_TICKS, items);
}

static GstBuffer *
make_clouds (guint items)
{
  const gsize n = (gsize) items * CLOUD_POINTS * 3;
  gfloat *points = g_new (gfloat, n);
  GRand *random = g_rand_new_with_seed (1);
  GstMemory *part;

  for (gsize i = 0; i < n; i++)
    points[i] = (gfloat) g_rand_double_range (random, 0, AXIS);
  g_rand_free (random);
  part = memory_of (points, n * sizeof (*points));
  return buffer_of (&part, 1);
}

static gchar *
caps_of_clouds (guint items)
{
  return g_strdup_printf ("other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, "
      "dimensions=(string)\"3:%d:%u\", framerate=(fraction)0/1", CLOUD_POINTS, items);
}

static const Work works[] = {
  {"resample 500 -> 256x32, float32", "robocacheresample", {"gap-policy", "nan"}, EPISODE_TICKS * EPISODE_CHANNELS * 4,
        make_episodes, caps_of_episodes, {8, 32, 128, 512}},
  {"occupancy of 100,000 points, 128^3, uint8", "robocachevoxelize", {"grid", "128:128:128"}, AXIS * AXIS * AXIS,
        make_clouds, caps_of_clouds, {4, 16, 64}},
};

/* ---- a measurement ---- */

typedef struct
{
  guint out;
  GstClockTime last;
  GArray *us;
  GstBuffer *sample;            /* the last one */
} Run;

static void
take (gpointer data, GstBuffer *buffer, GstClockTimeDiff lag)
{
  Run *run = data;
  const GstClockTime now = line_now ();
  const gdouble us = (gdouble) (now - run->last) * 1e-3;

  if (run->out++ >= WARM_UP)
    g_array_append_val (run->us, us);
  run->last = now;
  gst_clear_buffer (&run->sample);
  run->sample = buffer;
}

/* Appends to us what each buffer took. devices: NULL for the CPU. Returns the last output. */
static GstBuffer *
push_batches (const Work *work, GstBuffer *batch, const gchar *caps, const gchar *devices, GArray *us)
{
  Run run = {.us = us };
  LineSpec spec = {.element = work->element,.n_streams = 1,.end_caps = "other/tensors",.take = take,.data = &run,
    .settings = {"backend", devices ? "cuda" : "cpu", "devices", devices ? devices : "", work->settings[0], work->settings[1]}
  };

  spec.streams[0] = (LineStream) {.pad = "sink",.caps = caps,.buffer = batch,.period_ns = GST_SECOND,
    .n = devices ? (guint64) (WARM_UP + n_runs) : 1};
  line_run (&spec);
  return run.sample;
}

static gboolean
same_bytes (GstBuffer *a, GstBuffer *b)
{
  GstMapInfo map;
  gboolean same;

  if (gst_buffer_get_size (a) != gst_buffer_get_size (b) || !gst_buffer_map (a, &map, GST_MAP_READ))
    return FALSE;
  same = gst_buffer_memcmp (b, 0, map.data, map.size) == 0;
  gst_buffer_unmap (a, &map);
  return same;
}

/* ---- all ---- */

/* Elements that are on a GPU each as long as the program runs, so that contexts are made once and not for each turn. Returns
 * how many there are. */
static guint
open_gpus (GstElement *elements[MAX_GPUS])
{
  guint n;

  for (n = 0; n < MAX_GPUS; n++) {
    elements[n] = gst_element_factory_make ("robocacheresample", NULL);
    if (elements[n] == NULL)
      line_fail ("there is no element robocacheresample");
    g_object_set (elements[n], "device-id", (gint) n, NULL);
    gst_util_set_object_arg (G_OBJECT (elements[n]), "backend", "cuda");
    if (gst_element_set_state (elements[n], GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE) {
      gst_element_set_state (elements[n], GST_STATE_NULL);
      gst_clear_object (&elements[n]);
      break;
    }
  }
  return n;
}

static void
close_gpus (GstElement *elements[MAX_GPUS], guint n)
{
  for (guint i = 0; i < n; i++) {
    gst_element_set_state (elements[i], GST_STATE_NULL);
    gst_object_unref (elements[i]);
  }
}

/* How a number of GPUs does with a batch. */
typedef struct
{
  GArray *us;
  gboolean same;                /* outputs */
} Turns;

static void
take_turns (const Work *work, GstBuffer *batch, const gchar *caps, GstBuffer *truth, guint n_counts, Turns *turns)
{
  static const gchar *const devices[MAX_COUNTS] = { "0", "0,1", "0,1,2,3" };

  for (guint round = 0; round < ROUNDS; round++) {
    for (guint i = 0; i < n_counts; i++) {
      GstBuffer *sample = push_batches (work, batch, caps, devices[i], turns[i].us);

      turns[i].same = turns[i].same && same_bytes (truth, sample);
      gst_buffer_unref (sample);
    }
  }
}

static gboolean
measure_batch (const Work *work, guint items, guint n_counts, Table *table)
{
  GstBuffer *batch = work->make (items), *truth;
  const gsize bytes = gst_buffer_get_size (batch) + items * work->out_bytes;
  gchar *caps = work->caps (items);
  Turns turns[MAX_COUNTS];
  gdouble of_one = 0;
  gboolean ok = TRUE;

  for (guint i = 0; i < n_counts; i++)
    turns[i] = (Turns) { g_array_new (FALSE, FALSE, sizeof (gdouble)), TRUE };
  truth = push_batches (work, batch, caps, NULL, NULL);
  take_turns (work, batch, caps, truth, n_counts, turns);
  for (guint i = 0; i < n_counts; i++) {
    const BenchSpread us = bench_spread ((gdouble *) (gpointer) turns[i].us->data, (gint) turns[i].us->len);

    of_one = i == 0 ? us.median : of_one;
    table_text (table, work->name);
    table_number (table, 1 << i, 0);
    table_number (table, items, 0);
    table_number (table, (gdouble) bytes, 0);
    table_spread (table, &us, 2);
    table_number (table, of_one / us.median, 3);
    table_text (table, turns[i].same ? "yes" : "differs from the CPU");
    ok = ok && turns[i].same;
    g_array_unref (turns[i].us);
  }
  gst_buffer_unref (truth);
  gst_buffer_unref (batch);
  g_free (caps);
  return ok;
}

static gboolean
measure_all (guint n_counts)
{
  gboolean ok = TRUE;
  Table table;

  table_open (&table, csv, "work,devices,items,bytes,median_us,p5_us,p95_us,deviation_us,speedup,checked");
  for (guint i = 0; i < G_N_ELEMENTS (works); i++) {
    for (guint k = 0; works[i].items[k] > 0; k++)
      ok = measure_batch (&works[i], works[i].items[k], n_counts, &table) && ok;
  }
  table_end (&table);
  return ok;
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new ("- batches in system memory, split over GPUs by an element");
  GError *error = NULL;
  GstElement *gpus[MAX_GPUS];
  gboolean ok;
  guint n_gpus;

  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error))
    line_fail ("%s", error->message);
  g_option_context_free (context);
  if (n_runs < 1)
    line_fail ("--runs is %d, expected at least 1", n_runs);
  gst_plugin_load_file (ROBOCACHE_PLUGIN, NULL);        /* in a bundle it is among the plugins */
  n_gpus = open_gpus (gpus);
  if (n_gpus == 0) {
    printf ("SKIP bench-splits: there is no usable GPU\n");
    return 0;
  }
  ok = measure_all (n_gpus >= 4 ? 3 : n_gpus >= 2 ? 2 : 1);
  close_gpus (gpus, n_gpus);
  return ok ? 0 : 1;
}
