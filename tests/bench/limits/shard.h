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

#include "kernels/memory.h"
#include "tests/bench/kernels/alignment.h"
#include "tests/bench/kernels/clouds.h"

#define SHARD_MAX_PARTS 5

typedef struct BenchShard BenchShard;

typedef struct
{
  const BenchWork *of;          /* its name, and how large batches are */
  const char *unit;             /* that energy is of */
  double units_an_item;
  int64_t distinct;             /* items */
  int n_parts;
  struct
  {
    int64_t bytes;              /* of an item */
    int is_output;
    const void *inputs;         /* of the distinct items */
  } parts[SHARD_MAX_PARTS];
  BenchAlignData episodes;      /* one of the two */
  BenchClouds clouds;
  void (*open) (BenchShard * shard);
  void (*run) (BenchShard * shard, RcStream stream);
} BenchItems;

/* The works of batches.ini, which lies beside the program, in as long an array. */
typedef struct
{
  BenchConfigurations *configurations;
  BenchItems *works;
  int n;
} BenchBatches;

void bench_batches_open (BenchBatches * batches);
void bench_batches_close (BenchBatches * batches);

struct BenchShard
{
  const BenchItems *work;
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
int64_t bench_item_bytes (const BenchItems * work);

/* Arrays for so many items. */
void bench_parts_alloc (const BenchItems * work, RcBackend * backend, RcMemoryKind kind, int64_t items,
    void *parts[SHARD_MAX_PARTS]);
void bench_parts_free (const BenchItems * work, RcBackend * backend, RcMemoryKind kind, void *parts[SHARD_MAX_PARTS]);
/* Inputs of parts that the CPU addresses: those of the truth, again and again. */
void bench_parts_fill (const BenchItems * work, void *const truth[SHARD_MAX_PARTS], void *const parts[SHARD_MAX_PARTS],
    int64_t items);

/* Plans for so many items, which lie in parts. */
void bench_shard_open (BenchShard * shard, const BenchItems * work, RcBackend * backend, int64_t items,
    void *const parts[SHARD_MAX_PARTS]);
void bench_shard_run (BenchShard * shard, RcStream stream);
void bench_shard_close (BenchShard * shard);

/* The distinct items, in parts of the CPU's memory: inputs, and the outputs that it makes of them. */
void bench_truth_make (const BenchItems * work, RcBackend * cpu, void *parts[SHARD_MAX_PARTS]);
/* Whether outputs of items from first on, which the CPU addresses, are the truth, bit for bit. */
int bench_is_true (const BenchItems * work, void *const truth[SHARD_MAX_PARTS], void *const parts[SHARD_MAX_PARTS],
    int64_t first, int64_t items);

#endif
