/* robocache: a recording with random access
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_MCAP_PULLINPUT_H
#define GST_ROBOCACHE_MCAP_PULLINPUT_H

#include "common/bags/bag.h"
#include "session.h"

G_BEGIN_DECLS

typedef struct _RobocacheMcapPullInput RobocacheMcapPullInput;

/* Where it comes from. */
typedef struct
{
  /* Opens it. NULL and an error. */
  RobocacheBag *(*open) (gpointer user_data, GError ** error);
  /* Whether the last fault came because the element stops or flushes. */
    gboolean (*is_flushing) (gpointer user_data);
  gpointer user_data;
} RobocacheMcapOpener;

/* The session, and what opens the recording, must outlive it. */
RobocacheMcapPullInput *robocache_mcap_pull_input_new (RobocacheMcapSession * session, const RobocacheMcapOpener * opener);
void robocache_mcap_pull_input_free (RobocacheMcapPullInput * input);

/* Opens the recording, exposes its streams, and later hands messages to the session, one a call. GST_FLOW_EOS: at the end, or behind
 * the segment. GST_FLOW_ERROR: an error was posted. */
GstFlowReturn robocache_mcap_pull_input_run (RobocacheMcapPullInput * input);

/* The next message is one from which the session's segment is complete, which is found when run is called next. */
void robocache_mcap_pull_input_seek (RobocacheMcapPullInput * input);

G_END_DECLS
#endif
