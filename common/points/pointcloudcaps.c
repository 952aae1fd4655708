/* robocache: caps of points, in each of their forms
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "pointcloudcaps.h"

#include <string.h>

#include "kernels/voxel.h"
#include "common/tensors/tensorcaps.h"

/* ---- application/x-pointcloud ---- */

static gboolean
parse_pointcloud (RobocachePointsInfo *info, const GstCaps *caps, GError **error)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);

  info->kind = ROBOCACHE_POINTS_CLOUD;
  return robocache_point_layout_parse (&info->layout, structure, error)
      && robocache_framerate_parse (structure, &info->rate_num, &info->rate_den, error);
}

GstCaps *
robocache_pointcloud_caps_new (const gchar *fields, RcDtype dtype, gint rate_num, gint rate_den)
{
  return gst_caps_new_simple (ROBOCACHE_POINTCLOUD_MEDIA_TYPE, "fields", G_TYPE_STRING, fields,
      "type", G_TYPE_STRING, rc_dtype_name (dtype), "framerate", GST_TYPE_FRACTION, rate_num, rate_den, NULL);
}

/* ---- the other forms ---- */

static gboolean
parse_lidar (RobocachePointsInfo *info, const GstCaps *caps, GError **error)
{
  info->kind = ROBOCACHE_POINTS_CLOUD;
  info->layout = robocache_point_layout_packed (RC_FLOAT32, 4);        /* x, y, z, intensity */
  return robocache_framerate_parse (gst_caps_get_structure (caps, 0), &info->rate_num, &info->rate_den, error);
}

/* A float32 image is described as one of four bytes a pixel. */
static gboolean
parse_picture (RobocachePointsInfo *info, const RobocacheTensorsInfo *tensors, const gchar *encoding, GError **error)
{
  const RobocacheTensorInfo *tensor = &tensors->tensors[0];
  const guint64 width = robocache_tensor_info_dim (tensor, 0), height = robocache_tensor_info_dim (tensor, 1);

  if (!g_str_equal (encoding, "32FC1") || tensor->dtype != RC_FLOAT32 || tensor->rank > 2)
    return robocache_caps_error (error, ROBOCACHE_PICTURE_FIELD "=%s: a picture is not a cloud of points: expected a depth image, "
        ROBOCACHE_PICTURE_FIELD "=32FC1 of float32 in metres, or video/x-raw,format=GRAY16_LE (16UC1)", encoding);
  if (width > G_MAXINT16 || height > G_MAXINT16
      || !gst_video_info_set_format (&info->video, GST_VIDEO_FORMAT_RGBA, (guint) width, (guint) height))
    return robocache_caps_error (error, "a depth image of %" G_GUINT64_FORMAT " x %" G_GUINT64_FORMAT " pixels: expected 1 to %d", width,
        height, G_MAXINT16);
  info->kind = ROBOCACHE_POINTS_DEPTH;
  info->is_float_depth = TRUE;
  info->n_points = width * height;
  info->rate_num = tensors->rate_num;
  info->rate_den = tensors->rate_den;
  return TRUE;
}

static gboolean
parse_tensors (RobocachePointsInfo *info, const GstCaps *caps, GError **error)
{
  RobocacheTensorsInfo tensors;
  const RobocacheTensorInfo *tensor = &tensors.tensors[0];
  const gchar *encoding = gst_structure_get_string (gst_caps_get_structure (caps, 0), ROBOCACHE_PICTURE_FIELD);

  if (!robocache_tensors_info_from_caps (&tensors, caps, error))
    return FALSE;
  if (encoding)
    return parse_picture (info, &tensors, encoding, error);
  if (tensors.n_tensors != 1)
    return robocache_caps_error (error, "num_tensors is %u: expected 1 tensor of points, of dimensions F:N", tensors.n_tensors);
  if (!robocache_point_check_dtype (tensor->dtype, rc_dtype_name (tensor->dtype), error))
    return FALSE;
  if (tensor->rank > 3 || tensor->dims[0] < 3 || tensor->dims[0] > RC_VOXEL_MAX_FIELDS) {
    gchar *dimensions = robocache_dimensions_to_string (tensor);

    robocache_caps_error (error, "dimensions \"%s\": expected F:N, N points of 3 to %d fields x, y, z, …, or F:N:B, a "
        "batch of B clouds", dimensions,
        RC_VOXEL_MAX_FIELDS);
    g_free (dimensions);
    return FALSE;
  }
  info->kind = ROBOCACHE_POINTS_TENSOR;
  info->layout = robocache_point_layout_packed (tensor->dtype, (guint) tensor->dims[0]);
  info->n_points = robocache_tensor_info_dim (tensor, 1);
  info->n_items = robocache_tensor_info_dim (tensor, 2);
  info->rate_num = tensors.rate_num;
  info->rate_den = tensors.rate_den;
  return TRUE;
}

static gboolean
parse_video (RobocachePointsInfo *info, const GstCaps *caps, GError **error)
{
  if (!gst_video_info_from_caps (&info->video, caps)) {
    gchar *text = gst_caps_to_string (caps);

    robocache_caps_error (error, "caps %s: expected a depth image, video/x-raw,format=GRAY16_LE with width and height", text);
    g_free (text);
    return FALSE;
  }
  if (GST_VIDEO_INFO_FORMAT (&info->video) != GST_VIDEO_FORMAT_GRAY16_LE)
    return robocache_caps_error (error, "video format is %s: expected GRAY16_LE, a depth image",
        gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (&info->video)));
  info->kind = ROBOCACHE_POINTS_DEPTH;
  info->n_points = (guint64) GST_VIDEO_INFO_WIDTH (&info->video) * (guint64) GST_VIDEO_INFO_HEIGHT (&info->video);
  return robocache_framerate_parse (gst_caps_get_structure (caps, 0), &info->rate_num, &info->rate_den, error);
}

static const struct
{
  const gchar *media_type;
  gboolean (*parse) (RobocachePointsInfo * info, const GstCaps * caps, GError ** error);
} forms[] = {
  {ROBOCACHE_POINTCLOUD_MEDIA_TYPE, parse_pointcloud},
  {ROBOCACHE_LIDAR_MEDIA_TYPE, parse_lidar},
  {ROBOCACHE_TENSORS_MEDIA_TYPE, parse_tensors},
  {"video/x-raw", parse_video},
};

gboolean
robocache_points_info_from_caps (RobocachePointsInfo *info, const GstCaps *caps, GError **error)
{
  gchar *text;

  memset (info, 0, sizeof (*info));
  info->n_items = 1;
  for (guint i = 0; gst_caps_get_size (caps) == 1 && i < G_N_ELEMENTS (forms); i++) {
    if (!gst_structure_has_name (gst_caps_get_structure (caps, 0), forms[i].media_type))
      continue;
    if (forms[i].parse (info, caps, error))
      return TRUE;
    robocache_points_info_clear (info);
    return FALSE;
  }
  text = gst_caps_to_string (caps);
  robocache_caps_error (error, "caps are %s: expected " ROBOCACHE_POINTS_INTERLEAVED_CAPS "; " ROBOCACHE_POINTS_DEPTH_CAPS,
      text);
  g_free (text);
  return FALSE;
}

void
robocache_points_info_clear (RobocachePointsInfo *info)
{
  robocache_point_layout_clear (&info->layout);
  g_clear_pointer (&info->rays, robocache_camera_rays_unref);
}

/* ---- buffers ---- */

gsize
robocache_points_info_point_size (const RobocachePointsInfo *info)
{
  return info->layout.point_bytes;
}

gboolean
robocache_points_info_count (const RobocachePointsInfo *info, gsize size, guint64 *n_points, GError **error)
{
  const gsize point_size = robocache_points_info_point_size (info);

  g_return_val_if_fail (point_size > 0, FALSE);

  if (info->kind == ROBOCACHE_POINTS_TENSOR) {
    const guint64 points = info->n_points * info->n_items;

    *n_points = info->n_points;
    if (size == points * point_size)
      return TRUE;
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a buffer has %" G_GSIZE_FORMAT " bytes, but its caps describe "
        "%" G_GUINT64_FORMAT " points of %" G_GSIZE_FORMAT " bytes, %" G_GUINT64_FORMAT " in all", size, points,
        point_size, points * point_size);
    return FALSE;
  }
  if (size % point_size != 0) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a buffer of %" G_GSIZE_FORMAT " bytes is not a multiple of %"
        G_GSIZE_FORMAT ", the bytes per point (%u fields, x, y and z of %s): %" G_GSIZE_FORMAT " are left over",
        size, point_size, info->layout.n_fields, rc_dtype_name (info->layout.dtype), size % point_size);
    return FALSE;
  }
  *n_points = size / point_size;
  return TRUE;
}
