/* robocache: the first rows of a file, read before any of them is sent
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "firstrows.h"

/* Where a file has few rows, or none that can be read. */
#define MAX_BYTES (4 << 20)
/* Where a channel has no value in all the rows so far. */
#define MAX_BYTES_WITHOUT_VALUE (64 << 20)
#define MAX_MALFORMED ROBOCACHE_TIME_CHECK_ROWS

struct _RobocacheFirstRows
{
  RobocacheRecordReader *reader;
  RobocacheTimeCheck check;
  RobocacheEmptyCells cells;
  guint n_malformed;
  gboolean judges_times, has_times;     /* has_times: as many as are judged */
  gboolean is_done, has_ended;
};

RobocacheFirstRows *
robocache_first_rows_new (const RobocacheRecordSpec *spec, gboolean judges_times)
{
  RobocacheRecordReader *reader = robocache_record_reader_new (spec, NULL);
  RobocacheFirstRows *first;

  if (!reader)
    return NULL;
  first = g_new0 (RobocacheFirstRows, 1);
  first->reader = reader;
  first->judges_times = judges_times;
  return first;
}

void
robocache_first_rows_free (RobocacheFirstRows *first)
{
  robocache_record_reader_free (first->reader);
  robocache_empty_cells_clear (&first->cells);
  g_free (first);
}

/* Up to a limit, a column that has no value yet may have one in a later row. */
static gboolean
waits_for_values (const RobocacheFirstRows *first)
{
  return first->cells.n_records > 0 && !robocache_empty_cells_all_seen (&first->cells);
}

/* Bytes count up to the last record that was read, so the result depends on the file, not on its buffers. */
static gboolean
has_enough (const RobocacheFirstRows *first)
{
  const guint64 n_bytes = robocache_record_reader_position (first->reader);

  if (waits_for_values (first))
    return n_bytes > MAX_BYTES_WITHOUT_VALUE;
  return n_bytes > MAX_BYTES || first->n_malformed >= MAX_MALFORMED || (first->cells.n_records > 0 && (first->has_times
          || !first->judges_times));
}

static void
add_record (RobocacheFirstRows *first, const RobocacheRecord *record)
{
  first->has_times |= robocache_time_check_add (&first->check, record->time_ns);
  robocache_empty_cells_add (&first->cells, first->reader, record);
  first->is_done = has_enough (first);
}

static void
read_rows (RobocacheFirstRows *first)
{
  RobocacheReadResult result;

  do {
    RobocacheRecord record;

    result = robocache_record_reader_next (first->reader, &record, NULL);
    first->n_malformed += result == ROBOCACHE_READ_MALFORMED;
    first->is_done = result == ROBOCACHE_READ_REFUSED || has_enough (first);
    if (result == ROBOCACHE_READ_RECORD && !first->is_done)
      add_record (first, &record);
  } while (!first->is_done && result != ROBOCACHE_READ_MORE);
}

gboolean
robocache_first_rows_push (RobocacheFirstRows *first, GstBuffer *buffer)
{
  if (first->is_done)
    return TRUE;
  first->is_done = !robocache_record_reader_push (first->reader, gst_buffer_ref (buffer), NULL);
  if (!first->is_done)
    read_rows (first);
  return first->is_done;
}

void
robocache_first_rows_end (RobocacheFirstRows *first)
{
  if (first->is_done)
    return;
  robocache_record_reader_end (first->reader);
  read_rows (first);
  first->has_ended = TRUE;
}

gboolean
robocache_first_rows_judges_times (const RobocacheFirstRows *first)
{
  return first->judges_times;
}

const RobocacheEmptyCells *
robocache_first_rows_cells (const RobocacheFirstRows *first)
{
  return &first->cells;
}

gboolean
robocache_first_rows_has_ended (const RobocacheFirstRows *first)
{
  return first->has_ended;
}

RobocacheTimeVerdict
robocache_first_rows_judge (const RobocacheFirstRows *first, gchar **fault)
{
  return robocache_times_judge (first->check.times, first->check.n, robocache_record_reader_time_source (first->reader), fault);
}
