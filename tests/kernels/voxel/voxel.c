/* robocache: voxel grids have the same bits on every backend, and those of the oracle
 *
 *   voxel [--gpu] [--seed N] [--few | --small] [--separate] [--only SECTION]      see tests/kernels/suite.h
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "case.h"

#include <inttypes.h>

#define ARENA_BYTES ((size_t) 640 << 20)
#define RUNS 20                 /* of one job, which must not differ */
#define SMALL_VOXELS (INT64_C (1) << 21)        /* that an emulated device completes soon */
#define CPU_VOXELS (INT64_C (1) << 23)

static const char *const spreads[] = { "spread", "one_voxel", "few_voxels", "all_outside" };
static const VoxelWish any_wish = { ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0 };

/* n cases of a wish, as one test. */
static void
check_cases (Suite *suite, const char *name, const VoxelWish *wish, int n)
{
  Test test = { name, "" };
  VoxelCase c;
  int i;

  for (i = 0; i < suite_fewer (suite, n) && test_holds (&test); i++) {
    if (voxel_case_make (&c, wish, suite_next_seed (suite), suite, &test))
      voxel_case_check (&c, suite, &test);
    suite_print_sum (suite);
    voxel_case_clear (&c);
  }
  suite_end (suite, &test);
}

/* ---- every mode and output from every source to every dtype ---- */

static int
is_valid (const VoxelWish *wish)
{
  const int counts = wish->mode == RC_VOXEL_OCCUPANCY || wish->mode == RC_VOXEL_COUNT;
  const int has_dtype = wish->output == RC_VOXEL_DENSE || wish->output == RC_VOXEL_SPARSE;

  if (!has_dtype && (wish->mode != RC_VOXEL_OCCUPANCY || wish->dtype != RC_UINT8))
    return 0;                   /* of any dtype, so once */
  if (wish->mode == RC_VOXEL_FIRST && wish->output != RC_VOXEL_SPARSE)
    return 0;
  if (wish->source == RC_VOXEL_DEPTH && !counts && wish->mode != RC_VOXEL_CENTROID && wish->mode != RC_VOXEL_FIRST)
    return 0;
  return counts || wish->dtype == RC_FLOAT16 || wish->dtype == RC_FLOAT32;
}

static void
check_kinds (Suite *suite)
{
  static const RcDtype dtypes[] = { RC_UINT8, RC_UINT32, RC_FLOAT16, RC_FLOAT32 };
  static const int inputs[] = { RC_FLOAT16, RC_FLOAT32, RC_FLOAT64, -1 };
  char name[128];
  int i, mode, output, d;

  for (i = 0; i < 4; i++) {
    for (mode = 0; mode <= RC_VOXEL_FIRST; mode++) {
      for (output = 0; output <= RC_VOXEL_RANK; output++) {
        for (d = 0; d < 4; d++) {
          VoxelWish wish = any_wish;

          wish.source = inputs[i] < 0 ? RC_VOXEL_DEPTH : RC_VOXEL_POINTS;
          wish.input = inputs[i] < 0 ? ANY : inputs[i];
          wish.mode = mode;
          wish.output = output;
          wish.dtype = (int) dtypes[d];
          if (!is_valid (&wish))
            continue;
          snprintf (name, sizeof (name), "voxel_%s_%s_%s_%s", inputs[i] < 0 ? "depth"
              : rc_dtype_name ((RcDtype) inputs[i]), voxel_modes[mode], voxel_outputs[output], rc_dtype_name (dtypes[d]));
          check_cases (suite, name, &wish, 7);
        }
      }
    }
  }
}

/* ---- sizes ---- */

static void
check_sizes (Suite *suite)
{
  static const int64_t points[] = { 0, 1, 31, 33, 1000, 100000 }, batches[] = { 1, 32 };
  char name[128];
  size_t n = 0, p, b;
  int mode, output;

  for (p = 0; p < sizeof (points) / sizeof (points[0]); p++) {
    for (b = 0; b < 2; b++) {
      for (mode = 0; mode <= RC_VOXEL_FIRST; mode++) {
        for (output = 0; output <= RC_VOXEL_RANK; output++, n++) {
          VoxelWish wish = any_wish;

          if (output == RC_VOXEL_BITS || (output > RC_VOXEL_SPARSE && mode != RC_VOXEL_OCCUPANCY)
              || (output != RC_VOXEL_SPARSE && mode == RC_VOXEL_FIRST)
              || points[p] * batches[b] > 1000000 || (suite->few && n % 7 != 0))
            continue;
          wish.points = points[p];
          wish.batch = batches[b];
          wish.mode = mode;
          wish.output = output;
          wish.features = 3;
          wish.axis = points[p] * batches[b] > 50000 ? 48 : 17;
          snprintf (name, sizeof (name), "voxel_size_%" PRId64 "x%" PRId64 "_%s_%s", batches[b], points[p], voxel_modes[mode],
              voxel_outputs[output]);
          check_cases (suite, name, &wish, 1);
        }
      }
    }
  }
}

/* The fast paths: one dense chunk, aligned, whole words. */
static void
check_plain (Suite *suite)
{
  static const struct
  {
    RcVoxelMode mode;
    RcVoxelOutput output;
    RcDtype dtype;
    int64_t batch, points, axis, features;
  } shapes[] = {
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_FLOAT32, 8, 50000, 64, 0},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_UINT8, 8, 50000, 64, 0},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_FLOAT16, 8, 50000, 64, 0},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_UINT32, 3, 1000, 32, 0},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, RC_UINT8, 8, 50000, 64, 0},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_FLOAT32, 1, 200000, 256, 0},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_UINT8, 1, 500000, 128, 0},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_UINT8, 5, 100000, 320, 0},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, RC_UINT8, 1, 300000, 512, 0},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, RC_UINT8, 1, 100000, 640, 0},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, RC_UINT8, 65537, 3, 4, 0},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE, RC_FLOAT32, 32, 30000, 128, 0},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, RC_UINT8, 40, 10000, 37, 0},
    {RC_VOXEL_COUNT, RC_VOXEL_DENSE, RC_UINT32, 4, 50000, 128, 0},
    {RC_VOXEL_COUNT, RC_VOXEL_DENSE, RC_FLOAT32, 8, 50000, 64, 0},
    {RC_VOXEL_COUNT, RC_VOXEL_DENSE, RC_UINT32, 1, 120000, 50, 0},
    {RC_VOXEL_COUNT, RC_VOXEL_DENSE, RC_UINT8, 13, 20001, 37, 0},
    {RC_VOXEL_COUNT, RC_VOXEL_DENSE, RC_FLOAT16, 200, 1000, 16, 0},
    {RC_VOXEL_COUNT, RC_VOXEL_DENSE, RC_UINT32, 2, 30000, 320, 0},      /* more slabs than bins */
    {RC_VOXEL_MEAN, RC_VOXEL_DENSE, RC_FLOAT32, 1, 100000, 96, 8},
    {RC_VOXEL_MEAN, RC_VOXEL_SPARSE, RC_FLOAT32, 1, 250000, 128, 4},
    {RC_VOXEL_MEAN, RC_VOXEL_SPARSE, RC_FLOAT32, 4, 50000, 1024, 4},
    {RC_VOXEL_MEAN, RC_VOXEL_SPARSE, RC_FLOAT32, 1, 250000, 512, 4},
    {RC_VOXEL_MEAN, RC_VOXEL_SPARSE, RC_FLOAT32, 2, 20000, 406, 4},     /* the largest bitmaps of voxels, then of blocks */
    {RC_VOXEL_MEAN, RC_VOXEL_SPARSE, RC_FLOAT32, 3, 20000, 406, 4},
    {RC_VOXEL_MEAN, RC_VOXEL_SPARSE, RC_FLOAT32, 1, 50000, 2048, 4},
    {RC_VOXEL_MEAN, RC_VOXEL_SPARSE, RC_FLOAT32, 2, 20000, 3250, 3},    /* the largest, then what is sorted */
    {RC_VOXEL_MEAN, RC_VOXEL_SPARSE, RC_FLOAT32, 3, 20000, 3250, 3},
    {RC_VOXEL_MEAN, RC_VOXEL_SPARSE, RC_FLOAT32, 1, 20000, 3251, 3},
    {RC_VOXEL_MEAN, RC_VOXEL_SPARSE, RC_FLOAT16, 1, 20000, 513, 3},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_SPARSE, RC_FLOAT32, 40, 3000, 37, 0},
    {RC_VOXEL_MEAN, RC_VOXEL_DENSE, RC_FLOAT16, 5, 20000, 37, 3},
    {RC_VOXEL_MEAN, RC_VOXEL_DENSE, RC_FLOAT32, 2, 3000, 9, 300},       /* more channels than a block has threads */
    {RC_VOXEL_MEAN, RC_VOXEL_SPARSE, RC_FLOAT32, 2, 3000, 9, 300},
    {RC_VOXEL_MAX, RC_VOXEL_SPARSE, RC_FLOAT16, 2, 100000, 64, 64},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_SPARSE, RC_FLOAT32, 4, 100000, 512, 0},
    {RC_VOXEL_FIRST, RC_VOXEL_SPARSE, RC_FLOAT32, 1, 100000, 48, 1},
    {RC_VOXEL_FIRST, RC_VOXEL_SPARSE, RC_FLOAT16, 6, 20000, 16, 2},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_INDEX, RC_FLOAT32, 1, 250000, 512, 0},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_FLOAT32, 1, 250000, 128, 4},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_FLOAT32, 8, 50000, 64, 0},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_FLOAT32, 2, 100000, 512, 0},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_FLOAT32, 3, 100000, 512, 0},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_FLOAT32, 1, 126891, 1024, 0},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_FLOAT32, 1, 100000, 3300, 0},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_SPARSE, RC_FLOAT32, 5, 20000, 1500, 0},
  };
  char name[128];
  size_t i;

  for (i = 0; i < sizeof (shapes) / sizeof (shapes[0]); i++) {
    VoxelWish wish = any_wish;

    if ((suite->small || !suite->is_gpu) && shapes[i].batch * shapes[i].axis * shapes[i].axis * shapes[i].axis
        > (suite->small ? SMALL_VOXELS : CPU_VOXELS))
      continue;
    wish.source = RC_VOXEL_POINTS;
    wish.input = RC_FLOAT32;
    wish.mode = shapes[i].mode;
    wish.output = shapes[i].output;
    wish.dtype = shapes[i].dtype;
    wish.batch = shapes[i].batch;
    wish.points = suite->few ? shapes[i].points / 50 : shapes[i].points;
    wish.axis = shapes[i].axis;
    wish.features = shapes[i].features;
    wish.plain = 1;
    wish.spread = SPREAD;
    snprintf (name, sizeof (name), "voxel_plain_%zu_%s_%s", i, voxel_modes[wish.mode], voxel_outputs[wish.output]);
    check_cases (suite, name, &wish, 1);
  }
}

/* Grids that are made in shared memory, of points that are often packed. */
static void
check_batches (Suite *suite)
{
  static const int64_t batches[] = { 1, 4, 7, 33 };
  static const struct
  {
    RcVoxelMode mode;
    RcVoxelOutput output;
  } grids[] = {
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_DENSE}, {RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS}, {RC_VOXEL_COUNT, RC_VOXEL_DENSE},
  };
  char name[64];
  size_t b, g;

  for (b = 0; b < sizeof (batches) / sizeof (batches[0]); b++) {
    for (g = 0; g < sizeof (grids) / sizeof (grids[0]); g++) {
      VoxelWish wish = any_wish;

      wish.source = RC_VOXEL_POINTS;
      wish.input = RC_FLOAT32;
      wish.mode = grids[g].mode;
      wish.output = grids[g].output;
      wish.batch = batches[b];
      wish.axis = g == 0 ? 32 : ANY;
      wish.features = 0;
      snprintf (name, sizeof (name), "voxel_batch_%" PRId64 "_%s_%s", batches[b], voxel_modes[wish.mode], voxel_outputs[wish.output]);
      check_cases (suite, name, &wish, 60);
      wish.points = 20000;      /* tiles that several chunks have parts of */
      wish.axis = batches[b] == 1 ? 128 : 64;
      snprintf (name, sizeof (name), "voxel_batch_tiles_%" PRId64 "_%s_%s", batches[b], voxel_modes[wish.mode], voxel_outputs[wish.output]);
      check_cases (suite, name, &wish, 20);
    }
  }
}

/* Fields of any type anywhere, and a ray a pixel. */
static void
check_layouts (Suite *suite)
{
  static const int inputs[] = { RC_FLOAT16, RC_FLOAT32, RC_FLOAT64, -1 };
  char name[128];
  int i, mode, output;

  for (i = 0; i < 4; i++) {
    for (mode = 0; mode <= RC_VOXEL_FIRST; mode++) {
      for (output = 0; output <= RC_VOXEL_RANK; output++) {
        VoxelWish wish = any_wish;

        wish.source = inputs[i] < 0 ? RC_VOXEL_DEPTH : RC_VOXEL_POINTS;
        wish.input = inputs[i] < 0 ? ANY : inputs[i];
        wish.mode = mode;
        wish.output = output;
        wish.dtype = output == RC_VOXEL_DENSE || output == RC_VOXEL_SPARSE ? RC_FLOAT32 : RC_UINT8;
        wish.layout = 1;
        if (!is_valid (&wish))
          continue;
        snprintf (name, sizeof (name), "voxel_layout_%s_%s_%s", inputs[i] < 0 ? "depth"
            : rc_dtype_name ((RcDtype) inputs[i]), voxel_modes[mode], voxel_outputs[output]);
        check_cases (suite, name, &wish, 25);
        wish.points = 50000;
        wish.batch = 4;
        wish.features = 5;
        wish.axis = 32;
        snprintf (name, sizeof (name), "voxel_layout_many_%s_%s_%s", inputs[i] < 0 ? "depth"
            : rc_dtype_name ((RcDtype) inputs[i]), voxel_modes[mode], voxel_outputs[output]);
        check_cases (suite, name, &wish, 2);
      }
    }
  }
}

/* Means by deferred gather, where bins overflow. */
static void
check_crowd (Suite *suite, int spread)
{
  VoxelWish wish = any_wish;
  char name[128];

  wish.source = RC_VOXEL_POINTS;
  wish.mode = RC_VOXEL_MEAN;
  wish.output = RC_VOXEL_DENSE;
  wish.points = 20000;
  wish.features = 5;
  wish.axis = 32;
  wish.spread = spread;
  wish.plain = 1;
  snprintf (name, sizeof (name), "voxel_crowd_%s", spreads[spread]);
  check_cases (suite, name, &wish, 8);
}

/* Clouds that are unlike a scan. */
static void
check_spreads (Suite *suite)
{
  char name[128];
  int spread, mode;

  for (spread = 0; spread < N_SPREADS; spread++) {
    for (mode = 0; mode <= RC_VOXEL_FIRST; mode++) {
      VoxelWish wish = any_wish;

      wish.mode = mode;
      wish.spread = spread;
      wish.points = 20000;
      wish.features = mode == RC_VOXEL_MEAN ? 5 : ANY;
      snprintf (name, sizeof (name), "voxel_spread_%s_%s", spreads[spread], voxel_modes[mode]);
      check_cases (suite, name, &wish, 4);
    }
    check_crowd (suite, spread);
  }
}

/* The largest grids: keys of 63 bits, so that items of a batch cannot be sorted together. */
static void
check_huge (Suite *suite)
{
  static const int64_t axes[] = { RC_VOXEL_MAX_AXIS, 1 << 20, 1 << 16, 1625 };
  char name[128];
  size_t a;
  int mode, output;

  for (a = 0; a < sizeof (axes) / sizeof (axes[0]); a++) {
    for (mode = 0; mode <= RC_VOXEL_FIRST; mode++) {
      VoxelWish wish = any_wish;

      wish.output = RC_VOXEL_SPARSE;
      wish.mode = mode;
      wish.axis = axes[a];
      wish.spread = mode % 2 ? SPREAD : ANY;
      snprintf (name, sizeof (name), "voxel_huge_%" PRId64 "_%s", axes[a], voxel_modes[mode]);
      check_cases (suite, name, &wish, 5);
    }
    for (output = RC_VOXEL_INDEX; output <= RC_VOXEL_RANK; output++) {
      VoxelWish wish = any_wish;

      wish.output = output;
      wish.axis = axes[a];
      snprintf (name, sizeof (name), "voxel_huge_%" PRId64 "_%s", axes[a], voxel_outputs[output]);
      check_cases (suite, name, &wish, 10);
    }
  }
}

/* The same job again: nothing depends on the order of threads. */
static void
check_again (Suite *suite)
{
  char name[64];
  int mode, i;

  for (mode = 0; mode <= RC_VOXEL_FIRST; mode++) {
    const uint64_t seed = suite_next_seed (suite);
    Test test = { name, "" };
    VoxelWish wish = any_wish;
    VoxelCase c;

    wish.mode = mode;
    wish.output = mode % 2 ? RC_VOXEL_DENSE : RC_VOXEL_SPARSE;
    wish.points = 5000;
    wish.axis = 12;
    snprintf (name, sizeof (name), "voxel_again_%s", voxel_modes[mode]);
    for (i = 0; i < (suite->few ? 2 : RUNS) && test_holds (&test); i++) {
      if (voxel_case_make (&c, &wish, seed, suite, &test))
        voxel_case_check (&c, suite, &test);
      voxel_case_clear (&c);
    }
    suite_end (suite, &test);
  }
}

int
main (int argc, char **argv)
{
  static const Section sections[] = {
    {"written", check_written_voxels}, {"errors", check_voxel_errors}, {"plans", check_voxel_plans}, {"kinds", check_kinds},
    {"sizes", check_sizes}, {"plain", check_plain}, {"batches", check_batches}, {"layouts", check_layouts},
    {"spreads", check_spreads}, {"huge", check_huge}, {"again", check_again}, {"kept", check_kept_voxels},
  };

  return suite_main ("voxel", argc, argv, sections, sizeof (sections) / sizeof (sections[0]), 20260305, ARENA_BYTES);
}
