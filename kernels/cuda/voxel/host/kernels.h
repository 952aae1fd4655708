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
  RC_CUDA_VOXEL_ADD_KEY_CENTROID,       /* and pillars of depth */
  RC_CUDA_VOXEL_ADD_KEY_RANK,
  RC_CUDA_VOXEL_STORE_INDEX,
  RC_CUDA_VOXEL_MARK_INDEX,     /* rank, where voxels are found in bits */
  RC_CUDA_VOXEL_ADD_KEY_POSITION,       /* first, of depth alone */
  RC_CUDA_VOXEL_ADD_MEAN,       /* from here on with its features, which depth has not */
  RC_CUDA_VOXEL_ADD_RANKED_MEAN,
  RC_CUDA_VOXEL_ADD_EXTREME,
  RC_CUDA_VOXEL_ADD_KEY_MEAN,   /* and pillars */
  RC_CUDA_VOXEL_ADD_KEY_EXTREME,
  RC_CUDA_VOXEL_ADD_KEY_FIELDS,         /* first */
  RC_CUDA_VOXEL_ACTIONS
} RcCudaVoxelAction;

/* What accumulators of incremental jobs hold of a point. */
typedef enum RcCudaVoxelAccumulation
{
  RC_CUDA_VOXEL_ACCUMULATE_COUNTS,    /* occupancy, too */
  RC_CUDA_VOXEL_ACCUMULATE_RANKS,     /* counts, and the voxel of the point in the map */
  RC_CUDA_VOXEL_ACCUMULATE_CENTROIDS,
  RC_CUDA_VOXEL_ACCUMULATE_MEANS,     /* of features; not for depth */
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

/* points/add.cu. Blocks (…, items) of RC_CUDA_VOXEL_THREADS threads, as below unless it says so. */
extern const RcCudaVoxelKernel rc_cuda_voxel_clear;
extern const RcCudaVoxelKernel rc_cuda_voxel_set_scales;
extern const RcCudaVoxelKernel rc_cuda_voxel_add[RC_CUDA_VOXEL_SOURCES][RC_CUDA_VOXEL_ACTIONS];

/* points/index.cu: packed, aligned points of a job that is one chunk; a thread per point. */
extern const RcCudaVoxelKernel rc_cuda_voxel_index_whole[RC_CUDA_VOXEL_PACKED];

/* binned_means/range.cu; shared memory: 8 bytes per channel. */
extern const RcCudaVoxelKernel rc_cuda_voxel_range[RC_CUDA_VOXEL_SOURCES];

/* binned_means/bin.cu: the same for points that end reads again; blocks (tiles of points, items) of RC_CUDA_VOXEL_MEAN_BIN_THREADS
 * threads; shared memory: RC_CUDA_VOXEL_MEAN_GREATEST_BYTES, and a tile of points if bins.copied_bytes is set. */
extern const RcCudaVoxelKernel rc_cuda_voxel_bin_in_place[RC_CUDA_VOXEL_SOURCES];

/* binned_means/mark.cu: for these, if more chunks follow. */
extern const RcCudaVoxelKernel rc_cuda_voxel_mark_binned;

/* binned_means/write.cu: their dense output, by bytes of an element (2, 4) and channels a lane takes at a time (1, 4); a block per slab of
 * an item, with shared memory for its values and 8 bytes per channel. */
extern const RcCudaVoxelKernel rc_cuda_voxel_write_means[RC_CUDA_VOXEL_SOURCES][2][2];

/* dense/from_accumulators.cu; by bytes of an element: 1, 2 and 4. */
extern const RcCudaVoxelKernel rc_cuda_voxel_write_bits;
extern const RcCudaVoxelKernel rc_cuda_voxel_write_occupancy[3];
extern const RcCudaVoxelKernel rc_cuda_voxel_write[RC_CUDA_VOXEL_VALUE_SOURCES][3];

/* slabs/bin.cu */
extern const RcCudaVoxelKernel rc_cuda_voxel_bin[RC_CUDA_VOXEL_SOURCES];
extern const RcCudaVoxelKernel rc_cuda_voxel_bin_whole;       /* packed float32 of a job that is one chunk; blocks (tiles, items) */

/* window/accumulate.cu: in place of clear for an incremental job; ranges that a job knows (one block); [add, remove] points. */
extern const RcCudaVoxelKernel rc_cuda_voxel_begin_incremental;
extern const RcCudaVoxelKernel rc_cuda_voxel_put_ranges;
extern const RcCudaVoxelKernel rc_cuda_voxel_accumulate[RC_CUDA_VOXEL_SOURCES][RC_CUDA_VOXEL_ACCUMULATIONS][2];

/* window/layers.cu: the same for max and min; depth has no features. */
extern const RcCudaVoxelKernel rc_cuda_voxel_accumulate_layers[RC_CUDA_VOXEL_DEPTH][2];

/* window/sparse.cu, in this order. */
extern const RcCudaVoxelKernel rc_cuda_voxel_count_tiles;
extern const RcCudaVoxelKernel rc_cuda_voxel_scan_tiles;
extern const RcCudaVoxelKernel rc_cuda_voxel_write_tiles;

/* slabs/bits.cu: [whether there are at most as many blocks as multiprocessors][bits, then by bytes of an element: 1, 2, 4];
 * RC_CUDA_VOXEL_SLAB_THREADS threads; shared memory: a slab. */
extern const RcCudaVoxelKernel rc_cuda_voxel_write_slabs[2][4];

/* slabs/counts.cu: by bytes of an element: 1, 2, 4; the same threads and shared memory. */
extern const RcCudaVoxelKernel rc_cuda_voxel_count_slabs[3];

/* sparse/sort.cu: one pass is the three in turn, in blocks (tiles), (digits), (tiles). */
extern const RcCudaVoxelKernel rc_cuda_voxel_sort_count;
extern const RcCudaVoxelKernel rc_cuda_voxel_sort_scan;
extern const RcCudaVoxelKernel rc_cuda_voxel_sort_move[2];    /* keys alone; keys and their order, which the first pass begins */

/* sparse/from_keys.cu, in this order. */
extern const RcCudaVoxelKernel rc_cuda_voxel_count_voxels;
extern const RcCudaVoxelKernel rc_cuda_voxel_scan_voxels;
extern const RcCudaVoxelKernel rc_cuda_voxel_rank;
extern const RcCudaVoxelKernel rc_cuda_voxel_write_sparse;    /* for output sparse */

/* sparse/rank.cu: ranks of the bits of a bitmap, in this order; between those of blocks and of voxels, the bits of the latter;
 * then outputs sparse and rank. */
extern const RcCudaVoxelKernel rc_cuda_voxel_count_set_bits;
extern const RcCudaVoxelKernel rc_cuda_voxel_rank_set_bits;
extern const RcCudaVoxelKernel rc_cuda_voxel_mark_in_blocks;
extern const RcCudaVoxelKernel rc_cuda_voxel_write_ranked;
extern const RcCudaVoxelKernel rc_cuda_voxel_finish_ranks;

/* sparse/add_late.cu; by what values are made from. */
extern const RcCudaVoxelKernel rc_cuda_voxel_add_deferred[RC_CUDA_VOXEL_VALUE_SOURCES];
extern const RcCudaVoxelKernel rc_cuda_voxel_list_deferred;   /* voxels have no values */

/* sparse/first.cu: the lists of voxels, the first in place of rc_cuda_voxel_add_deferred; after the rows of voxels, their points, from lists
 * or from sorted keys, by bytes of an element: 2, 4. */
extern const RcCudaVoxelKernel rc_cuda_voxel_count_first, rc_cuda_voxel_begin_lists, rc_cuda_voxel_list_first;
extern const RcCudaVoxelKernel rc_cuda_voxel_write_first[2];

/* sparse/pillars.cu, in place of the last; a warp takes a voxel at a time. */
extern const RcCudaVoxelKernel rc_cuda_voxel_write_pillars[2];

/* sparse/from_keys.cu: the ranks of the points of a group; then map.cu: the rest of the map, for all items. */
extern const RcCudaVoxelKernel rc_cuda_voxel_write_ranks;
extern const RcCudaVoxelKernel rc_cuda_voxel_finish_map;

#ifdef __cplusplus
}
#endif
#endif
