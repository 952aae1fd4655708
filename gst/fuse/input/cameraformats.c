/* robocache: the formats of frames that robocachefuse takes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cameraformats.h"

gboolean
fuse_camera_has_lines (const GstVideoInfo *video)
{
  return (gint64) GST_VIDEO_INFO_WIDTH (video) * GST_VIDEO_INFO_COMP_PSTRIDE (video, 0) <= GST_VIDEO_INFO_PLANE_STRIDE (video, 0);
}

gboolean
fuse_camera_has_whole_chroma (const GstVideoInfo *video)
{
  return GST_VIDEO_INFO_N_PLANES (video) == 1 || (GST_VIDEO_INFO_WIDTH (video) % 2 == 0 && GST_VIDEO_INFO_HEIGHT (video) % 2 == 0);
}

guint64
fuse_camera_lines (const GstVideoInfo *video)
{
  guint64 lines = 0;

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (video); p++)
    lines += (guint64) GST_VIDEO_INFO_COMP_HEIGHT (video, p);
  return lines;
}

RcDtype
fuse_camera_dtype (const GstVideoInfo *video)
{
  return GST_VIDEO_INFO_COMP_DEPTH (video, 0) == 16 ? RC_UINT16 : RC_UINT8;
}

guint
fuse_camera_pixel_elements (const GstVideoInfo *video)
{
  return (guint) GST_VIDEO_INFO_COMP_PSTRIDE (video, 0) / (guint) rc_dtype_size (fuse_camera_dtype (video));
}
