/* robocache: the last clouds of a stream, which make one voxel grid
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cloudwindow.h"

#include <string.h>

#include "common/device/mapping.h"
#include "common/tensors/tensorcaps.h"
#include "common/tensors/videoframes.h"

static void
cloud_clear (gpointer cloud)
{
  gst_buffer_unref (((RobocacheCloud *) cloud)->buffer);
}

void
robocache_cloud_window_init (RobocacheCloudWindow *window)
{
  *window = (RobocacheCloudWindow) { 0 };
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
  window->n_expired = 0;
}

void
robocache_cloud_window_prune (RobocacheCloudWindow *window)
{
  if (window->n_expired > 0)
    g_array_remove_range (window->clouds, 0, window->n_expired);
  window->n_expired = 0;
}

guint
robocache_cloud_window_length (const RobocacheCloudWindow *window)
{
  return window->clouds->len - window->n_expired;
}

const RobocacheCloud *
robocache_cloud_window_nth (const RobocacheCloudWindow *window, guint i)
{
  return &g_array_index (window->clouds, RobocacheCloud, window->n_expired + i);
}

const RobocacheCloud *
robocache_cloud_window_find (const RobocacheCloudWindow *window, guint64 number)
{
  const guint64 oldest = window->n_pushed - window->clouds->len;

  if (number < oldest || number >= window->n_pushed)
    return NULL;
  return &g_array_index (window->clouds, RobocacheCloud, number - oldest);
}

gint64
robocache_cloud_window_points (const RobocacheCloudWindow *window)
{
  gint64 n = 0;

  for (guint i = 0; i < robocache_cloud_window_length (window); i++)
    n += robocache_cloud_window_nth (window, i)->n_points;
  return n;
}

gboolean
robocache_cloud_window_copy_buffers (RobocacheCloudWindow *window)
{
  gboolean ok = TRUE;

  robocache_cloud_window_prune (window);
  for (guint i = 0; i < window->clouds->len && ok; i++) {
    RobocacheCloud *cloud = &g_array_index (window->clouds, RobocacheCloud, i);
    GstBuffer *copy = robocache_copy_buffer (cloud->buffer);

    ok = copy != NULL;
    if (ok)
      gst_buffer_replace (&cloud->buffer, copy);
    g_clear_pointer (&copy, gst_buffer_unref);
  }
  return ok;
}

/* ---- mapping ---- */

static gboolean
map_image (const RobocachePointsInfo *points, GstBuffer *buffer, RobocacheMappedCloud *mapped, GError **error)
{
  if (!robocache_video_frame_check (&points->video, buffer, error)
      || !robocache_video_frame_map (&mapped->frame, &points->video, buffer,
          GST_MAP_READ | GST_VIDEO_FRAME_MAP_FLAG_NO_REF, error))
    return FALSE;
  mapped->data = GST_VIDEO_FRAME_PLANE_DATA (&mapped->frame, 0);
  mapped->stride = GST_VIDEO_FRAME_PLANE_STRIDE (&mapped->frame, 0);
  mapped->n = GST_VIDEO_INFO_HEIGHT (&points->video);
  return TRUE;
}

static gboolean
map_points (const RobocachePointsInfo *points, GstBuffer *buffer, RobocacheMappedCloud *mapped, GError **error)
{
  guint64 n;

  if (!robocache_points_info_count (points, gst_buffer_get_size (buffer), &n, error))
    return FALSE;
  if (!robocache_map_buffer (buffer, &mapped->map, GST_MAP_READ, error))
    return FALSE;
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

static gboolean
check_image (const RobocachePointsInfo *points, GstBuffer *buffer, GError **error)
{
  const gsize size = gst_buffer_get_size (buffer);

  if (!points->is_float_depth)
    return robocache_video_frame_check (&points->video, buffer, error);
  if (size == GST_VIDEO_INFO_SIZE (&points->video))
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a depth image has %" G_GSIZE_FORMAT " bytes, but its caps describe %dx%d "
      "pixels of float32, %" G_GSIZE_FORMAT " bytes", size, GST_VIDEO_INFO_WIDTH (&points->video), GST_VIDEO_INFO_HEIGHT (&points->video),
      GST_VIDEO_INFO_SIZE (&points->video));
  return FALSE;
}

/* Points per item, without mapping the buffer, which may be in device memory. */
static gboolean
count_points (const RobocachePointsInfo *points, GstBuffer *buffer, gint64 *n_points, GError **error)
{
  guint64 n = points->n_points;

  if (points->kind == ROBOCACHE_POINTS_DEPTH ? !check_image (points, buffer, error)
      : !robocache_points_info_count (points, gst_buffer_get_size (buffer), &n, error))
    return FALSE;
  *n_points = (gint64) n;
  return TRUE;
}

gboolean
robocache_cloud_window_push (RobocacheCloudWindow *window, const RobocachePointsInfo *points, guint capacity,
    GstBuffer *buffer, GError **error)
{
  RobocacheCloud cloud;

  if (!count_points (points, buffer, &cloud.n_points, error))
    return FALSE;
  cloud.buffer = gst_buffer_ref (buffer);
  cloud.number = window->n_pushed++;
  g_array_append_val (window->clouds, cloud);
  window->capacity = capacity;
  if (window->clouds->len > capacity)
    window->n_expired = MAX (window->n_expired, window->clouds->len - capacity);
  return TRUE;
}
