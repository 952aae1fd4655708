/* robocache: voxel grids on the GPU: the first points of each voxel
 *
 * The sort keeps the order of equal keys, so the sorted keys of a voxel are in the order in which its points came.
 *
 * If a bitmap finds the voxels, these kernels list points in place of the sort:
 *
 *   count_first   counts the points of each voxel, and finds two numbers above which no point is wanted: the greatest of the
 *                 max_points that were counted first, and number max_points of the voxel's points in one warp
 *   begin_lists   reserves entries for each list
 *   list_first    writes the numbers that may be wanted into the list of their voxel
 *   write_first   puts the least numbers of each list in order, and writes these points
 *
 *   max_points = 2, points 0 … 5 of a voxel, counted in the order 3 1 5 0 2 4:
 *   count_first   the first two counted are 3 and 1, so no number above 3 is wanted
 *   list_first    3  1 | 0  2                 max_points entries, then the others that may be wanted
 *   write_first   0  1
 *
 * Which points are counted first, and where in its list a number is, depends on the order of atomics; the output does not.
 *
 * Bytes that must move: every byte of the output, written once and in order, most of it zeros; of each point in the output
 * what is stored of it, and 4 of the order. With lists also 16 of each point (its voxel, then its rank and place, written
 * and read), 4 of its number, written and read, and 20 of each voxel.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cub/block/block_scan.cuh>
#include <cuda_runtime_api.h>

#include "kernels/cuda/voxel/points/ranks.cuh"
#include "least.cuh"

using namespace rc;

namespace
{
using Scan = cub::BlockScan<uint32_t, THREADS>;

/* ---- lists ---- */

/* Counts the points of each voxel of the output, once voxels have ranks, and stores the list of these voxels. Replaces the
 * voxel of each point by its rank, in the upper half, and the number of points counted before it. A warp takes 32 points at
 * a time, and adds those of a voxel at once. */
__global__ void __launch_bounds__ (THREADS)
count_first (GRID_CONSTANT Job job, GRID_CONSTANT Ranks ranks, GRID_CONSTANT First first)
{
  const uint32_t lane = threadIdx.x % 32;

  follow_previous ();
  for (int64_t item = blockIdx.y; item < job.batch; item += gridDim.y) {
    const int64_t n = head_of (job, item)->item.n_added;
    int64_t *voxels = ranks.voxels_of_points + item * job.n_points;

    for (int64_t of_warp = (int64_t) blockIdx.x * THREADS + threadIdx.x / 32 * 32; of_warp < n; of_warp += (int64_t) gridDim.x * THREADS) {
      const int64_t i = of_warp + lane, voxel = i < n ? voxels[i] : RC_VOXEL_OUTSIDE, rank = rank_of_voxel (job, ranks, item, voxel);
      const bool is_kept = rank >= 0 && rank < first.voxels;
      const uint32_t same = __match_any_sync (ALL_LANES, is_kept ? (uint32_t) rank : UINT32_MAX);
      const uint32_t in_warp = (uint32_t) __popc (same & ((1u << lane) - 1));
      const int leader = __ffs ((int) same) - 1;
      RcCudaVoxelList *list = first.lists + item * first.voxels + rank;
      uint32_t before = 0;

      if (is_kept && lane == (uint32_t) leader)
        before = atomicAdd (&list->n_points, (uint32_t) __popc (same));
      before = __shfl_sync (ALL_LANES, before, leader) + in_warp;
      if (is_kept && before == 0)
        ranks.voxels_by_rank[item * job.n_points + rank] = voxel;
      if (is_kept && before < first.max_points)
        atomicMax (&list->bound, (uint32_t) i);
      if (is_kept && in_warp == first.max_points - 1)
        atomicMin (first.limits + item * first.voxels + rank, (uint32_t) i);
      if (i < n)
        voxels[i] = is_kept ? rank << 32 | before : RC_VOXEL_OUTSIDE;
    }
  }
}

/* Reserves entries for each list: a scan over the voxels of a block, and one atomic per block. The order of blocks does not
 * affect the output.
 *
 *   points of voxels 0 … 3          5  1  0  2
 *   before (exclusive sum)          0  5  6  6        all: 8
 *   atomicAdd (n_entries, 8) = 40,
 *   so lists begin at              40 45 46 46
 */
__global__ void __launch_bounds__ (THREADS)
begin_lists (GRID_CONSTANT Job job, GRID_CONSTANT First first)
{
  follow_previous ();

  __shared__ typename Scan::TempStorage storage;
  __shared__ uint32_t start;

  for (int64_t item = blockIdx.y; item < job.batch; item += gridDim.y) {
    for (int64_t tile = (int64_t) blockIdx.x * THREADS; tile < first.voxels; tile += (int64_t) gridDim.x * THREADS) {
      const int64_t m = tile + threadIdx.x;
      uint32_t before, all;

      Scan (storage).ExclusiveSum (m < first.voxels ? first.lists[item * first.voxels + m].n_points : 0, before, all);
      if (threadIdx.x == 0)
        start = atomicAdd (first.n_entries + item, all);
      __syncthreads ();
      if (m < first.voxels)
        first.lists[item * first.voxels + m].start = start + before;
      __syncthreads ();
    }
  }
}

/* Puts the number of each point that may be wanted into the list of its voxel. A thread per point. */
__global__ void __launch_bounds__ (THREADS)
list_first (GRID_CONSTANT Job job, GRID_CONSTANT Ranks ranks, GRID_CONSTANT First first)
{
  follow_previous ();
  for (int64_t item = blockIdx.y; item < job.batch; item += gridDim.y) {
    const int64_t n = head_of (job, item)->item.n_added, *places = ranks.voxels_of_points + item * job.n_points;

    for (int64_t i = (int64_t) blockIdx.x * THREADS + threadIdx.x; i < n; i += (int64_t) gridDim.x * THREADS) {
      const int64_t voxel = item * first.voxels + (places[i] >> 32);
      RcCudaVoxelList *list = first.lists + voxel;
      uint32_t place = (uint32_t) places[i];

      if (places[i] < 0 || (place >= first.max_points && ((uint32_t) i > list->bound || (uint32_t) i > first.limits[voxel])))
        continue;
      if (place >= first.max_points)
        place = first.max_points + atomicAdd (&list->n_extra, 1u);
      first.numbers[item * job.n_points + list->start + place] = (uint32_t) i;
    }
  }
}

/* ---- the output ---- */

/* Writes the fields of the first points of each voxel, and their number. A voxel has a power of two of lanes: at least 8,
 * max_points and a quarter of its elements, at most 32. */
template <typename T>
__global__ void __launch_bounds__ (THREADS)
write_first (GRID_CONSTANT Values values, GRID_CONSTANT Job job, GRID_CONSTANT Stored stored, GRID_CONSTANT First first,
    GRID_CONSTANT Group group, GRID_CONSTANT Rows rows)
{
  const uint32_t channels = (uint32_t) values.channels, row = (uint32_t) rows.max_points * channels;
  uint32_t lanes = 8;
  uint64_t over = 0;

  while (lanes < 32 && (lanes < (uint32_t) rows.max_points || lanes * 4 < row))
    lanes *= 2;
  const uint32_t own = threadIdx.x % 32 / lanes, lane = threadIdx.x % lanes, of_block = THREADS / lanes;
  const Channel step = { lanes / channels, lanes % channels }, begin = { lane / channels, lane % channels };

  follow_previous ();
  for (int64_t i = blockIdx.y; i < group.items; i += gridDim.y) {
    const Voxels voxels = voxels_of (job, rows.max_voxels, group.first_item + i);
    T *to = reinterpret_cast<T *> (rows.values + voxels.item * rows.values_batch_stride);

    for (int64_t of_warp = (int64_t) blockIdx.x * of_block + threadIdx.x / 32 * 32 / lanes; of_warp < voxels.n;
        of_warp += (int64_t) gridDim.x * of_block) {
      const int64_t m = of_warp + own;
      const Points points = points_at (job, stored, first, group, rows, voxels, m);
      const uint32_t least = least_of (points.order, points.listed, (int) lanes);
      const uint32_t filled = points.kept * channels, most = greatest_of_warp (filled, (int) lanes);
      Channel next = begin;

      for (uint32_t at = lane; at - lane < most; at += lanes) {
        const int64_t point = point_at (first, points, least, next.of, (int) lanes);

        if (at < filled)
          to[m * row + at] = reinterpret_cast<const T *> (stored.payload + point * stored.payload_bytes)[next.channel];
        next = channel_after (channels, next, step);
      }
      if (m < voxels.n)
        fill_zeros (to + m * row + filled, row - filled, lane, lanes);
      if (lane == 0 && m < voxels.n)
        over += put_count (rows, voxels, m, points);
    }
    fill_after<T> (rows, voxels, row);
  }
  count_over (rows.counters, over);
}
}

const RcCudaVoxelKernel rc_cuda_voxel_count_first = VOXEL_KERNEL (count_first);
const RcCudaVoxelKernel rc_cuda_voxel_begin_lists = VOXEL_KERNEL (begin_lists);
const RcCudaVoxelKernel rc_cuda_voxel_list_first = VOXEL_KERNEL (list_first);
const RcCudaVoxelKernel rc_cuda_voxel_write_first[2] = {
  VOXEL_KERNEL (write_first<uint16_t>), VOXEL_KERNEL (write_first<uint32_t>)
};
