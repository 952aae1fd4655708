/* robocache: memory of a test case, on the host and on the device
 *
 * All arrays of a case are regions of one arena. The GPU works on a copy and is right when the arena, brought back, is
 * byte for byte what the CPU has made of it, padding included.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TEST_ARENA_H
#define TEST_ARENA_H

#include <cuda_runtime_api.h>

#include "kernels/backend.h"

/* Where the arena is on the device, and the stream to use. */
typedef struct
{
  RcBackend *backend;
  cudaStream_t stream;
  int separate;                 /* every region in an allocation of its own, which a memory checker can watch */
} Gpu;

/* Memory for one case of at most bytes; NULL on failure, in words on stderr. */
typedef struct Arena Arena;
Arena *arena_new (size_t bytes, const Gpu * gpu);
void arena_free (Arena * arena);

/* Forgets all regions. */
void arena_clear (Arena * arena);

/* bytes that begin `past` bytes after an address that is a multiple of 256, filled with 0xA5; NULL when there is no
 * room. */
void *arena_take (Arena * arena, int64_t bytes, int64_t past);

/* Copies all regions, and waits; 0 when CUDA fails. */
int arena_upload (Arena * arena, cudaStream_t stream);
int arena_download (Arena * arena, cudaStream_t stream);

/* The device's address of a host address in the arena. */
void *arena_on_device (const Arena * arena, const void *host);

/* The host address of the first byte that came back different, with both values; NULL: all are the same. */
const uint8_t *arena_difference (const Arena * arena, uint8_t * on_host, uint8_t * on_device);

#endif
