/* robocache: voxel grids on the GPU: from sorted keys to sparse outputs, and to the ranks of points
 *
 * A voxel is a run of equal keys, and its rank is the number of runs before it. Kernels, in this order: count_voxels counts
 * the runs that begin in each tile of keys, scan_voxels adds up the counts of the tiles before, rank stores where the
 * points of each voxel begin and combines their stored values. Then the output, or the map from points to ranks.
 *
 *   sorted keys   4  4  4  7  9  9          begins        1  0  0  1  1  0
 *   rank          0  0  0  1  2  2          starts [rank] 0  3  4 (6)
 *
 * Bytes that must move: keys twice (16 a point); the order and the stored values of each point once; 8 (mean, centroid) or
 * 4 (max, min) a value of the sums, written and read; every byte of the output, once. Of the map, a point: 8 of its key, 4
 * of the order, and 8 written where the point is, each in a sector of its own unless points of a voxel came together.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cub/block/block_scan.cuh>
#include <cuda_runtime_api.h>

#include "rows.cuh"

using namespace rc;

namespace
{
constexpr int TILE = RC_CUDA_VOXEL_RANK_TILE;
static_assert (TILE == THREADS, "a thread has one key");

using Scan = cub::BlockScan<uint32_t, THREADS>;

/* ---- runs ---- */

/* The sorted keys of the group. */
struct SortedKeys
{
  const uint64_t *keys;
  uint32_t n;

  __device__ __forceinline__ explicit
  SortedKeys (const Job &job, const Stored &stored, const Group &group)
  {
    keys = stored.keys[group.sorted] + group.first_item * job.n_points;
    n = (uint32_t) group.items * group.item_points;
  }

  __device__ __forceinline__ uint64_t
  at (uint64_t i) const
  {
    return i < n ? keys[i] : RC_CUDA_VOXEL_NO_KEY;
  }

  /* Whether a voxel begins at i. */
  __device__ __forceinline__ bool
  begins (uint64_t i) const
  {
    const uint64_t key = at (i);

    return key != RC_CUDA_VOXEL_NO_KEY && (i == 0 || key != keys[i - 1]);
  }
};

/* How many voxels of the group begin at or before this thread's key. It is a block scan on top of the counts of the tiles
 * before. All threads of a block per tile call it.
 *
 *   const uint32_t rank = voxels_so_far (group, keys.begins (i)) - 1;
 */
__device__ __forceinline__ uint32_t
voxels_so_far (const Group &group, bool begins)
{
  __shared__ typename Scan::TempStorage storage;
  uint32_t so_far;

  Scan (storage).InclusiveSum ((uint32_t) begins, so_far);
  return so_far + group.rank_counts[blockIdx.x];
}

/* The item of a key. */
__device__ __forceinline__ int64_t
item_of (const Stored &stored, const Group &group, uint64_t key)
{
  return group.first_item + (int64_t) (group.items == 1 ? 0 : divide_64 (key, stored.key_voxels));
}

/* Counts the voxels that begin in each tile of sorted keys. A block per tile, a thread per key. */
__global__ void __launch_bounds__ (THREADS)
count_voxels (GRID_CONSTANT Job job, GRID_CONSTANT Stored stored, GRID_CONSTANT Group group)
{
  follow_previous ();

  const SortedKeys keys (job, stored, group);
  const int count = __syncthreads_count (keys.begins ((uint64_t) blockIdx.x * TILE + threadIdx.x));

  if (threadIdx.x == 0)
    group.rank_counts[blockIdx.x] = (uint32_t) count;
}

/* Replaces the counts of tiles by the sums over the tiles before. Appends the total. One block, since there are few tiles. */
__global__ void __launch_bounds__ (THREADS)
scan_voxels (GRID_CONSTANT Group group)
{
  follow_previous ();

  constexpr int EACH = 4;
  __shared__ typename Scan::TempStorage storage;
  uint32_t before = 0;

  for (uint64_t first = 0; first < group.rank_tiles; first += THREADS * EACH) {
    const uint64_t own = first + threadIdx.x * EACH;
    uint32_t counts[EACH], sum;

#pragma unroll
    for (int i = 0; i < EACH; i++)
      counts[i] = own + i < group.rank_tiles ? group.rank_counts[own + i] : 0;
    Scan (storage).ExclusiveSum (counts, counts, sum);
#pragma unroll
    for (int i = 0; i < EACH; i++) {
      if (own + i < group.rank_tiles)
        group.rank_counts[own + i] = before + counts[i];
    }
    before += sum;
    __syncthreads ();
  }
  if (threadIdx.x == 0)
    group.rank_counts[group.rank_tiles] = before;
}

/* ---- the stored values of the points of a voxel ----
 *
 * A lane has a point. Adjacent points of a voxel are combined by shuffles first, so that a voxel gets one atomic per warp and value. */

/* How many lanes after this one have the same rank. Ranks do not decrease from lane to lane. All lanes call it.
 *
 *   rank           0  0  0  1  2  2
 *   lanes_in_run   2  1  0  0  1  0
 */
__device__ __forceinline__ uint32_t
lanes_in_run (uint32_t rank)
{
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t after = __shfl_down_sync (ALL_LANES, rank, 1);
  const uint32_t ends = __ballot_sync (ALL_LANES, lane == 31 || after != rank);

  return (uint32_t) __ffs ((int) (ends >> lane)) - 1;
}

/* Combines x over the lanes of a run, for its first lane. It is a segmented reduction by shuffles in five steps. Other
 * lanes get a part of it.
 *
 *   rank, x       0:3  0:1  0:4  1:5  2:2  2:6
 *   combine_run     8    5    4    5    8    6
 *
 *   const uint64_t sum = combine_run (term, lanes_in_run (rank), [] (uint64_t a, uint64_t b) { return a + b; });
 *
 *   if (leads)
 *     atomicAdd (sums + rank, sum);
 */
template <typename T, class Combine>
__device__ __forceinline__ T
combine_run (T x, uint32_t lanes_after, Combine combine)
{
#pragma unroll
  for (uint32_t distance = 1; distance < 32; distance *= 2) {
    const T other = __shfl_down_sync (ALL_LANES, x, distance);

    if (distance <= lanes_after)
      x = combine (x, other);
  }
  return x;
}

/* The point of a lane, and its place in the run of its voxel. */
struct Lane
{
  bool has_point;
  bool leads;                   /* the first lane of its run in this warp */
  uint32_t lanes_after;         /* of the run */
  int64_t voxel;                /* by rank among the voxels of all items: an index into sums */
  int64_t point;                /* among the points of all items */
};

__device__ __forceinline__ void
sum_term (const Values &values, const Group &group, const Lane &lane, int64_t c, unsigned long long term)
{
  const unsigned long long sum = combine_run (term, lane.lanes_after, [] (unsigned long long a, unsigned long long b) {
    return a + b;
  });

  if (lane.leads)
    add_64 (group.sums + lane.voxel * values.channels + c, (int64_t) sum);
}

__device__ __forceinline__ void
sum_features (const Values &values, const Stored &stored, const Group &group, const RcVoxelScale *scales, const Lane &lane)
{
  for (int64_t c = 0; c < values.channels; c++) {
    const int64_t at = lane.point * values.channels + c;
    unsigned long long term = 0;

    if (lane.has_point) {
      const double x = stored.dtype == RC_FLOAT64 ? reinterpret_cast<const double *> (stored.payload)[at]
          : reinterpret_cast<const float *> (stored.payload)[at];
      const uint32_t nonfinite_flags = rc_voxel_nonfinite_flags (x);

      if (nonfinite_flags != 0)
        add_nonfinite_flags (group.nonfinite_flags, lane.voxel * values.channels + c, nonfinite_flags);
      else
        term = (unsigned long long) rc_voxel_fixed (&scales[c], clamp_feature (values, x));
    }
    sum_term (values, group, lane, c, term);
  }
}

__device__ __forceinline__ void
sum_coordinates (const Grid &grid, const Values &values, const Stored &stored, const Group &group, const RcVoxelScale *scales,
    const Lane &lane)
{
  const float *p = reinterpret_cast<const float *> (stored.payload) + lane.point * 3;

  for (int axis = 0; axis < 3; axis++) {
    unsigned long long term = 0;

    if (lane.has_point)
      term = (unsigned long long) rc_voxel_fixed (&scales[axis], (double) p[axis] - (double) grid.box.origin[axis]);
    sum_term (values, group, lane, axis, term);
  }
}

__device__ __forceinline__ void
find_extremes (const Values &values, const Stored &stored, const Group &group, const Lane &lane)
{
  const uint32_t *keys = reinterpret_cast<const uint32_t *> (stored.payload) + lane.point * values.channels;

  for (int64_t c = 0; c < values.channels; c++) {
    const uint32_t key = lane.has_point ? keys[c] : 0;
    const uint32_t greatest = combine_run (key, lane.lanes_after, [] (uint32_t a, uint32_t b) {
      return a > b ? a : b;
    });

    if (lane.leads)
      atomicMax (group.extremes + lane.voxel * values.channels + c, greatest);
  }
}

/* ---- ranks ---- */

/* Stores where the points of a voxel begin. i is its first key, or the first key without a voxel; rank is that of the
 * voxel, or the number of voxels. */
__device__ __forceinline__ void
put_start (const Job &job, const Stored &stored, const Group &group, const SortedKeys &keys, uint64_t i, uint32_t rank)
{
  const uint64_t key = keys.at (i);
  const bool is_voxel = key != RC_CUDA_VOXEL_NO_KEY;
  const int64_t item = is_voxel ? item_of (stored, group, key) : -1;
  const int64_t before = i > 0 ? item_of (stored, group, keys.at (i - 1)) : -1;

  group.starts[rank] = (uint32_t) i;
  if (item == before)
    return;
  if (is_voxel)
    head_of (job, item)->first_rank = rank;
  if (before >= 0)
    head_of (job, before)->end_rank = rank;
}

/* The rank of the voxel of key i. Stores where it begins. All threads call it. */
__device__ __forceinline__ uint32_t
rank_key (const Job &job, const Stored &stored, const Group &group, const SortedKeys &keys, uint64_t i)
{
  const bool begins = keys.begins (i);
  const bool ends = i <= keys.n && i > 0 && keys.at (i) == RC_CUDA_VOXEL_NO_KEY
      && keys.at (i - 1) != RC_CUDA_VOXEL_NO_KEY;
  const uint32_t so_far = voxels_so_far (group, begins);

  if (begins || ends)
    put_start (job, stored, group, keys, i, begins ? so_far - 1 : so_far);
  return so_far - 1;            /* no rank if no voxel came yet */
}

/* Lanes without a point come last, and are a run of their own. */
__device__ __forceinline__ Lane
lane_of (const Job &job, const Stored &stored, const Group &group, uint64_t i, uint32_t rank, bool has_point)
{
  const uint32_t run = has_point ? rank : UINT32_MAX, before = __shfl_up_sync (ALL_LANES, run, 1);
  Lane lane;

  lane.has_point = has_point;
  lane.lanes_after = lanes_in_run (run);
  lane.leads = has_point && (threadIdx.x % 32 == 0 || before != run);
  lane.voxel = group.first_item * job.n_points + rank;
  lane.point = group.first_item * job.n_points;
  if (has_point)
    lane.point += stored.order[group.sorted][lane.point + (int64_t) i];
  return lane;
}

/* Ranks each voxel, stores where its points begin, and combines their payload into sums or extremes. A block per tile, a
 * thread per key. The blocks cover one key more than there are, where the last voxel ends. */
__global__ void __launch_bounds__ (THREADS)
rank (GRID_CONSTANT Grid grid, GRID_CONSTANT Values values, GRID_CONSTANT Job job, GRID_CONSTANT Stored stored,
    GRID_CONSTANT Group group)
{
  follow_previous ();

  const SortedKeys keys (job, stored, group);
  const uint64_t i = (uint64_t) blockIdx.x * TILE + threadIdx.x;
  const uint32_t rank = rank_key (job, stored, group, keys, i);
  const uint64_t key = keys.at (i);
  const bool has_point = key != RC_CUDA_VOXEL_NO_KEY;

  if (!values.combines || __ballot_sync (ALL_LANES, has_point) == 0)
    return;
  const Lane lane = lane_of (job, stored, group, i, rank, has_point);
  const int64_t item = has_point ? item_of (stored, group, key) : group.first_item;
  const RcVoxelScale *scales = item_array<const RcVoxelScale> (job, item, job.layout.scales);

  if (values.mode == RC_VOXEL_MEAN)
    sum_features (values, stored, group, scales, lane);
  else if (values.mode == RC_VOXEL_CENTROID)
    sum_coordinates (grid, values, stored, group, scales, lane);
  else
    find_extremes (values, stored, group, lane);
}

/* ---- the output ---- */

struct FromSortedKeys
{
  const Values &values;
  const Job &job;
  const Stored &stored;
  const Group &group;

  static constexpr int at_once = 2;     /* more would spill */

  __device__ __forceinline__ uint64_t
  voxel (const Voxels &voxels, int64_t m) const
  {
    const uint64_t *keys = stored.keys[group.sorted] + group.first_item * job.n_points;

    return keys[group.starts[voxels.first_rank + m]]
        - (voxels.item > group.first_item ? (uint64_t) (voxels.item - group.first_item) * stored.key_voxels : 0);
  }

  __device__ __forceinline__ RowValue
  load (const Voxels &voxels, int64_t m, int64_t c) const
  {
    const uint32_t rank = voxels.first_rank + (uint32_t) m;

    return load_value (values, points_of (group, voxels, m), group.sums, group.nonfinite_flags, group.extremes,
        (group.first_item * job.n_points + rank) * values.channels + c);
  }
};

/* Writes the rows of the items of a group. A block takes as many rows at a time as it has threads. */
__global__ void __launch_bounds__ (THREADS, at_once (4))
write_sparse (GRID_CONSTANT Grid grid, GRID_CONSTANT Values values, GRID_CONSTANT Job job, GRID_CONSTANT Stored stored,
    GRID_CONSTANT Group group, GRID_CONSTANT Rows rows)
{
  const FromSortedKeys from = { values, job, stored, group };

  follow_previous ();
  write_rows<FromSortedKeys> (from, grid, values, job, rows, group.first_item, group.items);
}

/* ---- the map from points to voxels ---- */

/* Writes the rank of each point to the map. A thread per sorted key. */
__global__ void __launch_bounds__ (THREADS)
write_ranks (GRID_CONSTANT Job job, GRID_CONSTANT Stored stored, GRID_CONSTANT Group group, GRID_CONSTANT Map map)
{
  follow_previous ();

  const SortedKeys keys (job, stored, group);
  const uint64_t i = (uint64_t) blockIdx.x * TILE + threadIdx.x, key = keys.at (i);
  const uint32_t so_far = voxels_so_far (group, keys.begins (i));

  if (key == RC_CUDA_VOXEL_NO_KEY)
    return;
  const int64_t item = item_of (stored, group, key);
  const int64_t point = stored.order[group.sorted][group.first_item * job.n_points + (int64_t) i]
      - (item - group.first_item) * job.n_points;
  const int64_t rank = (int64_t) so_far - 1 - head_of (job, item)->first_rank;

  if (point >= map.first_point)
    point_voxels_of (map, item)[point - map.first_point] = rank < map.max_voxels ? rank : RC_VOXEL_OVER_CAP;
}
}

const RcCudaVoxelKernel rc_cuda_voxel_count_voxels = VOXEL_KERNEL (count_voxels);
const RcCudaVoxelKernel rc_cuda_voxel_scan_voxels = VOXEL_KERNEL (scan_voxels);
const RcCudaVoxelKernel rc_cuda_voxel_rank = VOXEL_KERNEL (rank);
const RcCudaVoxelKernel rc_cuda_voxel_write_sparse = VOXEL_KERNEL (write_sparse);
const RcCudaVoxelKernel rc_cuda_voxel_write_ranks = VOXEL_KERNEL (write_ranks);
