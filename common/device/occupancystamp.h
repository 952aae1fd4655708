/* robocache: the content of a memory, as its last writer left it
 *
 * For a writer that writes the same memory again and again: which voxels of a grid are occupied, so that only those are cleared.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_OCCUPANCYSTAMP_H
#define ROBOCACHE_OCCUPANCYSTAMP_H

#include "devicememory.h"

G_BEGIN_DECLS

/* The stamp of a memory that is about to be written, in `bytes` bytes of its engine's device memory. NULL: there is no memory for
 * it. is_known: the stamp is as `writer`, a nonzero number of its own, left it, with the same bytes; since then nobody has begun a
 * write, or mapped the memory or a share of it to write. */
gpointer robocache_memory_begin_stamp (GstMemory * memory, guint64 writer, gsize bytes, gboolean * is_known);
/* After the end of that write. */
void robocache_memory_end_stamp (GstMemory * memory, guint64 writer);

G_END_DECLS
#endif
