/* robocache: an allocator of an engine's memory that keeps freed blocks
 *
 * Freed blocks are reused with their events, so a steady stream allocates nothing. If sizes keep changing, the allocator keeps the 64
 * sizes that were requested last.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "devicememory.h"

#define ROBOCACHE_TYPE_ALLOCATOR (robocache_allocator_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheAllocator, robocache_allocator, ROBOCACHE, ALLOCATOR, GstAllocator)

/* Allocates device memory, or pinned host memory that the device writes directly. It keeps a reference to the engine. */
GstAllocator *robocache_allocator_new (RobocacheEngine * engine, RcMemoryKind kind);
/* Frees the unused blocks; blocks in use are freed when they are returned. Call it after a change of caps, and when memory is short. */
void robocache_allocator_trim (GstAllocator * allocator);
/* Like gst_allocator_alloc, but sets GST_RESOURCE_ERROR_NO_SPACE_LEFT if it returns NULL. */
GstMemory *robocache_allocator_alloc (GstAllocator * allocator, gsize bytes, GError ** error);
/* The engine of an allocator; no reference. */
RobocacheEngine *robocache_allocator_engine (GstAllocator * allocator);
