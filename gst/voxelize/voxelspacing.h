/* robocache: grids so far from 0 that float32 coordinates do not tell their voxels apart
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_VOXELSPACING_H
#define ROBOCACHE_VOXELSPACING_H

#include <glib.h>

#include "kernels/voxel.h"

G_BEGIN_DECLS

/* Where float32 numbers at the corner of the grid farthest from 0 are more than a quarter of a voxel apart: what that
 * does on the axis where it does most, and what to change. NULL: nowhere. Free with g_free. */
gchar *robocache_voxel_coarse_spacing (const RcVoxelSpec * spec);

G_END_DECLS
#endif
