/* robocache: robocachevoxelview, the picture with what is around the voxels: axes, grid lines, a colour bar
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "gstrobocachevoxelviewchart.h"

#include <cairo.h>
#include <math.h>

#include "common/axisticks.h"

/* Sizes are in em, the size of text. */
#define PICTURE_EM 36.0         /* a picture is so high */
#define LEAST_EM 9.0            /* pixels */
#define GREATEST_EM 40.0
#define ROOM_WIDTH 26.0         /* of the least picture that has room for text */
#define ROOM_HEIGHT 15.0
#define MARGIN 1.2
#define TITLE_HEIGHT 2.4
#define AXIS_LEFT 4.6
#define AXIS_BOTTOM 3.4
#define AXIS_RIGHT 2.4          /* isometric: the last number of y */
#define LEGEND_WIDTH 7.4
#define BAR_WIDTH 1.1
#define BAR_HEIGHT 16.0
#define TICK 0.3
#define TICK_TEXT 0.55          /* from the axis to its numbers */
#define AXIS_TITLE 2.9          /* to its name */

#define LABEL_WIDTH 4.5         /* of numbers side by side */
#define LABEL_HEIGHT 2.6        /* one above the other */
#define HEIGHT_SPACING 1.6      /* of z, which is often short */

#define LIGHT_BACKGROUND 0.3    /* luminance */
#define DARK_INK 0x1f2328u
#define LIGHT_INK 0xe8eaedu
#define GRID_ALPHA 0.16
#define AXIS_ALPHA 0.75

void
gst_robocache_voxel_view_chart_init (GstRobocacheVoxelViewChart *chart, const GstRobocacheVoxelViewStyle *style,
    gint width, gint height)
{
  const gdouble em = CLAMP (height / PICTURE_EM, LEAST_EM, GREATEST_EM);
  const gboolean room = width >= ROOM_WIDTH * em && height >= ROOM_HEIGHT * em;
  const gboolean axes = style->axes && room, legend = style->legend && room;
  const gdouble left = axes ? AXIS_LEFT * em : legend ? MARGIN * em : 0.0;
  const gdouble beside = axes && style->view == ROBOCACHE_VIEW_ISOMETRIC ? AXIS_RIGHT * em : 0.0;
  const gdouble right = beside + (legend ? LEGEND_WIDTH * em : axes ? MARGIN * em : 0.0);
  const gdouble top = legend ? TITLE_HEIGHT * em : axes ? MARGIN * em : 0.0;
  const gdouble bottom = axes ? AXIS_BOTTOM * em : legend ? MARGIN * em : 0.0;

  chart->em = em;
  chart->axes = axes;
  chart->legend = legend;
  chart->background = style->background;
  chart->plot = (RobocachePixelBox) {left, top, width - left - right, height - top - bottom};
  chart->bar.width = BAR_WIDTH * em;
  chart->bar.height = MIN (BAR_HEIGHT * em, chart->plot.height - 2 * TITLE_HEIGHT * em);
  chart->bar.x = width - right + beside + MARGIN * em;
  chart->bar.y = top + 0.5 * (chart->plot.height - chart->bar.height);
}

/* ---- ink ---- */

static void
set_colour (cairo_t *cr, guint32 colour, gdouble alpha)
{
  cairo_set_source_rgba (cr, (colour >> 16 & 0xff) / 255.0, (colour >> 8 & 0xff) / 255.0, (colour & 0xff) / 255.0,
      alpha);
}

static void
set_ink (cairo_t *cr, const GstRobocacheVoxelViewChart *chart, gdouble alpha)
{
  set_colour (cr, robocache_colour_luminance (chart->background) > LIGHT_BACKGROUND ? DARK_INK : LIGHT_INK, alpha);
}

static void
stroke_line (cairo_t *cr, RobocachePixel from, RobocachePixel to)
{
  cairo_move_to (cr, from.x, from.y);
  cairo_line_to (cr, to.x, to.y);
  cairo_stroke (cr);
}

/* Text whose share of its width is left of the point and whose middle is at its height; turned against the clock. */
static void
show_text (cairo_t *cr, const GstRobocacheVoxelViewChart *chart, RobocachePixel at, gdouble share, gdouble turned,
    const gchar *text)
{
  cairo_text_extents_t extents;
  cairo_font_extents_t font;

  set_ink (cr, chart, 1.0);
  cairo_text_extents (cr, text, &extents);
  cairo_font_extents (cr, &font);
  cairo_save (cr);
  cairo_translate (cr, at.x, at.y);
  cairo_rotate (cr, -turned);
  cairo_move_to (cr, -share * extents.x_advance, 0.5 * (font.ascent - font.descent));
  cairo_show_text (cr, text);
  cairo_restore (cr);
}

/* ---- axes ---- */

/* An axis along an edge of the grid, in voxels. */
typedef struct
{
  const gchar *name;
  guint axis;                   /* 0 x, 1 y, 2 z */
  gint at[3];                   /* of the edge's other coordinates: 0 least, 1 greatest */
  RobocachePixel outward;       /* from the edge to its numbers, in em */
  gdouble share;                /* of a number that is left of its place */
  gdouble spacing;              /* em from number to number */
  gdouble title;                /* em from the edge to the name */
  gdouble turned;               /* radians: the name */
  guint lines[2];               /* grid lines from a tick go along these axes */
  guint n_lines;
} Axis;

static const Axis top_axes[] = {
  {"x (m)", 0, {0, 0, 0}, {0.0, 1.0}, 0.5, LABEL_WIDTH, 2.4, 0.0, {1}, 1},
  {"y (m)", 1, {0, 0, 0}, {-1.0, 0.0}, 1.0, LABEL_HEIGHT, 3.8, G_PI_2, {0}, 1},
};

/* Lines are on the floor and on the two walls behind. */
static const Axis isometric_axes[] = {
  {"x (m)", 0, {0, 0, 0}, {-0.5, 0.866}, 0.8, LABEL_WIDTH, AXIS_TITLE, -G_PI / 6, {1, 2}, 2},
  {"y (m)", 1, {1, 0, 0}, {0.5, 0.866}, 0.2, LABEL_WIDTH, AXIS_TITLE, G_PI / 6, {0, 2}, 2},
  {"z (m)", 2, {0, 0, 0}, {-1.0, 0.0}, 1.0, HEIGHT_SPACING, 3.6, G_PI_2, {1, 0}, 2},
};

static const struct
{
  const Axis *axes;
  guint n;
} axes_of_view[] = {
  [ROBOCACHE_VIEW_TOP] = {top_axes, G_N_ELEMENTS (top_axes)},
  [ROBOCACHE_VIEW_ISOMETRIC] = {isometric_axes, G_N_ELEMENTS (isometric_axes)},
};

static RobocachePixel
project (const RobocacheVoxelCamera *camera, const gdouble at[3])
{
  return robocache_voxel_camera_project (camera, at[0], at[1], at[2]);
}

/* A place on the axis, that many voxels along it. */
static void
place_on (const Axis *axis, const RobocacheVoxelCamera *camera, gdouble along, gdouble at[3])
{
  for (guint i = 0; i < 3; i++)
    at[i] = axis->at[i] ? (gdouble) camera->frame->grid[i] : 0.0;
  at[axis->axis] = along;
}

static gdouble
voxels_along (const Axis *axis, const RobocacheVoxelCamera *camera, gdouble metres)
{
  return (metres - camera->frame->origin[axis->axis]) / camera->frame->voxel_size[axis->axis];
}

static void
find_ticks (const Axis *axis, const GstRobocacheVoxelViewChart *chart, const RobocacheVoxelCamera *camera,
    RobocacheAxisTicks *ticks)
{
  const RobocacheVoxelFrame *frame = camera->frame;
  const gdouble metres = (gdouble) frame->grid[axis->axis] * frame->voxel_size[axis->axis];

  robocache_axis_ticks (ticks, frame->origin[axis->axis], frame->origin[axis->axis] + metres,
      metres * camera->scale / (axis->spacing * chart->em));
}

/* From a tick over the floor, and up the wall behind; from a height along both walls. */
static void
draw_grid_lines (cairo_t *cr, const Axis *axis, const RobocacheVoxelCamera *camera, gdouble along)
{
  const gint64 *n = camera->frame->grid;
  gdouble from[3], to[3];

  place_on (axis, camera, along, from);
  for (guint i = 0; i < axis->n_lines; i++) {
    const guint line = axis->lines[i];

    for (guint k = 0; k < 3; k++)
      to[k] = from[k];
    to[line] = from[line] > 0.0 ? 0.0 : (gdouble) n[line];
    stroke_line (cr, project (camera, from), project (camera, to));
    for (guint k = 0; k < 3; k++)
      from[k] = to[k];
  }
}

static RobocachePixel
beside (const Axis *axis, const GstRobocacheVoxelViewChart *chart, RobocachePixel at, gdouble distance)
{
  return (RobocachePixel) {at.x + axis->outward.x * distance * chart->em, at.y + axis->outward.y * distance * chart->em};
}

static void
draw_axis (cairo_t *cr, const Axis *axis, const GstRobocacheVoxelViewChart *chart, const RobocacheVoxelCamera *camera)
{
  const gdouble n = (gdouble) camera->frame->grid[axis->axis];
  RobocacheAxisTicks ticks;
  gdouble from[3], to[3], at[3];

  find_ticks (axis, chart, camera, &ticks);
  place_on (axis, camera, 0.0, from);
  place_on (axis, camera, n, to);
  set_ink (cr, chart, AXIS_ALPHA);
  stroke_line (cr, project (camera, from), project (camera, to));
  for (guint i = 0; i < ticks.n; i++) {
    gchar text[ROBOCACHE_TICK_TEXT];
    RobocachePixel tick;

    place_on (axis, camera, voxels_along (axis, camera, ticks.at[i]), at);
    tick = project (camera, at);
    set_ink (cr, chart, AXIS_ALPHA);
    stroke_line (cr, tick, beside (axis, chart, tick, TICK));
    robocache_axis_tick_text (&ticks, i, text);
    show_text (cr, chart, beside (axis, chart, tick, TICK_TEXT + (axis->share < 1.0 ? 0.5 : 0.0)), axis->share, 0.0, text);
  }
  place_on (axis, camera, 0.5 * n, at);
  show_text (cr, chart, beside (axis, chart, project (camera, at), axis->title), 0.5, axis->turned, axis->name);
}

/* ---- behind the voxels ---- */

static void
draw_behind (cairo_t *cr, const GstRobocacheVoxelViewChart *chart, const RobocacheVoxelCamera *camera)
{
  set_colour (cr, chart->background, 1.0);
  cairo_paint (cr);
  if (!chart->axes)
    return;
  set_ink (cr, chart, GRID_ALPHA);
  for (guint i = 0; i < axes_of_view[camera->view].n; i++) {
    const Axis *axis = &axes_of_view[camera->view].axes[i];
    RobocacheAxisTicks ticks;

    find_ticks (axis, chart, camera, &ticks);
    for (guint k = 0; k < ticks.n; k++)
      draw_grid_lines (cr, axis, camera, voxels_along (axis, camera, ticks.at[k]));
    /* the far end closes the floor and the walls */
    draw_grid_lines (cr, axis, camera, (gdouble) camera->frame->grid[axis->axis]);
  }
}

/* ---- the legend ---- */

static gchar *
describe_values (const GstRobocacheVoxelViewLegend *legend)
{
  static const gchar *const modes[] = {
    [RC_VOXEL_OCCUPANCY] = "occupied", [RC_VOXEL_COUNT] = "points", [RC_VOXEL_MEAN] = "mean",
    [RC_VOXEL_CENTROID] = "centroid", [RC_VOXEL_MAX] = "max", [RC_VOXEL_MIN] = "min", [RC_VOXEL_FIRST] = "points"
  };
  const gchar *name = legend->mode < 0 ? "value" : modes[legend->mode];

  if (legend->colour_by == ROBOCACHE_COLOUR_BY_HEIGHT)
    return g_strdup ("height (m)");
  if (legend->mode == RC_VOXEL_CENTROID && legend->channel < 3)
    return g_strdup_printf ("mean %c (m)", "xyz"[legend->channel]);
  return legend->n_channels > 1 ? g_strdup_printf ("%s %u", name, legend->channel) : g_strdup (name);
}

static void
draw_bar (cairo_t *cr, const GstRobocacheVoxelViewChart *chart)
{
  const RobocachePixelBox *bar = &chart->bar;
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
  set_ink (cr, chart, AXIS_ALPHA);
  cairo_stroke (cr);
}

static void
draw_bar_ticks (cairo_t *cr, const GstRobocacheVoxelViewChart *chart, const gdouble range[2])
{
  const RobocachePixelBox *bar = &chart->bar;
  const gdouble right = bar->x + bar->width;
  RobocacheAxisTicks ticks;

  robocache_axis_ticks (&ticks, range[0], range[1], bar->height / (LABEL_HEIGHT * chart->em));
  for (guint i = 0; i < ticks.n; i++) {
    const gdouble y = bar->y + bar->height * (range[1] - ticks.at[i]) / (range[1] - range[0]);
    gchar text[ROBOCACHE_TICK_TEXT];

    set_ink (cr, chart, AXIS_ALPHA);
    stroke_line (cr, (RobocachePixel) {right, y}, (RobocachePixel) {right + TICK * chart->em, y});
    robocache_axis_tick_text (&ticks, i, text);
    show_text (cr, chart, (RobocachePixel) {right + TICK_TEXT * chart->em, y}, 0.0, 0.0, text);
  }
}

static void
draw_nan (cairo_t *cr, const GstRobocacheVoxelViewChart *chart)
{
  const RobocachePixelBox *bar = &chart->bar;
  const gdouble y = bar->y + bar->height + 0.6 * chart->em;

  cairo_rectangle (cr, bar->x, y, bar->width, bar->width);
  set_colour (cr, ROBOCACHE_COLOUR_NAN, 1.0);
  cairo_fill_preserve (cr);
  set_ink (cr, chart, AXIS_ALPHA);
  cairo_stroke (cr);
  show_text (cr, chart, (RobocachePixel) {bar->x + bar->width + TICK_TEXT * chart->em, y + 0.5 * bar->width}, 0.0, 0.0,
      "NaN");
}

static void
draw_legend (cairo_t *cr, const GstRobocacheVoxelViewChart *chart, const GstRobocacheVoxelViewLegend *legend)
{
  gchar *values = describe_values (legend);
  gchar *occupied = g_strdup_printf ("%" G_GUINT64_FORMAT " %s occupied", legend->n_occupied,
      legend->n_occupied == 1 ? "voxel" : "voxels");

  show_text (cr, chart, (RobocachePixel) {MARGIN * chart->em, MARGIN * chart->em}, 0.0, 0.0, occupied);
  show_text (cr, chart, (RobocachePixel) {chart->bar.x, chart->bar.y - MARGIN * chart->em}, 0.0, 0.0, values);
  draw_bar (cr, chart);
  draw_bar_ticks (cr, chart, legend->range);
  if (legend->nan)
    draw_nan (cr, chart);
  g_free (values);
  g_free (occupied);
}

/* ---- in front of the voxels ---- */

static void
draw_in_front (cairo_t *cr, const GstRobocacheVoxelViewChart *chart, const RobocacheVoxelCamera *camera,
    const GstRobocacheVoxelViewLegend *legend)
{
  if (chart->axes) {
    for (guint i = 0; i < axes_of_view[camera->view].n; i++)
      draw_axis (cr, &axes_of_view[camera->view].axes[i], chart, camera);
  }
  if (chart->legend)
    draw_legend (cr, chart, legend);
}

gboolean
gst_robocache_voxel_view_chart_draw (const GstRobocacheVoxelViewChart *chart, const RobocacheVoxelCamera *camera,
    const RobocacheVoxelPicture *picture, const GstRobocacheVoxelViewLegend *legend, GstVideoFrame *frame,
    GError **error)
{
  guint8 *pixels = GST_VIDEO_FRAME_PLANE_DATA (frame, 0);
  const gint stride = GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0);
  cairo_surface_t *surface = cairo_image_surface_create_for_data (pixels, CAIRO_FORMAT_ARGB32, picture->width,
      picture->height, stride);
  cairo_t *cr = cairo_create (surface);
  cairo_status_t status;

  cairo_set_line_width (cr, MAX (1.0, chart->em / 12.0));
  cairo_select_font_face (cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size (cr, chart->em);
  draw_behind (cr, chart, camera);
  status = cairo_status (cr);
  if (status == CAIRO_STATUS_SUCCESS) {
    cairo_surface_flush (surface);
    robocache_voxel_picture_paint (picture, camera, legend->range, pixels, stride);
    cairo_surface_mark_dirty (surface);
    draw_in_front (cr, chart, camera, legend);
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
