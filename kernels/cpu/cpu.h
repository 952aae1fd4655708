/* robocache: the CPU backend, and its inner loops built once for each instruction set
 *
 * The files in cpu_level_sources of meson.build are compiled once for each level, with RC_LEVEL defined as baseline, avx2 or avx512, and
 * name each function that is not static with RC_LEVEL_NAME (name). levels.c, one of them, lists these functions in the table of its
 * level. Nothing else may depend on the level.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/align_plan.h"
#include "kernels/backend_impl.h"
#include "kernels/kinematics/plan.h"
#include "kernels/voxel_plan.h"

#define RC_JOIN_NAMES(name, level) name##_##level
#define RC_JOIN(name, level) RC_JOIN_NAMES (name, level)
#define RC_LEVEL_NAME(name) RC_JOIN (name, RC_LEVEL)

#define RC_CPU_TICKS 16        /* ticks whose brackets are found in one call */

typedef struct RcCpuVoxelBlock RcCpuVoxelBlock;
typedef struct RcCpuVoxelWords RcCpuVoxelWords;

/* The inner loops of one level. They expect the float mode of floatmode.h. */
typedef struct RcCpuKernels
{
  /* Aligns all ticks of an episode of one stream whose arguments are valid. Adds to the argument counters, not to rows->counters. */
  void (*align_episode) (const RcAlignStream * stream, const RcAlignStreamArgs * rows, const RcAlignArgs * args,
      int64_t episode, RcAlignCounters * counters);

  /* Computes rows first … end - 1 of a run whose arguments are valid. */
  void (*forward_rows) (const RcChain * chain, const RcForwardArgs * args, int64_t first, int64_t end);
  void (*inverse_rows) (const RcChain * chain, const RcInverseArgs * args, int64_t first, int64_t end);

  /* voxel/block.h */
  void (*voxel_load) (RcCpuVoxelBlock * block, const RcVoxelField xyz[3], const char *points, int64_t stride, int64_t n);
  void (*voxel_unproject) (RcCpuVoxelBlock * block, const char *pixels, const float *rx, float ry, const RcVoxelDepth * depth, int64_t n);
  void (*voxel_unproject_rays) (RcCpuVoxelBlock * block, const char *pixels, const float *rays, const RcVoxelDepth * depth, int64_t n);
  void (*voxel_locate) (RcCpuVoxelBlock * block, const RcVoxelBox * box);

  /* voxel/words.h */
  void (*voxel_update_words) (RcCpuVoxelWords * words, uint32_t * bits, uint32_t * known, int64_t n, int all, int accumulates);
  int64_t (*voxel_count_bits) (const uint32_t * bits, int64_t n);
  void (*voxel_expand) (void *grid, const RcCpuVoxelWords * words, uint32_t one, int64_t size);
} RcCpuKernels;

extern const RcCpuKernels rc_cpu_kernels_baseline;
extern const RcCpuKernels rc_cpu_kernels_avx2;
extern const RcCpuKernels rc_cpu_kernels_avx512;

typedef struct RcCpuBackend
{
  RcBackend base;
  const RcCpuKernels *kernels;
  const RcThreadPool *threads;           /* NULL: only the caller's thread */
} RcCpuBackend;

/* Calls work for each i of 0 … n - 1, in the float mode of floatmode.h, on all threads of the backend. */
void rc_cpu_for_each (const RcBackend * backend, void (*work) (void *data, int64_t i), void *data, int64_t n);

/* Adds n to a counter that several threads share. */
static inline void
rc_cpu_count (int64_t *counter, int64_t n)
{
  if (n != 0)
    __atomic_fetch_add (counter, n, __ATOMIC_RELAXED);
}

extern const RcVoxelOps rc_cpu_voxel_ops;
extern const RcMemoryOps rc_cpu_memory_ops;

RcStatus rc_cpu_align_run (RcAlignPlan * plan, const RcAlignArgs * args, RcStream stream, RcError * error);
