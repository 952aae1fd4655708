/* robocache: registers, blocks at once, loads under way: one kernel with several of each
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "blocks.h"

#include <stdlib.h>

#include "recordings.h"

static const RecordingShape shape = { "64x4096 -> 2048x64, float32", 64, 4096, 2048, 64 };

static void
measure (Ablations *all, const Blocks *blocks, RecordingCopies *copies, const float *expected, Table *table)
{
  struct cudaFuncAttributes attributes;
  BenchTimes times;
  int at_once;

  copies->launch = (AblationLaunch) { blocks->kernel, copies->args[0].items, blocks->threads, 0, 0 };
  bench_must (cudaFuncGetAttributes (&attributes, blocks->kernel), "cudaFuncGetAttributes");
  bench_must (cudaOccupancyMaxActiveBlocksPerMultiprocessor (&at_once, blocks->kernel, blocks->threads, 0),
      "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  times = recording_times (copies, &all->bench);
  table_text (table, shape.name);
  table_number (table, blocks->threads, 0);
  table_number (table, blocks->pairs, 0);
  table_number (table, attributes.numRegs, 0);
  table_number (table, at_once, 0);
  table_number (table, at_once * blocks->threads, 0);
  table_number (table, at_once * blocks->threads * blocks->pairs * 32 / 1024.0, 0);
  ablation_put_times (table, &all->bench, &copies->must_move, &times);
  table_text (table, ablation_checked (all, recording_is (copies, &all->bench, expected)));
}

void
ablate_blocks (Ablations *all)
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
  table_begin (&table, all->folder, "blocks", "work,threads,pairs_of_a_thread,registers,blocks_at_once,"
      "threads_at_once,kib_under_way," ABLATION_TIMES ",checked");
  for (i = 0; i < BLOCKS_KERNELS; i++)
    measure (all, &blocks_kernels[i], copies, expected, &table);
  table_end (&table);
  recording_copies_free (copies);
  recording_free (&recording);
  free (rows);
  free (expected);
}
