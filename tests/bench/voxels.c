/* robocache: what a voxel grid costs on one core
 *
 *   bench-voxels CLOUD
 *
 * CLOUD: float32 x, y, z of each point. Prints a line for each work, its name and the median in us of what an element
 * does for a cloud, begin to end, separated by a tab. voxels.py sets it beside other libraries. The cloud and its mirror
 * image come by turns, so that hardly a voxel stays what it was. "cleared": scratch and grid are cleared for each, as for
 * a buffer that somebody has written to.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/voxel.h"

#define RUNS 31
#define SIDE 256.0              /* metres; the grid's corner is at -SIDE / 2 */

typedef struct
{
  const char *name;
  int64_t axis;
  RcVoxelMode mode;
  RcVoxelOutput output;
  RcDtype dtype;
  int is_cleared;
} Work;

static const Work works[] = {
  {"occupancy, uint8, 64^3", 64, RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_UINT8},
  {"occupancy, uint8, 64^3, cleared", 64, RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_UINT8, 1},
  {"occupancy, uint8, 256^3", 256, RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_UINT8},
  {"occupancy, uint8, 256^3, cleared", 256, RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_UINT8, 1},
  {"occupancy, float32, 256^3", 256, RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_FLOAT32},
  {"occupancy, float32, 256^3, cleared", 256, RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_FLOAT32, 1},
  {"occupancy, bits, 256^3", 256, RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, RC_UINT8},
  {"count, uint32, 64^3", 64, RC_VOXEL_COUNT, RC_VOXEL_DENSE, RC_UINT32},
  {"count, uint32, 64^3, cleared", 64, RC_VOXEL_COUNT, RC_VOXEL_DENSE, RC_UINT32, 1},
  {"count, uint32, 256^3", 256, RC_VOXEL_COUNT, RC_VOXEL_DENSE, RC_UINT32},
  {"count, uint32, 256^3, cleared", 256, RC_VOXEL_COUNT, RC_VOXEL_DENSE, RC_UINT32, 1},
  {"centroid, float32, 256^3", 256, RC_VOXEL_CENTROID, RC_VOXEL_DENSE, RC_FLOAT32},
  {"centroid, float32, 256^3, cleared", 256, RC_VOXEL_CENTROID, RC_VOXEL_DENSE, RC_FLOAT32, 1},
  {"centroid, sparse, 64^3", 64, RC_VOXEL_CENTROID, RC_VOXEL_SPARSE, RC_FLOAT32},
  {"centroid, sparse, 256^3", 256, RC_VOXEL_CENTROID, RC_VOXEL_SPARSE, RC_FLOAT32},
};

static void __attribute__ ((noreturn))
fail (const char *what, const char *why)
{
  fprintf (stderr, "bench-voxels: %s: %s\n", what, why);
  exit (1);
}

static void *
allocate (size_t bytes)
{
  void *memory = aligned_alloc (256, (bytes + 256) / 256 * 256);

  if (memory == NULL)
    fail ("allocate", "no memory");
  return memory;
}

static float *
read_cloud (const char *path, int64_t *n)
{
  FILE *file = fopen (path, "rb");
  long bytes;
  float *points;

  if (file == NULL || fseek (file, 0, SEEK_END) != 0 || (bytes = ftell (file)) < 0)
    fail (path, "cannot be read");
  rewind (file);
  *n = bytes / 12;
  points = allocate ((size_t) bytes);
  if (fread (points, 12, (size_t) *n, file) != (size_t) *n)
    fail (path, "cannot be read");
  fclose (file);
  return points;
}

static double
now_us (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec * 1e6 + (double) t.tv_nsec / 1e3;
}

static int
compare (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static RcVoxelSpec
spec_of (const Work *work, int64_t n)
{
  RcVoxelSpec spec = {.points = {.dtype = RC_FLOAT32,.fields = 3},.mode = work->mode,.output = work->output,
    .dtype = work->dtype,.max_voxels = n,.batch = 1
  };

  for (int k = 0; k < 3; k++) {
    spec.origin[k] = -SIDE / 2;
    spec.voxel_size[k] = SIDE / (double) work->axis;
    spec.grid[k] = work->axis;
  }
  return spec;
}

static float *
mirror (const float *points, int64_t n)
{
  float *mirrored = allocate ((size_t) n * 12);

  for (int64_t i = 0; i < 3 * n; i++)
    mirrored[i] = -points[i];
  return mirrored;
}

static double
measure (RcBackend *cpu, const Work *work, const float *const clouds[2], int64_t n)
{
  const RcVoxelSpec spec = spec_of (work, n);
  RcVoxelChunk chunk = {.n = n,.stride = 12 };
  double us[RUNS];
  RcFootprint footprint;
  RcVoxelPlan *plan;
  RcVoxelJob job = {.n_points = n };
  RcVoxelOut out = { NULL };
  RcError error;

  if (rc_voxel_plan (cpu, &spec, &plan, &footprint, &error) != RC_OK)
    fail (work->name, error.message);
  job.scratch = allocate (footprint.scratch_bytes + footprint.scratch_bytes_per_point * (size_t) n);
  out.grid = out.values = allocate ((size_t) rc_voxel_value_bytes (plan));
  out.n_voxels = allocate (sizeof (uint32_t));
  out.coordinates = allocate ((size_t) n * 3 * sizeof (int32_t));
  out.occupied = allocate ((size_t) rc_voxel_bitmap_bytes (plan));
  for (int i = 0; i < RUNS; i++) {
    const double before = now_us ();

    chunk.data = clouds[i % 2];
    job.is_clean = out.is_known = i > 0 && !work->is_cleared;
    if (rc_voxel_begin (plan, &job, NULL, &error) != RC_OK || rc_voxel_range (plan, &job, &chunk, NULL, &error) != RC_OK
        || rc_voxel_add (plan, &job, &chunk, NULL, &error) != RC_OK
        || rc_voxel_end (plan, &job, &out, NULL, &error) != RC_OK)
      fail (work->name, error.message);
    us[i] = now_us () - before;
  }
  rc_voxel_plan_free (plan);
  free (job.scratch);
  free (out.grid);
  free (out.n_voxels);
  free (out.coordinates);
  free (out.occupied);
  qsort (us, RUNS, sizeof (us[0]), compare);
  return us[RUNS / 2];
}

int
main (int argc, char **argv)
{
  const RcWhere where = { RC_BACKEND_CPU, 0, RC_CPU_BEST, 0 };
  RcBackend *cpu;
  RcError error;
  float *clouds[2];
  int64_t n;

  if (argc != 2)
    fail ("usage", "bench-voxels CLOUD");
  if (rc_backend_open (&where, &cpu, &error) != RC_OK)
    fail ("CPU", error.message);
  clouds[0] = read_cloud (argv[1], &n);
  clouds[1] = mirror (clouds[0], n);
  for (size_t i = 0; i < sizeof (works) / sizeof (works[0]); i++)
    printf ("%s\t%.1f\n", works[i].name, measure (cpu, &works[i], (const float *const *) clouds, n));
  free (clouds[0]);
  free (clouds[1]);
  rc_backend_close (cpu);
  return 0;
}
