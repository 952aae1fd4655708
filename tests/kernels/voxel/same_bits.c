/* robocache: grids of named clouds have the same bits on every instruction set, however their clouds are cut
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>

#include "tests/recordings.h"
#include "bits.h"

#define MAX_LEVELS 4
#ifdef __SANITIZE_ADDRESS__
#define SLOWNESS 10             /* so much less of everything */
#else
#define SLOWNESS 1
#endif

/* A threads of one, who does everything the other way round. */
static void
run_backwards (gpointer self, void (*work) (gpointer data, gint64 i), gpointer data, gint64 n)
{
  while (n-- > 0)
    work (data, n);
}

static const RcThreadPool backwards = { run_backwards, NULL };

/* Backends of all instruction sets that this machine has, the plainest first, and one with a thread pool. */
typedef struct
{
  RcBackend *backends[MAX_LEVELS];
  int n;
} Levels;

static Levels
open_levels (void)
{
  static const RcWhere all[MAX_LEVELS] = { {.cpu_level = RC_CPU_BASELINE}, {.cpu_level = RC_CPU_AVX2},
    {.cpu_level = RC_CPU_AVX512}, {.threads = &backwards}
  };
  Levels levels = { {NULL}, 0 };

  for (int i = 0; i < MAX_LEVELS; i++)
    levels.n += rc_backend_open (&all[i], &levels.backends[levels.n], NULL) == RC_OK;
  fail_unless (levels.n > 0);
  return levels;
}

/* Runs of a grid, of which each level does its part, and each differently cut. */
static void
check_same (const VoxelCloud *cloud, const VoxelForm *form, int runs)
{
  Levels levels = open_levels ();
  VoxelGrid *grids[MAX_LEVELS];
  Test test = { cloud->name, "" };
  VoxelBits first = { 0 };

  for (int i = 0; i < levels.n; i++)
    grids[i] = voxel_grid_new (levels.backends[i], cloud, form, NULL, &test);
  for (int run = 0; run < runs && test_holds (&test); run++) {
    const VoxelBits bits = voxel_grid_run (grids[run % levels.n], run, &test);

    if (run == 0)
      first = bits;
    voxel_bits_compare (&bits, &first, "another cut or instruction set", &test);
  }
  fail_unless (test_holds (&test), "%s, %s: %s", cloud->name, voxel_form_name (form), test.why);
  for (int i = 0; i < levels.n; i++) {
    voxel_grid_free (grids[i]);
    rc_backend_close (levels.backends[i]);
  }
}

GST_START_TEST (test_same_bits)
{
  VoxelCloud cloud = voxel_clouds[__i__ / n_voxel_forms];
  const VoxelForm *form = &voxel_forms[__i__ % n_voxel_forms];
  const char *path = cloud.point ? NULL : recording_path ("same_bits_of_a_recording", "cloud_119978_xyz_f32.bin");

  if (cloud.point == NULL && path == NULL)
    return;
  fail_unless (path == NULL || voxel_cloud_load (&cloud, path), "%s", path);
  if (voxel_cloud_takes (&cloud, form))
    check_same (&cloud, form, VOXEL_BITS_RUNS / SLOWNESS);
  voxel_cloud_unload (&cloud);
}

GST_END_TEST;

GST_START_TEST (test_same_bits_of_many)
{
  static const VoxelForm count = { RC_VOXEL_COUNT, RC_VOXEL_DENSE, RC_UINT32 };
  VoxelCloud cloud = voxel_cloud_of_many;

  cloud.n /= SLOWNESS;
  check_same (&cloud, &count, 2);
}

GST_END_TEST;

static Suite *
voxel_same_bits_suite (void)
{
  Suite *suite = suite_create ("voxel kernels: the same bits");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_loop_test (tc, test_same_bits, 0, (int) (n_voxel_clouds * n_voxel_forms));
  tcase_add_test (tc, test_same_bits_of_many);
  return suite;
}

GST_CHECK_MAIN (voxel_same_bits);
