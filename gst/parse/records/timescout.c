/* robocache: the first rows of a file, read before any of them is sent
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "timescout.h"

/* Where a file has few rows, or none that can be read. */
#define MAX_BYTES (4 << 20)
#define MAX_MALFORMED ROBOCACHE_TIME_CHECK_ROWS

struct _RobocacheTimeScout
{
  RobocacheRecordReader *reader;
  RobocacheTimeCheck check;
  gsize n_bytes;
  guint n_malformed;
  gboolean is_done;
};

RobocacheTimeScout *
robocache_time_scout_new (const RobocacheRecordSpec *spec)
{
  RobocacheRecordReader *reader = robocache_record_reader_new (spec, NULL);
  RobocacheTimeScout *scout;

  if (!reader)
    return NULL;
  scout = g_new0 (RobocacheTimeScout, 1);
  scout->reader = reader;
  return scout;
}

void
robocache_time_scout_free (RobocacheTimeScout *scout)
{
  robocache_record_reader_free (scout->reader);
  g_free (scout);
}

static void
read_rows (RobocacheTimeScout *scout)
{
  RobocacheReadResult result;

  do {
    RobocacheRecord record;

    result = robocache_record_reader_next (scout->reader, &record, NULL);
    if (result == ROBOCACHE_READ_RECORD)
      scout->is_done |= robocache_time_check_add (&scout->check, record.time_ns);
    if (result == ROBOCACHE_READ_MALFORMED)
      scout->is_done |= ++scout->n_malformed >= MAX_MALFORMED;
    scout->is_done |= result == ROBOCACHE_READ_REFUSED;
  } while (!scout->is_done && result != ROBOCACHE_READ_MORE);
}

gboolean
robocache_time_scout_push (RobocacheTimeScout *scout, GstBuffer *buffer)
{
  if (scout->is_done)
    return TRUE;
  scout->n_bytes += gst_buffer_get_size (buffer);
  scout->is_done = scout->n_bytes > MAX_BYTES || !robocache_record_reader_push (scout->reader, gst_buffer_ref (buffer), NULL);
  if (!scout->is_done)
    read_rows (scout);
  return scout->is_done;
}

void
robocache_time_scout_end (RobocacheTimeScout *scout)
{
  if (scout->is_done)
    return;
  robocache_record_reader_end (scout->reader);
  read_rows (scout);
}

RobocacheTimeVerdict
robocache_time_scout_judge (const RobocacheTimeScout *scout, gchar **fault)
{
  return robocache_times_judge (scout->check.times, scout->check.n, robocache_record_reader_time_source (scout->reader), fault);
}
