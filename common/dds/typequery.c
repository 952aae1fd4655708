/* robocache: asks nodes of ROS 2 for definitions of messages
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "typequery.h"

#include <dds/dds.h>
#include <dds/ddsi/ddsi_serdata.h>
#include <string.h>

#include "common/ros/cdr.h"
#include "common/ros/encodings/typedescription.h"
#include "cyclone.h"
#include "plain/rosnames.h"

#define SERVICE "get_type_description"
#define SERVICE_TYPE "type_description_interfaces/srv/GetTypeDescription"
#define DEPTH 10

/* A client of Cyclone's middleware names itself and its request in the message. */
#define CYCLONE_HEADER_BYTES 16
static const guint8 cyclone_vendor[] = { 0x01, 0x10 };

struct _RobocacheDdsTypeQuery
{
  dds_entity_t topic, writer;
  const struct ddsi_sertype *type;
  RobocacheDdsReader *reader;
  guint8 header[CYCLONE_HEADER_BYTES];
  gsize header_bytes;
};

/* ---- nodes ---- */

RobocacheDdsReader *
robocache_dds_nodes_new (RobocacheDdsParticipant *participant, RobocacheDdsMessageFunc func, gpointer user_data, GError **error)
{
  const RobocacheDdsTopic topic = { ROBOCACHE_DDS_NODES_TOPIC, ROBOCACHE_DDS_NODES_TYPE, TRUE, TRUE, 1, NULL };

  return robocache_dds_reader_new (participant, &topic, func, user_data, error);
}

/* Whether a sequence of GUIDs has this one. */
static gboolean
read_guids (RobocacheCdrReader *reader, const guint8 *guid)
{
  const guint32 n = robocache_cdr_read_count (reader, ROBOCACHE_DDS_GUID_BYTES, 0);
  gboolean has = FALSE;

  for (guint32 i = 0; i < n && !reader->fault; i++) {
    const guint8 *each = robocache_cdr_read_array (reader, 1, ROBOCACHE_DDS_GUID_BYTES);

    has |= each && memcmp (each, guid, ROBOCACHE_DDS_GUID_BYTES) == 0;
  }
  return has;
}

/* Versions before Iron have longer names of publishers, and no such service: the rest of their message is a fault, or names nobody. */
gchar *
robocache_dds_find_node (const RobocacheDdsMessage *message, const guint8 *guid)
{
  RobocacheCdrReader reader;
  guint32 n, length;

  robocache_cdr_reader_init (&reader, message->data, message->size);
  robocache_cdr_read_array (&reader, 1, ROBOCACHE_DDS_GUID_BYTES);
  n = robocache_cdr_read_count (&reader, 16, 0);
  for (guint32 i = 0; i < n && !reader.fault; i++) {
    const gchar *namespace = robocache_cdr_read_string (&reader, &length), *name = robocache_cdr_read_string (&reader, &length);

    read_guids (&reader, guid);
    if (read_guids (&reader, guid) && !reader.fault)
      return g_strconcat (namespace, g_str_has_suffix (namespace, "/") ? "" : "/", name, NULL);
  }
  return NULL;
}

/* ---- questions ---- */

gsize
robocache_dds_answer_header_bytes (const guint8 *guid)
{
  return memcmp (guid, cyclone_vendor, sizeof (cyclone_vendor)) == 0 ? CYCLONE_HEADER_BYTES : 0;
}

static gboolean
open_writer (RobocacheDdsTypeQuery *query, RobocacheDdsParticipant *participant, const gchar *node, GError **error)
{
  const gint32 entity = robocache_dds_participant_entity (participant);
  const RobocacheDdsTopic topic = {.is_reliable = TRUE,.depth = DEPTH };
  gchar *name = g_strconcat ("rq", node, "/" SERVICE "Request", NULL), *type_name = robocache_dds_type_name (SERVICE_TYPE "_Request");
  dds_qos_t *qos = robocache_dds_qos_new (&topic);

  query->topic = robocache_cyclone_topic_new (entity, name, type_name, &query->type);
  query->writer = query->topic < 0 ? query->topic : dds_create_writer (entity, query->topic, qos, NULL);
  if (query->writer < 0)
    robocache_dds_set_error (error, query->writer, name);
  dds_delete_qos (qos);
  g_free (name);
  g_free (type_name);
  return query->writer >= 0;
}

static gboolean
open_reader (RobocacheDdsTypeQuery *query, RobocacheDdsParticipant *participant, const gchar *node, RobocacheDdsMessageFunc func,
    gpointer user_data, GError **error)
{
  gchar *name = g_strconcat ("rr", node, "/" SERVICE "Reply", NULL);
  const RobocacheDdsTopic topic = { name, SERVICE_TYPE "_Response", TRUE, FALSE, DEPTH, NULL };

  query->reader = robocache_dds_reader_new (participant, &topic, func, user_data, error);
  g_free (name);
  return query->reader != NULL;
}

RobocacheDdsTypeQuery *
robocache_dds_type_query_new (RobocacheDdsParticipant *participant, const gchar *node, const guint8 *guid, RobocacheDdsMessageFunc func,
    gpointer user_data, GError **error)
{
  RobocacheDdsTypeQuery *query = g_new0 (RobocacheDdsTypeQuery, 1);

  query->header_bytes = robocache_dds_answer_header_bytes (guid);
  /* the number of the client, which is any, and 1 as the number of the request */
  for (guint i = 0; i < 8; i++)
    query->header[i] = (guint8) g_random_int_range (0, 256);
  query->header[8] = 1;
  if (open_writer (query, participant, node, error) && open_reader (query, participant, node, func, user_data, error))
    return query;
  robocache_dds_type_query_free (query);
  return NULL;
}

void
robocache_dds_type_query_free (RobocacheDdsTypeQuery *query)
{
  g_clear_pointer (&query->reader, robocache_dds_reader_free);
  if (query->writer > 0)
    dds_delete (query->writer);
  if (query->topic > 0)
    dds_delete (query->topic);
  g_free (query);
}

gboolean
robocache_dds_type_query_ask (RobocacheDdsTypeQuery *query, const gchar *type, const gchar *hash)
{
  GByteArray *request;
  ddsrt_iovec_t part;
  struct ddsi_serdata *serdata;

  if (dds_get_matched_subscriptions (query->writer, NULL, 0) <= 0 || robocache_dds_reader_count_writers (query->reader) == 0)
    return FALSE;
  request = robocache_ros_type_request (type, hash, query->header, query->header_bytes);
  part = (ddsrt_iovec_t) {request->data, request->len};
  serdata = ddsi_serdata_from_ser_iov (query->type, SDK_DATA, 1, &part, request->len);
  serdata->timestamp.v = dds_time ();
  serdata->statusinfo = 0;
  dds_forwardcdr (query->writer, serdata);
  g_byte_array_unref (request);
  return TRUE;
}
