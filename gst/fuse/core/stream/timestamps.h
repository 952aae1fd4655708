/* robocache: the running time of each row of a stream, from the timestamps that its settings select
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "origins.h"
#include "rows.h"
#include "timestampsettings.h"

typedef struct
{
  FuseTimestampSettings settings;       /* current settings */
  RobocacheClockTrack *track;   /* clock-mode=track: estimates the clock from arrivals; NULL before the first */
  gint64 base_time;             /* base time of the pipeline when the newest buffer arrived (ns) */
  FuseOrigins *origins;         /* shared by the streams of a core; not owned */
  FuseOrigin *origin;           /* a use of one of these origins; NULL: not measured */
  guint64 n_jumps;              /* number of jumps of previously tracked clocks */
} FuseTimestamps;

typedef enum
{
  FUSE_ROWS_TIMED,
  FUSE_ROWS_WITHOUT_TIME,
  FUSE_ROWS_WITHOUT_REFERENCE
} FuseRowsTiming;

void fuse_timestamps_init (FuseTimestamps * times);
/* Discards estimates and measurements; settings stay. */
void fuse_timestamps_reset (FuseTimestamps * times);
/* Discards a measured origin, so that it is measured again. */
void fuse_timestamps_forget_origin (FuseTimestamps * times);

/* Checks that rows of this format can have the times that the settings select: arrivals need a live source, row times need caps with
 * them. now: running time; ROBOCACHE_NO_TIME: unknown. FALSE: with a ROBOCACHE_ERROR_PROPERTY. */
gboolean fuse_timestamps_check (const FuseTimestamps * times, gboolean has_row_times, gboolean live, gint64 now, GError ** error);

/* Begins with rows that arrived at running time now. */
FuseRowsTiming fuse_timestamps_begin (FuseTimestamps * times, const FuseRows * rows, gint64 now);
/* Running time of row i, without the stream's offset. FALSE: the row is outside the segment, or before running time 0 and not before the
 * segment. */
gboolean fuse_timestamps_nth (const FuseTimestamps * times, const FuseRows * rows, guint64 i, gint64 * running_time);
/* Running time of an instant of the sensor's timeline, such as the end of a GAP. FALSE: unknown. */
gboolean fuse_timestamps_of_gap (const FuseTimestamps * times, gint64 * running_time);

/* Whether times are converted to the pipeline's clock, so that the sensor's clock may differ. */
gboolean fuse_timestamps_are_tracked (const FuseTimestamps * times);
/* The estimate of a tracked clock. */
RobocacheClockEstimate fuse_timestamps_estimate (const FuseTimestamps * times);
