/* robocache: the stream of a pad of robocacherossink: a sink that publishes its rows
 *
 * GstBaseSink has the states, the clock, the end and flushes. Each buffer is published in the streaming thread of its pad, which nothing else
 * waits for.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_ROS_STREAM_H
#define GST_ROBOCACHE_ROS_STREAM_H

#include <gst/base/gstbasesink.h>

#include "pad.h"
#include "publisher.h"

G_BEGIN_DECLS

#define GST_TYPE_ROBOCACHE_ROS_STREAM (gst_robocache_ros_stream_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheRosStream, gst_robocache_ros_stream, GST, ROBOCACHE_ROS_STREAM, GstBaseSink)

/* owner: the element, which the stream reports to and which outlives it. */
GstRobocacheRosStream *gst_robocache_ros_stream_new (GstElement * owner, const gchar * pad_name, GstDebugCategory * category);

/* While the stream is in READY: it publishes into the session from now on, with the settings (taken) of its pad. */
void gst_robocache_ros_stream_start (GstRobocacheRosStream * stream, const RobocacheRosSinkSession * session, RobocacheRosPadSettings * settings);
/* While no data flow: its topics end. Its statistics stay. */
void gst_robocache_ros_stream_stop (GstRobocacheRosStream * stream);

/* UTC at running time 0; called before data flow in PLAYING. */
void gst_robocache_ros_stream_set_origin (GstRobocacheRosStream * stream, gint64 origin_ns);

/* The state change that a thread makes now; 0: none. */
GstStateChange gst_robocache_ros_stream_get_transition (GstRobocacheRosStream * stream);

/* Counts since the start. */
GstStructure *gst_robocache_ros_stream_statistics (GstRobocacheRosStream * stream);

G_END_DECLS
#endif
