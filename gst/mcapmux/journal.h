/* robocache: writes rows and events of pads into the recording, with their times
 *
 * All functions are called with the lock of the element.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "recorder.h"

/* Running time of the pad's next row on the recording's clock. FALSE: unknown. */
gboolean mux_journal_get_time (const MuxRecorder * recorder, const GstRobocacheMcapPad * pad, gint64 * running_ns);

/* Writes the next row of the pad's open buffer, or drops and counts it. FALSE and an error: it cannot be written. */
gboolean mux_journal_write_row (MuxRecorder * recorder, GstRobocacheMcapPad * pad, GError ** error);

/* Records an event of a pad. running_ns ROBOCACHE_ROS_NO_TIME: at its last row. duration_ns -1: none. kind is a constant. */
void mux_journal_write_event (MuxRecorder * recorder, GstRobocacheMcapPad * pad, const gchar * kind, gint64 running_ns,
    gint64 duration_ns, const gchar * text);

/* Shifts later rows of the pad by the origin of its times, and records the origin. */
void mux_journal_write_origin (MuxRecorder * recorder, GstRobocacheMcapPad * pad, gint64 origin_ns, gboolean from_first_row);

/* Live: the log time now; FALSE: unknown. */
gboolean mux_journal_now (MuxRecorder * recorder, guint64 * log_ns);

/* Closes the recording with the last statistics. */
void mux_journal_finish (MuxRecorder * recorder);
