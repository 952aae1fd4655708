/* robocache: registers, blocks at once, loads under way: one kernel with several of each
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bounds.h"

#include <stdlib.h>

#include "recordings.h"

static const RecordingShape shape = { "64x4096 -> 2048x64, float32", 64, 4096, 2048, 64 };

static void
measure (Ablations *all, const Bounds *bounds, RecordingCopies *copies, const float *expected, Table *table)
{
  struct cudaFuncAttributes attributes;
  BenchTimes times;
  int at_once;

  copies->launch = (AblationLaunch) { bounds->kernel, copies->args[0].items, bounds->threads, 0, 0 };
  bench_must (cudaFuncGetAttributes (&attributes, bounds->kernel), "cudaFuncGetAttributes");
  bench_must (cudaOccupancyMaxActiveBlocksPerMultiprocessor (&at_once, bounds->kernel, bounds->threads, 0),
      "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  times = recording_times (copies, &all->bench);
  table_text (table, shape.name);
  table_number (table, bounds->threads, 0);
  table_number (table, bounds->pairs, 0);
  table_number (table, attributes.numRegs, 0);
  table_number (table, at_once, 0);
  table_number (table, at_once * bounds->threads, 0);
  table_number (table, at_once * bounds->threads * bounds->pairs * 32 / 1024.0, 0);
  ablation_put_times (table, &all->bench, &copies->must_move, &times);
  table_text (table, ablation_checked (all, recording_is (copies, &all->bench, expected)));
}

void
ablate_bounds (Ablations *all)
{
  RecordingCopies *copies;
  Recording recording;
  float *rows, *expected;
  Table table;
  size_t i;

  recording_make (&recording, &shape);
  rows = recording_random_rows (&recording);
  expected = recording_expected (&recording, all->bench.cpu, RC_FLOAT32, rows);
  copies = recording_copy (&recording, &all->bench, rows, 4, 4);
  table_begin (&table, all->folder, "bounds", "work,threads,pairs_of_a_thread,registers,blocks_at_once,"
      "threads_at_once,kib_under_way," ABLATION_TIMES ",checked");
  for (i = 0; i < BOUNDS_KERNELS; i++)
    measure (all, &bounds_kernels[i], copies, expected, &table);
  table_end (&table);
  recording_copies_free (copies);
  recording_free (&recording);
  free (rows);
  free (expected);
}
