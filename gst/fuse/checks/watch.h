/* robocache: checks of robocachefuse two seconds after its start: pads without rows, settings without pads
 *
 * The two seconds are measured by the system clock: not live, a pipeline that waits for a row never reaches PLAYING, so it has no other clock.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_WATCH_H
#define FUSE_WATCH_H

#include "gst/fuse/element.h"

G_BEGIN_DECLS

/* Checks in two seconds from now, and posts warnings. Called without the lock, at PAUSED and again at PLAYING. */
void gst_robocache_fuse_begin_watch (GstRobocacheFuse * fuse);
/* Looks again for pads without rows and settings without pads, two seconds after a pad was requested in PLAYING. Called without the lock. */
void gst_robocache_fuse_watch_new_pad (GstRobocacheFuse * fuse);
void gst_robocache_fuse_end_watch (GstRobocacheFuse * fuse);

G_END_DECLS
#endif
