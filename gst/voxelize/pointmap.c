/* robocache: robocachevoxelize, maps of clouds: a pool of buffers, and caps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "pointmap.h"

#include "common/element/errors.h"
#include "common/points/pointcloudcaps.h"
#include "common/tensors/tensorpool.h"
#include "voxelcaps.h"

void
robocache_point_map_pool_clear (RobocachePointMapPool *maps)
{
  if (maps->pool)
    gst_buffer_pool_set_active (maps->pool, FALSE);
  gst_clear_object (&maps->pool);
  maps->n_points = 0;
}

static GstBufferPool *
new_pool (GstAllocator *allocator, const GstAllocationParams *params, guint64 n_points, GError **error)
{
  RobocacheTensorsInfo tensors = {.n_tensors = 1,.rate_den = 1 };
  GstBufferPool *pool;
  GstCaps *caps;

  robocache_tensor_info_set (&tensors.tensors[0], RC_INT64, &n_points, 1);
  caps = robocache_tensors_info_to_caps (&tensors);
  pool = robocache_tensor_pool_new (caps, allocator, params, 0, 0, error);
  gst_caps_unref (caps);
  if (pool && !gst_buffer_pool_set_active (pool, TRUE)) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED, "the pool of output buffers cannot start");
    gst_clear_object (&pool);
  }
  return pool;
}

/* From a pool of that capacity, which replaces another. */
static GstFlowReturn
acquire (RobocachePointMapPool *maps, GstAllocator *allocator, const GstAllocationParams *params, guint64 capacity,
    GstBuffer **output, GError **error)
{
  if (capacity != maps->n_points) {
    GstBufferPool *pool = new_pool (allocator, params, capacity, error);

    if (pool == NULL)
      return GST_FLOW_ERROR;
    robocache_point_map_pool_clear (maps);
    *maps = (RobocachePointMapPool) {pool, capacity};
  }
  return gst_buffer_pool_acquire_buffer (maps->pool, output, NULL);
}

/* A larger cloud raises the capacity by at least half, or exactly to its size where memory is short. */
GstFlowReturn
robocache_point_map_pool_acquire (RobocachePointMapPool *maps, GstAllocator *allocator,
    const GstAllocationParams *params, guint64 n_points, GstBuffer **output, gsize *bytes, GError **error)
{
  const guint64 needed = MAX (n_points, 1), had = maps->n_points;
  const guint64 capacity = needed <= had ? had : MAX (needed, had + had / 2);
  GstFlowReturn ret = acquire (maps, allocator, params, capacity, output, error);

  if (ret == GST_FLOW_ERROR && capacity > needed) {
    g_clear_error (error);
    ret = acquire (maps, allocator, params, needed, output, error);
  }
  if (ret == GST_FLOW_OK)
    gst_buffer_set_size (*output, (gssize) (n_points * sizeof (gint64)));
  *bytes = maps->n_points * sizeof (gint64);
  return ret;
}

gboolean
robocache_point_map_push_caps (GstPad *srcpad, guint64 old_points, guint64 n_points, GError **error)
{
  GstCaps *current = gst_pad_get_current_caps (srcpad), *caps = robocache_voxel_resize_map (current, n_points);
  const gboolean ok = gst_pad_peer_query_accept_caps (srcpad, caps);

  if (ok)
    gst_pad_push_event (srcpad, gst_event_new_caps (caps));
  else
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "a cloud has %" G_GUINT64_FORMAT " points, and downstream does not "
        "accept a tensor of that length after one of %" G_GUINT64_FORMAT ": send clouds of one size, or accept "
        ROBOCACHE_POINTCLOUD_MEDIA_TYPE, n_points, old_points);
  gst_caps_unref (caps);
  gst_caps_unref (current);
  return ok;
}
