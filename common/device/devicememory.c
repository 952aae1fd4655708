/* robocache: GstMemory of an engine, in the order of the work on it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "devicememory.h"

#include "mapping.h"

RobocacheBlock *
robocache_memory_block (const GstMemory *memory)
{
  return ((const RobocacheMemory *) memory)->block;
}

gboolean
robocache_is_memory (const GstMemory *memory)
{
  return memory->allocator && g_strcmp0 (memory->allocator->mem_type, ROBOCACHE_MEMORY_TYPE) == 0;
}

gboolean
robocache_is_copied_by_gpu (const GstMemory *memory)
{
  return robocache_is_memory (memory) && robocache_engine_is_gpu (robocache_memory_block (memory)->engine);
}

gboolean
robocache_is_gpu_memory (const GstMemory *memory)
{
  return robocache_is_copied_by_gpu (memory) && robocache_memory_block (memory)->kind == RC_MEMORY_DEVICE;
}

RobocacheEngine *
robocache_memory_engine (const GstMemory *memory)
{
  return robocache_memory_block (memory)->engine;
}

gpointer
robocache_memory_data (const GstMemory *memory)
{
  return robocache_memory_block (memory)->data + memory->offset;
}

gboolean
robocache_memory_begin_read (GstMemory *memory, RobocacheEngine *reader, GError **error)
{
  return robocache_block_begin_read (robocache_memory_block (memory), reader, error);
}

gboolean
robocache_memory_end_read (GstMemory *memory, RobocacheEngine *reader, GError **error)
{
  return robocache_block_end_read (robocache_memory_block (memory), reader, error);
}

gboolean
robocache_memory_begin_write (GstMemory *memory, RobocacheEngine *writer, GError **error)
{
  return robocache_block_begin_write (robocache_memory_block (memory), writer, error);
}

gboolean
robocache_memory_end_write (GstMemory *memory, RobocacheEngine *writer, GError **error)
{
  return robocache_block_end_write (robocache_memory_block (memory), writer, error);
}

gpointer
robocache_memory_reach (const GstMemory *memory, gsize offset, RobocacheEngine *engine)
{
  RobocacheEngine *owner = robocache_is_memory (memory) ? robocache_memory_engine (memory) : NULL;
  gboolean reaches = owner == engine;

  if (owner && owner != engine)
    reaches = robocache_engine_is_gpu (owner) && robocache_engine_is_gpu (engine)
        && robocache_engine_device (owner) == robocache_engine_device (engine);
  if (reaches && robocache_engine_is_gpu (engine) && !robocache_is_gpu_memory (memory))
    reaches = robocache_engine_is_host_addressable (engine);    /* pinned: a kernel could, but across the bus */
  return reaches ? (guint8 *) robocache_memory_data (memory) + offset : NULL;
}

/* ---- copies ---- */

/* Memory that only another device can read. */
static gboolean
is_elsewhere (const RobocacheBlock *block, RobocacheEngine *engine)
{
  return robocache_engine_device (block->engine) != robocache_engine_device (engine) && !robocache_block_is_cpu_visible (block)
      && robocache_engine_is_gpu (engine);
}

static gboolean
copy_from_device (GstMemory *memory, gsize offset, gsize bytes, gpointer to, RobocacheEngine *engine, GError **error)
{
  RobocacheEngine *from = robocache_memory_engine (memory);
  const guint8 *data = (const guint8 *) robocache_memory_data (memory) + offset;
  const RcMemoryCopy copy = {.to = to,.from = data,.row_bytes = bytes,.rows = 1 };
  RcStatus status;
  RcError failure;

  if (!robocache_memory_begin_read (memory, engine, error))
    return FALSE;
  if (is_elsewhere (robocache_memory_block (memory), engine))
    status = rc_memory_copy_between (robocache_engine_backend (engine), to, robocache_engine_backend (from), data, bytes,
        robocache_engine_stream (engine), &failure);
  else
    status = rc_memory_copy (robocache_engine_backend (engine), &copy, robocache_engine_stream (engine), &failure);
  return robocache_engine_check (status, &failure, error) && robocache_memory_end_read (memory, engine, error);
}

gboolean
robocache_memory_copy_out (GstMemory *memory, gsize offset, gsize bytes, gpointer to, RobocacheEngine *engine,
    GError **error)
{
  RcMemoryCopy copy = {.to = to,.row_bytes = bytes,.rows = 1,.is_read_on_return = TRUE };
  GstMapInfo map;
  RcStatus status;
  RcError failure;

  if (robocache_is_copied_by_gpu (memory) && robocache_engine_is_gpu (engine))
    return copy_from_device (memory, offset, bytes, to, engine, error);
  if (!robocache_map_memory (memory, &map, GST_MAP_READ, error))
    return FALSE;
  copy.from = map.data + offset;
  status = rc_memory_copy (robocache_engine_backend (engine), &copy, robocache_engine_stream (engine), &failure);
  gst_memory_unmap (memory, &map);
  return robocache_engine_check (status, &failure, error);
}
