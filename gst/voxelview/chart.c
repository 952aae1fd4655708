/* robocache: robocachevoxelview, the picture around the voxels: axes, grid lines, a colour bar
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "chart.h"

#include "draw.h"

#define MIN_EM 9.0            /* pixels: the size of text */
#define MAX_EM 40.0
#define LAYOUTS 2               /* numbers depend on the scale, and the scale on their widths */

/* In em. */
#define PICTURE_WIDTH 26.0      /* a picture is so wide or wider */
#define PICTURE_HEIGHT 36.0     /* and so high */
#define MIN_HEIGHT 15.0       /* of the smallest picture with text */
#define EDGE 0.5                /* from texts to the picture's edge */
#define MARGIN 1.2              /* of a plot without axes */
#define COUNT_HEIGHT 1.9        /* of the number of voxels above the plot */
#define MIN_PLOT 1.0
#define GRID_ALPHA 0.16

/* ---- where things are ---- */

/* What a picture of that size has, with these margins around the grid and that much for the legend. */
static RobocachePixelBox
find_plot (const RobocacheChart *chart, gdouble em, const RobocacheMargins *margins,
    gdouble legend_width, gint width, gint height)
{
  const gboolean text = chart->has_axes || chart->has_legend;
  const gdouble edge = chart->has_axes ? EDGE * em : text ? MARGIN * em : 0.0;
  const gdouble left = margins->left + edge, bottom = margins->bottom + edge;
  const gdouble right = margins->right + (chart->has_legend ? legend_width : edge);
  const gdouble top = margins->top + (chart->has_legend ? COUNT_HEIGHT * em : edge);
  const gdouble least = text ? MIN_PLOT * em : 0.0;

  return (RobocachePixelBox) {left, top, MAX (width - left - right, least), MAX (height - top - bottom, least)};
}

static void
lay_out (RobocacheChart *chart, cairo_t *cr, gdouble em, RobocacheView view,
    const RobocacheVoxelFrame *frame, const RobocacheLegend *legend, gint width, gint height)
{
  const gdouble legend_width = chart->has_legend ? robocache_legend_width (cr, em, legend) : 0.0;
  RobocacheMargins margins = { 0.0, 0.0, 0.0, 0.0 };

  for (guint i = 0;; i++) {
    const RobocachePixelBox plot = find_plot (chart, em, &margins, legend_width, width, height);

    robocache_voxel_camera_init (&chart->camera, view, frame, &plot);
    robocache_legend_place (&chart->legend, em, width, legend_width, &plot);
    if (!chart->has_axes || i == LAYOUTS)
      return;
    margins = robocache_axes_init (&chart->axes, cr, em, &chart->camera);
  }
}

void
robocache_chart_init (RobocacheChart *chart, const RobocacheViewStyle *style,
    const RobocacheVoxelFrame *frame, const RobocacheLegend *legend, gint width, gint height)
{
  const gdouble em = CLAMP (MIN (width / PICTURE_WIDTH, height / PICTURE_HEIGHT), MIN_EM, MAX_EM);
  const gboolean fits = width >= PICTURE_WIDTH * MIN_EM && height >= MIN_HEIGHT * MIN_EM;
  /* text is as wide on any surface */
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_A8, 1, 1);
  cairo_t *cr = cairo_create (surface);

  chart->has_axes = style->axes && fits;
  chart->has_legend = style->legend && fits;
  chart->background = chart->legend.background = style->background;
  robocache_draw_set_size (cr, em);
  lay_out (chart, cr, em, style->view, frame, legend, width, height);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
}

/* ---- draw ---- */

static void
draw_behind (cairo_t *cr, const RobocacheChart *chart)
{
  robocache_draw_set_colour (cr, chart->background, 1.0);
  cairo_paint (cr);
  robocache_draw_set_ink (cr, chart->background, GRID_ALPHA);
  if (chart->has_axes)
    robocache_axes_draw_grid (&chart->axes, cr, &chart->camera);
}

static void
draw_in_front (cairo_t *cr, const RobocacheChart *chart, const RobocacheLegend *legend)
{
  if (chart->has_axes) {
    robocache_draw_set_ink (cr, chart->background, ROBOCACHE_DRAW_LINE_ALPHA);
    robocache_axes_draw_lines (&chart->axes, cr, &chart->camera);
    robocache_draw_set_ink (cr, chart->background, 1.0);
    robocache_axes_draw_texts (&chart->axes, cr, &chart->camera);
  }
  if (chart->has_legend)
    robocache_legend_draw (legend, &chart->legend, cr);
}

gboolean
robocache_chart_draw (const RobocacheChart *chart,
    const RobocacheVoxelPicture *picture, const RobocacheLegend *legend, GstVideoFrame *frame,
    GError **error)
{
  guint8 *pixels = GST_VIDEO_FRAME_PLANE_DATA (frame, 0);
  const gint stride = GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0);
  cairo_surface_t *surface = cairo_image_surface_create_for_data (pixels, CAIRO_FORMAT_ARGB32, picture->width,
      picture->height, stride);
  cairo_t *cr = cairo_create (surface);
  cairo_status_t status;

  robocache_draw_set_size (cr, chart->legend.em);
  draw_behind (cr, chart);
  status = cairo_status (cr);
  if (status == CAIRO_STATUS_SUCCESS) {
    cairo_surface_flush (surface);
    robocache_voxel_picture_paint (picture, &chart->camera, legend->range, pixels, stride);
    cairo_surface_mark_dirty (surface);
    draw_in_front (cr, chart, legend);
    status = cairo_status (cr);
  }
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    return TRUE;
  g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, "cairo cannot draw into a frame of %dx%d with %d "
      "bytes a line: %s", picture->width, picture->height, stride, cairo_status_to_string (status));
  return FALSE;
}
