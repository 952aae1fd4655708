/* robocache: video frames that are what their caps say, and maps of them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "videoframes.h"

#include "common/element/errors.h"
#include "cudamemory.h"
#include "videoplanes.h"

static gboolean
has_plane (const GstVideoInfo *video, GstBuffer *frame, const GstVideoMeta *meta, gsize size, guint p)
{
  const RobocachePlane plane = robocache_video_plane (video, p);
  guint first, n_memories;
  gsize needed, skip;

  if (meta->stride[p] < (gint) plane.line_bytes || meta->offset[p] > size)
    return FALSE;
  needed = (plane.n_lines - 1) * (gsize) meta->stride[p] + plane.line_bytes;
  /* a plane is mapped as the one memory that it begins in */
  return needed <= size - meta->offset[p]
      && gst_buffer_find_memory (frame, meta->offset[p], needed, &first, &n_memories, &skip) && n_memories == 1;
}

static gboolean
is_whole (const GstVideoInfo *video, GstBuffer *frame, const GstVideoMeta *meta, gsize size)
{
  gboolean whole;

  if (robocache_is_cuda_frame (frame))
    return robocache_cuda_frame_is_whole (frame, video);
  if (meta == NULL)
    return size == GST_VIDEO_INFO_SIZE (video);
  whole = meta->format == GST_VIDEO_INFO_FORMAT (video) && meta->width == (guint) GST_VIDEO_INFO_WIDTH (video)
      && meta->height == (guint) GST_VIDEO_INFO_HEIGHT (video) && meta->n_planes == GST_VIDEO_INFO_N_PLANES (video);
  for (guint p = 0; whole && p < meta->n_planes; p++)
    whole = has_plane (video, frame, meta, size, p);
  return whole;
}

gboolean
robocache_video_frame_check (const GstVideoInfo *video, GstBuffer *frame, GError **error)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (frame);
  const gsize size = gst_buffer_get_size (frame);
  gchar *said;

  if (is_whole (video, frame, meta, size))
    return TRUE;
  said = meta ? g_strdup_printf (" with a video meta of %s, %ux%u, %d bytes per line from byte %" G_GSIZE_FORMAT " on",
      gst_video_format_to_string (meta->format), meta->width, meta->height, meta->stride[0], meta->offset[0]) : NULL;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a frame has %" G_GSIZE_FORMAT " bytes%s, but its caps describe "
      "%s, %dx%d, %" G_GSIZE_FORMAT " bytes", size, said ? said : "", GST_VIDEO_INFO_NAME (video), GST_VIDEO_INFO_WIDTH (video),
      GST_VIDEO_INFO_HEIGHT (video), GST_VIDEO_INFO_SIZE (video));
  g_free (said);
  return FALSE;
}

gboolean
robocache_video_frame_map (GstVideoFrame *frame, const GstVideoInfo *video, GstBuffer *buffer, GstMapFlags flags,
    GError **error)
{
  if (gst_video_frame_map (frame, video, buffer, flags))
    return TRUE;
  g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, "a frame of %" G_GSIZE_FORMAT " bytes cannot be mapped",
      gst_buffer_get_size (buffer));
  return FALSE;
}
