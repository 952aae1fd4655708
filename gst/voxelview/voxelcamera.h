/* robocache: the positions of a grid's voxels in a picture
 *
 * Parallel projections, in which a metre has the same number of pixels along every visible axis:
 *
 *   top         from above; x to the right, y upwards
 *   isometric   from the front right corner (+x, -y, +z); x to the lower right, y to the upper right, z upwards
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/points/gridcaps.h"

typedef enum
{
  ROBOCACHE_VIEW_TOP,
  ROBOCACHE_VIEW_ISOMETRIC
} RobocacheView;

/* A position in pixels; y points down. */
typedef struct
{
  gdouble x, y;
} RobocachePixel;

typedef struct
{
  gdouble x, y, width, height;
} RobocachePixelBox;

/* One visible side of voxels: a parallelogram, which differs between voxels only in its position. */
typedef struct
{
  guint side;                   /* ROBOCACHE_VOXEL_TOP, … */
  RobocachePixel corner;        /* relative to the voxel's corner with minimum x, y, z */
  RobocachePixel u, v;          /* edges */
  gdouble light;                /* 1: the side is in full light */
} RobocacheVoxelSide;

typedef struct
{
  RobocacheView view;
  const RobocacheVoxelFrame *frame;
  RobocachePixel origin;        /* position of the grid's corner with minimum x, y, z */
  RobocachePixel voxel[3];      /* displacement of one voxel along x, y, z */
  gint toward[3];               /* gain in nearness of one voxel along x, y, z: of two overlapping voxels, the nearer has the greater sum */
  gdouble scale;                /* pixels per metre */
  guint n_sides;
  RobocacheVoxelSide sides[3];
  guint side_mask;              /* bits of all visible sides */
} RobocacheVoxelCamera;

/* Scales the whole grid to fit into the box, and centres it. frame must outlive the camera. */
void robocache_voxel_camera_init (RobocacheVoxelCamera * camera, RobocacheView view, const RobocacheVoxelFrame * frame,
    const RobocachePixelBox * box);

/* The position of a point that is x, y, z voxels from the grid's corner. */
RobocachePixel robocache_voxel_camera_project (const RobocacheVoxelCamera * camera, gdouble x, gdouble y, gdouble z);
