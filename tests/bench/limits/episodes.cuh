/* robocache: recorded episodes for experiments with the search for rows and with their copies
 * An item is 64 ticks of an episode, which a block interpolates. Rows are float32.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_EPISODES_CUH
#define BENCH_EPISODES_CUH

#include "kernels/interpolation.h"
#include "tests/bench/limits/lab.cuh"

namespace lab
{
constexpr int TICKS = 64, THREADS = 128;

struct Shape
{
  const char *name;
  int32_t episodes, n_rows, n_ticks, channels;
};

/* Two rows a tick, and four. */
static const Shape shapes[] = { {"64x4096 -> 2048x64", 64, 4096, 2048, 64}, {"64x4096 -> 1024x32", 64, 4096, 1024, 32} };

struct Episodes
{
  int32_t n_rows, n_ticks, channels, n_items;
  const int64_t *times, *ticks; /* [episodes, n_rows], [episodes, n_ticks] */
  const float *rows;            /* [episodes, n_rows, channels] */
  float *out;                   /* [episodes, n_ticks, channels] */
};

/* ---- on the device ---- */

struct Item
{
  const int64_t *times, *ticks;
  const float4 *rows;
  float4 *out;
  int32_t first_row;            /* over all episodes */
};

struct Tick
{
  int32_t row, next;
  float w;
};

__device__ __forceinline__ Item
item_of (const Episodes &all)
{
  const int32_t items = all.n_ticks / TICKS, episode = blockIdx.x / items, lanes = all.channels / 4;
  const int64_t first = (int64_t) episode * all.n_ticks + blockIdx.x % items * TICKS, row = (int64_t) episode * all.n_rows;

  return { all.times + row, all.ticks + first, reinterpret_cast<const float4 *> (all.rows) + row * lanes,
      reinterpret_cast<float4 *> (all.out) + first * lanes, (int32_t) row };
}

/* In times [0, n), of which the first one is that of row `first`. */
__device__ __forceinline__ Tick
find_tick (const int64_t *times, int32_t n, int32_t first, int64_t tick)
{
  const RcSearch linear = { RC_LINEAR, -1, 0, 0 };
  const RcBracket b = rc_bracket_find (&linear, times, n, tick);

  return { first + (int32_t) b.row, first + (int32_t) b.next, (float) b.w };
}

__device__ __forceinline__ void
find_ticks (const Item &item, const int64_t *times, int32_t n, int32_t first, Tick *ticks)
{
  if (threadIdx.x < TICKS)
    ticks[threadIdx.x] = find_tick (times, n, first, item.ticks[threadIdx.x]);
  __syncthreads ();
}

/* First and last row that the item's ticks can need; its first two threads search, and the block waits. */
__device__ __forceinline__ int2
find_span (const Episodes &all, const Item &item, int2 *span)
{
  if (threadIdx.x == 0)
    span->x = find_tick (item.times, all.n_rows, 0, item.ticks[0]).row;
  if (threadIdx.x == 32)
    span->y = find_tick (item.times, all.n_rows, 0, item.ticks[TICKS - 1]).next + 1;
  __syncthreads ();
  return *span;
}

__device__ __forceinline__ float
blend (float y0, float y1, float w)
{
  const float difference = y1 - y0;

  return y0 + w * difference;
}

/* rows begins with row `first`; each thread has four pairs of loads in flight. */
__device__ __forceinline__ void
blend_rows (const Episodes &all, const Item &item, const float4 *rows, int32_t first, const Tick *ticks)
{
  const uint32_t lanes = (uint32_t) all.channels / 4, n = TICKS * lanes;

  for (uint32_t i = threadIdx.x; i < n; i += 4 * THREADS) {
    float4 y0[4], y1[4];

#pragma unroll
    for (int u = 0; u < 4; u++) {
      const uint32_t at = i + u * THREADS;

      if (at < n) {
        y0[u] = rows[(ticks[at / lanes].row - first) * lanes + at % lanes];
        y1[u] = rows[(ticks[at / lanes].next - first) * lanes + at % lanes];
      }
    }
#pragma unroll
    for (int u = 0; u < 4; u++) {
      const uint32_t at = i + u * THREADS;
      const float w = at < n ? ticks[at / lanes].w : 0;

      if (at < n)
        item.out[at] = make_float4 (blend (y0[u].x, y1[u].x, w), blend (y0[u].y, y1[u].y, w), blend (y0[u].z, y1[u].z, w),
            blend (y0[u].w, y1[u].w, w));
    }
  }
}

/* ---- on the host ---- */

struct Recording
{
  const Shape *shape;
  BenchWork work;
  BenchCopies copies;
};

inline void
make_recording (const Lab &all, const Shape &shape, Recording *recording)
{
  BenchWork *work = &recording->work;

  *recording = { };
  recording->shape = &shape;
  work->name = shape.name;
  work->size = "large";
  work->align.batch = shape.episodes;
  work->align.ticks = shape.n_ticks;
  work->align.in = work->align.out = RC_FLOAT32;
  work->align.streams[0] = { shape.n_rows, shape.channels, 1 };
  bench_copies_open (&all, work, &recording->copies);
  bench_job_run_alone (recording->copies.host);
}

inline Episodes
episodes_of (const Recording &recording, int copy)
{
  const Shape &shape = *recording.shape;
  const BenchJob *job = recording.copies.jobs[copy];

  return { shape.n_rows, shape.n_ticks, shape.channels, shape.episodes * shape.n_ticks / TICKS, job->streams[0].times,
    job->align_args.tick_times, static_cast<const float *> (job->streams[0].rows), static_cast<float *> (job->streams[0].out) };
}

#define EPISODES_COLUMNS "work,variant,blocks_at_once,must_move_bytes,median_us,p95_us,achieved_gbps,checked"

/* A row of the table. run (episodes, copy) enqueues the kernel. The output of the last copy must have the CPU's bits. */
template <typename Run>
void
measure (Lab *all, const Recording &recording, const char *variant, const void *kernel, size_t shared_bytes, Run run)
{
  const Shape &shape = *recording.shape;
  const BenchCopies &copies = recording.copies;
  const int resident = resident_blocks (kernel, THREADS, shared_bytes);
  char differs[BENCH_DIFFERS_SIZE] = "";
  BenchSpread us;

  bench_copy (all->backend, copies.jobs[copies.n - 1]->streams[0].out, nullptr,
      (int64_t) shape.episodes * shape.n_ticks * shape.channels * (int64_t) sizeof (float));
  us = time_runs (*all, copies.n, [&] (int copy) { run (episodes_of (recording, copy), copy); });
  bench_must_cuda (cudaGetLastError (), variant);
  bench_job_compare (copies.jobs[copies.n - 1], copies.host, differs);
  table_put (&all->table, "%s|%s|%d", shape.name, variant, resident);
  put_times (all, bench_job_bytes (copies.host), us);
  put_checked (all, differs[0] == '\0');
}
}

#endif
