/* robocache: outputs in memory:CUDAMemory of gstreamer-cuda
 *
 * They belong to the device's primary context, as memory of ours.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_CUDAPOOL_H
#define ROBOCACHE_CUDAPOOL_H

#include "engine.h"

G_BEGIN_DECLS

/* CUDA memories of an engine's device, which are used again when they come back. */
typedef struct _RobocacheCudaPool RobocacheCudaPool;

/* The engine stays as long as the pool and its memories. NULL and an error of robocache_cuda_context_get. */
RobocacheCudaPool *robocache_cuda_pool_new (RobocacheEngine * engine, GError ** error);
/* Memories that are in use are freed when they come back. */
void robocache_cuda_pool_free (RobocacheCudaPool * pool);
/* Copies the memories of buffer, which is writable, on the device, and puts the copies in their place. Waits for them: readers of
 * such memory do not. FALSE and an error of the device, or GST_RESOURCE_ERROR_NO_SPACE_LEFT; then buffer is as it was. */
gboolean robocache_cuda_pool_move (RobocacheCudaPool * pool, GstBuffer * buffer, GError ** error);

G_END_DECLS
#endif
