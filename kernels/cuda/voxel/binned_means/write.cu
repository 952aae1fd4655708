/* robocache: binned means on the GPU: the output
 *
 * The grid is cut into pieces, a word of voxels each, which are dealt to slabs in turn. A block finds the points of its
 * slab in a bin (bin.cu), chains those of each voxel in shared memory, and reads their features where the points are. Of
 * voxels with one point, a lane takes several channels, which mostly are their own means. Of the others, a lane takes one
 * channel and adds it up in registers. The means of a slab are collected in shared memory, and from there go to the grid in
 * order.
 *
 * Points beyond the capacity of their bin are in accumulators of their voxels (overflow.cuh), which a slab adds to its sums
 * and clears.
 *
 * Bytes that must move: 8 of each point, and its features, read, which the L2 mostly still has; of the output every byte
 * once, or if the content of the grid is known the sectors that change.
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
constexpr int CAPACITY = RC_CUDA_VOXEL_MEAN_CAPACITY;
constexpr int POINTS_EACH = CAPACITY / THREADS;
constexpr int PIECES = RC_CUDA_VOXEL_MEAN_PIECES;
constexpr int VOXELS = PIECES * 32;

static_assert (CAPACITY % THREADS == 0, "as many points of each thread");

/* Elements of a chain of points that a lane has under way; more would spill registers. */
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
  uint32_t n;                   /* points in its bin */
  bool overflows;               /* voxels may have points in accumulators, too */
};

struct Shared
{
  uint32_t heads[VOXELS];       /* of each voxel 1 + the entry of the bin that was found last; 0: none */
  uint32_t points[CAPACITY];
  uint16_t before[CAPACITY];        /* of each entry 1 + the one of the same voxel that was found before; 0: none */
  uint16_t listed[VOXELS];      /* from the front voxels with one point, from the back those with several */
  uint32_t bits[PIECES];        /* voxels that are occupied; later those that must be written */
  uint32_t singles, several;    /* numbers of listed voxels */
};

/* The values of a slab, as in the grid; then per channel the bits of its scale, and its least exact value. */
DYNAMIC_SHARED (char, slab_values);

template <int SIZE>
__device__ __forceinline__ uint32_t
piece_bytes (const Values &values)
{
  return (uint32_t) values.channels * SIZE * 32;
}

/* [channels] Twice the bits of the least float32 magnitude without bits below the fixed point. */
template <int SIZE>
__device__ __forceinline__ uint32_t *
min_exact (const Values &values, const Bins &bins)
{
  return reinterpret_cast<uint32_t *> (slab_values + bins.pieces * piece_bytes<SIZE> (values));
}

/* [channels] The argument from which rc_voxel_scale_of makes the scale. */
template <int SIZE>
__device__ __forceinline__ int32_t *
scale_bits (const Values &values, const Bins &bins)
{
  return reinterpret_cast<int32_t *> (min_exact<SIZE> (values, bins) + values.channels);
}

/* The first voxel of a piece of a slab among the voxels of the item. It may be beyond the last one. */
__device__ __forceinline__ int64_t
first_of_piece (const Bins &bins, const Slab &slab, uint32_t piece)
{
  return (int64_t) piece_of_slab (bins, slab.which, piece) * 32;
}

__device__ __forceinline__ int64_t
voxel_of_slab (const Bins &bins, const Slab &slab, uint32_t voxel)
{
  return first_of_piece (bins, slab, voxel / 32) + voxel % 32;
}

/* Clears shared memory. The previous kernel may still run. */
template <int SIZE>
__device__ __forceinline__ void
clear_slab (const Values &values, const Bins &bins, Shared *shared)
{
  for (uint32_t i = threadIdx.x; i < bins.pieces * 32; i += THREADS)
    shared->heads[i] = 0;
#pragma unroll 4
  for (uint32_t i = threadIdx.x * 16; i < bins.pieces * piece_bytes<SIZE> (values); i += THREADS * 16)
    *reinterpret_cast<uint4 *> (slab_values + i) = make_uint4 (0, 0, 0, 0);
  if (threadIdx.x < PIECES)
    shared->bits[threadIdx.x] = 0;
  if (threadIdx.x == 0)
    shared->singles = shared->several = 0;
}

/* Sets the scale and the least exact value of each channel, which range has made known. If all values of a channel have
 * bits below the fixed point, no magnitude is exact. */
template <int SIZE>
__device__ __forceinline__ void
find_scales (const Values &values, const Job &job, const Chunk &chunk, const Bins &bins, int64_t item)
{
  for (uint32_t c = threadIdx.x; c < values.channels; c += THREADS) {
    const int bits = scale_bits_of (values, job, item, chunk.n, c);

    scale_bits<SIZE> (values, bins)[c] = bits;
    min_exact<SIZE> (values, bins)[c] = (uint32_t) min (max (150 - bits, 0), 255) << 24;
  }
}

/* Counts the points of the chunk, which are all points of the job. */
__device__ __forceinline__ void
count_points (const Job &job, const Chunk &chunk, int64_t item)
{
  const uint32_t *missed = head_of (job, item)->missed;

  add_counter (&chunk.counters->points, (uint32_t) chunk.n);
  add_counter (&chunk.counters->inside, (uint32_t) chunk.n - missed[0] - missed[1] - missed[2]);
  add_counter (&chunk.counters->outside, missed[0]);
  add_counter (&chunk.counters->nan, missed[1]);
  add_counter (&chunk.counters->infinite, missed[2]);
}

/* ---- the points of a slab ---- */

/* The voxels in the slab of a thread's points of the bin. NONE: the point is of another slab, or there is none. */
struct Own
{
  uint32_t voxels[POINTS_EACH];
};

constexpr uint32_t NONE = UINT32_MAX;

/* Chains the points of each voxel: each point becomes the head of its voxel, and remembers the head before it.
 *
 *   entries 0 … 4 of voxels   8  3  8  8  3
 *   heads [8] = 4, heads [3] = 5            1 + the entry
 *   before                    0  0  1  3  2
 */
__device__ __forceinline__ Own
chain_points (const Bins &bins, Slab *slab, Shared *shared)
{
  const uint32_t bin = slab->which & (bins.bins - 1), n = bin_counts_of (bins, slab->item)[bin];
  const uint2 *entries = reinterpret_cast<const uint2 *> (bin_of (bins, slab->item, bin));
  uint2 own[POINTS_EACH];
  Own found;

  slab->n = min (n, bins.capacity);
  slab->overflows = n > bins.capacity;
#pragma unroll
  for (int u = 0; u < POINTS_EACH; u++) {
    const uint32_t i = u * THREADS + threadIdx.x;

    own[u] = i < slab->n ? entries[i] : make_uint2 (0, 0);
  }
#pragma unroll
  for (int u = 0; u < POINTS_EACH; u++) {
    const uint32_t i = u * THREADS + threadIdx.x, piece = own[u].y / 32;

    found.voxels[u] = NONE;
    if (i < slab->n && slab_of_piece (bins, piece) == slab->which) {
      found.voxels[u] = round_of_piece (bins, piece) * 32 + own[u].y % 32;
      shared->points[i] = own[u].x;
      shared->before[i] = (uint16_t) atomicExch (&shared->heads[found.voxels[u]], i + 1);
    }
  }
  return found;
}

__device__ __forceinline__ bool
has_overflow (const Accumulators &accumulators, const Bins &bins, const Slab &slab, uint32_t voxel)
{
  return slab.overflows && counts_of (accumulators, slab.item)[voxel_of_slab (bins, slab, voxel)] > 0;
}

/* The place in a list for each lane that lists something: one atomic per warp. All lanes call it.
 *
 *   lists           0  1  1  0  1  …     *listed was 10, becomes 13
 *   place_in_list   -  10 11 -  12 …
 */
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

/* Lists all voxels with points. The point that was found last lists its voxel. All threads of the block call it. */
__device__ __forceinline__ void
list_voxels (const Grid &grid, const Accumulators &accumulators, const Bins &bins, const Slab &slab, const Own &own,
    Shared *shared)
{
#pragma unroll
  for (int u = 0; u < POINTS_EACH; u++) {
    if (u * THREADS >= slab.n)  /* the same for all threads */
      break;

    const uint32_t i = u * THREADS + threadIdx.x, voxel = own.voxels[u];
    const bool is_last = voxel != NONE && shared->heads[voxel] == i + 1;
    const bool is_single = is_last && shared->before[i] == 0 && !has_overflow (accumulators, bins, slab, voxel);

    list_voxel (voxel, is_single, is_last && !is_single, shared);
  }
  if (!slab.overflows)
    return;
  for (uint32_t first = 0; first < bins.pieces * 32; first += THREADS) {
    const uint32_t voxel = first + threadIdx.x;
    const bool is_voxel = voxel < bins.pieces * 32 && voxel_of_slab (bins, slab, voxel) < grid.voxels;

    list_voxel (voxel, false, is_voxel && shared->heads[voxel] == 0 && has_overflow (accumulators, bins, slab, voxel), shared);
  }
}

/* ---- voxels with one point ----
 *
 * A lane takes a group of channels of a point at a time. */

/* Whether most values are their own mean. */
template <class Source, int SIZE>
__device__ constexpr bool
is_mostly_exact ()
{
  return Source::feature_dtype == RC_FLOAT32 && SIZE == 4;
}

/* Groups that a lane has under way; more would spill registers. */
template <class Source, int GROUP>
__device__ constexpr int
groups_at_once ()
{
  return Source::asks_address || (GROUP == 4 && Source::feature_dtype == RC_FLOAT64) ? 1 : GROUP == 4 ? 2 : 4;
}

/* The mean of one value: the value rounded to fixed point, or itself if it is not finite. Adding 0.0 turns -0 into 0, as an
 * integer does. */
template <int SIZE>
__device__ __forceinline__ uint32_t
mean_bits_of_one (const RcVoxelScale &scale, double x)
{
  const double fixed = rint (x * scale.factor[0] * scale.factor[1]) + 0.0;
  const double mean = fixed * scale.inverse[0] * scale.inverse[1];

  return value_bits (SIZE == 2 ? RC_FLOAT16 : RC_FLOAT32, fabs (x) < INFINITY ? mean : x);
}

/* The same for a float32 that is not exact. Not inlined, since it is rarely needed. */
inline __device__ __noinline__ uint32_t
compute_mean_bits (int scale_bits, uint32_t word)
{
  return mean_bits_of_one<4> (rc_voxel_scale_of (scale_bits), rc_float32 (word));
}

template <class Source, int SIZE>
__device__ __forceinline__ uint32_t
bits_of_one (const Values &values, const Bins &bins, uint32_t channel, const uint32_t words[2])
{
  if constexpr (is_mostly_exact<Source, SIZE> ()) {
    const uint32_t least = min_exact<SIZE> (values, bins)[channel], twice = words[0] << 1;

    if (twice - least < (255u << 24) - least || twice == 0)
      return rc_bits32 (rc_float32 (words[0]) + 0.0f);
    return compute_mean_bits (scale_bits<SIZE> (values, bins)[channel], words[0]);
  } else {
    return mean_bits_of_one<SIZE> (rc_voxel_scale_of (scale_bits<SIZE> (values, bins)[channel]), Source::feature_of (words));
  }
}

template <int SIZE, int GROUP>
__device__ __forceinline__ void
put_group (const Values &values, uint32_t voxel, uint32_t channel, const uint32_t bits[GROUP])
{
  uint32_t words[GROUP];

#pragma unroll
  for (int g = 0; g < GROUP; g++)
    words[g] = SIZE == 4 || GROUP == 1 ? bits[g] : 2 * g < GROUP ? bits[2 * g] | bits[2 * g + 1] << 16 : 0;
  write_words<SIZE * GROUP> (slab_values + (voxel * (uint32_t) values.channels + channel) * SIZE, words);
}

template <class Source, int SIZE, int GROUP>
__device__ __forceinline__ void
put_singles (const Format &format, const Values &values, const Chunk &chunk, const Bins &bins, const Slab &slab,
    const Shared &shared)
{
  constexpr int AT_ONCE = groups_at_once<Source, GROUP> ();
  const uint32_t end = shared.singles * (uint32_t) values.channels;
  const Channel step = first_channel (values, THREADS * GROUP);
  const char *features = features_of<Source> (format, chunk, slab.item);
  Channel next = first_channel (values, threadIdx.x * GROUP);

#pragma unroll 1
  for (uint32_t i = threadIdx.x * GROUP; i < end; i += THREADS * GROUP * AT_ONCE) {
    uint32_t loaded[AT_ONCE][GROUP][2];
    Channel own = next;

#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      if (i + u * THREADS * GROUP < end) {
        const char *from = features + (int64_t) shared.points[shared.heads[shared.listed[next.of]] - 1] * chunk.stride;

#pragma unroll
        for (int g = 0; g < GROUP; g++)
          Source::load_feature (format, from, (int64_t) next.channel + g, loaded[u][g]);
      }
      next = channel_after (values, next, step);
    }
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      uint32_t bits[GROUP];

      if (i + u * THREADS * GROUP < end) {
#pragma unroll
        for (int g = 0; g < GROUP; g++)
          bits[g] = bits_of_one<Source, SIZE> (values, bins, own.channel + g, loaded[u][g]);
        put_group<SIZE, GROUP> (values, shared.listed[own.of], own.channel, bits);
      }
      own = channel_after (values, own, step);
    }
  }
}

/* ---- voxels with several points ---- */

struct Sum
{
  int64_t sum;
  uint32_t n, nonfinite_flags;
};

/* Adds up a channel of a chain of points. Several loads are under way before the first is added. */
template <class Source>
__device__ __forceinline__ Sum
sum_of_chain (const Format &format, const Chunk &chunk, const Slab &slab, const Shared &shared, uint32_t head, uint32_t channel,
    const RcVoxelScale &scale)
{
  constexpr int AT_ONCE = features_at_once<Source> ();
  const char *features = features_of<Source> (format, chunk, slab.item);
  Sum sum = { 0, 0, 0 };

#pragma unroll 1
  while (head > 0) {
    uint32_t loaded[AT_ONCE][2], n = 0;

#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      if (head > 0) {
        Source::load_feature (format, features + (int64_t) shared.points[head - 1] * chunk.stride, channel, loaded[u]);
        head = shared.before[head - 1];
        n = u + 1;
      }
    }
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      if (u < n) {
        const double x = Source::feature_of (loaded[u]);
        const uint32_t nonfinite_flags = rc_voxel_nonfinite_flags (x);

        sum.nonfinite_flags |= nonfinite_flags;
        sum.sum += nonfinite_flags == 0 ? rc_voxel_fixed (&scale, x) : 0;
      }
    }
    sum.n += n;
  }
  return sum;
}

/* Adds the overflow of a voxel to a sum, and clears it. */
__device__ __forceinline__ void
add_accumulated (const Values &values, const Accumulators &accumulators, const Slab &slab, int64_t voxel, uint32_t channel,
    Sum *sum)
{
  const int64_t at = voxel * values.channels + channel;
  const uint32_t nonfinite_flags = nonfinite_flags_of (nonfinite_words_of (accumulators, slab.item), at);

  sum->n += counts_of (accumulators, slab.item)[voxel];
  sum->sum += sums_of (accumulators, slab.item)[at];
  sum->nonfinite_flags |= nonfinite_flags;
  sums_of (accumulators, slab.item)[at] = 0;
  if (nonfinite_flags != 0)
    clear_nonfinite_flags (nonfinite_words_of (accumulators, slab.item), at, nonfinite_flags);
}

/* Computes the means of voxels with several points. A lane has a channel of a voxel. */
template <class Source, int SIZE>
__device__ __forceinline__ void
put_several (const Format &format, const Values &values, const Chunk &chunk, const Accumulators &accumulators, const Bins &bins,
    const Slab &slab, const Shared &shared)
{
  const Channel step = first_channel (values, THREADS);
  Channel own = first_channel (values, threadIdx.x);

#pragma unroll 1
  for (; own.of < shared.several; own = channel_after (values, own, step)) {
    const uint32_t voxel = shared.listed[VOXELS - 1 - own.of];
    const RcVoxelScale scale = rc_voxel_scale_of (scale_bits<SIZE> (values, bins)[own.channel]);
    Sum sum = sum_of_chain<Source> (format, chunk, slab, shared, shared.heads[voxel], own.channel, scale);

    if (has_overflow (accumulators, bins, slab, voxel))
      add_accumulated (values, accumulators, slab, voxel_of_slab (bins, slab, voxel), own.channel, &sum);

    const uint32_t bits = value_bits (SIZE == 2 ? RC_FLOAT16 : RC_FLOAT32, rc_voxel_mean (&scale, sum.sum, sum.n,
        sum.nonfinite_flags));

    put_group<SIZE, 1> (values, voxel, own.channel, &bits);
  }
}

/* Clears the counts of the overflow, after all channels have read them. */
__device__ __forceinline__ void
clear_counts (const Accumulators &accumulators, const Bins &bins, const Slab &slab, const Shared &shared)
{
  for (uint32_t i = threadIdx.x; slab.overflows && i < shared.several; i += THREADS)
    counts_of (accumulators, slab.item)[voxel_of_slab (bins, slab, shared.listed[VOXELS - 1 - i])] = 0;
}

/* ---- the output ---- */

/* Replaces the occupied voxels of the pieces by those that must be written. */
__device__ __forceinline__ void
update_bits (const Grid &grid, const Bins &bins, const Dense &dense, const Slab &slab, Shared *shared)
{
  const int64_t word = threadIdx.x < bins.pieces ? piece_of_slab (bins, slab.which, threadIdx.x) : grid.bit_words;

  if (word < grid.bit_words)
    shared->bits[threadIdx.x] = update_word<false> (dense, slab.item, word, shared->bits[threadIdx.x]);
}

/* Whether the sector of an element of a piece has a voxel that must be written. */
template <int SIZE>
__device__ __forceinline__ bool
is_needed (const Values &values, uint32_t bits, uint32_t element)
{
  const uint32_t sector = element / (32 / SIZE) * (32 / SIZE);
  const uint32_t first = voxel_of_element (values, sector), last = voxel_of_element (values, sector + 32 / SIZE - 1);

  return (bits & ((2u << (last - first)) - 1) << first) != 0;
}

/* Writes the values of a slab to the grid. A warp takes a piece at a time. */
template <int SIZE>
__device__ __forceinline__ void
write_slab (const Grid &grid, const Values &values, const Bins &bins, const Dense &dense, const Slab &slab,
    const Shared &shared)
{
  constexpr uint32_t IN_GROUP = 16 / SIZE;
  const uint32_t lane = threadIdx.x % 32, elements = 32 * (uint32_t) values.channels;
  char *out = dense.data + slab.item * dense.batch_stride;

  for (uint32_t piece = threadIdx.x / 32; piece < bins.pieces; piece += WARPS) {
    const int64_t first = first_of_piece (bins, slab, piece) * values.channels, end = grid.voxels * values.channels - first;
    const char *from = slab_values + piece * piece_bytes<SIZE> (values);
    char *to = out + first * SIZE;

    if (!dense.is_known && dense.is_whole && end >= elements) {
#pragma unroll 2
      for (uint32_t i = lane * IN_GROUP; i < elements; i += 32 * IN_GROUP)
        __stcs (reinterpret_cast<uint4 *> (to + i * SIZE), *reinterpret_cast<const uint4 *> (from + i * SIZE));
    } else {
      for (uint32_t i = lane * IN_GROUP; i < elements && i < end; i += 32 * IN_GROUP) {
        if (is_needed<SIZE> (values, shared.bits[piece], i))
          write_group<SIZE> (dense, to + i * SIZE, *reinterpret_cast<const uint4 *> (from + i * SIZE), end - i);
      }
    }
  }
}

/* Blocks per multiprocessor; on later architectures more would spill registers. */
__host__ __device__ constexpr int
write_blocks ()
{
#if defined (__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
  return 4;
#else
  return at_once (4);
#endif
}

/* Writes the means of one slab of the grid from the points in its bin. A block per slab of an item. It sums in registers
 * and shared memory, so accumulators in memory are needed only for the overflow of bins. */
template <class Source, int SIZE, int GROUP>
__global__ void __launch_bounds__ (THREADS, write_blocks ())
write_means (GRID_CONSTANT Grid grid, GRID_CONSTANT Format format, GRID_CONSTANT Values values, GRID_CONSTANT Job job,
    GRID_CONSTANT Chunk chunk, GRID_CONSTANT Accumulators accumulators, GRID_CONSTANT Bins bins, GRID_CONSTANT Dense dense)
{
  __shared__ Shared shared;
  Slab slab = { blockIdx.x >> bins.slab_shift, blockIdx.x & ((uint32_t) bins.slabs - 1), 0, false };

  allow_next ();
  clear_slab<SIZE> (values, bins, &shared);
  wait_for_previous ();
  __syncthreads ();

  const uint32_t parts = overflow_parts (bins, slab.item);
  const Own own = chain_points (bins, &slab, &shared);

  find_scales<SIZE> (values, job, chunk, bins, slab.item);
  __syncthreads ();
  if (parts > 0)
    finish_overflow<Source> (format, values, job, chunk, accumulators, bins, slab.item, parts, slab.overflows);
  list_voxels (grid, accumulators, bins, slab, own, &shared);
  __syncthreads ();
  put_singles<Source, SIZE, GROUP> (format, values, chunk, bins, slab, shared);
  put_several<Source, SIZE> (format, values, chunk, accumulators, bins, slab, shared);
  update_bits (grid, bins, dense, slab, &shared);
  __syncthreads ();
  clear_counts (accumulators, bins, slab, shared);
  write_slab<SIZE> (grid, values, bins, dense, slab, shared);
  if (dense.counters != NULL && threadIdx.x == 0)
    add_counter (&dense.counters->occupied, shared.singles + shared.several);
  if (chunk.counters != NULL && slab.which == 0 && threadIdx.x == 0)
    count_points (job, chunk, slab.item);
}
}

/* A macro takes commas only in parentheses. */
#define OF_POINTS(...) { \
    { VOXEL_KERNEL (write_means<__VA_ARGS__, 2, 1>), VOXEL_KERNEL (write_means<__VA_ARGS__, 2, 4>) }, \
    { VOXEL_KERNEL (write_means<__VA_ARGS__, 4, 1>), VOXEL_KERNEL (write_means<__VA_ARGS__, 4, 4>) } }

const RcCudaVoxelKernel rc_cuda_voxel_write_means[RC_CUDA_VOXEL_SOURCES][2][2] = {
  OF_POINTS (PointSource<RC_FLOAT16>), OF_POINTS (PointSource<RC_FLOAT32>), OF_POINTS (PointSource<RC_FLOAT64>),
  OF_POINTS (LayoutSource),
};
