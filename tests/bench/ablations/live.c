/* robocache: a live tick: calls on a stream against a graph that holds them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ablations.h"
#include "kernels/align.h"
#include "kernels/memory.h"

#define TICKS 1000              /* measured of each variant */
#define TICKS_APART 200         /* where ticks do not follow each other */
#define IDLE_MS 10              /* between them then */
#define ROWS 4                  /* of each stream that go up */
#define MAX_STREAMS 16

typedef struct
{
  const char *name;
  int n_streams;
  int channels[MAX_STREAMS];
} Shape;

static const Shape shapes[] = {
  {"14 + 6 channels", 2, {14, 6}},
  {"16 streams of 32 channels", 16, {32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32}},
};

/* Rows and brackets of all streams lie in one block, which goes up in one copy; so does what comes down. */
typedef struct
{
  const Shape *shape;
  RcAlignStreamSpec specs[MAX_STREAMS];
  int64_t rows_at[MAX_STREAMS], brackets_at[MAX_STREAMS], out_at[MAX_STREAMS];
  int64_t in_bytes, out_bytes;
  char *host_in, *host_out;     /* pinned */
  char *in, *out;               /* device */
  char *expected;
  RcAlignStreamArgs streams[MAX_STREAMS], host_streams[MAX_STREAMS];
  RcAlignPlan *plan, *host_plan;
  void *scratch;
} Tick;

/* ---- a tick ---- */

static RcAlignStreamArgs
stream_args (const Tick *tick, int i, char *in, char *out)
{
  const int64_t row_bytes = 4 * tick->shape->channels[i];

  return (RcAlignStreamArgs) {.rows = in + tick->rows_at[i],.n_rows = ROWS,.row_stride = row_bytes,
    .brackets = (const RcBracket *) (const void *) (in + tick->brackets_at[i]),.out = out + tick->out_at[i],
    .out_row_stride = row_bytes
  };
}

static void *
pinned (RcBackend *backend, int64_t bytes)
{
  RcError error;
  void *memory;

  if (rc_memory_alloc (backend, RC_MEMORY_PINNED, (uint64_t) bytes, &memory, &error) != RC_OK)
    bench_fail ("pinned memory", error.message);
  return memory;
}

static void
make_tick (Tick *tick, const Shape *shape, const Bench *bench)
{
  const RcAlignSpec spec = { tick->specs, shape->n_streams };
  RcFootprint footprint;
  RcError error;
  int i;

  memset (tick, 0, sizeof (*tick));
  tick->shape = shape;
  for (i = 0; i < shape->n_streams; i++) {
    tick->specs[i] = (RcAlignStreamSpec) {.in = RC_FLOAT32,.out = RC_FLOAT32,.channels = shape->channels[i],
      .search = {RC_LINEAR, -1, 0, 0}
    };
    tick->brackets_at[i] = i * (int64_t) sizeof (RcBracket);
    tick->rows_at[i] = tick->in_bytes + shape->n_streams * (int64_t) sizeof (RcBracket);
    tick->in_bytes += ROWS * 4 * shape->channels[i];
    tick->out_at[i] = tick->out_bytes;
    tick->out_bytes += 4 * shape->channels[i];
  }
  tick->in_bytes += shape->n_streams * (int64_t) sizeof (RcBracket);
  tick->host_in = pinned (bench->backend, tick->in_bytes);
  tick->host_out = pinned (bench->backend, tick->out_bytes);
  tick->in = bench_memory (bench->backend, (uint64_t) tick->in_bytes, NULL);
  tick->out = bench_memory (bench->backend, (uint64_t) tick->out_bytes, NULL);
  tick->expected = malloc ((size_t) tick->out_bytes);
  for (i = 0; i < shape->n_streams; i++) {
    tick->streams[i] = stream_args (tick, i, tick->in, tick->out);
    tick->host_streams[i] = stream_args (tick, i, tick->host_in, tick->expected);
  }
  if (rc_align_plan (bench->backend, &spec, &tick->plan, &footprint, &error) != RC_OK
      || rc_align_plan (bench->cpu, &spec, &tick->host_plan, NULL, &error) != RC_OK)
    bench_fail (shape->name, error.message);
  tick->scratch = bench_memory (bench->backend, footprint.scratch_bytes, NULL);
}

static void
free_tick (Tick *tick, RcBackend *backend)
{
  rc_align_plan_free (tick->plan);
  rc_align_plan_free (tick->host_plan);
  rc_memory_free (backend, RC_MEMORY_PINNED, tick->host_in);
  rc_memory_free (backend, RC_MEMORY_PINNED, tick->host_out);
  rc_memory_free (backend, RC_MEMORY_DEVICE, tick->in);
  rc_memory_free (backend, RC_MEMORY_DEVICE, tick->out);
  rc_memory_free (backend, RC_MEMORY_DEVICE, tick->scratch);
  free (tick->expected);
}

/* New rows and weights, and what the CPU backend makes of them. */
static void
fill_tick (Tick *tick)
{
  RcAlignArgs args = { tick->host_streams, 1, 1, NULL, 0, NULL };
  RcError error;
  int i;

  for (i = 0; i < tick->shape->n_streams; i++) {
    float *rows = (float *) (void *) (tick->host_in + tick->rows_at[i]);
    RcBracket *bracket = (RcBracket *) (void *) (tick->host_in + tick->brackets_at[i]);
    int k;

    for (k = 0; k < ROWS * tick->shape->channels[i]; k++)
      rows[k] = (float) bench_uniform ();
    *bracket = (RcBracket) {.blend = RC_BLEND_LINEAR,.status = RC_ALIGNED,.row = 1,.next = 2,.before = 1,.after = 1,
      .w = bench_uniform ()
    };
  }
  if (rc_align_run (tick->host_plan, &args, NULL, &error) != RC_OK)
    bench_fail (tick->shape->name, error.message);
}

/* ---- ways to do it ---- */

static void
enqueue_kernel (const Tick *tick, cudaStream_t stream)
{
  const RcAlignArgs args = { tick->streams, 1, 1, NULL, 0, tick->scratch };
  RcError error;

  if (rc_align_run (tick->plan, &args, stream, &error) != RC_OK)
    bench_fail (tick->shape->name, error.message);
}

static void
enqueue_all (const Tick *tick, cudaStream_t stream)
{
  bench_must (cudaMemcpyAsync (tick->in, tick->host_in, (size_t) tick->in_bytes, cudaMemcpyHostToDevice, stream),
      "cudaMemcpyAsync");
  enqueue_kernel (tick, stream);
  bench_must (cudaMemcpyAsync (tick->host_out, tick->out, (size_t) tick->out_bytes, cudaMemcpyDeviceToHost, stream),
      "cudaMemcpyAsync");
}

static cudaGraphExec_t
capture (const Tick *tick, void (*enqueue) (const Tick * tick, cudaStream_t stream), cudaStream_t stream)
{
  cudaGraphExec_t ready;
  cudaGraph_t graph;

  bench_must (cudaStreamBeginCapture (stream, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  enqueue (tick, stream);
  bench_must (cudaStreamEndCapture (stream, &graph), "cudaStreamEndCapture");
  bench_must (cudaGraphInstantiate (&ready, graph, 0), "cudaGraphInstantiate");
  cudaGraphDestroy (graph);
  return ready;
}

typedef struct
{
  const char *name;
  void (*enqueue) (const Tick * tick, cudaStream_t stream);
  int as_graph;
  int idle_ms;                  /* before each tick */
} Variant;

static const Variant variants[] = {
  {"kernel alone, on a stream", enqueue_kernel, 0, 0},
  {"kernel alone, a graph", enqueue_kernel, 1, 0},
  {"copy, kernel, copy, on a stream", enqueue_all, 0, 0},
  {"copy, kernel, copy, a graph", enqueue_all, 1, 0},
  {"copy, kernel, copy, on a stream", enqueue_all, 0, IDLE_MS},
  {"copy, kernel, copy, a graph", enqueue_all, 1, IDLE_MS},
};

/* What one way takes, in us, sorted. */
typedef struct
{
  double enqueue[TICKS], done[TICKS];
  int n;                        /* ticks */
  int wrong;                    /* of them */
} Latencies;

static void
measure_ticks (Tick *tick, const Bench *bench, const Variant *variant, Latencies *latencies)
{
  const cudaStream_t stream = bench->stream;
  const cudaGraphExec_t graph = variant->as_graph ? capture (tick, variant->enqueue, stream) : NULL;
  const struct timespec idle = { 0, variant->idle_ms * 1000000L };
  int i;

  latencies->wrong = 0;
  latencies->n = variant->idle_ms > 0 ? TICKS_APART : TICKS;
  for (i = -latencies->n / 10; i < latencies->n; i++) { /* the first ones warm up */
    double before;

    fill_tick (tick);
    if (variant->enqueue == enqueue_kernel)
      bench_must (cudaMemcpy (tick->in, tick->host_in, (size_t) tick->in_bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    if (variant->idle_ms > 0)
      nanosleep (&idle, NULL);
    before = bench_now_us ();
    if (variant->as_graph)
      bench_must (cudaGraphLaunch (graph, stream), "cudaGraphLaunch");
    else
      variant->enqueue (tick, stream);
    latencies->enqueue[i < 0 ? 0 : i] = bench_now_us () - before;
    bench_must (cudaStreamSynchronize (stream), "cudaStreamSynchronize");
    latencies->done[i < 0 ? 0 : i] = bench_now_us () - before;
    if (variant->enqueue == enqueue_kernel)
      bench_must (cudaMemcpy (tick->host_out, tick->out, (size_t) tick->out_bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    latencies->wrong += memcmp (tick->host_out, tick->expected, (size_t) tick->out_bytes) != 0;
  }
  if (variant->as_graph)
    cudaGraphExecDestroy (graph);
  bench_spread (latencies->enqueue, latencies->n);      /* sorts them */
  bench_spread (latencies->done, latencies->n);
}

static void
measure (Ablations *all, Tick *tick, const Variant *variant, Latencies *latencies, Table *table)
{
  int p50, p99;

  measure_ticks (tick, &all->bench, variant, latencies);
  p50 = latencies->n / 2;
  p99 = latencies->n * 99 / 100;
  table_text (table, tick->shape->name);
  table_text (table, variant->name);
  table_number (table, variant->idle_ms, 0);
  table_number (table, latencies->enqueue[p50], 2);
  table_number (table, latencies->enqueue[p99], 2);
  table_number (table, latencies->done[p50], 2);
  table_number (table, latencies->done[p99], 2);
  table_text (table, ablation_checked (all, latencies->wrong == 0));
}

void
ablate_live (Ablations *all)
{
  Latencies *latencies = malloc (sizeof (*latencies));
  Table table;
  size_t i, k;

  table_begin (&table, all->folder, "live", "work,variant,idle_ms,enqueue_p50_us,enqueue_p99_us,done_p50_us,done_p99_us,checked");
  for (i = 0; i < sizeof (shapes) / sizeof (shapes[0]); i++) {
    Tick tick;

    make_tick (&tick, &shapes[i], &all->bench);
    for (k = 0; k < sizeof (variants) / sizeof (variants[0]); k++)
      measure (all, &tick, &variants[k], latencies, &table);
    free_tick (&tick, all->bench.backend);
  }
  table_end (&table);
  free (latencies);
}
