/* robocache: statistics of the rows and ticks of robocachefuse
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "statistics.h"

#include "kernels/interpolation.h"

void
fuse_statistics_add (FuseStatistics *sum, const FuseStatistics *statistics)
{
  robocache_row_counts_add (&sum->rows, &statistics->rows);
  sum->n_kept += statistics->n_kept;
  sum->ticks_aligned += statistics->ticks_aligned;
  sum->ticks_held += statistics->ticks_held;
  sum->ticks_missing += statistics->ticks_missing;
  sum->clock_jumps += statistics->clock_jumps;
  robocache_quaternion_check_add (&sum->quaternions, &statistics->quaternions);
  robocache_histogram_merge (&sum->age, &statistics->age);
  robocache_histogram_merge (&sum->lateness, &statistics->lateness);
}

GstStructure *
fuse_statistics_to_structure (const FuseStatistics *statistics, const gchar *name)
{
  GstStructure *structure = gst_structure_new_empty (name);

  robocache_row_counts_to_structure (&statistics->rows, statistics->n_kept, structure);
  gst_structure_set (structure, "ticks-aligned", G_TYPE_UINT64, statistics->ticks_aligned, "ticks-held", G_TYPE_UINT64,
      statistics->ticks_held, "ticks-missing", G_TYPE_UINT64, statistics->ticks_missing,
      "clock-jumps", G_TYPE_UINT64, statistics->clock_jumps, NULL);
  robocache_quaternion_check_to_structure (&statistics->quaternions, structure);
  robocache_histogram_to_structure (&statistics->age, structure, "age");
  robocache_histogram_to_structure (&statistics->lateness, structure, "lateness");
  return structure;
}

void
fuse_statistics_add_totals (const FuseStatistics *sum, GstStructure *structure)
{
  robocache_row_counts_to_structure (&sum->rows, sum->n_kept, structure);
  gst_structure_set (structure, "clock-jumps", G_TYPE_UINT64, sum->clock_jumps, NULL);
  robocache_quaternion_check_to_structure (&sum->quaternions, structure);
  robocache_histogram_to_structure (&sum->age, structure, "age");
  robocache_histogram_to_structure (&sum->lateness, structure, "row-lateness");
}

void
fuse_tick_statistics_add (FuseTickStatistics *statistics, gint64 lag, gint64 latency)
{
  robocache_histogram_add (&statistics->lag, lag);
  robocache_histogram_add (&statistics->lateness, rc_add_saturating (lag, -latency));
}

void
fuse_tick_statistics_to_structure (const FuseTickStatistics *statistics, GstStructure *structure)
{
  gst_structure_set (structure, "ticks-out", G_TYPE_UINT64, statistics->n_out, "ticks-dropped", G_TYPE_UINT64,
      statistics->n_dropped, NULL);
  robocache_histogram_to_structure (&statistics->lag, structure, "lag");
  robocache_histogram_to_structure (&statistics->lateness, structure, "lateness");
}
