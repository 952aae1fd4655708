/* robocache: robocachevoxelview, the colour bar and the number of voxels
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_VOXELVIEW_LEGEND_H
#define GST_ROBOCACHE_VOXELVIEW_LEGEND_H

#include <cairo.h>

#include "voxelpicture.h"

G_BEGIN_DECLS

/* The contents of the legend. */
typedef struct
{
  RobocacheColourBy colour_by;
  gint mode;                    /* an RcVoxelMode; -1: not known */
  guint channel;
  guint64 n_channels, n_occupied;
  gdouble range[2];
  gboolean nan;                 /* one is seen */
} RobocacheLegend;

/* Its place, in pixels. */
typedef struct
{
  gdouble em;                   /* the size of text */
  guint background;
  gdouble right;                /* no text goes beyond */
  RobocachePixelBox bar;
} RobocacheLegendPlace;

/* Width in pixels at the right of a picture, enough for every range, so that all pictures of a stream have one layout. */
gdouble robocache_legend_width (cairo_t * cr, gdouble em, const RobocacheLegend * legend);
/* Places it in a column of that width at the right of a picture, beside the plot. */
void robocache_legend_place (RobocacheLegendPlace * place, gdouble em, gdouble picture_width,
    gdouble width, const RobocachePixelBox * plot);

void robocache_legend_draw (const RobocacheLegend * legend,
    const RobocacheLegendPlace * place, cairo_t * cr);

G_END_DECLS
#endif
