/* robocache: recorded episodes to align, and how an experimental kernel is told of them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_EPISODES_H
#define BENCH_EPISODES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EPISODES_ITEM_TICKS 64  /* of an episode, that a block makes at a time */

/* The arguments of the kernels. Rows are dense; a row of channels is a whole number of 16 bytes. */
typedef struct
{
  const void *rows;             /* [batch, n_rows, channels] */
  const int64_t *times;         /* [batch, n_rows], increasing */
  const int64_t *tick_times;    /* [batch, n_ticks] */
  void *out;                    /* [batch, n_ticks, channels] */
  const float *scales;          /* [channels], of integers */
  uint32_t *next_item;          /* two counters, 0 before and after: of items taken, and of blocks that are done */
  int32_t batch, n_rows, n_ticks, channels;
  int32_t items_per_episode, items;
} EpisodesArgs;

#ifdef __cplusplus
}
#endif
#endif
