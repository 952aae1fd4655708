/* robocache: what the voxel kernels are told
 *
 * One description for all kernels of a job: they are launched with it as their argument. Kernels of sorted keys
 * (outputs sparse and rank) work on a group of items whose keys are sorted together.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CUDA_VOXEL_TASK_H
#define RC_CUDA_VOXEL_TASK_H

#include "kernels/voxel_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RC_CUDA_VOXEL_THREADS 256
#define RC_CUDA_VOXEL_WARPS (RC_CUDA_VOXEL_THREADS / 32)

/* Blocks that write values of a dense grid, of which a multiprocessor has so many under way. */
#define RC_CUDA_VOXEL_WRITE_BLOCKS 4

/* Bitmaps and counts in shared memory: blocks of 512 threads, each with 64 KB at most, which every GPU has, and no less than it
 * takes to keep them busy. A slab has every so many of the pieces of a bitmap, which are a word a thread: so blocks that run at
 * once write a grid from front to back together, and points that are close together are in many slabs. A slab of counts is one
 * piece. */
#define RC_CUDA_VOXEL_SLAB_THREADS 512
#define RC_CUDA_VOXEL_SLAB_WORDS 16384
#define RC_CUDA_VOXEL_PIECE_WORDS RC_CUDA_VOXEL_SLAB_THREADS
#define RC_CUDA_VOXEL_PIECE_SHIFT 14    /* log2 of its bits */
#define RC_CUDA_VOXEL_MIN_COUNTS 1024        /* of a slab, at least */
#define RC_CUDA_VOXEL_NO_BIT UINT32_MAX
/* Points whose bits are put into bins together. */
#define RC_CUDA_VOXEL_POINTS_EACH 8
#define RC_CUDA_VOXEL_BIN_TILE (RC_CUDA_VOXEL_POINTS_EACH * RC_CUDA_VOXEL_THREADS)
#define RC_CUDA_VOXEL_BINS 128
/* Slabs of a multiprocessor, from which on they are many. */
#define RC_CUDA_VOXEL_MANY_SLABS 4

/* Means of points that stay in place: bins, of which each has room for so many points at most, and slabs of so many pieces at
 * most, whose values take no more shared memory than so many bytes. A piece is a word of voxels; a slab has every so many of
 * them, so that points that are close together are in many slabs. */
#define RC_CUDA_VOXEL_MEAN_BIN_THREADS 512
#define RC_CUDA_VOXEL_MEAN_TILE (4 * RC_CUDA_VOXEL_MEAN_BIN_THREADS)
#define RC_CUDA_VOXEL_MEAN_BINS 2048
#define RC_CUDA_VOXEL_MEAN_ROOM 768
#define RC_CUDA_VOXEL_MEAN_SHARES 4     /* of a bin of the points, for which it has room beside the least, up to that */
#define RC_CUDA_VOXEL_MEAN_MIN_ROOM 16
#define RC_CUDA_VOXEL_MEAN_PIECES 32
#define RC_CUDA_VOXEL_MEAN_TURN 433u    /* slabs, by which each round of pieces begins later: walls are regular */
#define RC_CUDA_VOXEL_MEAN_BYTES 34816
/* The greatest magnitudes of a block's channels, and what it has of shared memory beside these and its copy of a tile. */
#define RC_CUDA_VOXEL_MEAN_GREATEST_BYTES(channels) (((channels) * 8 + 15) / 16 * 16)
#define RC_CUDA_VOXEL_MEAN_BIN_BYTES (10 * 1024)
/* Of those for which a bin has no room: how many there are, and parts of them that blocks have taken, and added. */
#define RC_CUDA_VOXEL_OVERFLOW_POINTS 0
#define RC_CUDA_VOXEL_OVERFLOW_TAKEN 1
#define RC_CUDA_VOXEL_OVERFLOW_ADDED 2
#define RC_CUDA_VOXEL_OVERFLOW_WORDS 3

/* Points that a block takes at a time: 4 a thread, where no features are read. */
#define RC_CUDA_VOXEL_TILE (4 * RC_CUDA_VOXEL_THREADS)
/* Words of bits that a block counts at a time: 4 a thread. */
#define RC_CUDA_VOXEL_BIT_TILE (4 * RC_CUDA_VOXEL_THREADS)
/* Tiles of an item, at which two kernels that count them are as fast as more. */
#define RC_CUDA_VOXEL_MAX_BIT_TILES 1024
/* Keys that a block sorts at a time. */
#define RC_CUDA_VOXEL_SORT_ITEMS 12
#define RC_CUDA_VOXEL_SORT_TILE (RC_CUDA_VOXEL_SORT_ITEMS * RC_CUDA_VOXEL_THREADS)
#define RC_CUDA_VOXEL_DIGIT_BITS 8
#define RC_CUDA_VOXEL_DIGITS (1 << RC_CUDA_VOXEL_DIGIT_BITS)
/* Sorted keys whose voxels a block counts at a time. */
#define RC_CUDA_VOXEL_RANK_TILE 256

/* Words of bits that a block has at a time, for sparse outputs of accumulators that are kept. */
#define RC_CUDA_VOXEL_KEPT_TILE (2 * RC_CUDA_VOXEL_THREADS)

/* The key of what is no voxel: its significant bits are all set, too, and above those of any voxel. */
#define RC_CUDA_VOXEL_NO_KEY UINT64_MAX

/* The head of an item's scratch: no more than the 64 bytes that RcVoxelLayout leaves it. */
typedef struct RcCudaVoxelHead
{
  RcVoxelItem item;             /* n_keys is not used */
  int64_t n_ranged;             /* points that range has seen */
  uint32_t blocks_done;         /* of an add that is under way */
  uint32_t first_rank;          /* of its voxels: with sorted keys among those of the group, else 0 */
  uint32_t end_rank;
  union
  {
    uint32_t missed[3];         /* of points that stay in place: outside, NaN and infinite ones */
    uint32_t n_blocks;          /* that are occupied, where voxels are found by blocks */
  };
} RcCudaVoxelHead;

/* Values first … first + n - 1 of [batch, channels], the ranges of features. */
#define RC_CUDA_VOXEL_RANGES 128
typedef struct RcCudaVoxelRanges
{
  int64_t first, n;
  double values[RC_CUDA_VOXEL_RANGES];
} RcCudaVoxelRanges;

/* Where the arrays of the points of all items begin; item i has entries i * n_points … */
typedef struct RcCudaVoxelPoints
{
  uint64_t *keys[2];            /* linear index of a point's voxel, plus that of the item in its group times voxels */
  int64_t *sums;                /* of each voxel, by rank: mean, centroid [C] */
  char *payload;                /* as RcVoxelLayout says */
  uint32_t *order[2];           /* which point a sorted key is of, counted in the group */
  uint32_t *extremes;           /* of each voxel, by rank: max, min [C] */
  uint32_t *saw;                /* of each voxel, by rank: mean, 8 in a uint32 */
} RcCudaVoxelPoints;

/* How the index of a bit becomes that of a bitmap in which slabs lie one after the other: a bit has that of its slab in it. */
typedef struct RcCudaVoxelSlabs
{
  uint32_t mask;                /* which slab: in place */
  uint32_t factor;              /* by which what the mask leaves grows */
  uint32_t shift;               /* to the piece of a slab */
  uint32_t piece_factor;        /* by which that grows, modulo 2^32 */
} RcCudaVoxelSlabs;

#define RC_CUDA_VOXEL_2_23 0x4B000000u  /* the bits of 2^23 as float32 */

/* How points are located without division. */
typedef struct RcCudaVoxelLocate
{
  float inverse[3];             /* 1 / (n * size) */
  float margin[3];              /* how far from the middle of a voxel, in voxels, a product tells it; -1: none does */
  uint32_t distance[3];         /* between the indices of neighbours */
  uint32_t bias;                /* of the index, which 2^23 in each axis makes */
  float least[3], greatest[3];  /* coordinates that are half a voxel outside, at least */
} RcCudaVoxelLocate;

/* Where the counts, sums and flags of the sums of means are, and extremes: offsets in the share of an item. Their entries
 * are of voxels, or where these have ranks, of those that are occupied. */
typedef struct RcCudaVoxelMeans
{
  char *first;                  /* the share of item 0 */
  int64_t apart;                /* bytes */
  uint64_t counts, sums, saw;
  uint64_t extremes;            /* max, min; by rank alone */
} RcCudaVoxelMeans;

/* A word of bits, and how many are set before it. */
typedef struct RcCudaVoxelWord
{
  uint32_t bits, before;
} RcCudaVoxelWord;

/* What is set. Tiles of words are counted at a time. */
typedef struct RcCudaVoxelBitmap
{
  char *bits;                   /* those of item 0 */
  int64_t bits_apart;           /* bytes */
  int64_t words;                /* of an item */
  int64_t tiles;
  int64_t tile_words;           /* a multiple of RC_CUDA_VOXEL_BIT_TILE */
  RcCudaVoxelWord *ranked;      /* [batch, ranked_apart]: of a sparse grid those near a word in which something is set */
  int64_t ranked_apart;         /* a multiple of 16 */
  uint32_t *counts;             /* [batch, tiles]: bits that are set in each */
} RcCudaVoxelBitmap;

/* A point that stays in place, and its voxel. */
typedef struct RcCudaVoxelEntry
{
  uint32_t point, voxel;
} RcCudaVoxelEntry;

typedef struct RcCudaVoxelTask
{
  /* the plan */
  RcVoxelBox box;
  RcCudaVoxelLocate locate;
  RcVoxelLayout layout;
  int64_t batch;
  int64_t channels;
  uint32_t channel_inverse;     /* 2^31 / channels, rounded up */
  uint32_t step_of, step_channel;       /* 32 / channels, and what is left */
  int64_t nx, ny;
  int64_t voxels;
  uint64_t key_voxels;          /* the same for grids of 2^63 */
  int64_t bit_words;            /* of an item's bits */
  int64_t warp_words;           /* of them that a warp takes at a time, for values: 1 … 32 */
  int64_t max_voxels;
  int64_t max_points;           /* first: of a voxel in the output */
  double feature_range;
  int32_t centroid_exponent[3];
  uint32_t flip;
  RcVoxelMode mode;             /* occupancy for first, which has points and no values of voxels */
  RcDtype dtype;
  RcDtype kept_dtype;           /* of a feature in the payload of sparse means */
  int32_t element_bytes;        /* of what is read of data, where it is all of one size */
  int32_t sorts;                /* points are kept with the keys of their voxels */
  int32_t combines;             /* what is kept of the points of a voxel becomes one value a channel */
  int64_t feature_offset;       /* packed points: bytes from the beginning of a point */
  int64_t xyz_offset[3];        /* other points, as the next two */
  RcDtype xyz_dtype;
  const RcVoxelField *features; /* [channels] */
  const float *rays;            /* depth: those of the columns, then those of the rows; or x, y of each pixel */
  int64_t width;                /* depth: pixels in a row */
  float depth_scale;
  int32_t needs_range;
  int32_t keeps;                /* what end leaves in the accumulators: all of it, or nothing */
  int64_t layers;               /* max, min that keep: of keys of each voxel; else 0 */
  int64_t kept_tiles;           /* of an item's bits, where they are kept and the output is sparse */
  int32_t ranked;               /* means have entries of occupied voxels alone: range marks those, and add finds their ranks */
  int64_t mean_slabs;           /* of an item, where points may stay in place, as of dense means without a range alone; 0: none
                                 * may */
  uint32_t mean_slab_shift;     /* log2 of that, which is a power of two */
  uint32_t mean_pieces;         /* of each, at most */
  uint32_t mean_bins;           /* a power of two; each has every so many of the slabs */
  int32_t in_bitmap;            /* sparse, rank: what is occupied is found in bits, and no keys are sorted */
  int32_t defers;               /* of these, what is sparse without a range: points are added when the job ends */
  int32_t block_bits;           /* a bit stands for a block of so many voxels, log2, and those of blocks that are occupied have
                                 * bits of their own; 0: for a voxel */
  int64_t slabs;                /* into which the bits of an item are cut, a power of two; 0: they are in the scratch */
  int64_t slab_words;           /* of shared memory of each slab, a power of two: of 32 voxels, or of counts one */
  int32_t slab_shift;           /* log2 of slabs */
  RcCudaVoxelSlabs in_slabs;
  int32_t bins;                 /* a power of two: slabs, or where these are too many, runs of them */
  int32_t bin_shift;            /* log2 of the bits of a bin */
  int32_t bin_parts;            /* counters of a bin */

  /* the job */
  int64_t n_points;
  const int64_t *item_points;
  char *scratch;
  RcCudaVoxelPoints points;
  uint32_t *tile_counts;        /* [batch, kept_tiles + 1]: bits that are set in each tile, then in those before it, and in all */
  RcCudaVoxelMeans means;
  RcCudaVoxelBitmap bitmaps[2]; /* where there are ranks: of voxels; or of blocks, and of voxels in those */
  int64_t *voxels_of_points;    /* [batch, n_points], where they are found by blocks, or points deferred; NULL: not wanted */
  int64_t *voxels_by_rank;      /* [batch, n_points], of sparse outputs that are found in bits */
  RcCudaVoxelEntry *binned;     /* [batch, mean_bins, mean_room]: points that stay in place */
  RcCudaVoxelEntry *overflow;   /* [batch, n_points]: those for which a bin has no room */
  uint32_t *bin_counts;         /* [batch, mean_bins + RC_CUDA_VOXEL_OVERFLOW_WORDS]: points of each bin; those that overflow */
  uint32_t mean_room;
  int32_t copied_bytes;         /* of a point in place, where tiles are copied to shared memory; 0: they are not */
  char *ones, *zeros;           /* what begin sets to either beside the scratch of items */
  uint64_t ones_bytes, zeros_bytes;     /* multiples of 16 */
  uint32_t *bits_set;           /* slabs: the bits that points set, in each tile by bins, [batch, bits_set_apart] */
  int64_t bits_set_apart;       /* a multiple of 4 */
  uint32_t *slots;              /* where the bits of a bin are in a tile: begin | end << 16, [batch, bins, tiles_apart] */
  int64_t tiles_apart;
  uint64_t clear_bytes;         /* of the scratch of each item, which begin clears, unless that is its head alone */
  int32_t crowded;              /* points come to voxels that others came to, mostly: looking first is worth it */
  int64_t group;                /* items whose keys are sorted together; the last group may have fewer */
  int64_t *point_voxels;        /* index, rank: of the points of an item from first_point on */
  int64_t point_voxels_batch_stride;
  int64_t first_point, first_added;

  /* a chunk */
  const char *data;
  int64_t n;                    /* points, or rows */
  int64_t stride;
  int64_t batch_stride;
  const int64_t *counts;
  int64_t first_row;
  int64_t layer;                /* in which its points are */
  RcVoxelCounters *counters;    /* of add, and of end */
  RcVoxelCounters *counters_of_add;     /* where end counts points, since they stay in place until then */
  int32_t is_first;             /* no point was added before: of end, none at all; heads say nothing yet */
  int32_t aligned;              /* every element is at an address that its size divides */
  int32_t packed;               /* points are 12 bytes apart, and those of an item begin at a multiple of 16 */

  /* a group at the end of the job */
  int32_t sorted;               /* which of keys and order is */
  int64_t first_item;
  int64_t group_items;
  uint32_t group_points;        /* n_points of each item */
  uint32_t sort_tiles, rank_tiles;
  uint32_t *digit_counts;       /* [digits, sort_tiles], then each digit's total */
  uint32_t *rank_counts;        /* [rank_tiles + 1] */
  uint32_t *starts;             /* of the points of each voxel among the sorted keys, by rank; then their end */

  /* the output */
  char *grid;                   /* or values */
  int64_t grid_batch_stride;
  int32_t whole;                /* 16 bytes can be written at a time */
  uint32_t *occupied;           /* dense: the bitmap of the grid; NULL: not wanted */
  int64_t occupied_batch_stride;
  int32_t is_known;             /* it says what the grid holds */
  int32_t is_complete;          /* slabs: every item has n_points, as the host knows */
  uint32_t *n_voxels;
  int64_t n_voxels_batch_stride;
  int32_t *coordinates;
  int64_t coordinates_batch_stride;
  uint32_t *point_counts;       /* first */
  int64_t point_counts_batch_stride;
} RcCudaVoxelTask;

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
typedef enum RcCudaVoxelKept
{
  RC_CUDA_VOXEL_KEPT_COUNTS,    /* occupancy, too */
  RC_CUDA_VOXEL_KEPT_RANKS,     /* counts, and what the map says of the point */
  RC_CUDA_VOXEL_KEPT_CENTROIDS,
  RC_CUDA_VOXEL_KEPT_MEANS,     /* of features, which depth has not */
  RC_CUDA_VOXEL_KEPT
} RcCudaVoxelKept;

/* What the values of a voxel are made from. */
typedef enum RcCudaVoxelValues
{
  RC_CUDA_VOXEL_FROM_COUNTS,
  RC_CUDA_VOXEL_FROM_SUMS,      /* of features */
  RC_CUDA_VOXEL_FROM_CENTROIDS,
  RC_CUDA_VOXEL_FROM_KEYS,
  RC_CUDA_VOXEL_VALUES
} RcCudaVoxelValues;

/* voxel_add.cu; blocks (…, items) of RC_CUDA_VOXEL_THREADS threads, as all of them. Argument: the task. */
extern const void *const rc_cuda_voxel_clear;
extern const void *const rc_cuda_voxel_set_scales;
extern const void *const rc_cuda_voxel_add[RC_CUDA_VOXEL_SOURCES][RC_CUDA_VOXEL_ACTIONS];

/* voxel_index.cu: of packed points that are aligned, of which one chunk has all of the job; a thread a point. Argument: the
 * task. */
extern const void *const rc_cuda_voxel_index_whole[RC_CUDA_VOXEL_PACKED];

/* voxel_range.cu; 8 bytes a channel of shared memory. */
extern const void *const rc_cuda_voxel_range[RC_CUDA_VOXEL_SOURCES];

/* voxel_mean_bin.cu: the range of points that stay in place; the same shared memory. Blocks (tiles of points, items) of
 * RC_CUDA_VOXEL_MEAN_BIN_THREADS threads. */
extern const void *const rc_cuda_voxel_bin_in_place[RC_CUDA_VOXEL_SOURCES];

/* voxel_mean_mark.cu, of these: where points do not stay after all. */
extern const void *const rc_cuda_voxel_mark_binned;

/* voxel_mean_slab.cu, of these: the dense output, by the bytes of an element: 2 and 4, for channels one by one and four by four;
 * a block for each slab of each item, with shared memory for its values and 4 bytes a channel. */
extern const void *const rc_cuda_voxel_write_means[RC_CUDA_VOXEL_SOURCES][2][2];

/* voxel_write.cu; by the bytes of an element: 1, 2 and 4. */
extern const void *const rc_cuda_voxel_write_bits;
extern const void *const rc_cuda_voxel_write_occupancy[3];
extern const void *const rc_cuda_voxel_write[RC_CUDA_VOXEL_VALUES][3];

/* voxel_bin.cu: for slabs. Argument: the task. */
extern const void *const rc_cuda_voxel_bin[RC_CUDA_VOXEL_SOURCES];
extern const void *const rc_cuda_voxel_bin_whole;       /* packed float32, of which one chunk has all of the job */

/* voxel_keep.cu, where accumulators are kept: in place of clear, for a job that goes on; to add points, and to take them
 * out. */
extern const void *const rc_cuda_voxel_go_on;
extern const void *const rc_cuda_voxel_put_ranges;      /* arguments: the task, and ranges; of a block */
extern const void *const rc_cuda_voxel_take[RC_CUDA_VOXEL_SOURCES][RC_CUDA_VOXEL_KEPT][2];

/* voxel_layers.cu: the same of max and min; depth has no features. */
extern const void *const rc_cuda_voxel_take_layered[RC_CUDA_VOXEL_DEPTH][2];

/* voxel_keep_sparse.cu, in this order. Argument: the task. */
extern const void *const rc_cuda_voxel_count_tiles;
extern const void *const rc_cuda_voxel_scan_tiles;
extern const void *const rc_cuda_voxel_write_tiles;

/* voxel_slab.cu: [where there are no more blocks than multiprocessors], for bits, then by the bytes of an element;
 * RC_CUDA_VOXEL_SLAB_THREADS threads. */
extern const void *const rc_cuda_voxel_write_slabs[2][4];

/* voxel_slab_counts.cu: counts, by the bytes of an element; as many threads. */
extern const void *const rc_cuda_voxel_count_slabs[3];

/* voxel_sort.cu: one pass is the three in turn. Arguments: the task, the first bit of the digit, its bits. */
extern const void *const rc_cuda_voxel_sort_count;
extern const void *const rc_cuda_voxel_sort_scan;
extern const void *const rc_cuda_voxel_sort_move[2];    /* keys alone; with the order, which the first pass begins */

/* voxel_sparse.cu, in this order. Argument: the task. */
extern const void *const rc_cuda_voxel_count_voxels;
extern const void *const rc_cuda_voxel_scan_voxels;
extern const void *const rc_cuda_voxel_rank;
extern const void *const rc_cuda_voxel_write_sparse;    /* for output sparse */

/* voxel_rank.cu: ranks of the bits that are set, in this order; arguments: the task, and of which bitmap, a uint32_t.
 * Between those of blocks and of voxels, the bits of these; then outputs sparse and rank. Argument: the task. */
extern const void *const rc_cuda_voxel_count_set_bits;
extern const void *const rc_cuda_voxel_rank_set_bits;
extern const void *const rc_cuda_voxel_mark_in_blocks;
extern const void *const rc_cuda_voxel_write_ranked;
extern const void *const rc_cuda_voxel_finish_ranks;

/* voxel_deferred.cu; by what values are made from. */
extern const void *const rc_cuda_voxel_add_deferred[RC_CUDA_VOXEL_VALUES];
extern const void *const rc_cuda_voxel_list_deferred;   /* where they have no values */

/* voxel_first.cu, beside rc_cuda_voxel_write_sparse: how many points each voxel has; and the points, by the bytes of an
 * element: 2 and 4. */
extern const void *const rc_cuda_voxel_count_first;
extern const void *const rc_cuda_voxel_write_first[2];

/* voxel_sparse.cu: the ranks of the points of a group; then voxel_map.cu: what no point of an item came for, of all items. */
extern const void *const rc_cuda_voxel_write_ranks;
extern const void *const rc_cuda_voxel_finish_map;

#ifdef __cplusplus
}
#endif
#endif
