/* robocache: warnings about streams of robocachefuse without a row, with the remedy
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_SILENCE_H
#define FUSE_SILENCE_H

#include "gst/fuse/element.h"

G_BEGIN_DECLS

/* Called with the lock; each warning is added once until the element starts again. */

/* Adds a warning for elements that may still link a pad, one for an element without sink pads, and one for each pad that samples may wait
 * for: without a row and not at its end, and where it is declared, before the first tick of recordings. */
void gst_robocache_fuse_collect_silent_pads (GstRobocacheFuse * fuse, GQueue * messages);
/* Adds a warning of a pad that is at its end, and had no row. */
void gst_robocache_fuse_collect_empty_pad (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, GQueue * messages);

G_END_DECLS
#endif
