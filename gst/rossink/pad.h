/* robocache: a sink pad of robocacherossink, with the settings of its topics
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "common/ros/rowmessage.h"

#define GST_TYPE_ROBOCACHE_ROS_SINK_PAD (gst_robocache_ros_sink_pad_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheRosSinkPad, gst_robocache_ros_sink_pad, GST, ROBOCACHE_ROS_SINK_PAD, GstGhostPad)

/* message: by the names and the role of the channels, as the recorders do */
#define ROBOCACHE_ROS_MESSAGE_AUTO -1

typedef enum
{
  ROBOCACHE_ROS_BEST_EFFORT,
  ROBOCACHE_ROS_RELIABLE
} RobocacheRosReliability;

typedef enum
{
  ROBOCACHE_ROS_VOLATILE,
  ROBOCACHE_ROS_TRANSIENT_LOCAL
} RobocacheRosDurability;

/* lifespan and max-age: by whether the stream is a command */
#define ROBOCACHE_ROS_AUTO -1

typedef struct
{
  gchar *topic, *frame_id;      /* topic NULL: the name of the pad */
  gint message;                 /* RobocacheRowMessageKind, or ROBOCACHE_ROS_MESSAGE_AUTO */
  gboolean is_command;          /* else the role in the caps decides */
  gint reliability, durability;
  guint depth;                  /* 0: by whether the stream is a command */
  gint64 lifespan, max_age;     /* ns; 0: none; or ROBOCACHE_ROS_AUTO */
} RobocacheRosPadSettings;

/* Copies the settings of a pad, to be cleared; the topic is not NULL. */
void gst_robocache_ros_sink_pad_get_settings (GstRobocacheRosSinkPad * pad, RobocacheRosPadSettings * settings);
void robocache_ros_pad_settings_clear (RobocacheRosPadSettings * settings);
