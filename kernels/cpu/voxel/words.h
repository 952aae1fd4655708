/* robocache: updates bitmaps of occupied voxels, some words at a time, built once for each instruction set
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/cpu/cpu.h"

/* Words at a time: few enough for the first-level cache. */
#define RC_CPU_VOXEL_WORDS 512

struct RcCpuVoxelWords
{
  uint32_t was[RC_CPU_VOXEL_WORDS], is[RC_CPU_VOXEL_WORDS];     /* old and new content of changed words; bit b of word w is voxel 32 w + b */
  int64_t n_changed;
  int32_t changed[RC_CPU_VOXEL_WORDS];  /* numbers of the changed words, in increasing order */
  int64_t occupied;             /* occupied voxels in all words */
};

/* Reads n words of bits, and clears them unless accumulates is set; reads known, the old content, and sets it to bits; known NULL: the
 * old content is 0. Changed words are words that differ, or with `all` those in which a bit was or is set. */
void RC_LEVEL_NAME (rc_cpu_voxel_update_words) (RcCpuVoxelWords * words, uint32_t * bits, uint32_t * known, int64_t n,
    int all, int accumulates);
/* The number of bits set in n words. */
int64_t RC_LEVEL_NAME (rc_cpu_voxel_count_bits) (const uint32_t * bits, int64_t n);
/* Writes one where a bit is set and 0 elsewhere, 32 elements of size bytes for each changed word. */
void RC_LEVEL_NAME (rc_cpu_voxel_expand) (void *grid, const RcCpuVoxelWords * words, uint32_t one, int64_t size);
