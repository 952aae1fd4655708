/* robocache: the encoders, one for each kind of stream
 *
 * A constructor with an error returns NULL for invalid caps.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/tensors/memorycaps.h"
#include "common/tensors/tensorcaps.h"
#include "encoder.h"

/* Caps that encoderchoice.c has an encoder for; the formats of tensors are checked with the caps. */
#define ROBOCACHE_ENCODER_RAW_FORMATS "{ RGB, BGR, RGBA, BGRA, GRAY8, GRAY16_LE, GRAY16_BE, UYVY, YUY2 }"
#define ROBOCACHE_ENCODER_CAPS ROBOCACHE_TENSORS_TEMPLATE_CAPS "; application/x-pointcloud; application/x-lidar; " \
    "video/x-raw, format=(string)" ROBOCACHE_ENCODER_RAW_FORMATS "; image/jpeg; image/png; " \
    "video/x-h264, stream-format=(string)byte-stream, alignment=(string)au; " \
    "video/x-h265, stream-format=(string)byte-stream, alignment=(string)au"

/* encoderchoice.c: the format that caps describe, and its encoder. */
typedef struct
{
  GstCaps *caps;
  RobocacheEncoder *encoder;    /* NULL: tensors, whose encoder depends on the first buffer */
  RobocacheTensorsInfo info;    /* format of the tensors */
  gint rate_num, rate_den;
  gboolean is_video;            /* not every buffer can be decoded alone */
} RobocacheEncoderFormat;

/* NULL and an error: no encoder takes these caps. */
RobocacheEncoderFormat *robocache_encoder_format_new (const GstCaps * caps, GError ** error);
/* Frees the encoder, too, unless it was stolen. */
void robocache_encoder_format_free (RobocacheEncoderFormat * format);
/* The encoder of tensors; buffer: the first buffer of the stream. NULL and an error: the settings do not fit the tensors. */
RobocacheEncoder *robocache_encoder_format_new_tensors (const RobocacheEncoderFormat * format, const RobocacheEncoderSettings * settings,
    GstBuffer * buffer, GError ** error);

/* rows.c: one tensor "channels" or "channels:rows", and the times of rows. Whether a stream of these tensors is a stream of rows. */
gboolean robocache_encoder_is_rows (const RobocacheTensorsInfo * info);
/* Makes the encoder. caps: those of the stream, for names and role. NULL and an error: the rows have no message of the settings' kind. */
RobocacheEncoder *robocache_encoder_new_rows (const RobocacheTensorsInfo * info, const GstCaps * caps, const RobocacheEncoderSettings * settings,
    GError ** error);

/* samples.c: several tensors, or one tensor of any shape, and the meta of a fused sample. Whether a buffer has that meta. */
gboolean robocache_encoder_is_sample (GstBuffer * buffer);
/* Makes the encoder, with a channel for each tensor, and a channel of ticks if sample has the meta. sample: the first buffer, whose meta
 * names the streams. */
RobocacheEncoder *robocache_encoder_new_samples (const RobocacheTensorsInfo * info, const GstCaps * caps, GstBuffer * sample);

/* clouds.c: application/x-pointcloud and application/x-lidar. Points whose fields have types that PointField lacks are recorded
 * as a tensor. */
RobocacheEncoder *robocache_encoder_new_clouds (const GstCaps * caps, GError ** error);

/* pictures.c: video/x-raw, in the formats that sensor_msgs/Image has an encoding for; image/jpeg and image/png. */
RobocacheEncoder *robocache_encoder_new_pictures (const GstCaps * caps, GError ** error);
RobocacheEncoder *robocache_encoder_new_compressed_pictures (const GstCaps * caps);
/* A tensor that is a picture of this encoding, like 32FC1. */
RobocacheEncoder *robocache_encoder_new_tensor_pictures (const RobocacheTensorsInfo * info, const gchar * encoding, GError ** error);

/* video.c: video/x-h264 and video/x-h265, one access unit per buffer. The encoder adds the last parameter sets to a key
 * frame without any. */
RobocacheEncoder *robocache_encoder_new_video (const GstCaps * caps);
