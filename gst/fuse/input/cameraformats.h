/* robocache: the formats of frames that robocachefuse accepts
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/video/video.h>

#include "common/tensors/cudamemory.h"
#include "kernels/dtype.h"

/* Caps fields of camera frames. */
#define FUSE_FRAME_FIELDS "format = (string) { RGB, BGR, RGBA, GRAY8, GRAY16_LE, BGRA, RGBx, BGRx, xRGB, xBGR, NV12 }, " \
    "width = (int) [ 1, MAX ], height = (int) [ 1, MAX ], framerate = (fraction) [ 0, MAX ]"
#define FUSE_CAMERA_CAPS "video/x-raw, " FUSE_FRAME_FIELDS "; video/x-raw(" ROBOCACHE_CAPS_FEATURE_CUDA_MEMORY "), " FUSE_FRAME_FIELDS

/* FALSE: a line has more bytes than GStreamer's int strides can hold, although GStreamer accepts such caps. */
gboolean fuse_camera_has_lines (const GstVideoInfo * video);
/* FALSE: chroma of NV12 does not cover the frame in whole lines of its width. */
gboolean fuse_camera_has_whole_chroma (const GstVideoInfo * video);
/* Lines of a frame as one picture: in NV12, half as many lines of chroma, with the same bytes per line, follow the lines of luma. */
guint64 fuse_camera_lines (const GstVideoInfo * video);
/* The dtype of the elements of a pixel: RC_UINT8 or RC_UINT16. */
RcDtype fuse_camera_dtype (const GstVideoInfo * video);
/* Number of elements of a pixel, unused elements included. */
guint fuse_camera_pixel_elements (const GstVideoInfo * video);
