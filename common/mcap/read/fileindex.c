/* robocache: where the messages of an MCAP file are
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fileindex.h"

static void
clear_entry (gpointer data)
{
  g_free (((RobocacheMcapEntry *) data)->name);
}

static GArray *
new_entries (void)
{
  GArray *entries = g_array_new (FALSE, FALSE, sizeof (RobocacheMcapEntry));

  g_array_set_clear_func (entries, clear_entry);
  return entries;
}

RobocacheMcapFileIndex *
robocache_mcap_file_index_new (void)
{
  RobocacheMcapFileIndex *index = g_new0 (RobocacheMcapFileIndex, 1);

  index->definitions = robocache_mcap_definitions_new ();
  index->blocks = g_array_new (FALSE, FALSE, sizeof (RobocacheMcapBlock));
  index->channels = g_array_new (FALSE, FALSE, sizeof (guint16));
  index->metadata = new_entries ();
  index->attachments = new_entries ();
  return index;
}

void
robocache_mcap_file_index_free (RobocacheMcapFileIndex *index)
{
  g_free (index->profile);
  g_free (index->library);
  robocache_mcap_definitions_free (index->definitions);
  g_array_unref (index->blocks);
  g_array_unref (index->channels);
  g_array_unref (index->metadata);
  g_array_unref (index->attachments);
  g_free (index);
}

static RobocacheMcapBlock *
nth_block (const RobocacheMcapFileIndex *index, guint i)
{
  return &g_array_index (index->blocks, RobocacheMcapBlock, i);
}

void
robocache_mcap_file_index_add_block (RobocacheMcapFileIndex *index, const RobocacheMcapBlock *block)
{
  RobocacheMcapBlock *added;

  g_array_append_val (index->blocks, *block);
  added = nth_block (index, index->blocks->len - 1);
  added->end_time = MAX (block->end_time, block->start_time);
  added->first_channel = index->channels->len;
  added->n_channels = 0;
}

void
robocache_mcap_file_index_add_channel (RobocacheMcapFileIndex *index, guint16 channel_id)
{
  g_array_append_val (index->channels, channel_id);
  nth_block (index, index->blocks->len - 1)->n_channels++;
}

static gint
compare_blocks (gconstpointer a, gconstpointer b)
{
  const RobocacheMcapBlock *first = a, *second = b;

  if (first->start_time != second->start_time)
    return first->start_time < second->start_time ? -1 : 1;
  return first->offset < second->offset ? -1 : first->offset > second->offset;
}

void
robocache_mcap_file_index_sort (RobocacheMcapFileIndex *index)
{
  guint64 max_end_time = 0;

  g_array_sort (index->blocks, compare_blocks);
  for (guint i = 0; i < index->blocks->len; i++) {
    RobocacheMcapBlock *block = nth_block (index, i);

    max_end_time = MAX (max_end_time, block->end_time);
    block->max_end_time = max_end_time;
  }
}

guint
robocache_mcap_file_index_find (const RobocacheMcapFileIndex *index, guint64 log_time)
{
  guint low = 0, high = index->blocks->len;

  while (low < high) {
    const guint middle = low + (high - low) / 2;

    if (nth_block (index, middle)->max_end_time < log_time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

gboolean
robocache_mcap_file_index_may_hold (const RobocacheMcapFileIndex *index, const RobocacheMcapBlock *block, guint16 channel_id)
{
  for (guint i = 0; i < block->n_channels; i++)
    if (g_array_index (index->channels, guint16, block->first_channel + i) == channel_id)
      return TRUE;
  return block->n_channels == 0;
}
