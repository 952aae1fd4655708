/* robocache: chooses the encoder of a stream by its caps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encoders.h"

#include "common/element/errordomain.h"
#include "common/points/pointcloudcaps.h"

static gboolean
make_tensors (RobocacheEncoderFormat *format, GError **error)
{
  const gchar *encoding = gst_structure_get_string (gst_caps_get_structure (format->caps, 0), ROBOCACHE_PICTURE_FIELD);

  if (!robocache_tensors_info_from_caps (&format->info, format->caps, error))
    return FALSE;
  if (encoding)
    format->encoder = robocache_encoder_new_tensor_pictures (&format->info, encoding, error);
  return !encoding || format->encoder;
}

static gboolean
make_clouds (RobocacheEncoderFormat *format, GError **error)
{
  format->encoder = robocache_encoder_new_clouds (format->caps, error);
  return format->encoder != NULL;
}

static gboolean
make_pictures (RobocacheEncoderFormat *format, GError **error)
{
  format->encoder = robocache_encoder_new_pictures (format->caps, error);
  return format->encoder != NULL;
}

static gboolean
make_compressed_pictures (RobocacheEncoderFormat *format, GError **error)
{
  format->encoder = robocache_encoder_new_compressed_pictures (format->caps);
  return TRUE;
}

static gboolean
make_video (RobocacheEncoderFormat *format, GError **error)
{
  format->encoder = robocache_encoder_new_video (format->caps);
  format->is_video = TRUE;
  return TRUE;
}

static const struct
{
  const gchar *media_type;
  gboolean (*make) (RobocacheEncoderFormat * format, GError ** error);
} makers[] = {
  {ROBOCACHE_TENSORS_MEDIA_TYPE, make_tensors}, {ROBOCACHE_POINTCLOUD_MEDIA_TYPE, make_clouds},
  {ROBOCACHE_LIDAR_MEDIA_TYPE, make_clouds}, {"video/x-raw", make_pictures}, {"image/jpeg", make_compressed_pictures},
  {"image/png", make_compressed_pictures}, {"video/x-h264", make_video}, {"video/x-h265", make_video},
};

RobocacheEncoderFormat *
robocache_encoder_format_new (const GstCaps *caps, GError **error)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  RobocacheEncoderFormat *format = g_new0 (RobocacheEncoderFormat, 1);

  format->caps = gst_caps_ref ((GstCaps *) caps);
  format->rate_den = 1;
  if (gst_structure_has_field (structure, "framerate"))
    gst_structure_get_fraction (structure, "framerate", &format->rate_num, &format->rate_den);
  for (guint i = 0; i < G_N_ELEMENTS (makers); i++)
    if (gst_structure_has_name (structure, makers[i].media_type) && makers[i].make (format, error))
      return format;
  if (error && !*error)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "%s cannot be recorded", gst_structure_get_name (structure));
  robocache_encoder_format_free (format);
  return NULL;
}

void
robocache_encoder_format_free (RobocacheEncoderFormat *format)
{
  gst_caps_unref (format->caps);
  g_clear_pointer (&format->encoder, robocache_encoder_free);
  g_free (format);
}

RobocacheEncoder *
robocache_encoder_format_new_tensors (const RobocacheEncoderFormat *format, const RobocacheEncoderSettings *settings, GstBuffer *buffer,
    GError **error)
{
  if (!robocache_encoder_is_sample (buffer) && robocache_encoder_is_rows (&format->info))
    return robocache_encoder_new_rows (&format->info, format->caps, settings, error);
  if (!settings->has_message)
    return robocache_encoder_new_samples (&format->info, format->caps, buffer);
  g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "a stream of samples or larger tensors has no such message: set message=auto");
  return NULL;
}
