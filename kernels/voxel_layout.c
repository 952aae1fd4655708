/* robocache: plans of voxel grids: where the scratch lies, and the bytes of outputs
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "voxel_plan.h"

#include "backend_impl.h"

#include <inttypes.h>

#define MAX_BYTES (INT64_C (1) << 46)   /* of one output or accumulator: far from what a byte stride could overflow at */

/* a * b, or more than reserve accepts. */
static int64_t
saturating_product (int64_t a, int64_t b)
{
  int64_t product;

  return __builtin_mul_overflow (a, b, &product) ? INT64_MAX : product;
}

/* Words of an item's bitmap. */
static int64_t
bit_words_of (const RcVoxelPlan *plan)
{
  if (plan->spec.output == RC_VOXEL_BITS)
    return saturating_product (plan->box.plane / 32, plan->spec.grid[2]);
  return rc_voxel_has_accumulators (plan) ? plan->voxels / 32 + (plan->voxels % 32 != 0) : 0;
}

/* Stored of a point until the job ends. */
static uint64_t
payload_bytes (const RcVoxelPlan *plan)
{
  const RcVoxelMode mode = plan->spec.mode;
  const uint64_t channels = (uint64_t) plan->channels;

  if (mode == RC_VOXEL_FIRST)
    return (channels * rc_dtype_size (plan->spec.dtype) + 3) / 4 * 4;
  if (mode == RC_VOXEL_MEAN || mode == RC_VOXEL_PILLARS)
    return channels * rc_dtype_size (plan->stored_dtype);
  return mode == RC_VOXEL_CENTROID || rc_voxel_is_extreme (plan) ? channels * 4 : 0;
}

/* Reserves n elements of size bytes and returns their offset; above MAX_BYTES it reserves nothing and sets *too_large. */
static uint64_t
reserve (uint64_t *bytes, int64_t n, uint64_t size, int *too_large)
{
  const uint64_t offset = *bytes;
  uint64_t wanted;

  if (__builtin_mul_overflow ((uint64_t) n, size, &wanted) || wanted > (uint64_t) MAX_BYTES) {
    *too_large = 1;
    return 0;
  }
  *bytes += (wanted + 63) / 64 * 64;
  return offset;
}

/* Names what makes the output large. */
static RcStatus
refuse_size (const RcVoxelSpec *spec, RcError *error)
{
  RcWrongSetting wrong = rc_wrong (RC_SETTING_GRID, "%" PRId64 ":%" PRId64 ":%" PRId64, spec->grid[0], spec->grid[1],
      spec->grid[2]);

  if (spec->output != RC_VOXEL_SPARSE)
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, rc_wrong_with (wrong, RC_SETTING_OUTPUT, "%s",
            rc_voxel_output_name (spec->output)), "at most 2^46 bytes: fewer voxels, or sparse");
  wrong = rc_wrong (RC_SETTING_MAX_VOXELS, "%" PRId64, spec->max_voxels);
  if (rc_voxel_lists_points (spec->mode))
    wrong = rc_wrong_with (wrong, RC_SETTING_MAX_POINTS, "%" PRId64, spec->max_points);
  return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, wrong, "at most 2^46 bytes of values");
}

RcStatus
rc_voxel_lay_out (RcVoxelPlan *plan, RcError *error)
{
  const RcVoxelSpec *spec = &plan->spec;
  const int dense = rc_voxel_has_accumulators (plan), mean = rc_voxel_is_mean (plan), extreme = rc_voxel_is_extreme (plan);
  const int counts = mean || spec->mode == RC_VOXEL_COUNT || (plan->accumulates && !extreme),
      features = spec->mode == RC_VOXEL_MEAN;
  const int64_t dense_voxels = !dense ? 0 : spec->output == RC_VOXEL_BITS ? saturating_product (bit_words_of (plan), 32)
      : plan->voxels;
  const int64_t out_voxels = spec->output == RC_VOXEL_SPARSE ? spec->max_voxels : dense_voxels;
  const int64_t values = saturating_product (out_voxels, (plan->channels + plan->decorations) * rc_voxel_points_each (spec));
  const int64_t dense_values = saturating_product (dense_voxels, plan->channels);
  RcVoxelLayout *layout = &plan->layout;
  uint64_t bytes = 64, output = 0;
  int too_large = 0;

  plan->bit_words = bit_words_of (plan);
  layout->range = reserve (&bytes, mean ? plan->channels : 0, sizeof (uint64_t), &too_large);
  layout->scales = reserve (&bytes, mean ? plan->channels : 0, sizeof (RcVoxelScale), &too_large);
  layout->bits = reserve (&bytes, plan->bit_words, sizeof (uint32_t), &too_large);
  layout->counts = reserve (&bytes, counts ? dense_voxels : 0, sizeof (uint32_t), &too_large);
  layout->sums = reserve (&bytes, mean ? dense_values : 0, sizeof (int64_t), &too_large);
  layout->nonfinite_flags = reserve (&bytes, features && !plan->accumulates ? (dense_values / 8) + 1 : 0, sizeof (uint32_t),
      &too_large);
  layout->nonfinite_counts = reserve (&bytes, features && plan->accumulates ? dense_values : 0, 3 * sizeof (uint32_t), &too_large);
  layout->keys = reserve (&bytes, extreme ? dense_values : 0, sizeof (uint32_t), &too_large);
  layout->layers = reserve (&bytes, saturating_product (dense_values, plan->layers), sizeof (uint32_t), &too_large);
  layout->item_bytes = bytes;

  layout->payload_bytes = 0;
  layout->point_bytes = 0;
  if (rc_voxel_sorts (plan)) {
    layout->payload_bytes = payload_bytes (plan);
    layout->point_bytes = 2 * sizeof (uint64_t) + layout->payload_bytes
        + (rc_voxel_is_ordered (plan) ? 2 * sizeof (uint32_t) : 0);
    layout->point_bytes = (layout->point_bytes + 7) / 8 * 8;
  }

  reserve (&output, values, sizeof (uint64_t), &too_large);
  if (!too_large)
    reserve (&output, spec->batch, layout->item_bytes + layout->point_bytes, &too_large);
  return too_large ? refuse_size (spec, error) : RC_OK;
}

int64_t
rc_voxel_channels (const RcVoxelPlan *plan)
{
  return plan->channels;
}

int64_t
rc_voxel_value_bytes (const RcVoxelPlan *plan)
{
  const RcVoxelSpec *spec = &plan->spec;

  if (spec->output == RC_VOXEL_BITS)
    return plan->bit_words * (int64_t) sizeof (uint32_t);
  if (spec->output == RC_VOXEL_DENSE)
    return plan->voxels * plan->channels * (int64_t) rc_dtype_size (spec->dtype);
  if (!rc_voxel_has_values (spec))
    return 0;
  return spec->max_voxels * rc_voxel_points_each (spec) * (plan->channels + plan->decorations) * (int64_t) rc_dtype_size (spec->dtype);
}

int64_t
rc_voxel_bitmap_bytes (const RcVoxelPlan *plan)
{
  return plan->spec.output == RC_VOXEL_DENSE ? plan->bit_words * (int64_t) sizeof (uint32_t) : 0;
}

int
rc_voxel_profits_from_known (const RcVoxelPlan *plan)
{
  const int is_bytes = plan->spec.mode == RC_VOXEL_OCCUPANCY && rc_dtype_size (plan->spec.dtype) == 1;

  /* a GPU reads and writes the bitmap in more time than it saves (docs/explanation/experiments.md) */
  return rc_voxel_bitmap_bytes (plan) > 0 && (plan->accumulates || !is_bytes || rc_backend_kind (plan->backend) == RC_BACKEND_CPU);
}

int
rc_voxel_needs_range (const RcVoxelPlan *plan)
{
  return plan->spec.mode == RC_VOXEL_MEAN && plan->spec.feature_range == 0.0;
}
