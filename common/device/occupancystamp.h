/* robocache: the content of a memory, as its last writer left it
 *
 * For a writer that repeatedly writes the same memory: the stamp stores which voxels of a grid are occupied, so that only these are cleared.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "devicememory.h"

/* Call it before a write to memory. Returns its stamp, which has `bytes` bytes in device memory of its engine. NULL: no memory. is_known:
 * the stamp is unchanged since `writer`, a unique nonzero number, wrote it with the same bytes. Since then, no write has begun, and
 * neither the memory nor a share of it was mapped for writing. */
gpointer robocache_memory_begin_stamp (GstMemory * memory, guint64 writer, gsize bytes, gboolean * is_known);
/* Completes the stamp, after the end of this write. */
void robocache_memory_end_stamp (GstMemory * memory, guint64 writer);
