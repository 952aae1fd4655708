/* robocache: streams to live topics of ROS 2
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_ROS_SINK_H
#define GST_ROBOCACHE_ROS_SINK_H

#include "common/livesinks/sinkbin.h"

G_BEGIN_DECLS

#define GST_TYPE_ROBOCACHE_ROS_SINK (gst_robocache_ros_sink_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheRosSink, gst_robocache_ros_sink, GST, ROBOCACHE_ROS_SINK, GstRobocacheSinkBin)
GST_ELEMENT_REGISTER_DECLARE (robocacherossink);

G_END_DECLS
#endif
