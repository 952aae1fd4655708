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
 * ## Pillars of at most 32 points, as detectors take them
 * |[
 * gst-launch-1.0 multifilesrc location=%010d.bin caps=application/octet-stream,framerate=10/1 \
 *     ! robocacheparse format=kitti \
 *     ! robocachevoxelize origin="<0.0,-39.68,-3.0>" voxel-size="<0.16,0.16,4.0>" grid=432:496:1 \
 *         mode=first output=sparse max-points=32 max-voxels=16000 ! appsink
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

#include <string.h>

#include "common/element/errors.h"
#include "common/time/segments.h"

GST_DEBUG_CATEGORY_STATIC (gst_robocache_voxelize_debug);
#define GST_CAT_DEFAULT gst_robocache_voxelize_debug

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (ROBOCACHE_POINTS_TEMPLATE_CAPS));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (ROBOCACHE_TENSORS_TEMPLATE_CAPS "; " ROBOCACHE_POINTCLOUD_MEDIA_TYPE "; "
        ROBOCACHE_POINTCLOUD_MEDIA_TYPE "(" ROBOCACHE_CAPS_FEATURE_CUDA ")"));

#define gst_robocache_voxelize_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstRobocacheVoxelize, gst_robocache_voxelize, GST_TYPE_BASE_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (gst_robocache_voxelize_debug, "robocachevoxelize", 0, "points to voxel grids"));
GST_ELEMENT_REGISTER_DEFINE (robocachevoxelize, "robocachevoxelize", GST_RANK_NONE, GST_TYPE_ROBOCACHE_VOXELIZE);

/* ---- errors ---- */

void
gst_robocache_voxelize_fail (GstRobocacheVoxelize *self, const GError *error)
{
  if (!self->failed)
    robocache_post_error (GST_ELEMENT (self), error);
  self->failed |= error->domain != ROBOCACHE_ERROR;
}

/* ---- what is counted ---- */

static void
add_counters (GstRobocacheVoxelizeStatistics *s, const RcVoxelCounters *counters, GstClockTime pts)
{
  s->buffers++;
  s->last_pts = pts;
  s->total.points += counters->points;
  s->total.inside += counters->inside;
  s->total.outside += counters->outside;
  s->total.nan += counters->nan;
  s->total.infinite += counters->infinite;
  s->total.clamped += counters->clamped;
  s->total.over_cap += counters->over_cap;
  s->total.over_points += counters->over_points;
  s->occupied_voxels = counters->occupied;
  s->buffers_over_cap += counters->over_cap > 0;
  if (counters->over_cap > 0 && s->untold_over_cap == 0)
    s->untold_over_cap = counters->occupied;
}

gboolean
gst_robocache_voxelize_count (GstRobocacheVoxelize *self, guint but_last, GError **error)
{
  union
  {
    gint64 all[ROBOCACHE_VOXELIZER_N_COUNTERS];
    RcVoxelCounters named;
  } counters;
  GstClockTime pts;

  while (robocache_readback_pending (&self->readback) > but_last) {
    if (!robocache_readback_take (&self->readback, counters.all, &pts, error))
      return FALSE;
    add_counters (&self->statistics, &counters.named, pts);
  }
  return TRUE;
}

GstStructure *
gst_robocache_voxelize_make_stats (GstRobocacheVoxelize *self)
{
  const GstRobocacheVoxelizeStatistics *s = &self->statistics;
  GstStructure *structure;

  /* exact for what was handed out; a device that failed says so when it is used again */
  gst_robocache_voxelize_count (self, 0, NULL);
  structure = gst_structure_new ("robocachevoxelize", "buffers", G_TYPE_UINT64, s->buffers,
      "last-pts", G_TYPE_UINT64, s->last_pts,
      "points", G_TYPE_INT64, s->total.points, "points-inside", G_TYPE_INT64, s->total.inside,
      "points-outside", G_TYPE_INT64, s->total.outside, "points-nan", G_TYPE_INT64, s->total.nan,
      "points-infinite", G_TYPE_INT64, s->total.infinite, "points-read", G_TYPE_INT64, s->points_read,
      "values-clamped", G_TYPE_INT64, s->total.clamped,
      "occupied-voxels", G_TYPE_INT64, s->occupied_voxels, "voxels-over-cap", G_TYPE_INT64, s->total.over_cap,
      "buffers-over-cap", G_TYPE_UINT64, s->buffers_over_cap, "points-over-max", G_TYPE_INT64, s->total.over_points,
      NULL);

  robocache_device_to_structure (&self->device, structure);
  return structure;
}

static void
warn_over_cap (GstRobocacheVoxelize *self, gint64 occupied)
{
  if (occupied == 0 || self->warned_over_cap)
    return;
  self->warned_over_cap = TRUE;
  GST_ELEMENT_WARNING (self, RESOURCE, NO_SPACE_LEFT, ("%" G_GINT64_FORMAT " voxels are occupied, but max-voxels is %"
          G_GINT64_FORMAT ": the rest is left out and counted in stats; raise max-voxels", occupied,
          self->current.spec.max_voxels), (NULL));
}

/* Counts all but the last so many buffers, and tells of what was left out of them. FALSE: an error was posted. */
static gboolean
count_done (GstRobocacheVoxelize *self, guint but_last)
{
  GError *error = NULL;
  gint64 occupied;

  GST_OBJECT_LOCK (self);
  gst_robocache_voxelize_count (self, but_last, &error);
  occupied = self->statistics.untold_over_cap;
  self->statistics.untold_over_cap = 0;
  GST_OBJECT_UNLOCK (self);
  warn_over_cap (self, occupied);
  if (error == NULL)
    return TRUE;
  gst_robocache_voxelize_fail (self, error);
  g_error_free (error);
  return FALSE;
}

static void
post_stats_when_due (GstRobocacheVoxelize *self, GstBuffer *input)
{
  const GstSegment *segment = &GST_BASE_TRANSFORM (self)->segment;
  GstClockTime running_time = GST_CLOCK_TIME_NONE;
  GstStructure *due = NULL;

  if (segment->format == GST_FORMAT_TIME)
    running_time = gst_segment_to_running_time (segment, GST_FORMAT_TIME, GST_BUFFER_PTS (input));
  GST_OBJECT_LOCK (self);
  if (robocache_stats_timer_due (&self->stats_timer, running_time))
    due = gst_robocache_voxelize_make_stats (self);
  GST_OBJECT_UNLOCK (self);
  if (due)
    robocache_stats_post (GST_ELEMENT (self), due);
}

/* ---- take in ---- */

static GstFlowReturn
gst_robocache_voxelize_submit_input_buffer (GstBaseTransform *trans, gboolean is_discont, GstBuffer *input)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);
  gboolean changed;
  GstFlowReturn ret;

  if (self->failed) {
    gst_buffer_unref (input);
    return GST_FLOW_ERROR;
  }
  GST_OBJECT_LOCK (self);
  changed = self->settings_changed;
  GST_OBJECT_UNLOCK (self);
  if (changed)
    gst_base_transform_reconfigure_src (trans);
  self->tried_caps = self->in_caps == NULL;     /* a buffer before caps is the base class's to refuse */
  ret = GST_BASE_TRANSFORM_CLASS (parent_class)->submit_input_buffer (trans, is_discont, input);
  /* set_caps did it already, unless all caps stayed what they were */
  if (ret == GST_FLOW_OK && !gst_robocache_voxelize_install_next (self))
    ret = GST_FLOW_ERROR;
  if (ret == GST_FLOW_NOT_NEGOTIATED)
    gst_robocache_voxelize_negotiation_failed (self);
  return ret;
}

static gboolean
take_caps (GstRobocacheVoxelize *self, GstEvent *event)
{
  gboolean ok;

  self->tried_caps = FALSE;
  ok = GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (GST_BASE_TRANSFORM (self), event);
  if (!ok)
    gst_robocache_voxelize_negotiation_failed (self);
  return ok;
}

static gboolean
gst_robocache_voxelize_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);
  const GstSegment *segment;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      return take_caps (self, event);
    case GST_EVENT_FLUSH_STOP:
      robocache_cloud_window_clear (&self->window);
      GST_OBJECT_LOCK (self);
      robocache_stats_timer_reset (&self->stats_timer);
      GST_OBJECT_UNLOCK (self);
      break;
    case GST_EVENT_EOS:
      count_done (self, 0);
      robocache_stats_post_last (GST_ELEMENT (self));
      break;
    case GST_EVENT_STREAM_START:
      robocache_cloud_window_clear (&self->window);
      break;
    case GST_EVENT_SEGMENT:
      gst_event_parse_segment (event, &segment);
      if (!robocache_segment_continues (&trans->segment, segment))
        robocache_cloud_window_clear (&self->window);
      break;
    default:
      break;
  }
  return GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (trans, event);
}

/* ---- voxelize ---- */

/* What an output holds. The map of a cloud has as many numbers as the cloud has points, which caps do not say. */
static RobocacheTensorsInfo
tensors_of (const GstRobocacheVoxelize *self, GstBuffer *output)
{
  const guint64 n = gst_buffer_get_size (output) / sizeof (gint64);
  RobocacheTensorsInfo tensors = self->current.tensors;

  if (n > 0 && robocache_voxel_maps_cloud (&self->current.points, &self->current.spec)) {
    tensors.n_tensors = 1;
    robocache_tensor_info_set (&tensors.tensors[0], RC_INT64, &n, 1);
  }
  return tensors;
}

/* Whether the buffer's memories are those that kernels write to, where they are or by way of their own. */
static gboolean
is_in_place (GstRobocacheVoxelize *self, GstBuffer *output, const RobocacheTensorsInfo *tensors)
{
  RobocacheEngine *engine = robocache_voxelizer_engine (self->current.voxelizer);
  gboolean in_place = gst_buffer_n_memory (output) == tensors->n_tensors;

  if (robocache_engine_is_gpu (engine) || tensors->n_tensors == 0)
    return TRUE;
  for (guint i = 0; i < tensors->n_tensors && in_place; i++) {
    const GstMemory *memory = gst_buffer_peek_memory (output, i);

    in_place = memory->size == robocache_tensor_info_size (&tensors->tensors[i])
        && robocache_engine_reach (engine, memory, 0);
  }
  return in_place;
}

/* Memory of others is mapped. */
static gboolean
find_outputs (GstRobocacheVoxelize *self, GstBuffer *output, RobocacheTensorsMap *map, RobocacheVoxelPlace *place,
    GError **error)
{
  const RobocacheTensorsInfo tensors = tensors_of (self, output);
  const gboolean in_place = is_in_place (self, output, &tensors);

  memset (place, 0, sizeof (*place));
  place->n_outputs = tensors.n_tensors;
  if (!in_place && !robocache_tensors_map (map, output, &tensors, GST_MAP_WRITE, error))
    return FALSE;
  for (guint i = 0; i < tensors.n_tensors; i++) {
    place->item_bytes[i] = robocache_tensor_info_size (&tensors.tensors[i]) / self->current.points.n_items;
    if (in_place)
      place->memories[i] = gst_buffer_peek_memory (output, i);
    else
      place->mapped[i] = map->data[i];
  }
  return TRUE;
}

/* The grids of the window to place. */
static gboolean
run_job (GstRobocacheVoxelize *self, const RobocacheVoxelPlace *place, GstClockTime pts, GError **error)
{
  RobocacheEngine *engine = robocache_voxelizer_engine (self->current.voxelizer);
  RobocacheVoxelWork work;
  gboolean ok;

  GST_OBJECT_LOCK (self);
  ok = robocache_readback_begin (&self->readback, error);
  GST_OBJECT_UNLOCK (self);
  if (!ok || !robocache_voxelizer_run (self->current.voxelizer, &self->current.points, &self->window, place,
      &self->readback, &work, error))
    return FALSE;
  GST_OBJECT_LOCK (self);
  self->device.n_chunks += work.n_chunks;
  self->statistics.points_read += work.points_read;
  ok = robocache_readback_end (&self->readback, pts, error);
  GST_OBJECT_UNLOCK (self);
  return ok && (self->current.job.out_on_device || robocache_engine_synchronize (engine, error));
}

static gboolean
voxelize (GstRobocacheVoxelize *self, GstBuffer *output, GstClockTime pts, GError **error)
{
  RobocacheVoxelPlace place;
  RobocacheTensorsMap map;
  gboolean ok;

  if (!find_outputs (self, output, &map, &place, error))
    return FALSE;
  ok = run_job (self, &place, pts, error);
  if (place.mapped[0])
    robocache_tensors_unmap (&map);
  else if (!ok)
    robocache_engine_synchronize (robocache_voxelizer_engine (self->current.voxelizer), NULL);
  return ok;
}

static GstFlowReturn
gst_robocache_voxelize_transform (GstBaseTransform *trans, GstBuffer *input, GstBuffer *output)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);
  const GstClockTime pts = GST_BUFFER_PTS (input);
  GError *error = NULL;
  gboolean ok = robocache_cloud_window_push (&self->window, &self->current.points, self->current.accumulate, input,
      &error)
      && voxelize (self, output, pts, &error);

  if (!ok && gst_robocache_voxelize_fall_back (self, error)) {
    g_clear_error (&error);
    ok = voxelize (self, output, pts, &error);
  }
  robocache_cloud_window_prune (&self->window);
  if (!ok) {
    gst_robocache_voxelize_fail (self, error);
    g_error_free (error);
    return GST_FLOW_ERROR;
  }
  if (!count_done (self, self->current.job.out_on_device ? 1 : 0))
    return GST_FLOW_ERROR;
  post_stats_when_due (self, input);
  return GST_FLOW_OK;
}

/* ---- begin and end ---- */

static gboolean
gst_robocache_voxelize_start (GstBaseTransform *trans)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);

  self->failed = FALSE;
  GST_OBJECT_LOCK (self);
  memset (&self->statistics, 0, sizeof (self->statistics));
  self->statistics.last_pts = GST_CLOCK_TIME_NONE;
  robocache_stats_timer_reset (&self->stats_timer);
  GST_OBJECT_UNLOCK (self);
  return robocache_device_open (&self->device, GST_ELEMENT (self));
}

static gboolean
gst_robocache_voxelize_stop (GstBaseTransform *trans)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (trans);

  count_done (self, 0);
  robocache_cloud_window_clear (&self->window);
  gst_robocache_voxelize_configuration_clear (&self->current);
  gst_robocache_voxelize_configuration_clear (&self->next);
  gst_robocache_voxelize_clear_map_pool (self);
  GST_OBJECT_LOCK (self);
  robocache_readback_clear (&self->readback);
  GST_OBJECT_UNLOCK (self);
  gst_clear_caps (&self->in_caps);
  g_clear_pointer (&self->refusal, g_free);
  g_clear_pointer (&self->spacing_warning, g_free);
  robocache_device_close (&self->device, GST_ELEMENT (self));
  return TRUE;
}

static void
gst_robocache_voxelize_finalize (GObject *object)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (object);

  robocache_cloud_window_finish (&self->window);
  gst_robocache_voxelize_clear_settings (self);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_robocache_voxelize_class_init (GstRobocacheVoxelizeClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *transform_class = GST_BASE_TRANSFORM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = gst_robocache_voxelize_finalize;
  gst_robocache_voxelize_install_properties (G_OBJECT_CLASS (klass));
  gst_robocache_voxelize_install_negotiation (transform_class);
  gst_robocache_voxelize_install_map_pool (transform_class);
  transform_class->start = gst_robocache_voxelize_start;
  transform_class->stop = gst_robocache_voxelize_stop;
  transform_class->submit_input_buffer = gst_robocache_voxelize_submit_input_buffer;
  transform_class->sink_event = gst_robocache_voxelize_sink_event;
  transform_class->transform = gst_robocache_voxelize_transform;

  robocache_add_pad_template (element_class, &sink_template, GST_TYPE_PAD);
  robocache_add_pad_template (element_class, &src_template, GST_TYPE_PAD);
  gst_element_class_set_static_metadata (element_class, "Voxel grids from points", "Filter/Converter",
      "Turns point clouds and depth images into dense, bit or sparse voxel grids, or their points into voxel numbers",
      "The robocache authors");
}

static void
gst_robocache_voxelize_init (GstRobocacheVoxelize *self)
{
  gst_robocache_voxelize_init_settings (self);
  self->statistics.last_pts = GST_CLOCK_TIME_NONE;
  robocache_stats_timer_reset (&self->stats_timer);
  robocache_cloud_window_init (&self->window);
}
