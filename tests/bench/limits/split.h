/* robocache: a batch split over GPUs, a thread and a stream each, and how long it takes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_SPLIT_H
#define BENCH_SPLIT_H

#include <pthread.h>

#include "tests/bench/limits/board.h"
#include "tests/bench/limits/shard.h"
#include "tests/bench/common/spread.h"

#define SPLIT_MAX_DEVICES 8
#define SPLIT_MAX_COUNTS 4      /* of devices: 1, 2, 4 and 8 */
#define SPLIT_ROUNDS 7          /* in which each number of devices has its turn */
#define SPLIT_REPEATS 3         /* of a measurement, in a turn */
#define SPLIT_SAMPLES (SPLIT_ROUNDS * SPLIT_REPEATS)

/* Where inputs are and outputs are wanted: see devices.c. */
typedef enum
{
  SPLIT_THERE,
  SPLIT_HOST,
  SPLIT_ONE_GPU,
  SPLIT_N_INPUTS
} SplitInput;

typedef struct Split Split;

/* One GPU, and its shard. */
typedef struct
{
  Split *split;
  int number;
  RcBackend *backend;
  RcStream stream;
  Board board;
  void *parts[SHARD_MAX_PARTS]; /* for all items, on the first as many as a batch has */
  BenchShard *shard;            /* of the number of devices whose turn it is */
  double begun_us, ended_us;    /* of a batch, or of several in a row */
  pthread_t thread;
} SplitLane;

struct Split
{
  SplitLane lanes[SPLIT_MAX_DEVICES];
  int n_devices;                /* that there are */
  int n;                        /* that compute */
  const BenchItems *work;
  void *host[SHARD_MAX_PARTS];  /* pinned: a whole batch, or of one that is there already as much as host_items */
  int64_t host_items;           /* a multiple of the distinct ones */
  void *truth[SHARD_MAX_PARTS];
  RcBackend *cpu;
  SplitInput input;
  int in_a_row;
  int arrived, round;           /* atomic: threads that wait for each other */
  double *us;                   /* of each repeat */
};

/* What n devices took. */
typedef struct
{
  int n;
  BenchSpread single, steady;   /* us of a batch */
  unsigned sm_mhz, memory_mhz;  /* the lowest of them all, read when they had just computed; 0: it cannot be read */
  int is_true;                  /* what came out */
  int in_a_row;
  BenchShard shards[SPLIT_MAX_DEVICES];
  double single_us[SPLIT_SAMPLES], steady_us[SPLIT_SAMPLES];
} SplitTimes;

/* Of one batch of the split's work over 1, 2, 4 … devices, n_counts such numbers, by turns, so that what else goes on hits
 * them alike; host has the inputs. */
void split_measure (Split * split, SplitInput input, int64_t items, SplitTimes * times, int n_counts);

/* Waits for what was enqueued there. */
void split_finish (const SplitLane * lane);

#endif
