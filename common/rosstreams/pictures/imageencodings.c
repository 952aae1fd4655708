/* robocache: encodings of sensor_msgs/Image, as caps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "imageencodings.h"

#include <gst/video/video.h>
#include <string.h>

#include "common/tensors/tensorcaps.h"

/* Sides of video frames. */
#define MAX_SIDE 32767

static const struct
{
  const gchar *encoding;
  GstVideoFormat format, big_endian;
} video_encodings[] = {
  {"rgb8", GST_VIDEO_FORMAT_RGB}, {"bgr8", GST_VIDEO_FORMAT_BGR}, {"8UC3", GST_VIDEO_FORMAT_BGR}, {"rgba8", GST_VIDEO_FORMAT_RGBA},
  {"bgra8", GST_VIDEO_FORMAT_BGRA}, {"8UC4", GST_VIDEO_FORMAT_BGRA}, {"mono8", GST_VIDEO_FORMAT_GRAY8},
  {"8UC1", GST_VIDEO_FORMAT_GRAY8}, {"mono16", GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_FORMAT_GRAY16_BE},
  {"16UC1", GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_FORMAT_GRAY16_BE}, {"yuv422", GST_VIDEO_FORMAT_UYVY},
  {"uyvy", GST_VIDEO_FORMAT_UYVY}, {"yuv422_yuy2", GST_VIDEO_FORMAT_YUY2}, {"yuyv", GST_VIDEO_FORMAT_YUY2},
  {"nv12", GST_VIDEO_FORMAT_NV12}, {"nv21", GST_VIDEO_FORMAT_NV21}, {"nv24", GST_VIDEO_FORMAT_NV24},
};

static const struct
{
  const gchar *encoding, *format;
} bayer_encodings[] = {
  {"bayer_rggb8", "rggb"}, {"bayer_bggr8", "bggr"}, {"bayer_gbrg8", "gbrg"}, {"bayer_grbg8", "grbg"},
};

/* Numbers of a pixel: "32FC1". */
static const struct
{
  const gchar *prefix;
  RcDtype dtype;
} depths[] = {
  {"8UC", RC_UINT8}, {"8SC", RC_INT8}, {"16UC", RC_UINT16}, {"16SC", RC_INT16}, {"32SC", RC_INT32}, {"16FC", RC_FLOAT16},
  {"32FC", RC_FLOAT32}, {"64FC", RC_FLOAT64},
};

/* Pixels of 16 bits that no video format has. */
static const struct
{
  const gchar *encoding;
  guint channels;
} wide_encodings[] = { {"rgb16", 3}, {"bgr16", 3}, {"rgba16", 4}, {"bgra16", 4}, {"bayer_rggb16", 1}, {"bayer_bggr16", 1},
{"bayer_gbrg16", 1}, {"bayer_grbg16", 1}
};

static void
one_plane (RobocachePictureLines *lines, guint n_lines, gsize line_bytes, gsize stride)
{
  *lines = (RobocachePictureLines) {.n_planes = 1,.n_lines = {n_lines},.line_bytes = {line_bytes},.steps = {1},.strides = {stride},
    .size = n_lines * stride};
}

static GstCaps *
video_caps (GstVideoFormat format, guint32 width, guint32 height, RobocachePictureLines *lines)
{
  GstVideoInfo info;

  if (!gst_video_info_set_format (&info, format, width, height))
    return NULL;
  info.fps_n = 0;
  info.fps_d = 1;
  *lines = (RobocachePictureLines) {.n_planes = GST_VIDEO_INFO_N_PLANES (&info),.size = info.size };
  for (guint p = 0; p < lines->n_planes; p++) {
    /* the chroma plane of NV12 and NV21 has two bytes for two pixels of every second line, of NV24 two bytes a pixel of every line */
    lines->n_lines[p] = (guint) GST_VIDEO_INFO_COMP_HEIGHT (&info, p);
    lines->line_bytes[p] = (gsize) GST_VIDEO_INFO_COMP_WIDTH (&info, p) * GST_VIDEO_INFO_COMP_PSTRIDE (&info, p);
    lines->steps[p] = p > 0 && format == GST_VIDEO_FORMAT_NV24 ? 2 : 1;
    lines->offsets[p] = GST_VIDEO_INFO_PLANE_OFFSET (&info, p);
    lines->strides[p] = (gsize) GST_VIDEO_INFO_PLANE_STRIDE (&info, p);
  }
  return gst_video_info_to_caps (&info);
}

static GstCaps *
bayer_caps (const gchar *format, guint32 width, guint32 height, RobocachePictureLines *lines)
{
  /* lines of video/x-bayer are padded to 4 bytes */
  one_plane (lines, height, width, GST_ROUND_UP_4 ((gsize) width));
  return gst_caps_new_simple ("video/x-bayer", "format", G_TYPE_STRING, format, "width", G_TYPE_INT, (gint) width, "height",
      G_TYPE_INT, (gint) height, "framerate", GST_TYPE_FRACTION, 0, 1, NULL);
}

static GstCaps *
tensor_caps (const gchar *encoding, RcDtype dtype, guint64 channels, guint32 width, guint32 height, gboolean is_bigendian,
    RobocachePictureLines *lines)
{
  RobocacheTensorsInfo info = {.n_tensors = 1,.rate_den = 1 };
  GstCaps *caps;
  const guint64 plane[] = { width, height }, pixels[] = { channels, width, height };
  const gsize line_bytes = channels * width * rc_dtype_size (dtype);

  robocache_tensor_info_set (&info.tensors[0], dtype, channels > 1 ? pixels : plane, channels > 1 ? 3 : 2);
  one_plane (lines, height, line_bytes, line_bytes);
  if (is_bigendian != (G_BYTE_ORDER == G_BIG_ENDIAN))
    lines->swap_bytes = (guint) rc_dtype_size (dtype);
  caps = robocache_tensors_info_to_caps (&info);
  gst_caps_set_simple (caps, ROBOCACHE_PICTURE_FIELD, G_TYPE_STRING, encoding, NULL);
  return caps;
}

/* "16UC3": FALSE where it is no such name. */
static gboolean
parse_depth (const gchar *encoding, RcDtype *dtype, guint64 *channels)
{
  for (guint i = 0; i < G_N_ELEMENTS (depths); i++) {
    if (!g_str_has_prefix (encoding, depths[i].prefix))
      continue;
    *dtype = depths[i].dtype;
    return g_ascii_string_to_unsigned (encoding + strlen (depths[i].prefix), 10, 1, 512, channels, NULL);
  }
  return FALSE;
}

static GstCaps *
find_caps (const gchar *encoding, gboolean is_bigendian, guint32 width, guint32 height, RobocachePictureLines *lines)
{
  guint64 channels;
  RcDtype dtype;

  for (guint i = 0; i < G_N_ELEMENTS (video_encodings); i++) {
    if (g_str_equal (encoding, video_encodings[i].encoding))
      return video_caps (is_bigendian && video_encodings[i].big_endian ? video_encodings[i].big_endian : video_encodings[i].format,
          width, height, lines);
  }
  for (guint i = 0; i < G_N_ELEMENTS (bayer_encodings); i++) {
    if (g_str_equal (encoding, bayer_encodings[i].encoding))
      return bayer_caps (bayer_encodings[i].format, width, height, lines);
  }
  for (guint i = 0; i < G_N_ELEMENTS (wide_encodings); i++) {
    if (g_str_equal (encoding, wide_encodings[i].encoding))
      return tensor_caps (encoding, RC_UINT16, wide_encodings[i].channels, width, height, is_bigendian, lines);
  }
  return parse_depth (encoding, &dtype, &channels) ? tensor_caps (encoding, dtype, channels, width, height, is_bigendian, lines) : NULL;
}

GstCaps *
robocache_image_caps_new (const gchar *encoding, gboolean is_bigendian, guint32 width, guint32 height, RobocachePictureLines *lines,
    GError **error)
{
  const gboolean has_size = width > 0 && height > 0 && width <= MAX_SIDE && height <= MAX_SIDE;
  GstCaps *caps = has_size ? find_caps (encoding, is_bigendian, width, height, lines) : NULL;

  if (!has_size)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a picture of %u x %u pixels, expected 1 to %d", width, height, MAX_SIDE);
  else if (!caps)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "unknown encoding \"%.40s\"", encoding);
  return caps;
}
