/* robocache: the tensors of a buffer with voxel grids
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_VOXELLAYOUT_H
#define ROBOCACHE_VOXELLAYOUT_H

#include "common/points/gridcaps.h"

G_BEGIN_DECLS

typedef struct
{
  RobocacheVoxelFrame frame;
  RcDtype dtype;                /* of the values; RC_N_DTYPES: voxels have none of their own, they are occupied or not */
  guint64 n_channels;           /* values of a voxel, which lie side by side; 1 without values */
  guint values;                 /* the tensor that they are in */
  guint64 n_items;              /* grids of a buffer, one after the other in each tensor */
  guint64 capacity;             /* voxels in an item of sparse output, at most */
} RobocacheVoxelLayout;

/* Checks that tensors of the frame have a form that robocachevoxelize produces, with values of any type. FALSE and an error with
 * their form and the expected one. */
gboolean robocache_voxel_layout_init (RobocacheVoxelLayout * layout, const RobocacheVoxelFrame * frame,
    const RobocacheTensorsInfo * info, GError ** error);

G_END_DECLS
#endif
