/* robocache: mapped memory, or the reason for a failure
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_MAPPING_H
#define ROBOCACHE_MAPPING_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* gst_buffer_map, with an error. */
gboolean robocache_map_buffer (GstBuffer * buffer, GstMapInfo * map, GstMapFlags flags, GError ** error);
/* n of its memories, or -1: all of them, from the first on. */
gboolean robocache_map_buffer_range (GstBuffer * buffer, guint first, gint n, GstMapInfo * map, GstMapFlags flags,
    GError ** error);
/* gst_buffer_copy_deep, or NULL where there is no memory. */
GstBuffer *robocache_copy_buffer (GstBuffer * buffer);
gboolean robocache_map_memory (GstMemory * memory, GstMapInfo * map, GstMapFlags flags, GError ** error);

G_END_DECLS
#endif
