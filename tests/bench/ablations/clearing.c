/* robocache: grids that are written whole, against grids of which it is known what they hold
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "ablations.h"
#include "kernels/memory.h"
#include "kernels/voxel.h"

#define AXIS 256
#define N_COPIES 8              /* of grids of 16 MB at least: more than the L2 */

typedef struct
{
  const char *name;
  int batch, points;
  RcDtype dtype;
  int is_room;                  /* points on walls, the second cloud a little further; or at random */
} Shape;

static const Shape shapes[] = {
  {"4 x 200000 points at random, 256^3, float32", 4, 200000, RC_FLOAT32, 0},
  {"4 x 200000 points of a room, 256^3, float32", 4, 200000, RC_FLOAT32, 1},
  {"4 x 200000 points of a room, 256^3, uint8", 4, 200000, RC_UINT8, 1},
  {"100000 points of a room, 256^3, float32", 1, 100000, RC_FLOAT32, 1},
  {"100000 points of a room, 256^3, uint8", 1, 100000, RC_UINT8, 1},
};

/* ---- clouds ---- */

/* [batch, points, 3] in a grid 1 m wide. */
static float *
make_cloud (const Shape *shape, double shift)
{
  const int n = shape->batch * shape->points;
  float *points = malloc ((size_t) n * 3 * sizeof (*points));
  int i, k;

  for (i = 0; i < n; i++) {
    for (k = 0; k < 3; k++)
      points[3 * i + k] = (float) (0.05 + 0.9 * bench_uniform ());
    if (shape->is_room)
      points[3 * i + i % 3] = (float) ((i / 3 % 2 ? 0.9 : 0.1) + shift);
  }
  return points;
}

/* ---- jobs ---- */

/* Two clouds by turns into one grid. */
typedef struct
{
  RcBackend *backend;
  RcVoxelPlan *plan;
  RcVoxelJob job;
  RcVoxelChunk clouds[2];
  RcVoxelOut out;
  int turn;
  int64_t grid_bytes;           /* of an item */
} Copy;

static void
make_copy (Copy *copy, RcBackend *backend, const Shape *shape, int batch, float *const points[2], int is_kept)
{
  const RcVoxelSpec spec = {.points = {RC_FLOAT32, 3, 3, 0, NULL},.voxel_size = {1.0 / AXIS, 1.0 / AXIS, 1.0 / AXIS},
    .grid = {AXIS, AXIS, AXIS},.mode = RC_VOXEL_OCCUPANCY,.output = RC_VOXEL_DENSE,.dtype = shape->dtype,.batch = batch
  };
  RcFootprint footprint;
  RcError error;
  int i;

  memset (copy, 0, sizeof (*copy));
  copy->backend = backend;
  if (rc_voxel_plan (backend, &spec, &copy->plan, &footprint, &error) != RC_OK)
    bench_fail (shape->name, error.message);
  copy->job = (RcVoxelJob) {.n_points = shape->points,
    .scratch = bench_memory (backend, footprint.scratch_bytes
        + footprint.scratch_bytes_per_point * (uint64_t) shape->points, NULL)
  };
  for (i = 0; i < 2; i++)
    copy->clouds[i] = (RcVoxelChunk) {.n = shape->points,.stride = 12,.batch_stride = shape->points * INT64_C (12),
      .data = bench_memory (backend, (uint64_t) batch * (uint64_t) shape->points * 12, points[i])
    };
  copy->grid_bytes = rc_voxel_value_bytes (copy->plan);
  copy->out.grid_batch_stride = copy->grid_bytes;
  copy->out.grid = bench_memory (backend, (uint64_t) (batch * copy->grid_bytes), NULL);
  if (is_kept) {
    copy->out.occupied_batch_stride = rc_voxel_bitmap_bytes (copy->plan);
    copy->out.occupied = bench_memory (backend, (uint64_t) (batch * copy->out.occupied_batch_stride), NULL);
  }
}

static void
free_copy (Copy *copy)
{
  rc_voxel_plan_free (copy->plan);
  rc_memory_free (copy->backend, RC_MEMORY_DEVICE, copy->job.scratch);
  rc_memory_free (copy->backend, RC_MEMORY_DEVICE, (void *) copy->clouds[0].data);
  rc_memory_free (copy->backend, RC_MEMORY_DEVICE, (void *) copy->clouds[1].data);
  rc_memory_free (copy->backend, RC_MEMORY_DEVICE, copy->out.grid);
  rc_memory_free (copy->backend, RC_MEMORY_DEVICE, copy->out.occupied);
}

static void
run_job (Copy *copy, RcStream stream)
{
  const RcVoxelChunk *cloud = &copy->clouds[copy->turn];
  RcError error;

  if (rc_voxel_begin (copy->plan, &copy->job, stream, &error) != RC_OK
      || rc_voxel_add (copy->plan, &copy->job, cloud, stream, &error) != RC_OK
      || rc_voxel_end (copy->plan, &copy->job, &copy->out, stream, &error) != RC_OK)
    bench_fail ("voxels", error.message);
  copy->turn ^= 1;
  copy->job.is_clean = 1;
  copy->out.is_known = copy->out.occupied != NULL;
}

static void
run (void *data, int i, cudaStream_t stream)
{
  run_job ((Copy *) data + i, stream);
}

/* ---- what is left in the grid ---- */

/* The first item's grid after another job, against the CPU's of the same cloud. */
static int
is_as_expected (Copy *copy, const Bench *bench, const Shape *shape, float *const points[2])
{
  const size_t bytes = (size_t) copy->grid_bytes;
  void *grid = malloc (bytes);
  Copy cpu;
  int same;

  make_copy (&cpu, bench->cpu, shape, 1, points, 0);
  cpu.turn = copy->turn;
  run_job (&cpu, NULL);
  run_job (copy, bench->stream);
  bench_must (cudaStreamSynchronize (bench->stream), "cudaStreamSynchronize");
  bench_must (cudaMemcpy (grid, copy->out.grid, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
  same = memcmp (grid, cpu.out.grid, bytes) == 0;
  free_copy (&cpu);
  free (grid);
  return same;
}

static void
measure (Ablations *all, const Shape *shape, float *const points[2], int is_kept, Table *table)
{
  const Bench *bench = &all->bench;
  Copy copies[N_COPIES];
  BenchTimes times;
  int i;

  for (i = 0; i < N_COPIES; i++) {
    make_copy (&copies[i], bench->backend, shape, shape->batch, points, is_kept);
    run_job (&copies[i], bench->stream);
  }
  bench_must (cudaStreamSynchronize (bench->stream), "cudaStreamSynchronize");
  times = bench_times (bench, run, copies, N_COPIES, shape->batch * copies[0].grid_bytes);
  table_text (table, shape->name);
  table_text (table, is_kept ? "kept" : "written whole");
  table_number (table, (double) (shape->batch * copies[0].grid_bytes), 0);
  table_number (table, times.cold.median, 2);
  table_number (table, times.cold.p5, 2);
  table_number (table, times.cold.p95, 2);
  table_text (table, ablation_checked (all, is_as_expected (&copies[0], bench, shape, points)));
  for (i = 0; i < N_COPIES; i++)
    free_copy (&copies[i]);
}

void
ablate_clearing (Ablations *all)
{
  Table table;
  size_t i;
  int is_kept;

  table_begin (&table, all->folder, "clearing", "work,variant,grid_bytes,median_us,p5_us,p95_us,checked");
  for (i = 0; i < sizeof (shapes) / sizeof (shapes[0]); i++) {
    float *const points[2] = { make_cloud (&shapes[i], 0), make_cloud (&shapes[i], 0.01) };

    for (is_kept = 0; is_kept < 2; is_kept++)
      measure (all, &shapes[i], points, is_kept, &table);
    free (points[0]);
    free (points[1]);
  }
  table_end (&table);
}
