/* robocache: reads live topics of ROS 2 to streams
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#define GST_TYPE_ROBOCACHE_ROS_SRC (gst_robocache_ros_src_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheRosSrc, gst_robocache_ros_src, GST, ROBOCACHE_ROS_SRC, GstElement)
GST_ELEMENT_REGISTER_DECLARE (robocacherossrc);
