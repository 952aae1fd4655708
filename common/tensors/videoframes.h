/* robocache: checks that video frames match their caps, and maps them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/video/video.h>

/* Whether frame contains all pixels at the offsets of its video meta, or else of its caps (video). After this check, gst_video_frame_map
 * does not read beyond the frame. */
gboolean robocache_video_frame_check (const GstVideoInfo * video, GstBuffer * frame, GError ** error);

/* Like gst_video_frame_map, with an error. */
gboolean robocache_video_frame_map (GstVideoFrame * frame, const GstVideoInfo * video, GstBuffer * buffer,
    GstMapFlags flags, GError ** error);
