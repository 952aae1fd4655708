/* robocache: grids of named clouds have the same bits on every backend, in a hundred runs that cut them differently
 *
 *   voxel-clouds [--gpu] [--few | --small] [--only SECTION]      see tests/kernels/suite.h
 *
 * Every mode and output of random clouds, a recording ($ROBOCACHE_TEST_DATA), hostile clouds and 10^8 points; on the CPU and with
 * --few of these fewer. --small: four runs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <inttypes.h>
#include <stdlib.h>

#include "case.h"
#include "clouds.h"
#include "tests/kernels/random.h"
#include "tests/recordings.h"

#define RUNS 100
#define POINT_BYTES ((int64_t) (CLOUD_FIELDS * sizeof (float)))
#define ARENA_BYTES ((size_t) 2200 << 20)       /* 10^8 points and their voxels */
#define N_SHARES 4              /* of the forms of 10^8 points, for processes side by side */

static int
runs_of (const Suite *suite)
{
  return suite->small ? 4 : suite_fewer (suite, RUNS);
}

/* The whole cloud as one chunk. */
static int
make_case (VoxelCase *c, const Suite *suite, const VoxelCloud *cloud, const VoxelForm *form, Test *test)
{
  const int64_t item_bytes = cloud->n * POINT_BYTES;
  float *points;

  memset (c, 0, sizeof (*c));
  arena_clear (suite->arena);
  c->spec = voxel_cloud_spec (cloud, form);
  c->job.n_points = cloud->n;
  c->n_chunks = 1;
  points = arena_take (suite->arena, "points", cloud->batch * item_bytes + 1, 0);
  test_expect (test, points != NULL, "the arena is too small");
  if (points == NULL)
    return 0;
  voxel_cloud_fill (cloud, 0, cloud->batch * cloud->n, points);
  arena_compare_from_here (suite->arena);
  c->chunks[0] = (RcVoxelChunk) {.data = points,.n = cloud->n,.stride = POINT_BYTES,.batch_stride = item_bytes,
    .counters = arena_take (suite->arena, "counters of add", sizeof (RcVoxelCounters), 0)
  };
  memset (c->chunks[0].counters, 0, sizeof (RcVoxelCounters));
  return voxel_case_take_outputs (c, suite, 1, test);
}

static int
compare_cuts (const void *a, const void *b)
{
  const int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;

  return (x > y) - (x < y);
}

static void
shuffle (int *order, int n, int is_ordered, uint64_t *random)
{
  for (int k = 0; k < n; k++) {
    const int other = is_ordered ? k : (int) random_between (random, 0, k);

    order[k] = order[other];
    order[other] = k;
  }
}

/* Chunks of the cloud whose points are at data. Run 0 and odd ones are whole; others are cut anywhere, and range and add read the
 * chunks in different orders unless the output has that of arrival. */
static void
cut (VoxelCase *c, PlacedVoxels *placed, const RcVoxelChunk *whole, int run)
{
  const int is_ordered = rc_voxel_maps_points (c->spec.output) || c->spec.mode == RC_VOXEL_FIRST;
  uint64_t random = (uint64_t) run;
  int64_t cuts[CASE_CHUNKS + 1] = { 0 };

  c->seed = (uint64_t) run;
  c->n_chunks = run % 2 ? 1 : 1 + run / 2 % CASE_CHUNKS;
  c->halves = run % 3 == 1;
  for (int k = 1; k < c->n_chunks; k++)
    cuts[k] = random_between (&random, 0, whole->n);
  cuts[c->n_chunks] = whole->n;
  qsort (cuts, (size_t) c->n_chunks + 1, sizeof (cuts[0]), compare_cuts);
  shuffle (c->range_order, c->n_chunks, is_ordered, &random);
  shuffle (c->add_order, c->n_chunks, is_ordered, &random);
  for (int k = 0; k < c->n_chunks; k++) {
    placed->chunks[k] = *whole;
    placed->chunks[k].n = cuts[k + 1] - cuts[k];
    placed->chunks[k].data = (const char *) whole->data + cuts[k] * POINT_BYTES;
  }
}

/* What the last run wrote does not help the next one. */
static void
soil (const PlacedVoxels *placed, Arena *arena, const VoxelCase *c, Test *test)
{
  static uint8_t dirt[1 << 16], none[sizeof (RcVoxelCounters)];
  const void *const outputs[] = { c->out.grid, c->out.n_voxels, c->out.coordinates, c->out.values, c->out.point_counts,
    c->out.occupied, c->job.point_voxels
  };

  memset (dirt, 0xA5, sizeof (dirt));
  for (size_t i = 0; i < COUNT (outputs); i++) {
    const int64_t bytes = arena_bytes (arena, outputs[i]);
    uint8_t *there = arena_there (arena, placed->place, outputs[i]);

    for (int64_t at = 0; at < bytes; at += (int64_t) sizeof (dirt))
      place_copy (placed->place, there + at, dirt, bytes - at < (int64_t) sizeof (dirt) ? (uint64_t) (bytes - at) : sizeof (dirt),
          test);
  }
  place_copy (placed->place, placed->out.counters, none, sizeof (none), test);
  place_copy (placed->place, placed->chunks[0].counters, none, sizeof (none), test);
}

static void
check_runs (Suite *suite, VoxelCase *c, PlacedCase *all, Test *test)
{
  RcVoxelChunk whole[MAX_PLACES];

  for (int p = 0; p < all->n; p++)
    whole[p] = all->placed[p].chunks[0];
  voxel_case_expect (c, suite, all->has_oracle, test);
  for (int run = 0; run < runs_of (suite) && test_holds (test); run++) {
    const int p = run == 1 ? all->n - 1 : run % suite->n_places;

    cut (c, &all->placed[p], &whole[p], run);
    if (voxels_enqueue (c, &all->placed[p], test))
      voxels_compare (c, suite->arena, &all->placed[p], test);
    soil (&all->placed[p], suite->arena, c, test);
  }
}

static void
check_form (Suite *suite, const VoxelCloud *cloud, const VoxelForm *form)
{
  Test test = test_begin ("voxelbits_%s_%s", cloud->name, voxel_form_name (form));
  PlacedCase all = { .n = 0 };
  VoxelCase c;

  if (make_case (&c, suite, cloud, form, &test) && voxel_case_place (&c, suite, &all, &test))
    check_runs (suite, &c, &all, &test);
  voxel_case_leave (&all, &test);
  suite->cases++;
  suite_end (suite, &test);
}

static void
check_cloud (Suite *suite, const VoxelCloud *cloud)
{
  for (size_t i = 0; i < n_voxel_forms; i++) {
    if (voxel_cloud_takes (cloud, &voxel_forms[i]))
      check_form (suite, cloud, &voxel_forms[i]);
  }
}

/* In voxels of a metre, counted by another program. */
static void
check_recorded_counts (Suite *suite, VoxelCloud cloud)
{
  static const VoxelForm count = { RC_VOXEL_COUNT, RC_VOXEL_SPARSE, RC_UINT32 };
  Test test = { "voxelbits_recorded_counts", "" };
  VoxelCase c;

  for (int axis = 0; axis < 3; axis++) {
    cloud.origin[axis] = -256;
    cloud.grid[axis] = 512;
  }
  if (make_case (&c, suite, &cloud, &count, &test)) {
    voxel_case_check (&c, suite, &test);
    test_expect (&test, cloud.n == 119978 && c.chunks[0].counters->inside == cloud.n && c.out.counters->occupied == 3440, "%" PRId64
        " points, %" PRId64 " inside, %" PRId64 " voxels", cloud.n, c.chunks[0].counters->inside, c.out.counters->occupied);
  }
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

static void
check_clouds (Suite *suite)
{
  for (size_t i = 0; i < n_voxel_clouds; i++) {
    if (voxel_clouds[i].point == NULL)
      check_recording (suite, voxel_clouds[i]);
    else
      check_cloud (suite, &voxel_clouds[i]);
  }
}

/* ---- 10^8 points ---- */

static void
check_many (Suite *suite, size_t share)
{
  VoxelCloud cloud = voxel_cloud_of_many;

  cloud.n /= suite->few ? 1000 : suite->is_gpu ? 1 : 100;
  for (size_t i = share; i < n_voxel_forms; i += N_SHARES)
    check_form (suite, &cloud, &voxel_forms[i]);
}

#define SHARE(n) \
static void \
check_many_##n (Suite *suite) \
{ \
  check_many (suite, n); \
}
SHARE (0) SHARE (1) SHARE (2) SHARE (3)

int
main (int argc, char **argv)
{
  static const Section sections[] = { {"clouds", check_clouds}, {"many-0", check_many_0}, {"many-1", check_many_1},
    {"many-2", check_many_2}, {"many-3", check_many_3}
  };

  return suite_main ("voxel-clouds", argc, argv, sections, COUNT (sections), 0, ARENA_BYTES);
}
