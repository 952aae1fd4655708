/* robocache: what timings of kernels share: the device, graphs of runs, medians
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernels_timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/memory.h"

#define COPY_BYTES ((size_t) 2 << 30)
#define RUNS 20                 /* about, in a graph; even */

void
bench_fail (const char *what, const char *why)
{
  fprintf (stderr, "%s: %s\n", what, why);
  exit (1);
}

void
bench_must (cudaError_t result, const char *what)
{
  if (result != cudaSuccess)
    bench_fail (what, cudaGetErrorString (result));
}

void *
bench_memory (RcBackend *backend, uint64_t bytes, const void *host)
{
  RcMemoryCopy copy = {.from = host,.row_bytes = bytes,.rows = 1 };
  RcError error;
  RcStatus status = rc_memory_alloc (backend, RC_MEMORY_DEVICE, bytes ? bytes : 1, &copy.to, &error);
  RcStream stream = NULL;

  if (status == RC_OK)
    status = rc_stream_new (backend, &stream, &error);
  if (status == RC_OK)
    status = host ? rc_memory_copy (backend, &copy, stream, &error)
        : rc_memory_clear (backend, copy.to, bytes, stream, &error);
  if (status == RC_OK)
    status = rc_stream_synchronize (backend, stream, &error);
  rc_stream_free (backend, stream);
  if (status != RC_OK)
    bench_fail ("memory", error.message);
  return copy.to;
}

double
bench_uniform (void)
{
  static uint64_t state = 1;

  state = state * UINT64_C (6364136223846793005) + UINT64_C (1442695040888963407);
  return (double) (state >> 11) * 0x1p-53;
}

double
bench_now_us (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec * 1e6 + (double) t.tv_nsec / 1e3;
}

static int
compare_floats (const void *a, const void *b)
{
  const float x = *(const float *) a, y = *(const float *) b;

  return (x > y) - (x < y);
}

float
bench_median (float *values, int n)
{
  qsort (values, (size_t) n, sizeof (*values), compare_floats);
  return values[n / 2];
}

/* ---- runs ---- */

/* Median ms of what enqueue puts between two events. */
static double
time_events (const Bench *bench, void (*enqueue) (const Bench * bench, void *data), void *data)
{
  cudaEvent_t before, after;
  float ms[BENCH_LAUNCHES];
  int i;

  bench_must (cudaEventCreate (&before), "cudaEventCreate");
  bench_must (cudaEventCreate (&after), "cudaEventCreate");
  for (i = 0; i < 3; i++)
    enqueue (bench, data);
  for (i = 0; i < BENCH_LAUNCHES; i++) {
    bench_must (cudaEventRecord (before, bench->stream), "cudaEventRecord");
    enqueue (bench, data);
    bench_must (cudaEventRecord (after, bench->stream), "cudaEventRecord");
    bench_must (cudaEventSynchronize (after), "cudaEventSynchronize");
    bench_must (cudaEventElapsedTime (&ms[i], before, after), "cudaEventElapsedTime");
  }
  cudaEventDestroy (before);
  cudaEventDestroy (after);
  return (double) bench_median (ms, BENCH_LAUNCHES);
}

static void
launch_graph (const Bench *bench, void *data)
{
  bench_must (cudaGraphLaunch (data, bench->stream), "cudaGraphLaunch");
}

double
bench_time (const Bench *bench, BenchRun run, void *data, int n_copies, int n)
{
  cudaGraphExec_t ready;
  cudaGraph_t graph;
  double us;
  int i;

  bench_must (cudaStreamBeginCapture (bench->stream, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  for (i = 0; i < n; i++)
    run (data, i % n_copies, bench->stream);
  bench_must (cudaStreamEndCapture (bench->stream, &graph), "cudaStreamEndCapture");
  bench_must (cudaGraphInstantiate (&ready, graph, 0), "cudaGraphInstantiate");
  us = 1000.0 * time_events (bench, launch_graph, ready) / n;
  cudaGraphExecDestroy (ready);
  cudaGraphDestroy (graph);
  return us;
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
  return (BenchTimes) {
    .floor = (double) must_move / bench->copy_gbps / 1e3 + bench->launch_us,
    .cold = bench_time (bench, run, data, n_copies, runs_of_copies (n_copies)),
    .warm = bench_time (bench, run, data, 1, RUNS),
  };
}

double
bench_time_enqueue (const Bench *bench, BenchRun run, void *data)
{
  float us[BENCH_LAUNCHES];
  int i;

  for (i = 0; i < BENCH_LAUNCHES; i++) {
    const double before = bench_now_us ();

    run (data, 0, bench->stream);
    us[i] = (float) (bench_now_us () - before);
    bench_must (cudaStreamSynchronize (bench->stream), "cudaStreamSynchronize");
  }
  return bench_median (us, BENCH_LAUNCHES);
}

/* ---- the device ---- */

typedef struct
{
  void *from, *to;
} Blocks;

static void
copy_blocks (const Bench *bench, void *data)
{
  const Blocks *blocks = data;

  bench_must (cudaMemcpyAsync (blocks->to, blocks->from, COPY_BYTES, cudaMemcpyDeviceToDevice, bench->stream),
      "cudaMemcpyAsync");
}

/* Not in a graph, which may leave copies to an engine that is slower than the multiprocessors. */
static void
measure_copy (Bench *bench)
{
  Blocks blocks = { bench_memory (bench->backend, COPY_BYTES, NULL), bench_memory (bench->backend, COPY_BYTES, NULL) };

  bench->copy_gbps = 2.0 * (double) COPY_BYTES / time_events (bench, copy_blocks, &blocks) / 1e6;
  rc_memory_free (bench->backend, RC_MEMORY_DEVICE, blocks.from);
  rc_memory_free (bench->backend, RC_MEMORY_DEVICE, blocks.to);
}

int
bench_open (Bench *bench)
{
  const RcWhere there = { RC_BACKEND_CUDA, 0, RC_CPU_BEST, 0 }, here = { RC_BACKEND_CPU, 0, RC_CPU_BEST, 0 };
  struct cudaDeviceProp properties;
  RcError error;

  memset (bench, 0, sizeof (*bench));
  if (rc_backend_open (&here, &bench->cpu, &error) != RC_OK)
    bench_fail ("CPU", error.message);
  if (rc_backend_open (&there, &bench->backend, &error) != RC_OK) {
    printf ("SKIP bench_kernels: %s\n", error.message);
    rc_backend_close (bench->cpu);
    if (error.status != RC_NO_DEVICE)
      exit (1);
    return 0;
  }
  bench_must (cudaSetDevice (0), "cudaSetDevice");
  bench_must (cudaGetDeviceProperties (&properties, 0), "cudaGetDeviceProperties");
  bench_must (cudaStreamCreateWithFlags (&bench->stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  snprintf (bench->name, sizeof (bench->name), "%s", properties.name);
  bench->multiprocessors = properties.multiProcessorCount;
  bench->l2_bytes = properties.l2CacheSize;
  measure_copy (bench);
  return 1;
}

void
bench_close (Bench *bench)
{
  cudaStreamDestroy (bench->stream);
  rc_backend_close (bench->backend);
  rc_backend_close (bench->cpu);
}

/* ---- tables ---- */

int
bench_wants (const BenchWish *wish, size_t i, const char *name)
{
  return i % wish->every == 0 && strstr (name, wish->only) != NULL;
}

void
bench_twice (const Bench *bench, const char *name, BenchRun run, void *data)
{
  int i;

  for (i = 0; i < 2; i++) {
    run (data, 0, bench->stream);
    bench_must (cudaStreamSynchronize (bench->stream), "cudaStreamSynchronize");
  }
  printf ("%s\n", name);
  fflush (stdout);
}

void
bench_print_head (const char *what)
{
  printf ("| %s | MB that must move | floor us | cold us | times the floor | GB/s | warm us | host us to enqueue "
      "| CPU us |\n|---|---|---|---|---|---|---|---|---|\n", what);
}

void
bench_print (const char *name, int64_t must_move, const BenchTimes *times, double enqueue_us, double cpu_us)
{
  printf ("| %s | %.2f | %.1f | %.1f | %.2f | %.0f | %.1f | %.1f | %.0f |\n", name, (double) must_move / 1e6,
      times->floor, times->cold, times->cold / times->floor, (double) must_move / times->cold / 1e3, times->warm,
      enqueue_us, cpu_us);
  fflush (stdout);
}
