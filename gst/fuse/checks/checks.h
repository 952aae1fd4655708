/* robocache: checks of robocachefuse: faulty and silent sensors, and starvation
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "gst/fuse/element.h"

/* ---- faulty sensors of robocachefuse: buffers and caps that cannot be used ---- */

/* Live, only the rows of the faulty pad are dropped, and the other sensors continue. Not live, or if no other sensor is left, the element fails. */

/* Returns the answer to the source of a buffer that cannot be used because of error (taken); flow: the answer once the element has
 * failed. Posts a warning for the first such buffer of a pad. Called without the lock. */
GstFlowReturn gst_robocache_fuse_answer_bad_buffer (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, GstFlowReturn flow, GError * error);
/* Like gst_robocache_fuse_answer_bad_buffer, for caps. After GST_FLOW_OK the rows of the pad are dropped until it gets caps that can be used. */
GstFlowReturn gst_robocache_fuse_answer_bad_caps (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, GError * error);

/* ---- warnings about streams of robocachefuse without a row, with the remedy ---- */

/* Both functions are called with the lock. Each warning is added once until the element starts again. */

/* Adds a warning about elements that may still link a pad, one if the element has no sink pads, and one about each pad that samples may
 * wait for: a pad without a row that is not at EOS, and a declared pad only before the first tick of recordings. Live, adds a warning about
 * each pad whose first row is more than a second in the future. */
void gst_robocache_fuse_collect_silent_pads (GstRobocacheFuse * fuse, GQueue * messages);
/* Adds a warning about a pad that reached EOS without a row. */
void gst_robocache_fuse_collect_empty_pad (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, GQueue * messages);

/* ---- checks of robocachefuse two seconds after its start: pads without rows, settings without pads ---- */

/* The two seconds are measured by the system clock: not live, a pipeline that waits for a row never reaches PLAYING, so it has no other clock. */

/* Checks in two seconds from now, and posts warnings. Called without the lock, at PAUSED and again at PLAYING. */
void gst_robocache_fuse_begin_watch (GstRobocacheFuse * fuse);
/* Looks again for pads without rows and settings without pads, two seconds after a pad was requested in PLAYING. Called without the lock. */
void gst_robocache_fuse_watch_new_pad (GstRobocacheFuse * fuse);
void gst_robocache_fuse_end_watch (GstRobocacheFuse * fuse);

/* ---- drops rows of live pads of robocachefuse in favour of ticks while CPU time is short ---- */

/* All pads and the task share one lock. When threads wait long for a CPU, each holder of the lock keeps it longer, and the task comes after
 * hundreds of rows. A tick that was late for that reason begins starvation: a live pad then inserts one buffer per half period of the
 * ticks. It drops and counts the others before it takes the lock. Starvation ends when ticks are in time again. */

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
/* Like gst_robocache_fuse_count_thinned, before a serialized event. The next buffer is inserted, and its source gets the answer. Called by
 * the pad's streaming thread, without the lock. */
void gst_robocache_fuse_end_thinning (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad);
