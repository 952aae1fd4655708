/* robocache: what benchmarks of kernels compute
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/align.h"
#include "kernels/voxel.h"

#define BENCH_MAX_STREAMS 64
#define BENCH_MAX_ONLY 16

/* Rows have a jitter of a third of their period, within one second. */
typedef struct
{
  int64_t batch, ticks;
  RcDtype in, out;
  struct
  {
    int64_t rows, channels, n;  /* n equal streams; 0: one */
  } streams[3];
  RcInterpolation interpolation;        /* hermite: the second half of the channels are rates of the first half */
  int64_t quaternions;          /* from channel 0 on */
  int live;                     /* brackets of one tick, found in advance */
} BenchAlignment;

/* A lidar that turns, above a street with walls: its beams, and the part of the world that has a grid. */
typedef struct
{
  int64_t beams, columns, sweeps;       /* points: their product; sweeps are half a metre apart */
  double lowest_deg, highest_deg, height_m;
  int by_beam;                  /* points come beam by beam; else column by column */
  int64_t grid[3];
  double origin[3], size[3];    /* metres */
} BenchScan;

/* Beams and grids of two data sets; KITTI's files have beam after beam. */
#define BENCH_KITTI &(const BenchScan) {64, 1900, 1, -24.9, 2.0, 1.73, 1, {432, 496, 1}, {0, -39.68, -3}, {0.16, 0.16, 4}}
#define BENCH_NUSCENES(sweeps) \
  &(const BenchScan) {32, 1085, sweeps, -30.67, 10.67, 1.84, 0, {512, 512, 1}, {-51.2, -51.2, -5}, {0.2, 0.2, 8}}

/* Points x, y, z and features in [0, 1) or [-1, 1), all of them inside the grid except where float16 rounds, or side is above 1. */
typedef struct
{
  int64_t clouds, points, axis; /* points of a cloud; voxels along each of the three axes */
  RcVoxelMode mode;
  RcVoxelOutput output;
  RcDtype type;
  int64_t width, height;        /* of depth images in place of points; 0: points */
  int distorts;                 /* the lens of the images */
  RcDtype in, feature_in;       /* of x, y, z and of features; 0: float32, and as x, y, z */
  int64_t features;
  double feature_range;         /* mean; 0: the data determines it */
  double side;                  /* edge of the cube of points, in edges of the grid; 0: 1 */
  double voxel_m;               /* 0: the grid is 1 m wide */
  int64_t max_points;           /* modes first and pillars: points of a voxel */
  int64_t max_voxels;           /* of other libraries for lidars; 0: as many as points */
  const BenchScan *scan;        /* points of a lidar, and its grid; NULL: random ones */
  int64_t window;               /* clouds of a grid, of which one leaves when the next arrives; 0: no window */
  int ranges_whole;             /* mean: the range of all chunks in one call */
  int room;                     /* points lie on the walls of a room, two across each axis */
  int kept;                     /* two clouds alternate in a grid with known content */
  int64_t n_chunks;             /* equal parts in which a cloud arrives; 0: one */
  const float *cloud;           /* points (x, y, z) of one cloud around the origin; NULL: random ones */
} BenchVoxels;

typedef struct
{
  const char *name;
  const char *size;             /* small, medium or large */
  double wanted_us;             /* target, with inputs that are not in the L2; 0: none */
  int alone;                    /* not measured with other libraries */
  int is_voxels;
  BenchAlignment align;
  BenchVoxels voxels;
} BenchWork;

extern const BenchWork bench_works[];
extern const int bench_n_works;

typedef struct
{
  const char *size;             /* NULL: all */
  const char *only[BENCH_MAX_ONLY];     /* names contain one of them */
  int n_only;                   /* 0: all */
  int wanted;                   /* only works with a target */
  int no_alignments, no_voxels;
} BenchFilter;

int bench_wants (const BenchFilter * filter, const BenchWork * work);

/* Whether argument *i is one of --alignments, --voxels, --size SIZE, --only TEXT and --wanted; *i is then the last one it has. */
int bench_filter_add (BenchFilter * filter, int argc, char **argv, int *i);

/* Whether no work is wanted; prints that to stderr. */
int bench_filter_is_empty (const BenchFilter * filter);
