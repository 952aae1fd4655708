/* robocache: robocachevoxelview, axes in metres along the edges of the grid
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "axes.h"

#include <math.h>

#include "draw.h"

/* Sizes are in em, the size of text. */
#define TICK 0.3
#define TICK_TEXT 0.55          /* from the axis to its numbers */
#define TITLE_GAP 0.35          /* from numbers to the title */
#define NUMBER_GAP 1.0          /* between numbers side by side */
#define LABEL_WIDTH 4.5         /* of numbers side by side */
#define LABEL_HEIGHT 2.6        /* one above the other */
#define HEIGHT_SPACING 1.6      /* of z, which is often short */

/* An axis along an edge of the grid, in voxels. */
typedef struct
{
  const gchar *name;
  guint axis;                   /* 0 x, 1 y, 2 z */
  gint at[3];                   /* of the edge's other coordinates: 0 least, 1 greatest */
  RobocachePixel outward;       /* from the edge to its numbers: 1 long */
  gdouble share;                /* of a number that is left of its place */
  gdouble spacing;              /* em from number to number */
  gdouble turned;               /* radians: the title */
  guint lines[2];               /* grid lines from a tick go along these axes */
  guint n_lines;
} Axis;

static const Axis top_axes[] = {
  {"x (m)", 0, {0, 0, 0}, {0.0, 1.0}, 0.5, LABEL_WIDTH, 0.0, {1}, 1},
  {"y (m)", 1, {0, 0, 0}, {-1.0, 0.0}, 1.0, LABEL_HEIGHT, G_PI_2, {0}, 1},
};

/* Lines are on the floor and on the two walls behind. Numbers go away from the front corner, where x and y meet. */
static const Axis isometric_axes[] = {
  {"x (m)", 0, {0, 0, 0}, {-0.5, 0.866}, 1.0, LABEL_WIDTH, -G_PI / 6, {1, 2}, 2},
  {"y (m)", 1, {1, 0, 0}, {0.5, 0.866}, 0.0, LABEL_WIDTH, G_PI / 6, {0, 2}, 2},
  {"z (m)", 2, {0, 0, 0}, {-1.0, 0.0}, 1.0, HEIGHT_SPACING, G_PI_2, {1, 0}, 2},
};

static const struct
{
  const Axis *axes;
  guint n;
} axes_of_view[] = {
  [ROBOCACHE_VIEW_TOP] = {top_axes, G_N_ELEMENTS (top_axes)},
  [ROBOCACHE_VIEW_ISOMETRIC] = {isometric_axes, G_N_ELEMENTS (isometric_axes)},
};

/* ---- places ---- */

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

static RobocachePixel
project_on (const Axis *axis, const RobocacheVoxelCamera *camera, gdouble along)
{
  gdouble at[3];

  place_on (axis, camera, along, at);
  return project (camera, at);
}

static gdouble
voxels_along (const Axis *axis, const RobocacheVoxelCamera *camera, gdouble metres)
{
  return (metres - camera->frame->origin[axis->axis]) / camera->frame->voxel_size[axis->axis];
}

static RobocachePixel
beside (const Axis *axis, RobocachePixel at, gdouble pixels)
{
  return (RobocachePixel) {at.x + axis->outward.x * pixels, at.y + axis->outward.y * pixels};
}

/* ---- texts ---- */

typedef void (*VisitText) (gpointer data, RobocachePixel at, gdouble share, gdouble turned, const gchar *text);

/* Numbers and the title of an axis. */
static void
visit_texts_of (const RobocacheAxes *axes, const Axis *axis, const RobocacheVoxelCamera *camera,
    VisitText visit, gpointer data)
{
  const RobocacheAxisTicks *ticks = &axes->ticks[axis->axis];
  const gdouble half_height = 0.5 * axes->em * fabs (axis->outward.y);
  const gdouble beyond = axis->outward.x < 0.0 ? axis->share : 1.0 - axis->share;
  const gdouble numbers = TICK_TEXT * axes->em + half_height;
  const gdouble end = numbers + half_height + beyond * axes->widest[axis->axis] * fabs (axis->outward.x);

  for (guint i = 0; i < ticks->n; i++) {
    const RobocachePixel tick = project_on (axis, camera, voxels_along (axis, camera, ticks->at[i]));
    gchar text[ROBOCACHE_TICK_TEXT];

    robocache_axis_tick_text (ticks, i, text);
    visit (data, beside (axis, tick, numbers), axis->share, 0.0, text);
  }
  visit (data, beside (axis, project_on (axis, camera, 0.5 * (gdouble) camera->frame->grid[axis->axis]),
          end + (TITLE_GAP + 0.5) * axes->em), 0.5, axis->turned, axes->titles[axis->axis]);
}

static void
visit_texts (const RobocacheAxes *axes, const RobocacheVoxelCamera *camera, VisitText visit, gpointer data)
{
  for (guint i = 0; i < axes_of_view[camera->view].n; i++)
    visit_texts_of (axes, &axes_of_view[camera->view].axes[i], camera, visit, data);
}

/* ---- bounds ---- */

typedef struct
{
  cairo_t *cr;
  gdouble em;
  RobocachePixel least, greatest;
} Bounds;

static void
include (Bounds *bounds, RobocachePixel at)
{
  bounds->least = (RobocachePixel) {MIN (bounds->least.x, at.x), MIN (bounds->least.y, at.y)};
  bounds->greatest = (RobocachePixel) {MAX (bounds->greatest.x, at.x), MAX (bounds->greatest.y, at.y)};
}

static void
include_text (gpointer data, RobocachePixel at, gdouble share, gdouble turned, const gchar *text)
{
  Bounds *bounds = data;
  const gdouble width = robocache_draw_text_width (bounds->cr, text);

  for (guint corner = 0; corner < 4; corner++) {
    const gdouble x = width * ((corner & 1) - share), y = bounds->em * ((corner >> 1) - 0.5);

    include (bounds, (RobocachePixel) {at.x + x * cos (turned) + y * sin (turned),
          at.y - x * sin (turned) + y * cos (turned)});
  }
}

static Bounds
bounds_of_grid (const RobocacheVoxelCamera *camera)
{
  const gint64 *n = camera->frame->grid;
  Bounds bounds = {.least = {G_MAXDOUBLE, G_MAXDOUBLE}, .greatest = {-G_MAXDOUBLE, -G_MAXDOUBLE} };

  for (guint corner = 0; corner < 8; corner++)
    include (&bounds, robocache_voxel_camera_project (camera, corner & 1 ? (gdouble) n[0] : 0.0,
            corner & 2 ? (gdouble) n[1] : 0.0, corner & 4 ? (gdouble) n[2] : 0.0));
  return bounds;
}

static RobocacheMargins
find_margins (const RobocacheAxes *axes, cairo_t *cr, const RobocacheVoxelCamera *camera)
{
  const Bounds grid = bounds_of_grid (camera);
  Bounds all = grid;

  all.cr = cr;
  all.em = axes->em;
  visit_texts (axes, camera, include_text, &all);
  return (RobocacheMargins) {
    grid.least.x - all.least.x, grid.least.y - all.least.y, all.greatest.x - grid.greatest.x, all.greatest.y - grid.greatest.y
  };
}

/* ---- ticks ---- */

static gdouble
find_widest (const RobocacheAxisTicks *ticks, cairo_t *cr)
{
  gdouble widest = 0.0;

  for (guint i = 0; i < ticks->n; i++) {
    gchar text[ROBOCACHE_TICK_TEXT];

    robocache_axis_tick_text (ticks, i, text);
    widest = MAX (widest, robocache_draw_text_width (cr, text));
  }
  return widest;
}

static void
find_ticks (RobocacheAxes *axes, const Axis *axis, cairo_t *cr, const RobocacheVoxelCamera *camera,
    gdouble spacing)
{
  const RobocacheVoxelFrame *frame = camera->frame;
  const gdouble metres = (gdouble) frame->grid[axis->axis] * frame->voxel_size[axis->axis];
  RobocacheAxisTicks *ticks = &axes->ticks[axis->axis];

  robocache_axis_ticks (ticks, frame->origin[axis->axis], frame->origin[axis->axis] + metres,
      metres * camera->scale / spacing, 0.0);
  axes->widest[axis->axis] = find_widest (ticks, cr);
}

static void
init_axis (RobocacheAxes *axes, const Axis *axis, cairo_t *cr, const RobocacheVoxelCamera *camera)
{
  gchar factor[ROBOCACHE_TICK_TEXT], offset[ROBOCACHE_TICK_TEXT];
  gdouble needed;

  find_ticks (axes, axis, cr, camera, axis->spacing * axes->em);
  needed = fabs (axis->outward.y) * (axes->widest[axis->axis] + NUMBER_GAP * axes->em);
  /* a wider step has no wider numbers */
  if (needed > axis->spacing * axes->em)
    find_ticks (axes, axis, cr, camera, needed);
  robocache_axis_factor_text (&axes->ticks[axis->axis], factor);
  robocache_axis_offset_text (&axes->ticks[axis->axis], offset);
  g_snprintf (axes->titles[axis->axis], sizeof (axes->titles[axis->axis]), "%s%s%s%s%s", axis->name, factor[0] ? " " : "",
      factor, offset[0] ? " " : "", offset);
}

RobocacheMargins
robocache_axes_init (RobocacheAxes *axes, cairo_t *cr, gdouble em,
    const RobocacheVoxelCamera *camera)
{
  axes->em = em;
  for (guint i = 0; i < axes_of_view[camera->view].n; i++)
    init_axis (axes, &axes_of_view[camera->view].axes[i], cr, camera);
  return find_margins (axes, cr, camera);
}

/* ---- draw ---- */

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
    robocache_draw_line (cr, project (camera, from), project (camera, to));
    for (guint k = 0; k < 3; k++)
      from[k] = to[k];
  }
}

void
robocache_axes_draw_grid (const RobocacheAxes *axes, cairo_t *cr,
    const RobocacheVoxelCamera *camera)
{
  for (guint i = 0; i < axes_of_view[camera->view].n; i++) {
    const Axis *axis = &axes_of_view[camera->view].axes[i];
    const RobocacheAxisTicks *ticks = &axes->ticks[axis->axis];

    for (guint k = 0; k < ticks->n; k++)
      draw_grid_lines (cr, axis, camera, voxels_along (axis, camera, ticks->at[k]));
    /* the far end closes the floor and the walls */
    draw_grid_lines (cr, axis, camera, (gdouble) camera->frame->grid[axis->axis]);
  }
}

void
robocache_axes_draw_lines (const RobocacheAxes *axes, cairo_t *cr,
    const RobocacheVoxelCamera *camera)
{
  for (guint i = 0; i < axes_of_view[camera->view].n; i++) {
    const Axis *axis = &axes_of_view[camera->view].axes[i];
    const RobocacheAxisTicks *ticks = &axes->ticks[axis->axis];

    robocache_draw_line (cr, project_on (axis, camera, 0.0),
        project_on (axis, camera, (gdouble) camera->frame->grid[axis->axis]));
    for (guint k = 0; k < ticks->n; k++) {
      const RobocachePixel tick = project_on (axis, camera, voxels_along (axis, camera, ticks->at[k]));

      robocache_draw_line (cr, tick, beside (axis, tick, TICK * axes->em));
    }
  }
}

static void
draw_text (gpointer data, RobocachePixel at, gdouble share, gdouble turned, const gchar *text)
{
  robocache_draw_text (data, at, share, turned, text);
}

void
robocache_axes_draw_texts (const RobocacheAxes *axes, cairo_t *cr,
    const RobocacheVoxelCamera *camera)
{
  visit_texts (axes, camera, draw_text, cr);
}
