/* robocache: camera frames of robocachefuse, in the memory of the sample
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cameraframes.h"

#include <string.h>

#include "common/rows/blender.h"
#include "common/tensors/cudamemory.h"
#include "common/tensors/videoframes.h"
#include "common/tensors/videoplanes.h"

#define BRACKET_BYTES 256       /* of a bracket before the frames, which are aligned to as much */

gboolean
fuse_camera_frames_init (FuseCameraFrames *frames, RobocacheEngine *engine, GError **error)
{
  RcError failure;

  frames->engine = robocache_engine_ref (engine);
  frames->in_use = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);
  return robocache_engine_check (rc_event_new (robocache_engine_backend (engine), &frames->copied, &failure), &failure,
      error);
}

void
fuse_camera_frames_clear (FuseCameraFrames *frames)
{
  if (frames->engine == NULL)
    return;
  robocache_engine_synchronize (frames->engine, NULL);
  g_ptr_array_unref (frames->in_use);
  rc_event_free (robocache_engine_backend (frames->engine), frames->copied);
  robocache_staging_clear (&frames->staging);
  robocache_scratch_clear (&frames->blended);
  g_clear_pointer (&frames->engine, robocache_engine_unref);
}

gboolean
fuse_camera_frames_begin (FuseCameraFrames *frames, GError **error)
{
  RcError failure;

  if (frames->in_use->len == 0)
    return TRUE;
  if (!robocache_engine_check (rc_event_synchronize (robocache_engine_backend (frames->engine), frames->copied, &failure),
          &failure, error))
    return FALSE;
  g_ptr_array_set_size (frames->in_use, 0);
  return TRUE;
}

gboolean
fuse_camera_frames_end (FuseCameraFrames *frames, GError **error)
{
  RobocacheEngine *engine = frames->engine;
  RcError failure;

  return frames->in_use->len == 0 || robocache_engine_check (rc_event_record (robocache_engine_backend (engine),
          frames->copied, robocache_engine_stream (engine), &failure), &failure, error);
}

gboolean
fuse_camera_frame_is_dense (const GstVideoInfo *video, gsize row_bytes, GstBuffer *frame)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (frame);
  gboolean dense = gst_buffer_n_memory (frame) == 1 && !robocache_is_cuda_frame (frame)
      && gst_buffer_get_size (frame) == row_bytes;
  gsize offset = 0;

  for (guint p = 0; dense && p < GST_VIDEO_INFO_N_PLANES (video); p++) {
    const RobocachePlane plane = robocache_video_plane (video, p);

    dense = (meta ? meta->stride[p] : GST_VIDEO_INFO_PLANE_STRIDE (video, p)) == (gint) plane.line_bytes
        && (meta ? meta->offset[p] : GST_VIDEO_INFO_PLANE_OFFSET (video, p)) == offset;
    offset += plane.line_bytes * plane.n_lines;
  }
  return dense;
}

/* ---- one frame ---- */

static guint8 *
copy_plane (const GstVideoFrame *frame, guint p, guint8 *to)
{
  const RobocachePlane plane = robocache_video_plane (&frame->info, p);

  for (gsize y = 0; y < plane.n_lines; y++)
    memcpy (to + y * plane.line_bytes, (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame, p)
        + (gssize) y * GST_VIDEO_FRAME_PLANE_STRIDE (frame, p), plane.line_bytes);
  return to + plane.n_lines * plane.line_bytes;
}

/* On the CPU. */
static gboolean
copy_lines (const GstVideoInfo *video, GstBuffer *buffer, guint8 *to, GError **error)
{
  GstVideoFrame frame;

  if (!robocache_video_frame_map (&frame, video, buffer, GST_MAP_READ, error))
    return FALSE;
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (video); p++)
    to = copy_plane (&frame, p, to);
  gst_video_frame_unmap (&frame);
  return TRUE;
}

/* Whether the device copies the frame directly: it is dense, and in memory of ours. */
static gboolean
is_copied_directly (const GstVideoInfo *video, gsize bytes, GstBuffer *buffer)
{
  return fuse_camera_frame_is_dense (video, bytes, buffer) && robocache_is_copied_by_gpu (gst_buffer_peek_memory (buffer, 0));
}

static gboolean
copy_frame (FuseCameraFrames *frames, const GstVideoInfo *video, GstBuffer *buffer, gpointer to, GError **error)
{
  const gsize bytes = robocache_video_dense_bytes (video);
  guint8 *host;

  if (!robocache_engine_is_gpu (frames->engine))
    return copy_lines (video, buffer, to, error);
  if (robocache_is_cuda_frame (buffer)) {
    g_ptr_array_add (frames->in_use, gst_buffer_ref (buffer));
    return robocache_cuda_frame_copy (buffer, video, to, frames->engine, error);
  }
  if (is_copied_directly (video, bytes, buffer)) {
    g_ptr_array_add (frames->in_use, gst_buffer_ref (buffer));
    return robocache_memory_copy_out (gst_buffer_peek_memory (buffer, 0), 0, bytes, to, frames->engine, error);
  }
  host = robocache_staging_next (&frames->staging, frames->engine, bytes, error);
  return host && copy_lines (video, buffer, host, error) && robocache_staging_copy (&frames->staging, to, bytes, error);
}

/* ---- several, blended ---- */

static gboolean
put_bracket (FuseCameraFrames *frames, const RcBracket *bracket, GError **error)
{
  gpointer host = robocache_staging_next (&frames->staging, frames->engine, sizeof (*bracket), error);

  if (host == NULL)
    return FALSE;
  memcpy (host, bracket, sizeof (*bracket));
  return robocache_staging_copy (&frames->staging, frames->blended.data, sizeof (*bracket), error);
}

/* Frames lie in buffers of their own: those of a bracket are gathered. */
static gboolean
blend_frames (FuseCameraFrames *frames, const GstVideoInfo *video, const FuseSnapshot *snapshot, RcAlignPlan *plan,
    gpointer scratch, gpointer to, GError **error)
{
  const gsize row_bytes = robocache_video_dense_bytes (video);
  RcAlignStreamArgs stream = {.n_rows = (gint64) snapshot->n_rows,.row_stride = (gint64) row_bytes,.out = to,
    .out_row_stride = (gint64) row_bytes
  };
  const RcAlignArgs args = {.streams = &stream,.batch = 1,.ticks = 1,.scratch = scratch };
  guint8 *gathered;
  RcError failure;

  if (!robocache_scratch_reserve (&frames->blended, frames->engine, BRACKET_BYTES + snapshot->n_rows * row_bytes, error)
      || !put_bracket (frames, &snapshot->bracket, error))
    return FALSE;
  gathered = (guint8 *) frames->blended.data + BRACKET_BYTES;
  for (guint64 i = 0; i < snapshot->n_rows; i++) {
    if (!copy_frame (frames, video, fuse_camera_frame_of (snapshot, i), gathered + i * row_bytes, error))
      return FALSE;
  }
  stream.rows = gathered;
  stream.brackets = frames->blended.data;
  return robocache_engine_check (rc_align_run (plan, &args, robocache_engine_stream (frames->engine), &failure), &failure,
      error);
}

gboolean
fuse_camera_frames_write (FuseCameraFrames *frames, const GstVideoInfo *video, const FuseSnapshot *snapshot,
    RcAlignPlan *plan, gpointer scratch, gpointer to, GError **error)
{
  RcError failure;

  if (snapshot->bracket.blend == RC_BLEND_NONE)
    return robocache_engine_check (rc_memory_clear (robocache_engine_backend (frames->engine), to,
            robocache_video_dense_bytes (video), robocache_engine_stream (frames->engine), &failure), &failure, error);
  if (snapshot->bracket.blend == RC_BLEND_COPY)
    return copy_frame (frames, video, fuse_camera_frame_of (snapshot, 0), to, error);
  return blend_frames (frames, video, snapshot, plan, scratch, to, error);
}
