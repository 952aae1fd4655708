/* robocache: which columns of a recording have no value in which records
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "recordreader.h"

/* Counts for one recording. A zeroed struct is valid and empty. */
typedef struct
{
  guint64 n_records;
  guint64 n_incomplete;         /* records in which a channel has no value */
  guint64 n_discarded;          /* values of other channels in those */
  guint n_channels;
  struct _RobocacheEmptyColumn *channels;       /* [n_channels] */
} RobocacheEmptyCells;

void robocache_empty_cells_clear (RobocacheEmptyCells * cells);

/* Adds a record that the reader has read. Other columns than before begin anew. */
void robocache_empty_cells_add (RobocacheEmptyCells * cells, const RobocacheRecordReader * reader, const RobocacheRecord * record);

/* Whether there was a record, and every channel has had a value. */
gboolean robocache_empty_cells_all_seen (const RobocacheEmptyCells * cells);

/* Numbers of the columns (guint) that have had no value; empty where none has had one. Free with g_array_unref. */
GArray *robocache_empty_cells_without_value (const RobocacheEmptyCells * cells);
/* Names of these columns, "a, column 3"; NULL: no such column. */
gchar *robocache_empty_cells_names_without_value (const RobocacheEmptyCells * cells);

/* The other columns, in groups that have values in the same records: each a list of numbers as channels takes it, "1-3,5", in the order of
 * the file. NULL-terminated; free with g_strfreev. */
gchar **robocache_empty_cells_groups (const RobocacheEmptyCells * cells);

/* "slow (270, 90 %), aux (3, 1 %)": the columns without a value in some records, with number and share of these records; NULL: no such column. */
gchar *robocache_empty_cells_describe (const RobocacheEmptyCells * cells);
