/* robocache: properties of robocacherossrc
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "properties.h"

#include "common/element/propertytypes.h"
#include "common/rospads/networkproperties.h"
#include "common/rospads/outputstream.h"

#define MAX_MESSAGE_BYTES ((guint64) 1 << 30)
#define MIN_MESSAGE_BYTES ((guint64) 65536)

enum
{
  PROP_STATS = ROBOCACHE_ROS_SRC_PROP_STATS,
  PROP_TOPICS,
  PROP_EXPECTED,
  PROP_JOINTS,
  PROP_FIELDS,
  PROP_MSG_PATH,
  PROP_DOMAIN,
  PROP_DISCOVERY,
  PROP_PEERS,
  PROP_WAIT,
  PROP_DEFINITION_TIMEOUT,
  PROP_TIME_SOURCE,
  PROP_TIME_FALLBACK,
  PROP_USE_SIM_TIME,
  PROP_TIME_ORIGIN,
  PROP_CLOCK_MODE,
  PROP_HOST_CLOCKS,
  PROP_MAX_FUTURE,
  PROP_MAX_TRANSPORT,
  PROP_LATENCY,
  PROP_MAX_MESSAGE_BYTES,
  PROP_MAX_QUEUE_BYTES,
  PROP_MAX_TOTAL_BYTES,
  PROP_MAX_QUEUE_MESSAGES,
  PROP_DEPTH,
  PROP_LEAKY,
  PROP_STATS_INTERVAL,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

#define SETTING(field) G_STRUCT_OFFSET (RobocacheRosSrcSettings, field)

static const glong fields[N_PROPS] = {
  [PROP_TOPICS] = SETTING (topics),
  [PROP_EXPECTED] = SETTING (expected),
  [PROP_JOINTS] = SETTING (joints),
  [PROP_FIELDS] = SETTING (fields),
  [PROP_MSG_PATH] = SETTING (msg_path),
  [PROP_DOMAIN] = SETTING (domain),
  [PROP_DISCOVERY] = SETTING (discovery),
  [PROP_PEERS] = SETTING (peers),
  [PROP_WAIT] = SETTING (wait),
  [PROP_DEFINITION_TIMEOUT] = SETTING (definition_timeout),
  [PROP_TIME_SOURCE] = SETTING (time_source),
  [PROP_TIME_FALLBACK] = SETTING (time_fallback),
  [PROP_USE_SIM_TIME] = SETTING (use_sim_time),
  [PROP_TIME_ORIGIN] = SETTING (time_origin),
  [PROP_CLOCK_MODE] = SETTING (clock_mode),
  [PROP_HOST_CLOCKS] = SETTING (host_clocks),
  [PROP_MAX_FUTURE] = SETTING (max_future),
  [PROP_MAX_TRANSPORT] = SETTING (max_transport),
  [PROP_LATENCY] = SETTING (latency),
  [PROP_MAX_MESSAGE_BYTES] = SETTING (max_message_bytes),
  [PROP_MAX_QUEUE_BYTES] = SETTING (max_queue_bytes),
  [PROP_MAX_TOTAL_BYTES] = SETTING (max_total_bytes),
  [PROP_MAX_QUEUE_MESSAGES] = SETTING (max_queue_messages),
  [PROP_DEPTH] = SETTING (depth),
  [PROP_LEAKY] = SETTING (leaky),
  [PROP_STATS_INTERVAL] = SETTING (stats_interval),
};

static const glong strings[] = { SETTING (topics), SETTING (expected), SETTING (joints), SETTING (fields), SETTING (msg_path), SETTING (peers) };

static ROBOCACHE_DEFINE_ENUM (time_source_get_type, "GstRobocacheRosTimeSource",
    {ROBOCACHE_ROS_TIME_STAMP, "The stamp in the message; for types without one, the time of publishing", "stamp"},
    {ROBOCACHE_ROS_TIME_SOURCE, "The time of publishing", "source"},
    {ROBOCACHE_ROS_TIME_ARRIVAL, "The time of arrival", "arrival"})

static ROBOCACHE_DEFINE_ENUM (time_fallback_get_type, "GstRobocacheRosTimeFallback",
    {ROBOCACHE_ROS_TIME_NONE, "Such messages are dropped and counted", "none"},
    {ROBOCACHE_ROS_TIME_SOURCE, "The time of publishing", "source"},
    {ROBOCACHE_ROS_TIME_ARRIVAL, "The time of arrival", "arrival"})

static ROBOCACHE_DEFINE_ENUM (clock_mode_get_type, "GstRobocacheRosClockMode",
    {ROBOCACHE_ROS_CLOCK_KEEP, "The mapping stays", "keep"},
    {ROBOCACHE_ROS_CLOCK_FOLLOW, "The mapping moves with the clock", "follow"})

static ROBOCACHE_DEFINE_ENUM (host_clocks_get_type, "GstRobocacheRosHostClocks",
    {ROBOCACHE_ROS_HOSTS_TRACK, "Estimated from times of publishing and arrival", "track"},
    {ROBOCACHE_ROS_HOSTS_TRUST, "Synchronized with the clock of this host", "trust"})

static ROBOCACHE_DEFINE_ENUM (leaky_get_type, "GstRobocacheRosLeaky",
    {ROBOCACHE_ROS_LEAKY_UPSTREAM, "Drop the new message", "upstream"},
    {ROBOCACHE_ROS_LEAKY_DOWNSTREAM, "Drop the oldest messages", "downstream"})

static void
install_topics (GParamFlags flags)
{
  properties[PROP_TOPICS] = g_param_spec_string ("topics", "Topics",
      "Topics to read: names or globs like /joint_states,/camera/* (empty = all except /robocache/events)", "", flags);
  properties[PROP_EXPECTED] = g_param_spec_string ("expected", "Expected",
      "Streams that may come late, as TOPIC CAPS;TOPIC:STREAM CAPS: their pads exist from PAUSED on, with GAP events until they come", "", flags);
  properties[PROP_JOINTS] = g_param_spec_string ("joints", "Joints",
      "Streams to make from JointState messages, as joint names: shoulder,elbow;gripper makes two streams, the second one with the "
      "gripper alone (empty = one stream for each set of joints in a message)", "", flags);
  properties[PROP_FIELDS] = g_param_spec_string ("fields", "Fields",
      "Numeric fields to read from types without their own decoder, like pose.*,data[3]. TOPIC:FIELD reads them from a topic of "
      "any type",
      "", flags);
  properties[PROP_MSG_PATH] = g_param_spec_string ("msg-path", "Message path",
      "Colon-separated folders with PACKAGE/msg/TYPE.msg files, for types that are not built in", "", flags);
}

static void
install_network (GParamFlags flags)
{
  robocache_network_param_specs (&properties[PROP_DOMAIN], flags);
  properties[PROP_WAIT] = g_param_spec_uint64 ("wait", "Wait",
      "Time to wait for topics before no-more-pads and a warning about missing ones (ns, the largest = without end)", 0, G_MAXUINT64,
      10 * GST_SECOND, flags);
  properties[PROP_DEFINITION_TIMEOUT] = g_param_spec_uint64 ("definition-timeout", "Definition timeout",
      "Time to wait for the publisher's node to send the definition of a type that is neither in msg-path nor built in (ns, 0 = do not ask)",
      0, G_MAXINT64, 5 * GST_SECOND, flags);
  properties[PROP_MAX_MESSAGE_BYTES] = g_param_spec_uint64 ("max-message-bytes", "Max message bytes",
      "Maximum size of a message (bytes); larger ones are dropped and counted", MIN_MESSAGE_BYTES, MAX_MESSAGE_BYTES, 64 << 20, flags);
  properties[PROP_DEPTH] = g_param_spec_uint ("depth", "Depth", "Messages of a topic that DDS keeps until they are taken", 1, 100000, 100,
      flags);
}

static void
install_times (GParamFlags flags)
{
  properties[PROP_TIME_SOURCE] = g_param_spec_enum ("time-source", "Time source", "Time of capture of a message", time_source_get_type (),
      ROBOCACHE_ROS_TIME_STAMP, flags);
  properties[PROP_TIME_FALLBACK] = g_param_spec_enum ("time-fallback", "Time fallback",
      "Replacement for a message's time that is 0, before the start of this host, or too far in the future", time_fallback_get_type (),
      ROBOCACHE_ROS_TIME_NONE, flags);
  properties[PROP_USE_SIM_TIME] = g_param_spec_boolean ("use-sim-time", "Use simulated time", "Times of messages are on the clock of /clock", FALSE,
      flags);
  properties[PROP_TIME_ORIGIN] = g_param_spec_int64 ("time-origin", "Time origin",
      "Time of the publishers' clock at running time 0 (ns, the smallest int64 = the system clock's time when playing starts)", G_MININT64,
      G_MAXINT64, ROBOCACHE_ROS_NO_ORIGIN, flags);
  properties[PROP_CLOCK_MODE] = g_param_spec_enum ("clock-mode", "Clock mode", "Effect of a step of the system clock above 1 ms",
      clock_mode_get_type (), ROBOCACHE_ROS_CLOCK_KEEP, flags);
  properties[PROP_HOST_CLOCKS] = g_param_spec_enum ("host-clocks", "Host clocks",
      "Clocks of other hosts that publish; without effect with time-origin and use-sim-time", host_clocks_get_type (), ROBOCACHE_ROS_HOSTS_TRACK,
      flags);
  properties[PROP_MAX_FUTURE] = g_param_spec_uint64 ("max-future", "Max future",
      "Maximum time of a message after its arrival (ns)", 0, G_MAXINT64, 500 * GST_MSECOND, flags);
  properties[PROP_MAX_TRANSPORT] = g_param_spec_uint64 ("max-transport", "Max transport",
      "Maximum time between capture and arrival of a message (ns). A silent topic has GAP events up to this much before the present", 0,
      G_MAXINT64, 2 * GST_SECOND, flags);
  properties[PROP_LATENCY] = g_param_spec_uint64 ("latency", "Latency", "Latency to report: usual time between capture and arrival (ns)", 0,
      G_MAXINT64, 0, flags);
}

static void
install_queues (GParamFlags flags)
{
  properties[PROP_MAX_QUEUE_BYTES] = g_param_spec_uint64 ("max-queue-bytes", "Max queue bytes",
      "Maximum size of the queue of a topic (bytes); it holds one message of any size", 0, G_MAXINT64, 128 << 20, flags);
  properties[PROP_MAX_TOTAL_BYTES] = g_param_spec_uint64 ("max-total-bytes", "Max total bytes",
      "Maximum size of the queues of all topics (bytes); the largest queue drops messages, and one message of any size is held", 0, G_MAXINT64,
      (guint64) 1 << 30, flags);
  properties[PROP_MAX_QUEUE_MESSAGES] = g_param_spec_uint ("max-queue-messages", "Max queue messages", "Maximum length of the queue of a topic", 1,
      1000000, 1000, flags);
  properties[PROP_LEAKY] = g_param_spec_enum ("leaky", "Leaky", "Messages to drop if the queue of a topic is full", leaky_get_type (),
      ROBOCACHE_ROS_LEAKY_DOWNSTREAM, flags);
}

void
robocache_ros_src_properties_install (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  install_topics (flags);
  install_network (flags);
  install_times (flags);
  install_queues (flags);
  properties[PROP_STATS] = g_param_spec_boxed ("stats", "Statistics", "Messages received and buffers sent, in total and by topic",
      GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROP_STATS_INTERVAL] = g_param_spec_uint64 ("stats-interval", "Statistics interval",
      "Interval between element messages with stats (ns of running time, 0 = off)", 0, G_MAXINT64, 0,
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING);
  g_object_class_install_properties (klass, N_PROPS, properties);
  gst_type_mark_as_plugin_api (time_source_get_type (), 0);
  gst_type_mark_as_plugin_api (time_fallback_get_type (), 0);
  gst_type_mark_as_plugin_api (clock_mode_get_type (), 0);
  gst_type_mark_as_plugin_api (host_clocks_get_type (), 0);
  gst_type_mark_as_plugin_api (leaky_get_type (), 0);
}

void
robocache_ros_src_settings_init (RobocacheRosSrcSettings *settings)
{
  robocache_settings_init (settings, properties, fields, N_PROPS);
}

void
robocache_ros_src_settings_copy (RobocacheRosSrcSettings *settings, const RobocacheRosSrcSettings *from)
{
  *settings = *from;
  robocache_settings_copy_strings (settings, strings, G_N_ELEMENTS (strings));
}

void
robocache_ros_src_settings_clear (RobocacheRosSrcSettings *settings)
{
  robocache_settings_clear_strings (settings, strings, G_N_ELEMENTS (strings));
}

gpointer
robocache_ros_src_settings_field (RobocacheRosSrcSettings *settings, guint id)
{
  return G_STRUCT_MEMBER_P (settings, fields[id]);
}
