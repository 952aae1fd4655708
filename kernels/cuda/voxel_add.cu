/* robocache: voxel grids on the GPU: from points to accumulators
 *
 * Bytes that must move:
 *   clear        writes the accumulators of every item once, or where they are clear, the 64 bytes and more before them
 *   range, add   reads each point once, of float32 12 bytes and 4 a feature, whatever lies between left out; what is
 *                touched of the accumulators (a sector of 32 bytes a point, or as many as its features span, and one of
 *                the bitmap) stays in the L2 as far as it fits there
 *   add, sparse  reads each point once and writes its key (8 bytes) and what is kept of it, 4 to 8 a feature
 *                of mode first all fields are read, and kept as the output has them
 *   add, rank    the same with nothing kept; of a point that is in no voxel 8 bytes of the output
 *   add, index   reads each point once and writes 8 bytes of the output
 * All atomics are on integers, so their order changes no bit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "voxel_parts.cuh"

using namespace rc;

namespace
{
constexpr int THREADS = RC_CUDA_VOXEL_THREADS;
constexpr uint32_t ALL_LANES = 0xFFFFFFFFu;

/* ---- begin ---- */

__device__ __forceinline__ void
set_scale (const RcCudaVoxelTask &task, int64_t item, int64_t n_points, int64_t c)
{
  const uint64_t *range = item_array<const uint64_t> (task, item, task.layout.range);
  const double greatest = task.feature_range > 0.0 ? task.feature_range : rc_float64 (range[c]);
  const int exponent = task.mode == RC_VOXEL_CENTROID ? task.centroid_exponent[c] : rc_voxel_exponent_above (greatest);

  item_array<RcVoxelScale> (task, item, task.layout.scales)[c] = rc_voxel_scale (exponent, (uint64_t) n_points);
}

/* What the scales depend on is known now. */
__global__ void __launch_bounds__ (THREADS)
set_scales (const __grid_constant__ RcCudaVoxelTask task)
{
  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    for (int64_t c = threadIdx.x; c < task.channels; c += THREADS)
      set_scale (task, item, stated_points (task, item), c);
  }
}

__global__ void __launch_bounds__ (THREADS)
clear (const __grid_constant__ RcCudaVoxelTask task)
{
  constexpr int head_words = sizeof (RcCudaVoxelHead) / sizeof (uint4);
  const int64_t words = (int64_t) (task.clear_bytes / sizeof (uint4)), step = (int64_t) gridDim.x * THREADS;

  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    uint4 *to = reinterpret_cast<uint4 *> (item_scratch (task, item));

    for (int64_t i = head_words + (int64_t) blockIdx.x * THREADS + threadIdx.x; i < words; i += step)
      to[i] = make_uint4 (0, 0, 0, 0);
    if (blockIdx.x == 0 && threadIdx.x == 0)
      *head_of (task, item) = { };
  }
}

/* ---- actions: without features ----
 *
 * take is called with every point, whatever its voxel, since a point of the sparse output has its own place. at_once is
 * how many points a thread has under way: more would spill. */

/* Where a point's key and what is kept of it are. */
__device__ __forceinline__ int64_t
place_of (const RcCudaVoxelTask &task, const Part &part, int64_t i)
{
  return part.item * task.n_points + part.first + i;
}

__device__ __forceinline__ void
put_key (const RcCudaVoxelTask &task, const Part &part, int64_t i, int64_t voxel)
{
  const uint64_t in_group = (uint64_t) (task.group == 1 ? 0 : part.item % task.group);

  task.points.keys[0][place_of (task, part, i)] = voxel < 0 ? RC_CUDA_VOXEL_NO_KEY
      : in_group * task.key_voxels + (uint64_t) voxel;
}

/* rint ((p - origin) * 2^k) of an axis. */
__device__ __forceinline__ int64_t
centroid_term (const RcCudaVoxelTask &task, int64_t item, int axis, float p)
{
  const RcVoxelScale *scales = item_array<const RcVoxelScale> (task, item, task.layout.scales);

  return rc_voxel_fixed (&scales[axis], (double) p - (double) task.box.origin[axis]);
}

/* Beside another accumulator. Looking first, as AddBits does, would nest branches too deep, and that other one must be
 * added to anyway. */
__device__ __forceinline__ void
mark (const RcCudaVoxelTask &task, const Part &part, int64_t voxel)
{
  atomicOr (item_array<uint32_t> (task, part.item, task.layout.bits) + voxel / 32, 1u << (voxel % 32));
}

struct AddBits
{
  static constexpr int at_once = 4;

  static __device__ __forceinline__ void
  take (const RcCudaVoxelTask &task, const Part &part, int64_t, int64_t voxel, const float *)
  {
    if (voxel < 0)
      return;
    uint32_t *word = item_array<uint32_t> (task, part.item, task.layout.bits) + voxel / 32;
    const uint32_t bit = 1u << (voxel % 32);

    if (task.crowded && (*word & bit) != 0)     /* a stale word only costs the atomic */
      return;
    atomicOr (word, bit);
  }
};

struct AddCount
{
  static constexpr int at_once = 4;

  static __device__ __forceinline__ void
  take (const RcCudaVoxelTask &task, const Part &part, int64_t, int64_t voxel, const float *)
  {
    if (voxel < 0)
      return;
    mark (task, part, voxel);
    atomicAdd (item_array<uint32_t> (task, part.item, task.layout.counts) + voxel, 1u);
  }
};

/* Not inlined: with the sums of a centroid beside it, branches nest too deep where points are read. */
inline __device__ __noinline__ void
count_apart (uint32_t *bits, uint32_t *counts, int64_t voxel)
{
  atomicOr (bits + voxel / 32, 1u << (voxel % 32));
  atomicAdd (counts + voxel, 1u);
}

template <class Source>
struct AddCentroid
{
  static constexpr int at_once = 2;

  static __device__ __forceinline__ void
  take (const RcCudaVoxelTask &task, const Part &part, int64_t i, int64_t voxel, const float *p)
  {
    if constexpr (Source::is_depth)
      AddCount::take (task, part, i, voxel, p);
    if (voxel < 0)
      return;
#pragma unroll
    for (int axis = 0; axis < 3; axis++)
      add_64 (item_array<int64_t> (task, part.item, task.layout.sums) + voxel * 3 + axis,
          centroid_term (task, part.item, axis, p[axis]));
    if constexpr (!Source::is_depth)    /* last: the other way round takes more registers */
      count_apart (item_array<uint32_t> (task, part.item, task.layout.bits),
          item_array<uint32_t> (task, part.item, task.layout.counts), voxel);
  }
};

struct AddKey
{
  static constexpr int at_once = 4;

  static __device__ __forceinline__ void
  take (const RcCudaVoxelTask &task, const Part &part, int64_t i, int64_t voxel, const float *)
  {
    put_key (task, part, i, voxel);
  }
};

struct AddKeyCentroid
{
  static constexpr int at_once = 2;

  static __device__ __forceinline__ void
  take (const RcCudaVoxelTask &task, const Part &part, int64_t i, int64_t voxel, const float *p)
  {
    float *kept = reinterpret_cast<float *> (task.points.payload) + place_of (task, part, i) * 3;

    put_key (task, part, i, voxel);
    if (voxel < 0)
      return;
#pragma unroll
    for (int axis = 0; axis < 3; axis++)
      kept[axis] = p[axis];
  }
};

/* Says of a point where it is, where that is known and wanted. One branch: more of them nest too deep. */
__device__ __forceinline__ void
put_point (const RcCudaVoxelTask &task, const Part &part, int64_t i, int64_t voxel, bool known)
{
  const int64_t at = part.first + i - task.first_point;

  if (known & (at >= 0))
    point_voxels_of (task, part.item)[at] = voxel;
}

/* What is kept of a point for mode first. */
__device__ __forceinline__ char *
kept_of (const RcCudaVoxelTask &task, const Part &part, int64_t i)
{
  return task.points.payload + place_of (task, part, i) * (int64_t) task.layout.payload_bytes;
}

/* Coordinates are finite where a point is inside, and rounded once, from float32. */
struct AddKeyPosition
{
  static constexpr int at_once = 2;

  static __device__ __forceinline__ void
  take (const RcCudaVoxelTask &task, const Part &part, int64_t i, int64_t voxel, const float *p)
  {
    put_key (task, part, i, voxel);
    if (voxel < 0)
      return;
#pragma unroll
    for (int axis = 0; axis < 3; axis++)
      store_value (task.dtype, kept_of (task, part, i), axis, value_bits (task.dtype, (double) p[axis]));
  }
};

struct AddKeyRank
{
  static constexpr int at_once = 4;

  static __device__ __forceinline__ void
  take (const RcCudaVoxelTask &task, const Part &part, int64_t i, int64_t voxel, const float *)
  {
    put_point (task, part, i, voxel, voxel < 0);        /* first: the other way round takes more registers */
    put_key (task, part, i, voxel);
  }
};

struct StoreIndex
{
  static constexpr int at_once = 1;

  static __device__ __forceinline__ void
  take (const RcCudaVoxelTask &task, const Part &part, int64_t i, int64_t voxel, const float *)
  {
    put_point (task, part, i, voxel, true);
  }
};

template <class Source, class Action>
__device__ constexpr int
points_at_once ()
{
  return Source::at_once < Action::at_once ? Source::at_once : Action::at_once;
}

template <class Source, class Action>
__device__ __forceinline__ void
add_tile (const RcCudaVoxelTask &task, const Part &part, int64_t first, Tally *tally)
{
  constexpr int POINTS = points_at_once<Source, Action> ();
  float p[POINTS][3];

  /* all loads are under way before the first is used */
#pragma unroll
  for (int u = 0; u < POINTS; u++)
    p[u][0] = p[u][1] = p[u][2] = 0.0f;
  if (Source::asks_address || task.aligned) {
#pragma unroll
    for (int u = 0; u < POINTS; u++) {
      if (first + u * THREADS + threadIdx.x < part.n)
        Source::template read<true> (task, part.data, first + u * THREADS + threadIdx.x, p[u]);
    }
  } else {
    for (int u = 0; u < POINTS; u++) {
      if (first + u * THREADS + threadIdx.x < part.n)
        Source::template read<false> (task, part.data, first + u * THREADS + threadIdx.x, p[u]);
    }
  }
#pragma unroll
  for (int u = 0; u < POINTS; u++) {
    const int64_t i = first + u * THREADS + threadIdx.x;

    if (i < part.n) {
      const int64_t voxel = rc_voxel_of (&task.box, p[u][0], p[u][1], p[u][2]);

      count_point (tally, voxel);
      Action::take (task, part, i, voxel, p[u]);
    }
  }
}

template <class Source, class Action>
__global__ void __launch_bounds__ (THREADS)
add_points (const __grid_constant__ RcCudaVoxelTask task)
{
  constexpr int64_t tile = points_at_once<Source, Action> () * THREADS;
  Tally tally = { };

  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    const Part part = part_of<Source> (task, item, true);

    for (int64_t first = blockIdx.x * tile; first < part.n; first += gridDim.x * tile)
      add_tile<Source, Action> (task, part, first, &tally);
    finish_part (task, part);
  }
  if (task.counters != NULL)
    add_tally (task, tally);
}

/* ---- actions: with features ----
 *
 * A warp locates 32 points, one a lane, and then takes their features in the order in which they lie in memory, so that
 * features of a point, and of a voxel, are accessed together. `point` is called with every point, `feature` with those
 * that are inside. */

struct Range
{
  static constexpr bool adding = false;

  static __device__ __forceinline__ void
  point (const RcCudaVoxelTask &, const Part &, int64_t, int64_t)
  {
  }

  /* Magnitudes of doubles compare as their bits do. What a thread reads of the greatest may be old, and then too
   * small: that costs an atomic. */
  static __device__ __forceinline__ void
  feature (const RcCudaVoxelTask &task, const Part &part, int64_t, int64_t, int64_t c, double x, Tally *)
  {
    unsigned long long *greatest = item_array<unsigned long long> (task, part.item, task.layout.range) + c;
    const double magnitude = fabs (x);

    if (magnitude < INFINITY && rc_bits64 (magnitude) > *(volatile unsigned long long *) greatest)
      atomicMax (greatest, (unsigned long long) rc_bits64 (magnitude));
  }
};

struct AddMean
{
  static constexpr bool adding = true;

  static __device__ __forceinline__ void
  point (const RcCudaVoxelTask &task, const Part &part, int64_t i, int64_t voxel)
  {
    AddCount::take (task, part, i, voxel, NULL);
  }

  static __device__ __forceinline__ void
  feature (const RcCudaVoxelTask &task, const Part &part, int64_t, int64_t voxel, int64_t c, double x, Tally *tally)
  {
    const uint32_t saw = rc_voxel_saw (x);
    const int64_t at = voxel * task.channels + c;

    tally->clamped += exceeds_range (task, x);
    if (saw != 0)
      add_saw (item_array<uint32_t> (task, part.item, task.layout.saw), at, saw);
    else
      add_64 (item_array<int64_t> (task, part.item, task.layout.sums) + at,
          rc_voxel_fixed (item_array<const RcVoxelScale> (task, part.item, task.layout.scales) + c,
              clamp_feature (task, x)));
  }
};

struct AddExtreme
{
  static constexpr bool adding = true;

  static __device__ __forceinline__ void
  point (const RcCudaVoxelTask &task, const Part &part, int64_t, int64_t voxel)
  {
    if (voxel >= 0)
      mark (task, part, voxel);
  }

  static __device__ __forceinline__ void
  feature (const RcCudaVoxelTask &task, const Part &part, int64_t, int64_t voxel, int64_t c, double x, Tally *)
  {
    atomicMax (item_array<uint32_t> (task, part.item, task.layout.keys) + voxel * task.channels + c,
        extreme_key (task, x));
  }
};

template <class Source>
struct AddKeyMean
{
  static constexpr bool adding = true;

  static __device__ __forceinline__ void
  point (const RcCudaVoxelTask &task, const Part &part, int64_t i, int64_t voxel)
  {
    put_key (task, part, i, voxel);
  }

  static __device__ __forceinline__ void
  feature (const RcCudaVoxelTask &task, const Part &part, int64_t i, int64_t, int64_t c, double x, Tally *tally)
  {
    const int64_t at = place_of (task, part, i) * task.channels + c;

    tally->clamped += exceeds_range (task, x);
    const uint64_t wide = rc_bits64 (x);
    uint32_t *const kept = reinterpret_cast<uint32_t *> (task.points.payload) + (Source::keeps_float64 (task) ? 2 : 1) * at;

    /* one branch: more of them nest too deep */
    kept[0] = Source::keeps_float64 (task) ? (uint32_t) wide : rc_bits32 ((float) x);
    if (Source::keeps_float64 (task))
      kept[1] = (uint32_t) (wide >> 32);
  }
};

struct AddKeyExtreme
{
  static constexpr bool adding = true;

  static __device__ __forceinline__ void
  point (const RcCudaVoxelTask &task, const Part &part, int64_t i, int64_t voxel)
  {
    put_key (task, part, i, voxel);
  }

  static __device__ __forceinline__ void
  feature (const RcCudaVoxelTask &task, const Part &part, int64_t i, int64_t, int64_t c, double x, Tally *)
  {
    reinterpret_cast<uint32_t *> (task.points.payload)[place_of (task, part, i) * task.channels + c] =
        extreme_key (task, x);
  }
};

struct AddKeyFields
{
  static constexpr bool adding = true;

  static __device__ __forceinline__ void
  point (const RcCudaVoxelTask &task, const Part &part, int64_t i, int64_t voxel)
  {
    put_key (task, part, i, voxel);
  }

  static __device__ __forceinline__ void
  feature (const RcCudaVoxelTask &task, const Part &part, int64_t i, int64_t, int64_t c, double x, Tally *)
  {
    store_value (task.dtype, kept_of (task, part, i), c, value_bits (task.dtype, x));
  }
};

/* 32 points from first on; all lanes call it. */
template <class Source, class Action>
__device__ __forceinline__ void
add_warp (const RcCudaVoxelTask &task, const Part &part, int64_t first, Tally *tally)
{
  const uint32_t lane = threadIdx.x % 32, channels = (uint32_t) task.channels;
  const uint32_t step_points = 32 / channels, step_channels = 32 % channels;
  const char *features = part.data + first * task.stride + Source::feature_offset (task);
  uint32_t point = lane / channels, channel = lane % channels;
  int64_t voxel = RC_VOXEL_OUTSIDE;

  if (first + lane < part.n) {
    float p[3];

    if (Source::asks_address || task.aligned)
      Source::template read<true> (task, part.data, first + lane, p);
    else
      Source::template read<false> (task, part.data, first + lane, p);
    voxel = rc_voxel_of (&task.box, p[0], p[1], p[2]);
    count_point (tally, voxel);
    Action::point (task, part, first + lane, voxel);
  }
  for (uint32_t i = 0; i < channels; i++) {     /* 32 * channels features, 32 at a time */
    const int64_t of_point = __shfl_sync (ALL_LANES, voxel, (int) point);

    if (of_point >= 0)
      Action::feature (task, part, first + point, of_point, channel,
          Source::feature (task, features + point * task.stride, channel), tally);
    point += step_points;
    channel += step_channels;
    if (channel >= channels) {
      channel -= channels;
      point++;
    }
  }
}

template <class Source, class Action>
__global__ void __launch_bounds__ (THREADS)
add_features (const __grid_constant__ RcCudaVoxelTask task)
{
  Tally tally = { };

  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    const Part part = part_of<Source> (task, item, Action::adding);

    for (int64_t first = (int64_t) blockIdx.x * THREADS + threadIdx.x / 32 * 32; first < part.n;
        first += (int64_t) gridDim.x * THREADS)
      add_warp<Source, Action> (task, part, first, &tally);
    if (Action::adding)
      finish_part (task, part);
  }
  if (Action::adding && task.counters != NULL)
    add_tally (task, tally);
}
}

/* A macro takes commas only in parentheses. */
#define KERNEL(...) reinterpret_cast<const void *> (__VA_ARGS__)
#define WITHOUT_FEATURES(...) \
    KERNEL (add_points<__VA_ARGS__, AddBits>), KERNEL (add_points<__VA_ARGS__, AddCount>), \
    KERNEL (add_points<__VA_ARGS__, AddCentroid<__VA_ARGS__>>), KERNEL (add_points<__VA_ARGS__, AddKey>), \
    KERNEL (add_points<__VA_ARGS__, AddKeyCentroid>), KERNEL (add_points<__VA_ARGS__, AddKeyRank>), \
    KERNEL (add_points<__VA_ARGS__, StoreIndex>)
#define OF_DEPTH(...) { WITHOUT_FEATURES (__VA_ARGS__), KERNEL (add_points<__VA_ARGS__, AddKeyPosition>) }
#define OF_POINTS(...) { \
    WITHOUT_FEATURES (__VA_ARGS__), NULL, KERNEL (add_features<__VA_ARGS__, Range>), \
    KERNEL (add_features<__VA_ARGS__, AddMean>), KERNEL (add_features<__VA_ARGS__, AddExtreme>), \
    KERNEL (add_features<__VA_ARGS__, AddKeyMean<__VA_ARGS__>>), KERNEL (add_features<__VA_ARGS__, AddKeyExtreme>), \
    KERNEL (add_features<__VA_ARGS__, AddKeyFields>) }

const void *const rc_cuda_voxel_clear = KERNEL (clear);
const void *const rc_cuda_voxel_set_scales = KERNEL (set_scales);
const void *const rc_cuda_voxel_add[RC_CUDA_VOXEL_SOURCES][RC_CUDA_VOXEL_ACTIONS] = {
  OF_POINTS (PointSource<RC_FLOAT16>),
  OF_POINTS (PointSource<RC_FLOAT32>),
  OF_POINTS (PointSource<RC_FLOAT64>),
  OF_POINTS (LayoutSource),
  OF_DEPTH (DepthSource),
  OF_DEPTH (RaySource),
};
