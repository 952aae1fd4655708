/* robocache: seeks and flushes of robocachefuse
 *
 * A flush of one pad drops its rows; ticks continue. When all pads are being flushed, or a seek asks for it, the flush goes
 * downstream: the task pauses, and the ticks begin anew with the first pad whose FLUSH_STOP comes. The flush ends, and the task
 * starts again, when each pad that was there has been flushed, or is gone.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_FLUSH_H
#define FUSE_FLUSH_H

#include "element.h"

G_BEGIN_DECLS

/* Called without the lock. */

/* FLUSH_START and FLUSH_STOP of a sink pad; takes event. */
gboolean gst_robocache_fuse_flush_event (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, GstEvent * event);
/* A SEEK from downstream; takes event. */
gboolean gst_robocache_fuse_seek (GstRobocacheFuse * fuse, GstEvent * event);
/* Whether all linked sources can seek in time. */
gboolean gst_robocache_fuse_sources_seek (GstRobocacheFuse * fuse);

/* A sink pad is activated, or deactivated: its source never waits then, and no flush waits for the pad. */
void gst_robocache_fuse_activate_sink (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, gboolean active);
/* No flush waits for pad, which is gone. */
void gst_robocache_fuse_excuse_from_flush (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad);
/* The source pad is activated, which starts the task, or deactivated, which ends it and any flush. */
void gst_robocache_fuse_activate_src (GstRobocacheFuse * fuse, gboolean active);

G_END_DECLS
#endif
