/* robocache: jumps of running time, and the ticks of robocachefuse after them
 *
 * Running time goes back, or forwards by more than the time that passes, where an application sets a base time or another
 * clock, where the clock itself is set, and where the process was stopped. An offset of the reference pad has the same
 * effect on ticks. Ticks that went back begin a new segment. For live streams only. Called with the lock.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_TIMEJUMPS_H
#define FUSE_TIMEJUMPS_H

#include "element.h"

G_BEGIN_DECLS

/* Running time, as gst_robocache_fuse_live_now. Where it has gone back by more than a second, earlier rows are dropped, and the
 * ticks go on from now. Where it has moved either way, sensors are watched that do not follow. */
GstClockTime gst_robocache_fuse_note_running_time (GstRobocacheFuse * fuse);
/* Copies the properties of a pad to its stream (gst_robocache_fuse_pad_sync_settings; those about timestamps at once where rows
 * had no reference timestamp, since no tick may come of such rows). Ticks that are its rows follow its offset. */
void gst_robocache_fuse_sync_pad (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, gboolean at_tick);
/* The tick is about to be made: begins a new segment where it is not after the last one. */
void gst_robocache_fuse_begin_tick (GstRobocacheFuse * fuse, gint64 tick);
/* Where ticks have run ahead with rows, and these, or those of one stream that the tick waits for, are at running time again,
 * ticks go on from now. TRUE: they do. */
gboolean gst_robocache_fuse_return_to_now (GstRobocacheFuse * fuse, gint64 tick, GstClockTime now);
/* A row of the pad has come: where ticks are its rows, have run ahead of running time with them, and it is earlier, they go on
 * from it. */
void gst_robocache_fuse_note_rows (GstRobocacheFuse * fuse, const GstRobocacheFusePad * pad, GstClockTime now);
/* Skips tick, and those after it, as long as their deadlines are more than a second ago or all streams have ended, no stream has a
 * row near them, and they are more than a window. Returns how many were skipped. */
guint64 gst_robocache_fuse_skip_overdue (GstRobocacheFuse * fuse, const FuseTick * tick, GstClockTime now);
/* Running time before which a tick must not leave, though it is ready: its own where all rows are after it, and none is near, as
 * where an offset has moved them ahead; otherwise 0. */
GstClockTime gst_robocache_fuse_earliest_departure (GstRobocacheFuse * fuse, gint64 tick, GstClockTime now);

G_END_DECLS
#endif
