/* robocache: a recording that upstream gives random access to
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_MCAP_PULLINPUT_H
#define GST_ROBOCACHE_MCAP_PULLINPUT_H

#include "session.h"

G_BEGIN_DECLS

typedef struct _RobocacheMcapPullInput RobocacheMcapPullInput;

/* The session must outlive it. */
RobocacheMcapPullInput *robocache_mcap_pull_input_new (RobocacheMcapSession * session, GstPad * sinkpad);
void robocache_mcap_pull_input_free (RobocacheMcapPullInput * input);

/* Opens the recording, exposes its streams, and later hands messages to the session, one a call. GST_FLOW_EOS: at the end, or behind
 * the segment. GST_FLOW_ERROR: an error was posted. */
GstFlowReturn robocache_mcap_pull_input_run (RobocacheMcapPullInput * input);

/* The next message is one from which the session's segment is complete, which is found when run is called next. */
void robocache_mcap_pull_input_seek (RobocacheMcapPullInput * input);

G_END_DECLS
#endif
