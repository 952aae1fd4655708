/* robocache: the bounding box of the finite points of a cloud
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "pointlayout.h"

typedef struct
{
  gdouble min[3], max[3];       /* along x, y, z, in metres */
} RobocachePointBounds;

/* Finds the bounding box of n_points interleaved points in host memory. FALSE: no point is finite. */
gboolean robocache_point_bounds_find (RobocachePointBounds * bounds, const RobocachePointLayout * layout, const guint8 * points,
    guint64 n_points);
