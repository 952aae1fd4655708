/* robocache: robocachevoxelize makes voxel grids from points
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_VOXELIZE_H
#define GST_ROBOCACHE_VOXELIZE_H

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

#define GST_TYPE_ROBOCACHE_VOXELIZE (gst_robocache_voxelize_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheVoxelize, gst_robocache_voxelize, GST, ROBOCACHE_VOXELIZE, GstBaseTransform)

GST_ELEMENT_REGISTER_DECLARE (robocachevoxelize)

G_END_DECLS
#endif
