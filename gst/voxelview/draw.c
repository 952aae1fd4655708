/* robocache: robocachevoxelview, lines and text on any background
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "draw.h"

#include "colourmap.h"

#define LIGHT_BACKGROUND 0.3    /* luminance */
#define DARK_INK 0x1f2328u
#define LIGHT_INK 0xe8eaedu

void
robocache_draw_set_colour (cairo_t *cr, guint32 colour, gdouble alpha)
{
  cairo_set_source_rgba (cr, (colour >> 16 & 0xff) / 255.0, (colour >> 8 & 0xff) / 255.0, (colour & 0xff) / 255.0,
      alpha);
}

void
robocache_draw_set_ink (cairo_t *cr, guint background, gdouble alpha)
{
  robocache_draw_set_colour (cr,
      robocache_colour_luminance (background) > LIGHT_BACKGROUND ? DARK_INK : LIGHT_INK, alpha);
}

void
robocache_draw_set_size (cairo_t *cr, gdouble em)
{
  cairo_set_line_width (cr, MAX (1.0, em / 12.0));
  cairo_select_font_face (cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size (cr, em);
}

void
robocache_draw_line (cairo_t *cr, RobocachePixel from, RobocachePixel to)
{
  cairo_move_to (cr, from.x, from.y);
  cairo_line_to (cr, to.x, to.y);
  cairo_stroke (cr);
}

gdouble
robocache_draw_text_width (cairo_t *cr, const gchar *text)
{
  cairo_text_extents_t extents;

  cairo_text_extents (cr, text, &extents);
  return extents.x_advance;
}

void
robocache_draw_text (cairo_t *cr, RobocachePixel at, gdouble share, gdouble turned, const gchar *text)
{
  cairo_font_extents_t font;

  cairo_font_extents (cr, &font);
  cairo_save (cr);
  cairo_translate (cr, at.x, at.y);
  cairo_rotate (cr, -turned);
  cairo_move_to (cr, -share * robocache_draw_text_width (cr, text), 0.5 * (font.ascent - font.descent));
  cairo_show_text (cr, text);
  cairo_restore (cr);
}
