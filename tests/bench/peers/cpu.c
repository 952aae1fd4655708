/* robocache: what an alignment costs a CPU
 *
 *   bench-cpu CONFIGURATIONS WORK PERIOD BYTES FOLDER [THREADS]
 *
 * For alignments.py, which makes the inputs and sets other libraries beside it. WORK is an alignment of one stream in the
 * file CONFIGURATIONS, PERIOD that of its ticks in ns; FOLDER has times [batch, rows] and ticks [batch, ticks], int64, and
 * rows [batch, rows, channels], and gets out [batch, ticks, channels]. Prints lines of a name, and of median, p5, p95 and
 * deviation in us: of a copy that reads and writes BYTES together, and of each instruction set that the machine has, on one
 * thread; or, with THREADS, at least 2, of so many. Runs are over the same memory, which stays in whatever cache holds it,
 * and whatever computes them must leave the same rows and statuses, those in the files out and status where there are these.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/device/threadpool.h"
#include "tests/bench/kernels/configurations.h"
#include "tests/bench/common/spread.h"

#define MAX_RUNS 301
#define MIN_RUNS 11
#define RUNS_US (G_USEC_PER_SEC / 2)    /* of a name, about */

typedef struct
{
  const BenchAlignment *work;
  RcAlignStreamSpec spec;
  RcAlignStreamArgs stream;
  RcAlignArgs args;
  gchar *times, *ticks, *rows;
  GArray *channels;             /* gint32: that belong together */
} Alignment;

static void G_GNUC_NORETURN
fail (const gchar *what, const gchar *why)
{
  g_printerr ("bench-cpu: %s: %s\n", what, why);
  exit (1);
}

/* ---- the work ---- */

static gchar *
read_file (const gchar *folder, const gchar *name, gint64 bytes)
{
  gchar *path = g_build_filename (folder, name, NULL), *data;
  GError *error = NULL;
  gsize length;

  if (!g_file_get_contents (path, &data, &length, &error))
    fail (path, error->message);
  if ((gint64) length != bytes)
    fail (path, "it is not as long as the work says");
  g_free (path);
  return data;
}

/* Quaternions in the first channels, or the rates of the first half of them in the second. */
static void
choose_channels (Alignment *alignment)
{
  const BenchAlignment *work = alignment->work;
  const gint64 half = work->streams[0].channels / 2;
  const gboolean has_rates = work->interpolation == RC_HERMITE && work->quaternions == 0;
  const gint64 n = has_rates ? half : work->quaternions;

  alignment->channels = g_array_new (FALSE, FALSE, sizeof (gint32));
  for (gint64 i = 0; i < n; i++) {
    const gint32 channel = (gint32) (has_rates ? half + i : 4 * i);

    g_array_append_val (alignment->channels, channel);
  }
  if (has_rates) {
    alignment->spec.velocities = (const gint32 *) alignment->channels->data;
    alignment->spec.n_velocities = n;
  } else {
    alignment->spec.quaternions = (const gint32 *) alignment->channels->data;
    alignment->spec.n_quaternions = n;
  }
}

static void
init (Alignment *alignment, const BenchAlignment *work, gint64 period_ns, const gchar *folder)
{
  const gint64 batch = work->batch, rows = work->streams[0].rows, channels = work->streams[0].channels;
  const gint64 in_row = channels * (gint64) rc_dtype_size (work->in), out_row = channels * (gint64) rc_dtype_size (work->out);

  *alignment = (Alignment) {.work = work,.times = read_file (folder, "times", batch * rows * 8),
    .ticks = read_file (folder, "ticks", batch * work->ticks * 8),.rows = read_file (folder, "rows", batch * rows * in_row)
  };
  alignment->spec = (RcAlignStreamSpec) {.in = work->in,.out = work->out,.channels = channels,
    .search = {work->interpolation, -1, 0, period_ns}
  };
  choose_channels (alignment);
  alignment->stream = (RcAlignStreamArgs) {.rows = alignment->rows,.n_rows = rows,.row_stride = in_row,
    .batch_stride = rows * in_row,.times = (const gint64 *) alignment->times,.times_batch_stride = rows * 8,
    .out_row_stride = out_row,.out_batch_stride = work->ticks * out_row,.status_batch_stride = work->ticks
  };
  alignment->stream.out = g_malloc0 ((gsize) (batch * work->ticks * out_row));
  alignment->stream.status = g_malloc0 ((gsize) (batch * work->ticks));
  alignment->args = (RcAlignArgs) {.streams = &alignment->stream,.batch = batch,.ticks = work->ticks,
    .tick_times = (const gint64 *) alignment->ticks,.tick_times_batch_stride = work->ticks * 8
  };
}

static gsize
out_bytes (const Alignment *alignment)
{
  return (gsize) (alignment->work->batch * alignment->stream.out_batch_stride);
}

static gsize
status_bytes (const Alignment *alignment)
{
  return (gsize) (alignment->work->batch * alignment->stream.status_batch_stride);
}

static void
clear (Alignment *alignment)
{
  g_free (alignment->times);
  g_free (alignment->ticks);
  g_free (alignment->rows);
  g_free (alignment->stream.out);
  g_free (alignment->stream.status);
  g_array_unref (alignment->channels);
}

/* ---- timing ---- */

static gint64
now_ns (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * G_GINT64_CONSTANT (1000000000) + t.tv_nsec;
}

/* After one run that does not count. */
static void
measure (const gchar *name, void (*run) (gpointer data), gpointer data)
{
  const gint64 end = g_get_monotonic_time () + RUNS_US;
  gdouble values[MAX_RUNS];
  BenchSpread us;
  gint n;

  run (data);
  for (n = 0; n < MIN_RUNS || (n < MAX_RUNS && g_get_monotonic_time () < end); n++) {
    const gint64 before = now_ns ();

    run (data);
    values[n] = (gdouble) (now_ns () - before) / 1e3;
  }
  us = bench_spread (values, n);
  g_print ("%s\t%.3f\t%.3f\t%.3f\t%.3f\n", name, us.median, us.p5, us.p95, us.deviation);
}

typedef struct
{
  gchar *from, *to;
  gsize bytes;
} Copy;

static void
run_copy (gpointer data)
{
  const Copy *copy = data;

  memcpy (copy->to, copy->from, copy->bytes);
}

static void
measure_copy (gsize bytes)
{
  Copy copy = { g_malloc0 (bytes), g_malloc0 (bytes), bytes };

  measure ("copy", run_copy, &copy);
  g_free (copy.from);
  g_free (copy.to);
}

typedef struct
{
  const Alignment *alignment;
  RcAlignPlan *plan;
} Run;

static void
run_alignment (gpointer data)
{
  const Run *run = data;
  RcError error;

  if (rc_align_run (run->plan, &run->alignment->args, NULL, &error) != RC_OK)
    fail (run->alignment->work->work.name, error.message);
}

/* FOLDER/file: what the first one left. */
static void
check_output (const gchar *name, const gchar *folder, const gchar *file, const gchar *output, gsize bytes)
{
  gchar *path = g_build_filename (folder, file, NULL), *first;
  GError *error = NULL;

  if (g_file_test (path, G_FILE_TEST_EXISTS)) {
    first = read_file (folder, file, (gint64) bytes);
    if (memcmp (first, output, bytes) != 0)
      fail (name, "it leaves other bytes than what ran before it");
    g_free (first);
  } else if (!g_file_set_contents (path, output, (gssize) bytes, &error)) {
    fail (path, error->message);
  }
  g_free (path);
}

static void
measure_backend (const gchar *name, const Alignment *alignment, const RcWhere *where, const gchar *folder)
{
  const RcAlignSpec spec = { &alignment->spec, 1 };
  Run run = { alignment, NULL };
  RcBackend *backend;
  RcError error;

  if (rc_backend_open (where, &backend, &error) != RC_OK)
    return;                     /* an instruction set that the machine lacks */
  if (rc_align_plan (backend, &spec, &run.plan, NULL, &error) != RC_OK)
    fail (alignment->work->work.name, error.message);
  memset (alignment->stream.out, 0xa5, out_bytes (alignment));
  memset (alignment->stream.status, 0xa5, status_bytes (alignment));
  measure (name, run_alignment, &run);
  check_output (name, folder, "out", alignment->stream.out, out_bytes (alignment));
  check_output (name, folder, "status", (const gchar *) alignment->stream.status, status_bytes (alignment));
  rc_align_plan_free (run.plan);
  rc_backend_close (backend);
}

static void
measure_levels (const Alignment *alignment, const gchar *folder)
{
  static const RcWhere levels[] = { {.cpu_level = RC_CPU_BASELINE}, {.cpu_level = RC_CPU_AVX2}, {.cpu_level = RC_CPU_AVX512} };
  static const gchar *const names[] = { "baseline", "avx2", "avx512" };

  for (guint i = 0; i < G_N_ELEMENTS (levels); i++)
    measure_backend (names[i], alignment, &levels[i], folder);
}

static void
measure_threads (const Alignment *alignment, const gchar *n_threads, const gchar *folder)
{
  RcWhere where = {.kind = RC_BACKEND_CPU };
  RobocacheThreadPool *threads;
  GError *error = NULL;
  guint64 n;

  if (!g_ascii_string_to_unsigned (n_threads, 10, 2, G_MAXINT, &n, &error))
    fail ("THREADS", error->message);
  threads = robocache_thread_pool_new ((guint) n, &error);
  if (threads == NULL)
    fail (n_threads, error->message);
  where.threads = robocache_thread_pool_for_backend (threads);
  measure_backend ("threads", alignment, &where, folder);
  robocache_thread_pool_free (threads);
}

static const BenchAlignment *
find_work (const BenchConfigurations *configurations, const gchar *name)
{
  const BenchAlignment *work = NULL;

  for (guint i = 0; i < configurations->alignments->len; i++) {
    const BenchAlignment *one = &g_array_index (configurations->alignments, BenchAlignment, i);

    if (strcmp (one->work.name, name) == 0)
      work = one;
  }
  if (work == NULL || work->n_streams != 1 || work->live)
    fail (name, "expected an alignment of one stream that is not live");
  return work;
}

int
main (int argc, char **argv)
{
  const BenchWish wish = { 0 };
  BenchConfigurations *configurations;
  Alignment alignment;
  GError *error = NULL;

  if (argc != 6 && argc != 7)
    fail ("usage", "bench-cpu CONFIGURATIONS WORK PERIOD BYTES FOLDER [THREADS]");
  configurations = bench_configurations_read (argv[1], &wish, &error);
  if (configurations == NULL)
    fail (argv[1], error->message);
  init (&alignment, find_work (configurations, argv[2]), g_ascii_strtoll (argv[3], NULL, 10), argv[5]);
  if (argc == 7) {
    measure_threads (&alignment, argv[6], argv[5]);
  } else {
    measure_copy ((gsize) (g_ascii_strtoull (argv[4], NULL, 10) / 2));
    measure_levels (&alignment, argv[5]);
  }
  clear (&alignment);
  bench_configurations_free (configurations);
  return 0;
}
