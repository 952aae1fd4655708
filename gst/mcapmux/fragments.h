/* robocache: decides when a recording continues in another file
 *
 * A file is complete in itself: it begins with a key frame of each video stream. When the time has come, the next file is opened. Other
 * streams than video continue in it at once, and each video stream at its next key frame. When the last stream has changed, the previous
 * file is closed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "recorder.h"

/* Chooses the file for the next row of a pad, which arrived at a log time. Called with the lock. */
void mux_fragments_choose (MuxRecorder * recorder, GstRobocacheMcapPad * pad, guint64 log_ns);
/* A pad has ended or was removed: files do not wait for it any more. Called with the lock. */
void mux_fragments_forget (MuxRecorder * recorder, GstRobocacheMcapPad * pad);
