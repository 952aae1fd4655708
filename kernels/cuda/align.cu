/* robocache: alignment on the GPU: the order of times that blocks do not stage whole, and the table of many streams
 *
 * The order moves 8 bytes a time: at copy bandwidth 0.5 us for 256 episodes of 1,000 rows.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "align_lists.cuh"
#include "language.cuh"

using namespace rc;

namespace
{
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
    back |= times[i] < times[i - 1];
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
}

const void *const rc_cuda_align_order = KERNEL (align_order);
const void *const rc_cuda_align_fill_table = KERNEL (align_fill_table);
