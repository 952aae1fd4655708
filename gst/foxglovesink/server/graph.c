/* robocache: who reads which topic, as a connection graph of Foxglove's protocol
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "graph.h"

#include "common/ros/encodings/jsontext.h"

void
robocache_view_graph_subscribe (RobocacheViewGraph *graph, gboolean is_subscribed)
{
  g_clear_pointer (&graph->topics, g_hash_table_unref);
  if (is_subscribed)
    graph->topics = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  graph->generation = 0;
}

static void
append_item (GString *json, const gchar *name, const gchar *ids_name, const gchar *ids)
{
  g_string_append (json, json->len > 0 ? ",{\"name\":" : "{\"name\":");
  robocache_json_append_string (json, name);
  g_string_append_printf (json, ",\"%s\":[%s]}", ids_name, ids);
}

static void
append_channel (const RobocacheViewChannel *channel, GString *published, GString *subscribed)
{
  GString *readers = g_string_new (NULL);

  for (guint i = 0; i < channel->readers->len; i++)
    g_string_append_printf (readers, "%s\"viewer %u\"", i > 0 ? "," : "", ((const RobocacheViewReader *) g_ptr_array_index (channel->readers,
                i))->client);
  append_item (published, channel->topic.topic, "publisherIds", "\"robocache\"");
  append_item (subscribed, channel->topic.topic, "subscriberIds", readers->str);
  g_string_free (readers, TRUE);
}

/* Those that the client has, and the server has no more. */
static void
append_removed (RobocacheViewGraph *graph, GHashTable *now, GString *removed)
{
  GHashTableIter iter;
  const gchar *name;

  g_hash_table_iter_init (&iter, graph->topics);
  while (g_hash_table_iter_next (&iter, (gpointer *) & name, NULL)) {
    if (g_hash_table_contains (now, name))
      continue;
    g_string_append (removed, removed->len > 0 ? "," : "");
    robocache_json_append_string (removed, name);
  }
}

gchar *
robocache_view_graph_update (RobocacheViewGraph *graph, guint generation, const GPtrArray *channels)
{
  GString *published, *subscribed, *removed;
  GHashTable *now;
  gchar *text;

  if (!graph->topics || graph->generation == generation)
    return NULL;
  published = g_string_new (NULL);
  subscribed = g_string_new (NULL);
  removed = g_string_new (NULL);
  now = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < channels->len; i++) {
    append_channel (g_ptr_array_index (channels, i), published, subscribed);
    g_hash_table_add (now, g_strdup (((RobocacheViewChannel *) g_ptr_array_index (channels, i))->topic.topic));
  }
  append_removed (graph, now, removed);
  text = g_strdup_printf ("{\"op\":\"connectionGraphUpdate\",\"publishedTopics\":[%s],\"subscribedTopics\":[%s],\"advertisedServices\":[],"
      "\"removedTopics\":[%s],\"removedServices\":[]}", published->str, subscribed->str, removed->str);
  g_hash_table_unref (graph->topics);
  graph->topics = now;
  graph->generation = generation;
  g_string_free (published, TRUE);
  g_string_free (subscribed, TRUE);
  g_string_free (removed, TRUE);
  return text;
}
