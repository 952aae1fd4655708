/* robocache: memory:CUDAMemory of gstreamer-cuda: camera frames that come in it, and tensors that leave in it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cudamemory.h"

gboolean
robocache_cuda_memory_is_built (void)
{
#ifdef HAVE_GSTCUDA
  return TRUE;
#else
  return FALSE;
#endif
}

#ifdef HAVE_GSTCUDA

/* The library calls itself unstable; nothing below changed from 1.22 on. */
#define GST_USE_UNSTABLE_API
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>

#include "common/device/devicememory.h"
#include "common/device/mapping.h"
#include "videoplanes.h"

gboolean
robocache_cuda_memory_is_supported (void)
{
  return gst_cuda_load_library ();
}

/* ---- frames that come ---- */

gboolean
robocache_is_cuda_frame (GstBuffer *buffer)
{
  return gst_buffer_n_memory (buffer) == 1 && gst_is_cuda_memory (gst_buffer_peek_memory (buffer, 0));
}

gboolean
robocache_cuda_frame_is_whole (GstBuffer *frame, const GstVideoInfo *video)
{
  const GstVideoInfo *info = &GST_CUDA_MEMORY_CAST (gst_buffer_peek_memory (frame, 0))->info;

  return GST_VIDEO_INFO_FORMAT (info) == GST_VIDEO_INFO_FORMAT (video)
      && GST_VIDEO_INFO_WIDTH (info) == GST_VIDEO_INFO_WIDTH (video)
      && GST_VIDEO_INFO_HEIGHT (info) == GST_VIDEO_INFO_HEIGHT (video);
}

/* Until 1.24 producers wait for their stream before they hand a frame on. */
void
robocache_cuda_frame_wait (GstBuffer *frame)
{
#if GST_CHECK_VERSION (1, 24, 0)
  gst_cuda_memory_sync (GST_CUDA_MEMORY_CAST (gst_buffer_peek_memory (frame, 0)));
#endif
}

/* Mapped for the device, a frame that was last written by the CPU goes up first. */
gboolean
robocache_cuda_frame_copy (GstBuffer *frame, const GstVideoInfo *video, gpointer to, RobocacheEngine *engine, GError **error)
{
  GstMemory *memory = gst_buffer_peek_memory (frame, 0);
  GstCudaMemory *cuda = GST_CUDA_MEMORY_CAST (memory);
  guint8 *line = to;
  GstMapInfo map;
  RcStatus status = RC_OK;
  RcError failure;

  if (!robocache_map_memory (memory, &map, (GstMapFlags) (GST_MAP_READ | GST_MAP_CUDA), error))
    return FALSE;
  for (guint p = 0; status == RC_OK && p < GST_VIDEO_INFO_N_PLANES (video); p++) {
    const RobocachePlane plane = robocache_video_plane (video, p);
    const RcMemoryCopy copy = {.to = line,.to_stride = (gint64) plane.line_bytes,.row_bytes = plane.line_bytes,.rows = plane.n_lines,
      .from = map.data + GST_VIDEO_INFO_PLANE_OFFSET (&cuda->info, p),.from_stride = GST_VIDEO_INFO_PLANE_STRIDE (&cuda->info, p),
      .from_context = gst_cuda_context_get_handle (cuda->context)
    };

    status = rc_memory_copy (robocache_engine_backend (engine), &copy, robocache_engine_stream (engine), &failure);
    line += plane.line_bytes * plane.n_lines;
  }
  gst_memory_unmap (memory, &map);
  return robocache_engine_check (status, &failure, error);
}

/* ---- tensors that leave ---- */

#define MAX_IDLE 64             /* memories that are kept: more than a sample has tensors */
#define MAX_BYTES (G_MAXINT / 2)        /* of a tensor: pictures count theirs in an int */

/* Memories hold it, too. Each comes back when its last reference goes, and is handed out again. */
struct _RobocacheCudaPool
{
  gatomicrefcount references;
  RobocacheEngine *engine;      /* the context's */
  GstCudaContext *context;

  GMutex lock;
  gboolean is_open;             /* memories are kept */
  GQueue idle;                  /* of GstMemory; the one used last comes first */
};

/* What a memory was made as. */
typedef struct
{
  RobocacheCudaPool *pool;
  gsize bytes;
} Origin;

static GQuark
origin_quark (void)
{
  return g_quark_from_static_string ("RobocacheCudaPool");
}

static void
pool_unref (RobocacheCudaPool *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  gst_object_unref (self->context);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static void
origin_free (gpointer data)
{
  pool_unref (((Origin *) data)->pool);
  g_free (data);
}

static void
free_memory (gpointer data)
{
  GstMemory *memory = data;

  GST_MINI_OBJECT_CAST (memory)->dispose = NULL;
  gst_memory_unref (memory);
}

/* Called for a memory without references. FALSE: it has one again, the pool's, and is whole where downstream cut something off. */
static gboolean
give_back (GstMiniObject *object)
{
  const Origin *origin = gst_mini_object_get_qdata (object, origin_quark ());
  RobocacheCudaPool *self = origin->pool;
  GstMemory *memory = GST_MEMORY_CAST (object), *dropped = NULL;
  gboolean is_open;

  g_mutex_lock (&self->lock);
  is_open = self->is_open;
  if (is_open) {
    gst_memory_resize (memory, -(gssize) memory->offset, origin->bytes);
    g_queue_push_head (&self->idle, gst_memory_ref (memory));
    if (self->idle.length > MAX_IDLE)
      dropped = g_queue_pop_tail (&self->idle);
  }
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&dropped, free_memory);
  return !is_open;
}

/* The context, and so each memory of it, keeps the engine, without which the primary context may go. */
static GstCudaContext *
wrap_context (RobocacheEngine *engine)
{
  GstCudaContext *context;

  if (!gst_cuda_load_library ())
    return NULL;
  gst_cuda_memory_init_once ();
  context = gst_cuda_context_new_wrapped (rc_backend_context (robocache_engine_backend (engine)), robocache_engine_device (engine));
  if (context)
    g_object_set_data_full (G_OBJECT (context), "robocache-engine", robocache_engine_ref (engine),
        (GDestroyNotify) robocache_engine_unref);
  return context;
}

RobocacheCudaPool *
robocache_cuda_pool_new (RobocacheEngine *engine, GError **error)
{
  GstCudaContext *context = wrap_context (engine);
  RobocacheCudaPool *self;

  if (context == NULL) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, "gstreamer-cuda cannot use GPU %d: GST_DEBUG=cuda*:2 says why",
        robocache_engine_device (engine));
    return NULL;
  }
  self = g_new0 (RobocacheCudaPool, 1);
  g_atomic_ref_count_init (&self->references);
  g_mutex_init (&self->lock);
  self->engine = engine;
  self->context = context;
  self->is_open = TRUE;
  return self;
}

void
robocache_cuda_pool_free (RobocacheCudaPool *self)
{
  GQueue idle;

  g_mutex_lock (&self->lock);
  self->is_open = FALSE;
  idle = self->idle;
  g_queue_init (&self->idle);
  g_mutex_unlock (&self->lock);
  g_queue_clear_full (&idle, free_memory);
  pool_unref (self);
}

/* The library knows memory of pictures alone: a tensor is a line of pixels in RGBA, the last of which may be longer. The library makes
 * its copy for the CPU as large as the memory is at the first map, and fills it with whole pixels. */
static GstMemory *
new_line (RobocacheCudaPool *self, gsize bytes)
{
  GstAllocator *allocator = gst_allocator_find (GST_CUDA_MEMORY_TYPE_NAME);
  GstMemory *memory = NULL;
  GstVideoInfo line;
  GstMapInfo map;

  gst_video_info_init (&line);
  if (allocator && gst_video_info_set_format (&line, GST_VIDEO_FORMAT_RGBA, MAX ((guint) (bytes + 3) / 4, 1), 1)) {
#if GST_CHECK_VERSION (1, 24, 0)
    memory = gst_cuda_allocator_alloc (GST_CUDA_ALLOCATOR_CAST (allocator), self->context, NULL, &line);
#else
    memory = gst_cuda_allocator_alloc (GST_CUDA_ALLOCATOR_CAST (allocator), self->context, &line);
#endif
  }
  gst_clear_object (&allocator);
  if (memory && bytes % 4 != 0) {
    if (gst_memory_map (memory, &map, GST_MAP_READ))
      gst_memory_unmap (memory, &map);
    else
      g_clear_pointer (&memory, gst_memory_unref);
  }
  if (memory)
    gst_memory_resize (memory, 0, bytes);
  return memory;
}

static GstMemory *
new_memory (RobocacheCudaPool *self, gsize bytes, GError **error)
{
  GstMemory *memory;
  Origin *origin;

  if (bytes > MAX_BYTES) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "a tensor of %" G_GSIZE_FORMAT " bytes is larger than "
        "memory:CUDAMemory can be: use memory:RobocacheCUDA", bytes);
    return NULL;
  }
  memory = new_line (self, bytes);
  if (memory == NULL) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "gstreamer-cuda has no memory for a tensor of %"
        G_GSIZE_FORMAT " bytes on GPU %d", bytes, robocache_engine_device (self->engine));
    return NULL;
  }
  origin = g_new (Origin, 1);
  *origin = (Origin) { self, bytes };
  g_atomic_ref_count_inc (&self->references);
  gst_mini_object_set_qdata (GST_MINI_OBJECT_CAST (memory), origin_quark (), origin, origin_free);
  GST_MINI_OBJECT_CAST (memory)->dispose = give_back;
  return memory;
}

static GstMemory *
take_idle (RobocacheCudaPool *self, gsize bytes)
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
copy_memory (RobocacheCudaPool *self, GstMemory *from, GError **error)
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
robocache_cuda_pool_move (RobocacheCudaPool *self, GstBuffer *buffer, GError **error)
{
  const guint n = gst_buffer_n_memory (buffer);
  GPtrArray *copies = g_ptr_array_new ();
  GstMemory *copy = NULL;
  gboolean ok = TRUE;

  for (guint i = 0; i < n && ok; i++) {
    copy = copy_memory (self, gst_buffer_peek_memory (buffer, i), error);
    ok = copy != NULL;
    if (ok)
      g_ptr_array_add (copies, copy);
  }
  /* what was enqueued before a failure, too, is done before its memory is used again */
  ok = robocache_engine_synchronize (self->engine, ok ? error : NULL) && ok;
  if (ok)
    gst_buffer_remove_all_memory (buffer);
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

gboolean
robocache_cuda_memory_is_supported (void)
{
  return FALSE;
}

gboolean
robocache_is_cuda_frame (GstBuffer *buffer)
{
  return FALSE;
}

gboolean
robocache_cuda_frame_is_whole (GstBuffer *frame, const GstVideoInfo *video)
{
  return FALSE;
}

void
robocache_cuda_frame_wait (GstBuffer *frame)
{
}

gboolean
robocache_cuda_frame_copy (GstBuffer *frame, const GstVideoInfo *video, gpointer to, RobocacheEngine *engine, GError **error)
{
  g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, "this build does not support frames in memory:CUDAMemory");
  return FALSE;
}

/* A pool is made for caps with the memory, which such a build does not offer. */
RobocacheCudaPool *
robocache_cuda_pool_new (RobocacheEngine *engine, GError **error)
{
  g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, "this build does not support tensors in memory:CUDAMemory");
  return NULL;
}

void
robocache_cuda_pool_free (RobocacheCudaPool *pool)
{
}

gboolean
robocache_cuda_pool_move (RobocacheCudaPool *pool, GstBuffer *buffer, GError **error)
{
  return FALSE;
}

#endif
