/* robocache: streams to live topics of ROS 2
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/livesinks/sinkbin.h"

#define GST_TYPE_ROBOCACHE_ROS_SINK (gst_robocache_ros_sink_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheRosSink, gst_robocache_ros_sink, GST, ROBOCACHE_ROS_SINK, GstRobocacheSinkBin)
GST_ELEMENT_REGISTER_DECLARE (robocacherossink);
