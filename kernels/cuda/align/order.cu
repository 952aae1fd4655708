/* robocache: alignment on the GPU: the order of times that blocks do not stage whole, and the table of many streams
 *
 * The order moves 8 bytes a time: at copy bandwidth 0.5 us for 256 episodes of 1,000 rows.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "early.cuh"
#include "lists.cuh"
#include "kernels/cuda/runtime/language.cuh"

using namespace rc;

namespace
{
/* Whether this thread sees a time below the one before it, of RC_CUDA_ORDER_SLICE from first on. All loads overlap; at the end the last
 * time is compared again. */
__device__ __forceinline__ bool
goes_back_from (const int64_t *times, int64_t first, int64_t end)
{
  constexpr int EACH = RC_CUDA_ORDER_SLICE / RC_CUDA_THREADS;
  int64_t time[EACH], before[EACH];
  bool back = false;

#pragma unroll
  for (int k = 0; k < EACH; k++) {
    const int64_t i = first + k * RC_CUDA_THREADS + threadIdx.x, at = i < end ? i : end - 1;

    time[k] = times[at];
    before[k] = times[at - 1];
  }
#pragma unroll
  for (int k = 0; k < EACH; k++)
    back |= time[k] < before[k];
  return back;
}

/* Writes which slices of the times of an episode decrease. A block per slice, so that all loads of it are under way at once. */
__global__ void __launch_bounds__ (RC_CUDA_THREADS)
align_order (GRID_CONSTANT RcCudaAlignMany launch)
{
  const RcCudaAlignHead &head = launch.head;
  const RcCudaAlignTask *tasks = head.table != NULL ? head.table : launch.tasks;

  allow_next ();
  if (head.table != NULL)
    wait_for_previous ();       /* for the kernel that writes it */

  const int64_t slice = head.first_index + blockIdx.x;
  const int64_t stream = stream_of (head.n_streams, slice, [&] (int64_t i) { return tasks[i].first_slice; });
  const RcCudaAlignTask &task = tasks[stream];
  const int64_t episode = (slice - task.first_slice) / task.slices;
  const int64_t first = (slice - task.first_slice) % task.slices * task.slice_rows;
  const int64_t *times = list_of (task.times, task.times_batch_stride, head.first_episode + episode);
  const int64_t left = task.n_rows - first;

  bring (times + first, (int32_t) (left < RC_CUDA_ORDER_SLICE ? left : RC_CUDA_ORDER_SLICE));
  wait_for_previous ();

  const int64_t n = rows_of (task, head.first_episode + episode);
  const int64_t end = first + task.slice_rows < n ? first + task.slice_rows : n;
  bool back = false;

  /* the blocks that align it see for themselves where there are few rows, or no such number of them */
  if (n > RC_CUDA_STAGED_TIMES && n <= task.n_rows) {
#pragma unroll 1
    for (int64_t i = first; i < end; i += RC_CUDA_ORDER_SLICE)
      back |= goes_back_from (times, i > 0 ? i : 1, end);
  }
  back = __syncthreads_or (back);
  if (threadIdx.x == 0)
    head.disordered[slice] = back;
}

/* Writes descriptions of streams from the arguments to the table. One block; arguments, since a captured graph would read host
 * memory late. */
__global__ void
align_fill_table (GRID_CONSTANT RcCudaAlignMany launch, RcCudaAlignTask *table, int n)
{
  constexpr int words = sizeof (RcCudaAlignTask) / sizeof (uint64_t);
  const uint64_t *from = reinterpret_cast<const uint64_t *> (launch.tasks);

  for (int i = threadIdx.x; i < n * words; i += blockDim.x)
    reinterpret_cast<uint64_t *> (table)[i] = from[i];
}
}

const void *const rc_cuda_align_order = KERNEL (align_order);
const void *const rc_cuda_align_fill_table = KERNEL (align_fill_table);
