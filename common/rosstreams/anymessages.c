/* robocache: messages of any type as rows of their numbers
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "readers.h"

#include "common/ros/rowdecoder.h"
#include "rowcaps.h"

typedef struct
{
  RobocacheStreamReader parent;
  RobocacheRowDecoder *decoder;
  GstCaps *caps;
  guint generation;             /* of the channels in caps */
} AnyReader;

static gboolean
read_any (RobocacheStreamReader *reader, RobocacheCdrReader *message, GError **error)
{
  AnyReader *self = (AnyReader *) reader;
  const gconstpointer values = robocache_row_decoder_run (self->decoder, message, error);
  const RobocacheRowChannels *channels = robocache_row_decoder_channels (self->decoder);
  GstBuffer *buffer;

  if (!values)
    return FALSE;
  /* sequences alone, all of them empty */
  if (channels->n == 0)
    return TRUE;
  if (self->generation != channels->generation) {
    gst_clear_caps (&self->caps);
    self->caps = robocache_row_caps_new (channels->names, channels->n, channels->dtype, NULL, &channels->kinds);
    self->generation = channels->generation;
  }
  buffer = robocache_sample_copy (values, channels->n * rc_dtype_size (channels->dtype), error);
  if (buffer)
    robocache_stream_reader_add (reader, "", self->caps, buffer);
  return buffer != NULL;
}

static void
free_any (RobocacheStreamReader *reader)
{
  AnyReader *self = (AnyReader *) reader;

  robocache_stream_reader_clear (reader);
  robocache_row_decoder_free (self->decoder);
  gst_clear_caps (&self->caps);
  g_free (self);
}

RobocacheStreamReader *
robocache_any_messages_new (const RobocacheRosSource *source, GError **error)
{
  RobocacheRowDecoder *decoder = robocache_row_decoder_new (source->schema, source->fields, error);
  AnyReader *self;

  if (!decoder)
    return NULL;
  self = g_new0 (AnyReader, 1);
  robocache_stream_reader_init (&self->parent, source);
  self->parent.read = read_any;
  self->parent.free = free_any;
  self->decoder = decoder;
  return &self->parent;
}

const gchar *const *
robocache_any_messages_skipped (const RobocacheStreamReader *reader)
{
  return robocache_row_decoder_skipped (((const AnyReader *) reader)->decoder);
}
