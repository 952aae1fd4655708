/* robocache: a reader of the messages of one topic, as samples of streams
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "streamreader.h"

#include "common/element/errors.h"

/* Fields of a message may have a note each; more are not said. */
#define MAX_NOTES 8

enum
{ SECONDS, NANOSECONDS, FRAME_ID, N_HEADER_FIELDS };

/* Where messages have their time and frame, in order of preference. */
static const RobocacheFieldSpec headers[][N_HEADER_FIELDS] = {
  {{"header.stamp.sec", ROBOCACHE_FIELD_NUMBER}, {"header.stamp.nanosec", ROBOCACHE_FIELD_NUMBER},
        {"header.frame_id", ROBOCACHE_FIELD_STRING, TRUE}},
  {{"timestamp.sec", ROBOCACHE_FIELD_NUMBER}, {"timestamp.nanosec", ROBOCACHE_FIELD_NUMBER},
        {"frame_id", ROBOCACHE_FIELD_STRING, TRUE}},
  /* JSON */
  {{"timestamp.sec", ROBOCACHE_FIELD_NUMBER}, {"timestamp.nsec", ROBOCACHE_FIELD_NUMBER},
        {"frame_id", ROBOCACHE_FIELD_STRING, TRUE}},
  {{"stamp.sec", ROBOCACHE_FIELD_NUMBER}, {"stamp.nanosec", ROBOCACHE_FIELD_NUMBER}, {"frame_id", ROBOCACHE_FIELD_STRING, TRUE}},
  /* events of services */
  {{"info.stamp.sec", ROBOCACHE_FIELD_NUMBER}, {"info.stamp.nanosec", ROBOCACHE_FIELD_NUMBER}, {"frame_id", ROBOCACHE_FIELD_STRING, TRUE}},
};

static void
clear_sample (gpointer data)
{
  RobocacheRosSample *sample = data;

  g_ref_string_release (sample->frame_id);
  g_clear_pointer (&sample->caps, gst_caps_unref);
  g_clear_pointer (&sample->buffer, gst_buffer_unref);
}

void
robocache_stream_reader_init (RobocacheStreamReader *reader, const RobocacheRosSource *source)
{
  reader->samples = g_array_new (FALSE, FALSE, sizeof (RobocacheRosSample));
  g_array_set_clear_func (reader->samples, clear_sample);
  reader->rows = g_byte_array_new ();
  reader->notes = g_ptr_array_new_with_free_func (g_free);
  reader->last_frame = g_strdup ("");
  reader->last_valid_frame = g_ref_string_new ("");
  reader->check = robocache_message_check_new (source->schema);
  for (guint i = 0; i < G_N_ELEMENTS (headers) && !reader->header; i++)
    reader->header = robocache_message_fields_new (source->schema, 0, headers[i], N_HEADER_FIELDS, NULL);
}

void
robocache_stream_reader_clear (RobocacheStreamReader *reader)
{
  g_clear_pointer (&reader->header, robocache_message_fields_free);
  g_clear_pointer (&reader->check, robocache_message_check_free);
  g_clear_pointer (&reader->samples, g_array_unref);
  g_clear_pointer (&reader->rows, g_byte_array_unref);
  g_clear_pointer (&reader->notes, g_ptr_array_unref);
  g_clear_pointer (&reader->last_frame, g_free);
  g_clear_pointer (&reader->last_valid_frame, g_ref_string_release);
}

void
robocache_stream_reader_note (RobocacheStreamReader *reader, gchar *note)
{
  if (reader->notes->len >= MAX_NOTES || g_ptr_array_find_with_equal_func (reader->notes, note, g_str_equal, NULL))
    g_free (note);
  else
    g_ptr_array_add (reader->notes, note);
}

gint64
robocache_stamp_of (gint64 seconds, gint64 nanoseconds)
{
  const gint64 limit = G_MAXINT64 / GST_SECOND - 8;

  /* stamps have 32 bits of each; a definition of its own may have more */
  return CLAMP (seconds, -limit, limit) * (gint64) GST_SECOND + CLAMP (nanoseconds, 0, G_MAXUINT32);
}

static void
read_header (RobocacheStreamReader *reader, RobocacheCdrReader message)
{
  reader->stamp_ns = ROBOCACHE_ROS_NO_TIME;
  reader->frame_id = "";
  /* the rest of the message reports its own fault */
  if (!reader->header || !robocache_message_fields_find (reader->header, &message, FALSE))
    return;
  reader->stamp_ns = robocache_stamp_of (robocache_message_fields_integer (reader->header, SECONDS),
      robocache_message_fields_integer (reader->header, NANOSECONDS));
  if (reader->stamp_ns == 0)
    reader->stamp_ns = ROBOCACHE_ROS_NO_TIME;
  reader->frame_id = robocache_message_fields_string (reader->header, FRAME_ID);
}

gboolean
robocache_stream_reader_read_stamp (RobocacheStreamReader *reader, gconstpointer message, gsize size, gint64 *stamp_ns)
{
  RobocacheCdrReader cdr;

  robocache_cdr_reader_init (&cdr, message, size);
  if (reader->header && !robocache_message_fields_find (reader->header, &cdr, FALSE))
    return FALSE;
  robocache_cdr_reader_init (&cdr, message, size);
  read_header (reader, cdr);
  *stamp_ns = reader->stamp_ns == ROBOCACHE_ROS_NO_TIME ? 0 : reader->stamp_ns;
  return robocache_cdr_reader_check (&cdr, NULL);
}

/* The bytes do not move any more. */
static void
place_bare_rows (RobocacheStreamReader *reader)
{
  for (guint i = 0; i < reader->samples->len; i++) {
    RobocacheRosSample *sample = &g_array_index (reader->samples, RobocacheRosSample, i);

    if (!sample->buffer)
      sample->row = reader->rows->data + sample->row_offset;
  }
}

gboolean
robocache_stream_reader_run (RobocacheStreamReader *reader, gconstpointer message, gsize size, GError **error)
{
  RobocacheCdrReader cdr;

  g_array_set_size (reader->samples, 0);
  g_byte_array_set_size (reader->rows, 0);
  robocache_cdr_reader_init (&cdr, message, size);
  read_header (reader, cdr);
  if (!robocache_cdr_reader_check (&cdr, error))
    return FALSE;
  if (reader->read (reader, &cdr, error) && robocache_message_check_length (reader->check, message, size, error)) {
    place_bare_rows (reader);
    return TRUE;
  }
  g_array_set_size (reader->samples, 0);
  return FALSE;
}

/* Most messages of a topic have the frame of the one before. */
static gchar *
valid_frame (RobocacheStreamReader *reader)
{
  if (!g_str_equal (reader->frame_id, reader->last_frame)) {
    gchar *valid = g_utf8_make_valid (reader->frame_id, -1);

    g_free (reader->last_frame);
    reader->last_frame = g_strdup (reader->frame_id);
    g_ref_string_release (reader->last_valid_frame);
    reader->last_valid_frame = g_ref_string_new (valid);
    g_free (valid);
  }
  return g_ref_string_acquire (reader->last_valid_frame);
}

RobocacheRosSample *
robocache_stream_reader_add (RobocacheStreamReader *reader, const gchar *key, GstCaps *caps, GstBuffer *buffer)
{
  const RobocacheRosSample sample = {.key = key,.frame_id = valid_frame (reader),.stamp_ns = reader->stamp_ns,
    .caps = gst_caps_ref (caps),.buffer = buffer
  };

  g_array_append_val (reader->samples, sample);
  return &g_array_index (reader->samples, RobocacheRosSample, reader->samples->len - 1);
}

gpointer
robocache_sample_alloc (gsize size, GError **error)
{
  gpointer bytes = g_try_malloc (MAX (1, size));

  if (!bytes)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "no memory for a sample of %" G_GSIZE_FORMAT " bytes", size);
  return bytes;
}

GstBuffer *
robocache_sample_copy (gconstpointer bytes, gsize size, GError **error)
{
  gpointer copy = robocache_sample_alloc (size, error);

  if (!copy)
    return NULL;
  if (size > 0)
    memcpy (copy, bytes, size);
  return gst_buffer_new_wrapped_full (0, copy, MAX (1, size), 0, size, copy, g_free);
}

gpointer
robocache_stream_reader_add_row (RobocacheStreamReader *reader, const gchar *key, GstCaps *caps, gsize size)
{
  const gsize alignment = sizeof (gdouble), offset = (reader->rows->len + alignment - 1) & ~(alignment - 1);
  RobocacheRosSample *sample;
  gpointer row;

  if (!reader->leaves_rows_bare) {
    row = g_malloc (size);
    robocache_stream_reader_add (reader, key, caps, gst_buffer_new_wrapped (row, size));
    return row;
  }
  g_byte_array_set_size (reader->rows, (guint) (offset + size));
  sample = robocache_stream_reader_add (reader, key, caps, NULL);
  sample->row_offset = offset;
  sample->row_bytes = size;
  return reader->rows->data + offset;
}
