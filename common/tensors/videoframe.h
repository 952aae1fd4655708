/* robocache: video frames that fit their caps, and maps of them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_VIDEOFRAME_H
#define ROBOCACHE_VIDEOFRAME_H

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Whether the pixels of frame are where its video meta says, or else where its caps, video, do. After that
 * gst_video_frame_map does not meet what it has no answer to. */
gboolean robocache_video_frame_check (const GstVideoInfo * video, GstBuffer * frame, GError ** error);

/* gst_video_frame_map, with an error. */
gboolean robocache_video_frame_map (GstVideoFrame * frame, const GstVideoInfo * video, GstBuffer * buffer,
    GstMapFlags flags, GError ** error);

G_END_DECLS
#endif
