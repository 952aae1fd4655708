/* robocache: alignment on the GPU: the kernels
 *
 * One launch does all streams. What must move through memory: of every episode its times once, the rows that some tick
 * needs once, and the output rows, statuses and tick times once; so with every row needed
 *
 *   batch * (n_rows * (channels * in_size + 8) + ticks * (channels * out_size + 9))    bytes a stream,
 *
 * and the floor is that over the bandwidth of a copy (which counts bytes read and written), plus one launch. Two ticks
 * share rows, and the items of an episode share times: that is left to the caches, neighbouring items being
 * neighbouring blocks. An item of R ticks reads at most 2 R rows (4 R for cubics) and min (8 n_rows, 32 KB) of times.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "align_task.h"
#include "rows.cuh"
#include "search.cuh"

using namespace rc;

namespace
{
/* ---- the order of times that blocks do not stage whole ----
 *
 * Moves 8 bytes a time: at copy bandwidth 0.5 us for 256 episodes of 1,000 rows. */

/* The last stream whose number is not above index: streams without a slice have the number of the one after them. */
template <typename Number>
__device__ __forceinline__ int64_t
stream_of (int64_t n, int64_t index, Number number)
{
  int64_t first = 0;

  while (n > 1) {
    const int64_t half = n / 2;

    if (number (first + half) <= index) {
      first += half;
      n -= half;
    } else {
      n = half;
    }
  }
  return first;
}

__device__ __forceinline__ int64_t
rows_of (const RcCudaAlignTask &task, int64_t episode)
{
  return task.row_counts != NULL ? __ldg (task.row_counts + episode) : task.n_rows;
}

__device__ __forceinline__ const int64_t *
list_of (const int64_t *lists, int64_t stride, int64_t episode)
{
  return reinterpret_cast<const int64_t *> (reinterpret_cast<const char *> (lists) + episode * stride);
}

__global__ void __launch_bounds__ (RC_CUDA_THREADS)
align_order (const __grid_constant__ RcCudaAlignMany launch)
{
  const RcCudaAlignHead &head = launch.head;
  const RcCudaAlignTask *tasks = head.table != NULL ? head.table : launch.tasks;

  const int64_t slice = head.first_index + blockIdx.x;
  const int64_t stream = stream_of (head.n_streams, slice, [&] (int64_t i) { return tasks[i].first_slice; });
  const RcCudaAlignTask &task = tasks[stream];
  const int64_t episode = (slice - task.first_slice) / task.slices;
  const int64_t first = (slice - task.first_slice) % task.slices * RC_CUDA_ORDER_SLICE;
  const int64_t *times = list_of (task.times, task.times_batch_stride, head.first_episode + episode);
  const int64_t n = rows_of (task, head.first_episode + episode);
  const int64_t end = first + RC_CUDA_ORDER_SLICE < n ? first + RC_CUDA_ORDER_SLICE : n;
  int back = 0;

  if (n <= RC_CUDA_STAGED_TIMES || n > task.n_rows)
    return;                     /* the blocks that align it see for themselves */
  for (int64_t i = (first > 0 ? first : 1) + threadIdx.x; i < end; i += RC_CUDA_THREADS)
    back |= __ldg (times + i) < __ldg (times + i - 1);
  if (back)
    head.disordered[stream * head.episodes + episode] = 1;
}

__global__ void
align_fill_table (const __grid_constant__ RcCudaAlignMany launch, RcCudaAlignTask *table, int n)
{
  constexpr int words = sizeof (RcCudaAlignTask) / sizeof (uint64_t);
  const uint64_t *from = reinterpret_cast<const uint64_t *> (launch.tasks);

  for (int i = threadIdx.x; i < n * words; i += blockDim.x)
    reinterpret_cast<uint64_t *> (table)[i] = from[i];
}

/* ---- the alignment ---- */

struct Item
{
  int64_t episode;
  int64_t first_tick;
  int32_t n_ticks;
  int32_t n_channels;
  int64_t first_channel;
  bool first_of_ticks;          /* the first cut by channels: it writes statuses and counts */
  bool first_of_episode;
};

struct Shared
{
  Item item;
  RcCudaAlignTask task;         /* where the arguments are not indexed by constants */
  SearchShared search;
  uint32_t counts[RC_MISSING + 1];
};

extern __shared__ __align__ (16) char dynamic_shared[];

/* 64-bit divisions are slow, and rarely needed. */
__device__ __forceinline__ int64_t
divide (int64_t a, int64_t b)
{
  return (a | b) >> 32 == 0 ? (int64_t) ((uint32_t) a / (uint32_t) b) : a / b;
}

__device__ __forceinline__ Item
item_of (const RcCudaAlignHead &head, const RcCudaAlignTask &task, int64_t index)
{
  const int64_t local = index - task.first_item, per_episode = task.tick_items * task.channel_items;
  const int64_t episode = divide (local, per_episode), within = local - episode * per_episode;
  const int64_t tick_item = divide (within, task.channel_items), channel_item = within - tick_item * task.channel_items;
  const int64_t ticks_left = head.ticks - tick_item * task.item_ticks;
  const int64_t channels_left = task.channels - channel_item * task.item_channels;
  Item item;

  item.episode = head.first_episode + episode;
  item.first_tick = tick_item * task.item_ticks;
  item.n_ticks = (int32_t) (ticks_left < task.item_ticks ? ticks_left : task.item_ticks);
  item.first_channel = channel_item * task.item_channels;
  item.n_channels = (int32_t) (channels_left < task.item_channels ? channels_left : task.item_channels);
  item.first_of_ticks = channel_item == 0;
  item.first_of_episode = within == 0;
  return item;
}

/* Addresses and factors of the bracket of this thread's tick. */
template <class Types>
__device__ __forceinline__ void
put_row (const RcCudaAlignTask &task, const Item &item, const RcBracket &b, Row *row)
{
  const char *rows = task.rows + item.episode * task.batch_stride + item.first_channel * size_of ((RcDtype) task.in);

  row->blend = b.blend;
  row->out = task.out + item.episode * task.out_batch_stride + (item.first_tick + threadIdx.x) * task.out_row_stride
      + item.first_channel * size_of ((RcDtype) task.out_dtype);
  if (b.blend == RC_BLEND_NONE)
    return;
  row->y[0] = rows + b.row * task.row_stride;
  row->y[1] = rows + b.next * task.row_stride;
  row->y[2] = rows + b.before * task.row_stride;
  row->y[3] = rows + b.after * task.row_stride;
  row->w = b.w;
  row->w32 = (float) b.w;
  if (!Types::curves)
    return;
  if (b.blend == RC_BLEND_MEAN) {
    row->mean.first = b.row;
    row->mean.end = b.next;
    return;
  }
#pragma unroll
  for (int i = 0; i < 3; i++) {
    row->c[i] = b.c[i];
    row->c32[i] = (float) b.c[i];
  }
}

/* Finds the rows of the item's ticks, one in each of the first threads. The block waits at least once before rows are
 * read. Returns the times as mean_row takes them. */
template <class Types>
__device__ __forceinline__ const int64_t *
find_rows (const RcCudaAlignHead &head, const RcCudaAlignTask &task, int64_t stream, Shared &shared, int64_t *staged,
    Row *rows)
{
  const Item &item = shared.item;
  const bool has_tick = (int) threadIdx.x < item.n_ticks;
  const int64_t k = item.first_tick + threadIdx.x;
  View view = { NULL, 0, 0 };
  RcBracket b = rc_bracket_none ();

  if (Types::curves && task.rows != NULL && task.brackets != NULL) {
    if (has_tick)
      b = checked_bracket (task.brackets[k], task.n_rows);
  } else if (task.rows != NULL) {
    const int64_t n = rows_of (task, item.episode);
    const int64_t *times = list_of (task.times, task.times_batch_stride, item.episode);
    const int64_t *ticks = list_of (head.tick_times, head.tick_times_batch_stride, item.episode);
    const int64_t tick = has_tick ? __ldg (ticks + k) : 0;
    bool ordered = n >= 0 && n <= task.n_rows;

    if (ordered && n > RC_CUDA_STAGED_TIMES) {
      ordered = !head.disordered[stream * head.episodes + item.episode - head.first_episode];
      if (ordered)
        view = stage_part (task.search, times, n, has_tick, tick, staged, head.staged_times, shared.search);
    } else if (ordered && n > 0) {
      view = stage_all (times, n, staged, &ordered);
    }
    if (has_tick && ordered)
      b = find_bracket<Types::curves> (task.search, view, tick);
    if (!ordered && item.first_of_episode && threadIdx.x == 0 && task.counters != NULL)
      atomicAdd (reinterpret_cast<unsigned long long *> (&task.counters->disordered_episodes), 1ull);
  }
  if (has_tick) {
    put_row<Types> (task, item, b, &rows[threadIdx.x]);
    if (item.first_of_ticks) {
      atomicAdd (&shared.counts[b.status], 1u);
      if (task.status != NULL)
        task.status[item.episode * task.status_batch_stride + k] = (uint8_t) b.status;
    }
  }
  return view.times != NULL ? view.times - view.first : NULL;
}

/* The order of the counters in RcAlignCounters is that of the statuses. */
__device__ __forceinline__ void
add_counts (const RcCudaAlignTask &task, const Shared &shared)
{
  static_assert (RC_ALIGNED == 0 && RC_HELD == 1 && RC_MISSING == 2, "as in RcAlignCounters");
  if (threadIdx.x <= RC_MISSING && task.counters != NULL && shared.counts[threadIdx.x] > 0)
    atomicAdd (reinterpret_cast<unsigned long long *> (task.counters) + threadIdx.x,
        (unsigned long long) shared.counts[threadIdx.x]);
}

template <class Types>
__device__ __forceinline__ void
make_rows (const RcCudaAlignTask &task, const Item &item, const int64_t *times, const Row *rows)
{
  const int lanes_log2 = task.lanes_log2, step = RC_CUDA_THREADS >> lanes_log2;
  const Lane lane = { (int32_t) (threadIdx.x & ((1u << lanes_log2) - 1)), 1 << lanes_log2 };
  const int first = threadIdx.x >> lanes_log2;

  if constexpr (Types::curves) {
    for (int r = first; r < item.n_ticks; r += step)
      make_row<Types> (task, rows[r], times, item.first_channel, item.n_channels, lane);
  } else {
    constexpr int V = Types::elements, U = Types::rows;
    const int n = item.n_ticks;

    if (task.elements == V)
      move_rows<Types, V, U, false> (task, rows, first, step, n, item.n_channels, lane);
    else if (V > 2 && task.elements == V / 2)
      move_rows<Types, V / 2, 2 * U, false> (task, rows, first, step, n, item.n_channels, lane);
    else if (task.in_alignment >= size_of (Types::in (task)) && task.out_alignment >= size_of (Types::out (task)))
      move_rows<Types, 1, 2 * U, false> (task, rows, first, step, n, item.n_channels, lane);
    else
      move_rows<Types, 1, 1, true> (task, rows, first, step, n, item.n_channels, lane);
  }
}

template <class Types>
__device__ __forceinline__ void
make_special (const RcCudaAlignTask &task, const Item &item, const Row *rows)
{
  const int32_t n_special = task.n_quaternions + task.n_angles;

  for (int64_t i = threadIdx.x; i < (int64_t) n_special * item.n_ticks; i += RC_CUDA_THREADS) {
    const int64_t r = i / n_special;
    const int32_t which = (int32_t) (i % n_special);
    const Row &row = rows[r];

    if (row.blend != RC_BLEND_LINEAR && row.blend != RC_BLEND_CUBIC && row.blend != RC_BLEND_HERMITE)
      continue;
    if (which < task.n_quaternions)
      blend_quaternion<Types> (task, row, __ldg (task.quaternions + which));
    else
      blend_angle<Types> (task, row, __ldg (task.angles + which - task.n_quaternions));
  }
}

template <class Types>
__device__ __forceinline__ void
align_item (const RcCudaAlignHead &head, const RcCudaAlignTask &task, int64_t stream, Shared &shared)
{
  const Item &item = shared.item;
  int64_t *staged = reinterpret_cast<int64_t *> (dynamic_shared);
  Row *rows = reinterpret_cast<Row *> (staged + head.staged_times);
  const int64_t *times = find_rows<Types> (head, task, stream, shared, staged, rows);

  __syncthreads ();
  add_counts (task, shared);
  make_rows<Types> (task, item, times, rows);
  if (Types::special && task.n_quaternions + task.n_angles > 0) {
    __syncthreads ();           /* it overwrites what other threads wrote */
    make_special<Types> (task, item, rows);
  }
}

/* What all threads need of an item. */
__device__ __forceinline__ void
begin_item (const RcCudaAlignHead &head, const RcCudaAlignTask &task, int64_t index, Shared &shared)
{
  if (threadIdx.x == 0)
    shared.item = item_of (head, task, index);
  if (threadIdx.x <= RC_MISSING)
    shared.counts[threadIdx.x] = 0;
  __syncthreads ();
}

template <class Types>
__global__ void __launch_bounds__ (RC_CUDA_THREADS, Types::blocks)
align_few (const __grid_constant__ RcCudaAlignFew launch)
{
  const int64_t index = launch.head.first_index + blockIdx.x;
  __shared__ Shared shared;
  int stream = 0;

#pragma unroll
  for (int i = 1; i < RC_CUDA_FEW_STREAMS; i++)
    stream += i < launch.head.n_streams && launch.tasks[i].first_item <= index;
  begin_item (launch.head, launch.tasks[stream], index, shared);
  align_item<Types> (launch.head, launch.tasks[stream], stream, shared);
}

template <class Types>
__global__ void __launch_bounds__ (RC_CUDA_THREADS, Types::blocks)
align_many (const __grid_constant__ RcCudaAlignMany launch)
{
  constexpr int words = sizeof (RcCudaAlignTask) / sizeof (uint64_t);
  static_assert (sizeof (RcCudaAlignTask) % sizeof (uint64_t) == 0 && words <= RC_CUDA_THREADS, "one word a thread");
  const RcCudaAlignTask *tasks = launch.head.table != NULL ? launch.head.table : launch.tasks;
  const int64_t index = launch.head.first_index + blockIdx.x;
  const int64_t stream = stream_of (launch.head.n_streams, index, [&] (int64_t i) { return tasks[i].first_item; });
  __shared__ Shared shared;

  if (threadIdx.x < words) {
    const uint64_t *from = reinterpret_cast<const uint64_t *> (tasks + stream);

    reinterpret_cast<uint64_t *> (&shared.task)[threadIdx.x] = from[threadIdx.x];
  }
  begin_item (launch.head, tasks[stream], index, shared);
  align_item<Types> (launch.head, shared.task, stream, shared);
}
}

/* A macro takes commas only in parentheses. */
#define FEW_AND_MANY(...) { \
    reinterpret_cast<const void *> (align_few<__VA_ARGS__>), reinterpret_cast<const void *> (align_many<__VA_ARGS__>) }

const void *const rc_cuda_align_kernels[RC_CUDA_ALIGN_KINDS][2] = {
  FEW_AND_MANY (Same<RC_FLOAT32>),
  FEW_AND_MANY (Same<RC_FLOAT16>),
  FEW_AND_MANY (Same<RC_BFLOAT16>),
  FEW_AND_MANY (Same<RC_FLOAT64>),
  FEW_AND_MANY (Mixed<false, false>),
  FEW_AND_MANY (Mixed<true, false>),
  FEW_AND_MANY (Mixed<true, true>),
};
const void *const rc_cuda_align_order = reinterpret_cast<const void *> (align_order);
const void *const rc_cuda_align_fill_table = reinterpret_cast<const void *> (align_fill_table);
const size_t rc_cuda_align_row_bytes = sizeof (Row);
