/* robocache: the thread of robocacherossrc, and the states and the end that others ask it for
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "session.h"

/* Starts and stops the flow of messages, by the thread that changes the state. */
void robocache_ros_session_play (RobocacheRosSession * session);
void robocache_ros_session_pause (RobocacheRosSession * session);

/* Handles what has come, or waits for it. The element's thread calls it until it returns anything but OK; GST_FLOW_CUSTOM_SUCCESS: the
 * application asked for the end, and all that arrived before was sent. */
GstFlowReturn robocache_ros_session_run (RobocacheRosSession * session);
/* Sends EOS. FALSE: no pad exists, and an error was posted. */
gboolean robocache_ros_session_end (RobocacheRosSession * session, guint32 seqnum);
