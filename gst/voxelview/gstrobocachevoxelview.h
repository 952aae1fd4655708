/* robocache: robocachevoxelview draws pictures of voxel grids
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_VOXELVIEW_H
#define GST_ROBOCACHE_VOXELVIEW_H

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

#define GST_TYPE_ROBOCACHE_VOXEL_VIEW (gst_robocache_voxel_view_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheVoxelView, gst_robocache_voxel_view, GST, ROBOCACHE_VOXEL_VIEW, GstBaseTransform)

GST_ELEMENT_REGISTER_DECLARE (robocachevoxelview)

G_END_DECLS
#endif
