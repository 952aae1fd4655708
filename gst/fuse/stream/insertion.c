/* robocache: the rows of a buffer into a stream of robocachefuse
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "insertion.h"

#include "common/device/budget.h"
#include "common/device/devicememory.h"
#include "common/device/mapping.h"
#include "common/rows/blender.h"
#include "common/tensors/cudamemory.h"
#include "common/tensors/tensorbuffer.h"
#include "common/tensors/videoframe.h"
#include "debug.h"

/* A live stream that no tick consumes keeps this much; frames are large, and belong to upstream's pool. */
#define MAX_LIVE_ROWS 65536
#define MAX_LIVE_BYTES (G_GUINT64_CONSTANT (1) << 28)
#define MIN_LIVE_ROWS 16

/* One call of fuse_stream_insert. */
typedef struct
{
  FuseStream *stream;
  GstClockTime now;             /* GST_CLOCK_TIME_NONE: rows may be at any time */
  gsize max_rows;               /* see RobocacheHistory */
  FuseOddities *oddities;
  FuseBufferTimes times;
  const RobocacheHistory *full; /* had no memory for a row; or NULL */
} Insertion;

/* Whether a row is no further ahead of running time than it may be. One that is, or a first one far from running time, is told of. */
static gboolean
check_lead (Insertion *insertion, gint64 t)
{
  FuseStream *stream = insertion->stream;
  const gint64 lead = rc_subtract_saturating (fuse_stream_with_offset (stream, t), (gint64) insertion->now);
  const gboolean is_ahead = lead > stream->settings.max_lead;

  if (!stream->warned_far && (is_ahead || (!stream->has_data && (lead > ROBOCACHE_CLOCK_JUMP_BOUND
                  || lead < -ROBOCACHE_CLOCK_JUMP_BOUND)))) {
    insertion->oddities->far = lead;
    stream->warned_far = TRUE;
  }
  return !is_ahead;
}

/* The history that row i belongs into, and its time; NULL when it is dropped. */
static RobocacheHistory *
history_of_row (Insertion *insertion, guint64 i, gint64 *t)
{
  FuseStream *stream = insertion->stream;
  FuseEpoch *epoch = fuse_stream_newest_epoch (stream);
  RobocacheRowPlace place = ROBOCACHE_ROW_PLACED;

  if (!fuse_timestamps_nth (&stream->times, &insertion->times, i, t)) {
    GST_LOG ("a row outside the segment is dropped");
    insertion->oddities->n_outside += !robocache_row_times_nth (&stream->times.clock, &insertion->times.rows, i, t);
    robocache_history_count_dropped (&epoch->history, ROBOCACHE_DROPPED_OUTSIDE_SEGMENT, ROBOCACHE_NO_TIME, 1);
    return NULL;
  }
  if (GST_CLOCK_TIME_IS_VALID (insertion->now) && !fuse_timestamps_are_tracked (&stream->times))
    place = robocache_clock_jump_place (&stream->jump, (gint64) insertion->now, stream->settings.reorder_window, t);
  if (place == ROBOCACHE_ROW_OUTLIER) {
    GST_DEBUG ("a row at %" G_GINT64_FORMAT " is far from the clock (%" GST_TIME_FORMAT ") and from the rows before it: "
        "dropped", *t, GST_TIME_ARGS (insertion->now));
    robocache_history_count_dropped (&epoch->history, ROBOCACHE_DROPPED_CLOCK_JUMP, *t, 1);
    return NULL;
  }
  if (place == ROBOCACHE_ROW_AFTER_JUMP) {
    fuse_stream_begin_epoch_at (stream, *t);
    insertion->oddities->jumped = TRUE;
    epoch = fuse_stream_newest_epoch (stream);
  }
  if (GST_CLOCK_TIME_IS_VALID (insertion->now) && !check_lead (insertion, *t)) {
    GST_DEBUG ("a row at %" G_GINT64_FORMAT " is further ahead of running time (%" GST_TIME_FORMAT ") than max-lead: dropped", *t,
        GST_TIME_ARGS (insertion->now));
    robocache_history_count_dropped (&epoch->history, ROBOCACHE_DROPPED_AHEAD, *t, 1);
    return NULL;
  }
  if (GST_CLOCK_TIME_IS_VALID (insertion->now) && !robocache_history_has_rows (&epoch->history))
    fuse_stream_end_epochs_ahead (stream, *t);
  epoch->history.max_rows = insertion->max_rows;
  return &epoch->history;
}

static void
insert_row (Insertion *insertion, RobocacheHistory *history, gint64 t, gconstpointer row)
{
  const guint64 late = history->counts.late;

  if (robocache_history_insert (history, t, row) == ROBOCACHE_ROW_NO_MEMORY)
    insertion->full = history;
  insertion->stream->has_data = TRUE;
  if (history->counts.late > late)
    GST_LOG ("a row at %" G_GINT64_FORMAT " is older than the newest by more than the reorder window: late", t);
}

static void
insert_frame (Insertion *insertion, GstBuffer *frame)
{
  RobocacheHistory *history;
  gint64 t;

  history = history_of_row (insertion, 0, &t);
  if (history == NULL)
    return;
  gst_buffer_ref (frame);
  insert_row (insertion, history, t, &frame);
}

static void
insert_rows (Insertion *insertion, const guint8 *rows, gsize stride)
{
  for (guint64 i = 0; i < insertion->times.rows.n_rows && insertion->full == NULL; i++) {
    RobocacheHistory *history;
    gint64 t;

    history = history_of_row (insertion, i, &t);
    if (history)
      insert_row (insertion, history, t, rows + i * stride);
  }
}

static void
insert_device_rows (Insertion *insertion, GstBuffer *buffer)
{
  for (guint64 i = 0; i < insertion->times.rows.n_rows && insertion->full == NULL; i++) {
    RobocacheHistory *history;
    RobocacheDeviceRow row;
    gint64 t;

    history = history_of_row (insertion, i, &t);
    if (history == NULL)
      continue;
    row = robocache_device_row (buffer, &insertion->stream->format.tensors, 0, i);
    insert_row (insertion, history, t, &row);
  }
}

static gboolean
begin_times (Insertion *insertion, GstBuffer *buffer, const gint64 *row_times)
{
  FuseStream *stream = insertion->stream;
  const guint64 n_rows = stream->format.rows.n_rows;
  RobocacheHistory *history = &fuse_stream_newest_epoch (stream)->history;
  const FuseBufferTiming timing = fuse_timestamps_begin (&stream->times, buffer, n_rows, row_times, insertion->now, &insertion->times);

  insertion->oddities->ignores_row_times = row_times && stream->times.settings.source == FUSE_TIMES_PTS;
  insertion->oddities->pts = insertion->times.rows.pts;
  insertion->oddities->duration = insertion->times.rows.duration;
  switch (timing) {
    case FUSE_BUFFER_TIMED:
      return TRUE;
    case FUSE_BUFFER_WITHOUT_TIME:
      robocache_history_count_dropped (history, ROBOCACHE_DROPPED_NO_TIME, ROBOCACHE_NO_TIME, n_rows);
      insertion->oddities->without_time = !stream->warned_no_time;
      stream->warned_no_time = TRUE;
      break;
    case FUSE_BUFFER_WITHOUT_REFERENCE:
      robocache_history_count_dropped (history, ROBOCACHE_DROPPED_NO_REFERENCE, ROBOCACHE_NO_TIME, n_rows);
      insertion->oddities->without_reference = !stream->warned_no_reference;
      stream->warned_no_reference = TRUE;
      break;
  }
  return FALSE;
}

static gboolean
insert_camera_buffer (Insertion *insertion, GstBuffer *buffer, GError **error)
{
  const GstVideoInfo *video = &insertion->stream->format.video;

  if (!robocache_video_frame_check (video, buffer, error))
    return FALSE;
  if (begin_times (insertion, buffer, NULL))
    insert_frame (insertion, buffer);
  return TRUE;
}

static gboolean
insert_tensor_buffer (Insertion *insertion, GstBuffer *buffer, GError **error)
{
  const FuseFormat *format = &insertion->stream->format;
  RobocacheTensorsMap map;

  if (!robocache_tensors_map (&map, buffer, &format->tensors, GST_MAP_READ, error))
    return FALSE;
  robocache_quaternion_check_rows (&insertion->stream->statistics.quaternions, &insertion->stream->quaternions, format->rows.dtype,
      format->rows.channels, map.data[0], format->rows.n_rows);
  if (begin_times (insertion, buffer, format->rows.has_times ? map.data[1] : NULL))
    insert_rows (insertion, map.data[0], fuse_format_row_bytes (format));
  robocache_tensors_unmap (&map);
  return TRUE;
}

/* The rows stay on the device; only their times, if they have any, are read. */
static gboolean
insert_device_buffer (Insertion *insertion, GstBuffer *buffer, GError **error)
{
  const FuseFormat *format = &insertion->stream->format;
  gint64 *row_times = NULL;
  gboolean ok = robocache_tensors_check (buffer, &format->tensors, error);

  if (ok && format->rows.has_times)
    ok = robocache_tensors_copy (buffer, &format->tensors, 1, (gpointer *) & row_times, error);
  if (ok && begin_times (insertion, buffer, row_times))
    insert_device_rows (insertion, buffer);
  g_free (row_times);
  return ok;
}

/* Rows that are kept of a live sensor which no tick consumes. */
static gsize
max_live_rows (const FuseStream *stream)
{
  if (stream->format.is_camera)
    return stream->max_frames;
  return CLAMP (MAX_LIVE_BYTES / fuse_format_row_bytes (&stream->format), MIN_LIVE_ROWS, MAX_LIVE_ROWS);
}

guint64
fuse_stream_held_bytes (const FuseStream *stream, const FuseFormat *format)
{
  const guint64 n = format->is_camera ? stream->max_frames + FUSE_FRAMES_ON_THEIR_WAY : MAX (format->rows.n_rows, MIN_LIVE_ROWS);

  return format->on_device ? 0 : robocache_bytes_multiply (n, fuse_format_row_bytes (format));
}

void
fuse_stream_wait_for_device (const FuseFormat *format, GstBuffer *buffer)
{
  GstMemory *times;
  gsize offset;
  GstMapInfo map;

  if (!format->on_device)
    return;
  if (robocache_is_cuda_frame (buffer)) {
    robocache_cuda_frame_wait (buffer);
  } else if (format->rows.has_times && robocache_tensors_check (buffer, &format->tensors, NULL)) {
    times = robocache_tensors_peek_memory (buffer, &format->tensors, 1, &offset);
    if (robocache_is_gpu_memory (times) && gst_memory_map (times, &map, (GstMapFlags) (GST_MAP_READ | ROBOCACHE_MAP_DEVICE)))
      gst_memory_unmap (times, &map);
  }
}

gboolean
fuse_stream_insert (FuseStream *stream, GstBuffer *buffer, gboolean live, GstClockTime now, FuseOddities *oddities,
    GError **error)
{
  Insertion insertion = { stream, live ? now : GST_CLOCK_TIME_NONE, live ? max_live_rows (stream) : 0, oddities,.full = NULL };
  gboolean ok;

  if (!fuse_timestamps_check (&stream->times, &stream->format.rows, live, now, error))
    ok = FALSE;
  else if (stream->format.is_camera)
    ok = insert_camera_buffer (&insertion, buffer, error);
  else if (stream->format.on_device)
    ok = insert_device_buffer (&insertion, buffer, error);
  else
    ok = insert_tensor_buffer (&insertion, buffer, error);
  if (!ok)
    fuse_stream_refuse (stream);
  if (insertion.full)
    robocache_history_set_no_memory (insertion.full, error);
  return ok && insertion.full == NULL;
}
