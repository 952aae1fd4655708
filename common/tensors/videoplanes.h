/* robocache: the planes of video frames as lines without padding
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/video/video.h>

/* Lines of a plane of video, and their bytes without padding; for formats with one component per plane, or with one plane. */
typedef struct
{
  gsize line_bytes, n_lines;
} RobocachePlane;

RobocachePlane robocache_video_plane (const GstVideoInfo * video, guint plane);
/* Bytes of all planes, one after another, without padding. */
gsize robocache_video_dense_bytes (const GstVideoInfo * video);
