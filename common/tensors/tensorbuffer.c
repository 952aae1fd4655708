/* robocache: the tensors of a buffer
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tensorbuffer.h"

#include <string.h>

#include "common/device/budget.h"
#include "common/device/mapping.h"

static gboolean
map_memory (RobocacheTensorsMap *map, guint first, gint n, GstMapFlags flags, GError **error)
{
  if (!robocache_map_buffer_range (map->buffer, first, n, &map->maps[map->n_maps], flags, error))
    return FALSE;
  map->n_maps++;
  return TRUE;
}

static gboolean
map_each (RobocacheTensorsMap *map, const RobocacheTensorsInfo *info, GstMapFlags flags, GError **error)
{
  for (guint i = 0; i < info->n_tensors; i++) {
    if (!map_memory (map, i, 1, flags, error))
      return FALSE;
    map->data[i] = map->maps[i].data;
  }
  return TRUE;
}

static gboolean
map_whole (RobocacheTensorsMap *map, const RobocacheTensorsInfo *info, GstMapFlags flags, GError **error)
{
  gsize offset = 0;

  if (!map_memory (map, 0, -1, flags, error))
    return FALSE;
  for (guint i = 0; i < info->n_tensors; i++) {
    map->data[i] = map->maps[0].data + offset;
    offset += robocache_tensor_info_size (&info->tensors[i]);
  }
  return TRUE;
}

static gpointer
copy_tensor (gconstpointer data, gsize bytes, GError **error)
{
  gpointer copy = robocache_try_malloc (bytes, "a copy of a tensor", error);

  return copy ? memcpy (copy, data, bytes) : NULL;
}

/* In one memory, times start wherever the rows before them end. FALSE and an error: there is no memory for a copy. */
static gboolean
align_times (RobocacheTensorsMap *map, const RobocacheTensorsInfo *info, GError **error)
{
  for (guint i = 0; i < info->n_tensors; i++) {
    if (info->tensors[i].dtype != RC_INT64 || (guintptr) map->data[i] % sizeof (gint64) == 0)
      continue;
    map->copies[i] = copy_tensor (map->data[i], robocache_tensor_info_size (&info->tensors[i]), error);
    if (map->copies[i] == NULL)
      return FALSE;
    map->data[i] = map->copies[i];
  }
  return TRUE;
}

static gboolean
refuse (GstBuffer *buffer, const RobocacheTensorsInfo *info, GError **error)
{
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a buffer has %" G_GSIZE_FORMAT " bytes in %u memories, but its caps describe %"
      G_GSIZE_FORMAT " bytes in %u tensors", gst_buffer_get_size (buffer), gst_buffer_n_memory (buffer), robocache_tensors_info_size (info),
      info->n_tensors);
  return FALSE;
}

static gboolean
has_memory_per_tensor (GstBuffer *buffer, const RobocacheTensorsInfo *info)
{
  return gst_buffer_n_memory (buffer) == info->n_tensors;
}

gboolean
robocache_tensors_check (GstBuffer *buffer, const RobocacheTensorsInfo *info, GError **error)
{
  if (gst_buffer_get_size (buffer) != robocache_tensors_info_size (info))
    return refuse (buffer, info, error);
  if (info->n_tensors == 1 || !has_memory_per_tensor (buffer, info))
    return TRUE;
  for (guint i = 0; i < info->n_tensors; i++) {
    const gsize bytes = gst_memory_get_sizes (gst_buffer_peek_memory (buffer, i), NULL, NULL);

    if (bytes != robocache_tensor_info_size (&info->tensors[i])) {
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "tensor %u of the buffer has %" G_GSIZE_FORMAT " bytes, but "
          "its caps describe %" G_GSIZE_FORMAT, i, bytes, robocache_tensor_info_size (&info->tensors[i]));
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
robocache_tensors_check_memories (GstBuffer *buffer, const RobocacheTensorsInfo *info, GError **error)
{
  if (!has_memory_per_tensor (buffer, info) && gst_buffer_n_memory (buffer) != 1)
    return refuse (buffer, info, error);
  return robocache_tensors_check (buffer, info, error);
}

GstMemory *
robocache_tensors_peek_memory (GstBuffer *buffer, const RobocacheTensorsInfo *info, guint tensor, gsize *offset)
{
  *offset = 0;
  if (gst_buffer_n_memory (buffer) > 1)
    return gst_buffer_peek_memory (buffer, tensor);
  for (guint i = 0; i < tensor; i++)
    *offset += robocache_tensor_info_size (&info->tensors[i]);
  return gst_buffer_peek_memory (buffer, 0);
}

gboolean
robocache_tensors_copy (GstBuffer *buffer, const RobocacheTensorsInfo *info, guint tensor, gpointer *copy, GError **error)
{
  const gsize bytes = robocache_tensor_info_size (&info->tensors[tensor]);
  const gboolean is_alone = has_memory_per_tensor (buffer, info);
  gsize offset = 0;
  GstMapInfo map;

  for (guint i = 0; !is_alone && i < tensor; i++)
    offset += robocache_tensor_info_size (&info->tensors[i]);
  if (!robocache_map_buffer_range (buffer, is_alone ? tensor : 0, is_alone ? 1 : -1, &map, GST_MAP_READ, error))
    return FALSE;
  *copy = copy_tensor (map.data + offset, bytes, error);
  gst_buffer_unmap (buffer, &map);
  return *copy != NULL;
}

gboolean
robocache_tensors_map (RobocacheTensorsMap *map, GstBuffer *buffer, const RobocacheTensorsInfo *info, GstMapFlags flags,
    GError **error)
{
  map->n_tensors = info->n_tensors;
  map->buffer = buffer;
  map->n_maps = 0;
  memset (map->copies, 0, info->n_tensors * sizeof (map->copies[0]));
  if (!robocache_tensors_check (buffer, info, error))
    return FALSE;
  if ((has_memory_per_tensor (buffer, info) ? map_each (map, info, flags, error) : map_whole (map, info, flags, error))
      && ((flags & GST_MAP_WRITE) || align_times (map, info, error)))
    return TRUE;
  robocache_tensors_unmap (map);
  return FALSE;
}

void
robocache_tensors_unmap (RobocacheTensorsMap *map)
{
  for (guint i = 0; i < map->n_tensors; i++)
    g_clear_pointer (&map->copies[i], g_free);
  while (map->n_maps > 0)
    gst_buffer_unmap (map->buffer, &map->maps[--map->n_maps]);
}
