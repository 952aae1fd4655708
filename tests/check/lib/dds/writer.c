/* robocache: writes a topic of ROS 2 as bytes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "writer.h"

#include <dds/dds.h>
#include <dds/ddsi/ddsi_serdata.h>

#include "common/element/errordomain.h"
#include "common/dds/cyclone.h"
#include "common/dds/rosnames.h"

struct _RobocacheDdsWriter
{
  gchar *name;
  dds_entity_t topic, entity;
  const struct ddsi_sertype *type;
};

RobocacheDdsWriter *
robocache_dds_writer_new (RobocacheDdsParticipant *participant, const RobocacheDdsTopic *topic, GError **error)
{
  RobocacheDdsWriter *writer = g_new0 (RobocacheDdsWriter, 1);
  const gint32 entity = robocache_dds_participant_entity (participant);
  gchar *name = robocache_dds_topic_name (topic->topic), *type_name = robocache_dds_type_name (topic->type);
  dds_qos_t *qos = robocache_dds_qos_new (topic);

  writer->name = g_strdup (topic->topic);
  writer->topic = robocache_cyclone_topic_new (entity, name, type_name, &writer->type);
  writer->entity = writer->topic < 0 ? writer->topic : dds_create_writer (entity, writer->topic, qos, NULL);
  dds_delete_qos (qos);
  g_free (name);
  g_free (type_name);
  if (writer->entity >= 0)
    return writer;
  robocache_dds_set_error (error, writer->entity, topic->topic);
  robocache_dds_writer_free (writer);
  return NULL;
}

void
robocache_dds_writer_free (RobocacheDdsWriter *writer)
{
  if (writer->entity > 0)
    dds_delete (writer->entity);
  if (writer->topic > 0)
    dds_delete (writer->topic);
  g_free (writer->name);
  g_free (writer);
}

gboolean
robocache_dds_writer_write (RobocacheDdsWriter *writer, gconstpointer data, gsize size, gint64 source_ns, GError **error)
{
  const ddsrt_iovec_t part = { (void *) data, size };
  struct ddsi_serdata *serdata;
  gint32 result;

  if (size < 4 || size > G_MAXINT32) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a message of %s has %" G_GSIZE_FORMAT " bytes: it must have 4 bytes to 2 GiB",
        writer->name, size);
    return FALSE;
  }
  serdata = ddsi_serdata_from_ser_iov (writer->type, SDK_DATA, 1, &part, size);
  serdata->timestamp.v = source_ns;
  serdata->statusinfo = 0;
  result = dds_forwardcdr (writer->entity, serdata);
  if (result != 0)
    robocache_dds_set_error (error, result, writer->name);
  return result == 0;
}

guint
robocache_dds_writer_count_readers (const RobocacheDdsWriter *writer)
{
  const dds_return_t n = dds_get_matched_subscriptions (writer->entity, NULL, 0);

  return n > 0 ? (guint) n : 0;
}
