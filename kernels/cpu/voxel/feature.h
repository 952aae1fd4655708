/* robocache: features of points on the CPU, and values of voxels
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/voxel_plan.h"

/* Loads the number at p, which need not be aligned, as float64. Indexed by RcDtype. */
typedef double (*RcCpuLoadFeature) (const char *p);
extern const RcCpuLoadFeature rc_cpu_load_feature[RC_N_DTYPES];

/* Stores x as element i of out, rounded once. Indexed by RcDtype: float16 and float32. */
typedef void (*RcCpuStoreValue) (void *out, int64_t i, double x);
extern const RcCpuStoreValue rc_cpu_store_value[RC_N_DTYPES];

/* Feature c of a point. */
static inline double
rc_cpu_voxel_feature (const RcVoxelPlan *plan, const char *point, int64_t c)
{
  const RcVoxelField *feature = &plan->features[c];

  return rc_cpu_load_feature[feature->dtype] (point + feature->offset);
}

/* The key of a value for max and min. */
static inline uint32_t
rc_cpu_voxel_extreme_key (const RcVoxelPlan *plan, double x)
{
  const float rounded = plan->spec.dtype == RC_FLOAT16 ? rc_float32_from_float16 (rc_float16_from_float64 (x))
      : rc_float32_from_float64 (x);

  return rc_voxel_key (rounded, plan->flip);
}

/* Whether feature_range clamps x; the caller counts such values. */
static inline int
rc_cpu_voxel_exceeds_range (const RcVoxelPlan *plan, double x)
{
  return plan->spec.feature_range > 0.0 && fabs (x) > plan->spec.feature_range && fabs (x) < INFINITY;
}

/* A finite feature value, clamped to feature_range if there is one. */
static inline double
rc_cpu_voxel_clamp (const RcVoxelPlan *plan, double x)
{
  const double range = plan->spec.feature_range;

  if (range == 0.0 || fabs (x) <= range)
    return x;
  return x > 0.0 ? range : -range;
}
