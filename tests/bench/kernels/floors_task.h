/* robocache: kernels that only fill, read or scatter, or wait for memory: what they are launched with
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_KERNELS_MEMORY_TASK_H
#define BENCH_KERNELS_MEMORY_TASK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_MEMORY_THREADS 256        /* of a block */
#define BENCH_PART_WORDS 8      /* of 16 bytes, of a thread */
#define BENCH_PART_BYTES (BENCH_MEMORY_THREADS * BENCH_PART_WORDS * 16)

/* Where blocks find their word: n places, step words apart, of which block i has number i modulo n. */
typedef struct
{
  uint64_t *words;              /* NULL: there are none */
  int64_t step;
  uint32_t n;
} BenchPlaces;

/* A block reads a word, then one that it could not find before, and then stores one. */
typedef struct
{
  BenchPlaces first, second, stored;
} BenchChainTask;

extern const void *const bench_fill;    /* (to, value of 32 bits) */
extern const void *const bench_add_up;  /* (from, of each block the sum of its words of 32 bits) */
extern const void *const bench_scatter; /* (to, chosen sectors, sectors, bits of those) */
extern const void *const bench_scatter_in_order;        /* (the same, sectors that are written together: 1, 2 or 4) */
extern const void *const bench_chain_kernel;    /* (task) */

#ifdef __cplusplus
}
#endif
#endif
