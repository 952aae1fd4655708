/* robocache: the first rows of a file, read before any of them is sent
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "timescout.h"

/* Where a file has few rows, or none that can be read. */
#define MAX_BYTES (4 << 20)
/* Where a channel has no value in all the rows so far. */
#define MAX_BYTES_WITHOUT_VALUE (64 << 20)
#define MAX_MALFORMED ROBOCACHE_TIME_CHECK_ROWS

struct _RobocacheTimeScout
{
  RobocacheRecordReader *reader;
  RobocacheTimeCheck check;
  RobocacheEmptyCells cells;
  guint n_malformed;
  gboolean judges_times, has_times;     /* has_times: as many as are judged */
  gboolean is_done, has_ended;
};

RobocacheTimeScout *
robocache_time_scout_new (const RobocacheRecordSpec *spec, gboolean judges_times)
{
  RobocacheRecordReader *reader = robocache_record_reader_new (spec, NULL);
  RobocacheTimeScout *scout;

  if (!reader)
    return NULL;
  scout = g_new0 (RobocacheTimeScout, 1);
  scout->reader = reader;
  scout->judges_times = judges_times;
  return scout;
}

void
robocache_time_scout_free (RobocacheTimeScout *scout)
{
  robocache_record_reader_free (scout->reader);
  robocache_empty_cells_clear (&scout->cells);
  g_free (scout);
}

/* Up to a limit, a column that has no value yet may have one in a later row. */
static gboolean
waits_for_values (const RobocacheTimeScout *scout)
{
  return scout->cells.n_records > 0 && !robocache_empty_cells_all_seen (&scout->cells);
}

/* Bytes count up to the last record that was read, so the result depends on the file, not on its buffers. */
static gboolean
has_enough (const RobocacheTimeScout *scout)
{
  const guint64 n_bytes = robocache_record_reader_position (scout->reader);

  if (waits_for_values (scout))
    return n_bytes > MAX_BYTES_WITHOUT_VALUE;
  return n_bytes > MAX_BYTES || scout->n_malformed >= MAX_MALFORMED || (scout->cells.n_records > 0 && (scout->has_times
          || !scout->judges_times));
}

static void
add_record (RobocacheTimeScout *scout, const RobocacheRecord *record)
{
  scout->has_times |= robocache_time_check_add (&scout->check, record->time_ns);
  robocache_empty_cells_add (&scout->cells, scout->reader, record);
  scout->is_done = has_enough (scout);
}

static void
read_rows (RobocacheTimeScout *scout)
{
  RobocacheReadResult result;

  do {
    RobocacheRecord record;

    result = robocache_record_reader_next (scout->reader, &record, NULL);
    scout->n_malformed += result == ROBOCACHE_READ_MALFORMED;
    scout->is_done = result == ROBOCACHE_READ_REFUSED || has_enough (scout);
    if (result == ROBOCACHE_READ_RECORD && !scout->is_done)
      add_record (scout, &record);
  } while (!scout->is_done && result != ROBOCACHE_READ_MORE);
}

gboolean
robocache_time_scout_push (RobocacheTimeScout *scout, GstBuffer *buffer)
{
  if (scout->is_done)
    return TRUE;
  scout->is_done = !robocache_record_reader_push (scout->reader, gst_buffer_ref (buffer), NULL);
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
  scout->has_ended = TRUE;
}

gboolean
robocache_time_scout_judges_times (const RobocacheTimeScout *scout)
{
  return scout->judges_times;
}

const RobocacheEmptyCells *
robocache_time_scout_cells (const RobocacheTimeScout *scout)
{
  return &scout->cells;
}

gboolean
robocache_time_scout_has_ended (const RobocacheTimeScout *scout)
{
  return scout->has_ended;
}

RobocacheTimeVerdict
robocache_time_scout_judge (const RobocacheTimeScout *scout, gchar **fault)
{
  return robocache_times_judge (scout->check.times, scout->check.n, robocache_record_reader_time_source (scout->reader), fault);
}
