/* robocache: the stream of a pad of robocacherossink: a sink that publishes its rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/livesinks/streamsink.h"
#include "pad.h"
#include "publisher.h"

#define GST_TYPE_ROBOCACHE_ROS_STREAM (gst_robocache_ros_stream_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheRosStream, gst_robocache_ros_stream, GST, ROBOCACHE_ROS_STREAM, GstRobocacheStreamSink)

/* While the stream is in READY: it publishes into the session from now on, with the settings (taken) of its pad. */
void gst_robocache_ros_stream_start (GstRobocacheRosStream * stream, const RobocacheRosSinkSession * session, RobocacheRosPadSettings * settings);
/* While no data flow: its topics end. Its statistics stay. */
void gst_robocache_ros_stream_stop (GstRobocacheRosStream * stream);

/* Counts since the start. */
GstStructure *gst_robocache_ros_stream_statistics (GstRobocacheStreamSink * stream);
