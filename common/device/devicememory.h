/* robocache: GstMemory of an engine, in the order of the work on it
 *
 * On the CPU's engine memories are ordinary ones and nothing waits; where it works on memory of a GPU's engine, begin waits itself.
 * allocator.h makes them, block.h has the order of work, blockmap.h has maps.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_DEVICEMEMORY_H
#define ROBOCACHE_DEVICEMEMORY_H

#include "block.h"

G_BEGIN_DECLS

/* Caps feature of tensors in device memory. */
#define ROBOCACHE_CAPS_FEATURE_CUDA "memory:RobocacheCUDA"

#define ROBOCACHE_MEMORY_TYPE "RobocacheMemory"

typedef struct
{
  GstMemory parent;
  RobocacheBlock *block;        /* of a share: that of its parent, which it keeps */
} RobocacheMemory;

/* Whether memory is one of ours. */
gboolean robocache_is_memory (const GstMemory * memory);
/* Whether it is one of ours on a GPU. */
gboolean robocache_is_gpu_memory (const GstMemory * memory);

/* Whether a GPU copies from it by itself: one of ours, of a GPU's engine, on the device or pinned. */
gboolean robocache_is_copied_by_gpu (const GstMemory * memory);

/* The rest but copy_out is for memories of ours. None of these returns a reference. */
RobocacheBlock *robocache_memory_block (const GstMemory * memory);
RobocacheEngine *robocache_memory_engine (const GstMemory * memory);
/* Address of its first byte, for work that is bracketed as below. */
gpointer robocache_memory_data (const GstMemory * memory);
/* Address of the byte at offset of any GstMemory, if kernels of engine may access it; else NULL. */
gpointer robocache_memory_reach (const GstMemory * memory, gsize offset, RobocacheEngine * engine);

/* Brackets of work on the memory, as in block.h. */
gboolean robocache_memory_begin_read (GstMemory * memory, RobocacheEngine * reader, GError ** error);
gboolean robocache_memory_end_read (GstMemory * memory, RobocacheEngine * reader, GError ** error);
gboolean robocache_memory_begin_write (GstMemory * memory, RobocacheEngine * writer, GError ** error);
gboolean robocache_memory_end_write (GstMemory * memory, RobocacheEngine * writer, GError ** error);

/* Enqueues, on engine's stream, a copy of bytes from offset of any GstMemory to memory that engine can address. Memory of another
 * device comes directly where the two are linked; pinned memory is read in stream order; other memory is mapped, and has been
 * read on return. */
gboolean robocache_memory_copy_out (GstMemory * memory, gsize offset, gsize bytes, gpointer to, RobocacheEngine * engine,
    GError ** error);

G_END_DECLS
#endif
