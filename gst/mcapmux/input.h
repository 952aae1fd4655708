/* robocache: input of the sink pads of the recorders: buffers, events and queries
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "recorder.h"

/* Pad functions. */
GstFlowReturn mux_input_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer);
gboolean mux_input_event (GstPad * pad, GstObject * parent, GstEvent * event);
gboolean mux_input_query (GstPad * pad, GstObject * parent, GstQuery * query);

/* Live: closes old chunks; called by the clock's thread. */
void mux_input_close_old_chunks (MuxRecorder * recorder);
/* Writes waiting rows that can be written now, since a pad that they waited for was removed or is live. */
void mux_input_continue (MuxRecorder * recorder);
