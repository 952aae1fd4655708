/* robocache: sums over what the CPU backend makes of the same input on any machine
 *
 * bits [baseline]: a line a case, for another machine's to be compared with: of rows of random bits in every dtype, to every
 * dtype, by every interpolation, and of clouds in every mode. C alone, so that a cross compiler is enough. Without
 * baseline the best instruction set that the machine has.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/align.h"
#include "kernels/voxel.h"

#define BATCH 2
#define ROWS 60
#define TICKS 45
#define CHANNELS 21
#define MS INT64_C (1000000)

#define POINTS 1500
#define FIELDS 5
#define AXIS 12
#define MAX_VOXELS 1000

static void __attribute__ ((noreturn))
fail (const char *what, const RcError *error)
{
  fprintf (stderr, "bits: %s: %s\n", what, error->message);
  exit (1);
}

static uint32_t
draw (void)
{
  static uint64_t state = 1;

  state = state * UINT64_C (6364136223846793005) + UINT64_C (1442695040888963407);
  return (uint32_t) (state >> 32);
}

/* FNV-1a */
static uint64_t
sum (uint64_t before, const void *data, size_t bytes)
{
  size_t i;

  for (i = 0; i < bytes; i++)
    before = (before ^ ((const uint8_t *) data)[i]) * UINT64_C (0x100000001b3);
  return before;
}

/* ---- alignments ---- */

static uint8_t rows[BATCH * ROWS * CHANNELS * 8];
static int64_t times[BATCH][ROWS], ticks[BATCH][TICKS];

/* Spacings of up to 16 ms, equal ones among them, and a hole; ticks in order and a few that are not. */
static void
fill_episodes (void)
{
  int e, i;

  for (i = 0; i < (int) sizeof (rows); i++)
    rows[i] = (uint8_t) draw ();
  for (e = 0; e < BATCH; e++) {
    for (i = 0; i < ROWS; i++)
      times[e][i] = i == 0 ? 0 : times[e][i - 1] + (draw () % 5 ? draw () % (16 * MS) : 0) + (i == 30 ? 90 * MS : 0);
    for (i = 0; i < TICKS; i++)
      ticks[e][i] = i % 9 == 5 ? times[e][draw () % ROWS] : (i - 3) * 16 * MS;
  }
}

static void
align (RcBackend *cpu, RcDtype in, RcDtype out, RcInterpolation interpolation)
{
  static const int32_t quaternions[] = { 4 }, angles[] = { 9, 10, 12 }, velocities[] = { 13, 14, 15, 15 };
  static uint8_t made[BATCH * TICKS * CHANNELS * 8], status[BATCH * TICKS];
  const int64_t in_row = CHANNELS * (int64_t) rc_dtype_size (in), out_row = CHANNELS * (int64_t) rc_dtype_size (out);
  const RcAlignStreamSpec stream = {.in = in,.out = out,.channels = CHANNELS,
    .search = {interpolation, 40 * MS, 30 * MS, 20 * MS},.quaternions = quaternions,.n_quaternions = 1,.angles = angles,
    .n_angles = 3,.velocities = velocities,.n_velocities = interpolation == RC_HERMITE ? 4 : 0
  };
  const RcAlignSpec spec = { &stream, 1 };
  RcAlignCounters counters = { 0 };
  const RcAlignStreamArgs args = {.rows = rows,.n_rows = ROWS,.row_stride = in_row,.batch_stride = ROWS * in_row,
    .times = times[0],.times_batch_stride = sizeof (times[0]),.out = made,.out_row_stride = out_row,
    .out_batch_stride = TICKS * out_row,.status = status,.status_batch_stride = TICKS,.counters = &counters
  };
  const RcAlignArgs run = {.streams = &args,.batch = BATCH,.ticks = TICKS,.tick_times = ticks[0],
    .tick_times_batch_stride = sizeof (ticks[0])
  };
  RcAlignPlan *plan;
  RcError error;
  uint64_t all;

  if (rc_align_plan (cpu, &spec, &plan, NULL, &error) != RC_OK || rc_align_run (plan, &run, NULL, &error) != RC_OK)
    fail ("alignment", &error);
  all = sum (sum (sum (1, made, (size_t) (BATCH * TICKS * out_row)), status, sizeof (status)), &counters, sizeof (counters));
  printf ("%s to %s, interpolation %d: %016" PRIx64 "\n", rc_dtype_name (in), rc_dtype_name (out), (int) interpolation, all);
  rc_align_plan_free (plan);
}

/* ---- voxel grids ---- */

static float points[POINTS][FIELDS];

/* In the grid and a little beyond, with features of many magnitudes, and a few that are no numbers. */
static void
fill_points (void)
{
  static const uint32_t special[] = { 0x7f800000u, 0xff800000u, 0x7fc12345u };
  int i, f;

  for (i = 0; i < POINTS; i++) {
    const uint32_t magnitude = draw () % 20, which = draw () % FIELDS;

    for (f = 0; f < FIELDS; f++)
      points[i][f] = (float) draw () * 0x1p-32f * 1.1f * (f < 3 ? 1.0f : (float) (1 << magnitude));
    if (i % 97 == 3)
      memcpy (&points[i][which], &special[i % 3], 4);
  }
}

static void
voxelize (RcBackend *cpu, RcVoxelMode mode, RcVoxelOutput output, RcDtype dtype)
{
  static uint32_t n_voxels, counts[MAX_VOXELS];
  static int32_t coordinates[MAX_VOXELS * 3];
  static uint8_t values[AXIS * AXIS * AXIS * 4 * 8 * 2];
  RcVoxelSpec spec = {.points = {.dtype = RC_FLOAT32,.fields = FIELDS,.first_feature = 3,.features = 2},.mode = mode,
    .output = output,.dtype = dtype,.max_voxels = MAX_VOXELS,.max_points = 3,.batch = 1
  };
  RcVoxelCounters counters = { 0 };
  const RcVoxelChunk chunk = {.data = points,.n = POINTS,.stride = sizeof (points[0]),.counters = &counters };
  const RcVoxelOut out = {.grid = values,.n_voxels = &n_voxels,.coordinates = coordinates,.values = values,
    .point_counts = mode == RC_VOXEL_FIRST ? counts : NULL,.counters = &counters
  };
  RcVoxelJob job = {.n_points = POINTS };
  RcFootprint footprint;
  RcVoxelPlan *plan;
  RcError error;
  uint64_t all;
  int k;

  for (k = 0; k < 3; k++) {
    spec.voxel_size[k] = 1.0 / AXIS;
    spec.grid[k] = AXIS;
  }
  if (rc_voxel_plan (cpu, &spec, &plan, &footprint, &error) != RC_OK)
    fail ("voxel grid", &error);
  job.scratch = aligned_alloc (256, (footprint.scratch_bytes + footprint.scratch_bytes_per_point * POINTS + 511) / 256 * 256);
  n_voxels = 0;
  memset (counts, 0, sizeof (counts));
  memset (coordinates, 0, sizeof (coordinates));
  memset (values, 0, sizeof (values));
  if (rc_voxel_begin (plan, &job, NULL, &error) != RC_OK || rc_voxel_range (plan, &job, &chunk, NULL, &error) != RC_OK
      || rc_voxel_add (plan, &job, &chunk, NULL, &error) != RC_OK || rc_voxel_end (plan, &job, &out, NULL, &error) != RC_OK)
    fail ("voxel grid", &error);
  all = sum (1, values, sizeof (values));
  all = sum (all, coordinates, sizeof (coordinates));
  all = sum (all, counts, sizeof (counts));
  all = sum (all, &n_voxels, sizeof (n_voxels));
  all = sum (all, &counters, sizeof (counters));
  printf ("mode %d, output %d, %s: %016" PRIx64 "\n", (int) mode, (int) output, rc_dtype_name (dtype), all);
  free (job.scratch);
  rc_voxel_plan_free (plan);
}

int
main (int argc, char **argv)
{
  const RcWhere where = {.kind = RC_BACKEND_CPU,.cpu_level = argc > 1 && strcmp (argv[1], "baseline") == 0
        ? RC_CPU_BASELINE : RC_CPU_BEST
  };
  RcBackend *cpu;
  RcError error;
  int i, k, mode;

  if (rc_backend_open (&where, &cpu, &error) != RC_OK)
    fail ("CPU", &error);
  fill_episodes ();
  for (i = 0; i < RC_N_DTYPES; i++) {
    for (k = 0; k < RC_N_DTYPES; k++) {
      for (mode = RC_LINEAR; mode <= RC_MEAN; mode++)
        align (cpu, (RcDtype) i, (RcDtype) k, (RcInterpolation) mode);
    }
  }
  fill_points ();
  for (mode = RC_VOXEL_OCCUPANCY; mode <= RC_VOXEL_MIN; mode++) {
    voxelize (cpu, (RcVoxelMode) mode, RC_VOXEL_DENSE, RC_FLOAT32);
    voxelize (cpu, (RcVoxelMode) mode, RC_VOXEL_SPARSE, RC_FLOAT16);
  }
  voxelize (cpu, RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, RC_UINT8);
  voxelize (cpu, RC_VOXEL_FIRST, RC_VOXEL_SPARSE, RC_FLOAT32);
  rc_backend_close (cpu);
  return 0;
}
