/* robocache: MCAP and bags of ROS 1 as storages of bags
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compressedbag.h"
#include "ros1bag.h"
#include "storage.h"

/* Maximum number of metadata records that are read. */
#define MAX_METADATA 16

typedef struct
{
  RobocacheBagStorage base;
  RobocacheMcapSource source;
  GDestroyNotify free_source;
  RobocacheMcapReader *reader;
  RobocacheRos1Bag *bag;        /* NULL: an MCAP file */
} McapStorage;

static void
free_storage (RobocacheBagStorage *base)
{
  McapStorage *storage = (McapStorage *) base;

  g_clear_pointer (&storage->reader, robocache_mcap_reader_free);
  g_clear_pointer (&storage->bag, robocache_ros1_bag_free);
  g_clear_pointer (&storage->base.warnings, g_ptr_array_unref);
  if (storage->free_source)
    storage->free_source (storage->source.user_data);
  g_free (storage);
}

static void
select_channels (RobocacheBagStorage *base, const guint16 *channel_ids, guint n)
{
  robocache_mcap_reader_select (((McapStorage *) base)->reader, channel_ids, n);
}

static void
seek (RobocacheBagStorage *base, guint64 log_time)
{
  robocache_mcap_reader_seek (((McapStorage *) base)->reader, log_time);
}

static RobocacheMcapReadResult
next (RobocacheBagStorage *base, RobocacheMcapMessage *message, GError **error)
{
  const McapStorage *storage = (McapStorage *) base;
  const RobocacheMcapReadResult result = robocache_mcap_reader_next (storage->reader, message, error);

  return result != ROBOCACHE_MCAP_READ_MESSAGE || robocache_check_converted_size (base->definitions, message, storage->source.max_bytes,
      storage->source.size, error) ? result : ROBOCACHE_MCAP_READ_DAMAGED;
}

static gboolean
find_back (RobocacheBagStorage *base, guint16 channel_id, guint64 log_time, RobocacheMcapTake take, gpointer user_data, guint64 *found)
{
  return robocache_mcap_reader_find_back (((McapStorage *) base)->reader, channel_id, log_time, take, user_data, found);
}

static guint
count_metadata (const McapStorage *storage)
{
  return MIN (robocache_mcap_reader_get_index (storage->reader)->metadata->len, MAX_METADATA);
}

static const RobocacheMcapEntry *
nth_metadata (const McapStorage *storage, guint i)
{
  return &g_array_index (robocache_mcap_reader_get_index (storage->reader)->metadata, RobocacheMcapEntry, i);
}

/* Passes on the metadata records that can be read; damaged ones are among the warnings. */
static void
read_metadata (RobocacheBagStorage *base, RobocacheBagMetadata note, gpointer user_data)
{
  McapStorage *storage = (McapStorage *) base;

  for (guint i = 0; i < count_metadata (storage); i++) {
    const RobocacheMcapEntry *entry = nth_metadata (storage, i);
    GHashTable *metadata = robocache_mcap_reader_get_metadata (storage->reader, entry, NULL);

    if (!metadata)
      continue;
    note (user_data, entry->name, metadata);
    g_hash_table_unref (metadata);
  }
}

static void
note_times (McapStorage *storage)
{
  const GArray *blocks = robocache_mcap_reader_get_index (storage->reader)->blocks;

  storage->base.is_empty = blocks->len == 0;
  if (blocks->len == 0)
    return;
  storage->base.start_time = g_array_index (blocks, RobocacheMcapBlock, 0).start_time;
  storage->base.end_time = g_array_index (blocks, RobocacheMcapBlock, blocks->len - 1).max_end_time;
}

static void
note_damaged_metadata (McapStorage *storage)
{
  for (guint i = 0; i < count_metadata (storage); i++) {
    GError *error = NULL;
    GHashTable *metadata = robocache_mcap_reader_get_metadata (storage->reader, nth_metadata (storage, i), &error);

    if (metadata)
      g_hash_table_unref (metadata);
    else
      g_ptr_array_add (storage->base.warnings, g_strdup_printf ("Metadata record at byte %" G_GUINT64_FORMAT ": %s",
              nth_metadata (storage, i)->offset, error->message));
    g_clear_error (&error);
  }
}

static void
note_faults (McapStorage *storage)
{
  const RobocacheMcapFileIndex *index = robocache_mcap_reader_get_index (storage->reader);

  storage->base.warnings = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < index->faults->len; i++)
    g_ptr_array_add (storage->base.warnings, g_strdup (g_ptr_array_index (index->faults, i)));
  if (index->n_faults > index->faults->len)
    g_ptr_array_add (storage->base.warnings, g_strdup_printf ("%u more records are damaged", index->n_faults - index->faults->len));
  note_damaged_metadata (storage);
  if (index->is_cut)
    g_ptr_array_add (storage->base.warnings, robocache_mcap_cut_text (index->whole_size));
}

static McapStorage *
new_storage (const RobocacheMcapSource *source, GDestroyNotify free_source)
{
  static const RobocacheBagStorageClass class = { free_storage, select_channels, seek, next, find_back, read_metadata };
  McapStorage *storage = g_new0 (McapStorage, 1);

  storage->base.class = &class;
  storage->source = *source;
  storage->free_source = free_source;
  return storage;
}

/* Takes the storage; NULL: it has no reader. */
static RobocacheBagStorage *
complete (McapStorage *storage)
{
  if (!storage->reader) {
    free_storage (&storage->base);
    return NULL;
  }
  storage->base.definitions = robocache_mcap_reader_get_index (storage->reader)->definitions;
  storage->base.note = robocache_mcap_reader_get_summary_fault (storage->reader);
  note_times (storage);
  note_faults (storage);
  return &storage->base;
}

RobocacheBagStorage *
robocache_mcap_storage_new (const RobocacheMcapSource *source, GDestroyNotify free_source, GError **error)
{
  McapStorage *storage = new_storage (source, free_source);

  storage->reader = robocache_mcap_reader_new (&storage->source, error);
  return complete (storage);
}

RobocacheBagStorage *
robocache_ros1_storage_new (const RobocacheMcapSource *source, GDestroyNotify free_source, GError **error)
{
  McapStorage *storage = new_storage (source, free_source);
  RobocacheMcapFileIndex *index;

  storage->bag = robocache_ros1_bag_new (&storage->source);
  index = robocache_ros1_bag_read_index (storage->bag, error);
  if (index)
    storage->reader = robocache_mcap_reader_new_of (&storage->source, index, robocache_ros1_bag_unpack, storage->bag);
  return complete (storage);
}
