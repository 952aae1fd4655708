/* robocache: the GPU's part of a plan of voxel grids
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CUDA_VOXEL_STATE_H
#define RC_CUDA_VOXEL_STATE_H

#include "kernels/cuda/runtime/device.h"
#include "kernels.h"

#define RC_CUDA_VOXEL_MAX_POINTS UINT32_MAX    /* of a group: kernels count them in 32 bits */

/* That a mean takes where its points stay in place. */
typedef struct
{
  const RcCudaVoxelKernel *range, *write[2];     /* channels one by one; four by four */
} RcCudaVoxelInPlace;

typedef struct
{
  RcCudaVoxelArguments args;       /* what the spec fixes is there from the beginning */
  int32_t element_bytes;        /* of what is read of data, where it is all of one size */
  int sorts;                    /* points are stored with the keys of their voxels, and sorted by them */
  void *table;                  /* device: the rays of depth, the features of other points; NULL: none */
  const RcCudaVoxelKernel *add, *range, *write;
  const RcCudaVoxelKernel *add_deferred;        /* NULL: no point is */
  const RcCudaVoxelKernel *remove;      /* NULL: nothing is kept */
  const RcCudaVoxelKernel *index_whole; /* of a chunk that has all points; NULL: not of this plan */
  int begins_early;             /* see rc_cuda_begins_early */
  size_t whole_slab_bytes;      /* of shared memory of a block that writes all of its slab */
  const RcCudaVoxelKernel *add_anywhere, *range_anywhere;       /* of points with features that are not aligned */
  RcCudaVoxelInPlace in_place, in_place_anywhere;       /* NULL: none does */
  size_t bin_bytes;             /* that a block may have which puts points in place into bins */
  size_t mean_bytes;            /* of shared memory of a block that writes means of points in place */
  void *measured;               /* device: for each item a head, and the range of each feature; NULL: none are measured */
  char *ranges;                 /* the same, on the host */
  int64_t units;                /* of the output of an item, which threads take: 16 bytes of bits; of a grid a word of bits,
                                 * or a part of it */

  /* the job */
  int stays;                    /* range has seen all of its points in one chunk, which stays where it is */
  RcVoxelChunk chunk;           /* that one, as add saw it */
} RcCudaVoxelState;

static inline int64_t
rc_cuda_lesser (int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static inline int64_t
rc_cuda_ceil_divide (int64_t a, int64_t b)
{
  return a / b + (a % b != 0);
}

/* Of a power of two. */
static inline int
rc_cuda_log2_of (int64_t power)
{
  return __builtin_ctzll ((unsigned long long) power);
}

/* Shared memory of a block that writes a slab. */
static inline size_t
rc_cuda_voxel_slab_bytes (const RcCudaVoxelArguments *args)
{
  return (size_t) args->slabs.words * sizeof (uint32_t);
}

/* Bytes of an item's head and ranges, where these are measured apart from any job. */
static inline size_t
rc_cuda_voxel_measured_bytes (const RcVoxelPlan *plan)
{
  return (sizeof (RcCudaVoxelHead) + (size_t) plan->channels * sizeof (double) + 63) / 64 * 64;
}

/* That writes the points of modes first and pillars. */
static inline const RcCudaVoxelKernel *
rc_cuda_voxel_first_kernel (const RcVoxelSpec *spec)
{
  return &(spec->mode == RC_VOXEL_PILLARS ? rc_cuda_voxel_write_pillars : rc_cuda_voxel_write_first)[spec->dtype == RC_FLOAT32];
}

/* voxel_plan.c: the plan's prepare and release. */
RcStatus rc_cuda_voxel_prepare (RcVoxelPlan * plan, RcError * error);
void rc_cuda_voxel_release (RcVoxelPlan * plan);

/* voxel_slabs.c: how a grid that comes to be in shared memory is cut, if the plan's does; and the shared memory
 * of its kernel, which is loaded. */
void rc_cuda_voxel_plan_slabs (RcVoxelPlan * plan, RcCudaVoxelArguments * args, int64_t multiprocessors);
RcStatus rc_cuda_voxel_reserve_shared (const RcVoxelPlan * plan, RcCudaVoxelState * state, RcError * error);

/* voxel_scratch.c: the tiles of a bitmap of that many words, as few as are fast; what the kernels are told of a job, and
 * where its arrays are. */
void rc_cuda_voxel_cut_bitmap (RcCudaVoxelBitmap * bitmap, int64_t words);
void rc_cuda_voxel_set_job (const RcVoxelPlan * plan, const RcVoxelJob * job, RcCudaVoxelArguments * args);

#endif
