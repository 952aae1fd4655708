/* robocache: what never comes to robocachefuse, said two seconds after it starts
 *
 * Two seconds of the system clock: not live, a pipeline that waits for a row has no other clock yet, since it never gets to PLAYING.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_WATCH_H
#define FUSE_WATCH_H

#include "gst/fuse/element.h"

G_BEGIN_DECLS

/* Looks in two seconds, counted from now on. Called without the lock. */
void gst_robocache_fuse_begin_watch (GstRobocacheFuse * fuse);
void gst_robocache_fuse_end_watch (GstRobocacheFuse * fuse);

G_END_DECLS
#endif
