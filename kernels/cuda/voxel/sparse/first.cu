/* robocache: voxel grids on the GPU: the first points of each voxel
 *
 * Sorted keys of a voxel are in the order in which its points came, since the sort keeps the order of equal keys.
 *
 * Where voxels are found in bits nothing is sorted. A voxel then has slots for the least numbers of its points, in order: a point
 * takes a slot by atomicMin, and whichever number is greater, the slot's or its own, goes on to the next slot. What remains in the slots
 * does not depend on the order in which points come. Of j lesser numbers, a number may skip the first j slots: so points of a
 * voxel in one warp begin at slots of their own, and each begins after the last lesser number that it reads. An old number that it
 * reads is no less than that of now, so it skips no slot too many.
 *
 * Bytes that must move: every byte of the output, written once and in order, most of it zeros; of a point in the output
 * what is kept of it, from where it came, and 4 of the order. With slots 4 of each, cleared, written and read, and 8 of each
 * point, its voxel.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "kernels/cuda/voxel/points/ranks.cuh"
#include "rows.cuh"

using namespace rc;

namespace
{
constexpr uint32_t ALL_LANES = 0xFFFFFFFFu;

/* ---- slots ---- */

/* The slot behind the last one with a lesser number, from one on that is known to have lesser ones before it. */
__device__ __forceinline__ uint32_t
slot_after_lesser (const uint32_t *slots, uint32_t point, uint32_t slot)
{
  static_assert (RC_CUDA_VOXEL_SLOTS == 4, "slots of a voxel are read at once");
  const uint4 all = __ldcg (reinterpret_cast<const uint4 *> (slots));
  const uint32_t after = all.w < point ? 4 : all.z < point ? 3 : all.y < point ? 2 : all.x < point ? 1 : 0;

  return after > slot ? after : slot;
}

/* Puts a point of a voxel among its first ones, if it is one of them. So many before it are in the same warp. */
__device__ __forceinline__ void
insert_point (const First &first, uint32_t *slots, uint32_t point, uint32_t before)
{
  uint32_t slot = before;

  while (slot < first.max_points) {
    slot = slot_after_lesser (slots, point, slot);
    if (slot >= first.max_points)
      return;

    const uint32_t other = atomicMin (slots + slot, point);

    if (other == RC_CUDA_VOXEL_NO_POINT)
      return;
    point = other > point ? other : point;
    slot++;
  }
}

/* Counts the points of each voxel of the output, and finds the first ones, once voxels have ranks. A warp has 32 points at a time. */
__global__ void __launch_bounds__ (THREADS)
insert_first (GRID_CONSTANT Job job, GRID_CONSTANT Ranks ranks, GRID_CONSTANT First first)
{
  const uint32_t lane = threadIdx.x % 32;

  follow_previous ();
  for (int64_t item = blockIdx.y; item < job.batch; item += gridDim.y) {
    const int64_t n = head_of (job, item)->item.n_added, *voxels = ranks.voxels_of_points + item * job.n_points;

    for (int64_t of_warp = (int64_t) blockIdx.x * THREADS + threadIdx.x / 32 * 32; of_warp < n; of_warp += (int64_t) gridDim.x * THREADS) {
      const int64_t i = of_warp + lane, rank = rank_point (job, ranks, item, i < n ? voxels[i] : RC_VOXEL_OUTSIDE);
      const bool has_slots = rank >= 0 && rank < first.voxels;
      const uint32_t same = __match_any_sync (ALL_LANES, has_slots ? (uint32_t) rank : UINT32_MAX);
      const uint32_t before = (uint32_t) __popc (same & ((1u << lane) - 1));

      if (has_slots && before == 0)
        atomicAdd (first.counts + item * first.voxels + rank, (uint32_t) __popc (same));
      if (has_slots)
        insert_point (first, slots_of (first, item, rank), (uint32_t) i, before);
    }
  }
}

/* ---- the output ---- */

/* Writes the fields of the points in slots. A grid-stride loop over the elements of the output, as below. */
template <typename T>
__global__ void __launch_bounds__ (THREADS)
write_slots (GRID_CONSTANT Values values, GRID_CONSTANT Job job, GRID_CONSTANT Stored stored, GRID_CONSTANT First first,
    GRID_CONSTANT Rows rows)
{
  const int64_t n = rows.max_voxels * rows.max_points * values.channels, step = (int64_t) gridDim.x * THREADS;

  follow_previous ();
  for (int64_t item = blockIdx.y; item < job.batch; item += gridDim.y) {
    const int64_t n_voxels = voxels_of (job, rows.max_voxels, item).n;
    T *to = reinterpret_cast<T *> (rows.values + item * rows.values_batch_stride);

    for (int64_t at = (int64_t) blockIdx.x * THREADS + threadIdx.x; at < n; at += step) {
      const int64_t row = (int64_t) divide_64 ((uint64_t) at, (uint64_t) values.channels);
      const int64_t m = (int64_t) divide_64 ((uint64_t) row, (uint64_t) rows.max_points);
      const uint32_t point = m < n_voxels ? slots_of (first, item, m)[row - m * rows.max_points] : RC_CUDA_VOXEL_NO_POINT;
      const char *from = stored.payload + (item * job.n_points + point) * stored.payload_bytes;

      to[at] = point == RC_CUDA_VOXEL_NO_POINT ? 0 : reinterpret_cast<const T *> (from)[at - row * values.channels];
    }
  }
}

/* An element of the output, by its number: field c of the point in a slot of voxel m. */
template <typename T>
__device__ __forceinline__ T
element_of (const Values &values, const Job &job, const Stored &stored, const Group &group, const Rows &rows,
    const Voxels &voxels, int64_t at)
{
  const int64_t row = (int64_t) divide_64 ((uint64_t) at, (uint64_t) values.channels), c = at - row * values.channels;
  const int64_t m = (int64_t) divide_64 ((uint64_t) row, (uint64_t) rows.max_points), slot = row - m * rows.max_points;

  if (m >= voxels.n || slot >= points_of (group, voxels, m))
    return 0;
  const int64_t first = group.first_item * job.n_points;
  const int64_t sorted = first + group.starts[voxels.first_rank + m] + slot;
  const int64_t point = first + stored.order[group.sorted][sorted];

  return reinterpret_cast<const T *> (stored.payload + point * (int64_t) stored.payload_bytes)[c];
}

/* Writes the fields of the first points of each voxel. A grid-stride loop over the elements of the output, in the order of memory,
 * since most of them are zeros. */
template <typename T>
__global__ void __launch_bounds__ (THREADS)
write_first (GRID_CONSTANT Values values, GRID_CONSTANT Job job, GRID_CONSTANT Stored stored, GRID_CONSTANT Group group,
    GRID_CONSTANT Rows rows)
{
  const int64_t n = rows.max_voxels * rows.max_points * values.channels, step = (int64_t) gridDim.x * THREADS;

  follow_previous ();
  for (int64_t i = blockIdx.y; i < group.items; i += gridDim.y) {
    const Voxels voxels = voxels_of (job, rows.max_voxels, group.first_item + i);
    T *to = reinterpret_cast<T *> (rows.values + voxels.item * rows.values_batch_stride);

    for (int64_t at = (int64_t) blockIdx.x * THREADS + threadIdx.x; at < n; at += step)
      to[at] = element_of<T> (values, job, stored, group, rows, voxels, at);
  }
}

/* Writes how many points of each voxel are in the output, and counts the others. A thread per voxel. */
__global__ void __launch_bounds__ (THREADS)
count_first (GRID_CONSTANT Job job, GRID_CONSTANT First first, GRID_CONSTANT Group group, GRID_CONSTANT Rows rows)
{
  const uint32_t most = (uint32_t) rows.max_points;
  uint64_t over = 0;

  follow_previous ();
  for (int64_t i = blockIdx.y; i < group.items; i += gridDim.y) {
    const Voxels voxels = voxels_of (job, rows.max_voxels, group.first_item + i);
    uint32_t *to = reinterpret_cast<uint32_t *> (reinterpret_cast<char *> (rows.point_counts)
        + voxels.item * rows.point_counts_batch_stride);

    for (int64_t m = (int64_t) blockIdx.x * THREADS + threadIdx.x; m < rows.max_voxels; m += (int64_t) gridDim.x * THREADS) {
      const uint32_t count = m < voxels.n ? points_of (first, group, voxels, m) : 0, kept = count < most ? count : most;

      to[m] = kept;
      over += count - kept;
    }
  }
  over = warp_sum (over);
  if (rows.counters != NULL && threadIdx.x % 32 == 0 && over > 0)
    add_64 (&rows.counters->over_points, (int64_t) over);
}
}

const RcCudaVoxelKernel rc_cuda_voxel_insert_first = VOXEL_KERNEL (insert_first);
const RcCudaVoxelKernel rc_cuda_voxel_write_slots[2] = {
  VOXEL_KERNEL (write_slots<uint16_t>), VOXEL_KERNEL (write_slots<uint32_t>)
};
const RcCudaVoxelKernel rc_cuda_voxel_count_first = VOXEL_KERNEL (count_first);
const RcCudaVoxelKernel rc_cuda_voxel_write_first[2] = {
  VOXEL_KERNEL (write_first<uint16_t>), VOXEL_KERNEL (write_first<uint32_t>)
};
