/* robocache: the pads that the first tick of recordings waits for, and the rows that wait for it
 *
 * The set of streams must not depend on threads. So not live, no tick and no EOS comes before each declared pad has caps, each pad that
 * the property pads names exists, and no element of the pipeline may still link a pad. The core waits, and knows the number of expected
 * pads; this file finds them. Every tick waits for pads that exist and are not declared.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "element.h"

/* For the changes from READY to PAUSED, and back. Called without the lock. */
void gst_robocache_fuse_expect_pads (GstRobocacheFuse * fuse);
void gst_robocache_fuse_expect_no_pads (GstRobocacheFuse * fuse);
/* After a pad was added: posts an error if the pad missed an earlier seek. Called without the lock. */
void gst_robocache_fuse_check_late_pad (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad);

/* These functions are called with the lock. */

/* Counts the expected pads again, after a pad was added. */
void gst_robocache_fuse_count_expected_pads (GstRobocacheFuse * fuse);
/* Names of elements whose pads the first tick waits for; NULL: none. Free with g_free. */
gchar *gst_robocache_fuse_awaited_elements (GstRobocacheFuse * fuse);

/* Whether the pad's source must wait. */
gboolean gst_robocache_fuse_must_wait (GstRobocacheFuse * fuse, const GstRobocacheFusePad * pad);
/* Waits while the source must wait. FALSE and an error: rows fill their memory limit, and the pads are not added. */
gboolean gst_robocache_fuse_wait_for_turn (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, GError ** error);
