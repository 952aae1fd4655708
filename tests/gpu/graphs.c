/* robocache: runs that are captured in CUDA graphs have the same bits, launch after launch
 *   graphs --gpu [--seed N] [--separate] [--only SECTION]      see tests/kernels/suite.h
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_runtime_api.h>
#include <inttypes.h>

#include "tests/kernels/align/case.h"
#include "tests/kernels/voxel/case.h"

#define ARENA_BYTES ((size_t) 256 << 20)

/* A captured case: launched twice, the second time with one byte of its input changed. */
typedef struct
{
  cudaGraph_t graph;
  cudaGraphExec_t ready;
} Captured;

static void
capture_begin (const Place *gpu, Test *test)
{
  test_expect (test, cudaStreamBeginCapture (gpu->stream, cudaStreamCaptureModeGlobal) == cudaSuccess, "capture");
}

static Captured
capture_end (const Place *gpu, Test *test)
{
  Captured captured = { NULL, NULL };

  if (cudaStreamEndCapture (gpu->stream, &captured.graph) != cudaSuccess
      || cudaGraphInstantiate (&captured.ready, captured.graph, 0) != cudaSuccess)
    test_fail (test, "capture: %s", cudaGetErrorString (cudaGetLastError ()));
  return captured;
}

static void
launch (const Captured *captured, const Place *gpu, Test *test)
{
  test_expect (test, cudaGraphLaunch (captured->ready, gpu->stream) == cudaSuccess, "launch");
}

static void
captured_clear (Captured *captured)
{
  cudaGraphExecDestroy (captured->ready);
  cudaGraphDestroy (captured->graph);
}

static void
check_alignment (Suite *suite, const char *name, const AlignWish *wish)
{
  const Place *gpu = &suite->places[0];
  Captured captured = { NULL, NULL };
  PlacedAlign placed = { NULL };
  Test test = test_begin ("%s", name);
  static AlignCase c;
  RcError error;
  int i;

  align_case_make (&c, wish, suite_next_seed (suite), suite->arena);
  if (align_place (&c, suite->arena, gpu, &placed, &test)) {
    capture_begin (gpu, &test);
    is_ok (rc_align_run (placed.plan, &placed.args, gpu->stream, &error), &error, &test);
    captured = capture_end (gpu, &test);
    for (i = 0; i < 2 && test_holds (&test); i++) {
      uint8_t *rows = (uint8_t *) c.streams[0].rows;

      if (i == 1 && rows != NULL && c.streams[0].n_rows > 0)
        rows[0] ^= 0x55;
      arena_upload (suite->arena, gpu, &test);
      launch (&captured, gpu, &test);
      align_run_reference (&c, &suite->reference, &test);
      arena_compare (suite->arena, placed.place, align_case_text (&c), &test);
    }
  }
  captured_clear (&captured);
  align_leave (&placed, &test);
  suite_end (suite, &test);
}

static void
check_alignments (Suite *suite)
{
  AlignWish wish = { ANY_DTYPE, ANY_DTYPE, ANY_INTERPOLATION, 1, RANDOM_SIZE, RANDOM_SIZE, RANDOM_SIZE, RANDOM_SIZE };

  check_alignment (suite, "graph_of_one_stream", &wish);
  wish.n_streams = 40;
  check_alignment (suite, "graph_of_40_streams", &wish);
  wish.rows = 4500;
  wish.channels = 12;
  check_alignment (suite, "graph_of_40_long_streams", &wish);
}

static void
check_grid (Suite *suite, const char *name, const VoxelWish *wish)
{
  const Place *gpu = &suite->places[0];
  Captured captured = { NULL, NULL };
  PlacedVoxels placed = { NULL };
  Test test = test_begin ("%s", name);
  VoxelCase c;
  int i;

  if (voxel_case_make (&c, wish, suite_next_seed (suite), suite, &test)
      && voxels_place (&c, suite->arena, gpu, &placed, &test)) {
    capture_begin (gpu, &test);
    voxels_enqueue (&c, &placed, &test);
    captured = capture_end (gpu, &test);
    for (i = 0; i < 2 && test_holds (&test); i++) {
      if (i == 1 && c.chunks[0].n > 0)
        ((uint8_t *) c.chunks[0].data)[1] ^= 0x55;
      arena_upload (suite->arena, gpu, &test);
      launch (&captured, gpu, &test);
      voxel_case_expect (&c, suite, 0, &test);
      arena_compare (suite->arena, placed.place, voxel_case_text (&c), &test);
    }
  }
  captured_clear (&captured);
  voxels_leave (&placed, &test);
  voxel_case_clear (&c);
  suite_end (suite, &test);
}

static void
check_grids (Suite *suite)
{
  char name[64];
  int mode, output;

  for (mode = 0; mode <= RC_VOXEL_PILLARS; mode++) {
    for (output = 0; output <= RC_VOXEL_RANK; output++) {
      const VoxelWish wish = { ANY, ANY, mode, output, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0 };

      if ((rc_voxel_lists_points ((RcVoxelMode) mode) && output != RC_VOXEL_SPARSE)
          || (output != RC_VOXEL_DENSE && output != RC_VOXEL_SPARSE && mode != RC_VOXEL_OCCUPANCY))
        continue;
      snprintf (name, sizeof (name), "graph_%s_%s", voxel_modes[mode], voxel_outputs[output]);
      check_grid (suite, name, &wish);
    }
  }
}

int
main (int argc, char **argv)
{
  static const Section sections[] = { {"alignments", check_alignments}, {"grids", check_grids} };

  return suite_main ("graphs", argc, argv, sections, COUNT (sections), 20260401, ARENA_BYTES);
}
