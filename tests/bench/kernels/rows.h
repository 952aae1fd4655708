/* robocache: works with their inputs and results in files, for others to compare with
 *
 * FOLDER/rows.json has a line of JSON for the device and one for each work, whose row is the first part of the names of its
 * files: FOLDER/ROW.KIND, arrays as they lie in memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_KERNELS_ROWS_H
#define BENCH_KERNELS_ROWS_H

#include <stdio.h>

#include "tests/bench/kernels/results.h"

typedef struct
{
  const char *folder;
  FILE *json;                   /* NULL: they are not wanted, and nothing but open and close may be called */
  int row;
} BenchRows;

/* folder NULL: they are not wanted. */
void bench_rows_open (BenchRows * rows, const Bench * bench, const char *folder);
void bench_rows_close (BenchRows * rows);

/* A line that is yet without what is said of this kind of work alone. */
void bench_rows_begin (BenchRows * rows, const char *kind, const BenchFigures * figures);
void bench_rows_end (BenchRows * rows);

/* Arrays of the row that has begun. */
void bench_rows_host (const BenchRows * rows, const char *kind, const void *data, int64_t bytes);
void bench_rows_device (const BenchRows * rows, const char *kind, const void *device, int64_t bytes);

#endif
