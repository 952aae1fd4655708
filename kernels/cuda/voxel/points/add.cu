/* robocache: voxel grids on the GPU: from points to accumulators
 *
 * An *action* states what is done with a point: add_points takes actions without features, add_features those with
 * features. A kernel is one source (points.cuh) and one action; RcCudaVoxelAction lists the actions.
 *
 * Bytes that must move:
 *   clear        the accumulators of each item, written once, or 64 bytes and more where they are clear
 *   add          each point read once, 12 bytes in float32 and 4 a feature, without the bytes between them. The accumulators
 *                that are touched stay in the L2 as far as they fit there: a sector of 32 bytes a point, or as many as its
 *                features span, and one of the bitmap
 *   add, ranked  beside the points, the word of a voxel's bits and its rank; the accumulators are as long as there are points
 *   add, sparse  each point read once; its key (8 bytes) and what is stored of it written, 4 to 8 a feature. Mode first reads
 *                all fields and stores them as the output has them
 *   add, rank    the same without anything stored, and 8 bytes of the output for points in no voxel. By bitmap 8 bytes of the
 *                output for each point, and a bit
 *   add, index   each point read once, and 8 bytes of the output written
 * All atomics are on integers, so their order changes no bit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "parts.cuh"
#include "ranks.cuh"

using namespace rc;

namespace
{
constexpr int THREADS = RC_CUDA_VOXEL_THREADS;

/* ---- begin ---- */

/* Sets the scales of the fixed point of each item. One block per item, a thread per channel. */
__global__ void __launch_bounds__ (THREADS)
set_scales (GRID_CONSTANT Values values, GRID_CONSTANT Job job)
{
  follow_previous ();
  for (int64_t item = blockIdx.y; item < job.batch; item += gridDim.y)
    set_scales_of (values, job, item);
}

/* Fills memory with a word. All threads of all blocks call it, and write 16 bytes at a time. */
__device__ __forceinline__ void
fill (char *memory, uint64_t bytes, uint32_t word)
{
  const uint64_t step = (uint64_t) gridDim.x * gridDim.y * THREADS;

  for (uint64_t i = ((uint64_t) blockIdx.y * gridDim.x + blockIdx.x) * THREADS + threadIdx.x; i < bytes / 16; i += step)
    reinterpret_cast<uint4 *> (memory)[i] = make_uint4 (word, word, word, word);
}

/* Clears the scratch of each item, and sets other arrays of the job to ones or zeros. A grid-stride loop of 16 bytes a thread. */
__global__ void __launch_bounds__ (THREADS)
clear (GRID_CONSTANT Job job, GRID_CONSTANT Clear clear)
{
  constexpr int head_words = sizeof (RcCudaVoxelHead) / sizeof (uint4);
  const int64_t words = (int64_t) (clear.item_bytes / sizeof (uint4)), step = (int64_t) gridDim.x * THREADS;

  follow_previous ();
  for (int64_t item = blockIdx.y; item < job.batch; item += gridDim.y) {
    uint4 *to = reinterpret_cast<uint4 *> (item_scratch (job, item));

    for (int64_t i = head_words + (int64_t) blockIdx.x * THREADS + threadIdx.x; i < words; i += step)
      to[i] = make_uint4 (0, 0, 0, 0);
    if (blockIdx.x == 0 && threadIdx.x == 0)
      *head_of (job, item) = { };
  }
  fill (clear.ones, clear.ones_bytes, UINT32_MAX);
  fill (clear.zeros, clear.zeros_bytes, 0);
}

/* ---- actions: without features ----
 *
 * `insert` is called with every point, in a voxel or not, since each point of the sparse output has its own place. at_once is the number
 * of points that a thread has under way: more would spill registers. */

/* The place of a point's key and of what is stored of it. */
__device__ __forceinline__ int64_t
place_of (const Job &job, const Part &part, int64_t i)
{
  return part.item * job.n_points + part.first + i;
}

/* Stores the key of a point for the sort; for deferred points marks its voxel. */
__device__ __forceinline__ void
put_key (const Job &job, const Ranks &ranks, const Stored &stored, const Part &part, int64_t i, int64_t voxel)
{
  const uint64_t in_group = (uint64_t) (stored.group_items == 1 ? 0 : part.item % stored.group_items);

  if (stored.is_deferred) {
    mark_point (job, ranks, part, i, voxel);
    return;
  }
  stored.keys[0][place_of (job, part, i)] = voxel < 0 ? RC_CUDA_VOXEL_NO_KEY
      : in_group * stored.key_voxels + (uint64_t) voxel;
}

/* rint ((p - origin) * 2^k) of an axis. */
__device__ __forceinline__ int64_t
centroid_term (const Grid &grid, const Job &job, int64_t item, int axis, float p)
{
  const RcVoxelScale *scales = item_array<const RcVoxelScale> (job, item, job.layout.scales);

  return rc_voxel_fixed (&scales[axis], (double) p - (double) grid.box.origin[axis]);
}

/* What all actions may read. Each adds the parts that it alone reads. */
struct Action
{
  const Grid &grid;
  const Job &job;
};

struct AddBits : Action
{
  static constexpr int at_once = 4;

  __device__ __forceinline__ void
  insert (const Part &part, int64_t, int64_t voxel, const float *) const
  {
    if (voxel < 0)
      return;
    uint32_t *word = item_array<uint32_t> (job, part.item, job.layout.bits) + voxel / 32;
    const uint32_t bit = 1u << (voxel % 32);

    if (job.is_crowded && (*word & bit) != 0)     /* a stale word costs no more than the atomic */
      return;
    atomicOr (word, bit);
  }
};

/* Marks and counts the voxel of a point, if it has one. */
__device__ __forceinline__ void
count_voxel (const Job &job, const Part &part, int64_t voxel)
{
  if (voxel < 0)
    return;
  mark (job, part, voxel);
  atomicAdd (item_array<uint32_t> (job, part.item, job.layout.counts) + voxel, 1u);
}

struct AddCount : Action
{
  static constexpr int at_once = 4;

  __device__ __forceinline__ void
  insert (const Part &part, int64_t, int64_t voxel, const float *) const
  {
    count_voxel (job, part, voxel);
  }
};

/* Marks and counts a voxel. Not inlined: with the sums of a centroid beside it, branches nest too deep. */
inline __device__ __noinline__ void
count_apart (uint32_t *bits, uint32_t *counts, int64_t voxel)
{
  atomicOr (bits + voxel / 32, 1u << (voxel % 32));
  atomicAdd (counts + voxel, 1u);
}

template <class Source>
struct AddCentroid : Action
{
  static constexpr int at_once = 2;

  __device__ __forceinline__ void
  insert (const Part &part, int64_t, int64_t voxel, const float *p) const
  {
    if constexpr (Source::is_depth)
      count_voxel (job, part, voxel);
    if (voxel < 0)
      return;
#pragma unroll
    for (int axis = 0; axis < 3; axis++)
      add_64 (item_array<int64_t> (job, part.item, job.layout.sums) + voxel * 3 + axis,
          centroid_term (grid, job, part.item, axis, p[axis]));
    if constexpr (!Source::is_depth)    /* last: earlier it takes more registers */
      count_apart (item_array<uint32_t> (job, part.item, job.layout.bits),
          item_array<uint32_t> (job, part.item, job.layout.counts), voxel);
  }
};

struct AddKey : Action
{
  const Stored &stored;
  const Ranks &ranks;

  static constexpr int at_once = 4;

  __device__ __forceinline__ void
  insert (const Part &part, int64_t i, int64_t voxel, const float *) const
  {
    put_key (job, ranks, stored, part, i, voxel);
  }
};

struct AddKeyCentroid : AddKey
{
  static constexpr int at_once = 2;

  __device__ __forceinline__ void
  insert (const Part &part, int64_t i, int64_t voxel, const float *p) const
  {
    float *kept = reinterpret_cast<float *> (stored.payload) + place_of (job, part, i) * 3;

    put_key (job, ranks, stored, part, i, voxel);
    if (voxel < 0)
      return;
#pragma unroll
    for (int axis = 0; axis < 3; axis++)
      kept[axis] = p[axis];
  }
};

/* The place of what mode first stores of a point. */
__device__ __forceinline__ char *
stored_of (const Job &job, const Stored &stored, const Part &part, int64_t i)
{
  return stored.payload + place_of (job, part, i) * (int64_t) stored.payload_bytes;
}

/* Stores coordinates, which are finite since the point is inside, rounded once from float32. */
struct AddKeyPosition : AddKey
{
  const Values &values;

  static constexpr int at_once = 2;

  __device__ __forceinline__ void
  insert (const Part &part, int64_t i, int64_t voxel, const float *p) const
  {
    put_key (job, ranks, stored, part, i, voxel);
    if (voxel < 0)
      return;
#pragma unroll
    for (int axis = 0; axis < 3; axis++)
      store_value (values.dtype, stored_of (job, stored, part, i), axis, value_bits (values.dtype, (double) p[axis]));
  }
};

struct AddKeyRank : AddKey
{
  const Map &map;

  static constexpr int at_once = 4;

  __device__ __forceinline__ void
  insert (const Part &part, int64_t i, int64_t voxel, const float *) const
  {
    put_point (map, part, i, voxel, voxel < 0);        /* first: later it takes more registers */
    put_key (job, ranks, stored, part, i, voxel);
  }
};

struct StoreIndex : Action
{
  const Map &map;

  static constexpr int at_once = 1;

  __device__ __forceinline__ void
  insert (const Part &part, int64_t i, int64_t voxel, const float *) const
  {
    put_point (map, part, i, voxel, true);
  }
};

struct MarkIndex : StoreIndex
{
  const Ranks &ranks;

  static constexpr int at_once = 4;

  __device__ __forceinline__ void
  insert (const Part &part, int64_t i, int64_t voxel, const float *) const
  {
    put_point (map, part, i, voxel, true);
    mark_point (job, ranks, part, i, voxel);
  }
};

/* Points that a thread has under way: the least of what source and action allow. */
template <class Source, class Add>
__device__ constexpr int
points_at_once ()
{
  return Source::at_once < Add::at_once ? Source::at_once : Add::at_once;
}

/* Reads and locates the points of a tile, of which a thread has several, and inserts each. */
template <class Source, class Add>
__device__ __forceinline__ void
add_tile (const Add &add, const Grid &grid, const Format &format, const Chunk &chunk, const Part &part, int64_t first,
    PointCounts *counts)
{
  constexpr int POINTS = points_at_once<Source, Add> ();
  float p[POINTS][3];

  /* all loads are under way before the first value is used */
#pragma unroll
  for (int u = 0; u < POINTS; u++)
    p[u][0] = p[u][1] = p[u][2] = 0.0f;
  if (Source::asks_address || chunk.is_aligned) {
#pragma unroll
    for (int u = 0; u < POINTS; u++) {
      if (first + u * THREADS + threadIdx.x < part.n)
        Source::template read<true> (format, chunk, part.data, first + u * THREADS + threadIdx.x, p[u]);
    }
  } else {
    for (int u = 0; u < POINTS; u++) {
      if (first + u * THREADS + threadIdx.x < part.n)
        Source::template read<false> (format, chunk, part.data, first + u * THREADS + threadIdx.x, p[u]);
    }
  }
#pragma unroll
  for (int u = 0; u < POINTS; u++) {
    const int64_t i = first + u * THREADS + threadIdx.x;

    if (i < part.n) {
      /* a single point waits longer for its loads than for divisions */
      const int64_t voxel = POINTS == 1 ? rc_voxel_of (&grid.box, p[u][0], p[u][1], p[u][2]) : voxel_of (grid, p[u]);

      count_point (counts, voxel);
      add.insert (part, i, voxel, p[u]);
    }
  }
}

/* Locates each point and inserts it, without features. A grid-stride loop over the tiles of an item, with several loads a
 * thread under way. The bound states blocks: without it the compiler spills registers. */
template <class Source, class Add, class... Parts>
__global__ void __launch_bounds__ (THREADS, at_once (4))
add_points (GRID_CONSTANT Grid grid, GRID_CONSTANT Format format, GRID_CONSTANT Job job, GRID_CONSTANT Chunk chunk,
    GRID_CONSTANT Parts... parts)
{
  constexpr int64_t tile = points_at_once<Source, Add> () * THREADS;
  const Add add = { grid, job, parts... };
  PointCounts counts = { };

  follow_previous ();
  for (int64_t item = blockIdx.y; item < job.batch; item += gridDim.y) {
    const Part part = part_of<Source> (format, job, chunk, item, true);

    for (int64_t first = blockIdx.x * tile; first < part.n; first += gridDim.x * tile)
      add_tile<Source, Add> (add, grid, format, chunk, part, first, &counts);
    finish_part (job, part);
  }
  if (chunk.counters != NULL)
    add_counts (chunk, counts);
}

/* ---- actions: with features ----
 *
 * A warp locates 32 points, one a lane, and then takes their features in the order of memory, so that features of a point, and of a voxel,
 * are accessed together. An action has
 *
 *   point    called with every point; returns where its features go: a voxel, the rank of one, or a negative number
 *   warp     called by all lanes, with what point returned for theirs
 *   feature  called with each feature that goes somewhere; with all features if inserts_all, which saves a branch */

/* Counts the voxel of a point by its rank, which range has made, and returns the rank. */
__device__ __forceinline__ int64_t
count_ranked (const Job &job, const Accumulators &accumulators, const Ranks &ranks, const Part &part, int64_t voxel)
{
  const int64_t rank = rank_point (job, ranks, part.item, voxel);

  if (rank >= 0)
    atomicAdd (counts_of (accumulators, part.item) + rank, 1u);
  return rank;
}

struct FeatureAction
{
  const Job &job;
  const Values &values;

  /* voxel: of the lane's point; negative: it has none */
  __device__ __forceinline__ void
  warp (const Part &, int64_t) const
  {
  }
};

template <bool RANKED>
struct MeanAction : FeatureAction
{
  const Accumulators &accumulators;

  static constexpr bool inserts_all = true;

  __device__ __forceinline__ void
  feature (const Part &part, int64_t, int64_t voxel, int64_t c, double x, PointCounts *counts) const
  {
    const uint32_t nonfinite_flags = rc_voxel_nonfinite_flags (x);
    const int64_t at = voxel * values.channels + c;
    const bool goes = voxel >= 0;

    /* means by rank have no feature_range */
    if constexpr (!RANKED)
      counts->clamped += goes & exceeds_range (values, x);
    if (goes & (nonfinite_flags != 0))
      add_nonfinite_flags (nonfinite_words_of (accumulators, part.item), at, nonfinite_flags);
    if (goes & (nonfinite_flags == 0))
      add_64 (sums_of (accumulators, part.item) + at,
          rc_voxel_fixed (item_array<const RcVoxelScale> (job, part.item, job.layout.scales) + c,
              RANKED ? x : clamp_feature (values, x)));
  }
};

struct AddMean : MeanAction<false>
{
  __device__ __forceinline__ int64_t
  point (const Part &part, int64_t, int64_t voxel) const
  {
    count_voxel (job, part, voxel);
    return voxel;
  }
};

struct AddRankedMean : MeanAction<true>
{
  const Ranks &ranks;

  __device__ __forceinline__ int64_t
  point (const Part &part, int64_t, int64_t voxel) const
  {
    return count_ranked (job, accumulators, ranks, part, voxel);
  }
};

struct AddExtreme : FeatureAction
{
  static constexpr bool inserts_all = false;

  __device__ __forceinline__ int64_t
  point (const Part &part, int64_t, int64_t voxel) const
  {
    if (voxel >= 0)
      mark (job, part, voxel);
    return voxel;
  }

  __device__ __forceinline__ void
  feature (const Part &part, int64_t, int64_t voxel, int64_t c, double x, PointCounts *) const
  {
    atomicMax (item_array<uint32_t> (job, part.item, job.layout.keys) + voxel * values.channels + c,
        extreme_key (values, x));
  }
};

struct AddingKeys : FeatureAction
{
  const Stored &stored;
  const Ranks &ranks;

  static constexpr bool inserts_all = false;

  __device__ __forceinline__ int64_t
  point (const Part &part, int64_t i, int64_t voxel) const
  {
    if (stored.is_deferred)
      ranks.voxels_of_points[place_of (job, part, i)] = voxel;
    else
      put_key (job, ranks, stored, part, i, voxel);
    return voxel;
  }

  __device__ __forceinline__ void
  warp (const Part &part, int64_t voxel) const
  {
    if (stored.is_deferred)
      mark_warp (job, ranks, part, voxel);
  }
};

template <class Source>
struct AddKeyMean : AddingKeys
{
  __device__ __forceinline__ void
  feature (const Part &part, int64_t i, int64_t, int64_t c, double x, PointCounts *counts) const
  {
    const int64_t at = place_of (job, part, i) * values.channels + c;

    counts->clamped += exceeds_range (values, x);
    const uint64_t wide = rc_bits64 (x);
    uint32_t *const kept = reinterpret_cast<uint32_t *> (stored.payload) + (Source::stores_float64 (stored) ? 2 : 1) * at;

    /* a single branch, since they nest too deep */
    kept[0] = Source::stores_float64 (stored) ? (uint32_t) wide : rc_bits32 ((float) x);
    if (Source::stores_float64 (stored))
      kept[1] = (uint32_t) (wide >> 32);
  }
};

struct AddKeyExtreme : AddingKeys
{
  __device__ __forceinline__ void
  feature (const Part &part, int64_t i, int64_t, int64_t c, double x, PointCounts *) const
  {
    reinterpret_cast<uint32_t *> (stored.payload)[place_of (job, part, i) * values.channels + c] =
        extreme_key (values, x);
  }
};

struct AddKeyFields : AddingKeys
{
  __device__ __forceinline__ void
  feature (const Part &part, int64_t i, int64_t, int64_t c, double x, PointCounts *) const
  {
    store_value (values.dtype, stored_of (job, stored, part, i), c, value_bits (values.dtype, x));
  }
};

/* The features of 32 points that a lane has under way. */
template <class Source>
struct Loaded
{
  static constexpr int most = Source::features_at_once;

  uint32_t words[most][2];
  uint32_t first;               /* of the lane's features, which are as many as there are channels */
  Channel channel;              /* of the first one under way */
};

/* Loads the next features of a lane. Points that turn out to be in no voxel are included, so that the first loads are under
 * way together with the coordinates. */
template <class Source>
__device__ __forceinline__ void
load_features (const Format &format, const Values &values, const Chunk &chunk, const char *features, int64_t points,
    Loaded<Source> *loaded)
{
  const uint32_t channels = (uint32_t) values.channels;
  Channel own = loaded->channel;

#pragma unroll
  for (int u = 0; u < Loaded<Source>::most; u++) {
    if (loaded->first + u < channels && own.of < points)
      Source::load_feature (format, features + own.of * chunk.stride, own.channel, loaded->words[u]);
    own = next_channel (values, own);
  }
}

/* Adds 32 points from first on. All lanes call it. Features are loaded ahead: while a lane adds its last ones, the next are
 * under way.
 *
 *   for (first = of warp; first < part.n; first += of grid)
 *     add_warp<Source, AddMean> (add, grid, format, values, chunk, part, first, &counts);
 */
template <class Source, class Add>
__device__ __forceinline__ void
add_warp (const Add &add, const Grid &grid, const Format &format, const Values &values, const Chunk &chunk, const Part &part,
    int64_t first, PointCounts *counts)
{
  const uint32_t lane = threadIdx.x % 32, channels = (uint32_t) values.channels;
  const char *features = part.data + first * chunk.stride + Source::feature_offset (format);
  Loaded<Source> loaded;
  float p[3] = { 0.0f, 0.0f, 0.0f };
  int64_t goes_to = RC_VOXEL_OUTSIDE;

  if (first + lane < part.n)
    Source::template read<true> (format, chunk, part.data, first + lane, p);
  loaded.first = 0;
  loaded.channel = first_channel (values, lane);
  load_features (format, values, chunk, features, part.n - first, &loaded);
  if (first + lane < part.n) {
    const int64_t voxel = voxel_of (grid, p);

    count_point (counts, voxel);
    goes_to = add.point (part, first + lane, voxel);
  }
  add.warp (part, goes_to);
#pragma unroll 1
  while (loaded.first < channels) {
#pragma unroll
    for (int u = 0; u < loaded.most; u++) {
      if (loaded.first + u >= channels)
        break;
      const int64_t to = __shfl_sync (ALL_LANES, goes_to, (int) loaded.channel.of);

      if (Add::inserts_all || to >= 0)
        add.feature (part, first + loaded.channel.of, to, loaded.channel.channel,
            Source::feature_of (loaded.words[u]), counts);
      loaded.channel = next_channel (values, loaded.channel);
    }
    loaded.first += loaded.most;
    load_features (format, values, chunk, features, part.n - first, &loaded);
  }
}

/* Locates each point and adds each of its features. A warp takes 32 points at a time: a lane locates one, then the lanes
 * read features in the order of memory. */
template <class Source, class Add, class... Parts>
__global__ void __launch_bounds__ (THREADS, at_once (4))
add_features (GRID_CONSTANT Grid grid, GRID_CONSTANT Format format, GRID_CONSTANT Values values, GRID_CONSTANT Job job,
    GRID_CONSTANT Chunk chunk, GRID_CONSTANT Parts... parts)
{
  const Add add = { job, values, parts... };
  PointCounts counts = { };

  follow_previous ();
  for (int64_t item = blockIdx.y; item < job.batch; item += gridDim.y) {
    const Part part = part_of<Source> (format, job, chunk, item, true);

    for (int64_t first = (int64_t) blockIdx.x * THREADS + threadIdx.x / 32 * 32; first < part.n;
        first += (int64_t) gridDim.x * THREADS)
      add_warp<Source, Add> (add, grid, format, values, chunk, part, first, &counts);
    finish_part (job, part);
  }
  if (chunk.counters != NULL)
    add_counts (chunk, counts);
}
}

/* A macro takes commas only in parentheses. */
#define WITHOUT_FEATURES(...) \
    VOXEL_KERNEL (add_points<__VA_ARGS__, AddBits>), VOXEL_KERNEL (add_points<__VA_ARGS__, AddCount>), \
    VOXEL_KERNEL (add_points<__VA_ARGS__, AddCentroid<__VA_ARGS__>>), VOXEL_KERNEL (add_points<__VA_ARGS__, AddKey, Stored, Ranks>), \
    VOXEL_KERNEL (add_points<__VA_ARGS__, AddKeyCentroid, Stored, Ranks>), \
    VOXEL_KERNEL (add_points<__VA_ARGS__, AddKeyRank, Stored, Ranks, Map>), VOXEL_KERNEL (add_points<__VA_ARGS__, StoreIndex, Map>), \
    VOXEL_KERNEL (add_points<__VA_ARGS__, MarkIndex, Map, Ranks>)
#define OF_DEPTH(...) { \
    WITHOUT_FEATURES (__VA_ARGS__), VOXEL_KERNEL (add_points<__VA_ARGS__, AddKeyPosition, Stored, Ranks, Values>) }
#define OF_POINTS(...) { \
    WITHOUT_FEATURES (__VA_ARGS__), { }, \
    VOXEL_KERNEL (add_features<__VA_ARGS__, AddMean, Accumulators>), \
    VOXEL_KERNEL (add_features<__VA_ARGS__, AddRankedMean, Accumulators, Ranks>), VOXEL_KERNEL (add_features<__VA_ARGS__, AddExtreme>), \
    VOXEL_KERNEL (add_features<__VA_ARGS__, AddKeyMean<__VA_ARGS__>, Stored, Ranks>), \
    VOXEL_KERNEL (add_features<__VA_ARGS__, AddKeyExtreme, Stored, Ranks>), \
    VOXEL_KERNEL (add_features<__VA_ARGS__, AddKeyFields, Stored, Ranks>) }

const RcCudaVoxelKernel rc_cuda_voxel_clear = VOXEL_KERNEL (clear);
const RcCudaVoxelKernel rc_cuda_voxel_set_scales = VOXEL_KERNEL (set_scales);
const RcCudaVoxelKernel rc_cuda_voxel_add[RC_CUDA_VOXEL_SOURCES][RC_CUDA_VOXEL_ACTIONS] = {
  OF_POINTS (PointSource<RC_FLOAT16>),
  OF_POINTS (PointSource<RC_FLOAT32>),
  OF_POINTS (PointSource<RC_FLOAT64>),
  OF_POINTS (LayoutSource),
  OF_DEPTH (DepthSource),
  OF_DEPTH (RaySource),
};
