/* robocache: camera frames in memory:CUDAMemory of gstreamer-cuda
 *
 * A frame is copied once into a sample, also from another context. common/device/cudacontext.h has the shared context, and cudapool.h
 * outputs in such memory; no other file uses the library.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/video/video.h>

#include "common/device/engine.h"

#define ROBOCACHE_CAPS_FEATURE_CUDA_MEMORY "memory:CUDAMemory"

/* Whether this build supports such memory; does not query the driver. */
gboolean robocache_cuda_memory_is_built (void);
/* Whether this build supports such memory, and a driver is present. */
gboolean robocache_cuda_memory_is_supported (void);

/* Whether a buffer is such a frame; FALSE if they are not supported. */
gboolean robocache_is_cuda_frame (GstBuffer * buffer);
/* The following functions are for such buffers. Whether the frame has the format and size of video. */
gboolean robocache_cuda_frame_is_whole (GstBuffer * frame, const GstVideoInfo * video);
/* Waits until the work of the frame's producer is done. */
void robocache_cuda_frame_wait (GstBuffer * frame);
/* Enqueues, on engine's stream, a copy of the lines of the frame's planes to `to`, one after another. The producer's work must be done.
 * The frame must be kept until the copy is done. */
gboolean robocache_cuda_frame_copy (GstBuffer * frame, const GstVideoInfo * video, gpointer to, RobocacheEngine * engine,
    GError ** error);
