/* robocache: robocacheresample, rows in
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "gstrobocacheresample.h"

#include "common/tensors/tensorbuffer.h"

/* The sensor's clock has jumped: what the rows before still decide goes out. Called with the object lock, which is
 * released meanwhile. */
static void
leap (GstRobocacheResample *resample)
{
  GST_OBJECT_UNLOCK (resample);
  gst_robocache_resample_finish_history (resample);
  robocache_clock_jump_warn (&resample->jump, GST_ELEMENT (resample), NULL);
  GST_OBJECT_LOCK (resample);
}

/* Where the rows of a buffer are. */
typedef struct
{
  const guint8 *mapped;         /* NULL: in the buffer's device memory, where they stay */
  GstBuffer *buffer;
} Rows;

/* Called with the object lock. */
static void
insert_row (GstRobocacheResample *resample, GstClockTime now, gint64 t, const Rows *rows, guint64 i)
{
  RobocacheRowPlace place = ROBOCACHE_ROW_PLACED;
  RobocacheDeviceRow on_device;

  if (GST_CLOCK_TIME_IS_VALID (now))
    place = robocache_clock_jump_place (&resample->jump, (gint64) now, resample->run.reorder_window, &t);
  if (place == ROBOCACHE_ROW_OUTLIER) {
    robocache_history_count_dropped (&resample->history, ROBOCACHE_DROPPED_CLOCK_JUMP, t, 1);
    return;
  }
  if (place == ROBOCACHE_ROW_AFTER_JUMP)
    leap (resample);
  if (rows->mapped) {
    robocache_history_insert (&resample->history, t, rows->mapped + i * resample->history.row_bytes);
  } else {
    on_device = robocache_device_row (rows->buffer, &resample->format.in, 0, i);
    robocache_history_insert (&resample->history, t, &on_device);
  }
}

static void
insert_rows (GstRobocacheResample *resample, const RobocacheBufferTimes *times, const Rows *rows)
{
  const GstClockTime now = gst_robocache_resample_live_now (resample);

  GST_OBJECT_LOCK (resample);
  for (guint64 i = 0; i < times->n_rows; i++) {
    gint64 t;

    if (robocache_row_times_nth (&resample->clock, times, i, &t))
      insert_row (resample, now, t, rows, i);
    else
      robocache_history_count_dropped (&resample->history, ROBOCACHE_DROPPED_OUTSIDE_SEGMENT, ROBOCACHE_NO_TIME, 1);
  }
  GST_OBJECT_UNLOCK (resample);
}

static void
count_untimed (GstRobocacheResample *resample, guint64 n_rows)
{
  GST_OBJECT_LOCK (resample);
  robocache_history_count_dropped (&resample->history, ROBOCACHE_DROPPED_NO_TIME, ROBOCACHE_NO_TIME, n_rows);
  GST_OBJECT_UNLOCK (resample);
  if (!resample->warned_no_time)
    robocache_row_times_warn (GST_ELEMENT (resample), NULL);
  resample->warned_no_time = TRUE;
}

static void
take_timed_rows (GstRobocacheResample *resample, const gint64 *row_times, const Rows *rows)
{
  RobocacheBufferTimes times;

  if (robocache_row_times_begin (&resample->clock, rows->buffer, resample->format.layout.n_rows, row_times, &times)
      == ROBOCACHE_BUFFER_TIMED)
    insert_rows (resample, &times, rows);
  else
    count_untimed (resample, times.n_rows);
  gst_robocache_resample_post_losses (resample);
}

/* Of rows that stay on the device the times, if they came with any, are looked at. */
static gboolean
take_device_rows (GstRobocacheResample *resample, GstBuffer *buffer, GError **error)
{
  const RobocacheTensorsInfo *in = &resample->format.in;
  const Rows rows = { NULL, buffer };
  gpointer row_times = NULL;

  if (!robocache_tensors_check (buffer, in, error)
      || (resample->format.layout.has_times && !robocache_tensors_copy (buffer, in, 1, &row_times, error)))
    return FALSE;
  take_timed_rows (resample, row_times, &rows);
  g_free (row_times);
  return TRUE;
}

gboolean
gst_robocache_resample_take_rows (GstRobocacheResample *resample, GstBuffer *buffer, GError **error)
{
  RobocacheTensorsMap map;
  Rows rows = { NULL, buffer };

  if (gst_robocache_resample_keeps_device_rows (resample))
    return take_device_rows (resample, buffer, error);
  if (!robocache_tensors_map (&map, buffer, &resample->format.in, GST_MAP_READ, error))
    return FALSE;
  rows.mapped = map.data[0];
  take_timed_rows (resample, resample->format.layout.has_times ? map.data[1] : NULL, &rows);
  robocache_tensors_unmap (&map);
  return TRUE;
}
