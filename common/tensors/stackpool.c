/* robocache: a pool of buffers without a fixed number
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "stackpool.h"

typedef struct
{
  gboolean bounded;             /* as configured */
  guint min_buffers;            /* likewise */
  GMutex lock;
  GPtrArray *idle;              /* of GstBuffer; guarded by lock */
} GstRobocacheStackPoolPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (GstRobocacheStackPool, robocache_stack_pool, GST_TYPE_BUFFER_POOL)

static GstRobocacheStackPoolPrivate *
private_of (GstBufferPool *pool)
{
  return robocache_stack_pool_get_instance_private (ROBOCACHE_STACK_POOL (pool));
}

static GstBufferPoolClass *
base_class (void)
{
  return GST_BUFFER_POOL_CLASS (robocache_stack_pool_parent_class);
}

static gboolean
set_config (GstBufferPool *pool, GstStructure *config)
{
  GstCaps *caps = NULL;
  guint size, min_buffers, max_buffers;

  if (!gst_buffer_pool_config_get_params (config, &caps, &size, &min_buffers, &max_buffers))
    return FALSE;
  private_of (pool)->bounded = max_buffers > 0;
  private_of (pool)->min_buffers = min_buffers;
  return base_class ()->set_config (pool, config);
}

/* One that came back. Its memory may have been put into a buffer of somebody else's since. */
static GstBuffer *
take_idle (GstRobocacheStackPoolPrivate *priv)
{
  GstBuffer *buffer = NULL;

  do {
    gst_clear_buffer (&buffer);
    g_mutex_lock (&priv->lock);
    if (priv->idle->len > 0)
      buffer = g_ptr_array_steal_index_fast (priv->idle, priv->idle->len - 1);
    g_mutex_unlock (&priv->lock);
  } while (buffer && !gst_buffer_is_all_memory_writable (buffer));
  return buffer;
}

static GstFlowReturn
acquire_buffer (GstBufferPool *pool, GstBuffer **buffer, GstBufferPoolAcquireParams *params)
{
  GstRobocacheStackPoolPrivate *priv = private_of (pool);
  GstRobocacheStackPoolClass *klass = ROBOCACHE_STACK_POOL_GET_CLASS (pool);
  GstFlowReturn ret = GST_FLOW_OK;

  if (priv->bounded)
    return base_class ()->acquire_buffer (pool, buffer, params);
  if (GST_BUFFER_POOL_IS_FLUSHING (pool))
    return GST_FLOW_FLUSHING;
  *buffer = take_idle (priv);
  if (klass->count)
    klass->count (ROBOCACHE_STACK_POOL (pool), *buffer != NULL);
  if (*buffer == NULL)
    ret = GST_BUFFER_POOL_CLASS (klass)->alloc_buffer (pool, buffer, params);
  if (ret == GST_FLOW_OK)       /* the memory belongs to the pool: the flag only marks memory that others put in its place */
    GST_BUFFER_FLAG_UNSET (*buffer, GST_BUFFER_FLAG_TAG_MEMORY);
  return ret;
}

/* As the base class: what somebody else still holds, or has put in another's place, is not used again. */
static void
release_buffer (GstBufferPool *pool, GstBuffer *buffer)
{
  GstRobocacheStackPoolPrivate *priv = private_of (pool);

  if (priv->bounded) {
    base_class ()->release_buffer (pool, buffer);
    return;
  }
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_TAG_MEMORY) || !gst_buffer_is_all_memory_writable (buffer)) {
    gst_buffer_unref (buffer);
    return;
  }
  g_mutex_lock (&priv->lock);
  g_ptr_array_add (priv->idle, buffer);
  g_mutex_unlock (&priv->lock);
}

/* Makes the buffers that the configuration asks for beforehand. The base class would keep them where only it looks. */
static gboolean
start (GstBufferPool *pool)
{
  GstRobocacheStackPoolPrivate *priv = private_of (pool);
  GstBuffer *buffer;

  if (priv->bounded)
    return base_class ()->start (pool);
  for (guint i = 0; i < priv->min_buffers; i++) {
    if (GST_BUFFER_POOL_GET_CLASS (pool)->alloc_buffer (pool, &buffer, NULL) != GST_FLOW_OK)
      return FALSE;
    g_mutex_lock (&priv->lock);
    g_ptr_array_add (priv->idle, buffer);
    g_mutex_unlock (&priv->lock);
  }
  return TRUE;
}

static gboolean
stop (GstBufferPool *pool)
{
  GstRobocacheStackPoolPrivate *priv = private_of (pool);
  GPtrArray *idle;

  g_mutex_lock (&priv->lock);
  idle = priv->idle;
  priv->idle = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);
  g_mutex_unlock (&priv->lock);
  g_ptr_array_unref (idle);
  return base_class ()->stop (pool);
}

static void
robocache_stack_pool_finalize (GObject *object)
{
  GstRobocacheStackPoolPrivate *priv = private_of (GST_BUFFER_POOL (object));

  g_ptr_array_unref (priv->idle);
  g_mutex_clear (&priv->lock);
  G_OBJECT_CLASS (robocache_stack_pool_parent_class)->finalize (object);
}

static void
robocache_stack_pool_class_init (GstRobocacheStackPoolClass *klass)
{
  GstBufferPoolClass *pool_class = GST_BUFFER_POOL_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = robocache_stack_pool_finalize;
  pool_class->set_config = set_config;
  pool_class->acquire_buffer = acquire_buffer;
  pool_class->release_buffer = release_buffer;
  pool_class->start = start;
  pool_class->stop = stop;
}

static void
robocache_stack_pool_init (GstRobocacheStackPool *self)
{
  GstRobocacheStackPoolPrivate *priv = robocache_stack_pool_get_instance_private (self);

  g_mutex_init (&priv->lock);
  priv->idle = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);
}
