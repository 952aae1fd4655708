/* robocache: the voxels that a camera sees, pixel by pixel
 *
 * Voxels are drawn in any order, without colours: each pixel keeps the value of the nearest one. So the range of what
 * is seen is known before the first colour is, and nothing is kept of voxels but pixels.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_VOXELPICTURE_H
#define ROBOCACHE_VOXELPICTURE_H

#include "colourmap.h"
#include "gst/voxelview/grid/occupiedvoxels.h"
#include "voxelcamera.h"

G_BEGIN_DECLS

/* The quantity of values and colours. */
typedef enum
{
  ROBOCACHE_COLOUR_BY_HEIGHT,   /* metres of the voxel's middle */
  ROBOCACHE_COLOUR_BY_VALUE
} RobocacheColourBy;

typedef struct
{
  gint32 rank;                  /* how near the voxel is, and below that which of its sides it is */
  gfloat value;
} RobocacheVoxelFragment;

typedef struct
{
  gint width, height;
  RobocacheVoxelFragment *fragments;    /* a pixel each, row by row */
  gsize capacity;               /* pixels */
} RobocacheVoxelPicture;

/* The visible voxels of a picture. */
typedef struct
{
  gboolean any, nan;            /* a value that is finite, one that is NaN */
  gdouble range[2];             /* of the finite ones */
} RobocacheVoxelSight;

/* A zeroed struct is a valid empty picture. */
void robocache_voxel_picture_clear (RobocacheVoxelPicture * picture);

/* An empty picture, each side at most 32767. FALSE and an error when there is no memory. */
gboolean robocache_voxel_picture_begin (RobocacheVoxelPicture * picture, gint width, gint height, GError ** error);

void robocache_voxel_picture_draw (RobocacheVoxelPicture * picture, const RobocacheVoxelCamera * camera,
    const RobocacheOccupiedVoxels * voxels, RobocacheColourBy colour_by);

RobocacheVoxelSight robocache_voxel_picture_look (const RobocacheVoxelPicture * picture);

/* Writes pixels 0xffRRGGBB in host order where there are voxels; lines are stride bytes apart. Sides are shaded for
 * the camera, and large voxels have outlines. */
void robocache_voxel_picture_paint (const RobocacheVoxelPicture * picture, const RobocacheVoxelCamera * camera,
    const gdouble range[2], guint8 * pixels, gint stride);

G_END_DECLS
#endif
