/* robocache: properties of robocachemcapdemux and robocachebagsrc
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "properties.h"

#include "common/element/propertytypes.h"

#define DEFAULT_MAX_TRANSPORT (2 * GST_SECOND)
#define MAX_BLOCK_ROWS 65536
#define MAX_MESSAGE_BYTES ((guint64) 1 << 30)

enum
{
  PROP_STATS = ROBOCACHE_MCAP_DEMUX_PROP_STATS,
  PROP_TOPICS,
  PROP_JOINTS,
  PROP_FIELDS,
  PROP_TIME_SOURCE,
  PROP_CLOCKS,
  PROP_START,
  PROP_TIME_ORIGIN,
  PROP_MAX_TRANSPORT,
  PROP_BLOCK_ROWS,
  PROP_MAX_MESSAGE_BYTES,
  PROP_STATS_INTERVAL,
  N_SHARED_PROPS,
  /* of robocachebagsrc */
  PROP_LOCATION = N_SHARED_PROPS,
  PROP_MSG_PATH,
  N_PROPS
};

/* Of the class that was made last; their defaults are the same. */
static GParamSpec *properties[N_PROPS];

#define SETTING(field) G_STRUCT_OFFSET (RobocacheMcapDemuxSettings, field)

static const glong fields[N_PROPS] = {
  [PROP_TOPICS] = SETTING (topics),
  [PROP_JOINTS] = SETTING (joints),
  [PROP_FIELDS] = SETTING (fields),
  [PROP_TIME_SOURCE] = SETTING (time_source),
  [PROP_CLOCKS] = SETTING (clocks),
  [PROP_START] = SETTING (start),
  [PROP_TIME_ORIGIN] = SETTING (time_origin),
  [PROP_MAX_TRANSPORT] = SETTING (max_transport),
  [PROP_BLOCK_ROWS] = SETTING (block_rows),
  [PROP_MAX_MESSAGE_BYTES] = SETTING (max_message_bytes),
  [PROP_STATS_INTERVAL] = SETTING (stats_interval),
  [PROP_LOCATION] = SETTING (location),
  [PROP_MSG_PATH] = SETTING (msg_path),
};

static const glong strings[] = { SETTING (topics), SETTING (joints), SETTING (fields), SETTING (clocks), SETTING (location), SETTING (msg_path) };

static ROBOCACHE_DEFINE_ENUM (time_source_get_type, "GstRobocacheMcapTimeSource",
    {ROBOCACHE_MCAP_TIME_AUTO, "The stamp in the message; without a stamp, the publish time if it differs from the log time, "
      "else the log time", "auto"},
    {ROBOCACHE_MCAP_TIME_PUBLISH, "The publish time of each message", "publish"},
    {ROBOCACHE_MCAP_TIME_LOG, "The log time of each message", "log"})

static ROBOCACHE_DEFINE_ENUM (start_get_type, "GstRobocacheMcapStart",
    {ROBOCACHE_MCAP_START_ZERO, "Running time 0 is the earliest time among the topics' first messages", "zero"},
    {ROBOCACHE_MCAP_START_KEEP, "Running time is the time of the recording's clock", "keep"},
    {ROBOCACHE_MCAP_START_OWN, "Like zero, but independent of other recordings", "own"})

void
robocache_mcap_demux_properties_install (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  properties[PROP_TOPICS] = g_param_spec_string ("topics", "Topics",
      "Topics to read, in the order of their pads: names or globs like /joint_states,/camera/* (empty = all except "
      "/robocache/events)",
      "", flags);
  properties[PROP_JOINTS] = g_param_spec_string ("joints", "Joints",
      "Streams to make from JointState messages, as joint names: shoulder,elbow;gripper makes two streams, the second one with the "
      "gripper alone (empty = one stream for each set of joints in a message)", "", flags);
  properties[PROP_FIELDS] = g_param_spec_string ("fields", "Fields",
      "Numeric fields to read from types without their own decoder, like pose.*,data[3]. TOPIC:FIELD reads them from a topic of "
      "any type",
      "", flags);
  properties[PROP_TIME_SOURCE] = g_param_spec_enum ("time-source", "Time source", "Time of capture of a message",
      time_source_get_type (), ROBOCACHE_MCAP_TIME_AUTO, flags);
  properties[PROP_CLOCKS] = g_param_spec_string ("clocks", "Clocks", "Timeline for stamps of several clocks, estimated from "
      "message arrivals: auto (the clock of most topics), recorder (the recorder's clock), stamp (find the clocks, but shift "
      "nothing), or the value of clocks in the stats of an earlier run (empty = all stamps have one clock)", "", flags);
  properties[PROP_START] = g_param_spec_enum ("start", "Start", "Time of the recording's clock at running time 0",
      start_get_type (), ROBOCACHE_MCAP_START_ZERO, flags);
  properties[PROP_TIME_ORIGIN] = g_param_spec_int64 ("time-origin", "Time origin",
      "Time of the recording's clock at running time 0 (ns); overrides the property start (the smallest int64 = not set)",
      G_MININT64, G_MAXINT64,
      ROBOCACHE_MCAP_NO_ORIGIN, flags);
  properties[PROP_MAX_TRANSPORT] = g_param_spec_uint64 ("max-transport", "Max transport",
      "Maximum time between capture and arrival of a message (ns). Seeks read from this much earlier, and a silent topic delays "
      "the others by this much", 0,
      G_MAXINT64, DEFAULT_MAX_TRANSPORT, flags);
  properties[PROP_BLOCK_ROWS] = g_param_spec_uint ("block-rows", "Block rows",
      "Maximum rows per buffer. Above 1, a buffer has rows of up to 1 s and a second tensor with their times", 1,
      MAX_BLOCK_ROWS, 1, flags);
  properties[PROP_MAX_MESSAGE_BYTES] = g_param_spec_uint64 ("max-message-bytes", "Max message bytes",
      "Maximum unpacked size of a message or chunk (bytes); larger ones are skipped as damaged. 0 = 256 MiB, and for compressed ones "
      "no more than 32 MiB and 1.5 times the file",
      0, MAX_MESSAGE_BYTES, 0, flags);
  properties[PROP_STATS] = g_param_spec_boxed ("stats", "Statistics", "Messages read and buffers sent, in total and by topic",
      GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROP_STATS_INTERVAL] = g_param_spec_uint64 ("stats-interval", "Statistics interval",
      "Interval between element messages with stats (ns of running time, 0 = off)", 0, G_MAXINT64, 0,
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING);
  g_object_class_install_properties (klass, N_SHARED_PROPS, properties);

  gst_type_mark_as_plugin_api (time_source_get_type (), 0);
  gst_type_mark_as_plugin_api (start_get_type (), 0);
}

void
robocache_bag_src_properties_install (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  robocache_mcap_demux_properties_install (klass);
  properties[PROP_LOCATION] = g_param_spec_string ("location", "Location",
      "Recording to read: the folder of a bag with metadata.yaml, a .mcap, .db3 or .bag file, or one of these compressed as .zstd", "", flags);
  properties[PROP_MSG_PATH] = g_param_spec_string ("msg-path", "Message path",
      "Colon-separated folders with PACKAGE/msg/TYPE.msg files, used when a recording has no definitions", "", flags);
  for (guint id = N_SHARED_PROPS; id < N_PROPS; id++)
    g_object_class_install_property (klass, id, properties[id]);
}

void
robocache_mcap_demux_settings_init (RobocacheMcapDemuxSettings *settings)
{
  robocache_settings_init (settings, properties, fields, N_PROPS);
}

void
robocache_mcap_demux_settings_copy (RobocacheMcapDemuxSettings *settings, const RobocacheMcapDemuxSettings *from)
{
  *settings = *from;
  robocache_settings_copy_strings (settings, strings, G_N_ELEMENTS (strings));
}

void
robocache_mcap_demux_settings_clear (RobocacheMcapDemuxSettings *settings)
{
  robocache_settings_clear_strings (settings, strings, G_N_ELEMENTS (strings));
}

gpointer
robocache_mcap_demux_settings_field (RobocacheMcapDemuxSettings *settings, guint id)
{
  return G_STRUCT_MEMBER_P (settings, fields[id]);
}
