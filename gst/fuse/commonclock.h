/* robocache: streams of robocachefuse whose sources announce the origins of their times, on one clock
 *
 * A source that counts times from its first row announces what that row's time is. Such a stream is shifted by its origin less the
 * earliest one. Streams that ticks wait for have announced their origins before the first tick; from then on the earliest one stays.
 * Live, times are those of the pipeline's clock, and nothing is shifted.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_COMMONCLOCK_H
#define FUSE_COMMONCLOCK_H

#include "element.h"

G_BEGIN_DECLS

/* A TAG event of the pad, which may announce an origin. Warns of origins that cannot be followed. Called without the lock. */
void gst_robocache_fuse_note_origin (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, GstEvent * event);
/* Shifts streams anew after a pad has come or gone. Called with the lock. */
void gst_robocache_fuse_share_origin (GstRobocacheFuse * fuse);
/* A segment of the pad follows: its source may have been sought to an earlier start than ours. Called with the lock. */
void gst_robocache_fuse_note_start_of_segment (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, const GstSegment * segment);
/* The seek that a pad's source gets, which brings the rows that the others have at the start; a reference. Called without the lock. */
GstEvent *gst_robocache_fuse_seek_of_pad (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, GstEvent * seek);

G_END_DECLS
#endif
