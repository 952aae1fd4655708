/* robocache: messages of samples
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encoders.h"

#include <string.h>

#include "common/channels/channelkinds.h"
#include "common/tensors/tensorbuffer.h"
#include "kernels/align.h"

/* Of the meta: see samplemeta.h of robocachefuse. */
#define META_NAME "RobocacheSampleMeta"

/* Numbers of a stream in the meta's info. */
enum
{ INFO_TICK, INFO_BEFORE, INFO_AFTER, INFO_STATUS, N_INFO };

/* Beside the status are flags. */
#define STATUS_MASK 3

typedef struct
{
  RobocacheEncoder parent;
  RobocacheTensorsInfo info;
  RobocacheTensorsMap map;
  gboolean has_tick;            /* a channel of ticks, the last one */
  gchar **streams, **channels;  /* names, of the meta and of the caps; NULL: none */
  gchar **nearest;              /* names of streams whose rows are copies of the nearest one; NULL: none */
  guint n_streams;
  gboolean is_concat;           /* one tensor of all streams */
  gchar **names[ROBOCACHE_MAX_TENSORS]; /* of a row's channels, in channels; NULL: none */
  GstBuffer *buffer;            /* the mapped sample, and its meta */
  GArray *tick_streams;         /* of RobocacheRosTickStream, of each row of the window */
  guint tick_window;
} Samples;

static const GstStructure *
meta_of (GstBuffer *buffer)
{
  GstCustomMeta *meta = gst_meta_get_info (META_NAME) ? gst_buffer_get_custom_meta (buffer, META_NAME) : NULL;

  return meta ? gst_custom_meta_get_structure (meta) : NULL;
}

gboolean
robocache_encoder_is_sample (GstBuffer *buffer)
{
  return meta_of (buffer) != NULL;
}

static gint64
get_int64 (const GstStructure *meta, const gchar *field)
{
  gint64 value;

  return gst_structure_get_int64 (meta, field, &value) ? value : ROBOCACHE_ROS_NO_TIME;
}

/* A field of bytes; n: how many int64 it has. */
static const gint64 *
get_numbers (const GstStructure *meta, const gchar *field, gsize *n)
{
  const GValue *value = gst_structure_get_value (meta, field);
  GBytes *bytes = value && G_VALUE_HOLDS (value, G_TYPE_BYTES) ? g_value_get_boxed (value) : NULL;
  gsize size = 0;
  const gint64 *numbers = bytes ? g_bytes_get_data (bytes, &size) : NULL;

  *n = size / sizeof *numbers;
  return numbers;
}

/* ---- ticks ---- */

/* From the row that was used to the tick: negative where the nearest row came after it. */
static gint64
age_of (const Samples *samples, const gchar *name, const gint64 *info)
{
  const gint64 tick = info[INFO_TICK], before = info[INFO_BEFORE], after = info[INFO_AFTER];
  const gboolean is_nearest = samples->nearest && g_strv_contains ((const gchar * const *) samples->nearest, name)
      && (info[INFO_STATUS] & STATUS_MASK) == RC_ALIGNED;

  if (before == ROBOCACHE_ROS_NO_TIME)
    return ROBOCACHE_ROS_NO_TIME;
  return is_nearest && after != ROBOCACHE_ROS_NO_TIME && after - tick < tick - before ? tick - after : tick - before;
}

static void
append_tick_stream (Samples *samples, const gchar *name, const gint64 *info, const gint64 *taken)
{
  const RobocacheRosTickStream stream = {
    .name = name,
    .before_ns = info[INFO_BEFORE],
    .after_ns = info[INFO_AFTER],
    .age_ns = age_of (samples, name, info),
    .status = (guint8) info[INFO_STATUS],
    .rows = taken ? (guint64) taken[0] : 0,
    .gaps = taken ? (guint64) taken[1] : 0,
    .events = taken ? (guint64) taken[2] : 0,
  };

  g_array_append_val (samples->tick_streams, stream);
}

/* The meta's streams, of each row of the window. */
static void
list_tick_streams (Samples *samples, const GstStructure *meta)
{
  const guint n_streams = samples->n_streams;
  gsize n_info = 0, n_taken = 0;
  const gint64 *info = meta ? get_numbers (meta, "info", &n_info) : NULL;
  const gint64 *taken = meta ? get_numbers (meta, "taken", &n_taken) : NULL;

  g_array_set_size (samples->tick_streams, 0);
  samples->tick_window = n_streams > 0 ? (guint) (n_info / N_INFO / n_streams) : 0;
  for (guint i = 0; i < samples->tick_window * n_streams; i++)
    append_tick_stream (samples, samples->streams[i % n_streams], info + i * N_INFO,
        n_taken >= 3 * (gsize) n_streams ? taken + 3 * (i % n_streams) : NULL);
}

static gboolean
write_tick (Samples *samples, const RobocacheEncoderTimes *times, RobocacheEncoderEmit emit, gpointer user_data)
{
  const GstStructure *meta = meta_of (samples->buffer);
  RobocacheRosTick tick;

  if (!meta)
    return TRUE;
  tick = (RobocacheRosTick) {
    .tick_ns = get_int64 (meta, "tick"),
    .decided_ns = get_int64 (meta, "decided"),
    .window = samples->tick_window,
    .streams = (const RobocacheRosTickStream *) (gpointer) samples->tick_streams->data,
    .n_streams = samples->tick_streams->len,
    .journal_start = gst_structure_has_field (meta, "journal") ? (guint64) get_int64 (meta, "journal-start") : 0,
    .journal_pads = gst_structure_get_string (meta, "journal-pads"),
  };
  tick.journal = get_numbers (meta, "journal", &tick.n_journal);
  robocache_ros_write_tick (&samples->parent.writer, &times->header, &tick);
  return emit (user_data, samples->info.n_tensors, &samples->parent.writer);
}

static gchar **
split_names (const gchar *list)
{
  gchar **names = list ? g_strsplit (list, ",", -1) : NULL;

  for (gchar **name = names; name && *name; name++)
    g_strstrip (*name);
  return names;
}

/* ---- a buffer ---- */

static gboolean
samples_begin (RobocacheEncoder *encoder, GstBuffer *buffer, RobocacheEncoderItems *items, GError **error)
{
  Samples *samples = (Samples *) encoder;

  if (!robocache_tensors_map (&samples->map, buffer, &samples->info, GST_MAP_READ, error))
    return FALSE;
  samples->buffer = buffer;
  list_tick_streams (samples, meta_of (buffer));
  *items = (RobocacheEncoderItems) {1, NULL, TRUE};
  return TRUE;
}

static void
samples_end (RobocacheEncoder *encoder)
{
  robocache_tensors_unmap (&((Samples *) encoder)->map);
}

/* ---- tensors ---- */

/* Of a stream's tensor, in the last row of the window. Others have none: aligned. */
static guint8
status_of (const Samples *samples, guint tensor)
{
  const guint last = samples->tick_streams->len - samples->n_streams;

  if (tensor >= samples->n_streams || samples->is_concat || samples->tick_window == 0)
    return 0;
  return g_array_index (samples->tick_streams, RobocacheRosTickStream, last + tensor).status;
}

static void
write_row (Samples *samples, guint i, const RobocacheEncoderTimes *times)
{
  const RobocacheTensorInfo *tensor = &samples->info.tensors[i];
  const RobocacheRosRow row = {
    .names = (const gchar * const *) samples->names[i],
    .n_names = samples->names[i] ? (guint) tensor->dims[0] : 0,
    .status = status_of (samples, i),
    .duration_ns = times->duration_ns,
    .dtype = tensor->dtype,
    .values = samples->map.data[i],
    .n_values = tensor->dims[0],
  };

  robocache_ros_write_row (&samples->parent.writer, &times->header, &row);
}

static gboolean
write_tensor (Samples *samples, guint i, const RobocacheEncoderTimes *times, RobocacheEncoderEmit emit, gpointer user_data)
{
  const RobocacheTensorInfo *tensor = &samples->info.tensors[i];
  const RobocacheEncoderChannel *channel = &g_array_index (samples->parent.channels, RobocacheEncoderChannel, i);
  const gchar *name = *channel->suffix ? channel->suffix + 1 : "";

  if (tensor->rank == 1)
    write_row (samples, i, times);
  else
    robocache_ros_write_tensor (&samples->parent.writer, &times->header, name, tensor->dtype, tensor->dims, tensor->rank,
        status_of (samples, i), times->duration_ns, samples->map.data[i], robocache_tensor_info_elements (tensor));
  return emit (user_data, i, &samples->parent.writer);
}

static gboolean
is_skipped (const RobocacheEncoder *encoder, guint channel)
{
  return encoder->skipped && encoder->skipped[channel];
}

static gboolean
samples_write (RobocacheEncoder *encoder, guint64 item, const RobocacheEncoderTimes *times, RobocacheEncoderEmit emit, gpointer user_data)
{
  Samples *samples = (Samples *) encoder;

  for (guint i = 0; i < samples->info.n_tensors; i++)
    if (!is_skipped (encoder, i) && !write_tensor (samples, i, times, emit, user_data))
      return FALSE;
  return !samples->has_tick || is_skipped (encoder, samples->info.n_tensors) || write_tick (samples, times, emit, user_data);
}

/* ---- life ---- */

static void
samples_free (RobocacheEncoder *encoder)
{
  Samples *samples = (Samples *) encoder;

  g_array_unref (samples->tick_streams);
  g_strfreev (samples->streams);
  g_strfreev (samples->channels);
  g_strfreev (samples->nearest);
  robocache_encoder_clear (encoder);
  g_free (samples);
}

static const RobocacheEncoderClass samples_class = { samples_begin, samples_write, samples_end, samples_free };

/* The topic of a tensor behind the stream's: its stream's name, else its number; none where it is the only one. */
static gchar *
make_suffix (const Samples *samples, guint i)
{
  const gboolean is_only = samples->is_concat || samples->info.n_tensors == 1;

  if (i < samples->n_streams && !samples->is_concat && samples->info.n_tensors > 1)
    return g_strconcat ("/", samples->streams[i], NULL);
  if (i == 0 && is_only)
    return g_strdup ("");
  return samples->has_tick ? g_strdup ("/info") : g_strdup_printf ("/%u", i);
}

/* What the meta and the caps say of the streams. */
static void
read_streams (Samples *samples, const GstStructure *meta, const GstCaps *caps)
{
  const RobocacheTensorInfo *last = &samples->info.tensors[samples->info.n_tensors - 1];
  gboolean has_info;

  samples->has_tick = meta != NULL;
  samples->streams = meta ? split_names (gst_structure_get_string (meta, "streams")) : NULL;
  samples->channels = split_names (gst_structure_get_string (gst_caps_get_structure (caps, 0), "channels"));
  samples->nearest = split_names (gst_structure_get_string (gst_caps_get_structure (caps, 0), "nearest"));
  samples->n_streams = samples->streams ? g_strv_length (samples->streams) : 0;
  has_info = last->dtype == RC_INT64 && last->dims[0] == N_INFO && robocache_tensor_info_dim (last, 1) == samples->n_streams;
  samples->is_concat = samples->n_streams > 1 && samples->info.n_tensors == (has_info ? 2 : 1);
}

/* Caps have the names of all rows one after another. Frames, whole tensors and info have none. */
static void
find_names (Samples *samples)
{
  const guint n_tensors = samples->is_concat ? 1 : samples->n_streams > 0 ? MIN (samples->n_streams, samples->info.n_tensors)
      : samples->info.n_tensors;
  const guint n_names = samples->channels ? g_strv_length (samples->channels) : 0;
  guint64 n = 0;

  for (guint i = 0; i < n_tensors; i++) {
    const RobocacheTensorInfo *tensor = &samples->info.tensors[i];

    if (tensor->rank > 2)
      continue;
    samples->names[i] = n + tensor->dims[0] <= n_names ? samples->channels + n : NULL;
    n += tensor->dims[0];
  }
  if (n != n_names)
    memset (samples->names, 0, sizeof (samples->names));
}

/* Caps of several tensors have a list of kinds for each, separated by semicolons. */
static void
set_kinds (Samples *samples, const GstCaps *caps)
{
  const gchar *text = gst_structure_get_string (gst_caps_get_structure (caps, 0), ROBOCACHE_KINDS_FIELD);
  gchar **lists = g_strsplit (text && samples->info.n_tensors > 1 ? text : "", ";", -1);

  for (guint i = 0; lists[i] && i < samples->info.n_tensors; i++) {
    if (*lists[i])
      g_array_index (samples->parent.channels, RobocacheEncoderChannel, i).kinds = g_strdup (lists[i]);
  }
  g_strfreev (lists);
}

RobocacheEncoder *
robocache_encoder_new_samples (const RobocacheTensorsInfo *info, const GstCaps *caps, GstBuffer *sample)
{
  Samples *samples = g_new0 (Samples, 1);

  robocache_encoder_init (&samples->parent, &samples_class);
  samples->info = *info;
  samples->tick_streams = g_array_new (FALSE, FALSE, sizeof (RobocacheRosTickStream));
  read_streams (samples, meta_of (sample), caps);
  find_names (samples);
  for (guint i = 0; i < info->n_tensors; i++)
    robocache_encoder_add_channel (&samples->parent, info->tensors[i].rank == 1 ? "robocache_msgs/msg/Row" : "robocache_msgs/msg/Tensor",
        make_suffix (samples, i), rc_dtype_name (info->tensors[i].dtype), TRUE);
  set_kinds (samples, caps);
  if (samples->has_tick)
    robocache_encoder_add_channel (&samples->parent, "robocache_msgs/msg/Tick", g_strdup ("/tick"), NULL, FALSE);
  return &samples->parent;
}
