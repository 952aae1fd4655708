/* robocache: whether works give the same bits on a device and on the CPU
 *   bench-check [--size SIZE] [--only TEXT]... [--alignments] [--voxels]
 * Runs works of bench-kernels twice on both, without timing: the second run of a voxel grid starts from what the first one left.
 * The status is 1 if outputs differ.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>

#include "tests/bench/kernels/job.h"

static int
differs (const BenchWork *work, RcBackend *cpu, RcBackend *device)
{
  char difference[BENCH_DIFFERS_SIZE] = "";
  BenchJob *here = bench_job_new (work, cpu, NULL), *there = bench_job_new (work, device, here);

  for (int i = 0; i < 2 && difference[0] == '\0'; i++) {
    bench_job_run_alone (here);
    bench_job_run_alone (there);
    bench_job_compare (there, here, difference);
  }
  bench_job_free (there);
  bench_job_free (here);
  printf ("%s %s%s%s\n", difference[0] ? "FAIL" : "PASS", work->name, difference[0] ? ": " : "", difference);
  fflush (stdout);
  return difference[0] != '\0';
}

int
main (int argc, char **argv)
{
  const RcWhere where = {.kind = RC_BACKEND_CUDA };
  BenchFilter filter = { 0 };
  int wrong = 0;
  RcBackend *device, *cpu;
  RcError error;

  for (int i = 1; i < argc; i++) {
    if (!bench_filter_add (&filter, argc, argv, &i))
      bench_fail (argv[i], "expected --size small|medium|large, --only TEXT, --alignments, --voxels or --wanted");
  }
  if (bench_filter_is_empty (&filter))
    return 1;
  if (rc_backend_open (&where, &device, &error) != RC_OK) {
    printf ("SKIP bench-check: %s\n", error.message);
    return error.status != RC_NO_DEVICE;
  }
  cpu = bench_cpu ();
  for (int i = 0; i < bench_n_works; i++) {
    if (bench_wants (&filter, &bench_works[i]))
      wrong += differs (&bench_works[i], cpu, device);
  }
  rc_backend_close (device);
  rc_backend_close (cpu);
  return wrong > 0;
}
