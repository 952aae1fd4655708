/* robocache: the arguments of the voxel kernels
 *
 * A kernel takes the parts that it reads, by value, and nothing else: what the plan fixes of grid, points and values; the job and
 * its scratch; the points of one call; the output; and what a family of kernels has of its own. All byte offsets and strides
 * are in bytes, and [shapes] are row-major.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CUDA_VOXEL_ARGUMENTS_H
#define RC_CUDA_VOXEL_ARGUMENTS_H

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
#define RC_CUDA_VOXEL_MEAN_CAPACITY 768
#define RC_CUDA_VOXEL_MEAN_SHARES 4     /* of a bin of the points, for which it has room beside the least, up to that */
#define RC_CUDA_VOXEL_MEAN_MIN_CAPACITY 16
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
#define RC_CUDA_VOXEL_WINDOW_TILE (2 * RC_CUDA_VOXEL_THREADS)

/* The key of what is no voxel: its significant bits are all set, too, and above those of any voxel. */
#define RC_CUDA_VOXEL_NO_KEY UINT64_MAX

/* First points of a voxel that its list gives, at most: one in each lane of a warp. */
#define RC_CUDA_VOXEL_MAX_LISTED 32

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

#define RC_CUDA_VOXEL_RANGES 128

/* How the index of a bit becomes that of a bitmap in which slabs lie one after the other: a bit has that of its slab in it. */
typedef struct RcCudaVoxelSlabIndex
{
  uint32_t mask;                /* which slab: in place */
  uint32_t factor;              /* by which what the mask leaves grows */
  uint32_t shift;               /* to the piece of a slab */
  uint32_t piece_factor;        /* by which that grows, modulo 2^32 */
} RcCudaVoxelSlabIndex;

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

/* ---- the parts of which each kernel takes those that it reads ---- */

/* The grid and how points are located in it. Fixed by the plan. */
typedef struct RcCudaVoxelGrid
{
  RcVoxelBox box;
  RcCudaVoxelLocate locate;
  int64_t nx, ny;
  int64_t voxels;
  int64_t bit_words;            /* uint32 words of an item's bitmap */
} RcCudaVoxelGrid;

/* How coordinates and features lie in a point, or depth in a pixel. Fixed by the plan. */
typedef struct RcCudaVoxelFormat
{
  int64_t feature_offset;       /* packed points: bytes from the beginning of a point */
  int64_t xyz_offset[3];        /* other points, as the next two */
  RcDtype xyz_dtype;
  const RcVoxelField *fields;   /* [channels] features */
  const float *rays;            /* depth: those of the columns, then those of the rows; or x, y of each pixel */
  int64_t width;                /* depth: pixels in a row */
  float depth_scale;            /* metres per unit */
} RcCudaVoxelFormat;

/* The values of a voxel. Fixed by the plan. */
typedef struct RcCudaVoxelValues
{
  int64_t channels;
  uint32_t channel_inverse;     /* 2^31 / channels, rounded up */
  uint32_t step_of, step_channel;       /* 32 / channels, and the remainder */
  double feature_range;         /* mean: magnitude above which features are clamped; 0: none */
  int32_t centroid_exponent[3];
  uint32_t flip;                /* of max and min keys */
  RcVoxelMode mode;             /* occupancy for first and pillars, whose voxels have no values */
  RcDtype dtype;
  int32_t combines;             /* the stored values of a voxel's points become one value a channel */
} RcCudaVoxelValues;

/* The job and its scratch. */
typedef struct RcCudaVoxelJob
{
  RcVoxelLayout layout;         /* of an item's scratch */
  int64_t batch;                /* items */
  int64_t n_points;             /* of each item, at most */
  const int64_t *item_points;   /* [batch] points of each item; NULL: n_points each */
  char *scratch;
  int32_t needs_range;
  int32_t is_first;             /* no point was added before, and heads are not valid; at the end: none at all */
  int32_t is_crowded;           /* most points come to voxels that have one: test a bit before setting it */
} RcCudaVoxelJob;

/* The points of one call. */
typedef struct RcCudaVoxelChunk
{
  const char *data;
  int64_t n;                    /* points, or rows of pixels */
  int64_t stride;               /* bytes between points or rows */
  int64_t batch_stride;         /* bytes between items */
  const int64_t *counts;        /* [batch] points or rows of each item; NULL: n each */
  int64_t first_row;            /* depth: row of the image */
  int64_t layer;                /* of the window, that these points belong to */
  RcVoxelCounters *counters;    /* NULL: not wanted */
  int32_t is_aligned;           /* the size of an element divides the address of each */
  int32_t is_packed;            /* points are 12 bytes apart, and those of an item begin at a multiple of 16 */
} RcCudaVoxelChunk;

/* Counts, sums, flags of non-finite values and extremes: byte offsets in the share of an item. Entries are by voxel, or by
 * rank where occupied voxels are ranked. */
typedef struct RcCudaVoxelAccumulators
{
  char *first;                  /* the share of item 0 */
  int64_t apart;                /* bytes between the shares of items */
  uint64_t counts, sums, nonfinite_flags;
  uint64_t extremes;            /* max, min; by rank alone */
} RcCudaVoxelAccumulators;

/* The bitmaps of occupied voxels and the ranks of their bits. */
typedef struct RcCudaVoxelRanks
{
  RcCudaVoxelBitmap bitmaps[2]; /* of voxels; or of blocks, and of voxels in occupied blocks */
  int32_t block_bits;           /* log2 of the voxels of a block, which a bit of the first bitmap stands for; 0: a voxel */
  int32_t in_bitmap;            /* sparse, rank: occupied voxels are found in bitmaps, without a sort */
  int32_t is_ranked;            /* accumulators are by rank: range marks voxels, and add looks up their ranks */
  int64_t *voxels_of_points;    /* [batch, n_points] for blocks or deferred points; NULL: not wanted */
  int64_t *voxels_by_rank;      /* [batch, n_points] for sparse outputs; NULL: not wanted */
} RcCudaVoxelRanks;

/* Points stored until the job ends; item i has entries i * n_points …. */
typedef struct RcCudaVoxelStored
{
  uint64_t *keys[2];            /* linear index of a point's voxel, plus that of the item in its group times key_voxels */
  uint32_t *order[2];           /* which point a sorted key is of, counted in the group */
  char *payload;                /* as RcVoxelLayout says */
  int64_t payload_bytes;        /* of a point */
  RcDtype dtype;                /* of a feature in the payload of means: float32 or float64 */
  int32_t is_deferred;          /* points are ranked and added when the job ends, without keys */
  uint64_t key_voxels;          /* keys of an item */
  int64_t group_items;          /* whose keys are sorted together; the last group may have fewer */
} RcCudaVoxelStored;

/* The list of a voxel of the output. Entries are numbers of points: first those of the first max_points that were counted. */
typedef struct RcCudaVoxelList
{
  uint32_t n_points;            /* of the voxel */
  uint32_t bound;               /* the greatest number of the first max_points that were counted */
  uint32_t start;               /* among the entries of the item */
  uint32_t n_extra;             /* entries after the first max_points */
} RcCudaVoxelList;

/* Lists by the rank of the voxel: modes first and pillars where voxels are found in bits. */
typedef struct RcCudaVoxelFirst
{
  RcCudaVoxelList *lists;       /* [batch, voxels]; NULL: keys are sorted */
  uint32_t *limits;             /* [batch, voxels] the least number that is number max_points of a voxel's points in one warp */
  uint32_t *n_entries;          /* [batch] that lists have reserved */
  uint32_t *numbers;            /* [batch, n_points] entries */
  int64_t voxels;               /* the lesser of N and max_voxels */
  uint32_t max_points;
} RcCudaVoxelFirst;

/* One group of items whose keys are sorted together at the end of the job. */
typedef struct RcCudaVoxelGroup
{
  int32_t sorted;               /* which of keys and order is */
  int64_t first_item;
  int64_t items;
  uint32_t item_points;         /* n_points of each item */
  uint32_t sort_tiles, rank_tiles;
  uint32_t *digit_counts;       /* [digits, sort_tiles], then each digit's total */
  uint32_t *rank_counts;        /* [rank_tiles + 1] */
  uint32_t *starts;             /* by rank: first sorted key of each voxel; then the end of the last */
  int64_t *sums;                /* by rank: mean, centroid [C] */
  uint32_t *extremes;           /* by rank: max, min [C] */
  uint32_t *nonfinite_flags;          /* by rank: flags of a mean's features, 8 in a uint32 */
} RcCudaVoxelGroup;

/* Dense means whose points are read again when the job ends: their voxels, in bins of slabs of the grid. */
typedef struct RcCudaVoxelBins
{
  int64_t slabs;                /* of an item, a power of two; 0: points are not read again */
  uint32_t slab_shift;          /* log2 of slabs */
  uint32_t pieces;              /* of each slab, at most */
  uint32_t bins;                /* a power of two; each has every so many of the slabs */
  uint32_t capacity;            /* entries of a bin */
  int32_t copied_bytes;         /* of a point, where tiles are copied to shared memory; 0: they are not */
  RcCudaVoxelEntry *entries;    /* [batch, bins, capacity] */
  RcCudaVoxelEntry *overflow;   /* [batch, n_points]: points beyond the capacity of their bin */
  uint32_t *counts;             /* [batch, bins + RC_CUDA_VOXEL_OVERFLOW_WORDS]: points of each bin; then of the overflow */
} RcCudaVoxelBins;

/* Occupancy and counts made in shared memory, a slab of the grid in each block, and the bits of points sorted by slab. */
typedef struct RcCudaVoxelSlabs
{
  int64_t n;                    /* slabs of an item, a power of two; 0: bits are in the scratch */
  int64_t words;                /* of shared memory of each slab, a power of two: of 32 voxels, or of one count */
  int32_t shift;                /* log2 of n */
  RcCudaVoxelSlabIndex index;
  int32_t bins;                 /* a power of two: slabs, or where these are too many, runs of them */
  int32_t bin_shift;            /* log2 of the bits of a bin */
  int32_t bin_parts;            /* counters of a bin */
  uint32_t *bits;               /* [batch, bits_apart] the bit of each point, by bins within each tile */
  int64_t bits_apart;           /* a multiple of 4 */
  uint32_t *slots;              /* [batch, bins, tiles_apart] where the bits of a bin are in a tile: begin | end << 16 */
  int64_t tiles_apart;
  int32_t is_complete;          /* every item has n_points, and the host knows */
} RcCudaVoxelSlabs;

/* Accumulators that jobs continue from. */
typedef struct RcCudaVoxelWindow
{
  int64_t layers;               /* max, min: of keys of each voxel; else 0 */
  int64_t first_added;          /* number of the first point that this job adds */
  int64_t tiles;                /* of an item's bitmap, for sparse outputs; else 0 */
  uint32_t *tile_counts;        /* [batch, tiles + 1]: bits that are set in each tile; then in those before it, and in all */
} RcCudaVoxelWindow;

/* Output dense or bits. */
typedef struct RcCudaVoxelDense
{
  char *data;
  int64_t batch_stride;         /* bytes */
  uint32_t *occupied;           /* the bitmap of the grid; NULL: not wanted */
  int64_t occupied_batch_stride;        /* bytes */
  RcVoxelCounters *counters;    /* NULL: not wanted */
  int64_t warp_words;           /* of the bitmap that a warp takes at a time, for values: 1 … 32 */
  int32_t is_known;             /* occupied says what the grid holds */
  int32_t is_whole;             /* 16 bytes can be written at a time */
  int32_t accumulates;                /* accumulators stay as they are, for the next job; else they are cleared */
} RcCudaVoxelDense;

/* Output sparse; batch strides are in bytes. */
typedef struct RcCudaVoxelRows
{
  char *values;
  int64_t values_batch_stride;
  uint32_t *n_voxels;
  int64_t n_voxels_batch_stride;
  int32_t *coordinates;
  int64_t coordinates_batch_stride;
  uint32_t *point_counts;       /* first, pillars: points of each voxel in values */
  int64_t point_counts_batch_stride;
  int64_t max_voxels;
  int64_t max_points;           /* first, pillars: of a voxel */
  int64_t decorations;          /* pillars: of a point beside its fields */
  RcVoxelCounters *counters;    /* NULL: not wanted */
} RcCudaVoxelRows;

/* Outputs index and rank. */
typedef struct RcCudaVoxelMap
{
  int64_t *voxels;              /* [batch, n_points - first_point] */
  int64_t batch_stride;         /* bytes */
  int64_t first_point;
  int64_t max_voxels;           /* rank: voxels beyond have none */
  RcVoxelCounters *counters;    /* of the end; NULL: not wanted */
  int32_t has_ranges;           /* rank, by sorted keys: heads say how many voxels an item has */
} RcCudaVoxelMap;

/* Memory that begin sets; all bytes are multiples of 16. */
typedef struct RcCudaVoxelClear
{
  uint64_t item_bytes;          /* of each item's scratch, from its beginning */
  char *ones, *zeros;
  uint64_t ones_bytes, zeros_bytes;
} RcCudaVoxelClear;

/* Ranges of features first … first + n - 1 of [batch, channels]. */
typedef struct RcCudaVoxelRanges
{
  int64_t first, n;
  double values[RC_CUDA_VOXEL_RANGES];
} RcCudaVoxelRanges;

/* One digit of a sort. */
typedef struct RcCudaVoxelDigit
{
  uint32_t first_bit, bits;
  uint32_t from;                /* which of keys and order is read; the other one is written */
} RcCudaVoxelDigit;

/* All parts, as the host has them. The functions that launch kernels pass each those that it takes. */
typedef struct RcCudaVoxelArguments
{
  RcCudaVoxelGrid grid;
  RcCudaVoxelFormat format;
  RcCudaVoxelValues values;
  RcCudaVoxelJob job;
  RcCudaVoxelChunk chunk;
  RcCudaVoxelAccumulators accumulators;
  RcCudaVoxelRanks ranks;
  RcCudaVoxelStored stored;
  RcCudaVoxelFirst first;
  RcCudaVoxelGroup group;
  RcCudaVoxelDigit digit;
  RcCudaVoxelBins bins;
  RcCudaVoxelSlabs slabs;
  RcCudaVoxelWindow window;
  RcCudaVoxelDense dense;
  RcCudaVoxelRows rows;
  RcCudaVoxelMap map;
  RcCudaVoxelClear clear;
  RcCudaVoxelRanges ranges;
  uint32_t bitmap;              /* which of ranks.bitmaps */
} RcCudaVoxelArguments;

#ifdef __cplusplus
}
#endif
#endif
