/* robocache: when a recording goes on in another file
 *
 * A file is complete in itself: it begins with a key frame of each video stream. Where the time has come the next file is opened, streams
 * other than video go on in it at once, and each video stream with its next key frame. The last one closes the file before.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MUX_FRAGMENTS_H
#define MUX_FRAGMENTS_H

#include "recorder.h"

G_BEGIN_DECLS

/* Chooses the file for the next row of a pad, which arrived at a log time. Called with the lock. */
void mux_fragments_choose (MuxRecorderState * state, GstRobocacheMcapPad * pad, guint64 log_ns);
/* A pad has ended, or was removed: no file waits for it. Called with the lock. */
void mux_fragments_forget (MuxRecorderState * state, GstRobocacheMcapPad * pad);

G_END_DECLS
#endif
