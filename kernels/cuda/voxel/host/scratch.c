/* robocache: voxel grids on the GPU: the arrays of a job in its scratch, and its arguments
 *
 * The fixed scratch of all items comes first (RcVoxelLayout), then arrays by point or by rank.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "state.h"

/* Takes an array from the scratch at *at, and moves *at to the next multiple of 64 bytes.
 *
 *   uint32_t *counts = (uint32_t *) carve (&at, 4 * n);
 *   int64_t *sums = (int64_t *) carve (&at, 8 * n);
 */
static char *
carve (char **at, uint64_t bytes)
{
  char *array = *at;

  *at += (bytes + 63) / 64 * 64;
  return array;
}

/* Items per group: as many as fit the bits of keys and of the numbers of points. */
static int64_t
items_of_group (const RcVoxelPlan *plan, const RcCudaVoxelArguments *args, int64_t n_points)
{
  const uint64_t by_key = UINT64_MAX / args->stored.key_voxels;
  const uint64_t by_points = RC_CUDA_VOXEL_MAX_POINTS / (uint64_t) (n_points ? n_points : 1);
  uint64_t items = (uint64_t) plan->spec.batch;

  items = items < by_key ? items : by_key;
  items = items < by_points ? items : by_points;
  return (int64_t) (items > 0 ? items : 1);
}

/* The scratch behind the items. */
static char *
after_items (const RcVoxelPlan *plan, const RcCudaVoxelArguments *args)
{
  return args->job.scratch + (uint64_t) plan->spec.batch * plan->layout.item_bytes;
}

static void
lay_out_points (const RcVoxelPlan *plan, RcCudaVoxelArguments *args)
{
  const uint64_t n = (uint64_t) plan->spec.batch * (uint64_t) args->job.n_points, channels = (uint64_t) plan->channels;
  const int ordered = rc_voxel_is_ordered (plan), mean = rc_voxel_is_mean (plan);
  const uint64_t tiles = (uint64_t) rc_cuda_ceil_divide (rc_cuda_lesser ((int64_t) n, RC_CUDA_VOXEL_MAX_POINTS),
      RC_CUDA_VOXEL_SORT_TILE);
  RcCudaVoxelStored *stored = &args->stored;
  RcCudaVoxelGroup *group = &args->group;
  char *at = after_items (plan, args);

  stored->keys[0] = (uint64_t *) carve (&at, 8 * n);
  args->clear.ones = (char *) stored->keys[0];
  args->clear.ones_bytes = (8 * n + 15) / 16 * 16;
  stored->keys[1] = (uint64_t *) carve (&at, 8 * n);
  stored->payload = carve (&at, plan->layout.payload_bytes * n);
  stored->order[0] = (uint32_t *) carve (&at, ordered ? 4 * n : 0);
  stored->order[1] = (uint32_t *) carve (&at, ordered ? 4 * n : 0);
  group->sums = (int64_t *) carve (&at, mean ? 8 * n * channels : 0);
  group->extremes = (uint32_t *) carve (&at, rc_voxel_is_extreme (plan) ? 4 * n * channels : 0);
  group->nonfinite_flags = (uint32_t *) carve (&at, plan->spec.mode == RC_VOXEL_MEAN ? (n * channels + 7) / 8 * 4 : 0);
  args->clear.zeros = (char *) group->sums;
  args->clear.zeros_bytes = (uint64_t) (at - args->clear.zeros);
  args->group.digit_counts = (uint32_t *) carve (&at, (tiles + 1) * RC_CUDA_VOXEL_DIGITS * sizeof (uint32_t));
  args->group.rank_counts = (uint32_t *) at;
}

/* Accumulators in the order of ranks, which begin clears together with the arrays before them. Accumulators by voxel are
 * cleared with their item. */
static void
lay_out_means (const RcVoxelPlan *plan, RcCudaVoxelArguments *args, char **after)
{
  const uint64_t n = (uint64_t) args->job.n_points, channels = (uint64_t) plan->channels;
  const int mean = rc_voxel_is_mean (plan), extreme = rc_voxel_is_extreme (plan);
  RcCudaVoxelAccumulators *accumulators = &args->accumulators;
  char *first = *after, *at = first;

  accumulators->first = first;
  accumulators->counts = (uint64_t) (carve (&at, mean || plan->spec.mode == RC_VOXEL_COUNT ? 4 * n : 0) - first);
  accumulators->sums = (uint64_t) (carve (&at, mean ? 8 * n * channels : 0) - first);
  accumulators->nonfinite_flags = (uint64_t) (carve (&at, plan->spec.mode == RC_VOXEL_MEAN ? (n * channels + 7) / 8 * 4
      : 0) - first);
  accumulators->extremes = (uint64_t) (carve (&at, extreme ? 4 * n * channels : 0) - first);
  accumulators->apart = at - first;
  *after = first + (uint64_t) plan->spec.batch * (uint64_t) accumulators->apart;
  if (args->clear.zeros == NULL)
    args->clear.zeros = first;
  args->clear.zeros_bytes = (uint64_t) (*after - args->clear.zeros);
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

/* The lists of voxels, in the order of ranks. They have no entries when a job begins. */
static void
lay_out_first (const RcVoxelPlan *plan, RcCudaVoxelArguments *args, char **at)
{
  const uint64_t batch = (uint64_t) plan->spec.batch, points = batch * (uint64_t) args->job.n_points;
  RcCudaVoxelFirst *first = &args->first;

  first->voxels = rc_cuda_lesser (args->job.n_points, plan->spec.max_voxels);
  first->lists = (RcCudaVoxelList *) carve (at, batch * (uint64_t) first->voxels * sizeof (RcCudaVoxelList));
  first->n_entries = (uint32_t *) carve (at, batch * sizeof (uint32_t));
  if (args->clear.zeros == NULL)
    args->clear.zeros = (char *) first->lists;
  args->clear.zeros_bytes = (uint64_t) (*at - args->clear.zeros);
  first->limits = (uint32_t *) carve (at, batch * (uint64_t) first->voxels * sizeof (uint32_t));
  args->clear.ones = (char *) first->limits;
  args->clear.ones_bytes = (uint64_t) (*at - args->clear.ones);
  first->numbers = (uint32_t *) carve (at, points * sizeof (uint32_t));
}

/* The bits of voxels in blocks, for as many blocks as there may be. They are cleared for each job. */
static void
lay_out_blocks (const RcVoxelPlan *plan, RcCudaVoxelArguments *args, char **at)
{
  const uint64_t batch = (uint64_t) plan->spec.batch;
  RcCudaVoxelBitmap *bitmap = &args->ranks.bitmaps[1];

  rc_cuda_voxel_cut_bitmap (bitmap, args->job.n_points << (args->ranks.block_bits - 5));
  bitmap->bits_apart = bitmap->ranked_apart * (int64_t) sizeof (uint32_t);
  lay_out_bitmap (plan, bitmap, at);
  bitmap->bits = carve (at, batch * (uint64_t) bitmap->bits_apart);
  args->clear.zeros = bitmap->bits;
  args->clear.zeros_bytes = (uint64_t) (*at - bitmap->bits);
}

/* Bins of points, with capacity for several times their share. begin clears their counts. */
static void
lay_out_bins (const RcVoxelPlan *plan, RcCudaVoxelArguments *args, char **at)
{
  const uint64_t batch = (uint64_t) plan->spec.batch, bins = batch * args->bins.bins;
  const int64_t share = rc_cuda_ceil_divide (args->job.n_points, args->bins.bins);

  args->bins.capacity = (uint32_t) rc_cuda_lesser (RC_CUDA_VOXEL_MEAN_SHARES * share + RC_CUDA_VOXEL_MEAN_MIN_CAPACITY,
      RC_CUDA_VOXEL_MEAN_CAPACITY);
  args->bins.counts = (uint32_t *) carve (at, (bins + batch * RC_CUDA_VOXEL_OVERFLOW_WORDS) * sizeof (uint32_t));
  args->clear.zeros = (char *) args->bins.counts;
  args->clear.zeros_bytes = (uint64_t) (*at - args->clear.zeros);
  args->bins.entries = (RcCudaVoxelEntry *) carve (at, bins * args->bins.capacity * sizeof (RcCudaVoxelEntry));
  args->bins.overflow = (RcCudaVoxelEntry *) *at;
}

static void
lay_out_ranks (const RcVoxelPlan *plan, RcCudaVoxelArguments *args)
{
  const uint64_t points = (uint64_t) plan->spec.batch * (uint64_t) args->job.n_points;
  char *at = after_items (plan, args);

  args->ranks.bitmaps[0].bits = args->job.scratch + plan->layout.bits;
  args->ranks.bitmaps[0].bits_apart = (int64_t) plan->layout.item_bytes;
  lay_out_bitmap (plan, &args->ranks.bitmaps[0], &at);
  if (args->ranks.block_bits > 0 || args->stored.is_deferred)
    args->ranks.voxels_of_points = (int64_t *) carve (&at, points * sizeof (int64_t));
  if (plan->spec.output == RC_VOXEL_SPARSE)
    args->ranks.voxels_by_rank = (int64_t *) carve (&at, points * sizeof (int64_t));
  if (args->stored.is_deferred)
    args->stored.payload = carve (&at, points * plan->layout.payload_bytes);
  if (args->ranks.block_bits > 0)
    lay_out_blocks (plan, args, &at);
  if (args->stored.is_deferred && rc_voxel_lists_points (plan->spec.mode))
    lay_out_first (plan, args, &at);
  else if (args->stored.is_deferred || (args->ranks.in_bitmap && args->ranks.is_ranked))
    lay_out_means (plan, args, &at);
  if (args->bins.slabs > 0)
    lay_out_bins (plan, args, &at);
}

void
rc_cuda_voxel_set_job (const RcVoxelPlan *plan, const RcVoxelJob *job, RcCudaVoxelArguments *args)
{
  const RcCudaVoxelState *state = plan->backend_state;

  args->job.needs_range = rc_voxel_needs_range (plan) && !plan->knows_ranges;
  args->job.n_points = job->n_points;
  args->job.item_points = job->item_points;
  args->job.scratch = job->scratch;
  args->clear.item_bytes = job->is_clean && rc_voxel_is_grid (plan->spec.output) && !plan->accumulates ? plan->layout.bits
      : plan->layout.item_bytes;
  args->job.is_crowded = job->n_points > plan->voxels;
  args->stored.group_items = items_of_group (plan, args, job->n_points);
  args->map.voxels = job->point_voxels;
  args->map.batch_stride = plan->spec.batch > 1 ? job->point_voxels_batch_stride : 0;
  args->map.first_point = job->first_point;
  args->window.first_added = job->first_added;
  args->accumulators = (RcCudaVoxelAccumulators) {.first = args->job.scratch,.apart = (int64_t) plan->layout.item_bytes,
    .counts = plan->layout.counts,.sums = plan->layout.sums,.nonfinite_flags = plan->layout.nonfinite_flags
  };
  if (state->sorts)
    lay_out_points (plan, args);
  if (args->ranks.is_ranked || args->ranks.in_bitmap)
    lay_out_ranks (plan, args);
  args->window.tile_counts = (uint32_t *) after_items (plan, args);
  args->slabs.bits = args->window.tile_counts;
  args->slabs.bits_apart = rc_cuda_ceil_divide (job->n_points, 4) * 4;
  args->slabs.slots = args->slabs.bits + plan->spec.batch * args->slabs.bits_apart;
  args->slabs.tiles_apart = rc_cuda_ceil_divide (job->n_points, RC_CUDA_VOXEL_BIN_TILE);
  args->job.is_first = plan->added == 0;
  args->map.has_ranges = state->sorts;
  args->stored.payload_bytes = (int64_t) plan->layout.payload_bytes;
}
