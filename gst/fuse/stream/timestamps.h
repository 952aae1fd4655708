/* robocache: the running time of each row of a stream, from the timestamps that its settings select
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_TIMESTAMPS_H
#define FUSE_TIMESTAMPS_H

#include "common/time/clocktrack.h"
#include "common/time/rowtimes.h"
#include "origins.h"
#include "timestampsettings.h"

G_BEGIN_DECLS

typedef struct
{
  FuseTimestampSettings settings;       /* those in force */
  RobocacheRowTimes clock;      /* segment, and where a buffer without PTS continues */
  RobocacheClockTrack *track;   /* clock-mode=track: of arrivals on the clock; NULL before the first */
  gint64 base_time;             /* of the element when the newest buffer came (ns) */
  FuseOrigins *origins;         /* shared by the streams of an element; not owned */
  FuseOrigin *origin;           /* a use of one of them; NULL: not measured */
  guint64 n_jumps;              /* of clocks that were tracked before this one */
} FuseTimestamps;

/* Sources of the times of a buffer's rows. */
typedef struct
{
  RobocacheBufferTimes rows;
  gboolean by_reference;        /* rows.pts is the reference time, and counted from origin */
  gint64 origin;
} FuseBufferTimes;

typedef enum
{
  FUSE_BUFFER_TIMED,
  FUSE_BUFFER_WITHOUT_TIME,
  FUSE_BUFFER_WITHOUT_REFERENCE
} FuseBufferTiming;

void fuse_timestamps_init (FuseTimestamps * times);
/* Forgets what was estimated and measured; settings stay. */
void fuse_timestamps_reset (FuseTimestamps * times);
/* A measured origin is measured anew. */
void fuse_timestamps_forget_origin (FuseTimestamps * times);
void fuse_timestamps_clear (FuseTimestamps * times);

/* Whether rows of this layout can have the times that the settings select: a live source where arrivals are needed, row
 * times in the caps. now: running time, GST_CLOCK_TIME_NONE where it is unknown. FALSE and a ROBOCACHE_ERROR_PROPERTY. */
gboolean fuse_timestamps_check (const FuseTimestamps * times, const RobocacheRowLayout * rows, gboolean live, GstClockTime now,
    GError ** error);

/* Starts on a buffer of n_rows rows that arrived at the running time now. row_times: [n_rows], or NULL. */
FuseBufferTiming fuse_timestamps_begin (FuseTimestamps * times, GstBuffer * buffer, guint64 n_rows, const gint64 * row_times,
    GstClockTime now, FuseBufferTimes * of_buffer);
/* Running time of row i, without the stream's offset. FALSE: outside the segment, or before running time 0. */
gboolean fuse_timestamps_nth (const FuseTimestamps * times, const FuseBufferTimes * of_buffer, guint64 i,
    gint64 * running_time);
/* Running time of an instant of the sensor's timeline, such as the end of a GAP. FALSE where that is unknown. */
gboolean fuse_timestamps_of_gap (const FuseTimestamps * times, gint64 * running_time);

/* Whether times follow the pipeline's clock, whatever the sensor's clock does. */
gboolean fuse_timestamps_are_tracked (const FuseTimestamps * times);
/* Number of jumps of a tracked clock. */
guint64 fuse_timestamps_jumps (const FuseTimestamps * times);
/* Adds what is known of the sensor's clock to statistics. */
void fuse_timestamps_to_structure (const FuseTimestamps * times, GstStructure * stats);

G_END_DECLS
#endif
