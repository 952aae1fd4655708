/* robocache: a block of an engine's memory, and the order of the work on it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "block.h"

#define MAX_IDLE_WRITES 16      /* without a read of an engine, before the block lets it go */

/* The last read of one engine. The event belongs to that engine's device, and is recorded again with every read. */
typedef struct
{
  RobocacheEngine *engine;
  RcEvent event;
  gboolean is_pending;          /* a read since the last write, which the next one waits for */
  guint idle_writes;            /* since its last read */
} Reader;

gboolean
robocache_block_is_cpu_visible (const RobocacheBlock *block)
{
  return block->kind == RC_MEMORY_PINNED || robocache_engine_is_host_addressable (block->engine);
}

/* ---- waits ---- */

/* A CPU engine's work is done when it is called, so it waits itself. */
static RcStatus
wait_for_event (RcEvent event, RobocacheEngine *event_engine, RobocacheEngine *engine, RcStream stream, RcError *failure)
{
  if (robocache_engine_is_gpu (engine))
    return rc_event_wait (robocache_engine_backend (engine), event, stream, failure);
  return rc_event_synchronize (robocache_engine_backend (event_engine), event, failure);
}

static RcStatus
check_not_lost (const RobocacheBlock *block, RcError *failure)
{
  if (!block->is_lost)
    return RC_OK;
  return rc_error_set (failure, RC_DEVICE_FAILED, "%" G_GSIZE_FORMAT " bytes that the CPU wrote were not copied to the device",
      block->bytes);
}

static RcStatus
wait_for_write (RobocacheBlock *block, RobocacheEngine *engine, RcStream stream, RcError *failure)
{
  const RcStatus status = check_not_lost (block, failure);

  if (status != RC_OK || !block->is_written || (block->writer == engine && block->written_on == stream))
    return status;
  return wait_for_event (block->written, block->event_engine, engine, stream, failure);
}

/* They stay pending until the write that waits is noted: should it not come about, the next one waits too. */
static RcStatus
wait_for_reads (RobocacheBlock *block, RobocacheEngine *engine, RcStream stream, RcError *failure)
{
  RcStatus status = RC_OK;

  for (guint i = 0; i < block->readers->len && status == RC_OK; i++) {
    const Reader *reader = &g_array_index (block->readers, Reader, i);

    if (reader->is_pending && (reader->engine != engine || stream != robocache_engine_stream (engine)))
      status = wait_for_event (reader->event, reader->engine, engine, stream, failure);
  }
  return status;
}

/* One of several devices may fail while another still works. */
RcStatus
robocache_block_wait (RobocacheBlock *block, gboolean for_reads, RcError *failure)
{
  RcStatus status, next;

  g_mutex_lock (&block->lock);
  status = check_not_lost (block, failure);
  if (block->is_written) {
    next = rc_event_synchronize (robocache_engine_backend (block->event_engine), block->written,
        status == RC_OK ? failure : NULL);
    block->is_written = next != RC_OK;
    status = status == RC_OK ? next : status;
  }
  for (guint i = 0; for_reads && i < block->readers->len; i++) {
    Reader *reader = &g_array_index (block->readers, Reader, i);

    if (!reader->is_pending)
      continue;
    next = rc_event_synchronize (robocache_engine_backend (reader->engine), reader->event,
        status == RC_OK ? failure : NULL);
    reader->is_pending = next != RC_OK;
    status = status == RC_OK ? next : status;
  }
  g_mutex_unlock (&block->lock);
  return status;
}

static void
forget_writer (RobocacheBlock *block)
{
  if (block->event_engine)
    rc_event_free (robocache_engine_backend (block->event_engine), block->written);
  g_clear_pointer (&block->event_engine, robocache_engine_unref);
  g_clear_pointer (&block->writer, robocache_engine_unref);
  block->written = NULL;
  block->is_written = FALSE;
}

/* The event must be of the device whose stream it is recorded on. */
static RcStatus
prepare_write_event (RobocacheBlock *block, RobocacheEngine *engine, RcError *failure)
{
  RcStatus status;

  if (block->event_engine && robocache_engine_device (block->event_engine) != robocache_engine_device (engine))
    forget_writer (block);
  if (block->event_engine == NULL) {
    status = rc_event_new (robocache_engine_backend (engine), &block->written, failure);
    if (status != RC_OK)
      return status;
    block->event_engine = robocache_engine_ref (engine);
  }
  if (block->writer != engine) {
    g_clear_pointer (&block->writer, robocache_engine_unref);
    block->writer = robocache_engine_ref (engine);
  }
  return RC_OK;
}

/* The write has waited for all reads. Releases engines that no longer read, with their devices' resources. */
static void
forget_reads (RobocacheBlock *block)
{
  for (guint i = block->readers->len; i-- > 0;) {
    Reader *reader = &g_array_index (block->readers, Reader, i);

    reader->is_pending = FALSE;
    if (reader->idle_writes++ == MAX_IDLE_WRITES)
      g_array_remove_index_fast (block->readers, i);
  }
}

/* Waits here for work without an event, so that nothing overtakes it. */
static RcStatus
note_write (RobocacheBlock *block, RobocacheEngine *engine, RcStream stream, RcError *failure)
{
  RcBackend *backend = robocache_engine_backend (engine);
  RcStatus status = RC_OK;

  if (robocache_engine_is_gpu (engine)) {
    status = prepare_write_event (block, engine, failure);
    if (status == RC_OK)
      status = rc_event_record (backend, block->written, stream, failure);
    if (status != RC_OK)
      rc_stream_synchronize (backend, stream, NULL);
  }
  block->written_on = stream;
  block->is_written = status == RC_OK && robocache_engine_is_gpu (engine);
  forget_reads (block);
  return status;
}

/* The engine's place in the list, in which it is from its first read on. */
static RcStatus
find_reader (RobocacheBlock *block, RobocacheEngine *engine, guint *place, RcError *failure)
{
  Reader added = { NULL };
  RcStatus status;

  for (*place = 0; *place < block->readers->len; ++*place) {
    if (g_array_index (block->readers, Reader, *place).engine == engine)
      return RC_OK;
  }
  status = rc_event_new (robocache_engine_backend (engine), &added.event, failure);
  if (status != RC_OK)
    return status;
  added.engine = robocache_engine_ref (engine);
  g_array_append_val (block->readers, added);
  return RC_OK;
}

static RcStatus
note_read (RobocacheBlock *block, RobocacheEngine *engine, RcError *failure)
{
  RcBackend *backend = robocache_engine_backend (engine);
  const RcStream stream = robocache_engine_stream (engine);
  RcStatus status;
  Reader *reader;
  guint place;

  if (!robocache_engine_is_gpu (engine))
    return RC_OK;
  status = find_reader (block, engine, &place, failure);
  if (status == RC_OK)
    status = rc_event_record (backend, g_array_index (block->readers, Reader, place).event, stream, failure);
  if (status != RC_OK) {
    rc_stream_synchronize (backend, stream, NULL);
    return status;
  }
  reader = &g_array_index (block->readers, Reader, place);
  reader->is_pending = TRUE;
  reader->idle_writes = 0;
  return RC_OK;
}

/* ---- brackets of work ---- */

gboolean
robocache_block_begin_read (RobocacheBlock *block, RobocacheEngine *reader, GError **error)
{
  RcStatus status;
  RcError failure;

  g_mutex_lock (&block->lock);
  status = wait_for_write (block, reader, robocache_engine_stream (reader), &failure);
  g_mutex_unlock (&block->lock);
  return robocache_engine_check (status, &failure, error);
}

gboolean
robocache_block_end_read (RobocacheBlock *block, RobocacheEngine *reader, GError **error)
{
  RcStatus status;
  RcError failure;

  g_mutex_lock (&block->lock);
  status = note_read (block, reader, &failure);
  g_mutex_unlock (&block->lock);
  return robocache_engine_check (status, &failure, error);
}

gboolean
robocache_block_begin_write (RobocacheBlock *block, RobocacheEngine *writer, GError **error)
{
  const RcStream stream = robocache_engine_stream (writer);
  RcStatus status;
  RcError failure;

  g_mutex_lock (&block->lock);
  block->stamp.writer = 0;
  status = wait_for_write (block, writer, stream, &failure);
  if (status == RC_OK)
    status = wait_for_reads (block, writer, stream, &failure);
  g_mutex_unlock (&block->lock);
  return robocache_engine_check (status, &failure, error);
}

gboolean
robocache_block_end_write (RobocacheBlock *block, RobocacheEngine *writer, GError **error)
{
  RcStatus status;
  RcError failure;

  g_mutex_lock (&block->lock);
  status = note_write (block, writer, robocache_engine_stream (writer), &failure);
  g_mutex_unlock (&block->lock);
  return robocache_engine_check (status, &failure, error);
}

/* ---- copies for CPU maps ---- */

RcStatus
robocache_block_download (RobocacheBlock *block, RcError *failure)
{
  RcBackend *backend = robocache_engine_backend (block->engine);
  const RcStream stream = robocache_engine_transfer_stream (block->engine);
  const RcMemoryCopy copy = {.to = block->shadow,.from = block->data,.row_bytes = block->bytes,.rows = 1 };
  RcStatus status = wait_for_write (block, block->engine, stream, failure);

  if (status == RC_OK)
    status = rc_memory_copy (backend, &copy, stream, failure);
  if (status == RC_OK)
    status = rc_stream_synchronize (backend, stream, failure);
  return status;
}

RcStatus
robocache_block_upload (RobocacheBlock *block, RcError *failure)
{
  const RcStream stream = robocache_engine_transfer_stream (block->engine);
  const RcMemoryCopy copy = {.to = block->data,.from = block->shadow,.row_bytes = block->bytes,.rows = 1 };
  RcStatus status = wait_for_write (block, block->engine, stream, failure);

  if (status == RC_OK)
    status = wait_for_reads (block, block->engine, stream, failure);
  if (status == RC_OK)
    status = rc_memory_copy (robocache_engine_backend (block->engine), &copy, stream, failure);
  if (status == RC_OK)
    status = note_write (block, block->engine, stream, failure);
  return status;
}

/* ---- life ---- */

static void
clear_reader (gpointer data)
{
  Reader *reader = data;

  rc_event_free (robocache_engine_backend (reader->engine), reader->event);
  robocache_engine_unref (reader->engine);
}

RobocacheBlock *
robocache_block_new (RobocacheEngine *engine, RcMemoryKind kind, gsize bytes, GError **error)
{
  gpointer data = robocache_engine_alloc (engine, kind, bytes, error);
  RobocacheBlock *block;

  if (data == NULL)
    return NULL;
  block = g_new0 (RobocacheBlock, 1);
  block->engine = robocache_engine_ref (engine);
  block->kind = kind;
  block->data = data;
  block->bytes = bytes;
  block->readers = g_array_new (FALSE, FALSE, sizeof (Reader));
  g_array_set_clear_func (block->readers, clear_reader);
  g_mutex_init (&block->lock);
  return block;
}

void
robocache_block_free (RobocacheBlock *block)
{
  RobocacheEngine *engine = block->engine;

  robocache_block_wait (block, TRUE, NULL);
  forget_writer (block);
  g_array_unref (block->readers);
  robocache_engine_free (engine, RC_MEMORY_SCRATCH, block->stamp.data, block->stamp.bytes);
  robocache_engine_free (engine, RC_MEMORY_PINNED, block->shadow, block->bytes);
  robocache_engine_free (engine, block->kind, block->data, block->bytes);
  robocache_engine_unref (engine);
  g_mutex_clear (&block->lock);
  g_free (block);
}
