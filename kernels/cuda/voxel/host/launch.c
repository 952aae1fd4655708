/* robocache: voxel grids on the GPU: which kernels a phase launches
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "state.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MAX_BLOCKS_Y 65535
#define BLOCKS_PER_MULTIPROCESSOR 8     /* that run at once */
#define FEATURE_BLOCKS 4        /* the same of kernels that read features */
#define MAX_VOXELS_A_POINT 32  /* of slabs: of more of them ranks are faster */

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
 * run at once, which are so many of a multiprocessor, since they take all that is left. */
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

/* Where it can it begins before the kernel before it has ended, and waits for that, as all kernels of voxels do. */
static RcStatus
launch_blocks (const Run *run, const void *kernel, dim3 grid, unsigned threads, size_t shared_bytes, void **arguments,
    const char *call)
{
  const RcCudaVoxelState *state = run->plan->backend_state;
  cudaLaunchAttribute early = rc_cuda_early ();
  const cudaLaunchConfig_t config = { grid, {threads, 1, 1}, shared_bytes, run->stream, &early, (unsigned) state->begins_early };

  return check (run, cudaLaunchKernelExC (&config, kernel, arguments), call);
}

static RcStatus
launch_with (const Run *run, const void *kernel, dim3 grid, size_t shared_bytes, void **arguments, const char *call)
{
  return launch_blocks (run, kernel, grid, RC_CUDA_VOXEL_THREADS, shared_bytes, arguments, call);
}

static RcStatus
launch (const Run *run, const void *kernel, dim3 grid, void **arguments, const char *call)
{
  return launch_with (run, kernel, grid, 0, arguments, call);
}

/* Whether every item had all its points, and the host knows. */
static int
is_complete (const Run *run)
{
  return run->plan->added == run->job->n_points && !run->plan->has_counts && run->job->item_points == NULL;
}

static RcStatus
launch_slabs (const Run *run, const RcCudaVoxelState *state, RcCudaVoxelTask *task)
{
  const dim3 grid = { (unsigned) (task->batch * task->slabs), 1, 1 };
  void *arguments[] = { task };

  task->is_complete = is_complete (run);
  return launch_blocks (run, state->write, grid, RC_CUDA_VOXEL_SLAB_THREADS,
      task->is_known ? rc_cuda_voxel_slab_bytes (task) : state->whole_slab_bytes, arguments,
      "launch of the output of a voxel grid, by slabs");
}

static RcStatus
launch_task (const Run *run, const void *kernel, dim3 grid, RcCudaVoxelTask *task, const char *call)
{
  void *arguments[] = { task };

  return launch (run, kernel, grid, arguments, call);
}

/* ---- points ---- */

static int64_t
points_of (const RcVoxelPlan *plan, const RcVoxelChunk *chunk)
{
  return plan->spec.source == RC_VOXEL_DEPTH ? chunk->n * plan->spec.depth.width : chunk->n;
}

static void
take_points (const RcVoxelPlan *plan, const RcVoxelChunk *chunk, RcCudaVoxelTask *task)
{
  const uint64_t size = (uint64_t) task->element_bytes;

  task->data = chunk->data;
  task->n = chunk->n;
  task->stride = chunk->stride;
  task->batch_stride = plan->spec.batch > 1 ? chunk->batch_stride : 0;
  task->counts = chunk->counts;
  task->first_row = chunk->first_row;
  task->layer = chunk->layer;
  task->aligned = ((uint64_t) (uintptr_t) chunk->data | (chunk->n > 1 ? (uint64_t) chunk->stride : 0)
      | (uint64_t) task->batch_stride) % size == 0;
  task->packed = chunk->stride == 12 && ((uint64_t) (uintptr_t) chunk->data | (uint64_t) task->batch_stride) % 16 == 0;
}

static void
take_chunk (const RcVoxelPlan *plan, const RcVoxelChunk *chunk, RcCudaVoxelTask *task)
{
  take_points (plan, chunk, task);
  task->counters = chunk->counters;
}

/* With features, and of maps, which nothing waits for but their own bytes, a thread takes a point at a time. */
static RcStatus
launch_points (const Run *run, const void *kernel, size_t shared_bytes, RcCudaVoxelTask *task, const char *call)
{
  const int64_t points = points_of (run->plan, run->chunk);
  const int takes_one = run->plan->features || rc_voxel_maps_points (run->plan->spec.output);
  const dim3 grid = few_blocks_for (run->cuda, points, takes_one ? RC_CUDA_VOXEL_THREADS : RC_CUDA_VOXEL_TILE, task->batch,
      run->plan->features ? FEATURE_BLOCKS : BLOCKS_PER_MULTIPROCESSOR);
  void *arguments[] = { task };

  return launch_with (run, kernel, grid, shared_bytes, arguments, call);
}

/* Whether the chunk has every point of the job, and the host knows; with a bit to spare in their numbers. */
static int
has_all_points (const Run *run)
{
  const RcVoxelJob *job = run->job;

  return run->chunk->n == job->n_points && run->chunk->counts == NULL && job->item_points == NULL
      && job->n_points <= INT32_MAX;
}

static int
has_whole_tiles (const Run *run, const void *kernel, const RcCudaVoxelTask *task)
{
  return kernel == rc_cuda_voxel_bin[RC_CUDA_VOXEL_FLOAT32] && task->packed && task->is_first && has_all_points (run)
      && task->batch <= MAX_BLOCKS_Y;
}

/* A block for each tile: they are short, and many are under way. */
static RcStatus
launch_bins (const Run *run, const void *of_any, RcCudaVoxelTask *task)
{
  const void *kernel = has_whole_tiles (run, of_any, task) ? rc_cuda_voxel_bin_whole : of_any;
  const int64_t points = points_of (run->plan, run->chunk);
  /* one more, that others began */
  const int64_t tiles = rc_cuda_ceil_divide (points, RC_CUDA_VOXEL_BIN_TILE) + !task->is_first;
  const unsigned items = (unsigned) rc_cuda_lesser (task->batch, MAX_BLOCKS_Y);
  const dim3 grid = { (unsigned) rc_cuda_lesser (tiles, INT32_MAX), items, 1 };

  return launch_task (run, kernel, grid, task, "launch of the adding of points, by bins");
}

static int
indexes_whole (const Run *run, const RcCudaVoxelState *state, const RcCudaVoxelTask *task)
{
  return state->index_whole != NULL && task->aligned && task->is_first && has_all_points (run)
      && task->batch <= MAX_BLOCKS_Y;
}

static RcStatus
launch_index (const Run *run, const RcCudaVoxelState *state, RcCudaVoxelTask *task)
{
  const int64_t blocks = rc_cuda_ceil_divide (task->n, RC_CUDA_VOXEL_THREADS);
  const dim3 grid = { (unsigned) (blocks > 0 ? blocks : 1), (unsigned) task->batch, 1 };

  return launch_task (run, state->index_whole, grid, task, "launch of the indices of points");
}

static RcStatus
launch_scales (const Run *run, RcCudaVoxelTask *task)
{
  return launch_task (run, rc_cuda_voxel_set_scales, blocks_for (run->cuda, 1, 1, task->batch), task,
      "launch of the scales of a voxel grid");
}

/* ---- ranks ---- */

static RcStatus
rank_bitmap (const Run *run, RcCudaVoxelTask *task, uint32_t which)
{
  const dim3 tiles = blocks_for (run->cuda, task->bitmaps[which].tiles, 1, task->batch);
  void *arguments[] = { task, &which };
  const RcStatus status = launch (run, rc_cuda_voxel_count_set_bits, tiles, arguments, "launch of the count of voxels' bits");

  return status == RC_OK ? launch (run, rc_cuda_voxel_rank_set_bits, tiles, arguments, "launch of the ranks of voxels' bits")
      : status;
}

/* Of what is marked by now; and the scales, where range has found what they depend on. */
static RcStatus
launch_ranks (const Run *run, RcCudaVoxelTask *task)
{
  RcStatus status = rank_bitmap (run, task, 0);

  if (task->block_bits == 0)
    return status;
  if (status == RC_OK)
    status = launch_task (run, rc_cuda_voxel_mark_in_blocks, blocks_for (run->cuda, task->n_points, RC_CUDA_VOXEL_THREADS,
            task->batch), task, "launch of the bits of voxels in blocks");
  return status == RC_OK ? rank_bitmap (run, task, 1) : status;
}

/* Where voxels have ranks while points are added, they have them by the first: or there is none. */
static RcStatus
finish_ranks (const Run *run, RcCudaVoxelTask *task)
{
  return task->ranked && run->plan->added > 0 ? RC_OK : launch_ranks (run, task);
}

static RcStatus
end_in_bitmap (const Run *run, const RcCudaVoxelState *state, RcCudaVoxelTask *task)
{
  RcStatus status = finish_ranks (run, task);

  if (status == RC_OK && task->defers)
    status = launch_task (run, state->add_deferred, blocks_for (run->cuda, task->n_points, RC_CUDA_VOXEL_THREADS, task->batch),
        task, "launch of the adding of points that were deferred");
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
  return launch_task (run, rc_cuda_voxel_first_kernel (&run->plan->spec), blocks_for (run->cuda, elements, RC_CUDA_VOXEL_TILE,
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
  task->sort_tiles = (uint32_t) rc_cuda_ceil_divide (n, RC_CUDA_VOXEL_SORT_TILE);
  task->rank_tiles = (uint32_t) (n / RC_CUDA_VOXEL_RANK_TILE + 1);
  task->sorted = 0;
  if (n > 0)
    status = sort_group (run, task);
  if (n > 0 && status == RC_OK)
    status = rank_group (run, task);
  return status == RC_OK ? write_group (run, write, task) : status;
}

static RcStatus
end_sorted (const Run *run, const RcCudaVoxelState *state, RcCudaVoxelTask *task)
{
  RcStatus status = RC_OK;

  for (task->first_item = 0; task->first_item < task->batch && status == RC_OK; task->first_item += task->group) {
    task->group_items = rc_cuda_lesser (task->group, task->batch - task->first_item);
    status = end_group (run, state->write, task);
  }
  return status;
}

/* ---- maps ---- */

/* Most of a map is there; nothing is left where every item had all its points, as the host may know. */
static RcStatus
end_map (const Run *run, const RcCudaVoxelState *state, RcCudaVoxelTask *task)
{
  const int64_t n = task->n_points - task->first_point;
  const RcVoxelPlan *plan = run->plan;
  const RcVoxelSpec *spec = &plan->spec;
  const RcStatus status = task->sorts ? end_sorted (run, state, task) : task->in_bitmap ? finish_ranks (run, task) : RC_OK;

  if (status != RC_OK || (is_complete (run) && spec->output == RC_VOXEL_INDEX))
    return status;
  return launch_task (run, task->in_bitmap ? state->write : rc_cuda_voxel_finish_map, blocks_for (run->cuda, n,
          task->in_bitmap ? RC_CUDA_VOXEL_THREADS : RC_CUDA_VOXEL_TILE, task->batch), task,
      "launch of the end of a map of points");
}

/* ---- points that stay in place ---- */

/* Shared memory of a block that finds the range of features. */
static size_t
greatest_bytes (const RcCudaVoxelTask *task)
{
  return (size_t) task->channels * sizeof (uint64_t);
}

static const RcCudaVoxelInPlace *
kernels_in_place (const RcCudaVoxelState *state, const RcCudaVoxelTask *task)
{
  return task->aligned ? &state->in_place : &state->in_place_anywhere;
}

/* Whether slabs have points enough to be worth a block each, and bins room for them, with a quarter to spare, unless they
 * crowd. */
static int
fits_slabs (const RcCudaVoxelTask *task)
{
  return task->n >= task->voxels / MAX_VOXELS_A_POINT && task->n / 3 <= (int64_t) task->mean_bins * task->mean_room / 4
      && task->batch <= MAX_BLOCKS_Y;
}

/* A block for each tile of points, which it copies to shared memory where there is room, and in steps of 16 bytes alignment for
 * that. */
static RcStatus
range_in_place (const Run *run, const RcCudaVoxelState *state, RcCudaVoxelTask *task)
{
  const size_t least = RC_CUDA_VOXEL_MEAN_GREATEST_BYTES ((size_t) task->channels);
  const int64_t most = (int64_t) ((state->bin_bytes - least) / RC_CUDA_VOXEL_MEAN_TILE);
  const uint64_t where = (uint64_t) (uintptr_t) task->data | (uint64_t) task->batch_stride;
  const int64_t tiles = rc_cuda_ceil_divide (task->n, RC_CUDA_VOXEL_MEAN_TILE);
  const dim3 grid = { (unsigned) (tiles > 0 ? tiles : 1), (unsigned) task->batch, 1 };
  void *arguments[] = { task };

  if (where % 16 == 0 && task->stride >= run->plan->unit_bytes && task->stride <= most)
    task->copied_bytes = (int32_t) run->plan->unit_bytes;
  return launch_blocks (run, kernels_in_place (state, task)->range, grid, RC_CUDA_VOXEL_MEAN_BIN_THREADS,
      least + (task->copied_bytes > 0 ? (size_t) task->stride * RC_CUDA_VOXEL_MEAN_TILE : 0), arguments,
      "launch of the range of features, of points in place");
}

static RcStatus
mark_in_place (const Run *run, RcCudaVoxelTask *task)
{
  return launch_task (run, rc_cuda_voxel_mark_binned, blocks_for (run->cuda, task->mean_bins, 1, task->batch), task,
      "launch of the marking of voxels");
}

static RcStatus
end_in_place (const Run *run, const RcCudaVoxelState *state, RcCudaVoxelTask *task)
{
  const dim3 slabs = { (unsigned) (task->batch * task->mean_slabs), 1, 1 };
  void *arguments[] = { task };

  take_points (run->plan, &state->chunk, task);
  task->counters_of_add = state->chunk.counters;
  return launch_with (run, kernels_in_place (state, task)->write[task->channels % 4 == 0], slabs, state->mean_bytes,
      arguments, "launch of the output of a voxel grid, of points in place");
}

/* ---- dense ---- */

static RcStatus
end_dense (const Run *run, const RcCudaVoxelState *state, RcCudaVoxelTask *task)
{
  RcStatus status = RC_OK;

  if (task->slabs > 0)
    return launch_slabs (run, state, task);
  if (state->stays)
    return end_in_place (run, state, task);
  if (task->ranked)
    status = finish_ranks (run, task);
  if (status != RC_OK)
    return status;
  return launch_task (run, state->write, blocks_for (run->cuda, state->units, RC_CUDA_VOXEL_THREADS, task->batch),
      task, "launch of the output of a voxel grid");
}

/* ---- sparse, of accumulators that are kept ---- */

static RcStatus
end_kept_sparse (const Run *run, const RcCudaVoxelState *state, RcCudaVoxelTask *task)
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

/* About as many sectors change as there are points, since those of a sensor share them, and those far apart take about four
 * times as long as their bytes in order (docs/performance/experiments.md). */
static int
is_cheaper_whole (const RcVoxelPlan *plan, const RcVoxelJob *job)
{
  return plan->spec.mode == RC_VOXEL_OCCUPANCY && !plan->keeps && job->n_points > rc_voxel_value_bytes (plan) / (32 * 4);
}

static RcStatus
take_out (const RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelOut *out, RcCudaVoxelTask *task, RcError *error)
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
    task->whole = ((uint64_t) (uintptr_t) task->grid | (uint64_t) task->grid_batch_stride) % 16 == 0;
    task->occupied = rc_voxel_bitmap_bytes (plan) > 0 ? out->occupied : NULL;
    task->occupied_batch_stride = has_batch ? out->occupied_batch_stride : 0;
    task->is_known = task->occupied != NULL && out->is_known && !is_cheaper_whole (plan, job);
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

/* ---- ranges of features ---- */

static RcStatus
find_range (const Run *run, const RcCudaVoxelState *state, RcCudaVoxelTask *task)
{
  return launch_points (run, task->aligned ? state->range : state->range_anywhere, greatest_bytes (task), task,
      "launch of the range of features");
}

/* Of a job that knows them: as arguments, which nobody has to keep. */
static RcStatus
put_ranges (const Run *run, RcCudaVoxelTask *task)
{
  const int64_t all = task->batch * task->channels;
  const dim3 one = { 1, 1, 1 };
  RcCudaVoxelRanges ranges = { 0 };
  void *arguments[] = { task, &ranges };
  RcStatus status = RC_OK;

  for (; ranges.first < all && status == RC_OK; ranges.first += ranges.n) {
    ranges.n = rc_cuda_lesser (all - ranges.first, RC_CUDA_VOXEL_RANGES);
    memcpy (ranges.values, run->job->ranges + ranges.first, (size_t) ranges.n * sizeof (double));
    status = launch (run, rc_cuda_voxel_put_ranges, one, arguments, "launch of the ranges of features that are known");
  }
  return status;
}

/* Of a chunk alone, in memory of the plan's own. */
static RcStatus
launch_measure (const Run *run, RcCudaVoxelState *state, RcCudaVoxelTask *task)
{
  const size_t item_bytes = rc_cuda_voxel_measured_bytes (run->plan), bytes = (size_t) task->batch * item_bytes;
  RcStatus status = check (run, cudaMemsetAsync (state->measured, 0, bytes, run->stream), "clearing of ranges");

  take_points (run->plan, run->chunk, task);
  task->layout.item_bytes = item_bytes;
  task->layout.range = sizeof (RcCudaVoxelHead);
  if (status == RC_OK)
    status = find_range (run, state, task);
  if (status == RC_OK)
    status = check (run, cudaMemcpyAsync (state->ranges, state->measured, bytes, cudaMemcpyDeviceToHost, run->stream),
        "copy of ranges");
  return status == RC_OK ? check (run, cudaStreamSynchronize (run->stream), "wait for ranges") : status;
}

/* ---- the phases ---- */

static RcStatus
launch_begin (const Run *run, RcCudaVoxelState *state, RcCudaVoxelTask *task)
{
  const int64_t beside = (int64_t) ((task->ones_bytes + task->zeros_bytes) / 16);
  const int64_t vectors = (int64_t) (task->clear_bytes / 16) + rc_cuda_ceil_divide (beside, task->batch);
  RcStatus status = RC_OK;

  state->stays = 0;
  if (run->job->goes_on)
    return launch_task (run, rc_cuda_voxel_go_on, blocks_for (run->cuda, task->batch, RC_CUDA_VOXEL_THREADS, 1), task,
        "launch of the begin of a voxel grid that goes on");
  /* a head alone is begun by the first chunk */
  if (task->clear_bytes > sizeof (RcCudaVoxelHead) || task->sorts)
    status = launch_task (run, rc_cuda_voxel_clear, blocks_for (run->cuda, vectors, RC_CUDA_VOXEL_THREADS, task->batch),
        task, "launch of the clearing of a voxel grid");
  if (status == RC_OK && run->plan->knows_ranges)
    status = put_ranges (run, task);
  if (status == RC_OK && rc_voxel_is_mean (run->plan) && !task->needs_range)
    status = launch_scales (run, task);
  return status;
}

static RcStatus
launch_range (const Run *run, RcCudaVoxelState *state, RcCudaVoxelTask *task)
{
  RcStatus status = RC_OK;

  take_chunk (run->plan, run->chunk, task);
  if (state->stays)             /* more comes after a chunk that had all, with no points in it */
    status = mark_in_place (run, task);
  if (status != RC_OK)
    return status;
  state->stays = task->mean_slabs > 0 && has_all_points (run) && fits_slabs (task);
  if (state->stays)
    return range_in_place (run, state, task);
  return find_range (run, state, task);
}

static RcStatus
launch_add (const Run *run, RcCudaVoxelState *state, RcCudaVoxelTask *task)
{
  RcStatus status = RC_OK;

  take_chunk (run->plan, run->chunk, task);
  if (state->stays && has_all_points (run)) {
    state->chunk = *run->chunk;
    return RC_OK;
  }
  if (indexes_whole (run, state, task))
    return launch_index (run, state, task);
  if (state->stays)
    status = mark_in_place (run, task);
  state->stays = 0;
  if (status == RC_OK && task->needs_range && run->plan->added == 0)
    status = task->ranked ? launch_ranks (run, task) : launch_scales (run, task);
  if (status == RC_OK)
    status = task->slabs > 0 ? launch_bins (run, state->add, task) : launch_points (run, task->aligned ? state->add
        : state->add_anywhere, 0, task, "launch of the adding of points");
  return status;
}

static RcStatus
launch_remove (const Run *run, RcCudaVoxelState *state, RcCudaVoxelTask *task)
{
  take_chunk (run->plan, run->chunk, task);
  return launch_points (run, state->remove, 0, task, "launch of the removal of points");
}

static RcStatus
launch_end (const Run *run, RcCudaVoxelState *state, RcCudaVoxelTask *task)
{
  if (rc_voxel_maps_points (run->plan->spec.output))
    return end_map (run, state, task);
  if (task->kept_tiles > 0)
    return end_kept_sparse (run, state, task);
  return task->sorts ? end_sorted (run, state, task) : task->in_bitmap ? end_in_bitmap (run, state, task)
      : end_dense (run, state, task);
}

typedef RcStatus (*LaunchPhase) (const Run * run, RcCudaVoxelState * state, RcCudaVoxelTask * task);

static RcStatus
run_phase (RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelChunk *chunk, const RcVoxelOut *out, RcStream stream,
    LaunchPhase launch_phase, RcError *error)
{
  RcCudaBackend *cuda = (RcCudaBackend *) plan->backend;
  RcCudaVoxelState *state = plan->backend_state;
  const Run run = { cuda, (cudaStream_t) stream, plan, job, chunk, error };
  RcCudaVoxelTask task = state->task;
  RcStatus status = rc_cuda_check_stream (stream, error);

  if (status == RC_OK && rc_voxel_maps_points (plan->spec.output))
    status = check_aligned ("point_voxels", job->point_voxels, plan->spec.batch > 1 ? job->point_voxels_batch_stride : 0,
        8, error);
  if (status == RC_OK && out != NULL)
    status = take_out (plan, job, out, &task, error);
  if (status == RC_OK)
    status = rc_cuda_enter (cuda, error);
  if (status != RC_OK)
    return status;
  rc_cuda_voxel_take_job (plan, job, &task);
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
  .remove = take_points_out,
  .end = end,
  .measure = measure,
};
