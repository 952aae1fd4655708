/* robocache: memories and caps that robocachefuse accepts, and the caps of its samples
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "element.h"

/* Caps that a sink pad accepts, with the preferred memory first; returns a reference. Called without the lock. */
GstCaps *gst_robocache_fuse_sink_caps (GstRobocacheFuse * fuse, GstPad * pad);

/* Describes the samples that the core composes; clear with fuse_composition_clear. Called with the lock. */
void gst_robocache_fuse_describe_composition (GstRobocacheFuse * fuse, FuseComposition * composition);
/* Makes another composer, which takes over the window of the previous one. FALSE and an error: failed. Called by the task without the lock. */
gboolean gst_robocache_fuse_replace_composer (GstRobocacheFuse * fuse, const FuseComposition * composition, RobocacheCapsMemory memory,
    GError ** error);
/* Makes a composer for the samples of the core, and negotiates its caps with downstream. Called by the task with the lock, which is
 * released during negotiation. FALSE and an error: failed. */
gboolean gst_robocache_fuse_change_composition (GstRobocacheFuse * fuse, GError ** error);
/* Frees the composer. Called without the lock, when no task runs. */
void gst_robocache_fuse_drop_composition (GstRobocacheFuse * fuse);
