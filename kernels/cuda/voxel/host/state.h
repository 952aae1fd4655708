/* robocache: the GPU's part of a plan of voxel grids: what prepare fixes and a job remembers
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/cuda/runtime/device.h"
#include "kernels.h"

#define RC_CUDA_VOXEL_MAX_POINTS UINT32_MAX    /* of a group: kernels count points in 32 bits */

/* The kernels of binned means. */
typedef struct
{
  const RcCudaVoxelKernel *range, *write[2];     /* write: channels one by one; four by four */
} RcCudaVoxelInPlace;

typedef struct
{
  RcCudaVoxelArguments args;       /* prepare fills in what the spec fixes */
  int32_t element_bytes;        /* of what is read of data, where it is all of one size */
  int sorts;                    /* points are stored with the keys of their voxels, and sorted by them */
  void *table;                  /* device: the rays of depth, the features of other points; NULL: none */
  const RcCudaVoxelKernel *add, *range, *write;
  const RcCudaVoxelKernel *add_deferred;        /* NULL: no point is deferred */
  const RcCudaVoxelKernel *remove;      /* NULL: the plan does not accumulate */
  const RcCudaVoxelKernel *index_whole; /* for a chunk that has all points; NULL: the plan has other outputs */
  int begins_early;             /* see rc_cuda_begins_early */
  size_t whole_slab_bytes;      /* shared memory of a block that writes all of its slab */
  const RcCudaVoxelKernel *add_anywhere, *range_anywhere;       /* for points with features that are not aligned */
  RcCudaVoxelInPlace in_place, in_place_anywhere;       /* of binned means; NULL: the plan has none */
  size_t bin_bytes;             /* shared memory that a block of bin_in_place may take */
  size_t mean_bytes;            /* shared memory of a block of write_means */
  void *measured;               /* device: a head and the range of each feature, per item; NULL: no range is measured */
  char *ranges;                 /* the same, on the host */
  int64_t units;                /* of an item's output, one per thread: 16 bytes of bits; of a dense grid a word of bits or
                                 * a part of one */

  /* the job */
  int stays;                    /* one chunk had all points, so the end reads them again (binned means) */
  RcVoxelChunk chunk;           /* that chunk, as add got it */
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

/* The base-2 logarithm of a power of two. */
static inline int
rc_cuda_log2_of (int64_t power)
{
  return __builtin_ctzll ((unsigned long long) power);
}

/* Shared memory of a block that makes a slab. */
static inline size_t
rc_cuda_voxel_slab_bytes (const RcCudaVoxelArguments *args)
{
  return (size_t) args->slabs.words * sizeof (uint32_t);
}

/* Bytes of an item's head and ranges, if these are measured apart from any job. */
static inline size_t
rc_cuda_voxel_measured_bytes (const RcVoxelPlan *plan)
{
  return (sizeof (RcCudaVoxelHead) + (size_t) plan->channels * sizeof (double) + 63) / 64 * 64;
}

/* The kernel that writes the points of modes first and pillars. */
static inline const RcCudaVoxelKernel *
rc_cuda_voxel_first_kernel (const RcVoxelSpec *spec)
{
  return &(spec->mode == RC_VOXEL_PILLARS ? rc_cuda_voxel_write_pillars : rc_cuda_voxel_write_first)[spec->dtype == RC_FLOAT32];
}

/* plan.c: the plan's prepare and release. */
RcStatus rc_cuda_voxel_prepare (RcVoxelPlan * plan, RcError * error);
void rc_cuda_voxel_release (RcVoxelPlan * plan);

/* slabs.c: cuts the grid into slabs if the plan is one for slabs; then reserves the shared memory of their kernel, which must be
 * loaded. */
void rc_cuda_voxel_plan_slabs (RcVoxelPlan * plan, RcCudaVoxelArguments * args, int64_t multiprocessors);
RcStatus rc_cuda_voxel_reserve_shared (const RcVoxelPlan * plan, RcCudaVoxelState * state, RcError * error);

/* scratch.c: cuts a bitmap of that many words into tiles, as few as are fast; sets the arguments of a job, and where its arrays
 * are. */
void rc_cuda_voxel_cut_bitmap (RcCudaVoxelBitmap * bitmap, int64_t words);
void rc_cuda_voxel_set_job (const RcVoxelPlan * plan, const RcVoxelJob * job, RcCudaVoxelArguments * args);
