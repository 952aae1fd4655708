/* robocache: the places of a grid's voxels in a picture
 *
 * Parallel projections, in which a metre is as many pixels along every axis that is seen:
 *
 *   top         from above; x to the right, y upwards
 *   isometric   from the front right corner (+x, -y, +z); x to the lower right, y to the upper right, z upwards
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_VOXELCAMERA_H
#define ROBOCACHE_VOXELCAMERA_H

#include "common/points/gridcaps.h"

G_BEGIN_DECLS

typedef enum
{
  ROBOCACHE_VIEW_TOP,
  ROBOCACHE_VIEW_ISOMETRIC
} RobocacheView;

/* Pixels; y goes down. */
typedef struct
{
  gdouble x, y;
} RobocachePixel;

typedef struct
{
  gdouble x, y, width, height;
} RobocachePixelBox;

/* One side of voxels that the camera sees: a parallelogram, the same for all but for its place. */
typedef struct
{
  guint side;                   /* ROBOCACHE_VOXEL_TOP, … */
  RobocachePixel corner;        /* from where the voxel's corner with the least x, y, z is */
  RobocachePixel u, v;          /* edges */
  gdouble light;                /* 1 the side is in full light */
} RobocacheVoxelSide;

typedef struct
{
  RobocacheView view;
  const RobocacheVoxelFrame *frame;
  RobocachePixel origin;        /* of the corner with the least x, y, z */
  RobocachePixel voxel[3];      /* what one voxel along x, y, z moves */
  gint toward[3];               /* how much nearer one voxel along x, y, z is: of two that overlap, the nearer has more */
  gdouble scale;                /* pixels a metre */
  guint n_sides;
  RobocacheVoxelSide sides[3];
  guint side_mask;              /* of all sides */
} RobocacheVoxelCamera;

/* The whole grid as large as it fits into the box, in its middle. frame is used as long as the camera. */
void robocache_voxel_camera_init (RobocacheVoxelCamera * camera, RobocacheView view, const RobocacheVoxelFrame * frame,
    const RobocachePixelBox * box);

/* Where a point is that many voxels along x, y, z from the grid's corner. */
RobocachePixel robocache_voxel_camera_project (const RobocacheVoxelCamera * camera, gdouble x, gdouble y, gdouble z);

G_END_DECLS
#endif
