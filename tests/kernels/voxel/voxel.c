/* robocache: voxel grids have the same bits on every backend, and those of the oracle
 *
 *   voxel [--gpu] [--seed N] [--few | --small] [--separate] [--only SECTION]      see tests/kernels/suite.h
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma GCC diagnostic ignored "-Woverride-init"        /* a wish overrides fields that are left to chance */
#include "case.h"

#include <inttypes.h>

/* Everything left to chance but some fields. */
#define WISH(...) {.source = ANY, .input = ANY, .mode = ANY, .output = ANY, .dtype = ANY, .batch = ANY, .points = ANY, .axis = ANY, \
    .features = ANY, .spread = ANY, .layout = ANY, __VA_ARGS__}

#define ARENA_BYTES ((size_t) 640 << 20)
#define SMALL_VOXELS (INT64_C (1) << 21)        /* that an emulated device completes soon */
#define CPU_VOXELS (INT64_C (1) << 23)

static const char *const spreads[] = { "spread", "one_voxel", "few_voxels", "all_outside" };

/* n cases of a wish, as one test. */
static void
check_cases (Suite *suite, const VoxelWish *wish, int n, Test test)
{
  for (int i = 0; i < suite_fewer (suite, n) && test_holds (&test); i++) {
    VoxelCase c;

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
  const int lists = rc_voxel_lists_points ((RcVoxelMode) wish->mode);
  const int has_dtype = wish->output == RC_VOXEL_DENSE || wish->output == RC_VOXEL_SPARSE;

  if (!has_dtype && (wish->mode != RC_VOXEL_OCCUPANCY || wish->dtype != RC_UINT8))
    return 0;                   /* of any dtype, so once */
  if (lists && wish->output != RC_VOXEL_SPARSE)
    return 0;
  if (wish->source == RC_VOXEL_DEPTH && !counts && wish->mode != RC_VOXEL_CENTROID && !lists)
    return 0;
  return counts || wish->dtype == RC_FLOAT16 || wish->dtype == RC_FLOAT32;
}

static const struct
{
  const char *name;
  int source, input;
} sources[] = {
  {"float16", RC_VOXEL_POINTS, RC_FLOAT16}, {"float32", RC_VOXEL_POINTS, RC_FLOAT32}, {"float64", RC_VOXEL_POINTS, RC_FLOAT64},
  {"depth", RC_VOXEL_DEPTH, ANY},
};

static void
check_kinds (Suite *suite)
{
  static const RcDtype dtypes[] = { RC_UINT8, RC_UINT32, RC_FLOAT16, RC_FLOAT32 };

  for (size_t i = 0; i < COUNT (sources); i++) {
    for (int mode = 0; mode <= RC_VOXEL_PILLARS; mode++) {
      for (int output = 0; output <= RC_VOXEL_RANK; output++) {
        for (size_t d = 0; d < COUNT (dtypes); d++) {
          const VoxelWish wish = WISH (.source = sources[i].source, .input = sources[i].input, .mode = mode, .output = output,
              .dtype = (int) dtypes[d]);

          if (is_valid (&wish))
            check_cases (suite, &wish, 7, test_begin ("voxel_%s_%s_%s_%s", sources[i].name, voxel_modes[mode], voxel_outputs[output],
                rc_dtype_name (dtypes[d])));
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
  size_t n = 0;

  for (size_t p = 0; p < COUNT (points); p++) {
    for (size_t b = 0; b < 2; b++) {
      for (int mode = 0; mode <= RC_VOXEL_PILLARS; mode++) {
        for (int output = 0; output <= RC_VOXEL_RANK; output++, n++) {
          const VoxelWish wish = WISH (.points = points[p], .batch = batches[b], .mode = mode, .output = output, .features = 3,
              .axis = points[p] * batches[b] > 50000 ? 48 : 17);

          if (output == RC_VOXEL_BITS || (output > RC_VOXEL_SPARSE && mode != RC_VOXEL_OCCUPANCY)
              || (output != RC_VOXEL_SPARSE && rc_voxel_lists_points ((RcVoxelMode) mode))
              || points[p] * batches[b] > 1000000 || (suite->few && n % 7 != 0))
            continue;
          check_cases (suite, &wish, 1, test_begin ("voxel_size_%" PRId64 "x%" PRId64 "_%s_%s", batches[b], points[p], voxel_modes[mode],
              voxel_outputs[output]));
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
    {RC_VOXEL_FIRST, RC_VOXEL_SPARSE, RC_FLOAT32, 1, 300000, 128, 1},   /* more voxels than threads run at once */
    {RC_VOXEL_FIRST, RC_VOXEL_SPARSE, RC_FLOAT32, 3, 20000, 406, 1},    /* bitmaps of blocks, then what is sorted */
    {RC_VOXEL_FIRST, RC_VOXEL_SPARSE, RC_FLOAT32, 1, 20000, 3251, 1},
    {RC_VOXEL_PILLARS, RC_VOXEL_SPARSE, RC_FLOAT32, 1, 100000, 48, 1},
    {RC_VOXEL_PILLARS, RC_VOXEL_SPARSE, RC_FLOAT16, 6, 20000, 16, 2},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_INDEX, RC_FLOAT32, 1, 250000, 512, 0},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_FLOAT32, 1, 250000, 128, 4},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_FLOAT32, 8, 50000, 64, 0},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_FLOAT32, 2, 100000, 512, 0},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_FLOAT32, 3, 100000, 512, 0},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_FLOAT32, 1, 126891, 1024, 0},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_RANK, RC_FLOAT32, 1, 100000, 3300, 0},
    {RC_VOXEL_OCCUPANCY, RC_VOXEL_SPARSE, RC_FLOAT32, 5, 20000, 1500, 0},
  };

  for (size_t i = 0; i < COUNT (shapes); i++) {
    const VoxelWish wish = WISH (.source = RC_VOXEL_POINTS, .input = RC_FLOAT32, .mode = shapes[i].mode, .output = shapes[i].output,
        .dtype = shapes[i].dtype, .batch = shapes[i].batch, .points = suite->few ? shapes[i].points / 50 : shapes[i].points,
        .axis = shapes[i].axis, .features = shapes[i].features, .spread = SPREAD, .plain = 1);

    if ((suite->small || !suite->is_gpu) && shapes[i].batch * shapes[i].axis * shapes[i].axis * shapes[i].axis
        > (suite->small ? SMALL_VOXELS : CPU_VOXELS))
      continue;
    check_cases (suite, &wish, 1, test_begin ("voxel_plain_%zu_%s_%s", i, voxel_modes[wish.mode], voxel_outputs[wish.output]));
  }
}

/* The points of voxels that crowd, or not, in grids that are sorted, and in larger ones whose points are listed on a GPU. */
static void
check_lists (Suite *suite)
{
  static const int64_t axes[] = { 40, 41 }, max_points[] = { 1, 2, 16, 32 };

  for (size_t a = 0; a < COUNT (axes); a++) {
    for (size_t m = 0; m < COUNT (max_points); m++) {
      for (int mode = RC_VOXEL_FIRST; mode <= RC_VOXEL_PILLARS; mode++) {
        for (int spread = SPREAD; spread <= FEW_VOXELS; spread++) {
          const VoxelWish wish = WISH (.mode = mode, .output = RC_VOXEL_SPARSE, .batch = 3, .points = 2000, .axis = axes[a],
              .spread = spread, .max_points = max_points[m]);

          check_cases (suite, &wish, 3, test_begin ("voxel_lists_%" PRId64 "_%" PRId64 "_%s_%s", axes[a], max_points[m],
              voxel_modes[mode], spreads[spread]));
        }
      }
    }
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

  for (size_t b = 0; b < COUNT (batches); b++) {
    for (size_t g = 0; g < COUNT (grids); g++) {
      VoxelWish wish = WISH (.source = RC_VOXEL_POINTS, .input = RC_FLOAT32, .mode = grids[g].mode, .output = grids[g].output,
          .batch = batches[b], .axis = g == 0 ? 32 : ANY, .features = 0);

      check_cases (suite, &wish, 60, test_begin ("voxel_batch_%" PRId64 "_%s_%s", batches[b], voxel_modes[wish.mode],
          voxel_outputs[wish.output]));
      wish.points = 20000;      /* tiles that several chunks have parts of */
      wish.axis = batches[b] == 1 ? 128 : 64;
      check_cases (suite, &wish, 20, test_begin ("voxel_batch_tiles_%" PRId64 "_%s_%s", batches[b], voxel_modes[wish.mode],
          voxel_outputs[wish.output]));
    }
  }
}

/* Fields of any type anywhere, and a ray a pixel. */
static void
check_layouts (Suite *suite)
{
  for (size_t i = 0; i < COUNT (sources); i++) {
    for (int mode = 0; mode <= RC_VOXEL_PILLARS; mode++) {
      for (int output = 0; output <= RC_VOXEL_RANK; output++) {
        VoxelWish wish = WISH (.source = sources[i].source, .input = sources[i].input, .mode = mode, .output = output,
            .dtype = output == RC_VOXEL_DENSE || output == RC_VOXEL_SPARSE ? RC_FLOAT32 : RC_UINT8, .layout = 1);

        if (!is_valid (&wish))
          continue;
        check_cases (suite, &wish, 25, test_begin ("voxel_layout_%s_%s_%s", sources[i].name, voxel_modes[mode], voxel_outputs[output]));
        wish.points = 50000;
        wish.batch = 4;
        wish.features = 5;
        wish.axis = 32;
        check_cases (suite, &wish, 2, test_begin ("voxel_layout_many_%s_%s_%s", sources[i].name, voxel_modes[mode],
            voxel_outputs[output]));
      }
    }
  }
}

/* Clouds that are unlike a scan. */
static void
check_spreads (Suite *suite)
{
  for (int spread = 0; spread < N_SPREADS; spread++) {
    /* means by deferred gather, where bins overflow */
    const VoxelWish crowd = WISH (.source = RC_VOXEL_POINTS, .mode = RC_VOXEL_MEAN, .output = RC_VOXEL_DENSE, .points = 20000,
        .features = 5, .axis = 32, .spread = spread, .plain = 1);

    for (int mode = 0; mode <= RC_VOXEL_PILLARS; mode++) {
      VoxelWish wish = WISH (.mode = mode, .spread = spread, .points = 20000, .features = mode == RC_VOXEL_MEAN ? 5 : ANY);

      check_cases (suite, &wish, 4, test_begin ("voxel_spread_%s_%s", spreads[spread], voxel_modes[mode]));
    }
    check_cases (suite, &crowd, 8, test_begin ("voxel_crowd_%s", spreads[spread]));
  }
}

/* The largest grids: keys of 63 bits, so that items of a batch cannot be sorted together. */
static void
check_huge (Suite *suite)
{
  static const int64_t axes[] = { RC_VOXEL_MAX_AXIS, 1 << 20, 1 << 16, 1625 };

  for (size_t a = 0; a < COUNT (axes); a++) {
    for (int mode = 0; mode <= RC_VOXEL_PILLARS; mode++) {
      VoxelWish wish = WISH (.output = RC_VOXEL_SPARSE, .mode = mode, .axis = axes[a], .spread = mode % 2 && !rc_voxel_lists_points ((RcVoxelMode) mode) ? SPREAD : ANY);

      check_cases (suite, &wish, 5, test_begin ("voxel_huge_%" PRId64 "_%s", axes[a], voxel_modes[mode]));
    }
    for (int output = RC_VOXEL_INDEX; output <= RC_VOXEL_RANK; output++) {
      VoxelWish wish = WISH (.output = output, .axis = axes[a]);

      check_cases (suite, &wish, 10, test_begin ("voxel_huge_%" PRId64 "_%s", axes[a], voxel_outputs[output]));
    }
  }
}

int
main (int argc, char **argv)
{
  static const Section sections[] = {
    {"written", check_written_voxels}, {"errors", check_voxel_errors}, {"plans", check_voxel_plans}, {"kinds", check_kinds},
    {"sizes", check_sizes}, {"plain", check_plain}, {"lists", check_lists}, {"batches", check_batches},
    {"layouts", check_layouts}, {"spreads", check_spreads}, {"huge", check_huge}, {"kept", check_kept_voxels},
  };

  return suite_main ("voxel", argc, argv, sections, COUNT (sections), 20260305, ARENA_BYTES);
}
