/* robocache: the running time of each row of a stream, from the timestamps that its settings select
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_TIMESTAMPS_H
#define FUSE_TIMESTAMPS_H

#include "origins.h"
#include "rows.h"
#include "timestampsettings.h"

G_BEGIN_DECLS

typedef struct
{
  FuseTimestampSettings settings;       /* those in force */
  RobocacheClockTrack *track;   /* clock-mode=track: of arrivals on the clock; NULL before the first */
  gint64 base_time;             /* of the pipeline when the newest buffer came (ns) */
  FuseOrigins *origins;         /* shared by the streams of a core; not owned */
  FuseOrigin *origin;           /* a use of one of them; NULL: not measured */
  guint64 n_jumps;              /* of clocks that were tracked before this one */
} FuseTimestamps;

typedef enum
{
  FUSE_ROWS_TIMED,
  FUSE_ROWS_WITHOUT_TIME,
  FUSE_ROWS_WITHOUT_REFERENCE
} FuseRowsTiming;

void fuse_timestamps_init (FuseTimestamps * times);
/* Forgets what was estimated and measured; settings stay. */
void fuse_timestamps_reset (FuseTimestamps * times);
/* A measured origin is measured anew. */
void fuse_timestamps_forget_origin (FuseTimestamps * times);

/* Whether rows of this format can have the times that the settings select: a live source where arrivals are needed, row times in
 * the caps. now: running time, ROBOCACHE_NO_TIME where it is unknown. FALSE and a ROBOCACHE_ERROR_PROPERTY. */
gboolean fuse_timestamps_check (const FuseTimestamps * times, gboolean has_row_times, gboolean live, gint64 now, GError ** error);

/* Starts on rows that arrived at the running time now. */
FuseRowsTiming fuse_timestamps_begin (FuseTimestamps * times, const FuseRows * rows, gint64 now);
/* Running time of row i, without the stream's offset. FALSE: outside the segment, or before running time 0. */
gboolean fuse_timestamps_nth (const FuseTimestamps * times, const FuseRows * rows, guint64 i, gint64 * running_time);
/* Running time of an instant of the sensor's timeline, such as the end of a GAP. FALSE where that is unknown. */
gboolean fuse_timestamps_of_gap (const FuseTimestamps * times, gint64 * running_time);

/* Whether times follow the pipeline's clock, whatever the sensor's clock does. */
gboolean fuse_timestamps_are_tracked (const FuseTimestamps * times);
/* The estimate of a tracked clock. */
RobocacheClockEstimate fuse_timestamps_estimate (const FuseTimestamps * times);

G_END_DECLS
#endif
