/* robocache: a small fixed network that reads a sample on the device: its kernels
 *
 * Sums are in the order of network.c, so the bits are the same.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernels/cuda/runtime/language.cuh"

#include "tests/bench/pipelines/network.h"

namespace
{
constexpr int TILE = NETWORK_PATCH;

/* patches = relu (bytes of the patches * embedding), by tiles in shared memory. A step of TILE bytes lies within a line of a patch. */
__global__ void
embed (NetworkTask task)
{
  __shared__ float bytes[TILE][TILE + 1], weights[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * TILE + x;
  const int patch = blockIdx.y * TILE + y;
  const int first_line = patch / task.patches_a_line * NETWORK_PATCH;
  const int first_byte = patch % task.patches_a_line * task.patch_line_bytes;
  float sum = 0;

  for (int k = 0; k < NETWORK_PATCH * task.patch_line_bytes; k += TILE) {
    const int line = first_line + k / task.patch_line_bytes, byte = first_byte + k % task.patch_line_bytes + x;

    bytes[y][x] = patch < task.n_patches ? task.input.frame[line * (int64_t) task.line_bytes + byte] * (1 / 256.0f) : 0;
    weights[y][x] = task.embedding[(k + y) * NETWORK_WIDTH + column];
    __syncthreads ();
    for (int i = 0; i < TILE; i++)
      sum += bytes[y][i] * weights[i][x];
    __syncthreads ();
  }
  if (patch < task.n_patches)
    task.patches[patch * NETWORK_WIDTH + column] = sum > 0 ? sum : 0;
}

/* The mean of the patches, with rows and grid, is the hidden layer. */
__global__ void
decide (NetworkTask task)
{
  __shared__ float hidden[NETWORK_WIDTH];
  const int i = threadIdx.x;
  float sum = 0;
  int occupied = 0;

#pragma unroll 8
  for (int patch = 0; patch < task.n_patches; patch++)
    sum += task.patches[patch * NETWORK_WIDTH + i];
  sum /= task.n_patches;
  for (int row = 0; row < NETWORK_ROWS; row++)
    sum += (row < NETWORK_PROPRIO ? task.input.proprio[row] : task.input.force[row - NETWORK_PROPRIO])
        * task.of_rows[row * NETWORK_WIDTH + i];
#pragma unroll 8
  for (int voxel = i; voxel < task.grid_bytes; voxel += NETWORK_WIDTH)
    occupied += task.input.grid[voxel];
  sum += occupied * task.of_grid[i];
  hidden[i] = sum > 0 ? sum : 0;
  __syncthreads ();
  if (i < NETWORK_COMMAND) {
    sum = 0;
    for (int k = 0; k < NETWORK_WIDTH; k++)
      sum += hidden[k] * task.of_hidden[i * NETWORK_WIDTH + k];
    task.command[i] = sum;
  }
}
}

const void *const network_embed = KERNEL (embed);
const void *const network_decide = KERNEL (decide);
