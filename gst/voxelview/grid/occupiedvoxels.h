/* robocache: the occupied voxels of a grid in any form
 *
 * A dense voxel is occupied when one of its values is not 0; NaN is not 0.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "gridreader.h"

/* The sides of a voxel, as bits. */
enum
{
  ROBOCACHE_VOXEL_RIGHT = 1 << 0,       /* +x */
  ROBOCACHE_VOXEL_LEFT = 1 << 1,        /* -x */
  ROBOCACHE_VOXEL_BACK = 1 << 2,        /* +y */
  ROBOCACHE_VOXEL_FRONT = 1 << 3,       /* -y */
  ROBOCACHE_VOXEL_TOP = 1 << 4,         /* +z */
  ROBOCACHE_VOXEL_BOTTOM = 1 << 5       /* -z */
};

typedef struct
{
  const RobocacheVoxelLayout *layout;
  const guint8 *values;         /* values of the item; NULL: none */
  const guint8 *coordinates;    /* sparse: coordinates of the item */
  guint64 channel;
  guint64 n_occupied;

  guint32 *words;               /* dense and bits: occupancy as bits, in the format of robocachevoxelize */
  gsize n_words, capacity;
} RobocacheOccupiedVoxels;

/* A zeroed struct is valid and empty. */
void robocache_occupied_voxels_clear (RobocacheOccupiedVoxels * voxels);

/* Reads the voxels of an item of a mapped buffer, with the values of a channel. layout and tensors must exist until the last visit.
 * FALSE and an error: the data do not match the layout, or no memory. */
gboolean robocache_occupied_voxels_read (RobocacheOccupiedVoxels * voxels, const RobocacheVoxelLayout * layout,
    gpointer const *tensors, guint64 item, guint64 channel, GError ** error);

/* open: those of the requested sides that no neighbour hides; never 0. value: 1 without values. */
typedef void (*RobocacheVoxelVisit) (gpointer data, const gint32 at[3], guint open, gfloat value);

/* Calls visit for each voxel with at least one of these sides open. In a sparse list, all sides count as open. */
void robocache_occupied_voxels_visit (const RobocacheOccupiedVoxels * voxels, guint sides, RobocacheVoxelVisit visit,
    gpointer data);
