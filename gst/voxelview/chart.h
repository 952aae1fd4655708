/* robocache: robocachevoxelview, the picture around the voxels: axes, grid lines, a colour bar
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/video/video.h>

#include "axes.h"
#include "legend.h"
#include "properties.h"

/* Formats and sizes that cairo can draw. Pixels are opaque. */
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
#define ROBOCACHE_CHART_FORMATS "{ BGRx, BGRA }"
#else
#define ROBOCACHE_CHART_FORMATS "{ xRGB, ARGB }"
#endif
#define ROBOCACHE_CHART_VIDEO_CAPS "video/x-raw, format=(string)" ROBOCACHE_CHART_FORMATS \
    ", width=(int)[1, 32767], height=(int)[1, 32767], framerate=(fraction)[0/1, 2147483647/1]" \
    ", pixel-aspect-ratio=(fraction)1/1"

/* The positions of all parts of a picture, and its texts. */
typedef struct
{
  gboolean has_axes, has_legend;        /* requested, and the picture is large enough for text */
  guint background;
  RobocacheVoxelCamera camera;
  RobocacheAxes axes;
  RobocacheLegendPlace legend;
} RobocacheChart;

/* Reserves space for the texts of the axes, and for a legend of any range. frame must outlive the chart. */
void robocache_chart_init (RobocacheChart * chart,
    const RobocacheViewStyle * style, const RobocacheVoxelFrame * frame,
    const RobocacheLegend * legend, gint width, gint height);

/* Draws the whole picture. FALSE and an error: cairo cannot draw into the frame. */
gboolean robocache_chart_draw (const RobocacheChart * chart,
    const RobocacheVoxelPicture * picture, const RobocacheLegend * legend, GstVideoFrame * frame,
    GError ** error);
