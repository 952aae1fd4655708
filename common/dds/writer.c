/* robocache: writes a topic of ROS 2 as bytes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "writer.h"

#include <dds/dds.h>
#include <dds/ddsi/ddsi_serdata.h>

#include "common/element/errordomain.h"
#include "cyclone.h"
#include "plain/rosnames.h"

#define MIN_BYTES 4
/* A reader that keeps up acknowledges at the latest after a few intervals of heartbeats, which are 100 ms. */
#define SLOW_US (500 * G_TIME_SPAN_MILLISECOND)

struct _RobocacheDdsWriter
{
  gchar *name;
  dds_entity_t topic, entity;
  const struct ddsi_sertype *type;
  guint64 n_lost;

  /* of a reliable writer */
  guint64 acknowledged;         /* number of the last message that all readers have acknowledged */
  guint64 counted;              /* messages up to this number are counted, or were not for the readers */
  gint64 slow_since_us;         /* messages that came after the last acknowledged one are gone since then; 0: they are not */
};

static dds_qos_t *
make_qos (const RobocacheDdsTopic *topic, gint64 lifespan_ns)
{
  dds_qos_t *qos = robocache_dds_qos_new (topic);

  if (lifespan_ns > 0)
    dds_qset_lifespan (qos, lifespan_ns);
  return qos;
}

RobocacheDdsWriter *
robocache_dds_writer_new (RobocacheDdsParticipant *participant, const RobocacheDdsTopic *topic, gint64 lifespan_ns, GError **error)
{
  RobocacheDdsWriter *writer = g_new0 (RobocacheDdsWriter, 1);
  const gint32 entity = robocache_dds_participant_entity (participant);
  gchar *name = robocache_dds_topic_name (topic->topic), *type_name = robocache_dds_type_name (topic->type);
  dds_qos_t *qos = make_qos (topic, lifespan_ns);

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

/* Cyclone replaces the oldest of `depth` messages, and drops expired ones, without a word. */
static void
count_gone (RobocacheDdsWriter *writer)
{
  const RobocacheCycloneSent sent = robocache_cyclone_read_sent (writer->entity, writer->type);
  const gint64 now_us = g_get_monotonic_time ();

  /* a reader that came later need not have what is gone */
  if (sent.acknowledged < writer->acknowledged)
    writer->counted = sent.gone;
  if (sent.acknowledged != writer->acknowledged || sent.gone <= sent.acknowledged)
    writer->slow_since_us = 0;
  writer->acknowledged = sent.acknowledged;
  writer->counted = MAX (writer->counted, sent.acknowledged);
  if (sent.gone <= writer->counted)
    return;
  if (writer->slow_since_us == 0)
    writer->slow_since_us = now_us;
  if (now_us - writer->slow_since_us < SLOW_US)
    return;
  writer->n_lost += sent.gone - writer->counted;
  writer->counted = sent.gone;
}

gboolean
robocache_dds_writer_write (RobocacheDdsWriter *writer, gconstpointer data, gsize size, gint64 source_ns, GError **error)
{
  const ddsrt_iovec_t part = { (void *) data, size };
  struct ddsi_serdata *serdata;
  gint32 result;

  if (size < MIN_BYTES || size > G_MAXINT32) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a message of %s has %" G_GSIZE_FORMAT " bytes: it must have 4 bytes to 2 GiB",
        writer->name, size);
    return FALSE;
  }
  serdata = ddsi_serdata_from_ser_iov (writer->type, SDK_DATA, 1, &part, size);
  if (!serdata) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_MEMORY, "no memory for a message of %s with %" G_GSIZE_FORMAT " bytes", writer->name, size);
    return FALSE;
  }
  serdata->timestamp.v = source_ns;
  serdata->statusinfo = 0;
  result = dds_forwardcdr (writer->entity, serdata);
  if (result == 0) {
    count_gone (writer);
    return TRUE;
  }
  /* settings of CYCLONEDDS_URI can limit the messages that wait for readers */
  if (result == DDS_RETCODE_TIMEOUT) {
    writer->n_lost++;
    return TRUE;
  }
  robocache_dds_set_error (error, result, writer->name);
  return FALSE;
}

guint
robocache_dds_writer_count_readers (const RobocacheDdsWriter *writer)
{
  const dds_return_t n = dds_get_matched_subscriptions (writer->entity, NULL, 0);

  return n > 0 ? (guint) n : 0;
}

guint64
robocache_dds_writer_count_lost (const RobocacheDdsWriter *writer)
{
  return writer->n_lost;
}

gint32
robocache_dds_writer_entity (const RobocacheDdsWriter *writer)
{
  return writer->entity;
}
