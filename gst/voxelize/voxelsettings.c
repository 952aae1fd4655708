/* robocache: settings of a voxel grid: the types that its values may have, its spec, and what is wrong with them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "voxelsettings.h"

#include <math.h>
#include <string.h>

#include "common/element/errors.h"
#include "common/element/propertytypes.h"

#define COARSE 0.25             /* of a voxel */

const RcDtype *
robocache_voxel_dtypes (const RobocacheVoxelSettings *settings)
{
  static const RcDtype bits[] = { RC_UINT32, RC_N_DTYPES };
  static const RcDtype points[] = { RC_INT64, RC_N_DTYPES };
  static const RcDtype occupancy[] = { RC_UINT8, RC_FLOAT32, RC_FLOAT16, RC_UINT32, RC_N_DTYPES };
  static const RcDtype count[] = { RC_UINT32, RC_FLOAT32, RC_UINT8, RC_FLOAT16, RC_N_DTYPES };
  static const RcDtype value[] = { RC_FLOAT32, RC_FLOAT16, RC_N_DTYPES };
#define CHOSEN(dtype) [dtype] = {dtype, RC_N_DTYPES}
  static const RcDtype chosen[][2] = {
    CHOSEN (RC_INT8), CHOSEN (RC_UINT8), CHOSEN (RC_INT16), CHOSEN (RC_UINT16), CHOSEN (RC_INT32), CHOSEN (RC_UINT32),
    CHOSEN (RC_INT64), CHOSEN (RC_UINT64), CHOSEN (RC_FLOAT16), CHOSEN (RC_BFLOAT16), CHOSEN (RC_FLOAT32), CHOSEN (RC_FLOAT64),
  };

  if (settings->dtype != ROBOCACHE_DTYPE_AUTO)
    return chosen[settings->dtype];
  if (settings->output == RC_VOXEL_BITS)
    return bits;
  if (rc_voxel_maps_points (settings->output))
    return points;
  return settings->mode == RC_VOXEL_OCCUPANCY ? occupancy : settings->mode == RC_VOXEL_COUNT ? count : value;
}

gboolean
robocache_voxel_cast_rays (const RobocacheVoxelSettings *settings, RobocachePointsInfo *points,
    RobocacheCameraRays *last, GError **error)
{
  const RcCamera camera = {
    .width = GST_VIDEO_INFO_WIDTH (&points->video),.height = GST_VIDEO_INFO_HEIGHT (&points->video),
    .fx = settings->fx,.fy = settings->fy,.cx = settings->cx,.cy = settings->cy,
    .k1 = settings->k1,.k2 = settings->k2,.k3 = settings->k3,.p1 = settings->p1,.p2 = settings->p2
  };

  if (points->kind != ROBOCACHE_POINTS_DEPTH || !rc_camera_distorts (&camera))
    return TRUE;
  points->rays = robocache_camera_rays_new (&camera, last, error);
  return points->rays != NULL;
}

RcVoxelSpec
robocache_voxel_spec (const RobocacheVoxelSettings *settings, const RobocachePointsInfo *points, RcDtype dtype)
{
  RcVoxelSpec spec;

  memset (&spec, 0, sizeof (spec));
  if (points->kind == ROBOCACHE_POINTS_DEPTH) {
    spec.source = RC_VOXEL_DEPTH;
    spec.depth = (RcVoxelDepth) {
      GST_VIDEO_INFO_WIDTH (&points->video), GST_VIDEO_INFO_HEIGHT (&points->video),
      settings->fx, settings->fy, settings->cx, settings->cy, points->is_float_depth ? 1.0 : settings->depth_scale,
      points->rays ? points->rays->rays : NULL, points->is_float_depth
    };
  } else {
    spec.source = RC_VOXEL_POINTS;
    spec.points = (RcVoxelPoints) {
      points->layout.dtype, points->layout.n_fields, 3, (gint64) points->layout.n_fields - 3, points->layout.fields
    };
  }
  memcpy (spec.origin, settings->origin, sizeof (spec.origin));
  memcpy (spec.voxel_size, settings->voxel_size, sizeof (spec.voxel_size));
  memcpy (spec.grid, settings->grid, sizeof (spec.grid));
  spec.mode = settings->mode;
  spec.output = settings->output;
  spec.dtype = dtype;
  spec.max_voxels = settings->max_voxels;
  spec.feature_range = settings->feature_range;
  spec.max_points = settings->max_points;
  spec.centre_z = settings->centre_z;
  spec.batch = (gint64) points->n_items;
  return spec;
}

/* Checks the rays along an axis of the image, whose pixels go from 0 to n - 1. */
static gboolean
check_rays (const gchar *axis, gdouble focal_length, gdouble centre, gint n, GError **error)
{
  const gdouble farthest = MAX (ABS (centre), ABS (n - 1 - centre));

  if (farthest / focal_length <= G_MAXFLOAT)
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "f%s=%g and c%s=%g give rays that are not finite in float32: set "
      "both in pixels", axis, focal_length, axis, centre);
  return FALSE;
}

gboolean
robocache_voxel_settings_check (const RobocacheVoxelSettings *settings, const RobocachePointsInfo *points,
    GError **error)
{
  if (points->kind == ROBOCACHE_POINTS_DEPTH && (settings->fx <= 0.0 || settings->fy <= 0.0)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "fx=%g and fy=%g: a depth image needs the camera's focal "
        "lengths in pixels, both above 0", settings->fx, settings->fy);
    return FALSE;
  }
  if (points->kind == ROBOCACHE_POINTS_DEPTH
      && (!check_rays ("x", settings->fx, settings->cx, GST_VIDEO_INFO_WIDTH (&points->video), error)
          || !check_rays ("y", settings->fy, settings->cy, GST_VIDEO_INFO_HEIGHT (&points->video), error)))
    return FALSE;
  if (settings->output == RC_VOXEL_BITS && settings->dtype != ROBOCACHE_DTYPE_AUTO && settings->dtype != RC_UINT32) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "type=%s with output=bits: bits are packed in uint32 words; set type=auto",
        rc_dtype_name (settings->dtype));
    return FALSE;
  }
  if (rc_voxel_maps_points (settings->output) && settings->dtype != ROBOCACHE_DTYPE_AUTO
      && settings->dtype != RC_INT64) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "type=%s with output=index or rank: these are int64; set "
        "type=auto", rc_dtype_name (settings->dtype));
    return FALSE;
  }
  return TRUE;
}

/* ---- coordinates in float32 ---- */

/* Finds the coordinate of an axis that is farthest from 0. */
static gdouble
farthest (const RcVoxelSpec *spec, guint axis)
{
  const gdouble least = spec->origin[axis];

  return fmax (fabs (least), fabs (least + (gdouble) spec->grid[axis] * spec->voxel_size[axis]));
}

/* From a coordinate to the next one that is a float32. */
static gdouble
spacing_at (gdouble coordinate)
{
  const gfloat rounded = (gfloat) coordinate;

  return (gdouble) nextafterf (rounded, INFINITY) - (gdouble) rounded;
}

gchar *
robocache_voxel_coarse_spacing (const RcVoxelSpec *spec)
{
  gdouble worst = COARSE, at, spacing;
  gint axis = -1;

  for (gint i = 0; i < 3; i++) {
    const gdouble voxels = spacing_at (farthest (spec, (guint) i)) / spec->voxel_size[i];

    if (voxels > worst) {
      worst = voxels;
      axis = i;
    }
  }
  if (axis < 0)
    return NULL;
  at = farthest (spec, (guint) axis);
  spacing = spacing_at (at);
  return g_strdup_printf ("%c: at %.10g m, float32 coordinates have steps of %g m, but voxel-size is %g m, so points fall into "
      "wrong voxels: subtract an offset in the source, in float64, and set origin accordingly",
      "xyz"[axis], at, spacing, spec->voxel_size[axis]);
}
