/* robocache: GstMemory of an engine, with the order of the work on it
 *
 * For the CPU's engine, memories are ordinary memories, and no wait is needed; if it works on memory of a GPU's engine, begin waits on the CPU.
 * allocator.h makes them, block.h has the order of work, blockmap.h has maps.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "block.h"

/* Caps feature of tensors in device memory. */
#define ROBOCACHE_CAPS_FEATURE_CUDA "memory:RobocacheCUDA"

#define ROBOCACHE_MEMORY_TYPE "RobocacheMemory"

typedef struct
{
  GstMemory parent;
  RobocacheBlock *block;        /* for a share: the block of its parent, which it keeps */
} RobocacheMemory;

/* Whether memory was made by an allocator of this plugin. */
gboolean robocache_is_memory (const GstMemory * memory);
/* Whether memory was made by this plugin and is on a GPU. */
gboolean robocache_is_gpu_memory (const GstMemory * memory);

/* Whether a GPU copies directly from memory: it was made by this plugin for a GPU's engine, on the device or pinned. */
gboolean robocache_is_copied_by_gpu (const GstMemory * memory);

/* The following functions, except copy_out, are for memories of this plugin. They return no references. */
RobocacheBlock *robocache_memory_block (const GstMemory * memory);
RobocacheEngine *robocache_memory_engine (const GstMemory * memory);
/* Address of the first byte, for work between begin and end. */
gpointer robocache_memory_data (const GstMemory * memory);
/* Address of the byte at offset of any GstMemory, if kernels of engine may access it; else NULL. */
gpointer robocache_memory_reach (const GstMemory * memory, gsize offset, RobocacheEngine * engine);

/* Begin and end work on the memory, as in block.h. */
gboolean robocache_memory_begin_read (GstMemory * memory, RobocacheEngine * reader, GError ** error);
gboolean robocache_memory_end_read (GstMemory * memory, RobocacheEngine * reader, GError ** error);
gboolean robocache_memory_begin_write (GstMemory * memory, RobocacheEngine * writer, GError ** error);
gboolean robocache_memory_end_write (GstMemory * memory, RobocacheEngine * writer, GError ** error);

/* Enqueues, on engine's stream, a copy of bytes from offset of any GstMemory to memory that engine can address. Memory of another device
 * is copied directly if the devices are linked; pinned memory is read in stream order; other memory is mapped, and has been read on
 * return. */
gboolean robocache_memory_copy_out (GstMemory * memory, gsize offset, gsize bytes, gpointer to, RobocacheEngine * engine,
    GError ** error);
