/* robocache: outputs in memory:CUDAMemory of gstreamer-cuda
 *
 * The outputs belong to the device's primary context, like our device memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "engine.h"

/* A pool of CUDA memories of an engine's device, which are reused when they are returned. */
typedef struct _GstRobocacheCudaPool GstRobocacheCudaPool;

/* The pool and its memories keep the engine. NULL and an error of robocache_cuda_context_get. */
GstRobocacheCudaPool *robocache_cuda_pool_new (RobocacheEngine * engine, GError ** error);
/* Memories in use are freed when they are returned. */
void robocache_cuda_pool_free (GstRobocacheCudaPool * pool);
/* Replaces the memories of buffer, which is writable, by copies on the device. Waits for the copies, because readers of such memory do
 * not wait. FALSE and an error of the device, or GST_RESOURCE_ERROR_NO_SPACE_LEFT; then buffer is unchanged. */
gboolean robocache_cuda_pool_move (GstRobocacheCudaPool * pool, GstBuffer * buffer, GError ** error);
