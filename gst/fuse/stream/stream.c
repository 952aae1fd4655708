/* robocache: one sensor of robocachefuse: its format, its rows, and their ticks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "stream.h"

#include "common/device/budget.h"
#include "common/tensors/cudaframe.h"
#include "common/device/devicememory.h"
#include "common/device/mapping.h"
#include "common/rows/blender.h"
#include "common/tensors/tensorbuffer.h"
#include "common/tensors/videoframe.h"
#include "debug.h"

/* A live stream that no tick consumes keeps this much; frames are large, and belong to upstream's pool. */
#define MAX_LIVE_ROWS 65536
#define MAX_LIVE_BYTES (G_GUINT64_CONSTANT (1) << 28)
#define MIN_LIVE_ROWS 16
/* Until caps tell the rate. */
#define USUAL_CAMERA_FRAMES 8
/* How far from a row a tick is still near it, at least and at most. */
#define LEAST_NEAR ((gint64) GST_SECOND)
#define MOST_NEAR (10 * (gint64) GST_SECOND)

/* ---- life ---- */

static void
epoch_free (gpointer data)
{
  FuseEpoch *epoch = data;

  robocache_history_clear (&epoch->history);
  fuse_format_clear (&epoch->format);
  g_free (epoch);
}

void
fuse_stream_init (FuseStream *stream)
{
  static gsize n_streams = 0;

  *stream = (FuseStream) {.id = (guint64) g_atomic_pointer_add (&n_streams, 1) + 1,.max_frames = USUAL_CAMERA_FRAMES };
  g_queue_init (&stream->epochs);
  fuse_timestamps_init (&stream->times);
  robocache_clock_jump_init (&stream->jump);
}

void
fuse_stream_clear (FuseStream *stream)
{
  g_queue_clear_full (&stream->epochs, epoch_free);
  fuse_format_clear (&stream->format);
  fuse_timestamps_clear (&stream->times);
  robocache_channel_list_clear (&stream->quaternions);
  g_clear_pointer (&stream->released, g_ptr_array_unref);
}

void
fuse_stream_reset (FuseStream *stream)
{
  g_queue_clear_full (&stream->epochs, epoch_free);
  fuse_format_clear (&stream->format);
  robocache_row_times_init (&stream->times.clock);
  fuse_timestamps_reset (&stream->times);
  stream->times.n_jumps = 0;
  robocache_clock_jump_init (&stream->jump);
  stream->has_format = stream->is_declared = stream->has_data = stream->eos = stream->segment_done = FALSE;
  stream->warned_no_time = stream->warned_no_reference = stream->warned_far = stream->gap.is_done = FALSE;
  stream->has_origin = stream->origin_is_first_row = FALSE;
  stream->origin = stream->origin_shift = stream->sought_by = 0;
  memset (&stream->statistics, 0, sizeof (stream->statistics));
  memset (&stream->losses, 0, sizeof (stream->losses));
}

/* ---- epochs ---- */

FuseEpoch *
fuse_stream_epoch (const FuseStream *stream)
{
  return stream->epochs.head ? stream->epochs.head->data : NULL;
}

static FuseEpoch *
newest_epoch (const FuseStream *stream)
{
  return stream->epochs.tail ? stream->epochs.tail->data : NULL;
}

static void
end_epoch (FuseStream *stream, FuseEpoch *epoch)
{
  g_queue_remove (&stream->epochs, epoch);
  robocache_history_reset (&epoch->history);
  robocache_row_counts_add (&stream->statistics.rows, &epoch->history.counts);
  epoch_free (epoch);
}

static void
unref_later (FuseStream *stream, GstBuffer *buffer)
{
  if (stream->released)
    g_ptr_array_add (stream->released, buffer);
  else
    gst_buffer_unref (buffer);
}

static void
release_later (gpointer row, gpointer stream)
{
  unref_later (stream, *(GstBuffer **) row);
}

/* Rows of the newest epoch are complete; new ones have the current format and segment. */
static void
begin_epoch (FuseStream *stream)
{
  FuseEpoch *epoch = newest_epoch (stream);

  if (epoch && robocache_history_has_rows (&epoch->history))
    robocache_history_eos (&epoch->history);
  else if (epoch)
    end_epoch (stream, epoch);

  epoch = g_new0 (FuseEpoch, 1);
  fuse_format_copy (&epoch->format, &stream->format);
  robocache_history_init (&epoch->history, fuse_format_kept_bytes (&stream->format),
      fuse_format_keeps_buffers (&stream->format) ? release_later : NULL, stream);
  epoch->history.reorder_window = stream->settings.reorder_window;
  epoch->history.losses = &stream->losses;
  g_queue_push_tail (&stream->epochs, epoch);
}

/* New rows have no connection with those before. */
static void
begin_position (FuseStream *stream)
{
  robocache_clock_jump_restart (&stream->jump);
  if (stream->has_format)
    begin_epoch (stream);
}

void
fuse_stream_set_settings (FuseStream *stream, const FuseStreamSettings *settings)
{
  const gint64 tick_period = stream->settings.search.period_ns;

  stream->gap.is_done &= stream->settings.search.max_gap_ns == settings->search.max_gap_ns;
  stream->settings = *settings;
  stream->warned_far = FALSE;
  stream->settings.search.period_ns = tick_period;
  for (GList *l = stream->epochs.head; l; l = l->next)
    ((FuseEpoch *) l->data)->history.reorder_window = settings->reorder_window;
}

void
fuse_stream_set_timestamps (FuseStream *stream, const FuseTimestampSettings *timestamps)
{
  if (fuse_timestamp_settings_is_equal (&stream->times.settings, timestamps))
    return;
  fuse_timestamp_settings_copy (&stream->times.settings, timestamps);
  fuse_timestamps_reset (&stream->times);
  stream->warned_no_reference = stream->warned_far = FALSE;
  robocache_clock_jump_restart (&stream->jump);
  if (stream->has_format && !stream->eos)
    begin_epoch (stream);
}

/* ---- offset ---- */

gint64
fuse_stream_offset (const FuseStream *stream)
{
  return rc_add_saturating (stream->settings.offset, rc_subtract_saturating (stream->origin_shift, stream->sought_by));
}

/* Saturated times are no ROBOCACHE_NO_TIME. */
static gint64
with_offset (const FuseStream *stream, gint64 t)
{
  return t == ROBOCACHE_NO_TIME ? t : MAX (rc_add_saturating (t, fuse_stream_offset (stream)), ROBOCACHE_NO_TIME + 1);
}

static gint64
without_offset (const FuseStream *stream, gint64 t)
{
  return MAX (rc_subtract_saturating (t, fuse_stream_offset (stream)), ROBOCACHE_NO_TIME + 1);
}

/* ---- events ---- */

gboolean
fuse_stream_set_format (FuseStream *stream, FuseFormat *format, gboolean is_declared, GError **error)
{
  FuseEpoch *epoch = newest_epoch (stream);

  if (stream->is_declared) {
    if (!fuse_format_is_as_declared (format, &stream->format)) {
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "caps differ from expected-caps");
      fuse_format_clear (format);
      return FALSE;
    }
    g_free (format->channels);  /* the output's caps were made of those that were declared */
    format->channels = g_strdup (stream->format.channels);
  }
  fuse_format_clear (&stream->format);
  stream->format = *format;
  stream->has_format = TRUE;
  stream->is_declared = is_declared;
  robocache_row_times_set_rate (&stream->times.clock, format->rate_num, format->rate_den);
  if (epoch && !epoch->history.eos && fuse_format_has_same_rows (&epoch->format, format)) {
    fuse_format_clear (&epoch->format);
    fuse_format_copy (&epoch->format, format);
  } else {
    begin_epoch (stream);
  }
  return TRUE;
}

void
fuse_stream_set_quaternions (FuseStream *stream, const gchar *list)
{
  robocache_channel_list_clear (&stream->quaternions);
  robocache_channel_list_parse (&stream->quaternions, list, stream->format.channels, NULL);
}

void
fuse_stream_set_segment (FuseStream *stream, const GstSegment *segment)
{
  stream->segment_done = FALSE;
  robocache_row_times_set_segment (&stream->times.clock, segment);
  begin_position (stream);
}

void
fuse_stream_gap (FuseStream *stream, GstClockTime pts, GstClockTime duration, GstClockTime now)
{
  FuseEpoch *epoch = newest_epoch (stream);
  const GstSegment *segment = &stream->times.clock.segment;
  GstClockTime end = GST_CLOCK_TIME_IS_VALID (duration) && duration < G_MAXINT64 - MIN (pts, G_MAXINT64) ? pts + duration : pts;
  GstClockTime start, running;
  gint64 t;

  if (epoch == NULL || segment->format != GST_FORMAT_TIME)
    return;
  start = gst_segment_to_running_time (segment, GST_FORMAT_TIME, pts);
  if (GST_CLOCK_TIME_IS_VALID (now) && GST_CLOCK_TIME_IS_VALID (start) && !fuse_timestamps_are_tracked (&stream->times)
      && !robocache_clock_jump_fits (&stream->jump, (gint64) now, stream->settings.reorder_window, (gint64) start))
    return;
  if (GST_CLOCK_TIME_IS_VALID (segment->stop))
    end = MIN (end, segment->stop);
  running = gst_segment_to_running_time (segment, GST_FORMAT_TIME, end);
  t = (gint64) running;
  if (!GST_CLOCK_TIME_IS_VALID (running) || !fuse_timestamps_of_gap (&stream->times, &t))
    return;
  t = rc_add_saturating (t, stream->jump.shift);
  if (GST_CLOCK_TIME_IS_VALID (now) && rc_subtract_saturating (with_offset (stream, t), (gint64) now) > stream->settings.max_lead) {
    GST_DEBUG ("a GAP that ends further ahead of running time than max-lead is ignored");
    return;
  }
  robocache_history_gap (&epoch->history, t);
  stream->has_data = TRUE;
}

static void
end_rows (FuseStream *stream)
{
  FuseEpoch *epoch = newest_epoch (stream);

  if (epoch)
    robocache_history_eos (&epoch->history);
}

void
fuse_stream_eos (FuseStream *stream)
{
  stream->eos = TRUE;
  end_rows (stream);
}

void
fuse_stream_segment_done (FuseStream *stream)
{
  stream->segment_done = TRUE;
  end_rows (stream);
}

void
fuse_stream_restart (FuseStream *stream)
{
  if (!stream->eos)
    return;
  stream->eos = FALSE;
  begin_position (stream);
}

void
fuse_stream_discard (FuseStream *stream, RobocacheDropReason reason)
{
  FuseEpoch *epoch;

  while ((epoch = fuse_stream_epoch (stream))) {
    robocache_history_discard (&epoch->history, reason);
    end_epoch (stream, epoch);
  }
}

void
fuse_stream_flush (FuseStream *stream)
{
  fuse_stream_discard (stream, ROBOCACHE_DROPPED_FLUSH);
  stream->eos = stream->segment_done = FALSE;
  robocache_row_times_set_segment (&stream->times.clock, &stream->times.clock.segment);
  begin_position (stream);
}

void
fuse_stream_follow_running_time (FuseStream *stream, gint64 moved)
{
  fuse_stream_discard (stream, ROBOCACHE_DROPPED_CLOCK_JUMP);
  robocache_row_times_set_segment (&stream->times.clock, &stream->times.clock.segment);
  robocache_clock_jump_follow (&stream->jump, moved);
  if (stream->has_format)
    begin_epoch (stream);
  if (stream->eos || stream->segment_done)
    end_rows (stream);
}

/* A clock that is tracked is known against the pipeline's clock, whatever its base time is. */
void
fuse_stream_expect_move (FuseStream *stream, gint64 now, gint64 moved, gboolean by_clock)
{
  if (!fuse_timestamps_are_tracked (&stream->times)) {
    if (moved == 0)
      return;
    fuse_timestamps_forget_origin (&stream->times);
    robocache_clock_jump_expect (&stream->jump, now, moved);
  } else if (by_clock) {
    fuse_timestamps_reset (&stream->times);
  }
}

void
fuse_stream_settle (FuseStream *stream)
{
  for (GList *l = stream->epochs.head; l; l = l->next) {
    FuseEpoch *epoch = l->data;

    robocache_history_reset (&epoch->history);
    epoch->history.eos = stream->eos || stream->segment_done;
  }
}

/* ---- rows in ---- */

void
fuse_stream_refuse (FuseStream *stream)
{
  robocache_row_counts_refuse (&stream->statistics.rows, ROBOCACHE_DROPPED_REFUSED,
      stream->has_format ? stream->format.rows.n_rows : 1);
}

/* What the rows of a buffer are inserted with. */
typedef struct
{
  FuseStream *stream;
  GstClockTime now;             /* GST_CLOCK_TIME_NONE: rows may be at any time */
  gsize max_rows;               /* see RobocacheHistory */
  FuseOddities *oddities;
  FuseBufferTimes times;
  const RobocacheHistory *full; /* had no memory for a row; or NULL */
} Insertion;

/* The sensor's clock has jumped: rows continue at t, beyond which no older one is of use. */
static void
begin_epoch_at (FuseStream *stream, gint64 t)
{
  GList *next;

  for (GList *l = stream->epochs.head; l; l = next) {
    FuseEpoch *epoch = l->data;

    next = l->next;
    robocache_history_discard_from (&epoch->history, t, ROBOCACHE_DROPPED_CLOCK_JUMP);
    if (!robocache_history_has_rows (&epoch->history))
      end_epoch (stream, epoch);
  }
  begin_epoch (stream);
}

/* The first row of an epoch of a live stream: older rows that are all after it are void, and would hold new ones back. */
static void
end_epochs_ahead (FuseStream *stream, gint64 t)
{
  GList *next;

  for (GList *l = stream->epochs.head; l != stream->epochs.tail; l = next) {
    FuseEpoch *epoch = l->data;

    next = l->next;
    if (robocache_history_first_time (&epoch->history) <= t)
      continue;
    robocache_history_discard (&epoch->history, ROBOCACHE_DROPPED_CLOCK_JUMP);
    end_epoch (stream, epoch);
  }
}

/* Whether a row is no further ahead of running time than it may be. One that is, or a first one far from running time, is told of. */
static gboolean
check_lead (Insertion *insertion, gint64 t)
{
  FuseStream *stream = insertion->stream;
  const gint64 lead = rc_subtract_saturating (with_offset (stream, t), (gint64) insertion->now);
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
  FuseEpoch *epoch = newest_epoch (stream);
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
    begin_epoch_at (stream, *t);
    insertion->oddities->jumped = TRUE;
    epoch = newest_epoch (stream);
  }
  if (GST_CLOCK_TIME_IS_VALID (insertion->now) && !check_lead (insertion, *t)) {
    GST_DEBUG ("a row at %" G_GINT64_FORMAT " is further ahead of running time (%" GST_TIME_FORMAT ") than max-lead: dropped", *t,
        GST_TIME_ARGS (insertion->now));
    robocache_history_count_dropped (&epoch->history, ROBOCACHE_DROPPED_AHEAD, *t, 1);
    return NULL;
  }
  if (GST_CLOCK_TIME_IS_VALID (insertion->now) && !robocache_history_has_rows (&epoch->history))
    end_epochs_ahead (stream, *t);
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
  RobocacheHistory *history = &newest_epoch (stream)->history;

  switch (fuse_timestamps_begin (&stream->times, buffer, n_rows, row_times, insertion->now, &insertion->times)) {
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

/* A copy in memory that no pool owns. */
static gboolean
copy_frame (FuseStream *stream, GstBuffer **frame)
{
  GstBuffer *copy = robocache_copy_buffer (*frame);

  if (copy == NULL)
    return FALSE;
  unref_later (stream, *frame);
  *frame = copy;
  return TRUE;
}

gboolean
fuse_stream_copy_frames (FuseStream *stream)
{
  gboolean ok = TRUE;

  for (GList *l = stream->epochs.head; l; l = l->next) {
    const FuseEpoch *epoch = l->data;

    for (gsize i = 0; epoch->format.is_camera && i < epoch->history.n; i++)
      ok &= copy_frame (stream, (GstBuffer **) robocache_history_row (&epoch->history, (gint64) i));
  }
  return ok;
}

/* ---- ticks out ---- */

gboolean
fuse_stream_is_over (const FuseStream *stream)
{
  return stream->eos || stream->segment_done || (stream->is_declared && !stream->has_data);
}

/* Whether an instant lies beyond an epoch's rows and within those of the next. */
static gboolean
epoch_is_over (GList *link, gint64 t)
{
  const FuseEpoch *epoch = link->data;
  const FuseEpoch *next = link->next ? link->next->data : NULL;

  return next && t > robocache_history_last_time (&epoch->history) && robocache_history_has_rows (&next->history)
      && robocache_history_first_time (&next->history) <= t;
}

gboolean
fuse_stream_is_ready (const FuseStream *stream, gint64 tick, gboolean settled)
{
  const gint64 t = without_offset (stream, tick);
  GList *link = stream->epochs.head;
  const FuseEpoch *epoch;

  if (fuse_stream_is_over (stream))
    return TRUE;
  if (link == NULL)
    return FALSE;
  while (epoch_is_over (link, t))
    link = link->next;
  epoch = link->data;
  if (link->next && t > robocache_history_last_time (&epoch->history)) {
    /* held from this epoch, unless a row of the next comes before t */
    const FuseEpoch *next = link->next->data;

    return robocache_history_frontier (&next->history) > t;
  }
  return robocache_history_ready (&epoch->history, &stream->settings.search, t, settled);
}

gboolean
fuse_stream_enter_tick (FuseStream *stream, gint64 tick)
{
  gboolean changed = FALSE;

  while (stream->epochs.head && epoch_is_over (stream->epochs.head, without_offset (stream, tick))) {
    FuseEpoch *over = stream->epochs.head->data, *next = stream->epochs.head->next->data;

    changed |= !fuse_format_has_same_rows (&over->format, &next->format);
    end_epoch (stream, over);
  }
  return changed;
}

void
fuse_stream_count_ticks (FuseStream *stream, RcRowStatus status, guint64 n)
{
  guint64 *const counters[] = {
    [RC_ALIGNED] = &stream->statistics.ticks_aligned,
    [RC_HELD] = &stream->statistics.ticks_held,
    [RC_MISSING] = &stream->statistics.ticks_missing,
  };

  *counters[status] += n;
}

gboolean
fuse_stream_read (FuseStream *stream, gint64 tick, FuseSnapshot *snapshot, GError **error)
{
  FuseEpoch *epoch = fuse_stream_epoch (stream);
  RobocacheAlignment alignment;

  robocache_history_align (&epoch->history, &stream->settings.search, without_offset (stream, tick), &alignment);
  alignment.before = with_offset (stream, alignment.before);
  alignment.after = with_offset (stream, alignment.after);
  if (!fuse_snapshot_read (snapshot, &epoch->format, &epoch->history, &alignment, error))
    return FALSE;
  fuse_stream_count_ticks (stream, alignment.bracket.status, 1);
  if (alignment.bracket.status != RC_MISSING && alignment.before != ROBOCACHE_NO_TIME)
    robocache_histogram_add (&stream->statistics.age, rc_add_saturating (tick, -alignment.before));
  return TRUE;
}

void
fuse_stream_prune (FuseStream *stream, gint64 next_tick)
{
  FuseEpoch *epoch = fuse_stream_epoch (stream);

  if (epoch)
    robocache_history_prune (&epoch->history, &stream->settings.search, without_offset (stream, next_tick));
}

/* How long a row that is held at t stays held, when no other comes. */
static gint64
end_of_hold (const FuseStream *stream, gint64 t)
{
  const gint64 limit = stream->settings.search.hold_limit_ns;
  const FuseEpoch *epoch = fuse_stream_epoch (stream);
  const gint64 n_before = (gint64) (epoch->history.n - robocache_history_rows_after (&epoch->history, t));

  if (limit < 0)
    return G_MAXINT64;
  if (n_before == 0)
    return t;
  return rc_add_saturating (rc_add_saturating (epoch->history.times[epoch->history.first + n_before - 1], limit), 1);
}

gint64
fuse_stream_same_status_until (const FuseStream *stream, gint64 tick, RcRowStatus status)
{
  const RcSearch *search = &stream->settings.search;
  const gint64 t = without_offset (stream, tick);
  gint64 next = fuse_stream_next_row_after (stream, tick), end;

  if (status == RC_ALIGNED)
    return tick;
  end = next == ROBOCACHE_NO_TIME ? G_MAXINT64 : without_offset (stream, next);
  if (!fuse_stream_is_over (stream))
    end = MIN (end, robocache_history_frontier (&newest_epoch (stream)->history));
  if (search->interpolation == RC_MEAN && end != G_MAXINT64)
    end = rc_add_saturating (end, -search->period_ns);
  if (status == RC_HELD)
    end = MIN (end, end_of_hold (stream, t));
  return end == G_MAXINT64 ? end : MAX (tick, with_offset (stream, end));
}

/* ---- questions ---- */

gint64
fuse_stream_frontier (const FuseStream *stream)
{
  const FuseEpoch *epoch = newest_epoch (stream);

  return epoch ? with_offset (stream, robocache_history_frontier (&epoch->history)) : ROBOCACHE_NO_TIME;
}

gint64
fuse_stream_first_time (const FuseStream *stream)
{
  const FuseEpoch *epoch = fuse_stream_epoch (stream);

  return epoch ? with_offset (stream, epoch->history.oldest_row) : ROBOCACHE_NO_TIME;
}

gint64
fuse_stream_last_time (const FuseStream *stream)
{
  for (const GList *l = stream->epochs.tail; l; l = l->prev) {
    const FuseEpoch *epoch = l->data;

    if (robocache_history_has_rows (&epoch->history))
      return with_offset (stream, robocache_history_last_time (&epoch->history));
  }
  return ROBOCACHE_NO_TIME;
}

gint64
fuse_stream_newest_row (const FuseStream *stream)
{
  gint64 newest = ROBOCACHE_NO_TIME;

  for (const GList *l = stream->epochs.head; l; l = l->next)
    newest = MAX (newest, with_offset (stream, ((const FuseEpoch *) l->data)->history.newest_row));
  return newest;
}

gint64
fuse_stream_next_row_after (const FuseStream *stream, gint64 t)
{
  for (const GList *l = stream->epochs.head; l; l = l->next) {
    const FuseEpoch *epoch = l->data;
    const gint64 row = robocache_history_next_after (&epoch->history, without_offset (stream, t));

    if (row != ROBOCACHE_NO_TIME)
      return with_offset (stream, row);
  }
  return ROBOCACHE_NO_TIME;
}

gsize
fuse_stream_rows_after (const FuseStream *stream, gint64 t)
{
  gsize n = 0;

  for (const GList *l = stream->epochs.head; l; l = l->next)
    n += robocache_history_rows_after (&((FuseEpoch *) l->data)->history, without_offset (stream, t));
  return n;
}

gint64
fuse_stream_next_near (const FuseStream *stream, gint64 t)
{
  const RcSearch *search = &stream->settings.search;
  const guint64 reach = MAX ((guint64) search->hold_limit_ns, (guint64) search->max_gap_ns);    /* -1 is for ever */
  const gint64 period = fuse_stream_period (stream);
  const gint64 span = MAX ((gint64) CLAMP (reach, LEAST_NEAR, MOST_NEAR), rc_add_saturating (period, period));
  const gint64 row = fuse_stream_next_row_after (stream, rc_subtract_saturating (rc_subtract_saturating (t, span), 1));

  return row == ROBOCACHE_NO_TIME ? G_MAXINT64 : MAX (t, rc_subtract_saturating (row, span));
}

gint64
fuse_stream_nominal_period (const FuseStream *stream, gint64 t)
{
  const GList *l = stream->epochs.head;

  while (l && l->next && robocache_history_last_time (&((FuseEpoch *) l->data)->history) <= without_offset (stream, t))
    l = l->next;
  return l ? fuse_format_period (&((FuseEpoch *) l->data)->format) : 0;
}

gint64
fuse_stream_period (const FuseStream *stream)
{
  const FuseEpoch *epoch = newest_epoch (stream);

  if (epoch == NULL)
    return 0;
  if (epoch->format.rate_num > 0)
    return fuse_format_period (&epoch->format);
  return robocache_history_median_spacing (&epoch->history);
}

gchar *
fuse_stream_check_gap (FuseStream *stream, gboolean at_end)
{
  const FuseEpoch *epoch = newest_epoch (stream);

  return epoch ? robocache_gap_check (&stream->gap, &epoch->history, &stream->settings.search, at_end) : NULL;
}

void
fuse_stream_add_statistics (const FuseStream *stream, FuseStatistics *sum)
{
  fuse_statistics_add (sum, &stream->statistics);
  for (const GList *l = stream->epochs.head; l; l = l->next) {
    const FuseEpoch *epoch = l->data;

    robocache_row_counts_add (&sum->rows, &epoch->history.counts);
    sum->n_kept += epoch->history.n;
  }
  sum->clock_jumps += stream->jump.n_jumps + fuse_timestamps_jumps (&stream->times);
  robocache_histogram_merge (&sum->lateness, &stream->losses.lateness);
}

GstStructure *
fuse_stream_to_structure (const FuseStream *stream, const gchar *name)
{
  FuseStatistics *statistics = g_new0 (FuseStatistics, 1);
  GstStructure *structure;

  fuse_stream_add_statistics (stream, statistics);
  structure = fuse_statistics_to_structure (statistics, name);
  gst_structure_set (structure, "clock-shift", G_TYPE_INT64, stream->jump.shift, "origin-shift", G_TYPE_INT64, stream->origin_shift,
      NULL);
  fuse_timestamps_to_structure (&stream->times, structure);
  g_free (statistics);
  return structure;
}
