/* robocache: the device whose kernels are timed, and memory on it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/kernels/device.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/memory.h"

#define RC_LEVEL baseline
#include "kernels/cpu/convert.h"

#define PART_BYTES ((int64_t) 64 << 20) /* compared at a time */

void
bench_fail (const char *what, const char *why)
{
  fprintf (stderr, "%s: %s\n", what, why);
  exit (1);
}

void
bench_must (cudaError_t result, const char *what)
{
  if (result != cudaSuccess)
    bench_fail (what, cudaGetErrorString (result));
}

void *
bench_memory (RcBackend *backend, uint64_t bytes, const void *like)
{
  RcMemoryCopy copy = {.from = like,.row_bytes = bytes,.rows = 1 };
  RcError error;
  RcStatus status = rc_memory_alloc (backend, RC_MEMORY_DEVICE, bytes ? bytes : 1, &copy.to, &error);
  RcStream stream = NULL;

  if (status == RC_OK)
    status = rc_stream_new (backend, &stream, &error);
  if (status == RC_OK)
    status = like ? rc_memory_copy (backend, &copy, stream, &error)
        : rc_memory_clear (backend, copy.to, bytes, stream, &error);
  if (status == RC_OK)
    status = rc_stream_synchronize (backend, stream, &error);
  rc_stream_free (backend, stream);
  if (status != RC_OK)
    bench_fail ("memory", error.message);
  return copy.to;
}

double
bench_uniform (void)
{
  static uint64_t state = 1;

  state = state * UINT64_C (6364136223846793005) + UINT64_C (1442695040888963407);
  return (double) (state >> 11) * 0x1p-53;
}

void
bench_put (void *at, RcDtype dtype, double x)
{
  rc_conversions_baseline.store_float64[dtype] (&x, at, 1);
}

void
bench_repeat (void *memory, int64_t first, int64_t bytes)
{
  int64_t n;

  for (n = first; n < bytes; n *= 2)
    memcpy ((uint8_t *) memory + n, memory, (size_t) (2 * n < bytes ? n : bytes - n));
}

int64_t
bench_difference (const Bench *bench, const void *device, const void *host, int64_t bytes)
{
  static uint8_t *part = NULL;  /* it stays: to pin so much memory takes longer than to compare it */
  int64_t at, n, differ = -1;

  if (part == NULL)
    bench_must (cudaMallocHost ((void **) &part, (size_t) PART_BYTES), "cudaMallocHost");
  for (at = 0; at < bytes && differ < 0; at += n) {
    n = bytes - at < PART_BYTES ? bytes - at : PART_BYTES;
    bench_must (cudaMemcpyAsync (part, (const uint8_t *) device + at, (size_t) n, cudaMemcpyDeviceToHost, bench->stream),
        "cudaMemcpyAsync");
    bench_must (cudaStreamSynchronize (bench->stream), "cudaStreamSynchronize");
    if (memcmp (part, (const uint8_t *) host + at, (size_t) n) != 0) {
      for (differ = at; part[differ - at] == ((const uint8_t *) host)[differ]; differ++);
    }
  }
  return differ;
}

void
bench_compare (const Bench *bench, char differs[BENCH_DIFFERS_SIZE], const char *what, const void *device, const void *host,
    int64_t bytes)
{
  const int64_t at = differs[0] == '\0' ? bench_difference (bench, device, host, bytes) : -1;

  if (at >= 0)
    snprintf (differs, BENCH_DIFFERS_SIZE, "%s differs from the CPU's at byte %" PRId64, what, at);
}

/* ---- the device ---- */

int
bench_open (Bench *bench)
{
  const RcWhere there = { RC_BACKEND_CUDA, 0, RC_CPU_BEST, 0 }, here = { RC_BACKEND_CPU, 0, RC_CPU_BEST, 0 };
  struct cudaDeviceProp properties;
  RcError error;

  memset (bench, 0, sizeof (*bench));
  if (rc_backend_open (&here, &bench->cpu, &error) != RC_OK)
    bench_fail ("CPU", error.message);
  if (rc_backend_open (&there, &bench->backend, &error) != RC_OK) {
    printf ("SKIP bench-kernels: %s\n", error.message);
    rc_backend_close (bench->cpu);
    if (error.status != RC_NO_DEVICE)
      exit (1);
    return 0;
  }
  bench_must (cudaSetDevice (0), "cudaSetDevice");
  bench_must (cudaGetDeviceProperties (&properties, 0), "cudaGetDeviceProperties");
  bench_must (cudaStreamCreateWithFlags (&bench->stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  snprintf (bench->name, sizeof (bench->name), "%s", properties.name);
  bench->multiprocessors = properties.multiProcessorCount;
  bench->l2_bytes = properties.l2CacheSize;
  return 1;
}

void
bench_close (Bench *bench)
{
  cudaStreamDestroy (bench->stream);
  rc_backend_close (bench->backend);
  rc_backend_close (bench->cpu);
}
