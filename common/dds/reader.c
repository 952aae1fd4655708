/* robocache: reads a topic of ROS 2 as bytes, and counts what is lost on the way
 *
 * Cyclone does not report messages that a best-effort publisher lost, so sequence numbers tell.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "reader.h"

#include <dds/dds.h>

#include "cyclone.h"
#include "oversize.h"
#include "plain/rosnames.h"
#include "qos.h"

#define MAX_TAKEN 16
/* More missing numbers than this are a forged or restarted sequence. */
#define MAX_LOST 1000000
/* Publishers that are not forgotten. */
#define MAX_WRITERS 10000

typedef struct
{
  guint64 writer;               /* first, as g_int64_hash reads it */
  guint64 last;                 /* number of its last message */
  guint64 delivered;            /* messages up to this number were delivered by a reader that was replaced; 0: there are none */
} Sequence;

/* Sequence numbers of a topic. */
typedef struct
{
  GMutex lock;
  guint n_readers;              /* lock: 2 while a reader replaces another one */
  GHashTable *table;            /* lock: Sequence items, by publisher */
} Sequences;

struct _RobocacheDdsReader
{
  RobocacheDdsMessageFunc func;
  gpointer user_data;
  dds_entity_t topic, entity;
  Sequences *sequences;
  RobocacheDdsOversize *oversize;
};

/* ---- sequence numbers ---- */

static Sequences *
sequences_new (void)
{
  Sequences *sequences = g_new0 (Sequences, 1);

  g_mutex_init (&sequences->lock);
  sequences->table = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  return sequences;
}

static Sequences *
sequences_ref (Sequences *sequences)
{
  g_mutex_lock (&sequences->lock);
  sequences->n_readers++;
  g_mutex_unlock (&sequences->lock);
  return sequences;
}

/* The reader that stays may still get messages of a publisher's history. */
static void
keep_delivered (Sequences *sequences)
{
  GHashTableIter iter;
  gpointer sequence;

  g_hash_table_iter_init (&iter, sequences->table);
  while (g_hash_table_iter_next (&iter, &sequence, NULL))
    ((Sequence *) sequence)->delivered = ((Sequence *) sequence)->last;
}

static void
sequences_unref (Sequences *sequences)
{
  gboolean is_unused;

  g_mutex_lock (&sequences->lock);
  is_unused = --sequences->n_readers == 0;
  if (!is_unused)
    keep_delivered (sequences);
  g_mutex_unlock (&sequences->lock);
  if (!is_unused)
    return;
  g_hash_table_unref (sequences->table);
  g_mutex_clear (&sequences->lock);
  g_free (sequences);
}

/* Called with the lock. */
static Sequence *
find_sequence (Sequences *sequences, const RobocacheDdsMessage *message)
{
  Sequence *sequence = g_hash_table_lookup (sequences->table, &message->writer);

  if (sequence)
    return sequence;
  if (g_hash_table_size (sequences->table) >= MAX_WRITERS)
    g_hash_table_remove_all (sequences->table);
  sequence = g_new (Sequence, 1);
  *sequence = (Sequence) {message->writer, message->sequence - 1, 0};
  g_hash_table_add (sequences->table, sequence);
  return sequence;
}

/* FALSE: the message was delivered before. Else a number that is not above the last one is that of a publisher which begins again. */
static gboolean
count_lost (Sequences *sequences, RobocacheDdsMessage *message)
{
  Sequence *sequence;
  gboolean is_new;

  if (message->sequence == 0)
    return TRUE;
  g_mutex_lock (&sequences->lock);
  sequence = find_sequence (sequences, message);
  is_new = message->sequence > (sequences->n_readers > 1 ? sequence->last : sequence->delivered);
  if (is_new) {
    message->lost = message->sequence > sequence->last ? message->sequence - sequence->last - 1 : 0;
    sequence->last = message->sequence;
    sequence->delivered = 0;
  }
  g_mutex_unlock (&sequences->lock);
  if (message->lost > MAX_LOST)
    message->lost = 0;
  return is_new;
}

void
robocache_dds_reader_forget (RobocacheDdsReader *reader, guint64 writer)
{
  g_mutex_lock (&reader->sequences->lock);
  g_hash_table_remove (reader->sequences->table, &writer);
  g_mutex_unlock (&reader->sequences->lock);
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
      if (messages[i]->size > 0 && count_lost (reader->sequences, messages[i]))
        reader->func (reader->user_data, messages[i]);
      else
        robocache_dds_message_free (messages[i]);
    }
  } while (n == MAX_TAKEN);
}

/* ---- life ---- */

static dds_entity_t
open_reader (RobocacheDdsReader *reader, RobocacheDdsParticipant *participant, const RobocacheDdsTopic *topic)
{
  const gint32 entity = robocache_dds_participant_entity (participant);
  gchar *name = robocache_dds_topic_name (topic->topic), *type_name = robocache_dds_type_name (topic->type);
  dds_listener_t *listener = dds_create_listener (reader);
  const struct ddsi_sertype *type;
  dds_qos_t *qos = robocache_dds_qos_new (topic);

  reader->oversize = robocache_dds_oversize_new (name);
  dds_lset_data_available (listener, deliver);
  reader->topic = robocache_cyclone_topic_new (entity, name, type_name, &type);
  reader->entity = reader->topic < 0 ? reader->topic : dds_create_reader (entity, reader->topic, qos, listener);
  dds_delete_listener (listener);
  dds_delete_qos (qos);
  g_free (name);
  g_free (type_name);
  return reader->entity;
}

RobocacheDdsReader *
robocache_dds_reader_replace (RobocacheDdsReader *previous, RobocacheDdsParticipant *participant, const RobocacheDdsTopic *topic,
    RobocacheDdsMessageFunc func, gpointer user_data, GError **error)
{
  RobocacheDdsReader *reader = g_new0 (RobocacheDdsReader, 1);

  reader->func = func;
  reader->user_data = user_data;
  reader->sequences = sequences_ref (previous ? previous->sequences : sequences_new ());
  if (open_reader (reader, participant, topic) < 0) {
    robocache_dds_set_error (error, reader->entity, topic->topic);
    robocache_dds_reader_free (reader);
    return NULL;
  }
  if (!previous)
    return reader;
  robocache_dds_oversize_free (reader->oversize);
  reader->oversize = g_steal_pointer (&previous->oversize);
  robocache_dds_reader_free (previous);
  return reader;
}

RobocacheDdsReader *
robocache_dds_reader_new (RobocacheDdsParticipant *participant, const RobocacheDdsTopic *topic, RobocacheDdsMessageFunc func,
    gpointer user_data, GError **error)
{
  return robocache_dds_reader_replace (NULL, participant, topic, func, user_data, error);
}

void
robocache_dds_reader_free (RobocacheDdsReader *reader)
{
  if (reader->entity > 0)
    dds_delete (reader->entity);
  if (reader->topic > 0)
    dds_delete (reader->topic);
  g_clear_pointer (&reader->oversize, robocache_dds_oversize_free);
  sequences_unref (reader->sequences);
  g_free (reader);
}

guint64
robocache_dds_reader_count_oversize (const RobocacheDdsReader *reader)
{
  return robocache_dds_oversize_count (reader->oversize);
}

guint
robocache_dds_reader_count_writers (const RobocacheDdsReader *reader)
{
  const dds_return_t n = dds_get_matched_publications (reader->entity, NULL, 0);

  return n > 0 ? (guint) n : 0;
}
