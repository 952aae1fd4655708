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

void
fuse_tick_statistics_add (FuseTickStatistics *statistics, gint64 lag, gint64 latency)
{
  robocache_histogram_add (&statistics->lag, lag);
  robocache_histogram_add (&statistics->lateness, rc_add_saturating (lag, -latency));
}
