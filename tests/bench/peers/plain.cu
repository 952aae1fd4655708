/* robocache: alignments and voxel grids as a careful first version in CUDA has them, for comparison
 * A thread for each 16 bytes of a row searches the times of its recording and reads two rows. A thread for each point finds its voxel
 * and stores a value or adds with atomics. Sums of means are floats in any order. Indices and divisions have 32 bits, and what lies
 * together is loaded together.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/peers/plain.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define THREADS 256

static unsigned
blocks_for (int64_t n)
{
  return (unsigned) ((n + THREADS - 1) / THREADS);
}

/* ---- alignments ---- */

/* Channels that one thread loads and stores at once. */
template <typename T, int N>
struct alignas (sizeof (T) * N) Pack
{
  T values[N];
};

template <typename T, typename Weight, int N, bool NEAREST>
__global__ void
align (const int64_t *times, const T *rows, const int64_t *ticks, T *out, unsigned n, int n_rows, unsigned n_ticks,
    unsigned n_packs)
{
  const unsigned i = blockIdx.x * THREADS + threadIdx.x;
  int low = 0, high = n_rows;

  if (i >= n)
    return;
  const unsigned row = i / n_packs, item = row / n_ticks;
  const int64_t tick = ticks[row], *t = times + (size_t) item * n_rows;
  while (low < high) {
    const int middle = (low + high) / 2;

    if (t[middle] <= tick)
      low = middle + 1;
    else
      high = middle;
  }
  const int after = low < 1 ? 1 : low < n_rows ? low : n_rows - 1, before = after - 1;
  const Pack<T, N> *y0 = (const Pack<T, N> *) rows + ((size_t) item * n_rows + before) * n_packs + i % n_packs, *y1 = y0 + n_packs;
  Pack<T, N> *to = (Pack<T, N> *) out + i;
  if (NEAREST) {
    *to = tick - t[before] <= t[after] - tick ? *y0 : *y1;
  } else {
    const Weight w = (Weight) (tick - t[before]) / (Weight) (t[after] - t[before]);
    const Pack<T, N> a = *y0, b = *y1;
    Pack<T, N> blend;

    for (int c = 0; c < N; c++)
      blend.values[c] = (T) ((Weight) a.values[c] + w * ((Weight) b.values[c] - (Weight) a.values[c]));
    *to = blend;
  }
}

template <typename T, typename Weight, int N>
static void
launch_packs (const BenchJob *job, int i, cudaStream_t on)
{
  const RcAlignArgs *args = &job->align_args;
  const RcAlignStreamArgs *stream = &job->streams[i];
  const unsigned packs = (unsigned) (job->specs[i].channels / N);
  const int64_t n = args->batch * args->ticks * packs;
  const auto kernel = job->work->align.interpolation == RC_NEAREST ? align<T, Weight, N, true> : align<T, Weight, N, false>;

  kernel<<<blocks_for (n), THREADS, 0, on>>> (stream->times, (const T *) stream->rows, args->tick_times, (T *) stream->out,
      (unsigned) n, (int) stream->n_rows, (unsigned) args->ticks, packs);
}

template <typename T, typename Weight>
static void
launch (const BenchJob *job, int i, cudaStream_t on)
{
  constexpr int N = 16 / sizeof (T);
  const auto run = job->specs[i].channels % N == 0 ? launch_packs<T, Weight, N> : launch_packs<T, Weight, 1>;

  run (job, i, on);
}

static void
run_alignment (const BenchJob *job, cudaStream_t on)
{
  const RcDtype dtype = job->work->align.in;

  for (int i = 0; i < job->n_streams; i++)
    (dtype == RC_FLOAT64 ? launch<double, double> : dtype == RC_FLOAT32 ? launch<float, float> : dtype == RC_FLOAT16
        ? launch<__half, float> : launch<__nv_bfloat16, float>) (job, i, on);
}

/* ---- voxel grids ---- */

typedef struct
{
  const float *points;          /* [batch, n_item, fields] */
  int n, n_item, fields, features;      /* n: of all items */
  float origin[3], size[3];
  int grid[3];
} Cloud;

static __device__ int
this_thread (void)
{
  return (int) (blockIdx.x * THREADS + threadIdx.x);
}

static __device__ float4
position (const Cloud & cloud, int i)
{
  const float *point = cloud.points + (size_t) i * cloud.fields;

  return cloud.fields == 4 ? *(const float4 *) point : make_float4 (point[0], point[1], point[2], 0);
}

/* The linear index over all items; -1: beyond the grid. */
static __device__ int
locate (const Cloud & cloud, int i)
{
  const float4 at = position (cloud, i);
  const float xyz[] = { at.x, at.y, at.z };
  int voxel = i / cloud.n_item;

  for (int axis = 2; axis >= 0; axis--) {
    const float d = (xyz[axis] - cloud.origin[axis]) / cloud.size[axis];

    if (!(d >= 0 && d < (float) cloud.grid[axis]))
      return -1;
    voxel = voxel * cloud.grid[axis] + (int) d;
  }
  return voxel;
}

enum Kind { ONES, BITS, COUNTS, SUMS, INDICES };

/* counts: of sums alone. */
template <Kind KIND, typename T>
__global__ void
put_points (Cloud cloud, T *out, float *counts)
{
  const int i = this_thread (), voxel = i < cloud.n ? locate (cloud, i) : -1;

  if constexpr (KIND == INDICES) {
    if (i < cloud.n)
      out[i] = voxel;
  } else if (voxel >= 0) {
    if constexpr (KIND == ONES)
      out[voxel] = 1;
    if constexpr (KIND == BITS)
      atomicOr (&out[voxel / 32], 1u << voxel % 32);
    if constexpr (KIND == COUNTS)
      atomicAdd (&out[voxel], 1.0f);
    if constexpr (KIND == SUMS)
      atomicAdd (&counts[voxel], 1.0f);
    if constexpr (KIND == SUMS) {
      for (int c = 0; c < cloud.features; c++)
        atomicAdd (&out[(size_t) voxel * cloud.features + c], cloud.points[(size_t) (i + 1) * cloud.fields - cloud.features + c]);
    }
  }
}

__global__ void
divide (float *sums, const float *counts, int n, int features)
{
  const int i = this_thread ();

  if (i < n)
    sums[i] /= fmaxf (counts[i / features], 1.0f);
}

static Cloud
cloud_of (const BenchJob *job)
{
  const BenchVoxels *work = &job->work->voxels;
  Cloud cloud = { (const float *) job->clouds[0].data, (int) (work->clouds * work->points), (int) work->points,
    (int) (3 + work->features), (int) work->features
  };

  for (int axis = 0; axis < 3; axis++) {
    cloud.origin[axis] = (float) job->spec.origin[axis];
    cloud.size[axis] = (float) job->spec.voxel_size[axis];
    cloud.grid[axis] = (int) job->spec.grid[axis];
  }
  return cloud;
}

template <Kind KIND, typename T>
static void
run_points (const BenchJob *job, T *out, float *counts, cudaStream_t on)
{
  const Cloud cloud = cloud_of (job);
  const int64_t n = bench_plain_count_bytes (job->work) / 4 * cloud.features;

  if (KIND != INDICES)
    cudaMemsetAsync (out, 0, (size_t) (job->work->voxels.clouds * job->value_bytes), on);
  if (KIND == SUMS)
    cudaMemsetAsync (counts, 0, (size_t) bench_plain_count_bytes (job->work), on);
  put_points<KIND, T><<<blocks_for (cloud.n), THREADS, 0, on>>> (cloud, out, counts);
  if constexpr (KIND == SUMS)
    divide<<<blocks_for (n), THREADS, 0, on>>> (out, counts, (int) n, cloud.features);
}

static void
run_voxels (const BenchJob *job, float *counts, cudaStream_t on)
{
  const BenchVoxels *work = &job->work->voxels;
  void *grid = job->out.grid;

  if (work->output == RC_VOXEL_INDEX)
    run_points<INDICES> (job, job->job.point_voxels, counts, on);
  else if (work->output == RC_VOXEL_BITS)
    run_points<BITS> (job, (uint32_t *) grid, counts, on);
  else if (work->mode == RC_VOXEL_MEAN)
    run_points<SUMS> (job, (float *) grid, counts, on);
  else if (work->mode == RC_VOXEL_COUNT)
    run_points<COUNTS> (job, (float *) grid, counts, on);
  else if (work->type == RC_UINT8)
    run_points<ONES> (job, (uint8_t *) grid, counts, on);
  else
    run_points<ONES> (job, (float *) grid, counts, on);
}

/* ---- both ---- */

int
bench_plain_has (const BenchWork *work)
{
  const BenchAlignment *align = &work->align;
  const BenchVoxels *voxels = &work->voxels;

  if (work->alone)
    return 0;
  if (!work->is_voxels)
    return (align->interpolation == RC_LINEAR || align->interpolation == RC_NEAREST) && align->in == align->out
        && rc_dtype_is_float (align->in) && align->quaternions == 0;
  if (voxels->kept || voxels->output == RC_VOXEL_SPARSE || voxels->output == RC_VOXEL_RANK)
    return 0;
  return voxels->output != RC_VOXEL_DENSE || voxels->type == RC_FLOAT32
      || (voxels->type == RC_UINT8 && voxels->mode == RC_VOXEL_OCCUPANCY);
}

int64_t
bench_plain_count_bytes (const BenchWork *work)
{
  const BenchVoxels *voxels = &work->voxels;

  return work->is_voxels && voxels->mode == RC_VOXEL_MEAN ? voxels->clouds * voxels->axis * voxels->axis * voxels->axis * 4 : 0;
}

void
bench_plain_run (const BenchJob *job, float *counts, cudaStream_t stream)
{
  if (job->work->is_voxels)
    run_voxels (job, counts, stream);
  else
    run_alignment (job, stream);
}
