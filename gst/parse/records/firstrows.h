/* robocache: reads the first rows of a file before any of them is sent
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "emptycells.h"
#include "recordreader.h"
#include "gst/parse/table/timecheck.h"

/* A separate reader, which gets the bytes before the main reader. */
typedef struct _RobocacheFirstRows RobocacheFirstRows;

/* NULL: spec is invalid; robocache_record_reader_new has the error. judges_times: also waits for enough rows to check their times, not only
 * for a value of each channel. */
RobocacheFirstRows *robocache_first_rows_new (const RobocacheRecordSpec * spec, gboolean judges_times);
void robocache_first_rows_free (RobocacheFirstRows * first);

/* Reads the rows that a buffer completes; the caller keeps the buffer. TRUE: the rows are enough for the check, or no rows will follow. */
gboolean robocache_first_rows_push (RobocacheFirstRows * first, GstBuffer * buffer);
/* Call this after all bytes were pushed: a channel without a value so far has no value in the whole file. */
void robocache_first_rows_end (RobocacheFirstRows * first);

/* Whether times are checked; the channels that have had values. */
gboolean robocache_first_rows_judges_times (const RobocacheFirstRows * first);
const RobocacheEmptyCells *robocache_first_rows_cells (const RobocacheFirstRows * first);
gboolean robocache_first_rows_has_ended (const RobocacheFirstRows * first);

/* Like robocache_times_judge, for the rows so far. */
RobocacheTimeVerdict robocache_first_rows_judge (const RobocacheFirstRows * first, gchar ** fault);
