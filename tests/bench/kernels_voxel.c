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

#define FILE_BYTES (INT64_C (256) << 20)        /* of an output, for others to compare with */
#define CPU_RUNS 3

typedef struct
{
  const char *name;
  RcVoxelMode mode;
  RcVoxelOutput output;
  RcDtype dtype;
  int64_t batch, points, axis, features;
  double side;                  /* of the part of the grid that points lie in, all sides alike; 1: everywhere */
  double limit_us;              /* wanted, cold; 0: none */
  double voxel;                 /* metres; 0: the grid is 1 m wide */
  int64_t max_points;           /* first: of a voxel */
  int is_kept;                  /* two clouds by turns into a grid of which it is known what it holds */
} VoxelShape;

/* Points are float32 x, y, z and the features. */
static const VoxelShape shapes[] = {
  {"occupancy 8 x 50,000, 64^3, float32", RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_FLOAT32, 8, 50000, 64, 0, 1, 5.5},
  {"occupancy 32 x 100,000, 128^3, float32", RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_FLOAT32, 32, 100000, 128, 0, 1, 82},
  {"the same, points in a thousandth of it", RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_FLOAT32, 32, 100000, 128, 0, 0.1, 0},
  {"occupancy 32 x 100,000, 128^3, uint8", RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_UINT8, 32, 100000, 128, 0, 1, 34},
  {"occupancy 32 x 100,000, 128^3, bits", RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, RC_UINT8, 32, 100000, 128, 0, 1, 20},
  {"occupancy 64 x 200,000, 256^3, float32", RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_FLOAT32, 64, 200000, 256, 0, 1, 1050},
  {"occupancy 64 x 200,000, 256^3, uint8", RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_UINT8, 64, 200000, 256, 0, 1, 320},
  {"occupancy 64 x 200,000, 256^3, bits", RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, RC_UINT8, 64, 200000, 256, 0, 1, 140},
  {"occupancy 64 x 200,000, 256^3, float32, kept", RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_FLOAT32, 64, 200000, 256, 0, 1, 350,
      0, 0, 1},
  {"occupancy 1 x 500,000, 128^3, float32", RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_FLOAT32, 1, 500000, 128, 0, 1, 0},
  {"count 8 x 50,000, 64^3, float32", RC_VOXEL_COUNT, RC_VOXEL_DENSE, RC_FLOAT32, 8, 50000, 64, 0, 1, 0},
  {"mean of 8, 1 x 500,000, 128^3, float32", RC_VOXEL_MEAN, RC_VOXEL_DENSE, RC_FLOAT32, 1, 500000, 128, 8, 1, 60},
  {"mean of 8, 1 x 500,000, 128^3, float32, kept", RC_VOXEL_MEAN, RC_VOXEL_DENSE, RC_FLOAT32, 1, 500000, 128, 8, 1, 0, 0, 0,
      1},
  {"sparse, mean of 4, 1 x 250,000, 128^3", RC_VOXEL_MEAN, RC_VOXEL_SPARSE, RC_FLOAT32, 1, 250000, 128, 4, 1, 60},
  {"sparse, mean of 4, 1 x 250,000, 512^3", RC_VOXEL_MEAN, RC_VOXEL_SPARSE, RC_FLOAT32, 1, 250000, 512, 4, 1, 60},
  {"sparse, mean of 4, 1 x 250,000, 2048^3", RC_VOXEL_MEAN, RC_VOXEL_SPARSE, RC_FLOAT32, 1, 250000, 2048, 4, 1, 100},
  {"index of 126,891 points, 0.1 m", RC_VOXEL_OCCUPANCY, RC_VOXEL_INDEX, RC_UINT8, 1, 126891, 1024, 0, 1, 4, 0.1},
  {"rank of 126,891 points, 0.1 m", RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_UINT8, 1, 126891, 1024, 0, 1, 50, 0.1},
  {"first 10 points, 1 x 126,891, 128^3", RC_VOXEL_FIRST, RC_VOXEL_SPARSE, RC_FLOAT32, 1, 126891, 128, 1, 1, 0, 0, 10},
};

#define N_SHAPES (sizeof (shapes) / sizeof (shapes[0]))

/* ---- data ---- */

typedef struct
{
  const VoxelShape *shape;
  RcVoxelSpec spec;
  float *points[2];             /* of each cloud, [batch, points, fields] */
  int n_clouds;
  int64_t in_bytes, fields;     /* of a cloud */
  int64_t must_move;            /* bytes */
} VoxelData;

static double
voxel_of (const VoxelShape *shape)
{
  return shape->voxel > 0 ? shape->voxel : 1.0 / (double) shape->axis;
}

/* From 0 on and below extent, rounded or not. */
static float
within (double extent)
{
  const float x = (float) (extent * bench_uniform ());

  return x < (float) extent ? x : 0;
}

static float *
make_cloud (const VoxelData *data)
{
  const VoxelShape *shape = data->shape;
  const double extent = shape->side * voxel_of (shape) * (double) shape->axis;
  float *points = malloc ((size_t) data->in_bytes);
  int64_t i, k;

  for (i = 0; i < shape->batch * shape->points; i++) {
    for (k = 0; k < data->fields; k++)
      points[i * data->fields + k] = k < 3 ? within (extent) : (float) (2 * bench_uniform () - 1);
  }
  return points;
}

static void
make_data (VoxelData *data, const VoxelShape *shape)
{
  int k;

  memset (data, 0, sizeof (*data));
  data->shape = shape;
  data->fields = 3 + shape->features;
  data->in_bytes = shape->batch * shape->points * data->fields * 4;
  data->n_clouds = shape->is_kept ? 2 : 1;
  data->spec = (RcVoxelSpec) {.points = {RC_FLOAT32, data->fields, 3, shape->features},.mode = shape->mode,
    .output = shape->output,.dtype = shape->dtype,.max_voxels = shape->points,.batch = shape->batch,
    .max_points = shape->max_points
  };
  for (k = 0; k < 3; k++) {
    data->spec.grid[k] = shape->axis;
    data->spec.voxel_size[k] = voxel_of (shape);
  }
  for (k = 0; k < data->n_clouds; k++)
    data->points[k] = make_cloud (data);
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
  const VoxelShape *shape = data->shape;
  uint32_t *bits = calloc ((size_t) (shape->axis * shape->axis * shape->axis / 32 + 1), sizeof (uint32_t));
  int64_t i, k, voxel;

  for (i = 0; i < shape->points; i++) {
    for (k = 2, voxel = 0; k >= 0; k--)
      voxel = voxel * shape->axis + (int64_t) ((double) points[i * data->fields + k] / voxel_of (shape));
    bits[voxel / 32] |= 1u << voxel % 32;
  }
  return bits;
}

/* Bytes of the sectors of a grid that differ between the clouds, or of means those that either has something in: as many in
 * each item as in the first. */
static int64_t
bytes_that_change (const VoxelData *data, int64_t value_bytes)
{
  const int64_t voxels = data->shape->axis * data->shape->axis * data->shape->axis, sectors = value_bytes / 32;
  uint32_t *was = occupied_by (data, data->points[0]), *is = occupied_by (data, data->points[1]);
  int64_t bytes = 0, sector, voxel;

  for (sector = 0; sector < sectors; sector++) {
    uint32_t changes = 0;

    for (voxel = sector * voxels / sectors; voxel <= ((sector + 1) * voxels - 1) / sectors; voxel++)
      changes |= (data->shape->mode == RC_VOXEL_OCCUPANCY ? was[voxel / 32] ^ is[voxel / 32] : was[voxel / 32] | is[voxel / 32])
          >> voxel % 32 & 1;
    bytes += changes ? 32 : 0;
  }
  free (was);
  free (is);
  return data->shape->batch * bytes;
}

/* One job of its own memory, where a backend computes. */
typedef struct
{
  RcBackend *backend;
  RcVoxelPlan *plan;
  RcVoxelJob job;
  RcVoxelChunk chunks[2];       /* a cloud each */
  int n_clouds, turn;           /* whose is the next run */
  RcVoxelOut out;
  int64_t value_bytes;          /* of an item */
  int64_t out_bytes;            /* of all outputs */
} VoxelCopy;

static void *
take (const VoxelCopy *copy, int64_t bytes)
{
  return bench_memory (copy->backend, (uint64_t) bytes, NULL);
}

static void
make_copy (VoxelCopy *copy, const VoxelData *data, RcBackend *backend)
{
  const int64_t cap = data->spec.max_voxels, batch = data->spec.batch, n = data->shape->points;
  const int64_t point = data->fields * 4;
  RcFootprint footprint;
  RcError error;
  int i;

  memset (copy, 0, sizeof (*copy));
  copy->backend = backend;
  if (rc_voxel_plan (backend, &data->spec, &copy->plan, &footprint, &error) != RC_OK)
    bench_fail ("plan", error.message);
  copy->value_bytes = rc_voxel_value_bytes (copy->plan);
  copy->out_bytes = batch * copy->value_bytes;
  copy->out.grid = copy->out.values = take (copy, copy->out_bytes);
  copy->out.grid_batch_stride = copy->out.values_batch_stride = copy->value_bytes;
  if (data->spec.output == RC_VOXEL_SPARSE) {
    copy->out.n_voxels = take (copy, batch * 4);
    copy->out.n_voxels_batch_stride = 4;
    copy->out.coordinates = take (copy, batch * cap * 12);
    copy->out.coordinates_batch_stride = cap * 12;
    copy->out_bytes += batch * (cap * 12 + 4);
  }
  if (data->spec.mode == RC_VOXEL_FIRST) {
    copy->out.point_counts = take (copy, batch * cap * 4);
    copy->out.point_counts_batch_stride = cap * 4;
    copy->out_bytes += batch * cap * 4;
  }
  if (data->shape->is_kept) {
    copy->out.occupied_batch_stride = rc_voxel_bitmap_bytes (copy->plan);
    copy->out.occupied = take (copy, batch * copy->out.occupied_batch_stride);
  }
  copy->out.counters = take (copy, sizeof (RcVoxelCounters));
  copy->n_clouds = data->n_clouds;
  for (i = 0; i < copy->n_clouds; i++)
    copy->chunks[i] = (RcVoxelChunk) {.data = bench_memory (backend, (uint64_t) data->in_bytes, data->points[i]),.n = n,
      .stride = point,.batch_stride = n * point,.counters = copy->out.counters
    };
  copy->job = (RcVoxelJob) {.n_points = n,
    .scratch = take (copy, (int64_t) (footprint.scratch_bytes + footprint.scratch_bytes_per_point * (uint64_t) n))
  };
  if (rc_voxel_maps_points (data->spec.output)) {
    copy->job.point_voxels = take (copy, batch * n * 8);
    copy->job.point_voxels_batch_stride = n * 8;
    copy->out_bytes += batch * n * 8;
  }
}

static void
free_copy (VoxelCopy *copy)
{
  void *const memories[] = { copy->out.grid, copy->out.n_voxels, copy->out.coordinates, copy->out.counters,
    (void *) copy->chunks[0].data, (void *) copy->chunks[1].data, copy->job.scratch, copy->job.point_voxels,
    copy->out.point_counts, copy->out.occupied
  };
  size_t i;

  rc_voxel_plan_free (copy->plan);
  for (i = 0; i < sizeof (memories) / sizeof (memories[0]); i++)
    rc_memory_free (copy->backend, RC_MEMORY_DEVICE, memories[i]);
}

/* ---- timing ---- */

static void
run_job (VoxelCopy *copy, RcStream stream)
{
  const RcVoxelChunk *chunk = &copy->chunks[copy->turn];
  RcError error;

  if (rc_voxel_begin (copy->plan, &copy->job, stream, &error) != RC_OK
      || rc_voxel_range (copy->plan, &copy->job, chunk, stream, &error) != RC_OK
      || rc_voxel_add (copy->plan, &copy->job, chunk, stream, &error) != RC_OK
      || rc_voxel_end (copy->plan, &copy->job, &copy->out, stream, &error) != RC_OK)
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

static double
time_cpu (const VoxelData *data, RcBackend *cpu)
{
  float us[CPU_RUNS];
  VoxelCopy copy;
  int i;

  make_copy (&copy, data, cpu);
  run_first (&copy, NULL);
  for (i = 0; i < CPU_RUNS; i++) {
    const double before = bench_now_us ();

    run_job (&copy, NULL);
    us[i] = (float) (bench_now_us () - before);
  }
  free_copy (&copy);
  return bench_median (us, CPU_RUNS);
}

typedef struct
{
  VoxelData data;
  VoxelCopy copies[BENCH_MAX_COPIES];
  int n_copies;
  BenchTimes times;
  double enqueue_us;
} Measured;

static void
measure (const Bench *bench, const VoxelShape *shape, Measured *m)
{
  int i;

  make_data (&m->data, shape);
  make_copy (&m->copies[0], &m->data, bench->backend);
  m->data.must_move = m->data.in_bytes + (shape->is_kept ? bytes_that_change (&m->data, m->copies[0].value_bytes)
      : m->copies[0].out_bytes);
  m->n_copies = bench_copies (bench, m->data.must_move);
  for (i = 1; i < m->n_copies; i++)
    make_copy (&m->copies[i], &m->data, bench->backend);
  for (i = 0; i < m->n_copies; i++)
    run_first (&m->copies[i], bench->stream);
  bench_must (cudaStreamSynchronize (bench->stream), "cudaStreamSynchronize");
  m->times = bench_times (bench, run_copy, m->copies, m->n_copies, m->data.must_move);
  m->enqueue_us = bench_time_enqueue (bench, run_copy, m->copies);
}

static void
free_measured (Measured *m)
{
  int i;

  for (i = 0; i < m->n_copies; i++)
    free_copy (&m->copies[i]);
  free_data (&m->data);
}

void
bench_voxels (const Bench *bench, const BenchWish *wish)
{
  Measured m;
  size_t i;

  bench_print_head ("voxels");
  for (i = 0; i < N_SHAPES; i++) {
    if (!bench_wants (wish, i, shapes[i].name))
      continue;
    measure (bench, &shapes[i], &m);
    bench_print (shapes[i].name, m.data.must_move, &m.times, m.enqueue_us, time_cpu (&m.data, bench->cpu));
    free_measured (&m);
  }
}

void
bench_voxels_once (const Bench *bench, const BenchWish *wish)
{
  VoxelCopy copy;
  VoxelData data;
  size_t i;

  for (i = 0; i < N_SHAPES; i++) {
    if (!bench_wants (wish, i, shapes[i].name))
      continue;
    make_data (&data, &shapes[i]);
    make_copy (&copy, &data, bench->backend);
    run_first (&copy, bench->stream);
    bench_twice (bench, shapes[i].name, run_copy, &copy);
    free_copy (&copy);
    free_data (&data);
  }
}

/* ---- rows for others to compare with ---- */

static void
write_file (const char *folder, size_t row, const char *kind, const void *data, int64_t bytes)
{
  char path[4096];
  FILE *file;

  snprintf (path, sizeof (path), "%s/%zu.%s", folder, row, kind);
  file = fopen (path, "wb");
  if (file == NULL || fwrite (data, 1, (size_t) bytes, file) != (size_t) bytes || fclose (file) != 0)
    bench_fail (path, "cannot be written");
}

static void
write_from_device (const char *folder, size_t row, const char *kind, const void *device, int64_t bytes)
{
  void *host = malloc ((size_t) bytes + 1);

  bench_must (cudaMemcpy (host, device, (size_t) bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
  write_file (folder, row, kind, host, bytes);
  free (host);
}

/* Runs the job once more; returns its counters, and how many items the files have. Nobody compares with grids that are kept. */
static RcVoxelCounters
write_result (const Bench *bench, Measured *m, const char *folder, size_t row, int64_t *items)
{
  VoxelCopy *copy = &m->copies[0];
  const int64_t batch = m->data.spec.batch, cap = m->data.spec.max_voxels;
  const int64_t fit = copy->value_bytes > 0 ? FILE_BYTES / copy->value_bytes : batch;
  RcVoxelCounters counters;

  bench_must (cudaMemset (copy->out.counters, 0, sizeof (counters)), "cudaMemset");
  run_job (copy, bench->stream);
  bench_must (cudaStreamSynchronize (bench->stream), "cudaStreamSynchronize");
  bench_must (cudaMemcpy (&counters, copy->out.counters, sizeof (counters), cudaMemcpyDeviceToHost), "cudaMemcpy");
  *items = fit < 1 ? 1 : fit < batch ? fit : batch;
  if (m->data.shape->is_kept)
    return counters;
  write_file (folder, row, "points", m->data.points[0], m->data.in_bytes);
  if (rc_voxel_maps_points (m->data.spec.output)) {
    write_from_device (folder, row, "map", copy->job.point_voxels, *items * m->data.shape->points * 8);
  } else if (m->data.spec.output != RC_VOXEL_SPARSE) {
    write_from_device (folder, row, "grid", copy->out.grid, *items * copy->value_bytes);
  } else {
    write_from_device (folder, row, "n_voxels", copy->out.n_voxels, *items * 4);
    write_from_device (folder, row, "coordinates", copy->out.coordinates, *items * cap * 12);
    write_from_device (folder, row, "values", copy->out.values, *items * copy->value_bytes);
  }
  return counters;
}

static void
print_row (const Measured *m, size_t row, const RcVoxelCounters *counters, int64_t items)
{
  const VoxelShape *shape = m->data.shape;

  printf ("{\"row\": %zu, \"work\": \"%s\", \"mode\": \"%s\", \"output\": \"%s\", \"dtype\": \"%s\", \"batch\": %" PRId64
      ", \"points\": %" PRId64 ", \"axis\": %" PRId64 ", \"voxel\": %.17g, \"features\": %" PRId64 ", \"max_points\": %"
      PRId64 ", \"limit_us\": %g, \"must_move\": %" PRId64 ", \"floor_us\": %.2f, \"cold_us\": %.2f, \"warm_us\": %.2f, "
      "\"enqueue_us\": %.2f, \"n_copies\": %d, \"items\": %" PRId64 ", \"inside\": %" PRId64 ", \"occupied\": %" PRId64
      ", \"kept\": %s}\n", row, shape->name, rc_voxel_mode_name (shape->mode), rc_voxel_output_name (shape->output),
      rc_dtype_name (shape->dtype), shape->batch, shape->points, shape->axis, voxel_of (shape), shape->features,
      shape->max_points, shape->limit_us, m->data.must_move, m->times.floor, m->times.cold, m->times.warm,
      m->enqueue_us, m->n_copies, items, counters->inside, counters->occupied, shape->is_kept ? "true" : "false");
  fflush (stdout);
}

void
bench_voxel_rows (const Bench *bench, const BenchWish *wish, const char *folder)
{
  Measured m;
  size_t i;

  printf ("{\"device\": \"%s\", \"multiprocessors\": %d, \"l2_bytes\": %" PRId64 ", \"copy_gbps\": %.0f, "
      "\"launch_us\": %.2f}\n", bench->name, bench->multiprocessors, bench->l2_bytes, bench->copy_gbps,
      bench->launch_us);
  for (i = 0; i < N_SHAPES; i++) {
    RcVoxelCounters counters;
    int64_t items;

    if (!bench_wants (wish, i, shapes[i].name))
      continue;
    measure (bench, &shapes[i], &m);
    counters = write_result (bench, &m, folder, i, &items);
    print_row (&m, i, &counters, items);
    free_measured (&m);
  }
}
