/* robocache: the voxels that a camera sees, pixel by pixel
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "voxelpicture.h"

#include <math.h>
#include <string.h>


#define EMPTY G_MININT32
#define SIDE_BITS 2             /* of a rank */
#define SIDE_MASK ((1 << SIDE_BITS) - 1)
#define ROUNDING 1e-6           /* pixels: sides that touch leave no pixel between them */
#define FAR 1e6                 /* pixels: further than any picture reaches */
#define OUTLINED_EDGE 7.0       /* pixels: voxels that are larger have outlines */
#define OUTLINE 0.55            /* times the light of the side */

/* ---- one side ---- */

/* Between two parallel edges, at dy below the corner: slope * dy + low <= dx <= slope * dy + high. */
typedef struct
{
  gdouble slope, low, high;
} Strip;

typedef struct
{
  const RobocacheVoxelSide *side;
  gint32 index;
  gdouble top, bottom;          /* of its corner's y */
  Strip strips[2];
  RobocachePixel middle;
} Stencil;

typedef struct
{
  RobocacheVoxelPicture *picture;
  const RobocacheVoxelCamera *camera;
  RobocacheColourBy colour_by;
  Stencil stencils[3];
} Drawing;

/* Of the points whose share of edge u is 0 to 1, where det is that of u and v. Edges that go sideways bound rows only. */
static Strip
strip_along (RobocachePixel v, gdouble det)
{
  gdouble across;

  if (v.y == 0.0)
    return (Strip) {0.0, -FAR, FAR};
  across = det / v.y;
  return (Strip) {v.x / v.y, MIN (across, 0.0), MAX (across, 0.0)};
}

static Stencil
make_stencil (const RobocacheVoxelSide *side, gint32 index)
{
  const RobocachePixel u = side->u, v = side->v;
  const gdouble det = u.x * v.y - u.y * v.x;

  return (Stencil) {
    side, index, MIN (u.y, 0.0) + MIN (v.y, 0.0), MAX (u.y, 0.0) + MAX (v.y, 0.0),
    {strip_along (v, det), strip_along (u, -det)},
    {side->corner.x + 0.5 * (u.x + v.x), side->corner.y + 0.5 * (u.y + v.y)}
  };
}

/* floor and ceil of what fits an int, without a call. */
static inline gint
floor_int (gdouble x)
{
  const gint truncated = (gint) x;

  return truncated - (x < truncated);
}

static inline gint
ceil_int (gdouble x)
{
  const gint truncated = (gint) x;

  return truncated + (x > truncated);
}

static inline void
put (RobocacheVoxelFragment *fragment, gint32 rank, gfloat value)
{
  if (rank >= fragment->rank)
    *fragment = (RobocacheVoxelFragment) {rank, value};
}

/* The pixels whose middle is in the side of a voxel at that corner. Returns whether there are any. */
static gboolean
fill (const Drawing *drawing, const Stencil *stencil, RobocachePixel at, gint32 rank, gfloat value)
{
  const RobocacheVoxelPicture *picture = drawing->picture;
  const gdouble x = at.x + stencil->side->corner.x - 0.5, y = at.y + stencil->side->corner.y - 0.5;
  const gint top = MAX (ceil_int (y + stencil->top - ROUNDING), 0);
  const gint bottom = MIN (floor_int (y + stencil->bottom + ROUNDING), picture->height - 1);
  const Strip *a = &stencil->strips[0], *b = &stencil->strips[1];
  gboolean any = FALSE;

  for (gint row = top; row <= bottom; row++) {
    const gdouble dy = row - y;
    const gdouble low = MAX (a->slope * dy + a->low, b->slope * dy + b->low);
    const gdouble high = MIN (a->slope * dy + a->high, b->slope * dy + b->high);
    const gint left = MAX (ceil_int (x + low - ROUNDING), 0);
    const gint right = MIN (floor_int (x + high + ROUNDING), picture->width - 1);
    RobocacheVoxelFragment *fragment = picture->fragments + (gsize) row * (gsize) picture->width + left;

    for (gint column = left; column <= right; column++)
      put (fragment++, rank, value);
    any |= left <= right;
  }
  return any;
}

/* ---- voxels ---- */

/* A voxel that falls between the middles of pixels is one pixel. */
static void
fill_one (const Drawing *drawing, RobocachePixel middle, gint32 rank, gfloat value)
{
  const RobocacheVoxelPicture *picture = drawing->picture;
  const gint column = CLAMP (floor_int (middle.x), 0, picture->width - 1);
  const gint row = CLAMP (floor_int (middle.y), 0, picture->height - 1);

  put (picture->fragments + (gsize) row * (gsize) picture->width + column, rank, value);
}

static gfloat
height_of (const RobocacheVoxelFrame *frame, gint32 z)
{
  return (gfloat) (frame->origin[2] + (z + 0.5) * frame->voxel_size[2]);
}

static void
draw_voxel (gpointer data, const gint32 at[3], guint open, gfloat value)
{
  const Drawing *drawing = data;
  const RobocacheVoxelCamera *camera = drawing->camera;
  const RobocachePixel corner = robocache_voxel_camera_project (camera, at[0], at[1], at[2]);
  const gint32 nearness = camera->toward[0] * at[0] + camera->toward[1] * at[1] + camera->toward[2] * at[2];
  const gint32 rank = nearness * (1 << SIDE_BITS);
  const Stencil *first = NULL;
  gboolean any = FALSE;

  if (drawing->colour_by == ROBOCACHE_COLOUR_BY_HEIGHT)
    value = height_of (camera->frame, at[2]);
  for (guint i = 0; i < camera->n_sides; i++) {
    const Stencil *stencil = &drawing->stencils[i];

    if (!(open & stencil->side->side))
      continue;
    any |= fill (drawing, stencil, corner, rank + stencil->index, value);
    first = first ? first : stencil;
  }
  if (!any)
    fill_one (drawing, (RobocachePixel) {corner.x + first->middle.x, corner.y + first->middle.y}, rank + first->index,
        value);
}

/* ---- pictures ---- */

void
robocache_voxel_picture_clear (RobocacheVoxelPicture *picture)
{
  g_clear_pointer (&picture->fragments, g_free);
  picture->capacity = 0;
}

gboolean
robocache_voxel_picture_begin (RobocacheVoxelPicture *picture, gint width, gint height, GError **error)
{
  const gsize n = (gsize) width * (gsize) height;

  picture->width = width;
  picture->height = height;
  if (n > picture->capacity) {
    robocache_voxel_picture_clear (picture);
    picture->fragments = g_try_new (RobocacheVoxelFragment, n);
    if (picture->fragments == NULL) {
      g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "no memory for the %" G_GSIZE_FORMAT " bytes "
          "of a picture of %dx%d: set smaller width and height downstream", n * sizeof (RobocacheVoxelFragment), width, height);
      return FALSE;
    }
    picture->capacity = n;
  }
  for (gsize i = 0; i < n; i++)
    picture->fragments[i] = (RobocacheVoxelFragment) {EMPTY, 0.0f};
  return TRUE;
}

void
robocache_voxel_picture_draw (RobocacheVoxelPicture *picture, const RobocacheVoxelCamera *camera,
    const RobocacheOccupiedVoxels *voxels, RobocacheColourBy colour_by)
{
  Drawing drawing = { picture, camera, colour_by };

  for (guint i = 0; i < camera->n_sides; i++)
    drawing.stencils[i] = make_stencil (&camera->sides[i], (gint32) i);
  robocache_occupied_voxels_visit (voxels, camera->side_mask, draw_voxel, &drawing);
}

RobocacheVoxelSight
robocache_voxel_picture_look (const RobocacheVoxelPicture *picture)
{
  const gsize n = (gsize) picture->width * (gsize) picture->height;
  RobocacheVoxelSight sight = { FALSE, FALSE, {INFINITY, -INFINITY} };

  for (gsize i = 0; i < n; i++) {
    const RobocacheVoxelFragment *fragment = &picture->fragments[i];

    if (fragment->rank == EMPTY)
      continue;
    sight.nan |= isnan (fragment->value);
    if (isfinite (fragment->value)) {
      sight.any = TRUE;
      sight.range[0] = MIN (sight.range[0], fragment->value);
      sight.range[1] = MAX (sight.range[1], fragment->value);
    }
  }
  return sight;
}

/* ---- colours ---- */

/* The colours of a side: those of the map, and that of NaN. */
typedef guint32 Palette[ROBOCACHE_COLOUR_STEPS + 1];

static void
make_palette (Palette palette, gdouble light)
{
  for (guint i = 0; i < ROBOCACHE_COLOUR_STEPS; i++)
    palette[i] = 0xff000000u | robocache_colour_shade (robocache_colour_map ()[i], light);
  palette[ROBOCACHE_COLOUR_STEPS] = 0xff000000u | robocache_colour_shade (ROBOCACHE_COLOUR_NAN, light);
}

static gboolean
has_outlines (const RobocacheVoxelCamera *camera)
{
  gdouble least = INFINITY;

  for (guint i = 0; i < camera->n_sides; i++)
    least = MIN (least, MIN (hypot (camera->sides[i].u.x, camera->sides[i].u.y),
            hypot (camera->sides[i].v.x, camera->sides[i].v.y)));
  return least >= OUTLINED_EDGE;
}

static guint
palette_index (gfloat value, const gdouble range[2])
{
  return isnan (value) ? ROBOCACHE_COLOUR_STEPS : robocache_colour_step (value, range);
}

void
robocache_voxel_picture_paint (const RobocacheVoxelPicture *picture, const RobocacheVoxelCamera *camera,
    const gdouble range[2], guint8 *pixels, gint stride)
{
  const gboolean outlined = has_outlines (camera);
  Palette palettes[2][3];

  for (guint i = 0; i < camera->n_sides; i++) {
    make_palette (palettes[FALSE][i], camera->sides[i].light);
    make_palette (palettes[TRUE][i], camera->sides[i].light * OUTLINE);
  }
  for (gint row = 0; row < picture->height; row++) {
    const RobocacheVoxelFragment *line = picture->fragments + (gsize) row * (gsize) picture->width;
    guint32 *out = (guint32 *) (gpointer) (pixels + (gssize) row * stride);

    for (gint column = 0; column < picture->width; column++) {
      const gint32 rank = line[column].rank;
      const gboolean edge = outlined && ((column > 0 && line[column - 1].rank != rank)
          || (row > 0 && line[column - picture->width].rank != rank));

      if (rank != EMPTY)
        out[column] = palettes[edge][rank & SIDE_MASK][palette_index (line[column].value, range)];
    }
  }
}
