/* robocache: what one part of a kernel is worth
 *
 *   bench-ablations [--only NAME[,NAME...]] [--csv FOLDER]
 *
 * --only: these ablations; --csv: a file of each table in FOLDER.
 * Times are cold: over several copies of the data, together at least four times the L2, captured in a graph; medians.
 * What each variant made is compared in the same run: with the bits of the CPU backend, or, where the arithmetic is another
 * one, with float64 within a bound. Status 1: something differed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "ablations.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/runtime/kernel.h"

static const struct
{
  const char *name;
  void (*measure) (Ablations * all);
} ablations[] = {
  {"storage", ablate_storage},
  {"movement", ablate_movement},
  {"blocks", ablate_blocks},
  {"banded", ablate_banded},
  {"chains", ablate_chains},
  {"bitmap", ablate_bitmap},
  {"clearing", ablate_clearing},
  {"live", ablate_live},
};

#define N_ABLATIONS (sizeof (ablations) / sizeof (ablations[0]))

const char *
ablation_checked (Ablations *all, int as_expected)
{
  all->failed += !as_expected;
  return as_expected ? "yes" : "no";
}

void
ablation_put_times (Table *table, const Bench *bench, const BenchBytes *must_move, const BenchTimes *times)
{
  const double bytes = (double) bench_total (must_move);

  table_number (table, bytes, 0);
  table_number (table, bench_floor (bench, must_move), 2);
  table_number (table, times->cold.median, 2);
  table_number (table, times->cold.p5, 2);
  table_number (table, times->cold.p95, 2);
  table_number (table, bytes / times->cold.median / 1e3, 0);
}

void
ablation_prepare (const AblationLaunch *launch)
{
  bench_must (cudaFuncSetAttribute (launch->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
          (int) launch->shared_bytes), "cudaFuncSetAttribute");
}

void
ablation_launch (const AblationLaunch *launch, void **arguments, cudaStream_t stream)
{
  cudaLaunchAttribute cluster = {.id = cudaLaunchAttributeClusterDimension };
  const cudaLaunchConfig_t config = {.gridDim = {(unsigned) launch->blocks, 1, 1},
    .blockDim = {(unsigned) launch->threads, 1, 1},.dynamicSmemBytes = launch->shared_bytes,.stream = stream,
    .attrs = &cluster,.numAttrs = launch->cluster > 1
  };

  cluster.val.clusterDim.x = (unsigned) launch->cluster;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  bench_must (cudaLaunchKernelExC (&config, launch->kernel, arguments), "cudaLaunchKernelExC");
}

typedef struct
{
  const char *names;            /* with commas between them; NULL: all */
  const char *folder;
} Arguments;

static size_t
index_of (const char *name, size_t length)
{
  size_t i;

  for (i = 0; i < N_ABLATIONS; i++) {
    if (strlen (ablations[i].name) == length && strncmp (ablations[i].name, name, length) == 0)
      break;
  }
  return i;
}

/* Which ones are named, a bit each. */
static unsigned
read_names (const char *names)
{
  unsigned wanted = 0;

  while (names != NULL) {
    const size_t length = strcspn (names, ","), i = index_of (names, length);

    if (i == N_ABLATIONS)
      bench_fail (names, "expected storage, movement, blocks, banded, chains, bitmap, clearing or live");
    wanted |= 1u << i;
    names = names[length] == ',' ? names + length + 1 : NULL;
  }
  return wanted;
}

static Arguments
read_arguments (int argc, char **argv)
{
  Arguments arguments = { NULL, NULL };
  int i;

  for (i = 1; i < argc; i++) {
    if (i + 1 < argc && strcmp (argv[i], "--only") == 0)
      arguments.names = argv[++i];
    else if (i + 1 < argc && strcmp (argv[i], "--csv") == 0)
      arguments.folder = argv[++i];
    else
      bench_fail (argv[i], "expected --only NAMES or --csv FOLDER");
  }
  return arguments;
}

static void
run_nothing (void *data, int i, cudaStream_t stream)
{
  const AblationLaunch nothing = { rc_cuda_probe, 1, 32, 0, 0 };

  ablation_launch (&nothing, NULL, stream);
}

int
main (int argc, char **argv)
{
  const Arguments arguments = read_arguments (argc, argv);
  const unsigned wanted = arguments.names != NULL ? read_names (arguments.names) : ~0u;
  Ablations all = {.folder = arguments.folder };
  struct cudaDeviceProp properties;
  size_t i;

  if (!bench_open (&all.bench))
    return 0;
  bench_must (cudaGetDeviceProperties (&properties, 0), "cudaGetDeviceProperties");
  if (properties.major != 9 || properties.minor != 0) {
    printf ("SKIP bench-ablations: kernels for compute capability 9.0, the device has %d.%d\n", properties.major,
        properties.minor);
    bench_close (&all.bench);
    return 0;
  }
  bench_measure_rates (&all.bench);
  all.bench.launch_us = bench_time (&all.bench, run_nothing, NULL, 1, 20).median;
  printf ("%s, %d multiprocessors, L2 %.0f MB; copy %.0f GB/s; empty launch %.2f us\n", all.bench.name,
      all.bench.multiprocessors, (double) all.bench.l2_bytes / 1e6, all.bench.rates.copy, all.bench.launch_us);
  for (i = 0; i < N_ABLATIONS; i++) {
    const double before = bench_now_us ();

    if (!(wanted & 1u << i))
      continue;
    ablations[i].measure (&all);
    fprintf (stderr, "%s: %.1f s\n", ablations[i].name, (bench_now_us () - before) / 1e6);
  }
  bench_close (&all.bench);
  if (all.failed > 0)
    printf ("FAIL bench-ablations: %d outputs are not as expected\n", all.failed);
  else
    printf ("PASS bench-ablations\n");
  return all.failed > 0;
}
