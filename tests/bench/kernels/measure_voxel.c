/* robocache: how fast voxel grids are
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/kernels/measure_voxel.h"

#include <inttypes.h>
#include <stdio.h>

#include "kernels/memory.h"
#include "kernels/voxel_plan.h"
#include "tests/bench/kernels/chain.h"
#include "tests/bench/kernels/copies.h"
#include "tests/bench/peers/plain_voxel.h"

#define FILE_BYTES (INT64_C (256) << 20)        /* of an output, for others to compare with */

typedef struct
{
  BenchClouds clouds;
  BenchVoxelCopy *copies;       /* as many as the figures say */
  BenchFigures figures;
  float *plain_counts;          /* of a plain mean: of each copy as many as voxels */
} Measured;

static void
measure_cpu (const Bench *bench, Measured *m, const BenchVoxelCopy *device)
{
  BenchVoxelCopy cpu;

  bench_voxel_open (&cpu, &m->clouds, bench->cpu);
  m->figures.cpu_us = bench_time_cpu (bench_voxel_run, &cpu);
  bench_voxel_compare (bench, device, &cpu, m->figures.differs);
  bench_voxel_close (&cpu);
}

static void
make_measured (const Bench *bench, const BenchVoxels *work, Measured *m)
{
  bench_clouds_make (&m->clouds, work);
  m->copies = bench_voxel_copies (bench, &m->clouds, &m->figures);
}

/* A voxel cannot be known before its points have been read, and not all of them before blocks have told each other. 0: of a
 * work that does not fit the L2. What is captured for its kernels does not run, so it is of a copy that nothing else uses. */
static double
time_chain (const Bench *bench, const Measured *m)
{
  const BenchChain chain = { m->clouds.cloud_bytes, m->copies[0].scratch_bytes, m->copies[0].outputs[0].bytes };
  BenchVoxelCopy copy;
  double us;

  if (bench_total (&m->figures.bytes) >= bench->l2_bytes)
    return 0;
  bench_voxel_open_again (&copy, &m->clouds, &m->copies[0]);
  bench_voxel_run (&copy, 0, bench->stream);
  us = bench_chain (bench, bench_voxel_run, &copy, &chain);
  bench_voxel_close (&copy);
  return us;
}

static void
measure (const Bench *bench, Measured *m)
{
  BenchFigures *figures = &m->figures;

  figures->floor_us = bench_floor (bench, &figures->bytes);
  figures->chain_us = time_chain (bench, m);
  figures->times = bench_times (bench, bench_voxel_run, m->copies, figures->n_copies, bench_total (&figures->bytes));
  figures->enqueue_us = bench_time_enqueue (bench, bench_voxel_run, m->copies);
  measure_cpu (bench, m, &m->copies[figures->n_copies - 1]);
}

static void
free_measured (Measured *m)
{
  bench_voxel_free_copies (m->copies, m->figures.n_copies);
  bench_clouds_free (&m->clouds);
}

/* Of a copy. */
static int64_t
n_plain_counts (const BenchVoxels *work)
{
  return work->mode == RC_VOXEL_MEAN ? work->clouds * work->axis * work->axis * work->axis : 0;
}

static void
run_plain (void *data, int i, cudaStream_t stream)
{
  const Measured *m = data;
  const BenchVoxelCopy *copy = &m->copies[i];
  float *counts = m->plain_counts + i * n_plain_counts (m->clouds.work);

  bench_plain_voxels (&m->clouds.spec, &copy->clouds[0], copy->outputs[0].memory, counts, stream);
  bench_must (cudaGetLastError (), "plain voxels");
}

/* What the plain kernels take, and what they leave in place of ours. */
static void
write_plain (const Bench *bench, Measured *m, const BenchRows *rows, int64_t bytes)
{
  const uint64_t count_bytes = (uint64_t) n_plain_counts (m->clouds.work) * sizeof (float);
  const int n = m->figures.n_copies;
  const BenchVoxelOutput *left = &m->copies[n - 1].outputs[0];
  BenchSpread us;

  if (!bench_plain_has_voxels (&m->clouds.spec))
    return;
  bench_must (cudaMemsetAsync (left->memory, 0xa5, (size_t) left->bytes, bench->stream), "cudaMemsetAsync");
  m->plain_counts = bench_memory (bench->backend, (uint64_t) n * count_bytes, NULL);
  us = bench_time (bench, run_plain, m, n, 2 * n);
  rc_memory_free (bench->backend, RC_MEMORY_DEVICE, m->plain_counts);
  fprintf (rows->json, ", \"plain\": [%.3f, %.3f, %.3f]", us.median, us.p5, us.p95);
  bench_rows_device (rows, "plain", left->memory, bytes);
}

/* Runs the job once more, for its counters. A dense output has as many items in its file as fit. */
static void
write_rows (const Bench *bench, Measured *m, BenchRows *rows)
{
  const BenchVoxels *work = m->clouds.work;
  BenchVoxelCopy *copy = &m->copies[m->figures.n_copies - 1];
  const int64_t fit = copy->value_bytes > 0 ? MAX (1, FILE_BYTES / copy->value_bytes) : work->clouds;
  const int64_t items = MIN (fit, work->clouds);
  RcVoxelCounters counters;
  int i;

  bench_must (cudaMemset (copy->out.counters, 0, sizeof (counters)), "cudaMemset");
  bench_voxel_run (copy, 0, bench->stream);
  bench_must (cudaStreamSynchronize (bench->stream), "cudaStreamSynchronize");
  bench_must (cudaMemcpy (&counters, copy->out.counters, sizeof (counters), cudaMemcpyDeviceToHost), "cudaMemcpy");
  bench_rows_begin (rows, "voxels", &m->figures);
  fprintf (rows->json, ", \"mode\": \"%s\", \"output\": \"%s\", \"dtype\": \"%s\", \"batch\": %" PRId64
      ", \"points\": %" PRId64 ", \"axis\": %" PRId64 ", \"voxel\": %.17g, \"features\": %" PRId64 ", \"max_points\": %"
      PRId64 ", \"items\": %" PRId64 ", \"inside\": %" PRId64 ", \"occupied\": %" PRId64 ", \"kept\": %s",
      rc_voxel_mode_name (work->mode), rc_voxel_output_name (work->output), rc_dtype_name (work->type), work->clouds,
      work->points, work->axis, work->voxel_m, work->features, work->max_points, items, counters.inside,
      counters.occupied, work->kept ? "true" : "false");
  if (!work->kept) {            /* nobody compares with grids that are kept */
    bench_rows_host (rows, "points", m->clouds.clouds[0], m->clouds.cloud_bytes);
    for (i = 0; i < copy->n_outputs; i++)
      bench_rows_device (rows, copy->outputs[i].name, copy->outputs[i].memory,
          copy->outputs[i].bytes / work->clouds * items);
    write_plain (bench, m, rows, copy->outputs[0].bytes / work->clouds * items);
  }
  bench_rows_end (rows);
}

void
bench_voxels (BenchTable *table, BenchRows *rows, const GArray *works)
{
  Measured m;
  guint i;

  if (works->len > 0)
    bench_table_head ("voxels");
  for (i = 0; i < works->len; i++) {
    make_measured (table->bench, &g_array_index (works, BenchVoxels, i), &m);
    measure (table->bench, &m);
    bench_table_row (table, &m.figures);
    if (rows->json != NULL && !m.clouds.work->work.alone)
      write_rows (table->bench, &m, rows);
    free_measured (&m);
  }
}

void
bench_voxels_once (const Bench *bench, const GArray *works)
{
  Measured m;
  guint i;

  for (i = 0; i < works->len; i++) {
    make_measured (bench, &g_array_index (works, BenchVoxels, i), &m);
    bench_once (bench, m.figures.work, bench_total (&m.figures.bytes), bench_voxel_run, m.copies, m.figures.n_copies);
    free_measured (&m);
  }
}
