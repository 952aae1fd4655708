/* robocache: the last clouds of a stream, which make one voxel grid
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "common/points/pointcloudcaps.h"

typedef struct
{
  GstBuffer *buffer;
  gint64 n_points;              /* points per item */
  guint64 number;               /* number of the cloud, counted also across clears of the window */
} RobocacheCloud;

typedef struct
{
  GArray *clouds;               /* RobocacheCloud items, oldest first */
  guint n_expired;              /* number of expired clouds, which are first in clouds */
  guint capacity;               /* clouds in a full window */
  gboolean newest_first;        /* set by the owner: a grid reads the newest cloud first; otherwise the oldest */
  guint64 n_pushed;
} RobocacheCloudWindow;

void robocache_cloud_window_init (RobocacheCloudWindow * window);
void robocache_cloud_window_finish (RobocacheCloudWindow * window);
void robocache_cloud_window_clear (RobocacheCloudWindow * window);

/* Adds a buffer. All clouds except the newest `capacity` expire, and are kept until robocache_cloud_window_prune. FALSE and an error with
 * both sizes: the buffer does not match points; the window is unchanged. */
gboolean robocache_cloud_window_push (RobocacheCloudWindow * window, const RobocachePointsInfo * points, guint capacity,
    GstBuffer * buffer, GError ** error);
/* Releases the expired clouds. */
void robocache_cloud_window_prune (RobocacheCloudWindow * window);
/* Replaces all buffers by deep copies, for a DRAIN query. FALSE: a buffer could not be copied, and is kept. */
gboolean robocache_cloud_window_copy_buffers (RobocacheCloudWindow * window);

guint robocache_cloud_window_length (const RobocacheCloudWindow * window);
const RobocacheCloud *robocache_cloud_window_nth (const RobocacheCloudWindow * window, guint i);
/* Points per item of all clouds in the window. */
gint64 robocache_cloud_window_points (const RobocacheCloudWindow * window);
/* The cloud with this number, in the window or expired; NULL: released. */
const RobocacheCloud *robocache_cloud_window_find (const RobocacheCloudWindow * window, guint64 number);

/* A mapped cloud for the CPU: n rows of stride bytes, which are points or lines of an image. Items of a batch follow each other. */
typedef struct
{
  gboolean is_video;
  GstVideoFrame frame;
  GstBuffer *buffer;
  GstMapInfo map;

  const guint8 *data;
  gint64 n, stride;
} RobocacheMappedCloud;

/* FALSE and an error: the buffer cannot be mapped, or does not match points. */
gboolean robocache_cloud_map (const RobocachePointsInfo * points, GstBuffer * buffer, RobocacheMappedCloud * mapped,
    GError ** error);
void robocache_cloud_unmap (RobocacheMappedCloud * mapped);
