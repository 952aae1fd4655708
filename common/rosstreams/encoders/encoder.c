/* robocache: what makes messages of the buffers of a stream
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encoder.h"

static void
clear_channel (gpointer channel)
{
  g_free (((RobocacheEncoderChannel *) channel)->suffix);
  g_free (((RobocacheEncoderChannel *) channel)->kinds);
}

void
robocache_encoder_init (RobocacheEncoder *encoder, const RobocacheEncoderClass *class)
{
  encoder->class = class;
  encoder->channels = g_array_new (FALSE, FALSE, sizeof (RobocacheEncoderChannel));
  g_array_set_clear_func (encoder->channels, clear_channel);
}

void
robocache_encoder_clear (RobocacheEncoder *encoder)
{
  g_array_unref (encoder->channels);
  robocache_cdr_writer_clear (&encoder->writer);
}

void
robocache_encoder_add_channel (RobocacheEncoder *encoder, const gchar *type, gchar *suffix, const gchar *dtype, gboolean has_duration)
{
  const RobocacheEncoderChannel channel = { type, suffix, dtype, has_duration, NULL };

  g_array_append_val (encoder->channels, channel);
}

void
robocache_encoder_free (RobocacheEncoder *encoder)
{
  encoder->class->free (encoder);
}
