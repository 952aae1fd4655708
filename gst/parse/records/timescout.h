/* robocache: reads the first rows of a file before any of them is sent
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_TIMESCOUT_H
#define ROBOCACHE_TIMESCOUT_H

#include "emptycells.h"
#include "recordreader.h"
#include "gst/parse/table/timecheck.h"

G_BEGIN_DECLS

/* A separate reader, which gets the bytes before the main reader. */
typedef struct _RobocacheTimeScout RobocacheTimeScout;

/* NULL when the spec makes no sense: its other reader has the error. judges_times: it waits for as many rows as are judged, and not only
 * for a value of each channel. */
RobocacheTimeScout *robocache_time_scout_new (const RobocacheRecordSpec * spec, gboolean judges_times);
void robocache_time_scout_free (RobocacheTimeScout * scout);

/* Reads the rows that a buffer completes; the caller keeps the buffer. TRUE: the rows are enough for the check, or no rows will follow. */
gboolean robocache_time_scout_push (RobocacheTimeScout * scout, GstBuffer * buffer);
/* All bytes were pushed: what has no value now has none in the whole file. */
void robocache_time_scout_end (RobocacheTimeScout * scout);

/* Whether it judges times; the channels that have had values. */
gboolean robocache_time_scout_judges_times (const RobocacheTimeScout * scout);
const RobocacheEmptyCells *robocache_time_scout_cells (const RobocacheTimeScout * scout);
gboolean robocache_time_scout_has_ended (const RobocacheTimeScout * scout);

/* As robocache_times_judge, of the rows so far. */
RobocacheTimeVerdict robocache_time_scout_judge (const RobocacheTimeScout * scout, gchar ** fault);

G_END_DECLS
#endif
