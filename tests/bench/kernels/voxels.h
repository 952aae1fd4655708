/* robocache: voxel grids that are timed, or checked
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_KERNELS_VOXEL_COPY_H
#define BENCH_KERNELS_VOXEL_COPY_H

#include "tests/bench/kernels/clouds.h"
#include "tests/bench/kernels/floors.h"

#define BENCH_MAX_OUTPUTS 4     /* of a run */

/* An array that a run writes. */
typedef struct
{
  const char *name;
  void *memory;
  int64_t bytes;
} BenchVoxelOutput;

/* One job of its own memory, where a backend computes. */
typedef struct
{
  RcBackend *backend;
  RcVoxelPlan *plan;
  RcVoxelJob job;
  const BenchVoxels *work;
  RcVoxelChunk clouds[BENCH_MAX_CLOUDS];        /* the whole of each */
  int n_clouds, turn;           /* of the two whose turns they are, the next */
  RcVoxelOut out;
  BenchVoxelOutput outputs[BENCH_MAX_OUTPUTS];
  int n_outputs;
  int64_t value_bytes;          /* of an item */
  int64_t scratch_bytes;
} BenchVoxelCopy;

void bench_voxel_open (BenchVoxelCopy * copy, const BenchClouds * clouds, RcBackend * backend);
/* Another one on the same device, with the clouds of the first one. */
void bench_voxel_open_again (BenchVoxelCopy * copy, const BenchClouds * clouds, const BenchVoxelCopy * first);
void bench_voxel_close (BenchVoxelCopy * copy);

/* What a run must move. */
BenchBytes bench_voxel_bytes (const BenchClouds * clouds, const BenchVoxelCopy * copy);

/* A BenchRun, over copies that are BenchVoxelCopy. */
void bench_voxel_run (void *copies, int i, cudaStream_t stream);

/* What the device left, and what the CPU did, which runs on to the same turn; differs as bench_compare has it. */
void bench_voxel_compare (const Bench * bench, const BenchVoxelCopy * device, BenchVoxelCopy * cpu,
    char differs[BENCH_DIFFERS_SIZE]);

#endif
