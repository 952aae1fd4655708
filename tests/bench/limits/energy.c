/* robocache: energy of resampled rows and of voxel grids, on a GPU and on the CPU
 *   bench-energy [--seconds S] [--csv FILE]
 * Repeats each work for S seconds (5) on a GPU, on one core and on all cores, in five parts that are measured one by one. Reads the
 * energy counter of the board (NVML) and subtracts the power of two idle seconds. less_below_w is the power above which the CPU needs
 * more energy than the GPU: the GPU's J a unit over the CPU's s a unit. Outputs are compared with those of the CPU, bit for bit.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/bench/common/table.h"
#include "tests/bench/kernels/job.h"

#define IDLE_S 2
#define PARTS 5
#define GPU_RUNS 32             /* between two looks at the clock */

static const struct
{
  BenchWork work;               /* a batch of the GPU; that of a core is an eighth */
  const char *unit;
  double units;                 /* of an item */
} works[] = {
  {{"resample 4096 -> 2048x64, float32", "large",.align = {256, 2048, RC_FLOAT32, RC_FLOAT32, {{4096, 64}}}},
        "million rows", 2048e-6},
  {{"occupancy of 100,000 points, 128^3, uint8", "large",.is_voxels = 1,.voxels = {32, 100000, 128, RC_VOXEL_OCCUPANCY,
              RC_VOXEL_DENSE, RC_UINT8}},
        "thousand clouds", 1e-3},
};

/* ---- places ---- */

/* J since some time; NAN: not readable. */
static double
read_board (void)
{
  static int (*energy) (void *device, unsigned long long *mj);
  static void *device;
  unsigned long long mj;

  if (energy == NULL) {
    void *library = dlopen ("libnvidia-ml.so.1", RTLD_NOW);
    int (*init) (void) = NULL, (*by_index) (unsigned, void **) = NULL;

    if (library != NULL) {
      *(void **) &init = dlsym (library, "nvmlInit_v2");
      *(void **) &by_index = dlsym (library, "nvmlDeviceGetHandleByIndex_v2");
      *(void **) &energy = dlsym (library, "nvmlDeviceGetTotalEnergyConsumption");
    }
    if (init == NULL || by_index == NULL || energy == NULL || init () != 0 || by_index (0, &device) != 0)
      device = NULL;
  }
  return device != NULL && energy (device, &mj) == 0 ? (double) mj * 1e-3 : NAN;
}

typedef struct
{
  const char *name;
  RcBackend *backend;           /* NULL: there is none */
  int n_threads, has_counter;
} Place;

/* W. */
static double
measure_idle (void)
{
  const double begun = bench_now_us (), joules = read_board ();

  sleep (IDLE_S);
  return (read_board () - joules) / ((bench_now_us () - begun) * 1e-6);
}

/* ---- work ---- */

typedef struct
{
  BenchJob *job;
  RcStream stream;
  double until_us;
  int64_t runs;
  pthread_t thread;
} Worker;

static void *
work_until (void *data)
{
  Worker *worker = data;
  const int n = worker->stream != NULL ? GPU_RUNS : 1;
  RcError error;

  for (worker->runs = 0; worker->runs == 0 || bench_now_us () < worker->until_us; worker->runs += n) {
    for (int i = 0; i < n; i++)
      bench_job_run (worker->job, worker->stream);
    bench_must (rc_stream_synchronize (worker->job->backend, worker->stream, &error), &error, "run");
  }
  return NULL;
}

/* Batches of all workers. */
static int64_t
work_for (Worker *workers, int n, double seconds)
{
  int64_t runs = 0;

  for (int i = 0; i < n; i++) {
    workers[i].until_us = bench_now_us () + seconds * 1e6;
    if (pthread_create (&workers[i].thread, NULL, work_until, &workers[i]) != 0)
      bench_fail ("pthread_create", "no thread");
  }
  for (int i = 0; i < n; i++) {
    pthread_join (workers[i].thread, NULL);
    runs += workers[i].runs;
  }
  return runs;
}

/* J a unit on the GPU, which is the first place, NAN before; returns whether outputs are right. */
static int
measure (Table *table, const BenchWork *work, int which, const Place *place, double idle_w, double seconds, double *gpu_joules)
{
  const double items = (double) (work->is_voxels ? work->voxels.clouds : work->align.batch);
  Worker *workers = calloc ((size_t) place->n_threads, sizeof (*workers));
  char differs[BENCH_DIFFERS_SIZE] = "";
  double s[PARTS], j[PARTS], total_s = 0, total_j = 0;
  RcBackend *cpu = bench_cpu ();
  BenchJob *host = bench_job_new (work, cpu, NULL);
  BenchSpread s_a_unit, j_a_unit;
  RcError error;

  for (int i = 0; i < place->n_threads; i++) {
    workers[i].job = bench_job_new (work, place->backend, host);
    bench_must (rc_stream_new (place->backend, &workers[i].stream, &error), &error, "stream");
  }
  work_for (workers, place->n_threads, 0);
  for (int i = 0; i < PARTS; i++) {
    const double begun = bench_now_us (), before = place->has_counter ? read_board () : NAN;
    const double units = (double) work_for (workers, place->n_threads, seconds / PARTS) * items * works[which].units;
    const double took = (bench_now_us () - begun) * 1e-6, joules = read_board () - before - idle_w * took;

    s[i] = took / units;
    j[i] = joules / units;
    total_s += took;
    total_j += joules;
  }
  bench_job_run_alone (host);
  bench_job_compare (workers[place->n_threads - 1].job, host, differs);
  s_a_unit = bench_spread (s, PARTS);
  j_a_unit = isnan (total_j) ? (BenchSpread) { NAN, NAN, NAN, NAN } : bench_spread (j, PARTS);

  table_put (table, "%s|%s|%s|%.2f|%.2f|%.2f|%.5f|%.5f|%.8f|%.8f|%.2f|%s|%s", work->name, place->name, works[which].unit, total_s,
      isnan (total_j) ? NAN : idle_w, total_j / total_s, j_a_unit.median, j_a_unit.deviation, s_a_unit.median, s_a_unit.deviation,
      *gpu_joules / s_a_unit.median, isnan (total_j) ? "no energy counter" : "", differs[0] ? differs : "yes");
  *gpu_joules = place->has_counter ? j_a_unit.median : *gpu_joules;

  for (int i = 0; i < place->n_threads; i++) {
    rc_stream_free (place->backend, workers[i].stream);
    bench_job_free (workers[i].job);
  }
  free (workers);
  bench_job_free (host);
  rc_backend_close (cpu);
  return differs[0] == '\0';
}

int
main (int argc, char **argv)
{
  const RcWhere there = {.kind = RC_BACKEND_CUDA };
  Place places[] = { {"GPU", NULL, 1, 1}, {"one core", NULL, 1, 0}, {NULL, NULL, 1, 0} };
  const char *csv = NULL, *text = "5";
  double idle_w;
  char all[32];
  int right = 1;
  cpu_set_t allowed;
  RcError error;
  Table table;

  for (int i = 1; i < argc; i++) {
    if (!bench_option (argc, argv, &i, "--csv", &csv) && (!bench_option (argc, argv, &i, "--seconds", &text) || !(atof (text) > 0)))
      bench_fail (argv[i], "expected --seconds S above 0, or --csv FILE");
  }
  if (sched_getaffinity (0, sizeof (allowed), &allowed) == 0)
    places[2].n_threads = CPU_COUNT (&allowed);
  snprintf (all, sizeof (all), "%d cores", places[2].n_threads);
  places[2].name = all;
  places[1].backend = places[2].backend = bench_cpu ();
  if (rc_backend_open (&there, &places[0].backend, &error) != RC_OK)
    printf ("SKIP %s: %s\n", program_invocation_short_name, error.message);
  idle_w = measure_idle ();
  table_open (&table, csv, "work,where,unit,run_s,idle_w,net_w,net_j,net_deviation_j,busy_s,busy_deviation_s,less_below_w,note,checked");
  for (int k = 0; k < (int) (sizeof (works) / sizeof (works[0])); k++) {
    double gpu_joules = NAN;

    for (int i = 0; i < 3; i++) {
      BenchWork work = works[k].work;

      work.align.batch /= i == 0 ? 1 : 8;
      work.voxels.clouds /= i == 0 ? 1 : 8;
      if (places[i].backend != NULL)
        right &= measure (&table, &work, k, &places[i], idle_w, atof (text), &gpu_joules);
    }
  }
  table_end (&table);
  rc_backend_close (places[1].backend);
  if (places[0].backend != NULL)
    rc_backend_close (places[0].backend);
  return right ? 0 : 1;
}
