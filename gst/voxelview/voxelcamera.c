/* robocache: the places of a grid's voxels in a picture
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "voxelcamera.h"

#include <math.h>
#include <string.h>

#include "gst/voxelview/grid/occupiedvoxels.h"

/* Pixels: a voxel that is thinner is drawn as if it were so thick, about its middle. */
#define MIN_EDGE 1.0

/* What a metre along x, y, z moves, in units of the picture's scale. */
static const struct
{
  RobocachePixel metre[3];
  gint toward[3];
} views[] = {
  [ROBOCACHE_VIEW_TOP] = {{{1.0, 0.0}, {0.0, -1.0}, {0.0, 0.0}}, {0, 0, 1}},
  /* cosine and sine of 30 degrees */
  [ROBOCACHE_VIEW_ISOMETRIC] = {{{0.86602540378443865, 0.5}, {0.86602540378443865, -0.5}, {0.0, -1.0}}, {1, -1, 1}},
};

/* The axes of a side's edges, and where its corner is in voxels. */
static const struct
{
  guint side;
  guint u, v;
  gint corner[3];
  gdouble light;
} sides[] = {
  {ROBOCACHE_VOXEL_TOP, 0, 1, {0, 0, 1}, 1.0},
  {ROBOCACHE_VOXEL_FRONT, 0, 2, {0, 0, 0}, 0.68},
  {ROBOCACHE_VOXEL_RIGHT, 1, 2, {1, 0, 0}, 0.45},
};

static RobocachePixel
combine (const RobocachePixel axes[3], gdouble x, gdouble y, gdouble z)
{
  return (RobocachePixel) {
    x * axes[0].x + y * axes[1].x + z * axes[2].x, x * axes[0].y + y * axes[1].y + z * axes[2].y
  };
}

/* The least x and y of a box of edges from (0, 0), and its size. */
static RobocachePixelBox
bound (const RobocachePixel edges[3])
{
  RobocachePixelBox box = { 0.0, 0.0, 0.0, 0.0 };

  for (guint axis = 0; axis < 3; axis++) {
    box.x += MIN (edges[axis].x, 0.0);
    box.y += MIN (edges[axis].y, 0.0);
    box.width += fabs (edges[axis].x);
    box.height += fabs (edges[axis].y);
  }
  return box;
}

static RobocachePixel
thicken (RobocachePixel edge)
{
  const gdouble length = hypot (edge.x, edge.y);
  const gdouble factor = length < MIN_EDGE && length > 0.0 ? MIN_EDGE / length : 1.0;

  return (RobocachePixel) {edge.x * factor, edge.y * factor};
}

static void
find_sides (RobocacheVoxelCamera *camera)
{
  RobocachePixel edges[3], shift = { 0.0, 0.0 };

  for (guint axis = 0; axis < 3; axis++) {
    edges[axis] = thicken (camera->voxel[axis]);
    shift.x += 0.5 * (camera->voxel[axis].x - edges[axis].x);
    shift.y += 0.5 * (camera->voxel[axis].y - edges[axis].y);
  }
  camera->n_sides = camera->view == ROBOCACHE_VIEW_TOP ? 1 : 3;
  camera->side_mask = 0;
  for (guint i = 0; i < camera->n_sides; i++) {
    const RobocachePixel corner = combine (edges, sides[i].corner[0], sides[i].corner[1], sides[i].corner[2]);

    camera->sides[i] = (RobocacheVoxelSide) {
      sides[i].side, {corner.x + shift.x, corner.y + shift.y}, edges[sides[i].u], edges[sides[i].v], sides[i].light
    };
    camera->side_mask |= sides[i].side;
  }
}

void
robocache_voxel_camera_init (RobocacheVoxelCamera *camera, RobocacheView view, const RobocacheVoxelFrame *frame,
    const RobocachePixelBox *box)
{
  RobocachePixel edges[3];
  RobocachePixelBox extent;

  camera->view = view;
  camera->frame = frame;
  memcpy (camera->toward, views[view].toward, sizeof (camera->toward));
  for (guint axis = 0; axis < 3; axis++) {
    const gdouble metres = (gdouble) frame->grid[axis] * frame->voxel_size[axis];

    edges[axis] = (RobocachePixel) {views[view].metre[axis].x * metres, views[view].metre[axis].y * metres};
  }
  extent = bound (edges);
  camera->scale = MIN (box->width / extent.width, box->height / extent.height);
  camera->origin.x = box->x + 0.5 * (box->width - extent.width * camera->scale) - extent.x * camera->scale;
  camera->origin.y = box->y + 0.5 * (box->height - extent.height * camera->scale) - extent.y * camera->scale;
  for (guint axis = 0; axis < 3; axis++) {
    const gdouble pixels = camera->scale * frame->voxel_size[axis];

    camera->voxel[axis] = (RobocachePixel) {views[view].metre[axis].x * pixels, views[view].metre[axis].y * pixels};
  }
  find_sides (camera);
}

RobocachePixel
robocache_voxel_camera_project (const RobocacheVoxelCamera *camera, gdouble x, gdouble y, gdouble z)
{
  const RobocachePixel moved = combine (camera->voxel, x, y, z);

  return (RobocachePixel) {camera->origin.x + moved.x, camera->origin.y + moved.y};
}
