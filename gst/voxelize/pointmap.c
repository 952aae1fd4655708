/* robocache: robocachevoxelize, buffers for the map of a cloud
 *
 * A cloud has as many points as its buffer holds, and its map as many numbers. So buffers come from a pool that has room for
 * the largest cloud so far, and are cut to size; a steady stream allocates nothing.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "gstrobocachevoxelize.h"

#include "common/device/tensorpool.h"

/* The base class's own, for outputs whose size caps say. */
static GstBaseTransformClass *base_class;

void
gst_robocache_voxelize_clear_map_pool (GstRobocacheVoxelize *self)
{
  if (self->map_pool)
    gst_buffer_pool_set_active (self->map_pool, FALSE);
  gst_clear_object (&self->map_pool);
  self->map_pool_points = 0;
}

/* Of the allocator that decide_allocation chose. */
static GstBufferPool *
new_pool (GstRobocacheVoxelize *self, guint64 n_points, GError **error)
{
  RobocacheTensorsInfo room = {.n_tensors = 1,.rate_den = 1 };
  GstAllocationParams params;
  GstAllocator *allocator;
  GstBufferPool *pool;
  GstCaps *caps;

  robocache_tensor_info_set (&room.tensors[0], RC_INT64, &n_points, 1);
  caps = robocache_tensors_info_to_caps (&room);
  gst_base_transform_get_allocator (GST_BASE_TRANSFORM (self), &allocator, &params);
  pool = robocache_tensor_pool_new (caps, allocator, &params, 0, 0, error);
  gst_clear_object (&allocator);
  gst_caps_unref (caps);
  if (pool && !gst_buffer_pool_set_active (pool, TRUE)) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED, "the pool of output buffers does not start");
    gst_clear_object (&pool);
  }
  return pool;
}

/* A pool keeps to itself why it has no buffer; the allocator tells it to who asks again. Where that one has, it is a pool of
 * downstream. */
static void
set_reason (GstRobocacheVoxelize *self, gsize bytes, GError **error)
{
  GstAllocator *allocator = robocache_device_allocator (&self->device, self->current.job.out_on_device);
  GError *reason = NULL;
  GstMemory *memory = robocache_allocator_alloc (allocator, bytes, &reason);
  const gchar *advice;
  gchar *what;

  if (memory) {
    gst_memory_unref (memory);
    g_set_error (&reason, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "the pool that downstream offers has no "
        "buffer of %" G_GSIZE_FORMAT " bytes", bytes);
  }
  if (!g_error_matches (reason, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT)) {
    g_propagate_error (error, reason);
    return;
  }
  what = gst_robocache_voxelize_describe_output (&self->current.spec, &advice);
  g_set_error (error, reason->domain, reason->code, "%s: %s: %s", what, reason->message, advice);
  g_error_free (reason);
  g_free (what);
}

/* From a pool of buffers for that many points, which may be another than there was. */
static GstFlowReturn
take (GstRobocacheVoxelize *self, guint64 room, GstBuffer **output, GError **error)
{
  GstBufferPool *pool = self->map_pool;
  GstFlowReturn ret;

  if (room != self->map_pool_points) {
    pool = new_pool (self, room, error);
    if (pool == NULL)
      return GST_FLOW_ERROR;
    gst_robocache_voxelize_clear_map_pool (self);
    self->map_pool = pool;
    self->map_pool_points = room;
  }
  ret = gst_buffer_pool_acquire_buffer (pool, output, NULL);
  if (ret == GST_FLOW_ERROR)
    set_reason (self, room * sizeof (gint64), error);
  return ret;
}

/* Clouds are not all of one size, so a larger one brings half as much room again, where there is so much. Where bytes are left
 * over, transform says so. */
static GstFlowReturn
acquire (GstRobocacheVoxelize *self, GstBuffer *input, GstBuffer **output, GError **error)
{
  const guint64 n_points = gst_buffer_get_size (input) / robocache_points_info_point_size (&self->current.points);
  const guint64 least = MAX (n_points, 1), had = self->map_pool_points;
  const guint64 room = least <= had ? had : MAX (least, had + had / 2);
  GstFlowReturn ret = take (self, room, output, error);

  if (ret == GST_FLOW_ERROR && room > least) {
    g_clear_error (error);
    ret = take (self, least, output, error);
  }
  if (ret == GST_FLOW_OK)
    gst_buffer_set_size (*output, (gssize) (n_points * sizeof (gint64)));
  return ret;
}

static GstFlowReturn
gst_robocache_voxelize_prepare_output_buffer (GstBaseTransform *trans, GstBuffer *input, GstBuffer **output)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);
  GError *error = NULL;
  GstFlowReturn ret;

  if (robocache_voxel_maps_cloud (&self->current.points, &self->current.spec)) {
    ret = acquire (self, input, output, &error);
    if (ret == GST_FLOW_OK)
      GST_BASE_TRANSFORM_GET_CLASS (trans)->copy_metadata (trans, input, *output);
  } else {
    ret = base_class->prepare_output_buffer (trans, input, output);
    if (ret == GST_FLOW_ERROR)
      set_reason (self, robocache_tensors_info_size (&self->current.tensors), &error);
  }
  if (error)
    gst_robocache_voxelize_fail (self, error);
  g_clear_error (&error);
  return ret;
}

void
gst_robocache_voxelize_install_map_pool (GstBaseTransformClass *klass)
{
  base_class = g_type_class_peek_parent (klass);
  klass->prepare_output_buffer = gst_robocache_voxelize_prepare_output_buffer;
}
