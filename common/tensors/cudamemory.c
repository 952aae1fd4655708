/* robocache: camera frames in memory:CUDAMemory of gstreamer-cuda
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cudamemory.h"

gboolean
robocache_cuda_memory_is_built (void)
{
#ifdef HAVE_GSTCUDA
  return TRUE;
#else
  return FALSE;
#endif
}

#ifdef HAVE_GSTCUDA

/* The library calls itself unstable: what changed since 1.22 is guarded. */
#define GST_USE_UNSTABLE_API
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>

#include "common/device/mapping.h"
#include "videoplanes.h"

gboolean
robocache_cuda_memory_is_supported (void)
{
  return gst_cuda_load_library ();
}

gboolean
robocache_is_cuda_frame (GstBuffer *buffer)
{
  return gst_buffer_n_memory (buffer) == 1 && gst_is_cuda_memory (gst_buffer_peek_memory (buffer, 0));
}

gboolean
robocache_cuda_frame_is_whole (GstBuffer *frame, const GstVideoInfo *video)
{
  const GstVideoInfo *info = &GST_CUDA_MEMORY_CAST (gst_buffer_peek_memory (frame, 0))->info;

  return GST_VIDEO_INFO_FORMAT (info) == GST_VIDEO_INFO_FORMAT (video)
      && GST_VIDEO_INFO_WIDTH (info) == GST_VIDEO_INFO_WIDTH (video)
      && GST_VIDEO_INFO_HEIGHT (info) == GST_VIDEO_INFO_HEIGHT (video);
}

/* Until 1.24 producers wait for their stream before they hand a frame on. */
void
robocache_cuda_frame_wait (GstBuffer *frame)
{
#if GST_CHECK_VERSION (1, 24, 0)
  gst_cuda_memory_sync (GST_CUDA_MEMORY_CAST (gst_buffer_peek_memory (frame, 0)));
#endif
}

/* Mapped for the device, a frame that was last written by the CPU goes up first. */
gboolean
robocache_cuda_frame_copy (GstBuffer *frame, const GstVideoInfo *video, gpointer to, RobocacheEngine *engine, GError **error)
{
  GstMemory *memory = gst_buffer_peek_memory (frame, 0);
  GstCudaMemory *cuda = GST_CUDA_MEMORY_CAST (memory);
  guint8 *line = to;
  GstMapInfo map;
  RcStatus status = RC_OK;
  RcError failure;

  if (!robocache_map_memory (memory, &map, (GstMapFlags) (GST_MAP_READ | GST_MAP_CUDA), error))
    return FALSE;
  for (guint p = 0; status == RC_OK && p < GST_VIDEO_INFO_N_PLANES (video); p++) {
    const RobocachePlane plane = robocache_video_plane (video, p);
    const RcMemoryCopy copy = {.to = line,.to_stride = (gint64) plane.line_bytes,.row_bytes = plane.line_bytes,.rows = plane.n_lines,
      .from = map.data + GST_VIDEO_INFO_PLANE_OFFSET (&cuda->info, p),.from_stride = GST_VIDEO_INFO_PLANE_STRIDE (&cuda->info, p),
      .from_context = gst_cuda_context_get_handle (cuda->context)
    };

    status = rc_memory_copy (robocache_engine_backend (engine), &copy, robocache_engine_stream (engine), &failure);
    line += plane.line_bytes * plane.n_lines;
  }
  gst_memory_unmap (memory, &map);
  return robocache_engine_check (status, &failure, error);
}

#else

gboolean
robocache_cuda_memory_is_supported (void)
{
  return FALSE;
}

gboolean
robocache_is_cuda_frame (GstBuffer *buffer)
{
  return FALSE;
}

gboolean
robocache_cuda_frame_is_whole (GstBuffer *frame, const GstVideoInfo *video)
{
  return FALSE;
}

void
robocache_cuda_frame_wait (GstBuffer *frame)
{
}

gboolean
robocache_cuda_frame_copy (GstBuffer *frame, const GstVideoInfo *video, gpointer to, RobocacheEngine *engine, GError **error)
{
  g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, "this build does not support frames in memory:CUDAMemory");
  return FALSE;
}

#endif
