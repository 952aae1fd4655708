/* robocache: statistics of the rows and ticks of robocachefuse
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_STATISTICS_H
#define FUSE_STATISTICS_H

#include "common/rows/quaternioncheck.h"
#include "common/rows/rowcounts.h"

G_BEGIN_DECLS

/* Statistics of one stream, or the sum of several. A zeroed struct is a valid empty one. */
typedef struct
{
  RobocacheRowCounts rows;
  guint64 n_kept;               /* rows that wait for a tick */
  guint64 ticks_aligned, ticks_held, ticks_missing;
  guint64 clock_jumps;
  RobocacheQuaternionCheck quaternions;
  RobocacheHistogram age;       /* of the newest row at or before the tick, at the tick */
  RobocacheHistogram lateness;  /* of late rows: see RobocacheLosses */
} FuseStatistics;

void fuse_statistics_add (FuseStatistics * sum, const FuseStatistics * statistics);

/* Statistics of the ticks of an element. */
typedef struct
{
  guint64 n_out, n_dropped;
  RobocacheHistogram lag;       /* running time at which a sample left, less its tick */
  RobocacheHistogram lateness;  /* lag beyond the latency */
} FuseTickStatistics;

/* A sample leaves lag ns after its tick, of which latency ns were announced. */
void fuse_tick_statistics_add (FuseTickStatistics * statistics, gint64 lag, gint64 latency);

G_END_DECLS
#endif
