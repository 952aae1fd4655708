/* robocache: robocachevoxelize, buffers: ALLOCATION queries, and the memories of an output that kernels write
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "allocation.h"

#include "common/tensors/tensorpool.h"

GST_DEBUG_CATEGORY_EXTERN (gst_robocache_voxelize_debug);
#define GST_CAT_DEFAULT gst_robocache_voxelize_debug

/* ---- downstream ---- */

/* A GPU writes its own memory. The CPU writes what downstream asks for, or else the engine's, which carries occupancy stamps but
 * clears no prefix and no padding. */
static GstAllocator *
choose_allocator (const RobocacheVoxelizeConfiguration *current, RobocacheDevice *device, GstQuery *query,
    GstAllocationParams *params)
{
  GstAllocator *allocator = NULL;

  gst_allocation_params_init (params);
  if (robocache_engine_is_gpu (robocache_voxelizer_engine (current->voxelizer))) {
    allocator = robocache_device_allocator (device, current->job.out_memory);
    robocache_allocator_trim (allocator);
    return gst_object_ref (allocator);
  }
  if (gst_query_get_n_allocation_params (query) > 0)
    gst_query_parse_nth_allocation_param (query, 0, &allocator, params);
  if (allocator == NULL && params->flags == 0 && params->align < ROBOCACHE_ALIGNMENT)
    allocator = gst_object_ref (robocache_device_allocator (device, ROBOCACHE_SYSTEM_MEMORY));
  return allocator;
}

static gboolean
set_pool (GstQuery *query, GstAllocator *allocator, const GstAllocationParams *params, GError **error)
{
  guint min_buffers = 0, size;
  GstBufferPool *pool;
  GstCaps *caps;

  if (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_parse_nth_allocation_pool (query, 0, NULL, NULL, &min_buffers, NULL);
  gst_query_parse_allocation (query, &caps, NULL);
  pool = robocache_tensor_pool_new (caps, allocator, params, min_buffers, 0, error);
  if (pool == NULL)
    return FALSE;
  size = robocache_tensor_pool_buffer_size (ROBOCACHE_TENSOR_POOL (pool));
  if (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_set_nth_allocation_pool (query, 0, pool, size, min_buffers, 0);
  else
    gst_query_add_allocation_pool (query, pool, size, min_buffers, 0);
  gst_object_unref (pool);
  return TRUE;
}

gboolean
robocache_voxelize_decide_allocation (const RobocacheVoxelizeConfiguration *current, RobocacheDevice *device, GstElement *element,
    GstQuery *query, GError **error)
{
  GstAllocationParams params;
  GstAllocator *allocator = choose_allocator (current, device, query, &params);
  gboolean ok = TRUE;

  if (gst_query_get_n_allocation_params (query) > 0)
    gst_query_set_nth_allocation_param (query, 0, allocator, &params);
  else
    gst_query_add_allocation_param (query, allocator, &params);
  if (!robocache_voxel_maps_cloud (&current->points, &current->spec))
    ok = set_pool (query, allocator, &params, error);
  else
    while (gst_query_get_n_allocation_pools (query) > 0)
      gst_query_remove_nth_allocation_pool (query, 0);
  GST_INFO_OBJECT (element, "outputs are in memory of %" GST_PTR_FORMAT ", of the %s", allocator,
      robocache_engine_is_gpu (robocache_voxelizer_engine (current->voxelizer)) ? "GPU" : "CPU or downstream");
  gst_clear_object (&allocator);
  return ok;
}

GError *
robocache_voxelize_explain_no_output (const RobocacheVoxelizeConfiguration *current, RobocacheDevice *device, gsize bytes)
{
  GError *reason = NULL, *error = NULL;
  GstMemory *memory = robocache_allocator_alloc (robocache_device_allocator (device, current->job.out_memory), bytes,
      &reason);
  const gchar *advice;
  gchar *what;

  if (memory) {
    gst_memory_unref (memory);
    g_set_error (&reason, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "downstream's pool has no buffer of %"
        G_GSIZE_FORMAT " bytes", bytes);
  }
  if (!g_error_matches (reason, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT))
    return reason;
  what = robocache_voxelize_describe_output (&current->spec, &advice);
  g_set_error (&error, reason->domain, reason->code, "%s: %s: %s", what, reason->message, advice);
  g_error_free (reason);
  g_free (what);
  return error;
}

/* ---- upstream ---- */

void
robocache_voxelize_propose_allocation (const RobocacheVoxelizeConfiguration *current, RobocacheDevice *device,
    GstElement *element, GstQuery *query)
{
  const RobocachePointsInfo *points = &current->points;
  /* a full window and one to fill; an incremental window also holds the cloud that leaves it */
  const guint n_clouds = current->accumulate + (current->spec.accumulates ? 2 : 1);

  if (current->voxelizer == NULL)
    return;
  GST_DEBUG_OBJECT (element, "proposes memory for %u clouds: %u of a window, and those that enter and leave it", n_clouds, current->accumulate);
  if (current->job.in_on_device) {
    robocache_device_propose (device, query, n_clouds);
  } else if (points->kind == ROBOCACHE_POINTS_DEPTH) {
    if (!points->is_float_depth)
      gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
    gst_query_add_allocation_pool (query, NULL, (guint) GST_VIDEO_INFO_SIZE (&points->video), n_clouds, 0);
  } else if (points->kind == ROBOCACHE_POINTS_TENSOR) {
    gst_query_add_allocation_pool (query, NULL,
        (guint) (points->n_points * points->n_items * robocache_points_info_point_size (points)), n_clouds, 0);
  }
  if (!current->job.in_on_device && points->kind != ROBOCACHE_POINTS_DEPTH)
    robocache_device_propose_pinned (device, element, query);
}

/* ---- the memories of an output ---- */

/* A map of a cloud has one number per point, so its size is known only from the buffer. */
static RobocacheTensorsInfo
tensors_of (const RobocacheVoxelizeConfiguration *current, GstBuffer *output)
{
  const guint64 n = gst_buffer_get_size (output) / sizeof (gint64);
  RobocacheTensorsInfo tensors = current->tensors;

  if (n > 0 && robocache_voxel_maps_cloud (&current->points, &current->spec)) {
    tensors.n_tensors = 1;
    robocache_tensor_info_set (&tensors.tensors[0], RC_INT64, &n, 1);
  }
  return tensors;
}

/* A GPU writes to any memory, through its own if need be. */
static gboolean
is_in_place (const RobocacheVoxelizeConfiguration *current, GstBuffer *output, const RobocacheTensorsInfo *tensors)
{
  RobocacheEngine *engine = robocache_voxelizer_engine (current->voxelizer);
  gboolean in_place = gst_buffer_n_memory (output) == tensors->n_tensors;

  if (robocache_engine_is_gpu (engine) || tensors->n_tensors == 0)
    return TRUE;
  for (guint i = 0; i < tensors->n_tensors && in_place; i++) {
    const GstMemory *memory = gst_buffer_peek_memory (output, i);

    in_place = memory->size == robocache_tensor_info_size (&tensors->tensors[i])
        && robocache_memory_reach (memory, 0, engine);
  }
  return in_place;
}

gboolean
robocache_voxelize_find_output (const RobocacheVoxelizeConfiguration *current, GstBuffer *output,
    RobocacheTensorsMap *map, RobocacheVoxelPlace *place, GError **error)
{
  const RobocacheTensorsInfo tensors = tensors_of (current, output);
  const gboolean in_place = is_in_place (current, output, &tensors);

  *place = (RobocacheVoxelPlace) {.n_outputs = tensors.n_tensors };
  if (!in_place && !robocache_tensors_map (map, output, &tensors, GST_MAP_WRITE, error))
    return FALSE;
  for (guint i = 0; i < tensors.n_tensors; i++) {
    place->item_bytes[i] = robocache_tensor_info_size (&tensors.tensors[i]) / current->points.n_items;
    if (in_place)
      place->memories[i] = gst_buffer_peek_memory (output, i);
    else
      place->mapped[i] = map->data[i];
  }
  return TRUE;
}
