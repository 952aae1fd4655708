/* robocache: voxel grids have the same bits on the GPU as on the CPU
 *
 *   voxel [--seed N] [--separate] [--few | --small] [--only SECTION]
 *   voxel --sections
 *
 * --separate puts every array in an allocation of its own, for compute-sanitizer; --few runs a tenth of the cases;
 * --small those of them that are soon done where a device is emulated; --sections only says their names.
 * Sections are in the table below.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "voxelcase.h"

#include <inttypes.h>
#include <stdlib.h>

#define ARENA_BYTES ((size_t) 640 << 20)
#define RUNS 20                 /* of one job, which must not differ */
#define SMALL_VOXELS (INT64_C (1) << 21)

typedef struct
{
  Gpu gpu;
  RcBackend *cpu;
  Arena *arena;
  uint64_t seed;
  int few, small;
  int failures;
  int cases;
} Suite;

static const char *const modes[] = { "occupancy", "count", "mean", "centroid", "max", "min", "first" };
static const char *const outputs[] = { "dense", "bits", "sparse", "index", "rank" };
static const char *const lies[] = { "spread", "one_voxel", "few_voxels", "all_outside" };
static const VoxelWish any_wish = { ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0 };

static uint64_t
next_seed (Suite *suite)
{
  return suite->seed + (uint64_t) suite->cases++;
}

/* n cases of a wish, as one test. */
static void
check_cases (Suite *suite, const char *name, const VoxelWish *wish, int n)
{
  const int wanted = suite->few ? (n + 9) / 10 : n;
  Test test = { name, "" };
  VoxelCase c;
  int i;

  for (i = 0; i < wanted && test_holds (&test); i++) {
    if (voxel_case_make (&c, wish, next_seed (suite), suite->arena, suite->cpu, &test))
      voxel_case_check (&c, suite->arena, &suite->gpu, &test);
    voxel_case_clear (&c);
  }
  suite->failures += test_end (&test);
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
              : rc_dtype_name ((RcDtype) inputs[i]), modes[mode], outputs[output], rc_dtype_name (dtypes[d]));
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
          snprintf (name, sizeof (name), "voxel_size_%" PRId64 "x%" PRId64 "_%s_%s", batches[b], points[p], modes[mode],
              outputs[output]);
          check_cases (suite, name, &wish, 1);
        }
      }
    }
  }
}

/* What is fast: one dense chunk, aligned, whole words. */
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

    if (suite->small && shapes[i].batch * shapes[i].axis * shapes[i].axis * shapes[i].axis > SMALL_VOXELS)
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
    wish.lie = SPREAD;
    snprintf (name, sizeof (name), "voxel_plain_%zu_%s_%s", i, modes[wish.mode], outputs[wish.output]);
    check_cases (suite, name, &wish, 1);
  }
}

/* What is made in shared memory, of points that are often packed. */
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
      snprintf (name, sizeof (name), "voxel_batch_%" PRId64 "_%s_%s", batches[b], modes[wish.mode], outputs[wish.output]);
      check_cases (suite, name, &wish, 60);
      wish.points = 20000;      /* tiles that several chunks have parts of */
      wish.axis = batches[b] == 1 ? 128 : 64;
      snprintf (name, sizeof (name), "voxel_batch_tiles_%" PRId64 "_%s_%s", batches[b], modes[wish.mode], outputs[wish.output]);
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
            : rc_dtype_name ((RcDtype) inputs[i]), modes[mode], outputs[output]);
        check_cases (suite, name, &wish, 25);
        wish.points = 50000;
        wish.batch = 4;
        wish.features = 5;
        wish.axis = 32;
        snprintf (name, sizeof (name), "voxel_layout_many_%s_%s_%s", inputs[i] < 0 ? "depth"
            : rc_dtype_name ((RcDtype) inputs[i]), modes[mode], outputs[output]);
        check_cases (suite, name, &wish, 2);
      }
    }
  }
}

/* Means of points that stay in place, of which bins have room for few where they crowd. */
static void
check_crowd (Suite *suite, int lie)
{
  VoxelWish wish = any_wish;
  char name[128];

  wish.source = RC_VOXEL_POINTS;
  wish.mode = RC_VOXEL_MEAN;
  wish.output = RC_VOXEL_DENSE;
  wish.points = 20000;
  wish.features = 5;
  wish.axis = 32;
  wish.lie = lie;
  wish.plain = 1;
  snprintf (name, sizeof (name), "voxel_crowd_%s", lies[lie]);
  check_cases (suite, name, &wish, 8);
}

/* Clouds that are no cloud. */
static void
check_lies (Suite *suite)
{
  char name[128];
  int lie, mode;

  for (lie = 0; lie < N_LIES; lie++) {
    for (mode = 0; mode <= RC_VOXEL_FIRST; mode++) {
      VoxelWish wish = any_wish;

      wish.mode = mode;
      wish.lie = lie;
      wish.points = 20000;
      wish.features = mode == RC_VOXEL_MEAN ? 5 : ANY;
      snprintf (name, sizeof (name), "voxel_lie_%s_%s", lies[lie], modes[mode]);
      check_cases (suite, name, &wish, 4);
    }
    check_crowd (suite, lie);
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
      wish.lie = mode % 2 ? SPREAD : ANY;
      snprintf (name, sizeof (name), "voxel_huge_%" PRId64 "_%s", axes[a], modes[mode]);
      check_cases (suite, name, &wish, 5);
    }
    for (output = RC_VOXEL_INDEX; output <= RC_VOXEL_RANK; output++) {
      VoxelWish wish = any_wish;

      wish.output = output;
      wish.axis = axes[a];
      snprintf (name, sizeof (name), "voxel_huge_%" PRId64 "_%s", axes[a], outputs[output]);
      check_cases (suite, name, &wish, 10);
    }
  }
}

/* ---- the same job again and again, and in a graph ---- */

/* A plan of small slabs is made after one of large ones, which goes on having the shared memory that it needs. */
static void
check_other_plan (Suite *suite)
{
  Test test = { "voxel_again_after_another_plan", "" };
  DeviceVoxels device = { 0 };
  RcVoxelPlan *other = NULL;
  VoxelWish wish = any_wish;
  RcFootprint footprint;
  RcVoxelSpec spec;
  RcError error;
  VoxelCase c;

  wish.source = RC_VOXEL_POINTS;
  wish.input = RC_FLOAT32;
  wish.mode = RC_VOXEL_OCCUPANCY;
  wish.output = RC_VOXEL_BITS;
  wish.batch = 8;
  wish.axis = 256;
  wish.points = 1000;
  wish.plain = 1;
  wish.lie = SPREAD;
  if (voxel_case_make (&c, &wish, next_seed (suite), suite->arena, suite->cpu, &test)
      && voxel_case_to_device (&c, suite->arena, &suite->gpu, &device, &test)) {
    spec = c.spec;
    spec.batch = 1;
    spec.grid[0] = spec.grid[1] = spec.grid[2] = 64;
    if (rc_voxel_plan (suite->gpu.backend, &spec, &other, &footprint, &error) != RC_OK)
      test_fail (&test, "%s", error.message);
    else if (voxel_case_enqueue (&c, &device, &suite->gpu, &test)) {
      voxel_case_run_cpu (&c, &test);
      voxel_case_compare (&c, &device, suite->arena, &suite->gpu, &test);
    }
    rc_voxel_plan_free (other);
  }
  voxel_case_leave_device (&device);
  voxel_case_clear (&c);
  suite->failures += test_end (&test);
}

static void
check_again (Suite *suite)
{
  char name[64];
  int mode, i;

  for (mode = 0; mode <= RC_VOXEL_FIRST; mode++) {
    const uint64_t seed = next_seed (suite);
    Test test = { name, "" };
    VoxelWish wish = any_wish;
    VoxelCase c;

    wish.mode = mode;
    wish.output = mode % 2 ? RC_VOXEL_DENSE : RC_VOXEL_SPARSE;
    wish.points = 5000;
    wish.axis = 12;
    snprintf (name, sizeof (name), "voxel_again_%s", modes[mode]);
    for (i = 0; i < (suite->few ? 2 : RUNS) && test_holds (&test); i++) {
      if (voxel_case_make (&c, &wish, seed, suite->arena, suite->cpu, &test))
        voxel_case_check (&c, suite->arena, &suite->gpu, &test);
      voxel_case_clear (&c);
    }
    suite->failures += test_end (&test);
  }
  check_other_plan (suite);
}

/* Captured once and launched twice, the second time on other points. */
static void
check_graph (Suite *suite, const char *name, const VoxelWish *wish)
{
  cudaStream_t stream = suite->gpu.stream;
  cudaGraph_t graph = NULL;
  cudaGraphExec_t ready = NULL;
  Test test = { name, "" };
  DeviceVoxels device = { 0 };
  VoxelCase c;
  int i;

  if (voxel_case_make (&c, wish, next_seed (suite), suite->arena, suite->cpu, &test)
      && voxel_case_to_device (&c, suite->arena, &suite->gpu, &device, &test)) {
    test_expect (&test, cudaStreamBeginCapture (stream, cudaStreamCaptureModeGlobal) == cudaSuccess, "%s",
        voxel_case_text (&c));
    voxel_case_enqueue (&c, &device, &suite->gpu, &test);
    if (cudaStreamEndCapture (stream, &graph) != cudaSuccess || cudaGraphInstantiate (&ready, graph, 0) != cudaSuccess)
      test_fail (&test, "capture: %s (%s)", cudaGetErrorString (cudaGetLastError ()), voxel_case_text (&c));
    for (i = 0; i < 2 && test_holds (&test); i++) {
      if (i == 1 && c.chunks[0].n > 0)
        ((uint8_t *) c.chunks[0].data)[1] ^= 0x55;
      test_expect (&test, arena_upload (suite->arena, stream), "launch %d", i);
      test_expect (&test, cudaGraphLaunch (ready, stream) == cudaSuccess, "launch %d", i);
      voxel_case_run_cpu (&c, &test);
      voxel_case_compare (&c, &device, suite->arena, &suite->gpu, &test);
    }
  }
  cudaGraphExecDestroy (ready);
  cudaGraphDestroy (graph);
  voxel_case_leave_device (&device);
  voxel_case_clear (&c);
  suite->failures += test_end (&test);
}

static void
check_graphs (Suite *suite)
{
  char name[64];
  int mode, output;

  for (mode = 0; mode <= RC_VOXEL_FIRST; mode++) {
    for (output = 0; output <= RC_VOXEL_RANK; output++) {
      VoxelWish wish = any_wish;

      if ((mode == RC_VOXEL_FIRST && output != RC_VOXEL_SPARSE)
          || (output != RC_VOXEL_DENSE && output != RC_VOXEL_SPARSE && mode != RC_VOXEL_OCCUPANCY))
        continue;
      wish.mode = mode;
      wish.output = output;
      snprintf (name, sizeof (name), "voxel_graph_%s_%s", modes[mode], outputs[output]);
      check_graph (suite, name, &wish);
    }
  }
}

/* Two voxels along x, points of x, y, z; a batch of three. */
static RcVoxelSpec
small_spec (void)
{
  RcVoxelSpec spec;
  int axis;

  memset (&spec, 0, sizeof (spec));
  spec.points = (RcVoxelPoints) { RC_FLOAT32, 3, 0, 0 };
  for (axis = 0; axis < 3; axis++) {
    spec.voxel_size[axis] = 1.0;
    spec.grid[axis] = axis == 0 ? 2 : 1;
  }
  spec.mode = RC_VOXEL_COUNT;
  spec.dtype = RC_UINT32;
  spec.batch = 3;
  spec.max_voxels = 2;
  return spec;
}

/* ---- a grid and a scratch that are kept ---- */

/* Some of the points of the only chunk, as a job of that many; all of them for 0. */
static void
take_some_points (VoxelCase *c, DeviceVoxels *device, int64_t all, int i)
{
  c->chunks[0].n = c->job.n_points = device->chunks[0].n = device->job.n_points = i % 3 == 0 ? all : all * (i % 4) / 4;
}

/* Clouds one after another into one grid, which is never cleared; the CPU makes each anew. The grid goes up with the points,
 * and is what the GPU left there before. Plain clouds are of several sizes. */
static void
check_sequence (Suite *suite, const char *name, const VoxelWish *wish)
{
  Test test = { name, "" };
  DeviceVoxels device = { 0 };
  VoxelCase c;
  int i;

  if (voxel_case_make (&c, wish, next_seed (suite), suite->arena, suite->cpu, &test)
      && voxel_case_to_device (&c, suite->arena, &suite->gpu, &device, &test)) {
    const int64_t points = c.chunks[0].n;

    for (i = 0; i < (suite->few ? 4 : 12) && test_holds (&test); i++) {
      if (wish->plain)
        take_some_points (&c, &device, points, i);
      if (i > 0) {
        voxel_case_take_other_points (&c);
        test_expect (&test, arena_upload (suite->arena, suite->gpu.stream), "cloud %d", i);
      }
      if (!voxel_case_enqueue (&c, &device, &suite->gpu, &test))
        break;
      voxel_case_run_cpu (&c, &test);
      voxel_case_compare (&c, &device, suite->arena, &suite->gpu, &test);
      device.job.is_clean = i % 5 != 4;
      device.out.is_known = device.out.occupied != NULL && i % 7 != 6;
    }
  }
  voxel_case_leave_device (&device);
  voxel_case_clear (&c);
  suite->failures += test_end (&test);
}

static void
check_sequences (Suite *suite, const char *what, int mode, int output, int64_t batch, int64_t axis, int plain)
{
  static const RcDtype dtypes[] = { RC_UINT8, RC_UINT32, RC_FLOAT16, RC_FLOAT32 };
  char name[128];
  int d, i;

  for (d = 0; d < 4; d++) {
    for (i = 0; i < (suite->few ? 1 : 4); i++) {
      VoxelWish wish = any_wish;

      wish.mode = mode;
      wish.output = output;
      wish.dtype = (int) dtypes[d];
      wish.batch = batch;
      wish.axis = axis;
      wish.plain = plain;
      if (plain) {
        wish.source = RC_VOXEL_POINTS;
        wish.points = 3000;
        wish.features = 3;
      }
      snprintf (name, sizeof (name), "voxel_kept_%s_%s_%s_%d", what, modes[mode], rc_dtype_name (dtypes[d]), i);
      if (suite->small && dtypes[d] != (mode % 2 ? RC_FLOAT32 : RC_FLOAT16))
        continue;
      if (mode <= RC_VOXEL_COUNT || dtypes[d] == RC_FLOAT16 || dtypes[d] == RC_FLOAT32)
        check_sequence (suite, name, &wish);
    }
  }
}

/* One point, then another: of the grid between them, which the GPU is told is 0 and is not, no byte is written. */
static void
check_cost (Suite *suite, int mode)
{
  enum { VOXELS = 65536 };
  static const float points[2][4] = { {3.0f, 0.0f, 0.0f, 1.0f}, {65535.0f, 0.0f, 0.0f, 2.0f} };
  RcVoxelSpec spec = small_spec ();
  cudaStream_t stream = suite->gpu.stream;
  RcFootprint footprint = { 0, 0 };
  RcVoxelPlan *plan = NULL;
  uint8_t *memory = NULL, *grid = NULL;
  RcError error = { RC_OK, "" };
  char name[64];
  Test test = { name, "" };
  int i, wrong = 0;

  snprintf (name, sizeof (name), "voxel_kept_cost_%s", modes[mode]);
  spec.points = (RcVoxelPoints) { RC_FLOAT32, 4, 3, 1 };
  spec.grid[0] = VOXELS;
  spec.mode = (RcVoxelMode) mode;
  spec.dtype = RC_FLOAT32;
  spec.batch = 1;
  if (rc_voxel_plan (suite->gpu.backend, &spec, &plan, &footprint, &error) != RC_OK)
    test_fail (&test, "plan: %s", error.message);
  else if (cudaMalloc ((void **) &memory, 2 * VOXELS * 16 + footprint.scratch_bytes + footprint.scratch_bytes_per_point)
      != cudaSuccess || (grid = malloc (VOXELS * 12)) == NULL)
    test_fail (&test, "no memory");
  if (test_holds (&test)) {
    const int64_t bytes = rc_voxel_value_bytes (plan), begin = 64 * bytes / VOXELS;
    RcVoxelJob job = { 1, NULL, memory + 2 * VOXELS * 16 };
    RcVoxelOut out = { .grid = memory, .occupied = (uint32_t *) (memory + VOXELS * 16) };
    const RcVoxelChunk chunk = { memory + VOXELS * 31, 1, 16, 0, NULL, 0, NULL };

    for (i = 0; i < 2; i++) {
      cudaMemcpy ((void *) chunk.data, points[i], sizeof (points[i]), cudaMemcpyHostToDevice);
      cudaDeviceSynchronize (); /* for which the stream does not wait */
      if (rc_voxel_begin (plan, &job, stream, &error) != RC_OK || rc_voxel_range (plan, &job, &chunk, stream, &error) != RC_OK
          || rc_voxel_add (plan, &job, &chunk, stream, &error) != RC_OK
          || rc_voxel_end (plan, &job, &out, stream, &error) != RC_OK)
        test_fail (&test, "%s", error.message);
      cudaStreamSynchronize (stream);
      if (i == 0)
        cudaMemset (memory + begin, 0x77, (size_t) (bytes - 2 * begin));
      job.is_clean = out.is_known = 1;
    }
    cudaDeviceSynchronize ();
    cudaMemcpy (grid, memory, (size_t) bytes, cudaMemcpyDeviceToHost);
    for (i = 0; i < (int) bytes; i++)
      wrong += i >= begin && i < bytes - begin ? grid[i] != 0x77 : i < bytes - bytes / VOXELS && grid[i] != 0;
    test_expect (&test, wrong == 0, "%d bytes of %d", wrong, (int) bytes);
  }
  rc_voxel_plan_free (plan);
  cudaFree (memory);
  free (grid);
  suite->failures += test_end (&test);
}

static void
check_kept (Suite *suite)
{
  int mode;

  for (mode = 0; mode <= RC_VOXEL_MIN; mode++) {
    check_sequences (suite, "any", mode, RC_VOXEL_DENSE, ANY, ANY, 0);
    check_sequences (suite, "batch", mode, RC_VOXEL_DENSE, 9, 16, 0);
    check_sequences (suite, "plain", mode, RC_VOXEL_DENSE, 1, 40, 1);
    check_sequences (suite, "plain_batch", mode, RC_VOXEL_DENSE, 8, 32, 1);
    check_sequences (suite, "words", mode, RC_VOXEL_DENSE, 8, 64, 1);  /* a warp takes several words, and many are not needed */
    if (!suite->few)
      check_sequences (suite, "many_words", mode, RC_VOXEL_DENSE, 32, 64, 1);
    check_cost (suite, mode);
  }
  check_sequences (suite, "bits", RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, ANY, ANY, 0);
  check_sequences (suite, "bits_batch", RC_VOXEL_OCCUPANCY, RC_VOXEL_BITS, 9, 40, 0);
  check_sequences (suite, "sparse", RC_VOXEL_MEAN, RC_VOXEL_SPARSE, ANY, ANY, 0);
  check_sequences (suite, "sparse_plain", RC_VOXEL_MEAN, RC_VOXEL_SPARSE, 3, 40, 1);
}

/* ---- what is refused, and what cannot be ---- */

/* What the CPU would refuse, but lies in the device's memory: such an item gets no points of the chunk, as the
 * counters say. */
static void
check_bad_counts (Suite *suite, RcVoxelMode mode, RcVoxelOutput output)
{
  /* N of items, counts of items in two chunks of at most 4 points, points that are added */
  static const struct
  {
    int64_t item_points[3], counts[2][3], added[3];
  } cases[] = {
    {{4, 4, 4}, {{-1, 5, 4}, {0, 2, 0}}, {0, 2, 4}},
    {{3, 8, 9}, {{4, 4, 4}, {3, 4, 1}}, {3, 8, 0}},
    {{-1, 6, 4}, {{0, 4, 2}, {1, 3, 2}}, {0, 4, 4}},
  };
  RcVoxelSpec spec = small_spec ();
  char name[64];
  Test test = { name, "" };
  uint8_t *memory = NULL;
  RcFootprint footprint = { 0, 0 };
  RcVoxelPlan *plan = NULL;
  RcError error;
  size_t i;

  snprintf (name, sizeof (name), "voxel_bad_counts_%s_%s", modes[mode], outputs[output]);
  spec.mode = mode;
  spec.output = output;
  spec.dtype = mode == RC_VOXEL_COUNT ? RC_UINT32 : RC_FLOAT32;
  spec.points.features = mode == RC_VOXEL_MEAN;
  if (rc_voxel_plan (suite->gpu.backend, &spec, &plan, &footprint, &error) != RC_OK)
    test_fail (&test, "plan: %s", error.message);
  if (cudaMalloc ((void **) &memory, 4096 + footprint.scratch_bytes + 8 * footprint.scratch_bytes_per_point)
      != cudaSuccess)
    test_fail (&test, "no memory");
  for (i = 0; i < sizeof (cases) / sizeof (cases[0]) && test_holds (&test); i++) {
    int64_t *counts = (int64_t *) (memory + 512), added = cases[i].added[0] + cases[i].added[1] + cases[i].added[2];
    const int occupied = (cases[i].added[0] > 0) + (cases[i].added[1] > 0) + (cases[i].added[2] > 0);
    RcVoxelCounters *counters = (RcVoxelCounters *) (memory + 1024), got;
    uint32_t *values = (uint32_t *) (memory + 2048), sums[6], sum = 0;
    const RcVoxelJob job = { 8, counts, memory + 4096 };
    const RcVoxelChunk chunks[2] = {
      {memory, 4, 12, 48, counts + 3, 0, counters}, {memory, 4, 12, 48, counts + 6, 0, counters}
    };
    const RcVoxelOut out = { values, 8, (uint32_t *) (memory + 2560), 4, (int32_t *) (memory + 3072), 24, values, 8,
      counters
    };
    int k;

    cudaMemset (memory, 0, 4096);       /* all points in voxel 0 */
    cudaMemcpy (counts, &cases[i], 9 * sizeof (int64_t), cudaMemcpyHostToDevice);
    cudaDeviceSynchronize ();   /* for which the stream does not wait */
    if (rc_voxel_begin (plan, &job, suite->gpu.stream, &error) != RC_OK
        || rc_voxel_range (plan, &job, &chunks[0], suite->gpu.stream, &error) != RC_OK
        || rc_voxel_range (plan, &job, &chunks[1], suite->gpu.stream, &error) != RC_OK
        || rc_voxel_add (plan, &job, &chunks[0], suite->gpu.stream, &error) != RC_OK
        || rc_voxel_add (plan, &job, &chunks[1], suite->gpu.stream, &error) != RC_OK
        || rc_voxel_end (plan, &job, &out, suite->gpu.stream, &error) != RC_OK)
      test_fail (&test, "case %zu: %s", i, error.message);
    cudaStreamSynchronize (suite->gpu.stream);
    cudaMemcpy (&got, counters, sizeof (got), cudaMemcpyDeviceToHost);
    cudaMemcpy (sums, values, sizeof (sums), cudaMemcpyDeviceToHost);
    for (k = 0; k < 6; k++)
      sum += sums[k];
    test_expect (&test, got.points == added && got.inside == added && got.occupied == occupied, "case %zu: %" PRId64
        " points, %" PRId64 " inside, not %" PRId64 "; %" PRId64 " voxels, not %d", i, got.points, got.inside, added,
        got.occupied, occupied);
    test_expect (&test, sum == (mode == RC_VOXEL_COUNT ? added : 0), "case %zu: %u in the grid of %" PRId64 " points", i, sum,
        added);
  }
  rc_voxel_plan_free (plan);
  cudaFree (memory);
  suite->failures += test_end (&test);
}

static void
expect_refusal (Test *test, RcStatus status, const RcError *error, const char *part)
{
  test_expect (test, status == RC_INVALID_ARGUMENT && strstr (error->message, part) != NULL, "status %d, \"%s\" lacks "
      "\"%s\"", (int) status, error->message, part);
}

static void
check_refusals (Suite *suite)
{
  RcVoxelSpec spec = small_spec ();
  Test test = { "voxel_refusals", "" };
  RcFootprint footprint = { 0, 0 };
  RcVoxelPlan *dense = NULL, *sparse = NULL;
  cudaStream_t stream = suite->gpu.stream;
  RcError error = { RC_OK, "" };
  uint8_t *memory = NULL;

  if (rc_voxel_plan (suite->gpu.backend, &spec, &dense, NULL, &error) != RC_OK)
    test_fail (&test, "plan: %s", error.message);
  spec.output = RC_VOXEL_SPARSE;
  if (rc_voxel_plan (suite->gpu.backend, &spec, &sparse, &footprint, &error) != RC_OK
      || cudaMalloc ((void **) &memory, 1 << 20) != cudaSuccess) {
    test_fail (&test, "plan or memory: %s", error.message);
  } else {
    const RcVoxelJob job = { 4, NULL, memory + 65536 };
    const RcVoxelChunk chunk = { memory, 4, 12, 48, NULL, 0, NULL };
    RcVoxelOut out = { memory + 2, 8, (uint32_t *) memory, 4, (int32_t *) memory, 24, memory, 8, NULL };

    expect_refusal (&test, rc_voxel_begin (dense, &job, NULL, &error), &error, "default stream");
    expect_refusal (&test, rc_voxel_begin (dense, &job, cudaStreamLegacy, &error), &error, "default stream");
    expect_refusal (&test, rc_voxel_begin (dense, &job, cudaStreamPerThread, &error), &error, "default stream");
    test_expect (&test, rc_voxel_begin (dense, &job, stream, &error) == RC_OK, "%s", error.message);
    expect_refusal (&test, rc_voxel_add (dense, &job, &chunk, NULL, &error), &error, "default stream");
    expect_refusal (&test, rc_voxel_end (dense, &job, &out, stream, &error), &error, "grid is");
    test_expect (&test, rc_voxel_begin (dense, &job, stream, &error) == RC_OK, "%s", error.message);
    out.grid = memory;
    out.occupied = (uint32_t *) (memory + 1026);
    out.occupied_batch_stride = 4;
    expect_refusal (&test, rc_voxel_end (dense, &job, &out, stream, &error), &error, "occupied is");
    test_expect (&test, rc_voxel_begin (sparse, &job, stream, &error) == RC_OK, "%s", error.message);
    out.values_batch_stride = 9;
    expect_refusal (&test, rc_voxel_end (sparse, &job, &out, stream, &error), &error, "values is");
    test_expect (&test, rc_voxel_begin (sparse, &job, stream, &error) == RC_OK, "%s", error.message);
    out.values_batch_stride = 8;
    out.n_voxels_batch_stride = 6;
    expect_refusal (&test, rc_voxel_end (sparse, &job, &out, stream, &error), &error, "n_voxels is");
    test_expect (&test, rc_voxel_begin (sparse, &job, stream, &error) == RC_OK, "%s", error.message);
    out.n_voxels_batch_stride = 4;
    out.coordinates_batch_stride = 25;
    expect_refusal (&test, rc_voxel_end (sparse, &job, &out, stream, &error), &error, "coordinates is");
    cudaStreamSynchronize (stream);
  }
  rc_voxel_plan_free (dense);
  rc_voxel_plan_free (sparse);
  cudaFree (memory);
  suite->failures += test_end (&test);
}

/* An item that gets no points of a chunk has none in a map either. */
static void
check_bad_counts_of_maps (Suite *suite, RcVoxelOutput output)
{
  static const int64_t counts[6] = { 4, 9, 4, 3, -1, 2 };       /* N of items, then what the chunk is said to have */
  static const int64_t wanted[12] = { 0, 0, 0, -1, -1, -1, -1, -1, 0, 0, -1, -1 };
  RcVoxelSpec spec = small_spec ();
  Test test = { output == RC_VOXEL_INDEX ? "voxel_bad_counts_index" : "voxel_bad_counts_rank", "" };
  RcFootprint footprint = { 0, 0 };
  RcVoxelPlan *plan = NULL;
  uint8_t *memory = NULL;
  int64_t got[12];
  RcError error = { RC_OK, "" };
  int i;

  spec.mode = RC_VOXEL_OCCUPANCY;
  spec.output = output;
  if (rc_voxel_plan (suite->gpu.backend, &spec, &plan, &footprint, &error) != RC_OK
      || cudaMalloc ((void **) &memory, 4096 + footprint.scratch_bytes + 4 * footprint.scratch_bytes_per_point)
      != cudaSuccess) {
    test_fail (&test, "plan or memory: %s", error.message);
  } else {
    const RcVoxelJob job = { 4, (int64_t *) (memory + 512), memory + 4096, (int64_t *) (memory + 2048), 32, 0 };
    const RcVoxelChunk chunk = { memory, 4, 12, 48, (int64_t *) (memory + 536), 0, NULL };
    RcVoxelJob crooked = job;
    RcVoxelOut out;

    memset (&out, 0, sizeof (out));
    cudaMemset (memory, 0, 4096);       /* all points in voxel 0 */
    cudaMemcpy (memory + 512, counts, sizeof (counts), cudaMemcpyHostToDevice);
    cudaDeviceSynchronize ();   /* for which the stream does not wait */
    test_expect (&test, rc_voxel_begin (plan, &job, suite->gpu.stream, &error) == RC_OK
        && rc_voxel_add (plan, &job, &chunk, suite->gpu.stream, &error) == RC_OK
        && rc_voxel_end (plan, &job, &out, suite->gpu.stream, &error) == RC_OK, "%s", error.message);
    cudaStreamSynchronize (suite->gpu.stream);
    cudaMemcpy (got, memory + 2048, sizeof (got), cudaMemcpyDeviceToHost);
    for (i = 0; i < 12; i++)
      test_expect (&test, got[i] == wanted[i], "point %d of item %d is in %" PRId64 ", not %" PRId64, i % 4, i / 4,
          got[i], wanted[i]);
    crooked.point_voxels_batch_stride = 36;
    expect_refusal (&test, rc_voxel_begin (plan, &crooked, suite->gpu.stream, &error), &error, "point_voxels is");
  }
  rc_voxel_plan_free (plan);
  cudaFree (memory);
  suite->failures += test_end (&test);
}

static void
check_wrong (Suite *suite)
{
  check_bad_counts (suite, RC_VOXEL_COUNT, RC_VOXEL_DENSE);
  check_bad_counts (suite, RC_VOXEL_COUNT, RC_VOXEL_SPARSE);
  check_bad_counts (suite, RC_VOXEL_MEAN, RC_VOXEL_DENSE);
  check_bad_counts (suite, RC_VOXEL_MEAN, RC_VOXEL_SPARSE);
  check_bad_counts_of_maps (suite, RC_VOXEL_INDEX);
  check_bad_counts_of_maps (suite, RC_VOXEL_RANK);
  check_refusals (suite);
}

static const struct
{
  const char *name;
  void (*check) (Suite * suite);
} sections[] = {
  {"kinds", check_kinds},
  {"sizes", check_sizes},
  {"plain", check_plain},
  {"batches", check_batches},
  {"layouts", check_layouts},
  {"lies", check_lies},
  {"huge", check_huge},
  {"again", check_again},
  {"graphs", check_graphs},
  {"kept", check_kept},
  {"wrong", check_wrong},
};

int
main (int argc, char **argv)
{
  const RcWhere there = { RC_BACKEND_CUDA, 0, RC_CPU_BEST, 0 };
  const RcWhere here = { RC_BACKEND_CPU, 0, RC_CPU_BEST, 0 };
  Suite suite = {.seed = 20260305 };
  const char *only = NULL;
  RcError error;
  size_t s;
  int i;

  if (argc == 2 && strcmp (argv[1], "--sections") == 0) {
    for (s = 0; s < sizeof (sections) / sizeof (sections[0]); s++)
      puts (sections[s].name);
    return 0;
  }
  for (i = 1; i < argc; i++) {
    if (strcmp (argv[i], "--seed") == 0 && i + 1 < argc)
      suite.seed = strtoull (argv[++i], NULL, 10);
    else if (strcmp (argv[i], "--only") == 0 && i + 1 < argc)
      only = argv[++i];
    suite.gpu.separate |= strcmp (argv[i], "--separate") == 0;
    suite.small |= strcmp (argv[i], "--small") == 0;
    suite.few |= suite.small || strcmp (argv[i], "--few") == 0;
  }
  if (rc_backend_open (&here, &suite.cpu, &error) != RC_OK) {
    printf ("FAIL voxel_open_cpu: %s\n", error.message);
    return 1;
  }
  if (rc_backend_open (&there, &suite.gpu.backend, &error) != RC_OK) {
    test_skip ("voxel_gpu", error.message);
    rc_backend_close (suite.cpu);
    return error.status == RC_NO_DEVICE ? 0 : 1;
  }
  printf ("seed %" PRIu64 "\n", suite.seed);
  cudaSetDevice (0);
  if (cudaStreamCreateWithFlags (&suite.gpu.stream, cudaStreamNonBlocking) != cudaSuccess
      || (suite.arena = arena_new (ARENA_BYTES, &suite.gpu)) == NULL) {
    printf ("FAIL voxel_memory: no stream or no memory\n");
    return 1;
  }
  for (s = 0; s < sizeof (sections) / sizeof (sections[0]); s++) {
    if (only == NULL || strcmp (only, sections[s].name) == 0)
      sections[s].check (&suite);
  }
  printf ("%d cases compared from seed %" PRIu64 "\n", suite.cases, suite.seed);
  arena_free (suite.arena);
  cudaStreamDestroy (suite.gpu.stream);
  rc_backend_close (suite.gpu.backend);
  rc_backend_close (suite.cpu);
  return suite.failures != 0;
}
