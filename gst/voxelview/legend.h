/* robocache: robocachevoxelview, the colour bar and the number of voxels
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <cairo.h>

#include "voxelpicture.h"

/* The contents of the legend. */
typedef struct
{
  RobocacheColourBy colour_by;
  gint mode;                    /* an RcVoxelMode; -1: unknown */
  guint channel;
  guint64 n_channels, n_occupied;
  gdouble range[2];
  gboolean nan;                 /* a NaN is visible */
} RobocacheLegend;

/* The position of the legend in pixels. */
typedef struct
{
  gdouble em;                   /* size of text */
  guint background;
  gdouble right;                /* limit of texts on the right */
  RobocachePixelBox bar;
} RobocacheLegendPlace;

/* Width in pixels that the legend needs at the right of a picture, for any range, so that all pictures of a stream have the same layout. */
gdouble robocache_legend_width (cairo_t * cr, gdouble em, const RobocacheLegend * legend);
/* Places the legend in a column of this width at the right of a picture, beside the plot. */
void robocache_legend_place (RobocacheLegendPlace * place, gdouble em, gdouble picture_width,
    gdouble width, const RobocachePixelBox * plot);

void robocache_legend_draw (const RobocacheLegend * legend,
    const RobocacheLegendPlace * place, cairo_t * cr);
