/* robocache: robocachefuse, its properties
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "element.h"

void gst_robocache_fuse_install_properties (GObjectClass * object_class);
/* Sets all properties to their defaults. */
void gst_robocache_fuse_init_properties (GstRobocacheFuse * fuse);
void gst_robocache_fuse_clear_properties (GstRobocacheFuse * fuse);
void gst_robocache_fuse_set_property (GObject * object, guint prop_id, const GValue * value, GParamSpec * pspec);
void gst_robocache_fuse_get_property (GObject * object, guint prop_id, GValue * value, GParamSpec * pspec);
