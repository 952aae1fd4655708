/* robocache: voxel grids on the GPU: which counts clusters of blocks make
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "voxel_state.h"

#define BLOCKS RC_CUDA_VOXEL_CLUSTER_BLOCKS
#define LEAST_SHIFT 10          /* of the voxels of a block: the words of a warp */
#define OWN_BYTES 8192          /* of shared memory, that a block takes beside what is asked for */

/* Points of packed float32 alone: of others there is less to gain. */
static int
is_wanted (const RcVoxelPlan *plan)
{
  const RcVoxelSpec *spec = &plan->spec;

  return !plan->keeps && spec->mode == RC_VOXEL_COUNT && spec->output == RC_VOXEL_DENSE && spec->source == RC_VOXEL_POINTS
      && plan->is_packed && spec->points.dtype == RC_FLOAT32 && plan->bit_words <= INT32_MAX / 32;
}

/* Into powers of two, so that a shift tells whose a voxel is. */
static void
cut_item (const RcVoxelPlan *plan, RcCudaVoxelTask *task)
{
  for (task->cluster_shift = LEAST_SHIFT; (int64_t) BLOCKS << task->cluster_shift < 32 * plan->bit_words;)
    task->cluster_shift++;
  task->cluster_words = 1u << (task->cluster_shift - 5);
}

/* Shared memory of a block: its counts, and the tiles of points that it sorts. */
static size_t
bytes_of (const RcCudaVoxelTask *task, int64_t tiles)
{
  return sizeof (uint32_t) * (((size_t) 1 << task->cluster_shift) + (size_t) tiles * RC_CUDA_VOXEL_CLUSTER_TILE);
}

static int64_t
tiles_of (int64_t n_points)
{
  return rc_cuda_ceil_divide (4 * rc_cuda_ceil_divide (n_points, 4 * BLOCKS), RC_CUDA_VOXEL_CLUSTER_TILE);
}

/* Not one that begins early: kernels of clusters do not wait, and would be slower. */
static cudaLaunchConfig_t
launch_of (const RcCudaVoxelTask *task, size_t bytes, cudaStream_t stream, cudaLaunchAttribute *cluster)
{
  *cluster = (cudaLaunchAttribute) {.id = cudaLaunchAttributeClusterDimension };
  cluster->val.clusterDim.x = BLOCKS;
  cluster->val.clusterDim.y = cluster->val.clusterDim.z = 1;
  return (cudaLaunchConfig_t) {
    .gridDim = {(unsigned) task->batch * BLOCKS, 1, 1},
    .blockDim = {RC_CUDA_VOXEL_CLUSTER_THREADS, 1, 1},
    .dynamicSmemBytes = bytes,
    .stream = stream,
    .attrs = cluster,
    .numAttrs = 1,
  };
}

/* ---- a plan ---- */

/* Of other code the kernel is empty. */
static int
has_clusters (const struct cudaFuncAttributes *kernel)
{
  return kernel->ptxVersion >= RC_CUDA_VOXEL_CLUSTER_FIRST && kernel->binaryVersion < RC_CUDA_VOXEL_CLUSTER_END;
}

/* Takes the plan, if there is shared memory for a tile of points, and all clusters run at once. */
static RcStatus
take_plan (RcCudaBackend *cuda, const RcVoxelPlan *plan, RcCudaVoxelState *state, RcError *error)
{
  cudaLaunchAttribute cluster;
  cudaLaunchConfig_t config;
  int at_once = 0;
  RcStatus status;

  cut_item (plan, &state->task);
  state->cluster_bytes = cuda->shared_bytes > OWN_BYTES ? (size_t) (cuda->shared_bytes - OWN_BYTES) / 16 * 16 : 0;
  if (bytes_of (&state->task, 1) <= state->cluster_bytes) {
    status = rc_cuda_check (cuda, cudaFuncSetAttribute (state->make, cudaFuncAttributeMaxDynamicSharedMemorySize,
            (int) state->cluster_bytes), cuda->setup, error, "cudaFuncSetAttribute",
        "%zu bytes of shared memory for clusters", state->cluster_bytes);
    if (status != RC_OK)
      return status;
    config = launch_of (&state->task, state->cluster_bytes, cuda->setup, &cluster);
    status = rc_cuda_check (cuda, cudaOccupancyMaxActiveClusters (&at_once, state->make, &config), cuda->setup, error,
        "cudaOccupancyMaxActiveClusters", "clusters of %d blocks", BLOCKS);
    if (status != RC_OK)
      return status;
  }
  if (plan->spec.batch > at_once)
    state->task.cluster_words = 0;
  return RC_OK;
}

RcStatus
rc_cuda_voxel_plan_clusters (const RcVoxelPlan *plan, RcCudaVoxelState *state, RcError *error)
{
  RcCudaBackend *cuda = (RcCudaBackend *) plan->backend;
  struct cudaFuncAttributes attributes;
  RcStatus status;

  if (cuda->major < 9 || !is_wanted (plan))
    return RC_OK;
  state->make = rc_cuda_voxel_make_counts[rc_dtype_size (plan->spec.dtype) / 2];
  status = rc_cuda_load (cuda, state->make, "voxel counts", error);
  if (status == RC_OK)
    status = rc_cuda_check (cuda, cudaFuncGetAttributes (&attributes, state->make), cuda->setup, error,
        "cudaFuncGetAttributes", "kernel voxel counts");
  return status == RC_OK && has_clusters (&attributes) ? take_plan (cuda, plan, state, error) : status;
}

/* ---- a job ---- */

int
rc_cuda_voxel_cluster_takes (const RcCudaVoxelState *state, const RcVoxelChunk *chunk)
{
  const RcCudaVoxelTask *task = &state->task;
  const int is_aligned = ((uint64_t) (uintptr_t) chunk->data | (uint64_t) chunk->stride | (uint64_t) chunk->batch_stride)
      % sizeof (float) == 0;
  const int64_t tiles = tiles_of (chunk->n);

  return task->cluster_words > 0 && is_aligned && tiles <= RC_CUDA_VOXEL_CLUSTER_MOST_TILES
      && bytes_of (task, tiles) <= state->cluster_bytes;
}

cudaError_t
rc_cuda_voxel_launch_clusters (const RcCudaVoxelState *state, RcCudaVoxelTask *task, cudaStream_t stream)
{
  cudaLaunchAttribute cluster;
  cudaLaunchConfig_t config;
  void *arguments[] = { task };

  task->cluster_tiles = (uint32_t) tiles_of (task->n);
  config = launch_of (task, bytes_of (task, task->cluster_tiles), stream, &cluster);
  return cudaLaunchKernelExC (&config, state->make, arguments);
}
