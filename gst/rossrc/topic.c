/* robocache: a live topic: its publishers, its reader and the decoder of its messages
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "topic.h"

#include <string.h>

#include "common/ros/definitions.h"
#include "common/ros/typehash.h"

/* Publishers of a topic that are known, and those of them that have gone: their messages may wait in the queue, and the reader may yet
 * deliver some. */
#define MAX_PUBLISHERS 1000
#define MAX_GONE 250

/* ---- life ---- */

static void
make_decoder (RobocacheRosTopic *topic, const gchar *definition, const RobocacheRosSrcSettings *settings, GError **error)
{
  const RobocacheRosChannel channel = {.topic = topic->name,.type = topic->type,.definition = definition,.definition_size = strlen (definition),
    .fields = settings->fields,.joints = settings->joints
  };
  gchar *short_name = robocache_ros_short_name (topic->type);

  if (robocache_camera_info_has (short_name))
    topic->camera = robocache_camera_info_new (topic->schema, error);
  else
    topic->decoder = robocache_ros_decoder_new (&channel, error);
  g_free (short_name);
}

static void
read_definition (RobocacheRosTopic *topic, const gchar *definition, const RobocacheRosSrcSettings *settings)
{
  GError *error = NULL;

  topic->schema = robocache_ros_schema_parse (topic->type, definition, strlen (definition), &error);
  if (topic->schema) {
    topic->hash = robocache_ros_type_hash (topic->schema);
    make_decoder (topic, definition, settings, &error);
  }
  if (error)
    topic->fault = g_utf8_make_valid (error->message, -1);
  g_clear_error (&error);
}

static void
find_definition (RobocacheRosTopic *topic, const RobocacheMsgFolders *folders, const RobocacheRosSrcSettings *settings)
{
  gchar *definition = robocache_msg_folders_schema_text (folders, topic->type);

  if (definition)
    read_definition (topic, definition, settings);
  else
    topic->fault = g_strdup ("its type is not built in: set msg-path to a folder with its .msg file");
  g_free (definition);
}

static void
clear_definition (RobocacheRosTopic *topic)
{
  g_clear_pointer (&topic->decoder, robocache_ros_decoder_free);
  g_clear_pointer (&topic->camera, robocache_camera_info_free);
  g_clear_pointer (&topic->schema, robocache_ros_schema_free);
  g_clear_pointer (&topic->hash, g_free);
  g_clear_pointer (&topic->fault, g_free);
}

static gboolean
has_hash (const RobocacheRosTopic *topic, const gchar *definition, const gchar *hash)
{
  RobocacheRosSchema *schema = robocache_ros_schema_parse (topic->type, definition, strlen (definition), NULL);
  gchar *own = schema ? robocache_ros_type_hash (schema) : NULL;
  const gboolean has = g_strcmp0 (own, hash) == 0;

  g_free (own);
  if (schema)
    robocache_ros_schema_free (schema);
  return has;
}

gboolean
robocache_ros_topic_define (RobocacheRosTopic *topic, const gchar *definition, const gchar *hash, const RobocacheRosSrcSettings *settings)
{
  if (!has_hash (topic, definition, hash))
    return FALSE;
  clear_definition (topic);
  read_definition (topic, definition, settings);
  for (guint i = 0; i < topic->publishers->len; i++) {
    RobocacheRosPublisher *publisher = &g_array_index (topic->publishers, RobocacheRosPublisher, i);

    publisher->is_refused = publisher->has_other_type || (*publisher->hash && !g_str_equal (publisher->hash, hash));
  }
  return TRUE;
}

void
robocache_ros_inquiry_free (RobocacheRosInquiry *inquiry)
{
  if (inquiry->query)
    robocache_dds->type_query_free (inquiry->query);
  g_free (inquiry->hash);
  g_free (inquiry->node);
  g_free (inquiry);
}

RobocacheRosTopic *
robocache_ros_topic_new (const RobocacheDdsEndpoint *endpoint, const RobocacheMsgFolders *folders, const RobocacheRosSrcSettings *settings,
    guint order)
{
  RobocacheRosTopic *topic = g_new0 (RobocacheRosTopic, 1);

  topic->name = g_ref_string_new_intern (endpoint->topic);
  topic->type = g_strdup (endpoint->type);
  topic->order = order;
  topic->publishers = g_array_new (FALSE, FALSE, sizeof (RobocacheRosPublisher));
  find_definition (topic, folders, settings);
  return topic;
}

void
robocache_ros_topic_free (RobocacheRosTopic *topic)
{
  if (topic->reader)
    robocache_dds->reader_free (topic->reader);
  g_clear_pointer (&topic->inquiry, robocache_ros_inquiry_free);
  clear_definition (topic);
  g_array_unref (topic->publishers);
  g_ref_string_release (topic->name);
  g_free (topic->type);
  g_free (topic);
}

/* ---- publishers ---- */

/* Publishers of old versions of ROS 2 offer no hash. */
static gchar *
compare_types (const RobocacheRosTopic *topic, const RobocacheDdsEndpoint *endpoint)
{
  if (!g_str_equal (endpoint->type, topic->type))
    return g_strdup_printf ("a publisher of %s has type %s, another one %s: it is not read", topic->name, endpoint->type, topic->type);
  if (topic->hash && endpoint->type_hash && !g_str_equal (endpoint->type_hash, topic->hash))
    return g_strdup_printf ("a publisher of %s has another definition of %s than ours: its messages would be misread. Set msg-path to a folder "
        "with the .msg files of the publisher (type hash %s, ours %s)", topic->name, topic->type, endpoint->type_hash, topic->hash);
  return NULL;
}

static RobocacheRosPublisher *
get_publisher (const RobocacheRosTopic *topic, guint i)
{
  return &g_array_index (topic->publishers, RobocacheRosPublisher, i);
}

/* Makes place for one more. FALSE: all are there. */
static gboolean
remove_oldest_gone (RobocacheRosTopic *topic, guint max)
{
  guint i = 0;

  if (topic->publishers->len < max)
    return TRUE;
  while (i < topic->publishers->len && !get_publisher (topic, i)->has_gone)
    i++;
  if (i == topic->publishers->len)
    return FALSE;
  if (get_publisher (topic, i)->clock)
    robocache_ros_host_clocks_release (topic->clocks, get_publisher (topic, i)->clock);
  g_array_remove_index (topic->publishers, i);
  return TRUE;
}

gchar *
robocache_ros_topic_add (RobocacheRosTopic *topic, const RobocacheDdsEndpoint *endpoint, gboolean is_remote)
{
  RobocacheRosPublisher *known = (RobocacheRosPublisher *) robocache_ros_topic_publisher (topic, endpoint->id);
  gchar *refusal = compare_types (topic, endpoint);
  RobocacheRosPublisher publisher = {.id = endpoint->id,.is_reliable = endpoint->is_reliable,.is_transient_local = endpoint->is_transient_local,
    .has_other_type = !g_str_equal (endpoint->type, topic->type),.is_refused = refusal != NULL
  };

  g_strlcpy (publisher.hash, endpoint->type_hash ? endpoint->type_hash : "", sizeof (publisher.hash));
  /* a publisher that changes its user data, or that was out of reach, is announced again */
  if (known) {
    publisher.clock = known->clock;
    *known = publisher;
    return refusal;
  }
  if (remove_oldest_gone (topic, MAX_PUBLISHERS)) {
    publisher.clock = is_remote && topic->clocks ? robocache_ros_host_clocks_use (topic->clocks, endpoint->guid) : NULL;
    g_array_append_val (topic->publishers, publisher);
    return refusal;
  }
  g_free (refusal);
  return g_strdup_printf ("%s has more than %d publishers: the others are not read", topic->name, MAX_PUBLISHERS);
}

const RobocacheRosPublisher *
robocache_ros_topic_publisher (const RobocacheRosTopic *topic, guint64 id)
{
  for (guint i = 0; i < topic->publishers->len; i++) {
    if (get_publisher (topic, i)->id == id)
      return get_publisher (topic, i);
  }
  return NULL;
}

gboolean
robocache_ros_topic_remove (RobocacheRosTopic *topic, guint64 id)
{
  RobocacheRosPublisher *publisher = (RobocacheRosPublisher *) robocache_ros_topic_publisher (topic, id), gone;

  if (!publisher || publisher->has_gone)
    return FALSE;
  /* those that went last are at the end */
  gone = *publisher;
  gone.has_gone = TRUE;
  g_array_remove_index (topic->publishers, (guint) (publisher - get_publisher (topic, 0)));
  g_array_append_val (topic->publishers, gone);
  if (topic->publishers->len - robocache_ros_topic_count_publishers (topic) > MAX_GONE)
    remove_oldest_gone (topic, 0);
  if (topic->reader)
    robocache_dds->reader_forget (topic->reader, id);
  return TRUE;
}

guint
robocache_ros_topic_count_publishers (const RobocacheRosTopic *topic)
{
  guint n = 0;

  for (guint i = 0; i < topic->publishers->len; i++)
    n += !get_publisher (topic, i)->has_gone;
  return n;
}

/* ---- the reader ---- */

gboolean
robocache_ros_topic_adapt (RobocacheRosTopic *topic, RobocacheDdsParticipant *participant, guint depth, GError **error)
{
  RobocacheDdsTopic request = { topic->name, topic->type, TRUE, TRUE, depth, NULL };
  RobocacheDdsReader *reader;
  guint n = 0;

  for (guint i = 0; i < topic->publishers->len; i++) {
    const RobocacheRosPublisher *publisher = get_publisher (topic, i);

    if (publisher->is_refused || publisher->has_gone)
      continue;
    n++;
    request.is_reliable &= publisher->is_reliable;
    request.is_transient_local &= publisher->is_transient_local;
  }
  if (n == 0 || topic->fault || topic->inquiry)
    return TRUE;
  if (topic->reader && topic->is_reliable <= request.is_reliable && topic->is_transient_local <= request.is_transient_local)
    return TRUE;
  reader = robocache_dds->reader_replace (topic->reader, participant, &request, robocache_ros_queue_put, topic->queue, error);
  if (!reader)
    return FALSE;
  topic->reader = reader;
  topic->is_reliable = request.is_reliable;
  topic->is_transient_local = request.is_transient_local;
  return TRUE;
}

/* ---- statistics ---- */

void
robocache_ros_counts_to_structure (const RobocacheRosCounts *counts, const RobocacheRosArrivals *arrivals, GstStructure *structure)
{
  gst_structure_set (structure, "messages", G_TYPE_UINT64, counts->messages, "buffers", G_TYPE_UINT64, counts->buffers, "malformed",
      G_TYPE_UINT64, counts->malformed, "messages-lost", G_TYPE_UINT64, arrivals->lost, "leaked", G_TYPE_UINT64, arrivals->leaked,
      "queued", G_TYPE_UINT64, arrivals->queued,      "too-large", G_TYPE_UINT64, arrivals->too_large + counts->oversize, "refused", G_TYPE_UINT64, counts->refused, "without-time",
      G_TYPE_UINT64, counts->without_time, "before-origin", G_TYPE_UINT64, counts->before_origin, "in-pause", G_TYPE_UINT64, counts->in_pause,
      "latched", G_TYPE_UINT64, counts->latched, NULL);
}
