/* robocache: robocachevoxelize, points to a voxel grid
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-robocachevoxelize
 * @title: robocachevoxelize
 * @short_description: turns point clouds and depth images into voxel grids
 *
 * One grid comes out for each cloud that goes in, with its time and metadata.
 *
 * ## From a file of float32 x, y, z
 * |[
 * gst-launch-1.0 filesrc location=cloud.bin blocksize=1439736 \
 *     ! "application/x-pointcloud,fields=(string)\"x,y,z\",type=(string)float32" \
 *     ! robocachevoxelize origin="<-64.0,-64.0,-4.0>" voxel-size="<1.0,1.0,1.0>" grid=128:128:16 \
 *     ! filesink location=grid.bin
 * ]|
 *
 * ## Live, from a depth camera
 * |[
 * gst-launch-1.0 v4l2src device=/dev/video2 ! video/x-raw,format=GRAY16_LE \
 *     ! robocachevoxelize fx=615 fy=615 cx=320 cy=240 mode=centroid output=sparse ! appsink
 * ]|
 *
 * ## Pillars of at most 32 points with 10 features, the input of PointPillars
 * |[
 * gst-launch-1.0 multifilesrc location=%010d.bin caps=application/octet-stream,framerate=10/1 \
 *     ! robocacheparse format=kitti \
 *     ! robocachevoxelize origin="<0.0,-39.68,-3.0>" voxel-size="<0.16,0.16,4.0>" grid=432:496:1 \
 *         mode=pillars output=sparse max-points=32 max-voxels=16000 ! appsink
 * ]|
 *
 * ## Of each point the row of its voxel in sparse output
 * |[
 * gst-launch-1.0 robocachetestsrc kind=points num-buffers=10 \
 *     ! robocachevoxelize origin="<-5.0,-5.0,-1.0>" grid=100:100:40 output=rank max-voxels=20000 \
 *     ! filesink location=rows.i64
 * ]|
 */
#include "gstrobocachevoxelize.h"

#include "allocation.h"
#include "common/element/errors.h"
#include "common/element/heldevents.h"
#include "common/element/inputfaults.h"
#include "common/element/propertytypes.h"
#include "common/element/linkadvice.h"
#include "common/element/statsmessages.h"
#include "common/tensors/flexibleinput.h"
#include "common/time/segments.h"
#include "negotiation.h"
#include "pointmap.h"
#include "properties.h"
#include "outsidewarning.h"
#include "statistics.h"
#include "voxelcaps.h"

GST_DEBUG_CATEGORY (gst_robocache_voxelize_debug);
#define GST_CAT_DEFAULT gst_robocache_voxelize_debug

struct _GstRobocacheVoxelize
{
  GstBaseTransform parent;

  /* object lock */
  RobocacheDevice device;
  RobocacheVoxelizeProperties properties;
  RobocacheVoxelizeStatistics statistics;
  RobocacheStatisticsTimer stats_timer;

  /* stream lock */
  RobocacheVoxelizeConfiguration current, next; /* set_caps moves next, which fixate_caps filled, to current */
  GstCaps *in_caps;
  RobocacheCloudWindow window;
  RobocachePointMapPool maps;
  guint64 map_points;           /* of the last cloud that was mapped; 0: none was */
  gboolean maps_are_tensors;
  GstEvent *held_caps;          /* of clouds, until the first one determines the length of a tensor; or NULL */
  RobocacheHeldEvents held;     /* events after held_caps */
  RobocacheFlexibleInput flexible;
  RobocacheInputFaults faults;
  RobocacheOutsideCheck outside;
  gboolean warned_over_cap;
  gboolean tried_caps;          /* the last negotiation called fixate_caps, which posts what failed */
  gboolean failed;              /* a device failed, and an error was posted: no buffer leaves any more */
  gchar *spacing_warning;       /* posted for the current settings; NULL: none */
  gchar *refusal;               /* error posted by the last negotiation; NULL: it succeeded */
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (ROBOCACHE_POINTS_TEMPLATE_CAPS));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (ROBOCACHE_TENSORS_SRC_TEMPLATE_CAPS "; " ROBOCACHE_POINTCLOUD_MEDIA_TYPE "; "
        ROBOCACHE_POINTCLOUD_MEDIA_TYPE "(" ROBOCACHE_CAPS_FEATURE_CUDA ")"));

#define gst_robocache_voxelize_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstRobocacheVoxelize, gst_robocache_voxelize, GST_TYPE_BASE_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (gst_robocache_voxelize_debug, "robocachevoxelize", 0, "points to voxel grids"));
GST_ELEMENT_REGISTER_DEFINE (robocachevoxelize, "robocachevoxelize", GST_RANK_NONE, GST_TYPE_ROBOCACHE_VOXELIZE);

/* ---- errors and counts ---- */

/* Takes the error. Posts one error of a device, which ends the stream. */
static void
fail (GstRobocacheVoxelize *self, GError *error)
{
  if (!self->failed)
    robocache_post_error (GST_ELEMENT (self), error);
  self->failed |= error->domain != ROBOCACHE_ERROR;
  g_error_free (error);
}

static void
report (GstRobocacheVoxelize *self, const RobocacheVoxelizeStatistics *now)
{
  GST_LOG_OBJECT (self, "until now %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " points are inside, %" G_GINT64_FORMAT
      " voxels of the last buffer are occupied", now->total.inside, now->total.points, now->occupied_voxels);
  if (!self->warned_over_cap)
    self->warned_over_cap = robocache_voxelize_statistics_warn_over_cap (now, GST_ELEMENT (self), self->current.spec.max_voxels);
}

/* Waits for all buffers but the last in_flight ones and counts them. FALSE: an error was posted. */
static gboolean
count_done (GstRobocacheVoxelize *self, guint in_flight)
{
  RobocacheVoxelizeStatistics now;
  GError *error = NULL;
  gboolean ok = robocache_readback_wait (self->statistics.readback, in_flight, &error);

  GST_OBJECT_LOCK (self);
  ok = robocache_voxelize_statistics_count (&self->statistics, ok ? &error : NULL) && ok;
  now = self->statistics;
  GST_OBJECT_UNLOCK (self);
  report (self, &now);
  if (!ok)
    fail (self, error);
  return ok;
}

/* at_end: no cloud follows. */
static void
warn_if_all_outside (GstRobocacheVoxelize *self, GstBuffer *cloud, gboolean at_end)
{
  RcVoxelCounters total;

  GST_OBJECT_LOCK (self);
  total = self->statistics.total;
  GST_OBJECT_UNLOCK (self);
  if (robocache_outside_check_is_due (&self->outside, &total, at_end))
    robocache_outside_check_warn (&self->outside, GST_ELEMENT (self), &total, &self->current.spec, &self->current.points, cloud);
}

static void
replace_readback (GstRobocacheVoxelize *self, RobocacheReadback *readback)
{
  RobocacheReadback *old;

  GST_OBJECT_LOCK (self);
  old = self->statistics.readback;
  self->statistics.readback = readback;
  GST_OBJECT_UNLOCK (self);
  robocache_readback_free (old);
}

/* Call with the object lock. Exact for last-pts; the streaming thread reports a device that failed. */
static GstStructure *
make_stats (GstRobocacheVoxelize *self)
{
  GstStructure *structure;

  robocache_voxelize_statistics_count (&self->statistics, NULL);
  structure = robocache_voxelize_statistics_to_structure (&self->statistics);
  robocache_input_faults_to_structure (&self->faults, structure);
  robocache_device_to_structure (&self->device, structure);
  return structure;
}

/* ---- negotiate ---- */

static GstCaps *
gst_robocache_voxelize_transform_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
    GstCaps *filter)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);
  GstCaps *ours = robocache_flexible_input_resolve (&self->flexible, caps);
  GstCaps *result = direction == GST_PAD_SINK ? robocache_voxelize_output_caps (&self->device, GST_ELEMENT (self), ours)
      : robocache_voxelize_input_caps (&self->device, GST_ELEMENT (self));

  gst_caps_unref (ours);
  if (direction == GST_PAD_SRC && gst_caps_get_size (caps) == 1 && !gst_caps_is_any (caps)) {
    const GValue *framerate = gst_structure_get_value (gst_caps_get_structure (caps, 0), "framerate");

    if (framerate && !robocache_framerate_is_any (framerate)) {
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

/* Posts one warning for the same settings, however often they are negotiated. */
static void
warn_of_spacing (GstRobocacheVoxelize *self)
{
  gchar *warning = robocache_voxel_coarse_spacing (&self->next.spec);

  if (warning && g_strcmp0 (warning, self->spacing_warning) != 0)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS, ("%s", warning), (NULL));
  g_free (self->spacing_warning);
  self->spacing_warning = warning;
}

/* Fills next from the settings, and returns its caps. */
static GstCaps *
configure (GstRobocacheVoxelize *self, GstCaps *in_caps, GstCaps *peer, GError **error)
{
  RobocacheVoxelSettings settings;
  gboolean ok;

  GST_OBJECT_LOCK (self);
  ok = robocache_voxelize_properties_read (&self->properties, &settings, error);
  GST_OBJECT_UNLOCK (self);
  settings.map_points = self->map_points;
  return ok ? robocache_voxelize_configure (&self->next, &self->device, GST_ELEMENT (self), &settings, in_caps, peer,
      self->current.points.rays, error) : NULL;
}

/* Takes the error, and posts it once, though upstream tries again with each buffer. */
static void
refuse (GstRobocacheVoxelize *self, GError *error)
{
  robocache_post_error_once (GST_ELEMENT (self), error, &self->refusal);
  g_error_free (error);
}

/* Live, good caps may follow. */
static void
refuse_caps (GstRobocacheVoxelize *self, GError *error)
{
  if (robocache_input_faults_await_caps (&self->faults, error))
    g_error_free (error);
  else
    refuse (self, error);
}

/* The base class calls this on the streaming thread, once a negotiation, when all that determines the output is known. */
static GstCaps *
gst_robocache_voxelize_fixate_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
    GstCaps *othercaps)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);
  GError *error = NULL;
  GstCaps *result, *ours;

  if (direction == GST_PAD_SRC)
    return gst_caps_fixate (othercaps);
  self->tried_caps = TRUE;
  ours = robocache_flexible_input_resolve (&self->flexible, caps);
  result = configure (self, ours, gst_pad_is_linked (trans->srcpad) ? othercaps : NULL, &error);
  gst_caps_unref (ours);
  gst_caps_unref (othercaps);
  if (result) {
    warn_of_spacing (self);
    g_clear_pointer (&self->refusal, g_free);
    return result;
  }
  refuse_caps (self, error);
  return gst_caps_new_empty ();
}

static gboolean
gst_robocache_voxelize_accept_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps)
{
  return robocache_flexible_input_accept_caps (trans, GST_BASE_TRANSFORM_CLASS (parent_class), direction, caps);
}

static void
refuse_missing_caps (GstRobocacheVoxelize *self)
{
  GError *error = robocache_error_without_caps (GST_BASE_TRANSFORM_SINK_PAD (self));

  if (error)
    refuse (self, error);
}

/* Posts that downstream accepts none of the caps, unless fixate_caps posted an error; the base class only logs it. */
static void
negotiation_failed (GstRobocacheVoxelize *self)
{
  GstPad *srcpad = GST_BASE_TRANSFORM_SRC_PAD (self);
  GstCaps *peer;

  if (self->tried_caps || GST_PAD_IS_FLUSHING (srcpad))
    return;
  peer = gst_pad_peer_query_caps (srcpad, NULL);
  refuse (self, robocache_voxelize_refused (&self->device, GST_ELEMENT (self), peer));
  gst_caps_unref (peer);
}

static gboolean
start_readback (GstRobocacheVoxelize *self, GError **error)
{
  RobocacheEngine *engines[ROBOCACHE_MAX_DEVICES];
  const guint n = robocache_device_engines (&self->device, &self->current.job, engines);
  RobocacheReadback *readback = robocache_readback_new (engines, n, ROBOCACHE_VOXELIZER_N_COUNTERS, error);

  if (!count_done (self, 0))
    GST_WARNING_OBJECT (self, "the counts of buffers on a device that failed are lost");
  replace_readback (self, readback);
  return readback != NULL;
}

/* Makes the negotiated configuration, if there is a new one, the current one. */
static gboolean
install_next (GstRobocacheVoxelize *self)
{
  const RobocacheVoxelizeConfiguration *current = &self->current;
  GError *error = NULL;

  if (self->next.voxelizer == NULL)
    return TRUE;
  count_done (self, 0);
  GST_OBJECT_LOCK (self);
  self->statistics.occupied_over_cap = 0;
  robocache_outside_check_init (&self->outside, &self->statistics.total);
  GST_OBJECT_UNLOCK (self);
  self->warned_over_cap = FALSE;
  robocache_voxelize_configuration_clear (&self->current);
  self->current = self->next;
  self->next = (RobocacheVoxelizeConfiguration) { 0 };
  GST_INFO_OBJECT (self, "grid %" G_GINT64_FORMAT ":%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT ", batch %" G_GINT64_FORMAT
      ", %u clouds each, %s", current->spec.grid[0], current->spec.grid[1], current->spec.grid[2], current->spec.batch,
      current->accumulate, robocache_engine_is_gpu (robocache_voxelizer_engine (current->voxelizer)) ? "on the GPU"
      : "on the CPU");
  if (current->points.rays)
    GST_INFO_OBJECT (self, "%" G_GINT64_FORMAT " pixels have no ray through the lens", current->points.rays->n_without);
  if (start_readback (self, &error))
    return TRUE;
  fail (self, error);
  return FALSE;
}

static gboolean
gst_robocache_voxelize_set_caps (GstBaseTransform *trans, GstCaps *in_caps, GstCaps *out_caps)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);
  GstCaps *ours = robocache_flexible_input_resolve (&self->flexible, in_caps);

  GST_INFO_OBJECT (self, "%" GST_PTR_FORMAT " to %" GST_PTR_FORMAT, ours, out_caps);
  if (self->in_caps == NULL || !gst_caps_is_equal (ours, self->in_caps))
    robocache_cloud_window_clear (&self->window);
  gst_caps_take (&self->in_caps, ours);
  if (!install_next (self))
    return FALSE;
  self->maps_are_tensors = robocache_voxel_maps_cloud (&self->current.points, &self->current.spec)
      && gst_structure_has_name (gst_caps_get_structure (out_caps, 0), ROBOCACHE_TENSORS_MEDIA_TYPE);
  return TRUE;
}

static gboolean
gst_robocache_voxelize_decide_allocation (GstBaseTransform *trans, GstQuery *query)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);
  GError *error = NULL;

  robocache_point_map_pool_clear (&self->maps);
  if (robocache_voxelize_decide_allocation (&self->current, &self->device, GST_ELEMENT (self), query, &error))
    return GST_BASE_TRANSFORM_CLASS (parent_class)->decide_allocation (trans, query);
  fail (self, error);
  return FALSE;
}

static gboolean
gst_robocache_voxelize_propose_allocation (GstBaseTransform *trans, GstQuery *decide_query, GstQuery *query)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);

  if (!GST_BASE_TRANSFORM_CLASS (parent_class)->propose_allocation (trans, decide_query, query))
    return FALSE;
  robocache_voxelize_propose_allocation (&self->current, &self->device, GST_ELEMENT (self), query);
  return TRUE;
}

/* ---- input ---- */

static gboolean gst_robocache_voxelize_sink_event (GstBaseTransform * trans, GstEvent * event);

/* Whether the caps of the output need the number of points of a cloud, of which none has come. */
static gboolean
must_wait_for_cloud (GstRobocacheVoxelize *self, const GstCaps *caps)
{
  RobocachePointsInfo points = { 0 };
  gboolean maps_points, is_cloud;
  GstCaps *peer;

  GST_OBJECT_LOCK (self);
  maps_points = rc_voxel_maps_points (self->properties.settings.output);
  GST_OBJECT_UNLOCK (self);
  if (!maps_points || self->map_points > 0)
    return FALSE;
  is_cloud = robocache_points_info_from_caps (&points, caps, NULL) && points.kind == ROBOCACHE_POINTS_CLOUD;
  robocache_points_info_clear (&points);
  peer = gst_pad_peer_query_caps (GST_BASE_TRANSFORM_SRC_PAD (self), NULL);
  is_cloud = is_cloud && robocache_voxel_wants_map_tensor (peer);
  gst_caps_unref (peer);
  return is_cloud;
}

static gboolean
handle_caps (GstRobocacheVoxelize *self, GstEvent *event)
{
  GstCaps *caps;
  gboolean ok;

  gst_clear_event (&self->held_caps);
  gst_event_parse_caps (event, &caps);
  if (must_wait_for_cloud (self, caps)) {
    self->held_caps = event;
    robocache_held_events_begin (&self->held);
    return TRUE;
  }
  self->tried_caps = FALSE;
  robocache_input_faults_begin_caps (&self->faults);
  ok = GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (GST_BASE_TRANSFORM (self), event);
  if (!ok)
    negotiation_failed (self);
  return robocache_input_faults_end_caps (&self->faults, ok);
}

/* FALSE after an error. */
static gboolean
check_segment (GstRobocacheVoxelize *self, const GstSegment *segment)
{
  GError *error = NULL;

  if (robocache_segment_check (segment, &error))
    return TRUE;
  refuse (self, error);
  return FALSE;
}

static void
release_held_events (GstRobocacheVoxelize *self)
{
  GstEvent *event;

  while ((event = robocache_held_events_release (&self->held)))
    gst_robocache_voxelize_sink_event (GST_BASE_TRANSFORM (self), event);
}

/* Sends the caps that the size of the cloud completes. FALSE: the cloud is left out, since it is empty and a tensor has no axis of 0, or
 * ret is an error. */
static gboolean
release_caps (GstRobocacheVoxelize *self, GstBuffer *cloud, GstFlowReturn *ret)
{
  RobocachePointsInfo points = { 0 };
  GstCaps *caps;

  gst_event_parse_caps (self->held_caps, &caps);
  if (robocache_points_info_from_caps (&points, caps, NULL))
    self->map_points = gst_buffer_get_size (cloud) / robocache_points_info_point_size (&points);
  robocache_points_info_clear (&points);
  *ret = GST_FLOW_OK;
  if (self->map_points == 0) {
    GST_DEBUG_OBJECT (self, "an empty cloud is left out: caps wait for one with points");
    return FALSE;
  }
  if (!handle_caps (self, g_steal_pointer (&self->held_caps)))
    *ret = GST_FLOW_NOT_NEGOTIATED;
  release_held_events (self);
  return *ret == GST_FLOW_OK;
}

static gboolean
gst_robocache_voxelize_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);
  const GstSegment *segment;
  GError *error = NULL;

  GST_DEBUG_OBJECT (self, "%" GST_PTR_FORMAT, event);
  if (robocache_flexible_input_take_event (&self->flexible, event, &error)) {
    if (error)
      refuse (self, error);
    return error == NULL;
  }
  if (robocache_held_events_take (&self->held, event))
    return TRUE;
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      return handle_caps (self, event);
    case GST_EVENT_FLUSH_STOP:
      robocache_cloud_window_clear (&self->window);
      GST_OBJECT_LOCK (self);
      robocache_statistics_timer_reset (&self->stats_timer);
      GST_OBJECT_UNLOCK (self);
      break;
    case GST_EVENT_EOS:
      release_held_events (self);
      count_done (self, 0);
      warn_if_all_outside (self, NULL, TRUE);
      robocache_statistics_post_last (GST_ELEMENT (self));
      break;
    case GST_EVENT_STREAM_START:
      robocache_cloud_window_clear (&self->window);
      break;
    case GST_EVENT_SEGMENT:
      gst_event_parse_segment (event, &segment);
      if (!check_segment (self, segment)) {
        gst_event_unref (event);
        return FALSE;
      }
      if (!robocache_segment_continues (&trans->segment, segment))
        robocache_cloud_window_clear (&self->window);
      break;
    default:
      break;
  }
  return GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (trans, event);
}

/* DRAIN asks for all buffers back: the window keeps copies. */
static gboolean
gst_robocache_voxelize_query (GstBaseTransform *trans, GstPadDirection direction, GstQuery *query)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);

  /* the base class would negotiate for it */
  if (direction == GST_PAD_SINK && GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION && self->held_caps)
    return FALSE;
  if (direction == GST_PAD_SINK && GST_QUERY_TYPE (query) == GST_QUERY_DRAIN
      && !robocache_cloud_window_copy_buffers (&self->window)) {
    GST_WARNING_OBJECT (self, "no memory for copies of the window's clouds: DRAIN fails");
    return FALSE;
  }
  return robocache_device_answer_context (&self->device, GST_ELEMENT (self), query)
      || robocache_flexible_input_query (&self->flexible, trans, GST_BASE_TRANSFORM_CLASS (parent_class), direction, query);
}

/* An error of a buffer, which is taken: live, it costs that buffer alone. */
static GstFlowReturn
refuse_buffer (GstRobocacheVoxelize *self, GError *error, gboolean is_oversized)
{
  const gboolean is_dropped = is_oversized ? robocache_input_faults_drop_oversized (&self->faults, error)
      : robocache_input_faults_drop (&self->faults, error);

  if (!is_dropped) {
    fail (self, error);
    return GST_FLOW_ERROR;
  }
  g_error_free (error);
  return GST_BASE_TRANSFORM_FLOW_DROPPED;
}

/* FALSE: the buffer goes no further. */
static gboolean
take_input (GstRobocacheVoxelize *self, GstBuffer **input, GstFlowReturn *ret)
{
  GError *error = NULL;

  *ret = self->failed ? GST_FLOW_ERROR : robocache_flexible_input_strip (&self->flexible, input, &error);
  if (error)
    *ret = refuse_buffer (self, error, FALSE);
  else if (*ret == GST_FLOW_OK && robocache_input_faults_skip (&self->faults))
    *ret = GST_BASE_TRANSFORM_FLOW_DROPPED;
  return *ret == GST_FLOW_OK && (self->held_caps == NULL || release_caps (self, *input, ret));
}

static GstFlowReturn
gst_robocache_voxelize_submit_input_buffer (GstBaseTransform *trans, gboolean is_discont, GstBuffer *input)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);
  gboolean changed;
  GstFlowReturn ret;

  if (!take_input (self, &input, &ret)) {
    gst_buffer_unref (input);
    return ret;
  }
  GST_OBJECT_LOCK (self);
  changed = self->properties.has_changed;
  GST_OBJECT_UNLOCK (self);
  if (changed)
    gst_base_transform_reconfigure_src (trans);
  self->tried_caps = self->in_caps == NULL;     /* the base class refuses a buffer before caps */
  ret = GST_BASE_TRANSFORM_CLASS (parent_class)->submit_input_buffer (trans, is_discont, input);
  /* no set_caps follows fixate_caps where all caps stay as they were */
  if (ret == GST_FLOW_OK && !install_next (self))
    ret = GST_FLOW_ERROR;
  if (ret == GST_FLOW_NOT_NEGOTIATED && self->in_caps == NULL)
    refuse_missing_caps (self);
  else if (ret == GST_FLOW_NOT_NEGOTIATED)
    negotiation_failed (self);
  return ret;
}

/* ---- make the grid ---- */

/* Clouds differ in size, and so do their tensors. */
static gboolean
resize_map (GstRobocacheVoxelize *self, guint64 n_points, GError **error)
{
  if (n_points == 0 || n_points == self->map_points)
    return TRUE;
  if (self->maps_are_tensors
      && !robocache_point_map_push_caps (GST_BASE_TRANSFORM_SRC_PAD (self), self->map_points, n_points, error))
    return FALSE;
  self->map_points = n_points;
  return TRUE;
}

static GstFlowReturn
acquire_map (GstRobocacheVoxelize *self, GstBuffer *input, GstBuffer **output, gsize *bytes, GError **error)
{
  /* transform refuses a buffer with bytes left over */
  const guint64 n_points = gst_buffer_get_size (input) / robocache_points_info_point_size (&self->current.points);
  GstAllocationParams params;
  GstAllocator *allocator;
  GstFlowReturn ret;

  if (!resize_map (self, n_points, error))
    return GST_FLOW_ERROR;
  gst_base_transform_get_allocator (GST_BASE_TRANSFORM (self), &allocator, &params);
  ret = robocache_point_map_pool_acquire (&self->maps, allocator, &params, n_points, output, bytes, error);
  gst_clear_object (&allocator);
  if (ret == GST_FLOW_OK)
    GST_BASE_TRANSFORM_GET_CLASS (self)->copy_metadata (GST_BASE_TRANSFORM (self), input, *output);
  return ret;
}

static GstFlowReturn
gst_robocache_voxelize_prepare_output_buffer (GstBaseTransform *trans, GstBuffer *input, GstBuffer **output)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);
  gsize bytes = robocache_tensors_info_size (&self->current.tensors);
  GError *error = NULL;
  GstFlowReturn ret;

  if (!robocache_voxelize_check_buffer (&self->current, gst_buffer_get_size (input), &error))
    return refuse_buffer (self, error, TRUE);
  if (robocache_voxel_maps_cloud (&self->current.points, &self->current.spec))
    ret = acquire_map (self, input, output, &bytes, &error);
  else
    ret = GST_BASE_TRANSFORM_CLASS (parent_class)->prepare_output_buffer (trans, input, output);
  if (ret == GST_FLOW_ERROR)
    fail (self, error ? error : robocache_voxelize_explain_no_output (&self->current, &self->device, bytes));
  return ret;
}

/* Enqueues the grids of the window, and waits for those in system memory. */
static gboolean
compute (GstRobocacheVoxelize *self, const RobocacheVoxelPlace *place, GstClockTime pts, GError **error)
{
  RobocacheVoxelizer *voxelizer = self->current.voxelizer;
  RobocacheReadback *readback = self->statistics.readback;
  RobocacheVoxelWork work;

  if (!robocache_readback_begin (readback, error)
      || !robocache_voxelizer_run (voxelizer, &self->current.points, &self->window, place, readback, &work, error)
      || !robocache_readback_end (readback, pts, error))
    return FALSE;
  robocache_voxelize_log_work (&self->current, GST_ELEMENT (self), &work);
  GST_OBJECT_LOCK (self);
  self->device.n_chunks += work.n_chunks;
  self->statistics.points_read += work.points_read;
  GST_OBJECT_UNLOCK (self);
  return self->current.job.out_memory != ROBOCACHE_SYSTEM_MEMORY
      || robocache_engine_synchronize (robocache_voxelizer_engine (voxelizer), error);
}

static gboolean
voxelize (GstRobocacheVoxelize *self, GstBuffer *output, GstClockTime pts, GError **error)
{
  RobocacheVoxelPlace place;
  RobocacheTensorsMap map;
  gboolean ok;

  if (!robocache_voxelize_find_output (&self->current, output, &map, &place, error))
    return FALSE;
  ok = compute (self, &place, pts, error);
  if (place.mapped[0])
    robocache_tensors_unmap (&map);
  else if (!ok)
    robocache_engine_wait_after_failure (robocache_voxelizer_engine (self->current.voxelizer), error);
  return ok;
}

static gboolean
fall_back (GstRobocacheVoxelize *self, const GError *reason)
{
  return robocache_voxelize_fall_back (&self->current, &self->device, GST_ELEMENT (self), reason)
      && start_readback (self, NULL);
}

/* ---- output ---- */

static void
post_stats_when_due (GstRobocacheVoxelize *self, GstBuffer *input)
{
  const GstSegment *segment = &GST_BASE_TRANSFORM (self)->segment;
  GstClockTime running_time = GST_CLOCK_TIME_NONE;
  GstStructure *due = NULL;

  if (segment->format == GST_FORMAT_TIME)
    running_time = gst_segment_to_running_time (segment, GST_FORMAT_TIME, GST_BUFFER_PTS (input));
  GST_OBJECT_LOCK (self);
  if (robocache_statistics_timer_due (&self->stats_timer, running_time))
    due = make_stats (self);
  GST_OBJECT_UNLOCK (self);
  if (due)
    robocache_statistics_post (GST_ELEMENT (self), due);
}

/* A tensor has at least one number: the map of an empty cloud is a GAP. */
static GstFlowReturn
leave_out (GstRobocacheVoxelize *self, GstBuffer *cloud)
{
  if (GST_BUFFER_PTS_IS_VALID (cloud))
    gst_pad_push_event (GST_BASE_TRANSFORM_SRC_PAD (self), gst_event_new_gap (GST_BUFFER_PTS (cloud), GST_BUFFER_DURATION (cloud)));
  return GST_BASE_TRANSFORM_FLOW_DROPPED;
}

static GstFlowReturn
gst_robocache_voxelize_transform (GstBaseTransform *trans, GstBuffer *input, GstBuffer *output)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);
  const GstClockTime pts = GST_BUFFER_PTS (input);
  GError *error = NULL;
  gboolean ok;

  self->window.newest_first = self->current.newest_first;
  ok = robocache_cloud_window_push (&self->window, &self->current.points, self->current.accumulate, input, &error)
      && voxelize (self, output, pts, &error);

  if (!ok && robocache_device_try_again (&self->device, GST_ELEMENT (self), error)) {
    g_clear_error (&error);
    ok = voxelize (self, output, pts, &error);
  }
  if (!ok && fall_back (self, error)) {
    g_clear_error (&error);
    ok = voxelize (self, output, pts, &error);
  }
  robocache_cloud_window_prune (&self->window);
  ok = ok && robocache_device_move_output (&self->device, GST_ELEMENT (self), output, &error);
  if (!ok)
    return refuse_buffer (self, error, FALSE);
  GST_LOG_OBJECT (self, "grid of %" GST_TIME_FORMAT ", from %u clouds", GST_TIME_ARGS (pts),
      robocache_cloud_window_length (&self->window));
  if (!count_done (self, self->current.job.out_memory != ROBOCACHE_SYSTEM_MEMORY ? 1 : 0))
    return GST_FLOW_ERROR;
  warn_if_all_outside (self, input, FALSE);
  post_stats_when_due (self, input);
  return self->maps_are_tensors && gst_buffer_get_size (output) == 0 ? leave_out (self, input) : GST_FLOW_OK;
}

/* ---- begin and end ---- */

static gboolean
gst_robocache_voxelize_start (GstBaseTransform *trans)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);

  self->failed = FALSE;
  GST_OBJECT_LOCK (self);
  robocache_voxelize_statistics_reset (&self->statistics);
  robocache_statistics_timer_reset (&self->stats_timer);
  robocache_input_faults_start (&self->faults);
  GST_OBJECT_UNLOCK (self);
  return robocache_device_open (&self->device, GST_ELEMENT (self));
}

static gboolean
gst_robocache_voxelize_stop (GstBaseTransform *trans)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);

  count_done (self, 0);
  robocache_cloud_window_clear (&self->window);
  robocache_voxelize_configuration_clear (&self->current);
  robocache_voxelize_configuration_clear (&self->next);
  robocache_point_map_pool_clear (&self->maps);
  self->map_points = 0;
  gst_clear_event (&self->held_caps);
  robocache_held_events_clear (&self->held);
  robocache_flexible_input_clear (&self->flexible);
  replace_readback (self, NULL);
  gst_clear_caps (&self->in_caps);
  g_clear_pointer (&self->refusal, g_free);
  g_clear_pointer (&self->spacing_warning, g_free);
  robocache_device_close (&self->device, GST_ELEMENT (self));
  return TRUE;
}

/* ---- the class ---- */

static void
gst_robocache_voxelize_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (object);

  GST_OBJECT_LOCK (self);
  if (id <= ROBOCACHE_VOXELIZE_N_SETTINGS) {
    robocache_voxelize_properties_set (&self->properties, id, value);
  } else if (id == ROBOCACHE_VOXELIZE_PROP_STATS_INTERVAL) {
    self->stats_timer.interval = g_value_get_uint64 (value);
    robocache_statistics_timer_reset (&self->stats_timer);
  } else {
    robocache_device_set_property (&self->device, id - ROBOCACHE_VOXELIZE_PROP_DEVICE_FIRST, value);
  }
  GST_OBJECT_UNLOCK (self);
  robocache_warn_of_late_setting (self, pspec);
}

static void
gst_robocache_voxelize_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (object);

  GST_OBJECT_LOCK (self);
  if (id <= ROBOCACHE_VOXELIZE_N_SETTINGS)
    robocache_voxelize_properties_get (&self->properties, id, value);
  else if (id == ROBOCACHE_VOXELIZE_PROP_STATS)
    g_value_take_boxed (value, make_stats (self));
  else if (id == ROBOCACHE_VOXELIZE_PROP_STATS_INTERVAL)
    g_value_set_uint64 (value, self->stats_timer.interval);
  else
    robocache_device_get_property (&self->device, id - ROBOCACHE_VOXELIZE_PROP_DEVICE_FIRST, value);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_robocache_voxelize_finalize (GObject *object)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (object);

  robocache_cloud_window_finish (&self->window);
  robocache_device_finalize (&self->device);
  robocache_voxelize_properties_clear (&self->properties);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_robocache_voxelize_class_init (GstRobocacheVoxelizeClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *transform_class = GST_BASE_TRANSFORM_CLASS (klass);

  object_class->set_property = gst_robocache_voxelize_set_property;
  object_class->get_property = gst_robocache_voxelize_get_property;
  object_class->finalize = gst_robocache_voxelize_finalize;
  robocache_voxelize_properties_install (object_class);
  transform_class->transform_caps = gst_robocache_voxelize_transform_caps;
  transform_class->fixate_caps = gst_robocache_voxelize_fixate_caps;
  transform_class->accept_caps = gst_robocache_voxelize_accept_caps;
  transform_class->set_caps = gst_robocache_voxelize_set_caps;
  transform_class->decide_allocation = gst_robocache_voxelize_decide_allocation;
  transform_class->propose_allocation = gst_robocache_voxelize_propose_allocation;
  transform_class->sink_event = gst_robocache_voxelize_sink_event;
  transform_class->query = gst_robocache_voxelize_query;
  transform_class->submit_input_buffer = gst_robocache_voxelize_submit_input_buffer;
  transform_class->prepare_output_buffer = gst_robocache_voxelize_prepare_output_buffer;
  transform_class->transform = gst_robocache_voxelize_transform;
  transform_class->start = gst_robocache_voxelize_start;
  transform_class->stop = gst_robocache_voxelize_stop;

  robocache_add_pad_template (element_class, &sink_template, GST_TYPE_PAD);
  robocache_add_pad_template (element_class, &src_template, GST_TYPE_PAD);
  gst_element_class_set_static_metadata (element_class, "Voxel grids from points", "Filter/Converter",
      "Turns point clouds and depth images into dense, bit or sparse voxel grids, or their points into voxel numbers",
      "The robocache authors");
}

static void
gst_robocache_voxelize_init (GstRobocacheVoxelize *self)
{
  robocache_device_init (&self->device, GST_ELEMENT (self), 1);
  robocache_voxelize_properties_init (&self->properties);
  robocache_voxelize_statistics_reset (&self->statistics);
  robocache_statistics_timer_reset (&self->stats_timer);
  robocache_cloud_window_init (&self->window);
  robocache_flexible_input_init (&self->flexible, GST_BASE_TRANSFORM_SINK_PAD (self));
  robocache_input_faults_init (&self->faults, GST_BASE_TRANSFORM_SINK_PAD (self), "buffers-dropped-malformed");
}
