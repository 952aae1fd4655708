/* robocache: the first rows of a file, read before any of them is sent
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_TIMESCOUT_H
#define ROBOCACHE_TIMESCOUT_H

#include "recordreader.h"
#include "timecheck.h"

G_BEGIN_DECLS

/* A reader of its own, that sees the bytes before the other one does. */
typedef struct _RobocacheTimeScout RobocacheTimeScout;

/* NULL when the spec makes no sense: its other reader has the error. */
RobocacheTimeScout *robocache_time_scout_new (const RobocacheRecordSpec * spec);
void robocache_time_scout_free (RobocacheTimeScout * scout);

/* Reads the rows that a buffer, which stays the caller's, completes. TRUE: they are enough to judge, or there will be none. */
gboolean robocache_time_scout_push (RobocacheTimeScout * scout, GstBuffer * buffer);
/* All bytes were pushed. */
void robocache_time_scout_end (RobocacheTimeScout * scout);

/* As robocache_times_judge, of the rows so far. */
RobocacheTimeVerdict robocache_time_scout_judge (const RobocacheTimeScout * scout, gchar ** fault);

G_END_DECLS
#endif
