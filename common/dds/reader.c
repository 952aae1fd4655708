/* robocache: reads a topic of ROS 2 as bytes, and counts what is lost on the way
 *
 * Cyclone does not report messages that a best-effort publisher lost, so sequence numbers tell.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "reader.h"

#include <dds/dds.h>

#include "cyclone.h"
#include "qos.h"
#include "rosnames.h"

#define MAX_TAKEN 16
/* More missing numbers than this are a forged or restarted sequence. */
#define MAX_LOST 1000000

typedef struct
{
  guint64 writer;               /* first, as g_int64_hash reads it */
  guint64 last;                 /* number of its last message */
} Sequence;

struct _RobocacheDdsReader
{
  RobocacheDdsMessageFunc func;
  gpointer user_data;
  dds_entity_t topic, entity;
  GMutex lock;
  GHashTable *sequences;        /* lock: Sequence items, by publisher */
};

/* ---- sequence numbers ---- */

/* A number that is not above the last one is a publisher of another stack that begins again, or a message sent twice. */
static guint64
count_lost (RobocacheDdsReader *reader, const RobocacheDdsMessage *message)
{
  Sequence *sequence;
  guint64 lost = 0;

  if (message->sequence == 0)
    return 0;
  g_mutex_lock (&reader->lock);
  sequence = g_hash_table_lookup (reader->sequences, &message->writer);
  if (!sequence) {
    sequence = g_new (Sequence, 1);
    *sequence = (Sequence) {message->writer, message->sequence};
    g_hash_table_add (reader->sequences, sequence);
  }
  if (message->sequence > sequence->last)
    lost = message->sequence - sequence->last - 1;
  sequence->last = message->sequence;
  g_mutex_unlock (&reader->lock);
  return lost <= MAX_LOST ? lost : 0;
}

void
robocache_dds_reader_forget (RobocacheDdsReader *reader, guint64 writer)
{
  g_mutex_lock (&reader->lock);
  g_hash_table_remove (reader->sequences, &writer);
  g_mutex_unlock (&reader->lock);
}

/* ---- messages ---- */

static void
deliver (dds_entity_t entity, void *data)
{
  RobocacheDdsReader *reader = data;
  RobocacheDdsMessage *messages[MAX_TAKEN];
  guint n;

  do {
    n = robocache_cyclone_take (entity, messages, MAX_TAKEN);
    for (guint i = 0; i < n; i++) {
      if (messages[i]->size == 0) {
        robocache_dds_message_free (messages[i]);
        continue;
      }
      messages[i]->lost = count_lost (reader, messages[i]);
      reader->func (reader->user_data, messages[i]);
    }
  } while (n == MAX_TAKEN);
}

RobocacheDdsReader *
robocache_dds_reader_new (RobocacheDdsParticipant *participant, const RobocacheDdsTopic *topic, RobocacheDdsMessageFunc func,
    gpointer user_data, GError **error)
{
  RobocacheDdsReader *reader = g_new0 (RobocacheDdsReader, 1);
  const gint32 entity = robocache_dds_participant_entity (participant);
  gchar *name = robocache_dds_topic_name (topic->topic), *type_name = robocache_dds_type_name (topic->type);
  dds_listener_t *listener = dds_create_listener (reader);
  const struct ddsi_sertype *type;
  dds_qos_t *qos = robocache_dds_qos_new (topic);

  reader->func = func;
  reader->user_data = user_data;
  g_mutex_init (&reader->lock);
  reader->sequences = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  dds_lset_data_available (listener, deliver);
  reader->topic = robocache_cyclone_topic_new (entity, name, type_name, &type);
  reader->entity = reader->topic < 0 ? reader->topic : dds_create_reader (entity, reader->topic, qos, listener);
  dds_delete_listener (listener);
  dds_delete_qos (qos);
  g_free (name);
  g_free (type_name);
  if (reader->entity >= 0)
    return reader;
  robocache_dds_set_error (error, reader->entity, topic->topic);
  robocache_dds_reader_free (reader);
  return NULL;
}

void
robocache_dds_reader_free (RobocacheDdsReader *reader)
{
  if (reader->entity > 0)
    dds_delete (reader->entity);
  if (reader->topic > 0)
    dds_delete (reader->topic);
  g_hash_table_unref (reader->sequences);
  g_mutex_clear (&reader->lock);
  g_free (reader);
}
