/* robocache: energy of resampled rows and of voxel grids, on a GPU and on the CPU
 *
 *   bench-energy [--seconds S] [--csv FILE]
 *
 * Each work of batches.ini, which lies beside the program, that has a number of items for it is done again and again for S
 * seconds (5), in five parts that are measured each: on a GPU, with its data there, on one core and on all cores. Energy is
 * read from the counters of the board (NVML's total energy) and of the CPU's packages (RAPL, /sys/class/powercap). The power of
 * two seconds in which nothing is done, with all contexts open, is taken off. Where a counter cannot be read the row says so,
 * and has the time alone. Whatever was read, the GPU's energy and the CPU's time say below which power the CPU would need less
 * energy: less_below_w. Outputs are compared, bit for bit, with one run of the CPU.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/bench/limits/board.h"
#include "tests/bench/kernels/timing.h"
#include "tests/bench/limits/packages.h"
#include "tests/bench/limits/shard.h"
#include "tests/bench/common/table.h"

#define IDLE_S 2
#define PARTS 5                 /* of the seconds of a row */
#define RUNS_BETWEEN_LOOKS 32   /* of the GPU, at the clock */

/* ---- counters ---- */

/* J since some time; negative: it cannot be read, as why says. */
typedef struct
{
  double (*read) (void);
  char why[400];
  double idle_w;
} Counter;

static Board the_board;
static Packages the_packages;

static double
read_board (void)
{
  return board_joules (&the_board);
}

static double
read_packages (void)
{
  return packages_joules (&the_packages);
}

static void
open_board (Counter *counter)
{
  counter->read = read_board;
  if (board_open (&the_board, 0, counter->why, sizeof (counter->why)) && read_board () < 0)
    snprintf (counter->why, sizeof (counter->why), "the board has no energy counter");
}

static void
open_packages (Counter *counter)
{
  counter->read = read_packages;
  packages_open (&the_packages, "/sys/class/powercap", counter->why, sizeof (counter->why));
}

static double
read_counter (const Counter *counter)
{
  return counter->why[0] == 0 ? counter->read () : -1;
}

static void
measure_idle (Counter *counters[], int n)
{
  double before[2], begun = bench_now_us ();
  int i;

  for (i = 0; i < n; i++)
    before[i] = read_counter (counters[i]);
  sleep (IDLE_S);
  for (i = 0; i < n; i++)
    counters[i]->idle_w = (read_counter (counters[i]) - before[i]) / ((bench_now_us () - begun) * 1e-6);
}

/* ---- work ---- */

typedef struct
{
  BenchShard shard;
  void *parts[SHARD_MAX_PARTS];
  RcStream stream;
  double until_us;
  int64_t runs;
  pthread_t thread;
} Worker;

static void *
work_until (void *data)
{
  Worker *worker = data;
  const int at_once = worker->stream != NULL ? RUNS_BETWEEN_LOOKS : 1;
  RcError error;
  int i;

  do {
    for (i = 0; i < at_once; i++)
      bench_shard_run (&worker->shard, worker->stream);
    bench_must_be_well (rc_stream_synchronize (worker->shard.backend, worker->stream, &error), &error, "run");
    worker->runs += at_once;
  } while (bench_now_us () < worker->until_us);
  return NULL;
}

static void
copy_parts (const Worker *worker, void *const host[], int up)
{
  const BenchItems *work = worker->shard.work;
  RcError error;
  int i;

  for (i = 0; i < work->n_parts; i++) {
    const RcMemoryCopy copy = {.to = up ? worker->parts[i] : host[i],.from = up ? host[i] : worker->parts[i],
      .row_bytes = (uint64_t) (worker->shard.items * work->parts[i].bytes),.rows = 1
    };

    if (up != work->parts[i].is_output)
      bench_must_be_well (rc_memory_copy (worker->shard.backend, &copy, worker->stream, &error), &error, "copy");
  }
  bench_must_be_well (rc_stream_synchronize (worker->shard.backend, worker->stream, &error), &error, "copy");
}

/* ---- a row ---- */

/* Of a unit. */
typedef struct
{
  BenchSpread seconds, joules;
  double run_s, joules_in_all;  /* idle taken off; NAN: unknown, as joules are */
  int is_true;
} Result;

static void
open_worker (Worker *worker, const BenchItems *work, RcBackend *backend, int64_t items, void *const host[])
{
  RcError error;

  bench_parts_alloc (work, backend, RC_MEMORY_DEVICE, items, worker->parts);
  bench_must_be_well (rc_stream_new (backend, &worker->stream, &error), &error, "stream");
  bench_shard_open (&worker->shard, work, backend, items, worker->parts);
  copy_parts (worker, host, 1);
  work_until (worker);
}

static void
close_worker (Worker *worker, const BenchItems *work, RcBackend *backend)
{
  bench_shard_close (&worker->shard);
  rc_stream_free (backend, worker->stream);
  bench_parts_free (work, backend, RC_MEMORY_DEVICE, worker->parts);
}

/* Batches that n workers have done, a thread each. */
static int64_t
work_for (Worker *workers, int n, double seconds)
{
  const double until_us = bench_now_us () + seconds * 1e6;
  int64_t runs = 0;
  int i;

  for (i = 0; i < n; i++) {
    workers[i].until_us = until_us;
    workers[i].runs = 0;
    if (pthread_create (&workers[i].thread, NULL, work_until, &workers[i]) != 0)
      bench_fail ("pthread_create", "no thread");
  }
  for (i = 0; i < n; i++) {
    pthread_join (workers[i].thread, NULL);
    runs += workers[i].runs;
  }
  return runs;
}

static void
time_parts (const BenchItems *work, Worker *workers, int n, double seconds, const Counter *counter, Result *result)
{
  const double units_a_run = (double) workers[0].shard.items * work->units_an_item;
  double seconds_a_unit[PARTS], joules_a_unit[PARTS];
  int i;

  for (i = 0; i < PARTS; i++) {
    const double before = read_counter (counter), begun = bench_now_us ();
    const double units = (double) work_for (workers, n, seconds / PARTS) * units_a_run;
    const double took = (bench_now_us () - begun) * 1e-6, after = read_counter (counter);
    const double joules = before < 0 || after < 0 ? NAN : after - before - counter->idle_w * took;

    seconds_a_unit[i] = took / units;
    joules_a_unit[i] = joules / units;
    result->run_s += took;
    result->joules_in_all += joules;
  }
  result->seconds = bench_spread (seconds_a_unit, PARTS);
  result->joules = isnan (result->joules_in_all) ? (BenchSpread) { NAN, NAN, NAN, NAN } : bench_spread (joules_a_unit, PARTS);
}

/* n threads, each with a batch of its own. */
static Result
measure (const BenchItems *work, RcBackend *backend, int n, double seconds, const Counter *counter)
{
  const int64_t all = work->of->energy_items, items = n > 1 && rc_backend_kind (backend) == RC_BACKEND_CPU ? all / 8 : all;
  Worker *workers = calloc ((size_t) n, sizeof (*workers));
  void *truth[SHARD_MAX_PARTS], *host[SHARD_MAX_PARTS];
  const RcWhere here = { RC_BACKEND_CPU, 0, RC_CPU_BEST, 0 };
  Result result = {.is_true = 1 };
  RcBackend *cpu;
  RcError error;
  int i;

  bench_must_be_well (rc_backend_open (&here, &cpu, &error), &error, "CPU");
  bench_truth_make (work, cpu, truth);
  bench_parts_alloc (work, cpu, RC_MEMORY_DEVICE, items, host);
  bench_parts_fill (work, truth, host, items);
  for (i = 0; i < n; i++)
    open_worker (&workers[i], work, backend, items, host);
  time_parts (work, workers, n, seconds, counter, &result);
  for (i = 0; i < n; i++) {
    copy_parts (&workers[i], host, 0);
    result.is_true &= bench_is_true (work, truth, host, 0, items);
    close_worker (&workers[i], work, backend);
  }
  bench_parts_free (work, cpu, RC_MEMORY_DEVICE, host);
  bench_parts_free (work, cpu, RC_MEMORY_DEVICE, truth);
  rc_backend_close (cpu);
  free (workers);
  return result;
}

/* gpu: what the GPU took for the same; NULL: this is it, or there is none. */
static void
put_result (Table *table, const BenchItems *work, const char *where, const Counter *counter, const Result *result,
    const Result *gpu)
{
  const int is_known = !isnan (result->joules_in_all);

  table_text (table, work->of->name);
  table_text (table, where);
  table_text (table, work->unit);
  table_number (table, result->run_s, 2);
  table_number (table, is_known ? counter->idle_w : NAN, 2);
  table_number (table, result->joules_in_all / result->run_s, 2);
  table_spread (table, &result->joules, 5);
  table_spread (table, &result->seconds, 8);
  table_number (table, gpu != NULL ? gpu->joules.median / result->seconds.median : NAN, 2);
  table_text (table, is_known ? "" : counter->why[0] != 0 ? counter->why : "the counter failed meanwhile");
  table_text (table, result->is_true ? "yes" : "differs from the CPU");
}

typedef struct
{
  RcBackend *backend;           /* NULL: there is none */
  int n;                        /* threads */
  const char *name;
  const Counter *counter;
} Place;

/* Whether all were as they should; of the places the first is the GPU. */
static int
measure_work (Table *table, const BenchItems *work, const Place places[], int n_places, double seconds)
{
  Result gpu = { 0 };
  int ok = 1, i;

  for (i = 0; i < n_places; i++) {
    Result result;

    if (places[i].backend == NULL)
      continue;
    result = measure (work, places[i].backend, places[i].n, seconds, places[i].counter);
    put_result (table, work, places[i].name, places[i].counter, &result, i > 0 && places[0].backend != NULL ? &gpu : NULL);
    gpu = i == 0 ? result : gpu;
    ok &= result.is_true;
  }
  return ok;
}

/* That this process may use. */
static int
processors (void)
{
  cpu_set_t allowed;

  return sched_getaffinity (0, sizeof (allowed), &allowed) == 0 ? CPU_COUNT (&allowed) : 1;
}

int
main (int argc, char **argv)
{
  const RcWhere there = { RC_BACKEND_CUDA, 0, RC_CPU_BEST, 0 }, here = { RC_BACKEND_CPU, 0, RC_CPU_BEST, 0 };
  const int cores = processors ();
  Counter board = { NULL, "", 0 }, package = { NULL, "", 0 };
  Counter *counters[] = { &package, &board };
  RcBackend *gpu = NULL, *cpu;
  const char *csv = NULL;
  double seconds = 5;
  BenchBatches batches;
  Table table;
  char all[64];
  RcError error;
  int ok = 1, i;

  for (i = 1; i < argc; i++) {
    if (strcmp (argv[i], "--seconds") == 0 && i + 1 < argc && (seconds = atof (argv[i + 1])) > 0)
      i++;
    else if (strcmp (argv[i], "--csv") == 0 && i + 1 < argc)
      csv = argv[++i];
    else
      bench_fail (argv[i], "expected --seconds S above 0, or --csv FILE");
  }
  bench_must_be_well (rc_backend_open (&here, &cpu, &error), &error, "CPU");
  open_packages (&package);
  if (rc_backend_open (&there, &gpu, &error) == RC_OK)
    open_board (&board);
  else
    printf ("SKIP bench-energy on a GPU: %s\n", error.message);
  measure_idle (counters, gpu != NULL ? 2 : 1);
  snprintf (all, sizeof (all), "%d cores", cores);

  table_open (&table, csv, "work,where,unit,run_s,idle_w,net_w,net_j,net_p5_j,net_p95_j,net_deviation_j,busy_s,busy_p5_s,"
      "busy_p95_s,busy_deviation_s,less_below_w,note,checked");
  bench_batches_open (&batches);
  for (i = 0; i < batches.n; i++) {
    const Place places[] = { {gpu, 1, "GPU", &board}, {cpu, 1, "one core", &package}, {cpu, cores, all, &package} };

    if (batches.works[i].of->energy_items > 0)
      ok &= measure_work (&table, &batches.works[i], places, sizeof (places) / sizeof (places[0]), seconds);
  }
  bench_batches_close (&batches);
  table_end (&table);
  rc_backend_close (cpu);
  if (gpu != NULL)
    rc_backend_close (gpu);
  return ok ? 0 : 1;
}
