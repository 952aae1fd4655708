/* robocache: dense means on the GPU of points that stay in place until the job ends: the output
 *
 * The grid is cut into pieces of a word of voxels, of which a slab has every so many. A block finds the points of its slab in
 * a bin (voxel_mean_bin.cu), chains those of each voxel in shared memory, and reads their features where the points are: of
 * voxels of one point several channels a lane, which mostly are their own means, and of the rest a channel a lane, which adds
 * them up in registers. The means of a slab come together in shared memory, and from there go to the grid in order.
 *
 * Points for which a bin had no room come into accumulators of their voxels (voxel_mean_overflow.cuh), which a slab adds to
 * its sums and clears.
 *
 * Bytes that must move: 8 of each point, and its features, read, which the L2 mostly still has; of the output every byte
 * once, or where it is known what the grid holds, the sectors that change.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>

#include "kernels/cuda/voxel/dense/expand.cuh"
#include "overflow.cuh"

using namespace rc;

namespace
{
constexpr int THREADS = RC_CUDA_VOXEL_THREADS;
constexpr int WARPS = RC_CUDA_VOXEL_WARPS;
constexpr int ROOM = RC_CUDA_VOXEL_MEAN_ROOM;
constexpr int POINTS_EACH = ROOM / THREADS;
constexpr int PIECES = RC_CUDA_VOXEL_MEAN_PIECES;
constexpr int VOXELS = PIECES * 32;
constexpr uint32_t ALL_LANES = 0xFFFFFFFFu;

static_assert (ROOM % THREADS == 0, "as many points of each thread");

/* Elements of a run of points that a lane has under way; more would spill. */
template <class Source>
__device__ constexpr int
features_at_once ()
{
  return Source::asks_address ? 1 : Source::feature_dtype == RC_FLOAT64 ? 2 : 4;
}

/* ---- slabs ---- */

struct Slab
{
  int64_t item;
  uint32_t which;
  uint32_t n;                   /* points of its bin */
  bool overflows;               /* voxels may have points in their accumulators, too */
};

struct Shared
{
  uint32_t heads[VOXELS];       /* of each voxel 1 + its point that was found last, of those of the bin; 0: none */
  uint32_t points[ROOM];
  uint16_t before[ROOM];        /* 1 + the point of the same voxel that was found before; 0: none */
  uint16_t listed[VOXELS];      /* voxels of one point from the first on, and of several from the last on */
  uint32_t bits[PIECES];        /* of voxels that are occupied, and then of those that are to be written */
  uint32_t singles, several;    /* how many are listed */
};

/* The values of a slab, as in the grid; then the bits of the scale of each channel, and its least exact value. */
DYNAMIC_SHARED (char, values);

template <int SIZE>
__device__ __forceinline__ uint32_t
piece_bytes (const RcCudaVoxelTask &task)
{
  return (uint32_t) task.channels * SIZE * 32;
}

/* [channels] Twice the bits of the least magnitude of a float32 that has none below the fixed point. */
template <int SIZE>
__device__ __forceinline__ uint32_t *
least_exact (const RcCudaVoxelTask &task)
{
  return reinterpret_cast<uint32_t *> (values + task.mean_pieces * piece_bytes<SIZE> (task));
}

/* [channels] What rc_voxel_scale_of makes their scales from. */
template <int SIZE>
__device__ __forceinline__ int32_t *
scale_bits (const RcCudaVoxelTask &task)
{
  return reinterpret_cast<int32_t *> (least_exact<SIZE> (task) + task.channels);
}

/* The first voxel of a piece of a slab among those of the item, which may be beyond the last. */
__device__ __forceinline__ int64_t
first_of_piece (const RcCudaVoxelTask &task, const Slab &slab, uint32_t piece)
{
  return (int64_t) piece_of_slab (task, slab.which, piece) * 32;
}

__device__ __forceinline__ int64_t
voxel_of_slab (const RcCudaVoxelTask &task, const Slab &slab, uint32_t voxel)
{
  return first_of_piece (task, slab, voxel / 32) + voxel % 32;
}

/* Before anything is known of the points. */
template <int SIZE>
__device__ __forceinline__ void
clear_slab (const RcCudaVoxelTask &task, Shared *shared)
{
  for (uint32_t i = threadIdx.x; i < task.mean_pieces * 32; i += THREADS)
    shared->heads[i] = 0;
#pragma unroll 4
  for (uint32_t i = threadIdx.x * 16; i < task.mean_pieces * piece_bytes<SIZE> (task); i += THREADS * 16)
    *reinterpret_cast<uint4 *> (values + i) = make_uint4 (0, 0, 0, 0);
  if (threadIdx.x < PIECES)
    shared->bits[threadIdx.x] = 0;
  if (threadIdx.x == 0)
    shared->singles = shared->several = 0;
}

/* What range has found of each channel. One whose numbers all have bits below the fixed point says what no number has. */
template <int SIZE>
__device__ __forceinline__ void
find_scales (const RcCudaVoxelTask &task, int64_t item)
{
  for (uint32_t c = threadIdx.x; c < task.channels; c += THREADS) {
    const int bits = scale_bits_of (task, item, task.n, c);

    scale_bits<SIZE> (task)[c] = bits;
    least_exact<SIZE> (task)[c] = (uint32_t) min (max (150 - bits, 0), 255) << 24;
  }
}

/* And of its points, which all came with it. */
__device__ __forceinline__ void
count_points (const RcCudaVoxelTask &task, int64_t item)
{
  const uint32_t *missed = head_of (task, item)->missed;

  add_counter (&task.counters_of_add->points, (uint32_t) task.n);
  add_counter (&task.counters_of_add->inside, (uint32_t) task.n - missed[0] - missed[1] - missed[2]);
  add_counter (&task.counters_of_add->outside, missed[0]);
  add_counter (&task.counters_of_add->nan, missed[1]);
  add_counter (&task.counters_of_add->infinite, missed[2]);
}

/* ---- the points of a slab ---- */

/* Of the points of a bin that a thread has, the voxel of the slab; NONE: of another slab, or no point. */
struct Own
{
  uint32_t voxels[POINTS_EACH];
};

constexpr uint32_t NONE = UINT32_MAX;

__device__ __forceinline__ Own
chain_points (const RcCudaVoxelTask &task, Slab *slab, Shared *shared)
{
  const uint32_t bin = slab->which & (task.mean_bins - 1), n = bin_counts_of (task, slab->item)[bin];
  const uint2 *entries = reinterpret_cast<const uint2 *> (bin_of (task, slab->item, bin));
  uint2 own[POINTS_EACH];
  Own found;

  slab->n = min (n, task.mean_room);
  slab->overflows = n > task.mean_room;
#pragma unroll
  for (int u = 0; u < POINTS_EACH; u++) {
    const uint32_t i = u * THREADS + threadIdx.x;

    own[u] = i < slab->n ? entries[i] : make_uint2 (0, 0);
  }
#pragma unroll
  for (int u = 0; u < POINTS_EACH; u++) {
    const uint32_t i = u * THREADS + threadIdx.x, piece = own[u].y / 32;

    found.voxels[u] = NONE;
    if (i < slab->n && slab_of_piece (task, piece) == slab->which) {
      found.voxels[u] = round_of_piece (task, piece) * 32 + own[u].y % 32;
      shared->points[i] = own[u].x;
      shared->before[i] = (uint16_t) atomicExch (&shared->heads[found.voxels[u]], i + 1);
    }
  }
  return found;
}

__device__ __forceinline__ bool
has_overflow (const RcCudaVoxelTask &task, const Slab &slab, uint32_t voxel)
{
  return slab.overflows && counts_of (task, slab.item)[voxel_of_slab (task, slab, voxel)] > 0;
}

/* Where the lanes that list something do so. All lanes call it. */
__device__ __forceinline__ uint32_t
place_in_list (bool lists, uint32_t *listed)
{
  const uint32_t lane = threadIdx.x % 32, lanes = __ballot_sync (ALL_LANES, lists);
  uint32_t first = 0;

  if (lanes == 0)
    return 0;
  if (lane == 0)
    first = atomicAdd (listed, (uint32_t) __popc (lanes));
  return __shfl_sync (ALL_LANES, first, 0) + __popc (lanes & ((1u << lane) - 1));
}

/* Lists a voxel that has points, if any. All lanes call it. */
__device__ __forceinline__ void
list_voxel (uint32_t voxel, bool is_single, bool is_several, Shared *shared)
{
  const uint32_t single = place_in_list (is_single, &shared->singles);
  const uint32_t several = place_in_list (is_several, &shared->several);

  if (is_single || is_several) {
    shared->listed[is_single ? single : VOXELS - 1 - several] = (uint16_t) voxel;
    atomicOr (&shared->bits[voxel / 32], 1u << voxel % 32);
  }
}

/* The point that was found last lists its voxel. */
__device__ __forceinline__ void
list_voxels (const RcCudaVoxelTask &task, const Slab &slab, const Own &own, Shared *shared)
{
#pragma unroll
  for (int u = 0; u < POINTS_EACH; u++) {
    if (u * THREADS >= slab.n)  /* the same for all threads */
      break;

    const uint32_t i = u * THREADS + threadIdx.x, voxel = own.voxels[u];
    const bool is_last = voxel != NONE && shared->heads[voxel] == i + 1;
    const bool is_single = is_last && shared->before[i] == 0 && !has_overflow (task, slab, voxel);

    list_voxel (voxel, is_single, is_last && !is_single, shared);
  }
  if (!slab.overflows)
    return;
  for (uint32_t first = 0; first < task.mean_pieces * 32; first += THREADS) {
    const uint32_t voxel = first + threadIdx.x;
    const bool is_voxel = voxel < task.mean_pieces * 32 && voxel_of_slab (task, slab, voxel) < task.voxels;

    list_voxel (voxel, false, is_voxel && shared->heads[voxel] == 0 && has_overflow (task, slab, voxel), shared);
  }
}

/* ---- voxels of one point ----
 *
 * A lane takes a group of channels of a point at a time. */

/* Whether most values are their own mean. */
template <class Source, int SIZE>
__device__ constexpr bool
is_mostly_exact ()
{
  return Source::feature_dtype == RC_FLOAT32 && SIZE == 4;
}

/* Groups that a lane has under way; more would spill. */
template <class Source, int GROUP>
__device__ constexpr int
groups_at_once ()
{
  return Source::asks_address || (GROUP == 4 && Source::feature_dtype == RC_FLOAT64) ? 1 : GROUP == 4 ? 2 : 4;
}

/* The mean of one finite value, which is what is left of it in fixed point; + 0.0 as of an integer. */
template <int SIZE>
__device__ __forceinline__ uint32_t
mean_bits_of_one (const RcVoxelScale &scale, double x)
{
  const double fixed = rint (x * scale.factor[0] * scale.factor[1]) + 0.0;
  const double mean = fixed * scale.inverse[0] * scale.inverse[1];

  return value_bits (SIZE == 2 ? RC_FLOAT16 : RC_FLOAT32, fabs (x) < INFINITY ? mean : x);
}

/* The same of a float32 where it is rare. */
inline __device__ __noinline__ uint32_t
compute_mean_bits (int scale_bits, uint32_t word)
{
  return mean_bits_of_one<4> (rc_voxel_scale_of (scale_bits), rc_float32 (word));
}

template <class Source, int SIZE>
__device__ __forceinline__ uint32_t
bits_of_one (const RcCudaVoxelTask &task, uint32_t channel, const uint32_t words[2])
{
  if constexpr (is_mostly_exact<Source, SIZE> ()) {
    const uint32_t least = least_exact<SIZE> (task)[channel], twice = words[0] << 1;

    if (twice - least < (255u << 24) - least || twice == 0)
      return rc_bits32 (rc_float32 (words[0]) + 0.0f);
    return compute_mean_bits (scale_bits<SIZE> (task)[channel], words[0]);
  } else {
    return mean_bits_of_one<SIZE> (rc_voxel_scale_of (scale_bits<SIZE> (task)[channel]), Source::feature_of (words));
  }
}

template <int SIZE, int GROUP>
__device__ __forceinline__ void
put_group (const RcCudaVoxelTask &task, uint32_t voxel, uint32_t channel, const uint32_t bits[GROUP])
{
  uint32_t words[GROUP];

#pragma unroll
  for (int g = 0; g < GROUP; g++)
    words[g] = SIZE == 4 || GROUP == 1 ? bits[g] : 2 * g < GROUP ? bits[2 * g] | bits[2 * g + 1] << 16 : 0;
  write_words<SIZE * GROUP> (values + (voxel * (uint32_t) task.channels + channel) * SIZE, words);
}

template <class Source, int SIZE, int GROUP>
__device__ __forceinline__ void
put_singles (const RcCudaVoxelTask &task, const Slab &slab, const Shared &shared)
{
  constexpr int AT_ONCE = groups_at_once<Source, GROUP> ();
  const uint32_t end = shared.singles * (uint32_t) task.channels;
  const Channel step = first_channel (task, THREADS * GROUP);
  const char *features = features_of<Source> (task, slab.item);
  Channel next = first_channel (task, threadIdx.x * GROUP);

#pragma unroll 1
  for (uint32_t i = threadIdx.x * GROUP; i < end; i += THREADS * GROUP * AT_ONCE) {
    uint32_t loaded[AT_ONCE][GROUP][2];
    Channel own = next;

#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      if (i + u * THREADS * GROUP < end) {
        const char *from = features + (int64_t) shared.points[shared.heads[shared.listed[next.of]] - 1] * task.stride;

#pragma unroll
        for (int g = 0; g < GROUP; g++)
          Source::load_feature (task, from, (int64_t) next.channel + g, loaded[u][g]);
      }
      next = channel_after (task, next, step);
    }
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      uint32_t bits[GROUP];

      if (i + u * THREADS * GROUP < end) {
#pragma unroll
        for (int g = 0; g < GROUP; g++)
          bits[g] = bits_of_one<Source, SIZE> (task, own.channel + g, loaded[u][g]);
        put_group<SIZE, GROUP> (task, shared.listed[own.of], own.channel, bits);
      }
      own = channel_after (task, own, step);
    }
  }
}

/* ---- voxels of several points ---- */

struct Sum
{
  int64_t sum;
  uint32_t n, saw;
};

/* A channel of a chain of points, several under way before the first is added. */
template <class Source>
__device__ __forceinline__ Sum
sum_of_chain (const RcCudaVoxelTask &task, const Slab &slab, const Shared &shared, uint32_t head, uint32_t channel,
    const RcVoxelScale &scale)
{
  constexpr int AT_ONCE = features_at_once<Source> ();
  const char *features = features_of<Source> (task, slab.item);
  Sum sum = { 0, 0, 0 };

#pragma unroll 1
  while (head > 0) {
    uint32_t loaded[AT_ONCE][2], n = 0;

#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      if (head > 0) {
        Source::load_feature (task, features + (int64_t) shared.points[head - 1] * task.stride, channel, loaded[u]);
        head = shared.before[head - 1];
        n = u + 1;
      }
    }
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      if (u < n) {
        const double x = Source::feature_of (loaded[u]);
        const uint32_t saw = rc_voxel_saw (x);

        sum.saw |= saw;
        sum.sum += saw == 0 ? rc_voxel_fixed (&scale, x) : 0;
      }
    }
    sum.n += n;
  }
  return sum;
}

/* What overflowed of a voxel, whose sums are cleared. */
__device__ __forceinline__ void
add_accumulated (const RcCudaVoxelTask &task, const Slab &slab, int64_t voxel, uint32_t channel, Sum *sum)
{
  const int64_t at = voxel * task.channels + channel;
  const uint32_t saw = saw_of (saw_words_of (task, slab.item), at);

  sum->n += counts_of (task, slab.item)[voxel];
  sum->sum += sums_of (task, slab.item)[at];
  sum->saw |= saw;
  sums_of (task, slab.item)[at] = 0;
  if (saw != 0)
    clear_saw (saw_words_of (task, slab.item), at, saw);
}

/* A lane has a channel of a voxel. */
template <class Source, int SIZE>
__device__ __forceinline__ void
put_several (const RcCudaVoxelTask &task, const Slab &slab, const Shared &shared)
{
  const Channel step = first_channel (task, THREADS);
  Channel own = first_channel (task, threadIdx.x);

#pragma unroll 1
  for (; own.of < shared.several; own = channel_after (task, own, step)) {
    const uint32_t voxel = shared.listed[VOXELS - 1 - own.of];
    const RcVoxelScale scale = rc_voxel_scale_of (scale_bits<SIZE> (task)[own.channel]);
    Sum sum = sum_of_chain<Source> (task, slab, shared, shared.heads[voxel], own.channel, scale);

    if (has_overflow (task, slab, voxel))
      add_accumulated (task, slab, voxel_of_slab (task, slab, voxel), own.channel, &sum);

    const uint32_t bits = value_bits (SIZE == 2 ? RC_FLOAT16 : RC_FLOAT32, rc_voxel_mean (&scale, sum.sum, sum.n, sum.saw));

    put_group<SIZE, 1> (task, voxel, own.channel, &bits);
  }
}

/* Once all channels have them. */
__device__ __forceinline__ void
clear_counts (const RcCudaVoxelTask &task, const Slab &slab, const Shared &shared)
{
  for (uint32_t i = threadIdx.x; slab.overflows && i < shared.several; i += THREADS)
    counts_of (task, slab.item)[voxel_of_slab (task, slab, shared.listed[VOXELS - 1 - i])] = 0;
}

/* ---- the output ---- */

/* What of the pieces is to be written. */
__device__ __forceinline__ void
take_bits (const RcCudaVoxelTask &task, const Slab &slab, Shared *shared)
{
  const int64_t word = threadIdx.x < task.mean_pieces ? piece_of_slab (task, slab.which, threadIdx.x) : task.bit_words;

  if (word < task.bit_words)
    shared->bits[threadIdx.x] = take_word<false> (task, slab.item, word, shared->bits[threadIdx.x]);
}

/* Whether anything of the sector of an element of a piece is. */
template <int SIZE>
__device__ __forceinline__ bool
is_needed (const RcCudaVoxelTask &task, uint32_t bits, uint32_t element)
{
  const uint32_t sector = element / (32 / SIZE) * (32 / SIZE);
  const uint32_t first = voxel_of_element (task, sector), last = voxel_of_element (task, sector + 32 / SIZE - 1);

  return (bits & ((2u << (last - first)) - 1) << first) != 0;
}

/* A warp has a piece at a time. */
template <int SIZE>
__device__ __forceinline__ void
write_slab (const RcCudaVoxelTask &task, const Slab &slab, const Shared &shared)
{
  constexpr uint32_t IN_GROUP = 16 / SIZE;
  const uint32_t lane = threadIdx.x % 32, elements = 32 * (uint32_t) task.channels;
  char *grid = task.grid + slab.item * task.grid_batch_stride;

  for (uint32_t piece = threadIdx.x / 32; piece < task.mean_pieces; piece += WARPS) {
    const int64_t first = first_of_piece (task, slab, piece) * task.channels, end = task.voxels * task.channels - first;
    const char *from = values + piece * piece_bytes<SIZE> (task);
    char *to = grid + first * SIZE;

    if (!task.is_known && task.whole && end >= elements) {
#pragma unroll 2
      for (uint32_t i = lane * IN_GROUP; i < elements; i += 32 * IN_GROUP)
        __stcs (reinterpret_cast<uint4 *> (to + i * SIZE), *reinterpret_cast<const uint4 *> (from + i * SIZE));
    } else {
      for (uint32_t i = lane * IN_GROUP; i < elements && i < end; i += 32 * IN_GROUP) {
        if (is_needed<SIZE> (task, shared.bits[piece], i))
          write_group<SIZE> (task, to + i * SIZE, *reinterpret_cast<const uint4 *> (from + i * SIZE), end - i);
      }
    }
  }
}

/* Blocks of a multiprocessor; of later architectures more would spill. */
__host__ __device__ constexpr int
write_blocks ()
{
#if defined (__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
  return 4;
#else
  return at_once (4);
#endif
}

template <class Source, int SIZE, int GROUP>
__global__ void LAUNCH_BOUNDS (THREADS, write_blocks ())
write_means (const __grid_constant__ RcCudaVoxelTask task)
{
  __shared__ Shared shared;
  Slab slab = { blockIdx.x >> task.mean_slab_shift, blockIdx.x & ((uint32_t) task.mean_slabs - 1), 0, false };

  allow_next ();
  clear_slab<SIZE> (task, &shared);
  wait_for_previous ();
  __syncthreads ();

  const uint32_t parts = overflow_parts (task, slab.item);
  const Own own = chain_points (task, &slab, &shared);

  find_scales<SIZE> (task, slab.item);
  __syncthreads ();
  if (parts > 0)
    finish_overflow<Source> (task, slab.item, parts, slab.overflows);
  list_voxels (task, slab, own, &shared);
  __syncthreads ();
  put_singles<Source, SIZE, GROUP> (task, slab, shared);
  put_several<Source, SIZE> (task, slab, shared);
  take_bits (task, slab, &shared);
  __syncthreads ();
  clear_counts (task, slab, shared);
  write_slab<SIZE> (task, slab, shared);
  if (task.counters != NULL && threadIdx.x == 0)
    add_counter (&task.counters->occupied, shared.singles + shared.several);
  if (task.counters_of_add != NULL && slab.which == 0 && threadIdx.x == 0)
    count_points (task, slab.item);
}
}

/* A macro takes commas only in parentheses. */
#define OF_POINTS(...) { \
    { KERNEL (write_means<__VA_ARGS__, 2, 1>), KERNEL (write_means<__VA_ARGS__, 2, 4>) }, \
    { KERNEL (write_means<__VA_ARGS__, 4, 1>), KERNEL (write_means<__VA_ARGS__, 4, 4>) } }

const void *const rc_cuda_voxel_write_means[RC_CUDA_VOXEL_SOURCES][2][2] = {
  OF_POINTS (PointSource<RC_FLOAT16>), OF_POINTS (PointSource<RC_FLOAT32>), OF_POINTS (PointSource<RC_FLOAT64>),
  OF_POINTS (LayoutSource),
};
