/* robocache: clocks and energy of a GPU, as its board counts them (NVML)
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_BOARD_H
#define BENCH_BOARD_H

#include <stddef.h>

typedef struct
{
  void *device;                 /* NVML's; NULL: there is none */
} Board;

/* Of a CUDA device, whose number may be another one there. 0: nothing can be read, as why says. */
int board_open (Board * board, int device, char *why, size_t why_bytes);

/* Since some time; negative: it cannot be read. */
double board_joules (const Board * board);

/* MHz, now. 0: they cannot be read. */
int board_clocks (const Board * board, unsigned *sm, unsigned *memory);

#endif
