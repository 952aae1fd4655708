/* robocache: the arguments of the voxel kernels
 *
 * A kernel takes the parts that it reads, by value, and nothing else: what the plan fixes of grid, points and values; the
 * job and its scratch; the points of one call; the output; and what one family of kernels needs. Offsets and strides are in
 * bytes, [shapes] are row-major. kernels.h has a map of the kernels.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/voxel_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RC_CUDA_VOXEL_THREADS 256
#define RC_CUDA_VOXEL_WARPS (RC_CUDA_VOXEL_THREADS / 32)

/* Resident blocks per multiprocessor of kernels that write values of a dense grid. */
#define RC_CUDA_VOXEL_WRITE_BLOCKS 4

/* Slabs: parts of a bitmap or of counts that a block of 512 threads makes in at most 64 KB of shared memory, which every
 * GPU has. Slabs are smaller where that keeps more multiprocessors busy. A piece of a bitmap is a word per thread, and
 * pieces are dealt to slabs in turn:
 *
 *   piece  0  1  2  3  4  5  6  7
 *   slab   0  1  2  3  0  1  2  3
 *
 * So blocks that run at once write a grid from front to back together, and nearby points are spread over many slabs. A slab
 * of counts is one piece. */
#define RC_CUDA_VOXEL_SLAB_THREADS 512
#define RC_CUDA_VOXEL_SLAB_WORDS 16384
#define RC_CUDA_VOXEL_PIECE_WORDS RC_CUDA_VOXEL_SLAB_THREADS
#define RC_CUDA_VOXEL_PIECE_SHIFT 14    /* log2 of its bits */
#define RC_CUDA_VOXEL_MIN_COUNTS 1024        /* minimum number of voxels of a slab of counts */
#define RC_CUDA_VOXEL_NO_BIT UINT32_MAX
/* A tile of points, whose bits are sorted together: points per thread and per tile, and bins at most. */
#define RC_CUDA_VOXEL_POINTS_EACH 8
#define RC_CUDA_VOXEL_BIN_TILE (RC_CUDA_VOXEL_POINTS_EACH * RC_CUDA_VOXEL_THREADS)
#define RC_CUDA_VOXEL_BINS 128
/* Slabs per multiprocessor from which on they count as many. */
#define RC_CUDA_VOXEL_MANY_SLABS 4

/* Binned means: a tile of points per block, and bins with a capacity for points. The values of a slab take at most
 * RC_CUDA_VOXEL_MEAN_BYTES of shared memory. A piece is the 32 voxels of a word, and pieces are dealt to slabs in turn, so nearby points
 * are spread over many slabs. */
#define RC_CUDA_VOXEL_MEAN_BIN_THREADS 512
#define RC_CUDA_VOXEL_MEAN_TILE (4 * RC_CUDA_VOXEL_MEAN_BIN_THREADS)
#define RC_CUDA_VOXEL_MEAN_BINS 2048
#define RC_CUDA_VOXEL_MEAN_CAPACITY 768
#define RC_CUDA_VOXEL_MEAN_SHARES 4     /* capacity of a bin: so many times its share of the points, and the least of the next line */
#define RC_CUDA_VOXEL_MEAN_MIN_CAPACITY 16
#define RC_CUDA_VOXEL_MEAN_PIECES 32
#define RC_CUDA_VOXEL_MEAN_TURN 433u    /* each round of pieces begins so many slabs later, since walls are regular */
#define RC_CUDA_VOXEL_MEAN_BYTES 34816
/* Shared memory of a block that bins: the greatest magnitude of each channel, and all but these and its copy of a tile. */
#define RC_CUDA_VOXEL_MEAN_GREATEST_BYTES(channels) (((channels) * 8 + 15) / 16 * 16)
#define RC_CUDA_VOXEL_MEAN_BIN_BYTES (10 * 1024)
/* Words of an item about points beyond the capacity of their bin: points, parts that blocks have taken, and parts that they
 * have added. */
#define RC_CUDA_VOXEL_OVERFLOW_POINTS 0
#define RC_CUDA_VOXEL_OVERFLOW_TAKEN 1
#define RC_CUDA_VOXEL_OVERFLOW_ADDED 2
#define RC_CUDA_VOXEL_OVERFLOW_WORDS 3

/* Points that a block takes at a time where no features are read: 4 a thread. */
#define RC_CUDA_VOXEL_TILE (4 * RC_CUDA_VOXEL_THREADS)
/* Words of bits that a block counts at a time: 4 a thread. */
#define RC_CUDA_VOXEL_BIT_TILE (4 * RC_CUDA_VOXEL_THREADS)
/* Tiles of an item's bitmap, at most: up to here two kernels that count them are as fast as more. */
#define RC_CUDA_VOXEL_MAX_BIT_TILES 1024
/* Keys that a block sorts at a time. */
#define RC_CUDA_VOXEL_SORT_ITEMS 12
#define RC_CUDA_VOXEL_SORT_TILE (RC_CUDA_VOXEL_SORT_ITEMS * RC_CUDA_VOXEL_THREADS)
#define RC_CUDA_VOXEL_DIGIT_BITS 8
#define RC_CUDA_VOXEL_DIGITS (1 << RC_CUDA_VOXEL_DIGIT_BITS)
/* Sorted keys whose voxels a block counts at a time. */
#define RC_CUDA_VOXEL_RANK_TILE 256

/* Words of bits that a block takes at a time, for sparse outputs of sliding windows. */
#define RC_CUDA_VOXEL_WINDOW_TILE (2 * RC_CUDA_VOXEL_THREADS)

/* The key of a point without a voxel. All of its bits are set, so it sorts after every voxel. */
#define RC_CUDA_VOXEL_NO_KEY UINT64_MAX

/* Greatest max_points for which the points of a voxel are found in lists: one per lane of a warp. */
#define RC_CUDA_VOXEL_MAX_LISTED 32

/* The head of an item's scratch, in the 64 bytes that RcVoxelLayout leaves for it. */
typedef struct RcCudaVoxelHead
{
  RcVoxelItem item;             /* n_keys is not used */
  int64_t n_ranged;             /* points of the chunks that range has read */
  uint32_t blocks_done;         /* blocks that have ended, of an add that is under way */
  uint32_t first_rank;          /* rank of its first voxel: among the voxels of the group with sorted keys, else 0 */
  uint32_t end_rank;
  union
  {
    uint32_t missed[3];         /* binned points: outside, NaN and infinite ones */
    uint32_t n_blocks;          /* occupied blocks, in grids of blocks */
  };
} RcCudaVoxelHead;

#define RC_CUDA_VOXEL_RANGES 128

/* Turns the index of a bit into its index in a bitmap whose slabs lie one after the other. The bits of `mask` in an index
 * are its slab.
 *
 *   in 4 slabs of 2 pieces, the pieces 0 1 2 3 4 5 6 7 lie at 0 2 4 6 1 3 5 7
 */
typedef struct RcCudaVoxelSlabIndex
{
  uint32_t mask;                /* the slab, in place */
  uint32_t factor;              /* added times the masked index */
  uint32_t shift;               /* to the piece within the slab */
  uint32_t piece_factor;        /* added times that piece, modulo 2^32 */
} RcCudaVoxelSlabIndex;

#define RC_CUDA_VOXEL_2_23 0x4B000000u  /* the bits of 2^23 as float32 */

/* Locates points without division (voxel_by_product in points.cuh). */
typedef struct RcCudaVoxelLocate
{
  float inverse[3];             /* 1 / (n * size) */
  float margin[3];              /* distance from the middle of a voxel, in voxels, up to which a product is sure; -1: never */
  uint32_t distance[3];         /* between the indices of neighbours */
  uint32_t bias;                /* the index that 2^23 on each axis makes */
  float least[3], greatest[3];  /* coordinates beyond these are at least half a voxel outside */
} RcCudaVoxelLocate;

/* A word of a bitmap and the number of bits that are set in all words before it. */
typedef struct RcCudaVoxelWord
{
  uint32_t bits, before;
} RcCudaVoxelWord;

/* A bitmap of each item. Tiles of words are counted at a time. */
typedef struct RcCudaVoxelBitmap
{
  char *bits;                   /* the words of item 0 */
  int64_t bits_apart;           /* bytes */
  int64_t words;                /* of an item */
  int64_t tiles;
  int64_t tile_words;           /* a multiple of RC_CUDA_VOXEL_BIT_TILE */
  RcCudaVoxelWord *ranked;      /* [batch, ranked_apart]; sparse, rank: only valid near a word with a set bit */
  int64_t ranked_apart;         /* a multiple of 16 */
  uint32_t *counts;             /* [batch, tiles]: set bits of each tile */
} RcCudaVoxelBitmap;

/* A binned point, by its number, and its voxel. */
typedef struct RcCudaVoxelEntry
{
  uint32_t point, voxel;
} RcCudaVoxelEntry;

/* ---- the parts, of which each kernel takes those that it reads ---- */

/* The grid and how points are located in it. Fixed by the plan. */
typedef struct RcCudaVoxelGrid
{
  RcVoxelBox box;
  RcCudaVoxelLocate locate;
  int64_t nx, ny;
  int64_t voxels;
  int64_t bit_words;            /* uint32 words of an item's bitmap */
} RcCudaVoxelGrid;

/* Offsets of coordinates and features in a point, or of depth in a pixel. The plan fixes them. */
typedef struct RcCudaVoxelFormat
{
  int64_t feature_offset;       /* packed points: bytes from the beginning of a point to its first feature */
  int64_t xyz_offset[3];        /* other points, like the next two fields */
  RcDtype xyz_dtype;
  const RcVoxelField *fields;   /* [channels] features */
  const float *rays;            /* depth: x of each column, then y of each row; with distortion x, y of each pixel */
  int64_t width;                /* depth: pixels in a row */
  float depth_scale;            /* metres per unit */
  int32_t is_float_depth;       /* pixels are float32, otherwise uint16 */
} RcCudaVoxelFormat;

/* The values of a voxel. Fixed by the plan. */
typedef struct RcCudaVoxelValues
{
  int64_t channels;
  uint32_t channel_inverse;     /* 2^31 / channels, rounded up */
  uint32_t step_of, step_channel;       /* 32 / channels, and the remainder */
  double feature_range;         /* mean: features are clamped to this magnitude; 0: they are not */
  int32_t centroid_exponent[3];
  uint32_t flip;                /* bits of max and min keys that are inverted */
  RcVoxelMode mode;             /* occupancy for first and pillars too, since their voxels have no values */
  RcDtype dtype;
  int32_t combines;             /* whether the stored values of a voxel's points become one value a channel */
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
  int32_t is_first;             /* no point was added before, so heads are not valid; at the end: the job has no point */
  int32_t is_crowded;           /* most voxels of points are marked already: test a bit before setting it */
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
  int64_t layer;                /* the layer of the window that these points belong to */
  RcVoxelCounters *counters;    /* NULL: not wanted */
  int32_t is_aligned;           /* each point is aligned to the size of an element */
  int32_t is_packed;            /* points are 12 bytes apart, and those of an item begin at a multiple of 16 */
} RcCudaVoxelChunk;

/* Counts, sums, flags of non-finite values and extremes, as byte offsets in the share of an item. Entries are by voxel, or
 * by rank where occupied voxels are ranked. */
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
  RcCudaVoxelBitmap bitmaps[2]; /* [0] of voxels; in grids of blocks [0] of blocks, [1] of voxels in occupied blocks */
  int32_t block_bits;           /* log2 of the voxels per block, and so per bit of the first bitmap */
  int32_t in_bitmap;            /* sparse, rank: bitmaps find the occupied voxels, without a sort */
  int32_t is_ranked;            /* means: accumulators are by rank, since range marks voxels before add */
  int64_t *voxels_of_points;    /* [batch, n_points] for blocks or deferred points; NULL: not wanted */
  int64_t *voxels_by_rank;      /* [batch, n_points] for sparse outputs; NULL: not wanted */
} RcCudaVoxelRanks;

/* Points that are stored until the job ends. Item i has the entries from i * n_points on. */
typedef struct RcCudaVoxelStored
{
  uint64_t *keys[2];            /* linear index of a point's voxel + number of its item in the group * key_voxels */
  uint32_t *order[2];           /* the number in the group of each key's point */
  char *payload;                /* what RcVoxelLayout states */
  int64_t payload_bytes;        /* of a point */
  RcDtype dtype;                /* of features in the payload of means: float32 or float64 */
  int32_t is_deferred;          /* points have no keys, and are ranked and added when the job ends */
  uint64_t key_voxels;          /* keys per item */
  int64_t group_items;          /* items whose keys are sorted together; the last group may have fewer */
} RcCudaVoxelStored;

/* The list of a voxel of the output. Its entries are numbers of points. The first max_points entries are the points that
 * were counted first, the others may be wanted too. */
typedef struct RcCudaVoxelList
{
  uint32_t n_points;            /* of the voxel, listed or not */
  uint32_t bound;               /* the greatest number of the max_points that were counted first */
  uint32_t start;               /* of the list among the entries of the item */
  uint32_t n_extra;             /* entries after the first max_points */
} RcCudaVoxelList;

/* Lists by the rank of the voxel: modes first and pillars where voxels are found in bits. */
typedef struct RcCudaVoxelFirst
{
  RcCudaVoxelList *lists;       /* [batch, voxels]; NULL: keys are sorted */
  uint32_t *limits;             /* [batch, voxels] index of the max_points-th point of the voxel within one warp; the smallest of all warps' */
  uint32_t *n_entries;          /* [batch] entries that lists have reserved */
  uint32_t *numbers;            /* [batch, n_points] entries */
  int64_t voxels;               /* the lesser of N and max_voxels */
  uint32_t max_points;
} RcCudaVoxelFirst;

/* One group of items whose keys are sorted together at the end of the job. */
typedef struct RcCudaVoxelGroup
{
  int32_t sorted;               /* which of keys and order is sorted */
  int64_t first_item;
  int64_t items;
  uint32_t item_points;         /* n_points of each item */
  uint32_t sort_tiles, rank_tiles;
  uint32_t *digit_counts;       /* [digits, sort_tiles], then each digit's total */
  uint32_t *rank_counts;        /* [rank_tiles + 1] */
  uint32_t *starts;             /* by rank: first sorted key of each voxel; then the end of the last */
  int64_t *sums;                /* by rank: mean, centroid [C] */
  uint32_t *extremes;           /* by rank: max, min [C] */
  uint32_t *nonfinite_flags;          /* by rank: flags of a mean's features, 8 per uint32 */
} RcCudaVoxelGroup;

/* Dense means whose points are read again when the job ends: the voxels of points, in bins of slabs of the grid. */
typedef struct RcCudaVoxelBins
{
  int64_t slabs;                /* of an item, a power of two; 0: points are not read again */
  uint32_t slab_shift;          /* log2 of slabs */
  uint32_t pieces;              /* of each slab, at most */
  uint32_t bins;                /* a power of two; slabs are dealt to bins in turn */
  uint32_t capacity;            /* entries of a bin */
  int32_t copied_bytes;         /* bytes of a point in tiles that are copied to shared memory; 0: they are not */
  RcCudaVoxelEntry *entries;    /* [batch, bins, capacity] */
  RcCudaVoxelEntry *overflow;   /* [batch, n_points]: points beyond the capacity of their bin */
  uint32_t *counts;             /* [batch, bins + RC_CUDA_VOXEL_OVERFLOW_WORDS]: points of each bin; then of the overflow */
} RcCudaVoxelBins;

/* Occupancy and counts that blocks make in shared memory, slab by slab, and the bits of points sorted by slab. */
typedef struct RcCudaVoxelSlabs
{
  int64_t n;                    /* slabs of an item, a power of two; 0: bits are in the scratch */
  int64_t words;                /* of shared memory per slab, a power of two: 32 voxels each, or one count */
  int32_t shift;                /* log2 of n */
  RcCudaVoxelSlabIndex index;
  int32_t bins;                 /* a power of two: one per slab, or one per run of slabs where these are too many */
  int32_t bin_shift;            /* log2 of the bits of a bin */
  int32_t bin_parts;            /* counters of a bin */
  uint32_t *bits;               /* [batch, bits_apart] the bit of each point, sorted by bin within each tile */
  int64_t bits_apart;           /* a multiple of 4 */
  uint32_t *slots;              /* [batch, bins, tiles_apart] where the bits of a bin are in a tile: begin | end << 16 */
  int64_t tiles_apart;
  int32_t is_complete;          /* every item has n_points points, as far as the host knows */
} RcCudaVoxelSlabs;

/* Accumulators of a sliding window, from which jobs continue. */
typedef struct RcCudaVoxelWindow
{
  int64_t layers;               /* max, min: layers of keys per voxel; else 0 */
  int64_t first_added;          /* number of the first point that this job adds */
  int64_t tiles;                /* of an item's bitmap, for sparse outputs; else 0 */
  uint32_t *tile_counts;        /* [batch, tiles + 1]: set bits of each tile; after scan_tiles those of the tiles before, and of all */
} RcCudaVoxelWindow;

/* Output dense or bits. */
typedef struct RcCudaVoxelDense
{
  char *data;
  int64_t batch_stride;         /* bytes */
  uint32_t *occupied;           /* the bitmap of the grid; NULL: not wanted */
  int64_t occupied_batch_stride;        /* bytes */
  RcVoxelCounters *counters;    /* NULL: not wanted */
  int64_t warp_words;           /* words of the bitmap that a warp takes at a time, for values: 1 … 32 */
  int32_t is_known;             /* occupied states what the grid holds */
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
  int64_t max_voxels;           /* rank: voxels beyond these have no row */
  RcVoxelCounters *counters;    /* of the end; NULL: not wanted */
  int32_t has_ranges;           /* rank by sorted keys: heads contain the number of voxels of an item */
} RcCudaVoxelMap;

/* Memory that begin sets; all bytes are multiples of 16. */
typedef struct RcCudaVoxelClear
{
  uint64_t item_bytes;          /* cleared of each item's scratch, from its beginning */
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
  uint32_t from;                /* the one of keys and order that is read; the other is written */
} RcCudaVoxelDigit;

/* All parts, as the host has them. A launch passes to each kernel those that it takes. */
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
  uint32_t bitmap;              /* the one of ranks.bitmaps that is ranked */
} RcCudaVoxelArguments;

#ifdef __cplusplus
}
#endif
