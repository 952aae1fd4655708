/* robocache: batches split over the GPUs of a machine, against one of them
 *   bench-scaling [--csv FILE]
 * A batch is split into as many equal parts as there are GPUs (1, 2, 4 or 8), with a thread and a stream for each. `there`: inputs and
 * outputs are on the GPU that computes them. `host`: inputs are copied from pinned memory, and outputs to it. The time of a batch is
 * that from the start of all threads to the end of the last one, over several batches in a row; the numbers of GPUs take turns. The
 * speedup is the median of one GPU over that of all of them, the efficiency is the speedup over their number; its target holds for
 * `there`. All parts have equal inputs, and their outputs are compared with the CPU's.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/common/table.h"
#include "tests/bench/kernels/job.h"

#define MAX_GPUS 8
#define ROUNDS 7
#define WARM_UP 3               /* batches */
#define IN_A_ROW 16
#define TARGET 0.97

static const BenchWork works[] = {
  {"resample 500 -> 256x32, float32", "large",.align = {8192, 256, RC_FLOAT32, RC_FLOAT32, {{500, 32}}}},
  {"resample 4096 -> 2048x64, float32", "large",.align = {1024, 2048, RC_FLOAT32, RC_FLOAT32, {{4096, 64}}}},
  {"occupancy of 100,000 points, 128^3, uint8", "large",.is_voxels = 1,.voxels = {1024, 100000, 128, RC_VOXEL_OCCUPANCY,
          RC_VOXEL_DENSE, RC_UINT8}},
};

/* ---- a part ---- */

typedef struct
{
  RcBackend *backend;
  RcStream stream;
  BenchJob *job;
  void *pinned[BENCH_MAX_ARRAYS];       /* of the host; NULL: the array stays on the GPU */
  pthread_t thread;
  pthread_barrier_t *start;
  double begun_us, ended_us;
} Part;

static void
copy_arrays (const Part *part, int to_gpu)
{
  RcError error;

  for (int i = 0; i < part->job->n_arrays; i++) {
    const BenchArray *array = &part->job->arrays[i];
    const RcMemoryCopy copy = {.to = to_gpu ? array->memory : part->pinned[i],.from = to_gpu ? part->pinned[i] : array->memory,
      .row_bytes = (uint64_t) array->bytes,.rows = 1
    };

    if (part->pinned[i] != NULL && (to_gpu ? array->is_input : array->is_output))
      bench_must (rc_memory_copy (part->backend, &copy, part->stream, &error), &error, "copy");
  }
}

static void *
run_part (void *data)
{
  Part *part = data;
  RcError error;

  for (int i = 0; i < WARM_UP + IN_A_ROW; i++) {
    if (i == WARM_UP) {
      bench_must (rc_stream_synchronize (part->backend, part->stream, &error), &error, "run");
      pthread_barrier_wait (part->start);
      part->begun_us = bench_now_us ();
    }
    copy_arrays (part, 1);
    bench_job_run (part->job, part->stream);
    copy_arrays (part, 0);
  }
  bench_must (rc_stream_synchronize (part->backend, part->stream, &error), &error, "run");
  part->ended_us = bench_now_us ();
  return NULL;
}

/* us of a batch on n GPUs. */
static double
time_batch (Part *parts, int n)
{
  double begun = INFINITY, ended = 0;
  pthread_barrier_t start;

  pthread_barrier_init (&start, NULL, (unsigned) n);
  for (int i = 0; i < n; i++) {
    parts[i].start = &start;
    if (pthread_create (&parts[i].thread, NULL, run_part, &parts[i]) != 0)
      bench_fail ("pthread_create", "no thread");
  }
  for (int i = 0; i < n; i++) {
    pthread_join (parts[i].thread, NULL);
    begun = fmin (begun, parts[i].begun_us);
    ended = fmax (ended, parts[i].ended_us);
  }
  pthread_barrier_destroy (&start);
  return (ended - begun) / IN_A_ROW;
}

/* ---- a number of GPUs ---- */

typedef struct
{
  int n;
  BenchWork work;               /* of a part */
  BenchJob *host;
  Part parts[MAX_GPUS];
  double us[ROUNDS];
} Split;

static void
open_split (Split *split, const BenchWork *work, int n, Part *gpus, RcBackend *cpu, int from_host)
{
  RcError error;

  split->n = n;
  split->work = *work;
  split->work.align.batch /= n;
  split->work.voxels.clouds /= n;
  split->host = bench_job_new (&split->work, cpu, NULL);
  for (int i = 0; i < n; i++) {
    split->parts[i] = gpus[i];
    split->parts[i].job = bench_job_new (&split->work, gpus[i].backend, split->host);
    for (int k = 0; k < split->host->n_arrays && from_host; k++) {
      const BenchArray *array = &split->host->arrays[k];

      if (!array->is_input && !array->is_output)
        continue;
      bench_must (rc_memory_alloc (gpus[i].backend, RC_MEMORY_PINNED, (uint64_t) array->bytes, &split->parts[i].pinned[k], &error),
          &error, "pinned memory");
      memcpy (split->parts[i].pinned[k], array->memory, (size_t) array->bytes);
    }
  }
}

static void
close_split (Split *split)
{
  for (int i = 0; i < split->n; i++) {
    for (int k = 0; k < split->host->n_arrays; k++)
      rc_memory_free (split->parts[i].backend, RC_MEMORY_PINNED, split->parts[i].pinned[k]);
    bench_job_free (split->parts[i].job);
  }
  bench_job_free (split->host);
}

/* Whether the outputs of all parts are right. */
static int
put_split (Table *table, Split *split, int from_host, double of_one)
{
  const int64_t bytes = split->n * bench_job_bytes (split->host);
  const BenchSpread us = bench_spread (split->us, ROUNDS);
  const double speedup = (isnan (of_one) ? us.median : of_one) / us.median;
  const int has_target = !from_host && split->n > 1;
  char differs[BENCH_DIFFERS_SIZE] = "";

  bench_job_run_alone (split->host);
  for (int i = 0; i < split->n && differs[0] == '\0'; i++)
    bench_job_compare (split->parts[i].job, split->host, differs);
  table_put (table, "%s|%s|%d|%" PRId64 "|%" PRId64 "|%.2f|%.2f|%.2f|%.2f|%.3f|%.4f|%.2f|%s|%.1f|%s", split->work.name,
      from_host ? "host" : "there", split->n, split->n * (split->work.is_voxels ? split->work.voxels.clouds : split->work.align.batch),
      bytes, us.median, us.p5, us.p95, us.deviation, speedup, speedup / split->n, has_target ? TARGET : NAN,
      !has_target ? "" : speedup / split->n >= TARGET ? "yes" : "no", (double) bytes / us.median / 1e3, differs[0] ? differs : "yes");
  return differs[0] == '\0';
}

static int
measure (Table *table, const BenchWork *work, Part *gpus, int n_gpus, RcBackend *cpu, int from_host)
{
  static Split splits[4];
  int n = 0, right = 1;

  for (; n < 4 && 1 << n <= n_gpus; n++)
    open_split (&splits[n], work, 1 << n, gpus, cpu, from_host);
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < n; i++)
      splits[i].us[round] = time_batch (splits[i].parts, splits[i].n);
  }
  for (int i = 0; i < n; i++)
    right &= put_split (table, &splits[i], from_host, i > 0 ? splits[0].us[ROUNDS / 2] : NAN);
  while (n > 0)
    close_split (&splits[--n]);
  return right;
}

int
main (int argc, char **argv)
{
  const char *csv = argc == 3 && strcmp (argv[1], "--csv") == 0 ? argv[2] : NULL;
  RcBackend *cpu = bench_cpu ();
  static Part gpus[MAX_GPUS];
  int n, right = 1;
  RcError error;
  Table table;

  if (argc > 1 && csv == NULL)
    bench_fail (argv[1], "expected --csv FILE");
  for (n = 0; n < MAX_GPUS; n++) {
    if (rc_backend_open (&(RcWhere) {.kind = RC_BACKEND_CUDA,.device = n}, &gpus[n].backend, &error) != RC_OK)
      break;
    bench_must (rc_stream_new (gpus[n].backend, &gpus[n].stream, &error), &error, "stream");
  }
  if (n == 0) {
    printf ("SKIP %s: %s\n", program_invocation_short_name, error.message);
    return 0;
  }
  bench_keep_pages ();
  table_open (&table, csv, "work,input,devices,items,bytes,median_us,p5_us,p95_us,deviation_us,speedup,efficiency,wanted_efficiency,"
      "met,gbps,checked");
  for (size_t i = 0; i < sizeof (works) / sizeof (works[0]); i++) {
    right &= measure (&table, &works[i], gpus, n, cpu, 0);
    right &= measure (&table, &works[i], gpus, n, cpu, 1);
  }
  table_end (&table);
  while (n-- > 0) {
    rc_stream_free (gpus[n].backend, gpus[n].stream);
    rc_backend_close (gpus[n].backend);
  }
  rc_backend_close (cpu);
  return right ? 0 : 1;
}
