/* robocache: products of matrices, one after another
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "tests/bench/kernels/model.h"

namespace
{
constexpr int SIZE = 1024, TILE = 16, IN_A_ROW = 16;

__global__ void __launch_bounds__ (TILE * TILE)
multiply (const float *a, const float *b, float *c)
{
  __shared__ float left[TILE][TILE], right[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;

  for (int k = 0; k < SIZE; k += TILE) {
    left[threadIdx.y][threadIdx.x] = a[row * SIZE + k + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * SIZE + column];
    __syncthreads ();
#pragma unroll
    for (int i = 0; i < TILE; i++)
      sum = fmaf (left[threadIdx.y][i], right[i][threadIdx.x], sum);
    __syncthreads ();
  }
  c[row * SIZE + column] = sum;
}

volatile sig_atomic_t stopped = 0;

void
stop (int)
{
  stopped = 1;
}

double
now_s ()
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}
}

int
bench_run_model (double seconds)
{
  constexpr size_t BYTES = sizeof (float) * SIZE * SIZE;
  const dim3 blocks (SIZE / TILE, SIZE / TILE), threads (TILE, TILE);
  const double end = now_s () + seconds;
  cudaError_t result;
  float *matrices;

  signal (SIGTERM, stop);
  result = cudaMalloc (&matrices, 3 * BYTES);
  if (result == cudaSuccess)
    result = cudaMemset (matrices, 0, 3 * BYTES);
  for (bool first = true; result == cudaSuccess && !stopped && now_s () < end; first = false) {
    for (int i = 0; i < IN_A_ROW; i++)
      multiply<<<blocks, threads>>> (matrices, matrices + SIZE * SIZE, matrices + 2 * SIZE * SIZE);
    result = cudaDeviceSynchronize ();
    if (first && result == cudaSuccess) {
      printf ("busy\n");
      fflush (stdout);
    }
  }
  if (result != cudaSuccess)
    printf ("SKIP model: %s\n", cudaGetErrorString (result));
  return result != cudaSuccess;
}
