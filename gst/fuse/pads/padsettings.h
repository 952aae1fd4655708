/* robocache: settings of pads as one property of robocachefuse, for pads that exist and those to come
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_PADSETTINGS_H
#define FUSE_PADSETTINGS_H

#include "gst/fuse/element.h"

G_BEGIN_DECLS

/* Called without the lock, except where noted. */

/* The value of the property; NULL: none. Takes effect at once, or while the element runs at its next start. */
void gst_robocache_fuse_set_pad_settings (GstRobocacheFuse * fuse, const gchar * text);
/* Puts the settings that were set last into force. FALSE and an error with the valid ones. */
gboolean gst_robocache_fuse_start_pad_settings (GstRobocacheFuse * fuse, GError ** error);
/* Sets the properties of a pad that belongs to no element yet. Called with the lock. */
void gst_robocache_fuse_apply_pad_settings (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad);
/* Names of the pads that have an entry and never came, separated by ", "; NULL: none. Called with the lock. */
gchar *gst_robocache_fuse_unused_pad_settings (GstRobocacheFuse * fuse);
guint gst_robocache_fuse_n_unused_pad_settings (GstRobocacheFuse * fuse);
void gst_robocache_fuse_clear_pad_settings (GstRobocacheFuse * fuse);

G_END_DECLS
#endif
