/* robocache: the voxel kernels, as the host launches them
 *
 * A kernel says which parts of RcCudaVoxelArguments it takes (rc::parts_of, made from its signature), so that a launch cannot
 * pass others.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CUDA_VOXEL_KERNELS_H
#define RC_CUDA_VOXEL_KERNELS_H

#include "arguments.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RC_CUDA_VOXEL_MAX_PARTS 10

/* The arguments of a kernel: offsets in RcCudaVoxelArguments, in the order of its parameters. */
typedef struct RcCudaVoxelParts
{
  uint16_t n;
  uint16_t offsets[RC_CUDA_VOXEL_MAX_PARTS];
} RcCudaVoxelParts;

typedef struct RcCudaVoxelKernel
{
  const void *function;         /* as cudaLaunchKernel takes it; NULL: none */
  RcCudaVoxelParts parts;
} RcCudaVoxelKernel;

typedef enum RcCudaVoxelSource
{
  RC_CUDA_VOXEL_FLOAT16,        /* packed points */
  RC_CUDA_VOXEL_FLOAT32,
  RC_CUDA_VOXEL_FLOAT64,
  RC_CUDA_VOXEL_PACKED,
  RC_CUDA_VOXEL_LAYOUT = RC_CUDA_VOXEL_PACKED,  /* other points */
  RC_CUDA_VOXEL_DEPTH,
  RC_CUDA_VOXEL_RAYS,           /* depth of a lens that distorts */
  RC_CUDA_VOXEL_SOURCES
} RcCudaVoxelSource;

/* What is done with a point that is inside. */
typedef enum RcCudaVoxelAction
{
  RC_CUDA_VOXEL_ADD_BITS,
  RC_CUDA_VOXEL_ADD_COUNT,
  RC_CUDA_VOXEL_ADD_CENTROID,
  RC_CUDA_VOXEL_ADD_KEY,        /* sparse occupancy and count */
  RC_CUDA_VOXEL_ADD_KEY_CENTROID,
  RC_CUDA_VOXEL_ADD_KEY_RANK,
  RC_CUDA_VOXEL_STORE_INDEX,
  RC_CUDA_VOXEL_MARK_INDEX,     /* rank, where voxels are found in bits */
  RC_CUDA_VOXEL_ADD_KEY_POSITION,       /* first, of depth alone */
  RC_CUDA_VOXEL_ADD_MEAN,       /* from here on with its features, which depth has not */
  RC_CUDA_VOXEL_ADD_RANKED_MEAN,
  RC_CUDA_VOXEL_ADD_EXTREME,
  RC_CUDA_VOXEL_ADD_KEY_MEAN,
  RC_CUDA_VOXEL_ADD_KEY_EXTREME,
  RC_CUDA_VOXEL_ADD_KEY_FIELDS,         /* first */
  RC_CUDA_VOXEL_ACTIONS
} RcCudaVoxelAction;

/* What accumulators that are kept hold of a point. */
typedef enum RcCudaVoxelAccumulation
{
  RC_CUDA_VOXEL_ACCUMULATE_COUNTS,    /* occupancy, too */
  RC_CUDA_VOXEL_ACCUMULATE_RANKS,     /* counts, and what the map says of the point */
  RC_CUDA_VOXEL_ACCUMULATE_CENTROIDS,
  RC_CUDA_VOXEL_ACCUMULATE_MEANS,     /* of features, which depth has not */
  RC_CUDA_VOXEL_ACCUMULATIONS
} RcCudaVoxelAccumulation;

/* What the values of a voxel are made from. */
typedef enum RcCudaVoxelValueSource
{
  RC_CUDA_VOXEL_FROM_COUNTS,
  RC_CUDA_VOXEL_FROM_SUMS,      /* of features */
  RC_CUDA_VOXEL_FROM_CENTROIDS,
  RC_CUDA_VOXEL_FROM_KEYS,
  RC_CUDA_VOXEL_VALUE_SOURCES
} RcCudaVoxelValueSource;

/* voxel_add.cu; blocks (…, items) of RC_CUDA_VOXEL_THREADS threads, as all of them. Argument: the task. */
extern const RcCudaVoxelKernel rc_cuda_voxel_clear;
extern const RcCudaVoxelKernel rc_cuda_voxel_set_scales;
extern const RcCudaVoxelKernel rc_cuda_voxel_add[RC_CUDA_VOXEL_SOURCES][RC_CUDA_VOXEL_ACTIONS];

/* voxel_index.cu: of packed points that are aligned, of which one chunk has all of the job; a thread a point. Argument: the
 * task. */
extern const RcCudaVoxelKernel rc_cuda_voxel_index_whole[RC_CUDA_VOXEL_PACKED];

/* voxel_range.cu; 8 bytes a channel of shared memory. */
extern const RcCudaVoxelKernel rc_cuda_voxel_range[RC_CUDA_VOXEL_SOURCES];

/* voxel_mean_bin.cu: the range of points that stay in place; the same shared memory. Blocks (tiles of points, items) of
 * RC_CUDA_VOXEL_MEAN_BIN_THREADS threads. */
extern const RcCudaVoxelKernel rc_cuda_voxel_bin_in_place[RC_CUDA_VOXEL_SOURCES];

/* voxel_mean_mark.cu, of these: where points do not stay after all. */
extern const RcCudaVoxelKernel rc_cuda_voxel_mark_binned;

/* voxel_mean_slab.cu, of these: the dense output, by the bytes of an element: 2 and 4, for channels one by one and four by four;
 * a block for each slab of each item, with shared memory for its values and 4 bytes a channel. */
extern const RcCudaVoxelKernel rc_cuda_voxel_write_means[RC_CUDA_VOXEL_SOURCES][2][2];

/* voxel_write.cu; by the bytes of an element: 1, 2 and 4. */
extern const RcCudaVoxelKernel rc_cuda_voxel_write_bits;
extern const RcCudaVoxelKernel rc_cuda_voxel_write_occupancy[3];
extern const RcCudaVoxelKernel rc_cuda_voxel_write[RC_CUDA_VOXEL_VALUE_SOURCES][3];

/* voxel_bin.cu: for slabs. Argument: the task. */
extern const RcCudaVoxelKernel rc_cuda_voxel_bin[RC_CUDA_VOXEL_SOURCES];
extern const RcCudaVoxelKernel rc_cuda_voxel_bin_whole;       /* packed float32, of which one chunk has all of the job */

/* voxel_keep.cu, where accumulators are kept: in place of clear, for a job that goes on; to add points, and to take them
 * out. */
extern const RcCudaVoxelKernel rc_cuda_voxel_begin_incremental;
extern const RcCudaVoxelKernel rc_cuda_voxel_put_ranges;      /* arguments: the task, and ranges; of a block */
extern const RcCudaVoxelKernel rc_cuda_voxel_accumulate[RC_CUDA_VOXEL_SOURCES][RC_CUDA_VOXEL_ACCUMULATIONS][2];

/* voxel_layers.cu: the same of max and min; depth has no features. */
extern const RcCudaVoxelKernel rc_cuda_voxel_accumulate_layers[RC_CUDA_VOXEL_DEPTH][2];

/* voxel_keep_sparse.cu, in this order. Argument: the task. */
extern const RcCudaVoxelKernel rc_cuda_voxel_count_tiles;
extern const RcCudaVoxelKernel rc_cuda_voxel_scan_tiles;
extern const RcCudaVoxelKernel rc_cuda_voxel_write_tiles;

/* voxel_slab.cu: [where there are no more blocks than multiprocessors], for bits, then by the bytes of an element;
 * RC_CUDA_VOXEL_SLAB_THREADS threads. */
extern const RcCudaVoxelKernel rc_cuda_voxel_write_slabs[2][4];

/* voxel_slab_counts.cu: counts, by the bytes of an element; as many threads. */
extern const RcCudaVoxelKernel rc_cuda_voxel_count_slabs[3];

/* voxel_sort.cu: one pass is the three in turn. Arguments: the task, the first bit of the digit, its bits. */
extern const RcCudaVoxelKernel rc_cuda_voxel_sort_count;
extern const RcCudaVoxelKernel rc_cuda_voxel_sort_scan;
extern const RcCudaVoxelKernel rc_cuda_voxel_sort_move[2];    /* keys alone; with the order, which the first pass begins */

/* voxel_sparse.cu, in this order. Argument: the task. */
extern const RcCudaVoxelKernel rc_cuda_voxel_count_voxels;
extern const RcCudaVoxelKernel rc_cuda_voxel_scan_voxels;
extern const RcCudaVoxelKernel rc_cuda_voxel_rank;
extern const RcCudaVoxelKernel rc_cuda_voxel_write_sparse;    /* for output sparse */

/* voxel_rank.cu: ranks of the bits that are set, in this order; arguments: the task, and of which bitmap, a uint32_t.
 * Between those of blocks and of voxels, the bits of these; then outputs sparse and rank. Argument: the task. */
extern const RcCudaVoxelKernel rc_cuda_voxel_count_set_bits;
extern const RcCudaVoxelKernel rc_cuda_voxel_rank_set_bits;
extern const RcCudaVoxelKernel rc_cuda_voxel_mark_in_blocks;
extern const RcCudaVoxelKernel rc_cuda_voxel_write_ranked;
extern const RcCudaVoxelKernel rc_cuda_voxel_finish_ranks;

/* voxel_deferred.cu; by what values are made from. */
extern const RcCudaVoxelKernel rc_cuda_voxel_add_deferred[RC_CUDA_VOXEL_VALUE_SOURCES];
extern const RcCudaVoxelKernel rc_cuda_voxel_list_deferred;   /* where they have no values */

/* voxel_first.cu, beside rc_cuda_voxel_write_sparse: how many points each voxel has; and the points, by the bytes of an
 * element: 2 and 4. */
extern const RcCudaVoxelKernel rc_cuda_voxel_count_first;
extern const RcCudaVoxelKernel rc_cuda_voxel_write_first[2];

/* voxel_sparse.cu: the ranks of the points of a group; then voxel_map.cu: what no point of an item came for, of all items. */
extern const RcCudaVoxelKernel rc_cuda_voxel_write_ranks;
extern const RcCudaVoxelKernel rc_cuda_voxel_finish_map;

#ifdef __cplusplus
}
#endif
#endif
