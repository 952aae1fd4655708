/* robocache: the tensors of a buffer with voxel grids
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/points/gridcaps.h"

typedef struct
{
  RobocacheVoxelFrame frame;
  RcDtype dtype;                /* dtype of the values; RC_N_DTYPES: voxels have no values, they are occupied or not */
  guint64 n_channels;           /* number of adjacent values of a voxel; 1 without values */
  guint values;                 /* the tensor with the values */
  guint64 n_items;              /* number of grids in a buffer, one after the other in each tensor */
  guint64 capacity;             /* maximum voxels in an item of sparse output */
} RobocacheVoxelLayout;

/* Checks that the tensors of the frame have a form that robocachevoxelize produces, with values of any type. FALSE and an error with the
 * actual and the expected form. */
gboolean robocache_voxel_layout_init (RobocacheVoxelLayout * layout, const RobocacheVoxelFrame * frame,
    const RobocacheTensorsInfo * info, GError ** error);
