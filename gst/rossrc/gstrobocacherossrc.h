/* robocache: reads live topics of ROS 2 to streams
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_ROS_SRC_H
#define GST_ROBOCACHE_ROS_SRC_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_ROBOCACHE_ROS_SRC (gst_robocache_ros_src_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheRosSrc, gst_robocache_ros_src, GST, ROBOCACHE_ROS_SRC, GstElement)
GST_ELEMENT_REGISTER_DECLARE (robocacherossrc);

G_END_DECLS
#endif
