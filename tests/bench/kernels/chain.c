/* robocache: what a work takes that waits for its accesses and does nothing else
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/kernels/chain.h"

#include <stdlib.h>

#include "kernels/memory.h"
#include "tests/bench/kernels/floors_task.h"

#define RUNS 20                 /* in a graph, each over memory of its own */
#define MAX_KERNELS 64          /* of a run */

typedef struct
{
  const Bench *bench;
  uint64_t *arrays[RUNS][3];
  int64_t words[3];             /* of each array */
  struct
  {
    unsigned blocks, threads, shared_bytes;
  } kernels[MAX_KERNELS];
  int n_kernels;
  int begins_early;             /* see rc_cuda_begins_early */
  void *other;                  /* memory that takes the L2 */
} Chain;

/* ---- the kernels of a work ---- */

static void
add_kernel (Chain *chain, cudaGraphNode_t node)
{
  struct cudaKernelNodeParams params;
  enum cudaGraphNodeType type;

  bench_must (cudaGraphNodeGetType (node, &type), "cudaGraphNodeGetType");
  if (type != cudaGraphNodeTypeKernel)
    return;
  if (chain->n_kernels == MAX_KERNELS)
    bench_fail ("chain", "a run has too many kernels");
  bench_must (cudaGraphKernelNodeGetParams (node, &params), "cudaGraphKernelNodeGetParams");
  chain->kernels[chain->n_kernels].blocks = params.gridDim.x * params.gridDim.y * params.gridDim.z;
  chain->kernels[chain->n_kernels].threads = params.blockDim.x * params.blockDim.y * params.blockDim.z;
  chain->kernels[chain->n_kernels].shared_bytes = params.sharedMemBytes;
  chain->n_kernels++;
}

static void
find_kernels (Chain *chain, BenchRun run, void *data)
{
  const cudaGraph_t graph = bench_capture (chain->bench, run, data, 1, 1);
  cudaGraphNode_t *nodes;
  size_t i, n;

  bench_must (cudaGraphGetNodes (graph, NULL, &n), "cudaGraphGetNodes");
  nodes = malloc (n * sizeof (*nodes));
  bench_must (cudaGraphGetNodes (graph, nodes, &n), "cudaGraphGetNodes");
  for (i = 0; i < n; i++)
    add_kernel (chain, nodes[i]);
  if (chain->n_kernels == 0)
    bench_fail ("chain", "a run has no kernel");
  free (nodes);
  cudaGraphDestroy (graph);
}

/* ---- runs ---- */

enum
{ READ, BETWEEN, WRITTEN };

/* A word for each of so many blocks, all over the array. */
static BenchPlaces
places (const Chain *chain, int i, int array, unsigned blocks)
{
  return (BenchPlaces) { chain->arrays[i][array], chain->words[array] / blocks, blocks};
}

static BenchChainTask
task_of (const Chain *chain, int i, int kernel)
{
  const unsigned blocks = chain->kernels[kernel].blocks;
  const BenchPlaces between = places (chain, i, BETWEEN, chain->kernels[0].blocks);
  const int is_first = kernel == 0, is_last = kernel == chain->n_kernels - 1;

  return (BenchChainTask) {
    .first = is_first ? places (chain, i, READ, blocks) : between,
    .second = is_first && is_last ? between : (BenchPlaces) { NULL, 0, 1},
    .stored = is_last ? places (chain, i, WRITTEN, blocks) : between,
  };
}

static void
launch (const Chain *chain, int kernel, BenchChainTask *task, cudaStream_t stream)
{
  cudaLaunchAttribute early = {.id = cudaLaunchAttributeProgrammaticStreamSerialization,
    .val = {.programmaticStreamSerializationAllowed = 1}
  };
  const cudaLaunchConfig_t config = {.gridDim = {chain->kernels[kernel].blocks, 1, 1},
    .blockDim = {chain->kernels[kernel].threads, 1, 1},.dynamicSmemBytes = chain->kernels[kernel].shared_bytes,
    .stream = stream,.attrs = &early,.numAttrs = (unsigned) chain->begins_early
  };
  void *arguments[] = { task };

  bench_must (cudaLaunchKernelExC (&config, bench_chain_kernel, arguments), "cudaLaunchKernelExC");
}

static void
run_chain (void *data, int i, cudaStream_t stream)
{
  const Chain *chain = data;
  int kernel;

  for (kernel = 0; kernel < chain->n_kernels; kernel++) {
    BenchChainTask task = task_of (chain, i, kernel);

    launch (chain, kernel, &task, stream);
  }
}

static int64_t
parts_for_the_l2 (const Chain *chain)
{
  return 4 * chain->bench->l2_bytes / BENCH_PART_BYTES;
}

static void
fill_the_l2 (void *data, int i, cudaStream_t stream)
{
  Chain *chain = data;
  uint32_t value = 0;
  void *arguments[] = { &chain->other, &value };

  bench_must (cudaLaunchKernel (bench_fill, (dim3) { (unsigned) parts_for_the_l2 (chain), 1, 1},
          (dim3) { BENCH_MEMORY_THREADS, 1, 1}, arguments, 0, stream), "cudaLaunchKernel");
}

/* ---- memory ---- */

static void
allow_shared_memory (const Chain *chain)
{
  unsigned most = 0;
  int i;

  for (i = 0; i < chain->n_kernels; i++)
    most = chain->kernels[i].shared_bytes > most ? chain->kernels[i].shared_bytes : most;
  bench_must (cudaFuncSetAttribute (bench_chain_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int) most),
      "cudaFuncSetAttribute");
}

/* All 0; each has a word for every block at least. */
static void
make_arrays (Chain *chain, const BenchChain *bytes)
{
  const int64_t sizes[] = { bytes->read, bytes->between, bytes->written };
  unsigned most_blocks = 1;
  int i, k;

  for (k = 0; k < chain->n_kernels; k++)
    most_blocks = chain->kernels[k].blocks > most_blocks ? chain->kernels[k].blocks : most_blocks;
  for (k = 0; k < 3; k++)
    chain->words[k] = sizes[k] / 8 > most_blocks ? sizes[k] / 8 : most_blocks;
  for (i = 0; i < RUNS; i++) {
    for (k = 0; k < 3; k++)
      chain->arrays[i][k] = bench_memory (chain->bench->backend, (uint64_t) chain->words[k] * 8, NULL);
  }
  chain->other = bench_memory (chain->bench->backend, (uint64_t) (parts_for_the_l2 (chain) * BENCH_PART_BYTES), NULL);
}

static void
free_arrays (Chain *chain)
{
  int i, k;

  for (i = 0; i < RUNS; i++) {
    for (k = 0; k < 3; k++)
      rc_memory_free (chain->bench->backend, RC_MEMORY_DEVICE, chain->arrays[i][k]);
  }
  rc_memory_free (chain->bench->backend, RC_MEMORY_DEVICE, chain->other);
}

/* Whether each block of the last kernel has stored its word, and nothing else. */
static int
is_stored (const Chain *chain)
{
  const BenchPlaces stored = task_of (chain, RUNS - 1, chain->n_kernels - 1).stored;
  const size_t bytes = (size_t) chain->words[WRITTEN] * 8;
  uint64_t *words = malloc (bytes);
  int64_t i, n = 0, there = 0;

  bench_must (cudaMemcpy (words, stored.words, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
  for (i = 0; i < chain->words[WRITTEN]; i++)
    n += words[i] != 0;
  for (i = 0; i < stored.n; i++)
    there += words[i * stored.step] == 1;
  free (words);
  return n == stored.n && there == stored.n;
}

double
bench_chain (const Bench *bench, BenchRun run, void *data, const BenchChain *bytes)
{
  Chain chain = {.bench = bench };
  int major;
  double us;

  bench_must (cudaDeviceGetAttribute (&major, cudaDevAttrComputeCapabilityMajor, 0), "cudaDeviceGetAttribute");
  chain.begins_early = major >= 9;
  find_kernels (&chain, run, data);
  allow_shared_memory (&chain);
  make_arrays (&chain, bytes);
  us = bench_time_after (bench, fill_the_l2, run_chain, &chain, RUNS, RUNS).median;
  if (!is_stored (&chain))
    bench_fail ("chain", "a block has not stored its word");
  free_arrays (&chain);
  return us;
}
