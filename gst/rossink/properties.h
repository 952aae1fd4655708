/* robocache: properties of robocacherossink
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

typedef struct
{
  gchar *node_name, *namespace, *peers;
  gint domain, discovery;       /* ROBOCACHE_DDS_DOMAIN_AUTO, RobocacheDdsDiscovery */
  gboolean sync;
  gint64 time_origin;           /* ns; or ROBOCACHE_SINK_BIN_NO_ORIGIN */
  guint64 max_message_bytes;
} RobocacheRosSinkSettings;

/* The id of the property that is not a setting. */
enum
{ ROBOCACHE_ROS_SINK_PROP_STATS = 1 };

void robocache_ros_sink_properties_install (GObjectClass * klass);
void robocache_ros_sink_settings_init (RobocacheRosSinkSettings * settings);
void robocache_ros_sink_settings_copy (RobocacheRosSinkSettings * settings, const RobocacheRosSinkSettings * from);
void robocache_ros_sink_settings_clear (RobocacheRosSinkSettings * settings);
/* The field of a property, for robocache_setting_set and _get. */
gpointer robocache_ros_sink_settings_field (RobocacheRosSinkSettings * settings, guint id);
