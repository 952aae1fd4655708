/* robocache: the visible voxels of each pixel
 *
 * Voxels are drawn in any order, without colours: each pixel keeps the value of the nearest voxel. So the range of visible values is
 * known before the first colour, and only pixels are stored, not voxels.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "colourmap.h"
#include "gst/voxelview/grid/occupiedvoxels.h"
#include "voxelcamera.h"

/* The quantity of values and colours. */
typedef enum
{
  ROBOCACHE_COLOUR_BY_HEIGHT,   /* height of the voxel's centre in metres */
  ROBOCACHE_COLOUR_BY_VALUE
} RobocacheColourBy;

typedef struct
{
  gint32 rank;                  /* nearness of the voxel, and in the lowest bits its side */
  gfloat value;
} RobocacheVoxelFragment;

typedef struct
{
  gint width, height;
  RobocacheVoxelFragment *fragments;    /* one per pixel, row by row */
  gsize capacity;               /* pixels */
} RobocacheVoxelPicture;

/* The visible voxels of a picture. */
typedef struct
{
  gboolean any, nan;            /* whether a value is finite, and whether one is NaN */
  gdouble range[2];             /* range of the finite values */
} RobocacheVoxelSight;

/* A zeroed struct is a valid empty picture. */
void robocache_voxel_picture_clear (RobocacheVoxelPicture * picture);

/* Makes an empty picture, each side at most 32767. FALSE and an error: no memory. */
gboolean robocache_voxel_picture_begin (RobocacheVoxelPicture * picture, gint width, gint height, GError ** error);

void robocache_voxel_picture_draw (RobocacheVoxelPicture * picture, const RobocacheVoxelCamera * camera,
    const RobocacheOccupiedVoxels * voxels, RobocacheColourBy colour_by);

RobocacheVoxelSight robocache_voxel_picture_look (const RobocacheVoxelPicture * picture);

/* Writes pixels 0xffRRGGBB in host order where voxels are visible; lines are stride bytes apart. Sides are shaded for
 * the camera, and large voxels have outlines. */
void robocache_voxel_picture_paint (const RobocacheVoxelPicture * picture, const RobocacheVoxelCamera * camera,
    const gdouble range[2], guint8 * pixels, gint stride);
