/* robocache: alignment on the GPU: the work of a block
 *
 * One launch processes all streams. The minimal memory traffic: for every episode its times, the rows that some tick needs, and the
 * output rows, statuses and tick times, each once. If every row is needed these are
 *
 *   batch * (n_rows * (channels * in_size + 8) + ticks * (channels * out_size + 9))    bytes a stream,
 *
 * so the lower bound of the time is these bytes divided by the bandwidth of a copy (which counts bytes read and written), plus one
 * launch. Two ticks share rows, and the items of an episode share times; the caches provide this, since neighbouring items are
 * neighbouring blocks. An item of R ticks reads at most 2 R rows (4 R for cubics) and min (8 n_rows, 32 KB) of times.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <cuda_runtime_api.h>

#include "early.cuh"
#include "lists.cuh"
#include "rowwidth.cuh"
#include "search.cuh"

namespace rc
{
struct Item
{
  int64_t episode;
  int64_t tick_item;            /* number of the item within the ticks of the episode */
  int64_t first_tick;
  int32_t n_ticks;
  int32_t n_channels;
  int64_t first_channel;
  bool first_of_ticks;          /* the first of the items with the same ticks: it writes statuses and counts */
  bool first_of_episode;
};

/* Aligned to a cache line, since times follow: if these began within a line, copying a line of them would take two writes. */
struct __align__ (128) Shared
{
  Item item;
  RcCudaAlignTask task;         /* a copy, for kernels that cannot index the arguments by constants */
  SearchShared search;
  uint32_t counts[RC_MISSING + 1];
};

DYNAMIC_SHARED (char, dynamic_shared);

/* a / b, both nonnegative, with rc_cuda_inverse of b: divisions are slow, and a block waits for the divisions of its item. */
__device__ __forceinline__ int64_t
divide (int64_t a, int64_t b, uint32_t inverse)
{
  if ((a | b) >> 31 != 0)
    return a / b;
  const uint32_t quotient = __umulhi ((uint32_t) a, inverse);   /* or one less than it */

  return quotient + ((uint32_t) a - quotient * (uint32_t) b >= (uint32_t) b);
}

__device__ __forceinline__ Item
item_of (const RcCudaAlignHead &head, const RcCudaAlignTask &task, int64_t index)
{
  const int64_t local = index - task.first_item, per_episode = task.tick_items * task.channel_items;
  const int64_t episode = divide (local, per_episode, task.episode_inverse), within = local - episode * per_episode;
  const int64_t tick_item = divide (within, task.channel_items, task.channel_inverse);
  const int64_t channel_item = within - tick_item * task.channel_items;
  const int64_t ticks_left = head.ticks - tick_item * task.item_ticks;
  const int64_t channels_left = task.channels - channel_item * task.item_channels;
  Item item;

  item.episode = head.first_episode + episode;
  item.tick_item = tick_item;
  item.first_tick = tick_item * task.item_ticks;
  item.n_ticks = (int32_t) (ticks_left < task.item_ticks ? ticks_left : task.item_ticks);
  item.first_channel = channel_item * task.item_channels;
  item.n_channels = (int32_t) (channels_left < task.item_channels ? channels_left : task.item_channels);
  item.first_of_ticks = channel_item == 0;
  item.first_of_episode = within == 0;
  return item;
}

/* Stores addresses and factors of the bracket of this thread's tick. */
template <class Types>
__device__ __forceinline__ void
put_row (const RcCudaAlignTask &task, const Item &item, const RcBracket &b, typename Types::Row *row)
{
  const char *rows = task.rows + item.episode * task.batch_stride + item.first_channel * size_of (Types::in (task));

  row->blend = b.blend;
  row->out = task.out + item.episode * task.out_batch_stride + (item.first_tick + threadIdx.x) * task.out_row_stride
      + item.first_channel * size_of (Types::out (task));
  if (b.blend == RC_BLEND_NONE)
    return;
  row->y[0] = rows + b.row * task.row_stride;
  row->y[1] = rows + b.next * task.row_stride;
  row->w = (typename Types::Weight) b.w;
  if constexpr (Types::special)
    row->hold = rows + b.hold * task.row_stride;
  if constexpr (Types::curves) {
    if (b.blend >= RC_BLEND_MEAN) {
      row->mean.first = b.row;
      row->mean.end = b.next;
      return;
    }
    row->beside[0] = rows + b.before * task.row_stride;
    row->beside[1] = rows + b.after * task.row_stride;
#pragma unroll
    for (int i = 0; i < 3; i++)
      row->c[i] = (typename Types::Weight) b.c[i];
  }
}

/* Addresses of an item's times. They are not read if the job has no times. */
struct Times
{
  const int64_t *rows;          /* times of the episode's rows */
  const int64_t *ticks;         /* times of the item's ticks */
};

__device__ __forceinline__ Times
times_of (const RcCudaAlignHead &head, const RcCudaAlignTask &task, const Item &item)
{
  return Times { list_of (task.times, task.times_batch_stride, item.episode),
    list_of (head.tick_times, head.tick_times_batch_stride, item.episode) + item.first_tick };
}

/* Each item of an episode prefetches a share of the episode's times. */
__device__ __forceinline__ void
bring_times (const RcCudaAlignTask &task, const Item &item, const Times &times)
{
  if (task.rows == NULL || task.brackets != NULL)
    return;
  bring (times.ticks, item.n_ticks);
  if (task.n_rows <= RC_CUDA_STAGED_TIMES) {
    const int64_t first = item.tick_item * task.times_share, left = task.n_rows - first;

    bring (times.rows + first, (int32_t) (left < task.times_share ? left : task.times_share));
  }
}

/* The lowpass bracket of this thread's tick: the caller's, or a copy after the item's rows. */
template <class Row>
__device__ __forceinline__ const char *
keep_filter (const RcCudaAlignHead &head, const RcCudaAlignTask &task, const Item &item, const RcBracket &b, Row *rows)
{
  RcBracket *kept = reinterpret_cast<RcBracket *> (rows + head.staged_rows) + threadIdx.x;

  if (task.brackets != NULL)
    return reinterpret_cast<const char *> (task.brackets + item.first_tick + threadIdx.x);
  *kept = b;
  return reinterpret_cast<const char *> (kept);
}

/* Stores the data of this thread's tick that make_rows needs. */
template <class Types>
__device__ __forceinline__ void
store_row (const RcCudaAlignHead &head, const RcCudaAlignTask &task, const Item &item, const RcBracket &b,
    typename Types::Row *rows)
{
  put_row<Types> (task, item, b, &rows[threadIdx.x]);
  if constexpr (Types::filters) {
    if (b.blend == RC_BLEND_LOWPASS)
      rows[threadIdx.x].y[1] = keep_filter (head, task, item, b, rows);
  }
  if (item.first_of_ticks && task.status != NULL)
    task.status[item.episode * task.status_batch_stride + item.first_tick + threadIdx.x] = (uint8_t) b.status;
}

/* The first thread that checks the order of times: if half of the warps have no tick, these check while the others search. */
__device__ __forceinline__ int32_t
first_idle (int32_t n_ticks)
{
  return n_ticks <= RC_CUDA_THREADS / 2 ? (n_ticks + 31) / 32 * 32 : 0;
}

/* Whether this thread finds a disordered slice among the slices of the episode that it checks. */
__device__ __forceinline__ bool
has_disordered_slice (const RcCudaAlignHead &head, const RcCudaAlignTask &task, const Item &item)
{
  const uint8_t *slices = head.disordered + task.first_slice + (item.episode - head.first_episode) * task.slices;
  bool disordered = false;

  for (int64_t i = threadIdx.x; i < task.slices; i += RC_CUDA_THREADS)
    disordered |= slices[i] != 0;
  return disordered;
}

/* Finds the rows of the item's ticks, one tick in each of the first threads, and waits until all threads have finished. Returns the times
 * for average. */
template <class Types>
__device__ __forceinline__ const int64_t *
find_rows (const RcCudaAlignHead &head, const RcCudaAlignTask &task, const Times &times, Shared &shared, int64_t *staged,
    typename Types::Row *rows)
{
  const Item &item = shared.item;
  const bool has_tick = (int) threadIdx.x < item.n_ticks;
  View view = { NULL, 0, 0 };
  RcBracket b = rc_bracket_none ();
  bool disordered = false;

  if (Types::curves && task.rows != NULL && task.brackets != NULL) {
    const int64_t *filter_times = Types::filters && task.search.interpolation == RC_LOWPASS ? task.times : NULL;

    if (has_tick)
      b = checked_bracket (task.brackets[item.first_tick + threadIdx.x], filter_times, task.n_rows);
  } else if (task.rows != NULL) {
    const int64_t n = rows_of (task, item.episode);
    const int64_t tick = has_tick ? times.ticks[threadIdx.x] : 0;

    disordered = n < 0 || n > task.n_rows;
    if (!disordered && n > RC_CUDA_STAGED_TIMES) {
      const bool seen = has_disordered_slice (head, task, item);

      view = stage_part (task.search, times.rows, n, times.ticks, item.n_ticks, has_tick, tick, staged,
          head.staged_times, shared.search);
      disordered = seen;
    } else if (!disordered && n > 0) {
      stage_all (times.rows, (int32_t) n, staged);
      view = View { staged, 0, n };
    }
    /* a search in decreasing times finds a valid row index, too, so there is no need to wait for the other threads */
    if (has_tick && view.n > 0)
      b = find_bracket<Types::curves, Types::special, Types::filters> (task.search, view, staged, tick);
    if (view.n > 0 && n <= RC_CUDA_STAGED_TIMES && (int32_t) threadIdx.x >= first_idle (item.n_ticks))
      disordered = goes_back (staged, (int32_t) n, first_idle (item.n_ticks));
  }
  if (has_tick) {
    store_row<Types> (head, task, item, b, rows);
    if (item.first_of_ticks)
      atomicAdd (&shared.counts[b.status], 1u);
  }
  if (__syncthreads_or (disordered)) {
    if (has_tick)
      store_row<Types> (head, task, item, rc_bracket_none (), rows);
    if (item.first_of_ticks && threadIdx.x <= RC_MISSING)
      shared.counts[threadIdx.x] = threadIdx.x == RC_MISSING ? item.n_ticks : 0;
    if (item.first_of_episode && threadIdx.x == 0 && task.counters != NULL)
      atomicAdd (reinterpret_cast<unsigned long long *> (&task.counters->disordered_episodes), 1ull);
    __syncthreads ();
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

/* Makes the ticks missing whose bit is set, and counts them as missing; each thread does this for its own tick. */
__device__ __forceinline__ void
lose_scattered (const RcCudaAlignTask &task, const uint32_t *scattered, Shared &shared)
{
  const Item &item = shared.item;
  const int64_t tick = item.first_tick + threadIdx.x;

  if ((int32_t) threadIdx.x >= item.n_ticks || (scattered[threadIdx.x / 32] >> threadIdx.x % 32 & 1) == 0)
    return;
  atomicSub (&shared.counts[task.brackets != NULL ? task.brackets[tick].status : RC_ALIGNED], 1u);
  atomicAdd (&shared.counts[RC_MISSING], 1u);
  if (task.status != NULL)
    task.status[item.episode * task.status_batch_stride + tick] = RC_MISSING;
  if (task.counters != NULL)
    atomicAdd (reinterpret_cast<unsigned long long *> (&task.counters->scattered), 1ull);
}

/* As align_item, if the quaternions of a mean may be scattered. One item has all channels of such ticks. */
template <class Types>
__device__ __forceinline__ void
align_means (const RcCudaAlignHead &head, const RcCudaAlignTask &task, const Times &where, Shared &shared, int64_t *staged,
    typename Types::Row *rows)
{
  __shared__ uint32_t scattered[RC_CUDA_ITEM_ROWS / 32];
  const Item &item = shared.item;

  if (threadIdx.x < RC_CUDA_ITEM_ROWS / 32)
    scattered[threadIdx.x] = 0;
  const int64_t *times = find_rows<Types> (head, task, where, shared, staged, rows);

  make_rows<Types> (task, Rows<Types> { rows, times, scattered, item.first_channel, item.n_ticks, item.n_channels });
  __syncthreads ();
  lose_scattered (task, scattered, shared);
  __syncthreads ();
  add_counts (task, shared);
}

template <class Types>
__device__ __forceinline__ void
align_item (const RcCudaAlignHead &head, const RcCudaAlignTask &task, const Times &where, Shared &shared)
{
  const Item &item = shared.item;
  int64_t *staged = reinterpret_cast<int64_t *> (dynamic_shared);
  auto *rows = reinterpret_cast<typename Types::Row *> (staged + head.staged_times);

  if constexpr (Types::curves && Types::special) {
    align_means<Types> (head, task, where, shared, staged, rows);
  } else {
    const int64_t *times = find_rows<Types> (head, task, where, shared, staged, rows);

    add_counts (task, shared);
    make_rows<Types> (task, Rows<Types> { rows, times, NULL, item.first_channel, item.n_ticks, item.n_channels });
  }
}

/* The data of an item that all threads need. */
__device__ __forceinline__ void
begin_item (const RcCudaAlignHead &head, const RcCudaAlignTask &task, int64_t index, Shared &shared)
{
  if (threadIdx.x == 0)
    shared.item = item_of (head, task, index);
  if (threadIdx.x <= RC_MISSING)
    shared.counts[threadIdx.x] = 0;
  __syncthreads ();
}

/* Aligns one item: some ticks and channels of an episode of one of few streams, whose descriptions are arguments. One block does
 * everything for an item, from the search for brackets to the blended rows, so that it writes only its output to memory. */
template <class Types>
__global__ void __launch_bounds__ (RC_CUDA_THREADS, Types::blocks)
align_few (GRID_CONSTANT RcCudaAlignFew launch)
{
  const int64_t index = launch.head.first_index + blockIdx.x;
  __shared__ Shared shared;
  int stream = 0;

#pragma unroll
  for (int i = 1; i < RC_CUDA_FEW_STREAMS; i++)
    stream += i < launch.head.n_streams && launch.tasks[i].first_item <= index;
  allow_next ();
  begin_item (launch.head, launch.tasks[stream], index, shared);
  const Times times = times_of (launch.head, launch.tasks[stream], shared.item);

  bring_times (launch.tasks[stream], shared.item, times);
  wait_for_previous ();
  align_item<Types> (launch.head, launch.tasks[stream], times, shared);
}

/* Like align_few, for many streams: a block finds its stream and copies the description to shared memory, since arguments that are
 * indexed by a variable would go to local memory. */
template <class Types>
__global__ void
__launch_bounds__ (RC_CUDA_THREADS, (Types::curves || Types::special) && Types::blocks > 2 ? 2 : Types::blocks)
align_many (GRID_CONSTANT RcCudaAlignMany launch)
{
  constexpr int words = sizeof (RcCudaAlignTask) / sizeof (uint64_t);
  static_assert (sizeof (RcCudaAlignTask) % sizeof (uint64_t) == 0 && words <= RC_CUDA_THREADS, "one word a thread");
  const RcCudaAlignTask *tasks = launch.head.table != NULL ? launch.head.table : launch.tasks;
  const int64_t index = launch.head.first_index + blockIdx.x;
  __shared__ Shared shared;
  int64_t stream;

  allow_next ();
  wait_for_previous ();         /* a kernel may have written the table */
  stream = stream_of (launch.head.n_streams, index, [&] (int64_t i) { return tasks[i].first_item; });
  if (threadIdx.x < words) {
    const uint64_t *from = reinterpret_cast<const uint64_t *> (tasks + stream);

    reinterpret_cast<uint64_t *> (&shared.task)[threadIdx.x] = from[threadIdx.x];
  }
  begin_item (launch.head, tasks[stream], index, shared);
  align_item<Types> (launch.head, shared.task, times_of (launch.head, shared.task, shared.item), shared);
}
}
