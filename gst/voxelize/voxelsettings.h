/* robocache: settings of a voxel grid: the types that its values may have, its spec, and what is wrong with them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_VOXELSETTINGS_H
#define ROBOCACHE_VOXELSETTINGS_H

#include <gst/gst.h>

#include "common/points/pointcloudcaps.h"
#include "kernels/voxel.h"

G_BEGIN_DECLS

/* The properties of a grid, and what its caps need of the stream. */
typedef struct
{
  gdouble origin[3];            /* metres */
  gdouble voxel_size[3];        /* metres */
  gint64 grid[3];
  RcVoxelMode mode;
  RcVoxelOutput output;
  RcDtype dtype;                /* or ROBOCACHE_DTYPE_AUTO */
  gint max_voxels;              /* sparse and rank */
  gint max_points;              /* per voxel; first and pillars */
  gboolean centre_z;            /* pillars */
  guint accumulate;             /* clouds of a grid */
  guint64 max_cloud_bytes;
  gdouble feature_range;        /* 0: found in the data */
  gdouble fx, fy, cx, cy;       /* pixels; depth */
  gdouble k1, k2, k3, p1, p2;   /* of the lens, as in kernels/rays.h; depth */
  gdouble depth_scale;          /* metres a unit */
  guint64 map_points;           /* of the last cloud, for maps as tensors; 0: none came */
} RobocacheVoxelSettings;

/* Types that the values may have, the preferred one first: the chosen one alone, or for auto all types of the mode. Ends with
 * RC_N_DTYPES. */
const RcDtype *robocache_voxel_dtypes (const RobocacheVoxelSettings * settings);

/* Sets the rays of a depth image's pixels if the lens distorts: `last`, unless NULL, if it is of the same camera. FALSE and an
 * error: an invalid number of the lens, or no memory. */
gboolean robocache_voxel_cast_rays (const RobocacheVoxelSettings * settings, RobocachePointsInfo * points,
    RobocacheCameraRays * last, GError ** error);

/* The spec of a grid of these points with values of dtype. Refers to their layout and rays. Not validated: rc_voxel_plan does
 * that. */
RcVoxelSpec robocache_voxel_spec (const RobocacheVoxelSettings * settings, const RobocachePointsInfo * points,
    RcDtype dtype);

/* FALSE and an error for combinations of properties that the spec no longer shows: a camera without focal lengths, or a type
 * that bits, index or rank cannot have. */
gboolean robocache_voxel_settings_check (const RobocacheVoxelSettings * settings, const RobocachePointsInfo * points,
    GError ** error);

/* Where float32 numbers at the corner of the grid farthest from 0 are more than a quarter of a voxel apart: what that
 * does on the axis where it does most, and what to change. NULL: nowhere. Free with g_free. */
gchar *robocache_voxel_coarse_spacing (const RcVoxelSpec * spec);

G_END_DECLS
#endif
