/* robocache: what tests of voxel kernels share: running a job, comparing with the oracle, clouds
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef VOXEL_JOB_H
#define VOXEL_JOB_H

#include <gst/check/gstcheck.h>

#include "kernels/voxel.h"
#include "oracle.h"

#define run_ok(call) G_STMT_START { \
  RcError run_error = { RC_OK, "" }; \
  const RcStatus run_status = (call); \
  fail_unless (run_status == RC_OK, "%s: %s", #call, run_error.message); \
} G_STMT_END

typedef struct Result
{
  void *grid;                   /* or values */
  int64_t grid_bytes;
  uint32_t n_voxels;
  int32_t *coordinates;
  RcVoxelCounters counters;
} Result;

/* How to cut a job: chunk i has points cuts[i] … cuts[i + 1] - 1. */
typedef struct Cuts
{
  int n;
  int64_t at[64];
  gboolean backwards;
  int64_t padding;              /* bytes behind the last field of each point */
} Cuts;

/* NULL when this machine lacks the level. */
RcBackend *open_cpu (RcCpuLevel level);

/* Scratch of exactly the stated size, dirty, with a canary behind it that scratch_free checks. */
void *scratch_new (const RcFootprint * footprint, int64_t n, uint64_t * bytes);
void scratch_free (void *scratch, uint64_t bytes);

/* A spec that is valid. */
RcVoxelSpec some_spec (void);

/* Bytes of a point to the end of its last field. */
int64_t point_bytes (const RcVoxelSpec * spec);

/* A result with room for what plan puts out, and out pointing to it. */
void result_alloc (Result * result, const RcVoxelPlan * plan, const RcVoxelSpec * spec, RcVoxelOut * out);
void result_clear (Result * result);

Cuts whole (int64_t n);
Cuts random_cuts (GRand * rand, int64_t n);
Result run_job (RcBackend * backend, const RcVoxelSpec * spec, const void *data, const Cuts * cuts, int64_t n_points);

/* Bits of the output, and every counter. */
void check_result (const Result * result, const RcVoxelSpec * spec, const OracleGrid * oracle);
void check_same (const Result * a, const Result * b, const RcVoxelSpec * spec);

/* A cloud, stored as the spec's dtype in *data; its values are those that the dtype holds. */
OracleCloud random_cloud (GRand * rand, const RcVoxelSpec * spec, int64_t n, gboolean special, void **data);

/* Depth of random pixels, some without return, as a chunk for each row and as points. Through a lens some pixels have no
 * ray. */
typedef struct DepthScene
{
  RcVoxelDepth depth;
  float *rays;
  uint16_t *pixels;
  RcVoxelChunk *rows;           /* [height] */
  OracleCloud cloud;
} DepthScene;

DepthScene depth_scene_new (GRand * rand, int width, int height, gboolean has_lens);
void depth_scene_clear (DepthScene * scene);

#endif
