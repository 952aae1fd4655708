/* robocache: robocachevoxelize, what it takes, what it makes of that, and where
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "gstrobocachevoxelize.h"

#include <string.h>

#include "common/device/devicememory.h"
#include "common/element/errors.h"
#include "common/device/memorycaps.h"
#include "common/device/budget.h"
#include "common/device/tensorpool.h"
#include "voxelspacing.h"

/* The base class's own, for what it does besides. */
static GstBaseTransformClass *base_class;

/* ---- caps ---- */

/* Points in the memories that the sink pad offers. */
static GstCaps *
offer_input (GstRobocacheVoxelize *self)
{
  GstCaps *caps = robocache_caps_offer (gst_caps_from_string (ROBOCACHE_POINTS_INTERLEAVED_CAPS),
      robocache_device_offer (&self->device, GST_ELEMENT (self)));

  gst_caps_append (caps, gst_caps_from_string (ROBOCACHE_POINTS_DEPTH_CAPS));
  return caps;
}

/* What comes out depends on properties that change, and a peer may spell it in another way: fixate_caps decides, and
 * says what does not fit. A range keeps these caps from being fixed, so that the peer is asked. */
static GstCaps *
offer_output (GstRobocacheVoxelize *self, const GstCaps *in_caps)
{
  GstCaps *caps = gst_caps_new_simple (ROBOCACHE_TENSORS_MEDIA_TYPE, "num_tensors", GST_TYPE_INT_RANGE, 1,
      ROBOCACHE_MAX_TENSORS, NULL);

  gst_caps_append (caps, gst_caps_new_empty_simple (ROBOCACHE_POINTCLOUD_MEDIA_TYPE));
  return robocache_caps_offer (caps, robocache_device_offer_as (&self->device, GST_ELEMENT (self), in_caps));
}

static GstCaps *
gst_robocache_voxelize_transform_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
    GstCaps *filter)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);
  GstCaps *result = direction == GST_PAD_SINK ? offer_output (self, caps) : offer_input (self);

  if (gst_caps_get_size (caps) == 1 && !gst_caps_is_any (caps)) {
    const GValue *framerate = gst_structure_get_value (gst_caps_get_structure (caps, 0), "framerate");

    if (framerate && direction == GST_PAD_SRC && !robocache_framerate_is_any (framerate)) {
      result = gst_caps_make_writable (result);
      gst_caps_set_value (result, "framerate", framerate);
    }
  }
  if (filter) {
    GstCaps *filtered = gst_caps_intersect_full (filter, result, GST_CAPS_INTERSECT_FIRST);

    gst_caps_unref (result);
    result = filtered;
  }
  return result;
}

/* ---- configurations ---- */

void
gst_robocache_voxelize_configuration_clear (GstRobocacheVoxelizeConfiguration *configuration)
{
  g_clear_pointer (&configuration->voxelizer, robocache_voxelizer_free);
  robocache_points_info_clear (&configuration->points);
}

gchar *
gst_robocache_voxelize_describe_output (const RcVoxelSpec *spec, const gchar **advice)
{
  static const gchar *const advices[] = {
    [RC_VOXEL_DENSE] = "take a smaller grid, or output=sparse",
    [RC_VOXEL_BITS] = "take a smaller grid, or output=sparse",
    [RC_VOXEL_SPARSE] = "lower max-voxels, or max-points of mode=first",
    [RC_VOXEL_INDEX] = "take smaller clouds",
    [RC_VOXEL_RANK] = "take smaller clouds",
  };

  *advice = advices[spec->output];
  if (spec->output == RC_VOXEL_SPARSE)
    return g_strdup_printf ("sparse output of up to %" G_GINT64_FORMAT " voxels", spec->max_voxels);
  if (rc_voxel_maps_points (spec->output))
    return g_strdup ("a number for each point");
  return g_strdup_printf ("%" G_GINT64_FORMAT " grid%s of %" G_GINT64_FORMAT ":%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT,
      spec->batch, spec->batch > 1 ? "s" : "", spec->grid[0], spec->grid[1], spec->grid[2]);
}

/* A grid that does not fit this machine is better refused than begun. */
static gboolean
check_memory (const RcVoxelSpec *spec, guint64 scratch_bytes, const RobocacheTensorsInfo *tensors, GError **error)
{
  const gchar *advice;
  gchar *what = gst_robocache_voxelize_describe_output (spec, &advice);
  const gboolean fits = robocache_check_memory (robocache_bytes_add (scratch_bytes, robocache_tensors_info_size (tensors)),
      what, advice, error);

  g_free (what);
  return fits;
}

/* What no type and no engine could make right, and what an item of it needs. */
static gboolean
check_spec (GstRobocacheVoxelize *self, const RcVoxelSpec *spec, RcFootprint *footprint, GError **error)
{
  RobocacheEngine *engine = self->device.cpu ? self->device.cpu : self->device.gpu;
  RcVoxelSpec item = *spec;
  RcVoxelPlan *plan;
  RcError failed;
  gchar *message;

  if (rc_voxel_plan (robocache_engine_backend (engine), spec, &plan, footprint, &failed) == RC_OK) {
    rc_voxel_plan_free (plan);
    item.batch = 1;
    if (rc_voxel_plan (robocache_engine_backend (engine), &item, &plan, footprint, &failed) == RC_OK) {
      rc_voxel_plan_free (plan);
      return TRUE;
    }
  }
  message = robocache_voxel_name_properties (failed.message);
  g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, message);
  g_free (message);
  return FALSE;
}

/* Caps of the grid in the first of our memories that the peer takes. */
static GstCaps *
choose_caps (GstRobocacheVoxelize *self, GstRobocacheVoxelizeConfiguration *next,
    const RobocacheVoxelSettings *settings, const GstCaps *in_caps, GstCaps *peer, GError **error)
{
  static const gboolean memories[][2] = {
    [ROBOCACHE_OFFER_SYSTEM] = {FALSE, FALSE},
    [ROBOCACHE_OFFER_SYSTEM_FIRST] = {FALSE, TRUE},
    [ROBOCACHE_OFFER_DEVICE_FIRST] = {TRUE, FALSE},
  };
  const gboolean *on_device = memories[robocache_device_offer_as (&self->device, GST_ELEMENT (self), in_caps)];
  GError *failures[2] = { NULL };
  GstCaps *caps = NULL;

  for (guint i = 0; i < 2 && caps == NULL; i++)
    caps = robocache_voxel_choose_caps (settings, &next->points, on_device[i], peer, &next->spec, &next->tensors,
        &failures[i]);
  if (caps == NULL)
    g_propagate_error (error, g_steal_pointer (&failures[0]));
  g_clear_error (&failures[0]);
  g_clear_error (&failures[1]);
  return caps;
}

static RobocacheJob
describe_job (const GstRobocacheVoxelizeConfiguration *next, const RcFootprint *footprint, const GstCaps *in_caps,
    const GstCaps *out_caps)
{
  const guint64 out = robocache_tensors_info_size (&next->tensors), items = next->points.n_items;
  RobocacheJob job = {
    .in_on_device = robocache_caps_on_device (in_caps),
    .out_on_device = robocache_caps_on_device (out_caps),
    .splits = items > 1,
    .what = "a voxel grid",
    .advice = "take a smaller grid, or output=sparse with fewer max-voxels (and max-points of mode=first), or raise "
        "max-device-memory",
  };

  job.work_bytes = robocache_bytes_add (out,
      next->points.n_points * items * (next->points.kind == ROBOCACHE_POINTS_DEPTH ? 2
          : robocache_points_info_point_size (&next->points)));
  job.device_bytes = robocache_bytes_add (robocache_bytes_add (footprint->scratch_bytes,
      job.out_on_device ? out : out / items),
      robocache_bytes_multiply (next->points.n_points, footprint->scratch_bytes_per_point));
  if (next->points.rays)        /* a plan has them on the device */
    job.device_bytes = robocache_bytes_add (job.device_bytes, rc_camera_rays_bytes (&next->points.rays->camera));
  return job;
}

/* On the active engines. */
static gboolean
make_voxelizer (GstRobocacheVoxelize *self, GstRobocacheVoxelizeConfiguration *next, RcStatus *status, GError **error)
{
  RobocacheEngine *engines[ROBOCACHE_MAX_DEVICES];
  const guint n = robocache_device_engines (&self->device, &next->job, engines);

  next->voxelizer = robocache_voxelizer_new (engines, n, !robocache_engine_is_gpu (engines[0]), &next->spec, status,
      error);
  return next->voxelizer != NULL;
}

static gboolean
may_fall_back (RcStatus status, const GError *error)
{
  return status == RC_UNSUPPORTED || g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT);
}

static gboolean
choose_engine (GstRobocacheVoxelize *self, GstRobocacheVoxelizeConfiguration *next, GError **error)
{
  GError *failure = NULL;
  RcStatus status;

  if (!robocache_device_choose (&self->device, GST_ELEMENT (self), &next->job, error))
    return FALSE;
  if (make_voxelizer (self, next, &status, &failure))
    return TRUE;
  if (may_fall_back (status, failure) && robocache_device_fall_back (&self->device, GST_ELEMENT (self), &next->job,
      failure)) {
    g_clear_error (&failure);
    if (make_voxelizer (self, next, &status, &failure))
      return TRUE;
  }
  g_propagate_error (error, failure);
  return FALSE;
}

/* Fills next and returns its caps, or NULL and an error. peer is what downstream takes; NULL: not linked. */
static GstCaps *
configure (GstRobocacheVoxelize *self, GstRobocacheVoxelizeConfiguration *next, GstCaps *in_caps, GstCaps *peer,
    GError **error)
{
  RobocacheVoxelSettings settings;
  RcFootprint footprint;
  GstCaps *caps;

  gst_robocache_voxelize_configuration_clear (next);
  if (!gst_robocache_voxelize_take_settings (self, &settings, &next->accumulate, error)
      || !robocache_points_info_from_caps (&next->points, in_caps, error)
      || !robocache_voxel_settings_check (&settings, &next->points, error)
      || !robocache_voxel_cast_rays (&settings, &next->points, self->current.points.rays, error))
    return NULL;
  if (settings.output == RC_VOXEL_INDEX)        /* where a point is does not depend on other clouds */
    next->accumulate = 1;
  if (next->points.rays)
    GST_INFO_OBJECT (self, "%" G_GINT64_FORMAT " pixels have no ray through the lens", next->points.rays->n_without);
  next->spec = robocache_voxel_spec (&settings, &next->points, robocache_voxel_dtypes (&settings)[0]);
  if (!check_spec (self, &next->spec, &footprint, error))
    return NULL;
  caps = choose_caps (self, next, &settings, in_caps, peer, error);
  if (caps == NULL)
    return NULL;
  /* all and the one that leaves; of two clouds it would be as many, one in and one out */
  next->spec.keeps = next->accumulate > 2 ? (gint64) next->accumulate + 1 : 0;
  next->job = describe_job (next, &footprint, in_caps, caps);
  if (check_memory (&next->spec, footprint.scratch_bytes, &next->tensors, error) && choose_engine (self, next, error))
    return caps;
  gst_caps_unref (caps);
  return NULL;
}

/* Once, however often it is negotiated. */
static void
warn_of_spacing (GstRobocacheVoxelize *self, const RcVoxelSpec *spec)
{
  gchar *warning = robocache_voxel_coarse_spacing (spec);

  if (warning && g_strcmp0 (warning, self->spacing_warning) != 0)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS, ("%s", warning), (NULL));
  g_free (self->spacing_warning);
  self->spacing_warning = warning;
}

/* Called on the streaming thread only, once a negotiation: the one place where everything that fixes the output is
 * known. */
static GstCaps *
gst_robocache_voxelize_fixate_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
    GstCaps *othercaps)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);
  GError *error = NULL;
  GstCaps *result;

  if (direction == GST_PAD_SRC)
    return gst_caps_fixate (othercaps);
  self->tried_caps = TRUE;
  result = configure (self, &self->next, caps, gst_pad_is_linked (trans->srcpad) ? othercaps : NULL, &error);
  gst_caps_unref (othercaps);
  if (result) {
    warn_of_spacing (self, &self->next.spec);
    g_clear_pointer (&self->refusal, g_free);
    return result;
  }
  robocache_post_error_once (GST_ELEMENT (self), error, &self->refusal);
  g_error_free (error);
  return gst_caps_new_empty ();
}

void
gst_robocache_voxelize_negotiation_failed (GstRobocacheVoxelize *self)
{
  GstPad *srcpad = GST_BASE_TRANSFORM_SRC_PAD (self);
  GstCaps *peer, *ours;
  gchar *theirs_text, *ours_text, *why;
  GError *error;

  if (self->tried_caps || GST_PAD_IS_FLUSHING (srcpad))
    return;
  peer = gst_pad_peer_query_caps (srcpad, NULL);
  ours = offer_output (self, NULL);
  theirs_text = gst_caps_to_string (peer);
  ours_text = gst_caps_to_string (ours);
  why = robocache_device_explain (&self->device, GST_ELEMENT (self), peer);
  error = g_error_new (ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "downstream takes %s, but grids are %s%s", theirs_text,
      ours_text, why);
  robocache_post_error_once (GST_ELEMENT (self), error, &self->refusal);
  g_error_free (error);
  g_free (why);
  g_free (ours_text);
  g_free (theirs_text);
  gst_caps_unref (ours);
  gst_caps_unref (peer);
}

static gboolean
start_readback (GstRobocacheVoxelize *self, GError **error)
{
  RobocacheEngine *engines[ROBOCACHE_MAX_DEVICES];
  const guint n = robocache_device_engines (&self->device, &self->current.job, engines);
  gboolean ok;

  GST_OBJECT_LOCK (self);
  gst_robocache_voxelize_count (self, 0, NULL);
  ok = robocache_readback_init (&self->readback, engines, n, ROBOCACHE_VOXELIZER_N_COUNTERS, error);
  GST_OBJECT_UNLOCK (self);
  return ok;
}

gboolean
gst_robocache_voxelize_install_next (GstRobocacheVoxelize *self)
{
  GError *error = NULL;

  if (self->next.voxelizer == NULL)
    return TRUE;
  gst_robocache_voxelize_configuration_clear (&self->current);
  self->current = self->next;
  memset (&self->next, 0, sizeof (self->next));
  self->warned_over_cap = FALSE;
  GST_INFO_OBJECT (self, "grid %" G_GINT64_FORMAT ":%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
      " at once", self->current.spec.grid[0], self->current.spec.grid[1], self->current.spec.grid[2],
      self->current.spec.batch);
  if (start_readback (self, &error))
    return TRUE;
  robocache_post_error (GST_ELEMENT (self), error);
  g_error_free (error);
  return FALSE;
}

gboolean
gst_robocache_voxelize_fall_back (GstRobocacheVoxelize *self, const GError *reason)
{
  GstRobocacheVoxelizeConfiguration *current = &self->current;
  GError *error = NULL;
  RcStatus status;

  if (!may_fall_back (RC_OK, reason)
      || !robocache_device_fall_back (&self->device, GST_ELEMENT (self), &current->job, reason))
    return FALSE;
  g_clear_pointer (&current->voxelizer, robocache_voxelizer_free);
  if (make_voxelizer (self, current, &status, &error) && start_readback (self, &error))
    return TRUE;
  g_error_free (error);
  return FALSE;
}

static gboolean
gst_robocache_voxelize_set_caps (GstBaseTransform *trans, GstCaps *in_caps, GstCaps *out_caps)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);

  if (self->in_caps == NULL || !gst_caps_is_equal (in_caps, self->in_caps))
    robocache_cloud_window_clear (&self->window);
  gst_caps_replace (&self->in_caps, in_caps);
  return gst_robocache_voxelize_install_next (self);
}

/* ---- allocation ---- */

/* Of outputs: a GPU's own, and for the CPU the one that downstream asks for, or else ours too, which knows what grids hold.
 * It clears no prefix and no padding. */
static GstAllocator *
choose_allocator (GstRobocacheVoxelize *self, GstQuery *query, GstAllocationParams *params)
{
  const RobocacheEngine *engine = robocache_voxelizer_engine (self->current.voxelizer);
  GstAllocator *allocator = NULL;

  gst_allocation_params_init (params);
  if (robocache_engine_is_gpu (engine)) {
    allocator = robocache_device_allocator (&self->device, self->current.job.out_on_device);
    robocache_allocator_trim (allocator);
    return gst_object_ref (allocator);
  }
  if (gst_query_get_n_allocation_params (query) > 0)
    gst_query_parse_nth_allocation_param (query, 0, &allocator, params);
  if (allocator == NULL && params->flags == 0 && params->align < ROBOCACHE_ALIGNMENT)
    allocator = gst_object_ref (robocache_device_allocator (&self->device, FALSE));
  return allocator;
}

/* Ours, since sparse output has a memory a tensor. The pool of the map of a cloud is made when there is one. */
static gboolean
gst_robocache_voxelize_decide_allocation (GstBaseTransform *trans, GstQuery *query)
{
  const GstRobocacheVoxelizeConfiguration *current = &GST_ROBOCACHE_VOXELIZE (trans)->current;
  GstAllocator *allocator;
  GstAllocationParams params;
  GstBufferPool *pool;
  GstCaps *caps;
  GError *error = NULL;
  guint min_buffers = 0, size;

  allocator = choose_allocator (GST_ROBOCACHE_VOXELIZE (trans), query, &params);
  if (gst_query_get_n_allocation_params (query) > 0)
    gst_query_set_nth_allocation_param (query, 0, allocator, &params);
  else
    gst_query_add_allocation_param (query, allocator, &params);
  gst_robocache_voxelize_clear_map_pool (GST_ROBOCACHE_VOXELIZE (trans));
  if (robocache_voxel_maps_cloud (&current->points, &current->spec)) {
    gst_clear_object (&allocator);
    while (gst_query_get_n_allocation_pools (query) > 0)
      gst_query_remove_nth_allocation_pool (query, 0);
    return base_class->decide_allocation (trans, query);
  }
  if (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_parse_nth_allocation_pool (query, 0, NULL, NULL, &min_buffers, NULL);
  gst_query_parse_allocation (query, &caps, NULL);
  pool = robocache_tensor_pool_new (caps, allocator, &params, min_buffers, 0, &error);
  gst_clear_object (&allocator);
  if (pool == NULL) {
    robocache_post_error (GST_ELEMENT (trans), error);
    g_error_free (error);
    return FALSE;
  }
  size = robocache_tensor_pool_buffer_size (ROBOCACHE_TENSOR_POOL (pool));
  if (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_set_nth_allocation_pool (query, 0, pool, size, min_buffers, 0);
  else
    gst_query_add_allocation_pool (query, pool, size, min_buffers, 0);
  gst_object_unref (pool);
  return base_class->decide_allocation (trans, query);
}

/* Buffers that upstream must have, to fill one while a window is read; where it slides, with the one that leaves it. */
static guint
least_clouds (const GstRobocacheVoxelize *self)
{
  return self->current.accumulate + (self->current.spec.keeps ? 2 : 1);
}

/* The window keeps buffers, so upstream's pool needs as many more; strides of images are understood. */
static gboolean
gst_robocache_voxelize_propose_allocation (GstBaseTransform *trans, GstQuery *decide_query, GstQuery *query)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);

  if (!base_class->propose_allocation (trans, decide_query, query))
    return FALSE;
  if (self->current.voxelizer == NULL)
    return TRUE;
  if (self->current.job.in_on_device) {
    robocache_device_propose (&self->device, query, least_clouds (self));
    return TRUE;
  }
  if (self->current.points.kind == ROBOCACHE_POINTS_DEPTH) {
    gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
    gst_query_add_allocation_pool (query, NULL, (guint) GST_VIDEO_INFO_SIZE (&self->current.points.video),
        least_clouds (self), 0);
  } else if (self->current.points.kind == ROBOCACHE_POINTS_TENSOR) {
    gst_query_add_allocation_pool (query, NULL,
        (guint) (self->current.points.n_points * self->current.points.n_items
            * robocache_points_info_point_size (&self->current.points)),
        least_clouds (self), 0);
  }
  return TRUE;
}

void
gst_robocache_voxelize_install_negotiation (GstBaseTransformClass *klass)
{
  base_class = g_type_class_peek_parent (klass);
  klass->transform_caps = gst_robocache_voxelize_transform_caps;
  klass->fixate_caps = gst_robocache_voxelize_fixate_caps;
  klass->set_caps = gst_robocache_voxelize_set_caps;
  klass->decide_allocation = gst_robocache_voxelize_decide_allocation;
  klass->propose_allocation = gst_robocache_voxelize_propose_allocation;
}
