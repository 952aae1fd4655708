/* robocache: settings of a voxel grid: the possible types of its values, its spec, and checks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "common/points/pointcloudcaps.h"
#include "kernels/voxel.h"

/* The points of a window of clouds that a voxel keeps when it has more than max-points. */
typedef enum
{
  ROBOCACHE_VOXEL_KEEP_NEWEST,  /* points of the newest cloud, then of the cloud before it, and so on */
  ROBOCACHE_VOXEL_KEEP_FIRST    /* points in the order in which they arrived */
} RobocacheVoxelKeep;

/* The properties of a grid, and the fields of the input's caps that its own caps need. */
typedef struct
{
  gdouble origin[3];            /* metres */
  gdouble voxel_size[3];        /* metres */
  gint64 grid[3];
  RcVoxelMode mode;
  RcVoxelOutput output;
  RcDtype dtype;                /* a dtype, or ROBOCACHE_DTYPE_AUTO */
  gint max_voxels;              /* sparse and rank */
  gint max_points;              /* per voxel; first and pillars */
  RobocacheVoxelKeep keep;      /* first and pillars */
  gboolean centre_z;            /* pillars */
  guint accumulate;             /* number of clouds per grid */
  guint64 max_cloud_bytes;
  gdouble feature_range;        /* 0: found in the data */
  gdouble fx, fy, cx, cy;       /* pixels; depth */
  gdouble k1, k2, k3, p1, p2;   /* distortion of the lens, as in kernels/rays.h; depth */
  gdouble depth_scale;          /* metres per unit */
  guint64 map_points;           /* points of the last cloud, for maps as tensors; 0: no cloud yet */
} RobocacheVoxelSettings;

/* Types that the values may have, the preferred one first: only the selected type, or for auto all types of the mode. Ends with
 * RC_N_DTYPES. */
const RcDtype *robocache_voxel_dtypes (const RobocacheVoxelSettings * settings);

/* Sets the rays of a depth image's pixels if the lens distorts; reuses `last` (may be NULL) if it belongs to the same camera. FALSE and
 * an error: an invalid parameter of the lens, or no memory. */
gboolean robocache_voxel_cast_rays (const RobocacheVoxelSettings * settings, RobocachePointsInfo * points,
    RobocacheCameraRays * last, GError ** error);

/* The spec of a grid of these points with values of dtype. It refers to the layout and rays of points. rc_voxel_plan validates it. */
RcVoxelSpec robocache_voxel_spec (const RobocacheVoxelSettings * settings, const RobocachePointsInfo * points,
    RcDtype dtype);

/* FALSE and an error: an invalid combination of properties that the spec no longer shows: a camera without focal lengths, or a type
 * that bits, index or rank cannot have. */
gboolean robocache_voxel_settings_check (const RobocacheVoxelSettings * settings, const RobocachePointsInfo * points,
    GError ** error);

/* If float32 numbers at the corner of the grid farthest from 0 are more than a quarter of a voxel apart: describes the effect on the worst
 * axis, and a remedy. NULL: they are not. Free with g_free. */
gchar *robocache_voxel_coarse_spacing (const RcVoxelSpec * spec);
