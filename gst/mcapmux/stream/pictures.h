/* robocache: messages of pictures: raw frames, JPEG and PNG
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MUX_PICTURES_H
#define MUX_PICTURES_H

#include "encoder.h"

G_BEGIN_DECLS

/* Formats of video/x-raw that sensor_msgs/Image has an encoding for. */
#define MUX_RAW_FORMATS "{ RGB, BGR, RGBA, BGRA, GRAY8, GRAY16_LE, GRAY16_BE, UYVY, YUY2 }"

/* Makes the encoder of video/x-raw. NULL and an error: the caps are wrong. */
MuxEncoder *mux_pictures_new (const GstCaps * caps, GError ** error);
/* Makes the encoder of image/jpeg and image/png. */
MuxEncoder *mux_compressed_pictures_new (const GstCaps * caps);

G_END_DECLS
#endif
