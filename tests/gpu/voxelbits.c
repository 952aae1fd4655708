/* robocache: grids of named clouds have the same bits on the GPU as on the CPU, in a hundred runs
 *
 *   voxelbits [--few | --small] [--only CLOUD]
 *
 * Every mode and output of random clouds, a recording ($ROBOCACHE_TEST_DATA) and hostile clouds: the first run is
 * compared with the CPU's, and the others, in which chunks are cut elsewhere and come in another order, with the
 * first. --few: a tenth of the runs, and no cloud of 10^8 points; --small: two runs. Ends within a minute on an H200.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "tests/kernels/voxel_bits.h"
#include "tests/recordings.h"

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
  const int runs = suite->small ? 2 : suite->few ? VOXEL_BITS_RUNS / 10 : VOXEL_BITS_RUNS;
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

/* What the CPU makes of them, form by form, each in a thread of its own. */
typedef struct
{
  pthread_t thread;
  const VoxelForm *form;
  char name[128];
  Test test;
  VoxelBits bits;
} OnCpu;

static void *
make_on_cpu (void *data)
{
  const RcWhere here = { RC_BACKEND_CPU, 0, RC_CPU_BEST, 0 };
  OnCpu *work = data;
  RcBackend *cpu;
  RcError error;

  if (rc_backend_open (&here, &cpu, &error) != RC_OK) {
    test_fail (&work->test, "CPU: %s", error.message);
    return NULL;
  }
  work->bits = make_once (cpu, &voxel_cloud_of_many, work->form, 0, &work->test);
  rc_backend_close (cpu);
  return NULL;
}

/* Sparse ones and ranks sort all points, in gigabytes: two of the former are enough. */
static int
is_for_many (const VoxelForm *form)
{
  if (form->output == RC_VOXEL_SPARSE)
    return form->mode == RC_VOXEL_COUNT || form->mode == RC_VOXEL_MEAN;
  return form->output != RC_VOXEL_RANK;
}

static void
check_many (Suite *suite)
{
  OnCpu works[32];
  size_t n = 0, i;

  for (i = 0; i < n_voxel_forms && n < sizeof (works) / sizeof (works[0]); i++) {
    OnCpu *work = &works[n];

    if (!is_for_many (&voxel_forms[i]))
      continue;
    memset (work, 0, sizeof (*work));
    work->form = &voxel_forms[i];
    snprintf (work->name, sizeof (work->name), "voxelbits_many_%s", voxel_form_name (work->form));
    work->test.name = work->name;
    if (pthread_create (&work->thread, NULL, make_on_cpu, work) != 0) {
      printf ("FAIL %s: no thread\n", work->name);
      suite->failures++;
    } else {
      n++;
    }
  }
  for (i = 0; i < n; i++) {
    Test test = { works[i].name, "" };
    const VoxelBits bits = make_once (suite->gpu, &voxel_cloud_of_many, works[i].form, 1, &test);

    pthread_join (works[i].thread, NULL);
    test_expect (&works[i].test, test_holds (&test), "GPU: %s", test.why);
    voxel_bits_compare (&bits, &works[i].bits, "GPU and CPU", &works[i].test);
    suite->failures += test_end (&works[i].test);
  }
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
