/* robocache: GstMemory of an engine, in the order of the work on it
 *
 * Work on a GPU is enqueued and done later, so a memory carries where its last write and the last reads of each engine
 * are in their streams. Whoever enqueues work on it brackets that with begin and end: a reader waits for the write, a
 * writer for the write and all reads, on its stream and not on the CPU. A block that is written again while a slow reader
 * has not finished is thereby never overwritten too early, whoever holds the buffer.
 *
 * The allocator keeps blocks that were freed, with their events, and hands them out again: a steady stream allocates
 * nothing. Of sizes that keep changing it keeps the 64 that were asked for last. A block knows the engines that have read
 * it, and lets one go after 16 writes without a read. On the CPU's engine memories are ordinary ones and nothing ever
 * waits; where it works on memory of a GPU's engine, begin waits itself.
 *
 * A CPU map waits for the write, a write map for the reads too, and goes through pinned memory that the block keeps. With
 * ROBOCACHE_MAP_DEVICE in its flags a map gives the device's address instead; the mapper's own work must be done when it
 * unmaps. When what a map wrote cannot be brought to the device, all later reads and maps of the memory fail.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_DEVICEMEMORY_H
#define ROBOCACHE_DEVICEMEMORY_H

#include "engine.h"

G_BEGIN_DECLS

/* Tensors in device memory. */
#define ROBOCACHE_CAPS_FEATURE_CUDA "memory:RobocacheCUDA"

#define ROBOCACHE_MAP_DEVICE (GST_MAP_FLAG_LAST << 1)

#define ROBOCACHE_ALIGNMENT 256         /* of every block */

#define ROBOCACHE_TYPE_ALLOCATOR (robocache_allocator_get_type ())
G_DECLARE_FINAL_TYPE (RobocacheAllocator, robocache_allocator, ROBOCACHE, ALLOCATOR, GstAllocator)

/* Of device memory, or of pinned memory of the host, to which the device writes by itself. Keeps the engine. */
GstAllocator *robocache_allocator_new (RobocacheEngine * engine, RcMemoryKind kind);
/* Frees the blocks that are not in use; those that are will be freed when they come back. After caps changed, and when
 * memory is short. */
void robocache_allocator_trim (GstAllocator * allocator);
/* As gst_allocator_alloc, with a reason for NULL. */
GstMemory *robocache_allocator_alloc (GstAllocator * allocator, gsize bytes, GError ** error);

RobocacheEngine *robocache_allocator_engine (GstAllocator * allocator);

/* Whether memory is one of ours. */
gboolean robocache_is_memory (const GstMemory * memory);
/* Whether it is one of ours on a GPU. */
gboolean robocache_is_gpu_memory (const GstMemory * memory);

/* The rest is for memories of ours. */
RobocacheEngine *robocache_memory_engine (const GstMemory * memory);
/* Where its first byte is, for work that is bracketed as below. */
gpointer robocache_memory_data (const GstMemory * memory);

/* FALSE and an error when the device failed. Once work is enqueued the end is due, also when more of it could not be: work
 * that nobody notes is waited for by nobody. */
gboolean robocache_memory_begin_read (GstMemory * memory, RobocacheEngine * reader, GError ** error);
gboolean robocache_memory_end_read (GstMemory * memory, RobocacheEngine * reader, GError ** error);
gboolean robocache_memory_begin_write (GstMemory * memory, RobocacheEngine * writer, GError ** error);
gboolean robocache_memory_end_write (GstMemory * memory, RobocacheEngine * writer, GError ** error);

/* Notes of what the memory holds, of so many bytes, where its engine computes: for one who writes it again and again, and
 * is about to. NULL: there is no room for them. is_known: they are as `writer`, a number that nobody else has, left them,
 * of the same bytes; nobody has begun a write since, or mapped them to write, or those of a share. */
gpointer robocache_memory_take_notes (GstMemory * memory, guint64 writer, gsize bytes, gboolean * is_known);
/* After the end of that write. */
void robocache_memory_leave_notes (GstMemory * memory, guint64 writer);

/* Enqueues, on engine's stream, a copy of bytes from offset of any GstMemory to what engine can address. Memory of another
 * device comes directly where the two are linked; system memory is mapped, and has been read on return. */
gboolean robocache_memory_copy_out (GstMemory * memory, gsize offset, gsize bytes, gpointer to, RobocacheEngine * engine,
    GError ** error);

G_END_DECLS
#endif
