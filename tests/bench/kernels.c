/* robocache: how fast the kernels are, against the bytes they must move
 *
 *   bench-kernels [--few] [--voxels]
 *
 * --few: a quarter of the shapes; --voxels: voxel grids alone. Each shape is timed with CUDA events in two ways: `cold`,
 * runs over several copies of the data that together are at least four times the L2, captured in one graph and divided
 * by their number; `warm`, the same over one copy. Both are medians of many launches. The floor is the bytes that must
 * move over the bandwidth of a device-to-device copy, measured here, plus one launch of an empty run, measured here in
 * the same way. Times of the CPU backend, one thread, are medians too.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/align.h"
#include "kernels/voxel.h"

#define MAX_STREAMS 4
#define MAX_COPIES 64
#define LAUNCHES 31
#define MS 1e6

typedef struct
{
  const char *name;
  int n_streams;
  int64_t batch;
  int64_t ticks;
  RcDtype in, out;
  RcInterpolation interpolation;
  struct
  {
    int64_t rows, channels;
  } streams[MAX_STREAMS];
  int live;                     /* brackets of one tick */
} Shape;

static const Shape shapes[] = {
  {"resample 32x500 -> 256x256, bfloat16", 1, 32, 256, RC_BFLOAT16, RC_BFLOAT16, RC_LINEAR, {{500, 256}}, 0},
  {"resample 32x500 -> 256x256, float32", 1, 32, 256, RC_FLOAT32, RC_FLOAT32, RC_LINEAR, {{500, 256}}, 0},
  {"resample 256x4096 -> 2048x64, float32", 1, 256, 2048, RC_FLOAT32, RC_FLOAT32, RC_LINEAR, {{4096, 64}}, 0},
  {"resample 256x4096 -> 2048x64, float32, nearest", 1, 256, 2048, RC_FLOAT32, RC_FLOAT32, RC_NEAREST, {{4096, 64}}, 0},
  {"resample 256x4096 -> 2048x64, float32, cubic", 1, 256, 2048, RC_FLOAT32, RC_FLOAT32, RC_CUBIC, {{4096, 64}}, 0},
  {"resample 256x4096 -> 2048x64, float32 to bfloat16", 1, 256, 2048, RC_FLOAT32, RC_BFLOAT16, RC_LINEAR,
    {{4096, 64}}, 0},
  {"resample 256x4096 -> 2048x64, float16", 1, 256, 2048, RC_FLOAT16, RC_FLOAT16, RC_LINEAR, {{4096, 64}}, 0},
  {"resample 256x4096 -> 2048x64, float64", 1, 256, 2048, RC_FLOAT64, RC_FLOAT64, RC_LINEAR, {{4096, 64}}, 0},
  {"resample 256x1000 -> 500x14, float32", 1, 256, 500, RC_FLOAT32, RC_FLOAT32, RC_LINEAR, {{1000, 14}}, 0},
  {"resample 256x1000 -> 500x7, float32", 1, 256, 500, RC_FLOAT32, RC_FLOAT32, RC_LINEAR, {{1000, 7}}, 0},
  {"resample 1x100000 -> 100000x64, float32", 1, 1, 100000, RC_FLOAT32, RC_FLOAT32, RC_LINEAR, {{100000, 64}}, 0},
  {"fuse 256x(100x512 + 200x128 + 300x64) -> 128, bfloat16", 3, 256, 128, RC_BFLOAT16, RC_BFLOAT16, RC_LINEAR,
    {{100, 512}, {200, 128}, {300, 64}}, 0},
  {"fuse 256x(100x512 + 200x128 + 300x64) -> 128, float32", 3, 256, 128, RC_FLOAT32, RC_FLOAT32, RC_LINEAR,
    {{100, 512}, {200, 128}, {300, 64}}, 0},
  {"one live tick of 14 + 6 channels, float32", 2, 1, 1, RC_FLOAT32, RC_FLOAT32, RC_LINEAR, {{4, 14}, {4, 6}}, 1},
  {"one live frame of 640x480x3, uint8", 1, 1, 1, RC_UINT8, RC_UINT8, RC_NEAREST, {{4, 921600}}, 1},
};

typedef struct
{
  const Shape *shape;
  RcAlignStreamSpec specs[MAX_STREAMS];
  RcAlignStreamArgs host[MAX_STREAMS];
  int64_t *ticks;               /* [batch, ticks] */
  RcBracket *brackets[MAX_STREAMS];
  int64_t in_bytes[MAX_STREAMS], out_bytes[MAX_STREAMS];
  int64_t must_move;            /* bytes */
} Data;

static void __attribute__ ((noreturn))
fail (const char *what, const char *why)
{
  fprintf (stderr, "%s: %s\n", what, why);
  exit (1);
}

static void
must (cudaError_t result, const char *what)
{
  if (result != cudaSuccess)
    fail (what, cudaGetErrorString (result));
}

static void *
on_device (size_t bytes, const void *host)
{
  void *memory = NULL;

  must (cudaMalloc (&memory, bytes ? bytes : 1), "cudaMalloc");
  if (host != NULL)
    must (cudaMemcpy (memory, host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  return memory;
}

static double
uniform (void)
{
  static uint64_t state = 1;

  state = state * UINT64_C (6364136223846793005) + UINT64_C (1442695040888963407);
  return (double) (state >> 11) * 0x1p-53;
}

/* ---- data ---- */

/* Rows of a recording of one second: jitter of a third of a period. */
static void
fill_times (int64_t *times, int64_t n)
{
  int64_t i;

  for (i = 0; i < n; i++)
    times[i] = (int64_t) ((((double) i + 0.33 * uniform ()) / (double) n) * 1000 * MS);
}

static void
fill_rows (void *rows, RcDtype dtype, int64_t n)
{
  int64_t i;

  for (i = 0; i < n; i++) {
    const float x = (float) (2 * uniform () - 1);
    const double d = x;
    const uint16_t half = (uint16_t) (0x3000 + (int) (uniform () * 0x0C00) + (x < 0 ? 0x8000 : 0));

    if (dtype == RC_FLOAT32)
      ((float *) rows)[i] = x;
    else if (dtype == RC_FLOAT64)
      ((double *) rows)[i] = d;
    else if (dtype == RC_FLOAT16)
      ((uint16_t *) rows)[i] = half;
    else if (dtype == RC_BFLOAT16)
      memcpy ((uint16_t *) rows + i, (const uint16_t *) &x + 1, 2);
    else
      ((uint8_t *) rows)[i] = (uint8_t) (uniform () * 256);
  }
}

/* Rows of an episode that some tick reads. */
static int64_t
rows_needed (const Data *data, int i, int64_t e, uint8_t *seen)
{
  const RcAlignStreamArgs *args = &data->host[i];
  const int64_t ticks = data->shape->ticks;
  int64_t k, n = 0, r;

  memset (seen, 0, (size_t) args->n_rows);
  for (k = 0; k < ticks; k++) {
    const RcBracket b = rc_bracket_find (&data->specs[i].search, args->times + e * args->n_rows, args->n_rows,
        data->ticks[e * ticks + k]);

    if (b.blend != RC_BLEND_NONE)
      seen[b.row] = seen[b.next] = seen[b.before] = seen[b.after] = 1;
  }
  for (r = 0; r < args->n_rows; r++)
    n += seen[r];
  return n;
}

static void
make_stream (Data *data, int i)
{
  const Shape *shape = data->shape;
  const int64_t rows = shape->streams[i].rows, channels = shape->streams[i].channels, batch = shape->batch;
  const int64_t in_row = channels * (int64_t) rc_dtype_size (shape->in);
  const int64_t out_row = channels * (int64_t) rc_dtype_size (shape->out);
  int64_t *times = malloc ((size_t) (batch * rows * 8));
  uint8_t *seen = malloc ((size_t) rows);
  void *memory;
  int64_t e;

  data->specs[i] = (RcAlignStreamSpec) {.in = shape->in,.out = shape->out,.channels = channels,
    .search = {shape->interpolation, -1, 0, 0}
  };
  data->in_bytes[i] = batch * rows * in_row;
  data->out_bytes[i] = batch * shape->ticks * out_row;
  memory = malloc ((size_t) data->in_bytes[i]);
  fill_rows (memory, shape->in, batch * rows * channels);
  for (e = 0; e < batch; e++)
    fill_times (times + e * rows, rows);
  data->host[i] = (RcAlignStreamArgs) {.rows = memory,.n_rows = rows,.row_stride = in_row,.batch_stride = rows * in_row,
    .times = times,.times_batch_stride = rows * 8,.out = malloc ((size_t) data->out_bytes[i]),.out_row_stride = out_row,
    .out_batch_stride = shape->ticks * out_row,.status = malloc ((size_t) (batch * shape->ticks)),
    .status_batch_stride = shape->ticks
  };
  for (e = 0; e < batch; e++)
    data->must_move += rows_needed (data, i, e, seen) * in_row + rows * 8;
  data->must_move += data->out_bytes[i] + batch * shape->ticks;
  free (seen);
  if (!shape->live)
    return;
  data->brackets[i] = malloc (sizeof (RcBracket));
  *data->brackets[i] = rc_bracket_find (&data->specs[i].search, times, rows, data->ticks[0]);
  data->host[i].brackets = data->brackets[i];
}

static void
make_data (Data *data, const Shape *shape)
{
  int64_t e, k;
  int i;

  memset (data, 0, sizeof (*data));
  data->shape = shape;
  data->ticks = malloc ((size_t) (shape->batch * shape->ticks * 8));
  for (e = 0; e < shape->batch; e++) {
    for (k = 0; k < shape->ticks; k++)
      data->ticks[e * shape->ticks + k] = (int64_t) ((20 + 960 * ((double) k + 0.5) / (double) shape->ticks) * MS);
  }
  data->must_move = shape->batch * shape->ticks * 8;
  for (i = 0; i < shape->n_streams; i++)
    make_stream (data, i);
}

static void
free_data (Data *data)
{
  int i;

  for (i = 0; i < data->shape->n_streams; i++) {
    free ((void *) data->host[i].rows);
    free ((void *) data->host[i].times);
    free (data->host[i].out);
    free (data->host[i].status);
    free (data->brackets[i]);
  }
  free (data->ticks);
}

/* ---- timing ---- */

static int
compare_floats (const void *a, const void *b)
{
  const float x = *(const float *) a, y = *(const float *) b;

  return (x > y) - (x < y);
}

static float
median (float *values, int n)
{
  qsort (values, (size_t) n, sizeof (*values), compare_floats);
  return values[n / 2];
}

/* Median us of launches of a graph that holds n runs, divided by n. */
static double
time_graph (cudaStream_t stream, cudaGraph_t graph, int n)
{
  cudaEvent_t before, after;
  cudaGraphExec_t ready;
  float ms[LAUNCHES];
  int i;

  must (cudaGraphInstantiate (&ready, graph, 0), "cudaGraphInstantiate");
  must (cudaEventCreate (&before), "cudaEventCreate");
  must (cudaEventCreate (&after), "cudaEventCreate");
  for (i = 0; i < 3; i++)
    must (cudaGraphLaunch (ready, stream), "cudaGraphLaunch");
  for (i = 0; i < LAUNCHES; i++) {
    must (cudaEventRecord (before, stream), "cudaEventRecord");
    must (cudaGraphLaunch (ready, stream), "cudaGraphLaunch");
    must (cudaEventRecord (after, stream), "cudaEventRecord");
    must (cudaEventSynchronize (after), "cudaEventSynchronize");
    must (cudaEventElapsedTime (&ms[i], before, after), "cudaEventElapsedTime");
  }
  cudaEventDestroy (before);
  cudaEventDestroy (after);
  cudaGraphExecDestroy (ready);
  return 1000.0 * median (ms, LAUNCHES) / n;
}

typedef struct
{
  RcAlignStreamArgs streams[MAX_STREAMS];
  RcAlignArgs args;
  RcAlignPlan *plan;
  void *memory[MAX_STREAMS * 5 + 2];
  int n_memory;
} Copy;

static void *
keep (Copy *copy, void *memory)
{
  copy->memory[copy->n_memory++] = memory;
  return memory;
}

static void
make_copy (Copy *copy, const Data *data, RcBackend *backend)
{
  const RcAlignSpec spec = { data->specs, data->shape->n_streams };
  RcFootprint footprint;
  RcError error;
  int i;

  memset (copy, 0, sizeof (*copy));
  if (rc_align_plan (backend, &spec, &copy->plan, &footprint, &error) != RC_OK)
    fail ("plan", error.message);
  for (i = 0; i < data->shape->n_streams; i++) {
    RcAlignStreamArgs *s = &copy->streams[i];

    *s = data->host[i];
    s->rows = keep (copy, on_device ((size_t) data->in_bytes[i], s->rows));
    s->out = keep (copy, on_device ((size_t) data->out_bytes[i], NULL));
    s->status = keep (copy, on_device ((size_t) (data->shape->batch * data->shape->ticks), NULL));
    if (s->brackets != NULL)
      s->brackets = keep (copy, on_device (sizeof (RcBracket), s->brackets));
    s->times = keep (copy, on_device ((size_t) (data->shape->batch * s->n_rows * 8), s->times));
  }
  copy->args = (RcAlignArgs) { copy->streams, data->shape->batch, data->shape->ticks, keep (copy,
        on_device ((size_t) (data->shape->batch * data->shape->ticks * 8), data->ticks)), data->shape->ticks * 8,
    keep (copy, on_device (footprint.scratch_bytes, NULL))
  };
}

static void
free_copy (Copy *copy)
{
  int i;

  rc_align_plan_free (copy->plan);
  for (i = 0; i < copy->n_memory; i++)
    cudaFree (copy->memory[i]);
}

/* n runs over the copies in turn. */
static double
time_runs (cudaStream_t stream, Copy *copies, int n_copies, int n)
{
  cudaGraph_t graph;
  RcError error;
  double us;
  int i;

  must (cudaStreamBeginCapture (stream, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  for (i = 0; i < n; i++) {
    Copy *copy = &copies[i % n_copies];

    if (rc_align_run (copy->plan, &copy->args, stream, &error) != RC_OK)
      fail ("run", error.message);
  }
  must (cudaStreamEndCapture (stream, &graph), "cudaStreamEndCapture");
  us = time_graph (stream, graph, n);
  cudaGraphDestroy (graph);
  return us;
}

static double
now_us (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec * 1e6 + (double) t.tv_nsec / 1e3;
}

/* Host time of one call that enqueues, with the stream kept busy no longer than needed. */
static double
time_enqueue (cudaStream_t stream, Copy *copy)
{
  float us[LAUNCHES];
  int i;

  for (i = 0; i < LAUNCHES; i++) {
    const double before = now_us ();

    rc_align_run (copy->plan, &copy->args, stream, NULL);
    us[i] = (float) (now_us () - before);
    must (cudaStreamSynchronize (stream), "cudaStreamSynchronize");
  }
  return median (us, LAUNCHES);
}

static double
time_cpu (const Data *data, RcBackend *cpu)
{
  const RcAlignSpec spec = { data->specs, data->shape->n_streams };
  const RcAlignArgs args = { data->host, data->shape->batch, data->shape->ticks, data->ticks, data->shape->ticks * 8,
    NULL
  };
  RcAlignPlan *plan;
  RcError error;
  float us[5];
  int i;

  if (rc_align_plan (cpu, &spec, &plan, NULL, &error) != RC_OK)
    fail ("plan", error.message);
  for (i = 0; i < 5; i++) {
    const double before = now_us ();

    if (rc_align_run (plan, &args, NULL, &error) != RC_OK)
      fail ("run", error.message);
    us[i] = (float) (now_us () - before);
  }
  rc_align_plan_free (plan);
  return median (us, 5);
}

/* ---- the device ---- */

typedef struct
{
  RcBackend *backend, *cpu;
  cudaStream_t stream;
  double copy_gbps;             /* bytes read and written */
  double launch_us;
  int64_t l2_bytes;
} Bench;

/* Not in a graph, which may leave copies to an engine that is slower than the multiprocessors. */
static void
measure_copy (Bench *bench)
{
  const size_t bytes = (size_t) 2 << 30;
  void *from = on_device (bytes, NULL), *to = on_device (bytes, NULL);
  cudaEvent_t before, after;
  float ms[LAUNCHES];
  int i;

  must (cudaMemset (from, 0x5A, bytes), "cudaMemset");
  must (cudaEventCreate (&before), "cudaEventCreate");
  must (cudaEventCreate (&after), "cudaEventCreate");
  for (i = 0; i < LAUNCHES; i++) {
    must (cudaEventRecord (before, bench->stream), "cudaEventRecord");
    must (cudaMemcpyAsync (to, from, bytes, cudaMemcpyDeviceToDevice, bench->stream), "cudaMemcpyAsync");
    must (cudaEventRecord (after, bench->stream), "cudaEventRecord");
    must (cudaEventSynchronize (after), "cudaEventSynchronize");
    must (cudaEventElapsedTime (&ms[i], before, after), "cudaEventElapsedTime");
  }
  bench->copy_gbps = 2.0 * (double) bytes / median (ms, LAUNCHES) / 1e6;
  cudaEventDestroy (before);
  cudaEventDestroy (after);
  cudaFree (from);
  cudaFree (to);
}

/* One tick that is missing: the kernel starts and ends. */
static void
measure_launch (Bench *bench)
{
  static const Shape nothing = { "", 1, 1, 1, RC_FLOAT32, RC_FLOAT32, RC_LINEAR, {{1, 1}}, 0 };
  Data data;
  Copy copy;

  make_data (&data, &nothing);
  make_copy (&copy, &data, bench->backend);
  copy.streams[0].rows = NULL;
  copy.streams[0].status = NULL;
  bench->launch_us = time_runs (bench->stream, &copy, 1, 20);
  free_copy (&copy);
  free_data (&data);
}

static void
measure (Bench *bench, const Shape *shape)
{
  Copy *copies = calloc (MAX_COPIES, sizeof (*copies));
  double cold, warm, floor_us, cpu;
  int n_copies, i;
  Data data;

  make_data (&data, shape);
  n_copies = (int) (4 * bench->l2_bytes / data.must_move) + 1;
  n_copies = n_copies > MAX_COPIES ? MAX_COPIES : n_copies < 2 ? 2 : n_copies;
  for (i = 0; i < n_copies; i++)
    make_copy (&copies[i], &data, bench->backend);
  cold = time_runs (bench->stream, copies, n_copies, n_copies < 20 ? n_copies * (20 / n_copies) : n_copies);
  warm = time_runs (bench->stream, copies, 1, 20);
  floor_us = (double) data.must_move / bench->copy_gbps / 1e3 + bench->launch_us;
  cpu = time_cpu (&data, bench->cpu);
  printf ("| %s | %.2f | %.1f | %.1f | %.2f | %.0f | %.1f | %.1f | %.0f |\n", shape->name,
      (double) data.must_move / 1e6, floor_us, cold, cold / floor_us, (double) data.must_move / cold / 1e3, warm,
      time_enqueue (bench->stream, &copies[0]), cpu);
  fflush (stdout);
  for (i = 0; i < n_copies; i++)
    free_copy (&copies[i]);
  free_data (&data);
  free (copies);
}

/* ---- voxel grids ---- */

typedef struct
{
  const char *name;
  RcVoxelMode mode;
  RcVoxelOutput output;
  RcDtype dtype;
  int64_t batch, points, axis, features;
  double side;                  /* of the part of the grid that points lie in, all sides alike; 1: everywhere */
} VoxelShape;

static const VoxelShape voxel_shapes[] = {
  {"occupancy 32 x 100,000, 128^3, float32", RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_FLOAT32, 32, 100000, 128, 0, 1},
  {"the same, points in a thousandth of it", RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_FLOAT32, 32, 100000, 128, 0, 0.1},
  {"occupancy 32 x 100,000, 128^3, uint8", RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_UINT8, 32, 100000, 128, 0, 1},
  {"occupancy 32 x 100,000, 128^3, bits", RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, RC_UINT8, 32, 100000, 128, 0, 1},
  {"occupancy 1 x 500,000, 128^3, float32", RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_FLOAT32, 1, 500000, 128, 0, 1},
  {"occupancy 8 x 50,000, 64^3, float32", RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_FLOAT32, 8, 50000, 64, 0, 1},
  {"count 8 x 50,000, 64^3, float32", RC_VOXEL_COUNT, RC_VOXEL_DENSE, RC_FLOAT32, 8, 50000, 64, 0, 1},
  {"mean of 8, 1 x 500,000, 128^3, float32", RC_VOXEL_MEAN, RC_VOXEL_DENSE, RC_FLOAT32, 1, 500000, 128, 8, 1},
  {"sparse, mean of 4, 1 x 250,000, 128^3", RC_VOXEL_MEAN, RC_VOXEL_SPARSE, RC_FLOAT32, 1, 250000, 128, 4, 1},
  {"sparse, mean of 4, 1 x 250,000, 2048^3", RC_VOXEL_MEAN, RC_VOXEL_SPARSE, RC_FLOAT32, 1, 250000, 2048, 4, 1},
};

typedef struct
{
  RcVoxelSpec spec;
  float *points;                /* [batch, points, fields] */
  int64_t in_bytes, fields;
  int64_t must_move;            /* bytes */
} VoxelData;

static void
make_voxel_data (VoxelData *data, const VoxelShape *shape)
{
  const int64_t n = shape->batch * shape->points;
  int64_t i, k;

  memset (data, 0, sizeof (*data));
  data->fields = 3 + shape->features;
  data->in_bytes = n * data->fields * 4;
  data->points = malloc ((size_t) data->in_bytes);
  data->spec = (RcVoxelSpec) {.points = {RC_FLOAT32, data->fields, 3, shape->features},.mode = shape->mode,
    .output = shape->output,.dtype = shape->dtype,.max_voxels = shape->points,.batch = shape->batch
  };
  for (k = 0; k < 3; k++) {
    data->spec.grid[k] = shape->axis;
    data->spec.voxel_size[k] = 1.0 / (double) shape->axis;
  }
  for (i = 0; i < n; i++) {
    for (k = 0; k < data->fields; k++)
      data->points[i * data->fields + k] = (float) (k < 3 ? shape->side * uniform () : 2 * uniform () - 1);
  }
}

/* One job of its own memory. */
typedef struct
{
  RcVoxelPlan *plan;
  RcVoxelJob job;
  RcVoxelChunk chunk;
  RcVoxelOut out;
  void *values;
  int64_t out_bytes;
} VoxelCopy;

static void
make_voxel_copy (VoxelCopy *copy, const VoxelData *data, const VoxelShape *shape, RcBackend *backend)
{
  const int64_t cap = data->spec.max_voxels, batch = shape->batch, point = data->fields * 4;
  RcFootprint footprint;
  RcError error;
  int64_t bytes;

  memset (copy, 0, sizeof (*copy));
  if (rc_voxel_plan (backend, &data->spec, &copy->plan, &footprint, &error) != RC_OK)
    fail ("plan", error.message);
  bytes = rc_voxel_value_bytes (copy->plan);
  copy->values = on_device ((size_t) (batch * bytes), NULL);
  copy->out_bytes = batch * bytes;
  copy->out = (RcVoxelOut) {.grid = copy->values,.grid_batch_stride = bytes,.values = copy->values,
    .values_batch_stride = bytes
  };
  if (shape->output == RC_VOXEL_SPARSE) {
    copy->out.n_voxels = on_device ((size_t) (batch * 4), NULL);
    copy->out.n_voxels_batch_stride = 4;
    copy->out.coordinates = on_device ((size_t) (batch * cap * 12), NULL);
    copy->out.coordinates_batch_stride = cap * 12;
    copy->out_bytes += batch * (cap * 12 + 4);
  }
  copy->chunk = (RcVoxelChunk) { on_device ((size_t) data->in_bytes, data->points), shape->points, point,
    shape->points * point, NULL, 0, on_device (sizeof (RcVoxelCounters), NULL)
  };
  copy->out.counters = copy->chunk.counters;
  copy->job = (RcVoxelJob) { shape->points, NULL, on_device (footprint.scratch_bytes
        + footprint.scratch_bytes_per_point * (uint64_t) shape->points, NULL)
  };
}

static void
free_voxel_copy (VoxelCopy *copy)
{
  rc_voxel_plan_free (copy->plan);
  cudaFree (copy->values);
  cudaFree (copy->out.n_voxels);
  cudaFree (copy->out.coordinates);
  cudaFree ((void *) copy->chunk.data);
  cudaFree (copy->chunk.counters);
  cudaFree (copy->job.scratch);
}

static void
run_voxel_job (RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelChunk *chunk, const RcVoxelOut *out,
    RcStream stream)
{
  RcError error;

  if (rc_voxel_begin (plan, job, stream, &error) != RC_OK || rc_voxel_range (plan, job, chunk, stream, &error) != RC_OK
      || rc_voxel_add (plan, job, chunk, stream, &error) != RC_OK
      || rc_voxel_end (plan, job, out, stream, &error) != RC_OK)
    fail ("voxels", error.message);
}

/* n jobs over the copies in turn. */
static double
time_voxels (cudaStream_t stream, const VoxelCopy *copies, int n_copies, int n)
{
  cudaGraph_t graph;
  double us;
  int i;

  must (cudaStreamBeginCapture (stream, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  for (i = 0; i < n; i++) {
    const VoxelCopy *copy = &copies[i % n_copies];

    run_voxel_job (copy->plan, &copy->job, &copy->chunk, &copy->out, stream);
  }
  must (cudaStreamEndCapture (stream, &graph), "cudaStreamEndCapture");
  us = time_graph (stream, graph, n);
  cudaGraphDestroy (graph);
  return us;
}

static double
time_voxels_enqueue (cudaStream_t stream, const VoxelCopy *copy)
{
  float us[LAUNCHES];
  int i;

  for (i = 0; i < LAUNCHES; i++) {
    const double before = now_us ();

    run_voxel_job (copy->plan, &copy->job, &copy->chunk, &copy->out, stream);
    us[i] = (float) (now_us () - before);
    must (cudaStreamSynchronize (stream), "cudaStreamSynchronize");
  }
  return median (us, LAUNCHES);
}

static double
time_voxels_cpu (const VoxelData *data, const VoxelShape *shape, const VoxelCopy *copy, RcBackend *cpu)
{
  RcVoxelChunk chunk = copy->chunk;
  RcVoxelJob job = copy->job;
  RcVoxelOut out = copy->out;
  RcFootprint footprint;
  RcVoxelPlan *plan;
  RcError error;
  float us[3];
  int i;

  if (rc_voxel_plan (cpu, &data->spec, &plan, &footprint, &error) != RC_OK)
    fail ("plan", error.message);
  job.scratch = aligned_alloc (256, (footprint.scratch_bytes + footprint.scratch_bytes_per_point
          * (uint64_t) shape->points + 255) / 256 * 256);
  chunk.data = data->points;
  chunk.counters = out.counters = NULL;
  out.grid = out.values = malloc ((size_t) (shape->batch * rc_voxel_value_bytes (plan) + 1));
  out.n_voxels = malloc ((size_t) shape->batch * 4);
  out.coordinates = malloc ((size_t) (shape->batch * data->spec.max_voxels) * 12);
  for (i = 0; i < 3; i++) {
    const double before = now_us ();

    run_voxel_job (plan, &job, &chunk, &out, NULL);
    us[i] = (float) (now_us () - before);
  }
  rc_voxel_plan_free (plan);
  free (job.scratch);
  free (out.grid);
  free (out.n_voxels);
  free (out.coordinates);
  return median (us, 3);
}

static void
measure_voxels (Bench *bench, const VoxelShape *shape)
{
  VoxelCopy *copies = calloc (MAX_COPIES, sizeof (*copies));
  double cold, warm, floor_us;
  VoxelData data;
  int n_copies, i;

  make_voxel_data (&data, shape);
  make_voxel_copy (&copies[0], &data, shape, bench->backend);
  data.must_move = data.in_bytes + copies[0].out_bytes;
  n_copies = (int) (4 * bench->l2_bytes / data.must_move) + 1;
  n_copies = n_copies > MAX_COPIES ? MAX_COPIES : n_copies < 2 ? 2 : n_copies;
  for (i = 1; i < n_copies; i++)
    make_voxel_copy (&copies[i], &data, shape, bench->backend);
  cold = time_voxels (bench->stream, copies, n_copies, n_copies < 20 ? n_copies * (20 / n_copies) : n_copies);
  warm = time_voxels (bench->stream, copies, 1, 20);
  floor_us = (double) data.must_move / bench->copy_gbps / 1e3 + bench->launch_us;
  printf ("| %s | %.2f | %.1f | %.1f | %.2f | %.0f | %.1f | %.1f | %.0f |\n", shape->name,
      (double) data.must_move / 1e6, floor_us, cold, cold / floor_us, (double) data.must_move / cold / 1e3, warm,
      time_voxels_enqueue (bench->stream, &copies[0]), time_voxels_cpu (&data, shape, &copies[0], bench->cpu));
  fflush (stdout);
  for (i = 0; i < n_copies; i++)
    free_voxel_copy (&copies[i]);
  free (data.points);
  free (copies);
}

static void
print_head (const char *what)
{
  printf ("| %s | MB that must move | floor us | cold us | times the floor | GB/s | warm us | host us to enqueue "
      "| CPU us |\n|---|---|---|---|---|---|---|---|---|\n", what);
}

int
main (int argc, char **argv)
{
  const RcWhere there = { RC_BACKEND_CUDA, 0, RC_CPU_BEST, 0 }, here = { RC_BACKEND_CPU, 0, RC_CPU_BEST, 0 };
  int few = 0, voxels_alone = 0, arg;
  struct cudaDeviceProp properties;
  Bench bench;
  RcError error;
  size_t i;

  for (arg = 1; arg < argc; arg++) {
    few |= strcmp (argv[arg], "--few") == 0;
    voxels_alone |= strcmp (argv[arg], "--voxels") == 0;
  }
  if (rc_backend_open (&here, &bench.cpu, &error) != RC_OK)
    fail ("CPU", error.message);
  if (rc_backend_open (&there, &bench.backend, &error) != RC_OK) {
    printf ("SKIP bench_kernels: %s\n", error.message);
    rc_backend_close (bench.cpu);
    return error.status == RC_NO_DEVICE ? 0 : 1;
  }
  must (cudaSetDevice (0), "cudaSetDevice");
  must (cudaGetDeviceProperties (&properties, 0), "cudaGetDeviceProperties");
  must (cudaStreamCreateWithFlags (&bench.stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  bench.l2_bytes = properties.l2CacheSize;
  measure_copy (&bench);
  measure_launch (&bench);
  printf ("%s, %d multiprocessors, L2 %.0f MB; copy %.0f GB/s; empty launch %.2f us\n\n", properties.name,
      properties.multiProcessorCount, (double) bench.l2_bytes / 1e6, bench.copy_gbps, bench.launch_us);
  if (!voxels_alone)
    print_head ("alignment");
  for (i = 0; i < sizeof (shapes) / sizeof (shapes[0]) && !voxels_alone; i++) {
    if (!few || i % 4 == 0)
      measure (&bench, &shapes[i]);
  }
  printf ("\n");
  print_head ("voxels");
  for (i = 0; i < sizeof (voxel_shapes) / sizeof (voxel_shapes[0]); i++) {
    if (!few || i % 4 == 0)
      measure_voxels (&bench, &voxel_shapes[i]);
  }
  cudaStreamDestroy (bench.stream);
  rc_backend_close (bench.backend);
  rc_backend_close (bench.cpu);
  return 0;
}
