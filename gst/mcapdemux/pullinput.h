/* robocache: a recording with random access
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/bags/bag.h"
#include "gst/mcapdemux/session/session.h"

typedef struct _RobocacheMcapPullInput RobocacheMcapPullInput;

/* Opens recordings. */
typedef struct
{
  /* Opens the recording. NULL and an error: failed. */
  RobocacheBag *(*open) (gpointer user_data, GError ** error);
  /* The reason of the last fault: FLUSHING if the element stops or flushes, EOS if the application ends the recording, else ERROR. */
    GstFlowReturn (*reason) (gpointer user_data);
  gpointer user_data;
} RobocacheMcapOpener;

/* The session and the opener must outlive the input. */
RobocacheMcapPullInput *robocache_mcap_pull_input_new (RobocacheMcapSession * session, const RobocacheMcapOpener * opener);
void robocache_mcap_pull_input_free (RobocacheMcapPullInput * input);

/* Opens the recording, exposes its streams, and then passes messages to the session, one per call. GST_FLOW_EOS: at the end, or after the
 * segment. GST_FLOW_ERROR: an error was posted. */
GstFlowReturn robocache_mcap_pull_input_run (RobocacheMcapPullInput * input);

/* Makes the next call of run continue at a message from which on the session's segment is complete. */
void robocache_mcap_pull_input_seek (RobocacheMcapPullInput * input);
