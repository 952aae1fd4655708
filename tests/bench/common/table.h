/* robocache: figures of repeated measurements, and a table of them, shown as Markdown and written as CSV
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In the unit of what was measured. Of fewer than 20 values p5 is the least and p95 the greatest. */
typedef struct
{
  double median, p5, p95, deviation;
} BenchSpread;

/* The spread of n values, at least one. Sorts the values. */
BenchSpread bench_spread (double *values, int n);

typedef struct
{
  FILE *csv;                    /* NULL: not wanted */
  int n_columns, column;
} Table;

/* columns: names with commas between them. path: of the CSV; NULL: it is not wanted. */
void table_open (Table * table, const char *path, const char *columns);
void table_end (Table * table);

/* The next cells, between which the format has '|'; after the last one of a row the row ends. Text without quotes; a NAN is an empty
 * cell. */
void table_put (Table * table, const char *format, ...) __attribute__ ((format (printf, 2, 3)));

#ifdef __cplusplus
}
#endif
