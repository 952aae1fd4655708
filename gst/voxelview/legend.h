/* robocache: robocachevoxelview, the colour bar and how many voxels there are
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_VOXELVIEW_LEGEND_H
#define GST_ROBOCACHE_VOXELVIEW_LEGEND_H

#include <cairo.h>

#include "voxelpicture.h"

G_BEGIN_DECLS

/* What the legend says. */
typedef struct
{
  RobocacheColourBy colour_by;
  gint mode;                    /* an RcVoxelMode; -1: not known */
  guint channel;
  guint64 n_channels, n_occupied;
  gdouble range[2];
  gboolean nan;                 /* one is seen */
} RobocacheLegend;

/* Where it is, in pixels. */
typedef struct
{
  gdouble em;                   /* the size of text */
  guint background;
  gdouble right;                /* no text goes beyond */
  RobocachePixelBox bar;
} RobocacheLegendPlace;

/* Pixels at the right of a picture that do for every range, so that pictures of a stream are alike. */
gdouble robocache_legend_width (cairo_t * cr, gdouble em, const RobocacheLegend * legend);
/* Into so wide a column at the right of a picture, at the height of the plot. */
void robocache_legend_place (RobocacheLegendPlace * place, gdouble em, gdouble picture_width,
    gdouble width, const RobocachePixelBox * plot);

void robocache_legend_draw (const RobocacheLegend * legend,
    const RobocacheLegendPlace * place, cairo_t * cr);

G_END_DECLS
#endif
