/* robocache: robocacheresample, buffers out: in memory of its own, or in that which downstream offers
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "output.h"

#include "common/device/budget.h"

/* ---- memory of downstream ---- */

void
gst_robocache_resample_offer_set (GstRobocacheResampleOffer *offer, GstBufferPool *pool, GstAllocator *allocator,
    const GstAllocationParams *params)
{
  gst_robocache_resample_offer_clear (offer);
  if (allocator && GST_OBJECT_FLAG_IS_SET (allocator, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC))
    gst_clear_object (&allocator);
  if (pool && !gst_buffer_pool_set_active (pool, TRUE))
    gst_clear_object (&pool);
  offer->pool = pool;
  offer->allocator = allocator;
  offer->params = *params;
}

void
gst_robocache_resample_offer_clear (GstRobocacheResampleOffer *offer)
{
  gst_clear_object (&offer->pool);
  gst_clear_object (&offer->allocator);
  gst_allocation_params_init (&offer->params);
}

static gboolean
is_offer (const GstRobocacheResampleOffer *offer)
{
  const GstAllocationParams *params = &offer->params;

  return offer->pool || offer->allocator || params->align || params->prefix || params->padding || params->flags;
}

/* A buffer of so many bytes that is mapped for writing. */
static GstFlowReturn
map_offered (const GstRobocacheResampleOffer *offer, gsize bytes, GstBuffer **buffer, GstMapInfo *map, GError **error)
{
  GstFlowReturn flow = GST_FLOW_OK;
  GstAllocationParams params = offer->params;

  *buffer = NULL;
  if (offer->pool)
    flow = gst_buffer_pool_acquire_buffer (offer->pool, buffer, NULL);
  else if (robocache_check_free_memory (bytes, "output", NULL))
    *buffer = gst_buffer_new_allocate (offer->allocator, bytes, &params);
  if (flow != GST_FLOW_OK)
    return flow;
  if (*buffer && gst_buffer_get_size (*buffer) > bytes)
    gst_buffer_set_size (*buffer, (gssize) bytes);
  if (*buffer && gst_buffer_get_size (*buffer) == bytes && gst_buffer_map (*buffer, map, GST_MAP_WRITE))
    return GST_FLOW_OK;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "downstream's %s has no writable memory of %"
      G_GSIZE_FORMAT " bytes", offer->pool ? "buffer pool" : "allocator", bytes);
  gst_clear_buffer (buffer);
  return GST_FLOW_ERROR;
}

GstFlowReturn
gst_robocache_resample_move_to_offer (const GstRobocacheResampleOffer *offer, GstBuffer **buffer, GError **error)
{
  GstBuffer *made = *buffer;
  GstFlowReturn flow;
  GstMapInfo map;

  if (!is_offer (offer))
    return GST_FLOW_OK;
  flow = map_offered (offer, gst_buffer_get_size (made), buffer, &map, error);
  if (flow == GST_FLOW_OK) {
    gst_buffer_extract (made, 0, map.data, map.size);
    gst_buffer_unmap (*buffer, &map);
    gst_buffer_copy_into (*buffer, made, GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  }
  gst_buffer_unref (made);
  return flow;
}

/* ---- the row of a tick ---- */

static GstFlowReturn
new_row_of_cpu (GstRobocacheResampleEngine *engine, const GstRobocacheResampleOffer *offer, const RobocacheHistory *history,
    const RobocacheAlignment *alignment, GstBuffer **buffer, GError **error)
{
  const gsize bytes = engine->format.out_bytes;
  gpointer row = NULL;
  GstMapInfo map;
  gboolean ok;

  if (is_offer (offer)) {
    const GstFlowReturn flow = map_offered (offer, bytes, buffer, &map, error);

    if (flow != GST_FLOW_OK)
      return flow;
    ok = gst_robocache_resample_engine_blend (engine, history, alignment, map.data, error);
    gst_buffer_unmap (*buffer, &map);
  } else {
    /* written first and then wrapped: nothing is as fast for the few bytes of a row */
    row = robocache_try_malloc (bytes, "an output row", error);
    if (row == NULL)
      return GST_FLOW_ERROR;
    ok = gst_robocache_resample_engine_blend (engine, history, alignment, row, error);
    *buffer = gst_buffer_new_wrapped (row, bytes);
  }
  if (!ok)
    gst_clear_buffer (buffer);
  return ok ? GST_FLOW_OK : GST_FLOW_ERROR;
}

static GstMemory *
blend_on_gpu (GstRobocacheResampleEngine *engine, const RobocacheHistory *history, const RobocacheAlignment *alignment,
    GError **error)
{
  RobocacheEngine *active = engine->device->active;
  GstAllocator *allocator = robocache_device_allocator (engine->device, engine->format.out_memory);
  GstMemory *out = robocache_allocator_alloc (allocator, engine->format.out_bytes, error);

  if (out == NULL)
    return NULL;
  if (robocache_memory_begin_write (out, active, error)
      && gst_robocache_resample_engine_blend (engine, history, alignment, robocache_memory_data (out), error)
      && robocache_memory_end_write (out, active, error)
      && (engine->format.out_memory != ROBOCACHE_SYSTEM_MEMORY || robocache_engine_synchronize (active, error)))
    return out;
  robocache_engine_wait_after_failure (active, error);
  gst_memory_unref (out);
  return NULL;
}

static GstFlowReturn
new_row_of_gpu (GstRobocacheResampleEngine *engine, const GstRobocacheResampleOffer *offer, const RobocacheHistory *history,
    const RobocacheAlignment *alignment, GstBuffer **buffer, GError **error)
{
  GError *failure = NULL;
  GstMemory *memory = blend_on_gpu (engine, history, alignment, &failure);

  if (memory == NULL && robocache_device_try_again (engine->device, engine->element, failure)) {
    g_clear_error (&failure);
    memory = blend_on_gpu (engine, history, alignment, &failure);
  }
  if (memory == NULL) {
    g_propagate_error (error, failure);
    return GST_FLOW_ERROR;
  }
  *buffer = gst_buffer_new ();
  gst_buffer_append_memory (*buffer, memory);
  if (robocache_device_move_output (engine->device, engine->element, *buffer, error))
    return gst_robocache_resample_move_to_offer (offer, buffer, error);
  gst_clear_buffer (buffer);
  return GST_FLOW_ERROR;
}

GstFlowReturn
gst_robocache_resample_new_row (GstRobocacheResampleEngine *engine, const GstRobocacheResampleOffer *offer,
    const RobocacheHistory *history, const RobocacheAlignment *alignment, GstBuffer **buffer, GError **error)
{
  *buffer = NULL;
  return gst_robocache_resample_engine_is_gpu (engine)
      ? new_row_of_gpu (engine, offer, history, alignment, buffer, error)
      : new_row_of_cpu (engine, offer, history, alignment, buffer, error);
}
