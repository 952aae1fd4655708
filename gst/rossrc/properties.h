/* robocache: properties of robocacherossrc
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

typedef enum
{
  ROBOCACHE_ROS_TIME_STAMP,
  ROBOCACHE_ROS_TIME_SOURCE,
  ROBOCACHE_ROS_TIME_ARRIVAL,
  ROBOCACHE_ROS_TIME_NONE       /* only for time-fallback: no other time */
} RobocacheRosTimeSource;

typedef enum
{
  ROBOCACHE_ROS_CLOCK_KEEP,
  ROBOCACHE_ROS_CLOCK_FOLLOW
} RobocacheRosClockMode;

typedef enum
{
  ROBOCACHE_ROS_HOSTS_TRACK,
  ROBOCACHE_ROS_HOSTS_TRUST
} RobocacheRosHostClocks;

typedef enum
{
  ROBOCACHE_ROS_LEAKY_UPSTREAM = 1,     /* the new message is dropped */
  ROBOCACHE_ROS_LEAKY_DOWNSTREAM        /* the oldest messages are dropped */
} RobocacheRosLeaky;

typedef struct
{
  gchar *topics, *expected, *joints, *fields, *msg_path, *peers;
  gint domain, discovery;       /* ROBOCACHE_DDS_DOMAIN_AUTO, RobocacheDdsDiscovery */
  guint64 wait;                 /* ns; GST_CLOCK_TIME_NONE: no end */
  guint64 definition_timeout;   /* ns */
  gint time_source, time_fallback;      /* RobocacheRosTimeSource */
  gboolean use_sim_time;
  gint64 time_origin;           /* ROBOCACHE_ROS_NO_ORIGIN: not set */
  gint clock_mode;              /* RobocacheRosClockMode */
  gint host_clocks;             /* RobocacheRosHostClocks */
  guint64 max_future, max_transport, latency;   /* ns */
  guint64 max_message_bytes, max_queue_bytes, max_total_bytes;
  guint max_queue_messages, depth;
  gint leaky;                   /* RobocacheRosLeaky */
  guint64 stats_interval;       /* ns; not copied at start */
} RobocacheRosSrcSettings;

/* The id of the property that is not a setting. */
enum
{ ROBOCACHE_ROS_SRC_PROP_STATS = 1 };

void robocache_ros_src_properties_install (GObjectClass * klass);
void robocache_ros_src_settings_init (RobocacheRosSrcSettings * settings);
void robocache_ros_src_settings_copy (RobocacheRosSrcSettings * settings, const RobocacheRosSrcSettings * from);
void robocache_ros_src_settings_clear (RobocacheRosSrcSettings * settings);
/* The field of a property, for robocache_setting_set and _get. */
gpointer robocache_ros_src_settings_field (RobocacheRosSrcSettings * settings, guint id);
