/* robocache: the arguments of the alignment kernels
 *
 * Work is cut into items: some ticks and some channels of one episode of one stream. Items are numbered across all streams, and each
 * block processes one. The descriptions of the streams are kernel arguments if they fit; otherwise they are in a table in the scratch.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/align_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Most streams whose descriptions can be kernel arguments. Kernels with more than 4 KB of arguments need driver 530, which CUDA 13
 * implies and CUDA 12 does not. */
#define RC_CUDA_FEW_STREAMS 4
#if CUDART_VERSION >= 13000
#define RC_CUDA_MANY_STREAMS 32
#else
#define RC_CUDA_MANY_STREAMS 11
#endif

#define RC_CUDA_THREADS 256     /* threads per block */
#define RC_CUDA_ITEM_ROWS 256   /* most ticks of an item; each thread finds the rows of one tick */
#define RC_CUDA_STAGED_TIMES 4096       /* most times that a block holds in shared memory */
#define RC_CUDA_ORDER_SLICE 2048        /* times whose order a block checks at a time, with all loads at once */

/* Flags: features of a kernel beside linear, nearest and previous in the times form. A kernel with fewer features is faster. */
typedef enum RcCudaAlignLevel
{
  RC_CUDA_ALIGN_SIMPLE = 0,
  RC_CUDA_ALIGN_CURVED = 1,     /* any interpolation but lowpass, RC_GAP_AUTO, and brackets */
  RC_CUDA_ALIGN_SPECIAL = 2,    /* quaternions, angles, holds, and float64 in mixed dtypes */
  RC_CUDA_ALIGN_CURVED_SPECIAL = 3,
  RC_CUDA_ALIGN_FILTERED = 7,   /* all of these, and lowpass, whose search and weights take many registers */
  RC_CUDA_ALIGN_LEVELS
} RcCudaAlignLevel;

/* The dtypes of a kernel. */
typedef enum RcCudaAlignType
{
  RC_CUDA_ALIGN_FLOAT32,        /* rows and output */
  RC_CUDA_ALIGN_FLOAT16,
  RC_CUDA_ALIGN_BFLOAT16,
  RC_CUDA_ALIGN_FLOAT64,
  RC_CUDA_ALIGN_MIXED,          /* any dtypes that are computed in float32; with RC_CUDA_ALIGN_SPECIAL any at all */
  RC_CUDA_ALIGN_TO_FLOAT16,     /* from float32; RC_CUDA_ALIGN_SIMPLE has kernels for these two alone */
  RC_CUDA_ALIGN_TO_BFLOAT16,
  RC_CUDA_ALIGN_TYPES
} RcCudaAlignType;

/* Elements that a thread processes at a time: 16 bytes, but 4 elements if dtypes differ or if a quaternion must be in one piece. Each
 * kernel can also process a half or a quarter of these, down to a least number, and single elements. */
#define RC_CUDA_ALIGN_ELEMENTS(mixed, level, size) \
  ((mixed) || ((level) & RC_CUDA_ALIGN_SPECIAL) != 0 ? 4 : 16 / (size))
#define RC_CUDA_ALIGN_MIN_ELEMENTS(mixed, level) ((mixed) && (level) > RC_CUDA_ALIGN_SIMPLE ? 4 : 2)

/* The role of a channel in a blended row. */
typedef enum RcCudaAlignRole
{
  RC_CUDA_ALIGN_PLAIN,
  RC_CUDA_ALIGN_ANGLE,
  RC_CUDA_ALIGN_QUATERNION,     /* its first channel */
  RC_CUDA_ALIGN_REST            /* the other three channels */
} RcCudaAlignRole;

typedef struct RcCudaAlignTask
{
  /* the arguments of the run, see RcAlignStreamArgs */
  const char *rows;
  int64_t n_rows;
  int64_t row_stride;
  int64_t batch_stride;
  const RcBracket *brackets;
  const int64_t *times;
  int64_t times_batch_stride;
  const int64_t *row_counts;
  char *out;
  int64_t out_row_stride;
  int64_t out_batch_stride;
  uint8_t *status;
  int64_t status_batch_stride;
  RcAlignCounters *counters;

  /* fields of the plan, see RcAlignStream */
  RcSearch search;
  int64_t channels;
  const uint8_t *roles;         /* [channels] RcCudaAlignRole; NULL: all plain */
  const int32_t *quaternions;   /* [n_quaternions] first channels */
  const int32_t *plain;         /* [n_plain] first channels of pieces of 4 without a quaternion */
  const int32_t *rates;         /* [n_velocities] channels */
  uint32_t n_quaternions;
  int32_t quaternion_stride_rows, quaternion_stride;    /* the step of a block of quaternions */
  uint32_t n_plain;
  int32_t n_velocities;
  int32_t rates_after;          /* the rate of channel c is channel c + rates_after; 0: the distances differ */
  uint8_t in, out_dtype;        /* RcDtype */
  uint8_t compute;              /* RcCompute */
  uint8_t copy;                 /* RcCopy */
  int32_t n_holds;              /* channels that follow those of rates, see RcAlignStream.holds */
  uint64_t missing;             /* 8 bytes of a missing row */

  /* how the stream is cut into items: episodes, within them ticks, within them channels */
  int64_t first_item;
  int64_t item_channels;        /* a multiple of 16, or all */
  int64_t channel_items;        /* items per row */
  int64_t tick_items;           /* items per episode; at least 1 */
  int32_t item_ticks;
  int32_t times_share;          /* times of an episode that each of its items prefetches to the L2 */
  uint32_t episode_inverse, channel_inverse;    /* rc_cuda_inverse of items per episode, and per row */

  /* limits from the alignment of addresses; powers of two */
  int32_t lanes_log2;           /* threads per row, if rows are processed one by one */
  int32_t pieces;               /* pieces in item_channels, or in plain; a thread processes one piece at a time */
  int32_t stride_rows, stride_pieces;   /* the step of a block of pieces */
  uint32_t pieces_inverse;      /* 2^32 / pieces, rounded up: thread i begins in row i * pieces_inverse / 2^32 */
  uint8_t in_alignment, out_alignment;  /* bytes, at most 16; for every row */
  uint8_t elements;             /* elements that a thread processes at a time: RC_CUDA_ALIGN_ELEMENTS of the kernel, half or a quarter of it, or 1 */
  uint8_t skips;                /* pieces are those of plain, and quaternions are computed separately for every blend */
  int64_t first_slice;          /* slices of the order check are numbered across all streams that need it */
  int64_t slices;               /* slices per episode; 0: blocks check the order when they stage the times */
  int64_t slice_rows;           /* rows per slice; a multiple of RC_CUDA_ORDER_SLICE, larger if there were more slices than flags otherwise */
} RcCudaAlignTask;

/* The factor that turns a division by n into a multiplication. */
static inline uint32_t
rc_cuda_inverse (int64_t n)
{
  return (uint32_t) (UINT32_MAX / n);
}

typedef struct RcCudaAlignHead
{
  int64_t first_episode;        /* first episode of this launch */
  int64_t episodes;
  int64_t ticks;
  const int64_t *tick_times;
  int64_t tick_times_batch_stride;
  int64_t items;
  int64_t slices;
  int64_t first_index;          /* item or slice of the first block */
  int64_t n_streams;
  uint8_t *disordered;          /* [slices], written by the order check */
  RcCudaAlignTask *table;       /* for more than RC_CUDA_MANY_STREAMS streams */
  int32_t staged_times;         /* capacity in shared memory */
  int32_t staged_rows;
} RcCudaAlignHead;

/* The arguments of a kernel with n descriptions of streams. */
#define RC_CUDA_ALIGN_LAUNCH(n) \
  struct { \
    RcCudaAlignHead head; \
    RcCudaAlignTask tasks[n]; \
  }

typedef RC_CUDA_ALIGN_LAUNCH (RC_CUDA_FEW_STREAMS) RcCudaAlignFew;
typedef RC_CUDA_ALIGN_LAUNCH (RC_CUDA_MANY_STREAMS) RcCudaAlignMany;

/* The kernels of each level, NULL for a type that the level lacks: [type][0] takes an RcCudaAlignFew, [type][1] an RcCudaAlignMany. */
extern const void *const rc_cuda_align_simple[RC_CUDA_ALIGN_TYPES][2];
extern const void *const rc_cuda_align_curved[RC_CUDA_ALIGN_TYPES][2];
extern const void *const rc_cuda_align_special[RC_CUDA_ALIGN_TYPES][2];
extern const void *const rc_cuda_align_curved_special[RC_CUDA_ALIGN_TYPES][2];
extern const void *const rc_cuda_align_filtered[RC_CUDA_ALIGN_TYPES][2];
/* Sets in head.disordered the slices in which times decrease; its argument is an RcCudaAlignMany. */
extern const void *const rc_cuda_align_order;
/* Writes the tasks of an RcCudaAlignMany into a table: (RcCudaAlignMany, RcCudaAlignTask *table, int n). */
extern const void *const rc_cuda_align_fill_table;

/* Bytes of shared memory for one tick of an item: [curved][weights in float64]. */
extern const size_t rc_cuda_align_row_bytes[2][2];

#ifdef __cplusplus
}
#endif
