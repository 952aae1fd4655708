/* robocache: robocachevoxelview, the picture with what is around the voxels: axes, grid lines, a colour bar
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_VOXELVIEW_CHART_H
#define GST_ROBOCACHE_VOXELVIEW_CHART_H

#include "gstrobocachevoxelview.h"

G_BEGIN_DECLS

/* What cairo draws into, and how large it can be. Pixels are opaque. */
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
#define GST_ROBOCACHE_VOXEL_VIEW_FORMATS "{ BGRx, BGRA }"
#else
#define GST_ROBOCACHE_VOXEL_VIEW_FORMATS "{ xRGB, ARGB }"
#endif
#define GST_ROBOCACHE_VOXEL_VIEW_VIDEO_CAPS "video/x-raw, format=(string)" GST_ROBOCACHE_VOXEL_VIEW_FORMATS \
    ", width=(int)[1, 32767], height=(int)[1, 32767], framerate=(fraction)[0/1, 2147483647/1]" \
    ", pixel-aspect-ratio=(fraction)1/1"

/* Where things are in a picture. */
typedef struct
{
  gdouble em;                   /* pixels: the size of text */
  gboolean axes, legend;        /* whether there is room for them */
  guint background;
  RobocachePixelBox plot, bar;  /* of the voxels; of the colours */
} GstRobocacheVoxelViewChart;

/* What the legend says. */
typedef struct
{
  RobocacheColourBy colour_by;
  gint mode;                    /* an RcVoxelMode; -1: not known */
  guint channel;
  guint64 n_channels, n_occupied;
  gdouble range[2];
  gboolean nan;                 /* one is seen */
} GstRobocacheVoxelViewLegend;

void gst_robocache_voxel_view_chart_init (GstRobocacheVoxelViewChart * chart,
    const GstRobocacheVoxelViewStyle * style, gint width, gint height);

/* The whole picture. FALSE and an error when the frame is none that cairo can draw into. */
gboolean gst_robocache_voxel_view_chart_draw (const GstRobocacheVoxelViewChart * chart,
    const RobocacheVoxelCamera * camera, const RobocacheVoxelPicture * picture,
    const GstRobocacheVoxelViewLegend * legend, GstVideoFrame * frame, GError ** error);

G_END_DECLS
#endif
