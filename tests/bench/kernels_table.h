/* robocache: what came of works, as a table to read and as CSV
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_KERNELS_TABLE_H
#define BENCH_KERNELS_TABLE_H

#include <stdio.h>

#include "configurations.h"
#include "kernels_timing.h"

typedef struct
{
  const Bench *bench;
  FILE *csv;                    /* NULL: none is wanted */
  int n_wrong;                  /* works whose output was not that of the CPU backend */
} BenchTable;

/* What is known of a work. */
typedef struct
{
  const BenchWork *work;
  int64_t must_move;            /* bytes */
  int n_copies;
  BenchTimes times;
  double enqueue_us, cpu_us;
  char differs[128];            /* where the output is not the CPU backend's; "": nowhere */
} BenchFigures;

/* Of the output called what, unless it or another one has been found to differ. */
void bench_compare (const Bench * bench, BenchFigures * figures, const char *what, const void *device, const void *host,
    int64_t bytes);

/* "yes", or what is wrong. */
const char *bench_checked (const BenchFigures * figures);

/* For a profiler: says the work's name, size and bytes as a line of CSV, and makes two runs over the first copy of the data, of
 * which the second lies in a range named "second", and in it one with the name. */
void bench_once (const Bench * bench, const BenchWork * work, int64_t must_move, BenchRun run, void *data);

/* path NULL: no CSV. */
void bench_table_open (BenchTable * table, const Bench * bench, const char *path);
void bench_table_head (const char *what);
void bench_table_row (BenchTable * table, const BenchFigures * figures);
void bench_table_close (BenchTable * table);

#endif
