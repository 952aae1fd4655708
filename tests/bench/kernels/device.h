/* robocache: the device whose kernels are timed, and memory on it
 *
 * Programs that fail say why and end.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_KERNELS_DEVICE_H
#define BENCH_KERNELS_DEVICE_H

#include <cuda_runtime_api.h>
#include <stdint.h>

#include "kernels/backend.h"
#include "kernels/dtype.h"

/* Of the device's memory, GB/s. */
typedef struct
{
  double copy;                  /* bytes read and written */
  double fill, read;
} BenchRates;

typedef struct
{
  RcBackend *backend, *cpu;
  cudaStream_t stream;
  char name[256];               /* of the device */
  int multiprocessors;
  int64_t l2_bytes;
  BenchRates rates;             /* bench_measure_rates */
  double launch_us;             /* of an empty run */
} Bench;

void bench_fail (const char *what, const char *why) __attribute__ ((noreturn));
void bench_must (cudaError_t result, const char *what);

/* Opens both backends. 0: there is no device, as a SKIP line has said. */
int bench_open (Bench * bench);
void bench_close (Bench * bench);

/* Device memory of at least one byte, as the host's, or other memory of the device, is; NULL: all 0. */
void *bench_memory (RcBackend * backend, uint64_t bytes, const void *like);

/* 0 <= x < 1, the same sequence in every run. */
double bench_uniform (void);
/* An element of any type, x rounded or saturated to it. */
void bench_put (void *at, RcDtype dtype, double x);
/* Repeats the first bytes of memory until it is full, which is faster than to make new ones. */
void bench_repeat (void *memory, int64_t first, int64_t bytes);

/* The first byte on the device that is not as the host's; -1: all are. */
int64_t bench_difference (const Bench * bench, const void *device, const void *host, int64_t bytes);

#define BENCH_DIFFERS_SIZE 128

/* Says in differs where memory on the device is not as the host's, of the output called what; unless it, or another one, has
 * been found to differ. */
void bench_compare (const Bench * bench, char differs[BENCH_DIFFERS_SIZE], const char *what, const void *device,
    const void *host, int64_t bytes);

#endif
