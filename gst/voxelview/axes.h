/* robocache: robocachevoxelview, axes in metres along the edges of the grid
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <cairo.h>

#include "axisticks.h"
#include "voxelcamera.h"

/* The texts along each axis. */
typedef struct
{
  gdouble em;                   /* size of text in pixels */
  RobocacheAxisTicks ticks[3];
  gdouble widest[3];            /* width of the widest number in pixels */
  gchar titles[3][3 * ROBOCACHE_TICK_TEXT];
} RobocacheAxes;

/* Margins in pixels. */
typedef struct
{
  gdouble left, top, right, bottom;
} RobocacheMargins;

/* Finds the texts of the camera's axes, and returns the margins that they need around the grid. */
RobocacheMargins robocache_axes_init (RobocacheAxes * axes, cairo_t * cr,
    gdouble em, const RobocacheVoxelCamera * camera);

/* Draw grid lines and axes in the colour of cr. */
void robocache_axes_draw_grid (const RobocacheAxes * axes, cairo_t * cr,
    const RobocacheVoxelCamera * camera);
void robocache_axes_draw_lines (const RobocacheAxes * axes, cairo_t * cr,
    const RobocacheVoxelCamera * camera);
void robocache_axes_draw_texts (const RobocacheAxes * axes, cairo_t * cr,
    const RobocacheVoxelCamera * camera);
