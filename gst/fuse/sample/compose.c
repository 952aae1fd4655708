/* robocache: makes samples of robocachefuse from snapshots of its streams
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "composer.h"

#include <string.h>

#include "common/device/budget.h"
#include "common/tensors/flexible.h"
#include "common/tensors/tensormeta.h"
#include "composerparts.h"
#include "robocache/robocache.h"
#include "samplemeta.h"
#include "samplepool.h"

/* ---- rows of a tick ---- */

/* Whether a frame that the sample is made of is damaged. */
static gboolean
is_corrupted (const FuseOutputStream *stream, const FuseSnapshot *snapshot)
{
  for (guint64 i = 0; stream->input->format->rows.is_camera && i < snapshot->n_rows; i++) {
    if (GST_BUFFER_FLAG_IS_SET (fuse_camera_frame_of (snapshot, i), GST_BUFFER_FLAG_CORRUPTED))
      return TRUE;
  }
  return FALSE;
}

static void
write_info (FuseComposer *composer, gint64 tick, const FuseSnapshot *snapshots)
{
  for (guint i = 0; i < composer->n_streams; i++) {
    gint64 *info = fuse_window_info (&composer->window, composer->output.window - 1, i);

    info[0] = tick;
    info[1] = snapshots[i].before;
    info[2] = snapshots[i].after;
    info[3] = snapshots[i].bracket.status | (is_corrupted (&composer->streams[i], &snapshots[i]) ? ROBOCACHE_SAMPLE_CORRUPTED : 0);
  }
}

/* targets[i]: the row of tensor i that is being made. */
static gboolean
blend_tensor_streams (FuseComposer *composer, const FuseSnapshot *snapshots, guint8 *const *targets, GError **error)
{
  guint n = 0;

  for (guint i = 0; i < composer->n_streams; i++) {
    const FuseOutputStream *stream = &composer->streams[i];

    if (stream->input->format->rows.is_camera)
      continue;
    composer->blends[n++] = (RobocacheBlendStream) {
      .rows = snapshots[i].rows,
      .n_rows = snapshots[i].n_rows,
      .times = snapshots[i].times,
      .rows_on_device = stream->input->format->rows.on_device,
      .row_bytes = fuse_row_format_bytes (&stream->input->format->rows),
      .bracket = &snapshots[i].bracket,
      .out = targets[stream->tensor] + stream->offset,
      .out_row_bytes = stream->row_bytes,
    };
  }
  return n == 0 || robocache_blender_run (&composer->blender, composer->plan, composer->blends, n, error);
}

static gboolean
write_frame (FuseComposer *composer, const FuseOutputStream *stream, const FuseSnapshot *snapshot, gpointer to, GError **error)
{
  if (fuse_camera_frames_write (&composer->frames, &stream->input->format->video, snapshot, stream->camera_plan,
          composer->blender.plan_scratch.data, to, error))
    return TRUE;
  g_prefix_error (error, "%s: ", stream->input->name);
  return FALSE;
}

/* The frame that becomes the tensor as it is, or NULL. */
static GstBuffer *
frame_to_hand_on (const FuseComposer *composer, const FuseOutputStream *stream, const FuseSnapshot *snapshot)
{
  const FuseFormat *format = stream->input->format;
  GstBuffer *frame;

  if (!format->rows.is_camera || composer->memory != ROBOCACHE_SYSTEM_MEMORY || composer->header_bytes > 0 || composer->output.window > 1
      || snapshot->bracket.blend != RC_BLEND_COPY)
    return NULL;
  frame = fuse_camera_frame_of (snapshot, 0);
  return fuse_camera_frame_is_dense (&format->video, stream->row_bytes, frame) ? frame : NULL;
}

/* ---- the sample ---- */

/* Memories of the output tensors while they are written. */
typedef struct
{
  GstBuffer *buffer;            /* of downstream's pool, whose memory is the tensor; or NULL */
  GstMemory *memory[ROBOCACHE_MAX_TENSORS];
  guint8 *start[ROBOCACHE_MAX_TENSORS];         /* of the memory; NULL: it was unmapped */
  guint8 *target[ROBOCACHE_MAX_TENSORS];        /* the row of this tick, behind the header */
  GstBuffer *frame[ROBOCACHE_MAX_TENSORS];      /* handed on instead of a memory */
  GstMapInfo map[ROBOCACHE_MAX_TENSORS];        /* of memory that is not ours */
  gboolean is_mapped[ROBOCACHE_MAX_TENSORS];
} Output;

static gboolean
fail_on_peer_memory (gsize bytes, GError **error)
{
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "downstream's allocator cannot allocate %"
      G_GSIZE_FORMAT " bytes", bytes);
  return FALSE;
}

/* Memory of downstream's pool or allocator, mapped. */
static gboolean
begin_peer_memory (const FuseComposer *composer, Output *output, guint i, gsize bytes, GstFlowReturn *flow, GError **error)
{
  if (composer->peer_pool) {
    *flow = gst_buffer_pool_acquire_buffer (composer->peer_pool, &output->buffer, NULL);
    if (*flow != GST_FLOW_OK)
      return *flow == GST_FLOW_FLUSHING || *flow == GST_FLOW_EOS ? FALSE : fail_on_peer_memory (bytes, error);
    if (gst_buffer_n_memory (output->buffer) != 1 || gst_buffer_get_size (output->buffer) < bytes)
      return fail_on_peer_memory (bytes, error);
    gst_buffer_set_size (output->buffer, (gssize) bytes);
    output->memory[i] = gst_buffer_get_memory (output->buffer, 0);
  } else if (robocache_check_free_memory (bytes, "a sample", NULL)) {
    output->memory[i] = gst_allocator_alloc (composer->peer_allocator, bytes, (GstAllocationParams *) &composer->peer_params);
  }
  output->is_mapped[i] = output->memory[i] && gst_memory_map (output->memory[i], &output->map[i], GST_MAP_WRITE);
  output->start[i] = output->is_mapped[i] ? output->map[i].data : NULL;
  return output->is_mapped[i] || fail_on_peer_memory (bytes, error);
}

static gboolean
begin_memory (const FuseComposer *composer, Output *output, guint i, gsize bytes, GError **error)
{
  output->memory[i] = robocache_allocator_alloc (composer->allocator, bytes, error);
  if (output->memory[i] == NULL || !robocache_memory_begin_write (output->memory[i], composer->engine, error))
    return FALSE;
  output->start[i] = robocache_memory_data (output->memory[i]);
  return TRUE;
}

static gboolean
begin_output (const FuseComposer *composer, const FuseSnapshot *snapshots, Output *output, GstFlowReturn *flow, GError **error)
{
  const gboolean peer_memory = composer->peer_pool || composer->peer_allocator;

  for (guint i = 0; composer->output.layout == FUSE_LAYOUT_TENSORS && i < composer->n_streams; i++)
    output->frame[i] = frame_to_hand_on (composer, &composer->streams[i], &snapshots[i]);
  for (guint i = 0; i < composer->n_tensors; i++) {
    const gsize bytes = composer->header_bytes + composer->output.window * composer->tensors[i].row_bytes;

    if (output->frame[i])
      continue;
    if (peer_memory ? !begin_peer_memory (composer, output, i, bytes, flow, error)
        : !begin_memory (composer, output, i, bytes, error))
      return FALSE;
    output->target[i] = output->start[i] + composer->header_bytes;
  }
  return TRUE;
}

static void
abandon_output (const FuseComposer *composer, Output *output)
{
  for (guint i = 0; i < composer->n_tensors; i++) {
    if (output->is_mapped[i])
      gst_memory_unmap (output->memory[i], &output->map[i]);
    g_clear_pointer (&output->memory[i], gst_memory_unref);
  }
  gst_clear_buffer (&output->buffer);
}

/* With a window the row is made in the window and copied out with the older ones. */
static void
target_window (const FuseComposer *composer, guint8 **targets)
{
  for (guint i = 0; composer->output.window > 1 && i < composer->n_tensors; i++)
    targets[i] = fuse_window_newest_row (&composer->window, i);
}

static gboolean
write_rows (FuseComposer *composer, const FuseSnapshot *snapshots, const Output *output, GError **error)
{
  guint8 *targets[ROBOCACHE_MAX_TENSORS];

  memcpy (targets, output->target, sizeof (targets));
  target_window (composer, targets);
  for (guint i = 0; i < composer->n_streams; i++) {
    const FuseOutputStream *stream = &composer->streams[i];

    if (stream->input->format->rows.is_camera && !output->frame[stream->tensor]
        && !write_frame (composer, stream, &snapshots[i], targets[stream->tensor], error))
      return FALSE;
  }
  return fuse_camera_frames_end (&composer->frames, error)
      && blend_tensor_streams (composer, snapshots, targets, error);
}

static void
write_header (const FuseComposer *composer, const Output *output, guint i)
{
  if (composer->header_bytes > 0)
    robocache_flexible_write_header (output->start[i], &composer->sample.tensors[i]);
}

/* A copy of info after its header. */
static GBytes *
add_header (GBytes *info, const RobocacheTensorInfo *tensor)
{
  const gsize bytes = g_bytes_get_size (info);
  guint8 *data = g_malloc (ROBOCACHE_FLEXIBLE_HEADER_BYTES + bytes);

  robocache_flexible_write_header (data, tensor);
  memcpy (data + ROBOCACHE_FLEXIBLE_HEADER_BYTES, g_bytes_get_data (info, NULL), bytes);
  g_bytes_unref (info);
  return g_bytes_new_take (data, ROBOCACHE_FLEXIBLE_HEADER_BYTES + bytes);
}

/* The info of the buffer's meta as the last tensor. */
static void
append_info (const FuseComposer *composer, GstBuffer *buffer)
{
  GBytes *info = fuse_sample_info (buffer);
  gconstpointer data;
  gsize bytes;

  if (composer->header_bytes > 0)
    info = add_header (info, &composer->sample.tensors[composer->n_tensors]);
  data = g_bytes_get_data (info, &bytes);
  gst_buffer_append_memory (buffer, gst_memory_new_wrapped (GST_MEMORY_FLAG_READONLY, (gpointer) data, bytes, 0, bytes, info,
          (GDestroyNotify) g_bytes_unref));
}

static gboolean
end_output (const FuseComposer *composer, Output *output, GError **error)
{
  for (guint i = 0; i < composer->n_tensors; i++) {
    GstMemory *memory = output->memory[i];

    if (memory == NULL)
      continue;
    if (composer->output.window > 1 && !fuse_window_copy (&composer->window, i, output->target[i], error))
      return FALSE;
    if (output->is_mapped[i]) {
      write_header (composer, output, i);
      gst_memory_unmap (memory, &output->map[i]);
      output->is_mapped[i] = FALSE;
      output->start[i] = NULL;
    } else if (!robocache_memory_end_write (memory, composer->engine, error)) {
      return FALSE;
    }
  }
  return TRUE;
}

static void
add_references (const FuseComposer *composer, const FuseSnapshot *snapshots, GstBuffer *sample)
{
  for (guint i = 0; i < composer->n_streams; i++) {
    if (composer->streams[i].input->format->rows.is_camera && snapshots[i].n_rows > 0)
      fuse_sample_add_references (sample, composer->streams[i].input->name, fuse_camera_frame_of (&snapshots[i], 0));
  }
}

static GstBuffer *
make_buffer (const FuseComposer *composer, const FuseSnapshot *snapshots, Output *output)
{
  const gint64 tick = *fuse_window_info (&composer->window, composer->output.window - 1, 0);
  GstBuffer *buffer;

  if (output->buffer) {
    buffer = g_steal_pointer (&output->buffer);
    gst_memory_unref (output->memory[0]);
    fuse_sample_init (buffer, composer->names, tick, composer->window.info, fuse_window_info_bytes (&composer->window));
    add_references (composer, snapshots, buffer);
    return buffer;
  }
  buffer = fuse_sample_pool_acquire (composer->pool, tick, composer->window.info);
  for (guint i = 0; i < composer->n_tensors; i++) {
    if (output->frame[i]) {
      /* the parent meta keeps the frame out of its pool for as long as its memory is in use */
      gst_buffer_append_memory (buffer, gst_buffer_get_memory (output->frame[i], 0));
      gst_buffer_add_parent_buffer_meta (buffer, output->frame[i]);
    } else {
      gst_buffer_append_memory (buffer, output->memory[i]);
    }
  }
  if (composer->output.info == FUSE_INFO_TENSOR)
    append_info (composer, buffer);
  add_references (composer, snapshots, buffer);
  return buffer;
}

/* A sample in system memory is complete before it leaves. Headers are written when no engine reads or writes the memory. */
static gboolean
complete (const FuseComposer *composer, const Output *output, GError **error)
{
  if (robocache_engine_is_gpu (composer->engine) && composer->memory == ROBOCACHE_SYSTEM_MEMORY
      && !robocache_engine_synchronize (composer->engine, error))
    return FALSE;
  for (guint i = 0; i < composer->n_tensors; i++) {
    if (output->start[i])
      write_header (composer, output, i);
  }
  return TRUE;
}

/* The newest row of the window, and the sample if there is to be one. FALSE and an error, or the flow of downstream's pool. */
static gboolean
make_sample (FuseComposer *composer, const FuseSnapshot *snapshots, GstBuffer **sample, GstFlowReturn *flow, GError **error)
{
  Output output = { NULL };

  if ((sample == NULL || begin_output (composer, snapshots, &output, flow, error))
      && write_rows (composer, snapshots, &output, error) && end_output (composer, &output, error)
      && complete (composer, &output, error)) {
    if (sample)
      *sample = make_buffer (composer, snapshots, &output);
    return TRUE;
  }
  robocache_engine_wait_after_failure (composer->engine, error);
  abandon_output (composer, &output);
  return FALSE;
}

GstFlowReturn
fuse_composer_compose (FuseComposer *composer, gint64 tick, const FuseSnapshot *snapshots, GstBuffer **sample, GError **error)
{
  GstFlowReturn flow = GST_FLOW_OK;
  GError *failure = NULL;
  gboolean ok;

  if (sample)
    *sample = NULL;
  if (!fuse_camera_frames_begin (&composer->frames, error))
    return GST_FLOW_ERROR;
  if (sample == NULL && composer->output.window == 1)
    return GST_FLOW_OK;
  fuse_window_shift (&composer->window);
  write_info (composer, tick, snapshots);
  ok = make_sample (composer, snapshots, sample, &flow, &failure);
  if (failure && robocache_device_try_again (composer->device, composer->element, failure)) {
    g_clear_error (&failure);
    ok = make_sample (composer, snapshots, sample, &flow, &failure);
  }
  if (ok && sample && !robocache_device_move_output (composer->device, composer->element, *sample, &failure))
    gst_clear_buffer (sample);
  if (failure) {
    g_propagate_error (error, failure);
    return GST_FLOW_ERROR;
  }
  if (ok && sample && composer->output.has_tensor_meta)
    robocache_tensor_meta_add (*sample, &composer->sample, composer->ids, composer->header_bytes);
  return flow;
}
