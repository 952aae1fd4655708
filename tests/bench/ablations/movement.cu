/* robocache: experimental kernels that align float32 rows
 *
 * Bytes that must move: times and ticks, the rows that ticks need, and the output, each once. Those that stage rows also move
 * the rows between, which no tick needs: none of two rows a tick, half of four.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "movement.h"

#include <cooperative_groups.h>

#include "bulk.cuh"
#include "items.cuh"

using namespace ablation;

namespace
{
constexpr int THREADS = MOVEMENT_THREADS;
constexpr int EACH = 4;         /* pairs of 16 bytes that a thread has under way */

extern __shared__ __align__ (128) char dynamic_shared[];

/* ---- times ---- */

__global__ void __launch_bounds__ (THREADS)
search_global (const __grid_constant__ EpisodesArgs args, const __grid_constant__ CUtensorMap)
{
  __shared__ Tick ticks[TICKS];
  const Item item = item_of (args, blockIdx.x);

  find_in (args, item, times_of (args, item), args.n_rows, 0, ticks);
  blend_rows<THREADS, EACH> (args, item, rows_of (args, item), 0, ticks);
}

__global__ void __launch_bounds__ (THREADS)
search_whole (const __grid_constant__ EpisodesArgs args, const __grid_constant__ CUtensorMap)
{
  __shared__ Tick ticks[TICKS];
  const Item item = item_of (args, blockIdx.x);
  const int64_t *times = times_of (args, item);
  int64_t *staged = reinterpret_cast<int64_t *> (dynamic_shared);

  for (int32_t i = threadIdx.x; i < args.n_rows; i += THREADS)
    staged[i] = __ldg (times + i);
  __syncthreads ();
  find_in (args, item, staged, args.n_rows, 0, ticks);
  blend_rows<THREADS, EACH> (args, item, rows_of (args, item), 0, ticks);
}

__device__ __forceinline__ void
align_in_span (const EpisodesArgs &args, int32_t index)
{
  __shared__ int64_t staged[SPAN_TIMES];
  __shared__ Tick ticks[TICKS];
  __shared__ Span span;
  const Item item = item_of (args, index);

  find_in_span<THREADS> (args, item, staged, &span, ticks);
  blend_rows<THREADS, EACH> (args, item, rows_of (args, item), 0, ticks);
}

__global__ void __launch_bounds__ (THREADS)
search_span (const __grid_constant__ EpisodesArgs args, const __grid_constant__ CUtensorMap)
{
  align_in_span (args, blockIdx.x);
}

__global__ void __launch_bounds__ (THREADS)
search_cluster (const __grid_constant__ EpisodesArgs args, const __grid_constant__ CUtensorMap)
{
  namespace cg = cooperative_groups;
  cg::cluster_group cluster = cg::this_cluster ();
  __shared__ Tick ticks[TICKS];
  const Item item = item_of (args, blockIdx.x);
  const int64_t *times = times_of (args, item);
  int64_t *staged = reinterpret_cast<int64_t *> (dynamic_shared);
  int64_t *of[MOVEMENT_CLUSTER];

#pragma unroll
  for (int k = 0; k < MOVEMENT_CLUSTER; k++)
    of[k] = cluster.map_shared_rank (staged, k);
  cluster.sync ();              /* all blocks have begun */
  for (int32_t i = cluster.block_rank () * THREADS + threadIdx.x; i < args.n_rows; i += MOVEMENT_CLUSTER * THREADS) {
    const int64_t time = __ldg (times + i);

#pragma unroll
    for (int k = 0; k < MOVEMENT_CLUSTER; k++)
      of[k][i] = time;
  }
  cluster.sync ();
  find_in (args, item, staged, args.n_rows, 0, ticks);
  blend_rows<THREADS, EACH> (args, item, rows_of (args, item), 0, ticks);
}

/* ---- rows ---- */

/* Whether the rows of a span fit; if so, one thread has asked for them. */
__device__ __forceinline__ bool
ask_for_rows (const EpisodesArgs &args, const Item &item, const Span &span, char *room, uint64_t *barrier)
{
  const int32_t row_bytes = args.channels * 4, bytes = (span.end - span.first) * row_bytes;

  if (bytes > MOVEMENT_ROOM)
    return false;
  if (threadIdx.x == 0) {
    barrier_expect (barrier, bytes);
    bulk_copy (room, rows_of (args, item) + (int64_t) span.first * (row_bytes / 16), bytes, barrier);
  }
  return true;
}

/* The same with boxes of a map; rows past the end of the tensor come as zeros. */
__device__ __forceinline__ bool
ask_for_boxes (const EpisodesArgs &args, const Item &item, const Span &span, const CUtensorMap *map, uint64_t *barrier)
{
  const int32_t box_bytes = MOVEMENT_BOX_ROWS * args.channels * 4;
  const int32_t boxes = (span.end - span.first + MOVEMENT_BOX_ROWS - 1) / MOVEMENT_BOX_ROWS;

  if (boxes * box_bytes > MOVEMENT_ROOM + box_bytes)
    return false;
  if (threadIdx.x == 0) {
    barrier_expect (barrier, boxes * box_bytes);
    for (int32_t i = 0; i < boxes; i++)
      tensor_copy (dynamic_shared + i * box_bytes, map, 0, item.episode * args.n_rows + span.first + i * MOVEMENT_BOX_ROWS,
          barrier);
  }
  return true;
}

__device__ __forceinline__ void
blend_staged (const EpisodesArgs &args, const Item &item, const Span &span, bool is_staged, const char *room,
    const Tick *ticks)
{
  if (is_staged)
    blend_rows<THREADS, EACH> (args, item, reinterpret_cast<const float4 *> (room), span.first, ticks);
  else
    blend_rows<THREADS, EACH> (args, item, rows_of (args, item), 0, ticks);
}

/* The rows are asked for as soon as the span is known; meanwhile each tick finds its own. */
template <bool BOXES>
__global__ void __launch_bounds__ (THREADS)
copy_bulk (const __grid_constant__ EpisodesArgs args, const __grid_constant__ CUtensorMap map)
{
  __shared__ uint64_t barrier;
  __shared__ Tick ticks[TICKS];
  __shared__ Span found;
  const Item item = item_of (args, blockIdx.x);
  bool is_staged;

  if (threadIdx.x == 0)
    barrier_init (&barrier);
  const Span span = find_span (args, item, &found);
  if constexpr (BOXES)
    is_staged = ask_for_boxes (args, item, span, &map, &barrier);
  else
    is_staged = ask_for_rows (args, item, span, dynamic_shared, &barrier);
  find_in (args, item, times_of (args, item) + span.first, span.end - span.first, span.first, ticks);
  if (is_staged)
    barrier_wait (&barrier, 0);
  blend_staged (args, item, span, is_staged, dynamic_shared, ticks);
}

/* ---- who does which item ---- */

__global__ void __launch_bounds__ (THREADS)
take_every (const __grid_constant__ EpisodesArgs args, const __grid_constant__ CUtensorMap)
{
  for (int32_t index = blockIdx.x; index < args.items; index += gridDim.x) {
    align_in_span (args, index);
    __syncthreads ();
  }
}

/* The block that is done last leaves the counters as it found them. */
__device__ __forceinline__ void
finish_counting (const EpisodesArgs &args)
{
  if (threadIdx.x != 0)
    return;
  __threadfence ();
  if (atomicAdd (args.next_item + 1, 1u) == gridDim.x - 1)
    args.next_item[0] = args.next_item[1] = 0;
}

__global__ void __launch_bounds__ (THREADS)
take_next (const __grid_constant__ EpisodesArgs args, const __grid_constant__ CUtensorMap)
{
  __shared__ int32_t index;

  for (;;) {
    if (threadIdx.x == 0)
      index = (int32_t) atomicAdd (args.next_item, 1u);
    __syncthreads ();
    if (index >= args.items)
      break;
    align_in_span (args, index);
    __syncthreads ();
  }
  finish_counting (args);
}

/* Two rooms: while the rows of one item are blended, those of the next come. */
struct Rooms
{
  uint64_t barriers[2];
  Tick ticks[2][TICKS];
  Span spans[2];
  bool is_staged[2];
};

__device__ __forceinline__ void
begin_item (const EpisodesArgs &args, int32_t index, Rooms &rooms, int at)
{
  const Item item = item_of (args, index);
  const Span span = find_span (args, item, &rooms.spans[at]);
  const bool is_staged = ask_for_rows (args, item, span, dynamic_shared + at * MOVEMENT_ROOM, &rooms.barriers[at]);

  if (threadIdx.x == 0)
    rooms.is_staged[at] = is_staged;
  find_in (args, item, times_of (args, item) + span.first, span.end - span.first, span.first, rooms.ticks[at]);
}

__global__ void __launch_bounds__ (THREADS)
take_ahead (const __grid_constant__ EpisodesArgs args, const __grid_constant__ CUtensorMap)
{
  __shared__ Rooms rooms;
  uint32_t parities = 0;        /* of the phases that are waited for, a bit a room */
  int at = 0;

  if (threadIdx.x == 0) {
    barrier_init (&rooms.barriers[0]);
    barrier_init (&rooms.barriers[1]);
  }
  __syncthreads ();
  begin_item (args, blockIdx.x, rooms, 0);
  for (int32_t index = blockIdx.x; index < args.items; index += gridDim.x, at ^= 1) {
    if (index + (int32_t) gridDim.x < args.items)
      begin_item (args, index + gridDim.x, rooms, at ^ 1);
    if (rooms.is_staged[at]) {
      barrier_wait (&rooms.barriers[at], parities >> at & 1);
      parities ^= 1u << at;
    }
    blend_staged (args, item_of (args, index), rooms.spans[at], rooms.is_staged[at], dynamic_shared + at * MOVEMENT_ROOM,
        rooms.ticks[at]);
    order_bulk_copies ();
    __syncthreads ();
  }
}
}

#define POINTER(kernel) reinterpret_cast<const void *> (kernel)

const void *const movement_global = POINTER (search_global);
const void *const movement_whole = POINTER (search_whole);
const void *const movement_span = POINTER (search_span);
const void *const movement_cluster = POINTER (search_cluster);
const void *const movement_bulk = POINTER (copy_bulk<false>);
const void *const movement_tensor = POINTER (copy_bulk<true>);
const void *const movement_persistent = POINTER (take_every);
const void *const movement_counter = POINTER (take_next);
const void *const movement_pipeline = POINTER (take_ahead);
