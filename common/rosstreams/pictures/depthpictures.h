/* robocache: compressed depth images of ROS: RVL, and PNG of 16 bits
 *
 * Sources: A. D. Wilson, "Fast Lossless Depth Image Compression", ISS 2017 (RVL); the PNG specification, third edition; and
 * compressed_depth_image_transport of image_transport_plugins for the header of the message.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* Larger images than this of n bytes are refused: few bytes may stand for many pixels. */
#define ROBOCACHE_MAX_DEPTH_PIXELS(n) (((guint64) 8 << 20) + (n) / 2)

typedef struct
{
  guint32 width, height;
  guint16 *pixels;              /* [height][width], host order; free with g_free */
} RobocacheDepthPicture;

/* The bytes behind the header of compressedDepth. FALSE and a ROBOCACHE_ERROR_DATA: damaged, too large, or of another kind of PNG. */
gboolean robocache_rvl_read (const guint8 * bytes, gsize size, RobocacheDepthPicture * picture, GError ** error);
gboolean robocache_depth_png_read (const guint8 * bytes, gsize size, RobocacheDepthPicture * picture, GError ** error);
