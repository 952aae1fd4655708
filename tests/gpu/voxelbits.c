/* robocache: grids of named clouds have the same bits on the GPU as on the CPU, in a hundred runs
 *
 *   voxelbits [--few | --small] [--only CLOUD]
 *
 * Every mode and output of random clouds, a recording ($ROBOCACHE_TEST_DATA) and hostile clouds: the first run is
 * compared with the CPU's, and the others, in which chunks are cut elsewhere and come in another order, with the
 * first. --few: a tenth of the runs, and no cloud of 10^8 points; --small: four runs. Ends within a minute on an H200.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/kernels/voxel_bits.h"
#include "tests/recordings.h"

#define MANY_RUNS 3             /* of 10^8 points, which the host makes anew for each */
#define MOST_THREADS 16

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

static VoxelBits
make_once (RcBackend *backend, const VoxelCloud *cloud, const VoxelForm *form, int run, Test *test)
{
  VoxelGrid *grid = voxel_grid_new (backend, cloud, form, test);
  VoxelBits bits = { 0 };

  if (grid != NULL)
    bits = voxel_grid_run (grid, run, test);
  voxel_grid_free (grid);
  return bits;
}

/* ---- a hundred runs ---- */

static void
check_form (Suite *suite, const VoxelCloud *cloud, const VoxelForm *form)
{
  const int runs = suite->small ? 4 : suite->few ? VOXEL_BITS_RUNS / 10 : VOXEL_BITS_RUNS;
  char name[128];
  Test test = { name, "" };
  const VoxelBits wanted = make_once (suite->cpu, cloud, form, 0, &test);
  VoxelGrid *grid = voxel_grid_new (suite->gpu, cloud, form, &test);
  int run;

  snprintf (name, sizeof (name), "voxelbits_%s_%s", cloud->name, voxel_form_name (form));
  for (run = 0; run < runs && test_holds (&test); run++) {
    const VoxelBits bits = voxel_grid_run (grid, run, &test);
    char what[64];

    snprintf (what, sizeof (what), "run %d on the GPU, and the CPU", run);
    voxel_bits_compare (&bits, &wanted, what, &test);
  }
  voxel_grid_free (grid);
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

/* All forms of them, which threads take one by one; the points are made anew for each. */
typedef struct
{
  pthread_mutex_t lock;
  size_t next;                  /* form */
  int failures;
} Many;

static void
compare_many (RcBackend *cpu, RcBackend *gpu, const VoxelForm *form, Test *test)
{
  const VoxelBits wanted = make_once (cpu, &voxel_cloud_of_many, form, 0, test);
  VoxelGrid *grid = test_holds (test) ? voxel_grid_new (gpu, &voxel_cloud_of_many, form, test) : NULL;
  int run;

  for (run = 1; run <= MANY_RUNS && test_holds (test); run++) {
    const VoxelBits bits = voxel_grid_run (grid, run, test);
    char what[64];

    snprintf (what, sizeof (what), "run %d on the GPU, and the CPU", run);
    voxel_bits_compare (&bits, &wanted, what, test);
  }
  voxel_grid_free (grid);
}

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
    compare_many (cpu, gpu, form, &test);
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
check_many (Suite *suite)
{
  Many many = { PTHREAD_MUTEX_INITIALIZER, 0, 0 };
  const long processors = sysconf (_SC_NPROCESSORS_ONLN);
  pthread_t threads[MOST_THREADS];
  int n = 0;

  while (n < MOST_THREADS && n + 1 < processors && pthread_create (&threads[n], NULL, check_forms_of_many, &many) == 0)
    n++;
  check_forms_of_many (&many);
  while (n > 0)
    pthread_join (threads[--n], NULL);
  suite->failures += many.failures;
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
  if (is_wanted (&suite, &voxel_cloud_of_many) && !suite.few)
    check_many (&suite);
  rc_backend_close (suite.gpu);
  rc_backend_close (suite.cpu);
  return suite.failures != 0;
}
