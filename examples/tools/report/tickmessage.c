/* robocache: reads robocache_msgs/msg/Tick
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recordingparts.h"

/* Bytes of a stream with an empty name, at least. */
#define MIN_STREAM_BYTES 48

void
report_tick_init (ReportTick *tick)
{
  *tick = (ReportTick) {.streams = g_array_new (FALSE, FALSE, sizeof (RobocacheRosTickStream)) };
}

void
report_tick_clear (ReportTick *tick)
{
  g_array_unref (tick->streams);
}

static gint64
read_int64 (RobocacheCdrReader *reader)
{
  gint64 number;

  robocache_cdr_read_number (reader, sizeof (number), &number);
  return number;
}

static void
read_stream (RobocacheCdrReader *reader, GArray *streams)
{
  RobocacheRosTickStream stream = { 0 };
  guint32 length;

  stream.name = robocache_cdr_read_string (reader, &length);
  stream.before_ns = read_int64 (reader);
  stream.after_ns = read_int64 (reader);
  stream.age_ns = read_int64 (reader);
  stream.status = robocache_cdr_read_uint8 (reader);
  stream.rows = (guint64) read_int64 (reader);
  stream.gaps = (guint64) read_int64 (reader);
  stream.events = (guint64) read_int64 (reader);
  g_array_append_val (streams, stream);
}

static gint64
read_stamp (RobocacheCdrReader *reader)
{
  const gint64 seconds = robocache_cdr_read_int32 (reader);

  return seconds * 1000000000 + robocache_cdr_read_uint32 (reader);
}

/* The newest row is the last one of the window. */
static void
keep_newest_row (GArray *streams, guint32 window)
{
  const guint n = window > 0 ? streams->len / window : streams->len;

  if (n < streams->len)
    g_array_remove_range (streams, 0, streams->len - n);
}

gboolean
report_tick_read (ReportTick *tick, gconstpointer message, gsize size, GError **error)
{
  RobocacheCdrReader reader;
  guint32 length, window, n;

  robocache_cdr_reader_init (&reader, message, size);
  tick->stamp_ns = read_stamp (&reader);
  robocache_cdr_read_string (&reader, &length);
  tick->tick_ns = read_int64 (&reader);
  tick->decided_ns = read_int64 (&reader);
  window = robocache_cdr_read_uint32 (&reader);
  n = robocache_cdr_read_count (&reader, MIN_STREAM_BYTES, 0);
  g_array_set_size (tick->streams, 0);
  for (guint32 i = 0; i < n && !reader.fault; i++)
    read_stream (&reader, tick->streams);
  keep_newest_row (tick->streams, window);
  return robocache_cdr_reader_check (&reader, error);
}
