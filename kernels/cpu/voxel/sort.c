/* robocache: the order of sparse voxels
 *
 * A least-significant-digit radix sort in digits of 8 bits: one counting pass for all digits, then one moving pass for
 * each digit in which keys differ.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "item.h"

#define DIGIT_BITS 8
#define DIGITS (1 << DIGIT_BITS)
#define MAX_PASSES 8

static unsigned
digit_of (uint64_t key, int pass)
{
  return (unsigned) (key >> (pass * DIGIT_BITS)) & (DIGITS - 1);
}

static void
count_digits (uint32_t counts[MAX_PASSES][DIGITS], const uint64_t *keys, int64_t n, int passes)
{
  memset (counts, 0, (size_t) passes * sizeof (counts[0]));
  for (int64_t i = 0; i < n; i++) {
    for (int pass = 0; pass < passes; pass++)
      counts[pass][digit_of (keys[i], pass)]++;
  }
}

/* Counts become the place of the first key of each digit. */
static void
sum_counts (uint32_t counts[DIGITS])
{
  uint32_t place = 0;

  for (int d = 0; d < DIGITS; d++) {
    const uint32_t count = counts[d];

    counts[d] = place;
    place += count;
  }
}

int
rc_cpu_voxel_sort (uint64_t * const keys[2], uint32_t * const order[2], int64_t n, int key_bits)
{
  const int passes = (key_bits + DIGIT_BITS - 1) / DIGIT_BITS;
  uint32_t counts[MAX_PASSES][DIGITS];
  int from = 0;

  if (n == 0)
    return 0;
  count_digits (counts, keys[0], n, passes);
  for (int pass = 0; pass < passes; pass++) {
    const uint64_t *in = keys[from];
    uint64_t *out = keys[!from];

    if (counts[pass][digit_of (in[0], pass)] == (uint32_t) n)
      continue;
    sum_counts (counts[pass]);
    for (int64_t i = 0; i < n; i++) {
      const uint32_t place = counts[pass][digit_of (in[i], pass)]++;

      out[place] = in[i];
      if (order)
        order[!from][place] = order[from][i];
    }
    from = !from;
  }
  return from;
}
