/* robocache: the format of an input of robocachefuse: caps, and the rows that they describe
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "format.h"

#include <string.h>

#include "common/channels/channelkinds.h"
#include "common/tensors/memorycaps.h"
#include "common/tensors/tensormeta.h"
#include "common/device/budget.h"
#include "common/rows/blender.h"
#include "common/time/rowtimes.h"
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
  format->rows.is_camera = TRUE;
  format->rows.on_device = !gst_caps_features_is_equal (gst_caps_get_features (caps, 0), GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY);
  format->rows.dtype = fuse_camera_dtype (video);
  format->rows.channels = (guint64) GST_VIDEO_INFO_WIDTH (video) * fuse_camera_lines (video)
      * fuse_camera_pixel_elements (video);
  format->rows.n_rows = 1;
  format->rows.rate_num = GST_VIDEO_INFO_FPS_N (video);
  format->rows.rate_den = GST_VIDEO_INFO_FPS_D (video);
  return TRUE;
}

gboolean
fuse_format_is_whole (const FuseFormat *format)
{
  return format->rows.is_whole;
}

/* A tensor of more axes than channels and rows is one row of all its elements, as is a picture. */
static gboolean
lay_out_rows (FuseFormat *format, GError **error)
{
  RobocacheTensorsInfo rows = format->tensors;
  const guint64 elements = robocache_tensor_info_elements (&rows.tensors[0]);
  RobocacheRowLayout layout;

  if (fuse_format_is_whole (format))
    robocache_tensor_info_set (&rows.tensors[0], rows.tensors[0].dtype, &elements, 1);
  if (!robocache_row_layout_from_info (&layout, &rows, error))
    return FALSE;
  format->rows.dtype = layout.dtype;
  format->rows.channels = layout.channels;
  format->rows.n_rows = layout.n_rows;
  format->rows.has_times = layout.has_times;
  return TRUE;
}

/* info is parsed. */
static gboolean
use_tensors (FuseFormat *format, const GstCaps *caps, GError **error)
{
  format->rows.is_whole = format->tensors.tensors[0].rank > 2 || gst_structure_has_field (gst_caps_get_structure (caps, 0), ROBOCACHE_PICTURE_FIELD);
  if (!lay_out_rows (format, error))
    return FALSE;
  format->rows.rate_num = format->tensors.rate_num;
  format->rows.rate_den = format->tensors.rate_den;
  format->rows.on_device = robocache_caps_on_device (caps);
  format->channels = g_strdup (gst_structure_get_string (gst_caps_get_structure (caps, 0), "channels"));
  if (!fuse_format_is_whole (format))
    format->kinds = g_strdup (gst_structure_get_string (gst_caps_get_structure (caps, 0), ROBOCACHE_KINDS_FIELD));
  return TRUE;
}

/* What a history keeps of a row: the row itself, the GstBuffer * of a camera's frame, or a RobocacheDeviceRow. */
static gsize
kept_bytes (const FuseFormat *format)
{
  if (format->rows.is_camera)
    return sizeof (GstBuffer *);
  return format->rows.on_device ? sizeof (RobocacheDeviceRow) : fuse_row_format_bytes (&format->rows);
}

static gpointer
ref_buffer (gpointer buffer)
{
  return gst_buffer_ref (buffer);
}

void
fuse_buffer_unref (gpointer buffer)
{
  gst_buffer_unref (buffer);
}

static void
clear_format (gpointer format)
{
  g_free (((FuseFormat *) format)->channels);
  g_free (((FuseFormat *) format)->kinds);
}

static gboolean
parse (FuseFormat *format, const GstCaps *caps, const gchar *tensor_id, GError **error)
{
  const gboolean has_frames = gst_structure_has_name (gst_caps_get_structure (caps, 0), "video/x-raw");

  format->tensor_id = g_quark_from_string (tensor_id);
  if (has_frames && tensor_id == NULL)
    return parse_camera (format, caps, error);
  format->is_in_frames = has_frames;
  return (has_frames ? robocache_tensor_meta_parse_caps (&format->tensors, caps, tensor_id, error)
      : robocache_tensors_info_from_caps (&format->tensors, caps, error)) && use_tensors (format, caps, error);
}

FuseFormat *
fuse_format_parse (const GstCaps *caps, const gchar *tensor_id, GError **error)
{
  FuseFormat *format = g_atomic_rc_box_new0 (FuseFormat);

  format->rows.clear = clear_format;
  if (!parse (format, caps, tensor_id, error)) {
    fuse_format_unref (format);
    return NULL;
  }
  format->rows.kept_bytes = kept_bytes (format);
  if (format->rows.is_camera || format->rows.on_device)
    format->rows.ref_buffer = ref_buffer;
  if (format->rows.on_device && !format->rows.is_camera)
    format->rows.read = robocache_device_row_read;
  return format;
}

FuseFormat *
fuse_format_ref (FuseFormat *format)
{
  return fuse_row_format_ref (&format->rows);
}

void
fuse_format_unref (FuseFormat *format)
{
  fuse_row_format_unref (&format->rows);
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
  return a->rows.is_camera == b->rows.is_camera && a->rows.on_device == b->rows.on_device && a->rows.dtype == b->rows.dtype
      && a->rows.channels == b->rows.channels && has_same_axes (a, b) && (!a->rows.is_camera || has_same_frames (&a->video, &b->video));
}

gboolean
fuse_format_has_same_rows (const FuseFormat *a, const FuseFormat *b)
{
  return has_same_shape (a, b) && a->rows.rate_num == b->rows.rate_num && a->rows.rate_den == b->rows.rate_den
      && a->tensor_id == b->tensor_id && (!a->rows.is_camera || gst_video_info_is_equal (&a->video, &b->video)) && g_strcmp0 (a->channels, b->channels) == 0
      && g_strcmp0 (a->kinds, b->kinds) == 0;
}

gboolean
fuse_format_is_as_declared (FuseFormat *format, const FuseFormat *declared)
{
  const gboolean is_so = has_same_shape (format, declared)
      && (declared->channels == NULL || g_strcmp0 (format->channels, declared->channels) == 0)
      && (declared->kinds == NULL || g_strcmp0 (format->kinds, declared->kinds) == 0)
      && (declared->rows.rate_num == 0 || (format->rows.rate_num == declared->rows.rate_num
          && format->rows.rate_den == declared->rows.rate_den));

  if (is_so) {
    g_free (format->channels);
    format->channels = g_strdup (declared->channels);
    format->hides_kinds = declared->kinds == NULL;
  }
  return is_so;
}

/* Rows that a stream keeps at least. */
#define MIN_ROWS_HELD 16

guint64
fuse_format_held_bytes (const FuseFormat *format, guint max_frames)
{
  const guint64 n = format->rows.is_camera ? max_frames + FUSE_FRAMES_ON_THEIR_WAY : MAX (format->rows.n_rows, MIN_ROWS_HELD);

  return format->rows.on_device ? 0 : robocache_bytes_multiply (n, fuse_row_format_bytes (&format->rows));
}
