/* robocache: an allocator of an engine's memory that keeps freed blocks
 *
 * Blocks that were freed are handed out again with their events, so a steady stream allocates nothing. Of sizes that keep
 * changing the allocator keeps the 64 that were requested last.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_ALLOCATOR_H
#define ROBOCACHE_ALLOCATOR_H

#include "devicememory.h"

G_BEGIN_DECLS

#define ROBOCACHE_TYPE_ALLOCATOR (robocache_allocator_get_type ())
G_DECLARE_FINAL_TYPE (RobocacheAllocator, robocache_allocator, ROBOCACHE, ALLOCATOR, GstAllocator)

/* Allocates device memory, or pinned host memory that the device writes directly. Keeps the engine. */
GstAllocator *robocache_allocator_new (RobocacheEngine * engine, RcMemoryKind kind);
/* Frees the blocks that are not in use. Blocks in use are freed when they come back. For caps that changed, and when memory is
 * short. */
void robocache_allocator_trim (GstAllocator * allocator);
/* As gst_allocator_alloc, with GST_RESOURCE_ERROR_NO_SPACE_LEFT for NULL. */
GstMemory *robocache_allocator_alloc (GstAllocator * allocator, gsize bytes, GError ** error);
/* No reference. */
RobocacheEngine *robocache_allocator_engine (GstAllocator * allocator);

G_END_DECLS
#endif
