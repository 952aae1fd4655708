/* robocache: rows of sources that are not live, in order of time, then pad
 *
 * Each pad has a queue. Where every pad has a row, or is known to have none before some time, the earliest is written. Whoever has the
 * lock does that; there is no thread for it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MUX_MERGE_H
#define MUX_MERGE_H

#include "recorder.h"

G_BEGIN_DECLS

/* All are called with the lock. */

/* Adds a buffer or an event (taken) behind those that wait. format: of CAPS (taken). */
void mux_merge_push (GstRobocacheMcapPad * pad, GstMiniObject * object, MuxFormat * format);
/* Writes what can be written now. FALSE and an error, of *of: a row cannot be written. */
gboolean mux_merge_run (GstRobocacheMcapRecorder * recorder, GstRobocacheMcapPad ** of, GError ** error);
/* Whether the pad's source must wait before it continues. */
gboolean mux_merge_must_wait (MuxRecorderState * state, const GstRobocacheMcapPad * pad);

/* Whether a buffer or event tells other pads how far its pad is. */
gboolean mux_merge_is_turn (const GstMiniObject * object);
/* Handles the events that wait, of a pad whose source turned out to be live. */
void mux_merge_handle_waiting (GstRobocacheMcapRecorder * recorder, GstRobocacheMcapPad * pad);
/* An event that is the pad's next, whether its source is live or not. format: of CAPS (taken). */
void mux_merge_handle_event (GstRobocacheMcapRecorder * recorder, GstRobocacheMcapPad * pad, GstEvent * event, MuxFormat * format);
/* A pad has ended or is gone: the recording ends with the last one. */
void mux_merge_check_end (GstRobocacheMcapRecorder * recorder);

G_END_DECLS
#endif
