/* robocache: what the programs about limits of the hardware share: a device, cold times, comparisons and a table
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_LAB_CUH
#define BENCH_LAB_CUH

#include <cuda_runtime_api.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/common/table.h"
extern "C" {
#include "tests/bench/kernels/device.h"
}

namespace lab
{
struct Lab:Bench
{
  Table table;
  int wrong;                    /* results */
};

/* Arguments: --csv FILE. false: no device of this compute capability or newer, which a SKIP line reports; with exact, of this one. */
inline bool
open (Lab *all, int argc, char **argv, int major, bool exact, const char *columns)
{
  const char *csv = argc == 3 && strcmp (argv[1], "--csv") == 0 ? argv[2] : nullptr;
  int found;

  if (argc > 1 && csv == nullptr)
    bench_fail (argv[1], "expected --csv FILE");
  if (!bench_open (all, program_invocation_short_name))
    return false;
  bench_must_cuda (cudaDeviceGetAttribute (&found, cudaDevAttrComputeCapabilityMajor, 0), "cudaDeviceGetAttribute");
  if (found < major || (exact && found != major)) {
    printf ("SKIP %s: no GPU of compute capability %d%s\n", program_invocation_short_name, major, exact ? "" : " or newer");
    return false;
  }
  all->wrong = 0;
  table_open (&all->table, csv, columns);
  return true;
}

inline int
close (Lab *all)
{
  table_end (&all->table);
  bench_close (all);
  return all->wrong > 0;
}

/* us of run (copy), which enqueues one launch on all.stream, or more. */
template <typename Run>
BenchSpread
time_runs (const Lab &all, int n_copies, Run run)
{
  const BenchRun call = [] (void *data, int copy, cudaStream_t) { (*static_cast<Run *> (data)) (copy); };

  return bench_time (&all, call, &run, n_copies, n_copies * (n_copies < 20 ? 20 / n_copies : 1));
}

/* Resident blocks of a multiprocessor. */
inline int
resident_blocks (const void *kernel, int threads, size_t shared_bytes)
{
  int n;

  bench_must_cuda (cudaFuncSetAttribute (kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int) shared_bytes), "shared memory");
  bench_must_cuda (cudaOccupancyMaxActiveBlocksPerMultiprocessor (&n, kernel, threads, shared_bytes), "occupancy");
  return n;
}

/* The cells bytes, median_us, p95_us and gbps. */
inline void
put_times (Lab *all, int64_t bytes, const BenchSpread &us)
{
  table_put (&all->table, "%.0f|%.2f|%.2f|%.0f", (double) bytes, us.median, us.p95, (double) bytes / us.median / 1e3);
}

/* The last cell. */
inline void
put_checked (Lab *all, bool is_right)
{
  all->wrong += !is_right;
  table_put (&all->table, "%s", is_right ? "yes" : "differs from the host");
}

/* -1 <= x < 1, the same sequence in every run. */
inline float
uniform ()
{
  return (float) (2 * bench_uniform () - 1);
}
}

#endif
