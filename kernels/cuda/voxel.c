/* robocache: voxel grids on the GPU: plans, scratch, and which kernels a phase launches
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "device.h"

#include "voxel_task.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BLOCKS_Y 65535
#define BLOCKS_PER_MULTIPROCESSOR 8     /* that run at once */
#define MOST_POINTS UINT32_MAX  /* of a group: kernels count them in 32 bits */
#define SPARSE_BYTES 4096       /* for what the arrays of points are rounded up by */
#define MOST_BITMAP_VOXELS (INT64_C (1) << 27)  /* of an item, and twice that of all, whose bitmaps are faster than a sort */
#define MOST_BIT_TILES 1024     /* of an item, at which two kernels that count them are as fast as more */
#define MEAN_ARRAYS 3           /* counts, sums, flags */

/* The device's part of a plan. */
typedef struct
{
  RcCudaVoxelTask task;         /* what the spec fixes is there from the beginning */
  void *table;                  /* device: the rays of depth, the features of other points; NULL: none */
  const void *add, *range, *write;
  const void *remove;           /* NULL: nothing is kept */
  const void *add_anywhere, *range_anywhere;    /* of points with features that are not aligned */
  int64_t units;                /* of the output of an item, which threads take: 16 bytes of bits; of a grid a word of bits,
                                 * or a part of it */
} State;

static RcStatus
no_space (RcError *error, size_t bytes)
{
  return rc_error_set (error, RC_NO_SPACE, "no memory for a plan: %zu bytes", bytes);
}

static int64_t
lesser (int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static int64_t
ceil_divide (int64_t a, int64_t b)
{
  return a / b + (a % b != 0);
}

/* ---- plans ---- */

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
action_of (const RcVoxelSpec *spec, const RcCudaVoxelTask *task)
{
  static const RcCudaVoxelAction actions[][2] = {
    [RC_VOXEL_OCCUPANCY] = {RC_CUDA_VOXEL_ADD_BITS, RC_CUDA_VOXEL_ADD_KEY},
    [RC_VOXEL_COUNT] = {RC_CUDA_VOXEL_ADD_COUNT, RC_CUDA_VOXEL_ADD_KEY},
    [RC_VOXEL_MEAN] = {RC_CUDA_VOXEL_ADD_MEAN, RC_CUDA_VOXEL_ADD_KEY_MEAN},
    [RC_VOXEL_CENTROID] = {RC_CUDA_VOXEL_ADD_CENTROID, RC_CUDA_VOXEL_ADD_KEY_CENTROID},
    [RC_VOXEL_MAX] = {RC_CUDA_VOXEL_ADD_EXTREME, RC_CUDA_VOXEL_ADD_KEY_EXTREME},
    [RC_VOXEL_MIN] = {RC_CUDA_VOXEL_ADD_EXTREME, RC_CUDA_VOXEL_ADD_KEY_EXTREME},
  };

  if (task->ranked)
    return RC_CUDA_VOXEL_ADD_RANKED_MEAN;
  if (spec->output == RC_VOXEL_RANK)
    return task->in_bitmap ? RC_CUDA_VOXEL_MARK_INDEX : RC_CUDA_VOXEL_ADD_KEY_RANK;
  if (spec->output == RC_VOXEL_INDEX)
    return RC_CUDA_VOXEL_STORE_INDEX;
  if (spec->mode == RC_VOXEL_FIRST)
    return spec->source == RC_VOXEL_DEPTH ? RC_CUDA_VOXEL_ADD_KEY_POSITION : RC_CUDA_VOXEL_ADD_KEY_FIELDS;
  return actions[spec->mode][task->sorts];
}

static int
log2_of (int64_t power)
{
  return __builtin_ctzll ((unsigned long long) power);
}

/* The bits of voxels come to be in shared memory, in place of the scratch. */
static int
makes_slabs (const RcVoxelPlan *plan)
{
  return !plan->keeps && plan->spec.mode == RC_VOXEL_OCCUPANCY && plan->bit_words > 0 && plan->bit_words <= INT32_MAX / 32
      && (plan->spec.output == RC_VOXEL_BITS || plan->voxels % 32 == 0);
}

/* As large as a block can have them, or so many that all multiprocessors have one. There is a bin for each slab, or for each
 * run of them where they are many. */
static void
plan_slabs (RcVoxelPlan *plan, RcCudaVoxelTask *task, int64_t multiprocessors)
{
  const int64_t bit_words = plan->bit_words, batch = plan->spec.batch;
  int64_t words = RC_CUDA_VOXEL_SLAB_WORDS, in_bin = 1;

  if (!makes_slabs (plan))
    return;
  while (words > RC_CUDA_VOXEL_LEAST_SLAB_WORDS && ceil_divide (bit_words, words) * batch < multiprocessors)
    words /= 2;
  if (ceil_divide (bit_words, words) * batch * 4 < multiprocessors)     /* few blocks would read all bits */
    return;
  task->slab_words = words;
  task->slabs = ceil_divide (bit_words, words);
  while (ceil_divide (task->slabs, in_bin) > RC_CUDA_VOXEL_BINS)
    in_bin *= 2;
  for (task->bins = 1; task->bins * in_bin < task->slabs;)
    task->bins *= 2;
  task->bin_shift = log2_of (words * 32 * in_bin);
  for (task->bin_parts = 32; task->bin_parts * (task->bins + 1) > RC_CUDA_VOXEL_THREADS;)
    task->bin_parts /= 2;
  plan->layout.item_bytes = plan->layout.bits;
  plan->layout.backend_bytes = (uint64_t) ceil_divide (batch * (16 + 4 * task->bins), 64) * 64 + 64;
  plan->layout.backend_point_bytes = 4 + 1;     /* a bit, and its part of the slots, which is a quarter at most */
}

/* Words that a warp takes at a time for values: fewer where there would not be enough for the warps that run at once. */
static int64_t
warp_words_of (const RcCudaVoxelTask *task, int64_t multiprocessors)
{
  const int64_t warps = multiprocessors * RC_CUDA_VOXEL_WRITE_BLOCKS * RC_CUDA_VOXEL_WARPS;
  int64_t words = 32;

  while (words > 1 && ceil_divide (task->bit_words, words) < ceil_divide (warps, task->batch))
    words /= 2;
  return words;
}

/* To add points to accumulators that are kept, and to take them out. */
static const void *const *
kernels_that_take (const RcVoxelPlan *plan)
{
  const RcCudaVoxelKept kept = plan->spec.mode == RC_VOXEL_MEAN ? RC_CUDA_VOXEL_KEPT_MEANS
      : plan->spec.mode == RC_VOXEL_CENTROID ? RC_CUDA_VOXEL_KEPT_CENTROIDS : RC_CUDA_VOXEL_KEPT_COUNTS;

  return rc_cuda_voxel_take[source_of (plan)][kept];
}

static void
choose_kernels (const RcVoxelPlan *plan, State *state)
{
  static const RcCudaVoxelValues values[] = {
    [RC_VOXEL_COUNT] = RC_CUDA_VOXEL_FROM_COUNTS,
    [RC_VOXEL_MEAN] = RC_CUDA_VOXEL_FROM_SUMS,
    [RC_VOXEL_CENTROID] = RC_CUDA_VOXEL_FROM_CENTROIDS,
    [RC_VOXEL_MAX] = RC_CUDA_VOXEL_FROM_KEYS,
    [RC_VOXEL_MIN] = RC_CUDA_VOXEL_FROM_KEYS,
  };
  const RcVoxelSpec *spec = &plan->spec;
  const RcCudaVoxelSource source = source_of (plan);
  const size_t size = spec->output == RC_VOXEL_DENSE ? rc_dtype_size (spec->dtype) : 1;

  const RcCudaVoxelAction action = action_of (spec, &state->task);

  state->add = state->task.slabs > 0 ? rc_cuda_voxel_bin[source] : rc_cuda_voxel_add[source][action];
  if (plan->keeps) {
    state->add = kernels_that_take (plan)[0];
    state->remove = kernels_that_take (plan)[1];
  }
  state->add_anywhere = plan->features && !plan->keeps ? rc_cuda_voxel_add[RC_CUDA_VOXEL_LAYOUT][action] : state->add;
  state->units = ceil_divide (rc_voxel_value_bytes (plan), 16);
  if (rc_voxel_needs_range (plan)) {
    state->range = rc_cuda_voxel_add[source][RC_CUDA_VOXEL_RANGE];
    state->range_anywhere = rc_cuda_voxel_add[RC_CUDA_VOXEL_LAYOUT][RC_CUDA_VOXEL_RANGE];
  }
  if (spec->output == RC_VOXEL_SPARSE) {
    state->write = plan->keeps ? rc_cuda_voxel_write_tiles
        : state->task.in_bitmap ? rc_cuda_voxel_write_ranked : rc_cuda_voxel_write_sparse;
  } else if (rc_voxel_maps_points (spec->output)) {
    state->write = state->task.in_bitmap ? rc_cuda_voxel_finish_ranks
        : spec->output == RC_VOXEL_RANK ? rc_cuda_voxel_write_ranks : rc_cuda_voxel_finish_map;
  } else if (state->task.slabs > 0) {
    state->write = rc_cuda_voxel_write_slabs[spec->output == RC_VOXEL_BITS ? 0 : size / 2 + 1];
  } else if (spec->output == RC_VOXEL_BITS) {
    state->write = rc_cuda_voxel_write_bits;
  } else {
    state->write = spec->mode == RC_VOXEL_OCCUPANCY ? rc_cuda_voxel_write_occupancy[size / 2]
        : rc_cuda_voxel_write[values[spec->mode]][size / 2];
    state->units = spec->mode == RC_VOXEL_OCCUPANCY ? state->task.bit_words
        : ceil_divide (state->task.bit_words, state->task.warp_words) * 32;
  }
}

/* rc_voxel_of's quotient is within 2^-24 of itself of the exact one, and a product with the rounded 1 / size within 2^-23
 * and a little: both together less than n * 2^-21 voxels, which leaves room for the rounding of what is compared. Where
 * that is too much, or a size so extreme that products do not hold it, or indices have more than 32 bits, no product tells. */
static RcCudaVoxelLocate
locate_in (const RcVoxelPlan *plan)
{
  const uint32_t distance[3] = { 1, (uint32_t) plan->box.row, (uint32_t) plan->box.plane };
  const int fits = plan->voxels <= UINT32_MAX && plan->box.plane * plan->spec.grid[2] <= UINT32_MAX;
  RcCudaVoxelLocate locate = { .bias = 0 };
  int axis;

  for (axis = 0; axis < 3; axis++) {
    const double size = plan->box.size[axis], error = (double) plan->spec.grid[axis] * 0x1p-21;

    locate.inverse[axis] = (float) (1.0 / size);
    locate.margin[axis] = fits && size > 0x1p-60 && size < 0x1p60 && error < 0.25 ? (float) (0.5 - error) : -1.0f;
    locate.n[axis] = (uint32_t) plan->spec.grid[axis];
    locate.distance[axis] = distance[axis];
    locate.bias += RC_CUDA_VOXEL_2_23 * distance[axis];
    locate.least[axis] = (float) (plan->box.origin[axis] - 0.5 * size);
    locate.greatest[axis] = (float) (plan->box.origin[axis] + ((double) plan->spec.grid[axis] + 0.5) * size);
    if (locate.margin[axis] < 0.0f) {   /* nothing of it is sure: the quotient may underflow */
      locate.least[axis] = -INFINITY;
      locate.greatest[axis] = INFINITY;
    }
  }
  return locate;
}

/* Whether the voxels of a sparse output, and ranks, are found in a bitmap: where that is small, and what is kept of a voxel
 * needs nothing of its points after they were added. Otherwise keys are sorted. */
static int
is_in_bitmap (const RcVoxelPlan *plan)
{
  const RcVoxelSpec *spec = &plan->spec;

  return rc_voxel_sorts (plan) && (spec->mode == RC_VOXEL_OCCUPANCY || rc_voxel_needs_range (plan))
      && plan->voxels <= MOST_BITMAP_VOXELS && spec->batch <= 2 * MOST_BITMAP_VOXELS / plan->voxels;
}

static void
take_spec (const RcVoxelPlan *plan, RcCudaVoxelTask *task)
{
  const RcVoxelSpec *spec = &plan->spec;
  int axis;

  task->box = plan->box;
  task->locate = locate_in (plan);
  task->layout = plan->layout;
  task->batch = spec->batch;
  task->channels = plan->channels;
  task->channel_inverse = (uint32_t) ceil_divide (INT64_C (1) << 31, plan->channels);
  task->nx = spec->grid[0];
  task->ny = spec->grid[1];
  task->voxels = plan->voxels;
  task->key_voxels = (uint64_t) spec->grid[0] * (uint64_t) spec->grid[1] * (uint64_t) spec->grid[2];
  task->in_bitmap = is_in_bitmap (plan);
  task->sorts = rc_voxel_sorts (plan) && !task->in_bitmap;
  task->bit_words = task->in_bitmap ? ceil_divide (plan->voxels, 32) : plan->bit_words;
  task->max_voxels = spec->max_voxels;
  task->max_points = spec->max_points;
  task->combines = rc_voxel_is_mean (plan) || rc_voxel_is_extreme (plan);
  task->feature_range = spec->mode == RC_VOXEL_MEAN ? spec->feature_range : 0.0;
  for (axis = 0; axis < 3; axis++)
    task->centroid_exponent[axis] = plan->centroid_exponent[axis];
  task->flip = plan->flip;
  task->mode = spec->mode == RC_VOXEL_FIRST ? RC_VOXEL_OCCUPANCY : spec->mode;
  task->dtype = spec->dtype;
  task->kept_dtype = plan->kept_dtype;
  task->needs_range = rc_voxel_needs_range (plan);
  task->keeps = plan->keeps;
  task->ranked = task->needs_range && !task->sorts;
  if (spec->source == RC_VOXEL_DEPTH) {
    task->element_bytes = sizeof (uint16_t);
    task->width = spec->depth.width;
    task->depth_scale = (float) spec->depth.scale;
  } else {
    task->element_bytes = (int32_t) rc_dtype_size (spec->points.dtype);
    task->feature_offset = plan->features ? plan->features[0].offset : 0;
    task->xyz_dtype = spec->points.dtype;
    for (axis = 0; axis < 3; axis++)
      task->xyz_offset[axis] = plan->fields[axis].offset;
  }
}

/* Bytes of each point beside those that every backend has: sums or extremes of its voxel, flags of the sums, and its
 * part of the counts of digits and of voxels, which is less than one: 1024 of 3072 points, and 4 of 256. */
static void
plan_sort (RcVoxelPlan *plan, const RcCudaVoxelTask *task)
{
  const uint64_t channels = (uint64_t) plan->channels;
  uint64_t bytes = 1;

  if (!task->sorts)
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

/* Sparse outputs of accumulators that are kept are found in their bits. */
static void
plan_kept (RcVoxelPlan *plan, RcCudaVoxelTask *task)
{
  if (!plan->keeps || plan->spec.output != RC_VOXEL_SPARSE)
    return;
  task->kept_tiles = ceil_divide (plan->bit_words, RC_CUDA_VOXEL_KEPT_TILE);
  plan->layout.backend_bytes = (uint64_t) ceil_divide (plan->spec.batch * (task->kept_tiles + 1) * 4, 64) * 64;
}

/* The bits of voxels that are found in a bitmap go into the scratch of their item; those of points, where means are, are all
 * there is of a point. */
static void
plan_bitmap (RcVoxelPlan *plan, RcCudaVoxelTask *task)
{
  const uint64_t channels = (uint64_t) plan->channels;
  RcVoxelLayout *layout = &plan->layout;
  uint64_t bytes = 0;

  if (!task->in_bitmap)
    return;
  layout->item_bytes = layout->bits + (uint64_t) ceil_divide (task->bit_words, 16) * 64;
  layout->payload_bytes = layout->point_bytes = 0;
  if (plan->spec.output == RC_VOXEL_SPARSE)
    bytes += sizeof (uint32_t);
  if (task->ranked)
    bytes += sizeof (uint32_t) + 8 * channels + (channels + 1) / 2;
  layout->backend_point_bytes = (bytes + 7) / 8 * 8;
  layout->backend_bytes = SPARSE_BYTES + (uint64_t) plan->spec.batch * (MEAN_ARRAYS * 64 + sizeof (uint32_t));
}

/* Ranks are by the word, and the tiles that they are counted in are as few as are fast. */
static void
plan_ranks (RcVoxelPlan *plan, RcCudaVoxelTask *task)
{
  const int64_t smallest = ceil_divide (task->bit_words, RC_CUDA_VOXEL_BIT_TILE);

  if (!task->ranked && !task->in_bitmap)
    return;
  task->bit_tile_words = ceil_divide (smallest, MOST_BIT_TILES) * RC_CUDA_VOXEL_BIT_TILE;
  task->bit_tiles = ceil_divide (task->bit_words, task->bit_tile_words);
  task->ranks_apart = ceil_divide (task->bit_words, 16) * 16;
  plan->layout.backend_bytes += (uint64_t) (plan->spec.batch * task->ranks_apart) * sizeof (uint32_t)
      + (uint64_t) ceil_divide (plan->spec.batch * task->bit_tiles, 16) * 64;
}

static RcStatus
upload_pinhole (RcCudaBackend *cuda, const RcVoxelDepth *depth, State *state, RcError *error)
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

/* What kernels look up for each pixel or feature. */
static RcStatus
upload_table (RcCudaBackend *cuda, const RcVoxelPlan *plan, State *state, RcError *error)
{
  const RcVoxelDepth *depth = &plan->spec.depth;
  RcStatus status = RC_OK;

  if (plan->spec.source == RC_VOXEL_DEPTH) {
    status = depth->rays == NULL ? upload_pinhole (cuda, depth, state, error)
        : rc_cuda_upload (cuda, depth->rays, (size_t) (depth->width * depth->height) * 2 * sizeof (float),
        &state->table, error);
    state->task.rays = state->table;
  } else if (plan->features) {
    status = rc_cuda_upload (cuda, plan->features, (size_t) plan->channels * sizeof (RcVoxelField), &state->table,
        error);
    state->task.features = state->table;
  }
  return status;
}

static const void *
first_kernel (const RcVoxelSpec *spec)
{
  return rc_cuda_voxel_write_first[spec->dtype == RC_FLOAT32];
}

static RcStatus
load_kernels (RcCudaBackend *cuda, const RcVoxelPlan *plan, const State *state, RcError *error)
{
  const int sorts = state->task.sorts, ranks = state->task.ranked || state->task.in_bitmap;
  const struct
  {
    const char *name;
    const void *kernel;
    int wanted;
  } kernels[] = {
    {"voxel clear", rc_cuda_voxel_clear, 1},
    {"voxel scales", rc_cuda_voxel_set_scales, rc_voxel_is_mean (plan)},
    {"voxel range", state->range, state->range != NULL},
    {"voxel range of any layout", state->range_anywhere, state->range_anywhere != NULL},
    {"voxel add", state->add, 1},
    {"voxel add of any layout", state->add_anywhere, 1},
    {"voxel remove", state->remove, plan->keeps},
    {"voxel go on", rc_cuda_voxel_go_on, plan->keeps},
    {"voxel tiles, count", rc_cuda_voxel_count_tiles, state->task.kept_tiles > 0},
    {"voxel tiles, scan", rc_cuda_voxel_scan_tiles, state->task.kept_tiles > 0},
    {"voxel write", state->write, 1},
    {"voxel sort, count", rc_cuda_voxel_sort_count, sorts},
    {"voxel sort, scan", rc_cuda_voxel_sort_scan, sorts},
    {"voxel sort, move", rc_cuda_voxel_sort_move[rc_voxel_is_ordered (plan)], sorts},
    {"voxel count", rc_cuda_voxel_count_voxels, sorts},
    {"voxel scan", rc_cuda_voxel_scan_voxels, sorts},
    {"voxel rank", rc_cuda_voxel_rank, sorts},
    {"voxel bits, count", rc_cuda_voxel_count_set_bits, ranks},
    {"voxel bits, rank", rc_cuda_voxel_rank_set_bits, ranks},
    {"voxel first, count", rc_cuda_voxel_count_first, plan->spec.mode == RC_VOXEL_FIRST},
    {"voxel first", first_kernel (&plan->spec), plan->spec.mode == RC_VOXEL_FIRST},
    {"voxel map", rc_cuda_voxel_finish_map, rc_voxel_maps_points (plan->spec.output)},
  };
  RcStatus status = RC_OK;
  size_t i;

  for (i = 0; i < sizeof (kernels) / sizeof (kernels[0]) && status == RC_OK; i++) {
    if (kernels[i].wanted)
      status = rc_cuda_load (cuda, kernels[i].kernel, kernels[i].name, error);
  }
  return status;
}

static size_t
slab_bytes (const RcCudaVoxelTask *task)
{
  return (size_t) task->slab_words * sizeof (uint32_t);
}

/* More than 48 KB must be asked for. */
static RcStatus
allow_shared (RcCudaBackend *cuda, const State *state, RcError *error)
{
  return rc_cuda_check (cuda, cudaFuncSetAttribute (state->write, cudaFuncAttributeMaxDynamicSharedMemorySize,
          (int) slab_bytes (&state->task)), cuda->setup, error, "cudaFuncSetAttribute", "%zu bytes of shared memory for "
      "slabs of voxels", slab_bytes (&state->task));
}

static void
release (RcVoxelPlan *plan)
{
  State *state = plan->backend_state;

  rc_cuda_free ((RcCudaBackend *) plan->backend, state->table);
  free (state);
}

static RcStatus
prepare (RcVoxelPlan *plan, RcError *error)
{
  RcCudaBackend *cuda = (RcCudaBackend *) plan->backend;
  State *state = calloc (1, sizeof (*state));
  RcStatus status;

  _Static_assert (sizeof (RcCudaVoxelHead) == 64, "what RcVoxelLayout leaves for it");
  if (state == NULL)
    return no_space (error, sizeof (*state));
  plan->backend_state = state;
  take_spec (plan, &state->task);
  plan_sort (plan, &state->task);
  plan_kept (plan, &state->task);
  plan_slabs (plan, &state->task, cuda->multiprocessors);
  plan_bitmap (plan, &state->task);
  plan_ranks (plan, &state->task);
  state->task.layout = plan->layout;
  state->task.warp_words = warp_words_of (&state->task, cuda->multiprocessors);
  choose_kernels (plan, state);
  status = rc_cuda_enter (cuda, error);
  if (status == RC_OK) {
    status = load_kernels (cuda, plan, state, error);
    if (status == RC_OK && state->task.slabs > 0)
      status = allow_shared (cuda, state, error);
    if (status == RC_OK)
      status = upload_table (cuda, plan, state, error);
    rc_cuda_leave (cuda);
  }
  if (status != RC_OK)
    release (plan);
  return status;
}

/* ---- launches ---- */

/* One call of a phase, with what its error message says. */
typedef struct
{
  RcCudaBackend *cuda;
  cudaStream_t stream;
  const RcVoxelPlan *plan;
  const RcVoxelJob *job;
  const RcVoxelChunk *chunk;    /* NULL: none */
  RcError *error;
} Run;

static RcStatus
check (const Run *run, cudaError_t result, const char *call)
{
  const RcVoxelSpec *spec = &run->plan->spec;

  return rc_cuda_check (run->cuda, result, run->stream, run->error, call, "%s voxels %" PRId64 ":%" PRId64 ":%" PRId64
      ", mode %s of %" PRId64 " values, batch %" PRId64 ", %" PRId64 " points; chunk of %" PRId64 ", stride %" PRId64,
      rc_voxel_output_name (spec->output), spec->grid[0], spec->grid[1], spec->grid[2],
      rc_voxel_mode_name (spec->mode), run->plan->channels,
      spec->batch, run->job->n_points, run->chunk ? run->chunk->n : 0, run->chunk ? run->chunk->stride : 0);
}

/* Blocks for n units, of which a block takes `each` at a time, of each of a number of items: at most a few more than
 * run at once, since they take all that is left. */
static dim3
blocks_for (const RcCudaBackend *cuda, int64_t n, int64_t each, int64_t items)
{
  const int64_t at_once = (int64_t) cuda->multiprocessors * BLOCKS_PER_MULTIPROCESSOR;
  const int64_t y = lesser (items, MOST_BLOCKS_Y), most = ceil_divide (at_once, y), wish = ceil_divide (n, each);

  return (dim3) { (unsigned) (wish < 1 ? 1 : lesser (wish, most)), (unsigned) y, 1 };
}

static RcStatus
launch_with (const Run *run, const void *kernel, dim3 grid, size_t shared_bytes, void **arguments, const char *call)
{
  const dim3 block = { RC_CUDA_VOXEL_THREADS, 1, 1 };

  return check (run, cudaLaunchKernel (kernel, grid, block, arguments, shared_bytes, run->stream), call);
}

static RcStatus
launch (const Run *run, const void *kernel, dim3 grid, void **arguments, const char *call)
{
  return launch_with (run, kernel, grid, 0, arguments, call);
}

static RcStatus
launch_slabs (const Run *run, const State *state, RcCudaVoxelTask *task)
{
  const dim3 grid = { (unsigned) lesser (task->batch * task->slabs, INT32_MAX), 1, 1 };
  const dim3 block = { RC_CUDA_VOXEL_SLAB_THREADS, 1, 1 };
  void *arguments[] = { task };

  return check (run, cudaLaunchKernel (state->write, grid, block, arguments, slab_bytes (task), run->stream),
      "launch of the output of a voxel grid, by slabs");
}

static RcStatus
launch_task (const Run *run, const void *kernel, dim3 grid, RcCudaVoxelTask *task, const char *call)
{
  void *arguments[] = { task };

  return launch (run, kernel, grid, arguments, call);
}

/* ---- scratch ---- */

static char *
carve (char **at, uint64_t bytes)
{
  char *array = *at;

  *at += (bytes + 63) / 64 * 64;
  return array;
}

/* As many items a group as their keys and the number of their points allow. */
static int64_t
items_of_group (const RcVoxelPlan *plan, const RcCudaVoxelTask *task, int64_t n_points)
{
  const uint64_t by_key = UINT64_MAX / task->key_voxels, by_points = MOST_POINTS / (uint64_t) (n_points ? n_points : 1);
  uint64_t items = (uint64_t) plan->spec.batch;

  items = items < by_key ? items : by_key;
  items = items < by_points ? items : by_points;
  return (int64_t) (items > 0 ? items : 1);
}

/* What comes after the scratch of items. */
static char *
after_items (const RcVoxelPlan *plan, const RcCudaVoxelTask *task)
{
  return task->scratch + (uint64_t) plan->spec.batch * plan->layout.item_bytes;
}

static void
lay_out_points (const RcVoxelPlan *plan, RcCudaVoxelTask *task)
{
  const uint64_t n = (uint64_t) plan->spec.batch * (uint64_t) task->n_points, channels = (uint64_t) plan->channels;
  const int ordered = rc_voxel_is_ordered (plan), mean = rc_voxel_is_mean (plan);
  const uint64_t tiles = (uint64_t) ceil_divide ((int64_t) lesser ((int64_t) n, MOST_POINTS), RC_CUDA_VOXEL_SORT_TILE);
  RcCudaVoxelPoints *points = &task->points;
  char *at = after_items (plan, task);

  points->keys[0] = (uint64_t *) carve (&at, 8 * n);
  task->ones = (char *) points->keys[0];
  task->ones_bytes = (8 * n + 15) / 16 * 16;
  points->keys[1] = (uint64_t *) carve (&at, 8 * n);
  points->payload = carve (&at, plan->layout.payload_bytes * n);
  points->order[0] = (uint32_t *) carve (&at, ordered ? 4 * n : 0);
  points->order[1] = (uint32_t *) carve (&at, ordered ? 4 * n : 0);
  points->sums = (int64_t *) carve (&at, mean ? 8 * n * channels : 0);
  points->extremes = (uint32_t *) carve (&at, rc_voxel_is_extreme (plan) ? 4 * n * channels : 0);
  points->saw = (uint32_t *) carve (&at, plan->spec.mode == RC_VOXEL_MEAN ? (n * channels + 7) / 8 * 4 : 0);
  task->zeros = (char *) points->sums;
  task->zeros_bytes = (uint64_t) (at - task->zeros);
  task->digit_counts = (uint32_t *) carve (&at, (tiles + 1) * RC_CUDA_VOXEL_DIGITS * sizeof (uint32_t));
  task->rank_counts = (uint32_t *) at;
}

/* Means of points in the order of ranks, cleared for each job; what is by the voxel is cleared with its item. */
static char *
lay_out_means (const RcVoxelPlan *plan, RcCudaVoxelTask *task, char *at)
{
  const uint64_t n = (uint64_t) task->n_points, channels = (uint64_t) plan->channels;
  RcCudaVoxelMeans *means = &task->means;
  char *first = at;

  means->first = at;
  means->counts = (uint64_t) (carve (&at, 4 * n) - first);
  means->sums = (uint64_t) (carve (&at, 8 * n * channels) - first);
  means->saw = (uint64_t) (carve (&at, (n * channels + 7) / 8 * 4) - first);
  means->apart = at - first;
  task->zeros = first;
  task->zeros_bytes = (uint64_t) plan->spec.batch * (uint64_t) means->apart;
  return first + task->zeros_bytes;
}

static void
lay_out_ranks (const RcVoxelPlan *plan, RcCudaVoxelTask *task)
{
  const uint64_t batch = (uint64_t) plan->spec.batch;
  char *at = after_items (plan, task);

  task->ranks = (uint32_t *) carve (&at, batch * (uint64_t) task->ranks_apart * sizeof (uint32_t));
  task->bit_counts = (uint32_t *) carve (&at, batch * (uint64_t) task->bit_tiles * sizeof (uint32_t));
  if (task->in_bitmap && task->ranked)
    at = lay_out_means (plan, task, at);
  if (plan->spec.output == RC_VOXEL_SPARSE)
    task->voxels_by_rank = (uint32_t *) at;
}

static void
take_job (const RcVoxelPlan *plan, const RcVoxelJob *job, RcCudaVoxelTask *task)
{
  task->n_points = job->n_points;
  task->item_points = job->item_points;
  task->scratch = job->scratch;
  task->clear_bytes = job->is_clean && rc_voxel_is_grid (plan->spec.output) && !plan->keeps ? plan->layout.bits
      : plan->layout.item_bytes;
  task->crowded = job->n_points > plan->voxels;
  task->group = items_of_group (plan, task, job->n_points);
  task->point_voxels = job->point_voxels;
  task->point_voxels_batch_stride = plan->spec.batch > 1 ? job->point_voxels_batch_stride : 0;
  task->first_point = job->first_point;
  task->means = (RcCudaVoxelMeans) { task->scratch, (int64_t) plan->layout.item_bytes, plan->layout.counts,
    plan->layout.sums, plan->layout.saw
  };
  if (task->sorts)
    lay_out_points (plan, task);
  if (task->ranked || task->in_bitmap)
    lay_out_ranks (plan, task);
  task->tile_counts = (uint32_t *) after_items (plan, task);
  task->bits_set = task->tile_counts;
  task->bits_set_apart = ceil_divide (job->n_points, 4) * 4;
  task->slots = task->bits_set + plan->spec.batch * task->bits_set_apart;
  task->tiles_apart = ceil_divide (job->n_points, RC_CUDA_VOXEL_BIN_TILE);
  task->is_first = plan->added == 0;
}

/* ---- points ---- */

static int64_t
points_of (const RcVoxelPlan *plan, const RcVoxelChunk *chunk)
{
  return plan->spec.source == RC_VOXEL_DEPTH ? chunk->n * plan->spec.depth.width : chunk->n;
}

static void
take_chunk (const RcVoxelPlan *plan, const RcVoxelChunk *chunk, RcCudaVoxelTask *task)
{
  const uint64_t size = (uint64_t) task->element_bytes;

  task->data = chunk->data;
  task->n = chunk->n;
  task->stride = chunk->stride;
  task->batch_stride = plan->spec.batch > 1 ? chunk->batch_stride : 0;
  task->counts = chunk->counts;
  task->first_row = chunk->first_row;
  task->counters = chunk->counters;
  task->aligned = ((uint64_t) (uintptr_t) chunk->data | (chunk->n > 1 ? (uint64_t) chunk->stride : 0)
      | (uint64_t) task->batch_stride) % size == 0;
  task->packed = chunk->stride == 12 && ((uint64_t) (uintptr_t) chunk->data | (uint64_t) task->batch_stride) % 16 == 0;
}

/* Of the index, which nothing waits for but its own bytes, a thread takes a point at a time. */
static RcStatus
launch_points (const Run *run, const void *kernel, size_t shared_bytes, RcCudaVoxelTask *task, const char *call)
{
  const int64_t points = points_of (run->plan, run->chunk);
  const int64_t each = run->plan->features ? RC_CUDA_VOXEL_FEATURE_TILE
      : run->plan->spec.output == RC_VOXEL_INDEX ? RC_CUDA_VOXEL_THREADS : RC_CUDA_VOXEL_TILE;
  void *arguments[] = { task };

  return launch_with (run, kernel, blocks_for (run->cuda, points, each, task->batch), shared_bytes, arguments, call);
}

/* A block for each tile: they are short, and many are under way. */
static RcStatus
launch_bins (const Run *run, const void *kernel, RcCudaVoxelTask *task)
{
  const int64_t points = points_of (run->plan, run->chunk);
  const int64_t tiles = ceil_divide (points, RC_CUDA_VOXEL_BIN_TILE) + !task->is_first; /* one more that others began */
  const dim3 grid = { (unsigned) lesser (tiles, INT32_MAX), (unsigned) lesser (task->batch, MOST_BLOCKS_Y), 1 };

  return launch_task (run, kernel, grid, task, "launch of the adding of points, by bins");
}

static RcStatus
launch_scales (const Run *run, RcCudaVoxelTask *task)
{
  return launch_task (run, rc_cuda_voxel_set_scales, blocks_for (run->cuda, 1, 1, task->batch), task,
      "launch of the scales of a voxel grid");
}

/* ---- ranks ---- */

/* Of what is marked by now; and the scales, where range has found what they depend on. */
static RcStatus
launch_ranks (const Run *run, RcCudaVoxelTask *task)
{
  const dim3 tiles = blocks_for (run->cuda, task->bit_tiles, 1, task->batch);
  const RcStatus status = launch_task (run, rc_cuda_voxel_count_set_bits, tiles, task, "launch of the count of voxels' bits");

  return status == RC_OK ? launch_task (run, rc_cuda_voxel_rank_set_bits, tiles, task, "launch of the ranks of voxels' bits")
      : status;
}

/* Where voxels have ranks while points are added, they have them by the first: or there is none. */
static RcStatus
finish_ranks (const Run *run, RcCudaVoxelTask *task)
{
  return task->ranked && run->plan->added > 0 ? RC_OK : launch_ranks (run, task);
}

static RcStatus
end_in_bitmap (const Run *run, const State *state, RcCudaVoxelTask *task)
{
  const RcStatus status = finish_ranks (run, task);

  return status == RC_OK ? launch_task (run, state->write, blocks_for (run->cuda, task->max_voxels, RC_CUDA_VOXEL_THREADS,
          task->batch), task, "launch of the output of sparse voxels") : status;
}

/* ---- sorted keys ---- */

/* Bits that tell apart the keys of a group, and what is no key. */
static uint32_t
key_bits (const RcCudaVoxelTask *task)
{
  return 64 - (uint32_t) __builtin_clzll ((uint64_t) task->group_items * task->key_voxels);
}

/* In digits of equal bits, as far as can be. */
static RcStatus
sort_group (const Run *run, RcCudaVoxelTask *task)
{
  const uint32_t all_bits = key_bits (task);
  const uint32_t passes = (all_bits + RC_CUDA_VOXEL_DIGIT_BITS - 1) / RC_CUDA_VOXEL_DIGIT_BITS;
  const uint32_t most_bits = (all_bits + passes - 1) / passes;
  const void *move = rc_cuda_voxel_sort_move[rc_voxel_is_ordered (run->plan)];
  const dim3 tiles = { task->sort_tiles, 1, 1 }, digits = { RC_CUDA_VOXEL_DIGITS, 1, 1 };
  RcStatus status = RC_OK;
  uint32_t first_bit, bits, from = 0;
  void *arguments[] = { task, &first_bit, &bits, &from };

  for (first_bit = 0; first_bit < all_bits && status == RC_OK; first_bit += bits, from = !from) {
    bits = all_bits - first_bit < most_bits ? all_bits - first_bit : most_bits;
    status = launch (run, rc_cuda_voxel_sort_count, tiles, arguments, "launch of the sort of voxels, counting");
    if (status == RC_OK)
      status = launch (run, rc_cuda_voxel_sort_scan, digits, arguments, "launch of the sort of voxels, adding up");
    if (status == RC_OK)
      status = launch (run, move, tiles, arguments, "launch of the sort of voxels, moving");
  }
  task->sorted = (int32_t) from;
  return status;
}

/* Voxels of the sorted keys. Where their points begin takes the place of the keys that were sorted from. */
static RcStatus
rank_group (const Run *run, RcCudaVoxelTask *task)
{
  const dim3 tiles = { task->rank_tiles, 1, 1 }, one = { 1, 1, 1 };
  RcStatus status;

  task->starts = (uint32_t *) (task->points.keys[!task->sorted] + task->first_item * task->n_points);
  status = launch_task (run, rc_cuda_voxel_count_voxels, tiles, task, "launch of the count of voxels");
  if (status == RC_OK)
    status = launch_task (run, rc_cuda_voxel_scan_voxels, one, task, "launch of the sum of counts of voxels");
  if (status == RC_OK)
    status = launch_task (run, rc_cuda_voxel_rank, tiles, task, "launch of the ranks of voxels");
  return status;
}

static RcStatus
write_first (const Run *run, RcCudaVoxelTask *task)
{
  const int64_t elements = task->max_voxels * task->max_points * task->channels;
  const RcStatus status = launch_task (run, rc_cuda_voxel_count_first, blocks_for (run->cuda, task->max_voxels,
          RC_CUDA_VOXEL_THREADS, task->group_items), task, "launch of the counts of the points of voxels");

  if (status != RC_OK)
    return status;
  return launch_task (run, first_kernel (&run->plan->spec), blocks_for (run->cuda, elements, RC_CUDA_VOXEL_TILE,
          task->group_items), task, "launch of the output of the points of voxels");
}

/* Sparse outputs have room for as many voxels, whatever came; ranks there are none of no points. */
static RcStatus
write_group (const Run *run, const void *write, RcCudaVoxelTask *task)
{
  const RcVoxelSpec *spec = &run->plan->spec;
  const dim3 tiles = { task->rank_tiles, 1, 1 };
  RcStatus status;

  if (spec->output == RC_VOXEL_RANK)
    return task->n_points > 0 ? launch_task (run, write, tiles, task, "launch of the output of ranks") : RC_OK;
  status = launch_task (run, write, blocks_for (run->cuda, task->max_voxels, RC_CUDA_VOXEL_THREADS, task->group_items),
      task, "launch of the output of sparse voxels");
  return status == RC_OK && spec->mode == RC_VOXEL_FIRST ? write_first (run, task) : status;
}

static RcStatus
end_group (const Run *run, const void *write, RcCudaVoxelTask *task)
{
  const int64_t n = task->group_items * task->n_points;
  RcStatus status = RC_OK;

  task->group_points = (uint32_t) task->n_points;
  task->sort_tiles = (uint32_t) ceil_divide (n, RC_CUDA_VOXEL_SORT_TILE);
  task->rank_tiles = (uint32_t) (n / RC_CUDA_VOXEL_RANK_TILE + 1);
  task->sorted = 0;
  if (n > 0)
    status = sort_group (run, task);
  if (n > 0 && status == RC_OK)
    status = rank_group (run, task);
  return status == RC_OK ? write_group (run, write, task) : status;
}

static RcStatus
end_sorted (const Run *run, const State *state, RcCudaVoxelTask *task)
{
  RcStatus status = RC_OK;

  for (task->first_item = 0; task->first_item < task->batch && status == RC_OK; task->first_item += task->group) {
    task->group_items = lesser (task->group, task->batch - task->first_item);
    status = end_group (run, state->write, task);
  }
  return status;
}

/* ---- maps ---- */

/* Most of a map is there; nothing is left where every item had all its points, as the host may know. */
static RcStatus
end_map (const Run *run, const State *state, RcCudaVoxelTask *task)
{
  const int64_t n = task->n_points - task->first_point;
  const RcVoxelPlan *plan = run->plan;
  const RcVoxelSpec *spec = &plan->spec;
  const int is_complete = plan->added == task->n_points && !plan->has_counts && task->item_points == NULL;
  const RcStatus status = task->sorts ? end_sorted (run, state, task) : task->in_bitmap ? finish_ranks (run, task) : RC_OK;

  if (status != RC_OK || (is_complete && spec->output == RC_VOXEL_INDEX))
    return status;
  return launch_task (run, task->in_bitmap ? state->write : rc_cuda_voxel_finish_map, blocks_for (run->cuda, n,
          task->in_bitmap ? RC_CUDA_VOXEL_THREADS : RC_CUDA_VOXEL_TILE, task->batch), task,
      "launch of the end of a map of points");
}

/* ---- dense ---- */

static RcStatus
end_dense (const Run *run, const State *state, RcCudaVoxelTask *task)
{
  RcStatus status = RC_OK;

  task->whole = ((uint64_t) (uintptr_t) task->grid | (uint64_t) task->grid_batch_stride) % 16 == 0;
  if (task->slabs > 0)
    return launch_slabs (run, state, task);
  if (task->ranked)
    status = finish_ranks (run, task);
  if (status != RC_OK)
    return status;
  return launch_task (run, state->write, blocks_for (run->cuda, state->units, RC_CUDA_VOXEL_THREADS, task->batch),
      task, "launch of the output of a voxel grid");
}

/* ---- sparse, of accumulators that are kept ---- */

static RcStatus
end_kept_sparse (const Run *run, const State *state, RcCudaVoxelTask *task)
{
  const dim3 tiles = blocks_for (run->cuda, task->kept_tiles, 1, task->batch), items = { 1, tiles.y, 1 };
  RcStatus status = launch_task (run, rc_cuda_voxel_count_tiles, tiles, task, "launch of the count of voxels of tiles");

  if (status == RC_OK)
    status = launch_task (run, rc_cuda_voxel_scan_tiles, items, task, "launch of the sum of counts of tiles");
  if (status == RC_OK)
    status = launch_task (run, state->write, tiles, task, "launch of the output of sparse voxels by tiles");
  return status;
}

/* ---- outputs ---- */

static RcStatus
check_aligned (const char *name, const void *pointer, int64_t batch_stride, int64_t size, RcError *error)
{
  if ((uint64_t) (uintptr_t) pointer % (uint64_t) size == 0 && batch_stride % size == 0)
    return RC_OK;
  return rc_error_set (error, RC_INVALID_ARGUMENT, "%s is %p, batch stride %" PRId64 "; expected multiples of %" PRId64
      ", the bytes of an element, on a GPU", name, pointer, batch_stride, size);
}

static RcStatus
take_out (const RcVoxelPlan *plan, const RcVoxelOut *out, RcCudaVoxelTask *task, RcError *error)
{
  const RcVoxelSpec *spec = &plan->spec;
  const int has_batch = spec->batch > 1, has_values = rc_voxel_has_values (spec);
  const int64_t size = spec->output == RC_VOXEL_BITS ? 4 : (int64_t) rc_dtype_size (spec->dtype);
  RcStatus status;

  task->counters = out->counters;
  if (rc_voxel_maps_points (spec->output))
    return RC_OK;
  if (spec->output != RC_VOXEL_SPARSE) {
    task->grid = out->grid;
    task->grid_batch_stride = has_batch ? out->grid_batch_stride : 0;
    task->occupied = rc_voxel_bitmap_bytes (plan) > 0 ? out->occupied : NULL;
    task->occupied_batch_stride = has_batch ? out->occupied_batch_stride : 0;
    task->is_known = task->occupied != NULL && out->is_known;
    status = check_aligned ("grid", task->grid, task->grid_batch_stride, size, error);
    if (status == RC_OK && task->occupied != NULL)
      status = check_aligned ("occupied", task->occupied, task->occupied_batch_stride, 4, error);
    return status;
  }
  task->grid = has_values ? out->values : NULL;
  task->grid_batch_stride = has_batch && has_values ? out->values_batch_stride : 0;
  task->n_voxels = out->n_voxels;
  task->n_voxels_batch_stride = has_batch ? out->n_voxels_batch_stride : 0;
  task->coordinates = out->coordinates;
  task->coordinates_batch_stride = has_batch ? out->coordinates_batch_stride : 0;
  task->point_counts = out->point_counts;
  task->point_counts_batch_stride = has_batch ? out->point_counts_batch_stride : 0;
  status = has_values ? check_aligned ("values", task->grid, task->grid_batch_stride, size, error) : RC_OK;
  if (status == RC_OK)
    status = check_aligned ("n_voxels", task->n_voxels, task->n_voxels_batch_stride, 4, error);
  if (status == RC_OK)
    status = check_aligned ("coordinates", task->coordinates, task->coordinates_batch_stride, 4, error);
  if (status == RC_OK && spec->mode == RC_VOXEL_FIRST)
    status = check_aligned ("point_counts", task->point_counts, task->point_counts_batch_stride, 4, error);
  return status;
}

/* ---- the phases ---- */

static RcStatus
launch_begin (const Run *run, const State *state, RcCudaVoxelTask *task)
{
  const int64_t beside = (int64_t) ((task->ones_bytes + task->zeros_bytes) / 16);
  const int64_t vectors = (int64_t) (task->clear_bytes / 16) + ceil_divide (beside, task->batch);
  RcStatus status = RC_OK;

  if (run->job->goes_on)
    return launch_task (run, rc_cuda_voxel_go_on, blocks_for (run->cuda, task->batch, RC_CUDA_VOXEL_THREADS, 1), task,
        "launch of the begin of a voxel grid that goes on");
  /* a head alone is begun by the first chunk */
  if (task->clear_bytes > sizeof (RcCudaVoxelHead) || task->sorts)
    status = launch_task (run, rc_cuda_voxel_clear, blocks_for (run->cuda, vectors, RC_CUDA_VOXEL_THREADS, task->batch),
        task, "launch of the clearing of a voxel grid");
  if (status == RC_OK && rc_voxel_is_mean (run->plan) && !task->needs_range)
    status = launch_scales (run, task);
  return status;
}

static RcStatus
launch_range (const Run *run, const State *state, RcCudaVoxelTask *task)
{
  take_chunk (run->plan, run->chunk, task);
  return launch_points (run, task->aligned ? state->range : state->range_anywhere, (size_t) task->channels * sizeof (uint64_t), task,
      "launch of the range of features");
}

static RcStatus
launch_add (const Run *run, const State *state, RcCudaVoxelTask *task)
{
  RcStatus status = RC_OK;

  take_chunk (run->plan, run->chunk, task);
  if (task->needs_range && run->plan->added == 0)
    status = task->ranked ? launch_ranks (run, task) : launch_scales (run, task);
  if (status == RC_OK)
    status = task->slabs > 0 ? launch_bins (run, state->add, task) : launch_points (run, task->aligned ? state->add
        : state->add_anywhere, 0, task, "launch of the adding of points");
  return status;
}

static RcStatus
launch_remove (const Run *run, const State *state, RcCudaVoxelTask *task)
{
  take_chunk (run->plan, run->chunk, task);
  return launch_points (run, state->remove, 0, task, "launch of the removal of points");
}

static RcStatus
launch_end (const Run *run, const State *state, RcCudaVoxelTask *task)
{
  if (rc_voxel_maps_points (run->plan->spec.output))
    return end_map (run, state, task);
  if (task->kept_tiles > 0)
    return end_kept_sparse (run, state, task);
  return task->sorts ? end_sorted (run, state, task) : task->in_bitmap ? end_in_bitmap (run, state, task)
      : end_dense (run, state, task);
}

typedef RcStatus (*LaunchPhase) (const Run * run, const State * state, RcCudaVoxelTask * task);

static RcStatus
run_phase (RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelChunk *chunk, const RcVoxelOut *out, RcStream stream,
    LaunchPhase launch_phase, RcError *error)
{
  RcCudaBackend *cuda = (RcCudaBackend *) plan->backend;
  const State *state = plan->backend_state;
  const Run run = { cuda, (cudaStream_t) stream, plan, job, chunk, error };
  RcCudaVoxelTask task = state->task;
  RcStatus status = rc_cuda_check_stream (stream, error);

  if (status == RC_OK && rc_voxel_maps_points (plan->spec.output))
    status = check_aligned ("point_voxels", job->point_voxels, plan->spec.batch > 1 ? job->point_voxels_batch_stride : 0,
        8, error);
  if (status == RC_OK && out != NULL)
    status = take_out (plan, out, &task, error);
  if (status == RC_OK)
    status = rc_cuda_enter (cuda, error);
  if (status != RC_OK)
    return status;
  take_job (plan, job, &task);
  status = launch_phase (&run, state, &task);
  rc_cuda_leave (cuda);
  return status;
}

static RcStatus
begin (RcVoxelPlan *plan, const RcVoxelJob *job, RcStream stream, RcError *error)
{
  return run_phase (plan, job, NULL, NULL, stream, launch_begin, error);
}

static RcStatus
range (RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelChunk *chunk, RcStream stream, RcError *error)
{
  return run_phase (plan, job, chunk, NULL, stream, launch_range, error);
}

static RcStatus
add (RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelChunk *chunk, RcStream stream, RcError *error)
{
  return run_phase (plan, job, chunk, NULL, stream, launch_add, error);
}

static RcStatus
take_points_out (RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelChunk *chunk, RcStream stream, RcError *error)
{
  return run_phase (plan, job, chunk, NULL, stream, launch_remove, error);
}

static RcStatus
end (RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelOut *out, RcStream stream, RcError *error)
{
  return run_phase (plan, job, NULL, out, stream, launch_end, error);
}

const RcVoxelOps rc_cuda_voxel_ops = {
  .prepare = prepare,
  .release = release,
  .begin = begin,
  .range = range,
  .add = add,
  .remove = take_points_out,
  .end = end,
};
