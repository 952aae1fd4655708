/* robocache: robocachevoxelview, the picture with what is around the voxels: axes, grid lines, a colour bar
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_VOXELVIEW_CHART_H
#define GST_ROBOCACHE_VOXELVIEW_CHART_H

#include <gst/video/video.h>

#include "axes.h"
#include "legend.h"
#include "properties.h"

G_BEGIN_DECLS

/* What cairo draws into, and how large it can be. Pixels are opaque. */
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
#define ROBOCACHE_CHART_FORMATS "{ BGRx, BGRA }"
#else
#define ROBOCACHE_CHART_FORMATS "{ xRGB, ARGB }"
#endif
#define ROBOCACHE_CHART_VIDEO_CAPS "video/x-raw, format=(string)" ROBOCACHE_CHART_FORMATS \
    ", width=(int)[1, 32767], height=(int)[1, 32767], framerate=(fraction)[0/1, 2147483647/1]" \
    ", pixel-aspect-ratio=(fraction)1/1"

/* Where things are in a picture, and what is written there. */
typedef struct
{
  gboolean has_axes, has_legend;        /* as asked for, where there is room for text */
  guint background;
  RobocacheVoxelCamera camera;
  RobocacheAxes axes;
  RobocacheLegendPlace legend;
} RobocacheChart;

/* Finds room for what the axes and any range of the legend say. frame is used as long as the chart. */
void robocache_chart_init (RobocacheChart * chart,
    const RobocacheViewStyle * style, const RobocacheVoxelFrame * frame,
    const RobocacheLegend * legend, gint width, gint height);

/* The whole picture. FALSE and an error when the frame is none that cairo can draw into. */
gboolean robocache_chart_draw (const RobocacheChart * chart,
    const RobocacheVoxelPicture * picture, const RobocacheLegend * legend, GstVideoFrame * frame,
    GError ** error);

G_END_DECLS
#endif
