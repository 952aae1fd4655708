/* robocache: messages of pictures
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encoders.h"

#include <gst/video/video.h>

#include "common/device/mapping.h"
#include "common/element/errors.h"
#include "common/rosstreams/pictures/imageencodings.h"
#include "common/tensors/tensorbuffer.h"

/* ---- raw ---- */

/* Names of encodings: sensor_msgs/image_encodings.hpp of common_interfaces. */
static const struct
{
  GstVideoFormat format;
  const gchar *encoding;
  gboolean is_bigendian;
} encodings[] = {
  {GST_VIDEO_FORMAT_RGB, "rgb8"}, {GST_VIDEO_FORMAT_BGR, "bgr8"}, {GST_VIDEO_FORMAT_RGBA, "rgba8"}, {GST_VIDEO_FORMAT_BGRA, "bgra8"},
  {GST_VIDEO_FORMAT_GRAY8, "mono8"}, {GST_VIDEO_FORMAT_GRAY16_LE, "mono16"}, {GST_VIDEO_FORMAT_GRAY16_BE, "mono16", TRUE},
  {GST_VIDEO_FORMAT_UYVY, "uyvy"}, {GST_VIDEO_FORMAT_YUY2, "yuyv"},
};

typedef struct
{
  RobocacheEncoder parent;
  GstVideoInfo info;
  guint encoding;               /* index */
  GstVideoFrame frame;
} Pictures;

static gboolean
pictures_begin (RobocacheEncoder *encoder, GstBuffer *buffer, RobocacheEncoderItems *items, GError **error)
{
  Pictures *pictures = (Pictures *) encoder;

  /* with a meta each plane is mapped as the memory that it begins in */
  if (!gst_buffer_get_video_meta (buffer) && !robocache_check_merge (buffer, error))
    return FALSE;
  if (!gst_video_frame_map (&pictures->frame, &pictures->info, buffer, GST_MAP_READ)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a buffer of %" G_GSIZE_FORMAT " bytes is not a frame of %d x %d pixels "
        "of %s: expected %" G_GSIZE_FORMAT " bytes", gst_buffer_get_size (buffer), pictures->info.width, pictures->info.height,
        gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (&pictures->info)), pictures->info.size);
    return FALSE;
  }
  *items = (RobocacheEncoderItems) {1, NULL, TRUE};
  return TRUE;
}

/* Lines with what lies between them. A frame's last line may end before its stride: it goes without. */
static gboolean
has_whole_lines (const GstVideoFrame *frame)
{
  const gsize stride = (gsize) GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0);
  const gsize needed = GST_VIDEO_FRAME_PLANE_OFFSET (frame, 0) + stride * (gsize) GST_VIDEO_FRAME_HEIGHT (frame);

  return GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0) > 0 && frame->map[0].size >= needed;
}

/* A copy without what lies between the lines; *step is their size. Free with g_free. NULL: no memory. */
static guint8 *
pack_lines (const GstVideoFrame *frame, gsize *step)
{
  const guint8 *line = GST_VIDEO_FRAME_PLANE_DATA (frame, 0);
  const gint height = GST_VIDEO_FRAME_HEIGHT (frame);
  guint8 *lines;

  *step = (gsize) GST_VIDEO_FRAME_WIDTH (frame) * (gsize) GST_VIDEO_FRAME_COMP_PSTRIDE (frame, 0);
  if (GST_VIDEO_FRAME_FORMAT (frame) == GST_VIDEO_FORMAT_UYVY || GST_VIDEO_FRAME_FORMAT (frame) == GST_VIDEO_FORMAT_YUY2)
    *step = (gsize) GST_ROUND_UP_2 (GST_VIDEO_FRAME_WIDTH (frame)) * 2;
  lines = g_try_malloc (*step * (gsize) height);
  for (gint i = 0; lines && i < height; i++, line += GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0))
    memcpy (lines + (gsize) i * *step, line, *step);
  return lines;
}

static gboolean
pictures_write (RobocacheEncoder *encoder, guint64 item, const RobocacheEncoderTimes *times, RobocacheEncoderEmit emit, gpointer user_data)
{
  Pictures *pictures = (Pictures *) encoder;
  const GstVideoFrame *frame = &pictures->frame;
  gsize step = (gsize) GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0);
  const gboolean is_whole = has_whole_lines (frame);
  guint8 *packed = is_whole ? NULL : pack_lines (frame, &step);

  if (!is_whole && !packed) {
    robocache_cdr_writer_begin (&encoder->writer);
    encoder->writer.has_failed = TRUE;
    return emit (user_data, 0, &encoder->writer);
  }
  robocache_ros_write_image (&encoder->writer, &times->header, (guint32) GST_VIDEO_FRAME_HEIGHT (frame),
      (guint32) GST_VIDEO_FRAME_WIDTH (frame), encodings[pictures->encoding].encoding, encodings[pictures->encoding].is_bigendian,
      (guint32) step, packed ? packed : GST_VIDEO_FRAME_PLANE_DATA (frame, 0));
  g_free (packed);
  return emit (user_data, 0, &encoder->writer);
}

static void
pictures_end (RobocacheEncoder *encoder)
{
  gst_video_frame_unmap (&((Pictures *) encoder)->frame);
}

static void
pictures_free (RobocacheEncoder *encoder)
{
  robocache_encoder_clear (encoder);
  g_free (encoder);
}

static const RobocacheEncoderClass pictures_class = { pictures_begin, pictures_write, pictures_end, pictures_free };

RobocacheEncoder *
robocache_encoder_new_pictures (const GstCaps *caps, GError **error)
{
  Pictures *pictures;
  GstVideoInfo info;
  guint i = 0;

  if (!gst_video_info_from_caps (&info, caps)) {
    gchar *text = gst_caps_to_string (caps);

    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "%s: expected video/x-raw with format, width and height", text);
    g_free (text);
    return NULL;
  }
  while (i < G_N_ELEMENTS (encodings) && encodings[i].format != GST_VIDEO_INFO_FORMAT (&info))
    i++;
  if (i == G_N_ELEMENTS (encodings)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "format=%s has no encoding in sensor_msgs/Image: put videoconvert "
        "before the recorder, for one of " ROBOCACHE_ENCODER_RAW_FORMATS, gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (&info)));
    return NULL;
  }
  pictures = g_new0 (Pictures, 1);
  robocache_encoder_init (&pictures->parent, &pictures_class);
  pictures->info = info;
  pictures->encoding = i;
  robocache_encoder_add_channel (&pictures->parent, "sensor_msgs/msg/Image", g_strdup (""), NULL, FALSE);
  return &pictures->parent;
}

/* ---- tensors ---- */

typedef struct
{
  RobocacheEncoder parent;
  RobocacheTensorsInfo info;
  RobocacheTensorsMap map;
  gchar *encoding;
  guint32 width, height;
} TensorPictures;

static gboolean
tensor_pictures_begin (RobocacheEncoder *encoder, GstBuffer *buffer, RobocacheEncoderItems *items, GError **error)
{
  TensorPictures *pictures = (TensorPictures *) encoder;

  *items = (RobocacheEncoderItems) {1, NULL, TRUE};
  return robocache_tensors_map (&pictures->map, buffer, &pictures->info, GST_MAP_READ, error);
}

static gboolean
tensor_pictures_write (RobocacheEncoder *encoder, guint64 item, const RobocacheEncoderTimes *times, RobocacheEncoderEmit emit, gpointer user_data)
{
  const TensorPictures *pictures = (TensorPictures *) encoder;
  const gsize size = robocache_tensor_info_size (&pictures->info.tensors[0]);

  robocache_ros_write_image (&encoder->writer, &times->header, pictures->height, pictures->width, pictures->encoding,
      G_BYTE_ORDER == G_BIG_ENDIAN, (guint32) (size / pictures->height), pictures->map.data[0]);
  return emit (user_data, 0, &encoder->writer);
}

static void
tensor_pictures_end (RobocacheEncoder *encoder)
{
  robocache_tensors_unmap (&((TensorPictures *) encoder)->map);
}

static void
tensor_pictures_free (RobocacheEncoder *encoder)
{
  g_free (((TensorPictures *) encoder)->encoding);
  robocache_encoder_clear (encoder);
  g_free (encoder);
}

static const RobocacheEncoderClass tensor_pictures_class = {
  tensor_pictures_begin, tensor_pictures_write, tensor_pictures_end, tensor_pictures_free
};

/* Whether pictures of this size and encoding are such tensors. */
static gboolean
is_of_size (const TensorPictures *pictures)
{
  const RobocacheTensorInfo *tensor = &pictures->info.tensors[0];
  RobocachePictureLines lines;
  RobocacheTensorsInfo made = { 0 };
  GstCaps *caps = robocache_image_caps_new (pictures->encoding, FALSE, pictures->width, pictures->height, &lines, NULL);
  gboolean is = caps && robocache_tensors_info_from_caps (&made, caps, NULL) && made.tensors[0].dtype == tensor->dtype;

  for (guint i = 0; i < ROBOCACHE_MAX_RANK && is; i++)
    is = robocache_tensor_info_dim (&made.tensors[0], i) == robocache_tensor_info_dim (tensor, i);
  gst_clear_caps (&caps);
  return is;
}

/* The width is the first axis, or the second one behind the channels. */
static gboolean
find_size (TensorPictures *pictures)
{
  const RobocacheTensorInfo *tensor = &pictures->info.tensors[0];
  gboolean is_found = FALSE;

  for (guint axis = 0; axis < 2 && !is_found; axis++) {
    pictures->width = (guint32) MIN (robocache_tensor_info_dim (tensor, axis), G_MAXINT32);
    pictures->height = (guint32) MIN (robocache_tensor_info_dim (tensor, axis + 1), G_MAXINT32);
    is_found = is_of_size (pictures);
  }
  return is_found;
}

RobocacheEncoder *
robocache_encoder_new_tensor_pictures (const RobocacheTensorsInfo *info, const gchar *encoding, GError **error)
{
  TensorPictures *pictures = g_new0 (TensorPictures, 1);

  robocache_encoder_init (&pictures->parent, &tensor_pictures_class);
  pictures->info = *info;
  pictures->encoding = g_strdup (encoding);
  robocache_encoder_add_channel (&pictures->parent, "sensor_msgs/msg/Image", g_strdup (""), NULL, FALSE);
  if (info->n_tensors == 1 && find_size (pictures))
    return &pictures->parent;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, ROBOCACHE_PICTURE_FIELD "=%s does not fit types and dimensions: expected one tensor "
      "of WIDTH:HEIGHT, or CHANNELS:WIDTH:HEIGHT", encoding);
  tensor_pictures_free (&pictures->parent);
  return NULL;
}

/* ---- compressed ---- */

typedef struct
{
  RobocacheEncoder parent;
  const gchar *format;
  GstBuffer *buffer;
  GstMapInfo map;
} CompressedPictures;

static gboolean
compressed_begin (RobocacheEncoder *encoder, GstBuffer *buffer, RobocacheEncoderItems *items, GError **error)
{
  CompressedPictures *pictures = (CompressedPictures *) encoder;

  if (!robocache_map_buffer (buffer, &pictures->map, GST_MAP_READ, error))
    return FALSE;
  pictures->buffer = buffer;
  *items = (RobocacheEncoderItems) {1, NULL, TRUE};
  return TRUE;
}

static gboolean
compressed_write (RobocacheEncoder *encoder, guint64 item, const RobocacheEncoderTimes *times, RobocacheEncoderEmit emit, gpointer user_data)
{
  CompressedPictures *pictures = (CompressedPictures *) encoder;

  robocache_ros_write_compressed_image (&encoder->writer, &times->header, pictures->format, pictures->map.data, pictures->map.size);
  return emit (user_data, 0, &encoder->writer);
}

static void
compressed_end (RobocacheEncoder *encoder)
{
  CompressedPictures *pictures = (CompressedPictures *) encoder;

  gst_buffer_unmap (pictures->buffer, &pictures->map);
}

static const RobocacheEncoderClass compressed_class = { compressed_begin, compressed_write, compressed_end, pictures_free };

RobocacheEncoder *
robocache_encoder_new_compressed_pictures (const GstCaps *caps)
{
  CompressedPictures *pictures = g_new0 (CompressedPictures, 1);

  robocache_encoder_init (&pictures->parent, &compressed_class);
  pictures->format = gst_structure_has_name (gst_caps_get_structure (caps, 0), "image/png") ? "png" : "jpeg";
  robocache_encoder_add_channel (&pictures->parent, "sensor_msgs/msg/CompressedImage", g_strdup (""), NULL, FALSE);
  return &pictures->parent;
}
