/* robocache: robocachevoxelize, negotiation: the grid, its caps, and its engine
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "negotiation.h"

#include "common/device/budget.h"

GST_DEBUG_CATEGORY_EXTERN (gst_robocache_voxelize_debug);
#define GST_CAT_DEFAULT gst_robocache_voxelize_debug

/* ---- caps of both pads ---- */

GstCaps *
robocache_voxelize_input_caps (RobocacheDevice *device, GstElement *element)
{
  GstCaps *caps = robocache_caps_offer (gst_caps_from_string (ROBOCACHE_POINTS_INTERLEAVED_CAPS),
      robocache_device_offer (device, element), GST_PAD_SINK);

  gst_caps_append (caps, gst_caps_from_string (ROBOCACHE_POINTS_DEPTH_CAPS));
  return caps;
}

/* The range keeps these caps from being fixed, so that the base class queries the peer and calls fixate_caps, which explains
 * what does not fit. */
GstCaps *
robocache_voxelize_output_caps (RobocacheDevice *device, GstElement *element, const GstCaps *in_caps)
{
  GstCaps *caps = gst_caps_new_simple (ROBOCACHE_TENSORS_MEDIA_TYPE, "num_tensors", GST_TYPE_INT_RANGE, 1,
      ROBOCACHE_MAX_TENSORS, NULL), *all = gst_pad_get_pad_template_caps (GST_BASE_TRANSFORM_SRC_PAD (element)), *possible;

  gst_caps_append (caps, gst_caps_new_empty_simple (ROBOCACHE_POINTCLOUD_MEDIA_TYPE));
  caps = robocache_caps_offer (caps, robocache_device_offer_as (device, element, in_caps), GST_PAD_SRC);
  /* clouds are in fewer memories than tensors */
  possible = gst_caps_intersect_full (caps, all, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (all);
  gst_caps_unref (caps);
  return possible;
}

GError *
robocache_voxelize_refused (RobocacheDevice *device, GstElement *element, GstCaps *peer)
{
  GstCaps *ours = robocache_voxelize_output_caps (device, element, NULL);
  gchar *theirs_text = gst_caps_to_string (peer), *ours_text = gst_caps_to_string (ours);
  gchar *why = robocache_device_explain (device, element, peer);
  GError *error = g_error_new (ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "downstream accepts only %s, but grids are %s%s",
      theirs_text, ours_text, why);

  g_free (why);
  g_free (ours_text);
  g_free (theirs_text);
  gst_caps_unref (ours);
  return error;
}

/* ---- memory ---- */

gchar *
robocache_voxelize_describe_output (const RcVoxelSpec *spec, const gchar **advice)
{
  static const gchar *const advices[] = {
    [RC_VOXEL_DENSE] = "set a smaller grid, or output=sparse",
    [RC_VOXEL_BITS] = "set a smaller grid, or output=sparse",
    [RC_VOXEL_SPARSE] = "lower max-voxels, or max-points of mode=first or pillars",
    [RC_VOXEL_INDEX] = "send smaller clouds",
    [RC_VOXEL_RANK] = "send smaller clouds",
  };

  *advice = advices[spec->output];
  if (spec->output == RC_VOXEL_SPARSE)
    return g_strdup_printf ("sparse output of up to %" G_GINT64_FORMAT " voxels", spec->max_voxels);
  if (rc_voxel_maps_points (spec->output))
    return g_strdup ("an int64 number for each point");
  return g_strdup_printf ("%" G_GINT64_FORMAT " grid%s of %" G_GINT64_FORMAT ":%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT,
      spec->batch, spec->batch > 1 ? "s" : "", spec->grid[0], spec->grid[1], spec->grid[2]);
}

/* Refuses a grid that exceeds this machine's memory before anything is allocated. */
static gboolean
check_memory (const RcVoxelSpec *spec, guint64 scratch_bytes, const RobocacheTensorsInfo *tensors, GError **error)
{
  const gchar *advice;
  gchar *what = robocache_voxelize_describe_output (spec, &advice);
  const gboolean fits = robocache_check_memory (robocache_bytes_add (scratch_bytes, robocache_tensors_info_size (tensors)),
      what, advice, error);

  g_free (what);
  return fits;
}

/* Of a cloud or image, as caps say: 0 where each buffer determines it. */
static guint64
cloud_bytes (const RobocachePointsInfo *points)
{
  return points->kind == ROBOCACHE_POINTS_DEPTH ? GST_VIDEO_INFO_SIZE (&points->video)
      : robocache_bytes_multiply (points->n_points, robocache_points_info_point_size (points));
}

static gboolean
check_cloud (const RobocacheVoxelizeConfiguration *configuration, guint64 bytes, GError **error)
{
  if (bytes <= configuration->max_cloud_bytes)
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "a %s of %" G_GUINT64_FORMAT " bytes exceeds "
      "max-cloud-bytes=%" G_GUINT64_FORMAT ": raise max-cloud-bytes, or send smaller clouds or images",
      configuration->points.kind == ROBOCACHE_POINTS_DEPTH ? "depth image" : "cloud", bytes, configuration->max_cloud_bytes);
  return FALSE;
}

gboolean
robocache_voxelize_check_buffer (const RobocacheVoxelizeConfiguration *configuration, gsize bytes, GError **error)
{
  return configuration->points.kind != ROBOCACHE_POINTS_CLOUD || check_cloud (configuration, bytes, error);
}

/* ---- spec ---- */

/* Validates the spec by a plan of one item, and states its footprint. */
static gboolean
plan_item (RobocacheDevice *device, const RcVoxelSpec *spec, RcFootprint *footprint, GError **error)
{
  RobocacheEngine *engine = device->cpu ? device->cpu : device->gpu;
  RcVoxelSpec item = *spec;
  RcVoxelPlan *plan;
  RcError failure;
  RcStatus status;

  item.batch = 1;
  status = rc_voxel_plan (robocache_engine_backend (engine), &item, &plan, footprint, &failure);
  if (status == RC_OK)
    rc_voxel_plan_free (plan);
  return robocache_engine_check_settings (status, &failure, ROBOCACHE_ERROR_CAPS, error);
}

/* Caps of the grid in the first of the element's memories that the peer accepts. */
static GstCaps *
choose_caps (RobocacheVoxelizeConfiguration *next, RobocacheOffer offer, const RobocacheVoxelSettings *settings,
    GstCaps *peer, GError **error)
{
  RobocacheCapsMemory memories[ROBOCACHE_N_MEMORIES];
  const guint n = robocache_offer_memories (offer, GST_PAD_SRC, memories);
  GstCaps *caps = robocache_voxel_choose_caps (settings, &next->points, memories[0], peer, &next->spec, &next->tensors, error);

  for (guint i = 1; i < n && caps == NULL; i++) {
    caps = robocache_voxel_choose_caps (settings, &next->points, memories[i], peer, &next->spec, &next->tensors, NULL);
    if (caps)
      g_clear_error (error);
  }
  return caps;
}

/* ---- engine ---- */

static RobocacheJob
describe_job (const RobocacheVoxelizeConfiguration *next, const RcFootprint *footprint, const GstCaps *in_caps,
    const GstCaps *out_caps)
{
  const guint64 out = robocache_tensors_info_size (&next->tensors), items = next->points.n_items;
  RobocacheJob job = {
    .in_on_device = robocache_caps_on_device (in_caps),
    .out_memory = robocache_caps_memory (out_caps),
    .splits = items > 1,
    .what = "a voxel grid",
    .advice = "set a smaller grid, or output=sparse with lower max-voxels (and max-points of mode=first or pillars), or raise "
        "max-device-memory",
  };

  job.work_bytes = robocache_bytes_add (out,
      next->points.n_points * items * (next->points.kind == ROBOCACHE_POINTS_DEPTH ? (gsize) GST_VIDEO_INFO_COMP_PSTRIDE (&next->points.video, 0)
          : robocache_points_info_point_size (&next->points)));
  job.device_bytes = robocache_bytes_add (robocache_bytes_add (footprint->scratch_bytes,
      job.out_memory != ROBOCACHE_SYSTEM_MEMORY ? out : out / items),
      robocache_bytes_multiply (next->points.n_points, footprint->scratch_bytes_per_point));
  if (next->points.rays)        /* a plan copies them to the device */
    job.device_bytes = robocache_bytes_add (job.device_bytes, rc_camera_rays_bytes (&next->points.rays->camera));
  return job;
}

static gboolean
make_voxelizer (RobocacheVoxelizeConfiguration *next, RobocacheDevice *device, RcStatus *status, GError **error)
{
  RobocacheEngine *engines[ROBOCACHE_MAX_DEVICES];
  const guint n = robocache_device_engines (device, &next->job, engines);

  next->voxelizer = robocache_voxelizer_new (engines, n, !robocache_engine_is_gpu (engines[0]), &next->spec, status,
      error);
  return next->voxelizer != NULL;
}

static gboolean
choose_engine (RobocacheVoxelizeConfiguration *next, RobocacheDevice *device, GstElement *element, GError **error)
{
  GError *failure = NULL;
  RcStatus status;

  if (!robocache_device_choose (device, element, &next->job, error))
    return FALSE;
  if (make_voxelizer (next, device, &status, &failure))
    return TRUE;
  if (robocache_device_fall_back (device, element, &next->job, status, failure)) {
    g_error_free (failure);
    return make_voxelizer (next, device, &status, error);
  }
  g_propagate_error (error, failure);
  return FALSE;
}

gboolean
robocache_voxelize_fall_back (RobocacheVoxelizeConfiguration *configuration, RobocacheDevice *device,
    GstElement *element, const GError *reason)
{
  RcStatus status;

  if (!robocache_device_fall_back (device, element, &configuration->job, RC_OK, reason))
    return FALSE;
  g_clear_pointer (&configuration->voxelizer, robocache_voxelizer_free);
  return make_voxelizer (configuration, device, &status, NULL);
}

/* ---- configurations ---- */

void
robocache_voxelize_log_work (RobocacheVoxelizeConfiguration *configuration, GstElement *element, const RobocacheVoxelWork *work)
{
  if (work->recomputes && work->recomputes != configuration->recomputes)
    GST_INFO_OBJECT (element, "each grid is computed from all clouds of its window: %s", work->recomputes);
  configuration->recomputes = work->recomputes;
  GST_LOG_OBJECT (element, "%" G_GINT64_FORMAT " points were read, in %u chunks", work->points_read, MAX (work->n_chunks, 1));
}

void
robocache_voxelize_configuration_clear (RobocacheVoxelizeConfiguration *configuration)
{
  g_clear_pointer (&configuration->voxelizer, robocache_voxelizer_free);
  robocache_points_info_clear (&configuration->points);
}

GstCaps *
robocache_voxelize_configure (RobocacheVoxelizeConfiguration *next, RobocacheDevice *device, GstElement *element,
    const RobocacheVoxelSettings *settings, GstCaps *in_caps, GstCaps *peer, RobocacheCameraRays *last_rays,
    GError **error)
{
  RcFootprint footprint;
  GstCaps *caps;

  robocache_voxelize_configuration_clear (next);
  next->max_cloud_bytes = settings->max_cloud_bytes;
  if (!robocache_points_info_from_caps (&next->points, in_caps, error)
      || !check_cloud (next, cloud_bytes (&next->points), error)
      || !robocache_voxel_settings_check (settings, &next->points, error)
      || !robocache_voxel_cast_rays (settings, &next->points, last_rays, error))
    return NULL;
  /* the index of a point does not depend on other clouds */
  next->accumulate = settings->output == RC_VOXEL_INDEX ? 1 : settings->accumulate;
  next->newest_first = rc_voxel_lists_points (settings->mode) && settings->keep == ROBOCACHE_VOXEL_KEEP_NEWEST;
  next->spec = robocache_voxel_spec (settings, &next->points, robocache_voxel_dtypes (settings)[0]);
  if (!plan_item (device, &next->spec, &footprint, error))
    return NULL;
  caps = choose_caps (next, robocache_device_offer_as (device, element, in_caps), settings, peer, error);
  if (caps == NULL)
    return NULL;
  /* the window and the cloud that leaves it; for two clouds, adding one and removing one reads as many points */
  next->spec.accumulates = next->accumulate > 2 ? (gint64) next->accumulate + 1 : 0;
  next->job = describe_job (next, &footprint, in_caps, caps);
  GST_INFO_OBJECT (element, "a grid needs %" G_GUINT64_FORMAT " bytes of scratch and %" G_GUINT64_FORMAT " per point, its output has %" G_GUINT64_FORMAT
      " bytes", footprint.scratch_bytes, footprint.scratch_bytes_per_point,
      robocache_tensors_info_size (&next->tensors));
  if (check_memory (&next->spec, footprint.scratch_bytes, &next->tensors, error)
      && choose_engine (next, device, element, error))
    return caps;
  gst_caps_unref (caps);
  return NULL;
}
