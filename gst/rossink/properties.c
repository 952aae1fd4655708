/* robocache: properties of robocacherossink
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "properties.h"

#include "common/element/propertytypes.h"
#include "common/livesinks/sinkbin.h"
#include "common/rospads/networkproperties.h"

#define MAX_MESSAGE_BYTES ((guint64) 1 << 30)
#define MIN_MESSAGE_BYTES ((guint64) 65536)

enum
{
  PROP_STATS = ROBOCACHE_ROS_SINK_PROP_STATS,
  PROP_DOMAIN,
  PROP_DISCOVERY,
  PROP_PEERS,
  PROP_NODE_NAME,
  PROP_NAMESPACE,
  PROP_SYNC,
  PROP_TIME_ORIGIN,
  PROP_MAX_MESSAGE_BYTES,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

#define SETTING(field) G_STRUCT_OFFSET (RobocacheRosSinkSettings, field)

static const glong fields[N_PROPS] = {
  [PROP_DOMAIN] = SETTING (domain),
  [PROP_DISCOVERY] = SETTING (discovery),
  [PROP_PEERS] = SETTING (peers),
  [PROP_NODE_NAME] = SETTING (node_name),
  [PROP_NAMESPACE] = SETTING (namespace),
  [PROP_SYNC] = SETTING (sync),
  [PROP_TIME_ORIGIN] = SETTING (time_origin),
  [PROP_MAX_MESSAGE_BYTES] = SETTING (max_message_bytes),
};

static const glong strings[] = { SETTING (node_name), SETTING (namespace), SETTING (peers) };

void
robocache_ros_sink_properties_install (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  robocache_network_param_specs (&properties[PROP_DOMAIN], flags);
  properties[PROP_NODE_NAME] = g_param_spec_string ("node-name", "Node name", "Name of the node that the topics belong to", "robocache", flags);
  properties[PROP_NAMESPACE] = g_param_spec_string ("namespace", "Namespace", "Namespace of the node, and of topics without a leading slash", "/",
      flags);
  properties[PROP_SYNC] = g_param_spec_boolean ("sync", "Sync", "Publish each row at its running time, instead of at once", TRUE, flags);
  properties[PROP_TIME_ORIGIN] = g_param_spec_int64 ("time-origin", "Time origin",
      "UTC at running time 0 for stamps (ns, the smallest int64 = the system clock's time when playing starts)", G_MININT64, G_MAXINT64,
      ROBOCACHE_SINK_BIN_NO_ORIGIN, flags);
  properties[PROP_MAX_MESSAGE_BYTES] = g_param_spec_uint64 ("max-message-bytes", "Max message bytes",
      "Maximum size of a message (bytes); a larger one is an error", MIN_MESSAGE_BYTES, MAX_MESSAGE_BYTES, 64 << 20, flags);
  properties[PROP_STATS] = g_param_spec_boxed ("stats", "Statistics",
      "Rows received, published and dropped of each stream since the element started", GST_TYPE_STRUCTURE,
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (klass, N_PROPS, properties);
}

void
robocache_ros_sink_settings_init (RobocacheRosSinkSettings *settings)
{
  robocache_settings_init (settings, properties, fields, N_PROPS);
}

static gchar *
copy_text (const gchar *text)
{
  return g_strdup (text ? text : "");
}

void
robocache_ros_sink_settings_copy (RobocacheRosSinkSettings *settings, const RobocacheRosSinkSettings *from)
{
  *settings = *from;
  settings->node_name = copy_text (from->node_name);
  settings->namespace = copy_text (from->namespace && *from->namespace ? from->namespace : "/");
  settings->peers = g_strdup (from->peers);
}

void
robocache_ros_sink_settings_clear (RobocacheRosSinkSettings *settings)
{
  robocache_settings_clear_strings (settings, strings, G_N_ELEMENTS (strings));
}

gpointer
robocache_ros_sink_settings_field (RobocacheRosSinkSettings *settings, guint id)
{
  return G_STRUCT_MEMBER_P (settings, fields[id]);
}
