/* robocache: the tensors of a buffer
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_TENSORBUFFER_H
#define ROBOCACHE_TENSORBUFFER_H

#include "tensorcaps.h"

G_BEGIN_DECLS

/* FALSE and an error that names both sizes when the buffer does not have one memory a tensor, or one that holds all of
 * them, of the size of info. */
gboolean robocache_tensors_check (GstBuffer * buffer, const RobocacheTensorsInfo * info, GError ** error);
/* The memory that holds a tensor of a buffer that was checked, and where in it; no reference. */
GstMemory *robocache_tensors_peek_memory (GstBuffer * buffer, const RobocacheTensorsInfo * info, guint tensor,
    gsize * offset);

/* A copy of one tensor of a buffer that was checked, wherever it lies; free with g_free. */
gboolean robocache_tensors_copy (GstBuffer * buffer, const RobocacheTensorsInfo * info, guint tensor, gpointer * copy,
    GError ** error);

/* The tensors of a mapped buffer. */
typedef struct
{
  guint n_tensors;
  gpointer data[ROBOCACHE_MAX_TENSORS];
  gpointer copies[ROBOCACHE_MAX_TENSORS];       /* of tensors that lie crooked; or NULL */
  GstBuffer *buffer;
  guint n_maps;
  GstMapInfo maps[ROBOCACHE_MAX_TENSORS];
} RobocacheTensorsMap;

/* Maps one memory a tensor, or one that holds all of them. Lists of int64, which are times, are aligned: for reading,
 * one that lies at an odd address of the memory is copied. FALSE and an error that names both sizes when the buffer is
 * different from info, or cannot be mapped. */
gboolean robocache_tensors_map (RobocacheTensorsMap * map, GstBuffer * buffer, const RobocacheTensorsInfo * info,
    GstMapFlags flags, GError ** error);
void robocache_tensors_unmap (RobocacheTensorsMap * map);

G_END_DECLS
#endif
