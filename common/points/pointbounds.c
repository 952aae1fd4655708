/* robocache: the box around the finite points of a cloud
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "pointbounds.h"

#include <math.h>

#include "common/tensors/tensorelements.h"

/* FALSE: a coordinate is not finite. */
static gboolean
read_point (const RobocachePointLayout *layout, const guint8 *point, gdouble *xyz)
{
  gboolean is_finite = TRUE;

  for (guint axis = 0; axis < 3; axis++) {
    const gsize offset = layout->fields ? (gsize) layout->fields[axis].offset : axis * rc_dtype_size (layout->dtype);

    xyz[axis] = robocache_element_read (layout->dtype, point + offset);
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
