/* robocache: mapped memory, or the reason for a failure
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "mapping.h"

#include "budget.h"
#include "common/element/errors.h"

gboolean
robocache_map_buffer (GstBuffer *buffer, GstMapInfo *map, GstMapFlags flags, GError **error)
{
  return robocache_map_buffer_range (buffer, 0, -1, map, flags, error);
}

gboolean
robocache_check_merge (GstBuffer *buffer, GError **error)
{
  return gst_buffer_n_memory (buffer) <= 1
      || robocache_check_free_memory (gst_buffer_get_size (buffer), "a copy of a buffer with several memories", error);
}

gboolean
robocache_map_buffer_range (GstBuffer *buffer, guint first, gint n, GstMapInfo *map, GstMapFlags flags, GError **error)
{
  if (n != 1 && !robocache_check_merge (buffer, error))
    return FALSE;
  if (gst_buffer_map_range (buffer, first, n, map, flags))
    return TRUE;
  /* not a malformed buffer: its memory, or its device, has failed */
  g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, "a buffer of %" G_GSIZE_FORMAT " bytes cannot be mapped",
      gst_buffer_get_size (buffer));
  return FALSE;
}

GstBuffer *
robocache_copy_buffer (GstBuffer *buffer)
{
  GstBuffer *copy = NULL;

  if (robocache_check_free_memory (gst_buffer_get_size (buffer), "a copy of a buffer", NULL))
    copy = gst_buffer_copy_deep (buffer);
  if (copy && gst_buffer_get_size (copy) != gst_buffer_get_size (buffer))
    gst_clear_buffer (&copy);
  return copy;
}

gboolean
robocache_map_memory (GstMemory *memory, GstMapInfo *map, GstMapFlags flags, GError **error)
{
  if (gst_memory_map (memory, map, flags))
    return TRUE;
  g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, "a memory of %" G_GSIZE_FORMAT " bytes (%s) cannot be "
      "mapped", memory->size, memory->allocator->mem_type);
  return FALSE;
}
