/* robocache: the tensors of a buffer
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "tensorcaps.h"

/* Checks that a buffer matches info: it has one memory per tensor, or the bytes of all tensors in any other number of memories. FALSE and
 * an error that names both sizes: it does not. */
gboolean robocache_tensors_check (GstBuffer * buffer, const RobocacheTensorsInfo * info, GError ** error);
/* Like robocache_tensors_check, for tensors that are used without a copy: one memory per tensor, or one memory for all tensors. */
gboolean robocache_tensors_check_memories (GstBuffer * buffer, const RobocacheTensorsInfo * info, GError ** error);
/* The memory of a tensor of a buffer whose memories were checked, and the offset in it; no reference. */
GstMemory *robocache_tensors_peek_memory (GstBuffer * buffer, const RobocacheTensorsInfo * info, guint tensor,
    gsize * offset);

/* Copies one tensor of a checked buffer from any memory; free with g_free. */
gboolean robocache_tensors_copy (GstBuffer * buffer, const RobocacheTensorsInfo * info, guint tensor, gpointer * copy,
    GError ** error);

/* The tensors of a mapped buffer. */
typedef struct
{
  guint n_tensors;
  gpointer data[ROBOCACHE_MAX_TENSORS];
  gpointer copies[ROBOCACHE_MAX_TENSORS];       /* aligned copies of unaligned tensors; or NULL */
  GstBuffer *buffer;
  guint n_maps;
  GstMapInfo maps[ROBOCACHE_MAX_TENSORS];
} RobocacheTensorsMap;

/* Maps one memory per tensor, or one memory for all tensors; other numbers of memories are merged into one. Tensors of int64, which are
 * times, are always aligned: for reading, an unaligned one is copied. FALSE and an error that names both sizes: the buffer differs from
 * info, or cannot be mapped. */
gboolean robocache_tensors_map (RobocacheTensorsMap * map, GstBuffer * buffer, const RobocacheTensorsInfo * info,
    GstMapFlags flags, GError ** error);
void robocache_tensors_unmap (RobocacheTensorsMap * map);
