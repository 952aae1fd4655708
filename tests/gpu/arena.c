/* robocache: memory of a test case, on the host and on the device
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_REGIONS 800

struct Arena
{
  uint8_t *host, *back;
  size_t bytes, used;
  uint8_t *device;              /* all of it, unless regions are separate */
  struct
  {
    size_t offset, bytes;
    uint8_t *device;
  } regions[MAX_REGIONS];
  int n_regions;
};

Arena *
arena_new (size_t bytes, const Gpu *gpu)
{
  Arena *arena = calloc (1, sizeof (*arena));

  arena->bytes = bytes;
  arena->host = malloc (bytes);
  arena->back = malloc (bytes);
  if (arena->host == NULL || arena->back == NULL || (!gpu->separate && cudaMalloc ((void **) &arena->device, bytes)
          != cudaSuccess)) {
    fprintf (stderr, "no memory for an arena of %zu bytes\n", bytes);
    arena_free (arena);
    return NULL;
  }
  return arena;
}

void
arena_clear (Arena *arena)
{
  int i;

  for (i = 0; i < arena->n_regions; i++) {
    if (arena->device == NULL)
      cudaFree (arena->regions[i].device);
  }
  arena->used = 0;
  arena->n_regions = 0;
}

void
arena_free (Arena *arena)
{
  arena_clear (arena);
  cudaFree (arena->device);
  free (arena->host);
  free (arena->back);
  free (arena);
}

void *
arena_take (Arena *arena, int64_t bytes, int64_t past)
{
  const size_t offset = (arena->used + 255) / 256 * 256, size = (size_t) (bytes + past);

  if (arena->n_regions == MAX_REGIONS || offset + size > arena->bytes)
    return NULL;
  arena->regions[arena->n_regions].offset = offset;
  arena->regions[arena->n_regions].bytes = size;
  arena->regions[arena->n_regions++].device = NULL;
  arena->used = offset + size;
  memset (arena->host + offset, 0xA5, size);
  return arena->host + offset + past;
}

int
arena_upload (Arena *arena, cudaStream_t stream)
{
  int i;

  for (i = 0; i < arena->n_regions; i++) {
    uint8_t **device = &arena->regions[i].device;
    const size_t bytes = arena->regions[i].bytes;

    if (arena->device != NULL)
      *device = arena->device + arena->regions[i].offset;
    else if (*device == NULL && cudaMalloc ((void **) device, bytes ? bytes : 1) != cudaSuccess)
      return 0;
    if (cudaMemcpyAsync (*device, arena->host + arena->regions[i].offset, bytes, cudaMemcpyHostToDevice, stream)
        != cudaSuccess)
      return 0;
  }
  return cudaStreamSynchronize (stream) == cudaSuccess;
}

int
arena_download (Arena *arena, cudaStream_t stream)
{
  int i;

  for (i = 0; i < arena->n_regions; i++) {
    if (cudaMemcpyAsync (arena->back + arena->regions[i].offset, arena->regions[i].device, arena->regions[i].bytes,
            cudaMemcpyDeviceToHost, stream) != cudaSuccess)
      return 0;
  }
  return cudaStreamSynchronize (stream) == cudaSuccess;
}

void *
arena_on_device (const Arena *arena, const void *host)
{
  const size_t at = (size_t) ((const uint8_t *) host - arena->host);
  int i;

  for (i = 0; host != NULL && i < arena->n_regions; i++) {
    if (at >= arena->regions[i].offset && at < arena->regions[i].offset + arena->regions[i].bytes)
      return arena->regions[i].device + (at - arena->regions[i].offset);
  }
  return NULL;
}

const uint8_t *
arena_difference (const Arena *arena, uint8_t *on_host, uint8_t *on_device)
{
  int i;

  for (i = 0; i < arena->n_regions; i++) {
    size_t at = arena->regions[i].offset;

    if (memcmp (arena->host + at, arena->back + at, arena->regions[i].bytes) == 0)
      continue;
    while (arena->host[at] == arena->back[at])
      at++;
    *on_host = arena->host[at];
    *on_device = arena->back[at];
    return arena->host + at;
  }
  return NULL;
}
