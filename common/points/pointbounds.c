/* robocache: the box around the finite points of a cloud
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "pointbounds.h"

#include <math.h>
#include <string.h>

#include "kernels/arithmetic.h"

static gdouble
read_coordinate (RcDtype dtype, const guint8 *at)
{
  gdouble value;
  gfloat single;
  guint16 half;

  switch (dtype) {
    case RC_FLOAT64:
      memcpy (&value, at, sizeof (value));
      return value;
    case RC_FLOAT32:
      memcpy (&single, at, sizeof (single));
      return (gdouble) single;
    default:
      memcpy (&half, at, sizeof (half));
      return (gdouble) rc_float32_from_float16 (half);
  }
}

/* FALSE: a coordinate is not finite. */
static gboolean
read_point (const RobocachePointLayout *layout, const guint8 *point, gdouble *xyz)
{
  gboolean is_finite = TRUE;

  for (guint axis = 0; axis < 3; axis++) {
    const gsize offset = layout->fields ? (gsize) layout->fields[axis].offset : axis * rc_dtype_size (layout->dtype);

    xyz[axis] = read_coordinate (layout->dtype, point + offset);
    is_finite &= isfinite (xyz[axis]);
  }
  return is_finite;
}

gboolean
robocache_point_bounds_find (RobocachePointBounds *bounds, const RobocachePointLayout *layout, const guint8 *points, guint64 n_points)
{
  gboolean found = FALSE;
  gdouble xyz[3];

  for (guint64 i = 0; i < n_points; i++) {
    if (!read_point (layout, points + i * layout->point_bytes, xyz))
      continue;
    for (guint axis = 0; axis < 3; axis++) {
      bounds->min[axis] = found ? MIN (bounds->min[axis], xyz[axis]) : xyz[axis];
      bounds->max[axis] = found ? MAX (bounds->max[axis], xyz[axis]) : xyz[axis];
    }
    found = TRUE;
  }
  return found;
}
