/* robocache: robocacheresample, rows in
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "gstrobocacheresample.h"

/* The sensor's clock has jumped: what the rows before still decide goes out. Called with the object lock, which is released
 * meanwhile. */
static void
leap (GstRobocacheResample *resample)
{
  GST_OBJECT_UNLOCK (resample);
  gst_robocache_resample_finish_history (resample);
  robocache_clock_jump_warn (&resample->jump, GST_ELEMENT (resample), NULL);
  GST_OBJECT_LOCK (resample);
}

/* Called with the object lock. */
static void
insert_row (GstRobocacheResample *resample, GstClockTime now, gint64 t, const guint8 *row)
{
  RobocacheRowPlace place = ROBOCACHE_ROW_PLACED;

  if (GST_CLOCK_TIME_IS_VALID (now))
    place = robocache_clock_jump_place (&resample->jump, (gint64) now, resample->run.reorder_window, &t);
  if (place == ROBOCACHE_ROW_OUTLIER) {
    robocache_history_count_dropped (&resample->history, ROBOCACHE_DROPPED_CLOCK_JUMP, t, 1);
    return;
  }
  if (place == ROBOCACHE_ROW_AFTER_JUMP)
    leap (resample);
  robocache_history_insert (&resample->history, t, row);
}

static void
insert_rows (GstRobocacheResample *resample, const RobocacheBufferTimes *times, const guint8 *rows)
{
  const GstClockTime now = gst_robocache_resample_live_now (resample);

  GST_OBJECT_LOCK (resample);
  for (guint64 i = 0; i < times->n_rows; i++) {
    gint64 t;

    if (robocache_row_times_nth (&resample->clock, times, i, &t))
      insert_row (resample, now, t, rows + i * resample->history.row_bytes);
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

void
gst_robocache_resample_take_rows (GstRobocacheResample *resample, GstBuffer *buffer, const RobocacheTensorsMap *map)
{
  const gint64 *row_times = resample->format.layout.has_times ? map->data[1] : NULL;
  RobocacheBufferTimes times;

  if (robocache_row_times_begin (&resample->clock, buffer, resample->format.layout.n_rows, row_times, &times)
      == ROBOCACHE_BUFFER_TIMED)
    insert_rows (resample, &times, map->data[0]);
  else
    count_untimed (resample, times.n_rows);
  gst_robocache_resample_post_lost_rows (resample);
}
