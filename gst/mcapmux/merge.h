/* robocache: rows of sources that are not live, in order of time, then pad
 *
 * Each pad has a queue. When every pad has a row, or is known to have no row before some time, the earliest row is written. The thread
 * that holds the lock does this; no separate thread exists.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "recorder.h"

/* All functions are called with the lock. */

/* Appends a buffer or an event (taken) to the queue. format: that of CAPS (taken). */
void mux_merge_push (GstRobocacheMcapPad * pad, GstMiniObject * object, RobocacheEncoderFormat * format);
/* Writes all rows that can be written now. FALSE and an error: a row of the pad *of cannot be written. */
gboolean mux_merge_run (MuxRecorder * recorder, GstRobocacheMcapPad ** of, GError ** error);
/* Whether the pad's source must wait before it continues. */
gboolean mux_merge_must_wait (MuxRecorder * recorder, const GstRobocacheMcapPad * pad);

/* Whether a buffer or event shows other pads the progress of its pad. */
gboolean mux_merge_is_turn (const GstMiniObject * object);
/* Handles the queued events of a pad whose source turned out to be live. */
void mux_merge_handle_waiting (MuxRecorder * recorder, GstRobocacheMcapPad * pad);
/* Drops the queue, except for caps and other events that a flush keeps. Returns the number of dropped rows; an unopened buffer counts as one. */
guint64 mux_merge_flush_waiting (MuxRecorder * recorder, GstRobocacheMcapPad * pad);
/* Handles the next event of a pad, live or not. format: that of CAPS (taken). */
void mux_merge_handle_event (MuxRecorder * recorder, GstRobocacheMcapPad * pad, GstEvent * event, RobocacheEncoderFormat * format);
/* After a pad has ended or was removed: ends the recording if it was the last one. */
void mux_merge_check_end (MuxRecorder * recorder);
