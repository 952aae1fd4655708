/* robocache: what the memory of a device can do, which floors are made of
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/kernels/floors.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/memory.h"
#include "tests/bench/kernels/floors_task.h"

#define BYTES ((int64_t) 2 << 30)
#define SECTOR_BYTES 32
#define VALUE 0x01020304u       /* of filled words */

/* Of a kernel of kernels_memory.cu. */
static void
launch (const void *kernel, int64_t blocks, void **arguments, cudaStream_t stream)
{
  bench_must (cudaLaunchKernel (kernel, (dim3) { (unsigned) blocks, 1, 1}, (dim3) { BENCH_MEMORY_THREADS, 1, 1}, arguments, 0,
          stream), "cudaLaunchKernel");
}

static int64_t
parts_of (int64_t bytes)
{
  return (bytes + BENCH_PART_BYTES - 1) / BENCH_PART_BYTES;
}

/* Of so many parts of memory, to whose sums sums points. */
static unsigned long long
sum_of (const Bench *bench, void *from, int64_t parts, unsigned long long *sums)
{
  const size_t bytes = (size_t) parts * sizeof (*sums);
  unsigned long long *here = malloc (bytes), sum = 0;
  void *arguments[] = { &from, &sums };
  int64_t i;

  launch (bench_add_up, parts, arguments, bench->stream);
  bench_must (cudaMemcpyAsync (here, sums, bytes, cudaMemcpyDeviceToHost, bench->stream), "cudaMemcpyAsync");
  bench_must (cudaStreamSynchronize (bench->stream), "cudaStreamSynchronize");
  for (i = 0; i < parts; i++)
    sum += here[i];
  free (here);
  return sum;
}

/* ---- in order ---- */

typedef struct
{
  void *from, *to;
  unsigned long long *sums;     /* of parts */
} Blocks;

static void
copy (void *data, int i, cudaStream_t stream)
{
  const Blocks *blocks = data;

  bench_must (cudaMemcpyAsync (blocks->to, blocks->from, (size_t) BYTES, cudaMemcpyDeviceToDevice, stream),
      "cudaMemcpyAsync");
}

/* What the kernel writes then is something else. */
static void
set (void *data, int i, cudaStream_t stream)
{
  const Blocks *blocks = data;

  bench_must (cudaMemsetAsync (blocks->from, 0, (size_t) BYTES, stream), "cudaMemsetAsync");
}

static void
fill (void *data, int i, cudaStream_t stream)
{
  Blocks *blocks = data;
  uint32_t value = VALUE;
  void *arguments[] = { &blocks->from, &value };

  launch (bench_fill, parts_of (BYTES), arguments, stream);
}

static void
add_up (void *data, int i, cudaStream_t stream)
{
  Blocks *blocks = data;
  void *arguments[] = { &blocks->to, &blocks->sums };

  launch (bench_add_up, parts_of (BYTES), arguments, stream);
}

static double
gbps (const Bench *bench, BenchRun run, Blocks *blocks, int64_t bytes)
{
  return (double) bytes / bench_time_alone (bench, run, blocks).median / 1e3;
}

/* A copy not in a graph, which may leave it to an engine that is slower than the multiprocessors. */
void
bench_measure_rates (Bench *bench)
{
  Blocks blocks = { bench_memory (bench->backend, (uint64_t) BYTES, NULL),
    bench_memory (bench->backend, (uint64_t) BYTES, NULL),
    bench_memory (bench->backend, (uint64_t) parts_of (BYTES) * sizeof (*blocks.sums), NULL)
  };
  const double set_gbps = gbps (bench, set, &blocks, BYTES);

  bench->rates.fill = fmax (set_gbps, gbps (bench, fill, &blocks, BYTES));
  bench->rates.copy = gbps (bench, copy, &blocks, 2 * BYTES);
  bench->rates.read = gbps (bench, add_up, &blocks, BYTES);
  if (sum_of (bench, blocks.to, parts_of (BYTES), blocks.sums) != (unsigned long long) BYTES / 4 * VALUE)
    bench_fail ("2 GiB filled, copied and read", "they hold something else");
  rc_memory_free (bench->backend, RC_MEMORY_DEVICE, blocks.from);
  rc_memory_free (bench->backend, RC_MEMORY_DEVICE, blocks.to);
  rc_memory_free (bench->backend, RC_MEMORY_DEVICE, blocks.sums);
}

/* ---- sectors at random ---- */

typedef struct
{
  void *to;
  uint32_t chosen, sectors;
  int bits;                     /* of the number of sectors */
  int together;                 /* sectors that are written where one of them is chosen; 0: each, in no order */
} Scattered;

static void
scatter (void *data, int i, cudaStream_t stream)
{
  Scattered *s = data;
  void *arguments[] = { &s->to, &s->chosen, &s->sectors, &s->bits, &s->together };
  const int64_t threads = s->together > 0 ? s->sectors : 2 * (int64_t) s->chosen;

  launch (s->together > 0 ? bench_scatter_in_order : bench_scatter, (threads + BENCH_MEMORY_THREADS - 1)
      / BENCH_MEMORY_THREADS, arguments, stream);
}

/* The sectors of the area that are written, all of which was 0 and then has 1 in each word of those. */
static int64_t
sectors_written (const Bench *bench, Scattered *scattered)
{
  const int64_t parts = parts_of (scattered->sectors * (int64_t) SECTOR_BYTES);
  unsigned long long sum, *sums = bench_memory (bench->backend, (uint64_t) parts * 8, NULL);

  bench_must (cudaMemsetAsync (scattered->to, 0, (size_t) (parts * BENCH_PART_BYTES), bench->stream), "cudaMemsetAsync");
  scatter (scattered, 0, bench->stream);
  sum = sum_of (bench, scattered->to, parts, sums);
  rc_memory_free (bench->backend, RC_MEMORY_DEVICE, sums);
  return (int64_t) (sum / (SECTOR_BYTES / 4));
}

/* us of the fastest way, be it to write all there is. */
static double
time_scattered (const Bench *bench, const BenchBytes *bytes)
{
  static const int together[] = { 0, 1, 2, 4 };
  const uint64_t room = (uint64_t) parts_of (bytes->among) * BENCH_PART_BYTES;
  Scattered scattered = { bench_memory (bench->backend, room, NULL),
    (uint32_t) (bytes->scattered / SECTOR_BYTES), (uint32_t) (bytes->among / SECTOR_BYTES), 0, 0
  };
  double us = (double) bytes->among / bench->rates.fill / 1e3;
  size_t i;

  while (scattered.sectors > UINT64_C (1) << scattered.bits)
    scattered.bits++;
  for (i = 0; i < sizeof (together) / sizeof (together[0]); i++) {
    scattered.together = together[i];
    us = fmin (us, bench_time_alone (bench, scatter, &scattered).median);
    if (sectors_written (bench, &scattered) != scattered.chosen)
      bench_fail ("sectors at random", "they are not as many as they should be");
  }
  rc_memory_free (bench->backend, RC_MEMORY_DEVICE, scattered.to);
  return us;
}

/* ---- floors ---- */

int64_t
bench_total (const BenchBytes *bytes)
{
  return bytes->read + bytes->written + bytes->scattered;
}

double
bench_floor (const Bench *bench, const BenchBytes *bytes)
{
  const BenchRates *rates = &bench->rates;
  const int64_t copied = bytes->read < bytes->written ? bytes->read : bytes->written;
  const double in_order = 2.0 * (double) copied / rates->copy + (double) (bytes->read - copied) / rates->read
      + (double) (bytes->written - copied) / rates->fill;

  return bench->launch_us + in_order / 1e3 + (bytes->scattered > 0 ? time_scattered (bench, bytes) : 0);
}
