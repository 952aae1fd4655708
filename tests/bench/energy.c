/* robocache: energy of resampled rows and of voxel grids, on a GPU and on the CPU
 *
 *   bench-energy [--seconds S] [--csv FILE]
 *
 * Each work is done again and again for S seconds (5): on a GPU, with its data there, on one core and on all cores. Energy is
 * read from the counters of the board (NVML's total energy) and of the CPU's packages (RAPL, /sys/class/powercap). The
 * power of two seconds in which nothing is done, with all contexts open, is taken off. Where a counter cannot be read the
 * row says so, and has the time alone. Outputs are compared, bit for bit, with one run of the CPU.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels_timing.h"
#include "shard.h"

#define IDLE_S 2
#define MAX_CORES 512
#define MAX_PACKAGES 16
#define RUNS_BETWEEN_LOOKS 32   /* of the GPU, at the clock */

typedef struct
{
  const BenchWork *work;
  int64_t items;
  double units;                 /* that energy is of */
  const char *of;
} Job;

static const Job jobs[] = {
  {&bench_long_episodes, 256, 1e6, "million rows"},
  {&bench_clouds, 32, 1e3, "thousand clouds"},
};

/* ---- counters ---- */

/* J since some time; negative: it cannot be read, as why says. */
typedef struct
{
  double (*read) (void);
  char why[400];
  double idle_w;
} Counter;

static unsigned (*nvml_energy) (void *device, unsigned long long *mj);
static void *nvml_device;

static double
read_board (void)
{
  unsigned long long mj;

  return nvml_energy (nvml_device, &mj) == 0 ? (double) mj * 1e-3 : -1;
}

/* Of the first CUDA device, whose number may be another one there. */
static void
open_board (Counter *counter)
{
  unsigned (*init) (void), (*by_bus) (const char *bus, void **device);
  void *library = dlopen ("libnvidia-ml.so.1", RTLD_NOW);
  char bus[32];

  counter->read = read_board;
  if (library == NULL) {
    snprintf (counter->why, sizeof (counter->why), "%s", dlerror ());
    return;
  }
  *(void **) &init = dlsym (library, "nvmlInit_v2");
  *(void **) &by_bus = dlsym (library, "nvmlDeviceGetHandleByPciBusId_v2");
  *(void **) &nvml_energy = dlsym (library, "nvmlDeviceGetTotalEnergyConsumption");
  bench_must (cudaDeviceGetPCIBusId (bus, sizeof (bus), 0), "cudaDeviceGetPCIBusId");
  if (!init || !by_bus || !nvml_energy || init () != 0 || by_bus (bus, &nvml_device) != 0 || read_board () < 0)
    snprintf (counter->why, sizeof (counter->why), "NVML has no energy counter for %s", bus);
}

static char packages[MAX_PACKAGES][300];
static int n_packages;

static double
read_number (const char *path)
{
  FILE *file = fopen (path, "r");
  double number = -1;

  if (file != NULL && fscanf (file, "%lf", &number) != 1)
    number = -1;
  if (file != NULL)
    fclose (file);
  return number;
}

static double
read_packages (void)
{
  double sum = 0;
  int i;

  for (i = 0; i < n_packages; i++) {
    const double uj = read_number (packages[i]);

    if (uj < 0)
      return -1;
    sum += uj * 1e-6;
  }
  return sum;
}

/* intel-rapl:N, which AMD's have too; zones within a package are parts of it. */
static void
open_packages (Counter *counter)
{
  DIR *folder = opendir ("/sys/class/powercap");
  struct dirent *entry;

  while (folder != NULL && n_packages < MAX_PACKAGES && (entry = readdir (folder)) != NULL) {
    if (strncmp (entry->d_name, "intel-rapl:", 11) == 0 && strchr (entry->d_name + 11, ':') == NULL)
      snprintf (packages[n_packages++], sizeof (packages[0]), "/sys/class/powercap/%s/energy_uj", entry->d_name);
  }
  if (folder != NULL)
    closedir (folder);
  counter->read = read_packages;
  if (n_packages == 0)
    snprintf (counter->why, sizeof (counter->why), "this machine shows no RAPL in /sys/class/powercap");
  else if (read_packages () < 0)
    snprintf (counter->why, sizeof (counter->why), "%s may not be read", packages[0]);
}

static double
read_counter (const Counter *counter)
{
  return counter->why[0] == 0 ? counter->read () : -1;
}

static void
measure_idle (Counter *counters[], int n)
{
  double before[2], begun = bench_now_us ();
  int i;

  for (i = 0; i < n; i++)
    before[i] = read_counter (counters[i]);
  sleep (IDLE_S);
  for (i = 0; i < n; i++)
    counters[i]->idle_w = (read_counter (counters[i]) - before[i]) / ((bench_now_us () - begun) * 1e-6);
}

/* ---- work ---- */

typedef struct
{
  BenchShard shard;
  void *parts[SHARD_MAX_PARTS];
  RcStream stream;
  double until_us;
  int64_t runs;
  pthread_t thread;
} Worker;

static void *
work_until (void *data)
{
  Worker *worker = data;
  const int at_once = worker->stream != NULL ? RUNS_BETWEEN_LOOKS : 1;
  RcError error;
  int i;

  do {
    for (i = 0; i < at_once; i++)
      bench_shard_run (&worker->shard, worker->stream);
    bench_must_be_well (rc_stream_synchronize (worker->shard.backend, worker->stream, &error), &error, "run");
    worker->runs += at_once;
  } while (bench_now_us () < worker->until_us);
  return NULL;
}

static void
copy_parts (const Worker *worker, void *const host[], int up)
{
  const BenchWork *work = worker->shard.work;
  RcError error;
  int i;

  for (i = 0; i < work->n_parts; i++) {
    const RcMemoryCopy copy = {.to = up ? worker->parts[i] : host[i],.from = up ? host[i] : worker->parts[i],
      .row_bytes = (uint64_t) (worker->shard.items * work->parts[i].bytes),.rows = 1
    };

    if (up != work->parts[i].is_output)
      bench_must_be_well (rc_memory_copy (worker->shard.backend, &copy, worker->stream, &error), &error, "copy");
  }
  bench_must_be_well (rc_stream_synchronize (worker->shard.backend, worker->stream, &error), &error, "copy");
}

typedef struct
{
  double seconds, joules;       /* joules of the counter, idle taken off; negative: unknown */
  double units;
  int is_true;
} Result;

/* n threads, each with a batch of its own. */
static Result
measure (const Job *job, RcBackend *backend, int n, double seconds, const Counter *counter)
{
  const int64_t items = n > 1 && rc_backend_kind (backend) == RC_BACKEND_CPU ? job->items / 8 : job->items;
  Worker *workers = calloc ((size_t) n, sizeof (*workers));
  void *truth[SHARD_MAX_PARTS], *host[SHARD_MAX_PARTS];
  const RcWhere here = { RC_BACKEND_CPU, 0, RC_CPU_BEST, 0 };
  Result result = {.is_true = 1 };
  double begun, before;
  RcBackend *cpu;
  RcError error;
  int i;

  bench_must_be_well (rc_backend_open (&here, &cpu, &error), &error, "CPU");
  bench_truth_make (job->work, cpu, truth);
  bench_parts_alloc (job->work, cpu, RC_MEMORY_DEVICE, items, host);
  bench_parts_fill (job->work, truth, host, items);
  for (i = 0; i < n; i++) {
    bench_parts_alloc (job->work, backend, RC_MEMORY_DEVICE, items, workers[i].parts);
    bench_must_be_well (rc_stream_new (backend, &workers[i].stream, &error), &error, "stream");
    bench_shard_open (&workers[i].shard, job->work, backend, items, workers[i].parts);
    copy_parts (&workers[i], host, 1);
    work_until (&workers[i]);
    workers[i].runs = 0;
  }
  before = read_counter (counter);
  begun = bench_now_us ();
  for (i = 0; i < n; i++) {
    workers[i].until_us = begun + seconds * 1e6;
    if (pthread_create (&workers[i].thread, NULL, work_until, &workers[i]) != 0)
      bench_fail ("pthread_create", "no thread");
  }
  for (i = 0; i < n; i++)
    pthread_join (workers[i].thread, NULL);
  result.seconds = (bench_now_us () - begun) * 1e-6;
  result.joules = before < 0 ? -1 : read_counter (counter) - before - counter->idle_w * result.seconds;
  for (i = 0; i < n; i++) {
    result.units += (double) (workers[i].runs * items * job->work->units_an_item) / job->units;
    copy_parts (&workers[i], host, 0);
    result.is_true &= bench_is_true (job->work, truth, host, 0, items);
    bench_shard_close (&workers[i].shard);
    rc_stream_free (backend, workers[i].stream);
    bench_parts_free (job->work, backend, RC_MEMORY_DEVICE, workers[i].parts);
  }
  bench_parts_free (job->work, cpu, RC_MEMORY_DEVICE, host);
  bench_parts_free (job->work, cpu, RC_MEMORY_DEVICE, truth);
  rc_backend_close (cpu);
  free (workers);
  return result;
}

/* ---- what is printed ---- */

static void
print (FILE *csv, const Job *job, const char *where, const Counter *counter, const Result *result)
{
  const char *checked = result->is_true ? "yes" : "differs from the CPU";
  const double seconds = result->seconds / result->units, watts = result->joules / result->seconds;

  if (result->joules < 0) {
    printf ("| %s | %s | %s | | | | %.4f | %s | %s |\n", job->work->name, where, job->of, seconds, counter->why, checked);
    if (csv)
      fprintf (csv, "\"%s\",%s,%s,%.2f,,,,%.6f,\"%s\",%s\n", job->work->name, where, job->of, result->seconds, seconds,
          counter->why, checked);
  } else {
    printf ("| %s | %s | %s | %.1f | %.1f | %.4g | %.4f | | %s |\n", job->work->name, where, job->of, counter->idle_w, watts,
        result->joules / result->units, seconds, checked);
    if (csv)
      fprintf (csv, "\"%s\",%s,%s,%.2f,%.2f,%.2f,%.5g,%.6f,,%s\n", job->work->name, where, job->of, result->seconds,
          counter->idle_w, watts, result->joules / result->units, seconds, checked);
  }
  fflush (stdout);
}

int
main (int argc, char **argv)
{
  const RcWhere there = { RC_BACKEND_CUDA, 0, RC_CPU_BEST, 0 }, here = { RC_BACKEND_CPU, 0, RC_CPU_BEST, 0 };
  const long cores = sysconf (_SC_NPROCESSORS_ONLN);
  Counter board = { NULL, "", 0 }, package = { NULL, "", 0 };
  Counter *counters[] = { &package, &board };
  RcBackend *gpu = NULL, *cpu;
  double seconds = 5;
  FILE *csv = NULL;
  char all[64];
  RcError error;
  int ok = 1, i;
  size_t j;

  for (i = 1; i < argc; i++) {
    if (strcmp (argv[i], "--seconds") == 0 && i + 1 < argc && (seconds = atof (argv[i + 1])) > 0)
      i++;
    else if (strcmp (argv[i], "--csv") == 0 && i + 1 < argc && (csv = fopen (argv[i + 1], "w")) != NULL)
      i++;
    else
      bench_fail (argv[i], "expected --seconds S above 0, or --csv and a FILE that can be written");
  }
  bench_must_be_well (rc_backend_open (&here, &cpu, &error), &error, "CPU");
  open_packages (&package);
  if (rc_backend_open (&there, &gpu, &error) == RC_OK)
    open_board (&board);
  else
    printf ("SKIP bench-energy on a GPU: %s\n", error.message);
  measure_idle (counters, gpu != NULL ? 2 : 1);
  snprintf (all, sizeof (all), "%ld cores", cores);

  if (csv)
    fprintf (csv, "work,where,unit,run_s,idle_w,net_w,net_j,busy_s,note,checked\n");
  printf ("| work | where | unit | idle W | W above that | J a unit | s a unit | | checked |\n|---|---|---|---|---|---|---|---|---|\n");
  for (j = 0; j < sizeof (jobs) / sizeof (jobs[0]); j++) {
    const struct
    {
      RcBackend *backend;
      int n;
      const char *name;
      const Counter *counter;
    } places[] = { {gpu, 1, "GPU", &board}, {cpu, 1, "one core", &package}, {cpu, (int) cores, all, &package} };

    for (i = 0; i < 3; i++) {
      Result result;

      if (places[i].backend == NULL)
        continue;
      result = measure (&jobs[j], places[i].backend, places[i].n, seconds, places[i].counter);
      print (csv, &jobs[j], places[i].name, places[i].counter, &result);
      ok &= result.is_true;
    }
  }
  rc_backend_close (cpu);
  if (gpu != NULL)
    rc_backend_close (gpu);
  if (csv && fclose (csv) != 0)
    bench_fail ("--csv", "cannot be written");
  return ok ? 0 : 1;
}
