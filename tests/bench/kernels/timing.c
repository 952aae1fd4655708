/* robocache: what timings of kernels share: graphs of runs, medians
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/kernels/timing.h"

#include <malloc.h>
#include <math.h>
#include <time.h>

#define RUNS 20                 /* about, in a graph; even */
#define MIN_LAUNCHES 11
#define LAUNCHES_MS 150         /* about, for more launches than these */
#define ENQUEUES 21
#define CPU_RUNS 3
#define LONG_CPU_US 3e4

void
bench_keep_pages (void)
{
  mallopt (M_MMAP_MAX, 0);
  mallopt (M_TRIM_THRESHOLD, -1);
}

double
bench_now_us (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec * 1e6 + (double) t.tv_nsec / 1e3;
}

/* ---- runs ---- */

/* What is timed, and what comes before it, or NULL. */
typedef struct
{
  BenchRun before, run;
  void *data_before, *data;
} Timed;

typedef struct
{
  cudaEvent_t before, after;
} Events;

static double
time_us (const Bench *bench, const Events *events, const Timed *timed)
{
  float ms;

  if (timed->before != NULL)
    timed->before (timed->data_before, 0, bench->stream);
  bench_must (cudaEventRecord (events->before, bench->stream), "cudaEventRecord");
  timed->run (timed->data, 0, bench->stream);
  bench_must (cudaEventRecord (events->after, bench->stream), "cudaEventRecord");
  bench_must (cudaEventSynchronize (events->after), "cudaEventSynchronize");
  bench_must (cudaEventElapsedTime (&ms, events->before, events->after), "cudaEventElapsedTime");
  return (double) ms * 1e3;
}

/* us of a part, of as many parts. */
static BenchSpread
time_events (const Bench *bench, const Timed *timed, int parts)
{
  double us[BENCH_MAX_LAUNCHES], last = 0;
  Events events;
  int i, n;

  bench_must (cudaEventCreate (&events.before), "cudaEventCreate");
  bench_must (cudaEventCreate (&events.after), "cudaEventCreate");
  for (i = 0; i < 3; i++)
    last = time_us (bench, &events, timed);
  n = (int) fmin (fmax (LAUNCHES_MS * 1e3 / last, MIN_LAUNCHES), BENCH_MAX_LAUNCHES);
  for (i = 0; i < n; i++)
    us[i] = time_us (bench, &events, timed) / parts;
  cudaEventDestroy (events.before);
  cudaEventDestroy (events.after);
  return bench_spread (us, n);
}

BenchSpread
bench_time_alone (const Bench *bench, BenchRun run, void *data)
{
  return time_events (bench, &(Timed) {.run = run,.data = data}, 1);
}

static void
launch_graph (void *data, int i, cudaStream_t stream)
{
  bench_must (cudaGraphLaunch (data, stream), "cudaGraphLaunch");
}

cudaGraph_t
bench_capture (const Bench *bench, BenchRun run, void *data, int n_copies, int n)
{
  cudaGraph_t graph;
  int i;

  bench_must (cudaStreamBeginCapture (bench->stream, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  for (i = 0; i < n; i++)
    run (data, i % n_copies, bench->stream);
  bench_must (cudaStreamEndCapture (bench->stream, &graph), "cudaStreamEndCapture");
  return graph;
}

static cudaGraphExec_t
make_graph (const Bench *bench, BenchRun run, void *data, int n_copies, int n)
{
  const cudaGraph_t graph = bench_capture (bench, run, data, n_copies, n);
  cudaGraphExec_t ready;

  bench_must (cudaGraphInstantiate (&ready, graph, 0), "cudaGraphInstantiate");
  cudaGraphDestroy (graph);
  return ready;
}

BenchSpread
bench_time_after (const Bench *bench, BenchRun before, BenchRun run, void *data, int n_copies, int n)
{
  const cudaGraphExec_t graph = make_graph (bench, run, data, n_copies, n);
  const BenchSpread us = time_events (bench, &(Timed) { before, launch_graph, data, graph}, n);

  cudaGraphExecDestroy (graph);
  return us;
}

BenchSpread
bench_time (const Bench *bench, BenchRun run, void *data, int n_copies, int n)
{
  return bench_time_after (bench, NULL, run, data, n_copies, n);
}

int
bench_copies (const Bench *bench, int64_t must_move)
{
  const int64_t n = 4 * bench->l2_bytes / must_move + 1;

  return n > BENCH_MAX_COPIES ? BENCH_MAX_COPIES : n < 2 ? 2 : (int) n;
}

/* As many runs of each copy as any other, and an even number. */
static int
runs_of_copies (int n_copies)
{
  const int each = RUNS / n_copies / 2 * 2;

  return n_copies * (each < 2 ? 2 : each);
}

BenchTimes
bench_times (const Bench *bench, BenchRun run, void *data, int n_copies, int64_t must_move)
{
  const BenchSpread cold = bench_time (bench, run, data, n_copies, runs_of_copies (n_copies));

  return (BenchTimes) {
    .cold = cold,
    .warm = must_move < bench->l2_bytes ? bench_time (bench, run, data, 1, RUNS).median : cold.median,
  };
}

double
bench_time_enqueue (const Bench *bench, BenchRun run, void *data)
{
  double us[ENQUEUES];
  int i;

  for (i = 0; i < ENQUEUES; i++) {
    const double before = bench_now_us ();

    run (data, 0, bench->stream);
    us[i] = bench_now_us () - before;
    bench_must (cudaStreamSynchronize (bench->stream), "cudaStreamSynchronize");
  }
  return bench_spread (us, ENQUEUES).median;
}

static double
time_run (BenchRun run, void *data)
{
  const double before = bench_now_us ();

  run (data, 0, NULL);
  return bench_now_us () - before;
}

double
bench_time_cpu (BenchRun run, void *data)
{
  const double first = time_run (run, data);
  double us[CPU_RUNS];
  int i;

  if (first > LONG_CPU_US)
    return first;
  for (i = 0; i < CPU_RUNS; i++)
    us[i] = time_run (run, data);
  return bench_spread (us, CPU_RUNS).median;
}
