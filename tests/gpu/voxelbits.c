/* robocache: grids of named clouds have the same bits on the GPU as on the CPU, in a hundred runs
 *
 *   voxelbits [--few | --small] [--only CLOUD]
 *
 * Every mode and output of random clouds, a recording ($ROBOCACHE_TEST_DATA), hostile clouds and 10^8 points: each run is
 * compared with what the CPU makes of the cloud in one piece, and most cut it elsewhere and take the chunks in another
 * order. --few: a tenth of the runs, and of the 10^8 points a thousandth; --small: four runs. Ends within a minute on an
 * H200.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/kernels/voxel/bits.h"
#include "tests/recordings.h"

#define FEWER 1000              /* than 10^8 points, with --few */
#define MAX_THREADS 16

typedef struct
{
  RcBackend *gpu, *cpu;
  int few, small;
  const char *only;             /* NULL: all clouds */
  int failures;
} Suite;

static int
is_wanted (const Suite *suite, const VoxelCloud *cloud)
{
  return suite->only == NULL || strcmp (suite->only, cloud->name) == 0;
}

/* A cloud on both, and its points there, where grids share them. */
typedef struct
{
  const VoxelCloud *cloud;
  void *cpu_points, *gpu_points;        /* NULL: each grid has its own */
  int runs;                     /* on the GPU */
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

static void
compare_runs (RcBackend *cpu, RcBackend *gpu, const Shared *shared, const VoxelForm *form, Test *test)
{
  const VoxelBits wanted = make_once (cpu, shared->cloud, form, shared->cpu_points, test);
  VoxelGrid *grid = test_holds (test) ? voxel_grid_new (gpu, shared->cloud, form, shared->gpu_points, test) : NULL;
  int run;

  for (run = 0; run < shared->runs && test_holds (test); run++) {
    const VoxelBits bits = voxel_grid_run (grid, run, test);
    char what[64];

    snprintf (what, sizeof (what), "run %d on the GPU, and the CPU", run);
    voxel_bits_compare (&bits, &wanted, what, test);
  }
  voxel_grid_free (grid);
}

static int
runs_of (const Suite *suite)
{
  return suite->small ? 4 : suite->few ? VOXEL_BITS_RUNS / 10 : VOXEL_BITS_RUNS;
}

static void
check_form (Suite *suite, const VoxelCloud *cloud, const VoxelForm *form)
{
  const Shared shared = { cloud, NULL, NULL, runs_of (suite) };
  char name[128];
  Test test = { name, "" };

  snprintf (name, sizeof (name), "voxelbits_%s_%s", cloud->name, voxel_form_name (form));
  compare_runs (suite->cpu, suite->gpu, &shared, form, &test);
  suite->failures += test_end (&test);
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

static void
check_recording (Suite *suite, VoxelCloud cloud)
{
  const char *path = recording_path ("voxelbits_recording", "cloud_119978_xyz_f32.bin");

  if (path == NULL)
    return;
  if (voxel_cloud_load (&cloud, path)) {
    check_cloud (suite, &cloud);
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
    compare_runs (cpu, gpu, &many->shared, form, &test);
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

static void
check_many (Suite *suite)
{
  VoxelCloud cloud = voxel_cloud_of_many;
  Many many = { {&cloud, NULL, NULL, runs_of (suite)}, PTHREAD_MUTEX_INITIALIZER, 0, 0 };
  Test test = { "voxelbits_many_points", "" };

  if (suite->few)
    cloud.n /= FEWER;
  many.shared.cpu_points = voxel_points_new (suite->cpu, &cloud, &test);
  many.shared.gpu_points = voxel_points_new (suite->gpu, &cloud, &test);
  suite->failures += test_end (&test);
  if (test_holds (&test))
    check_forms (&many);
  suite->failures += many.failures;
  rc_memory_free (suite->gpu, RC_MEMORY_DEVICE, many.shared.gpu_points);
  rc_memory_free (suite->cpu, RC_MEMORY_DEVICE, many.shared.cpu_points);
}

int
main (int argc, char **argv)
{
  const RcWhere there = { RC_BACKEND_CUDA, 0, RC_CPU_BEST, 0 };
  const RcWhere here = { RC_BACKEND_CPU, 0, RC_CPU_BEST, 0 };
  Suite suite = { NULL };
  RcError error;
  size_t i;
  int arg;

  for (arg = 1; arg < argc; arg++) {
    suite.small |= strcmp (argv[arg], "--small") == 0;
    suite.few |= suite.small || strcmp (argv[arg], "--few") == 0;
    if (strcmp (argv[arg], "--only") == 0 && arg + 1 < argc)
      suite.only = argv[++arg];
  }
  if (rc_backend_open (&here, &suite.cpu, &error) != RC_OK) {
    printf ("FAIL voxelbits_open_cpu: %s\n", error.message);
    return 1;
  }
  if (rc_backend_open (&there, &suite.gpu, &error) != RC_OK) {
    test_skip ("voxelbits_gpu", error.message);
    rc_backend_close (suite.cpu);
    return error.status == RC_NO_DEVICE ? 0 : 1;
  }
  for (i = 0; i < n_voxel_clouds; i++) {
    if (!is_wanted (&suite, &voxel_clouds[i]))
      continue;
    if (voxel_clouds[i].point == NULL)
      check_recording (&suite, voxel_clouds[i]);
    else
      check_cloud (&suite, &voxel_clouds[i]);
  }
  if (is_wanted (&suite, &voxel_cloud_of_many))
    check_many (&suite);
  rc_backend_close (suite.gpu);
  rc_backend_close (suite.cpu);
  return suite.failures != 0;
}
