/* robocache: a bitmap of occupied voxels: where its bits are set
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bitmap.h"

#include <stdlib.h>
#include <string.h>

#include "ablations.h"
#include "kernels/memory.h"
#include "kernels/voxel.h"

#define BATCH 32
#define POINTS 100000
#define BITMAP_BYTES ((size_t) BATCH * BITMAP_WORDS * 4)

static const BenchBytes must_move = {.read = (int64_t) BATCH * POINTS * 12,.written = (int64_t) BITMAP_BYTES };

typedef struct
{
  const char *name;
  const void *const *kernel;
  int parts;                    /* blocks of a cloud */
  int has_slab;
  int is_cluster;
} Variant;

static const Variant variants[] = {
  {"bits set in the L2, after clearing", &bitmap_global, 16, 0, 0},
  {"4 slabs in shared memory, all points read by each", &bitmap_slab, 4, 1, 0},
  {"8 slabs in shared memory, all points read by each", &bitmap_slab, 8, 1, 0},
  {"a cluster of 2, bits set in each other's shared memory", &bitmap_cluster, 2, 1, 1},
  {"a cluster of 4, bits set in each other's shared memory", &bitmap_cluster, 4, 1, 1},
  {"a cluster of 8, bits set in each other's shared memory", &bitmap_cluster, 8, 1, 1},
};

typedef struct
{
  BitmapArgs copies[BENCH_MAX_COPIES];
  int n_copies;
  AblationLaunch launch, clear; /* clear: no kernel where none is needed */
} Work;

static void
run (void *data, int i, cudaStream_t stream)
{
  Work *work = data;
  void *arguments[] = { &work->copies[i] };

  if (work->clear.kernel != NULL)
    ablation_launch (&work->clear, arguments, stream);
  ablation_launch (&work->launch, arguments, stream);
}

/* By the CPU backend. */
static uint32_t *
expect (RcBackend *cpu, const float *points)
{
  const RcVoxelSpec spec = {.points = {RC_FLOAT32, 3, 3, 0, NULL},.voxel_size = {1.0 / BITMAP_AXIS, 1.0 / BITMAP_AXIS,
      1.0 / BITMAP_AXIS},.grid = {BITMAP_AXIS, BITMAP_AXIS, BITMAP_AXIS},.mode = RC_VOXEL_OCCUPANCY,.output = RC_VOXEL_BITS,
    .dtype = RC_UINT8,.batch = BATCH
  };
  const RcVoxelChunk chunk = {.data = points,.n = POINTS,.stride = 12,.batch_stride = POINTS * 12 };
  const RcVoxelOut out = {.grid = malloc (BITMAP_BYTES),.grid_batch_stride = BITMAP_WORDS * 4 };
  RcVoxelJob job = {.n_points = POINTS };
  RcFootprint footprint;
  RcVoxelPlan *plan;
  RcError error;

  if (rc_voxel_plan (cpu, &spec, &plan, &footprint, &error) != RC_OK)
    bench_fail ("bitmap", error.message);
  job.scratch = bench_memory (cpu, footprint.scratch_bytes + footprint.scratch_bytes_per_point * POINTS, NULL);
  if (rc_voxel_begin (plan, &job, NULL, &error) != RC_OK || rc_voxel_add (plan, &job, &chunk, NULL, &error) != RC_OK
      || rc_voxel_end (plan, &job, &out, NULL, &error) != RC_OK)
    bench_fail ("bitmap", error.message);
  rc_memory_free (cpu, RC_MEMORY_DEVICE, job.scratch);
  rc_voxel_plan_free (plan);
  return out.grid;
}

static int
is_as_expected (const Work *work, const uint32_t *expected)
{
  uint32_t *words = malloc (BITMAP_BYTES);
  int same;

  bench_must (cudaMemcpy (words, work->copies[0].words, BITMAP_BYTES, cudaMemcpyDeviceToHost), "cudaMemcpy");
  same = memcmp (words, expected, BITMAP_BYTES) == 0;
  free (words);
  return same;
}

static void
measure (Ablations *all, const Variant *variant, Work *work, const uint32_t *expected, Table *table)
{
  BenchTimes times;
  int i;

  work->launch = (AblationLaunch) { *variant->kernel, BATCH * variant->parts, BITMAP_THREADS,
    variant->is_cluster ? variant->parts : 0, variant->has_slab ? BITMAP_WORDS / (size_t) variant->parts * 4 : 0
  };
  ablation_prepare (&work->launch);
  work->clear = (AblationLaunch) {.kernel = variant->has_slab ? NULL : bitmap_clear,.blocks = 4 * all->bench.multiprocessors,
    .threads = BITMAP_THREADS
  };
  for (i = 0; i < work->n_copies; i++)
    work->copies[i].parts = variant->parts;
  bench_must (cudaMemset (work->copies[0].words, 0xFF, BITMAP_BYTES), "cudaMemset");
  bench_must (cudaDeviceSynchronize (), "cudaDeviceSynchronize");
  times = bench_times (&all->bench, run, work, work->n_copies, bench_total (&must_move));
  table_text (table, "occupancy 32 x 100000, 128^3, bits");
  table_text (table, variant->name);
  ablation_put_times (table, &all->bench, &must_move, &times);
  table_text (table, ablation_checked (all, is_as_expected (work, expected)));
}

void
ablate_bitmap (Ablations *all)
{
  Work *work = calloc (1, sizeof (*work));
  const size_t n = (size_t) BATCH * POINTS * 3;
  float *points = malloc (n * sizeof (*points));
  uint32_t *expected;
  Table table;
  size_t i;
  int k;

  for (i = 0; i < n; i++)
    points[i] = (float) (0.99999 * bench_uniform ());
  expected = expect (all->bench.cpu, points);
  work->n_copies = bench_copies (&all->bench, bench_total (&must_move));
  for (k = 0; k < work->n_copies; k++)
    work->copies[k] = (BitmapArgs) {.n = POINTS,.batch = BATCH,
      .points = bench_memory (all->bench.backend, n * sizeof (*points), k > 0 ? work->copies[0].points : points),
      .words = bench_memory (all->bench.backend, BITMAP_BYTES, NULL)
    };
  table_begin (&table, all->folder, "bitmap", "work,variant," ABLATION_TIMES ",checked");
  for (i = 0; i < sizeof (variants) / sizeof (variants[0]); i++)
    measure (all, &variants[i], work, expected, &table);
  table_end (&table);
  for (k = 0; k < work->n_copies; k++) {
    rc_memory_free (all->bench.backend, RC_MEMORY_DEVICE, (void *) work->copies[k].points);
    rc_memory_free (all->bench.backend, RC_MEMORY_DEVICE, work->copies[k].words);
  }
  free (points);
  free (expected);
  free (work);
}
