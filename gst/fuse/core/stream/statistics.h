/* robocache: statistics of the rows and ticks of robocachefuse
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/rows/checks.h"
#include "common/rows/rowcounts.h"

/* Statistics of one stream, or the sum over several streams. A zeroed struct is valid and empty. */
typedef struct
{
  RobocacheRowCounts rows;
  guint64 n_kept;               /* number of rows that wait for a tick */
  guint64 ticks_aligned, ticks_held, ticks_missing;
  guint64 clock_jumps;
  RobocacheQuaternionCheck quaternions;
  RobocacheHistogram age;       /* age at the tick of the copied row, or else of the newest row at or before the tick; 0: a later row was copied */
  RobocacheHistogram lateness;  /* lateness of late rows: see RobocacheLosses */
} FuseStatistics;

void fuse_statistics_add (FuseStatistics * sum, const FuseStatistics * statistics);

/* Statistics of the ticks of an element. */
typedef struct
{
  guint64 n_out, n_dropped;
  RobocacheHistogram lag;       /* running time at which a sample was sent, minus its tick */
  RobocacheHistogram lateness;  /* part of the lag that exceeds the latency */
} FuseTickStatistics;

/* Adds a sample that is sent lag ns after its tick; latency is the announced latency in ns. */
void fuse_tick_statistics_add (FuseTickStatistics * statistics, gint64 lag, gint64 latency);
