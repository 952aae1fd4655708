/* robocache: settings of the recorders, and the properties that set them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "settings.h"

#include "common/element/propertytypes.h"
#include "common/mcap/chunk.h"

#define DEFAULT_CHUNK_SIZE ((guint64) 1 << 20)
#define DEFAULT_CHUNK_DURATION (GST_SECOND / 2)
#define DEFAULT_MAX_QUEUE_SIZE ((guint64) 64 << 20)
#define DEFAULT_INDEX_INTERVAL (10 * GST_SECOND)
/* beside its definitions, and a chunk that is almost full */
#define MAX_MESSAGE_BYTES ((guint64) ROBOCACHE_MCAP_MAX_CHUNK_SIZE / 2)

enum
{
  PROP_STATS = MUX_PROP_STATS,
  PROP_CHUNK_SIZE,
  PROP_CHUNK_DURATION,
  PROP_COMPRESSION,
  PROP_MAX_QUEUE_SIZE,
  PROP_MAX_MESSAGE_BYTES,
  PROP_INDEX_INTERVAL,
  PROP_KEEP_BUFFERS,
  PROP_CLOCK,
  PROP_TIME_ORIGIN,
  PROP_ATTACHMENTS,
  N_PROPS
};

G_STATIC_ASSERT (N_PROPS <= MUX_FIRST_OWN_PROPERTY);

static const gsize fields[N_PROPS] = {
  [PROP_CHUNK_SIZE] = G_STRUCT_OFFSET (MuxSettings, chunk_size),
  [PROP_CHUNK_DURATION] = G_STRUCT_OFFSET (MuxSettings, chunk_duration),
  [PROP_COMPRESSION] = G_STRUCT_OFFSET (MuxSettings, compression),
  [PROP_MAX_QUEUE_SIZE] = G_STRUCT_OFFSET (MuxSettings, max_queue_size),
  [PROP_MAX_MESSAGE_BYTES] = G_STRUCT_OFFSET (MuxSettings, max_message_bytes),
  [PROP_INDEX_INTERVAL] = G_STRUCT_OFFSET (MuxSettings, index_interval),
  [PROP_KEEP_BUFFERS] = G_STRUCT_OFFSET (MuxSettings, keep_buffers),
  [PROP_CLOCK] = G_STRUCT_OFFSET (MuxSettings, clock),
  [PROP_TIME_ORIGIN] = G_STRUCT_OFFSET (MuxSettings, time_origin),
  [PROP_ATTACHMENTS] = G_STRUCT_OFFSET (MuxSettings, attachments),
};

static ROBOCACHE_DEFINE_ENUM (compression_get_type, "GstRobocacheMcapCompression",
    {ROBOCACHE_MCAP_UNCOMPRESSED, "Uncompressed chunks", "none"},
    {ROBOCACHE_MCAP_ZSTD, "Zstandard, level 1: smaller files", "zstd"},
    {ROBOCACHE_MCAP_LZ4, "LZ4: faster compression", "lz4"})

static ROBOCACHE_DEFINE_ENUM (clock_get_type, "GstRobocacheMcapClock",
    {MUX_CLOCK_AUTO, "The first that exists: time-origin; the reference timestamp meta of the first buffer; in a live pipeline, the system's clock; the "
            "stream's origin (robocacheparse); running time", "auto"},
    {MUX_CLOCK_SYSTEM, "UTC of the system when the element goes to PLAYING", "system"},
    {MUX_CLOCK_REFERENCE, "The first buffer's reference timestamp meta (timestamp/x-unix or x-ntp)", "reference"},
    {MUX_CLOCK_RUNNING, "Running time, counted from 1970", "running"})

static void
install_file_properties (GObjectClass *klass, GParamFlags flags)
{
  g_object_class_install_property (klass, PROP_CHUNK_SIZE, g_param_spec_uint64 ("chunk-size", "Chunk size",
      "Close a chunk when its records have this many bytes", 1 << 10, (guint64) 512 << 20, DEFAULT_CHUNK_SIZE, flags));
  g_object_class_install_property (klass, PROP_CHUNK_DURATION, g_param_spec_uint64 ("chunk-duration", "Chunk duration",
      "Close a chunk this long after its first message arrived (ns, 0 = only by size)", 0, G_MAXINT64, DEFAULT_CHUNK_DURATION,
      flags));
  g_object_class_install_property (klass, PROP_COMPRESSION, g_param_spec_enum ("compression", "Compression",
      "Compression of chunks", compression_get_type (), ROBOCACHE_MCAP_UNCOMPRESSED, flags));
  g_object_class_install_property (klass, PROP_MAX_QUEUE_SIZE, g_param_spec_uint64 ("max-queue-size", "Maximum queue size",
      "Maximum bytes waiting to be written. Above it, live rows are dropped and counted, and other sources wait", 1, G_MAXINT64,
      DEFAULT_MAX_QUEUE_SIZE, flags));
  g_object_class_install_property (klass, PROP_MAX_MESSAGE_BYTES, g_param_spec_uint64 ("max-message-bytes", "Maximum message size",
      "Maximum size of a message (bytes); a larger one is an error", 1, MAX_MESSAGE_BYTES, MAX_MESSAGE_BYTES, flags));
  g_object_class_install_property (klass, PROP_INDEX_INTERVAL, g_param_spec_uint64 ("index-interval", "Index interval",
      "Interval at which statistics of the streams are written to the file (ns of log time, 0 = only at the end)", 0, G_MAXINT64,
      DEFAULT_INDEX_INTERVAL, flags));
}

void
mux_settings_install (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  install_file_properties (klass, flags);
  g_object_class_install_property (klass, PROP_KEEP_BUFFERS, g_param_spec_boolean ("keep-buffers", "Keep buffers",
      "Record the rows of each buffer as one message, with the buffer's exact duration", FALSE, flags));
  g_object_class_install_property (klass, PROP_CLOCK, g_param_spec_enum ("clock", "Clock",
      "Source of the recording's time", clock_get_type (), MUX_CLOCK_AUTO, flags));
  g_object_class_install_property (klass, PROP_TIME_ORIGIN, g_param_spec_int64 ("time-origin", "Time origin",
      "UTC at running time 0 (ns, the smallest int64 = from the source that clock selects)", MUX_NO_ORIGIN, G_MAXINT64, MUX_NO_ORIGIN, flags));
  g_object_class_install_property (klass, PROP_ATTACHMENTS, g_param_spec_string ("attachments", "Attachments",
      "Files to include in the recording, like a URDF or a calibration: paths, separated by commas", NULL, flags));
  g_object_class_install_property (klass, PROP_STATS, g_param_spec_boxed ("stats", "Statistics",
      "Rows and bytes that each stream received, wrote and dropped since the element started", GST_TYPE_STRUCTURE,
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  gst_type_mark_as_plugin_api (compression_get_type (), 0);
  gst_type_mark_as_plugin_api (clock_get_type (), 0);
}

gpointer
mux_settings_field (MuxSettings *settings, guint id)
{
  return G_STRUCT_MEMBER_P (settings, fields[id]);
}

void
mux_settings_init (MuxSettings *settings)
{
  *settings = (MuxSettings) {
    .chunk_size = DEFAULT_CHUNK_SIZE,
    .chunk_duration = DEFAULT_CHUNK_DURATION,
    .compression = ROBOCACHE_MCAP_UNCOMPRESSED,
    .max_queue_size = DEFAULT_MAX_QUEUE_SIZE,
    .max_message_bytes = MAX_MESSAGE_BYTES,
    .index_interval = DEFAULT_INDEX_INTERVAL,
    .time_origin = MUX_NO_ORIGIN,
  };
}

void
mux_settings_clear (MuxSettings *settings)
{
  g_clear_pointer (&settings->attachments, g_free);
}

void
mux_settings_copy (MuxSettings *settings, const MuxSettings *from)
{
  mux_settings_clear (settings);
  *settings = *from;
  settings->attachments = g_strdup (from->attachments);
}
