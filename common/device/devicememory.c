/* robocache: GstMemory of an engine, in the order of the work on it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "devicememory.h"

#include "common/tensors/mapping.h"
#include "budget.h"

#define MEMORY_TYPE "RobocacheMemory"
#define MAX_SHELVES 64         /* sizes of blocks that are kept: more than a sample has tensors */
#define IDLE_WRITES 16          /* after which an engine that has read a block no more is let go */

/* The last read of one engine. The event is of that engine's device, and is recorded anew with every read. */
typedef struct
{
  RobocacheEngine *engine;
  RcEvent event;
  gboolean is_pending;          /* a read since the last write, which the next one waits for */
  guint idle_writes;            /* since its last read */
} Reader;

/* What the one who wrote a block last knows of it. */
typedef struct
{
  gpointer data;                /* device memory; NULL: none */
  gsize bytes;                  /* of data, or of what there was no room for */
  guint64 writer;               /* whose notes these are; 0: nobody knows */
  gconstpointer of;             /* what they are about begins here */
} Notes;

/* What all memories that share a block share. */
typedef struct
{
  guint8 *data;
  gsize bytes;

  GMutex lock;                  /* guards the rest */
  RobocacheEngine *writer;      /* of the last write that was enqueued; NULL: none yet */
  RcStream written_on;
  RcEvent written;              /* after that write */
  RobocacheEngine *event_engine;        /* that made the event: the writer, or another one on its device */
  gboolean is_written;          /* such a write may not be done */
  gboolean is_lost;             /* what the CPU wrote did not get there */
  GArray *readers;              /* of Reader */
  gpointer shadow;              /* pinned, for CPU maps; NULL: never mapped, or not needed */
  guint shadow_maps;
  Notes notes;
} Block;

typedef struct
{
  GstMemory parent;
  RobocacheEngine *engine;      /* of the allocator; kept because memory may outlive that */
  RcMemoryKind kind;
  Block *block;
  gboolean owns_block;          /* not a share */
} RobocacheMemory;

/* Blocks of one size that nobody uses. */
typedef struct
{
  gsize bytes;
  GPtrArray *idle;              /* of RobocacheMemory */
  guint64 asked;                /* when last, in requests of the allocator */
} Shelf;

struct _RobocacheAllocator
{
  GstAllocator parent;
  RobocacheEngine *engine;
  RcMemoryKind kind;

  GMutex lock;
  GArray *shelves;              /* of Shelf: sizes that were asked for since the last trim */
  guint64 asked;
};

G_DEFINE_FINAL_TYPE (RobocacheAllocator, robocache_allocator, GST_TYPE_ALLOCATOR)

static inline RobocacheMemory *
memory_of (const GstMemory *memory)
{
  return (RobocacheMemory *) memory;
}

gboolean
robocache_is_memory (const GstMemory *memory)
{
  return memory->allocator && ROBOCACHE_IS_ALLOCATOR (memory->allocator);
}

gboolean
robocache_is_gpu_memory (const GstMemory *memory)
{
  return robocache_is_memory (memory) && memory_of (memory)->kind == RC_MEMORY_DEVICE
      && robocache_engine_is_gpu (memory_of (memory)->engine);
}

RobocacheEngine *
robocache_memory_engine (const GstMemory *memory)
{
  return memory_of (memory)->engine;
}

gpointer
robocache_memory_data (const GstMemory *memory)
{
  return memory_of (memory)->block->data + memory->offset;
}

static gboolean
cpu_sees (const RobocacheMemory *memory)
{
  return memory->kind == RC_MEMORY_PINNED || robocache_engine_is_host_addressable (memory->engine);
}

/* ---- the order of work ---- */

/* A CPU engine's work is done when it is called, so it waits itself. */
static RcStatus
wait_for_event (RcEvent event, RobocacheEngine *event_engine, RobocacheEngine *engine, RcStream stream, RcError *failure)
{
  if (robocache_engine_is_gpu (engine))
    return rc_event_wait (robocache_engine_backend (engine), event, stream, failure);
  return rc_event_synchronize (robocache_engine_backend (event_engine), event, failure);
}

static RcStatus
check_not_lost (const Block *block, RcError *failure)
{
  if (!block->is_lost)
    return RC_OK;
  return rc_error_set (failure, RC_DEVICE_FAILED, "what the CPU wrote to a memory of %" G_GSIZE_FORMAT " bytes did not "
      "get to the device", block->bytes);
}

static RcStatus
wait_for_write (Block *block, RobocacheEngine *engine, RcStream stream, RcError *failure)
{
  const RcStatus status = check_not_lost (block, failure);

  if (status != RC_OK || !block->is_written || (block->writer == engine && block->written_on == stream))
    return status;
  return wait_for_event (block->written, block->event_engine, engine, stream, failure);
}

/* They stay pending until the write that waits is noted: should it not come about, the next one waits too. */
static RcStatus
wait_for_reads (Block *block, RobocacheEngine *engine, RcStream stream, RcError *failure)
{
  RcStatus status = RC_OK;

  for (guint i = 0; i < block->readers->len && status == RC_OK; i++) {
    const Reader *reader = &g_array_index (block->readers, Reader, i);

    if (reader->is_pending && (reader->engine != engine || stream != robocache_engine_stream (engine)))
      status = wait_for_event (reader->event, reader->engine, engine, stream, failure);
  }
  return status;
}

/* As both of the above, for the CPU. Of several devices one may fail and another one still be at work. */
static RcStatus
wait_on_cpu (Block *block, gboolean for_reads, RcError *failure)
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
forget_writer (Block *block)
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
prepare_write_event (Block *block, RobocacheEngine *engine, RcError *failure)
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

/* The write has waited for all reads. Engines that read no more are let go with their devices' resources. */
static void
forget_reads (Block *block)
{
  for (guint i = block->readers->len; i-- > 0;) {
    Reader *reader = &g_array_index (block->readers, Reader, i);

    reader->is_pending = FALSE;
    if (reader->idle_writes++ == IDLE_WRITES)
      g_array_remove_index_fast (block->readers, i);
  }
}

/* Work that no event can tell of is waited for here, so that nobody overtakes it. */
static RcStatus
note_write (Block *block, RobocacheEngine *engine, RcStream stream, RcError *failure)
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

/* Its place in the list; it is there from its first read on. */
static RcStatus
find_reader (Block *block, RobocacheEngine *engine, guint *place, RcError *failure)
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
note_read (Block *block, RobocacheEngine *engine, RcError *failure)
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

gboolean
robocache_memory_begin_read (GstMemory *memory, RobocacheEngine *reader, GError **error)
{
  Block *block = memory_of (memory)->block;
  RcStatus status;
  RcError failure;

  g_mutex_lock (&block->lock);
  status = wait_for_write (block, reader, robocache_engine_stream (reader), &failure);
  g_mutex_unlock (&block->lock);
  return robocache_engine_check (status, &failure, error);
}

gboolean
robocache_memory_end_read (GstMemory *memory, RobocacheEngine *reader, GError **error)
{
  Block *block = memory_of (memory)->block;
  RcStatus status;
  RcError failure;

  g_mutex_lock (&block->lock);
  status = note_read (block, reader, &failure);
  g_mutex_unlock (&block->lock);
  return robocache_engine_check (status, &failure, error);
}

gboolean
robocache_memory_begin_write (GstMemory *memory, RobocacheEngine *writer, GError **error)
{
  Block *block = memory_of (memory)->block;
  const RcStream stream = robocache_engine_stream (writer);
  RcStatus status;
  RcError failure;

  g_mutex_lock (&block->lock);
  block->notes.writer = 0;
  status = wait_for_write (block, writer, stream, &failure);
  if (status == RC_OK)
    status = wait_for_reads (block, writer, stream, &failure);
  g_mutex_unlock (&block->lock);
  return robocache_engine_check (status, &failure, error);
}

gboolean
robocache_memory_end_write (GstMemory *memory, RobocacheEngine *writer, GError **error)
{
  Block *block = memory_of (memory)->block;
  RcStatus status;
  RcError failure;

  g_mutex_lock (&block->lock);
  status = note_write (block, writer, robocache_engine_stream (writer), &failure);
  g_mutex_unlock (&block->lock);
  return robocache_engine_check (status, &failure, error);
}

/* ---- notes ---- */

/* Called with the lock, or when nobody uses the block. Work that uses the notes is part of writes of the block. */
static void
free_notes (RobocacheMemory *memory)
{
  Block *block = memory->block;

  if (block->is_written)
    rc_event_synchronize (robocache_engine_backend (block->event_engine), block->written, NULL);
  robocache_engine_free (memory->engine, RC_MEMORY_DEVICE, block->notes.data, block->notes.bytes);
  block->notes = (Notes) { NULL };
}

gpointer
robocache_memory_take_notes (GstMemory *gst_memory, guint64 writer, gsize bytes, gboolean *is_known)
{
  RobocacheMemory *memory = memory_of (gst_memory);
  Block *block = memory->block;
  Notes *notes = &block->notes;
  gconstpointer of = robocache_memory_data (gst_memory);
  gpointer data;

  g_mutex_lock (&block->lock);
  if (notes->bytes != bytes) {  /* what did not fit is not tried again */
    free_notes (memory);
    notes->data = robocache_engine_alloc (memory->engine, RC_MEMORY_DEVICE, bytes, NULL);
    notes->bytes = bytes;
  }
  *is_known = notes->data && notes->writer == writer && notes->of == of;
  notes->writer = 0;
  notes->of = of;
  data = notes->data;
  g_mutex_unlock (&block->lock);
  return data;
}

void
robocache_memory_leave_notes (GstMemory *memory, guint64 writer)
{
  Block *block = memory_of (memory)->block;

  g_mutex_lock (&block->lock);
  block->notes.writer = writer;
  g_mutex_unlock (&block->lock);
}

/* Nor does a job that is under way leave any. */
static void
forget_notes (Block *block)
{
  g_mutex_lock (&block->lock);
  block->notes.writer = 0;
  block->notes.of = NULL;
  g_mutex_unlock (&block->lock);
}

/* ---- copies ---- */

/* Memory that only another device can read. */
static gboolean
is_elsewhere (const RobocacheMemory *memory, RobocacheEngine *engine)
{
  return robocache_engine_device (memory->engine) != robocache_engine_device (engine) && !cpu_sees (memory)
      && robocache_engine_is_gpu (engine);
}

static gboolean
copy_from_device (GstMemory *memory, gsize offset, gsize bytes, gpointer to, RobocacheEngine *engine, GError **error)
{
  RobocacheEngine *from = robocache_memory_engine (memory);
  const guint8 *data = (const guint8 *) robocache_memory_data (memory) + offset;
  const RcMemoryCopy copy = {.to = to,.from = data,.row_bytes = bytes,.rows = 1 };
  RcStatus status;
  RcError failure;

  if (!robocache_memory_begin_read (memory, engine, error))
    return FALSE;
  if (is_elsewhere (memory_of (memory), engine))
    status = rc_memory_copy_between (robocache_engine_backend (engine), to, robocache_engine_backend (from), data, bytes,
        robocache_engine_stream (engine), &failure);
  else
    status = rc_memory_copy (robocache_engine_backend (engine), &copy, robocache_engine_stream (engine), &failure);
  return robocache_engine_check (status, &failure, error) && robocache_memory_end_read (memory, engine, error);
}

gboolean
robocache_memory_copy_out (GstMemory *memory, gsize offset, gsize bytes, gpointer to, RobocacheEngine *engine,
    GError **error)
{
  RcMemoryCopy copy = {.to = to,.row_bytes = bytes,.rows = 1,.is_read_on_return = TRUE };
  GstMapInfo map;
  RcStatus status;
  RcError failure;

  if (robocache_is_memory (memory) && robocache_engine_is_gpu (robocache_memory_engine (memory))
      && robocache_engine_is_gpu (engine))
    return copy_from_device (memory, offset, bytes, to, engine, error);
  if (!robocache_map_memory (memory, &map, GST_MAP_READ, error))
    return FALSE;
  copy.from = map.data + offset;
  status = rc_memory_copy (robocache_engine_backend (engine), &copy, robocache_engine_stream (engine), &failure);
  gst_memory_unmap (memory, &map);
  return robocache_engine_check (status, &failure, error);
}

/* ---- CPU maps ---- */

/* Called with the lock. The copy is enqueued on the engine's stream for transfers and waited for. */
static RcStatus
download (RobocacheMemory *memory, RcError *failure)
{
  Block *block = memory->block;
  RcBackend *backend = robocache_engine_backend (memory->engine);
  const RcStream stream = robocache_engine_transfer_stream (memory->engine);
  const RcMemoryCopy copy = {.to = block->shadow,.from = block->data,.row_bytes = block->bytes,.rows = 1 };
  RcStatus status = wait_for_write (block, memory->engine, stream, failure);

  if (status == RC_OK)
    status = rc_memory_copy (backend, &copy, stream, failure);
  if (status == RC_OK)
    status = rc_stream_synchronize (backend, stream, failure);
  return status;
}

static RcStatus
upload (RobocacheMemory *memory, RcError *failure)
{
  Block *block = memory->block;
  const RcStream stream = robocache_engine_transfer_stream (memory->engine);
  const RcMemoryCopy copy = {.to = block->data,.from = block->shadow,.row_bytes = block->bytes,.rows = 1 };
  RcStatus status = wait_for_write (block, memory->engine, stream, failure);

  if (status == RC_OK)
    status = wait_for_reads (block, memory->engine, stream, failure);
  if (status == RC_OK)
    status = rc_memory_copy (robocache_engine_backend (memory->engine), &copy, stream, failure);
  if (status == RC_OK)
    status = note_write (block, memory->engine, stream, failure);
  return status;
}

/* The shadow, with what the device has. */
static gpointer
map_shadow (RobocacheMemory *memory)
{
  Block *block = memory->block;
  RcStatus status = RC_OK;
  RcError failure;
  GError *error = NULL;
  gpointer data = NULL;

  g_mutex_lock (&block->lock);
  if (block->shadow == NULL)
    block->shadow = robocache_engine_alloc (memory->engine, RC_MEMORY_PINNED, block->bytes, &error);
  if (block->shadow && block->shadow_maps == 0)
    status = download (memory, &failure);
  if (block->shadow && status == RC_OK) {
    block->shadow_maps++;
    data = block->shadow;
  }
  g_mutex_unlock (&block->lock);
  if (data == NULL)
    GST_ERROR ("%" G_GSIZE_FORMAT " bytes of device memory cannot be mapped: %s", block->bytes,
        error ? error->message : failure.message);
  g_clear_error (&error);
  return data;
}

static gpointer
map (GstMemory *gst_memory, GstMapInfo *info, gsize maxsize)
{
  RobocacheMemory *memory = memory_of (gst_memory);
  RcError failure;

  if (info->flags & GST_MAP_WRITE)
    forget_notes (memory->block);
  if (!(info->flags & ROBOCACHE_MAP_DEVICE) && !cpu_sees (memory))
    return map_shadow (memory);
  if (wait_on_cpu (memory->block, (info->flags & GST_MAP_WRITE) != 0, &failure) == RC_OK)
    return memory->block->data;
  GST_ERROR ("%" G_GSIZE_FORMAT " bytes of device memory cannot be mapped: %s", memory->block->bytes, failure.message);
  return NULL;
}

static void
unmap (GstMemory *gst_memory, GstMapInfo *info)
{
  RobocacheMemory *memory = memory_of (gst_memory);
  Block *block = memory->block;
  RcStatus status = RC_OK;
  RcError failure;

  if (info->flags & GST_MAP_WRITE)      /* a grid may have been made while it was mapped */
    forget_notes (block);
  g_mutex_lock (&block->lock);
  if ((info->flags & ROBOCACHE_MAP_DEVICE) || cpu_sees (memory)) {
    if (info->flags & GST_MAP_WRITE)
      block->is_written = FALSE;        /* what was written is there */
  } else {
    block->shadow_maps--;
    if (info->flags & GST_MAP_WRITE)
      status = upload (memory, &failure);
    block->is_lost |= status != RC_OK;
  }
  g_mutex_unlock (&block->lock);
  if (status != RC_OK)
    GST_ERROR ("what was written to %" G_GSIZE_FORMAT " bytes of device memory did not get there: %s", block->bytes,
        failure.message);
}

/* ---- memories ---- */

static void
clear_reader (gpointer data)
{
  Reader *reader = data;

  rc_event_free (robocache_engine_backend (reader->engine), reader->event);
  robocache_engine_unref (reader->engine);
}

/* Waits for work that still uses the block. */
static void
free_block (RobocacheMemory *memory)
{
  Block *block = memory->block;

  wait_on_cpu (block, TRUE, NULL);
  free_notes (memory);
  forget_writer (block);
  g_array_unref (block->readers);
  if (block->shadow)
    robocache_engine_free (memory->engine, RC_MEMORY_PINNED, block->shadow, block->bytes);
  robocache_engine_free (memory->engine, memory->kind, block->data, block->bytes);
  g_mutex_clear (&block->lock);
  g_free (block);
}

static void
allocator_free (GstAllocator *allocator, GstMemory *gst_memory)
{
  RobocacheMemory *memory = memory_of (gst_memory);

  if (memory->owns_block)
    free_block (memory);
  robocache_engine_unref (memory->engine);
  g_free (memory);
}

/* Called with the allocator's lock. */
static Shelf *
find_shelf (RobocacheAllocator *self, gsize bytes)
{
  for (guint i = 0; i < self->shelves->len; i++) {
    if (g_array_index (self->shelves, Shelf, i).bytes == bytes)
      return &g_array_index (self->shelves, Shelf, i);
  }
  return NULL;
}

/* Called with the lock. Of sizes that keep changing, those that were asked for long ago are kept no more. Returns their
 * blocks, to be freed without the lock. */
static GPtrArray *
add_shelf (RobocacheAllocator *self, gsize bytes)
{
  const Shelf added = { bytes, g_ptr_array_new (), ++self->asked };
  GPtrArray *dropped = NULL;
  guint oldest = 0;

  for (guint i = 1; i < self->shelves->len; i++) {
    if (g_array_index (self->shelves, Shelf, i).asked < g_array_index (self->shelves, Shelf, oldest).asked)
      oldest = i;
  }
  if (self->shelves->len < MAX_SHELVES) {
    g_array_append_val (self->shelves, added);
  } else {
    dropped = g_array_index (self->shelves, Shelf, oldest).idle;
    g_array_index (self->shelves, Shelf, oldest) = added;
  }
  return dropped;
}

static void
free_idle (GPtrArray *idle)
{
  for (guint i = 0; i < idle->len; i++) {
    GstMemory *memory = g_ptr_array_index (idle, i);

    GST_MINI_OBJECT_CAST (memory)->dispose = NULL;
    gst_object_ref (memory->allocator); /* which it gave up when it was put there */
    gst_memory_unref (memory);
  }
  g_ptr_array_unref (idle);
}

/* The last reference is gone: the block goes back to its shelf, with the events of work that may not be done. The shelf
 * holds no reference to the allocator. A block of which a write was lost is not used again. */
static gboolean
dispose_memory (GstMiniObject *object)
{
  GstMemory *gst_memory = GST_MEMORY_CAST (object);
  GstAllocator *allocator = gst_memory->allocator;
  RobocacheAllocator *self = ROBOCACHE_ALLOCATOR (allocator);
  gboolean kept = FALSE;
  Shelf *shelf;

  g_mutex_lock (&self->lock);
  shelf = find_shelf (self, gst_memory->maxsize);
  if (shelf && !memory_of (gst_memory)->block->is_lost) {
    gst_memory_ref (gst_memory);
    gst_memory->offset = 0;
    gst_memory->size = gst_memory->maxsize;
    GST_MINI_OBJECT_FLAGS (object) &= GST_MINI_OBJECT_FLAG_LOCKABLE;
    g_ptr_array_add (shelf->idle, gst_memory);
    kept = TRUE;
  }
  g_mutex_unlock (&self->lock);
  if (kept)
    gst_object_unref (allocator);
  return !kept;
}

static RobocacheMemory *
new_memory (RobocacheAllocator *self, Block *block, GstMemory *parent, GstMemoryFlags flags, gsize offset, gsize size)
{
  RobocacheMemory *memory = g_new0 (RobocacheMemory, 1);

  gst_memory_init (GST_MEMORY_CAST (memory), flags, GST_ALLOCATOR (self), parent, block->bytes, 0, offset, size);
  memory->engine = robocache_engine_ref (self->engine);
  memory->kind = self->kind;
  memory->block = block;
  memory->owns_block = parent == NULL;
  if (parent == NULL)
    GST_MINI_OBJECT_CAST (memory)->dispose = dispose_memory;
  return memory;
}

static GstMemory *
share (GstMemory *gst_memory, gssize offset, gssize size)
{
  GstMemory *parent = gst_memory->parent ? gst_memory->parent : gst_memory;
  const gsize length = size == -1 ? gst_memory->size - offset : (gsize) size;

  return GST_MEMORY_CAST (new_memory (ROBOCACHE_ALLOCATOR (gst_memory->allocator), memory_of (gst_memory)->block, parent,
          GST_MINI_OBJECT_FLAGS (parent) | GST_MINI_OBJECT_FLAG_LOCK_READONLY, gst_memory->offset + offset, length));
}

static GstMemory *
copy (GstMemory *from, gssize offset, gssize size)
{
  const gsize length = size == -1 ? from->size - offset : (gsize) size;
  RobocacheEngine *engine = robocache_memory_engine (from);
  GError *error = NULL;
  GstMemory *to = robocache_allocator_alloc (from->allocator, length, &error);

  if (to && robocache_memory_begin_write (to, engine, &error)
      && copy_from_device (from, offset, length, robocache_memory_data (to), engine, &error)
      && robocache_memory_end_write (to, engine, &error))
    return to;
  GST_ERROR ("%" G_GSIZE_FORMAT " bytes of device memory cannot be copied: %s", length, error->message);
  g_error_free (error);
  if (to)
    gst_memory_unref (to);
  return NULL;
}

/* ---- the allocator ---- */

static GstMemory *
take_idle (RobocacheAllocator *self, gsize bytes)
{
  GPtrArray *dropped = NULL;
  GstMemory *memory = NULL;
  Shelf *shelf;

  g_mutex_lock (&self->lock);
  shelf = find_shelf (self, bytes);
  if (shelf == NULL) {
    dropped = add_shelf (self, bytes);
  } else {
    shelf->asked = ++self->asked;
    if (shelf->idle->len > 0) {
      memory = g_ptr_array_steal_index_fast (shelf->idle, shelf->idle->len - 1);
      gst_object_ref (self);
    }
  }
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&dropped, free_idle);
  robocache_engine_count_pool (self->engine, memory != NULL);
  return memory;
}

GstMemory *
robocache_allocator_alloc (GstAllocator *allocator, gsize bytes, GError **error)
{
  RobocacheAllocator *self = ROBOCACHE_ALLOCATOR (allocator);
  GstMemory *memory = take_idle (self, bytes);
  GError *failure = NULL;
  gpointer data;
  Block *block;

  if (memory)
    return memory;
  data = robocache_engine_alloc (self->engine, self->kind, bytes, &failure);
  if (data == NULL && g_error_matches (failure, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT)) {
    g_clear_error (&failure);
    robocache_allocator_trim (allocator);
    data = robocache_engine_alloc (self->engine, self->kind, bytes, &failure);
  }
  if (data == NULL) {
    g_propagate_error (error, failure);
    return NULL;
  }
  block = g_new0 (Block, 1);
  block->data = data;
  block->bytes = bytes;
  block->readers = g_array_new (FALSE, FALSE, sizeof (Reader));
  g_array_set_clear_func (block->readers, clear_reader);
  g_mutex_init (&block->lock);
  return GST_MEMORY_CAST (new_memory (self, block, NULL, 0, 0, bytes));
}

/* A prefix and padding are bytes more, and are not cleared: flags that promise that are not set. */
static GstMemory *
allocator_alloc (GstAllocator *allocator, gsize size, GstAllocationParams *params)
{
  const guint64 bytes = robocache_bytes_add (robocache_bytes_add (params->prefix, size), params->padding);
  GstMemory *memory;
  GError *error = NULL;

  if (params->align >= ROBOCACHE_ALIGNMENT) {
    GST_ERROR ("a memory aligned to %" G_GSIZE_FORMAT " bytes was asked for; expected at most %u", params->align + 1,
        ROBOCACHE_ALIGNMENT);
    return NULL;
  }
  memory = robocache_allocator_alloc (allocator, bytes, &error);
  if (memory == NULL) {
    GST_ERROR ("%s", error->message);
    g_error_free (error);
    return NULL;
  }
  memory->offset = params->prefix;
  memory->size = size;
  GST_MINI_OBJECT_FLAG_SET (memory, params->flags & GST_MEMORY_FLAG_NO_SHARE);
  return memory;
}

static void
clear_shelf (gpointer data)
{
  free_idle (((Shelf *) data)->idle);
}

void
robocache_allocator_trim (GstAllocator *allocator)
{
  RobocacheAllocator *self = ROBOCACHE_ALLOCATOR (allocator);
  GArray *shelves;

  g_mutex_lock (&self->lock);
  shelves = self->shelves;
  self->shelves = g_array_new (FALSE, FALSE, sizeof (Shelf));
  g_array_set_clear_func (self->shelves, clear_shelf);
  g_mutex_unlock (&self->lock);
  g_array_unref (shelves);
}

GstAllocator *
robocache_allocator_new (RobocacheEngine *engine, RcMemoryKind kind)
{
  RobocacheAllocator *self = gst_object_ref_sink (g_object_new (ROBOCACHE_TYPE_ALLOCATOR, NULL));

  self->engine = robocache_engine_ref (engine);
  self->kind = kind;
  return GST_ALLOCATOR (self);
}

RobocacheEngine *
robocache_allocator_engine (GstAllocator *allocator)
{
  return ROBOCACHE_ALLOCATOR (allocator)->engine;
}

static void
robocache_allocator_dispose (GObject *object)
{
  robocache_allocator_trim (GST_ALLOCATOR (object));
  G_OBJECT_CLASS (robocache_allocator_parent_class)->dispose (object);
}

static void
robocache_allocator_finalize (GObject *object)
{
  RobocacheAllocator *self = ROBOCACHE_ALLOCATOR (object);

  g_array_unref (self->shelves);
  g_clear_pointer (&self->engine, robocache_engine_unref);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (robocache_allocator_parent_class)->finalize (object);
}

static void
robocache_allocator_class_init (RobocacheAllocatorClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = robocache_allocator_dispose;
  G_OBJECT_CLASS (klass)->finalize = robocache_allocator_finalize;
  GST_ALLOCATOR_CLASS (klass)->alloc = allocator_alloc;
  GST_ALLOCATOR_CLASS (klass)->free = allocator_free;
}

static void
robocache_allocator_init (RobocacheAllocator *self)
{
  GstAllocator *allocator = GST_ALLOCATOR (self);

  g_mutex_init (&self->lock);
  self->shelves = g_array_new (FALSE, FALSE, sizeof (Shelf));
  g_array_set_clear_func (self->shelves, clear_shelf);
  allocator->mem_type = MEMORY_TYPE;
  allocator->mem_map_full = map;
  allocator->mem_unmap_full = unmap;
  allocator->mem_share = share;
  allocator->mem_copy = copy;
  GST_OBJECT_FLAG_SET (self, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}
