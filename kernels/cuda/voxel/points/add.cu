/* robocache: voxel grids on the GPU: from points to accumulators
 *
 * Bytes that must move:
 *   clear        writes the accumulators of every item once, or where they are clear, the 64 bytes and more before them
 *   add          reads each point once, of float32 12 bytes and 4 a feature, whatever lies between left out; what is
 *                touched of the accumulators (a sector of 32 bytes a point, or as many as its features span, and one of
 *                the bitmap) stays in the L2 as far as it fits there
 *   add, ranked  beside the points, the word of bits of a voxel and its rank, and what it touches then is as long as there are
 *                points, not voxels
 *   add, sparse  reads each point once and writes its key (8 bytes) and what is kept of it, 4 to 8 a feature
 *                of mode first all fields are read, and kept as the output has them
 *   add, rank    the same with nothing kept; of a point that is in no voxel 8 bytes of the output. Where ranks are found in
 *                bits, 8 bytes of the output of every point, and a bit
 *   add, index   reads each point once and writes 8 bytes of the output
 * All atomics are on integers, so their order changes no bit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "parts.cuh"
#include "kernels/cuda/voxel/sparse/ranks.cuh"

using namespace rc;

namespace
{
constexpr int THREADS = RC_CUDA_VOXEL_THREADS;
constexpr uint32_t ALL_LANES = 0xFFFFFFFFu;

/* ---- begin ---- */

__global__ void __launch_bounds__ (THREADS)
set_scales (const __grid_constant__ RcCudaVoxelTask task)
{
  follow_previous ();
  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y)
    set_scales_of (task, item);
}

/* By all threads of all blocks, 16 bytes at a time. */
__device__ __forceinline__ void
fill (char *memory, uint64_t bytes, uint32_t word)
{
  const uint64_t step = (uint64_t) gridDim.x * gridDim.y * THREADS;

  for (uint64_t i = ((uint64_t) blockIdx.y * gridDim.x + blockIdx.x) * THREADS + threadIdx.x; i < bytes / 16; i += step)
    reinterpret_cast<uint4 *> (memory)[i] = make_uint4 (word, word, word, word);
}

__global__ void __launch_bounds__ (THREADS)
clear (const __grid_constant__ RcCudaVoxelTask task)
{
  constexpr int head_words = sizeof (RcCudaVoxelHead) / sizeof (uint4);
  const int64_t words = (int64_t) (task.clear_bytes / sizeof (uint4)), step = (int64_t) gridDim.x * THREADS;

  follow_previous ();
  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    uint4 *to = reinterpret_cast<uint4 *> (item_scratch (task, item));

    for (int64_t i = head_words + (int64_t) blockIdx.x * THREADS + threadIdx.x; i < words; i += step)
      to[i] = make_uint4 (0, 0, 0, 0);
    if (blockIdx.x == 0 && threadIdx.x == 0)
      *head_of (task, item) = { };
  }
  fill (task.ones, task.ones_bytes, UINT32_MAX);
  fill (task.zeros, task.zeros_bytes, 0);
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

/* The key of a point for the sort, or where there is none its mark. */
__device__ __forceinline__ void
put_key (const RcCudaVoxelTask &task, const Part &part, int64_t i, int64_t voxel)
{
  const uint64_t in_group = (uint64_t) (task.group == 1 ? 0 : part.item % task.group);

  if (task.defers) {
    mark_point (task, part, i, voxel);
    return;
  }
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

struct MarkIndex
{
  static constexpr int at_once = 4;

  static __device__ __forceinline__ void
  take (const RcCudaVoxelTask &task, const Part &part, int64_t i, int64_t voxel, const float *)
  {
    put_point (task, part, i, voxel, true);
    mark_point (task, part, i, voxel);
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
add_tile (const RcCudaVoxelTask &task, const Part &part, int64_t first, PointCounts *counts)
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
      /* a point alone waits for its loads anyway, longer than for divisions */
      const int64_t voxel = POINTS == 1 ? rc_voxel_of (&task.box, p[u][0], p[u][1], p[u][2]) : voxel_of (task, p[u]);

      count_point (counts, voxel);
      Action::take (task, part, i, voxel, p[u]);
    }
  }
}

/* With blocks stated, as in what follows, the compiler takes the registers that it needs; without, it spills. */
template <class Source, class Action>
__global__ void LAUNCH_BOUNDS (THREADS, at_once (4))
add_points (const __grid_constant__ RcCudaVoxelTask task)
{
  constexpr int64_t tile = points_at_once<Source, Action> () * THREADS;
  PointCounts counts = { };

  follow_previous ();
  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    const Part part = part_of<Source> (task, item, true);

    for (int64_t first = blockIdx.x * tile; first < part.n; first += gridDim.x * tile)
      add_tile<Source, Action> (task, part, first, &counts);
    finish_part (task, part);
  }
  if (task.counters != NULL)
    add_counts (task, counts);
}

/* ---- actions: with features ----
 *
 * A warp locates 32 points, one a lane, and then takes their features in the order in which they lie in memory, so that
 * features of a point, and of a voxel, are accessed together. `point` is called with every point, and returns where its
 * features go: a voxel, or the rank of one. `feature` is called with those that go somewhere, or where it takes all with
 * the others, too: a branch less, since they nest too deep. */

/* Where voxels have ranks, range has marked them. */
__device__ __forceinline__ int64_t
count_ranked (const RcCudaVoxelTask &task, const Part &part, int64_t voxel)
{
  const int64_t rank = rank_point (task, part.item, voxel);

  if (rank >= 0)
    atomicAdd (counts_of (task, part.item) + rank, 1u);
  return rank;
}

template <bool RANKED>
struct AddMean
{
  static constexpr bool takes_all = true;

  static __device__ __forceinline__ int64_t
  point (const RcCudaVoxelTask &task, const Part &part, int64_t i, int64_t voxel)
  {
    if constexpr (RANKED)
      return count_ranked (task, part, voxel);
    AddCount::take (task, part, i, voxel, NULL);
    return voxel;
  }

  static __device__ __forceinline__ void
  feature (const RcCudaVoxelTask &task, const Part &part, int64_t, int64_t voxel, int64_t c, double x, PointCounts *counts)
  {
    const uint32_t saw = rc_voxel_saw (x);
    const int64_t at = voxel * task.channels + c;
    const bool goes = voxel >= 0;

    /* what has ranks has no feature_range */
    if constexpr (!RANKED)
      counts->clamped += goes & exceeds_range (task, x);
    if (goes & (saw != 0))
      add_saw (saw_words_of (task, part.item), at, saw);
    if (goes & (saw == 0))
      add_64 (sums_of (task, part.item) + at,
          rc_voxel_fixed (item_array<const RcVoxelScale> (task, part.item, task.layout.scales) + c,
              RANKED ? x : clamp_feature (task, x)));
  }
};

struct AddExtreme
{
  static constexpr bool takes_all = false;

  static __device__ __forceinline__ int64_t
  point (const RcCudaVoxelTask &task, const Part &part, int64_t, int64_t voxel)
  {
    if (voxel >= 0)
      mark (task, part, voxel);
    return voxel;
  }

  static __device__ __forceinline__ void
  feature (const RcCudaVoxelTask &task, const Part &part, int64_t, int64_t voxel, int64_t c, double x, PointCounts *)
  {
    atomicMax (item_array<uint32_t> (task, part.item, task.layout.keys) + voxel * task.channels + c,
        extreme_key (task, x));
  }
};

struct AddingKeys
{
  static constexpr bool takes_all = false;

  static __device__ __forceinline__ int64_t
  point (const RcCudaVoxelTask &task, const Part &part, int64_t i, int64_t voxel)
  {
    put_key (task, part, i, voxel);
    return voxel;
  }
};

template <class Source>
struct AddKeyMean : AddingKeys
{
  static __device__ __forceinline__ void
  feature (const RcCudaVoxelTask &task, const Part &part, int64_t i, int64_t, int64_t c, double x, PointCounts *counts)
  {
    const int64_t at = place_of (task, part, i) * task.channels + c;

    counts->clamped += exceeds_range (task, x);
    const uint64_t wide = rc_bits64 (x);
    uint32_t *const kept = reinterpret_cast<uint32_t *> (task.points.payload) + (Source::keeps_float64 (task) ? 2 : 1) * at;

    /* one branch: more of them nest too deep */
    kept[0] = Source::keeps_float64 (task) ? (uint32_t) wide : rc_bits32 ((float) x);
    if (Source::keeps_float64 (task))
      kept[1] = (uint32_t) (wide >> 32);
  }
};

struct AddKeyExtreme : AddingKeys
{
  static __device__ __forceinline__ void
  feature (const RcCudaVoxelTask &task, const Part &part, int64_t i, int64_t, int64_t c, double x, PointCounts *)
  {
    reinterpret_cast<uint32_t *> (task.points.payload)[place_of (task, part, i) * task.channels + c] =
        extreme_key (task, x);
  }
};

struct AddKeyFields : AddingKeys
{
  static __device__ __forceinline__ void
  feature (const RcCudaVoxelTask &task, const Part &part, int64_t i, int64_t, int64_t c, double x, PointCounts *)
  {
    store_value (task.dtype, kept_of (task, part, i), c, value_bits (task.dtype, x));
  }
};

/* Features of 32 points that a lane has under way. */
template <class Source>
struct Loaded
{
  static constexpr int most = Source::features_at_once;

  uint32_t words[most][2];
  uint32_t first;               /* of those of the lane, of which there are as many as channels */
  Channel channel;              /* of the first of them */
};

/* The next ones; of points that turn out to be in no voxel, too, so that the first are under way with the coordinates. */
template <class Source>
__device__ __forceinline__ void
load_features (const RcCudaVoxelTask &task, const char *features, int64_t points, Loaded<Source> *loaded)
{
  const uint32_t channels = (uint32_t) task.channels;
  Channel own = loaded->channel;

#pragma unroll
  for (int u = 0; u < Loaded<Source>::most; u++) {
    if (loaded->first + u < channels && own.of < points)
      Source::load_feature (task, features + own.of * task.stride, own.channel, loaded->words[u]);
    own = next_channel (task, own);
  }
}

/* 32 points from first on; all lanes call it. */
template <class Source, class Action>
__device__ __forceinline__ void
add_warp (const RcCudaVoxelTask &task, const Part &part, int64_t first, PointCounts *counts)
{
  const uint32_t lane = threadIdx.x % 32, channels = (uint32_t) task.channels;
  const char *features = part.data + first * task.stride + Source::feature_offset (task);
  Loaded<Source> loaded;
  float p[3] = { 0.0f, 0.0f, 0.0f };
  int64_t goes_to = RC_VOXEL_OUTSIDE;

  if (first + lane < part.n)
    Source::template read<true> (task, part.data, first + lane, p);
  loaded.first = 0;
  loaded.channel = first_channel (task, lane);
  load_features (task, features, part.n - first, &loaded);
  if (first + lane < part.n) {
    const int64_t voxel = voxel_of (task, p);

    count_point (counts, voxel);
    goes_to = Action::point (task, part, first + lane, voxel);
  }
#pragma unroll 1
  while (loaded.first < channels) {
#pragma unroll
    for (int u = 0; u < loaded.most; u++) {
      if (loaded.first + u >= channels)
        break;
      const int64_t to = __shfl_sync (ALL_LANES, goes_to, (int) loaded.channel.of);

      if (Action::takes_all || to >= 0)
        Action::feature (task, part, first + loaded.channel.of, to, loaded.channel.channel,
            Source::feature_of (loaded.words[u]), counts);
      loaded.channel = next_channel (task, loaded.channel);
    }
    loaded.first += loaded.most;
    load_features (task, features, part.n - first, &loaded);
  }
}

template <class Source, class Action>
__global__ void LAUNCH_BOUNDS (THREADS, at_once (4))
add_features (const __grid_constant__ RcCudaVoxelTask task)
{
  PointCounts counts = { };

  follow_previous ();
  for (int64_t item = blockIdx.y; item < task.batch; item += gridDim.y) {
    const Part part = part_of<Source> (task, item, true);

    for (int64_t first = (int64_t) blockIdx.x * THREADS + threadIdx.x / 32 * 32; first < part.n;
        first += (int64_t) gridDim.x * THREADS)
      add_warp<Source, Action> (task, part, first, &counts);
    finish_part (task, part);
  }
  if (task.counters != NULL)
    add_counts (task, counts);
}
}

/* A macro takes commas only in parentheses. */
#define WITHOUT_FEATURES(...) \
    KERNEL (add_points<__VA_ARGS__, AddBits>), KERNEL (add_points<__VA_ARGS__, AddCount>), \
    KERNEL (add_points<__VA_ARGS__, AddCentroid<__VA_ARGS__>>), KERNEL (add_points<__VA_ARGS__, AddKey>), \
    KERNEL (add_points<__VA_ARGS__, AddKeyCentroid>), KERNEL (add_points<__VA_ARGS__, AddKeyRank>), \
    KERNEL (add_points<__VA_ARGS__, StoreIndex>), KERNEL (add_points<__VA_ARGS__, MarkIndex>)
#define OF_DEPTH(...) { WITHOUT_FEATURES (__VA_ARGS__), KERNEL (add_points<__VA_ARGS__, AddKeyPosition>) }
#define OF_POINTS(...) { \
    WITHOUT_FEATURES (__VA_ARGS__), NULL, \
    KERNEL (add_features<__VA_ARGS__, AddMean<false>>), KERNEL (add_features<__VA_ARGS__, AddMean<true>>), \
    KERNEL (add_features<__VA_ARGS__, AddExtreme>), KERNEL (add_features<__VA_ARGS__, AddKeyMean<__VA_ARGS__>>), \
    KERNEL (add_features<__VA_ARGS__, AddKeyExtreme>), KERNEL (add_features<__VA_ARGS__, AddKeyFields>) }

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
