/* robocache: the encoders, one for each kind of stream
 *
 * A constructor with an error returns NULL for invalid caps.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MUX_ENCODERS_H
#define MUX_ENCODERS_H

#include "common/tensors/tensorcaps.h"
#include "encoder.h"

G_BEGIN_DECLS

/* rows.c: one tensor "channels" or "channels:rows", and the times of rows. Whether a stream of these tensors is a stream of rows. */
gboolean mux_is_rows (const RobocacheTensorsInfo * info);
/* Makes the encoder. caps: those of the stream, for names and role. */
MuxEncoder *mux_rows_new (const RobocacheTensorsInfo * info, const GstCaps * caps, const MuxEncoderSettings * settings);

/* samples.c: several tensors, or one tensor of any shape, and the meta of a fused sample. Whether a buffer has that meta. */
gboolean mux_is_sample (GstBuffer * buffer);
/* Makes the encoder, with a channel for each tensor, and a channel of ticks if sample has the meta. sample: the first buffer, whose meta
 * names the streams. */
MuxEncoder *mux_samples_new (const RobocacheTensorsInfo * info, const GstCaps * caps, GstBuffer * sample);

/* clouds.c: application/x-pointcloud and application/x-lidar. Points whose fields have types that PointField lacks are recorded
 * as a tensor. */
MuxEncoder *mux_clouds_new (const GstCaps * caps, GError ** error);

/* pictures.c: video/x-raw, in the formats that sensor_msgs/Image has an encoding for; image/jpeg and image/png. */
#define MUX_RAW_FORMATS "{ RGB, BGR, RGBA, BGRA, GRAY8, GRAY16_LE, GRAY16_BE, UYVY, YUY2 }"
MuxEncoder *mux_pictures_new (const GstCaps * caps, GError ** error);
MuxEncoder *mux_compressed_pictures_new (const GstCaps * caps);
/* A tensor that is a picture of this encoding, like 32FC1. */
MuxEncoder *mux_tensor_pictures_new (const RobocacheTensorsInfo * info, const gchar * encoding, GError ** error);

/* video.c: video/x-h264 and video/x-h265, one access unit per buffer. The encoder adds the last parameter sets to a key
 * frame without any. */
MuxEncoder *mux_video_new (const GstCaps * caps);

G_END_DECLS
#endif
