/* robocache: robocachevoxelview, lines and text on any background
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_VOXELVIEW_INK_H
#define GST_ROBOCACHE_VOXELVIEW_INK_H

#include <cairo.h>

#include "voxelcamera.h"

G_BEGIN_DECLS

#define ROBOCACHE_DRAW_LINE_ALPHA 0.75

/* 0xRRGGBB */
void robocache_draw_set_colour (cairo_t * cr, guint32 colour, gdouble alpha);
/* Dark, or light on a dark background. */
void robocache_draw_set_ink (cairo_t * cr, guint background, gdouble alpha);
/* Of text of that many pixels, and the lines that go with it. */
void robocache_draw_set_size (cairo_t * cr, gdouble em);

void robocache_draw_line (cairo_t * cr, RobocachePixel from, RobocachePixel to);

/* Pixels. */
gdouble robocache_draw_text_width (cairo_t * cr, const gchar * text);
/* Text whose share of its width is left of the point and whose middle is at its height; turned against the clock. */
void robocache_draw_text (cairo_t * cr, RobocachePixel at, gdouble share, gdouble turned,
    const gchar * text);

G_END_DECLS
#endif
