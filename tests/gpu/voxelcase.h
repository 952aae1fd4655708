/* robocache: a random voxel grid, made on the CPU and on the GPU
 *
 * A case is a function of its seed and its wish: clouds or depth images in chunks, each with its own stride, alignment
 * and counts, that come in different orders for range and add.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TEST_VOXELCASE_H
#define TEST_VOXELCASE_H

#include "arena.h"
#include "kernels/voxel.h"
#include "report.h"

#define CASE_CHUNKS 6
#define CASE_FIELDS 96          /* of a point that has a layout */
#define ANY (-1)

/* How points lie. */
typedef enum
{
  SPREAD,                       /* anywhere, on faces of voxels, outside, NaN and infinite */
  ONE_VOXEL,
  FEW_VOXELS,
  ALL_OUTSIDE,
  N_LIES
} Lie;

typedef struct
{
  int source, input;            /* RcVoxelSource, RcDtype of points; or ANY, as all of these */
  int mode, output, dtype;
  int64_t batch, points;        /* an item has in all */
  int64_t axis;                 /* voxels along each axis */
  int64_t features;
  int lie;
  int layout;                   /* fields of any type anywhere, or a ray a pixel: 1, 0 or ANY */
  int plain;                    /* one dense, aligned chunk, without a layout */
} VoxelWish;

typedef struct
{
  uint64_t seed;
  uint64_t state;               /* of the random numbers */
  Lie lie;
  RcVoxelSpec spec;
  RcVoxelField layout[CASE_FIELDS];
  float *rays;                  /* of depth; NULL: none */
  RcVoxelJob job;               /* host addresses, as all of these; no scratch */
  RcVoxelChunk chunks[CASE_CHUNKS];
  int n_chunks;
  int range_order[CASE_CHUNKS], add_order[CASE_CHUNKS];
  int halves;                   /* add gets each chunk without counts in two */
  RcVoxelOut out;
  RcVoxelPlan *cpu_plan;
  RcFootprint cpu_footprint;
} VoxelCase;

/* Clears the arena and fills it with the case; 0 on failure, which test then has. Free with voxel_case_clear. */
int voxel_case_make (VoxelCase * c, const VoxelWish * wish, uint64_t seed, Arena * arena, RcBackend * cpu, Test * test);
void voxel_case_clear (VoxelCase * c);
/* Other points in place of those in the chunks, which lie in another way. */
void voxel_case_take_other_points (VoxelCase * c);

/* What the case is, for messages. Valid until the next call in this thread. */
const char *voxel_case_text (const VoxelCase * c);

/* Makes the grid on both, and compares. */
void voxel_case_check (const VoxelCase * c, Arena * arena, const Gpu * gpu, Test * test);

/* The parts of voxel_case_check. */
typedef struct
{
  RcVoxelJob job;
  RcVoxelChunk chunks[CASE_CHUNKS];
  RcVoxelOut out;
  RcVoxelPlan *plan;
  uint64_t scratch_bytes;
} DeviceVoxels;

/* A plan, and scratch of the stated size with a canary behind it. */
int voxel_case_to_device (const VoxelCase * c, Arena * arena, const Gpu * gpu, DeviceVoxels * device, Test * test);
/* All phases, in the orders of the case; may be captured. */
int voxel_case_enqueue (const VoxelCase * c, const DeviceVoxels * device, const Gpu * gpu, Test * test);
void voxel_case_run_cpu (const VoxelCase * c, Test * test);
/* Waits for the stream, brings the arena back and compares it with what the CPU made; and the canary. */
void voxel_case_compare (const VoxelCase * c, const DeviceVoxels * device, Arena * arena, const Gpu * gpu, Test * test);
void voxel_case_leave_device (DeviceVoxels * device);

#endif
