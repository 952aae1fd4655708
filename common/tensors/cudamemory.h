/* robocache: camera frames in memory:CUDAMemory of gstreamer-cuda
 *
 * A frame is brought into a sample by one copy, also from another context. common/device/cudacontext.h has the context that both share, and
 * cudapool.h the way out; no other file knows the library.
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

G_END_DECLS
#endif
