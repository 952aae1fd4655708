/* robocache: robocachevoxelview, what it takes and how large its pictures are
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "gstrobocachevoxelview.h"

#include "common/element/errors.h"
#include "chart.h"

#define DEFAULT_WIDTH 640
#define DEFAULT_HEIGHT 480

/* The base class's own, for what it does besides. */
static GstBaseTransformClass *base_class;

/* ---- caps ---- */

/* The other pad's template, at the framerates of caps: a picture comes out for each grid. What is no framerate set_caps
 * refuses, with a word about it. */
static GstCaps *
gst_robocache_voxel_view_transform_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
    GstCaps *filter)
{
  GstCaps *template = gst_pad_get_pad_template_caps (direction == GST_PAD_SINK ? trans->srcpad : trans->sinkpad);
  GstCaps *result = gst_caps_new_empty ();

  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    const GValue *framerate = gst_structure_get_value (gst_caps_get_structure (caps, i), "framerate");
    const GValue *possible = gst_structure_get_value (gst_caps_get_structure (template, 0), "framerate");
    GstCaps *one = gst_caps_copy (template);

    if (framerate && !robocache_framerate_is_any (framerate)
        && (possible == NULL || gst_value_can_intersect (framerate, possible)))
      gst_caps_set_value (one, "framerate", framerate);
    result = gst_caps_merge (result, one);
  }
  gst_caps_unref (template);
  if (filter) {
    GstCaps *filtered = gst_caps_intersect_full (filter, result, GST_CAPS_INTERSECT_FIRST);

    gst_caps_unref (result);
    result = filtered;
  }
  return result;
}

/* 640x480, or as near to it as downstream lets us; where it fixes one of both, the other follows. */
static void
fixate_size (GstStructure *video)
{
  gint width, height;

  if (gst_structure_get_int (video, "width", &width) && !gst_structure_get_int (video, "height", &height)) {
    gst_structure_fixate_field_nearest_int (video, "height",
        gst_util_uint64_scale_int (width, DEFAULT_HEIGHT, DEFAULT_WIDTH));
  } else {
    gst_structure_fixate_field_nearest_int (video, "height", DEFAULT_HEIGHT);
    gst_structure_get_int (video, "height", &height);
    gst_structure_fixate_field_nearest_int (video, "width",
        gst_util_uint64_scale_int (height, DEFAULT_WIDTH, DEFAULT_HEIGHT));
  }
}

static GstCaps *
gst_robocache_voxel_view_fixate_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
    GstCaps *othercaps)
{
  GstStructure *video;
  gint num, den;

  if (direction == GST_PAD_SRC)
    return gst_caps_fixate (othercaps);
  othercaps = gst_caps_make_writable (gst_caps_truncate (othercaps));
  video = gst_caps_get_structure (othercaps, 0);
  fixate_size (video);
  /* no framerate is 0/1; one that is none set_caps refuses */
  if (robocache_framerate_parse (gst_caps_get_structure (caps, 0), &num, &den, NULL))
    gst_structure_fixate_field_nearest_fraction (video, "framerate", num, den);
  if (gst_structure_has_field (video, "pixel-aspect-ratio"))
    gst_structure_fixate_field_nearest_fraction (video, "pixel-aspect-ratio", 1, 1);
  return gst_caps_fixate (othercaps);
}

/* ---- the grid ---- */

/* With the object lock held. */
static gboolean
take_frame (GstRobocacheVoxelView *self, RobocacheVoxelFrame *frame, GError **error)
{
  const RobocacheVoxelFrameHints hints = {
    self->input_form, self->grid, self->origin.said ? self->origin.numbers : NULL,
    self->voxel_size.said ? self->voxel_size.numbers : NULL
  };
  const gchar *wrong = self->origin.wrong ? self->origin.wrong : self->voxel_size.wrong;

  if (wrong == NULL)
    return robocache_voxel_frame_from_caps (frame, self->in_caps, &self->tensors, &hints, error);
  g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, wrong);
  return FALSE;
}

gboolean
gst_robocache_voxel_view_lay_out (GstRobocacheVoxelView *self, GError **error)
{
  RobocacheVoxelFrame frame;
  gboolean ok = TRUE;

  GST_OBJECT_LOCK (self);
  if (self->frame_changed)
    ok = take_frame (self, &frame, error) && robocache_voxel_layout_init (&self->layout, &frame, &self->tensors, error);
  self->frame_changed = !ok;
  GST_OBJECT_UNLOCK (self);
  return ok;
}

static gboolean
take_caps (GstRobocacheVoxelView *self, GstCaps *in_caps, GstCaps *out_caps, GError **error)
{
  GST_OBJECT_LOCK (self);
  self->frame_changed = TRUE;
  GST_OBJECT_UNLOCK (self);
  gst_caps_replace (&self->in_caps, in_caps);
  if (!robocache_tensors_info_from_caps (&self->tensors, in_caps, error))
    return FALSE;
  if (gst_video_info_from_caps (&self->video, out_caps))
    return gst_robocache_voxel_view_lay_out (self, error);
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "downstream caps are no raw video of one size");
  return FALSE;
}

static gboolean
gst_robocache_voxel_view_set_caps (GstBaseTransform *trans, GstCaps *in_caps, GstCaps *out_caps)
{
  GstRobocacheVoxelView *self = GST_ROBOCACHE_VOXEL_VIEW (trans);
  GError *error = NULL;

  if (take_caps (self, in_caps, out_caps, &error)) {
    g_clear_pointer (&self->refusal, g_free);
    return TRUE;
  }
  robocache_post_error_once (GST_ELEMENT (self), error, &self->refusal);
  g_error_free (error);
  return FALSE;
}

/* ---- allocation ---- */

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

/* Downstream's pool, or else one of ours, that the base class sets up. */
static gboolean
gst_robocache_voxel_view_decide_allocation (GstBaseTransform *trans, GstQuery *query)
{
  const guint size = (guint) GST_VIDEO_INFO_SIZE (&GST_ROBOCACHE_VOXEL_VIEW (trans)->video);

  if (gst_query_get_n_allocation_pools (query) == 0) {
    GstBufferPool *pool = gst_video_buffer_pool_new ();

    gst_query_add_allocation_pool (query, pool, size, 0, 0);
    gst_object_unref (pool);
  }
  return base_class->decide_allocation (trans, query);
}

void
gst_robocache_voxel_view_install_negotiation (GstBaseTransformClass *klass)
{
  base_class = g_type_class_peek_parent (klass);
  klass->transform_caps = gst_robocache_voxel_view_transform_caps;
  klass->fixate_caps = gst_robocache_voxel_view_fixate_caps;
  klass->set_caps = gst_robocache_voxel_view_set_caps;
  klass->transform_size = gst_robocache_voxel_view_transform_size;
  klass->decide_allocation = gst_robocache_voxel_view_decide_allocation;
}
