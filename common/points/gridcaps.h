/* robocache: position, form and mode of a voxel grid in caps
 *
 * Tensor dimensions alone define neither the position of a grid nor its axes in space. Caps of voxel grids have fields for these, which
 * are not needed to link:
 *
 *   voxel-output=(string)dense, voxel-mode=(string)mean, voxel-grid=(string)"65:65:33",
 *   voxel-origin=(double)<-3.25,-3.25,-0.15>, voxel-size=(double)<0.1,0.1,0.1>
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "kernels/voxel.h"
#include "common/tensors/tensorcaps.h"

/* Parses "nx:ny:nz". FALSE and an error that quotes the string: invalid. */
gboolean robocache_voxel_grid_parse (const gchar * string, gint64 grid[3], GError ** error);

/* Whether a voxel of the mode, or each point in it, has a list of channels, so that tensors have an axis for them. */
gboolean robocache_voxel_mode_has_channels (RcVoxelMode mode);

typedef struct
{
  RcVoxelOutput output;
  gint mode;                    /* an RcVoxelMode; -1: unknown */
  gint64 grid[3];
  gdouble origin[3];            /* corner with minimum x, y, z, in metres */
  gdouble voxel_size[3];        /* edges of a voxel in metres */
} RobocacheVoxelFrame;

/* Adds the fields of a grid to its caps. */
void robocache_voxel_frame_to_caps (const RcVoxelSpec * spec, GstCaps * caps);

/* Properties of a grid, which override caps. */
typedef struct
{
  gint output;                  /* an RcVoxelOutput; -1: not set */
  const gchar *grid;            /* NULL or empty: not set */
  const gdouble *origin;        /* NULL: not set */
  const gdouble *voxel_size;    /* NULL: not set */
} RobocacheVoxelFrameHints;

/* Finds the frame of a grid with these caps, whose tensors are info. The tensors determine what neither hints nor caps define: several
 * tensors are sparse, one is dense, and three axes are the grid. FALSE and an error that names the missing or wrong field. */
gboolean robocache_voxel_frame_from_caps (RobocacheVoxelFrame * frame, const GstCaps * caps,
    const RobocacheTensorsInfo * info, const RobocacheVoxelFrameHints * hints, GError ** error);
