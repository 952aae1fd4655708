/* robocache: robocachevoxelize makes voxel grids from points
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/base/gstbasetransform.h>

#define GST_TYPE_ROBOCACHE_VOXELIZE (gst_robocache_voxelize_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheVoxelize, gst_robocache_voxelize, GST, ROBOCACHE_VOXELIZE, GstBaseTransform)

GST_ELEMENT_REGISTER_DECLARE (robocachevoxelize)
