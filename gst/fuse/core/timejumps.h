/* robocache: jumps of running time, and the ticks of robocachefuse after them
 *
 * Running time jumps back or forwards if an application sets a base time or another clock, if the clock itself is set, or if the process
 * was stopped. A change of the reference's offset has the same effect on ticks. When ticks go back, a new segment begins. This concerns
 * live streams only.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "state.h"

/* Live: handles the current time. If it has gone back by more than a second, earlier rows are dropped, and ticks continue from now. After
 * a jump in either direction, the core watches for sensors that do not follow. */
void fuse_follow_time (FuseCore * core, const FuseInstant * now, GQueue * notes);
/* Notes that the awaited tick is no longer a tick. */
void fuse_note_move (FuseCore * core);
/* Before a tick is made: begins a new segment if the tick is not after the last one. */
void fuse_begin_tick (FuseCore * core, gint64 tick, FuseDeparture * departure);
/* If ticks have followed rows that were ahead of running time, and these rows are at running time again, or those of a stream for which
 * the tick waits, continues ticks from now. TRUE: continued. */
gboolean fuse_return_to_now (FuseCore * core, gint64 tick);
/* After a new row of the stream: if its rows are the ticks, the ticks have run ahead of running time, and this row is earlier, ticks
 * continue from this row. */
void fuse_follow_rows (FuseCore * core, const FuseStream * stream);
/* Skips tick and later ticks as long as no stream has a row near them and nothing delays them: their deadlines passed more than a second
 * ago, rows before them are more than a second ahead, or all streams have ended. If these ticks span less than a second or a window, none
 * is skipped. Returns the number of skipped ticks. */
guint64 fuse_skip_empty (FuseCore * core, const FuseTick * tick, FuseDeparture * departure);
/* Running time before which a tick must not leave, even if it is ready. This is the time of the tick if no row is near the tick, unless a
 * row before the tick is more than a second ahead of running time, because an offset has moved the rows ahead. Otherwise it is
 * ROBOCACHE_NO_TIME. */
gint64 fuse_earliest_departure (const FuseCore * core, gint64 tick);
