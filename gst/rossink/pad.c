/* robocache: a sink pad of robocacherossink, with the settings of its topics
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "pad.h"

#include "common/element/propertytypes.h"

#define MAX_DEPTH 100000

enum
{
  PROP_0,
  PROP_TOPIC,
  PROP_FRAME_ID,
  PROP_MESSAGE,
  PROP_COMMAND,
  PROP_RELIABILITY,
  PROP_DURABILITY,
  PROP_DEPTH,
  PROP_LIFESPAN,
  PROP_MAX_AGE,
  N_PROPS
};

struct _GstRobocacheRosSinkPad
{
  GstGhostPad parent;
  RobocacheRosPadSettings settings;     /* object lock */
};

static GParamSpec *properties[N_PROPS];

#define SETTING(field) G_STRUCT_OFFSET (RobocacheRosPadSettings, field)

static const glong fields[N_PROPS] = {
  [PROP_TOPIC] = SETTING (topic),
  [PROP_FRAME_ID] = SETTING (frame_id),
  [PROP_MESSAGE] = SETTING (message),
  [PROP_COMMAND] = SETTING (is_command),
  [PROP_RELIABILITY] = SETTING (reliability),
  [PROP_DURABILITY] = SETTING (durability),
  [PROP_DEPTH] = SETTING (depth),
  [PROP_LIFESPAN] = SETTING (lifespan),
  [PROP_MAX_AGE] = SETTING (max_age),
};

static ROBOCACHE_DEFINE_ENUM (message_get_type, "GstRobocacheRosMessage",
    {ROBOCACHE_ROS_MESSAGE_AUTO, "By the names and the role of the channels", "auto"},
    {ROBOCACHE_ROW_MESSAGE_NONE, "robocache_msgs/Row", "row"},
    {ROBOCACHE_ROW_MESSAGE_JOINTS, "sensor_msgs/JointState", "joint-state"},
    {ROBOCACHE_ROW_MESSAGE_IMU, "sensor_msgs/Imu", "imu"},
    {ROBOCACHE_ROW_MESSAGE_WRENCH, "geometry_msgs/WrenchStamped", "wrench"},
    {ROBOCACHE_ROW_MESSAGE_POSE, "geometry_msgs/PoseStamped", "pose"},
    {ROBOCACHE_ROW_MESSAGE_TWIST, "geometry_msgs/TwistStamped", "twist"},
    {ROBOCACHE_ROW_MESSAGE_ARRAY, "std_msgs/Float64MultiArray", "float64-multi-array"})

static ROBOCACHE_DEFINE_ENUM (reliability_get_type, "GstRobocacheRosReliability",
    {ROBOCACHE_ROS_BEST_EFFORT, "Lost messages are not sent again", "best-effort"},
    {ROBOCACHE_ROS_RELIABLE, "Lost messages are sent again", "reliable"})

static ROBOCACHE_DEFINE_ENUM (durability_get_type, "GstRobocacheRosDurability",
    {ROBOCACHE_ROS_VOLATILE, "Later readers get later messages", "volatile"},
    {ROBOCACHE_ROS_TRANSIENT_LOCAL, "Later readers also get the last `depth` messages", "transient-local"})

G_DEFINE_TYPE (GstRobocacheRosSinkPad, gst_robocache_ros_sink_pad, GST_TYPE_GHOST_PAD)

/* ---- properties ---- */

static gpointer
field_of (GstRobocacheRosSinkPad *pad, guint id)
{
  return G_STRUCT_MEMBER_P (&pad->settings, fields[id]);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GST_OBJECT_LOCK (object);
  robocache_setting_set (field_of (GST_ROBOCACHE_ROS_SINK_PAD (object), id), value);
  GST_OBJECT_UNLOCK (object);
  robocache_warn_of_late_setting (object, pspec);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GST_OBJECT_LOCK (object);
  robocache_setting_get (field_of (GST_ROBOCACHE_ROS_SINK_PAD (object), id), value);
  GST_OBJECT_UNLOCK (object);
}

static void
make_message_specs (GParamFlags flags)
{
  properties[PROP_TOPIC] = g_param_spec_string ("topic", "Topic",
      "Topic of the stream's messages: /x, x in the namespace, or ~/x in that of the node (NULL = the pad's name)", NULL, flags);
  properties[PROP_FRAME_ID] = g_param_spec_string ("frame-id", "Frame id", "Coordinate frame of the stream, in the header of its messages", NULL,
      flags);
  properties[PROP_MESSAGE] = g_param_spec_enum ("message", "Message", "Type of messages of rows", message_get_type (), ROBOCACHE_ROS_MESSAGE_AUTO,
      flags);
  properties[PROP_COMMAND] = g_param_spec_boolean ("command", "Command",
      "The stream moves a robot: no stale message is sent. Streams with role=command in their caps are commands anyway", FALSE, flags);
}

static void
make_qos_specs (GParamFlags flags)
{
  properties[PROP_RELIABILITY] = g_param_spec_enum ("reliability", "Reliability", "Reliability that readers may request", reliability_get_type (),
      ROBOCACHE_ROS_RELIABLE, flags);
  properties[PROP_DURABILITY] = g_param_spec_enum ("durability", "Durability", "Messages of readers that come later", durability_get_type (),
      ROBOCACHE_ROS_VOLATILE, flags);
  properties[PROP_DEPTH] = g_param_spec_uint ("depth", "Depth",
      "Messages that are kept for slow or later readers (0 = 100 of rows, 10 of others; commands: 1)",
      0, MAX_DEPTH, 0, flags);
  properties[PROP_LIFESPAN] = g_param_spec_int64 ("lifespan", "Lifespan",
      "Age at which a message is not sent any more, and at which readers may drop it (ns, 0 = never, -1 = never; "
      "commands: two periods, or max-age without a framerate)",
      ROBOCACHE_ROS_AUTO, G_MAXINT64, ROBOCACHE_ROS_AUTO, flags);
  properties[PROP_MAX_AGE] = g_param_spec_int64 ("max-age", "Max age",
      "Drop and count rows older than this when they are due (ns, 0 = never, -1 = never; commands: 100 ms)", ROBOCACHE_ROS_AUTO, G_MAXINT64,
      ROBOCACHE_ROS_AUTO, flags);
}

/* ---- settings ---- */

void
gst_robocache_ros_sink_pad_get_settings (GstRobocacheRosSinkPad *pad, RobocacheRosPadSettings *settings)
{
  GST_OBJECT_LOCK (pad);
  *settings = pad->settings;
  settings->topic = g_strdup (pad->settings.topic && *pad->settings.topic ? pad->settings.topic : GST_OBJECT_NAME (pad));
  settings->frame_id = g_strdup (pad->settings.frame_id);
  GST_OBJECT_UNLOCK (pad);
}

void
robocache_ros_pad_settings_clear (RobocacheRosPadSettings *settings)
{
  g_clear_pointer (&settings->topic, g_free);
  g_clear_pointer (&settings->frame_id, g_free);
}

/* ---- life ---- */

static void
finalize (GObject *object)
{
  robocache_ros_pad_settings_clear (&GST_ROBOCACHE_ROS_SINK_PAD (object)->settings);
  G_OBJECT_CLASS (gst_robocache_ros_sink_pad_parent_class)->finalize (object);
}

static void
gst_robocache_ros_sink_pad_class_init (GstRobocacheRosSinkPadClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  object_class->set_property = set_property;
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  make_message_specs (flags);
  make_qos_specs (flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  gst_type_mark_as_plugin_api (message_get_type (), 0);
  gst_type_mark_as_plugin_api (reliability_get_type (), 0);
  gst_type_mark_as_plugin_api (durability_get_type (), 0);
}

static void
gst_robocache_ros_sink_pad_init (GstRobocacheRosSinkPad *pad)
{
  robocache_settings_init (&pad->settings, properties, fields, N_PROPS);
}
