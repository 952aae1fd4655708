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
__host__ __device__ inline Tick
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

__host__ __device__ inline float
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
  Episodes host, copies[MAX_COPIES];
  int n_copies;
  int64_t bytes, n_out;         /* that must move; elements of the output */
};

inline void
make_recording (const Lab &all, const Shape &shape, Recording *recording)
{
  const int64_t n_rows = (int64_t) shape.episodes * shape.n_rows, n_ticks = (int64_t) shape.episodes * shape.n_ticks;
  int64_t *times = static_cast<int64_t *> (malloc (n_rows * 8)), *ticks = static_cast<int64_t *> (malloc (n_ticks * 8));
  float *rows = static_cast<float *> (malloc (n_rows * shape.channels * sizeof (float)));

  for (int64_t i = 0; i < n_rows; i++)
    times[i] = i % shape.n_rows * 1000 + (int64_t) (300 * (1 + uniform ()));
  for (int64_t i = 0; i < n_ticks; i++)
    ticks[i] = 1000 + i % shape.n_ticks * (int64_t) (shape.n_rows - 4) * 1000 / shape.n_ticks;
  for (int64_t i = 0; i < n_rows * shape.channels; i++)
    rows[i] = uniform ();
  recording->host = { shape.n_rows, shape.n_ticks, shape.channels, shape.episodes * shape.n_ticks / TICKS, times, ticks, rows,
    nullptr };
  recording->n_out = n_ticks * shape.channels;
  recording->bytes = (n_rows + n_ticks) * 8 + (n_rows < 2 * n_ticks ? n_rows : 2 * n_ticks) * shape.channels * 4 + recording->n_out * 4;
  recording->n_copies = copies_for (all, recording->bytes);
  for (int i = 0; i < recording->n_copies; i++) {
    recording->copies[i] = recording->host;
    recording->copies[i].times = upload (times, n_rows);
    recording->copies[i].ticks = upload (ticks, n_ticks);
    recording->copies[i].rows = upload (rows, n_rows * shape.channels);
    recording->copies[i].out = upload<float> (nullptr, recording->n_out);
  }
}

/* Whether the last copy has the host's output, bit for bit; clears it. */
inline bool
is_right (const Recording &recording)
{
  const Episodes &host = recording.host, &last = recording.copies[recording.n_copies - 1];
  float *out = download (last.out, recording.n_out);
  bool same = true;

  for (int64_t i = 0; i < recording.n_out / host.channels && same; i++) {
    const int64_t first = i / host.n_ticks * host.n_rows;
    const Tick tick = find_tick (host.times + first, host.n_rows, 0, host.ticks[i]);

    for (int32_t c = 0; c < host.channels && same; c++)
      same = out[i * host.channels + c] == blend (host.rows[(first + tick.row) * host.channels + c],
          host.rows[(first + tick.next) * host.channels + c], tick.w);
  }
  must (cudaMemset (last.out, 0, recording.n_out * sizeof (float)), "cudaMemset");
  free (out);
  return same;
}

inline void
free_recording (Recording *recording)
{
  for (int i = 0; i < recording->n_copies; i++) {
    cudaFree ((void *) recording->copies[i].times);
    cudaFree ((void *) recording->copies[i].ticks);
    cudaFree ((void *) recording->copies[i].rows);
    cudaFree (recording->copies[i].out);
  }
  free ((void *) recording->host.times);
  free ((void *) recording->host.ticks);
  free ((void *) recording->host.rows);
}

#define EPISODES_COLUMNS "work,variant,blocks_at_once,must_move_bytes,median_us,p95_us,achieved_gbps,checked"

/* A row of the table. run (episodes, copy) enqueues the kernel. */
template <typename Run>
void
measure (Lab *all, const Shape &shape, const Recording &recording, const char *variant, const void *kernel, size_t shared_bytes,
    Run run)
{
  const int resident = resident_blocks (kernel, THREADS, shared_bytes);
  const BenchSpread us = time_runs (*all, recording.n_copies, [&] (int copy) {
      run (recording.copies[copy], copy);
  });

  must (cudaGetLastError (), variant);
  table_text (&all->table, shape.name);
  table_text (&all->table, variant);
  table_number (&all->table, resident, 0);
  put_times (all, recording.bytes, us);
  put_checked (all, is_right (recording));
}
}

#endif
