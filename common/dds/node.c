/* robocache: nodes of ROS 2, which own the writers of a participant in the lists of ROS
 *
 * Source: rmw_dds_common, ParticipantEntitiesInfo.msg. The ids of endpoints have 24 bytes in Humble and 16 since Iron, under one name of the
 * type, so the messages of others decide.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "node.h"

#include <dds/dds.h>

#include "common/ros/cdr.h"
#include "plain/rosnames.h"
#include "reader.h"

#define ID_BYTES 16
#define HUMBLE_ID_BYTES 24

/* The nodes of a participant, and the topic that lists them. */
typedef struct
{
  RobocacheDdsParticipant *participant;
  guint n_users;                /* lock of the list */
  RobocacheDdsReader *reader;
  GThreadPool *pool;            /* one thread, which publishes: Cyclone calls the reader from within a write */
  gint id_bytes;                /* atomic */
  GMutex lock;
  GPtrArray *nodes;             /* lock; RobocacheDdsNode items */
  RobocacheDdsWriter *writer;   /* of the thread */
  RobocacheCdrWriter message;   /* of the thread */
} Graph;

struct _RobocacheDdsNode
{
  Graph *graph;
  gchar *namespace, *name;
  GArray *ids;                  /* lock of the graph; dds_guid_t items, of the writers */
};

static GMutex lock;             /* of the list */
static GPtrArray *graphs;

/* ---- messages ---- */

static void
write_id (RobocacheCdrWriter *message, const dds_guid_t *id, gint id_bytes)
{
  guint8 bytes[HUMBLE_ID_BYTES] = { 0 };

  memcpy (bytes, id, ID_BYTES);
  robocache_cdr_write_array (message, bytes, 1, (gsize) id_bytes);
}

static void
write_node (RobocacheCdrWriter *message, const RobocacheDdsNode *node, gint id_bytes)
{
  robocache_cdr_write_string (message, node->namespace);
  robocache_cdr_write_string (message, node->name);
  /* readers */
  robocache_cdr_write_uint32 (message, 0);
  robocache_cdr_write_uint32 (message, node->ids->len);
  for (guint i = 0; i < node->ids->len; i++)
    write_id (message, &g_array_index (node->ids, dds_guid_t, i), id_bytes);
}

/* The thread of the pool. A message that cannot be sent is followed by one with the next change. */
static void
publish (gpointer data, gpointer user_data)
{
  Graph *graph = data;
  const gint id_bytes = g_atomic_int_get (&graph->id_bytes);
  dds_guid_t own;

  dds_get_guid (robocache_dds_participant_entity (graph->participant), &own);
  robocache_cdr_writer_begin (&graph->message);
  write_id (&graph->message, &own, id_bytes);
  g_mutex_lock (&graph->lock);
  robocache_cdr_write_uint32 (&graph->message, graph->nodes->len);
  for (guint i = 0; i < graph->nodes->len; i++)
    write_node (&graph->message, g_ptr_array_index (graph->nodes, i), id_bytes);
  g_mutex_unlock (&graph->lock);
  if (!graph->message.has_failed)
    robocache_dds_writer_write (graph->writer, graph->message.data, graph->message.size, dds_time (), NULL);
}

static void
skip_ids (RobocacheCdrReader *reader, gsize id_bytes)
{
  const guint32 n = robocache_cdr_read_count (reader, id_bytes, 0);

  robocache_cdr_read_array (reader, 1, n * id_bytes);
}

/* Whether a message of another participant has ids of this size. */
static gboolean
has_ids_of (const RobocacheDdsMessage *message, gsize id_bytes)
{
  RobocacheCdrReader reader;
  guint32 n;

  robocache_cdr_reader_init (&reader, message->data, message->size);
  robocache_cdr_read_array (&reader, 1, id_bytes);
  n = robocache_cdr_read_count (&reader, 4 * sizeof (guint32), 0);
  for (guint32 i = 0; i < n && !reader.fault; i++) {
    robocache_cdr_skip_strings (&reader, 2);
    skip_ids (&reader, id_bytes);
    skip_ids (&reader, id_bytes);
  }
  /* a network pads messages to a multiple of four bytes */
  return !reader.fault && reader.size - reader.offset < sizeof (guint32);
}

/* Called on a thread of Cyclone. A Humble node reads no other messages than those of its own form. */
static void
compare_form (gpointer user_data, RobocacheDdsMessage *message)
{
  Graph *graph = user_data;

  if (!has_ids_of (message, ID_BYTES) && has_ids_of (message, HUMBLE_ID_BYTES)
      && g_atomic_int_compare_and_exchange (&graph->id_bytes, ID_BYTES, HUMBLE_ID_BYTES))
    g_thread_pool_push (graph->pool, graph, NULL);
  robocache_dds_message_free (message);
}

/* ---- graphs ---- */

static void
graph_free (Graph *graph)
{
  g_clear_pointer (&graph->reader, robocache_dds_reader_free);
  if (graph->pool)
    g_thread_pool_free (graph->pool, FALSE, TRUE);
  g_clear_pointer (&graph->writer, robocache_dds_writer_free);
  robocache_cdr_writer_clear (&graph->message);
  g_ptr_array_unref (graph->nodes);
  g_mutex_clear (&graph->lock);
  g_free (graph);
}

static Graph *
graph_new (RobocacheDdsParticipant *participant, GError **error)
{
  const RobocacheDdsTopic settings = { ROBOCACHE_DDS_NODES_TOPIC, ROBOCACHE_DDS_NODES_TYPE, TRUE, TRUE, 1, NULL };
  Graph *graph = g_new0 (Graph, 1);

  graph->participant = participant;
  graph->id_bytes = ID_BYTES;
  graph->nodes = g_ptr_array_new ();
  g_mutex_init (&graph->lock);
  graph->writer = robocache_dds_writer_new (participant, &settings, 0, error);
  if (graph->writer)
    graph->pool = g_thread_pool_new (publish, NULL, 1, FALSE, error);
  if (graph->pool)
    graph->reader = robocache_dds_reader_new (participant, &settings, compare_form, graph, error);
  if (graph->reader)
    return graph;
  graph_free (graph);
  return NULL;
}

static Graph *
graph_open (RobocacheDdsParticipant *participant, GError **error)
{
  Graph *graph = NULL;

  g_mutex_lock (&lock);
  if (!graphs)
    graphs = g_ptr_array_new ();
  for (guint i = 0; i < graphs->len && !graph; i++)
    if (((Graph *) g_ptr_array_index (graphs, i))->participant == participant)
      graph = g_ptr_array_index (graphs, i);
  if (!graph) {
    graph = graph_new (participant, error);
    if (graph)
      g_ptr_array_add (graphs, graph);
  }
  if (graph)
    graph->n_users++;
  g_mutex_unlock (&lock);
  return graph;
}

static void
graph_close (Graph *graph)
{
  g_mutex_lock (&lock);
  if (--graph->n_users == 0) {
    g_ptr_array_remove (graphs, graph);
    graph_free (graph);
  }
  g_mutex_unlock (&lock);
}

/* ---- nodes ---- */

RobocacheDdsNode *
robocache_dds_node_new (RobocacheDdsParticipant *participant, const gchar *namespace, const gchar *name, GError **error)
{
  RobocacheDdsNode *node;
  Graph *graph;

  if (!robocache_dds_check_node (namespace, name, error))
    return NULL;
  graph = graph_open (participant, error);
  if (!graph)
    return NULL;
  node = g_new0 (RobocacheDdsNode, 1);
  node->graph = graph;
  node->namespace = g_strdup (namespace);
  node->name = g_strdup (name);
  node->ids = g_array_new (FALSE, FALSE, sizeof (dds_guid_t));
  g_mutex_lock (&graph->lock);
  g_ptr_array_add (graph->nodes, node);
  g_mutex_unlock (&graph->lock);
  g_thread_pool_push (graph->pool, graph, NULL);
  return node;
}

void
robocache_dds_node_free (RobocacheDdsNode *node)
{
  Graph *graph = node->graph;

  g_mutex_lock (&graph->lock);
  g_ptr_array_remove (graph->nodes, node);
  g_mutex_unlock (&graph->lock);
  g_thread_pool_push (graph->pool, graph, NULL);
  graph_close (graph);
  g_array_unref (node->ids);
  g_free (node->namespace);
  g_free (node->name);
  g_free (node);
}

void
robocache_dds_node_add (RobocacheDdsNode *node, const RobocacheDdsWriter *writer)
{
  dds_guid_t id;

  if (dds_get_guid (robocache_dds_writer_entity (writer), &id) != DDS_RETCODE_OK)
    return;
  g_mutex_lock (&node->graph->lock);
  g_array_append_val (node->ids, id);
  g_mutex_unlock (&node->graph->lock);
  g_thread_pool_push (node->graph->pool, node->graph, NULL);
}

void
robocache_dds_node_remove (RobocacheDdsNode *node, const RobocacheDdsWriter *writer)
{
  dds_guid_t id;

  if (dds_get_guid (robocache_dds_writer_entity (writer), &id) != DDS_RETCODE_OK)
    return;
  g_mutex_lock (&node->graph->lock);
  for (guint i = node->ids->len; i-- > 0;)
    if (memcmp (&g_array_index (node->ids, dds_guid_t, i), &id, sizeof (id)) == 0)
      g_array_remove_index (node->ids, i);
  g_mutex_unlock (&node->graph->lock);
  g_thread_pool_push (node->graph->pool, node->graph, NULL);
}
