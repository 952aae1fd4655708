/* robocache: grids of named clouds have the same bits on every backend, in a hundred runs that cut them differently
 *
 *   voxel-clouds [--gpu] [--few | --small] [--only SECTION]      see tests/kernels/suite.h
 *
 * Every mode and output of random clouds, a recording ($ROBOCACHE_TEST_DATA), hostile clouds and 10^8 points: each run is
 * compared with the reference's grid of the cloud in one piece, and most cut it elsewhere and read the chunks in another order.
 * --few: a tenth of the runs, and of the 10^8 points a thousandth; --small: four runs. On the CPU the 10^8 points make one grid.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "bits.h"
#include "tests/kernels/suite.h"
#include "tests/recordings.h"

#define FEWER 1000              /* than 10^8 points, with --few */
#define MAX_THREADS 16

/* A cloud on both, and its points there, where grids share them. */
typedef struct
{
  const VoxelCloud *cloud;
  void *cpu_points, *gpu_points;        /* NULL: each grid has its own */
  int runs;                     /* on each place */
} Shared;

static VoxelBits
make_once (RcBackend *backend, const VoxelCloud *cloud, const VoxelForm *form, const void *points, Test *test)
{
  VoxelGrid *grid = voxel_grid_new (backend, cloud, form, points, test);
  VoxelBits bits = { 0 };

  if (grid != NULL)
    bits = voxel_grid_run (grid, 0, test);
  voxel_grid_free (grid);
  return bits;
}

/* ---- a hundred runs ---- */

/* Runs first, first + step … of a place. */
static void
compare_runs (const VoxelBits *wanted, RcBackend *backend, const Shared *shared, const VoxelForm *form, int first, int step,
    Test *test)
{
  VoxelGrid *grid = test_holds (test) ? voxel_grid_new (backend, shared->cloud, form, shared->gpu_points, test) : NULL;
  int run;

  for (run = first; run < shared->runs && test_holds (test); run += step) {
    const VoxelBits bits = voxel_grid_run (grid, run, test);
    char what[64];

    snprintf (what, sizeof (what), "run %d, and the reference", run);
    voxel_bits_compare (&bits, wanted, what, test);
  }
  voxel_grid_free (grid);
}

static int
runs_of (const Suite *suite)
{
  return suite->small ? 4 : suite_fewer (suite, VOXEL_BITS_RUNS);
}

static void
check_form (Suite *suite, const VoxelCloud *cloud, const VoxelForm *form)
{
  const Shared shared = { cloud, NULL, NULL, runs_of (suite) };
  char name[128];
  Test test = { name, "" };
  const VoxelBits wanted = make_once (suite->reference.backend, cloud, form, NULL, &test);
  int p;

  snprintf (name, sizeof (name), "voxelbits_%s_%s", cloud->name, voxel_form_name (form));
  for (p = 0; p < suite->n_places; p++)
    compare_runs (&wanted, suite->places[p].backend, &shared, form, p, suite->n_places, &test);
  suite->cases++;
  suite_end (suite, &test);
}

static void
check_cloud (Suite *suite, const VoxelCloud *cloud)
{
  size_t i;

  for (i = 0; i < n_voxel_forms; i++) {
    if (voxel_cloud_takes (cloud, &voxel_forms[i]))
      check_form (suite, cloud, &voxel_forms[i]);
  }
}

/* In voxels of a metre, counted by another program. */
static void
check_recorded_counts (Suite *suite, VoxelCloud cloud)
{
  static const VoxelForm count = { RC_VOXEL_COUNT, RC_VOXEL_SPARSE, RC_UINT8 };
  Test test = { "voxelbits_recorded_counts", "" };
  VoxelBits bits;
  int axis;

  for (axis = 0; axis < 3; axis++) {
    cloud.origin[axis] = -256;
    cloud.grid[axis] = 512;
  }
  bits = make_once (suite->places[0].backend, &cloud, &count, NULL, &test);
  test_expect (&test, cloud.n == 119978 && bits.counters.inside == cloud.n && bits.counters.occupied == 3440, "%" PRId64
      " points, %" PRId64 " inside, %" PRId64 " voxels", cloud.n, bits.counters.inside, bits.counters.occupied);
  suite_end (suite, &test);
}

static void
check_recording (Suite *suite, VoxelCloud cloud)
{
  const char *path = recording_path ("voxelbits_recording", "cloud_119978_xyz_f32.bin");

  if (path == NULL)
    return;
  if (voxel_cloud_load (&cloud, path)) {
    check_cloud (suite, &cloud);
    check_recorded_counts (suite, cloud);
  } else {
    printf ("FAIL voxelbits_recording: %s cannot be read\n", path);
    suite->failures++;
  }
  voxel_cloud_unload (&cloud);
}

/* ---- 10^8 points ---- */

/* All forms of them, which threads take one by one. */
typedef struct
{
  Shared shared;
  pthread_mutex_t lock;
  size_t next;                  /* form */
  int failures;
} Many;

static const VoxelForm *
next_form (Many *many)
{
  const VoxelForm *form = NULL;

  pthread_mutex_lock (&many->lock);
  if (many->next < n_voxel_forms)
    form = &voxel_forms[many->next++];
  pthread_mutex_unlock (&many->lock);
  return form;
}

static void
check_many_with (const Many *many, RcBackend *cpu, RcBackend *gpu, const VoxelForm *form, Test *test)
{
  const VoxelBits wanted = make_once (cpu, many->shared.cloud, form, many->shared.cpu_points, test);

  compare_runs (&wanted, gpu, &many->shared, form, 0, 1, test);
}

static void
check_form_of_many (Many *many, const VoxelForm *form)
{
  const RcWhere here = { RC_BACKEND_CPU, 0, RC_CPU_BEST, 0 }, there = { RC_BACKEND_CUDA, 0, RC_CPU_BEST, 0 };
  RcBackend *cpu = NULL, *gpu = NULL;
  char name[128];
  Test test = { name, "" };
  RcError error;

  snprintf (name, sizeof (name), "voxelbits_many_%s", voxel_form_name (form));
  if (rc_backend_open (&here, &cpu, &error) != RC_OK || rc_backend_open (&there, &gpu, &error) != RC_OK)
    test_fail (&test, "%s", error.message);
  else
    check_many_with (many, cpu, gpu, form, &test);
  rc_backend_close (gpu);
  rc_backend_close (cpu);
  pthread_mutex_lock (&many->lock);
  many->failures += test_end (&test);
  pthread_mutex_unlock (&many->lock);
}

static void *
check_forms_of_many (void *data)
{
  const VoxelForm *form;

  while ((form = next_form (data)) != NULL)
    check_form_of_many (data, form);
  return NULL;
}

/* As many forms at a time as there are processors; the sorted ones take 4 GB each. */
static void
check_forms (Many *many)
{
  const long processors = sysconf (_SC_NPROCESSORS_ONLN);
  pthread_t threads[MAX_THREADS];
  int n = 0;

  while (n < MAX_THREADS && n + 1 < processors && pthread_create (&threads[n], NULL, check_forms_of_many, many) == 0)
    n++;
  check_forms_of_many (many);
  while (n > 0)
    pthread_join (threads[--n], NULL);
}

/* One grid of 10^8 points, which a chunk of memory after another holds. */
static void
check_many_on_the_cpu (Suite *suite, const VoxelCloud *cloud)
{
  static const VoxelForm count = { RC_VOXEL_COUNT, RC_VOXEL_DENSE, RC_UINT32 };
  const RcBackend *const best = suite->places[suite->n_places - 1].backend;
  const Shared shared = { cloud, NULL, NULL, 2 };
  Test test = { "voxelbits_many_points", "" };
  const VoxelBits wanted = make_once (suite->reference.backend, cloud, &count, NULL, &test);

  compare_runs (&wanted, (RcBackend *) best, &shared, &count, 1, 1, &test);
  suite_end (suite, &test);
}

static void
check_many (Suite *suite)
{
  RcBackend *const cpu = suite->reference.backend, *const gpu = suite->places[0].backend;
  VoxelCloud cloud = voxel_cloud_of_many;
  Many many = { {&cloud, NULL, NULL, runs_of (suite)}, PTHREAD_MUTEX_INITIALIZER, 0, 0 };
  Test test = { "voxelbits_many_points", "" };

  if (suite->few)
    cloud.n /= FEWER;
  if (!suite->is_gpu) {
    check_many_on_the_cpu (suite, &cloud);
    return;
  }
  many.shared.cpu_points = voxel_points_new (cpu, &cloud, &test);
  many.shared.gpu_points = voxel_points_new (gpu, &cloud, &test);
  suite_end (suite, &test);
  if (test_holds (&test))
    check_forms (&many);
  suite->failures += many.failures;
  rc_memory_free (gpu, RC_MEMORY_DEVICE, many.shared.gpu_points);
  rc_memory_free (cpu, RC_MEMORY_DEVICE, many.shared.cpu_points);
}

static void
check_clouds (Suite *suite)
{
  size_t i;

  for (i = 0; i < n_voxel_clouds; i++) {
    if (voxel_clouds[i].point == NULL)
      check_recording (suite, voxel_clouds[i]);
    else
      check_cloud (suite, &voxel_clouds[i]);
  }
}

int
main (int argc, char **argv)
{
  static const Section sections[] = { {"clouds", check_clouds}, {"many", check_many} };

  return suite_main ("voxel-clouds", argc, argv, sections, 2, 0, 1 << 20);
}
