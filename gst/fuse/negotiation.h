/* robocache: memories and caps that robocachefuse accepts, and the caps of its samples
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_NEGOTIATION_H
#define FUSE_NEGOTIATION_H

#include "element.h"

G_BEGIN_DECLS

/* Caps that a sink pad accepts, the better memory first; a reference. Called without the lock. */
GstCaps *gst_robocache_fuse_sink_caps (GstRobocacheFuse * fuse, GstPad * pad);

/* Makes a composer for what the core composes, and downstream agree to its caps. Called by the task with the lock, which is released while
 * downstream is asked. FALSE and an error. */
gboolean gst_robocache_fuse_change_composition (GstRobocacheFuse * fuse, GError ** error);
/* Frees the composer. Called without the lock, when no task runs. */
void gst_robocache_fuse_drop_composition (GstRobocacheFuse * fuse);

G_END_DECLS
#endif
