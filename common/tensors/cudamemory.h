/* robocache: memory:CUDAMemory of gstreamer-cuda: camera frames that come in it, and tensors that leave in it
 *
 * The one place that knows that library. Its contexts are its own: a frame is brought into ours by one copy that names
 * both. What leaves belongs to the device's primary context, as other memory of ours.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_CUDAMEMORY_H
#define ROBOCACHE_CUDAMEMORY_H

#include <gst/video/video.h>

#include "common/device/engine.h"

G_BEGIN_DECLS

#define ROBOCACHE_CAPS_FEATURE_CUDA_MEMORY "memory:CUDAMemory"

/* Whether this build has code for it; asks no driver. */
gboolean robocache_cuda_memory_is_built (void);
/* The same, and there is a driver. */
gboolean robocache_cuda_memory_is_supported (void);

/* ---- frames that come ---- */

/* Whether a buffer is one; FALSE where they are not supported. */
gboolean robocache_is_cuda_frame (GstBuffer * buffer);
/* The rest is for such buffers. Whether the frame has the format and size of video. */
gboolean robocache_cuda_frame_is_whole (GstBuffer * frame, const GstVideoInfo * video);
/* Waits until its producer is done with it. */
void robocache_cuda_frame_wait (GstBuffer * frame);
/* Enqueues, on engine's stream, a copy of the lines of its planes to `to`, one after another. The producer must be done. The frame must
 * be kept until the copy is done. */
gboolean robocache_cuda_frame_copy (GstBuffer * frame, const GstVideoInfo * video, gpointer to, RobocacheEngine * engine,
    GError ** error);

/* ---- tensors that leave ---- */

/* CUDA memories of an engine's device, which are used again when they come back. */
typedef struct _RobocacheCudaPool RobocacheCudaPool;

/* The engine stays as long as the pool. NULL and GST_LIBRARY_ERROR_FAILED where CUDA memory is not supported. */
RobocacheCudaPool *robocache_cuda_pool_new (RobocacheEngine * engine, GError ** error);
/* Memories that are in use are freed when they come back. */
void robocache_cuda_pool_free (RobocacheCudaPool * pool);
/* Copies the memories of buffer, which is writable, on the device, and puts the copies in their place. Waits for them, as the library
 * wants of a producer. FALSE and an error of the device, or GST_RESOURCE_ERROR_NO_SPACE_LEFT; then buffer is as it was. */
gboolean robocache_cuda_pool_move (RobocacheCudaPool * pool, GstBuffer * buffer, GError ** error);

G_END_DECLS
#endif
