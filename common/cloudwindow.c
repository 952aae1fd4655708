/* robocache: the last clouds of a stream, which make one voxel grid
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cloudwindow.h"

#include <string.h>

#include "tensorcaps.h"

static void
cloud_clear (gpointer cloud)
{
  gst_buffer_unref (((RobocacheCloud *) cloud)->buffer);
}

void
robocache_cloud_window_init (RobocacheCloudWindow *window)
{
  window->clouds = g_array_new (FALSE, FALSE, sizeof (RobocacheCloud));
  g_array_set_clear_func (window->clouds, cloud_clear);
}

void
robocache_cloud_window_finish (RobocacheCloudWindow *window)
{
  g_clear_pointer (&window->clouds, g_array_unref);
}

void
robocache_cloud_window_clear (RobocacheCloudWindow *window)
{
  g_array_set_size (window->clouds, 0);
}

guint
robocache_cloud_window_length (const RobocacheCloudWindow *window)
{
  return window->clouds->len;
}

const RobocacheCloud *
robocache_cloud_window_nth (const RobocacheCloudWindow *window, guint i)
{
  return &g_array_index (window->clouds, RobocacheCloud, i);
}

gint64
robocache_cloud_window_points (const RobocacheCloudWindow *window)
{
  gint64 n = 0;

  for (guint i = 0; i < window->clouds->len; i++)
    n += robocache_cloud_window_nth (window, i)->n_points;
  return n;
}

/* ---- the points of a cloud, mapped ---- */

static gboolean
map_image (const RobocachePointsInfo *points, GstBuffer *buffer, RobocacheMappedCloud *mapped, GError **error)
{
  const gint width = GST_VIDEO_INFO_WIDTH (&points->video), height = GST_VIDEO_INFO_HEIGHT (&points->video);
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  const guint8 *data, *end;
  gint stride;

  if (meta && meta->format != GST_VIDEO_INFO_FORMAT (&points->video)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a depth image whose video meta says %s, but its caps "
        "say %s", gst_video_format_to_string (meta->format), GST_VIDEO_INFO_NAME (&points->video));
    return FALSE;
  }
  if (!gst_video_frame_map (&mapped->frame, &points->video, buffer, GST_MAP_READ | GST_VIDEO_FRAME_MAP_FLAG_NO_REF)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a buffer of %" G_GSIZE_FORMAT " bytes, but a depth "
        "image of %d x "
        "%d has %" G_GSIZE_FORMAT, gst_buffer_get_size (buffer), width, height, GST_VIDEO_INFO_SIZE (&points->video));
    return FALSE;
  }
  data = GST_VIDEO_FRAME_PLANE_DATA (&mapped->frame, 0);
  stride = GST_VIDEO_FRAME_PLANE_STRIDE (&mapped->frame, 0);
  end = mapped->frame.map[0].data + mapped->frame.map[0].size;
  if (GST_VIDEO_FRAME_WIDTH (&mapped->frame) != width || GST_VIDEO_FRAME_HEIGHT (&mapped->frame) != height
      || stride < 2 * width || (gsize) (end - data) < (gsize) (height - 1) * (gsize) stride + 2 * (gsize) width) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a depth image of %d x %d with a stride of %d in "
        "%" G_GSIZE_FORMAT " bytes, but its caps say %d x %d", GST_VIDEO_FRAME_WIDTH (&mapped->frame),
        GST_VIDEO_FRAME_HEIGHT (&mapped->frame),
        stride, (gsize) (end - data), width, height);
    gst_video_frame_unmap (&mapped->frame);
    return FALSE;
  }
  mapped->data = data;
  mapped->stride = stride;
  mapped->n = height;
  return TRUE;
}

static gboolean
map_points (const RobocachePointsInfo *points, GstBuffer *buffer, RobocacheMappedCloud *mapped, GError **error)
{
  guint64 n;

  if (!robocache_points_info_count (points, gst_buffer_get_size (buffer), &n, error))
    return FALSE;
  if (!gst_buffer_map (buffer, &mapped->map, GST_MAP_READ)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a buffer of %" G_GSIZE_FORMAT " bytes cannot be mapped",
        gst_buffer_get_size (buffer));
    return FALSE;
  }
  mapped->data = mapped->map.data;
  mapped->stride = (gint64) robocache_points_info_point_size (points);
  mapped->n = (gint64) n;
  return TRUE;
}

gboolean
robocache_cloud_map (const RobocachePointsInfo *points, GstBuffer *buffer, RobocacheMappedCloud *mapped,
    GError **error)
{
  mapped->buffer = buffer;
  mapped->is_video = points->kind == ROBOCACHE_POINTS_DEPTH;
  return mapped->is_video ? map_image (points, buffer, mapped, error) : map_points (points, buffer, mapped, error);
}

void
robocache_cloud_unmap (RobocacheMappedCloud *mapped)
{
  if (mapped->is_video)
    gst_video_frame_unmap (&mapped->frame);
  else
    gst_buffer_unmap (mapped->buffer, &mapped->map);
}

/* ---- the window ---- */

/* Points of an item. A cloud may be in device memory, so it is not mapped; an image is, to see its lines. */
static gboolean
count_points (const RobocachePointsInfo *points, GstBuffer *buffer, gint64 *n_points, GError **error)
{
  RobocacheMappedCloud mapped;
  guint64 n = points->n_points;

  if (points->kind != ROBOCACHE_POINTS_DEPTH) {
    if (!robocache_points_info_count (points, gst_buffer_get_size (buffer), &n, error))
      return FALSE;
  } else {
    if (!robocache_cloud_map (points, buffer, &mapped, error))
      return FALSE;
    robocache_cloud_unmap (&mapped);
  }
  *n_points = (gint64) n;
  return TRUE;
}

gboolean
robocache_cloud_window_push (RobocacheCloudWindow *window, const RobocachePointsInfo *points, guint n,
    GstBuffer *buffer, GError **error)
{
  RobocacheCloud cloud;

  if (!count_points (points, buffer, &cloud.n_points, error))
    return FALSE;
  cloud.buffer = gst_buffer_ref (buffer);
  g_array_append_val (window->clouds, cloud);
  if (window->clouds->len > n)
    g_array_remove_range (window->clouds, 0, window->clouds->len - n);
  return TRUE;
}
