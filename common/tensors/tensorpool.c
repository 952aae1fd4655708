/* robocache: a pool of buffers with one memory a tensor
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tensorpool.h"

#include "common/device/allocator.h"
#include "common/device/budget.h"

struct _GstRobocacheTensorPool
{
  GstRobocacheStackPool parent;

  RobocacheTensorsInfo info;
  GstAllocator *allocator;
  GstAllocationParams params;
};

G_DEFINE_TYPE (GstRobocacheTensorPool, robocache_tensor_pool, ROBOCACHE_TYPE_STACK_POOL)

/* What the base class calls the size of a buffer is a guint. Larger ones have the greatest there, and the size that their
 * memories have. */
static guint
configured_size (const RobocacheTensorsInfo *info)
{
  return (guint) MIN (robocache_tensors_info_size (info), G_MAXUINT);
}

static gboolean
set_config (GstBufferPool *pool, GstStructure *config)
{
  GstRobocacheTensorPool *self = ROBOCACHE_TENSOR_POOL (pool);
  GstAllocator *allocator = NULL;
  GstCaps *caps = NULL;
  guint min_buffers, max_buffers;

  if (!gst_buffer_pool_config_get_params (config, &caps, NULL, &min_buffers, &max_buffers) || caps == NULL
      || !robocache_tensors_info_from_caps (&self->info, caps, NULL))
    return FALSE;
  gst_buffer_pool_config_get_allocator (config, &allocator, &self->params);
  gst_object_replace ((GstObject **) & self->allocator, (GstObject *) allocator);
  gst_buffer_pool_config_set_params (config, caps, configured_size (&self->info), min_buffers, max_buffers);
  return GST_BUFFER_POOL_CLASS (robocache_tensor_pool_parent_class)->set_config (pool, config);
}

static GstFlowReturn
alloc_buffer (GstBufferPool *pool, GstBuffer **out, GstBufferPoolAcquireParams *acquire)
{
  GstRobocacheTensorPool *self = ROBOCACHE_TENSOR_POOL (pool);
  GstBuffer *buffer = gst_buffer_new ();

  for (guint i = 0; i < self->info.n_tensors; i++) {
    const gsize bytes = robocache_tensor_info_size (&self->info.tensors[i]);
    const gboolean is_ours = self->allocator && ROBOCACHE_IS_ALLOCATOR (self->allocator);
    GstMemory *memory = NULL;

    if (is_ours || robocache_check_free_memory (bytes, "a tensor", NULL))
      memory = gst_allocator_alloc (self->allocator, bytes, &self->params);
    if (memory == NULL) {
      gst_buffer_unref (buffer);
      return GST_FLOW_ERROR;
    }
    gst_buffer_append_memory (buffer, memory);
  }
  *out = buffer;
  return GST_FLOW_OK;
}

/* Memories of which downstream has cut something off are whole again. */
static void
restore_sizes (GstRobocacheTensorPool *self, GstBuffer *buffer)
{
  const gboolean has_all = gst_buffer_n_memory (buffer) == self->info.n_tensors
      && !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_TAG_MEMORY) && gst_buffer_is_all_memory_writable (buffer);

  for (guint i = 0; has_all && i < self->info.n_tensors; i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);

    gst_memory_resize (memory, (gssize) self->params.prefix - (gssize) memory->offset,
        robocache_tensor_info_size (&self->info.tensors[i]));
  }
}

/* The base class would give the last of several memories what another one lacks, and the first one its prefix. */
static void
reset_buffer (GstBufferPool *pool, GstBuffer *buffer)
{
  restore_sizes (ROBOCACHE_TENSOR_POOL (pool), buffer);
  GST_BUFFER_POOL_CLASS (robocache_tensor_pool_parent_class)->reset_buffer (pool, buffer);
  restore_sizes (ROBOCACHE_TENSOR_POOL (pool), buffer);
}

/* In the statistics of the engine whose memory it is. */
static void
count (GstRobocacheStackPool *pool, gboolean was_there)
{
  GstAllocator *allocator = ROBOCACHE_TENSOR_POOL (pool)->allocator;

  if (was_there && allocator && ROBOCACHE_IS_ALLOCATOR (allocator))
    robocache_engine_count_pool (robocache_allocator_engine (allocator), TRUE);
}

static void
finalize (GObject *object)
{
  gst_clear_object (&ROBOCACHE_TENSOR_POOL (object)->allocator);
  G_OBJECT_CLASS (robocache_tensor_pool_parent_class)->finalize (object);
}

static void
robocache_tensor_pool_class_init (GstRobocacheTensorPoolClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
  GST_BUFFER_POOL_CLASS (klass)->set_config = set_config;
  GST_BUFFER_POOL_CLASS (klass)->alloc_buffer = alloc_buffer;
  GST_BUFFER_POOL_CLASS (klass)->reset_buffer = reset_buffer;
  ROBOCACHE_STACK_POOL_CLASS (klass)->count = count;
}

static void
robocache_tensor_pool_init (GstRobocacheTensorPool *self)
{
  gst_allocation_params_init (&self->params);
}

GstBufferPool *
robocache_tensor_pool_new (GstCaps *caps, GstAllocator *allocator, const GstAllocationParams *params, guint min_buffers,
    guint max_buffers, GError **error)
{
  RobocacheTensorsInfo info;
  GstBufferPool *pool;
  GstStructure *config;

  if (!robocache_tensors_info_from_caps (&info, caps, error))
    return NULL;
  pool = gst_object_ref_sink (g_object_new (ROBOCACHE_TYPE_TENSOR_POOL, NULL));
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, configured_size (&info), min_buffers, max_buffers);
  gst_buffer_pool_config_set_allocator (config, allocator, params);
  if (gst_buffer_pool_set_config (pool, config))
    return pool;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "the pool of output buffers refused its configuration");
  gst_object_unref (pool);
  return NULL;
}

guint
robocache_tensor_pool_buffer_size (GstRobocacheTensorPool *pool)
{
  return configured_size (&pool->info);
}
