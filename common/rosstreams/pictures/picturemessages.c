/* robocache: pictures and video of sensor_msgs and foxglove_msgs as frames
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/rosstreams/readers.h"

#include <math.h>
#include <string.h>

#include "accessunits.h"
#include "common/element/errors.h"
#include "depthpictures.h"
#include "imageencodings.h"

typedef struct
{
  RobocacheStreamReader parent;
  RobocacheMessageFields *fields;
  GstCaps *noted;               /* by the writer; NULL: none */
  GstCaps *caps;                /* of the last message */
  gchar *format;                /* or encoding of the last message */
  guint32 width, height;
  gboolean is_bigendian;
  RobocachePictureLines lines;
} PictureReader;

/* Caps that the writer noted, with their rate and colours, if they are of the same frames; else caps. Takes caps. */
static GstCaps *
prefer_noted (const PictureReader *self, GstCaps *caps)
{
  static const gchar *const fields[] = { "format", "width", "height", "stream-format", "alignment" };
  const GstStructure *ours = gst_caps_get_structure (caps, 0), *noted;

  if (!self->noted)
    return caps;
  noted = gst_caps_get_structure (self->noted, 0);
  if (!gst_structure_has_name (noted, gst_structure_get_name (ours)))
    return caps;
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    const GValue *value = gst_structure_get_value (ours, fields[i]), *other = gst_structure_get_value (noted, fields[i]);

    if (value && (!other || gst_value_compare (value, other) != GST_VALUE_EQUAL))
      return caps;
  }
  gst_caps_unref (caps);
  caps = gst_caps_copy (self->noted);
  gst_caps_set_features (caps, 0, NULL);
  return caps;
}

/* ---- Image ---- */

enum
{ HEIGHT, WIDTH, ENCODING, IS_BIGENDIAN, STEP, PIXELS, N_IMAGE_FIELDS };

static const RobocacheFieldSpec image_fields[N_IMAGE_FIELDS] = {
  {"height", ROBOCACHE_FIELD_NUMBER}, {"width", ROBOCACHE_FIELD_NUMBER}, {"encoding", ROBOCACHE_FIELD_STRING},
  {"is_bigendian", ROBOCACHE_FIELD_NUMBER, TRUE}, {"step", ROBOCACHE_FIELD_NUMBER}, {"data", ROBOCACHE_FIELD_BYTES},
};

/* FALSE and an error: the encoding of the pictures is unknown. */
static gboolean
set_image_caps (PictureReader *self, const gchar *encoding, gboolean is_bigendian, guint32 width, guint32 height, GError **error)
{
  GstCaps *caps;

  if (self->caps && self->width == width && self->height == height && self->is_bigendian == is_bigendian
      && g_strcmp0 (self->format, encoding) == 0)
    return TRUE;
  gst_clear_caps (&self->caps);
  caps = robocache_image_caps_new (encoding, is_bigendian, width, height, &self->lines, error);
  if (!caps)
    return FALSE;
  self->caps = prefer_noted (self, caps);
  self->width = width;
  self->height = height;
  self->is_bigendian = is_bigendian;
  g_free (self->format);
  self->format = g_strdup (encoding);
  return TRUE;
}

static gboolean
update_image_caps (PictureReader *self, GError **error)
{
  return set_image_caps (self, robocache_message_fields_string (self->fields, ENCODING),
      robocache_message_fields_integer (self->fields, IS_BIGENDIAN) != 0,
      (guint32) CLAMP (robocache_message_fields_integer (self->fields, WIDTH), 0, G_MAXUINT32),
      (guint32) CLAMP (robocache_message_fields_integer (self->fields, HEIGHT), 0, G_MAXUINT32), error);
}

/* Bytes of a plane in the message, padding after its last line included. */
static guint64
plane_size (const PictureReader *self, guint plane, guint64 step)
{
  return self->lines.n_lines[plane] * step * self->lines.steps[plane];
}

/* FALSE and an error: the data do not contain all lines. */
static gboolean
check_lines (const PictureReader *self, guint64 step, guint64 size, GError **error)
{
  const guint last = self->lines.n_planes - 1;
  const guint64 padding = step * self->lines.steps[last] - self->lines.line_bytes[last];
  guint64 needed = 0;

  for (guint p = 0; p <= last; p++) {
    needed += plane_size (self, p, step);
    if (step * self->lines.steps[p] >= self->lines.line_bytes[p])
      continue;
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "step is %" G_GUINT64_FORMAT " bytes, too few for %u pixels of %s", step,
        self->width, self->format);
    return FALSE;
  }
  /* the last line may end with its pixels */
  if (needed - padding <= size)
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the image needs %u lines of %" G_GUINT64_FORMAT " bytes, but its data "
      "has %" G_GUINT64_FORMAT " bytes", self->height, step, size);
  return FALSE;
}

static void
copy_line (const PictureReader *self, guint8 *to, const guint8 *from, gsize size)
{
  const RobocacheCdrReader turned = {.is_swapped = TRUE };

  if (self->lines.swap_bytes > 1)
    robocache_cdr_copy_numbers (&turned, to, from, self->lines.swap_bytes, size / self->lines.swap_bytes);
  else
    memcpy (to, from, size);
}

static GstBuffer *
copy_picture (const PictureReader *self, const guint8 *pixels, guint64 step, GError **error)
{
  const RobocachePictureLines *lines = &self->lines;
  guint8 *picture = g_try_malloc0 (lines->size);

  if (!picture) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "no memory for a picture of %" G_GSIZE_FORMAT " bytes",
        lines->size);
    return NULL;
  }
  for (guint p = 0; p < lines->n_planes; p++) {
    for (guint y = 0; y < lines->n_lines[p]; y++)
      copy_line (self, picture + lines->offsets[p] + y * lines->strides[p], pixels + y * step * lines->steps[p], lines->line_bytes[p]);
    pixels += plane_size (self, p, step);
  }
  return gst_buffer_new_wrapped (picture, lines->size);
}

static gboolean
read_image (RobocacheStreamReader *reader, RobocacheCdrReader *message, GError **error)
{
  PictureReader *self = (PictureReader *) reader;
  GstBuffer *buffer;
  guint64 step;

  if (!robocache_message_fields_find (self->fields, message, FALSE))
    return robocache_cdr_reader_check (message, error);
  step = (guint64) CLAMP (robocache_message_fields_integer (self->fields, STEP), 0, G_MAXUINT32);
  if (!update_image_caps (self, error)
      || !check_lines (self, step, robocache_message_fields_count (self->fields, PIXELS), error))
    return FALSE;
  buffer = copy_picture (self, robocache_message_fields_bytes (self->fields, PIXELS), step, error);
  if (buffer)
    robocache_stream_reader_add (reader, "", self->caps, buffer);
  return buffer != NULL;
}

/* ---- CompressedImage, CompressedVideo ---- */

enum
{ FORMAT, DATA, N_COMPRESSED_FIELDS };

static const RobocacheFieldSpec compressed_fields[N_COMPRESSED_FIELDS] = {
  {"format", ROBOCACHE_FIELD_STRING}, {"data", ROBOCACHE_FIELD_BYTES},
};

/* Pictures by their first bytes, since format is a text of many forms ("rgb8; jpeg compressed bgr8"). */
static const struct
{
  const gchar *caps, *bytes;
  gsize n;
} pictures[] = {
  {"image/jpeg, framerate=(fraction)0/1", "\xff\xd8\xff", 3},
  {"image/png, framerate=(fraction)0/1", "\x89PNG\r\n\x1a\n", 8},
};

/* Before the picture in messages of compressedDepth: a format, and two numbers a and b (float32): depths in metres are a / (pixel - b). */
#define DEPTH_HEADER_BYTES 12

/* Caps of a frame; NULL: unknown. */
static GstCaps *
compressed_caps (const gchar *format, const guint8 *data, gsize size)
{
  for (guint i = 0; i < G_N_ELEMENTS (pictures); i++) {
    if (size >= pictures[i].n && memcmp (data, pictures[i].bytes, pictures[i].n) == 0)
      return gst_caps_from_string (pictures[i].caps);
  }
  return robocache_video_caps_new (format);
}

static gfloat
little_float (const guint8 *bytes)
{
  union
  {
    guint32 word;
    gfloat number;
  } value;

  memcpy (&value.word, bytes, sizeof (value.word));
  value.word = GUINT32_FROM_LE (value.word);
  return value.number;
}

/* The pixels of a 16UC1 or, by a and b, of a 32FC1, where 0 is unknown. */
static GstBuffer *
depth_buffer (PictureReader *self, const RobocacheDepthPicture *picture, gboolean is_float, gfloat a, gfloat b, GError **error)
{
  const gsize n = (gsize) picture->width * picture->height, size = is_float ? n * sizeof (gfloat) : self->lines.size;
  guint8 *to = robocache_sample_alloc (size, error);

  if (!to)
    return NULL;
  for (gsize i = 0; is_float && i < n; i++) {
    const gfloat depth = picture->pixels[i] > 0 ? a / ((gfloat) picture->pixels[i] - b) : NAN;

    memcpy (to + i * sizeof (depth), &depth, sizeof (depth));
  }
  for (guint32 y = 0; !is_float && y < picture->height; y++) {
    guint8 *line = to + y * self->lines.strides[0];

    memset (line, 0, self->lines.strides[0]);
    for (guint32 x = 0; x < picture->width; x++) {
      const guint16 pixel = GUINT16_TO_LE (picture->pixels[(gsize) y * picture->width + x]);

      memcpy (line + x * sizeof (pixel), &pixel, sizeof (pixel));
    }
  }
  return gst_buffer_new_wrapped (to, size);
}

/* compressedDepth that no decoder of GStreamer reads: RVL, and depths in metres. */
static gboolean
read_depth (PictureReader *self, const gchar *format, const guint8 *data, gsize size, GError **error)
{
  const gboolean is_float = g_str_has_prefix (format, "32FC1"), is_rvl = strstr (format, "rvl") != NULL;
  RobocacheDepthPicture picture;
  GstBuffer *buffer = NULL;

  if (!(is_rvl ? robocache_rvl_read : robocache_depth_png_read) (data + DEPTH_HEADER_BYTES, size - DEPTH_HEADER_BYTES, &picture, error))
    return FALSE;
  if (set_image_caps (self, is_float ? "32FC1" : "16UC1", FALSE, picture.width, picture.height, error))
    buffer = depth_buffer (self, &picture, is_float, little_float (data + 4), little_float (data + 8), error);
  if (buffer)
    robocache_stream_reader_add (&self->parent, "", self->caps, buffer);
  g_free (picture.pixels);
  return buffer != NULL;
}

static gboolean
read_compressed (RobocacheStreamReader *reader, RobocacheCdrReader *message, GError **error)
{
  PictureReader *self = (PictureReader *) reader;
  const gchar *format;
  const guint8 *data;
  GstBuffer *buffer;
  GstCaps *caps;
  gsize size;

  if (!robocache_message_fields_find (self->fields, message, FALSE))
    return robocache_cdr_reader_check (message, error);
  format = robocache_message_fields_string (self->fields, FORMAT);
  data = robocache_message_fields_bytes (self->fields, DATA);
  size = robocache_message_fields_count (self->fields, DATA);
  if (size == 0) {
    g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "its picture has 0 bytes: the frame is lost");
    return FALSE;
  }
  if (strstr (format, "; compressedDepth") && size > DEPTH_HEADER_BYTES) {
    if (g_str_has_prefix (format, "32FC1") || strstr (format, "rvl"))
      return read_depth (self, format, data, size, error);
    data += DEPTH_HEADER_BYTES;
    size -= DEPTH_HEADER_BYTES;
  }
  caps = compressed_caps (format, data, size);
  if (!caps) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "unknown format \"%.40s\"", format);
    return FALSE;
  }
  caps = prefer_noted (self, caps);
  if (!self->caps || !gst_caps_is_equal (self->caps, caps)) {
    gst_caps_replace (&self->caps, caps);
    /* of raw pictures, whose caps are gone */
    g_clear_pointer (&self->format, g_free);
  }
  gst_caps_unref (caps);
  buffer = robocache_sample_copy (data, size, error);
  if (!buffer)
    return FALSE;
  if (gst_structure_has_name (gst_caps_get_structure (self->caps, 0), "video/x-h264")
      || gst_structure_has_name (gst_caps_get_structure (self->caps, 0), "video/x-h265")) {
    if (!robocache_is_key_frame (format, data, size))
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  }
  robocache_stream_reader_add (reader, "", self->caps, buffer);
  return TRUE;
}

/* ---- life ---- */

static const struct
{
  const gchar *type;
  const RobocacheFieldSpec *fields;
  guint n_fields;
  gboolean (*read) (RobocacheStreamReader * reader, RobocacheCdrReader * message, GError ** error);
} picture_messages[] = {
  {"sensor_msgs/Image", image_fields, N_IMAGE_FIELDS, read_image},
  {"sensor_msgs/CompressedImage", compressed_fields, N_COMPRESSED_FIELDS, read_compressed},
  {"foxglove_msgs/RawImage", image_fields, N_IMAGE_FIELDS, read_image},
  {"foxglove_msgs/CompressedImage", compressed_fields, N_COMPRESSED_FIELDS, read_compressed},
  {"foxglove_msgs/CompressedVideo", compressed_fields, N_COMPRESSED_FIELDS, read_compressed},
};

/* G_N_ELEMENTS (picture_messages): none. */
static guint
find_message (const gchar *type)
{
  guint i = 0;

  while (i < G_N_ELEMENTS (picture_messages) && !g_str_equal (type, picture_messages[i].type))
    i++;
  return i;
}

gboolean
robocache_picture_messages_have (const gchar *type)
{
  return find_message (type) < G_N_ELEMENTS (picture_messages);
}

static void
free_pictures (RobocacheStreamReader *reader)
{
  PictureReader *self = (PictureReader *) reader;

  robocache_stream_reader_clear (reader);
  robocache_message_fields_free (self->fields);
  gst_clear_caps (&self->noted);
  gst_clear_caps (&self->caps);
  g_free (self->format);
  g_free (self);
}

RobocacheStreamReader *
robocache_picture_messages_new (const RobocacheRosSource *source, GError **error)
{
  const guint type = find_message (source->type);
  PictureReader *self = g_new0 (PictureReader, 1);

  robocache_stream_reader_init (&self->parent, source);
  self->parent.read = picture_messages[type].read;
  self->parent.free = free_pictures;
  if (source->caps && gst_caps_is_fixed (source->caps))
    self->noted = gst_caps_copy (source->caps);
  self->fields = robocache_message_fields_new (source->schema, 0, picture_messages[type].fields, picture_messages[type].n_fields, error);
  if (self->fields)
    return &self->parent;
  free_pictures (&self->parent);
  return NULL;
}
