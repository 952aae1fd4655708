/* robocache: which voxel grids there are: what is valid in a spec
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "backend_impl.h"
#include "voxel_plan.h"

#include <inttypes.h>

static const char *const axis_names[3] = { "x", "y", "z" };

const char *
rc_voxel_mode_name (RcVoxelMode mode)
{
  static const char *const names[] = { "occupancy", "count", "mean", "centroid", "max", "min", "first" };

  return names[mode];
}

const char *
rc_voxel_output_name (RcVoxelOutput output)
{
  static const char *const names[] = { "dense", "bits", "sparse", "index", "rank" };

  return names[output];
}

/* ---- what is voxelized ---- */

static int
is_coordinate_dtype (RcDtype dtype)
{
  return dtype == RC_FLOAT16 || dtype == RC_FLOAT32 || dtype == RC_FLOAT64;
}

static RcStatus
check_layout (const RcVoxelPoints *points, RcError *error)
{
  for (int64_t i = 0; i < points->fields; i++) {
    const RcVoxelField *field = &points->layout[i];
    const int64_t size = (int64_t) rc_dtype_size (field->dtype);
    const char *name = rc_dtype_name (field->dtype);

    if (size == 0 || (i < 3 && field->dtype != points->dtype))
      return rc_error_set (error, RC_INVALID_ARGUMENT, "field %" PRId64 " of the points has type %s (%d): expected %s",
          i, name ? name : "?", (int) field->dtype, i < 3 ? rc_dtype_name (points->dtype) : "an RcDtype");
    if (field->offset < 0 || field->offset > RC_VOXEL_MAX_POINT_BYTES - size)
      return rc_error_set (error, RC_INVALID_ARGUMENT, "field %" PRId64 " of the points is at byte %" PRId64
          ": expected 0 to %" PRId64, i, field->offset, RC_VOXEL_MAX_POINT_BYTES - size);
  }
  return RC_OK;
}

static RcStatus
check_points (const RcVoxelPoints *points, RcVoxelMode mode, RcError *error)
{
  RcStatus status;

  if (!is_coordinate_dtype (points->dtype)) {
    const char *name = rc_dtype_name (points->dtype);

    return rc_error_set (error, RC_INVALID_ARGUMENT, "points of type %s (%d): expected float16, float32 or float64",
        name ? name : "?", (int) points->dtype);
  }
  if (points->fields < 3 || points->fields > RC_VOXEL_MAX_FIELDS)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "points of %" PRId64 " fields: expected x, y, z and up to %d "
        "fields in all", points->fields, RC_VOXEL_MAX_FIELDS);
  if (points->layout && (status = check_layout (points, error)) != RC_OK)
    return status;
  if (!rc_voxel_needs_features (mode))
    return RC_OK;
  if (points->features < 1)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "mode %s needs a feature beside x, y, z, but the points of "
        "%" PRId64 " fields have none", rc_voxel_mode_name (mode), points->fields);
  if (points->first_feature < 0 || points->first_feature > points->fields - points->features)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "features %" PRId64 " to %" PRId64 " of points of %" PRId64
        " fields: expected fields from 0 on", points->first_feature, points->first_feature + points->features - 1,
        points->fields);
  return RC_OK;
}

static RcStatus
check_depth (const RcVoxelDepth *depth, RcVoxelMode mode, RcError *error)
{
  const struct
  {
    const char *name;
    double value;
    int positive;
  } numbers[] = {
    {"fx", depth->fx, 1}, {"fy", depth->fy, 1}, {"cx", depth->cx, 0}, {"cy", depth->cy, 0},
    {"scale", (float) depth->scale, 1},
  };

  if (depth->width < 1 || depth->width > 65536 || depth->height < 1 || depth->height > 65536)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "a depth image of %" PRId64 " x %" PRId64 " pixels: expected 1 to "
        "65536 each", depth->width, depth->height);
  for (size_t i = 0; i < sizeof (numbers) / sizeof (numbers[0]); i++) {
    if (!(fabs (numbers[i].value) < INFINITY) || (numbers[i].positive && !(numbers[i].value > 0.0)))
      return rc_error_set (error, RC_INVALID_ARGUMENT, "%s of the depth image is %g: expected a finite number%s",
          numbers[i].name, numbers[i].value, numbers[i].positive ? " above 0" : "");
  }
  if (rc_voxel_needs_features (mode))
    return rc_error_set (error, RC_INVALID_ARGUMENT, "mode %s needs a feature beside x, y, z, but a depth image has "
        "none", rc_voxel_mode_name (mode));
  return RC_OK;
}

/* ---- what of it is made ---- */

static RcStatus
check_grid (const RcVoxelSpec *spec, RcError *error)
{
  for (int axis = 0; axis < 3; axis++) {
    const float size = (float) spec->voxel_size[axis];

    if (spec->grid[axis] < 1 || spec->grid[axis] > RC_VOXEL_MAX_AXIS)
      return rc_error_set (error, RC_INVALID_ARGUMENT, "grid has %" PRId64 " voxels along %s: expected 1 to %d",
          spec->grid[axis], axis_names[axis], RC_VOXEL_MAX_AXIS);
    if (!(fabs (spec->origin[axis]) < INFINITY) || fabsf ((float) spec->origin[axis]) == INFINITY)
      return rc_error_set (error, RC_INVALID_ARGUMENT, "origin %s is %g: expected a number that is finite in float32",
          axis_names[axis], spec->origin[axis]);
    if (!(size > 0.0f && size < INFINITY))
      return rc_error_set (error, RC_INVALID_ARGUMENT, "voxel size %s is %g: expected a number above 0 that is finite "
          "in float32", axis_names[axis], spec->voxel_size[axis]);
  }
  return RC_OK;
}

static RcStatus
check_output (const RcVoxelSpec *spec, RcError *error)
{
  const int points = rc_voxel_maps_points (spec->output), of_voxels = spec->output == RC_VOXEL_SPARSE
      || spec->output == RC_VOXEL_RANK;

  if ((points || spec->output == RC_VOXEL_BITS) && spec->mode != RC_VOXEL_OCCUPANCY)
    return rc_error_set (error, RC_INVALID_ARGUMENT, points ? "mode %s with output %s: expected mode occupancy, since "
        "output %s says where points are and nothing of voxels" : "mode %s with output %s: %s hold occupancy only",
        rc_voxel_mode_name (spec->mode), rc_voxel_output_name (spec->output), rc_voxel_output_name (spec->output));
  if (spec->mode == RC_VOXEL_FIRST && spec->output != RC_VOXEL_SPARSE)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "mode first with output %s: expected output sparse, since each voxel "
        "holds a list of points", rc_voxel_output_name (spec->output));
  if (spec->mode == RC_VOXEL_FIRST && (spec->max_points < 1 || spec->max_points > RC_VOXEL_MAX_FIRST))
    return rc_error_set (error, RC_INVALID_ARGUMENT, "max_points is %" PRId64 ": expected 1 to %d", spec->max_points,
        RC_VOXEL_MAX_FIRST);
  if (of_voxels && (spec->max_voxels < 1 || spec->max_voxels > INT32_MAX))
    return rc_error_set (error, RC_INVALID_ARGUMENT, "max_voxels is %" PRId64 ": expected 1 to %d", spec->max_voxels,
        INT32_MAX);
  return RC_OK;
}

/* Which dtypes the values of a mode can have. */
static RcStatus
check_dtype (const RcVoxelSpec *spec, RcError *error)
{
  const int is_float = spec->dtype == RC_FLOAT16 || spec->dtype == RC_FLOAT32;
  const int any = is_float || spec->dtype == RC_UINT8 || spec->dtype == RC_UINT32;
  const char *name = rc_dtype_name (spec->dtype);

  if (!rc_voxel_has_values (spec))
    return RC_OK;
  if (!any)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "values of type %s (%d): expected uint8, uint32, float16 or "
        "float32", name ? name : "?", (int) spec->dtype);
  if (!is_float && spec->mode != RC_VOXEL_OCCUPANCY && spec->mode != RC_VOXEL_COUNT)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "mode %s with values of type %s: expected float16 or float32",
        rc_voxel_mode_name (spec->mode), name);
  return RC_OK;
}

RcStatus
rc_voxel_check_spec (const RcVoxelSpec *spec, RcError *error)
{
  RcStatus status;

  if ((unsigned) spec->mode > RC_VOXEL_FIRST)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "mode %d: expected an RcVoxelMode", (int) spec->mode);
  if ((unsigned) spec->output > RC_VOXEL_RANK)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "output %d: expected an RcVoxelOutput", (int) spec->output);
  if ((unsigned) spec->source > RC_VOXEL_DEPTH)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "source %d: expected an RcVoxelSource", (int) spec->source);
  if ((status = check_output (spec, error)) != RC_OK)
    return status;
  status = spec->source == RC_VOXEL_POINTS ? check_points (&spec->points, spec->mode, error)
      : check_depth (&spec->depth, spec->mode, error);
  if (status != RC_OK || (status = check_grid (spec, error)) != RC_OK || (status = check_dtype (spec, error)) != RC_OK)
    return status;
  if (!(spec->feature_range >= 0.0 && spec->feature_range < INFINITY))
    return rc_error_set (error, RC_INVALID_ARGUMENT, "feature_range is %g: expected a finite number, 0 for none",
        spec->feature_range);
  if (spec->batch < 1)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "batch is %" PRId64 ": expected at least 1", spec->batch);
  if (spec->accumulates < 0)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "accumulates is %" PRId64 ": expected a number of clouds, or 0",
        spec->accumulates);
  return RC_OK;
}
