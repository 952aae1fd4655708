/* robocache: messages of rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encoders.h"

#include <string.h>

#include "common/ros/rowmessage.h"
#include "common/tensors/tensorbuffer.h"
#include "common/time/rowtimes.h"

typedef struct
{
  RobocacheEncoder parent;
  RobocacheTensorsInfo info;
  RobocacheRowLayout layout;
  gsize row_bytes;
  gboolean is_block;            /* one message a buffer */
  gchar **names;                /* of channels; may be none */
  guint n_names;
  RobocacheRowMessage message;
  RobocacheTensorsMap map;
  gint64 *offsets;              /* [n_rows] scratch: times of a block's rows after its stamp */
} Rows;

gboolean
robocache_encoder_is_rows (const RobocacheTensorsInfo *info)
{
  RobocacheRowLayout layout;

  return robocache_row_layout_from_info (&layout, info, NULL);
}

static gboolean
rows_begin (RobocacheEncoder *encoder, GstBuffer *buffer, RobocacheEncoderItems *items, GError **error)
{
  Rows *rows = (Rows *) encoder;

  if (!robocache_tensors_map (&rows->map, buffer, &rows->info, GST_MAP_READ, error))
    return FALSE;
  if (rows->is_block && rows->layout.has_times && !rows->offsets)
    rows->offsets = g_try_new (gint64, rows->layout.n_rows);
  if (rows->is_block && rows->layout.has_times && !rows->offsets) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_MEMORY, "no memory for %" G_GUINT64_FORMAT " times of rows", rows->layout.n_rows);
    robocache_tensors_unmap (&rows->map);
    return FALSE;
  }
  *items = (RobocacheEncoderItems) {rows->is_block ? 1 : rows->layout.n_rows, rows->layout.has_times ? rows->map.data[1] : NULL, TRUE};
  return TRUE;
}

/* Times of a block's rows, where it has them. */
static guint
fill_offsets (Rows *rows, const RobocacheEncoderTimes *times)
{
  gint64 first;

  if (!rows->layout.has_times)
    return 0;
  memcpy (rows->offsets, rows->map.data[1], rows->layout.n_rows * sizeof (gint64));
  first = rows->offsets[0];
  for (guint64 i = 0; i < rows->layout.n_rows; i++)
    rows->offsets[i] -= first;
  return (guint) rows->layout.n_rows;
}

static void
write_row (Rows *rows, guint64 item, const RobocacheEncoderTimes *times)
{
  const guint64 n_rows = rows->is_block ? rows->layout.n_rows : 1;
  const RobocacheRosRow row = {
    .names = (const gchar * const *) rows->names,
    .n_names = rows->n_names,
    .duration_ns = times->duration_ns,
    .n_times = rows->is_block ? fill_offsets (rows, times) : 0,
    .times = rows->offsets,
    .dtype = rows->layout.dtype,
    .values = (const guint8 *) rows->map.data[0] + item * rows->row_bytes,
    .n_values = n_rows * rows->layout.channels,
  };

  robocache_ros_write_row (&rows->parent.writer, &times->header, &row);
}

static gboolean
rows_write (RobocacheEncoder *encoder, guint64 item, const RobocacheEncoderTimes *times, RobocacheEncoderEmit emit, gpointer user_data)
{
  Rows *rows = (Rows *) encoder;

  if (rows->message.kind == ROBOCACHE_ROW_MESSAGE_NONE)
    write_row (rows, item, times);
  else
    robocache_row_message_write (&rows->message, &encoder->writer, &times->header,
        (const guint8 *) rows->map.data[0] + item * rows->row_bytes);
  return emit (user_data, 0, &encoder->writer);
}

static void
rows_end (RobocacheEncoder *encoder)
{
  robocache_tensors_unmap (&((Rows *) encoder)->map);
}

static void
rows_free (RobocacheEncoder *encoder)
{
  Rows *rows = (Rows *) encoder;

  robocache_row_message_clear (&rows->message);
  g_strfreev (rows->names);
  g_free (rows->offsets);
  robocache_encoder_clear (encoder);
  g_free (rows);
}

static const RobocacheEncoderClass rows_class = { rows_begin, rows_write, rows_end, rows_free };

/* Names of the channels, where caps have one for each. */
static void
find_names (Rows *rows, const GstStructure *structure)
{
  const gchar *list = gst_structure_get_string (structure, "channels");
  gchar **names = list ? g_strsplit (list, ",", -1) : NULL;

  if (names && g_strv_length (names) == rows->layout.channels) {
    rows->names = names;
    rows->n_names = (guint) rows->layout.channels;
  } else {
    g_strfreev (names);
  }
}

static gboolean
choose_message (Rows *rows, const GstStructure *structure, const RobocacheEncoderSettings *settings, GError **error)
{
  const gchar *const *names = (const gchar * const *) rows->names;
  const guint n = (guint) rows->layout.channels;

  if (settings->has_message && settings->message != ROBOCACHE_ROW_MESSAGE_NONE)
    return robocache_row_message_init_as (&rows->message, settings->message, names, n, rows->layout.dtype, error);
  if (rows->names && !rows->is_block && !settings->has_message)
    robocache_row_message_init (&rows->message, names, rows->n_names, gst_structure_get_string (structure, "role"), rows->layout.dtype);
  if (rows->message.kind != ROBOCACHE_ROW_MESSAGE_NONE || !settings->is_command || settings->has_message)
    return TRUE;
  robocache_row_message_clear (&rows->message);
  return robocache_row_message_init_as (&rows->message, ROBOCACHE_ROW_MESSAGE_ARRAY, NULL, n, rows->layout.dtype, error);
}

RobocacheEncoder *
robocache_encoder_new_rows (const RobocacheTensorsInfo *info, const GstCaps *caps, const RobocacheEncoderSettings *settings, GError **error)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  Rows *rows = g_new0 (Rows, 1);

  robocache_encoder_init (&rows->parent, &rows_class);
  rows->info = *info;
  robocache_row_layout_from_info (&rows->layout, info, NULL);
  rows->row_bytes = rows->layout.channels * rc_dtype_size (rows->layout.dtype);
  rows->is_block = settings->keep_buffers && rows->layout.n_rows > 1;
  find_names (rows, structure);
  if (!choose_message (rows, structure, settings, error)) {
    rows_free (&rows->parent);
    return NULL;
  }
  robocache_encoder_add_channel (&rows->parent, robocache_row_message_type (&rows->message), g_strdup (""),
      rc_dtype_name (rows->layout.dtype), rows->message.kind == ROBOCACHE_ROW_MESSAGE_NONE);
  return &rows->parent;
}
