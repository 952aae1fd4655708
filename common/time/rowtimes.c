/* robocache: the running time of each row of a buffer
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rowtimes.h"

#include <string.h>

void
robocache_row_times_init (RobocacheRowTimes *clock)
{
  gst_segment_init (&clock->segment, GST_FORMAT_UNDEFINED);
  clock->nominal_duration = GST_CLOCK_TIME_NONE;
  clock->next_pts = GST_CLOCK_TIME_NONE;
}

void
robocache_row_times_set_segment (RobocacheRowTimes *clock, const GstSegment *segment)
{
  clock->segment = *segment;
  clock->next_pts = GST_CLOCK_TIME_NONE;
}

void
robocache_row_times_set_rate (RobocacheRowTimes *clock, gint num, gint den)
{
  clock->nominal_duration = num > 0 ? gst_util_uint64_scale_int (GST_SECOND, den, num) : GST_CLOCK_TIME_NONE;
}

RobocacheBufferTiming
robocache_row_times_begin (RobocacheRowTimes *clock, GstBuffer *buffer, guint64 n_rows, const gint64 *row_times,
    RobocacheBufferTimes *times)
{
  times->n_rows = n_rows;
  times->row_times = row_times;
  times->pts = GST_BUFFER_PTS_IS_VALID (buffer) ? GST_BUFFER_PTS (buffer) : clock->next_pts;
  times->duration = GST_BUFFER_DURATION_IS_VALID (buffer) ? GST_BUFFER_DURATION (buffer) : clock->nominal_duration;

  if (GST_CLOCK_TIME_IS_VALID (times->pts) && GST_CLOCK_TIME_IS_VALID (times->duration))
    clock->next_pts = times->pts + times->duration;
  else
    clock->next_pts = GST_CLOCK_TIME_NONE;
  return GST_CLOCK_TIME_IS_VALID (times->pts) || row_times ? ROBOCACHE_BUFFER_TIMED : ROBOCACHE_BUFFER_WITHOUT_TIME;
}

void
robocache_row_times_pass (RobocacheRowTimes *clock, GstBuffer *buffer)
{
  RobocacheBufferTimes times;

  robocache_row_times_begin (clock, buffer, 1, NULL, &times);
}

void
robocache_row_times_warn (GstElement *element, GstPad *pad)
{
  GST_ELEMENT_WARNING (element, STREAM, FORMAT, ("%s%sdropped a buffer without a timestamp, because no row came before it; "
      "further ones are counted in stats (rows-dropped-no-time)", pad ? GST_OBJECT_NAME (pad) : "", pad ? ": " : ""), (NULL));
}

GstClockTime
robocache_running_time_now (GstElement *element)
{
  GstClockTime base_time, now;
  GstClock *clock = NULL;

  GST_OBJECT_LOCK (element);
  base_time = element->base_time;
  if (GST_STATE (element) == GST_STATE_PLAYING && element->clock)
    clock = gst_object_ref (element->clock);
  GST_OBJECT_UNLOCK (element);
  if (clock == NULL)
    return GST_CLOCK_TIME_NONE;
  now = gst_clock_get_time (clock);
  gst_object_unref (clock);
  return now > base_time ? now - base_time : 0;
}

/* GST_CLOCK_TIME_NONE: the row's own time is negative. */
static GstClockTime
position_of_row (const RobocacheBufferTimes *times, guint64 i)
{
  gint64 row_time;

  if (times->row_times) {
    /* behind a tensor of any size in the same memory */
    memcpy (&row_time, times->row_times + i, sizeof (row_time));
    return row_time < 0 ? GST_CLOCK_TIME_NONE : (GstClockTime) row_time;
  }
  if (i == 0 || !GST_CLOCK_TIME_IS_VALID (times->duration))
    return times->pts;
  return times->pts + gst_util_uint64_scale (times->duration, i, times->n_rows);
}

gboolean
robocache_row_times_nth (const RobocacheRowTimes *clock, const RobocacheBufferTimes *times, guint64 i,
    gint64 *running_time)
{
  const GstClockTime running = gst_segment_to_running_time (&clock->segment, GST_FORMAT_TIME, position_of_row (times, i));

  if (!GST_CLOCK_TIME_IS_VALID (running) || running >= G_MAXINT64)
    return FALSE;
  *running_time = (gint64) running;
  return TRUE;
}

gboolean
robocache_row_times_nth_before (const RobocacheRowTimes *clock, const RobocacheBufferTimes *times, guint64 i,
    gint64 *running_time)
{
  const GstSegment *segment = &clock->segment;
  const GstClockTime position = position_of_row (times, i);
  guint64 running;
  gint sign;

  if (!GST_CLOCK_TIME_IS_VALID (position) || segment->rate <= 0.0 || position >= segment->start)
    return FALSE;
  sign = gst_segment_to_running_time_full (segment, GST_FORMAT_TIME, position, &running);
  if (sign == 0 || running >= G_MAXINT64)
    return FALSE;
  *running_time = sign > 0 ? (gint64) running : -(gint64) running;
  return TRUE;
}

gboolean
robocache_row_layout_from_info (RobocacheRowLayout *layout, const RobocacheTensorsInfo *info, GError **error)
{
  const RobocacheTensorInfo *rows = &info->tensors[0], *times = &info->tensors[1];

  if (info->n_tensors > 2 || rows->rank > 2) {
    gchar *shape = robocache_dimensions_to_string (rows);

    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "%u tensors, the first of dimensions %s, are not a stream of "
        "rows: expected one tensor \"channels\" or \"channels:rows\", and at most one int64 tensor with a time per row",
        info->n_tensors, shape);
    g_free (shape);
    return FALSE;
  }
  layout->dtype = rows->dtype;
  layout->channels = robocache_tensor_info_dim (rows, 0);
  layout->n_rows = robocache_tensor_info_dim (rows, 1);
  layout->has_times = info->n_tensors == 2;
  if (layout->has_times && (times->dtype != RC_INT64 || robocache_tensor_info_elements (times) != layout->n_rows)) {
    gchar *shape = robocache_dimensions_to_string (times);

    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "the second tensor is %s of dimensions %s: expected the "
        "times of the rows, int64 of dimensions %" G_GUINT64_FORMAT, rc_dtype_name (times->dtype), shape,
        layout->n_rows);
    g_free (shape);
    return FALSE;
  }
  return TRUE;
}
