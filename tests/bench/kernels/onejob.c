/* robocache: how long one job takes on a device that was idle, until its last byte
 *   bench-one-job [--jobs N] [--idle US] [--only TEXT]... [--csv FILE]
 * Before each of N jobs (default 1000) the caches are overwritten, and the device is idle for US (default 10000). A time is from the call to
 * the end of the stream. Ways: the launches in a stream, as elements make them; a captured graph of the same launches, as it is and with the
 * arguments of its kernels set again, of two works or of those of --only; plain CUDA, the kernel of a first version; and for a live tick a
 * kernel that stays on the device and polls, with arithmetic of its own: a bound. Status 1 if an output differs from the CPU's, which those
 * of plain CUDA are not compared with.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/kernels/onejob.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/bench/kernels/device.h"
#include "tests/bench/peers/plain.h"

#define WARM_UP 20
#define MAX_JOBS 100000
#define OVERWRITTEN 4           /* times the L2 */
#define MAX_NODES 32            /* of a graph */

/* Of the works that are measured without --only. */
static const char *const names[] = {
  "one live tick of 14 + 6", "one live frame", "resample 1x60000", "resample 32x500 -> 256x256, float32", "occupancy 1 x 100,000, 64^3, float32",
  "occupancy 1 x 500,000", "mean of 8, 1 x 500,000, 128^3, float32", "sparse, mean of 4, 1 x 250,000, 512^3", "index of 126,891", "first 10 points",
};

/* Graphs are measured for two of these works: the one with one launch, and the one with the most. */
static const BenchFilter graphs = {.only = {"one live tick of 14 + 6", "first 10 points"},.n_only = 2 };

typedef struct
{
  Bench bench;
  BenchJob *job;
  cudaGraph_t captured;
  cudaGraphExec_t graph;
  cudaGraphNode_t kernels[MAX_NODES];
  struct cudaKernelNodeParams arguments[MAX_NODES];
  int n_kernels;
  float *counts;                /* of plain CUDA */
  BenchMailbox *mailbox;
  void *junk;                   /* that overwrites the caches */
  double us[MAX_JOBS];
  int n_jobs, idle_us;
  BenchFilter graphs;           /* works that are captured */
} OneJob;

/* Runs the job and waits for its end. */
typedef void (*Way) (OneJob * one);

static void
wait_for_stream (OneJob *one)
{
  bench_must_cuda (cudaStreamSynchronize (one->bench.stream), "cudaStreamSynchronize");
}

static void
by_stream (OneJob *one)
{
  bench_job_run (one->job, one->bench.stream);
  wait_for_stream (one);
}

static void
by_graph (OneJob *one)
{
  bench_must_cuda (cudaGraphLaunch (one->graph, one->bench.stream), "cudaGraphLaunch");
  wait_for_stream (one);
}

static void
by_graph_with_arguments (OneJob *one)
{
  for (int i = 0; i < one->n_kernels; i++)
    bench_must_cuda (cudaGraphExecKernelNodeSetParams (one->graph, one->kernels[i], &one->arguments[i]), "cudaGraphExecKernelNodeSetParams");
  by_graph (one);
}

static void
by_plain_cuda (OneJob *one)
{
  bench_plain_run (one->job, one->counts, one->bench.stream);
  wait_for_stream (one);
}

static void
by_waiting_kernel (OneJob *one)
{
  const unsigned number = one->mailbox->asked + 1;

  __atomic_store_n (&one->mailbox->asked, number, __ATOMIC_RELEASE);
  while (__atomic_load_n (&one->mailbox->done, __ATOMIC_ACQUIRE) != number) {
  }
}

/* ---- measurement ---- */

static void
overwrite_caches (OneJob *one, cudaStream_t stream)
{
  const dim3 blocks = { (unsigned) (OVERWRITTEN * one->bench.l2_bytes / BENCH_BLOCK_BYTES), 1, 1 }, threads = { BENCH_THREADS, 1, 1 };
  unsigned value = 1;
  void *arguments[] = { &one->junk, &value };

  bench_must_cuda (cudaLaunchKernel (bench_fill, blocks, threads, arguments, 0, stream), "cudaLaunchKernel");
  bench_must_cuda (cudaStreamSynchronize (stream), "cudaStreamSynchronize");
}

static int
compare_numbers (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static void
put_times (OneJob *one, Table *table, const char *work, const char *way)
{
  const int n = one->n_jobs;

  qsort (one->us, (size_t) n, sizeof (double), compare_numbers);
  table_put (table, "%s|%s|%d|%.2f|%.2f|%.2f|%.2f", work, way, n, one->us[n / 20], one->us[n / 2], one->us[n * 19 / 20], one->us[n * 99 / 100]);
}

static void
measure (OneJob *one, Table *table, const char *work, const char *name, Way way)
{
  for (int i = -WARM_UP; i < one->n_jobs; i++) {
    double began;

    overwrite_caches (one, one->bench.stream);
    usleep ((useconds_t) one->idle_us);
    began = bench_now_us ();
    way (one);
    if (i >= 0)
      one->us[i] = bench_now_us () - began;
  }
  put_times (one, table, work, name);
}

static void
capture (OneJob *one)
{
  cudaGraphNode_t nodes[MAX_NODES];
  size_t n;

  bench_must_cuda (cudaStreamBeginCapture (one->bench.stream, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  bench_job_run (one->job, one->bench.stream);
  bench_must_cuda (cudaStreamEndCapture (one->bench.stream, &one->captured), "cudaStreamEndCapture");
  bench_must_cuda (cudaGraphInstantiate (&one->graph, one->captured, 0), "cudaGraphInstantiate");
  bench_must_cuda (cudaGraphGetNodes (one->captured, NULL, &n), "cudaGraphGetNodes");
  if (n > MAX_NODES)
    bench_fail ("a graph", "more nodes than MAX_NODES");
  bench_must_cuda (cudaGraphGetNodes (one->captured, nodes, &n), "cudaGraphGetNodes");
  one->n_kernels = 0;
  for (size_t i = 0; i < n; i++) {
    enum cudaGraphNodeType type;

    bench_must_cuda (cudaGraphNodeGetType (nodes[i], &type), "cudaGraphNodeGetType");
    if (type != cudaGraphNodeTypeKernel)
      continue;
    one->kernels[one->n_kernels] = nodes[i];
    bench_must_cuda (cudaGraphKernelNodeGetParams (nodes[i], &one->arguments[one->n_kernels++]), "cudaGraphKernelNodeGetParams");
  }
}

/* The kernel has a stream of its own, on which nothing else waits. */
static void
measure_waiting_kernel (OneJob *one, Table *table, const char *work)
{
  static const float given[2 * BENCH_MAILBOX_CHANNELS] = {[0] = 1,[BENCH_MAILBOX_CHANNELS] = 3,[2 * BENCH_MAILBOX_CHANNELS - 1] = 5 };
  float got[3 * BENCH_MAILBOX_CHANNELS];
  float *rows = bench_memory (one->bench.backend, (int64_t) sizeof (got), NULL), *out = rows + 2 * BENCH_MAILBOX_CHANNELS;
  const dim3 block = { 1, 1, 1 }, threads = { 32, 1, 1 };
  void *arguments[] = { &one->mailbox, &rows, &out };
  cudaStream_t stream;

  bench_copy (one->bench.backend, rows, given, (int64_t) sizeof (given));
  bench_must_cuda (cudaHostAlloc ((void **) &one->mailbox, sizeof (*one->mailbox), cudaHostAllocMapped), "cudaHostAlloc");
  *one->mailbox = (BenchMailbox) {.weight = 0.5f };
  bench_must_cuda (cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  bench_must_cuda (cudaLaunchKernel (bench_wait_for_jobs, block, threads, arguments, 0, stream), "cudaLaunchKernel");
  measure (one, table, work, "a kernel that stays", by_waiting_kernel);
  __atomic_store_n (&one->mailbox->asked, BENCH_MAILBOX_END, __ATOMIC_RELEASE);
  bench_must_cuda (cudaStreamSynchronize (stream), "cudaStreamSynchronize");
  bench_copy (one->bench.backend, got, rows, (int64_t) sizeof (got));
  if (got[2 * BENCH_MAILBOX_CHANNELS] != 2 || got[3 * BENCH_MAILBOX_CHANNELS - 1] != 2.5f)
    bench_fail ("a kernel that stays", "its rows are wrong");
  cudaStreamDestroy (stream);
  cudaFreeHost (one->mailbox);
  rc_memory_free (one->bench.backend, RC_MEMORY_DEVICE, rows);
}

/* Of the way that ran last; its outputs are cleared for the next one. Whether they differ. */
static int
compare (OneJob *one, BenchJob *host, const char *way)
{
  char differs[BENCH_DIFFERS_SIZE] = "";

  bench_job_compare (one->job, host, differs);
  if (differs[0])
    printf ("FAIL %s, %s: %s\n", one->job->work->name, way, differs);
  for (int i = 0; i < one->job->n_arrays && !one->job->work->voxels.kept; i++) {
    if (one->job->arrays[i].is_output)
      bench_must_cuda (cudaMemset (one->job->arrays[i].memory, 0xa5, (size_t) one->job->arrays[i].bytes), "cudaMemset");
  }
  return differs[0] != '\0';
}

/* Whether an output differs. */
static int
measure_graphs (OneJob *one, BenchJob *host, Table *table)
{
  const char *work = one->job->work->name;
  int differs;

  capture (one);
  measure (one, table, work, "graph", by_graph);
  differs = compare (one, host, "graph");
  measure (one, table, work, "graph, new arguments", by_graph_with_arguments);
  differs |= compare (one, host, "graph, new arguments");
  cudaGraphExecDestroy (one->graph);
  cudaGraphDestroy (one->captured);
  return differs;
}

/* Whether an output differs. */
static int
measure_work (OneJob *one, const BenchWork *work, Table *table)
{
  BenchJob *host = bench_job_new (work, one->bench.cpu, NULL);
  int differs;

  one->job = bench_job_new (work, one->bench.backend, host);
  bench_job_run (host, NULL);
  measure (one, table, work->name, "stream", by_stream);
  differs = compare (one, host, "stream");
  if (bench_wants (&one->graphs, work))
    differs |= measure_graphs (one, host, table);
  if (bench_plain_has (work)) {
    one->counts = bench_memory (one->bench.backend, bench_plain_count_bytes (work), NULL);
    measure (one, table, work->name, "plain CUDA", by_plain_cuda);
    rc_memory_free (one->bench.backend, RC_MEMORY_DEVICE, one->counts);
  }
  if (work->align.live && work->align.in == RC_FLOAT32)
    measure_waiting_kernel (one, table, work->name);
  bench_job_free (one->job);
  bench_job_free (host);
  return differs;
}

static int
measure_all (OneJob *one, const BenchFilter *filter, const char *csv)
{
  int differs = 0;
  Table table;

  one->junk = bench_memory (one->bench.backend, OVERWRITTEN * one->bench.l2_bytes + BENCH_BLOCK_BYTES, NULL);
  table_open (&table, csv, "work,way,jobs,p5_us,median_us,p95_us,p99_us");
  for (int i = 0; i < bench_n_works; i++) {
    if (bench_wants (filter, &bench_works[i]))
      differs |= measure_work (one, &bench_works[i], &table);
  }
  table_end (&table);
  rc_memory_free (one->bench.backend, RC_MEMORY_DEVICE, one->junk);
  return differs;
}

static int
number (const char *text, const char *option, int most)
{
  char *end;
  const long value = strtol (text, &end, 10);

  if (*end != '\0' || value < 1 || value > most) {
    fprintf (stderr, "bench-one-job: %s is %s; expected 1 to %d\n", option, text, most);
    exit (1);
  }
  return (int) value;
}

int
main (int argc, char **argv)
{
  static OneJob one;
  const char *csv = NULL, *jobs = "1000", *idle = "10000";
  BenchFilter filter = { 0 };
  int differs;

  for (int i = 1; i < argc; i++) {
    if (!bench_filter_add (&filter, argc, argv, &i) && !bench_option (argc, argv, &i, "--csv", &csv)
        && !bench_option (argc, argv, &i, "--jobs", &jobs) && !bench_option (argc, argv, &i, "--idle", &idle))
      bench_fail (argv[i], "expected --jobs N, --idle US, --only TEXT or --csv FILE");
  }
  if (filter.n_only == 0)
    one.graphs = graphs;
  for (size_t i = 0; filter.n_only == 0 && i < sizeof (names) / sizeof (names[0]); i++)
    filter.only[i] = names[i];
  if (filter.n_only == 0)
    filter.n_only = sizeof (names) / sizeof (names[0]);
  one.n_jobs = number (jobs, "--jobs", MAX_JOBS);
  one.idle_us = number (idle, "--idle", 1000000);
  if (!bench_open (&one.bench, "bench-one-job"))
    return 0;
  differs = measure_all (&one, &filter, csv);
  bench_close (&one.bench);
  return differs;
}
