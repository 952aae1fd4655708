/* robocache: grids so far from 0 that float32 coordinates do not tell their voxels apart
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "voxelspacing.h"

#include <math.h>

#define COARSE 0.25             /* of a voxel */

/* Of the coordinates of an axis, the one farthest from 0. */
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
  return g_strdup_printf ("%c: coordinates are float32, which at %.10g m are %g m apart, and voxel-size is %g m: points "
      "fall into other voxels; subtract the origin from them in the source, in float64, and set origin accordingly",
      "xyz"[axis], at, spacing, spec->voxel_size[axis]);
}
