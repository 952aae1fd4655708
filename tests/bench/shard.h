/* robocache: batches of like items, and shards of them that a backend computes
 *
 * A work says how large the parts of an item are: its inputs and its outputs. A batch has as many items as are asked for, of
 * which only the first `distinct` differ; the others repeat them, so that what the CPU makes of those is the truth for all.
 * A part of a batch is one array, item after item.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_SHARD_H
#define BENCH_SHARD_H

#include "kernels/align.h"
#include "kernels/memory.h"
#include "kernels/voxel.h"

#define SHARD_MAX_PARTS 5

typedef struct BenchShard BenchShard;

typedef struct
{
  const char *name;
  const char *unit;             /* of what is counted for an item */
  int64_t units_an_item;
  int64_t distinct;             /* items */
  int n_parts;
  struct
  {
    int64_t bytes;              /* of an item */
    int is_output;
  } parts[SHARD_MAX_PARTS];
  void (*fill) (void *const parts[]);   /* the inputs of the distinct items */
  void (*open) (BenchShard * shard);
  void (*run) (BenchShard * shard, RcStream stream);
} BenchWork;

/* Episodes of robots, short and long, and clouds. */
extern const BenchWork bench_short_episodes, bench_long_episodes, bench_clouds;

struct BenchShard
{
  const BenchWork *work;
  RcBackend *backend;
  int64_t items;
  void *parts[SHARD_MAX_PARTS]; /* where the backend computes; the caller's */
  void *scratch;
  RcAlignPlan *align;
  RcAlignStreamArgs stream;
  RcAlignArgs args;
  RcVoxelPlan *voxel;
  RcVoxelJob job;
  RcVoxelChunk chunk;
  RcVoxelOut out;
};

/* Ends the program, saying what went wrong, unless status is RC_OK. */
void bench_must_be_well (RcStatus status, const RcError * error, const char *what);

/* Bytes of an item that are moved, at least: all of its parts. */
int64_t bench_item_bytes (const BenchWork * work);

/* Arrays for so many items. */
void bench_parts_alloc (const BenchWork * work, RcBackend * backend, RcMemoryKind kind, int64_t items,
    void *parts[SHARD_MAX_PARTS]);
void bench_parts_free (const BenchWork * work, RcBackend * backend, RcMemoryKind kind, void *parts[SHARD_MAX_PARTS]);
/* Inputs of parts that the CPU addresses: those of the truth, again and again. */
void bench_parts_fill (const BenchWork * work, void *const truth[SHARD_MAX_PARTS], void *const parts[SHARD_MAX_PARTS],
    int64_t items);

/* Plans for so many items, which lie in parts. */
void bench_shard_open (BenchShard * shard, const BenchWork * work, RcBackend * backend, int64_t items,
    void *const parts[SHARD_MAX_PARTS]);
void bench_shard_run (BenchShard * shard, RcStream stream);
void bench_shard_close (BenchShard * shard);

/* The distinct items, in parts of the CPU's memory: inputs, and the outputs that it makes of them. */
void bench_truth_make (const BenchWork * work, RcBackend * cpu, void *parts[SHARD_MAX_PARTS]);
/* Whether outputs of items from first on, which the CPU addresses, are the truth, bit for bit. */
int bench_is_true (const BenchWork * work, void *const truth[SHARD_MAX_PARTS], void *const parts[SHARD_MAX_PARTS],
    int64_t first, int64_t items);

#endif
