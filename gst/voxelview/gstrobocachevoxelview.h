/* robocache: robocachevoxelview draws pictures of voxel grids
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/base/gstbasetransform.h>

#define GST_TYPE_ROBOCACHE_VOXEL_VIEW (gst_robocache_voxel_view_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheVoxelView, gst_robocache_voxel_view, GST, ROBOCACHE_VOXEL_VIEW, GstBaseTransform)

GST_ELEMENT_REGISTER_DECLARE (robocachevoxelview)
