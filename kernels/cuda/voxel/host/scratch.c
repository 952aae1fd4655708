/* robocache: voxel grids on the GPU: where the arrays of a job are in its scratch
 *
 * The fixed scratch of all items comes first (RcVoxelLayout), then what is of points, or of ranks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "state.h"

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
  const uint64_t by_key = UINT64_MAX / task->key_voxels;
  const uint64_t by_points = RC_CUDA_VOXEL_MAX_POINTS / (uint64_t) (n_points ? n_points : 1);
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
  const uint64_t tiles = (uint64_t) rc_cuda_ceil_divide (rc_cuda_lesser ((int64_t) n, RC_CUDA_VOXEL_MAX_POINTS),
      RC_CUDA_VOXEL_SORT_TILE);
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

/* What values of voxels are made from, in the order of ranks, cleared for each job, with what is before them; what is by the voxel
 * is cleared with its item. */
static void
lay_out_means (const RcVoxelPlan *plan, RcCudaVoxelTask *task, char **after)
{
  const uint64_t n = (uint64_t) task->n_points, channels = (uint64_t) plan->channels;
  const int mean = rc_voxel_is_mean (plan), extreme = rc_voxel_is_extreme (plan);
  RcCudaVoxelMeans *means = &task->means;
  char *first = *after, *at = first;

  means->first = first;
  means->counts = (uint64_t) (carve (&at, mean || plan->spec.mode == RC_VOXEL_COUNT ? 4 * n : 0) - first);
  means->sums = (uint64_t) (carve (&at, mean ? 8 * n * channels : 0) - first);
  means->saw = (uint64_t) (carve (&at, plan->spec.mode == RC_VOXEL_MEAN ? (n * channels + 7) / 8 * 4 : 0) - first);
  means->extremes = (uint64_t) (carve (&at, extreme ? 4 * n * channels : 0) - first);
  means->apart = at - first;
  *after = first + (uint64_t) plan->spec.batch * (uint64_t) means->apart;
  if (task->zeros == NULL)
    task->zeros = first;
  task->zeros_bytes = (uint64_t) (*after - task->zeros);
}

void
rc_cuda_voxel_cut_bitmap (RcCudaVoxelBitmap *bitmap, int64_t words)
{
  const int64_t smallest = rc_cuda_ceil_divide (words, RC_CUDA_VOXEL_BIT_TILE);

  bitmap->words = words;
  bitmap->tile_words = rc_cuda_ceil_divide (smallest > 0 ? smallest : 1, RC_CUDA_VOXEL_MAX_BIT_TILES) * RC_CUDA_VOXEL_BIT_TILE;
  bitmap->tiles = rc_cuda_ceil_divide (words > 0 ? words : 1, bitmap->tile_words);
  bitmap->ranked_apart = rc_cuda_ceil_divide (words, 16) * 16;
}

static void
lay_out_bitmap (const RcVoxelPlan *plan, RcCudaVoxelBitmap *bitmap, char **at)
{
  const uint64_t batch = (uint64_t) plan->spec.batch;

  bitmap->ranked = (RcCudaVoxelWord *) carve (at, batch * (uint64_t) bitmap->ranked_apart * sizeof (RcCudaVoxelWord));
  bitmap->counts = (uint32_t *) carve (at, batch * (uint64_t) bitmap->tiles * sizeof (uint32_t));
}

/* Bits of voxels in blocks, of as many blocks as there may be, and cleared for each job. */
static void
lay_out_blocks (const RcVoxelPlan *plan, RcCudaVoxelTask *task, char **at)
{
  const uint64_t batch = (uint64_t) plan->spec.batch;
  RcCudaVoxelBitmap *bitmap = &task->bitmaps[1];

  rc_cuda_voxel_cut_bitmap (bitmap, task->n_points << (task->block_bits - 5));
  bitmap->bits_apart = bitmap->ranked_apart * (int64_t) sizeof (uint32_t);
  lay_out_bitmap (plan, bitmap, at);
  bitmap->bits = carve (at, batch * (uint64_t) bitmap->bits_apart);
  task->zeros = bitmap->bits;
  task->zeros_bytes = (uint64_t) (*at - bitmap->bits);
}

/* Points that stay in place. A bin has room for several times its share of them; how many it has begin clears. */
static void
lay_out_bins (const RcVoxelPlan *plan, RcCudaVoxelTask *task, char **at)
{
  const uint64_t batch = (uint64_t) plan->spec.batch, bins = batch * task->mean_bins;
  const int64_t share = rc_cuda_ceil_divide (task->n_points, task->mean_bins);

  task->mean_room = (uint32_t) rc_cuda_lesser (RC_CUDA_VOXEL_MEAN_SHARES * share + RC_CUDA_VOXEL_MEAN_MIN_ROOM,
      RC_CUDA_VOXEL_MEAN_ROOM);
  task->bin_counts = (uint32_t *) carve (at, (bins + batch * RC_CUDA_VOXEL_OVERFLOW_WORDS) * sizeof (uint32_t));
  task->zeros = (char *) task->bin_counts;
  task->zeros_bytes = (uint64_t) (*at - task->zeros);
  task->binned = (RcCudaVoxelEntry *) carve (at, bins * task->mean_room * sizeof (RcCudaVoxelEntry));
  task->overflow = (RcCudaVoxelEntry *) *at;
}

static void
lay_out_ranks (const RcVoxelPlan *plan, RcCudaVoxelTask *task)
{
  const uint64_t points = (uint64_t) plan->spec.batch * (uint64_t) task->n_points;
  char *at = after_items (plan, task);

  task->bitmaps[0].bits = task->scratch + plan->layout.bits;
  task->bitmaps[0].bits_apart = (int64_t) plan->layout.item_bytes;
  lay_out_bitmap (plan, &task->bitmaps[0], &at);
  if (task->block_bits > 0 || task->defers)
    task->voxels_of_points = (int64_t *) carve (&at, points * sizeof (int64_t));
  if (plan->spec.output == RC_VOXEL_SPARSE)
    task->voxels_by_rank = (int64_t *) carve (&at, points * sizeof (int64_t));
  if (task->defers)
    task->points.payload = carve (&at, points * plan->layout.payload_bytes);
  if (task->block_bits > 0)
    lay_out_blocks (plan, task, &at);
  if (task->defers || (task->in_bitmap && task->ranked))
    lay_out_means (plan, task, &at);
  if (task->mean_slabs > 0)
    lay_out_bins (plan, task, &at);
}

void
rc_cuda_voxel_take_job (const RcVoxelPlan *plan, const RcVoxelJob *job, RcCudaVoxelTask *task)
{
  task->needs_range = rc_voxel_needs_range (plan) && !plan->knows_ranges;
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
  task->first_added = job->first_added;
  task->means = (RcCudaVoxelMeans) { task->scratch, (int64_t) plan->layout.item_bytes, plan->layout.counts,
    plan->layout.sums, plan->layout.saw
  };
  if (task->sorts)
    lay_out_points (plan, task);
  if (task->ranked || task->in_bitmap)
    lay_out_ranks (plan, task);
  task->tile_counts = (uint32_t *) after_items (plan, task);
  task->bits_set = task->tile_counts;
  task->bits_set_apart = rc_cuda_ceil_divide (job->n_points, 4) * 4;
  task->slots = task->bits_set + plan->spec.batch * task->bits_set_apart;
  task->tiles_apart = rc_cuda_ceil_divide (job->n_points, RC_CUDA_VOXEL_BIN_TILE);
  task->is_first = plan->added == 0;
}
