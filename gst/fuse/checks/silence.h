/* robocache: warnings about streams of robocachefuse without a row, with the remedy
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_SILENCE_H
#define FUSE_SILENCE_H

#include "gst/fuse/element.h"

G_BEGIN_DECLS

/* Both functions are called with the lock. Each warning is added once until the element starts again. */

/* Adds a warning about elements that may still link a pad, one if the element has no sink pads, and one about each pad that samples may
 * wait for. Such a pad has no row and is not at EOS; a declared pad counts only before the first tick of recordings. */
void gst_robocache_fuse_collect_silent_pads (GstRobocacheFuse * fuse, GQueue * messages);
/* Adds a warning about a pad that reached EOS without a row. */
void gst_robocache_fuse_collect_empty_pad (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, GQueue * messages);

G_END_DECLS
#endif
