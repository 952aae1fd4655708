/* robocache: bitmaps of voxels, a run of words at a time: what a grid holds and what it shall hold
 *
 * Bytes moved: two bitmaps are read; of them, and of the grid, only what changes is written. Which words change is found
 * in full vectors and without a branch a word, since of a cloud at random no branch is foreseen.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "words.h"

#include <string.h>

#define GROUP 16                /* words that are compared together */
#define WORDS_AHEAD 16

/* Without a call for each word, which __builtin_popcount is where the oldest processors count, too. */
static inline uint32_t
bits_set (uint32_t word)
{
  word -= word >> 1 & 0x55555555u;
  word = (word & 0x33333333u) + (word >> 2 & 0x33333333u);
  word = (word + (word >> 4)) & 0x0F0F0F0Fu;
  return word * 0x01010101u >> 24;
}

int64_t
RC_LEVEL_NAME (rc_cpu_voxel_count_bits) (const uint32_t *bits, int64_t n)
{
  int64_t set = 0;

  for (int64_t i = 0; i < n; i++)
    set += bits_set (bits[i]);
  return set;
}

/* n words from `first` on; inlined, so that n is a constant of most of them. */
static inline void
update_group (RcCpuVoxelWords *words, uint32_t *bits, uint32_t *known, int64_t first, int64_t n, int all, int accumulates)
{
  uint32_t *was = words->was + first, *is = words->is + first, need[GROUP];
  uint32_t set = 0, needed = 0, occupied = 0;
  int64_t n_changed = words->n_changed;

  memcpy (is, bits + first, (size_t) n * sizeof (uint32_t));
  if (known)
    memcpy (was, known + first, (size_t) n * sizeof (uint32_t));
  else
    memset (was, 0, (size_t) n * sizeof (uint32_t));
  for (int64_t i = 0; i < n; i++) {
    need[i] = all ? was[i] | is[i] : was[i] ^ is[i];
    needed |= need[i];
    set |= is[i];
    occupied += bits_set (is[i]);
  }
  if (set) {
    words->occupied += occupied;
    if (!accumulates)
      memset (bits + first, 0, (size_t) n * sizeof (uint32_t));
  }
  if (needed == 0)
    return;
  if (known)
    memcpy (known + first, is, (size_t) n * sizeof (uint32_t));
  for (int64_t i = 0; i < n; i++) {
    words->changed[n_changed] = (int32_t) (first + i);
    n_changed += need[i] != 0;
  }
  words->n_changed = n_changed;
}

void
RC_LEVEL_NAME (rc_cpu_voxel_update_words) (RcCpuVoxelWords *words, uint32_t *bits, uint32_t *known, int64_t n, int all,
    int accumulates)
{
  int64_t first = 0;

  words->n_changed = words->occupied = 0;
  for (; first + GROUP <= n; first += GROUP)
    update_group (words, bits, known, first, GROUP, all, accumulates);
  if (first < n)
    update_group (words, bits, known, first, n - first, all, accumulates);
}

/* The lines of a large grid are not in the cache, and where they come is known. */
#define EXPAND(Type, suffix) \
  static void \
  expand_##suffix (Type *restrict grid, const RcCpuVoxelWords *words, Type one) \
  { \
    for (int64_t i = 0; i < words->n_changed; i++) { \
      const int64_t ahead = i + WORDS_AHEAD < words->n_changed ? i + WORDS_AHEAD : i; \
      const uint32_t bits = words->is[words->changed[i]]; \
      Type *to = grid + 32 * (int64_t) words->changed[i]; \
\
      __builtin_prefetch (grid + 32 * (int64_t) words->changed[ahead], 1); \
      for (int b = 0; b < 32; b++) \
        to[b] = bits & UINT32_C (1) << b ? one : 0; \
    } \
  }

EXPAND (uint8_t, 8)
EXPAND (uint16_t, 16)
EXPAND (uint32_t, 32)

void
RC_LEVEL_NAME (rc_cpu_voxel_expand) (void *grid, const RcCpuVoxelWords *words, uint32_t one, int64_t size)
{
  if (size == 1)
    expand_8 (grid, words, (uint8_t) one);
  else if (size == 2)
    expand_16 (grid, words, (uint16_t) one);
  else
    expand_32 (grid, words, one);
}
