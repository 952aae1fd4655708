/* robocache: jumps of running time, and the ticks of robocachefuse after them
 *
 * Running time goes back, or forwards by more than the time that passes, where an application sets a base time or another
 * clock, where the clock itself is set, and where the process was stopped. An offset of the reference has the same
 * effect on ticks. Ticks that went back begin a new segment. For live streams only.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_TIMEJUMPS_H
#define FUSE_TIMEJUMPS_H

#include "state.h"

G_BEGIN_DECLS

/* The time as it is now, when live. Where it has gone back by more than a second, earlier rows are dropped, and the ticks go on from
 * now. Where it has moved either way, sensors are watched that do not follow. */
void fuse_follow_time (FuseCore * core, const FuseInstant * now, GQueue * notes);
/* A tick that was awaited is none any more. */
void fuse_note_move (FuseCore * core);
/* The tick is about to be made: begins a new segment where it is not after the last one. */
void fuse_begin_tick (FuseCore * core, gint64 tick, FuseDeparture * departure);
/* Where ticks have run ahead with rows, and these, or those of one stream that the tick waits for, are at running time again,
 * ticks go on from now. TRUE: they do. */
gboolean fuse_return_to_now (FuseCore * core, gint64 tick);
/* A row of the stream has come: where ticks are its rows, have run ahead of running time with them, and it is earlier, they go on
 * from it. */
void fuse_follow_rows (FuseCore * core, const FuseStream * stream);
/* Skips tick, and those after it, as long as their deadlines are more than a second ago or all streams have ended, no stream has a
 * row near them, and they are more than a window. Returns how many were skipped. */
guint64 fuse_skip_overdue (FuseCore * core, const FuseTick * tick, FuseDeparture * departure);
/* Running time before which a tick must not leave, though it is ready: its own where all rows are after it, and none is near, as
 * where an offset has moved them ahead; otherwise ROBOCACHE_NO_TIME. */
gint64 fuse_earliest_departure (const FuseCore * core, gint64 tick);

G_END_DECLS
#endif
