/* robocache: robocachevoxelview, lines and text on any background
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <cairo.h>

#include "voxelcamera.h"

#define ROBOCACHE_DRAW_LINE_ALPHA 0.75

/* Sets a colour 0xRRGGBB. */
void robocache_draw_set_colour (cairo_t * cr, guint32 colour, gdouble alpha);
/* Sets dark ink, or light ink on a dark background. */
void robocache_draw_set_ink (cairo_t * cr, guint background, gdouble alpha);
/* Sets the size of text, in pixels, and a line width that matches it. */
void robocache_draw_set_size (cairo_t * cr, gdouble em);

void robocache_draw_line (cairo_t * cr, RobocachePixel from, RobocachePixel to);

/* Width of text in pixels. */
gdouble robocache_draw_text_width (cairo_t * cr, const gchar * text);
/* Draws text rotated counter-clockwise by turned, with a share of its width left of the point, vertically centred on it. */
void robocache_draw_text (cairo_t * cr, RobocachePixel at, gdouble share, gdouble turned,
    const gchar * text);
