/* robocache: seeks and flushes of robocachefuse
 *
 * A flush of one pad drops its rows; ticks continue. When all pads are being flushed, or a seek asks for it, the flush goes
 * downstream: the task pauses, and the ticks restart with the first FLUSH_STOP of a pad. The flush ends, and the task starts again, when
 * each pad has been flushed or removed. A seek does not wait for pads whose sources cannot seek.
 *
 * A seek without a flush adds a segment after the current one, as in a loop: see core/seekranges.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "element.h"

/* All functions are called without the lock. */

/* Handles FLUSH_START or FLUSH_STOP (taken) of a sink pad. */
gboolean gst_robocache_fuse_flush_event (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, GstEvent * event);
/* Handles a SEEK event (taken) from downstream. */
gboolean gst_robocache_fuse_seek (GstRobocacheFuse * fuse, GstEvent * event);
/* Whether a source can seek in time. */
gboolean gst_robocache_fuse_sources_seek (GstRobocacheFuse * fuse);

/* A sink pad is activated or deactivated. After deactivation, its source does not wait, and no flush waits for the pad. */
void gst_robocache_fuse_activate_sink (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, gboolean active);
/* Removes pad from the pads that a flush waits for. */
void gst_robocache_fuse_excuse_from_flush (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad);
/* The source pad is activated, which starts the task, or deactivated, which ends it and any flush. */
void gst_robocache_fuse_activate_src (GstRobocacheFuse * fuse, gboolean active);
