/* robocache: a recording that arrives in buffers
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "gst/mcapdemux/session/session.h"

typedef struct _RobocacheMcapPushInput RobocacheMcapPushInput;

/* The session must outlive the input. */
RobocacheMcapPushInput *robocache_mcap_push_input_new (RobocacheMcapSession * session);
void robocache_mcap_push_input_free (RobocacheMcapPushInput * input);

/* Takes the next bytes, and passes their messages to the session. GST_FLOW_EOS: the recording is complete. GST_FLOW_ERROR: an error
 * was posted. */
GstFlowReturn robocache_mcap_push_input_push (RobocacheMcapPushInput * input, GstBuffer * buffer);
/* After the last bytes: passes on the remaining messages. Posts a warning if the recording is cut. */
GstFlowReturn robocache_mcap_push_input_end (RobocacheMcapPushInput * input);
/* Discards all bytes: the next bytes are the beginning of a recording. */
void robocache_mcap_push_input_restart (RobocacheMcapPushInput * input);
