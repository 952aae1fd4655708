/* robocache: the voxel kernels, and a map of their families
 *
 * Start here. This header declares every kernel of kernels/cuda/voxel, family by family. plan.c selects the kernels of an
 * RcVoxelSpec (kernels/voxel.h) once, launch.c starts them phase by phase, and arguments.h describes their arguments.
 *
 * The folder of a family, the specs that it serves, and why it is there:
 *
 *   points/        All specs. A source reads points of one format or pixels of depth; locate.cuh and points.cuh find the voxel
 *                  of each. add.cu adds points to accumulators in the scratch, or stores them until the job ends. index.cu is
 *                  for output index, where one chunk has all points: add.cu takes 1.4 times as long.
 *   slabs/         Dense count, dense occupancy and bits, except in tiny and huge grids and in sliding windows. An atomic on a
 *                  random word of global memory costs a whole sector of 32 bytes. Here points only store their bit, sorted by
 *                  slab, and a block makes one slab of the grid in shared memory. Counts by atomics in memory take 1.7 to
 *                  3.5 times as long.
 *   binned_means/  Dense mean without feature_range, where one chunk has all points and at least one per 32 voxels. Most
 *                  voxels have at most one point, so most of the work would be to clear sums, add to them and read them. Here
 *                  the end reads the points again, and a block adds up one slab in registers. Means by ranks take up to
 *                  1.9 times as long.
 *                  range.cu finds the range of features for every other mean without feature_range, too.
 *   dense/         All other dense grids and bits: means, centroids, maxima and minima from accumulators, grids that are too
 *                  small or too large for slabs, and sliding windows. If the content of the grid is known, it writes only
 *                  the sectors that change.
 *   sparse/        Outputs sparse and rank. rank.cu finds occupied voxels in a bitmap and numbers them, for up to 2^35
 *                  voxels; add_late.cu then adds the stored points. sort.cu and from_keys.cu serve the rest by a sort: larger
 *                  grids (ranks would take 384 bytes a point in 4096³). first.cu and pillars.cu write the points of modes first
 *                  and pillars. Lists by rank have these points. A sort finds them if there are more than 32 points a voxel,
 *                  or fewer than 2^16 voxels. map.cu completes outputs index and rank.
 *   window/        Plans that accumulate: a job adds the clouds that enter a sliding window and removes those that leave
 *                  it. A new sum over all clouds takes up to 4.8 times as long. layers.cu is for max and min, which cannot be
 *                  subtracted. sparse.cu reads sparse outputs from the accumulators of the whole grid.
 *
 * Times are those of docs/explanation/experiments.md, and docs/explanation/decisions/grids.md has the decisions.
 *
 * The kernels of each phase, in the order of their launches, without the prefix rc_cuda_voxel_. Kernels in brackets run
 * only for some specs. Means and centroids run set_scales at begin, or after range before the first add. With ranks
 * count_set_bits sets the scales instead, and write_means computes its own.
 *
 *   spec                      begin               range          add                 end
 *   slabs                                                        bin or bin_whole    write_slabs or count_slabs
 *   binned means              clear               bin_in_place                       write_means
 *   other dense, bits         clear               [range]        [ranks] add         write, write_occupancy or write_bits
 *   sparse, by bitmap         clear               [range]        [ranks] add         [ranks] [add_deferred] write_ranked
 *   first, pillars, by lists  clear                              add                 ranks, count_first, begin_lists, list_first,
 *                                                                                    write_ranked, write_first or write_pillars
 *   sparse, by sort           clear               [range]        add                 sort, write_sparse [write_first or
 *                                                                                    write_pillars]
 *   rank, by bitmap           clear                              add                 ranks, finish_ranks
 *   rank, by sort             clear                              add                 sort, write_ranks, finish_map
 *   index                                                        add or index_whole  [finish_map]
 *   windows                   clear [put_ranges]                 accumulate          as other dense, or as rank by bitmap; for
 *                             or begin_incremental                                   sparse count_tiles, scan_tiles, write_tiles
 *
 *   ranks: count_set_bits, rank_set_bits; for grids beyond 2^26 voxels then mark_in_blocks and the first two again
 *   sort:  sort_count, sort_scan, sort_move for each digit; then count_voxels, scan_voxels, rank
 *
 * A kernel lists the parts of RcCudaVoxelArguments that it takes (rc::PartsOf in arguments.cuh makes the list from its
 * signature), so a launch cannot pass others. Blocks are (…, items) of RC_CUDA_VOXEL_THREADS threads, unless a declaration
 * states others.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "arguments.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RC_CUDA_VOXEL_MAX_PARTS 10

/* The arguments of a kernel: their offsets in RcCudaVoxelArguments, in the order of its parameters. */
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

/* Formats of the points that a kernel reads: the sources of points.cuh, in this order. */
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

/* Actions of add.cu on a point that is inside the grid, in the order of its table. */
typedef enum RcCudaVoxelAction
{
  RC_CUDA_VOXEL_ADD_BITS,
  RC_CUDA_VOXEL_ADD_COUNT,
  RC_CUDA_VOXEL_ADD_CENTROID,
  RC_CUDA_VOXEL_ADD_KEY,        /* sparse occupancy and count */
  RC_CUDA_VOXEL_ADD_KEY_CENTROID,       /* and pillars of depth */
  RC_CUDA_VOXEL_ADD_KEY_RANK,
  RC_CUDA_VOXEL_STORE_INDEX,
  RC_CUDA_VOXEL_MARK_INDEX,     /* rank, by bitmap */
  RC_CUDA_VOXEL_ADD_KEY_POSITION,       /* first, for depth alone */
  RC_CUDA_VOXEL_ADD_MEAN,       /* from here on with features, which depth lacks */
  RC_CUDA_VOXEL_ADD_RANKED_MEAN,
  RC_CUDA_VOXEL_ADD_EXTREME,
  RC_CUDA_VOXEL_ADD_KEY_MEAN,   /* and pillars */
  RC_CUDA_VOXEL_ADD_KEY_EXTREME,
  RC_CUDA_VOXEL_ADD_KEY_FIELDS,         /* first */
  RC_CUDA_VOXEL_ACTIONS
} RcCudaVoxelAction;

/* Data of a point that accumulators of sliding windows keep. */
typedef enum RcCudaVoxelAccumulation
{
  RC_CUDA_VOXEL_ACCUMULATE_COUNTS,    /* also serves occupancy */
  RC_CUDA_VOXEL_ACCUMULATE_RANKS,     /* counts, and the voxel of the point in the map */
  RC_CUDA_VOXEL_ACCUMULATE_CENTROIDS,
  RC_CUDA_VOXEL_ACCUMULATE_MEANS,     /* features; not for depth */
  RC_CUDA_VOXEL_ACCUMULATIONS
} RcCudaVoxelAccumulation;

/* Data that the values of a voxel are computed from. */
typedef enum RcCudaVoxelValueSource
{
  RC_CUDA_VOXEL_FROM_COUNTS,
  RC_CUDA_VOXEL_FROM_SUMS,      /* of features */
  RC_CUDA_VOXEL_FROM_CENTROIDS,
  RC_CUDA_VOXEL_FROM_KEYS,
  RC_CUDA_VOXEL_VALUE_SOURCES
} RcCudaVoxelValueSource;

/* ---- points/ ----
 *
 * add.cu; clear takes 16 bytes a thread, set_scales a channel. */
extern const RcCudaVoxelKernel rc_cuda_voxel_clear;
extern const RcCudaVoxelKernel rc_cuda_voxel_set_scales;
extern const RcCudaVoxelKernel rc_cuda_voxel_add[RC_CUDA_VOXEL_SOURCES][RC_CUDA_VOXEL_ACTIONS];

/* index.cu: packed, aligned points of a job that is one chunk; a thread per point. */
extern const RcCudaVoxelKernel rc_cuda_voxel_index_whole[RC_CUDA_VOXEL_PACKED];

/* ---- slabs/ ----
 *
 * bin.cu: the bits of points, sorted by slab. bin_whole is for packed float32 points of a job that is one chunk; blocks (tiles, items). */
extern const RcCudaVoxelKernel rc_cuda_voxel_bin[RC_CUDA_VOXEL_SOURCES];
extern const RcCudaVoxelKernel rc_cuda_voxel_bin_whole;

/* bits.cu: [whether there are at most as many blocks as multiprocessors][bits, then dense by bytes of an element: 1, 2, 4]. Blocks have
 * RC_CUDA_VOXEL_SLAB_THREADS threads, and a slab in shared memory. */
extern const RcCudaVoxelKernel rc_cuda_voxel_write_slabs[2][4];

/* counts.cu, by bytes of an element: 1, 2, 4. Threads and shared memory are those of write_slabs. */
extern const RcCudaVoxelKernel rc_cuda_voxel_count_slabs[3];

/* ---- binned_means/ ----
 *
 * range.cu: the range of every mean without feature_range. Shared memory: 8 bytes per channel. */
extern const RcCudaVoxelKernel rc_cuda_voxel_range[RC_CUDA_VOXEL_SOURCES];

/* bin.cu: the range of points that end reads again, and their bins. Blocks (tiles of points, items) of RC_CUDA_VOXEL_MEAN_BIN_THREADS
 * threads. Shared memory: RC_CUDA_VOXEL_MEAN_GREATEST_BYTES, and a tile of points if bins.copied_bytes is set. */
extern const RcCudaVoxelKernel rc_cuda_voxel_bin_in_place[RC_CUDA_VOXEL_SOURCES];

/* mark.cu: marks the voxels of binned points, if another chunk follows after all. */
extern const RcCudaVoxelKernel rc_cuda_voxel_mark_binned;

/* write.cu: the dense output of binned points, by bytes of an element (2, 4) and by channels that a lane takes at a time (1, 4). A block
 * per slab of an item. Shared memory: the values of the slab, and 8 bytes per channel. */
extern const RcCudaVoxelKernel rc_cuda_voxel_write_means[RC_CUDA_VOXEL_SOURCES][2][2];

/* ---- dense/ ----
 *
 * from_accumulators.cu, by bytes of an element: 1, 2, 4. */
extern const RcCudaVoxelKernel rc_cuda_voxel_write_bits;
extern const RcCudaVoxelKernel rc_cuda_voxel_write_occupancy[3];
extern const RcCudaVoxelKernel rc_cuda_voxel_write[RC_CUDA_VOXEL_VALUE_SOURCES][3];

/* ---- sparse/ ----
 *
 * rank.cu: ranks of the bits of a bitmap. In grids of blocks, mark_in_blocks runs between the ranks of blocks and those of voxels. The
 * outputs sparse (write_ranked) and rank (finish_ranks). */
extern const RcCudaVoxelKernel rc_cuda_voxel_count_set_bits;
extern const RcCudaVoxelKernel rc_cuda_voxel_rank_set_bits;
extern const RcCudaVoxelKernel rc_cuda_voxel_mark_in_blocks;
extern const RcCudaVoxelKernel rc_cuda_voxel_write_ranked;
extern const RcCudaVoxelKernel rc_cuda_voxel_finish_ranks;

/* add_late.cu: adds points that were stored, by what the values of a voxel are made from. list_deferred is for occupancy, whose voxels have
 * no values. */
extern const RcCudaVoxelKernel rc_cuda_voxel_add_deferred[RC_CUDA_VOXEL_VALUE_SOURCES];
extern const RcCudaVoxelKernel rc_cuda_voxel_list_deferred;

/* sort.cu: one pass of the sort runs the three in turn, in blocks (tiles), (digits), (tiles). sort_move moves keys alone, or keys and the
 * numbers of their points. */
extern const RcCudaVoxelKernel rc_cuda_voxel_sort_count;
extern const RcCudaVoxelKernel rc_cuda_voxel_sort_scan;
extern const RcCudaVoxelKernel rc_cuda_voxel_sort_move[2];

/* from_keys.cu, in blocks (tiles), (1), (tiles): first the ranks of sorted keys, then the outputs `sparse` and `rank` of a group's items. */
extern const RcCudaVoxelKernel rc_cuda_voxel_count_voxels;
extern const RcCudaVoxelKernel rc_cuda_voxel_scan_voxels;
extern const RcCudaVoxelKernel rc_cuda_voxel_rank;
extern const RcCudaVoxelKernel rc_cuda_voxel_write_sparse;
extern const RcCudaVoxelKernel rc_cuda_voxel_write_ranks;

/* first.cu: the lists of voxels; count_first runs in place of add_deferred. write_first writes the points of voxels after their rows, from
 * lists or from sorted keys, by bytes of an element: 2, 4. */
extern const RcCudaVoxelKernel rc_cuda_voxel_count_first, rc_cuda_voxel_begin_lists, rc_cuda_voxel_list_first;
extern const RcCudaVoxelKernel rc_cuda_voxel_write_first[2];

/* pillars.cu: in place of write_first for mode pillars; a warp takes a voxel at a time. */
extern const RcCudaVoxelKernel rc_cuda_voxel_write_pillars[2];

/* map.cu: places of outputs index and rank to which no point came, for all items. */
extern const RcCudaVoxelKernel rc_cuda_voxel_finish_map;

/* ---- window/ ----
 *
 * accumulate.cu: begin_incremental runs in place of clear for an incremental job, put_ranges (one block) stores ranges that a job knows.
 * accumulate [add, remove] points. */
extern const RcCudaVoxelKernel rc_cuda_voxel_begin_incremental;
extern const RcCudaVoxelKernel rc_cuda_voxel_put_ranges;
extern const RcCudaVoxelKernel rc_cuda_voxel_accumulate[RC_CUDA_VOXEL_SOURCES][RC_CUDA_VOXEL_ACCUMULATIONS][2];

/* layers.cu: [add, remove] points of max and min. Depth has no features, so it has no such kernel. */
extern const RcCudaVoxelKernel rc_cuda_voxel_accumulate_layers[RC_CUDA_VOXEL_DEPTH][2];

/* sparse.cu: output sparse, in this order. */
extern const RcCudaVoxelKernel rc_cuda_voxel_count_tiles;
extern const RcCudaVoxelKernel rc_cuda_voxel_scan_tiles;
extern const RcCudaVoxelKernel rc_cuda_voxel_write_tiles;

#ifdef __cplusplus
}
#endif
