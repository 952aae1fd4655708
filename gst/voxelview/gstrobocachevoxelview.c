/* robocache: robocachevoxelview, voxel grids to pictures
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-robocachevoxelview
 * @title: robocachevoxelview
 * @short_description: shows voxel grids as video
 *
 * One picture comes out for each grid of robocachevoxelize that goes in, with its time and metadata.
 *
 * ## What a simulated robot sees
 * |[
 * gst-launch-1.0 robocachetestsrc kind=points channels=20000 is-live=true \
 *     ! robocachevoxelize origin="<-3.25,-3.25,-0.15>" grid=65:65:33 \
 *     ! robocachevoxelview ! videoconvert ! autovideosink
 * ]|
 *
 * ## A map of heights, as PNG
 * |[
 * gst-launch-1.0 robocachetestsrc kind=points channels=20000 num-buffers=1 ! robocachevoxelize output=sparse \
 *     ! robocachevoxelview view=top ! video/x-raw,width=800,height=600 ! videoconvert ! pngenc \
 *     ! filesink location=map.png
 * ]|
 */
#include "gstrobocachevoxelview.h"

#include "chart.h"
#include "common/element/errors.h"
#include "common/element/inputfaults.h"
#include "common/element/propertytypes.h"
#include "common/tensors/flexibleinput.h"
#include "common/tensors/tensorbuffer.h"
#include "common/tensors/videoframes.h"
#include "common/time/segments.h"
#include "negotiation.h"

GST_DEBUG_CATEGORY_STATIC (gst_robocache_voxel_view_debug);
#define GST_CAT_DEFAULT gst_robocache_voxel_view_debug

struct _GstRobocacheVoxelView
{
  GstBaseTransform parent;

  /* object lock */
  RobocacheViewProperties properties;

  /* stream lock */
  GstCaps *in_caps;             /* NULL: none yet, or refused */
  RobocacheTensorsInfo tensors;
  RobocacheVoxelLayout layout;
  GstVideoInfo video;
  RobocacheOccupiedVoxels voxels;
  RobocacheVoxelPicture picture;
  RobocacheFlexibleInput flexible;
  RobocacheInputFaults faults;
  gchar *refusal;               /* error posted for the last caps; NULL: they were accepted */
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (ROBOCACHE_TENSORS_MEDIA_TYPE));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (ROBOCACHE_CHART_VIDEO_CAPS));

#define gst_robocache_voxel_view_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstRobocacheVoxelView, gst_robocache_voxel_view, GST_TYPE_BASE_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (gst_robocache_voxel_view_debug, "robocachevoxelview", 0, "pictures of voxel grids"));
GST_ELEMENT_REGISTER_DEFINE (robocachevoxelview, "robocachevoxelview", GST_RANK_NONE, GST_TYPE_ROBOCACHE_VOXEL_VIEW);

/* ---- negotiate ---- */

static GstCaps *
resolve_caps (GstBaseTransform *trans, GstCaps *caps)
{
  return robocache_flexible_input_resolve (&GST_ROBOCACHE_VOXEL_VIEW (trans)->flexible, caps);
}

static GstCaps *
gst_robocache_voxel_view_transform_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
    GstCaps *filter)
{
  GstPad *other = direction == GST_PAD_SINK ? trans->srcpad : trans->sinkpad;
  GstCaps *ours = resolve_caps (trans, caps), *result = robocache_view_transform_caps (gst_pad_get_pad_template_caps (other), ours, filter);

  gst_caps_unref (ours);
  return result;
}

static GstCaps *
gst_robocache_voxel_view_fixate_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
    GstCaps *othercaps)
{
  GstCaps *ours = resolve_caps (trans, caps);
  GstCaps *result = direction == GST_PAD_SRC ? gst_caps_fixate (othercaps) : robocache_view_fixate_video (othercaps, ours);

  gst_caps_unref (ours);
  return result;
}

static gboolean
gst_robocache_voxel_view_accept_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps)
{
  return robocache_flexible_input_accept_caps (trans, GST_BASE_TRANSFORM_CLASS (parent_class), direction, caps);
}

static gboolean
gst_robocache_voxel_view_query (GstBaseTransform *trans, GstPadDirection direction, GstQuery *query)
{
  return robocache_flexible_input_query (&GST_ROBOCACHE_VOXEL_VIEW (trans)->flexible, trans, GST_BASE_TRANSFORM_CLASS (parent_class),
      direction, query);
}

/* Finds where the grid of the current caps is, if caps or properties changed. */
static gboolean
update_layout (GstRobocacheVoxelView *self, GError **error)
{
  RobocacheVoxelFrame frame;
  gboolean ok = TRUE, is_new;

  GST_OBJECT_LOCK (self);
  is_new = self->properties.frame_changed;
  if (is_new)
    ok = robocache_view_properties_find_frame (&self->properties, self->in_caps, &self->tensors, &frame, error)
        && robocache_voxel_layout_init (&self->layout, &frame, &self->tensors, error);
  self->properties.frame_changed = !ok;
  GST_OBJECT_UNLOCK (self);
  if (is_new && ok)
    GST_INFO_OBJECT (self, "the grid has %" G_GINT64_FORMAT ":%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT " voxels of %g:%g:%g m from %g:%g:%g m on",
        frame.grid[0], frame.grid[1], frame.grid[2], frame.voxel_size[0], frame.voxel_size[1], frame.voxel_size[2], frame.origin[0],
        frame.origin[1], frame.origin[2]);
  return ok;
}

static gboolean
read_caps (GstRobocacheVoxelView *self, GstCaps *in_caps, GstCaps *out_caps, GError **error)
{
  GST_OBJECT_LOCK (self);
  self->properties.frame_changed = TRUE;
  GST_OBJECT_UNLOCK (self);
  gst_caps_replace (&self->in_caps, in_caps);
  if (!robocache_tensors_info_from_caps (&self->tensors, in_caps, error))
    return FALSE;
  if (gst_video_info_from_caps (&self->video, out_caps))
    return update_layout (self, error);
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "downstream's caps are not raw video of one size");
  return FALSE;
}

/* Takes the error, and posts it once, though upstream tries again with each buffer. Live, good caps may follow. */
static void
refuse_caps (GstRobocacheVoxelView *self, GError *error)
{
  if (!robocache_input_faults_await_caps (&self->faults, error))
    robocache_post_error_once (GST_ELEMENT (self), error, &self->refusal);
  g_error_free (error);
}

static gboolean
gst_robocache_voxel_view_set_caps (GstBaseTransform *trans, GstCaps *in_caps, GstCaps *out_caps)
{
  GstRobocacheVoxelView *self = GST_ROBOCACHE_VOXEL_VIEW (trans);
  GstCaps *ours = resolve_caps (trans, in_caps);
  GError *error = NULL;
  gboolean is_read;

  GST_INFO_OBJECT (self, "%" GST_PTR_FORMAT " to %" GST_PTR_FORMAT, ours, out_caps);
  is_read = read_caps (self, ours, out_caps, &error);
  gst_caps_unref (ours);
  if (is_read) {
    g_clear_pointer (&self->refusal, g_free);
    return TRUE;
  }
  refuse_caps (self, error);
  return FALSE;
}

static gboolean
gst_robocache_voxel_view_transform_size (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps, gsize size,
    GstCaps *othercaps, gsize *othersize)
{
  GstVideoInfo video;

  if (direction == GST_PAD_SRC || !gst_video_info_from_caps (&video, othercaps))
    return FALSE;
  *othersize = GST_VIDEO_INFO_SIZE (&video);
  return TRUE;
}

/* Uses downstream's pool, or else a video pool that the base class configures. */
static gboolean
gst_robocache_voxel_view_decide_allocation (GstBaseTransform *trans, GstQuery *query)
{
  const guint size = (guint) GST_VIDEO_INFO_SIZE (&GST_ROBOCACHE_VOXEL_VIEW (trans)->video);

  if (gst_query_get_n_allocation_pools (query) == 0) {
    GstBufferPool *pool = gst_video_buffer_pool_new ();

    GST_DEBUG_OBJECT (trans, "downstream has no pool: pictures of %u bytes are in its own", size);
    gst_query_add_allocation_pool (query, pool, size, 0, 0);
    gst_object_unref (pool);
  }
  return GST_BASE_TRANSFORM_CLASS (parent_class)->decide_allocation (trans, query);
}

/* An error of a buffer, which is taken: live, it costs that buffer alone. */
static GstFlowReturn
refuse_buffer (GstRobocacheVoxelView *self, GError *error)
{
  const gboolean is_dropped = robocache_input_faults_drop (&self->faults, error);

  if (!is_dropped)
    robocache_post_error (GST_ELEMENT (self), error);
  g_error_free (error);
  return is_dropped ? GST_BASE_TRANSFORM_FLOW_DROPPED : GST_FLOW_ERROR;
}

static gboolean
gst_robocache_voxel_view_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstRobocacheVoxelView *self = GST_ROBOCACHE_VOXEL_VIEW (trans);
  const GstSegment *segment;
  GError *error = NULL;
  gboolean is_caps, is_handled;

  GST_DEBUG_OBJECT (trans, "%" GST_PTR_FORMAT, event);
  if (robocache_flexible_input_take_event (&self->flexible, event, &error)) {
    if (error)
      robocache_post_error_once (GST_ELEMENT (self), error, &self->refusal);
    is_handled = error == NULL;
    g_clear_error (&error);
    return is_handled;
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
    gst_event_parse_segment (event, &segment);
    if (!robocache_segment_check (segment, &error)) {
      robocache_post_error_once (GST_ELEMENT (self), error, &self->refusal);
      g_error_free (error);
      gst_event_unref (event);
      return FALSE;
    }
  }
  is_caps = GST_EVENT_TYPE (event) == GST_EVENT_CAPS;
  if (is_caps)
    robocache_input_faults_begin_caps (&self->faults);
  is_handled = GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (trans, event);
  return is_caps ? robocache_input_faults_end_caps (&self->faults, is_handled) : is_handled;
}

static GstFlowReturn
gst_robocache_voxel_view_submit_input_buffer (GstBaseTransform *trans, gboolean is_discont, GstBuffer *input)
{
  GstRobocacheVoxelView *self = GST_ROBOCACHE_VOXEL_VIEW (trans);
  GError *error = NULL;
  GstFlowReturn ret = robocache_flexible_input_strip (&self->flexible, &input, &error);

  if (error)
    ret = refuse_buffer (self, error);
  else if (ret == GST_FLOW_OK && robocache_input_faults_skip (&self->faults))
    ret = GST_BASE_TRANSFORM_FLOW_DROPPED;
  if (ret == GST_FLOW_OK)
    return GST_BASE_TRANSFORM_CLASS (parent_class)->submit_input_buffer (trans, is_discont, input);
  GST_LOG_OBJECT (self, "a grid is not drawn: %s", gst_flow_get_name (ret));
  gst_buffer_unref (input);
  return ret;
}

/* ---- read ---- */

static gboolean
check_index (const gchar *property, guint index, guint64 n, const gchar *what, GError **error)
{
  if (index < n)
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "%s is %u, but there are %" G_GUINT64_FORMAT " %s, "
      "counted from 0", property, index, n, what);
  return FALSE;
}

/* Draws the item of the mapped input that style asks for. */
static gboolean
draw_voxels (GstRobocacheVoxelView *self, const RobocacheViewStyle *style, const RobocacheVoxelCamera *camera,
    const RobocacheTensorsMap *map, GError **error)
{
  /* for heights any channel will do, and the one that is set need not be there */
  const guint channel = style->colour_by == ROBOCACHE_COLOUR_BY_VALUE ? style->channel : 0;

  if (!robocache_occupied_voxels_read (&self->voxels, &self->layout, map->data, style->batch_item, channel, error)
      || !robocache_voxel_picture_begin (&self->picture, GST_VIDEO_INFO_WIDTH (&self->video),
          GST_VIDEO_INFO_HEIGHT (&self->video), error))
    return FALSE;
  robocache_voxel_picture_draw (&self->picture, camera, &self->voxels, style->colour_by);
  return TRUE;
}

static gboolean
read_voxels (GstRobocacheVoxelView *self, const RobocacheViewStyle *style, const RobocacheVoxelCamera *camera,
    GstBuffer *input, GError **error)
{
  RobocacheTensorsMap map;
  gboolean ok;

  if (!check_index ("batch-item", style->batch_item, self->layout.n_items, "items in a buffer", error)
      || (style->colour_by == ROBOCACHE_COLOUR_BY_VALUE
          && !check_index ("channel", style->channel, self->layout.n_channels, "channels in a voxel", error))
      || !robocache_tensors_map (&map, input, &self->tensors, GST_MAP_READ, error))
    return FALSE;
  ok = draw_voxels (self, style, camera, &map, error);
  robocache_tensors_unmap (&map);
  return ok;
}

/* ---- show ---- */

/* Both ends of the colour bar: as they are set, or else the height of the grid, or the values that are seen. */
static void
find_range (GstRobocacheVoxelView *self, const RobocacheViewStyle *style, const RobocacheVoxelSight *sight,
    gdouble range[2])
{
  const RobocacheVoxelFrame *frame = &self->layout.frame;

  range[0] = 0.0;
  range[1] = 1.0;
  if (style->has_range) {
    range[0] = style->range[0];
    range[1] = style->range[1];
  } else if (style->colour_by == ROBOCACHE_COLOUR_BY_HEIGHT) {
    range[0] = frame->origin[2];
    range[1] = frame->origin[2] + (gdouble) frame->grid[2] * frame->voxel_size[2];
  } else if (sight->any) {
    /* one value alone is in the middle */
    const gdouble beside = sight->range[0] < sight->range[1] ? 0.0 : MAX (0.5, 1e-3 * ABS (sight->range[0]));

    range[0] = sight->range[0] - beside;
    range[1] = sight->range[1] + beside;
  }
}

static gboolean
show (GstRobocacheVoxelView *self, const RobocacheViewStyle *style, const RobocacheChart *chart,
    RobocacheLegend *legend, GstBuffer *output, GError **error)
{
  const RobocacheVoxelSight sight = robocache_voxel_picture_look (&self->picture);
  GstVideoFrame frame;
  gboolean ok;

  if (!robocache_video_frame_map (&frame, &self->video, output, GST_MAP_READWRITE, error))
    return FALSE;
  legend->n_occupied = self->voxels.n_occupied;
  legend->nan = sight.nan;
  find_range (self, style, &sight, legend->range);
  ok = robocache_chart_draw (chart, &self->picture, legend, &frame, error);
  gst_video_frame_unmap (&frame);
  return ok;
}

static gboolean
make_picture (GstRobocacheVoxelView *self, GstBuffer *input, GstBuffer *output, GError **error)
{
  RobocacheViewStyle style;
  RobocacheChart chart;
  RobocacheLegend legend;
  gboolean ok;

  GST_OBJECT_LOCK (self);
  ok = robocache_view_properties_read_style (&self->properties, &style, error);
  GST_OBJECT_UNLOCK (self);
  if (!ok || !update_layout (self, error))
    return FALSE;
  legend = (RobocacheLegend) {
    .colour_by = style.colour_by, .mode = self->layout.frame.mode, .channel = style.channel,
    .n_channels = self->layout.n_channels
  };
  robocache_chart_init (&chart, &style, &self->layout.frame, &legend, GST_VIDEO_INFO_WIDTH (&self->video),
      GST_VIDEO_INFO_HEIGHT (&self->video));
  return read_voxels (self, &style, &chart.camera, input, error) && show (self, &style, &chart, &legend, output, error);
}

static GstFlowReturn
gst_robocache_voxel_view_transform (GstBaseTransform *trans, GstBuffer *input, GstBuffer *output)
{
  GstRobocacheVoxelView *self = GST_ROBOCACHE_VOXEL_VIEW (trans);
  GError *error = NULL;

  if (make_picture (self, input, output, &error)) {
    GST_LOG_OBJECT (self, "picture of %" GST_TIME_FORMAT ", %" G_GUINT64_FORMAT " voxels occupied",
        GST_TIME_ARGS (GST_BUFFER_PTS (input)), self->voxels.n_occupied);
    return GST_FLOW_OK;
  }
  return refuse_buffer (self, error);
}

/* ---- begin and end ---- */

static gboolean
gst_robocache_voxel_view_start (GstBaseTransform *trans)
{
  GST_OBJECT_LOCK (trans);
  robocache_input_faults_start (&GST_ROBOCACHE_VOXEL_VIEW (trans)->faults);
  GST_OBJECT_UNLOCK (trans);
  return TRUE;
}

static gboolean
gst_robocache_voxel_view_stop (GstBaseTransform *trans)
{
  GstRobocacheVoxelView *self = GST_ROBOCACHE_VOXEL_VIEW (trans);

  gst_clear_caps (&self->in_caps);
  robocache_flexible_input_clear (&self->flexible);
  g_clear_pointer (&self->refusal, g_free);
  robocache_occupied_voxels_clear (&self->voxels);
  robocache_voxel_picture_clear (&self->picture);
  return TRUE;
}

/* ---- the class ---- */

static void
gst_robocache_voxel_view_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GST_OBJECT_LOCK (object);
  robocache_view_properties_set (&GST_ROBOCACHE_VOXEL_VIEW (object)->properties, pspec, value);
  GST_OBJECT_UNLOCK (object);
}

static void
gst_robocache_voxel_view_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GST_OBJECT_LOCK (object);
  robocache_view_properties_get (&GST_ROBOCACHE_VOXEL_VIEW (object)->properties, pspec, value);
  GST_OBJECT_UNLOCK (object);
}

static void
gst_robocache_voxel_view_finalize (GObject *object)
{
  robocache_view_properties_clear (&GST_ROBOCACHE_VOXEL_VIEW (object)->properties);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_robocache_voxel_view_class_init (GstRobocacheVoxelViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *transform_class = GST_BASE_TRANSFORM_CLASS (klass);

  object_class->set_property = gst_robocache_voxel_view_set_property;
  object_class->get_property = gst_robocache_voxel_view_get_property;
  object_class->finalize = gst_robocache_voxel_view_finalize;
  robocache_view_properties_install (object_class);
  transform_class->transform_caps = gst_robocache_voxel_view_transform_caps;
  transform_class->fixate_caps = gst_robocache_voxel_view_fixate_caps;
  transform_class->accept_caps = gst_robocache_voxel_view_accept_caps;
  transform_class->query = gst_robocache_voxel_view_query;
  transform_class->set_caps = gst_robocache_voxel_view_set_caps;
  transform_class->transform_size = gst_robocache_voxel_view_transform_size;
  transform_class->decide_allocation = gst_robocache_voxel_view_decide_allocation;
  transform_class->sink_event = gst_robocache_voxel_view_sink_event;
  transform_class->submit_input_buffer = gst_robocache_voxel_view_submit_input_buffer;
  transform_class->transform = gst_robocache_voxel_view_transform;
  transform_class->start = gst_robocache_voxel_view_start;
  transform_class->stop = gst_robocache_voxel_view_stop;

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Pictures of voxel grids", "Filter/Converter/Video",
      "Shows voxel grids from above or as shaded cubes, with axes and a colour bar", "The robocache authors");
}

static void
gst_robocache_voxel_view_init (GstRobocacheVoxelView *self)
{
  robocache_view_properties_init (&self->properties);
  /* live, a picture that would be late is not made */
  gst_base_transform_set_qos_enabled (GST_BASE_TRANSFORM (self), TRUE);
  robocache_flexible_input_init (&self->flexible, GST_BASE_TRANSFORM_SINK_PAD (self));
  robocache_input_faults_init (&self->faults, GST_BASE_TRANSFORM_SINK_PAD (self), NULL);
}
