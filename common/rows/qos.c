/* robocache: QoS messages about rows and ticks that were dropped
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "qos.h"

#define FULL_QUALITY 1000000

static GstMessage *
new_message (const RobocacheQosPlace *place, gint64 running_time, GstClockTime duration, gint64 jitter)
{
  GstClockTime running = GST_CLOCK_TIME_NONE, timestamp = GST_CLOCK_TIME_NONE, stream = GST_CLOCK_TIME_NONE;
  GstMessage *message;

  if (running_time >= 0 && place->segment->format == GST_FORMAT_TIME) {
    running = (GstClockTime) running_time;
    timestamp = gst_segment_position_from_running_time (place->segment, GST_FORMAT_TIME, running);
    stream = gst_segment_to_stream_time (place->segment, GST_FORMAT_TIME, timestamp);
  }
  message = gst_message_new_qos (place->source, place->live, running, stream, timestamp, duration);
  gst_message_set_qos_values (message, jitter, 1.0, FULL_QUALITY);
  return message;
}

GstMessage *
robocache_qos_of_rows (const RobocacheQosPlace *place, const RobocacheLoss *loss, GstClockTime duration,
    const RobocacheRowCounts *counts)
{
  GstMessage *message = new_message (place, loss->time, duration, loss->lateness);
  const guint64 dropped = counts->late + robocache_row_counts_dropped (counts);

  gst_message_set_qos_stats (message, GST_FORMAT_DEFAULT, counts->in - dropped, dropped);
  return message;
}

GstMessage *
robocache_qos_of_tick (const RobocacheQosPlace *place, gint64 tick, GstClockTime duration, gint64 jitter,
    guint64 ticks_out, guint64 ticks_dropped)
{
  GstMessage *message = new_message (place, tick, duration, jitter);

  gst_message_set_qos_stats (message, GST_FORMAT_BUFFERS, ticks_out, ticks_dropped);
  return message;
}
