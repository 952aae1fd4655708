/* robocache: robocachefuse aligns many streams to one sample per tick
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "element.h"

GST_ELEMENT_REGISTER_DECLARE (robocachefuse)

/* Opens the device, and starts the core and the streams, as in READY to PAUSED. A program that steps the core needs no other state
 * change. FALSE: an error was posted. Called without the lock. */
gboolean gst_robocache_fuse_start (GstRobocacheFuse * fuse);
/* Undoes gst_robocache_fuse_start, when no task runs. */
void gst_robocache_fuse_stop (GstRobocacheFuse * fuse);
