/* robocache: what benchmarks share on the host: errors, time, values and memory of a backend
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/kernels/host.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
bench_must (RcStatus status, const RcError *error, const char *what)
{
  if (status != RC_OK)
    bench_fail (what, error->message);
}

int
bench_option (int argc, char **argv, int *i, const char *name, const char **value)
{
  if (*i + 1 >= argc || strcmp (argv[*i], name) != 0)
    return 0;
  *value = argv[++*i];
  return 1;
}

double
bench_now_us (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec * 1e6 + (double) t.tv_nsec / 1e3;
}

void
bench_keep_pages (void)
{
  mallopt (M_MMAP_MAX, 0);
  mallopt (M_TRIM_THRESHOLD, -1);
}

double
bench_uniform (void)
{
  static uint64_t state = 1;

  state = state * UINT64_C (6364136223846793005) + UINT64_C (1442695040888963407);
  return (double) (state >> 11) * 0x1p-53;
}

void
bench_put (void *to, RcDtype dtype, double x)
{
  rc_conversions_baseline.store_float64[dtype] (&x, to, 1);
}

void
bench_repeat (void *memory, int64_t first, int64_t bytes)
{
  for (int64_t n = first; n < bytes; n *= 2)
    memcpy ((uint8_t *) memory + n, memory, (size_t) (2 * n < bytes ? n : bytes - n));
}

/* ---- memory of a backend ---- */

RcBackend *
bench_cpu (void)
{
  const RcWhere here = {.kind = RC_BACKEND_CPU };
  RcBackend *cpu;
  RcError error;

  bench_must (rc_backend_open (&here, &cpu, &error), &error, "CPU");
  return cpu;
}

void
bench_copy (RcBackend *backend, void *to, const void *from, int64_t bytes)
{
  const RcMemoryCopy copy = {.to = to,.from = from,.row_bytes = (uint64_t) bytes,.rows = 1 };
  RcStream stream;
  RcError error;

  bench_must (rc_stream_new (backend, &stream, &error), &error, "stream");
  bench_must (from != NULL ? rc_memory_copy (backend, &copy, stream, &error)
      : rc_memory_clear (backend, to, (uint64_t) bytes, stream, &error), &error, "copy");
  bench_must (rc_stream_synchronize (backend, stream, &error), &error, "copy");
  rc_stream_free (backend, stream);
}

void *
bench_memory (RcBackend *backend, int64_t bytes, const void *like)
{
  RcError error;
  void *memory;

  bench_must (rc_memory_alloc (backend, RC_MEMORY_DEVICE, (uint64_t) (bytes > 0 ? bytes : 1), &memory, &error), &error, "memory");
  bench_copy (backend, memory, like, bytes);
  return memory;
}

int64_t
bench_difference (RcBackend *backend, const void *memory, const void *host, int64_t bytes)
{
  static uint8_t *part = NULL;  /* never freed: pinning takes longer than comparing */
  int64_t n, differ = -1;
  RcError error;

  if (part == NULL)
    bench_must (rc_memory_alloc (backend, RC_MEMORY_PINNED, (uint64_t) PART_BYTES, (void **) &part, &error), &error, "memory");
  for (int64_t at = 0; at < bytes && differ < 0; at += n) {
    n = bytes - at < PART_BYTES ? bytes - at : PART_BYTES;
    bench_copy (backend, part, (const uint8_t *) memory + at, n);
    if (memcmp (part, (const uint8_t *) host + at, (size_t) n) != 0) {
      for (differ = at; part[differ - at] == ((const uint8_t *) host)[differ]; differ++);
    }
  }
  return differ;
}
