/* robocache: a small fixed network that reads a sample on the device, and the same on the CPU
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/pipelines/network.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/pipelines/line.h"

enum
{
  EMBEDDING,
  OF_ROWS,
  OF_GRID,
  OF_HIDDEN,
  N_WEIGHTS
};

struct Network
{
  NetworkTask task;
  float *weights[N_WEIGHTS], *on_host[N_WEIGHTS];
  float *command;               /* pinned */
  cudaStream_t stream;
};

static void
must (cudaError_t result, const char *what)
{
  if (result != cudaSuccess)
    line_fail ("%s: %s", what, cudaGetErrorString (result));
}

/* Small numbers, the same in each run. */
static void
fill_weights (Network *network, int kind, int n)
{
  const size_t bytes = (size_t) n * sizeof (float);
  guint32 state = 1 + (guint32) kind;

  network->on_host[kind] = g_malloc (bytes);
  for (int i = 0; i < n; i++) {
    state = state * 1664525 + 1013904223;
    network->on_host[kind][i] = (float) ((gint32) state >> 16) * 0x1p-19f;
  }
  must (cudaMalloc ((void **) &network->weights[kind], bytes), "cudaMalloc");
  must (cudaMemcpyAsync (network->weights[kind], network->on_host[kind], bytes, cudaMemcpyHostToDevice, network->stream), "cudaMemcpyAsync");
}

Network *
network_open (const NetworkShape *shape)
{
  Network *network = g_new0 (Network, 1);
  NetworkTask *task = &network->task;

  task->line_bytes = shape->line_bytes;
  task->patch_line_bytes = NETWORK_PATCH * shape->pixel_bytes;
  task->patches_a_line = shape->line_bytes / task->patch_line_bytes;
  task->n_patches = task->patches_a_line * (shape->lines / NETWORK_PATCH);
  task->grid_bytes = shape->grid_bytes;
  if (task->n_patches == 0)
    line_fail ("a frame is smaller than a patch");
  must (cudaSetDevice (0), "cudaSetDevice");
  must (cudaStreamCreateWithFlags (&network->stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  fill_weights (network, EMBEDDING, NETWORK_PATCH * task->patch_line_bytes * NETWORK_WIDTH);
  fill_weights (network, OF_ROWS, NETWORK_ROWS * NETWORK_WIDTH);
  fill_weights (network, OF_GRID, NETWORK_WIDTH);
  fill_weights (network, OF_HIDDEN, NETWORK_COMMAND * NETWORK_WIDTH);
  task->embedding = network->weights[EMBEDDING];
  task->of_rows = network->weights[OF_ROWS];
  task->of_grid = network->weights[OF_GRID];
  task->of_hidden = network->weights[OF_HIDDEN];
  must (cudaMalloc ((void **) &task->patches, (size_t) task->n_patches * NETWORK_WIDTH * sizeof (float)), "cudaMalloc");
  must (cudaMalloc ((void **) &task->command, NETWORK_COMMAND * sizeof (float)), "cudaMalloc");
  must (cudaHostAlloc ((void **) &network->command, NETWORK_COMMAND * sizeof (float), 0), "cudaHostAlloc");
  must (cudaStreamSynchronize (network->stream), "cudaStreamSynchronize");
  return network;
}

void
network_close (Network *network)
{
  for (int i = 0; i < N_WEIGHTS; i++) {
    cudaFree (network->weights[i]);
    g_free (network->on_host[i]);
  }
  cudaFree (network->task.patches);
  cudaFree (network->task.command);
  cudaFreeHost (network->command);
  cudaStreamDestroy (network->stream);
  g_free (network);
}

static void
launch (Network *network, const void *kernel, dim3 blocks, dim3 threads)
{
  void *arguments[] = { &network->task };

  must (cudaLaunchKernel (kernel, blocks, threads, arguments, 0, network->stream), "cudaLaunchKernel");
}

void
network_run (Network *network, const NetworkInput *input, float command[NETWORK_COMMAND])
{
  const unsigned tiles = (unsigned) (network->task.n_patches + NETWORK_PATCH - 1) / NETWORK_PATCH;

  must (cudaSetDevice (0), "cudaSetDevice");
  network->task.input = *input;
  launch (network, network_embed, (dim3) {NETWORK_WIDTH / NETWORK_PATCH, tiles, 1}, (dim3) {NETWORK_PATCH, NETWORK_PATCH, 1});
  launch (network, network_decide, (dim3) {1, 1, 1}, (dim3) {NETWORK_WIDTH, 1, 1});
  must (cudaMemcpyAsync (network->command, network->task.command, NETWORK_COMMAND * sizeof (float), cudaMemcpyDeviceToHost, network->stream),
      "cudaMemcpyAsync");
  must (cudaStreamSynchronize (network->stream), "cudaStreamSynchronize");
  memcpy (command, network->command, NETWORK_COMMAND * sizeof (float));
}

/* ---- the same on the CPU ---- */

static void *
download (const Network *network, const void *from, size_t bytes)
{
  void *to = g_malloc (bytes);

  must (cudaMemcpyAsync (to, from, bytes, cudaMemcpyDeviceToHost, network->stream), "cudaMemcpyAsync");
  must (cudaStreamSynchronize (network->stream), "cudaStreamSynchronize");
  return to;
}

/* Adds the patch, through the embedding, to the sums. */
static void
add_patch (const Network *network, const uint8_t *frame, int patch, float sums[NETWORK_WIDTH])
{
  const NetworkTask *task = &network->task;
  const uint8_t *first = frame + patch / task->patches_a_line * NETWORK_PATCH * (size_t) task->line_bytes
      + patch % task->patches_a_line * task->patch_line_bytes;
  float embedded[NETWORK_WIDTH] = { 0 };

  for (int k = 0; k < NETWORK_PATCH * task->patch_line_bytes; k++) {
    const float byte = first[k / task->patch_line_bytes * task->line_bytes + k % task->patch_line_bytes] * (1 / 256.0f);

    for (int i = 0; i < NETWORK_WIDTH; i++)
      embedded[i] += byte * network->on_host[EMBEDDING][k * NETWORK_WIDTH + i];
  }
  for (int i = 0; i < NETWORK_WIDTH; i++)
    sums[i] += embedded[i] > 0 ? embedded[i] : 0;
}

int
network_is_right (const Network *network, const NetworkInput *input, const float command[NETWORK_COMMAND])
{
  const NetworkTask *task = &network->task;
  uint8_t *frame = download (network, input->frame, (size_t) task->line_bytes * NETWORK_PATCH * (size_t) (task->n_patches / task->patches_a_line));
  uint8_t *grid = download (network, input->grid, (size_t) task->grid_bytes);
  float *proprio = download (network, input->proprio, NETWORK_PROPRIO * sizeof (float));
  float *force = download (network, input->force, NETWORK_FORCE * sizeof (float));
  float hidden[NETWORK_WIDTH] = { 0 };
  int is_right = 1;

  for (int patch = 0; patch < task->n_patches; patch++)
    add_patch (network, frame, patch, hidden);
  for (int i = 0; i < NETWORK_WIDTH; i++) {
    int occupied = 0;

    hidden[i] /= (float) task->n_patches;
    for (int row = 0; row < NETWORK_ROWS; row++)
      hidden[i] += (row < NETWORK_PROPRIO ? proprio[row] : force[row - NETWORK_PROPRIO]) * network->on_host[OF_ROWS][row * NETWORK_WIDTH + i];
    for (int voxel = i; voxel < task->grid_bytes; voxel += NETWORK_WIDTH)
      occupied += grid[voxel];
    hidden[i] += (float) occupied * network->on_host[OF_GRID][i];
    hidden[i] = hidden[i] > 0 ? hidden[i] : 0;
  }
  for (int i = 0; i < NETWORK_COMMAND; i++) {
    float sum = 0;

    for (int k = 0; k < NETWORK_WIDTH; k++)
      sum += hidden[k] * network->on_host[OF_HIDDEN][i * NETWORK_WIDTH + k];
    is_right &= memcmp (&sum, &command[i], sizeof (sum)) == 0;
  }
  g_free (frame);
  g_free (grid);
  g_free (proprio);
  g_free (force);
  return is_right;
}
