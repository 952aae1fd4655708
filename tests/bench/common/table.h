/* robocache: a table, shown as Markdown and written as CSV
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stdio.h>

#include "tests/bench/common/spread.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct
{
  FILE *csv;                    /* NULL: not wanted */
  int n_columns, column;
} Table;

/* columns: names with commas between them. path: of the CSV; NULL: it is not wanted. */
void table_open (Table * table, const char *path, const char *columns);
void table_end (Table * table);

/* The next cell of a row; after the last one the row ends. Text without quotes; NAN: an empty one. */
void table_text (Table * table, const char *text);
void table_number (Table * table, double x, int decimals);
/* Four of them: median, p5, p95 and deviation. */
void table_spread (Table * table, const BenchSpread * spread, int decimals);
void table_small (Table * table, double x);     /* three digits, wherever the point is */

#ifdef __cplusplus
}
#endif
#endif
