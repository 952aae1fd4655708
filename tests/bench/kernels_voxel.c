/* robocache: how fast voxel grids are
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernels_voxel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/memory.h"
#include "kernels/voxel_plan.h"
#include "kernels_chain.h"
#include "kernels_plain_voxel.h"

#define MAX_OUTPUTS 4           /* of a run */
#define FILE_BYTES (INT64_C (256) << 20)        /* of an output, for others to compare with */

/* ---- data ---- */

typedef struct
{
  const BenchVoxels *work;
  RcVoxelSpec spec;
  float *points[2];             /* of each cloud, [batch, points, fields] */
  int n_clouds;
  int64_t in_bytes, fields;     /* of a cloud */
} VoxelData;

/* From 0 on and below extent, rounded or not. */
static float
within (double extent)
{
  const float x = (float) (extent * bench_uniform ());

  return x < (float) extent ? x : 0;
}

/* On walls a tenth of the room from its ends, two across each axis by turns; those of the next cloud are a voxel further. */
static float
on_wall (const BenchVoxels *work, int64_t i, int cloud)
{
  return (float) (((i / 3 % 2 ? 0.9 : 0.1) * (double) work->axis + 0.5 + cloud) * work->voxel_m);
}

static float *
make_cloud (const VoxelData *data, int cloud)
{
  const BenchVoxels *work = data->work;
  const double extent = work->side * work->voxel_m * (double) work->axis;
  float *points = malloc ((size_t) data->in_bytes);
  int64_t i, k;

  for (i = 0; i < work->clouds * work->points; i++) {
    for (k = 0; k < data->fields; k++)
      points[i * data->fields + k] = k < 3 ? within (extent) : (float) (2 * bench_uniform () - 1);
    if (work->room)
      points[i * data->fields + i % 3] = on_wall (work, i, cloud);
  }
  return points;
}

static void
make_data (VoxelData *data, const BenchVoxels *work)
{
  int k;

  memset (data, 0, sizeof (*data));
  data->work = work;
  data->fields = 3 + work->features;
  data->in_bytes = work->clouds * work->points * data->fields * 4;
  data->n_clouds = work->kept ? 2 : 1;
  data->spec = (RcVoxelSpec) {.points = {RC_FLOAT32, data->fields, 3, work->features},.mode = work->mode,
    .output = work->output,.dtype = work->type,.max_voxels = work->points,.batch = work->clouds,
    .max_points = work->max_points
  };
  for (k = 0; k < 3; k++) {
    data->spec.grid[k] = work->axis;
    data->spec.voxel_size[k] = work->voxel_m;
  }
  for (k = 0; k < data->n_clouds; k++)
    data->points[k] = make_cloud (data, k);
}

static void
free_data (VoxelData *data)
{
  free (data->points[0]);
  free (data->points[1]);
}

/* The bitmap of the first item of a cloud. */
static uint32_t *
occupied_by (const VoxelData *data, const float *points)
{
  const BenchVoxels *work = data->work;
  uint32_t *bits = calloc ((size_t) (work->axis * work->axis * work->axis / 32 + 1), sizeof (uint32_t));
  int64_t i, k, voxel;

  for (i = 0; i < work->points; i++) {
    for (k = 2, voxel = 0; k >= 0; k--)
      voxel = voxel * work->axis + (int64_t) ((double) points[i * data->fields + k] / work->voxel_m);
    bits[voxel / 32] |= 1u << voxel % 32;
  }
  return bits;
}

/* Bytes of the sectors of a grid that differ between the clouds, or of means those that either has something in: as many in
 * each item as in the first. */
static int64_t
bytes_that_change (const VoxelData *data, int64_t value_bytes)
{
  const int64_t voxels = data->work->axis * data->work->axis * data->work->axis, sectors = value_bytes / 32;
  const int is_occupancy = data->work->mode == RC_VOXEL_OCCUPANCY;
  uint32_t *was = occupied_by (data, data->points[0]), *is = occupied_by (data, data->points[1]);
  int64_t bytes = 0, sector, voxel;

  for (sector = 0; sector < sectors; sector++) {
    uint32_t changes = 0;

    for (voxel = sector * voxels / sectors; voxel <= ((sector + 1) * voxels - 1) / sectors; voxel++)
      changes |= (is_occupancy ? was[voxel / 32] ^ is[voxel / 32] : was[voxel / 32] | is[voxel / 32]) >> voxel % 32 & 1;
    bytes += changes ? 32 : 0;
  }
  free (was);
  free (is);
  return data->work->clouds * bytes;
}

/* ---- jobs ---- */

/* An array that a run writes. */
typedef struct
{
  const char *name;
  void *memory;
  int64_t bytes;
} Output;

/* One job of its own memory, where a backend computes. */
typedef struct
{
  RcBackend *backend;
  RcVoxelPlan *plan;
  RcVoxelJob job;
  RcVoxelChunk chunks[2];       /* a cloud each */
  int n_clouds, turn;           /* whose is the next run */
  RcVoxelOut out;
  Output outputs[MAX_OUTPUTS];
  int n_outputs;
  int64_t value_bytes;          /* of an item */
  int64_t scratch_bytes;
} VoxelCopy;

static void *
take (const VoxelCopy *copy, int64_t bytes)
{
  return bench_memory (copy->backend, (uint64_t) bytes, NULL);
}

static void *
new_output (VoxelCopy *copy, const char *name, int64_t bytes)
{
  Output *output = &copy->outputs[copy->n_outputs++];

  *output = (Output) { name, take (copy, bytes), bytes };
  return output->memory;
}

static void
make_outputs (VoxelCopy *copy, const VoxelData *data)
{
  const int64_t cap = data->spec.max_voxels, batch = data->spec.batch, n = data->work->points;
  const int is_sparse = data->spec.output == RC_VOXEL_SPARSE;

  if (rc_voxel_maps_points (data->spec.output)) {
    copy->job.point_voxels = new_output (copy, "map", batch * n * 8);
    copy->job.point_voxels_batch_stride = n * 8;
    return;
  }
  copy->out.grid = copy->out.values = new_output (copy, is_sparse ? "values" : "grid", batch * copy->value_bytes);
  copy->out.grid_batch_stride = copy->out.values_batch_stride = copy->value_bytes;
  if (is_sparse) {
    copy->out.n_voxels = new_output (copy, "n_voxels", batch * 4);
    copy->out.n_voxels_batch_stride = 4;
    copy->out.coordinates = new_output (copy, "coordinates", batch * cap * 12);
    copy->out.coordinates_batch_stride = cap * 12;
  }
  if (data->spec.mode == RC_VOXEL_FIRST) {
    copy->out.point_counts = new_output (copy, "point_counts", batch * cap * 4);
    copy->out.point_counts_batch_stride = cap * 4;
  }
}

static int
is_of_cpu (const VoxelCopy *copy)
{
  return rc_backend_kind (copy->backend) == RC_BACKEND_CPU;
}

/* The CPU reads points where they are. */
static void
make_chunks (VoxelCopy *copy, const VoxelData *data)
{
  const int64_t n = data->work->points, point = data->fields * 4;
  int i;

  copy->n_clouds = data->n_clouds;
  for (i = 0; i < copy->n_clouds; i++)
    copy->chunks[i] = (RcVoxelChunk) {.data = is_of_cpu (copy) ? data->points[i]
          : bench_memory (copy->backend, (uint64_t) data->in_bytes, data->points[i]),.n = n,.stride = point,
      .batch_stride = n * point,.counters = copy->out.counters
    };
}

static void
make_copy (VoxelCopy *copy, const VoxelData *data, RcBackend *backend)
{
  const int64_t n = data->work->points;
  RcFootprint footprint;
  RcError error;

  memset (copy, 0, sizeof (*copy));
  copy->backend = backend;
  if (rc_voxel_plan (backend, &data->spec, &copy->plan, &footprint, &error) != RC_OK)
    bench_fail ("plan", error.message);
  copy->value_bytes = rc_voxel_value_bytes (copy->plan);
  copy->scratch_bytes = (int64_t) (footprint.scratch_bytes + footprint.scratch_bytes_per_point * (uint64_t) n);
  copy->job = (RcVoxelJob) {.n_points = n,.scratch = take (copy, copy->scratch_bytes)};
  make_outputs (copy, data);
  copy->out.counters = take (copy, sizeof (RcVoxelCounters));
  if (data->work->kept) {
    copy->out.occupied_batch_stride = rc_voxel_bitmap_bytes (copy->plan);
    copy->out.occupied = take (copy, data->spec.batch * copy->out.occupied_batch_stride);
  }
  make_chunks (copy, data);
}

/* Another one on the same device, with the points of the first one. */
static void
copy_again (VoxelCopy *copy, const VoxelData *data, const VoxelCopy *first)
{
  VoxelData there = *data;
  int i;

  for (i = 0; i < data->n_clouds; i++)
    there.points[i] = (float *) first->chunks[i].data;
  make_copy (copy, &there, first->backend);
}

static void
free_copy (VoxelCopy *copy)
{
  void *const memories[] = { copy->out.counters, copy->job.scratch, copy->out.occupied };
  size_t i;

  rc_voxel_plan_free (copy->plan);
  for (i = 0; i < sizeof (memories) / sizeof (memories[0]); i++)
    rc_memory_free (copy->backend, RC_MEMORY_DEVICE, memories[i]);
  for (i = 0; i < (size_t) copy->n_outputs; i++)
    rc_memory_free (copy->backend, RC_MEMORY_DEVICE, copy->outputs[i].memory);
  for (i = 0; i < (size_t) copy->n_clouds && !is_of_cpu (copy); i++)
    rc_memory_free (copy->backend, RC_MEMORY_DEVICE, (void *) copy->chunks[i].data);
}

/* Each point, and each byte of the output that may change, which of a kept grid is sectors all over it. */
static BenchBytes
bytes_to_move (const VoxelData *data, const VoxelCopy *copy)
{
  BenchBytes bytes = {.read = data->in_bytes };
  int i;

  if (data->work->kept) {
    bytes.scattered = bytes_that_change (data, copy->value_bytes);
    bytes.among = data->work->clouds * copy->value_bytes;
  }
  for (i = 0; i < copy->n_outputs && !data->work->kept; i++)
    bytes.written += copy->outputs[i].bytes;
  return bytes;
}

/* ---- runs ---- */

static void
run_job (VoxelCopy *copy, RcStream stream)
{
  const RcVoxelChunk *chunk = &copy->chunks[copy->turn];
  RcError error;

  if (rc_voxel_run (copy->plan, &copy->job, chunk, &copy->out, stream, &error) != RC_OK)
    bench_fail ("voxels", error.message);
  copy->turn = (copy->turn + 1) % copy->n_clouds;
}

/* The first run of a copy: those after it find the scratch clear, and the grid as that one left it. */
static void
run_first (VoxelCopy *copy, RcStream stream)
{
  run_job (copy, stream);
  copy->job.is_clean = 1;
  copy->out.is_known = copy->out.occupied != NULL;
}

static void
run_copy (void *data, int i, cudaStream_t stream)
{
  run_job ((VoxelCopy *) data + i, stream);
}

/* ---- figures ---- */

/* From the first one on. */
static void
run_next (void *data, int i, cudaStream_t stream)
{
  VoxelCopy *copy = data;

  if (copy->job.is_clean)
    run_job (copy, stream);
  else
    run_first (copy, stream);
}

typedef struct
{
  VoxelData data;
  VoxelCopy *copies;            /* as many as the figures say */
  BenchFigures figures;
  float *plain_counts;          /* of a plain mean: of each copy as many as voxels */
} Measured;

/* What the device left, and what the CPU does with the same cloud. */
static void
compare (const Bench *bench, const VoxelCopy *device, const VoxelCopy *cpu, BenchFigures *figures)
{
  const Output *there = device->outputs, *here = cpu->outputs;
  int i;

  for (i = 0; i < device->n_outputs; i++)
    bench_compare (bench, figures, there[i].name, there[i].memory, here[i].memory, there[i].bytes);
}

static void
measure_cpu (const Bench *bench, Measured *m, const VoxelCopy *device)
{
  VoxelCopy cpu;

  make_copy (&cpu, &m->data, bench->cpu);
  m->figures.cpu_us = bench_time_cpu (run_next, &cpu);
  while (cpu.turn != device->turn)
    run_job (&cpu, NULL);
  compare (bench, device, &cpu, &m->figures);
  free_copy (&cpu);
}

/* Of a work, all of which have run once; the copies are as many as are not in the L2 together. */
static void
make_measured (const Bench *bench, const BenchVoxels *work, Measured *m)
{
  BenchBytes bytes;
  int n, i;

  make_data (&m->data, work);
  m->copies = calloc (BENCH_MAX_COPIES, sizeof (*m->copies));
  make_copy (&m->copies[0], &m->data, bench->backend);
  bytes = bytes_to_move (&m->data, &m->copies[0]);
  n = bench_copies (bench, bench_total (&bytes));
  m->figures = (BenchFigures) {.work = &work->work,.bytes = bytes,.n_copies = n };
  for (i = 1; i < n; i++)
    copy_again (&m->copies[i], &m->data, &m->copies[0]);
  for (i = 0; i < n; i++)
    run_first (&m->copies[i], bench->stream);
  bench_must (cudaStreamSynchronize (bench->stream), "cudaStreamSynchronize");
}

/* A voxel cannot be known before its points have been read, and not all of them before blocks have told each other. 0: of a
 * work that does not fit the L2. */
static double
time_chain (const Bench *bench, Measured *m)
{
  const BenchChain chain = { m->data.in_bytes, m->copies[0].scratch_bytes, m->copies[0].outputs[0].bytes };

  return bench_total (&m->figures.bytes) < bench->l2_bytes ? bench_chain (bench, run_copy, m->copies, &chain) : 0;
}

static void
measure (const Bench *bench, Measured *m)
{
  BenchFigures *figures = &m->figures;

  figures->floor_us = bench_floor (bench, &figures->bytes);
  figures->chain_us = time_chain (bench, m);
  figures->times = bench_times (bench, run_copy, m->copies, figures->n_copies, bench_total (&figures->bytes));
  figures->enqueue_us = bench_time_enqueue (bench, run_copy, m->copies);
  measure_cpu (bench, m, &m->copies[figures->n_copies - 1]);
}

static void
free_measured (Measured *m)
{
  int i;

  for (i = 0; i < m->figures.n_copies; i++)
    free_copy (&m->copies[i]);
  free (m->copies);
  free_data (&m->data);
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
  const VoxelCopy *copy = &m->copies[i];
  float *counts = m->plain_counts + i * n_plain_counts (m->data.work);

  bench_plain_voxels (&m->data.spec, &copy->chunks[0], copy->outputs[0].memory, counts, stream);
  bench_must (cudaGetLastError (), "plain voxels");
}

/* What the plain kernels take, and what they leave in place of ours. */
static void
write_plain (const Bench *bench, Measured *m, const BenchRows *rows, int64_t bytes)
{
  const uint64_t count_bytes = (uint64_t) n_plain_counts (m->data.work) * sizeof (float);
  const int n = m->figures.n_copies;
  const Output *left = &m->copies[n - 1].outputs[0];
  BenchSpread us;

  if (!bench_plain_has_voxels (&m->data.spec))
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
  const BenchVoxels *work = m->data.work;
  VoxelCopy *copy = &m->copies[m->figures.n_copies - 1];
  const int64_t fit = copy->value_bytes > 0 ? MAX (1, FILE_BYTES / copy->value_bytes) : work->clouds;
  const int64_t items = MIN (fit, work->clouds);
  RcVoxelCounters counters;
  int i;

  bench_must (cudaMemset (copy->out.counters, 0, sizeof (counters)), "cudaMemset");
  run_job (copy, bench->stream);
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
    bench_rows_host (rows, "points", m->data.points[0], m->data.in_bytes);
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
    if (rows->json != NULL)
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
    bench_once (bench, m.figures.work, bench_total (&m.figures.bytes), run_copy, m.copies, m.figures.n_copies);
    free_measured (&m);
  }
}
