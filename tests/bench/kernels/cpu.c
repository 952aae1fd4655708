/* robocache: what alignments and voxel grids cost on a CPU
 *   bench-cpu [--alignments] [--voxels] [--size SIZE] [--only TEXT]... [--cloud FILE] [--csv FILE] [--rows FOLDER]
 *             [--short]
 * Measures each work on one core with each instruction set of the machine, and with a thread for each core. The alignments are
 * those of works.c with one stream; large ones have 8 recordings. The voxel grids have one cloud: float32 x, y, z of FILE, or
 * 120,000 points on the walls of a room, or a lidar's scan. A cloud and its mirror image alternate. `kept` grids have known content, so
 * that a run writes only what changes. The floor is a memcpy of as many bytes. Runs use the same memory, which stays in the caches. The
 * status is 1 if the outputs of two instruction sets, or with threads, differ. --rows writes inputs and outputs for peers.py. --short
 * makes few runs, for tests.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "common/device/threadpool.h"
#include "tests/bench/common/table.h"
#include "tests/bench/kernels/rows.h"

#define MAX_RUNS 301
#define MIN_RUNS 5
#define RECORDINGS 8            /* of a large alignment */
#define SIDE 256.0              /* metres of a grid */
#define POINTS 120000

#define GRID(axis, mode, output, type, ...) .is_voxels = 1,.voxels = {1, POINTS, axis, RC_VOXEL_ ## mode, RC_VOXEL_ ## output, \
    type,.voxel_m = SIDE / axis, __VA_ARGS__}

#define LIDAR .features = 1,.max_points = 32,.max_voxels = 40000,.scan = BENCH_NUSCENES (1)

static const BenchWork grids[] = {
  {"occupancy, uint8, 64^3", "small", 400, GRID (64, OCCUPANCY, DENSE, RC_UINT8)},
  {"occupancy, uint8, 64^3, kept", "small", 400, GRID (64, OCCUPANCY, DENSE, RC_UINT8,.kept = 1)},
  {"occupancy, uint8, 256^3", "medium", 1500, GRID (256, OCCUPANCY, DENSE, RC_UINT8)},
  {"occupancy, uint8, 256^3, kept", "medium", 1500, GRID (256, OCCUPANCY, DENSE, RC_UINT8,.kept = 1)},
  {"occupancy, float32, 256^3", "medium", GRID (256, OCCUPANCY, DENSE, RC_FLOAT32)},
  {"occupancy, float32, 256^3, kept", "medium", GRID (256, OCCUPANCY, DENSE, RC_FLOAT32,.kept = 1)},
  {"occupancy, bits, 256^3", "small", GRID (256, OCCUPANCY, BITS, RC_UINT8)},
  {"count, uint32, 64^3", "small", GRID (64, COUNT, DENSE, RC_UINT32)},
  {"count, uint32, 256^3", "medium", GRID (256, COUNT, DENSE, RC_UINT32)},
  {"count, uint32, 256^3, kept", "medium", GRID (256, COUNT, DENSE, RC_UINT32,.kept = 1)},
  {"centroid, float32, 256^3", "large", GRID (256, CENTROID, DENSE, RC_FLOAT32)},
  {"centroid, float32, 256^3, kept", "large", GRID (256, CENTROID, DENSE, RC_FLOAT32,.kept = 1)},
  {"centroid, sparse, 64^3", "small", GRID (64, CENTROID, SPARSE, RC_FLOAT32)},
  {"centroid, sparse, 256^3", "small", GRID (256, CENTROID, SPARSE, RC_FLOAT32)},
  {"first 32 points, a nuScenes sweep of 34,720", "large", GRID (1, FIRST, SPARSE, RC_FLOAT32, LIDAR)},
  {"pillars of 32 points, a nuScenes sweep of 34,720", "large", GRID (1, PILLARS, SPARSE, RC_FLOAT16, LIDAR)},
  {"occupancy of a window of 10 clouds, uint8, 256^3", "medium", GRID (256, OCCUPANCY, DENSE, RC_UINT8,.window = 10)},
  {"centroid of a window of 10 clouds, sparse, 256^3", "medium", GRID (256, CENTROID, SPARSE, RC_FLOAT32,.window = 10)},
};

static const struct
{
  const char *name;
  RcCpuLevel level;
} levels[] = { {"baseline_us", RC_CPU_BASELINE}, {"avx2_us", RC_CPU_AVX2}, {"avx512_us", RC_CPU_AVX512} };

static cpu_set_t all_cores, one_core;
static double runs_us = 2e5;    /* of a measurement, about */

#define N_LEVELS (sizeof (levels) / sizeof (levels[0]))

/* ---- works ---- */

/* An alignment for a CPU; 0: it is none. name has room for its name. */
static int
reduce (const BenchWork *of, BenchWork *work, char name[128])
{
  const BenchAlignment *align = &of->align;

  if (of->is_voxels || of->alone || align->live || align->streams[0].n > 0 || align->streams[1].rows > 0)
    return 0;
  *work = *of;
  work->wanted_us = strcmp (of->name, "resample 16x4096 -> 1024x32, float32") == 0 ? 600
      : strcmp (of->name, "resample 1x60000 -> 6000x14, float32") == 0 ? 100 : 0;
  if (strcmp (of->size, "large") == 0 && align->batch > RECORDINGS) {
    snprintf (name, 128, "resample %dx%s", RECORDINGS, strchr (of->name, 'x') + 1);
    work->name = name;
    work->align.batch = RECORDINGS;
  }
  return 1;
}

static float *
read_cloud (const char *path, int64_t *n)
{
  FILE *file = fopen (path, "rb");
  float *points = NULL;
  long bytes;

  if (file == NULL || fseek (file, 0, SEEK_END) != 0 || (bytes = ftell (file)) < 12)
    bench_fail (path, "expected float32 x, y, z");
  rewind (file);
  *n = bytes / 12;
  points = malloc ((size_t) *n * 12);
  if (points == NULL || fread (points, 12, (size_t) *n, file) != (size_t) *n)
    bench_fail (path, "cannot be read");
  fclose (file);
  return points;
}

static float *
make_cloud (void)
{
  float *points = malloc (POINTS * 12);

  for (int i = 0; i < POINTS; i++) {
    for (int k = 0; k < 3; k++)
      points[3 * i + k] = (float) ((bench_uniform () - 0.5) * 0.3 * SIDE);
    points[3 * i + i % 3] = (float) ((i / 3 % 2 ? 0.15 : -0.15) * SIDE);
  }
  return points;
}

/* ---- measurements ---- */

static BenchSpread
time_job (BenchJob *job)
{
  const double end = bench_now_us () + runs_us;
  double us[MAX_RUNS];
  int n;

  bench_job_run (job, NULL);
  bench_job_run (job, NULL);
  for (n = 0; n < MIN_RUNS || (n < MAX_RUNS && bench_now_us () < end); n++) {
    const double before = bench_now_us ();

    bench_job_run (job, NULL);
    us[n] = bench_now_us () - before;
  }
  return bench_spread (us, n);
}

static double
time_memcpy (RcBackend *cpu, int64_t bytes)
{
  char *from = bench_memory (cpu, bytes, NULL), *to = malloc ((size_t) bytes + 1);
  double us[MIN_RUNS + 1];

  for (int i = 0; i <= MIN_RUNS; i++) {
    const double before = bench_now_us ();

    memcpy (to, from, (size_t) bytes);
    __asm__ volatile ("" : : "r" (to) : "memory");      /* so that the copy is made */
    us[i] = bench_now_us () - before;
  }
  free (to);
  rc_memory_free (cpu, RC_MEMORY_DEVICE, from);
  return bench_spread (us + 1, MIN_RUNS).median;
}

/* NAN: the machine lacks the instruction set. Compares the outputs with those of host. */
static BenchSpread
time_where (const RcWhere *where, const BenchWork *work, BenchJob *host, char differs[BENCH_DIFFERS_SIZE])
{
  BenchSpread us = { NAN, NAN, NAN, NAN };
  RcBackend *backend;
  BenchJob *job;
  RcError error;

  if (rc_backend_open (where, &backend, &error) != RC_OK)
    return us;
  job = bench_job_new (work, backend, host);
  us = time_job (job);
  bench_job_compare (job, host, differs);
  bench_job_free (job);
  rc_backend_close (backend);
  return us;
}

static int
measure (const BenchWork *work, const RcThreadPool *pool, int n_threads, Table *table, BenchRows *rows)
{
  BenchSpread us[N_LEVELS], best, threads = { NAN, NAN, NAN, NAN };
  char differs[BENCH_DIFFERS_SIZE] = "";
  RcBackend *cpu = bench_cpu ();
  BenchJob *host = bench_job_new (work, cpu, NULL);
  const double floor_us = time_memcpy (cpu, bench_job_bytes (host) / 2);

  bench_job_run (host, NULL);
  for (size_t i = 0; i < N_LEVELS; i++) {
    us[i] = time_where (&(RcWhere) {.cpu_level = levels[i].level}, work, host, differs);
    best = i == 0 || !isnan (us[i].median) ? us[i] : best;
  }
  if (n_threads > 1) {
    sched_setaffinity (0, sizeof (all_cores), &all_cores);      /* the pool starts its threads with the first work */
    threads = time_where (&(RcWhere) {.threads = pool}, work, host, differs);
    sched_setaffinity (0, sizeof (one_core), &one_core);
  }

  table_put (table, "%s|%" PRId64 "|%.3f|%.0f|%.3f|%.3f|%.3f|%.3f|%.3f|%.3f|%.3f|%.0f|%.3f|%s", work->name, bench_job_bytes (host),
      floor_us, work->wanted_us > 0 ? work->wanted_us : NAN, best.median, best.p5, best.p95, best.deviation, us[0].median, us[1].median,
      us[2].median, n_threads > 1 ? n_threads : NAN, threads.median, differs[0] ? differs : "yes");
  bench_rows_begin (rows, host, floor_us, &best);
  for (size_t i = 0; i < N_LEVELS; i++) {
    if (!isnan (us[i].median))
      bench_rows_number (rows, levels[i].name, us[i].median);
  }
  if (n_threads > 1) {
    bench_rows_number (rows, "threads", n_threads);
    bench_rows_number (rows, "threads_us", threads.median);
  }
  bench_rows_end (rows, differs[0] ? differs : "yes");
  bench_job_free (host);
  rc_backend_close (cpu);
  return differs[0] != '\0';
}

/* ---- all of them ---- */

static int
measure_all (const BenchFilter *filter, const float *cloud, int64_t n_points, Table *table, BenchRows *rows)
{
  RobocacheThreadPool *pool;
  GError *error = NULL;
  int wrong = 0;

  sched_getaffinity (0, sizeof (all_cores), &all_cores);
  pool = robocache_thread_pool_new ((guint) MAX (2, CPU_COUNT (&all_cores)), &error);
  if (pool == NULL)
    bench_fail ("threads", error->message);
  CPU_ZERO (&one_core);
  CPU_SET (sched_getcpu (), &one_core);
  sched_setaffinity (0, sizeof (one_core), &one_core);
  for (int i = 0; i < bench_n_works + (int) G_N_ELEMENTS (grids); i++) {
    const int is_grid = i >= bench_n_works;
    BenchWork work = is_grid ? grids[i - bench_n_works] : bench_works[i];
    const BenchScan *scan = work.voxels.scan;
    char name[128];

    if ((!is_grid && !reduce (&bench_works[i], &work, name)) || !bench_wants (filter, &work))
      continue;
    work.voxels.points = scan != NULL ? scan->beams * scan->columns * scan->sweeps : n_points;
    work.voxels.cloud = scan != NULL ? NULL : cloud;
    wrong += measure (&work, robocache_thread_pool_for_backend (pool), CPU_COUNT (&all_cores), table, rows);
  }
  robocache_thread_pool_free (pool);
  return wrong;
}

int
main (int argc, char **argv)
{
  const char *csv = NULL, *folder = NULL, *path = NULL;
  BenchFilter filter = { 0 };
  int64_t n_points = POINTS;
  int wrong;
  BenchRows rows;
  float *cloud;
  Table table;

  for (int i = 1; i < argc; i++) {
    if (strcmp (argv[i], "--short") == 0)
      runs_us = 0;
    else if (!bench_filter_add (&filter, argc, argv, &i) && !bench_option (argc, argv, &i, "--csv", &csv)
        && !bench_option (argc, argv, &i, "--rows", &folder) && !bench_option (argc, argv, &i, "--cloud", &path))
      bench_fail (argv[i], "expected --alignments, --voxels, --size small|medium|large, --only TEXT, --cloud FILE, --csv FILE, "
          "--rows FOLDER or --short");
  }
  cloud = path != NULL ? read_cloud (path, &n_points) : make_cloud ();
  bench_keep_pages ();
  bench_rows_open (&rows, folder, "\"device\": \"CPU\"");
  table_open (&table, csv, "work,must_move_bytes,floor_us,wanted_us,median_us,p5_us,p95_us,deviation_us,baseline_us,avx2_us,"
      "avx512_us,threads,threads_us,checked");
  wrong = measure_all (&filter, cloud, n_points, &table, &rows);
  table_end (&table);
  bench_rows_close (&rows);
  free (cloud);
  return wrong > 0;
}
