/* robocache: the buffers of robocachefuse's samples, with their meta
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "samplepool.h"

#include <string.h>

#include "composer.h"

struct _GstRobocacheFusePool
{
  RobocacheStackPool parent;
  gchar *streams;
  gsize info_bytes;
};

G_DEFINE_FINAL_TYPE (GstRobocacheFusePool, gst_robocache_fuse_pool, ROBOCACHE_TYPE_STACK_POOL)

static GstStructure *
sample_structure (GstBuffer *buffer)
{
  return gst_custom_meta_get_structure (gst_buffer_get_custom_meta (buffer, GST_ROBOCACHE_SAMPLE_META));
}

/* Takes bytes. */
static void
put_info (GstStructure *structure, GBytes *bytes)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_BYTES);
  g_value_take_boxed (&value, bytes);
  gst_structure_take_value (structure, "info", &value);
}

static GstFlowReturn
alloc_buffer (GstBufferPool *pool, GstBuffer **buffer, GstBufferPoolAcquireParams *params)
{
  GstRobocacheFusePool *self = GST_ROBOCACHE_FUSE_POOL (pool);
  GstCustomMeta *meta;

  *buffer = gst_buffer_new ();
  meta = gst_buffer_add_custom_meta (*buffer, GST_ROBOCACHE_SAMPLE_META);
  GST_META_FLAG_SET (&meta->meta, GST_META_FLAG_POOLED);
  gst_structure_set (gst_custom_meta_get_structure (meta), "tick", G_TYPE_INT64, G_GINT64_CONSTANT (0),
      "streams", G_TYPE_STRING, self->streams, NULL);
  put_info (gst_custom_meta_get_structure (meta), g_bytes_new_take (g_malloc0 (self->info_bytes), self->info_bytes));
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
gst_robocache_fuse_pool_new (const gchar *streams, gsize info_bytes)
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

/* Bytes that nobody holds any more are written again; those that somebody does are copied. */
static void
set_info (GstStructure *structure, gconstpointer info)
{
  GBytes *bytes = NULL;
  gsize size;
  gpointer data;

  gst_structure_get (structure, "info", G_TYPE_BYTES, &bytes, NULL);
  put_info (structure, NULL);
  data = g_bytes_unref_to_data (bytes, &size);
  memcpy (data, info, size);
  put_info (structure, g_bytes_new_take (data, size));
}

GstBuffer *
gst_robocache_fuse_pool_acquire (GstBufferPool *pool, gint64 tick, gconstpointer info)
{
  GstBuffer *buffer = NULL;
  GstStructure *structure;

  gst_buffer_pool_acquire_buffer (pool, &buffer, NULL);
  structure = sample_structure (buffer);
  gst_structure_set (structure, "tick", G_TYPE_INT64, tick, NULL);
  set_info (structure, info);
  return buffer;
}

GBytes *
gst_robocache_fuse_pool_info (GstBuffer *buffer)
{
  GBytes *bytes = NULL;

  gst_structure_get (sample_structure (buffer), "info", G_TYPE_BYTES, &bytes, NULL);
  return bytes;
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
