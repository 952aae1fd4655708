/* robocache: a reader of the messages of one topic, as samples of streams
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "streamreader.h"

#include "common/element/errors.h"

enum
{ SECONDS, NANOSECONDS, FRAME_ID, N_HEADER_FIELDS };

/* Where messages have their time and frame, in order of preference. */
static const RobocacheFieldSpec headers[][N_HEADER_FIELDS] = {
  {{"header.stamp.sec", ROBOCACHE_FIELD_NUMBER}, {"header.stamp.nanosec", ROBOCACHE_FIELD_NUMBER},
        {"header.frame_id", ROBOCACHE_FIELD_STRING, TRUE}},
  {{"timestamp.sec", ROBOCACHE_FIELD_NUMBER}, {"timestamp.nanosec", ROBOCACHE_FIELD_NUMBER},
        {"frame_id", ROBOCACHE_FIELD_STRING, TRUE}},
  {{"stamp.sec", ROBOCACHE_FIELD_NUMBER}, {"stamp.nanosec", ROBOCACHE_FIELD_NUMBER}, {"frame_id", ROBOCACHE_FIELD_STRING, TRUE}},
  /* events of services */
  {{"info.stamp.sec", ROBOCACHE_FIELD_NUMBER}, {"info.stamp.nanosec", ROBOCACHE_FIELD_NUMBER}, {"frame_id", ROBOCACHE_FIELD_STRING, TRUE}},
};

static void
clear_sample (gpointer data)
{
  RobocacheRosSample *sample = data;

  g_free (sample->frame_id);
  g_clear_pointer (&sample->caps, gst_caps_unref);
  g_clear_pointer (&sample->buffer, gst_buffer_unref);
}

void
robocache_stream_reader_init (RobocacheStreamReader *reader, const RobocacheRosSource *source)
{
  reader->samples = g_array_new (FALSE, FALSE, sizeof (RobocacheRosSample));
  g_array_set_clear_func (reader->samples, clear_sample);
  for (guint i = 0; i < G_N_ELEMENTS (headers) && !reader->header; i++)
    reader->header = robocache_message_fields_new (source->schema, 0, headers[i], N_HEADER_FIELDS, NULL);
}

void
robocache_stream_reader_clear (RobocacheStreamReader *reader)
{
  g_clear_pointer (&reader->header, robocache_message_fields_free);
  g_clear_pointer (&reader->samples, g_array_unref);
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
robocache_stream_reader_run (RobocacheStreamReader *reader, gconstpointer message, gsize size, GError **error)
{
  RobocacheCdrReader cdr;

  g_array_set_size (reader->samples, 0);
  robocache_cdr_reader_init (&cdr, message, size);
  read_header (reader, cdr);
  if (!robocache_cdr_reader_check (&cdr, error))
    return FALSE;
  if (reader->read (reader, &cdr, error))
    return TRUE;
  g_array_set_size (reader->samples, 0);
  return FALSE;
}

RobocacheRosSample *
robocache_stream_reader_add (RobocacheStreamReader *reader, const gchar *key, GstCaps *caps, GstBuffer *buffer)
{
  const RobocacheRosSample sample = { key, g_utf8_make_valid (reader->frame_id, -1), reader->stamp_ns, gst_caps_ref (caps), buffer,
    FALSE
  };

  g_array_append_val (reader->samples, sample);
  return &g_array_index (reader->samples, RobocacheRosSample, reader->samples->len - 1);
}
