/* robocache: a GPU whose kernels are timed, in graphs and with events
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/kernels/device.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RUNS 20                 /* of a graph, about; even */
#define MIN_LAUNCHES 11
#define MAX_LAUNCHES 101
#define LAUNCHES_MS 150         /* about, for more launches than the minimum */
#define ENQUEUES 21
#define CPU_RUNS 3
#define LONG_CPU_US 3e4
#define RATE_BYTES ((int64_t) 2 << 30)
#define VALUE 0x01020304u       /* of filled words */

void
bench_must_cuda (cudaError_t result, const char *what)
{
  if (result != cudaSuccess)
    bench_fail (what, cudaGetErrorString (result));
}

int
bench_open (Bench *bench, const char *name)
{
  const RcWhere there = {.kind = RC_BACKEND_CUDA };
  struct cudaDeviceProp properties;
  RcError error;

  memset (bench, 0, sizeof (*bench));
  if (rc_backend_open (&there, &bench->backend, &error) != RC_OK) {
    printf ("SKIP %s: %s\n", name, error.message);
    if (error.status != RC_NO_DEVICE)
      bench_fail ("GPU", error.message);
    return 0;
  }
  bench->cpu = bench_cpu ();
  bench_must_cuda (cudaSetDevice (0), "cudaSetDevice");
  bench_must_cuda (cudaGetDeviceProperties (&properties, 0), "cudaGetDeviceProperties");
  bench_must_cuda (cudaStreamCreateWithFlags (&bench->stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  snprintf (bench->name, sizeof (bench->name), "%s", properties.name);
  bench->multiprocessors = properties.multiProcessorCount;
  bench->l2_bytes = properties.l2CacheSize;
  return 1;
}

void
bench_close (Bench *bench)
{
  cudaStreamDestroy (bench->stream);
  rc_backend_close (bench->backend);
  rc_backend_close (bench->cpu);
}

int
bench_copies (const Bench *bench, int64_t must_move)
{
  const int64_t n = 4 * bench->l2_bytes / must_move + 1;

  return n > BENCH_MAX_COPIES ? BENCH_MAX_COPIES : n < 2 ? 2 : (int) n;
}

void
bench_copies_open (const Bench *bench, const BenchWork *work, BenchCopies *copies)
{
  copies->host = bench_job_new (work, bench->cpu, NULL);
  copies->n = bench_copies (bench, bench_job_bytes (copies->host));
  for (int i = 0; i < copies->n; i++) {
    copies->jobs[i] = bench_job_new (work, bench->backend, i > 0 ? copies->jobs[0] : copies->host);
    bench_job_run (copies->jobs[i], bench->stream);
  }
  bench_must_cuda (cudaStreamSynchronize (bench->stream), "cudaStreamSynchronize");
}

void
bench_copies_close (BenchCopies *copies)
{
  while (copies->n > 0)
    bench_job_free (copies->jobs[--copies->n]);
  bench_job_free (copies->host);
}

void
bench_copies_run (void *data, int i, cudaStream_t stream)
{
  bench_job_run (((BenchCopies *) data)->jobs[i], stream);
}

/* ---- times ---- */

static double
time_us (const Bench *bench, const cudaEvent_t events[2], BenchRun run, void *data)
{
  float ms;

  bench_must_cuda (cudaEventRecord (events[0], bench->stream), "cudaEventRecord");
  run (data, 0, bench->stream);
  bench_must_cuda (cudaEventRecord (events[1], bench->stream), "cudaEventRecord");
  bench_must_cuda (cudaEventSynchronize (events[1]), "cudaEventSynchronize");
  bench_must_cuda (cudaEventElapsedTime (&ms, events[0], events[1]), "cudaEventElapsedTime");
  return (double) ms * 1e3;
}

/* us of a part, where a run has n parts. */
static BenchSpread
time_parts (const Bench *bench, BenchRun run, void *data, int n_parts)
{
  double us[MAX_LAUNCHES], last = 0;
  cudaEvent_t events[2];
  int n;

  bench_must_cuda (cudaEventCreate (&events[0]), "cudaEventCreate");
  bench_must_cuda (cudaEventCreate (&events[1]), "cudaEventCreate");
  for (int i = 0; i < 3; i++)
    last = time_us (bench, events, run, data);
  n = (int) fmin (fmax (LAUNCHES_MS * 1e3 / last, MIN_LAUNCHES), MAX_LAUNCHES);
  for (int i = 0; i < n; i++)
    us[i] = time_us (bench, events, run, data) / n_parts;
  cudaEventDestroy (events[0]);
  cudaEventDestroy (events[1]);
  return bench_spread (us, n);
}

static void
launch_graph (void *data, int i, cudaStream_t stream)
{
  bench_must_cuda (cudaGraphLaunch (data, stream), "cudaGraphLaunch");
}

BenchSpread
bench_time (const Bench *bench, BenchRun run, void *data, int n_copies, int n)
{
  cudaGraphExec_t ready;
  cudaGraph_t graph;
  BenchSpread us;

  bench_must_cuda (cudaStreamBeginCapture (bench->stream, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  for (int i = 0; i < n; i++)
    run (data, i % n_copies, bench->stream);
  bench_must_cuda (cudaStreamEndCapture (bench->stream, &graph), "cudaStreamEndCapture");
  bench_must_cuda (cudaGraphInstantiate (&ready, graph, 0), "cudaGraphInstantiate");
  cudaGraphDestroy (graph);
  us = time_parts (bench, launch_graph, ready, n);
  cudaGraphExecDestroy (ready);
  return us;
}

BenchTimes
bench_times (const Bench *bench, BenchRun run, void *data, int n_copies, int64_t must_move)
{
  const int each = RUNS / n_copies / 2 * 2;
  const BenchSpread cold = bench_time (bench, run, data, n_copies, n_copies * (each < 2 ? 2 : each));

  return (BenchTimes) { cold, must_move < bench->l2_bytes ? bench_time (bench, run, data, 1, RUNS).median : cold.median };
}

double
bench_time_enqueue (const Bench *bench, BenchRun run, void *data)
{
  double us[ENQUEUES];

  for (int i = 0; i < ENQUEUES; i++) {
    const double before = bench_now_us ();

    run (data, 0, bench->stream);
    us[i] = bench_now_us () - before;
    bench_must_cuda (cudaStreamSynchronize (bench->stream), "cudaStreamSynchronize");
  }
  return bench_spread (us, ENQUEUES).median;
}

double
bench_time_cpu (BenchRun run, void *data)
{
  double us[CPU_RUNS + 1];

  for (int i = 0; i <= CPU_RUNS; i++) {
    const double before = bench_now_us ();

    run (data, 0, NULL);
    us[i] = bench_now_us () - before;
    if (i == 0 && us[0] > LONG_CPU_US)
      return us[0];
  }
  return bench_spread (us + 1, CPU_RUNS).median;
}

/* ---- rates of the memory ---- */

typedef struct
{
  void *from, *to;
  unsigned long long *sums;     /* of each block */
  enum
  {
    SET, FILL, COPY, ADD_UP
  } what;
} Memory;

/* Over 2 GiB. */
static void
move (void *data, int i, cudaStream_t stream)
{
  const dim3 blocks = { (unsigned) (RATE_BYTES / BENCH_BLOCK_BYTES), 1, 1 }, threads = { BENCH_THREADS, 1, 1 };
  Memory *memory = data;
  uint32_t value = VALUE;
  void *filled[] = { &memory->from, &value }, *added[] = { &memory->to, &memory->sums };

  if (memory->what == SET)
    bench_must_cuda (cudaMemsetAsync (memory->from, 0, (size_t) RATE_BYTES, stream), "cudaMemsetAsync");
  else if (memory->what == COPY)
    bench_must_cuda (cudaMemcpyAsync (memory->to, memory->from, (size_t) RATE_BYTES, cudaMemcpyDeviceToDevice, stream), "copy");
  else
    bench_must_cuda (cudaLaunchKernel (memory->what == FILL ? bench_fill : bench_add_up, blocks, threads,
            memory->what == FILL ? filled : added, 0, stream), "cudaLaunchKernel");
}

static double
gbps (const Bench *bench, Memory *memory, int what, int64_t bytes)
{
  memory->what = what;
  return (double) bytes / time_parts (bench, move, memory, 1).median / 1e3;
}

void
bench_measure_rates (Bench *bench)
{
  static unsigned long long sums[RATE_BYTES / BENCH_BLOCK_BYTES];
  Memory memory = { bench_memory (bench->backend, RATE_BYTES, NULL), bench_memory (bench->backend, RATE_BYTES, NULL),
    bench_memory (bench->backend, (int64_t) sizeof (sums), NULL)
  };
  const double set_gbps = gbps (bench, &memory, SET, RATE_BYTES);
  unsigned long long sum = 0;

  bench->fill_gbps = fmax (set_gbps, gbps (bench, &memory, FILL, RATE_BYTES));
  /* not in a graph, which may use a copy engine that is slower than the multiprocessors */
  bench->copy_gbps = gbps (bench, &memory, COPY, 2 * RATE_BYTES);
  bench->read_gbps = gbps (bench, &memory, ADD_UP, RATE_BYTES);
  bench_copy (bench->backend, sums, memory.sums, (int64_t) sizeof (sums));
  for (size_t i = 0; i < sizeof (sums) / sizeof (sums[0]); i++)
    sum += sums[i];
  if (sum != (unsigned long long) RATE_BYTES / 4 * VALUE)
    bench_fail ("2 GiB filled, copied and read", "their sum is wrong");
  rc_memory_free (bench->backend, RC_MEMORY_DEVICE, memory.from);
  rc_memory_free (bench->backend, RC_MEMORY_DEVICE, memory.to);
  rc_memory_free (bench->backend, RC_MEMORY_DEVICE, memory.sums);
}

double
bench_floor (const Bench *bench, int64_t read, int64_t written)
{
  const int64_t copied = read < written ? read : written;

  return bench->launch_us + (2.0 * (double) copied / bench->copy_gbps + (double) (read - copied) / bench->read_gbps
      + (double) (written - copied) / bench->fill_gbps) / 1e3;
}
