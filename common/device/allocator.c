/* robocache: an allocator of an engine's memory that keeps freed blocks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "allocator.h"

#include "blockmap.h"
#include "budget.h"

#define GST_CAT_DEFAULT (robocache_device_category ())

#define MAX_SHELVES 64          /* sizes of blocks that are kept: more than a sample has tensors */

/* Blocks of one size that nobody uses. */
typedef struct
{
  gsize bytes;
  GPtrArray *idle;              /* of GstMemory */
  guint64 asked;                /* of the last request, in requests of the allocator */
} Shelf;

struct _GstRobocacheAllocator
{
  GstAllocator parent;
  RobocacheEngine *engine;
  RcMemoryKind kind;

  GMutex lock;
  GArray *shelves;              /* of Shelf: sizes that were asked for since the last trim */
  guint64 asked;
};

G_DEFINE_TYPE (GstRobocacheAllocator, robocache_allocator, GST_TYPE_ALLOCATOR)

/* ---- shelves ---- */

/* Called with the allocator's lock. */
static Shelf *
find_shelf (GstRobocacheAllocator *self, gsize bytes)
{
  for (guint i = 0; i < self->shelves->len; i++) {
    if (g_array_index (self->shelves, Shelf, i).bytes == bytes)
      return &g_array_index (self->shelves, Shelf, i);
  }
  return NULL;
}

/* Called with the lock. If sizes keep changing, blocks of sizes that were not requested for long are no longer kept. Returns their
 * blocks, to be freed without the lock. */
static GPtrArray *
add_shelf (GstRobocacheAllocator *self, gsize bytes)
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
  GstMemory *memory = GST_MEMORY_CAST (object);
  GstAllocator *allocator = memory->allocator;
  GstRobocacheAllocator *self = ROBOCACHE_ALLOCATOR (allocator);
  gboolean kept = FALSE;
  Shelf *shelf;

  g_mutex_lock (&self->lock);
  shelf = find_shelf (self, memory->maxsize);
  if (shelf && !robocache_memory_block (memory)->is_lost) {
    gst_memory_ref (memory);
    memory->offset = 0;
    memory->size = memory->maxsize;
    GST_MINI_OBJECT_FLAGS (object) &= GST_MINI_OBJECT_FLAG_LOCKABLE;
    g_ptr_array_add (shelf->idle, memory);
    kept = TRUE;
  }
  g_mutex_unlock (&self->lock);
  if (kept)
    gst_object_unref (allocator);
  return !kept;
}

/* ---- memories ---- */

static GstMemory *
new_memory (GstRobocacheAllocator *self, RobocacheBlock *block, GstMemory *parent, GstMemoryFlags flags, gsize offset, gsize size)
{
  RobocacheMemory *memory = g_new0 (RobocacheMemory, 1);

  gst_memory_init (GST_MEMORY_CAST (memory), flags, GST_ALLOCATOR (self), parent, block->bytes, 0, offset, size);
  memory->block = block;
  if (parent == NULL)
    GST_MINI_OBJECT_CAST (memory)->dispose = dispose_memory;
  return GST_MEMORY_CAST (memory);
}

static void
allocator_free (GstAllocator *allocator, GstMemory *memory)
{
  if (memory->parent == NULL)
    robocache_block_free (robocache_memory_block (memory));
  g_free (memory);
}

static gpointer
map (GstMemory *memory, GstMapInfo *info, gsize maxsize)
{
  return robocache_block_map (robocache_memory_block (memory), memory->allocator, info->flags);
}

static void
unmap (GstMemory *memory, GstMapInfo *info)
{
  robocache_block_unmap (robocache_memory_block (memory), memory->allocator, info->flags);
}

static GstMemory *
share (GstMemory *memory, gssize offset, gssize size)
{
  GstMemory *parent = memory->parent ? memory->parent : memory;
  const gsize length = size == -1 ? memory->size - offset : (gsize) size;

  return new_memory (ROBOCACHE_ALLOCATOR (memory->allocator), robocache_memory_block (memory), parent,
      GST_MINI_OBJECT_FLAGS (parent) | GST_MINI_OBJECT_FLAG_LOCK_READONLY, memory->offset + offset, length);
}

static GstMemory *
copy (GstMemory *from, gssize offset, gssize size)
{
  const gsize length = size == -1 ? from->size - offset : (gsize) size;
  RobocacheEngine *engine = robocache_memory_engine (from);
  GError *error = NULL;
  GstMemory *to = robocache_allocator_alloc (from->allocator, length, &error);

  if (to && robocache_memory_begin_write (to, engine, &error)
      && robocache_memory_copy_out (from, offset, length, robocache_memory_data (to), engine, &error)
      && robocache_memory_end_write (to, engine, &error))
    return to;
  GST_ERROR_OBJECT (from->allocator, "%" G_GSIZE_FORMAT " bytes of device memory cannot be copied: %s", length, error->message);
  g_error_free (error);
  if (to)
    gst_memory_unref (to);
  return NULL;
}

/* ---- the allocator ---- */

static GstMemory *
take_idle (GstRobocacheAllocator *self, gsize bytes)
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
  GstRobocacheAllocator *self = ROBOCACHE_ALLOCATOR (allocator);
  GstMemory *memory = take_idle (self, bytes);
  RobocacheBlock *block;
  GError *failure = NULL;

  if (memory)
    return memory;
  block = robocache_block_new (self->engine, self->kind, bytes, &failure);
  if (block == NULL && g_error_matches (failure, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT)) {
    g_clear_error (&failure);
    robocache_allocator_trim (allocator);
    block = robocache_block_new (self->engine, self->kind, bytes, &failure);
  }
  if (block)
    return new_memory (self, block, NULL, 0, 0, bytes);
  g_propagate_error (error, failure);
  return NULL;
}

/* A prefix and padding are bytes more, and are not cleared: flags that promise that are not set. */
static GstMemory *
allocator_alloc (GstAllocator *allocator, gsize size, GstAllocationParams *params)
{
  const guint64 bytes = robocache_bytes_add (robocache_bytes_add (params->prefix, size), params->padding);
  GstMemory *memory;
  GError *error = NULL;

  if (params->align >= ROBOCACHE_ALIGNMENT) {
    GST_ERROR_OBJECT (allocator, "memory aligned to %" G_GSIZE_FORMAT " bytes was requested; expected at most %u", params->align + 1,
        ROBOCACHE_ALIGNMENT);
    return NULL;
  }
  memory = robocache_allocator_alloc (allocator, bytes, &error);
  if (memory == NULL) {
    GST_ERROR_OBJECT (allocator, "%s", error->message);
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
  GstRobocacheAllocator *self = ROBOCACHE_ALLOCATOR (allocator);
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
  GstRobocacheAllocator *self = gst_object_ref_sink (g_object_new (ROBOCACHE_TYPE_ALLOCATOR, NULL));

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
  GstRobocacheAllocator *self = ROBOCACHE_ALLOCATOR (object);

  g_array_unref (self->shelves);
  g_clear_pointer (&self->engine, robocache_engine_unref);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (robocache_allocator_parent_class)->finalize (object);
}

static void
robocache_allocator_class_init (GstRobocacheAllocatorClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = robocache_allocator_dispose;
  G_OBJECT_CLASS (klass)->finalize = robocache_allocator_finalize;
  GST_ALLOCATOR_CLASS (klass)->alloc = allocator_alloc;
  GST_ALLOCATOR_CLASS (klass)->free = allocator_free;
}

static void
robocache_allocator_init (GstRobocacheAllocator *self)
{
  GstAllocator *allocator = GST_ALLOCATOR (self);

  g_mutex_init (&self->lock);
  self->shelves = g_array_new (FALSE, FALSE, sizeof (Shelf));
  g_array_set_clear_func (self->shelves, clear_shelf);
  allocator->mem_type = ROBOCACHE_MEMORY_TYPE;
  allocator->mem_map_full = map;
  allocator->mem_unmap_full = unmap;
  allocator->mem_share = share;
  allocator->mem_copy = copy;
  GST_OBJECT_FLAG_SET (self, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}
