/* robocache: robocachevoxelview, the colour bar and the number of voxels
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "legend.h"

#include "axisticks.h"
#include "draw.h"

/* Sizes are in em, the size of text. */
#define MARGIN 1.2              /* of the bar and of the number of voxels */
#define EDGE 0.5                /* from texts to the picture's edge */
#define BAR_WIDTH 1.1
#define BAR_HEIGHT 16.0
#define MIN_BAR_HEIGHT 2.0
#define ROOM_BESIDE_BAR 2.4     /* above and below */
#define LINE_HEIGHT 1.3
#define TICK 0.3
#define TICK_TEXT 0.55          /* from the bar to its numbers */
#define TICK_SPACING 2.6
#define NAN_GAP 0.6
#define WIDEST_NUMBER "-0.0000" /* of ticks that are so few */

static gchar *
describe_values (const RobocacheLegend *legend)
{
  static const gchar *const modes[] = {
    [RC_VOXEL_OCCUPANCY] = "occupied", [RC_VOXEL_COUNT] = "points", [RC_VOXEL_MEAN] = "mean",
    [RC_VOXEL_CENTROID] = "centroid", [RC_VOXEL_MAX] = "max", [RC_VOXEL_MIN] = "min", [RC_VOXEL_FIRST] = "points",
    [RC_VOXEL_PILLARS] = "points"
  };
  const gchar *name = legend->mode < 0 ? "value" : modes[legend->mode];

  if (legend->colour_by == ROBOCACHE_COLOUR_BY_HEIGHT)
    return g_strdup ("height (m)");
  if (legend->mode == RC_VOXEL_CENTROID && legend->channel < 3)
    return g_strdup_printf ("mean %c (m)", "xyz"[legend->channel]);
  return legend->n_channels > 1 ? g_strdup_printf ("%s %u", name, legend->channel) : g_strdup (name);
}

static gboolean
is_whole (const RobocacheLegend *legend)
{
  return legend->colour_by == ROBOCACHE_COLOUR_BY_VALUE
      && (legend->mode == RC_VOXEL_OCCUPANCY || legend->mode == RC_VOXEL_COUNT
      || rc_voxel_lists_points ((RcVoxelMode) legend->mode));
}

/* ---- where it is ---- */

gdouble
robocache_legend_width (cairo_t *cr, gdouble em, const RobocacheLegend *legend)
{
  gchar *values = describe_values (legend);
  const gdouble bar = (BAR_WIDTH + TICK_TEXT) * em + robocache_draw_text_width (cr, WIDEST_NUMBER);
  const gdouble name = robocache_draw_text_width (cr, values);

  g_free (values);
  return MARGIN * em + MAX (bar, name) + EDGE * em;
}

void
robocache_legend_place (RobocacheLegendPlace *place, gdouble em, gdouble picture_width,
    gdouble width, const RobocachePixelBox *plot)
{
  place->em = em;
  place->right = picture_width - EDGE * em;
  place->bar.width = BAR_WIDTH * em;
  place->bar.height = CLAMP (plot->height - 2 * ROOM_BESIDE_BAR * em, MIN_BAR_HEIGHT * em, BAR_HEIGHT * em);
  place->bar.x = picture_width - width + MARGIN * em;
  place->bar.y = plot->y + 0.5 * (plot->height - place->bar.height);
}

/* ---- draw ---- */

static void
set_line_ink (cairo_t *cr, const RobocacheLegendPlace *place)
{
  robocache_draw_set_ink (cr, place->background, ROBOCACHE_DRAW_LINE_ALPHA);
}

static void
draw_text (cairo_t *cr, const RobocacheLegendPlace *place, gdouble x, gdouble y, const gchar *text)
{
  const gdouble last = place->right - robocache_draw_text_width (cr, text);

  robocache_draw_set_ink (cr, place->background, 1.0);
  robocache_draw_text (cr, (RobocachePixel) {MIN (x, last), y}, 0.0, 0.0, text);
}

static void
draw_bar (cairo_t *cr, const RobocacheLegendPlace *place)
{
  const RobocachePixelBox *bar = &place->bar;
  cairo_pattern_t *colours = cairo_pattern_create_linear (0.0, bar->y + bar->height, 0.0, bar->y);

  for (guint i = 0; i < ROBOCACHE_COLOUR_STEPS; i++) {
    const guint32 colour = robocache_colour_map ()[i];

    cairo_pattern_add_color_stop_rgb (colours, (gdouble) i / (ROBOCACHE_COLOUR_STEPS - 1), (colour >> 16) / 255.0,
        (colour >> 8 & 0xff) / 255.0, (colour & 0xff) / 255.0);
  }
  cairo_rectangle (cr, bar->x, bar->y, bar->width, bar->height);
  cairo_set_source (cr, colours);
  cairo_fill_preserve (cr);
  cairo_pattern_destroy (colours);
  set_line_ink (cr, place);
  cairo_stroke (cr);
}

static void
draw_ticks (cairo_t *cr, const RobocacheLegendPlace *place, const RobocacheAxisTicks *ticks,
    const gdouble range[2])
{
  const RobocachePixelBox *bar = &place->bar;
  const gdouble right = bar->x + bar->width;

  for (guint i = 0; i < ticks->n; i++) {
    const gdouble y = bar->y + bar->height * (range[1] - ticks->at[i]) / (range[1] - range[0]);
    gchar text[ROBOCACHE_TICK_TEXT];

    set_line_ink (cr, place);
    robocache_draw_line (cr, (RobocachePixel) {right, y}, (RobocachePixel) {right + TICK * place->em, y});
    robocache_axis_tick_text (ticks, i, text);
    draw_text (cr, place, right + TICK_TEXT * place->em, y, text);
  }
}

/* Line by line, the last one next to the bar. */
static void
draw_title (cairo_t *cr, const RobocacheLegendPlace *place, const RobocacheAxisTicks *ticks,
    const gchar *values)
{
  gchar factor[ROBOCACHE_TICK_TEXT], offset[ROBOCACHE_TICK_TEXT];
  const gchar *const lines[] = { offset, factor, values };
  gdouble y = place->bar.y - MARGIN * place->em;

  robocache_axis_factor_text (ticks, factor);
  robocache_axis_offset_text (ticks, offset);
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    if (!lines[i][0])
      continue;
    draw_text (cr, place, place->bar.x, y, lines[i]);
    y -= LINE_HEIGHT * place->em;
  }
}

static void
draw_nan (cairo_t *cr, const RobocacheLegendPlace *place)
{
  const RobocachePixelBox *bar = &place->bar;
  const gdouble y = bar->y + bar->height + NAN_GAP * place->em;

  cairo_rectangle (cr, bar->x, y, bar->width, bar->width);
  robocache_draw_set_colour (cr, ROBOCACHE_COLOUR_NAN, 1.0);
  cairo_fill_preserve (cr);
  set_line_ink (cr, place);
  cairo_stroke (cr);
  draw_text (cr, place, bar->x + bar->width + TICK_TEXT * place->em, y + 0.5 * bar->width, "NaN");
}

void
robocache_legend_draw (const RobocacheLegend *legend,
    const RobocacheLegendPlace *place, cairo_t *cr)
{
  gchar *values = describe_values (legend);
  gchar *occupied = g_strdup_printf ("%" G_GUINT64_FORMAT " %s occupied", legend->n_occupied,
      legend->n_occupied == 1 ? "voxel" : "voxels");
  RobocacheAxisTicks ticks;

  robocache_axis_ticks (&ticks, legend->range[0], legend->range[1], place->bar.height / (TICK_SPACING * place->em),
      is_whole (legend) ? 1.0 : 0.0);
  draw_text (cr, place, MARGIN * place->em, MARGIN * place->em, occupied);
  draw_title (cr, place, &ticks, values);
  draw_bar (cr, place);
  draw_ticks (cr, place, &ticks, legend->range);
  if (legend->nan)
    draw_nan (cr, place);
  g_free (values);
  g_free (occupied);
}
