/* robocache: the planes of video frames as lines without padding
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "videoplanes.h"

/* Component p begins plane p: also where later components share it, as in NV12. */
RobocachePlane
robocache_video_plane (const GstVideoInfo *video, guint plane)
{
  return (RobocachePlane) {
    .line_bytes = (gsize) GST_VIDEO_INFO_COMP_WIDTH (video, plane) * (gsize) GST_VIDEO_INFO_COMP_PSTRIDE (video, plane),
    .n_lines = (gsize) GST_VIDEO_INFO_COMP_HEIGHT (video, plane)
  };
}

gsize
robocache_video_dense_bytes (const GstVideoInfo *video)
{
  gsize bytes = 0;

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (video); p++) {
    const RobocachePlane plane = robocache_video_plane (video, p);

    bytes += plane.line_bytes * plane.n_lines;
  }
  return bytes;
}
