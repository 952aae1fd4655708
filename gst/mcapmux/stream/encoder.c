/* robocache: what makes messages of the buffers of a stream
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encoder.h"

static void
clear_channel (gpointer channel)
{
  g_free (((MuxChannelSpec *) channel)->suffix);
  g_free (((MuxChannelSpec *) channel)->kinds);
}

void
mux_encoder_init (MuxEncoder *encoder, const MuxEncoderClass *class)
{
  encoder->class = class;
  encoder->channels = g_array_new (FALSE, FALSE, sizeof (MuxChannelSpec));
  g_array_set_clear_func (encoder->channels, clear_channel);
}

void
mux_encoder_clear (MuxEncoder *encoder)
{
  g_array_unref (encoder->channels);
  robocache_cdr_writer_clear (&encoder->writer);
}

void
mux_encoder_add_channel (MuxEncoder *encoder, const gchar *type, gchar *suffix, const gchar *dtype, gboolean has_duration)
{
  const MuxChannelSpec channel = { type, suffix, dtype, has_duration, NULL };

  g_array_append_val (encoder->channels, channel);
}
