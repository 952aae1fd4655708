/* robocache: what a voxel grid costs on one core
 *
 *   bench-voxels CLOUD [FOLDER]
 *
 * CLOUD: float32 x, y, z of each point. FOLDER: the dense grids of single clouds are left there, N.grid of line N. Prints a
 * line for each work, with tabs between: its name; median, p5, p95 and deviation in us of what an element does for a cloud,
 * begin to end; and whether the last grid has the bytes that the baseline's instructions make of the same clouds, added all
 * and into memory of which nothing is known. Status 1: one has others. voxels.py sets it beside other libraries.
 *
 * The cloud and its mirror image come by turns, so that hardly a voxel stays what it was. "cleared": scratch and grid are
 * cleared for each, as for a buffer that somebody has written to. "of 10 clouds": the grid of a window of the cloud as it
 * moves on, 0.4 m from one to the next, in two buffers by turns; "sliding": from the cloud that comes and the one that
 * leaves.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/voxel.h"
#include "tests/bench/common/spread.h"

#define RUNS 31                 /* odd */
#define WARM_UP 2               /* runs before these; even, so that the last run of all is of the first cloud */
#define LAST (WARM_UP + RUNS - 1)
#define SIDE 256.0              /* metres; the grid's corner is at -SIDE / 2 */
#define WINDOW 10               /* clouds */
#define MAX_HELD (WINDOW + 1)
#define N_CLOUDS (2 * WINDOW)   /* that come again and again */
#define STEP 0.4f               /* metres from one to the next */

typedef struct
{
  const char *name;
  int64_t axis;
  RcVoxelMode mode;
  RcVoxelOutput output;
  RcDtype dtype;
  int is_cleared;
  int is_window;
  int slides;
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
  {"of 10 clouds, occupancy, uint8, 256^3", 256, RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_UINT8, 0, 1},
  {"of 10 clouds, occupancy, uint8, 256^3, sliding", 256, RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_UINT8, 0, 1, 1},
  {"of 10 clouds, mean, float32, 256^3", 256, RC_VOXEL_MEAN, RC_VOXEL_DENSE, RC_FLOAT32, 0, 1},
  {"of 10 clouds, mean, float32, 256^3, sliding", 256, RC_VOXEL_MEAN, RC_VOXEL_DENSE, RC_FLOAT32, 0, 1, 1},
  {"of 10 clouds, max, float32, 128^3", 128, RC_VOXEL_MAX, RC_VOXEL_DENSE, RC_FLOAT32, 0, 1},
  {"of 10 clouds, max, float32, 128^3, sliding", 128, RC_VOXEL_MAX, RC_VOXEL_DENSE, RC_FLOAT32, 0, 1, 1},
  {"of 10 clouds, centroid, sparse, 256^3", 256, RC_VOXEL_CENTROID, RC_VOXEL_SPARSE, RC_FLOAT32, 0, 1},
  {"of 10 clouds, centroid, sparse, 256^3, sliding", 256, RC_VOXEL_CENTROID, RC_VOXEL_SPARSE, RC_FLOAT32, 0, 1, 1},
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

/* The feature is z. */
static RcVoxelSpec
spec_of (const Work *work, int64_t n)
{
  RcVoxelSpec spec = {.points = {.dtype = RC_FLOAT32,.fields = 3,.first_feature = 2,.features = 1},.mode = work->mode,
    .output = work->output,.dtype = work->dtype,.max_voxels = n,.batch = 1,.keeps = work->slides ? MAX_HELD : 0
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

static float *
move (const float *points, int64_t n, float x)
{
  float *moved = allocate ((size_t) n * 12);

  for (int64_t i = 0; i < 3 * n; i++)
    moved[i] = points[i] + (i % 3 == 0 ? x : 0.0f);
  return moved;
}

/* ---- a plan, and memory for its jobs ---- */

typedef struct
{
  const Work *work;
  RcVoxelPlan *plan;
  RcVoxelJob job;
  RcVoxelOut outs[2];           /* written by turns where there is a window */
} Grid;

static void
check (const Grid *grid, RcStatus status, const RcError *error)
{
  if (status != RC_OK)
    fail (grid->work->name, error->message);
}

static void
init_grid (Grid *grid, RcBackend *cpu, const Work *work, int64_t n)
{
  const RcVoxelSpec spec = spec_of (work, n);
  RcFootprint footprint;
  RcError error;

  memset (grid, 0, sizeof (*grid));
  grid->work = work;
  check (grid, rc_voxel_plan (cpu, &spec, &grid->plan, &footprint, &error), &error);
  grid->job.n_points = n;
  grid->job.scratch = allocate (footprint.scratch_bytes + footprint.scratch_bytes_per_point * (size_t) n);
  for (int i = 0; i < 1 + work->is_window; i++) {
    RcVoxelOut *out = &grid->outs[i];

    out->grid = out->values = allocate ((size_t) rc_voxel_value_bytes (grid->plan));
    out->n_voxels = allocate (sizeof (uint32_t));
    out->coordinates = allocate ((size_t) n * 3 * sizeof (int32_t));
    out->occupied = allocate ((size_t) rc_voxel_bitmap_bytes (grid->plan));
  }
}

static void
clear_grid (Grid *grid)
{
  rc_voxel_plan_free (grid->plan);
  free (grid->job.scratch);
  for (int i = 0; i < 1 + grid->work->is_window; i++) {
    free (grid->outs[i].grid);
    free (grid->outs[i].n_voxels);
    free (grid->outs[i].coordinates);
    free (grid->outs[i].occupied);
  }
}

typedef RcStatus (*Phase) (RcVoxelPlan * plan, const RcVoxelJob * job, const RcVoxelChunk * chunk, RcStream stream,
    RcError * error);

/* Of clouds first … first + count - 1, of those that come again and again. */
static void
run_phase (const Grid *grid, Phase phase, const float *const *clouds, int64_t n, int first, int count)
{
  RcError error;

  for (int i = first; i < first + count; i++) {
    const RcVoxelChunk chunk = {.data = clouds[i % N_CLOUDS],.n = n,.stride = 12,.layer = i % MAX_HELD };

    check (grid, phase (grid->plan, &grid->job, &chunk, NULL, &error), &error);
  }
}

/* ---- works ---- */

/* All of the clouds, in one job. */
static void
make_grid (const Grid *grid, const float *const *clouds, int64_t n, int first, int count, const RcVoxelOut *out)
{
  RcError error;

  check (grid, rc_voxel_begin (grid->plan, &grid->job, NULL, &error), &error);
  run_phase (grid, rc_voxel_range, clouds, n, first, count);
  run_phase (grid, rc_voxel_add, clouds, n, first, count);
  check (grid, rc_voxel_end (grid->plan, &grid->job, out, NULL, &error), &error);
}

static int
same_output (const Grid *grid, const RcVoxelOut *a, const RcVoxelOut *b)
{
  const size_t coordinates = (size_t) grid->job.n_points * 3 * sizeof (int32_t);

  if (memcmp (a->values, b->values, (size_t) rc_voxel_value_bytes (grid->plan)) != 0)
    return 0;
  return grid->work->output != RC_VOXEL_SPARSE
      || (*a->n_voxels == *b->n_voxels && memcmp (a->coordinates, b->coordinates, coordinates) == 0);
}

/* Whether the output is what the baseline makes anew of the same clouds. */
static int
is_as_new (const Grid *grid, const RcVoxelOut *out, const float *const *clouds, int64_t n, int first, int count)
{
  const RcWhere where = { RC_BACKEND_CPU, 0, RC_CPU_BASELINE, 0 };
  Work work = *grid->work;
  RcBackend *baseline;
  RcError error;
  Grid anew;
  int same;

  work.slides = 0;
  if (rc_backend_open (&where, &baseline, &error) != RC_OK)
    fail ("CPU", error.message);
  init_grid (&anew, baseline, &work, grid->job.n_points);
  make_grid (&anew, clouds, n, first, count, &anew.outs[0]);
  same = same_output (grid, out, &anew.outs[0]);
  clear_grid (&anew);
  rc_backend_close (baseline);
  return same;
}

static void
write_grid (const Grid *grid, const char *folder)
{
  const size_t bytes = (size_t) rc_voxel_value_bytes (grid->plan);
  char path[4096];
  FILE *file;

  snprintf (path, sizeof (path), "%s/%td.grid", folder, grid->work - works);
  file = fopen (path, "wb");
  if (file == NULL || fwrite (grid->outs[0].grid, 1, bytes, file) != bytes || fclose (file) != 0)
    fail (path, "cannot be written");
}

typedef struct
{
  BenchSpread us;
  int is_as_new;
} Result;

/* One cloud a grid; the last run is of the first cloud. */
static Result
measure (RcBackend *cpu, const Work *work, const float *const *clouds, int64_t n, const char *folder)
{
  double us[LAST + 1];
  Result result;
  Grid grid;

  init_grid (&grid, cpu, work, n);
  for (int i = 0; i <= LAST; i++) {
    const double before = now_us ();

    grid.job.is_clean = grid.outs[0].is_known = i > 0 && !work->is_cleared;
    make_grid (&grid, clouds, n, i % 2, 1, &grid.outs[0]);
    us[i] = now_us () - before;
  }
  if (folder != NULL && work->output == RC_VOXEL_DENSE)
    write_grid (&grid, folder);
  result = (Result) { bench_spread (us + WARM_UP, RUNS), is_as_new (&grid, &grid.outs[0], clouds, n, LAST % 2, 1) };
  clear_grid (&grid);
  return result;
}

/* Of the window that begins with cloud `first`; a new cloud is measured, where that must be, when it comes. */
static void
slide (Grid *grid, double ranges[N_CLOUDS], double *range, const float *const *clouds, int64_t n, int first,
    const RcVoxelOut *out)
{
  const int begins = first == 0, newest = first + WINDOW - 1;
  RcError error;

  *range = 0.0;
  for (int i = begins ? first : newest; rc_voxel_needs_range (grid->plan) && i <= newest; i++) {
    const RcVoxelChunk chunk = {.data = clouds[i % N_CLOUDS],.n = n,.stride = 12 };

    ranges[i % N_CLOUDS] = 0.0;
    check (grid, rc_voxel_measure (grid->plan, &chunk, &ranges[i % N_CLOUDS], NULL, &error), &error);
  }
  for (int i = first; i <= newest; i++)
    *range = ranges[i % N_CLOUDS] > *range ? ranges[i % N_CLOUDS] : *range;
  grid->job.goes_on = !begins;
  check (grid, rc_voxel_begin (grid->plan, &grid->job, NULL, &error), &error);
  run_phase (grid, rc_voxel_add, clouds, n, begins ? first : newest, begins ? WINDOW : 1);
  if (!begins)
    run_phase (grid, rc_voxel_remove, clouds, n, first - 1, 1);
  check (grid, rc_voxel_end (grid->plan, &grid->job, out, NULL, &error), &error);
}

static Result
measure_window (RcBackend *cpu, const Work *work, const float *const *clouds, int64_t n)
{
  double us[LAST + 1], ranges[N_CLOUDS] = { 0 }, range;
  Result result;
  Grid grid;

  init_grid (&grid, cpu, work, WINDOW * n);
  grid.job.ranges = work->slides ? &range : NULL;
  for (int i = 0; i <= LAST; i++) {
    RcVoxelOut *out = &grid.outs[i % 2];
    const double before = now_us ();

    grid.job.is_clean = i > 0;
    if (work->slides)
      slide (&grid, ranges, &range, clouds, n, i, out);
    else
      make_grid (&grid, clouds, n, i, WINDOW, out);
    out->is_known = 1;
    us[i] = now_us () - before;
  }
  result = (Result) { bench_spread (us + WARM_UP, RUNS), is_as_new (&grid, &grid.outs[LAST % 2], clouds, n, LAST, WINDOW) };
  clear_grid (&grid);
  return result;
}

int
main (int argc, char **argv)
{
  const RcWhere where = { RC_BACKEND_CPU, 0, RC_CPU_BEST, 0 };
  RcBackend *cpu;
  RcError error;
  float *clouds[2], *moving[N_CLOUDS];
  int64_t n;
  int all_as_new = 1;

  if (argc != 2 && argc != 3)
    fail ("usage", "bench-voxels CLOUD [FOLDER]");
  if (rc_backend_open (&where, &cpu, &error) != RC_OK)
    fail ("CPU", error.message);
  clouds[0] = read_cloud (argv[1], &n);
  clouds[1] = mirror (clouds[0], n);
  for (int i = 0; i < N_CLOUDS; i++)
    moving[i] = move (clouds[0], n, (float) i * STEP);
  for (size_t i = 0; i < sizeof (works) / sizeof (works[0]); i++) {
    const Result result = works[i].is_window ? measure_window (cpu, &works[i], (const float *const *) moving, n)
        : measure (cpu, &works[i], (const float *const *) clouds, n, argc == 3 ? argv[2] : NULL);

    printf ("%s\t%.1f\t%.1f\t%.1f\t%.1f\t%s\n", works[i].name, result.us.median, result.us.p5, result.us.p95,
        result.us.deviation, result.is_as_new ? "yes" : "differs from a new grid");
    all_as_new = all_as_new && result.is_as_new;
  }
  for (int i = 0; i < N_CLOUDS; i++)
    free (moving[i]);
  free (clouds[0]);
  free (clouds[1]);
  rc_backend_close (cpu);
  return all_as_new ? 0 : 1;
}
