/* robocache: the buffers of robocachefuse's samples, with their meta
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "samplepool.h"

#include "robocache/robocache.h"
#include "samplemeta.h"

struct _GstRobocacheFusePool
{
  GstRobocacheStackPool parent;
  gchar *streams;
  gsize info_bytes;
};

G_DEFINE_TYPE (GstRobocacheFusePool, gst_robocache_fuse_pool, ROBOCACHE_TYPE_STACK_POOL)

static GstFlowReturn
alloc_buffer (GstBufferPool *pool, GstBuffer **buffer, GstBufferPoolAcquireParams *params)
{
  GstRobocacheFusePool *self = GST_ROBOCACHE_FUSE_POOL (pool);
  gpointer info = g_malloc0 (self->info_bytes);

  *buffer = gst_buffer_new ();
  fuse_sample_init (*buffer, self->streams, 0, info, self->info_bytes);
  GST_META_FLAG_SET (&gst_buffer_get_custom_meta (*buffer, ROBOCACHE_SAMPLE_META)->meta, GST_META_FLAG_POOLED);
  g_free (info);
  return GST_FLOW_OK;
}

static void
reset_buffer (GstBufferPool *pool, GstBuffer *buffer)
{
  gst_buffer_remove_all_memory (buffer);
  GST_BUFFER_POOL_CLASS (gst_robocache_fuse_pool_parent_class)->reset_buffer (pool, buffer);
  GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_TAG_MEMORY);
}

GstBufferPool *
fuse_sample_pool_new (const gchar *streams, gsize info_bytes)
{
  GstRobocacheFusePool *self = gst_object_ref_sink (g_object_new (GST_TYPE_ROBOCACHE_FUSE_POOL, NULL));
  GstStructure *config = gst_buffer_pool_get_config (GST_BUFFER_POOL (self));

  self->streams = g_strdup (streams);
  self->info_bytes = info_bytes;
  gst_buffer_pool_config_set_params (config, NULL, 0, 0, 0);
  gst_buffer_pool_set_config (GST_BUFFER_POOL (self), config);
  gst_buffer_pool_set_active (GST_BUFFER_POOL (self), TRUE);
  return GST_BUFFER_POOL (self);
}

GstBuffer *
fuse_sample_pool_acquire (GstBufferPool *pool, gint64 tick, gconstpointer info)
{
  GstBuffer *buffer = NULL;

  gst_buffer_pool_acquire_buffer (pool, &buffer, NULL);
  fuse_sample_update (buffer, tick, info);
  return buffer;
}

static void
finalize (GObject *object)
{
  GstRobocacheFusePool *self = GST_ROBOCACHE_FUSE_POOL (object);

  g_free (self->streams);
  G_OBJECT_CLASS (gst_robocache_fuse_pool_parent_class)->finalize (object);
}

static void
gst_robocache_fuse_pool_class_init (GstRobocacheFusePoolClass *klass)
{
  GstBufferPoolClass *pool_class = GST_BUFFER_POOL_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  pool_class->alloc_buffer = alloc_buffer;
  pool_class->reset_buffer = reset_buffer;
}

static void
gst_robocache_fuse_pool_init (GstRobocacheFusePool *self)
{
}
