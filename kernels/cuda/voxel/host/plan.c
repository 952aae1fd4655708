/* robocache: plans of voxel grids on the GPU: their kernels (kernels.h has a map) and their scratch
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "state.h"

#include <math.h>
#include <stdlib.h>

#define SPARSE_BYTES 4096       /* by which the arrays of points are rounded up in all */
#define MAX_BITS (INT64_C (1) << 27)   /* of an item, and twice as many of a batch: such bitmaps are faster than a sort */
#define MAX_VOXEL_BITS (INT64_C (1) << 26)     /* of an item, and twice as many of a batch: beyond these, blocks are faster */
#define FEW_BLOCKS (INT64_C (1) << 23)
#define MIN_BLOCK_BITS 5     /* a word */
#define MAX_BLOCK_BITS 8       /* then a block takes 96 bytes of scratch per point */
/* Voxels of a grid from which on first points are listed. In smaller grids points crowd: a sort is faster than atomics that
 * wait for each other. */
#define MIN_LISTED_VOXELS (INT64_C (1) << 16)
#define POINT_ARRAYS 12         /* arrays for values and bitmaps, each rounded up */

static RcStatus
no_space (RcError *error, size_t bytes)
{
  return rc_error_set (error, RC_NO_SPACE, "no memory for a plan: %zu bytes", bytes);
}

/* ---- which kernels ---- */

static RcCudaVoxelSource
source_of (const RcVoxelPlan *plan)
{
  const RcVoxelSpec *spec = &plan->spec;

  if (spec->source == RC_VOXEL_DEPTH)
    return spec->depth.rays ? RC_CUDA_VOXEL_RAYS : RC_CUDA_VOXEL_DEPTH;
  if (!plan->is_packed)
    return RC_CUDA_VOXEL_LAYOUT;
  return spec->points.dtype == RC_FLOAT16 ? RC_CUDA_VOXEL_FLOAT16
      : spec->points.dtype == RC_FLOAT32 ? RC_CUDA_VOXEL_FLOAT32 : RC_CUDA_VOXEL_FLOAT64;
}

static RcCudaVoxelAction
action_of (const RcVoxelSpec *spec, const RcCudaVoxelState *state)
{
  const RcCudaVoxelArguments *args = &state->args;
  static const RcCudaVoxelAction actions[][2] = {
    [RC_VOXEL_OCCUPANCY] = {RC_CUDA_VOXEL_ADD_BITS, RC_CUDA_VOXEL_ADD_KEY},
    [RC_VOXEL_COUNT] = {RC_CUDA_VOXEL_ADD_COUNT, RC_CUDA_VOXEL_ADD_KEY},
    [RC_VOXEL_MEAN] = {RC_CUDA_VOXEL_ADD_MEAN, RC_CUDA_VOXEL_ADD_KEY_MEAN},
    [RC_VOXEL_CENTROID] = {RC_CUDA_VOXEL_ADD_CENTROID, RC_CUDA_VOXEL_ADD_KEY_CENTROID},
    [RC_VOXEL_MAX] = {RC_CUDA_VOXEL_ADD_EXTREME, RC_CUDA_VOXEL_ADD_KEY_EXTREME},
    [RC_VOXEL_MIN] = {RC_CUDA_VOXEL_ADD_EXTREME, RC_CUDA_VOXEL_ADD_KEY_EXTREME},
  };

  if (args->ranks.is_ranked)
    return RC_CUDA_VOXEL_ADD_RANKED_MEAN;
  if (spec->output == RC_VOXEL_RANK)
    return args->ranks.in_bitmap ? RC_CUDA_VOXEL_MARK_INDEX : RC_CUDA_VOXEL_ADD_KEY_RANK;
  if (spec->output == RC_VOXEL_INDEX)
    return RC_CUDA_VOXEL_STORE_INDEX;
  if (spec->mode == RC_VOXEL_FIRST)
    return spec->source == RC_VOXEL_DEPTH ? RC_CUDA_VOXEL_ADD_KEY_POSITION : RC_CUDA_VOXEL_ADD_KEY_FIELDS;
  if (spec->mode == RC_VOXEL_PILLARS)
    return spec->source == RC_VOXEL_DEPTH ? RC_CUDA_VOXEL_ADD_KEY_CENTROID : RC_CUDA_VOXEL_ADD_KEY_MEAN;
  return actions[spec->mode][state->sorts || args->stored.is_deferred];
}

/* Words of the bitmap that a warp takes at a time for values: fewer if the warps that run at once would not all get some. */
static int64_t
warp_words_of (const RcCudaVoxelArguments *args, int64_t multiprocessors)
{
  const int64_t warps = multiprocessors * RC_CUDA_VOXEL_WRITE_BLOCKS * RC_CUDA_VOXEL_WARPS;
  int64_t words = 32;

  while (words > 1 && rc_cuda_ceil_divide (args->grid.bit_words, words) < rc_cuda_ceil_divide (warps, args->job.batch))
    words /= 2;
  return words;
}

/* The kernels that add points to the accumulators of a window, and remove them. */
static const RcCudaVoxelKernel *
window_kernels (const RcVoxelPlan *plan)
{
  const RcCudaVoxelSource source = source_of (plan);

  if (plan->layers > 0)
    return rc_cuda_voxel_accumulate_layers[source];
  if (plan->spec.output == RC_VOXEL_RANK)
    return rc_cuda_voxel_accumulate[source][RC_CUDA_VOXEL_ACCUMULATE_RANKS];
  return rc_cuda_voxel_accumulate[source][plan->spec.mode == RC_VOXEL_MEAN ? RC_CUDA_VOXEL_ACCUMULATE_MEANS
      : plan->spec.mode == RC_VOXEL_CENTROID ? RC_CUDA_VOXEL_ACCUMULATE_CENTROIDS : RC_CUDA_VOXEL_ACCUMULATE_COUNTS];
}

static RcCudaVoxelInPlace
kernels_in_place (RcCudaVoxelSource source, size_t size)
{
  return (RcCudaVoxelInPlace) { &rc_cuda_voxel_bin_in_place[source],
    {&rc_cuda_voxel_write_means[source][size == 4][0], &rc_cuda_voxel_write_means[source][size == 4][1]}
  };
}

/* Whether there are at most as many slabs as multiprocessors. Then a block takes a multiprocessor of its own. */
static int
are_few_slabs (const RcVoxelPlan *plan, const RcCudaVoxelArguments *args)
{
  return args->job.batch * args->slabs.n <= ((const RcCudaBackend *) plan->backend)->multiprocessors;
}

static void
choose_kernels (const RcVoxelPlan *plan, RcCudaVoxelState *state)
{
  static const RcCudaVoxelValueSource values[] = {
    [RC_VOXEL_COUNT] = RC_CUDA_VOXEL_FROM_COUNTS,
    [RC_VOXEL_MEAN] = RC_CUDA_VOXEL_FROM_SUMS,
    [RC_VOXEL_CENTROID] = RC_CUDA_VOXEL_FROM_CENTROIDS,
    [RC_VOXEL_MAX] = RC_CUDA_VOXEL_FROM_KEYS,
    [RC_VOXEL_MIN] = RC_CUDA_VOXEL_FROM_KEYS,
  };
  const RcVoxelSpec *spec = &plan->spec;
  const RcCudaVoxelSource source = source_of (plan);
  const size_t size = spec->output == RC_VOXEL_DENSE ? rc_dtype_size (spec->dtype) : 1;
  const RcCudaVoxelAction action = action_of (spec, state);

  state->add = state->args.slabs.n > 0 ? &rc_cuda_voxel_bin[source] : &rc_cuda_voxel_add[source][action];
  if (plan->accumulates) {
    state->add = &window_kernels (plan)[0];
    state->remove = &window_kernels (plan)[1];
  }
  state->add_anywhere = plan->features && !plan->accumulates ? &rc_cuda_voxel_add[RC_CUDA_VOXEL_LAYOUT][action] : state->add;
  if (spec->output == RC_VOXEL_INDEX && source < RC_CUDA_VOXEL_PACKED)
    state->index_whole = &rc_cuda_voxel_index_whole[source];
  state->units = rc_cuda_ceil_divide (rc_voxel_value_bytes (plan), 16);
  if (rc_voxel_needs_range (plan)) {
    state->range = &rc_cuda_voxel_range[source];
    state->range_anywhere = &rc_cuda_voxel_range[RC_CUDA_VOXEL_LAYOUT];
  }
  if (state->args.bins.slabs > 0) {
    state->in_place = kernels_in_place (source, size);
    state->in_place_anywhere = kernels_in_place (RC_CUDA_VOXEL_LAYOUT, size);
  }
  if (state->args.stored.is_deferred)
    state->add_deferred = spec->mode == RC_VOXEL_OCCUPANCY ? &rc_cuda_voxel_list_deferred
        : rc_voxel_lists_points (spec->mode) ? &rc_cuda_voxel_count_first : &rc_cuda_voxel_add_deferred[values[spec->mode]];
  if (spec->output == RC_VOXEL_SPARSE) {
    state->write = plan->accumulates ? &rc_cuda_voxel_write_tiles
        : state->args.ranks.in_bitmap ? &rc_cuda_voxel_write_ranked : &rc_cuda_voxel_write_sparse;
  } else if (rc_voxel_maps_points (spec->output)) {
    state->write = state->args.ranks.in_bitmap ? &rc_cuda_voxel_finish_ranks
        : spec->output == RC_VOXEL_RANK ? &rc_cuda_voxel_write_ranks : &rc_cuda_voxel_finish_map;
  } else if (state->args.slabs.n > 0) {
    state->write = spec->mode == RC_VOXEL_COUNT ? &rc_cuda_voxel_count_slabs[size / 2]
        : &rc_cuda_voxel_write_slabs[are_few_slabs (plan, &state->args)][spec->output == RC_VOXEL_BITS ? 0 : size / 2 + 1];
  } else if (spec->output == RC_VOXEL_BITS) {
    state->write = &rc_cuda_voxel_write_bits;
  } else {
    state->write = spec->mode == RC_VOXEL_OCCUPANCY ? &rc_cuda_voxel_write_occupancy[size / 2]
        : &rc_cuda_voxel_write[values[spec->mode]][size / 2];
    state->units = spec->mode == RC_VOXEL_OCCUPANCY ? state->args.grid.bit_words
        : rc_cuda_ceil_divide (state->args.grid.bit_words, state->args.dense.warp_words) * 32;
  }
}

/* ---- arguments that the spec fixes ---- */

/* Bounds the error of locating by products. rc_voxel_of's quotient is within a factor of 1 ± 2^-24 of the exact one. The
 * product differs from the exact one by the rounding of the product and of the inverse, and the latter is known here. So
 * quotient and product are within `error` voxels of each other. In it, 2^-24 is for the rounding of the comparison, and
 * 2^-46 for products of errors. A product is never sure if that is too much, if products would overflow or underflow, or if
 * indices have more than 32 bits. */
static RcCudaVoxelLocate
locate_in (const RcVoxelPlan *plan)
{
  const uint32_t distance[3] = { 1, (uint32_t) plan->box.row, (uint32_t) plan->box.plane };
  const int fits = plan->voxels <= UINT32_MAX && plan->box.plane * plan->spec.grid[2] <= UINT32_MAX;
  RcCudaVoxelLocate locate = { .bias = 0 };
  int axis;

  for (axis = 0; axis < 3; axis++) {
    const double size = plan->box.size[axis], n = (double) plan->spec.grid[axis];
    const float inverse = (float) (1.0 / (n * size));
    const double error = n * (fabs (inverse * (n * size) - 1.0) + 0x1p-23 + 0x1p-46) + 0x1p-24;

    locate.inverse[axis] = inverse;
    locate.margin[axis] = fits && size > 0x1p-60 && size < 0x1p60 && error < 0.25 ? (float) (0.5 - error) : -1.0f;
    locate.distance[axis] = distance[axis];
    locate.bias += RC_CUDA_VOXEL_2_23 * distance[axis];
    locate.least[axis] = (float) (plan->box.origin[axis] - 0.5 * size);
    locate.greatest[axis] = (float) (plan->box.origin[axis] + (n + 0.5) * size);
    if (locate.margin[axis] < 0.0f) {   /* no bound is sure either: the quotient may underflow */
      locate.least[axis] = -INFINITY;
      locate.greatest[axis] = INFINITY;
    }
  }
  return locate;
}

/* Blocks of an item's grid, one per bit of the first bitmap. */
static int64_t
blocks_of (const RcVoxelPlan *plan, int block_bits)
{
  return ((plan->voxels - 1) >> block_bits) + 1;
}

/* log2 of the voxels per block; 0: no blocks. Larger blocks are fewer, but take more scratch per point. */
static int
block_bits_of (const RcVoxelPlan *plan)
{
  int bits = MIN_BLOCK_BITS;

  if (plan->accumulates || (plan->voxels <= MAX_VOXEL_BITS && plan->spec.batch <= 2 * MAX_VOXEL_BITS / plan->voxels))
    return 0;
  while (bits < MAX_BLOCK_BITS && blocks_of (plan, bits) > FEW_BLOCKS)
    bits++;
  return bits;
}

/* Whether lists find the first points, without a sort. With large blocks, lists would take more scratch than the sort. */
static int
can_list (const RcVoxelPlan *plan)
{
  return plan->spec.max_points <= RC_CUDA_VOXEL_MAX_LISTED && plan->voxels >= MIN_LISTED_VOXELS && block_bits_of (plan) <= MIN_BLOCK_BITS;
}

/* Whether a bitmap finds the voxels of output sparse or rank: if it is small enough, and the order of points does not
 * matter or lists keep it. Otherwise keys are sorted. Windows rank the bitmap of their accumulators, whatever its size. */
static int
is_in_bitmap (const RcVoxelPlan *plan)
{
  const RcVoxelSpec *spec = &plan->spec;
  const int64_t bits = blocks_of (plan, block_bits_of (plan));

  if (plan->accumulates)
    return spec->output == RC_VOXEL_RANK;
  if (rc_voxel_lists_points (spec->mode) && !can_list (plan))
    return 0;
  return rc_voxel_sorts (plan) && bits <= MAX_BITS && spec->batch <= 2 * MAX_BITS / bits;
}

static void
set_spec (const RcVoxelPlan *plan, RcCudaVoxelState *state)
{
  const RcVoxelSpec *spec = &plan->spec;
  RcCudaVoxelArguments *args = &state->args;
  int axis;

  args->grid.box = plan->box;
  args->grid.locate = locate_in (plan);
  args->job.layout = plan->layout;
  args->job.batch = spec->batch;
  args->values.channels = plan->channels;
  args->values.channel_inverse = (uint32_t) rc_cuda_ceil_divide (INT64_C (1) << 31, plan->channels);
  args->values.step_of = (uint32_t) (32 / plan->channels);
  args->values.step_channel = (uint32_t) (32 % plan->channels);
  args->grid.nx = spec->grid[0];
  args->grid.ny = spec->grid[1];
  args->grid.voxels = plan->voxels;
  args->stored.key_voxels = (uint64_t) spec->grid[0] * (uint64_t) spec->grid[1] * (uint64_t) spec->grid[2];
  args->ranks.in_bitmap = is_in_bitmap (plan);
  state->sorts = rc_voxel_sorts (plan) && !args->ranks.in_bitmap;
  args->ranks.block_bits = args->ranks.in_bitmap ? block_bits_of (plan) : 0;
  args->grid.bit_words = args->ranks.in_bitmap ? rc_cuda_ceil_divide (blocks_of (plan, args->ranks.block_bits), 32)
      : plan->bit_words;
  args->rows.max_voxels = args->map.max_voxels = spec->max_voxels;
  args->rows.max_points = spec->max_points;
  args->first.max_points = (uint32_t) spec->max_points;
  args->rows.decorations = plan->decorations;
  args->values.combines = rc_voxel_is_mean (plan) || rc_voxel_is_extreme (plan);
  args->values.feature_range = spec->feature_range;
  for (axis = 0; axis < 3; axis++)
    args->values.centroid_exponent[axis] = plan->centroid_exponent[axis];
  args->values.flip = plan->flip;
  args->values.mode = rc_voxel_lists_points (spec->mode) ? RC_VOXEL_OCCUPANCY : spec->mode;
  args->values.dtype = spec->dtype;
  args->stored.dtype = plan->stored_dtype;
  args->dense.accumulates = plan->accumulates;
  args->window.layers = plan->layers;
  args->ranks.is_ranked = rc_voxel_needs_range (plan) && !state->sorts && !plan->accumulates;
  args->stored.is_deferred = args->ranks.in_bitmap && !args->ranks.is_ranked && spec->output == RC_VOXEL_SPARSE;
  if (spec->source == RC_VOXEL_DEPTH) {
    state->element_bytes = (int32_t) rc_voxel_pixel_bytes (&spec->depth);
    args->format.is_float_depth = spec->depth.is_float;
    args->format.width = spec->depth.width;
    args->format.depth_scale = (float) spec->depth.scale;
  } else {
    state->element_bytes = (int32_t) rc_dtype_size (spec->points.dtype);
    args->format.feature_offset = plan->features ? plan->features[0].offset : 0;
    args->format.xyz_dtype = spec->points.dtype;
    for (axis = 0; axis < 3; axis++)
      args->format.xyz_offset[axis] = plan->fields[axis].offset;
  }
}

/* ---- scratch ---- */

/* Scratch of a sort. A point takes bytes for the sums or extremes of its voxel, the flags of sums, and less than one byte
 * for its part of the counts: 1024 bytes of digits per 3072 points, 4 of voxels per 256. */
static void
plan_sort (RcVoxelPlan *plan, const RcCudaVoxelState *state)
{
  const uint64_t channels = (uint64_t) plan->channels;
  uint64_t bytes = 1;

  if (!state->sorts)
    return;
  if (rc_voxel_is_mean (plan))
    bytes += 8 * channels;
  if (rc_voxel_is_extreme (plan))
    bytes += 4 * channels;
  if (plan->spec.mode == RC_VOXEL_MEAN)
    bytes += (channels + 1) / 2;
  plan->layout.backend_point_bytes = (bytes + 7) / 8 * 8;
  plan->layout.backend_bytes = SPARSE_BYTES;
}

/* Scratch of sparse outputs of windows, which are found in the bits of the accumulators. */
static void
plan_window (RcVoxelPlan *plan, RcCudaVoxelArguments *args)
{
  if (!plan->accumulates || plan->spec.output != RC_VOXEL_SPARSE)
    return;
  args->window.tiles = rc_cuda_ceil_divide (plan->bit_words, RC_CUDA_VOXEL_WINDOW_TILE);
  plan->layout.backend_bytes = (uint64_t) rc_cuda_ceil_divide (plan->spec.batch * (args->window.tiles + 1) * 4, 64) * 64;
}

/* Bytes per point for counts, sums, flags and extremes. */
static uint64_t
value_bytes_of_point (const RcVoxelPlan *plan)
{
  const uint64_t channels = (uint64_t) plan->channels;

  if (rc_voxel_is_extreme (plan))
    return 4 * channels;
  return 4 + (rc_voxel_is_mean (plan) ? 8 * channels : 0) + (plan->spec.mode == RC_VOXEL_MEAN ? (channels + 1) / 2 : 0);
}

/* Scratch of sparse and rank by bitmap. The bits are in the scratch of their item, where windows have them already. Lists
 * and values take bytes per point. */
static void
plan_bitmap (RcVoxelPlan *plan, RcCudaVoxelArguments *args)
{
  RcVoxelLayout *layout = &plan->layout;
  uint64_t bytes = 0, of_item = POINT_ARRAYS * 64;

  if (!args->ranks.in_bitmap || plan->accumulates)
    return;
  layout->item_bytes = layout->bits + (uint64_t) rc_cuda_ceil_divide (args->grid.bit_words, 16) * 64;
  layout->point_bytes = 0;
  if (!args->stored.is_deferred)
    layout->payload_bytes = 0;
  if (plan->spec.output == RC_VOXEL_SPARSE)
    bytes += sizeof (int64_t);
  if (args->ranks.block_bits > 0 || args->stored.is_deferred)
    bytes += sizeof (int64_t);
  if (args->ranks.block_bits > 0) {
    bytes += (UINT64_C (3) << args->ranks.block_bits) / 8;    /* a bit per voxel, and 8 bytes per word for ranks */
    of_item += RC_CUDA_VOXEL_MAX_BIT_TILES * sizeof (uint32_t);        /* counts of their tiles */
  }
  if (rc_voxel_lists_points (plan->spec.mode))
    bytes += layout->payload_bytes + sizeof (RcCudaVoxelList) + 2 * sizeof (uint32_t);
  else if (plan->spec.mode != RC_VOXEL_OCCUPANCY)
    bytes += layout->payload_bytes + value_bytes_of_point (plan);
  layout->backend_point_bytes = (bytes + 7) / 8 * 8;
  layout->backend_bytes = SPARSE_BYTES + (uint64_t) plan->spec.batch * of_item;
}

/* Scratch of ranks: 8 bytes per word of the bitmap. Ranks of voxels in blocks take bytes per point. */
static void
plan_ranks (RcVoxelPlan *plan, RcCudaVoxelArguments *args)
{
  RcCudaVoxelBitmap *bitmap = &args->ranks.bitmaps[0];

  if (!args->ranks.is_ranked && !args->ranks.in_bitmap)
    return;
  rc_cuda_voxel_cut_bitmap (bitmap, args->grid.bit_words);
  plan->layout.backend_bytes += (uint64_t) (plan->spec.batch * bitmap->ranked_apart) * sizeof (RcCudaVoxelWord)
      + (uint64_t) rc_cuda_ceil_divide (plan->spec.batch * bitmap->tiles, 16) * 64;
}

/* Scratch of an item's bins: their counts, and the capacity that they have beside their shares of the points. */
static uint64_t
bins_bytes (uint64_t bins)
{
  const uint64_t capacity = RC_CUDA_VOXEL_MEAN_SHARES + RC_CUDA_VOXEL_MEAN_MIN_CAPACITY;

  return ((bins + RC_CUDA_VOXEL_OVERFLOW_WORDS) * sizeof (uint32_t) + bins * capacity * sizeof (RcCudaVoxelEntry) + 63) / 64 * 64
      + 2 * 64;
}

/* Shared memory of a slab of so many pieces: its values, and per channel the scale and the least value that is exact. */
static size_t
mean_bytes (const RcVoxelPlan *plan, int64_t pieces)
{
  return (size_t) plan->channels * ((size_t) pieces * 32 * rc_dtype_size (plan->spec.dtype) + 2 * sizeof (uint32_t));
}

/* Cuts the grid of binned means into slabs, enough to keep the multiprocessors busy and to fit shared memory. A plan whose
 * channels are too many for a piece has no slabs. */
static void
plan_in_place (RcVoxelPlan *plan, RcCudaVoxelState *state, int64_t multiprocessors)
{
  const int64_t all = rc_cuda_ceil_divide (plan->voxels, 32), batch = plan->spec.batch;
  RcCudaVoxelArguments *args = &state->args;
  int64_t slabs = 1;

  if (!args->ranks.is_ranked || plan->spec.output != RC_VOXEL_DENSE || plan->voxels > INT32_MAX
      || mean_bytes (plan, 1) > RC_CUDA_VOXEL_MEAN_BYTES)
    return;
  while (slabs < all && (slabs * batch < RC_CUDA_VOXEL_MANY_SLABS * multiprocessors
          || rc_cuda_ceil_divide (all, slabs) > RC_CUDA_VOXEL_MEAN_PIECES
          || mean_bytes (plan, rc_cuda_ceil_divide (all, slabs)) > RC_CUDA_VOXEL_MEAN_BYTES))
    slabs *= 2;
  if (slabs > INT32_MAX / batch)
    return;
  args->bins.slabs = slabs;
  args->bins.slab_shift = (uint32_t) rc_cuda_log2_of (slabs);
  args->bins.pieces = (uint32_t) rc_cuda_ceil_divide (all, slabs);
  args->bins.bins = (uint32_t) rc_cuda_lesser (slabs, RC_CUDA_VOXEL_MEAN_BINS);
  state->mean_bytes = mean_bytes (plan, args->bins.pieces);
  plan->layout.backend_bytes += (uint64_t) batch * bins_bytes (args->bins.bins);
  plan->layout.backend_point_bytes = (RC_CUDA_VOXEL_MEAN_SHARES + 1) * sizeof (RcCudaVoxelEntry);
}

/* Reserves shared memory of bin_in_place: what each of two blocks on a multiprocessor may take. More than 48 KB must be
 * asked for. */
static RcStatus
reserve_bin_shared (RcCudaBackend *cuda, RcCudaVoxelState *state, RcError *error)
{
  const void *const kernels[] = { state->in_place.range->function, state->in_place_anywhere.range->function };
  RcStatus status = RC_OK;
  size_t i;

  state->bin_bytes = (size_t) cuda->shared_bytes / 2 - RC_CUDA_VOXEL_MEAN_BIN_BYTES;
  for (i = 0; i < 2 && status == RC_OK; i++)
    status = rc_cuda_check (cuda, cudaFuncSetAttribute (kernels[i], cudaFuncAttributeMaxDynamicSharedMemorySize,
            (int) state->bin_bytes), cuda->setup, error, "cudaFuncSetAttribute", "%zu bytes of shared memory for tiles of points",
        state->bin_bytes);
  return status;
}

/* ---- loading ---- */

static RcStatus
upload_pinhole (RcCudaBackend *cuda, const RcVoxelDepth *depth, RcCudaVoxelState *state, RcError *error)
{
  const size_t bytes = rc_pinhole_rays_bytes (depth);
  float *rays = malloc (bytes);
  RcStatus status;

  if (rays == NULL)
    return no_space (error, bytes);
  rc_pinhole_rays (depth, rays);
  status = rc_cuda_upload (cuda, rays, bytes, &state->table, error);
  free (rays);
  return status;
}

/* Uploads what kernels look up: the rays of pixels, or the fields of features. */
static RcStatus
upload_table (RcCudaBackend *cuda, const RcVoxelPlan *plan, RcCudaVoxelState *state, RcError *error)
{
  const RcVoxelDepth *depth = &plan->spec.depth;
  RcStatus status = RC_OK;

  if (plan->spec.source == RC_VOXEL_DEPTH) {
    status = depth->rays == NULL ? upload_pinhole (cuda, depth, state, error)
        : rc_cuda_upload (cuda, depth->rays, (size_t) (depth->width * depth->height) * 2 * sizeof (float),
        &state->table, error);
    state->args.format.rays = state->table;
  } else if (plan->features) {
    status = rc_cuda_upload (cuda, plan->features, (size_t) plan->channels * sizeof (RcVoxelField), &state->table,
        error);
    state->args.format.fields = state->table;
  }
  return status;
}

/* Allocates memory for ranges that are measured apart from any job. */
static RcStatus
make_measured (RcCudaBackend *cuda, const RcVoxelPlan *plan, RcCudaVoxelState *state, RcError *error)
{
  const size_t bytes = (size_t) plan->spec.batch * rc_cuda_voxel_measured_bytes (plan);

  if (!plan->accumulates || !rc_voxel_needs_range (plan))
    return RC_OK;
  state->ranges = calloc (1, bytes);
  if (state->ranges == NULL)
    return no_space (error, bytes);
  return rc_cuda_upload (cuda, state->ranges, bytes, &state->measured, error);
}

static RcStatus
load_kernels (RcCudaBackend *cuda, const RcVoxelPlan *plan, const RcCudaVoxelState *state, RcError *error)
{
  const int sorts = state->sorts, ranks = state->args.ranks.is_ranked || state->args.ranks.in_bitmap;
  const int lists = rc_voxel_lists_points (plan->spec.mode) && !sorts;
  const struct
  {
    const char *name;
    const RcCudaVoxelKernel *kernel;
    int wanted;
  } kernels[] = {
    {"voxel clear", &rc_cuda_voxel_clear, 1},
    {"voxel scales", &rc_cuda_voxel_set_scales, rc_voxel_is_mean (plan)},
    {"voxel range", state->range, state->range != NULL},
    {"voxel range of any layout", state->range_anywhere, state->range_anywhere != NULL},
    {"voxel range, in place", state->in_place.range, state->args.bins.slabs > 0},
    {"voxel range of any layout, in place", state->in_place_anywhere.range, state->args.bins.slabs > 0},
    {"voxel write, in place", state->in_place.write[0], state->args.bins.slabs > 0},
    {"voxel write of four channels, in place", state->in_place.write[1], state->args.bins.slabs > 0},
    {"voxel write of any layout, in place", state->in_place_anywhere.write[0], state->args.bins.slabs > 0},
    {"voxel write of four channels of any layout, in place", state->in_place_anywhere.write[1], state->args.bins.slabs > 0},
    {"voxel mark, in place", &rc_cuda_voxel_mark_binned, state->args.bins.slabs > 0},
    {"voxel add", state->add, 1},
    {"voxel add of whole tiles", &rc_cuda_voxel_bin_whole, state->add == &rc_cuda_voxel_bin[RC_CUDA_VOXEL_FLOAT32]},
    {"voxel index", state->index_whole, state->index_whole != NULL},
    {"voxel add of any layout", state->add_anywhere, 1},
    {"voxel remove", state->remove, plan->accumulates},
    {"voxel add, deferred", state->add_deferred, state->args.stored.is_deferred},
    {"voxel go on", &rc_cuda_voxel_begin_incremental, plan->accumulates},
    {"voxel ranges", &rc_cuda_voxel_put_ranges, plan->accumulates && rc_voxel_needs_range (plan)},
    {"voxel tiles, count", &rc_cuda_voxel_count_tiles, state->args.window.tiles > 0},
    {"voxel tiles, scan", &rc_cuda_voxel_scan_tiles, state->args.window.tiles > 0},
    {"voxel write", state->write, 1},
    {"voxel sort, count", &rc_cuda_voxel_sort_count, sorts},
    {"voxel sort, scan", &rc_cuda_voxel_sort_scan, sorts},
    {"voxel sort, move", &rc_cuda_voxel_sort_move[rc_voxel_is_ordered (plan)], sorts},
    {"voxel count", &rc_cuda_voxel_count_voxels, sorts},
    {"voxel scan", &rc_cuda_voxel_scan_voxels, sorts},
    {"voxel rank", &rc_cuda_voxel_rank, sorts},
    {"voxel bits, count", &rc_cuda_voxel_count_set_bits, ranks},
    {"voxel bits, rank", &rc_cuda_voxel_rank_set_bits, ranks},
    {"voxel bits in blocks", &rc_cuda_voxel_mark_in_blocks, state->args.ranks.block_bits > 0},
    {"voxel lists, begin", &rc_cuda_voxel_begin_lists, lists},
    {"voxel lists, numbers", &rc_cuda_voxel_list_first, lists},
    {"voxel first", rc_cuda_voxel_first_kernel (&plan->spec), rc_voxel_lists_points (plan->spec.mode)},
    {"voxel map", &rc_cuda_voxel_finish_map, rc_voxel_maps_points (plan->spec.output)},
  };
  RcStatus status = RC_OK;
  size_t i;

  for (i = 0; i < sizeof (kernels) / sizeof (kernels[0]) && status == RC_OK; i++) {
    if (kernels[i].wanted)
      status = rc_cuda_load (cuda, kernels[i].kernel->function, kernels[i].name, error);
  }
  return status;
}

/* Finds whether kernels may begin before the previous one has ended. Machine code of older architectures does not wait, and
 * older drivers capture no such launch. All kernels were compiled alike, so one is asked. */
static RcStatus
find_early (RcCudaBackend *cuda, RcCudaVoxelState *state, RcError *error)
{
  return rc_cuda_begins_early (cuda, state->write->function, "voxel write", &state->begins_early, error);
}

/* ---- prepare and release ---- */

void
rc_cuda_voxel_release (RcVoxelPlan *plan)
{
  RcCudaVoxelState *state = plan->backend_state;

  rc_cuda_free ((RcCudaBackend *) plan->backend, state->table);
  rc_cuda_free ((RcCudaBackend *) plan->backend, state->measured);
  free (state->ranges);
  free (state);
}

RcStatus
rc_cuda_voxel_prepare (RcVoxelPlan *plan, RcError *error)
{
  RcCudaBackend *cuda = (RcCudaBackend *) plan->backend;
  RcCudaVoxelState *state = calloc (1, sizeof (*state));
  RcStatus status;

  _Static_assert (sizeof (RcCudaVoxelHead) == 64, "what RcVoxelLayout leaves for it");
  if (state == NULL)
    return no_space (error, sizeof (*state));
  plan->backend_state = state;
  set_spec (plan, state);
  plan_sort (plan, state);
  plan_window (plan, &state->args);
  rc_cuda_voxel_plan_slabs (plan, &state->args, cuda->multiprocessors);
  plan_bitmap (plan, &state->args);
  plan_ranks (plan, &state->args);
  plan_in_place (plan, state, cuda->multiprocessors);
  state->args.job.layout = plan->layout;
  state->args.dense.warp_words = warp_words_of (&state->args, cuda->multiprocessors);
  choose_kernels (plan, state);
  status = rc_cuda_enter (cuda, error);
  if (status == RC_OK) {
    status = load_kernels (cuda, plan, state, error);
    if (status == RC_OK && state->args.slabs.n > 0)
      status = rc_cuda_voxel_reserve_shared (plan, state, error);
    if (status == RC_OK && state->args.bins.slabs > 0)
      status = reserve_bin_shared (cuda, state, error);
    if (status == RC_OK)
      status = find_early (cuda, state, error);
    if (status == RC_OK)
      status = upload_table (cuda, plan, state, error);
    if (status == RC_OK)
      status = make_measured (cuda, plan, state, error);
    rc_cuda_leave (cuda);
  }
  if (status != RC_OK)
    rc_cuda_voxel_release (plan);
  return status;
}
