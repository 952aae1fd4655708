/* robocache: tensors and caps of a voxel grid
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "common/points/gridcaps.h"
#include "common/tensors/memorycaps.h"
#include "common/tensors/tensorcaps.h"
#include "voxelsettings.h"

/* Returns fixed caps of the grid in this memory, with the first of robocache_voxel_dtypes that peer accepts, in peer's spelling; sets
 * their spec and tensors. peer NULL: accepts all. NULL and an error with both caps: peer accepts no such caps. */
GstCaps *robocache_voxel_choose_caps (const RobocacheVoxelSettings * settings, const RobocachePointsInfo * points,
    RobocacheCapsMemory memory, GstCaps * peer, RcVoxelSpec * spec, RobocacheTensorsInfo * tensors, GError ** error);

/* Sets the output tensors of a valid spec; no tensor for the map of a cloud. */
void robocache_voxel_tensors (RobocacheTensorsInfo * info, const RobocachePointsInfo * points, const RcVoxelSpec * spec);

/* Whether the output is one int64 for each point of the input buffer: index and rank of clouds, whose caps do not fix the number of
 * points. Such an output is a cloud, or a tensor if downstream requires tensors. */
gboolean robocache_voxel_maps_cloud (const RobocachePointsInfo * points, const RcVoxelSpec * spec);
/* Whether downstream accepts such a map only as a tensor, whose caps fix the number of points. */
gboolean robocache_voxel_wants_map_tensor (const GstCaps * peer);
/* Caps of such a tensor for another number of points. */
GstCaps *robocache_voxel_resize_map (const GstCaps * caps, guint64 n_points);
