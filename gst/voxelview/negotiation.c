/* robocache: robocachevoxelview, caps of grids and of pictures
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "negotiation.h"

#include "common/tensors/tensorcaps.h"

#define DEFAULT_WIDTH 640
#define DEFAULT_HEIGHT 480

GstCaps *
robocache_view_transform_caps (GstCaps *template, const GstCaps *caps, GstCaps *filter)
{
  const GValue *possible = gst_structure_get_value (gst_caps_get_structure (template, 0), "framerate");
  GstCaps *result = gst_caps_new_empty ();

  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    const GValue *framerate = gst_structure_get_value (gst_caps_get_structure (caps, i), "framerate");
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

/* If downstream fixes the width or the height alone, the other follows at 4:3. */
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

GstCaps *
robocache_view_fixate_video (GstCaps *video_caps, const GstCaps *grids)
{
  GstStructure *video;
  gint num, den;

  video_caps = gst_caps_make_writable (gst_caps_truncate (video_caps));
  video = gst_caps_get_structure (video_caps, 0);
  fixate_size (video);
  if (robocache_framerate_parse (gst_caps_get_structure (grids, 0), &num, &den, NULL))
    gst_structure_fixate_field_nearest_fraction (video, "framerate", num, den);
  if (gst_structure_has_field (video, "pixel-aspect-ratio"))
    gst_structure_fixate_field_nearest_fraction (video, "pixel-aspect-ratio", 1, 1);
  return gst_caps_fixate (video_caps);
}
