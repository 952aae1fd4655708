/* robocache: robocachevoxelize, a warning if all points are outside the grid
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "outsidewarning.h"

#include "common/device/devicememory.h"
#include "common/device/mapping.h"
#include "common/points/pointbounds.h"

/* A live sensor may see an empty grid for a while. */
#define MIN_POINTS 1000
#define MIN_POINTS_AT_END 10

void
robocache_outside_check_init (RobocacheOutsideCheck *check, const RcVoxelCounters *total)
{
  *check = (RobocacheOutsideCheck) {.inside = total->inside,.outside = total->outside };
}

gboolean
robocache_outside_check_is_due (RobocacheOutsideCheck *check, const RcVoxelCounters *total, gboolean at_end)
{
  const gboolean none_is_inside = total->inside == check->inside;
  const gboolean is_due = !check->is_over && none_is_inside
      && total->outside - check->outside >= (at_end ? MIN_POINTS_AT_END : MIN_POINTS);

  check->is_over |= is_due || !none_is_inside;
  return is_due;
}

static gboolean
find_bounds (RobocachePointBounds *bounds, const RobocachePointsInfo *points, GstBuffer *cloud)
{
  gboolean found;
  GstMapInfo map;

  if (points->kind == ROBOCACHE_POINTS_DEPTH || gst_buffer_n_memory (cloud) == 0
      || robocache_is_gpu_memory (gst_buffer_peek_memory (cloud, 0)) || !robocache_map_buffer (cloud, &map, GST_MAP_READ, NULL))
    return FALSE;
  found = robocache_point_bounds_find (bounds, &points->layout, map.data, map.size / robocache_points_info_point_size (points));
  gst_buffer_unmap (cloud, &map);
  return found;
}

static void
append_box (GString *text, const gdouble *min, const gdouble *max)
{
  for (guint axis = 0; axis < 3; axis++)
    g_string_append_printf (text, "%s %c %.4g to %.4g", axis > 0 ? "," : "", "xyz"[axis], min[axis], max[axis]);
}

void
robocache_outside_check_warn (const RobocacheOutsideCheck *check, GstElement *element, const RcVoxelCounters *total,
    const RcVoxelSpec *spec, const RobocachePointsInfo *points, GstBuffer *cloud)
{
  GString *text = g_string_new (NULL);
  RobocachePointBounds bounds;
  gdouble end[3];

  for (guint axis = 0; axis < 3; axis++)
    end[axis] = spec->origin[axis] + (gdouble) spec->grid[axis] * spec->voxel_size[axis];
  g_string_append_printf (text, "all %" G_GINT64_FORMAT " points are outside the grid, which has", total->outside - check->outside);
  append_box (text, spec->origin, end);
  if (cloud && find_bounds (&bounds, points, cloud))
    append_box (g_string_append (text, " m, while the points have"), bounds.min, bounds.max);
  g_string_append (text, " m: set origin, voxel-size and grid");
  GST_ELEMENT_WARNING (element, STREAM, FAILED, ("%s", text->str), (NULL));
  g_string_free (text, TRUE);
}
