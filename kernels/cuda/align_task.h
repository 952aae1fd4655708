/* robocache: what the alignment kernels are told
 *
 * Work is cut into items: some ticks and some channels of one episode of one stream. Items are numbered through all
 * streams, and a block does one. The descriptions of the streams are kernel arguments while they fit
 * there; more go through a table in the scratch.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CUDA_ALIGN_TASK_H
#define RC_CUDA_ALIGN_TASK_H

#include "kernels/align_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Streams whose descriptions are kernel arguments. Kernels that are launched with more than 4 KB of these need driver
 * 530, which CUDA 13 implies and CUDA 12 does not. */
#define RC_CUDA_FEW_STREAMS 4
#if CUDART_VERSION >= 13000
#define RC_CUDA_MANY_STREAMS 32
#else
#define RC_CUDA_MANY_STREAMS 12
#endif

#define RC_CUDA_THREADS 256     /* of a block */
#define RC_CUDA_MIXED_ELEMENTS 4        /* that a thread takes at a time where dtypes differ; else 16 bytes of them */
#define RC_CUDA_ITEM_ROWS 128   /* most ticks of an item */
#define RC_CUDA_STAGED_TIMES 4096       /* most times that a block holds in shared memory */
#define RC_CUDA_ORDER_SLICE 8192        /* times whose order one block checks at a time */

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

  /* of the plan, see RcAlignStream */
  RcSearch search;
  int64_t channels;
  const int32_t *quaternions;   /* first channels */
  const int32_t *angles;        /* channels */
  const int32_t *rates;         /* [n_velocities] */
  int32_t n_quaternions;
  int32_t n_angles;
  int32_t n_velocities;
  uint8_t in, out_dtype;        /* RcDtype */
  uint8_t compute;              /* RcCompute */
  uint8_t copy;                 /* RcCopy */
  uint64_t missing;             /* 8 bytes of a missing row */

  /* how the stream is cut into items: episodes, within them ticks, within them channels */
  int64_t first_item;
  int64_t item_channels;        /* a multiple of 16, or all */
  int64_t channel_items;        /* of a row */
  int64_t tick_items;           /* of an episode; at least 1 */
  int32_t item_ticks;

  /* what the addresses allow; powers of two */
  int32_t lanes_log2;           /* threads of a row */
  uint8_t in_alignment, out_alignment;  /* bytes, at most 16; of every row */
  uint8_t elements;             /* that a thread takes at a time: the kernel's number, half of it, or 1 */
  int64_t first_slice;          /* of the order check, numbered through all streams that need it */
  int64_t slices;               /* of an episode; 0: blocks check the order when they stage the times */
} RcCudaAlignTask;

typedef struct RcCudaAlignHead
{
  int64_t first_episode;        /* of this launch */
  int64_t episodes;
  int64_t ticks;
  const int64_t *tick_times;
  int64_t tick_times_batch_stride;
  int64_t items;
  int64_t slices;
  int64_t first_index;          /* item or slice of the first block */
  int64_t n_streams;
  uint8_t *disordered;          /* [n_streams, episodes], by the order check */
  RcCudaAlignTask *table;       /* more than RC_CUDA_MANY_STREAMS */
  int32_t staged_times;         /* room in shared memory */
  int32_t staged_rows;
} RcCudaAlignHead;

/* The arguments of a kernel with room for n_streams descriptions. */
#define RC_CUDA_ALIGN_LAUNCH(n) \
  struct { \
    RcCudaAlignHead head; \
    RcCudaAlignTask tasks[n]; \
  }

typedef RC_CUDA_ALIGN_LAUNCH (RC_CUDA_FEW_STREAMS) RcCudaAlignFew;
typedef RC_CUDA_ALIGN_LAUNCH (RC_CUDA_MANY_STREAMS) RcCudaAlignMany;

/* What a kernel can do; a lower one is faster. The first five do linear, nearest and previous, without quaternions and
 * angles, in the times form. */
typedef enum RcCudaAlignKind
{
  RC_CUDA_ALIGN_FLOAT32,        /* float32 to float32 */
  RC_CUDA_ALIGN_FLOAT16,
  RC_CUDA_ALIGN_BFLOAT16,
  RC_CUDA_ALIGN_FLOAT64,
  RC_CUDA_ALIGN_PLAIN,          /* any dtypes that are computed in float32 */
  RC_CUDA_ALIGN_CURVES,         /* the same with any interpolation, and brackets */
  RC_CUDA_ALIGN_ANY,            /* everything */
  RC_CUDA_ALIGN_KINDS
} RcCudaAlignKind;

/* [kind][0] takes an RcCudaAlignFew, [kind][1] an RcCudaAlignMany. */
extern const void *const rc_cuda_align_kernels[RC_CUDA_ALIGN_KINDS][2];
/* Sets head.disordered of episodes whose times decrease; takes an RcCudaAlignMany. */
extern const void *const rc_cuda_align_order;
/* Writes the tasks of an RcCudaAlignMany into a table: (RcCudaAlignMany, RcCudaAlignTask *table, int n). */
extern const void *const rc_cuda_align_fill_table;

/* Bytes of shared memory for one tick of an item, beside the staged times. */
extern const size_t rc_cuda_align_row_bytes;

#ifdef __cplusplus
}
#endif
#endif
