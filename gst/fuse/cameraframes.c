/* robocache: camera frames of robocachefuse, brought to where a sample is made
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cameraframes.h"

#include <string.h>

#include "common/rows/blender.h"
#include "common/tensors/cudaframe.h"
#include "common/tensors/videoframe.h"

#define BRACKET_BYTES 256       /* of a bracket before the frames, which are aligned to as much */

gboolean
gst_robocache_fuse_frames_init (GstRobocacheFuseFrames *frames, RobocacheEngine *engine, GError **error)
{
  RcError failure;

  frames->engine = robocache_engine_ref (engine);
  frames->in_use = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);
  return robocache_engine_check (rc_event_new (robocache_engine_backend (engine), &frames->copied, &failure), &failure,
      error);
}

void
gst_robocache_fuse_frames_clear (GstRobocacheFuseFrames *frames)
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
gst_robocache_fuse_frames_begin (GstRobocacheFuseFrames *frames, GError **error)
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
gst_robocache_fuse_frames_end (GstRobocacheFuseFrames *frames, GError **error)
{
  RobocacheEngine *engine = frames->engine;
  RcError failure;

  return frames->in_use->len == 0 || robocache_engine_check (rc_event_record (robocache_engine_backend (engine),
          frames->copied, robocache_engine_stream (engine), &failure), &failure, error);
}

gboolean
gst_robocache_fuse_frame_is_dense (const GstVideoInfo *video, gsize row_bytes, GstBuffer *frame)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (frame);
  const gint line = GST_VIDEO_INFO_WIDTH (video) * GST_VIDEO_INFO_COMP_PSTRIDE (video, 0);
  const gint stride = meta ? meta->stride[0] : GST_VIDEO_INFO_PLANE_STRIDE (video, 0);
  const gsize offset = meta ? meta->offset[0] : 0;

  return gst_buffer_n_memory (frame) == 1 && !robocache_is_cuda_frame (frame) && stride == line && offset == 0
      && gst_buffer_get_size (frame) == row_bytes;
}

/* ---- one frame ---- */

static gsize
line_bytes (const GstVideoInfo *video)
{
  return (gsize) GST_VIDEO_INFO_WIDTH (video) * GST_VIDEO_INFO_COMP_PSTRIDE (video, 0);
}

/* On the CPU. */
static gboolean
copy_lines (const GstVideoInfo *video, GstBuffer *buffer, guint8 *to, GError **error)
{
  const gsize line = line_bytes (video);
  GstVideoFrame frame;

  if (!robocache_video_frame_map (&frame, video, buffer, GST_MAP_READ, error))
    return FALSE;
  for (gint y = 0; y < GST_VIDEO_INFO_HEIGHT (video); y++)
    memcpy (to + y * line, (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&frame, 0) + y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0),
        line);
  gst_video_frame_unmap (&frame);
  return TRUE;
}

/* Whether the device copies the frame by itself: dense, and in memory of ours. */
static gboolean
is_copied_directly (const GstVideoInfo *video, gsize bytes, GstBuffer *buffer)
{
  return gst_robocache_fuse_frame_is_dense (video, bytes, buffer) && robocache_is_memory (gst_buffer_peek_memory (buffer, 0))
      && robocache_engine_is_gpu (robocache_memory_engine (gst_buffer_peek_memory (buffer, 0)));
}

static gboolean
copy_frame (GstRobocacheFuseFrames *frames, const GstVideoInfo *video, GstBuffer *buffer, gpointer to, GError **error)
{
  const gsize bytes = line_bytes (video) * GST_VIDEO_INFO_HEIGHT (video);
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

static GstBuffer *
frame_at (const GstRobocacheFuseEpoch *epoch, gint64 row)
{
  GstBuffer *const *frame = robocache_history_row (&epoch->history, row);

  return *frame;
}

static gboolean
put_bracket (GstRobocacheFuseFrames *frames, const RcBracket *bracket, GError **error)
{
  const RcBracket gathered = robocache_bracket_of_gathered (bracket);
  gpointer host = robocache_staging_next (&frames->staging, frames->engine, sizeof (gathered), error);

  if (host == NULL)
    return FALSE;
  memcpy (host, &gathered, sizeof (gathered));
  return robocache_staging_copy (&frames->staging, frames->blended.data, sizeof (gathered), error);
}

/* Frames lie in buffers of their own: the ones of a bracket are gathered, and the bracket counts them from 0. */
static gboolean
blend_frames (GstRobocacheFuseFrames *frames, const GstRobocacheFuseEpoch *epoch, const RcBracket *bracket, RcAlignPlan *plan,
    gpointer scratch, gpointer to, GError **error)
{
  const GstVideoInfo *video = &epoch->format.video;
  const gsize row_bytes = line_bytes (video) * GST_VIDEO_INFO_HEIGHT (video);
  gint64 rows[4];
  const guint64 n = robocache_bracket_rows (bracket, rows);
  RcAlignStreamArgs stream = {.n_rows = (gint64) n,.row_stride = (gint64) row_bytes,.out = to,
    .out_row_stride = (gint64) row_bytes
  };
  const RcAlignArgs args = {.streams = &stream,.batch = 1,.ticks = 1,.scratch = scratch };
  guint8 *gathered;
  RcError failure;

  if (!robocache_scratch_reserve (&frames->blended, frames->engine, BRACKET_BYTES + n * row_bytes, error)
      || !put_bracket (frames, bracket, error))
    return FALSE;
  gathered = (guint8 *) frames->blended.data + BRACKET_BYTES;
  for (guint64 i = 0; i < n; i++) {
    const gint64 row = bracket->blend == RC_BLEND_MEAN ? bracket->row + (gint64) i : rows[i];

    if (!copy_frame (frames, video, frame_at (epoch, row), gathered + i * row_bytes, error))
      return FALSE;
  }
  stream.rows = gathered;
  stream.brackets = frames->blended.data;
  return robocache_engine_check (rc_align_run (plan, &args, robocache_engine_stream (frames->engine), &failure), &failure,
      error);
}

gboolean
gst_robocache_fuse_frames_write (GstRobocacheFuseFrames *frames, const GstRobocacheFuseEpoch *epoch,
    const RcBracket *bracket, RcAlignPlan *plan, gpointer scratch, gpointer to, GError **error)
{
  const GstVideoInfo *video = &epoch->format.video;
  RcError failure;

  if (bracket->blend == RC_BLEND_NONE)
    return robocache_engine_check (rc_memory_clear (robocache_engine_backend (frames->engine), to, line_bytes (video)
            * GST_VIDEO_INFO_HEIGHT (video), robocache_engine_stream (frames->engine), &failure), &failure, error);
  if (bracket->blend == RC_BLEND_COPY)
    return copy_frame (frames, video, frame_at (epoch, bracket->row), to, error);
  return blend_frames (frames, epoch, bracket, plan, scratch, to, error);
}
