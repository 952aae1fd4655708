/* robocache: the content of a memory, as its last writer left it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "occupancystamp.h"

/* Called with the lock. Work that uses the stamp is part of writes of the block. */
static void
free_stamp (RobocacheBlock *block)
{
  if (block->is_written)
    rc_event_synchronize (robocache_engine_backend (block->event_engine), block->written, NULL);
  robocache_engine_free (block->engine, RC_MEMORY_SCRATCH, block->stamp.data, block->stamp.bytes);
  block->stamp = (RobocacheStamp) { NULL };
}

gpointer
robocache_memory_begin_stamp (GstMemory *memory, guint64 writer, gsize bytes, gboolean *is_known)
{
  RobocacheBlock *block = robocache_memory_block (memory);
  RobocacheStamp *stamp = &block->stamp;
  gconstpointer content = robocache_memory_data (memory);
  gpointer data;

  g_mutex_lock (&block->lock);
  if (stamp->bytes != bytes) {  /* a size that did not fit is not tried again */
    free_stamp (block);
    stamp->data = robocache_engine_alloc (block->engine, RC_MEMORY_SCRATCH, bytes, NULL);
    stamp->bytes = bytes;
  }
  *is_known = stamp->data && stamp->writer == writer && stamp->content == content;
  stamp->writer = 0;
  stamp->content = content;
  data = stamp->data;
  g_mutex_unlock (&block->lock);
  return data;
}

void
robocache_memory_end_stamp (GstMemory *memory, guint64 writer)
{
  RobocacheBlock *block = robocache_memory_block (memory);

  g_mutex_lock (&block->lock);
  block->stamp.writer = writer;
  g_mutex_unlock (&block->lock);
}
