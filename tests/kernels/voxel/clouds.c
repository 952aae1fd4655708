/* robocache: grids of named clouds have the same bits on every backend, in a hundred runs that cut them differently
 *
 *   voxel-clouds [--gpu] [--few | --small] [--only SECTION]      see tests/kernels/suite.h
 *
 * Every mode and output of random clouds, a recording ($ROBOCACHE_TEST_DATA), hostile clouds and 10^8 points; on the CPU and with
 * --few of these fewer. --small: four runs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "case.h"
#include "kernels/voxel_plan.h"
#include "tests/kernels/random.h"
#include "tests/recordings.h"

#define RUNS 100
#define ARENA_BYTES ((size_t) 2800 << 20)       /* 10^8 points, the voxel of each, and voxels */
#define N_SHARES 4              /* of the forms of 10^8 points, for processes side by side */
#define MAX_DENSE (INT64_C (1) << 31)   /* voxels: grids of more are neither dense nor bits */
#define CLOUD_FIELDS 5          /* float32 x, y, z and two features */
#define CLOUD_FEATURES 2
#define POINT_BYTES ((int64_t) (CLOUD_FIELDS * sizeof (float)))

/* A point is a function of its number alone. */
typedef struct VoxelCloud VoxelCloud;
struct VoxelCloud
{
  const char *name;
  int64_t batch;                /* items, each with points of its own */
  int64_t n;                    /* points of an item; of a recording, as many as it has */
  int64_t grid[3];
  double origin[3], voxel_size[3];
  /* point of which random says everything; NULL: of a recording */
  void (*point) (const VoxelCloud * cloud, uint64_t random, float *point);
  float specials[4];            /* that are put in many points; 0: none */
  float *recorded;              /* [n, 3] */
};

static uint64_t
below (uint64_t *random, uint64_t n)
{
  return random_bits (random) % n;
}

static float
one_of (uint64_t *random, const float *values, size_t n)
{
  return values[below (random, n)];
}

#define ONE_OF(random, values) one_of (random, values, COUNT (values))

/* ---- points ---- */

static void
set_features (uint64_t *random, float *point)
{
  point[3] = (float) random_real (random, -1, 1);
  point[4] = (float) (255 * random_real (random, 0, 1));
}

static void
anywhere (const VoxelCloud *cloud, uint64_t random, float *point)
{
  set_features (&random, point);
  for (int axis = 0; axis < 3; axis++)
    point[axis] = (float) (cloud->origin[axis] + random_real (&random, -0.05, 1.05) * cloud->voxel_size[axis]
        * (double) cloud->grid[axis]);
}

static void
in_one_voxel (const VoxelCloud *cloud, uint64_t random, float *point)
{
  set_features (&random, point);
  for (int axis = 0; axis < 3; axis++)
    point[axis] = (float) (cloud->origin[axis] + (floor ((double) cloud->grid[axis] / 2) + random_real (&random, 0.1, 0.9))
        * cloud->voxel_size[axis]);
}

static void
outside (const VoxelCloud *cloud, uint64_t random, float *point)
{
  const uint64_t axis = below (&random, 3);

  anywhere (cloud, random, point);
  point[axis] = (float) (cloud->origin[axis] + cloud->voxel_size[axis] * (double) cloud->grid[axis]
      * (random & 1 ? random_real (&random, 1.01, 9) : random_real (&random, -9, -0.01)));
}

/* Of voxels and of the grid, or a float beside one. */
static void
on_faces (const VoxelCloud *cloud, uint64_t random, float *point)
{
  set_features (&random, point);
  for (int axis = 0; axis < 3; axis++) {
    const double voxel = (double) below (&random, (uint64_t) cloud->grid[axis] + 3) - 1;
    const float face = (float) (cloud->origin[axis] + voxel * cloud->voxel_size[axis]);
    const float faces[] = { face, nextafterf (face, INFINITY), nextafterf (face, -INFINITY) };

    point[axis] = ONE_OF (&random, faces);
  }
}

/* Some coordinates of three points of four, and their first feature. */
static void
put_specials (const float specials[4], uint64_t random, float *point)
{
  const uint64_t which = below (&random, 32);

  for (int i = 0; i < 4 && which < 24; i++) {
    if (i == 3 || which % 8 == 7 || which % 8 >> i & 1)
      point[i] = one_of (&random, specials, 4);
  }
}

/* Features that sums and comparisons stumble over. */
static void
with_special_features (const VoxelCloud *cloud, uint64_t random, float *point)
{
  static const float special[] = { NAN, INFINITY, -INFINITY, 0.0f, -0.0f, 1e-45f, -3e-42f, 65504.0f, 1e30f, -1e30f };

  anywhere (cloud, random, point);
  if (below (&random, 8) == 0)
    point[3] = ONE_OF (&random, special);
  point[4] = below (&random, 2) ? 0.0f : -0.0f;
}

/* Two numbers for all: there are many of them. */
static void
of_many (const VoxelCloud *cloud, uint64_t random, float *point)
{
  const uint64_t where = random_bits (&random), what = random_bits (&random);

  for (int axis = 0; axis < 3; axis++)
    point[axis] = (float) (cloud->origin[axis] + ((double) (where >> 21 * axis & 0x1FFFFF) * 0x1.1p-21 - 0x1p-6)
        * cloud->voxel_size[axis] * (double) cloud->grid[axis]);
  point[3] = (float) (int32_t) what * 0x1p-31f;
  point[4] = (float) (what >> 56);
}

/* ---- clouds ---- */

#define SMALL {37, 11, 5}, {-1.5, 0.0, 2.25}, {0.1, 0.25, 0.3}
#define WHOLE_WORDS {64, 16, 8}, {-3.2, -0.8, 0.0}, {0.1, 0.1, 0.1}

static const VoxelCloud clouds[] = {
  {"random", 1, 3000, SMALL, anywhere},
  {"random_in_whole_words", 1, 20000, WHOLE_WORDS, anywhere},
  {"random_batch", 6, 1500, WHOLE_WORDS, anywhere},
  {"few_in_many_voxels", 1, 200, {64, 64, 64}, {-3.2, -3.2, 0}, {0.1, 0.1, 0.1}, anywhere},
  {"recording", 1, 0, {96, 96, 16}, {-48, -48, -4}, {1, 1, 1}},
  {"one_voxel", 1, 5000, SMALL, in_one_voxel},
  {"all_outside", 1, 2000, SMALL, outside},
  {"on_faces", 1, 3000, WHOLE_WORDS, on_faces},
  {"on_faces_of_a_long_axis", 1, 3000, {1 << 19, 1, 1}, {-2621.44, -1, -1}, {0.01, 2, 2}, on_faces},
  {"on_faces_of_tiny_voxels", 1, 3000, {96, 4, 2}, {0, 0, 0}, {0x1p-61, 0x1p-59, 0x1p-126}, on_faces},
  {"on_faces_of_huge_voxels", 1, 3000, {96, 4, 2}, {0, 0, 0}, {0x1p59, 0x1p61, 0x1p100}, on_faces},
  {"on_faces_far_away", 1, 3000, {96, 32, 8}, {1e6, -1e6, 3e5}, {0.01, 0.05, 0.1}, on_faces},
  {"nan", 1, 3000, SMALL, anywhere, {NAN, -NAN, NAN, INFINITY}},
  {"infinities", 1, 3000, SMALL, anywhere, {INFINITY, -INFINITY, INFINITY, -INFINITY}},
  {"huge_numbers", 1, 3000, SMALL, anywhere, {1e30f, -1e30f, FLT_MAX, -FLT_MAX}},
  {"special_features", 1, 3000, SMALL, with_special_features},
  {"empty", 1, 0, SMALL, anywhere},
  {"one_point", 1, 1, SMALL, in_one_voxel},
  {"beyond_2_31_voxels", 1, 4000, {2048, 2048, 1024}, {-10, -10, -5}, {0.01, 0.01, 0.01}, anywhere},
  {"largest_grid", 1, 4000, {RC_VOXEL_MAX_AXIS, RC_VOXEL_MAX_AXIS, RC_VOXEL_MAX_AXIS}, {0, 0, 0}, {0x1p-7, 0x1p-7, 0x1p-7},
    anywhere},
};

static const VoxelCloud cloud_of_many = { "many", 1, 100000000, {64, 64, 64}, {-3.2, -3.2, 0}, {0.1, 0.1, 0.1}, of_many };

static void
unload (VoxelCloud *cloud)
{
  free (cloud->recorded);
  cloud->recorded = NULL;
}

/* The recorded cloud: float32 x, y, z in a file. 0: it cannot be read. */
static int
load (VoxelCloud *cloud, const char *path)
{
  FILE *file = fopen (path, "rb");
  long bytes;

  if (file == NULL)
    return 0;
  if (fseek (file, 0, SEEK_END) == 0 && (bytes = ftell (file)) > 0) {
    cloud->n = bytes / 12;
    cloud->recorded = malloc ((size_t) bytes);
    rewind (file);
    if (cloud->recorded == NULL || fread (cloud->recorded, 12, (size_t) cloud->n, file) != (size_t) cloud->n)
      unload (cloud);
  }
  fclose (file);
  return cloud->recorded != NULL;
}

/* points [n, CLOUD_FIELDS] */
static void
fill (const VoxelCloud *cloud, int64_t n, float *points)
{
  for (int64_t i = 0; i < n; i++) {
    uint64_t number = (uint64_t) i, random = random_bits (&number);

    if (cloud->point) {
      cloud->point (cloud, random, points + i * CLOUD_FIELDS);
    } else {
      set_features (&random, points + i * CLOUD_FIELDS);
      memcpy (points + i * CLOUD_FIELDS, cloud->recorded + i * 3, 3 * sizeof (float));
    }
    if (cloud->specials[0] != 0.0f)
      put_specials (cloud->specials, random, points + i * CLOUD_FIELDS);
  }
}

/* ---- forms ---- */

typedef struct
{
  RcVoxelMode mode;
  RcVoxelOutput output;
  RcDtype dtype;
} VoxelForm;

/* Every mode with every output that it has. */
static const VoxelForm forms[] = {
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_UINT8},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_FLOAT32},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, RC_UINT8},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_SPARSE, RC_UINT8},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_INDEX, RC_UINT8},
  {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_UINT8},
  {RC_VOXEL_COUNT, RC_VOXEL_DENSE, RC_UINT32},
  {RC_VOXEL_COUNT, RC_VOXEL_SPARSE, RC_UINT8},
  {RC_VOXEL_MEAN, RC_VOXEL_DENSE, RC_FLOAT32},
  {RC_VOXEL_MEAN, RC_VOXEL_SPARSE, RC_FLOAT16},
  {RC_VOXEL_CENTROID, RC_VOXEL_DENSE, RC_FLOAT32},
  {RC_VOXEL_CENTROID, RC_VOXEL_SPARSE, RC_FLOAT32},
  {RC_VOXEL_MAX, RC_VOXEL_DENSE, RC_FLOAT32},
  {RC_VOXEL_MAX, RC_VOXEL_SPARSE, RC_FLOAT32},
  {RC_VOXEL_MIN, RC_VOXEL_DENSE, RC_FLOAT16},
  {RC_VOXEL_MIN, RC_VOXEL_SPARSE, RC_FLOAT32},
  {RC_VOXEL_FIRST, RC_VOXEL_SPARSE, RC_FLOAT32},
  {RC_VOXEL_PILLARS, RC_VOXEL_SPARSE, RC_FLOAT32},
};

static RcVoxelSpec
spec_of (const VoxelCloud *cloud, const VoxelForm *form)
{
  RcVoxelSpec spec = {.points = {.dtype = RC_FLOAT32,.fields = CLOUD_FIELDS,.first_feature = 3,
      .features = CLOUD_FEATURES},.mode = form->mode,.output = form->output,.dtype = form->dtype,.max_voxels = 2500,
    .batch = cloud->batch,.max_points = 3,.centre_z = 1
  };

  memcpy (spec.grid, cloud->grid, sizeof (spec.grid));
  memcpy (spec.origin, cloud->origin, sizeof (spec.origin));
  memcpy (spec.voxel_size, cloud->voxel_size, sizeof (spec.voxel_size));
  return spec;
}

/* ---- a form of a cloud ---- */

/* The whole cloud as one chunk. */
static int
make_case (VoxelCase *c, const Suite *suite, const VoxelCloud *cloud, const VoxelForm *form, Test *test)
{
  const int64_t item_bytes = cloud->n * POINT_BYTES;
  float *points;

  memset (c, 0, sizeof (*c));
  arena_clear (suite->arena);
  c->spec = spec_of (cloud, form);
  c->job.n_points = cloud->n;
  c->n_chunks = 1;
  points = arena_take (suite->arena, "points", cloud->batch * item_bytes + 1, 0);
  fill (cloud, cloud->batch * cloud->n, points);
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
  const int is_ordered = rc_voxel_maps_points (c->spec.output) || rc_voxel_lists_points (c->spec.mode);
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
  const int runs = suite->small ? 4 : suite_fewer (suite, RUNS);
  RcVoxelChunk whole[MAX_PLACES];

  for (int p = 0; p < all->n; p++)
    whole[p] = all->placed[p].chunks[0];
  voxel_case_expect (c, suite, all->has_oracle, test);
  for (int run = 0; run < runs && test_holds (test); run++) {
    const int p = run == 1 ? all->n - 1 : run % suite->n_places;

    cut (c, &all->placed[p], &whole[p], run);
    if (voxels_enqueue (c, &all->placed[p], test))
      arena_compare (suite->arena, all->placed[p].place, voxel_case_text (c), test);
    soil (&all->placed[p], suite->arena, c, test);
  }
}

static void
check_form (Suite *suite, const VoxelCloud *cloud, const VoxelForm *form)
{
  Test test = test_begin ("voxelbits_%s_%s_%s_%s", cloud->name, rc_voxel_mode_name (form->mode), rc_voxel_output_name (form->output),
      rc_dtype_name (form->dtype));
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
  for (size_t i = 0; i < COUNT (forms); i++) {
    const int has_grid = forms[i].output == RC_VOXEL_DENSE || forms[i].output == RC_VOXEL_BITS;

    if (!has_grid || cloud->grid[0] < MAX_DENSE / cloud->grid[1] / cloud->grid[2])
      check_form (suite, cloud, &forms[i]);
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
  if (load (&cloud, path)) {
    check_cloud (suite, &cloud);
    check_recorded_counts (suite, cloud);
  } else {
    printf ("FAIL voxelbits_recording: %s cannot be read\n", path);
    suite->failures++;
  }
  unload (&cloud);
}

static void
check_clouds (Suite *suite)
{
  for (size_t i = 0; i < COUNT (clouds); i++) {
    if (clouds[i].point == NULL)
      check_recording (suite, clouds[i]);
    else
      check_cloud (suite, &clouds[i]);
  }
}

/* ---- 10^8 points ---- */

static void
check_many (Suite *suite, size_t share)
{
  VoxelCloud cloud = cloud_of_many;

  cloud.n /= suite->few ? 1000 : suite->is_gpu ? 1 : 100;
  for (size_t i = share; i < COUNT (forms); i += N_SHARES)
    check_form (suite, &cloud, &forms[i]);
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
