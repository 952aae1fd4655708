/* robocache: the task of robocachefuse: waits for ticks, and hands out samples
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_TICKTASK_H
#define FUSE_TICKTASK_H

#include "element.h"

G_BEGIN_DECLS

/* Starts the task; ends it, and waits for its end. flush_lock is held. pause: its thread stays. */
void gst_robocache_fuse_start_task (GstRobocacheFuse * fuse);
void gst_robocache_fuse_stop_task (GstRobocacheFuse * fuse, gboolean pause);
/* Whether the caller is the task, which cannot wait for its own end. */
gboolean gst_robocache_fuse_is_task (GstRobocacheFuse * fuse);

/* Data arrives at the running time now: ticks whose deadline has passed are skipped, so that they do not come in a burst.
 * Called with the lock. */
void gst_robocache_fuse_note_start (GstRobocacheFuse * fuse, GstClockTime now);
/* Wakes the task if the stream of pad, which has changed, was the last one that the next tick waits for, or if it makes the
 * next tick known or earlier. Called with the lock. */
void gst_robocache_fuse_look_at_pad (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad);

G_END_DECLS
#endif
