/* robocache: a recording that arrives in buffers
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_MCAP_PUSHINPUT_H
#define GST_ROBOCACHE_MCAP_PUSHINPUT_H

#include "session.h"

G_BEGIN_DECLS

typedef struct _RobocacheMcapPushInput RobocacheMcapPushInput;

/* The session must outlive it. */
RobocacheMcapPushInput *robocache_mcap_push_input_new (RobocacheMcapSession * session);
void robocache_mcap_push_input_free (RobocacheMcapPushInput * input);

/* Takes the next bytes, and hands their messages to the session. GST_FLOW_EOS: the recording is complete. GST_FLOW_ERROR: an error
 * was posted. */
GstFlowReturn robocache_mcap_push_input_push (RobocacheMcapPushInput * input, GstBuffer * buffer);
/* Bytes begin anew. */
void robocache_mcap_push_input_restart (RobocacheMcapPushInput * input);

G_END_DECLS
#endif
