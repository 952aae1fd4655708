/* robocache: drops rows of live pads of robocachefuse in favour of ticks while CPU time is short
 *
 * All pads and the task share one lock. When threads wait long for a CPU, each holder of the lock keeps it longer, and the task comes after
 * hundreds of rows. A tick that was late for that reason begins starvation: a live pad then inserts one buffer per half period of the
 * ticks. It drops and counts the others before it takes the lock. Starvation ends when ticks are in time again.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_THINNING_H
#define FUSE_THINNING_H

#include "gst/fuse/element.h"

G_BEGIN_DECLS

/* Begins or ends starvation according to the lateness of a decided tick. free_since: monotonic time (us) at which the task last finished
 * waiting for the clock, plus the time since then for which other threads held the lock. late_at: running time of the last late tick,
 * kept between calls. Called by the task, with the lock. */
void gst_robocache_fuse_follow_lateness (GstRobocacheFuse * fuse, const FuseDeparture * departure, gint64 free_since, gint64 * late_at);
/* Ends starvation, with the task. Called with the lock. */
void gst_robocache_fuse_end_starvation (GstRobocacheFuse * fuse);

/* TRUE: drop the buffer, which has been counted. Called by the pad's streaming thread, without the lock. */
gboolean gst_robocache_fuse_thins (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, const GstBuffer * buffer);
/* Notes that rows of the pad were inserted, with the answer flow. Called by its streaming thread, with the lock. */
void gst_robocache_fuse_note_inserted (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, GstFlowReturn flow);
/* Adds the number of dropped buffers to the pad's statistics. Called with the lock. */
void gst_robocache_fuse_count_thinned (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad);
/* The same as gst_robocache_fuse_count_thinned, before a serialized event. The next buffer is inserted, and its source gets the answer.
 * Called by
 * the pad's streaming thread,
 * without the lock. */
void gst_robocache_fuse_end_thinning (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad);

G_END_DECLS
#endif
