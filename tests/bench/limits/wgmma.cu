/* robocache: one 64x64 matrix times many vectors: float32 units, mma.sync and wgmma
 *   bench-wgmma [--csv FILE]
 * Vectors and matrix are bfloat16, sums float32. Tensor cores pay here, since all vectors share one factor; alignments do not have such a
 * product (docs/explanation/experiments.md). `tflops` counts multiplications and additions. Results are compared with float64.
 * For compute capability 9.0 alone. PTX ISA: wgmma.mma_async with A in registers, matrix descriptor without a swizzle; mma.m16n8k16.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_bf16.h>

#include "tests/bench/limits/lab.cuh"

using namespace lab;

typedef __nv_bfloat16 Bf16;

constexpr int SIZE = 64, THREADS = 128, TILE = 64;      /* vectors of a block at a time */
constexpr int64_t VECTORS = 1 << 19;
constexpr double TOLERANCE = 1e-4;

/* ---- float32 units: a thread has a vector ---- */

__global__ void __launch_bounds__ (THREADS)
multiply_fma (const Bf16 *x, const Bf16 *matrix, float *y)
{
  __shared__ float transposed[SIZE][SIZE];
  const int64_t i = blockIdx.x * (int64_t) THREADS + threadIdx.x;
  float sums[SIZE] = { 0 };

  for (int k = threadIdx.x; k < SIZE * SIZE; k += THREADS)
    transposed[k % SIZE][k / SIZE] = __bfloat162float (matrix[k]);
  __syncthreads ();
  for (int k = 0; k < SIZE; k++) {
    const float value = __bfloat162float (x[i * SIZE + k]);

#pragma unroll
    for (int n = 0; n < SIZE; n++)
      sums[n] = fmaf (value, transposed[k][n], sums[n]);
  }
#pragma unroll
  for (int n = 0; n < SIZE; n += 4)
    *reinterpret_cast<float4 *> (y + i * SIZE + n) = make_float4 (sums[n], sums[n + 1], sums[n + 2], sums[n + 3]);
}

/* ---- tensor cores: a warp has 16 vectors of a tile of 64 ---- */

/* The part of this thread of vectors first … first + 15 and elements k … k + 15, two elements a register. */
__device__ __forceinline__ void
load_vectors (const Bf16 *x, int64_t first, int k, uint32_t left[4])
{
  const int lane = threadIdx.x % 32;
  const Bf16 *row = x + (first + lane / 4) * SIZE + k + lane % 4 * 2;

  left[0] = *reinterpret_cast<const uint32_t *> (row);
  left[1] = *reinterpret_cast<const uint32_t *> (row + 8 * SIZE);
  left[2] = *reinterpret_cast<const uint32_t *> (row + 8);
  left[3] = *reinterpret_cast<const uint32_t *> (row + 8 * SIZE + 8);
}

/* sums[4 n] and sums[4 n + 1] are of elements 8 n … 8 n + 7 of a vector, the next two of the eighth vector after it. */
__device__ __forceinline__ void
store_vectors (float *y, int64_t first, const float sums[SIZE / 2])
{
  const int lane = threadIdx.x % 32;
  float *row = y + (first + lane / 4) * SIZE + lane % 4 * 2;

#pragma unroll
  for (int n = 0; n < SIZE / 8; n++) {
    *reinterpret_cast<float2 *> (row + 8 * n) = make_float2 (sums[4 * n], sums[4 * n + 1]);
    *reinterpret_cast<float2 *> (row + 8 * SIZE + 8 * n) = make_float2 (sums[4 * n + 2], sums[4 * n + 3]);
  }
}

/* The matrix in core matrices of 8 rows and 8 columns, which have 128 bytes: for each 16 columns, 8 rows and then their other 8
 * columns follow each other. */
__device__ __forceinline__ int
place_of (int n, int k)
{
  return k / 16 * (16 * SIZE) + n / 8 * 128 + k / 8 % 2 * 64 + n % 8 * 8 + k % 8;
}

__device__ __forceinline__ void
multiply_mma (const Bf16 *matrix, int k, const uint32_t left[4], float sums[SIZE / 2])
{
  const int lane = threadIdx.x % 32;

#pragma unroll
  for (int n = 0; n < SIZE / 8; n++) {
    const uint32_t low = *reinterpret_cast<const uint32_t *> (matrix + place_of (8 * n + lane / 4, k + lane % 4 * 2));
    const uint32_t high = *reinterpret_cast<const uint32_t *> (matrix + place_of (8 * n + lane / 4, k + 8 + lane % 4 * 2));

    asm volatile ("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        :"+f" (sums[4 * n]), "+f" (sums[4 * n + 1]), "+f" (sums[4 * n + 2]), "+f" (sums[4 * n + 3])
        :"r" (left[0]), "r" (left[1]), "r" (left[2]), "r" (left[3]), "r" (low), "r" (high));
  }
}

/* Descriptor of 16 columns of the matrix: bytes between core matrices of one row and of one column, in units of 16. */
__device__ __forceinline__ uint64_t
descriptor_of (const Bf16 *matrix, int k)
{
  const uint64_t columns = 128 / 16, rows = 256 / 16;

  return (__cvta_generic_to_shared (matrix + place_of (0, k)) & 0x3FFFF) / 16 | columns << 16 | rows << 32;
}

#define FOUR(i) "+f" (sums[i]), "+f" (sums[i + 1]), "+f" (sums[i + 2]), "+f" (sums[i + 3])

__device__ __forceinline__ void
multiply_wgmma (uint64_t matrix, const uint32_t left[4], float sums[SIZE / 2])
{
  asm volatile ("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, "
      "%26, %27, %28, %29, %30, %31}, {%32, %33, %34, %35}, %36, 1, 1, 1, 0;"
      :FOUR (0), FOUR (4), FOUR (8), FOUR (12), FOUR (16), FOUR (20), FOUR (24), FOUR (28)
      :"r" (left[0]), "r" (left[1]), "r" (left[2]), "r" (left[3]), "l" (matrix));
}

template <bool WGMMA>
__global__ void __launch_bounds__ (THREADS)
multiply_on_tensor_cores (const Bf16 *x, const Bf16 *matrix, float *y)
{
  __shared__ __align__ (128) Bf16 cores[SIZE * SIZE];

  for (int i = threadIdx.x; i < SIZE * SIZE; i += THREADS)
    cores[place_of (i / SIZE, i % SIZE)] = matrix[i];
  asm volatile ("fence.proxy.async.shared::cta;":::"memory");
  __syncthreads ();
  for (int64_t tile = blockIdx.x; tile < VECTORS / TILE; tile += gridDim.x) {
    const int64_t first = tile * TILE + threadIdx.x / 32 * 16;
    uint32_t lefts[SIZE / 16][4];
    float sums[SIZE / 2] = { 0 };

#pragma unroll
    for (int k = 0; k < SIZE / 16; k++)
      load_vectors (x, first, 16 * k, lefts[k]);
    if (WGMMA)
      asm volatile ("wgmma.fence.sync.aligned;":::"memory");
#pragma unroll
    for (int k = 0; k < SIZE / 16; k++) {
      if (WGMMA)
        multiply_wgmma (descriptor_of (cores, 16 * k), lefts[k], sums);
      else
        multiply_mma (cores, 16 * k, lefts[k], sums);
    }
    if (WGMMA) {
      asm volatile ("wgmma.commit_group.sync.aligned;":::"memory");
      asm volatile ("wgmma.wait_group.sync.aligned 0;":::"memory");
    }
    store_vectors (y, first, sums);
  }
}

/* ---- measurements ---- */

/* The largest error of some vectors. */
static double
error_of (const Bf16 *x, const Bf16 *matrix, const float *y)
{
  double most = 0;

  for (int64_t i = 0; i < VECTORS; i += 97) {
    for (int n = 0; n < SIZE; n++) {
      double sum = 0;

      for (int k = 0; k < SIZE; k++)
        sum += (double) __bfloat162float (x[i * SIZE + k]) * __bfloat162float (matrix[n * SIZE + k]);
      most = fmax (most, fabs (sum - y[i * SIZE + n]));
    }
  }
  return most;
}

int
main (int argc, char **argv)
{
  typedef void (*Kernel) (const Bf16 *, const Bf16 *, float *);
  static const struct
  {
    const char *name;
    Kernel kernel;
  } variants[] = { {"float32 units", multiply_fma}, {"mma.sync", multiply_on_tensor_cores<false>},
    {"wgmma", multiply_on_tensor_cores<true>} };
  constexpr int64_t N = VECTORS * SIZE, X_BYTES = N * (int64_t) sizeof (Bf16), Y_BYTES = N * (int64_t) sizeof (float);
  Bf16 *x = static_cast<Bf16 *> (malloc (X_BYTES)), *xs[2], matrix[SIZE * SIZE], *on_device;
  float *y = static_cast<float *> (malloc (Y_BYTES)), *ys[2];
  Lab all;

  if (!open (&all, argc, argv, 9, true, "variant,must_move_bytes,median_us,p95_us,achieved_gbps,tflops,error_max,checked"))
    return 0;
  for (int64_t i = 0; i < N; i++)
    x[i] = __float2bfloat16 (uniform ());
  for (Bf16 &element : matrix)
    element = __float2bfloat16 (uniform ());
  on_device = static_cast<Bf16 *> (bench_memory (all.backend, sizeof (matrix), matrix));
  for (int i = 0; i < 2; i++) {
    xs[i] = static_cast<Bf16 *> (bench_memory (all.backend, X_BYTES, x));
    ys[i] = static_cast<float *> (bench_memory (all.backend, Y_BYTES, nullptr));
  }
  for (const auto &variant : variants) {
    const bool is_fma = variant.kernel == multiply_fma;
    const unsigned blocks = is_fma ? (unsigned) (VECTORS / THREADS) : 8u * (unsigned) all.multiprocessors;
    const BenchSpread us = time_runs (all, 2, [&] (int copy) {
        variant.kernel<<<blocks, THREADS, 0, all.stream>>> (xs[copy], on_device, ys[copy]);
    });
    double error;

    bench_copy (all.backend, y, ys[1], Y_BYTES);
    bench_copy (all.backend, ys[1], nullptr, Y_BYTES);
    error = error_of (x, matrix, y);
    table_put (&all.table, "%s", variant.name);
    put_times (&all, X_BYTES + Y_BYTES, us);
    table_put (&all.table, "%.3g|%.3g", 2.0 * SIZE * SIZE * VECTORS / us.median / 1e6, error);
    put_checked (&all, error <= TOLERANCE);
  }
  free (x);
  free (y);
  return close (&all);
}
