/* robocache: what came of works, as a table to read and as CSV
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_KERNELS_TABLE_H
#define BENCH_KERNELS_TABLE_H

#include <stdio.h>

#include "tests/bench/kernels/configurations.h"
#include "tests/bench/kernels/floors.h"

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
  BenchBytes bytes;             /* that must move */
  int n_copies;
  double floor_us;
  BenchTimes times;
  double chain_us;              /* bench_chain; 0: it was not measured */
  double enqueue_us, cpu_us;
  char differs[BENCH_DIFFERS_SIZE];     /* where the output is not the CPU backend's; "": nowhere */
} BenchFigures;

/* "yes", or what is wrong. */
const char *bench_checked (const BenchFigures * figures);

/* For a profiler: says the work's name, size and bytes as a line of CSV, and runs over each copy of the data and then once
 * more over the first, which is not in the L2 any more, in a range with the name, and in that one named "counted". */
void bench_once (const Bench * bench, const BenchWork * work, int64_t must_move, BenchRun run, void *data, int n_copies);

/* path NULL: no CSV. */
void bench_table_open (BenchTable * table, const Bench * bench, const char *path);
void bench_table_head (const char *what);
void bench_table_row (BenchTable * table, const BenchFigures * figures);
void bench_table_close (BenchTable * table);

#endif
