/* robocache: a batch split over GPUs, a thread and a stream each, and how long it takes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_SPLIT_H
#define BENCH_SPLIT_H

#include <pthread.h>

#include "shard.h"

#define SPLIT_MAX_DEVICES 8
#define SPLIT_REPEATS 7         /* of a measurement, for a median; odd */

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
  void *parts[SHARD_MAX_PARTS]; /* for all items, on the first as many as a batch has */
  BenchShard shard;
  double begun_us, ended_us;    /* of a batch, or of several in a row */
  pthread_t thread;
} SplitLane;

struct Split
{
  SplitLane lanes[SPLIT_MAX_DEVICES];
  int n_devices;                /* that there are */
  int n;                        /* that compute */
  const BenchWork *work;
  void *host[SHARD_MAX_PARTS];  /* pinned: a whole batch, or of one that is there already as much as host_items */
  int64_t host_items;           /* a multiple of the distinct ones */
  void *truth[SHARD_MAX_PARTS];
  RcBackend *cpu;
  SplitInput input;
  int in_a_row;
  int arrived, round;           /* atomic: threads that wait for each other */
  double us[SPLIT_REPEATS];
};

/* Medians, in us. */
typedef struct
{
  double single_us, steady_us;
  int is_true;                  /* what came out */
} SplitTimes;

/* Of one batch of the split's work over n of its devices; host has the inputs. */
SplitTimes split_measure (Split * split, SplitInput input, int n, int64_t items);

/* Waits for what was enqueued there. */
void split_finish (const SplitLane * lane);

#endif
