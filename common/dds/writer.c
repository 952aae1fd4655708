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

  /* of a reliable writer: what readers have not acknowledged */
  guint32 *sizes;               /* [depth] sizes of the last messages, as a ring; NULL: best effort */
  guint depth, next;
  guint64 size_of_last;         /* sum of sizes */
  gint64 full_since_us;         /* since then no reader has acknowledged one of the last `depth` messages; 0: not now */
  guint64 n_replaced;           /* messages since then */
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
  writer->depth = MAX (topic->depth, 1);
  if (topic->is_reliable)
    writer->sizes = g_new0 (guint32, writer->depth);
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
  g_free (writer->sizes);
  g_free (writer->name);
  g_free (writer);
}

/* Cyclone replaces the oldest of `depth` messages without a word, so bytes tell whether a reader has not acknowledged any of them. */
static void
count_replaced (RobocacheDdsWriter *writer, guint32 size)
{
  const gboolean is_full = writer->sizes && writer->sizes[writer->next] > 0
      && robocache_cyclone_unacknowledged (writer->entity, writer->type) >= writer->size_of_last;
  const gint64 now_us = g_get_monotonic_time ();

  if (!writer->sizes)
    return;
  writer->size_of_last += size - (guint64) writer->sizes[writer->next];
  writer->sizes[writer->next] = size;
  writer->next = (writer->next + 1) % writer->depth;
  if (!is_full) {
    writer->full_since_us = 0;
    writer->n_replaced = 0;
    return;
  }
  if (writer->full_since_us == 0)
    writer->full_since_us = now_us;
  writer->n_replaced++;
  if (now_us - writer->full_since_us < SLOW_US)
    return;
  writer->n_lost += writer->n_replaced;
  writer->n_replaced = 0;
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
  count_replaced (writer, (guint32) size);
  serdata->timestamp.v = source_ns;
  serdata->statusinfo = 0;
  result = dds_forwardcdr (writer->entity, serdata);
  if (result == 0)
    return TRUE;
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
