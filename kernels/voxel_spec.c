/* robocache: which voxel grids there are: what is valid in a spec
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "backend_impl.h"
#include "voxel_plan.h"

#include <inttypes.h>

const char *
rc_voxel_mode_name (RcVoxelMode mode)
{
  static const char *const names[] = { "occupancy", "count", "mean", "centroid", "max", "min", "first", "pillars" };

  return names[mode];
}

const char *
rc_voxel_output_name (RcVoxelOutput output)
{
  static const char *const names[] = { "dense", "bits", "sparse", "index", "rank" };

  return names[output];
}

static RcWrongSetting
wrong_dtype (RcSetting setting, RcDtype dtype)
{
  const char *name = rc_dtype_name (dtype);

  return name ? rc_wrong (setting, "%s", name) : rc_wrong (setting, "%d", (int) dtype);
}

static RcWrongSetting
wrong_mode (RcVoxelMode mode)
{
  return rc_wrong (RC_SETTING_MODE, "%s", rc_voxel_mode_name (mode));
}

/* ---- points and depth ---- */

/* modes */
#define WITHOUT_FEATURES "occupancy, count, centroid, first or pillars"

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

  if (!is_coordinate_dtype (points->dtype))
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, wrong_dtype (RC_SETTING_POINT_DTYPE, points->dtype),
        "float16, float32 or float64");
  if (points->fields < 3 || points->fields > RC_VOXEL_MAX_FIELDS)
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, rc_wrong (RC_SETTING_FIELDS, "%" PRId64, points->fields),
        "x, y, z and at most %d in all", RC_VOXEL_MAX_FIELDS);
  if (points->layout && (status = check_layout (points, error)) != RC_OK)
    return status;
  if (!rc_voxel_needs_features (mode))
    return RC_OK;
  if (points->features < 1)
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, wrong_mode (mode), "points with a feature beside x, y and z, or "
        WITHOUT_FEATURES);
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
    RcSetting setting;
    double value;
    int positive;
  } numbers[] = {
    {RC_SETTING_FX, depth->fx, 1}, {RC_SETTING_FY, depth->fy, 1}, {RC_SETTING_CX, depth->cx, 0}, {RC_SETTING_CY, depth->cy, 0},
    {RC_SETTING_SCALE, (float) depth->scale, 1},
  };
  RcStatus status = rc_check_image_size (depth->width, depth->height, error);

  for (size_t i = 0; i < sizeof (numbers) / sizeof (numbers[0]) && status == RC_OK; i++)
    status = rc_check_image_number (numbers[i].setting, numbers[i].value, numbers[i].positive, error);
  if (status == RC_OK && rc_voxel_needs_features (mode))
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, wrong_mode (mode), WITHOUT_FEATURES
        ", since a depth image has no feature");
  return status;
}

/* ---- what of it is made ---- */

static RcStatus
check_grid (const RcVoxelSpec *spec, RcError *error)
{
  for (int axis = 0; axis < 3; axis++) {
    const float size = (float) spec->voxel_size[axis];

    if (spec->grid[axis] < 1 || spec->grid[axis] > RC_VOXEL_MAX_AXIS)
      return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, rc_wrong_axis (RC_SETTING_GRID, axis, (double) spec->grid[axis]),
          "1 to %d voxels", RC_VOXEL_MAX_AXIS);
    if (!(fabs (spec->origin[axis]) < INFINITY) || fabsf ((float) spec->origin[axis]) == INFINITY)
      return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, rc_wrong_axis (RC_SETTING_ORIGIN, axis, spec->origin[axis]),
          "a number that is finite in float32");
    if (!(size > 0.0f && size < INFINITY))
      return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, rc_wrong_axis (RC_SETTING_VOXEL_SIZE, axis, spec->voxel_size[axis]),
          "a number above 0 that is finite in float32");
  }
  return RC_OK;
}

static RcStatus
check_output (const RcVoxelSpec *spec, RcError *error)
{
  const int points = rc_voxel_maps_points (spec->output), of_voxels = spec->output == RC_VOXEL_SPARSE
      || spec->output == RC_VOXEL_RANK;
  const char *output = rc_voxel_output_name (spec->output);

  if ((points || spec->output == RC_VOXEL_BITS) && spec->mode != RC_VOXEL_OCCUPANCY)
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, rc_wrong_with (wrong_mode (spec->mode), RC_SETTING_OUTPUT, "%s",
            output), points ? "occupancy, since this output has the voxel of each point and no values"
        : "occupancy, since a bit holds nothing else");
  if (rc_voxel_lists_points (spec->mode) && spec->output != RC_VOXEL_SPARSE)
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, rc_wrong_with (rc_wrong (RC_SETTING_OUTPUT, "%s", output),
            RC_SETTING_MODE, "%s", rc_voxel_mode_name (spec->mode)), "sparse, since each voxel holds a list of points");
  if (rc_voxel_lists_points (spec->mode) && (spec->max_points < 1 || spec->max_points > RC_VOXEL_MAX_FIRST))
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, rc_wrong (RC_SETTING_MAX_POINTS, "%" PRId64, spec->max_points),
        "1 to %d", RC_VOXEL_MAX_FIRST);
  if (of_voxels && (spec->max_voxels < 1 || spec->max_voxels > INT32_MAX))
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, rc_wrong (RC_SETTING_MAX_VOXELS, "%" PRId64, spec->max_voxels),
        "1 to %d", INT32_MAX);
  return RC_OK;
}

/* Which dtypes the values of a mode can have. */
static RcStatus
check_dtype (const RcVoxelSpec *spec, RcError *error)
{
  const int is_float = spec->dtype == RC_FLOAT16 || spec->dtype == RC_FLOAT32;
  const int any = is_float || spec->dtype == RC_UINT8 || spec->dtype == RC_UINT32;
  const RcWrongSetting wrong = wrong_dtype (RC_SETTING_DTYPE, spec->dtype);

  if (!rc_voxel_has_values (spec))
    return RC_OK;
  if (!any)
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, wrong, "uint8, uint32, float16 or float32");
  if (!is_float && spec->mode != RC_VOXEL_OCCUPANCY && spec->mode != RC_VOXEL_COUNT)
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, rc_wrong_with (wrong, RC_SETTING_MODE, "%s",
            rc_voxel_mode_name (spec->mode)), "float16 or float32");
  return RC_OK;
}

RcStatus
rc_voxel_check_spec (const RcVoxelSpec *spec, RcError *error)
{
  RcStatus status;

  if ((unsigned) spec->mode > RC_VOXEL_PILLARS)
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
    return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, rc_wrong (RC_SETTING_FEATURE_RANGE, "%g", spec->feature_range),
        "a finite number above 0, or 0 for none");
  if (spec->batch < 1)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "batch is %" PRId64 ": expected at least 1", spec->batch);
  if (spec->accumulates < 0)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "accumulates is %" PRId64 ": expected a number of clouds, or 0",
        spec->accumulates);
  return RC_OK;
}
