/* robocache: an advertised topic, and the subscriptions to it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "channel.h"

RobocacheViewChannel *
robocache_view_channel_new (guint id, const RobocacheViewTopic *topic)
{
  RobocacheViewChannel *channel = g_new0 (RobocacheViewChannel, 1);

  channel->id = id;
  channel->topic = *topic;
  channel->topic.topic = g_utf8_make_valid (topic->topic, -1);
  channel->topic.type = g_strdup (topic->type);
  channel->topic.definition = g_strdup (topic->definition);
  channel->readers = g_ptr_array_new ();
  return channel;
}

void
robocache_view_channel_free (RobocacheViewChannel *channel)
{
  for (guint i = 0; i < channel->readers->len; i++) {
    RobocacheViewReader *reader = g_ptr_array_index (channel->readers, i);

    reader->channel = NULL;
    robocache_view_subscription_clear (&reader->waiting);
  }
  g_ptr_array_unref (channel->readers);
  g_free ((gchar *) channel->topic.topic);
  g_free ((gchar *) channel->topic.type);
  g_free ((gchar *) channel->topic.definition);
  g_free (channel);
}

gboolean
robocache_view_channel_is_wanted (const RobocacheViewChannel *channel)
{
  return g_atomic_int_get (&channel->n_readers) > 0;
}

RobocacheViewReader *
robocache_view_reader_new (RobocacheViewChannel *channel, guint client, guint32 id, guint64 max_bytes)
{
  RobocacheViewReader *reader = g_new0 (RobocacheViewReader, 1);

  reader->channel = channel;
  reader->client = client;
  robocache_view_subscription_init (&reader->waiting, id, channel->topic.kind, max_bytes);
  g_ptr_array_add (channel->readers, reader);
  g_atomic_int_inc (&channel->n_readers);
  return reader;
}

void
robocache_view_reader_free (RobocacheViewReader *reader)
{
  if (reader->channel && g_ptr_array_remove_fast (reader->channel->readers, reader))
    g_atomic_int_add (&reader->channel->n_readers, -1);
  robocache_view_subscription_clear (&reader->waiting);
  g_free (reader);
}
