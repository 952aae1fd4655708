/* robocache: works with their inputs and outputs in files, for peers
 * FOLDER/rows.json has a line for the machine and a line for each work. Its "row" begins the names of its arrays: FOLDER/ROW.NAME.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "tests/bench/common/table.h"
#include "tests/bench/kernels/job.h"

typedef struct
{
  const char *folder;           /* NULL: no files, and no function does anything */
  FILE *json;
  int row;
} BenchRows;

/* machine: the fields of its line. */
void bench_rows_open (BenchRows * rows, const char *folder, const char *machine);
void bench_rows_close (BenchRows * rows);

/* A line of the work with its shape and times, without its end, and the arrays of the job. Dense grids have as many items as fit
 * 256 MiB. */
void bench_rows_begin (BenchRows * rows, BenchJob * job, double floor_us, const BenchSpread * us);
void bench_rows_number (BenchRows * rows, const char *name, double value);
/* Times of plain kernels, and what they left in the first outputs of the job. */
void bench_rows_plain (BenchRows * rows, const BenchJob * job, const BenchSpread * us);
void bench_rows_end (BenchRows * rows, const char *checked);
