/* robocache: caps of the inputs of robocachefuse, and the rows that they describe
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "inputcaps.h"

#include <string.h>

#include "common/tensors/memorycaps.h"
#include "common/tensors/tensormeta.h"
#include "common/rows/blender.h"
#include "cameraformats.h"

static gboolean
parse_camera (FuseFormat *format, const GstCaps *caps, GError **error)
{
  const GstVideoInfo *video = &format->video;

  if (!gst_video_info_from_caps (&format->video, caps) || !fuse_camera_has_lines (video)) {
    gchar *text = gst_caps_to_string (caps);

    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "caps are %s: expected video/x-raw with format, width and "
        "height", text);
    g_free (text);
    return FALSE;
  }
  if (!fuse_camera_has_whole_chroma (video)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "a frame of NV12 has %dx%d pixels: expected an even width and "
        "height", GST_VIDEO_INFO_WIDTH (video), GST_VIDEO_INFO_HEIGHT (video));
    return FALSE;
  }
  format->is_camera = TRUE;
  format->on_device = !gst_caps_features_is_equal (gst_caps_get_features (caps, 0), GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY);
  format->rows.dtype = fuse_camera_dtype (video);
  format->rows.channels = (guint64) GST_VIDEO_INFO_WIDTH (video) * fuse_camera_lines (video)
      * fuse_camera_pixel_elements (video);
  format->rows.n_rows = 1;
  format->rate_num = GST_VIDEO_INFO_FPS_N (video);
  format->rate_den = GST_VIDEO_INFO_FPS_D (video);
  return TRUE;
}

gboolean
fuse_format_is_whole (const FuseFormat *format)
{
  return !format->is_camera && format->tensors.n_tensors > 0 && format->tensors.tensors[0].rank > 2;
}

/* A tensor of more axes than channels and rows is one row of all its elements. */
static gboolean
lay_out_rows (FuseFormat *format, GError **error)
{
  RobocacheTensorsInfo rows = format->tensors;
  const guint64 elements = robocache_tensor_info_elements (&rows.tensors[0]);

  if (fuse_format_is_whole (format))
    robocache_tensor_info_set (&rows.tensors[0], rows.tensors[0].dtype, &elements, 1);
  return robocache_row_layout_from_info (&format->rows, &rows, error);
}

/* info is parsed. */
static gboolean
use_tensors (FuseFormat *format, const GstCaps *caps, GError **error)
{
  if (!lay_out_rows (format, error))
    return FALSE;
  format->rate_num = format->tensors.rate_num;
  format->rate_den = format->tensors.rate_den;
  format->on_device = robocache_caps_on_device (caps);
  format->channels = g_strdup (gst_structure_get_string (gst_caps_get_structure (caps, 0), "channels"));
  return TRUE;
}

gboolean
fuse_format_parse (FuseFormat *format, const GstCaps *caps, const gchar *tensor_id, GError **error)
{
  const gboolean has_frames = gst_structure_has_name (gst_caps_get_structure (caps, 0), "video/x-raw");

  memset (format, 0, sizeof (*format));
  format->tensor_id = g_quark_from_string (tensor_id);
  if (has_frames && tensor_id == NULL)
    return parse_camera (format, caps, error);
  format->is_in_frames = has_frames;
  return (has_frames ? robocache_tensor_meta_parse_caps (&format->tensors, caps, tensor_id, error)
      : robocache_tensors_info_from_caps (&format->tensors, caps, error)) && use_tensors (format, caps, error);
}

void
fuse_format_copy (FuseFormat *to, const FuseFormat *from)
{
  *to = *from;
  to->channels = g_strdup (from->channels);
}

void
fuse_format_clear (FuseFormat *format)
{
  g_clear_pointer (&format->channels, g_free);
}

static gboolean
has_same_frames (const GstVideoInfo *a, const GstVideoInfo *b)
{
  return GST_VIDEO_INFO_FORMAT (a) == GST_VIDEO_INFO_FORMAT (b) && GST_VIDEO_INFO_WIDTH (a) == GST_VIDEO_INFO_WIDTH (b)
      && GST_VIDEO_INFO_HEIGHT (a) == GST_VIDEO_INFO_HEIGHT (b);
}

/* Axes of whole tensors; of others the channels are enough. */
static gboolean
has_same_axes (const FuseFormat *a, const FuseFormat *b)
{
  const RobocacheTensorInfo *tensor_a = &a->tensors.tensors[0], *tensor_b = &b->tensors.tensors[0];

  if (!fuse_format_is_whole (a) && !fuse_format_is_whole (b))
    return TRUE;
  return tensor_a->rank == tensor_b->rank && memcmp (tensor_a->dims, tensor_b->dims, tensor_a->rank * sizeof (guint64)) == 0;
}

static gboolean
has_same_shape (const FuseFormat *a, const FuseFormat *b)
{
  return a->is_camera == b->is_camera && a->on_device == b->on_device && a->rows.dtype == b->rows.dtype
      && a->rows.channels == b->rows.channels && has_same_axes (a, b) && (!a->is_camera || has_same_frames (&a->video, &b->video));
}

gboolean
fuse_format_has_same_rows (const FuseFormat *a, const FuseFormat *b)
{
  return has_same_shape (a, b) && a->rate_num == b->rate_num && a->rate_den == b->rate_den
      && a->tensor_id == b->tensor_id && (!a->is_camera || gst_video_info_is_equal (&a->video, &b->video)) && g_strcmp0 (a->channels, b->channels) == 0;
}

gboolean
fuse_format_is_as_declared (const FuseFormat *format, const FuseFormat *declared)
{
  return has_same_shape (format, declared)
      && (declared->channels == NULL || g_strcmp0 (format->channels, declared->channels) == 0)
      && (declared->rate_num == 0 || (format->rate_num == declared->rate_num && format->rate_den == declared->rate_den));
}

gsize
fuse_format_row_bytes (const FuseFormat *format)
{
  return format->rows.channels * rc_dtype_size (format->rows.dtype);
}

gsize
fuse_format_kept_bytes (const FuseFormat *format)
{
  if (format->is_camera)
    return sizeof (GstBuffer *);
  return format->on_device ? sizeof (RobocacheDeviceRow) : fuse_format_row_bytes (format);
}

gboolean
fuse_format_keeps_buffers (const FuseFormat *format)
{
  return format->is_camera || format->on_device;
}

gint64
fuse_format_period (const FuseFormat *format)
{
  return format->rate_num > 0 ? (gint64) gst_util_uint64_scale_int (GST_SECOND, format->rate_den, format->rate_num) : 0;
}
