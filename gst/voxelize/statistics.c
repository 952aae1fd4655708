/* robocache: robocachevoxelize, its statistics
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "statistics.h"

void
robocache_voxelize_statistics_reset (RobocacheVoxelizeStatistics *statistics)
{
  *statistics = (RobocacheVoxelizeStatistics) {.last_pts = GST_CLOCK_TIME_NONE,.readback = statistics->readback };
}

static void
add (RobocacheVoxelizeStatistics *s, const RcVoxelCounters *counters, GstClockTime pts)
{
  s->buffers++;
  s->last_pts = pts;
  s->total.points += counters->points;
  s->total.inside += counters->inside;
  s->total.outside += counters->outside;
  s->total.nan += counters->nan;
  s->total.infinite += counters->infinite;
  s->total.clamped += counters->clamped;
  s->total.occupied += counters->occupied;
  s->total.over_cap += counters->over_cap;
  s->total.over_points += counters->over_points;
  s->occupied_voxels = counters->occupied;
  s->buffers_over_cap += counters->over_cap > 0;
  if (counters->over_cap > 0) {
    s->occupied_over_cap = counters->occupied;
    s->share_over_cap = (gdouble) counters->over_cap / (gdouble) counters->occupied;
  }
}

gboolean
robocache_voxelize_statistics_count (RobocacheVoxelizeStatistics *statistics, GError **error)
{
  GError *failure = NULL;
  RcVoxelCounters counted;
  GstClockTime pts;

  while (robocache_readback_take (statistics->readback, (gint64 *) &counted, &pts, &failure))
    add (statistics, &counted, pts);
  if (failure == NULL)
    return TRUE;
  g_propagate_error (error, failure);
  return FALSE;
}

gboolean
robocache_voxelize_statistics_warn_over_cap (const RobocacheVoxelizeStatistics *s, GstElement *element, gint64 max_voxels)
{
  if (s->occupied_over_cap == 0)
    return FALSE;
  GST_ELEMENT_WARNING (element, RESOURCE, NO_SPACE_LEFT, ("%" G_GINT64_FORMAT " voxels are occupied, more than max-voxels=%"
      G_GINT64_FORMAT ": %.3g %% of them, those with the greatest z, are omitted and counted in stats; raise max-voxels",
          s->occupied_over_cap, max_voxels, 100.0 * s->share_over_cap), (NULL));
  return TRUE;
}

GstStructure *
robocache_voxelize_statistics_to_structure (const RobocacheVoxelizeStatistics *s)
{
  return gst_structure_new ("robocachevoxelize", "buffers", G_TYPE_UINT64, s->buffers,
      "last-pts", G_TYPE_UINT64, s->last_pts,
      "points", G_TYPE_INT64, s->total.points, "points-inside", G_TYPE_INT64, s->total.inside,
      "points-outside", G_TYPE_INT64, s->total.outside, "points-nan", G_TYPE_INT64, s->total.nan,
      "points-infinite", G_TYPE_INT64, s->total.infinite, "points-read", G_TYPE_INT64, s->points_read,
      "values-clamped", G_TYPE_INT64, s->total.clamped,
      "occupied-voxels", G_TYPE_INT64, s->occupied_voxels, "voxels-over-cap", G_TYPE_INT64, s->total.over_cap,
      "share-over-cap", G_TYPE_DOUBLE, s->total.occupied > 0 ? (gdouble) s->total.over_cap / (gdouble) s->total.occupied : 0.0,
      "buffers-over-cap", G_TYPE_UINT64, s->buffers_over_cap, "points-over-max", G_TYPE_INT64, s->total.over_points,
      NULL);
}
