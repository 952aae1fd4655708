/* robocache: what the programs about limits of the hardware share: a device, times, comparisons and a table
 * A run is timed cold: graphs of runs over copies of the data that are together at least four times the L2.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_LAB_CUH
#define BENCH_LAB_CUH

#include <cuda_runtime_api.h>
#include <math.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/common/table.h"

namespace lab
{
constexpr int MAX_COPIES = 64, MAX_LAUNCHES = 101;

struct Lab
{
  Table table;
  cudaStream_t stream;
  int multiprocessors;
  int64_t l2_bytes;
  int wrong;                    /* results */
};

inline void
must (cudaError_t result, const char *what)
{
  if (result == cudaSuccess)
    return;
  fprintf (stderr, "%s: %s\n", what, cudaGetErrorString (result));
  exit (1);
}

/* Arguments: --csv FILE. false: no device of this compute capability or newer, which a SKIP line reports; with exact, of this one. */
inline bool
open (Lab *all, int argc, char **argv, int major, bool exact, const char *columns)
{
  const char *csv = argc == 3 && strcmp (argv[1], "--csv") == 0 ? argv[2] : nullptr;
  cudaDeviceProp properties;

  if (argc > 1 && csv == nullptr) {
    fprintf (stderr, "%s: expected --csv FILE\n", argv[1]);
    exit (1);
  }
  if (cudaGetDeviceProperties (&properties, 0) != cudaSuccess || properties.major < major || (exact && properties.major != major)) {
    printf ("SKIP %s: no GPU of compute capability %d%s\n", program_invocation_short_name, major, exact ? "" : " or newer");
    return false;
  }
  must (cudaStreamCreateWithFlags (&all->stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  all->multiprocessors = properties.multiProcessorCount;
  all->l2_bytes = properties.l2CacheSize;
  all->wrong = 0;
  table_open (&all->table, csv, columns);
  return true;
}

inline int
close (Lab *all)
{
  table_end (&all->table);
  return all->wrong > 0;
}

/* Device memory, a copy of the host's; nullptr: zeros. */
template <typename T>
T *
upload (const T *host, int64_t n)
{
  void *memory;

  must (cudaMalloc (&memory, (size_t) n * sizeof (T)), "cudaMalloc");
  must (host ? cudaMemcpy (memory, host, (size_t) n * sizeof (T), cudaMemcpyHostToDevice)
      : cudaMemset (memory, 0, (size_t) n * sizeof (T)), "upload");
  return static_cast<T *> (memory);
}

template <typename T>
T *
download (const T *device, int64_t n)
{
  T *host = static_cast<T *> (malloc ((size_t) n * sizeof (T)));

  must (cudaMemcpy (host, device, (size_t) n * sizeof (T), cudaMemcpyDeviceToHost), "download");
  return host;
}

/* Copies of so many bytes that are together four times the L2. */
inline int
copies_for (const Lab &all, int64_t bytes)
{
  const int64_t n = 4 * all.l2_bytes / bytes + 1;

  return n > MAX_COPIES ? MAX_COPIES : (int) n;
}

/* us of run (copy), which enqueues one launch on all.stream, or more. */
template <typename Run>
BenchSpread
time_runs (const Lab &all, int n_copies, Run run)
{
  const int n = n_copies * (n_copies < 20 ? 20 / n_copies : 1);
  double us[MAX_LAUNCHES];
  cudaGraphExec_t ready;
  cudaEvent_t before, after;
  cudaGraph_t graph;
  float ms;

  must (cudaStreamBeginCapture (all.stream, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  for (int i = 0; i < n; i++)
    run (i % n_copies);
  must (cudaStreamEndCapture (all.stream, &graph), "cudaStreamEndCapture");
  must (cudaGraphInstantiate (&ready, graph, 0), "cudaGraphInstantiate");
  must (cudaEventCreate (&before), "cudaEventCreate");
  must (cudaEventCreate (&after), "cudaEventCreate");
  for (int i = -3; i < MAX_LAUNCHES; i++) {
    must (cudaEventRecord (before, all.stream), "cudaEventRecord");
    must (cudaGraphLaunch (ready, all.stream), "cudaGraphLaunch");
    must (cudaEventRecord (after, all.stream), "cudaEventRecord");
    must (cudaEventSynchronize (after), "cudaEventSynchronize");
    must (cudaEventElapsedTime (&ms, before, after), "cudaEventElapsedTime");
    us[i < 0 ? 0 : i] = ms * 1e3 / n;
  }
  cudaEventDestroy (before);
  cudaEventDestroy (after);
  cudaGraphExecDestroy (ready);
  cudaGraphDestroy (graph);
  return bench_spread (us, MAX_LAUNCHES);
}

/* Resident blocks of a multiprocessor. */
inline int
resident_blocks (const void *kernel, int threads, size_t shared_bytes)
{
  int n;

  must (cudaFuncSetAttribute (kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int) shared_bytes), "shared memory");
  must (cudaOccupancyMaxActiveBlocksPerMultiprocessor (&n, kernel, threads, shared_bytes), "occupancy");
  return n;
}

/* The cells bytes, median_us, p95_us and gbps. */
inline void
put_times (Lab *all, int64_t bytes, const BenchSpread &us)
{
  table_number (&all->table, (double) bytes, 0);
  table_number (&all->table, us.median, 2);
  table_number (&all->table, us.p95, 2);
  table_number (&all->table, (double) bytes / us.median / 1e3, 0);
}

/* The last cell. */
inline void
put_checked (Lab *all, bool is_right)
{
  all->wrong += !is_right;
  table_text (&all->table, is_right ? "yes" : "differs from the host");
}

/* -1 <= x < 1, the same sequence in every run. */
inline float
uniform ()
{
  static uint64_t state = 1;

  state = state * UINT64_C (6364136223846793005) + UINT64_C (1442695040888963407);
  return (float) (int32_t) (state >> 32) * 0x1p-31f;
}
}

#endif
