/* robocache: outputs in memory:CUDAMemory of gstreamer-cuda
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cudapool.h"

#include "cudacontext.h"

#ifdef HAVE_GSTCUDA

/* The library calls itself unstable: what changed since 1.22 is guarded. */
#define GST_USE_UNSTABLE_API
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>

#include "devicememory.h"
#include "mapping.h"

#define MAX_IDLE 64             /* memories that are kept: more than a sample has tensors */
#define MAX_BYTES (G_MAXINT / 2)        /* of a tensor: pictures count theirs in an int */

/* An allocator, so that copies of its memories have the size of the tensor, and memories keep it. A memory whose last reference goes comes
 * back, and is handed out again. */
struct _GstRobocacheCudaPool
{
  GstCudaAllocator parent;
  GstMemoryCopyFunction copy;   /* the library's */
  RobocacheEngine *engine;
  GstCudaContext *context;      /* of its device */

  GMutex lock;
  gboolean is_open;             /* memories are kept */
  GQueue idle;                  /* of GstMemory */
};

typedef struct
{
  GstCudaAllocatorClass parent_class;
} GstRobocacheCudaPoolClass;

GType robocache_cuda_pool_get_type (void);
G_DEFINE_TYPE (GstRobocacheCudaPool, robocache_cuda_pool, GST_TYPE_CUDA_ALLOCATOR)

/* The name under which a memory of the pool has the bytes of its tensor. */
static GQuark
bytes_quark (void)
{
  return g_quark_from_static_string ("robocache-cuda-bytes");
}

/* Cuts a memory of the library to a part of it. The library makes its copy for the CPU as large as the memory is at the first map, and
 * fills whole pixels: what ends in between has this copy beforehand. */
static gboolean
cut (GstMemory *memory, gsize offset, gsize bytes)
{
  const gsize line_bytes = (gsize) GST_VIDEO_INFO_WIDTH (&GST_CUDA_MEMORY_CAST (memory)->info) * 4;
  GstMapInfo map;

  if (offset != 0 || bytes != line_bytes) {
    if (!gst_memory_map (memory, &map, GST_MAP_READ))
      return FALSE;
    gst_memory_unmap (memory, &map);
  }
  gst_memory_resize (memory, (gssize) offset, bytes);
  GST_MINI_OBJECT_FLAG_SET (memory, GST_MEMORY_FLAG_NO_SHARE);  /* the library cannot */
  return TRUE;
}

/* The library copies all, and forgets where the memory begins and ends. */
static GstMemory *
copy_part (GstMemory *memory, gssize offset, gssize size)
{
  GstMemory *copy = ((GstRobocacheCudaPool *) memory->allocator)->copy (memory, 0, -1);
  const gsize bytes = size < 0 ? memory->size - (gsize) offset : (gsize) size;

  if (copy && !cut (copy, memory->offset + (gsize) offset, bytes))
    g_clear_pointer (&copy, gst_memory_unref);
  return copy;
}

static void
free_memory (gpointer data)
{
  GstMemory *memory = data;

  GST_MINI_OBJECT_CAST (memory)->dispose = NULL;
  gst_memory_unref (memory);
}

/* Called for a memory without references. FALSE: it has one again, the pool's. What somebody cut is not kept. */
static gboolean
give_back (GstMiniObject *object)
{
  GstMemory *memory = GST_MEMORY_CAST (object);
  const gsize bytes = GPOINTER_TO_SIZE (gst_mini_object_get_qdata (object, bytes_quark ()));
  GstRobocacheCudaPool *self = gst_object_ref (memory->allocator);
  gboolean is_kept;

  g_mutex_lock (&self->lock);
  is_kept = self->is_open && self->idle.length < MAX_IDLE && memory->offset == 0 && memory->size == bytes;
  if (is_kept)
    g_queue_push_head (&self->idle, gst_memory_ref (memory));
  g_mutex_unlock (&self->lock);
  gst_object_unref (self);
  return !is_kept;
}

static void
finalize (GObject *object)
{
  GstRobocacheCudaPool *self = (GstRobocacheCudaPool *) object;

  gst_clear_object (&self->context);
  robocache_engine_unref (self->engine);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (robocache_cuda_pool_parent_class)->finalize (object);
}

static void
robocache_cuda_pool_class_init (GstRobocacheCudaPoolClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
robocache_cuda_pool_init (GstRobocacheCudaPool *self)
{
  GstAllocator *allocator = GST_ALLOCATOR_CAST (self);

  g_mutex_init (&self->lock);
  self->is_open = TRUE;
  self->copy = allocator->mem_copy;
  allocator->mem_copy = copy_part;
}

GstRobocacheCudaPool *
robocache_cuda_pool_new (RobocacheEngine *engine, GError **error)
{
  GstObject *context = robocache_cuda_context_get (robocache_engine_device (engine), error);
  GstRobocacheCudaPool *self;

  if (context == NULL)
    return NULL;
  self = gst_object_ref_sink (g_object_new (robocache_cuda_pool_get_type (), NULL));
  self->engine = robocache_engine_ref (engine);
  self->context = (GstCudaContext *) context;
  return self;
}

void
robocache_cuda_pool_free (GstRobocacheCudaPool *self)
{
  GQueue idle;

  g_mutex_lock (&self->lock);
  self->is_open = FALSE;
  idle = self->idle;
  g_queue_init (&self->idle);
  g_mutex_unlock (&self->lock);
  g_queue_clear_full (&idle, free_memory);
  gst_object_unref (self);
}

/* The library has memory for pictures only: a tensor is a line of pixels in RGBA. */
static GstMemory *
new_line (GstRobocacheCudaPool *self, gsize bytes)
{
  GstVideoInfo line;

  gst_video_info_init (&line);
  if (bytes > MAX_BYTES || !gst_video_info_set_format (&line, GST_VIDEO_FORMAT_RGBA, MAX ((guint) (bytes + 3) / 4, 1), 1))
    return NULL;
#if GST_CHECK_VERSION (1, 24, 0)
  return gst_cuda_allocator_alloc (&self->parent, self->context, NULL, &line);
#else
  return gst_cuda_allocator_alloc (&self->parent, self->context, &line);
#endif
}

static GstMemory *
new_memory (GstRobocacheCudaPool *self, gsize bytes, GError **error)
{
  GstMemory *memory = new_line (self, bytes);

  if (memory && !cut (memory, 0, bytes))
    g_clear_pointer (&memory, gst_memory_unref);
  if (memory == NULL) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "gstreamer-cuda cannot allocate %" G_GSIZE_FORMAT
        " bytes for a tensor; device %d has %" G_GUINT64_FORMAT " free: keep fewer outputs, or use memory:RobocacheCUDA", bytes,
        robocache_engine_device (self->engine), robocache_engine_budget (self->engine));
    return NULL;
  }
  gst_mini_object_set_qdata (GST_MINI_OBJECT_CAST (memory), bytes_quark (), GSIZE_TO_POINTER (bytes), NULL);
  GST_MINI_OBJECT_CAST (memory)->dispose = give_back;
  return memory;
}

static GstMemory *
take_idle (GstRobocacheCudaPool *self, gsize bytes)
{
  GstMemory *memory = NULL;

  g_mutex_lock (&self->lock);
  for (GList *link = self->idle.head; link && memory == NULL; link = link->next) {
    if (((GstMemory *) link->data)->size == bytes) {
      memory = link->data;
      g_queue_delete_link (&self->idle, link);
      break;
    }
  }
  g_mutex_unlock (&self->lock);
  return memory;
}

/* Enqueues the copy. */
static GstMemory *
copy_memory (GstRobocacheCudaPool *self, GstMemory *from, GError **error)
{
  GstMemory *copy = take_idle (self, from->size);
  GstMapInfo map;
  gboolean ok;

  if (copy == NULL)
    copy = new_memory (self, from->size, error);
  if (copy == NULL)
    return NULL;
  ok = robocache_map_memory (copy, &map, (GstMapFlags) (GST_MAP_WRITE | GST_MAP_CUDA), error);
  if (ok) {
    ok = robocache_memory_copy_out (from, 0, from->size, map.data, self->engine, error);
    gst_memory_unmap (copy, &map);
  }
  if (!ok)
    g_clear_pointer (&copy, gst_memory_unref);
  return copy;
}

gboolean
robocache_cuda_pool_move (GstRobocacheCudaPool *self, GstBuffer *buffer, GError **error)
{
  const guint n = gst_buffer_n_memory (buffer);
  GPtrArray *copies = g_ptr_array_new ();
  GError *failure = NULL;
  gboolean ok;

  for (guint i = 0; i < n && failure == NULL; i++) {
    GstMemory *copy = copy_memory (self, gst_buffer_peek_memory (buffer, i), &failure);

    if (copy)
      g_ptr_array_add (copies, copy);
  }
  if (failure)
    robocache_engine_wait_after_failure (self->engine, &failure);
  else
    robocache_engine_synchronize (self->engine, &failure);
  ok = failure == NULL;
  if (ok)
    gst_buffer_remove_all_memory (buffer);
  else
    g_propagate_error (error, failure);
  for (guint i = 0; i < copies->len; i++) {
    if (ok)
      gst_buffer_append_memory (buffer, copies->pdata[i]);
    else
      gst_memory_unref (copies->pdata[i]);
  }
  g_ptr_array_unref (copies);
  return ok;
}

#else

/* A pool is made for caps with the memory, which such a build does not offer. */
GstRobocacheCudaPool *
robocache_cuda_pool_new (RobocacheEngine *engine, GError **error)
{
  robocache_cuda_context_get (robocache_engine_device (engine), error);
  return NULL;
}

void
robocache_cuda_pool_free (GstRobocacheCudaPool *pool)
{
}

gboolean
robocache_cuda_pool_move (GstRobocacheCudaPool *pool, GstBuffer *buffer, GError **error)
{
  return FALSE;
}

#endif
