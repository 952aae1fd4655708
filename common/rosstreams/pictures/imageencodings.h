/* robocache: encodings of sensor_msgs/Image, as caps
 *
 *   rgb8, bgr8, rgba8, bgra8, mono8, 8UC1, mono16, 16UC1, yuv422, nv21, …   video/x-raw
 *   bayer_rggb8, …                                                          video/x-bayer
 *   32FC1, 16SC3, …                                                         other/tensors of channels:width:height, with the
 *                                                                           encoding as the field `picture`
 *
 * Source: docs.ros.org, sensor_msgs, image_encodings.hpp.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#define ROBOCACHE_MAX_PLANES 2

/* Lines of pictures in a message, and in buffers. */
typedef struct
{
  guint n_planes;
  guint n_lines[ROBOCACHE_MAX_PLANES];
  gsize line_bytes[ROBOCACHE_MAX_PLANES];       /* bytes of pixels in a line */
  guint steps[ROBOCACHE_MAX_PLANES];    /* distance between lines in the message, in units of its step */
  gsize offsets[ROBOCACHE_MAX_PLANES], strides[ROBOCACHE_MAX_PLANES];   /* offsets and strides in buffers */
  gsize size;                   /* size of buffers */
  guint swap_bytes;             /* size of numbers whose bytes must be swapped; 0: none */
} RobocachePictureLines;

/* Fixed caps of pictures, with 0/1 as the framerate. NULL and an error: unknown encoding, or an invalid size. */
GstCaps *robocache_image_caps_new (const gchar * encoding, gboolean is_bigendian, guint32 width, guint32 height,
    RobocachePictureLines * lines, GError ** error);
