/* robocache: the pads that the first tick of recordings waits for, and the rows that wait for it
 *
 * Which streams there are must not depend on threads. So not live, no tick and no end comes before each declared pad has caps, each pad
 * that the property pads names is there, and no element of the pipeline may still link one. The core waits, and knows how many; here they
 * are found. A pad that is there and is not declared is waited for at every tick.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_FIRSTTICK_H
#define FUSE_FIRSTTICK_H

#include "element.h"

G_BEGIN_DECLS

/* From READY to PAUSED, and back. Called without the lock. */
void gst_robocache_fuse_expect_pads (GstRobocacheFuse * fuse);
void gst_robocache_fuse_expect_no_pads (GstRobocacheFuse * fuse);

/* Called with the lock. */

/* A pad has come: counts those that are expected anew. */
void gst_robocache_fuse_count_expected_pads (GstRobocacheFuse * fuse);
/* Names of elements whose pads the first tick waits for; NULL: none. Free with g_free. */
gchar *gst_robocache_fuse_awaited_elements (GstRobocacheFuse * fuse);

/* Whether the pad's source must wait. */
gboolean gst_robocache_fuse_must_wait (GstRobocacheFuse * fuse, const GstRobocacheFusePad * pad);
/* Waits for as long. FALSE and an error: rows fill the memory that they may, and the pads do not come. */
gboolean gst_robocache_fuse_wait_for_turn (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, GError ** error);

G_END_DECLS
#endif
