/* robocache: the task of robocachefuse: waits until the core decides, composes samples, and pushes them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "element.h"

/* Start the task; end it, and wait for its end. flush_lock is held. Pausing keeps the thread. */
void gst_robocache_fuse_start_task (GstRobocacheFuse * fuse);
void gst_robocache_fuse_stop_task (GstRobocacheFuse * fuse, gboolean pause);
/* Whether the caller is the task, which cannot wait for its own end. */
gboolean gst_robocache_fuse_is_task (GstRobocacheFuse * fuse);

/* Makes the sample of a departure, and moves the window past skipped ticks. sample NULL: the tick is dropped. Called without the
 * lock. */
GstFlowReturn gst_robocache_fuse_compose (GstRobocacheFuse * fuse, const FuseDeparture * departure, GstBuffer ** sample, GError ** error);
