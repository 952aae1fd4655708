/* robocache: buffers, segments and GAPs of an input of robocachefuse, as its core takes them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "reader.h"

#include "common/device/budget.h"
#include "common/device/devicememory.h"
#include "common/device/mapping.h"
#include "common/tensors/cudamemory.h"
#include "common/tensors/videoframes.h"
#include "common/time/segments.h"

/* ---- life ---- */

void
fuse_reader_init (FuseReader *reader)
{
  *reader = (FuseReader) {.format = NULL };
  robocache_row_times_init (&reader->clock);
}

static void
clear_format (FuseReader *reader)
{
  g_clear_pointer (&reader->format, fuse_format_unref);
  g_clear_pointer (&reader->times, g_free);
  g_clear_pointer (&reader->device_rows, g_free);
}

void
fuse_reader_clear (FuseReader *reader)
{
  clear_format (reader);
  gst_clear_caps (&reader->reference_caps);
}

void
fuse_reader_reset (FuseReader *reader)
{
  clear_format (reader);
  robocache_row_times_init (&reader->clock);
}

/* ---- events ---- */

void
fuse_reader_take_format (FuseReader *reader, FuseFormat *format, gboolean is_declared, RobocacheChannelRoles *roles, FuseEvent *event)
{
  RobocacheChannelList *quaternions = &roles->lists[ROBOCACHE_ROLE_QUATERNIONS];
  const guint32 unfiltered = robocache_channel_roles_unfiltered (roles);
  const gboolean has_same_rows = reader->format && fuse_format_has_same_rows (reader->format, format);

  if (has_same_rows)
    format->hides_kinds |= reader->format->hides_kinds;
  *event = (FuseEvent) {
    .kind = FUSE_EVENT_FORMAT,
    .unfiltered = unfiltered,
    .format = (FuseRowFormat *) fuse_format_ref (format),
    .has_same_rows = has_same_rows,
    .is_declared = is_declared,
    .quaternions = g_steal_pointer (&quaternions->channels),
    .n_quaternions = quaternions->n,
    .has_holds = roles->holds.n > 0,
    .is_held = robocache_channel_roles_are_held (roles),
  };
  quaternions->n = 0;
  clear_format (reader);
  reader->format = format;
  robocache_row_times_set_rate (&reader->clock, format->rows.rate_num, format->rows.rate_den);
}

static gint64
running_time (const FuseReader *reader, GstClockTime position)
{
  const GstSegment *segment = &reader->clock.segment;

  if (segment->format != GST_FORMAT_TIME)
    return ROBOCACHE_NO_TIME;
  return fuse_time_of_clock (gst_segment_to_running_time (segment, GST_FORMAT_TIME, position));
}

/* Its running time. */
static gint64
start_of_segment (const FuseReader *reader)
{
  return running_time (reader, reader->clock.segment.start + reader->clock.segment.offset);
}

void
fuse_reader_take_segment (FuseReader *reader, const GstSegment *segment, FuseEvent *event)
{
  const gboolean continues = robocache_segment_continues (&reader->clock.segment, segment);

  if (!continues)
    robocache_row_times_set_segment (&reader->clock, segment);
  *event = (FuseEvent) {
    .kind = FUSE_EVENT_SEGMENT,
    .segment = {.continues = continues,.start = fuse_time_of_clock (segment->start),.begin = start_of_segment (reader) },
  };
}

void
fuse_reader_take_gap (const FuseReader *reader, GstClockTime pts, GstClockTime duration, FuseEvent *event)
{
  const GstSegment *segment = &reader->clock.segment;
  const gint64 start = running_time (reader, pts);
  GstClockTime end = GST_CLOCK_TIME_IS_VALID (duration) && duration < G_MAXINT64 - MIN (pts, G_MAXINT64) ? pts + duration : pts;

  if (GST_CLOCK_TIME_IS_VALID (segment->stop))
    end = MIN (end, segment->stop);
  *event = (FuseEvent) {.kind = FUSE_EVENT_GAP,.gap = { start < G_MAXINT64 / 2 ? start : ROBOCACHE_NO_TIME, running_time (reader, end) } };
}

/* ---- times ---- */

static GstCaps *
reference_caps (FuseReader *reader, GQuark reference)
{
  if (reader->reference_caps == NULL || reader->reference != reference) {
    gst_clear_caps (&reader->reference_caps);
    reader->reference_caps = gst_caps_from_string (reference ? g_quark_to_string (reference) : FUSE_USUAL_REFERENCE);
    reader->reference = reference;
  }
  return reader->reference_caps;
}

static void
read_reference (FuseReader *reader, GQuark reference, GstBuffer *buffer, GstClockTime duration, FuseRows *rows)
{
  GstCaps *caps = reference_caps (reader, reference);
  const GstReferenceTimestampMeta *meta = caps ? gst_buffer_get_reference_timestamp_meta (buffer, caps) : NULL;

  rows->has_start = GST_BUFFER_PTS_IS_VALID (buffer);
  rows->start = rows->has_start ? running_time (reader, GST_BUFFER_PTS (buffer)) : ROBOCACHE_NO_TIME;
  if (meta == NULL || meta->timestamp > G_MAXINT64)
    return;
  rows->reference = (gint64) meta->timestamp;
  rows->duration = fuse_time_of_clock (GST_CLOCK_TIME_IS_VALID (meta->duration) ? meta->duration : duration);
}

/* keeps_earlier: rows before the segment have times, too: the last of them is valid at the start of the segment. */
static void
list_times (FuseReader *reader, const RobocacheBufferTimes *times, gboolean keeps_earlier, FuseRows *rows)
{
  for (guint64 i = 0; i < times->n_rows; i++) {
    if (robocache_row_times_nth (&reader->clock, times, i, &reader->times[i]))
      continue;
    if (keeps_earlier && robocache_row_times_nth_before (&reader->clock, times, i, &reader->times[i]))
      rows->has_earlier = TRUE;
    else
      reader->times[i] = ROBOCACHE_NO_TIME;
  }
  rows->times = reader->times;
  if (rows->has_earlier)
    rows->begin = start_of_segment (reader);
}

/* row_times: [n_rows], or NULL. */
static void
read_times (FuseReader *reader, const FuseStream *stream, GstBuffer *buffer, const gint64 *row_times, FuseRows *rows)
{
  const FuseTimestampSettings *settings = &stream->times.settings;
  RobocacheBufferTimes times;
  gboolean is_timed;

  if (reader->n_positions != stream->n_positions)
    reader->clock.next_pts = GST_CLOCK_TIME_NONE;
  reader->n_positions = stream->n_positions;
  is_timed = robocache_row_times_begin (&reader->clock, buffer, rows->n_rows, settings->source == FUSE_TIMES_PTS ? NULL : row_times, &times)
      == ROBOCACHE_BUFFER_TIMED;
  rows->ignores_row_times = row_times && settings->source == FUSE_TIMES_PTS;
  rows->buffer_pts = fuse_time_of_clock (times.pts);
  rows->buffer_duration = GST_CLOCK_TIME_IS_VALID (times.duration) ? (gint64) times.duration : -1;
  if (settings->source == FUSE_TIMES_REFERENCE) {
    read_reference (reader, settings->reference, buffer, times.duration, rows);
  } else if (is_timed) {
    list_times (reader, &times, !stream->source.live, rows);
  }
}

/* ---- rows ---- */

static gboolean
read_frame (FuseReader *reader, const FuseStream *stream, GstBuffer *buffer, FuseRows *rows, GError **error)
{
  if (!robocache_video_frame_check (&reader->format->video, buffer, error))
    return FALSE;
  *reader->device_rows = (RobocacheDeviceRow) {.buffer = buffer };
  rows->data = (const guint8 *) reader->device_rows;
  read_times (reader, stream, buffer, NULL, rows);
  return TRUE;
}

static gboolean
read_tensor (FuseReader *reader, const FuseStream *stream, GstBuffer *buffer, FuseRows *rows, GError **error)
{
  const FuseFormat *format = reader->format;

  if (!robocache_tensors_map (&reader->map, buffer, &format->tensors, GST_MAP_READ, error))
    return FALSE;
  reader->is_mapped = TRUE;
  rows->data = reader->map.data[0];
  rows->stride = fuse_row_format_bytes (&format->rows);
  read_times (reader, stream, buffer, format->rows.has_times ? (const gint64 *) reader->map.data[1] : NULL, rows);
  return TRUE;
}

/* The core takes references of its own. */
static void
list_device_rows (FuseReader *reader, GstBuffer *buffer, FuseRows *rows)
{
  for (guint64 i = 0; i < rows->n_rows; i++) {
    reader->device_rows[i] = robocache_device_row (buffer, &reader->format->tensors, 0, i);
    gst_buffer_unref (buffer);
  }
  rows->data = (const guint8 *) reader->device_rows;
  rows->stride = sizeof (RobocacheDeviceRow);
}

/* The rows stay on the device; only their times, if they have any, are read. */
static gboolean
read_device_tensor (FuseReader *reader, const FuseStream *stream, GstBuffer *buffer, FuseRows *rows, GError **error)
{
  const FuseFormat *format = reader->format;
  gint64 *row_times = NULL;
  gboolean ok = robocache_tensors_check_memories (buffer, &format->tensors, error);

  if (ok && format->rows.has_times)
    ok = robocache_tensors_copy (buffer, &format->tensors, 1, (gpointer *) & row_times, error);
  if (ok) {
    list_device_rows (reader, buffer, rows);
    read_times (reader, stream, buffer, row_times, rows);
  }
  g_free (row_times);
  return ok;
}

/* Allocates memory for the times and places of a buffer's rows, which is reused for later buffers. FALSE and an error: no memory. */
static gboolean
reserve (FuseReader *reader, GError **error)
{
  const FuseRowFormat *format = &reader->format->rows;

  if (reader->times == NULL)
    reader->times = robocache_try_malloc (robocache_bytes_multiply (format->n_rows, sizeof (gint64)), "the times of a buffer's rows", error);
  if (reader->times && reader->device_rows == NULL && format->ref_buffer)
    reader->device_rows = robocache_try_malloc (robocache_bytes_multiply (format->n_rows, sizeof (RobocacheDeviceRow)), "the rows of a buffer",
        error);
  return reader->times && (reader->device_rows || format->ref_buffer == NULL);
}

gboolean
fuse_reader_begin (FuseReader *reader, const FuseStream *stream, GstBuffer *buffer, GstClockTime base_time, FuseRows *rows, GError **error)
{
  const FuseRowFormat *format = &reader->format->rows;

  *rows = (FuseRows) {
    .n_rows = format->n_rows,.reference = ROBOCACHE_NO_TIME,.duration = ROBOCACHE_NO_TIME,.base_time = (gint64) base_time
  };
  if (!reserve (reader, error))
    return FALSE;
  if (format->is_camera)
    return read_frame (reader, stream, buffer, rows, error);
  return format->on_device ? read_device_tensor (reader, stream, buffer, rows, error) : read_tensor (reader, stream, buffer, rows, error);
}

void
fuse_reader_end (FuseReader *reader)
{
  if (reader->is_mapped)
    robocache_tensors_unmap (&reader->map);
  reader->is_mapped = FALSE;
}

void
fuse_reader_wait_for_device (const FuseReader *reader, GstBuffer *buffer)
{
  const FuseFormat *format = reader->format;
  GstMemory *times;
  gsize offset;
  GstMapInfo map;

  if (format == NULL || !format->rows.on_device)
    return;
  if (robocache_is_cuda_frame (buffer)) {
    robocache_cuda_frame_wait (buffer);
  } else if (format->rows.has_times && robocache_tensors_check_memories (buffer, &format->tensors, NULL)) {
    times = robocache_tensors_peek_memory (buffer, &format->tensors, 1, &offset);
    if (robocache_is_gpu_memory (times) && gst_memory_map (times, &map, (GstMapFlags) (GST_MAP_READ | ROBOCACHE_MAP_DEVICE)))
      gst_memory_unmap (times, &map);
  }
}
