/* robocache: maps memory, or returns the reason for a failure
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* Like gst_buffer_map, with an error. */
gboolean robocache_map_buffer (GstBuffer * buffer, GstMapInfo * map, GstMapFlags flags, GError ** error);
/* Whether the memories of a buffer can be merged into one, as GStreamer does to map them together; it aborts if memory is short. */
gboolean robocache_check_merge (GstBuffer * buffer, GError ** error);
/* Maps n memories of the buffer from first on; n -1: all memories. */
gboolean robocache_map_buffer_range (GstBuffer * buffer, guint first, gint n, GstMapInfo * map, GstMapFlags flags,
    GError ** error);
/* Like gst_buffer_copy_deep, but returns NULL if there is no memory. */
GstBuffer *robocache_copy_buffer (GstBuffer * buffer);
gboolean robocache_map_memory (GstMemory * memory, GstMapInfo * map, GstMapFlags flags, GError ** error);
