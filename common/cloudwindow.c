/* robocache: the last clouds of a stream, which make one voxel grid
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cloudwindow.h"

#include <string.h>

#include "tensorcaps.h"

typedef struct
{
  GstBuffer *buffer;
  gint64 n_points;
} Cloud;

static void
cloud_clear (gpointer cloud)
{
  gst_buffer_unref (((Cloud *) cloud)->buffer);
}

void
robocache_cloud_window_init (RobocacheCloudWindow *window)
{
  window->clouds = g_array_new (FALSE, FALSE, sizeof (Cloud));
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

gint64
robocache_cloud_window_points (const RobocacheCloudWindow *window)
{
  gint64 n = 0;

  for (guint i = 0; i < window->clouds->len; i++)
    n += g_array_index (window->clouds, Cloud, i).n_points;
  return n;
}

/* ---- the points of a cloud, mapped ---- */

typedef struct
{
  gboolean is_video;
  GstVideoFrame frame;
  GstBuffer *buffer;
  GstMapInfo map;
  RcVoxelChunk chunk;
} MappedCloud;

static gboolean
map_image (const RobocachePointsInfo *points, GstBuffer *buffer, MappedCloud *mapped, GError **error)
{
  const gint width = GST_VIDEO_INFO_WIDTH (&points->video), height = GST_VIDEO_INFO_HEIGHT (&points->video);
  const guint8 *data, *end;
  gint stride;

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
  mapped->chunk.data = data;
  mapped->chunk.stride = stride;
  mapped->chunk.n = height;
  return TRUE;
}

static gboolean
map_points (const RobocachePointsInfo *points, GstBuffer *buffer, MappedCloud *mapped, GError **error)
{
  guint64 n;

  if (!robocache_points_info_count (points, gst_buffer_get_size (buffer), &n, error))
    return FALSE;
  if (!gst_buffer_map (buffer, &mapped->map, GST_MAP_READ)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a buffer of %" G_GSIZE_FORMAT " bytes cannot be mapped",
        gst_buffer_get_size (buffer));
    return FALSE;
  }
  mapped->chunk.data = mapped->map.data;
  mapped->chunk.stride = (gint64) robocache_points_info_point_size (points);
  mapped->chunk.n = (gint64) n;
  return TRUE;
}

static gboolean
map_cloud (const RobocachePointsInfo *points, GstBuffer *buffer, MappedCloud *mapped, GError **error)
{
  memset (&mapped->chunk, 0, sizeof (mapped->chunk));
  mapped->buffer = buffer;
  mapped->is_video = points->kind == ROBOCACHE_POINTS_DEPTH;
  return mapped->is_video ? map_image (points, buffer, mapped, error) : map_points (points, buffer, mapped, error);
}

static void
unmap_cloud (MappedCloud *mapped)
{
  if (mapped->is_video)
    gst_video_frame_unmap (&mapped->frame);
  else
    gst_buffer_unmap (mapped->buffer, &mapped->map);
}

/* ---- the window ---- */

gboolean
robocache_cloud_window_push (RobocacheCloudWindow *window, const RobocachePointsInfo *points, guint n,
    GstBuffer *buffer, GError **error)
{
  MappedCloud mapped;
  Cloud cloud;

  if (!map_cloud (points, buffer, &mapped, error))
    return FALSE;
  unmap_cloud (&mapped);
  cloud.buffer = gst_buffer_ref (buffer);
  cloud.n_points = points->kind == ROBOCACHE_POINTS_DEPTH ? (gint64) points->n_points : mapped.chunk.n;
  g_array_append_val (window->clouds, cloud);
  if (window->clouds->len > n)
    g_array_remove_range (window->clouds, 0, window->clouds->len - n);
  return TRUE;
}

gboolean
robocache_cloud_window_run (const RobocacheCloudWindow *window, const RobocachePointsInfo *points,
    RobocacheVoxelPhase phase, RcVoxelPlan *plan, const RcVoxelJob *job, RcVoxelCounters *counters, GError **error)
{
  for (guint i = 0; i < window->clouds->len; i++) {
    MappedCloud mapped;
    RcStatus status;
    RcError failed;

    if (!map_cloud (points, g_array_index (window->clouds, Cloud, i).buffer, &mapped, error))
      return FALSE;
    mapped.chunk.counters = i + 1 == window->clouds->len ? counters : NULL;
    status = phase (plan, job, &mapped.chunk, NULL, &failed);
    unmap_cloud (&mapped);
    if (status != RC_OK) {
      g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, failed.message);
      return FALSE;
    }
  }
  return TRUE;
}
