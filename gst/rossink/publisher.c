/* robocache: the topics of a stream, one for each channel of its encoder
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "publisher.h"

#include <string.h>

#include "common/dds/plain/rosnames.h"
#include "common/element/errordomain.h"
#include "common/ros/definitions.h"
#include "common/ros/typehash.h"

/* ---- the domain ---- */

static gboolean
open_domain (RobocacheRosSinkSession *session, GError **error)
{
  const RobocacheRosSinkSettings *settings = &session->settings;
  RobocacheDdsNetwork network;

  if (!robocache_dds_load (error) || !robocache_dds_check_node (settings->namespace, settings->node_name, error)
      || !robocache_dds_network_init (&network, settings->domain, settings->discovery, settings->peers, error))
    return FALSE;
  network.max_message_bytes = settings->max_message_bytes;
  session->participant = robocache_dds->participant_open (&network, error);
  robocache_dds_network_clear (&network);
  if (session->participant)
    session->node = robocache_dds->node_new (session->participant, settings->namespace, settings->node_name, error);
  return session->node != NULL;
}

RobocacheRosSinkSession *
robocache_ros_sink_session_new (const RobocacheRosSinkSettings *settings, GError **error)
{
  RobocacheRosSinkSession *session = g_new0 (RobocacheRosSinkSession, 1);

  robocache_ros_sink_settings_copy (&session->settings, settings);
  if (open_domain (session, error))
    return session;
  robocache_ros_sink_session_free (session);
  return NULL;
}

void
robocache_ros_sink_session_free (RobocacheRosSinkSession *session)
{
  g_clear_pointer (&session->node, robocache_dds->node_free);
  g_clear_pointer (&session->participant, robocache_dds->participant_close);
  robocache_ros_sink_settings_clear (&session->settings);
  g_free (session);
}

/* ---- topics ---- */

static void
publisher_free (gpointer data)
{
  RobocacheRosPublisher *publisher = data;

  if (publisher->writer) {
    robocache_dds->node_remove (publisher->session->node, publisher->writer);
    robocache_dds->writer_free (publisher->writer);
  }
  g_free (publisher->topic);
  g_free (publisher);
}

/* "RIHS01_…"; free with g_free. All types of encoders are built in. */
static gchar *
hash_of (const gchar *type)
{
  gchar *text = robocache_ros_schema_text (type);
  RobocacheRosSchema *schema = robocache_ros_schema_parse (type, text, strlen (text), NULL);
  gchar *hash = robocache_ros_type_hash (schema);

  robocache_ros_schema_free (schema);
  g_free (text);
  return hash;
}

static gboolean
open_writer (RobocacheRosPublisher *publisher, const RobocacheRosOffer *offer, GError **error)
{
  gchar *hash = hash_of (publisher->type);
  const RobocacheDdsTopic settings = { publisher->topic, publisher->type, offer->is_reliable, offer->is_transient_local, offer->depth, hash };

  publisher->writer = robocache_dds->writer_new (publisher->session->participant, &settings, offer->lifespan_ns, error);
  g_free (hash);
  if (publisher->writer)
    robocache_dds->node_add (publisher->session->node, publisher->writer);
  return publisher->writer != NULL;
}

/* A number after a slash is no name of ROS 2, so it gets letters. */
static gchar *
topic_of (const RobocacheRosSinkSession *session, const RobocacheRosOffer *offer, const gchar *suffix, GError **error)
{
  const gboolean is_number = *suffix == '/' && g_ascii_isdigit (suffix[1]);
  gchar *name = g_strconcat (offer->topic, is_number ? "/tensor_" : "", suffix + is_number, NULL);
  gchar *topic = robocache_dds_full_topic (name, session->settings.namespace, session->settings.node_name, error);

  g_free (name);
  return topic;
}

/* Takes topic. Returns a publisher of old, or a new one; NULL and an error: it cannot be made. */
static RobocacheRosPublisher *
find_publisher (const RobocacheRosSinkSession *session, const RobocacheRosOffer *offer, gchar *topic, const gchar *type, GPtrArray *old,
    GError **error)
{
  RobocacheRosPublisher *publisher;

  for (guint i = 0; old && i < old->len; i++) {
    publisher = g_ptr_array_index (old, i);
    if (g_str_equal (publisher->topic, topic) && g_str_equal (publisher->type, type) && publisher->lifespan_ns == offer->lifespan_ns
        && publisher->depth == offer->depth) {
      g_free (topic);
      return g_ptr_array_steal_index (old, i);
    }
  }
  publisher = g_new0 (RobocacheRosPublisher, 1);
  publisher->session = session;
  publisher->topic = topic;
  publisher->type = type;
  publisher->lifespan_ns = offer->lifespan_ns;
  publisher->depth = offer->depth;
  if (open_writer (publisher, offer, error))
    return publisher;
  publisher_free (publisher);
  return NULL;
}

GPtrArray *
robocache_ros_publishers_open (const RobocacheRosSinkSession *session, const RobocacheRosOffer *offer, const RobocacheEncoder *encoder,
    GPtrArray *old, GError **error)
{
  GPtrArray *publishers = g_ptr_array_new_with_free_func (publisher_free);

  for (guint i = 0; publishers && i < encoder->channels->len; i++) {
    const RobocacheEncoderChannel *channel = &g_array_index (encoder->channels, RobocacheEncoderChannel, i);
    gchar *topic = topic_of (session, offer, channel->suffix, error);
    RobocacheRosPublisher *publisher = topic ? find_publisher (session, offer, topic, channel->type, old, error) : NULL;

    if (publisher)
      g_ptr_array_add (publishers, publisher);
    else
      g_clear_pointer (&publishers, g_ptr_array_unref);
  }
  g_clear_pointer (&old, g_ptr_array_unref);
  return publishers;
}

gboolean
robocache_ros_publisher_write (RobocacheRosPublisher *publisher, const RobocacheCdrWriter *message, GError **error)
{
  if (message->size > publisher->session->settings.max_message_bytes) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "a message of %s has %" G_GSIZE_FORMAT " bytes, above max-message-bytes=%" G_GUINT64_FORMAT,
        publisher->topic, message->size, (guint64) publisher->session->settings.max_message_bytes);
    return FALSE;
  }
  return robocache_dds->writer_write (publisher->writer, message->data, message->size, g_get_real_time () * 1000, error);
}
