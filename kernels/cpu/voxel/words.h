/* robocache: bitmaps of voxels, a run of words at a time: what a grid holds and what it shall hold, built once for each
 * instruction set
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CPU_VOXEL_WORDS_H
#define RC_CPU_VOXEL_WORDS_H

#include "kernels/cpu/cpu.h"

/* Small enough for the first-level cache. */
#define RC_CPU_VOXEL_WORDS 512

struct RcCpuVoxelWords
{
  uint32_t was[RC_CPU_VOXEL_WORDS], is[RC_CPU_VOXEL_WORDS];     /* of words that are changed, bit b of word w: voxel 32 w + b */
  int64_t n_changed;
  int32_t changed[RC_CPU_VOXEL_WORDS];  /* words of which something is to be written, in increasing order */
  int64_t occupied;             /* voxels, of all words */
};

/* Takes n words of bits, which become 0, unless keeps, and of known, which become those of bits; NULL: was is 0. Changed are
 * words that differ, or with all, those in which a bit was or is set. */
void RC_LEVEL_NAME (rc_cpu_voxel_update_words) (RcCpuVoxelWords * words, uint32_t * bits, uint32_t * known, int64_t n,
    int all, int accumulates);
/* How many bits are set in n words. */
int64_t RC_LEVEL_NAME (rc_cpu_voxel_count_bits) (const uint32_t * bits, int64_t n);
/* Writes one where a bit is set and 0 elsewhere, 32 elements of size bytes for each changed word. */
void RC_LEVEL_NAME (rc_cpu_voxel_expand) (void *grid, const RcCpuVoxelWords * words, uint32_t one, int64_t size);

#endif
