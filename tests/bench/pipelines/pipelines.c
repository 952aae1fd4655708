/* robocache: what a tick and a row cost, how exact a sample is, and how long after its tick it comes out
 *
 *   bench-pipelines [--runs N] [--cpu N] [--only WORKLOAD] [--csv FILE] [--smoke]
 *
 * The status is 1 if a figure exceeds its limit. With --csv it is 0, and the table has a column for that. --smoke makes one short run and one
 * line a figure, and checks the limits of figures that are no times. Method and figures: docs/explanation/measurements.md#robocachefuse.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/gst.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>

#include "tests/bench/common/table.h"
#include "tests/bench/pipelines/line.h"

#define MAX_RUNS 99
/* By how many ticks the jitter of the first rows and the last may change their number. */
#define TICKS_AT_THE_ENDS 4
#define MAX_FIGURES 3

#define ROWS(seconds, rate) .n = rate * (guint64) (seconds)
#define SENSOR(name, width, rate, seconds) LINE_SENSOR (name, width, rate, ROWS (seconds, rate))
#define CAMERA(seconds) LINE_CAMERA (30, ROWS (seconds, 30))

/* How long one run of a workload is, in seconds of its streams. */
typedef struct
{
  guint fast_s;                 /* of those that run as fast as they can */
  guint live_s;                 /* of those that run by the clock */
} Effort;

typedef struct
{
  const gchar *work;
  const gchar *unit;
  gdouble at_most;              /* INFINITY: told, without a limit */
  gboolean exact;               /* no timing: the same on any machine, however busy */
} Figure;

typedef struct
{
  const gchar *name;
  void (*measure) (const Effort * effort, gdouble * figures);   /* one run */
  Figure figures[MAX_FIGURES];
  guint n_figures;
} Workload;

/* ---- fast: as many rows as the element takes ---- */

static void
keep_last (gpointer data, GstBuffer *buffer, GstClockTimeDiff lag)
{
  gst_clear_buffer ((GstBuffer **) data);
  *(GstBuffer **) data = buffer;
}

/* The signal of a sensor is its time, in seconds, so a row that was interpolated at a tick holds the tick. */
static void
check_last (const gchar *work, GstBuffer *last, guint tensor, guint channels)
{
  GstMapInfo map;
  gfloat value;

  if (last == NULL || gst_buffer_n_memory (last) <= tensor)
    line_fail ("%s: nothing came out", work);
  gst_memory_map (gst_buffer_peek_memory (last, tensor), &map, GST_MAP_READ);
  value = ((const gfloat *) map.data)[channels - 1];
  if (map.size != channels * sizeof (gfloat)
      || !(fabs (value - (gdouble) GST_BUFFER_PTS (last) * 1e-9) <= 1e-5 * MAX (1.0, value)))
    line_fail ("%s: the sample at %" GST_TIME_FORMAT " holds %.9g, in %" G_GSIZE_FORMAT " bytes", work,
        GST_TIME_ARGS (GST_BUFFER_PTS (last)), value, map.size);
  gst_memory_unmap (gst_buffer_peek_memory (last, tensor), &map);
}

static LineResult
run_fast (const gchar *work, LineSpec *spec, guint64 ticks, guint tensor, guint channels)
{
  GstBuffer *last = NULL;
  LineResult result;

  spec->take = keep_last;
  spec->data = &last;
  result = line_run (spec);
  if (result.out > ticks + TICKS_AT_THE_ENDS || result.out + TICKS_AT_THE_ENDS < ticks)
    line_fail ("%s: %" G_GUINT64_FORMAT " samples came out, expected %" G_GUINT64_FORMAT, work, result.out, ticks);
  check_last (work, last, tensor, channels);
  gst_clear_buffer (&last);
  return result;
}

static void
fuse_camera (const Effort *effort, gdouble *figures)
{
  LineSpec spec = {.element = "robocachefuse",.settings = {"reference-pad", "camera_0"},.n_streams = 3,.streams =
        {CAMERA (effort->fast_s), SENSOR ("proprio_0", 14, 1000, effort->fast_s), SENSOR ("force_0", 6, 1000,
              effort->fast_s)}
  };
  const LineResult result = run_fast ("fuse camera", &spec, 30 * (guint64) effort->fast_s, 2, 6);

  figures[0] = result.cpu_us / (gdouble) result.out;
  figures[1] = result.cpu_us / (gdouble) result.rows;
}

static void
fuse_1khz (const Effort *effort, gdouble *figures)
{
  LineSpec spec = {.element = "robocachefuse",.settings = {"rate", "1000/1"},.n_streams = 2,.streams =
        {SENSOR ("proprio_0", 14, 1000, effort->fast_s), SENSOR ("force_0", 6, 1000, effort->fast_s)}
  };
  const LineResult result = run_fast ("fuse 1 kHz", &spec, 1000 * (guint64) effort->fast_s, 1, 6);

  figures[0] = result.cpu_us / (gdouble) result.out;
}

/* In parts by turns, so that both see the same machine. */
static void
resample_down (const Effort *effort, gdouble *figures)
{
  const guint parts = MIN (effort->fast_s, 10), seconds = effort->fast_s / parts;
  gdouble identity = 0, resample = 0;
  guint64 rows = 0;

  for (guint i = 0; i < parts; i++) {
    LineSpec through = {.element = "identity",.n_streams = 1,.streams = {SENSOR ("sink", 14, 1000, seconds)} };
    LineSpec down = {.element = "robocacheresample",.settings = {"rate", "100/1"},.n_streams = 1,.streams =
          {SENSOR ("sink", 14, 1000, seconds)}
    };

    identity += run_fast ("identity", &through, 1000 * (guint64) seconds, 0, 14).cpu_us;
    resample += run_fast ("resample down", &down, 100 * (guint64) seconds, 0, 14).cpu_us;
    rows += 1000 * (guint64) seconds;
  }
  figures[0] = identity / (gdouble) rows;
  figures[1] = resample / (gdouble) rows;
  figures[2] = figures[1] - figures[0];
}

static void
resample_up (const Effort *effort, gdouble *figures)
{
  LineSpec spec = {.element = "robocacheresample",.settings = {"rate", "1000/1"},.n_streams = 1,.streams =
        {SENSOR ("sink", 14, 100, effort->fast_s)}
  };
  const LineResult result = run_fast ("resample up", &spec, 1000 * (guint64) effort->fast_s - 10, 0, 14);

  figures[0] = result.cpu_us / (gdouble) result.out;
}

/* ---- recordings: what a row, a row of a block and a picture cost, up to the bytes of the file ---- */

static void
drop (gpointer data, GstBuffer *buffer, GstClockTimeDiff lag)
{
  *(gdouble *) data += (gdouble) gst_buffer_get_size (buffer) / 1e6;
  gst_buffer_unref (buffer);
}

static LineResult
run_recorder (LineSpec *spec, gdouble *megabytes)
{
  *megabytes = 0;
  spec->element = "robocachemcapmux";
  spec->n_streams = 1;
  spec->take = drop;
  spec->data = megabytes;
  return line_run (spec);
}

#define BLOCK_ROWS 1000
#define BLOCKS_CAPS "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, dimensions=(string)14:1000, " \
    "framerate=(fraction)1/1"

static void
record (const Effort *effort, gdouble *figures)
{
  LineSpec rows = {.streams = {SENSOR ("sink_0", 14, 1000, effort->fast_s)} };
  LineSpec blocks = {.streams = {{.pad = "sink_0",.caps = BLOCKS_CAPS,.frame_bytes = 14 * BLOCK_ROWS * sizeof (gfloat),
            .period_ns = 1e9,.n = 4 * effort->fast_s}} };
  LineSpec pictures = {.streams = {LINE_CAMERA (30, ROWS (effort->fast_s, 30))} };
  gdouble megabytes;
  LineResult result;

  result = run_recorder (&rows, &megabytes);
  figures[0] = result.cpu_us / (gdouble) result.rows;
  blocks.settings[0] = "keep-buffers";
  blocks.settings[1] = "true";
  result = run_recorder (&blocks, &megabytes);
  figures[1] = result.cpu_us / (gdouble) result.rows / BLOCK_ROWS;
  pictures.streams[0].pad = "sink_0";
  result = run_recorder (&pictures, &megabytes);
  figures[2] = result.cpu_us / megabytes;
}

/* ---- exact: the error against a signal that is known ---- */

#define SINE_HZ 2
#define SINE_SECONDS 60

typedef struct
{
  gdouble sum_of_squares;
  guint64 n;
  gint64 first, last;           /* ticks with rows on either side */
} Error;

static gdouble
sine (gdouble seconds)
{
  return sin (2 * G_PI * SINE_HZ * seconds);
}

static void
add_error (gpointer data, GstBuffer *buffer, GstClockTimeDiff lag)
{
  const gint64 tick = (gint64) GST_BUFFER_PTS (buffer);
  Error *error = data;
  GstMapInfo map;

  if (tick >= error->first && tick <= error->last) {
    gst_memory_map (gst_buffer_peek_memory (buffer, 0), &map, GST_MAP_READ);
    error->sum_of_squares += pow (*(const gfloat *) map.data - sine ((gdouble) tick * 1e-9), 2);
    error->n++;
    gst_memory_unmap (gst_buffer_peek_memory (buffer, 0), &map);
  }
  gst_buffer_unref (buffer);
}

/* Away from the ends of the stream, where cubic has no second row to lean on. */
static gdouble
sine_error (const gchar *interpolation)
{
  Error error = { 0 };
  LineSpec spec = {.element = "robocachefuse",.settings = {"rate", "30/1"},.n_streams = 1,.streams =
        {LINE_SENSOR ("sink_0", 1, 100,.signal = sine,.interpolation = interpolation, ROWS (SINE_SECONDS, 100))},
    .take = add_error,.data = &error
  };

  error.first = line_row_time (&spec.streams[0], 2);
  error.last = line_row_time (&spec.streams[0], spec.streams[0].n - 3);
  line_run (&spec);
  if (error.n + 2 * TICKS_AT_THE_ENDS < 30 * SINE_SECONDS)
    line_fail ("sine: %" G_GUINT64_FORMAT " samples came out, expected %d", error.n, 30 * SINE_SECONDS);
  return sqrt (error.sum_of_squares / (gdouble) error.n);
}

static void
sine_errors (const Effort *effort, gdouble *figures)
{
  figures[0] = sine_error ("linear");
  figures[1] = sine_error ("cubic");
}

/* ---- live: how long after its frame a sample comes out ---- */

static void
add_lag (gpointer data, GstBuffer *buffer, GstClockTimeDiff lag)
{
  const gdouble ms = (gdouble) lag * 1e-6;

  g_array_append_val ((GArray *) data, ms);
  gst_buffer_unref (buffer);
}

static gdouble
lag_ms (const GArray *sorted, gdouble quantile)
{
  const guint rank = (guint) ceil (quantile * sorted->len);

  return g_array_index (sorted, gdouble, MAX (rank, 1) - 1);
}

/* The clock of the sensor of 100 Hz is slow by 0.25 %, so within 4 s it has every phase to the camera. */
static void
measure_order (const guint *order, guint seconds, gdouble *p50, gdouble *p99)
{
  const LineStream streams[] = { CAMERA (seconds), SENSOR ("sink_0", 14, 100, seconds),
    SENSOR ("sink_1", 6, 1000, seconds)
  };
  GArray *lags = g_array_new (FALSE, FALSE, sizeof (gdouble));
  LineSpec spec = {.element = "robocachefuse",.settings = {"reference-pad", "camera_0"},.n_streams = 3,.live = TRUE,
    .take = add_lag,.data = lags
  };
  guint n_sensors = 0;

  for (guint i = 0; i < 3; i++) {
    LineStream *stream = &spec.streams[i];

    *stream = streams[order[i]];
    if (order[i] == 1)
      stream->period_ns *= 1.0025;
    if (order[i] > 0)
      stream->pad = n_sensors++ == 0 ? "sink_0" : "sink_1";
  }
  line_run (&spec);
  /* a machine that stops for a while loses frames, as a robot's would */
  if (4 * lags->len < 3 * 30 * seconds)
    line_fail ("live: %u samples came out, expected most of %u", lags->len, 30 * seconds);
  bench_spread ((gdouble *) (gpointer) lags->data, (gint) lags->len);  /* which sorts */
  *p50 = lag_ms (lags, 0.5);
  *p99 = lag_ms (lags, 0.99);
  g_array_free (lags, TRUE);
}

/* The worst of all orders in which the pads can be. */
static void
live_lag (const Effort *effort, gdouble *figures)
{
  static const guint orders[][3] = { {0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0} };

  for (guint i = 0; i < G_N_ELEMENTS (orders); i++) {
    gdouble p50, p99;

    measure_order (orders[i], effort->live_s, &p50, &p99);
    figures[0] = MAX (figures[0], p50);
    figures[1] = MAX (figures[1], p99);
  }
}

/* ---- all of them ---- */

static const Workload workloads[] = {
  {"fuse-camera", fuse_camera, {
          {"fuse VGA 30 fps + float32[14] 1 kHz + float32[6] 1 kHz, a tick a frame: CPU a tick", "us", 100},
          {"the same: CPU a row", "us", 1.2},
      }, 2},
  {"fuse-1khz", fuse_1khz, {{"fuse float32[14] + float32[6], both 1 kHz, 1 kHz out: CPU a tick", "us", 4}}, 1},
  {"resample-down", resample_down, {
          {"identity, float32[14]: CPU a row", "us", INFINITY},
          {"resample float32[14] 1000 → 100 Hz: CPU a row in", "us", INFINITY},
          {"the same, beyond identity", "us", 0.15},
      }, 3},
  {"resample-up", resample_up, {{"resample float32[14] 100 → 1000 Hz: CPU a row out", "us", 0.35}}, 1},
  {"record", record, {
          {"record float32[14] in a message a row: CPU a row", "us", 3},
          {"the same in blocks of 1,000 rows, keep-buffers=true", "us", 0.3},
          {"record VGA uncompressed: CPU a MB of file (2,000 us are 500 MB/s)", "us", 2000},
      }, 3},
  {"sine", sine_errors, {
          {"error on a 2 Hz unit sine, 100 Hz with 1 ms jitter, at 30 Hz ticks (RMS): linear", "", 0.0012, TRUE},
          {"the same: cubic", "", 0.00003, TRUE},
      }, 2},
  {"live", live_lag, {
          {"live lag of a sample, camera 30 fps + 100 Hz + 1 kHz, a tick a frame, worst order of pads: p50", "ms", 6},
          {"the same: p99", "ms", 12},
      }, 2},
};

/* ---- runs ---- */

static gint n_runs = 7;
static gint cpu = -1;
static gchar *only = NULL, *csv = NULL;
static gboolean smoke = FALSE;

static const GOptionEntry options[] = {
  {"runs", 'n', 0, G_OPTION_ARG_INT, &n_runs, "Runs of each workload", "N"},
  {"cpu", 'c', 0, G_OPTION_ARG_INT, &cpu, "The CPU to run on (default: the one it starts on)", "N"},
  {"only", 'o', 0, G_OPTION_ARG_STRING, &only, "One workload: fuse-camera, fuse-1khz, resample-down, resample-up, record, "
        "sine or live", "WORKLOAD"},
  {"csv", 0, 0, G_OPTION_ARG_FILENAME, &csv, "Write the table there, too", "FILE"},
  {"smoke", 0, 0, G_OPTION_ARG_NONE, &smoke, "One short run, to see that it works", NULL},
  {NULL}
};

/* values of a figure in all runs */
typedef gdouble Values[MAX_FIGURES][MAX_RUNS];

static void
pin (void)
{
  cpu_set_t set;

  if (cpu < 0)
    cpu = sched_getcpu ();
  CPU_ZERO (&set);
  CPU_SET (cpu, &set);
  if (sched_setaffinity (0, sizeof (set), &set) != 0)
    line_fail ("cannot run on CPU %d", cpu);
}

static gboolean
is_asked_for (const Workload *workload)
{
  return only == NULL || g_str_equal (only, workload->name);
}

static void
measure_all (const Effort *effort, Values *values)
{
  for (gint run = 0; run < n_runs; run++) {
    for (guint w = 0; w < G_N_ELEMENTS (workloads); w++) {
      gdouble figures[MAX_FIGURES] = { 0 };

      if (!is_asked_for (&workloads[w]))
        continue;
      workloads[w].measure (effort, figures);
      for (guint f = 0; f < workloads[w].n_figures; f++)
        values[w][f][run] = figures[f];
    }
  }
  for (guint w = 0; w < G_N_ELEMENTS (workloads); w++) {
    for (guint f = 0; f < workloads[w].n_figures; f++)
      bench_spread (values[w][f], n_runs);      /* which sorts */
  }
}

/* A row of the table, or with --smoke a line. Returns whether the figure is within its limit, where that is asked for. */
static gboolean
put_figure (Table *table, const Figure *figure, const gdouble *sorted)
{
  const gdouble median = sorted[n_runs / 2];
  const gboolean is_limited = isfinite (figure->at_most), is_kept = median <= figure->at_most;

  if (smoke) {
    if (figure->exact && !is_kept)
      printf ("FAIL %s: %.3g, expected at most %g\n", figure->work, median, figure->at_most);
    else
      printf ("PASS %s: %.3g %s\n", figure->work, median, figure->unit);
    return is_kept || !figure->exact;
  }
  table_put (table, "%s|%s|%.3g|%.3g|%.3g|%.3g|%s|yes", figure->work, figure->unit, median, sorted[0], sorted[n_runs - 1],
      is_limited ? figure->at_most : NAN, !is_limited ? "" : is_kept ? "yes" : "no");
  return is_kept;
}

/* Whether all figures that have to are within their limits. */
static gboolean
report (Values *values)
{
  gboolean kept = TRUE;
  Table table;

  if (!smoke)
    table_open (&table, csv, "work,unit,median,least,greatest,wanted,met,checked");
  for (guint w = 0; w < G_N_ELEMENTS (workloads); w++) {
    for (guint f = 0; is_asked_for (&workloads[w]) && f < workloads[w].n_figures; f++)
      kept &= put_figure (&table, &workloads[w].figures[f], values[w][f]);
  }
  if (!smoke)
    table_end (&table);
  return kept;
}

int
main (int argc, char **argv)
{
  static const Effort whole = { 60, 4 }, short_one = { 2, 1 };
  GError *error = NULL;
  Values *values;
  gboolean kept, any = FALSE;

  line_init (&argc, &argv, options);
  if (smoke)
    n_runs = 1;
  if (n_runs < 1 || n_runs > MAX_RUNS)
    line_fail ("--runs is %d, expected 1 to %d", n_runs, MAX_RUNS);
  for (guint w = 0; w < G_N_ELEMENTS (workloads); w++)
    any |= is_asked_for (&workloads[w]);
  if (!any)
    line_fail ("--only is %s, which is no workload (--help has their names)", only);
  if (gst_plugin_load_file (ROBOCACHE_PLUGIN, &error) == NULL)
    line_fail ("%s", error->message);
  pin ();

  values = g_new0 (Values, G_N_ELEMENTS (workloads));
  measure_all (smoke ? &short_one : &whole, values);
  kept = report (values);
  g_free (values);
  return kept || csv != NULL ? 0 : 1;
}
