/* robocache: voxel grids on the GPU: which kernels each phase launches
 *
 * kernels.h has the map. Functions follow the phases: points, ranks, sorted keys, maps, points in place, outputs, ranges;
 * at the end the phases themselves, which fill RcCudaVoxelArguments and call these.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "launch.h"

#include "state.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MAX_BLOCKS_Y 65535
#define BLOCKS_PER_MULTIPROCESSOR 8     /* that run at once */
#define FEATURE_BLOCKS 4        /* the same for kernels that read features */
#define MAX_VOXELS_A_POINT 32  /* with more of them ranks are faster than slabs */

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

/* Blocks for n units of each item, of which a block takes `each` at a time. There are few more than the GPU runs at once,
 * which is of_multiprocessor each, since blocks loop over the units that are left. */
static dim3
few_blocks_for (const RcCudaBackend *cuda, int64_t n, int64_t each, int64_t items, int64_t of_multiprocessor)
{
  const int64_t at_once = (int64_t) cuda->multiprocessors * of_multiprocessor;
  const int64_t y = rc_cuda_lesser (items, MAX_BLOCKS_Y), most = rc_cuda_ceil_divide (at_once, y);
  const int64_t wish = rc_cuda_ceil_divide (n, each);

  return (dim3) { (unsigned) (wish < 1 ? 1 : rc_cuda_lesser (wish, most)), (unsigned) y, 1 };
}

static dim3
blocks_for (const RcCudaBackend *cuda, int64_t n, int64_t each, int64_t items)
{
  return few_blocks_for (cuda, n, each, items, BLOCKS_PER_MULTIPROCESSOR);
}

/* Where the device allows, the kernel begins before the previous one has ended, and waits for its end itself, as all voxel
 * kernels do. */
static RcStatus
launch_blocks (const Run *run, const RcCudaVoxelKernel *kernel, dim3 grid, unsigned threads, size_t shared_bytes,
    RcCudaVoxelArguments *args, const char *call)
{
  const RcCudaVoxelState *state = run->plan->backend_state;
  cudaLaunchAttribute early = rc_cuda_early ();
  const cudaLaunchConfig_t config = { grid, {threads, 1, 1}, shared_bytes, run->stream, &early, (unsigned) state->begins_early };
  void *arguments[RC_CUDA_VOXEL_MAX_PARTS];
  uint16_t i;

  for (i = 0; i < kernel->parts.n; i++)
    arguments[i] = (char *) args + kernel->parts.offsets[i];
  return check (run, cudaLaunchKernelExC (&config, kernel->function, arguments), call);
}

static RcStatus
launch (const Run *run, const RcCudaVoxelKernel *kernel, dim3 grid, RcCudaVoxelArguments *args, const char *call)
{
  return launch_blocks (run, kernel, grid, RC_CUDA_VOXEL_THREADS, 0, args, call);
}

/* Whether every item had all its points, as far as the host knows. */
static int
is_complete (const Run *run)
{
  return run->plan->added == run->job->n_points && !run->plan->has_counts && run->job->item_points == NULL;
}

static RcStatus
launch_slabs (const Run *run, const RcCudaVoxelState *state, RcCudaVoxelArguments *args)
{
  const dim3 grid = { (unsigned) (args->job.batch * args->slabs.n), 1, 1 };

  args->slabs.is_complete = is_complete (run);
  return launch_blocks (run, state->write, grid, RC_CUDA_VOXEL_SLAB_THREADS,
      args->dense.is_known ? rc_cuda_voxel_slab_bytes (args) : state->whole_slab_bytes, args,
      "launch of the output of a voxel grid, by slabs");
}

/* ---- points ---- */

static int64_t
points_of (const RcVoxelPlan *plan, const RcVoxelChunk *chunk)
{
  return plan->spec.source == RC_VOXEL_DEPTH ? chunk->n * plan->spec.depth.width : chunk->n;
}

static void
set_points (const RcVoxelPlan *plan, const RcVoxelChunk *chunk, RcCudaVoxelArguments *args)
{
  const uint64_t size = (uint64_t) ((const RcCudaVoxelState *) plan->backend_state)->element_bytes;

  args->chunk.data = chunk->data;
  args->chunk.n = chunk->n;
  args->chunk.stride = chunk->stride;
  args->chunk.batch_stride = plan->spec.batch > 1 ? chunk->batch_stride : 0;
  args->chunk.counts = chunk->counts;
  args->chunk.first_row = chunk->first_row;
  args->chunk.layer = chunk->layer;
  args->chunk.is_aligned = ((uint64_t) (uintptr_t) chunk->data | (chunk->n > 1 ? (uint64_t) chunk->stride : 0)
      | (uint64_t) args->chunk.batch_stride) % size == 0;
  args->chunk.is_packed = chunk->stride == 12
      && ((uint64_t) (uintptr_t) chunk->data | (uint64_t) args->chunk.batch_stride) % 16 == 0;
}

static void
set_chunk (const RcVoxelPlan *plan, const RcVoxelChunk *chunk, RcCudaVoxelArguments *args)
{
  set_points (plan, chunk, args);
  args->chunk.counters = chunk->counters;
}

/* A thread takes one point at a time if points have features, or if the output is a map, which waits for nothing but its
 * own bytes. */
static RcStatus
launch_points (const Run *run, const RcCudaVoxelKernel *kernel, size_t shared_bytes, RcCudaVoxelArguments *args,
    const char *call)
{
  const int64_t points = points_of (run->plan, run->chunk);
  const int one_each = run->plan->features || rc_voxel_maps_points (run->plan->spec.output);
  const dim3 grid = few_blocks_for (run->cuda, points, one_each ? RC_CUDA_VOXEL_THREADS : RC_CUDA_VOXEL_TILE, args->job.batch,
      run->plan->features ? FEATURE_BLOCKS : BLOCKS_PER_MULTIPROCESSOR);

  return launch_blocks (run, kernel, grid, RC_CUDA_VOXEL_THREADS, shared_bytes, args, call);
}

/* Whether the chunk has every point of the job, as far as the host knows, and point numbers leave a bit free. */
static int
has_all_points (const Run *run)
{
  const RcVoxelJob *job = run->job;

  return run->chunk->n == job->n_points && run->chunk->counts == NULL && job->item_points == NULL
      && job->n_points <= INT32_MAX;
}

static int
has_whole_tiles (const Run *run, const RcCudaVoxelKernel *kernel, const RcCudaVoxelArguments *args)
{
  return kernel == &rc_cuda_voxel_bin[RC_CUDA_VOXEL_FLOAT32] && args->chunk.is_packed && args->job.is_first
      && has_all_points (run) && args->job.batch <= MAX_BLOCKS_Y;
}

/* A block for each tile: blocks are short, and many are under way. */
static RcStatus
launch_bins (const Run *run, const RcCudaVoxelKernel *of_any, RcCudaVoxelArguments *args)
{
  const RcCudaVoxelKernel *kernel = has_whole_tiles (run, of_any, args) ? &rc_cuda_voxel_bin_whole : of_any;
  const int64_t points = points_of (run->plan, run->chunk);
  /* one more, whose first points an earlier chunk had */
  const int64_t tiles = rc_cuda_ceil_divide (points, RC_CUDA_VOXEL_BIN_TILE) + !args->job.is_first;
  const unsigned items = (unsigned) rc_cuda_lesser (args->job.batch, MAX_BLOCKS_Y);
  const dim3 grid = { (unsigned) rc_cuda_lesser (tiles, INT32_MAX), items, 1 };

  return launch (run, kernel, grid, args, "launch of the adding of points, by bins");
}

static int
indexes_whole (const Run *run, const RcCudaVoxelState *state, const RcCudaVoxelArguments *args)
{
  return state->index_whole != NULL && args->chunk.is_aligned && args->job.is_first && has_all_points (run)
      && args->job.batch <= MAX_BLOCKS_Y;
}

static RcStatus
launch_index (const Run *run, const RcCudaVoxelState *state, RcCudaVoxelArguments *args)
{
  const int64_t blocks = rc_cuda_ceil_divide (args->chunk.n, RC_CUDA_VOXEL_THREADS);
  const dim3 grid = { (unsigned) (blocks > 0 ? blocks : 1), (unsigned) args->job.batch, 1 };

  return launch (run, state->index_whole, grid, args, "launch of the indices of points");
}

static RcStatus
launch_scales (const Run *run, RcCudaVoxelArguments *args)
{
  return launch (run, &rc_cuda_voxel_set_scales, blocks_for (run->cuda, 1, 1, args->job.batch), args,
      "launch of the scales of a voxel grid");
}

/* ---- the points of voxels ---- */

/* Lists the points of each voxel, once these are counted. */
static RcStatus
list_first (const Run *run, RcCudaVoxelArguments *args)
{
  const RcStatus status = launch (run, &rc_cuda_voxel_begin_lists, blocks_for (run->cuda, args->first.voxels, RC_CUDA_VOXEL_THREADS,
          args->job.batch), args, "launch of the beginnings of lists");

  return status == RC_OK ? launch (run, &rc_cuda_voxel_list_first, blocks_for (run->cuda, args->job.n_points, RC_CUDA_VOXEL_THREADS,
          args->job.batch), args, "launch of the lists of points") : status;
}

/* Writes the first points of each voxel and their number, for the items of a group. */
static RcStatus
write_first (const Run *run, RcCudaVoxelArguments *args)
{
  return launch (run, rc_cuda_voxel_first_kernel (&run->plan->spec), blocks_for (run->cuda, args->rows.max_voxels, RC_CUDA_VOXEL_WARPS,
          args->group.items), args, "launch of the output of the points of voxels");
}

/* ---- ranks ---- */

static RcStatus
rank_bitmap (const Run *run, RcCudaVoxelArguments *args, uint32_t which)
{
  const dim3 tiles = blocks_for (run->cuda, args->ranks.bitmaps[which].tiles, 1, args->job.batch);
  RcStatus status;

  args->bitmap = which;
  status = launch (run, &rc_cuda_voxel_count_set_bits, tiles, args, "launch of the count of voxels' bits");

  return status == RC_OK ? launch (run, &rc_cuda_voxel_rank_set_bits, tiles, args, "launch of the ranks of voxels' bits")
      : status;
}

/* Ranks the voxels that are marked by now. Sets the scales, too, since range has found what they depend on. */
static RcStatus
launch_ranks (const Run *run, RcCudaVoxelArguments *args)
{
  RcStatus status = rank_bitmap (run, args, 0);

  if (args->ranks.block_bits == 0)
    return status;
  if (status == RC_OK)
    status = launch (run, &rc_cuda_voxel_mark_in_blocks, blocks_for (run->cuda, args->job.n_points, RC_CUDA_VOXEL_THREADS,
            args->job.batch), args, "launch of the bits of voxels in blocks");
  return status == RC_OK ? rank_bitmap (run, args, 1) : status;
}

/* Voxels with ranks during add got them before the first point. Without any point they have none yet. */
static RcStatus
finish_ranks (const Run *run, RcCudaVoxelArguments *args)
{
  return args->ranks.is_ranked && run->plan->added > 0 ? RC_OK : launch_ranks (run, args);
}

static RcStatus
end_in_bitmap (const Run *run, const RcCudaVoxelState *state, RcCudaVoxelArguments *args)
{
  const int is_listed = rc_voxel_lists_points (run->plan->spec.mode);
  RcStatus status = finish_ranks (run, args);

  if (status == RC_OK && args->stored.is_deferred)
    status = launch (run, state->add_deferred, blocks_for (run->cuda, args->job.n_points, RC_CUDA_VOXEL_THREADS,
            args->job.batch), args, "launch of the adding or counting of points that were deferred");
  if (status == RC_OK && is_listed)
    status = list_first (run, args);
  if (status == RC_OK)
    status = launch (run, state->write, blocks_for (run->cuda, args->rows.max_voxels, RC_CUDA_VOXEL_THREADS, args->job.batch), args,
        "launch of the output of sparse voxels");
  if (status != RC_OK || !is_listed)
    return status;
  args->group.items = args->job.batch;
  return write_first (run, args);
}

/* ---- sorted keys ---- */

/* Bits that distinguish the keys of a group and RC_CUDA_VOXEL_NO_KEY. */
static uint32_t
key_bits (const RcCudaVoxelArguments *args)
{
  return 64 - (uint32_t) __builtin_clzll ((uint64_t) args->group.items * args->stored.key_voxels);
}

/* Sorts the keys of a group, in digits of about equal bits.
 *
 *   21 key bits, digits of at most 8:  3 passes of 7 bits, from the lowest digit on
 */
static RcStatus
sort_group (const Run *run, RcCudaVoxelArguments *args)
{
  const uint32_t all_bits = key_bits (args);
  const uint32_t passes = (all_bits + RC_CUDA_VOXEL_DIGIT_BITS - 1) / RC_CUDA_VOXEL_DIGIT_BITS;
  const uint32_t max_bits = (all_bits + passes - 1) / passes;
  const RcCudaVoxelKernel *move = &rc_cuda_voxel_sort_move[rc_voxel_is_ordered (run->plan)];
  const dim3 tiles = { args->group.sort_tiles, 1, 1 }, digits = { RC_CUDA_VOXEL_DIGITS, 1, 1 };
  RcCudaVoxelDigit *digit = &args->digit;
  RcStatus status = RC_OK;

  digit->from = 0;
  for (digit->first_bit = 0; digit->first_bit < all_bits && status == RC_OK; digit->first_bit += digit->bits) {
    digit->bits = all_bits - digit->first_bit < max_bits ? all_bits - digit->first_bit : max_bits;
    status = launch (run, &rc_cuda_voxel_sort_count, tiles, args, "launch of the sort of voxels, counting");
    if (status == RC_OK)
      status = launch (run, &rc_cuda_voxel_sort_scan, digits, args, "launch of the sort of voxels, adding up");
    if (status == RC_OK)
      status = launch (run, move, tiles, args, "launch of the sort of voxels, moving");
    digit->from = !digit->from;
  }
  args->group.sorted = (int32_t) digit->from;
  return status;
}

/* Ranks the sorted keys. The starts of voxels take the place of the keys that were sorted from. */
static RcStatus
rank_group (const Run *run, RcCudaVoxelArguments *args)
{
  const dim3 tiles = { args->group.rank_tiles, 1, 1 }, one = { 1, 1, 1 };
  RcStatus status;

  args->group.starts = (uint32_t *) (args->stored.keys[!args->group.sorted] + args->group.first_item * args->job.n_points);
  status = launch (run, &rc_cuda_voxel_count_voxels, tiles, args, "launch of the count of voxels");
  if (status == RC_OK)
    status = launch (run, &rc_cuda_voxel_scan_voxels, one, args, "launch of the sum of counts of voxels");
  if (status == RC_OK)
    status = launch (run, &rc_cuda_voxel_rank, tiles, args, "launch of the ranks of voxels");
  return status;
}

/* Output sparse is written for max_voxels voxels, even of no points; ranks of no points need no launch. */
static RcStatus
write_group (const Run *run, const RcCudaVoxelKernel *write, RcCudaVoxelArguments *args)
{
  const RcVoxelSpec *spec = &run->plan->spec;
  const dim3 tiles = { args->group.rank_tiles, 1, 1 };
  RcStatus status;

  if (spec->output == RC_VOXEL_RANK)
    return args->job.n_points > 0 ? launch (run, write, tiles, args, "launch of the output of ranks") : RC_OK;
  status = launch (run, write, blocks_for (run->cuda, args->rows.max_voxels, RC_CUDA_VOXEL_THREADS, args->group.items),
      args, "launch of the output of sparse voxels");
  return status == RC_OK && rc_voxel_lists_points (spec->mode) ? write_first (run, args) : status;
}

static RcStatus
end_group (const Run *run, const RcCudaVoxelKernel *write, RcCudaVoxelArguments *args)
{
  const int64_t n = args->group.items * args->job.n_points;
  RcStatus status = RC_OK;

  args->group.item_points = (uint32_t) args->job.n_points;
  args->group.sort_tiles = (uint32_t) rc_cuda_ceil_divide (n, RC_CUDA_VOXEL_SORT_TILE);
  args->group.rank_tiles = (uint32_t) (n / RC_CUDA_VOXEL_RANK_TILE + 1);
  args->group.sorted = 0;
  if (n > 0)
    status = sort_group (run, args);
  if (n > 0 && status == RC_OK)
    status = rank_group (run, args);
  return status == RC_OK ? write_group (run, write, args) : status;
}

static RcStatus
end_sorted (const Run *run, const RcCudaVoxelState *state, RcCudaVoxelArguments *args)
{
  RcCudaVoxelGroup *group = &args->group;
  const int64_t each = args->stored.group_items;
  RcStatus status = RC_OK;

  for (group->first_item = 0; group->first_item < args->job.batch && status == RC_OK; group->first_item += each) {
    group->items = rc_cuda_lesser (each, args->job.batch - group->first_item);
    status = end_group (run, state->write, args);
  }
  return status;
}

/* ---- maps ---- */

/* Most of a map is written by now. Nothing is left of output index where every item had all its points, as far as the host
 * knows. */
static RcStatus
end_map (const Run *run, const RcCudaVoxelState *state, RcCudaVoxelArguments *args)
{
  const int64_t n = args->job.n_points - args->map.first_point;
  const RcVoxelPlan *plan = run->plan;
  const RcVoxelSpec *spec = &plan->spec;
  const RcStatus status = state->sorts ? end_sorted (run, state, args) : args->ranks.in_bitmap ? finish_ranks (run, args) : RC_OK;

  if (status != RC_OK || (is_complete (run) && spec->output == RC_VOXEL_INDEX))
    return status;
  return launch (run, args->ranks.in_bitmap ? state->write : &rc_cuda_voxel_finish_map, blocks_for (run->cuda, n,
          args->ranks.in_bitmap ? RC_CUDA_VOXEL_THREADS : RC_CUDA_VOXEL_TILE, args->job.batch), args,
      "launch of the end of a map of points");
}

/* ---- points that stay in place ---- */

/* Shared memory of a block that finds the range of features. */
static size_t
greatest_bytes (const RcCudaVoxelArguments *args)
{
  return (size_t) args->values.channels * sizeof (uint64_t);
}

static const RcCudaVoxelInPlace *
kernels_in_place (const RcCudaVoxelState *state, const RcCudaVoxelArguments *args)
{
  return args->chunk.is_aligned ? &state->in_place : &state->in_place_anywhere;
}

/* Whether slabs have enough points to be worth a block each, and bins have capacity for them with a quarter to spare,
 * unless points crowd. */
static int
fits_slabs (const RcCudaVoxelArguments *args)
{
  return args->chunk.n >= args->grid.voxels / MAX_VOXELS_A_POINT
      && args->chunk.n / 3 <= (int64_t) args->bins.bins * args->bins.capacity / 4 && args->job.batch <= MAX_BLOCKS_Y;
}

/* A block per tile of points. The block copies its tile to shared memory if that fits and points are aligned to 16 bytes. */
static RcStatus
range_in_place (const Run *run, const RcCudaVoxelState *state, RcCudaVoxelArguments *args)
{
  const size_t least = RC_CUDA_VOXEL_MEAN_GREATEST_BYTES ((size_t) args->values.channels);
  const int64_t most = (int64_t) ((state->bin_bytes - least) / RC_CUDA_VOXEL_MEAN_TILE);
  const uint64_t where = (uint64_t) (uintptr_t) args->chunk.data | (uint64_t) args->chunk.batch_stride;
  const int64_t tiles = rc_cuda_ceil_divide (args->chunk.n, RC_CUDA_VOXEL_MEAN_TILE);
  const dim3 grid = { (unsigned) (tiles > 0 ? tiles : 1), (unsigned) args->job.batch, 1 };

  if (where % 16 == 0 && args->chunk.stride >= run->plan->unit_bytes && args->chunk.stride <= most)
    args->bins.copied_bytes = (int32_t) run->plan->unit_bytes;
  return launch_blocks (run, kernels_in_place (state, args)->range, grid, RC_CUDA_VOXEL_MEAN_BIN_THREADS,
      least + (args->bins.copied_bytes > 0 ? (size_t) args->chunk.stride * RC_CUDA_VOXEL_MEAN_TILE : 0), args,
      "launch of the range of features, of points in place");
}

static RcStatus
mark_in_place (const Run *run, RcCudaVoxelArguments *args)
{
  return launch (run, &rc_cuda_voxel_mark_binned, blocks_for (run->cuda, args->bins.bins, 1, args->job.batch), args,
      "launch of the marking of voxels");
}

static RcStatus
end_in_place (const Run *run, const RcCudaVoxelState *state, RcCudaVoxelArguments *args)
{
  const dim3 slabs = { (unsigned) (args->job.batch * args->bins.slabs), 1, 1 };

  set_points (run->plan, &state->chunk, args);
  args->chunk.counters = state->chunk.counters;
  return launch_blocks (run, kernels_in_place (state, args)->write[args->values.channels % 4 == 0], slabs, RC_CUDA_VOXEL_THREADS,
      state->mean_bytes, args, "launch of the output of a voxel grid, of points in place");
}

/* ---- dense ---- */

static RcStatus
end_dense (const Run *run, const RcCudaVoxelState *state, RcCudaVoxelArguments *args)
{
  RcStatus status = RC_OK;

  if (args->slabs.n > 0)
    return launch_slabs (run, state, args);
  if (state->stays)
    return end_in_place (run, state, args);
  if (args->ranks.is_ranked)
    status = finish_ranks (run, args);
  if (status != RC_OK)
    return status;
  return launch (run, state->write, blocks_for (run->cuda, state->units, RC_CUDA_VOXEL_THREADS, args->job.batch),
      args, "launch of the output of a voxel grid");
}

/* ---- sparse, of accumulators that are kept ---- */

static RcStatus
end_window_sparse (const Run *run, const RcCudaVoxelState *state, RcCudaVoxelArguments *args)
{
  const dim3 tiles = blocks_for (run->cuda, args->window.tiles, 1, args->job.batch), items = { 1, tiles.y, 1 };
  RcStatus status = launch (run, &rc_cuda_voxel_count_tiles, tiles, args, "launch of the count of voxels of tiles");

  if (status == RC_OK)
    status = launch (run, &rc_cuda_voxel_scan_tiles, items, args, "launch of the sum of counts of tiles");
  if (status == RC_OK)
    status = launch (run, state->write, tiles, args, "launch of the output of sparse voxels by tiles");
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

/* Whether to write the whole grid though its content is known. About as many sectors change as there are points, since
 * points of a sensor share sectors, and scattered sectors take about four times as long as their bytes in order. */
static int
is_cheaper_whole (const RcVoxelPlan *plan, const RcVoxelJob *job)
{
  return !rc_voxel_profits_from_known (plan) || (plan->spec.mode == RC_VOXEL_OCCUPANCY && !plan->accumulates
      && job->n_points > rc_voxel_value_bytes (plan) / (32 * 4));
}

static RcStatus
set_dense (const RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelOut *out, RcCudaVoxelDense *dense, RcError *error)
{
  const int has_batch = plan->spec.batch > 1;
  const int64_t size = plan->spec.output == RC_VOXEL_BITS ? 4 : (int64_t) rc_dtype_size (plan->spec.dtype);
  RcStatus status;

  dense->data = out->grid;
  dense->batch_stride = has_batch ? out->grid_batch_stride : 0;
  dense->is_whole = ((uint64_t) (uintptr_t) dense->data | (uint64_t) dense->batch_stride) % 16 == 0;
  dense->occupied = rc_voxel_bitmap_bytes (plan) > 0 ? out->occupied : NULL;
  dense->occupied_batch_stride = has_batch ? out->occupied_batch_stride : 0;
  dense->is_known = dense->occupied != NULL && out->is_known && !is_cheaper_whole (plan, job);
  dense->counters = out->counters;
  status = check_aligned ("grid", dense->data, dense->batch_stride, size, error);
  if (status == RC_OK && dense->occupied != NULL)
    status = check_aligned ("occupied", dense->occupied, dense->occupied_batch_stride, 4, error);
  return status;
}

static RcStatus
set_rows (const RcVoxelPlan *plan, const RcVoxelOut *out, RcCudaVoxelRows *rows, RcError *error)
{
  const int has_batch = plan->spec.batch > 1, has_values = rc_voxel_has_values (&plan->spec);
  RcStatus status = RC_OK;

  rows->values = has_values ? out->values : NULL;
  rows->values_batch_stride = has_batch && has_values ? out->values_batch_stride : 0;
  rows->n_voxels = out->n_voxels;
  rows->n_voxels_batch_stride = has_batch ? out->n_voxels_batch_stride : 0;
  rows->coordinates = out->coordinates;
  rows->coordinates_batch_stride = has_batch ? out->coordinates_batch_stride : 0;
  rows->point_counts = out->point_counts;
  rows->point_counts_batch_stride = has_batch ? out->point_counts_batch_stride : 0;
  rows->counters = out->counters;
  if (has_values)
    status = check_aligned ("values", rows->values, rows->values_batch_stride, (int64_t) rc_dtype_size (plan->spec.dtype), error);
  if (status == RC_OK)
    status = check_aligned ("n_voxels", rows->n_voxels, rows->n_voxels_batch_stride, 4, error);
  if (status == RC_OK)
    status = check_aligned ("coordinates", rows->coordinates, rows->coordinates_batch_stride, 4, error);
  if (status == RC_OK && rc_voxel_lists_points (plan->spec.mode))
    status = check_aligned ("point_counts", rows->point_counts, rows->point_counts_batch_stride, 4, error);
  return status;
}

static RcStatus
set_output (const RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelOut *out, RcCudaVoxelArguments *args, RcError *error)
{
  if (plan->spec.output == RC_VOXEL_SPARSE)
    return set_rows (plan, out, &args->rows, error);
  if (rc_voxel_is_grid (plan->spec.output))
    return set_dense (plan, job, out, &args->dense, error);
  args->map.counters = out->counters;
  return RC_OK;
}

/* ---- ranges of features ---- */

static RcStatus
find_range (const Run *run, const RcCudaVoxelState *state, RcCudaVoxelArguments *args)
{
  return launch_points (run, args->chunk.is_aligned ? state->range : state->range_anywhere, greatest_bytes (args), args,
      "launch of the range of features");
}

/* Stores ranges that a job knows. They are kernel arguments, so that the caller need not keep them. */
static RcStatus
put_ranges (const Run *run, RcCudaVoxelArguments *args)
{
  const int64_t all = args->job.batch * args->values.channels;
  const dim3 one = { 1, 1, 1 };
  RcCudaVoxelRanges *ranges = &args->ranges;
  RcStatus status = RC_OK;

  for (ranges->first = 0; ranges->first < all && status == RC_OK; ranges->first += ranges->n) {
    ranges->n = rc_cuda_lesser (all - ranges->first, RC_CUDA_VOXEL_RANGES);
    memcpy (ranges->values, run->job->ranges + ranges->first, (size_t) ranges->n * sizeof (double));
    status = launch (run, &rc_cuda_voxel_put_ranges, one, args, "launch of the ranges of features that are known");
  }
  return status;
}

/* Measures the ranges of one chunk, in memory of the plan's own. */
static RcStatus
launch_measure (const Run *run, RcCudaVoxelState *state, RcCudaVoxelArguments *args)
{
  const size_t item_bytes = rc_cuda_voxel_measured_bytes (run->plan), bytes = (size_t) args->job.batch * item_bytes;
  RcStatus status = check (run, cudaMemsetAsync (state->measured, 0, bytes, run->stream), "clearing of ranges");

  set_points (run->plan, run->chunk, args);
  args->job.layout.item_bytes = item_bytes;
  args->job.layout.range = sizeof (RcCudaVoxelHead);
  if (status == RC_OK)
    status = find_range (run, state, args);
  if (status == RC_OK)
    status = check (run, cudaMemcpyAsync (state->ranges, state->measured, bytes, cudaMemcpyDeviceToHost, run->stream),
        "copy of ranges");
  return status == RC_OK ? check (run, cudaStreamSynchronize (run->stream), "wait for ranges") : status;
}

/* ---- the phases ---- */

static RcStatus
launch_begin (const Run *run, RcCudaVoxelState *state, RcCudaVoxelArguments *args)
{
  const int64_t beside = (int64_t) ((args->clear.ones_bytes + args->clear.zeros_bytes) / 16);
  const int64_t vectors = (int64_t) (args->clear.item_bytes / 16) + rc_cuda_ceil_divide (beside, args->job.batch);
  RcStatus status = RC_OK;

  state->stays = 0;
  if (run->job->is_incremental)
    return launch (run, &rc_cuda_voxel_begin_incremental, blocks_for (run->cuda, args->job.batch, RC_CUDA_VOXEL_THREADS, 1), args,
        "launch of the begin of a voxel grid that goes on");
  /* scratch that is a head alone is begun by the first chunk */
  if (args->clear.item_bytes > sizeof (RcCudaVoxelHead) || state->sorts)
    status = launch (run, &rc_cuda_voxel_clear, blocks_for (run->cuda, vectors, RC_CUDA_VOXEL_THREADS, args->job.batch),
        args, "launch of the clearing of a voxel grid");
  if (status == RC_OK && run->plan->knows_ranges)
    status = put_ranges (run, args);
  if (status == RC_OK && rc_voxel_is_mean (run->plan) && !args->job.needs_range)
    status = launch_scales (run, args);
  return status;
}

static RcStatus
launch_range (const Run *run, RcCudaVoxelState *state, RcCudaVoxelArguments *args)
{
  RcStatus status = RC_OK;

  set_chunk (run->plan, run->chunk, args);
  if (state->stays)             /* an empty chunk follows the one that had all points */
    status = mark_in_place (run, args);
  if (status != RC_OK)
    return status;
  state->stays = args->bins.slabs > 0 && has_all_points (run) && fits_slabs (args);
  if (state->stays)
    return range_in_place (run, state, args);
  return find_range (run, state, args);
}

static RcStatus
launch_add (const Run *run, RcCudaVoxelState *state, RcCudaVoxelArguments *args)
{
  RcStatus status = RC_OK;

  set_chunk (run->plan, run->chunk, args);
  if (state->stays && has_all_points (run)) {
    state->chunk = *run->chunk;
    return RC_OK;
  }
  if (indexes_whole (run, state, args))
    return launch_index (run, state, args);
  if (state->stays)
    status = mark_in_place (run, args);
  state->stays = 0;
  if (status == RC_OK && args->job.needs_range && run->plan->added == 0)
    status = args->ranks.is_ranked ? launch_ranks (run, args) : launch_scales (run, args);
  if (status == RC_OK)
    status = args->slabs.n > 0 ? launch_bins (run, state->add, args) : launch_points (run, args->chunk.is_aligned ? state->add
        : state->add_anywhere, 0, args, "launch of the adding of points");
  return status;
}

static RcStatus
launch_remove (const Run *run, RcCudaVoxelState *state, RcCudaVoxelArguments *args)
{
  set_chunk (run->plan, run->chunk, args);
  return launch_points (run, state->remove, 0, args, "launch of the removal of points");
}

static RcStatus
launch_end (const Run *run, RcCudaVoxelState *state, RcCudaVoxelArguments *args)
{
  if (rc_voxel_maps_points (run->plan->spec.output))
    return end_map (run, state, args);
  if (args->window.tiles > 0)
    return end_window_sparse (run, state, args);
  return state->sorts ? end_sorted (run, state, args) : args->ranks.in_bitmap ? end_in_bitmap (run, state, args)
      : end_dense (run, state, args);
}

typedef RcStatus (*LaunchPhase) (const Run * run, RcCudaVoxelState * state, RcCudaVoxelArguments * args);

static RcStatus
run_phase (RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelChunk *chunk, const RcVoxelOut *out, RcStream stream,
    LaunchPhase launch_phase, RcError *error)
{
  RcCudaBackend *cuda = (RcCudaBackend *) plan->backend;
  RcCudaVoxelState *state = plan->backend_state;
  const Run run = { cuda, (cudaStream_t) stream, plan, job, chunk, error };
  RcCudaVoxelArguments args = state->args;
  RcStatus status = rc_cuda_check_stream (stream, error);

  if (status == RC_OK && rc_voxel_maps_points (plan->spec.output))
    status = check_aligned ("point_voxels", job->point_voxels, plan->spec.batch > 1 ? job->point_voxels_batch_stride : 0,
        8, error);
  if (status == RC_OK && out != NULL)
    status = set_output (plan, job, out, &args, error);
  if (status == RC_OK)
    status = rc_cuda_enter (cuda, error);
  if (status != RC_OK)
    return status;
  rc_cuda_voxel_set_job (plan, job, &args);
  status = launch_phase (&run, state, &args);
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
remove_points (RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelChunk *chunk, RcStream stream, RcError *error)
{
  return run_phase (plan, job, chunk, NULL, stream, launch_remove, error);
}

static RcStatus
end (RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelOut *out, RcStream stream, RcError *error)
{
  return run_phase (plan, job, NULL, out, stream, launch_end, error);
}

static RcStatus
measure (RcVoxelPlan *plan, const RcVoxelChunk *chunk, double *ranges, RcStream stream, RcError *error)
{
  const RcCudaVoxelState *state = plan->backend_state;
  const RcVoxelJob job = {.n_points = points_of (plan, chunk),.scratch = state->measured };
  const RcStatus status = run_phase (plan, &job, chunk, NULL, stream, launch_measure, error);
  int64_t i, c;

  for (i = 0; status == RC_OK && i < plan->spec.batch; i++) {
    const double *measured = (const double *) (state->ranges + (size_t) i * rc_cuda_voxel_measured_bytes (plan)
        + sizeof (RcCudaVoxelHead));

    for (c = 0; c < plan->channels; c++)
      ranges[i * plan->channels + c] = fmax (ranges[i * plan->channels + c], measured[c]);
  }
  return status;
}

const RcVoxelOps rc_cuda_voxel_ops = {
  .prepare = rc_cuda_voxel_prepare,
  .release = rc_cuda_voxel_release,
  .begin = begin,
  .range = range,
  .add = add,
  .remove = remove_points,
  .end = end,
  .measure = measure,
};
