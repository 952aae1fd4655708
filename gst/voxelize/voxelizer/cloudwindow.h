/* robocache: the last clouds of a stream, which make one voxel grid
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_CLOUDWINDOW_H
#define ROBOCACHE_CLOUDWINDOW_H

#include <gst/gst.h>

#include "common/points/pointcloudcaps.h"

G_BEGIN_DECLS

typedef struct
{
  GstBuffer *buffer;
  gint64 n_points;              /* of each item */
  guint64 number;               /* of all that came, also before the window was cleared */
} RobocacheCloud;

typedef struct
{
  GArray *clouds;               /* of RobocacheCloud, the oldest first */
  guint n_left;                 /* the first of them, which are no longer in the window */
  guint most;                   /* clouds in the window, when it is full */
  guint64 n_pushed;
} RobocacheCloudWindow;

void robocache_cloud_window_init (RobocacheCloudWindow * window);
void robocache_cloud_window_finish (RobocacheCloudWindow * window);
void robocache_cloud_window_clear (RobocacheCloudWindow * window);

/* Adds a buffer; all but the newest n leave, and are kept until they were taken out of grids that have them. FALSE and an
 * error that names both sizes when the buffer is not what points says; the window is then as before. */
gboolean robocache_cloud_window_push (RobocacheCloudWindow * window, const RobocachePointsInfo * points, guint n,
    GstBuffer * buffer, GError ** error);
/* Forgets the clouds that left. */
void robocache_cloud_window_settle (RobocacheCloudWindow * window);

guint robocache_cloud_window_length (const RobocacheCloudWindow * window);
const RobocacheCloud *robocache_cloud_window_nth (const RobocacheCloudWindow * window, guint i);
/* Points of an item of all clouds. */
gint64 robocache_cloud_window_points (const RobocacheCloudWindow * window);
/* The cloud with that number, in the window or one that left; NULL: it is forgotten. */
const RobocacheCloud *robocache_cloud_window_find (const RobocacheCloudWindow * window, guint64 number);

/* A cloud where the CPU reads it: n rows of stride bytes, which are points or lines of an image. Of a batch the items
 * follow each other. */
typedef struct
{
  gboolean is_video;
  GstVideoFrame frame;
  GstBuffer *buffer;
  GstMapInfo map;

  const guint8 *data;
  gint64 n, stride;
} RobocacheMappedCloud;

/* FALSE and an error when the buffer cannot be mapped, or an image is not what points says. */
gboolean robocache_cloud_map (const RobocachePointsInfo * points, GstBuffer * buffer, RobocacheMappedCloud * mapped,
    GError ** error);
void robocache_cloud_unmap (RobocacheMappedCloud * mapped);

G_END_DECLS
#endif
