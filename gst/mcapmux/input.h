/* robocache: what arrives at the sink pads of the recorders: buffers, events and queries
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MUX_INPUT_H
#define MUX_INPUT_H

#include "recorder.h"

G_BEGIN_DECLS

/* Pad functions. */
GstFlowReturn mux_input_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer);
gboolean mux_input_event (GstPad * pad, GstObject * parent, GstEvent * event);
gboolean mux_input_query (GstPad * pad, GstObject * parent, GstQuery * query);

/* Ends the recording after an error (taken) of the pad. */
void mux_input_fail (GstPad * pad, GError * error);

/* Live: closes chunks that are old, from the clock's thread. */
void mux_input_close_old_chunks (GstRobocacheMcapRecorder * recorder);
/* Writes what waits and can be written, since a pad that it waited for is gone or is live. */
void mux_input_continue (GstRobocacheMcapRecorder * recorder);

G_END_DECLS
#endif
