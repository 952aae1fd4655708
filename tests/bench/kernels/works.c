/* robocache: the works of bench-kernels and bench-check
 * Works that are `alone` are there for a kernel, or a kind of input; no other library is measured on them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/kernels/works.h"

#include <stdio.h>
#include <string.h>

#include "tests/bench/kernels/host.h"

#define SMALL "small"           /* moves less than 10 MB: launches and first misses count */
#define MEDIUM "medium"         /* fits the L2 of a large GPU */
#define LARGE "large"

#define U8 RC_UINT8
#define U32 RC_UINT32
#define F16 RC_FLOAT16
#define BF16 RC_BFLOAT16
#define F32 RC_FLOAT32
#define F64 RC_FLOAT64

#define ROWS(...) .align = {__VA_ARGS__}
#define GRID(clouds, points, axis, mode, output, type, ...) \
  .is_voxels = 1, .voxels = {clouds, points, axis, RC_VOXEL_ ## mode, RC_VOXEL_ ## output, type, __VA_ARGS__}
#define ALONE .alone = 1
#define IMAGE .width = 640, .height = 480

#define PILLARS_OF(points, ...) GRID (1, points, 1, PILLARS, SPARSE, F16, .features = 1, .max_points = 32, .max_voxels = 40000, .scan = __VA_ARGS__)
#define FIRST_OF(points, ...) GRID (1, points, 1, FIRST, SPARSE, F32, .features = 1, .max_points = 32, .max_voxels = 40000, .scan = __VA_ARGS__)

const BenchWork bench_works[] = {
  /* one stream */
  {"resample 32x500 -> 256x256, bfloat16", MEDIUM, 5, ROWS (32, 256, BF16, BF16, {{500, 256}})},
  {"resample 32x500 -> 256x256, bfloat16, cubic", MEDIUM, 6.5, ROWS (32, 256, BF16, BF16, {{500, 256}}, RC_CUBIC)},
  {"resample 32x500 -> 256x256, float32", MEDIUM, ROWS (32, 256, F32, F32, {{500, 256}})},
  {"resample 16x4096 -> 1024x32, float32", SMALL, 4, ROWS (16, 1024, F32, F32, {{4096, 32}})},
  {"resample 1x60000 -> 6000x14, float32", SMALL, ROWS (1, 6000, F32, F32, {{60000, 14}})},
  {"resample 64x4096 -> 1024x32, bfloat16", MEDIUM, 5.5, ROWS (64, 1024, BF16, BF16, {{4096, 32}})},
  {"resample 256x500 -> 250x32, bfloat16", MEDIUM, 5.2, ROWS (256, 250, BF16, BF16, {{500, 32}})},
  {"resample 256x4096 -> 2048x64, float32", LARGE, 112, ROWS (256, 2048, F32, F32, {{4096, 64}})},
  {"resample 256x4096 -> 2048x64, float32, nearest", LARGE, ROWS (256, 2048, F32, F32, {{4096, 64}}, RC_NEAREST)},
  {"resample 256x4096 -> 2048x64, float32, cubic", LARGE, 146, ROWS (256, 2048, F32, F32, {{4096, 64}}, RC_CUBIC)},
  {"resample 256x4096 -> 2048x64, float32, hermite", LARGE, 146, ROWS (256, 2048, F32, F32, {{4096, 64}}, RC_HERMITE)},
  {"resample 256x4096 -> 2048x64, float32, 4 quaternions", LARGE, 280,
    ROWS (256, 2048, F32, F32, {{4096, 64}}, .quaternions = 4)},
  {"resample 256x4096 -> 2048x64, float32, 16 quaternions", LARGE, 280,
    ROWS (256, 2048, F32, F32, {{4096, 64}}, .quaternions = 16)},
  {"resample 256x4096 -> 2048x64, float32, mean", LARGE, ROWS (256, 2048, F32, F32, {{4096, 64}}, RC_MEAN)},
  {"resample 256x4096 -> 2048x64, bfloat16", LARGE, ROWS (256, 2048, BF16, BF16, {{4096, 64}})},
  {"resample 256x4096 -> 2048x64, bfloat16, cubic", LARGE, ROWS (256, 2048, BF16, BF16, {{4096, 64}}, RC_CUBIC)},
  {"resample 256x4096 -> 2048x64, float32 to bfloat16", LARGE, ROWS (256, 2048, F32, BF16, {{4096, 64}})},
  {"resample 256x4096 -> 2048x64, float16", LARGE, ROWS (256, 2048, F16, F16, {{4096, 64}})},
  {"resample 256x4096 -> 2048x64, float64", LARGE, ROWS (256, 2048, F64, F64, {{4096, 64}})},
  {"resample 256x1000 -> 500x14, float32", MEDIUM, ROWS (256, 500, F32, F32, {{1000, 14}})},
  {"resample 256x1000 -> 500x7, float32", MEDIUM, ROWS (256, 500, F32, F32, {{1000, 7}})},
  {"resample 1x100000 -> 100000x64, float32", MEDIUM, ROWS (1, 100000, F32, F32, {{100000, 64}})},
  {"resample 64x500 -> 250x64, float64 to float16", MEDIUM, ALONE, ROWS (64, 250, F64, F16, {{500, 64}})},
  {"resample 64x500 -> 250x64, int32 to float64", MEDIUM, ALONE, ROWS (64, 250, RC_INT32, F64, {{500, 64}})},
  {"resample 64x4096 -> 1024x16, int16 to float32", MEDIUM, ALONE, ROWS (64, 1024, RC_INT16, F32, {{4096, 16}})},
  {"resample 64x4096 -> 1024x16, int16 to float32, cubic", MEDIUM, ALONE, ROWS (64, 1024, RC_INT16, F32, {{4096, 16}}, RC_CUBIC)},
  {"resample 64x4096 -> 1024x16, float32 to bfloat16, 2 quaternions", MEDIUM, ALONE,
    ROWS (64, 1024, F32, BF16, {{4096, 16}}, .quaternions = 2)},
  {"resample 64x500 -> 250x64, float32 to float16", MEDIUM, ALONE, ROWS (64, 250, F32, F16, {{500, 64}})},
  {"resample 64x500 -> 250x64, uint8", SMALL, ALONE, ROWS (64, 250, U8, U8, {{500, 64}})},
  {"resample 64x500 -> 250x64, float64, cubic", MEDIUM, ALONE, ROWS (64, 250, F64, F64, {{500, 64}}, RC_CUBIC)},
  {"resample 64x500 -> 250x64, float64, 4 quaternions", MEDIUM, ALONE, ROWS (64, 250, F64, F64, {{500, 64}}, .quaternions = 4)},
  {"resample 64x500 -> 250x64, float16, mean", SMALL, ALONE, ROWS (64, 250, F16, F16, {{500, 64}}, RC_MEAN)},
  {"resample 64x500 -> 250x64, float16, 4 quaternions", SMALL, ALONE, ROWS (64, 250, F16, F16, {{500, 64}}, .quaternions = 4)},
  {"resample 64x500 -> 250x64, bfloat16, 4 quaternions, cubic", SMALL, ALONE,
    ROWS (64, 250, BF16, BF16, {{500, 64}}, RC_CUBIC, .quaternions = 4)},
  {"resample 64x500 -> 250x64, float32, 4 quaternions, cubic", MEDIUM, ALONE,
    ROWS (64, 250, F32, F32, {{500, 64}}, RC_CUBIC, .quaternions = 4)},
  /* several streams, and live ticks */
  {"fuse 4x(30x512 + 100x64 + 200x12) -> 50, bfloat16", SMALL, 3.5, ROWS (4, 50, BF16, BF16, {{30, 512}, {100, 64}, {200, 12}})},
  {"fuse 128x(150x512 + 500x14 + 1665x6) -> 250, bfloat16", MEDIUM, 18,
    ROWS (128, 250, BF16, BF16, {{150, 512}, {500, 14}, {1665, 6}})},
  {"fuse 256x(300x768 + 1000x14 + 3330x6) -> 500, bfloat16", LARGE, 92,
    ROWS (256, 500, BF16, BF16, {{300, 768}, {1000, 14}, {3330, 6}})},
  {"fuse 256x(300x768 + 1000x14 + 3330x6) -> 500, bfloat16, cubic", LARGE, 120,
    ROWS (256, 500, BF16, BF16, {{300, 768}, {1000, 14}, {3330, 6}}, RC_CUBIC)},
  {"fuse 256x(100x512 + 200x128 + 300x64) -> 128, bfloat16", LARGE, 27,
    ROWS (256, 128, BF16, BF16, {{100, 512}, {200, 128}, {300, 64}})},
  {"fuse 256x(100x512 + 200x128 + 300x64) -> 128, float32", LARGE,
    ROWS (256, 128, F32, F32, {{100, 512}, {200, 128}, {300, 64}})},
  {"fuse 16x(8 of 200x64) -> 100, float32", SMALL, ALONE, ROWS (16, 100, F32, F32, {{200, 64, 8}})},
  {"fuse 16x(8 of 200x64) -> 100, float32, cubic", SMALL, ALONE, ROWS (16, 100, F32, F32, {{200, 64, 8}}, RC_CUBIC)},
  {"fuse 16x(40 of 100x64) -> 50, bfloat16", MEDIUM, ALONE, ROWS (16, 50, BF16, BF16, {{100, 64, 40}})},
  {"one live tick of 14 + 6 channels, float32", SMALL, ROWS (1, 1, F32, F32, {{4, 14}, {4, 6}}, .live = 1)},
  {"one live frame of 640x480x3, uint8", SMALL, ROWS (1, 1, U8, U8, {{4, 921600}}, RC_NEAREST, .live = 1)},
  {"one live tick of 16 frames of 320x240x3, uint8", SMALL, ALONE, ROWS (1, 1, U8, U8, {{4, 230400, 16}}, RC_NEAREST, .live = 1)},
  /* voxel grids */
  {"occupancy 8 x 50,000, 64^3, float32", MEDIUM, 5.5, GRID (8, 50000, 64, OCCUPANCY, DENSE, F32)},
  {"occupancy 32 x 100,000, 128^3, float32", LARGE, 82, GRID (32, 100000, 128, OCCUPANCY, DENSE, F32)},
  {"occupancy 32 x 100,000 in a thousandth of 128^3, float32", LARGE, GRID (32, 100000, 128, OCCUPANCY, DENSE, F32, .side = 0.1)},
  {"occupancy 32 x 100,000, 128^3, uint8", LARGE, 34, GRID (32, 100000, 128, OCCUPANCY, DENSE, U8)},
  {"occupancy 32 x 100,000, 128^3, bits", MEDIUM, 20, GRID (32, 100000, 128, OCCUPANCY, BITS, U8)},
  {"occupancy 64 x 200,000, 256^3, float32", LARGE, 1050, GRID (64, 200000, 256, OCCUPANCY, DENSE, F32)},
  {"occupancy 64 x 200,000, 256^3, uint8", LARGE, 320, GRID (64, 200000, 256, OCCUPANCY, DENSE, U8)},
  {"occupancy 64 x 200,000, 256^3, bits", LARGE, 140, GRID (64, 200000, 256, OCCUPANCY, BITS, U8)},
  {"occupancy 64 x 200,000, 256^3, float32, kept", LARGE, 350, GRID (64, 200000, 256, OCCUPANCY, DENSE, F32, .kept = 1)},
  {"occupancy 64 x 200,000 of a room, 256^3, float32", LARGE, GRID (64, 200000, 256, OCCUPANCY, DENSE, F32, .room = 1)},
  {"occupancy 64 x 200,000 of a room, 256^3, float32, kept", LARGE,
    GRID (64, 200000, 256, OCCUPANCY, DENSE, F32, .room = 1, .kept = 1)},
  {"occupancy 1 x 500,000, 128^3, float32", MEDIUM, GRID (1, 500000, 128, OCCUPANCY, DENSE, F32)},
  {"count 8 x 50,000, 64^3, float32", MEDIUM, GRID (8, 50000, 64, COUNT, DENSE, F32)},
  {"mean of 8, 1 x 500,000, 128^3, float32", LARGE, 60, GRID (1, 500000, 128, MEAN, DENSE, F32, .features = 8)},
  {"mean of 8, 1 x 500,000, 128^3, float32, kept", MEDIUM, GRID (1, 500000, 128, MEAN, DENSE, F32, .features = 8, .kept = 1)},
  {"sparse, mean of 4, 1 x 250,000, 128^3", MEDIUM, 60, GRID (1, 250000, 128, MEAN, SPARSE, F32, .features = 4)},
  {"sparse, mean of 4, 1 x 250,000, 512^3", MEDIUM, 60, GRID (1, 250000, 512, MEAN, SPARSE, F32, .features = 4)},
  {"sparse, mean of 4, 1 x 250,000, 2048^3", MEDIUM, 100, GRID (1, 250000, 2048, MEAN, SPARSE, F32, .features = 4)},
  {"index of 126,891 points, 0.1 m", SMALL, 4, GRID (1, 126891, 1024, OCCUPANCY, INDEX, U8, .voxel_m = 0.1)},
  {"rank of 126,891 points, 0.1 m", SMALL, 50, GRID (1, 126891, 1024, OCCUPANCY, RANK, U8, .voxel_m = 0.1)},
  {"first 10 points, 1 x 126,891, 128^3", MEDIUM, GRID (1, 126891, 128, FIRST, SPARSE, F32, .features = 1, .max_points = 10)},
  {"pillars of 10 points, 1 x 126,891, 128^3", MEDIUM, ALONE, GRID (1, 126891, 128, PILLARS, SPARSE, F32, .features = 1, .max_points = 10)},
  /* lidars, with their own peers */
  {"first 4 points, 1 x 500,000, 40^3", MEDIUM, GRID (1, 500000, 40, FIRST, SPARSE, F32, .features = 1, .max_points = 4, .max_voxels = 64000)},
  {"first 32 points, a KITTI scan of 121,600", MEDIUM, FIRST_OF (121600, BENCH_KITTI)},
  {"first 32 points, a nuScenes sweep of 34,720", MEDIUM, FIRST_OF (34720, BENCH_NUSCENES (1))},
  {"first 32 points, 8 nuScenes sweeps of 277,760", MEDIUM, FIRST_OF (277760, BENCH_NUSCENES (8))},
  {"pillars of 32 points, a KITTI scan of 121,600", MEDIUM, PILLARS_OF (121600, BENCH_KITTI)},
  {"pillars of 32 points, a nuScenes sweep of 34,720", MEDIUM, PILLARS_OF (34720, BENCH_NUSCENES (1))},
  {"pillars of 32 points, 8 nuScenes sweeps of 277,760", MEDIUM, PILLARS_OF (277760, BENCH_NUSCENES (8))},
  {"first 3 points, a KITTI scan of 121,600", MEDIUM, ALONE,
    GRID (1, 121600, 1, FIRST, SPARSE, F32, .features = 1, .max_points = 3, .max_voxels = 40000, .scan = BENCH_KITTI)},
  /* voxel grids of images, other types, chunks and windows */
  {"occupancy of 8 depth images of 640x480, 128^3, uint8", MEDIUM, ALONE, GRID (8, 0, 128, OCCUPANCY, DENSE, U8, IMAGE)},
  {"occupancy of 8 distorted depth images of 640x480, 128^3, bits", SMALL, ALONE,
    GRID (8, 0, 128, OCCUPANCY, BITS, U8, IMAGE, .distorts = 1)},
  {"centroid of a depth image of 640x480, 128^3, float32", MEDIUM, ALONE, GRID (1, 0, 128, CENTROID, DENSE, F32, IMAGE)},
  {"count of a distorted depth image of 640x480, 64^3, float32", SMALL, ALONE,
    GRID (1, 0, 64, COUNT, DENSE, F32, IMAGE, .distorts = 1)},
  {"sparse, centroid of a depth image of 640x480, 512^3", SMALL, ALONE, GRID (1, 0, 512, CENTROID, SPARSE, F32, IMAGE)},
  {"occupancy 8 x 50,000 of float64, 64^3, float32", MEDIUM, ALONE, GRID (8, 50000, 64, OCCUPANCY, DENSE, F32, .in = F64)},
  {"occupancy 8 x 50,000 of float16, 64^3, float16", SMALL, ALONE, GRID (8, 50000, 64, OCCUPANCY, DENSE, F16, .in = F16)},
  {"mean of 4 colours of uint8, 1 x 250,000, 128^3, float32", MEDIUM, ALONE,
    GRID (1, 250000, 128, MEAN, DENSE, F32, .feature_in = U8, .features = 4)},
  {"sparse, mean of 4 of float64, 1 x 250,000, 512^3", MEDIUM, ALONE,
    GRID (1, 250000, 512, MEAN, SPARSE, F32, .in = F64, .features = 4)},
  {"occupancy 1 x 100,000, 64^3, float32", SMALL, ALONE, GRID (1, 100000, 64, OCCUPANCY, DENSE, F32)},
  {"occupancy 1 x 100,000, 64^3, bits", SMALL, ALONE, GRID (1, 100000, 64, OCCUPANCY, BITS, U8)},
  {"occupancy 32 x 100,000, half of the points outside, 128^3, uint8", LARGE, ALONE,
    GRID (32, 100000, 128, OCCUPANCY, DENSE, U8, .side = 1.26)},
  {"occupancy 8 x 50,000 in 4 chunks, 128^3, uint8", MEDIUM, ALONE, GRID (8, 50000, 128, OCCUPANCY, DENSE, U8, .n_chunks = 4)},
  {"centroid 1 x 250,000, 128^3, float32", MEDIUM, ALONE, GRID (1, 250000, 128, CENTROID, DENSE, F32)},
  {"max of 2, 1 x 250,000, 128^3, float32", MEDIUM, ALONE, GRID (1, 250000, 128, MAX, DENSE, F32, .features = 2)},
  {"min of 2, 1 x 250,000, 64^3, float16", SMALL, ALONE, GRID (1, 250000, 64, MIN, DENSE, F16, .features = 2)},
  {"mean of 4 up to 1, 1 x 200,000, 64^3, float32", SMALL, ALONE,
    GRID (1, 200000, 64, MEAN, DENSE, F32, .features = 4, .feature_range = 1)},
  {"mean of 4 in 2 chunks, 1 x 200,000, 64^3, float32", SMALL, ALONE,
    GRID (1, 200000, 64, MEAN, DENSE, F32, .features = 4, .n_chunks = 2)},
  {"mean of 4 in 2 chunks of one range, 1 x 200,000, 64^3, float32", SMALL, ALONE,
    GRID (1, 200000, 64, MEAN, DENSE, F32, .features = 4, .ranges_whole = 1, .n_chunks = 2)},
  {"sparse, occupancy 1 x 250,000, 128^3", SMALL, ALONE, GRID (1, 250000, 128, OCCUPANCY, SPARSE, U8)},
  {"sparse, count 1 x 250,000, 128^3", SMALL, ALONE, GRID (1, 250000, 128, COUNT, SPARSE, U32)},
  {"sparse, max of 2, 1 x 250,000, 512^3", MEDIUM, ALONE, GRID (1, 250000, 512, MAX, SPARSE, F32, .features = 2)},
  {"sparse, count 1 x 126,891, 4096^3", SMALL, ALONE, GRID (1, 126891, 4096, COUNT, SPARSE, U32)},
  {"sparse, mean of 4, 1 x 126,891, 4096^3", SMALL, ALONE, GRID (1, 126891, 4096, MEAN, SPARSE, F32, .features = 4)},
  {"rank of 126,891 points, 4096^3", SMALL, ALONE, GRID (1, 126891, 4096, OCCUPANCY, RANK, U8)},
  {"rank of a window of 8 x 50,000, 128^3", SMALL, ALONE, GRID (1, 50000, 128, OCCUPANCY, RANK, U8, .window = 8)},
  {"occupancy of a window of 8 x 50,000, 128^3, uint8", SMALL, ALONE, GRID (1, 50000, 128, OCCUPANCY, DENSE, U8, .window = 8)},
  {"occupancy of a window of 8 x 50,000, 128^3, bits", SMALL, ALONE, GRID (1, 50000, 128, OCCUPANCY, BITS, U8, .window = 8)},
  {"centroid of a window of 8 depth images of 640x480, 64^3, float32", SMALL, ALONE,
    GRID (1, 0, 64, CENTROID, DENSE, F32, IMAGE, .window = 8)},
  {"mean of 4 of a window of 8 x 50,000, 64^3, float32", SMALL, ALONE,
    GRID (1, 50000, 64, MEAN, DENSE, F32, .features = 4, .feature_range = 1, .window = 8)},
  {"sparse, mean of 4 of a window of 8 x 50,000, 128^3", MEDIUM, ALONE,
    GRID (1, 50000, 128, MEAN, SPARSE, F32, .features = 4, .feature_range = 1, .window = 8)},
  {"max of 4 of a window of 8 x 50,000, 64^3, float32", SMALL, ALONE,
    GRID (1, 50000, 64, MAX, DENSE, F32, .features = 4, .window = 8)},
};

const int bench_n_works = (int) (sizeof (bench_works) / sizeof (bench_works[0]));

int
bench_wants (const BenchFilter *filter, const BenchWork *work)
{
  int is_named = filter->n_only == 0;

  for (int i = 0; i < filter->n_only; i++)
    is_named |= strstr (work->name, filter->only[i]) != NULL;
  return is_named && (filter->size == NULL || strcmp (filter->size, work->size) == 0)
      && (work->wanted_us > 0 || !filter->wanted) && !(work->is_voxels ? filter->no_voxels : filter->no_alignments);
}

int
bench_filter_add (BenchFilter *filter, int argc, char **argv, int *i)
{
  int *const flag = strcmp (argv[*i], "--alignments") == 0 ? &filter->no_voxels : strcmp (argv[*i], "--voxels") == 0
      ? &filter->no_alignments : strcmp (argv[*i], "--wanted") == 0 ? &filter->wanted : NULL;

  if (flag != NULL)
    return *flag = 1;
  if (bench_option (argc, argv, i, "--size", &filter->size))
    return strcmp (filter->size, SMALL) == 0 || strcmp (filter->size, MEDIUM) == 0 || strcmp (filter->size, LARGE) == 0;
  if (filter->n_only == BENCH_MAX_ONLY || !bench_option (argc, argv, i, "--only", &filter->only[filter->n_only]))
    return 0;
  return ++filter->n_only;
}

int
bench_filter_is_empty (const BenchFilter *filter)
{
  for (int i = 0; i < bench_n_works; i++) {
    if (bench_wants (filter, &bench_works[i]))
      return 0;
  }
  fprintf (stderr, "no work of this size and kind has such a name\n");
  return 1;
}
