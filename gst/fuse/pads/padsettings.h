/* robocache: settings of pads as one property of robocachefuse, for existing and later pads
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "gst/fuse/element.h"

/* Functions are called without the lock, except where noted. */

/* Sets the value of the property; NULL: none. It takes effect at once, or at the next start if the element runs. */
void gst_robocache_fuse_set_pad_settings (GstRobocacheFuse * fuse, const gchar * text);
/* Applies the settings that were set last. FALSE and an error that lists the valid settings. */
gboolean gst_robocache_fuse_start_pad_settings (GstRobocacheFuse * fuse, GError ** error);
/* Sets the properties of a pad that does not belong to an element yet. Called with the lock. */
void gst_robocache_fuse_apply_pad_settings (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad);
/* Names of pads that have an entry and were not requested, separated by ", "; NULL: none. Called with the lock. */
gchar *gst_robocache_fuse_unused_pad_settings (GstRobocacheFuse * fuse);
guint gst_robocache_fuse_n_unused_pad_settings (GstRobocacheFuse * fuse);
void gst_robocache_fuse_clear_pad_settings (GstRobocacheFuse * fuse);
