/* robocache: from properties and caps of points to a voxel grid and its caps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_VOXELCAPS_H
#define ROBOCACHE_VOXELCAPS_H

#include <gst/gst.h>

#include "kernels/voxel.h"
#include "common/points/pointcloudcaps.h"
#include "common/tensors/tensorcaps.h"
#include "common/points/gridcaps.h"

G_BEGIN_DECLS

/* What properties say of a grid. */
typedef struct
{
  gdouble origin[3];            /* metres */
  gdouble voxel_size[3];        /* metres */
  gint64 grid[3];
  RcVoxelMode mode;
  RcVoxelOutput output;
  RcDtype dtype;                /* or ROBOCACHE_DTYPE_AUTO */
  gint64 max_voxels;            /* sparse and rank */
  gint64 max_points;            /* of a voxel; first */
  gdouble feature_range;        /* 0: found in the data */
  gdouble fx, fy, cx, cy;       /* pixels; depth */
  gdouble k1, k2, k3, p1, p2;   /* of the lens, as in kernels/rays.h; depth */
  gdouble depth_scale;          /* metres a unit */
} RobocacheVoxelSettings;

/* The types the values may have, the preferred one first: the chosen one alone, or for auto all that the mode can have.
 * Ends with RC_N_DTYPES. */
const RcDtype *robocache_voxel_dtypes (const RobocacheVoxelSettings * settings);

/* Gives points of a depth image, whose lens distorts, the rays of its pixels: those of last, unless NULL, where they are
 * of the same camera. FALSE and an error for a number of the lens that makes no sense, or no memory. */
gboolean robocache_voxel_cast_rays (const RobocacheVoxelSettings * settings, RobocachePointsInfo * points,
    RobocacheCameraRays * last, GError ** error);

/* What a kernel says of a spec's fields, as a user knows them: by their properties. Free with g_free. */
gchar *robocache_voxel_name_properties (const gchar * message);

/* The spec of a grid of these points, whose layout and rays it refers to, with values of dtype, one that
 * robocache_voxel_dtypes gave or any other. What makes no sense is rc_voxel_plan's to refuse. */
RcVoxelSpec robocache_voxel_spec (const RobocacheVoxelSettings * settings, const RobocachePointsInfo * points,
    RcDtype dtype);

/* FALSE and an error for what only an element can say of its properties: a camera without focal lengths, bits, index or
 * rank of another type. */
gboolean robocache_voxel_settings_check (const RobocacheVoxelSettings * settings, const RobocachePointsInfo * points,
    GError ** error);

/* Fixed caps of the grid, in system or device memory, with the first of robocache_voxel_dtypes that peer takes, in
 * peer's spelling, and its spec and tensors. peer NULL: takes anything. NULL and an error that holds both caps when peer takes none. */
GstCaps *robocache_voxel_choose_caps (const RobocacheVoxelSettings * settings, const RobocachePointsInfo * points,
    gboolean on_device, GstCaps * peer, RcVoxelSpec * spec, RobocacheTensorsInfo * tensors, GError ** error);

/* The tensors that a valid spec puts out; none for the map of a cloud. */
void robocache_voxel_tensors (RobocacheTensorsInfo * info, const RobocachePointsInfo * points, const RcVoxelSpec * spec);

/* Whether the output is no tensors, but a cloud of int64, as many as the input's buffer has points: index and rank of
 * points whose number caps do not say. */
gboolean robocache_voxel_maps_cloud (const RobocachePointsInfo * points, const RcVoxelSpec * spec);

G_END_DECLS
#endif
