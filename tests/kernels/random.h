/* robocache: random numbers of test cases: splitmix64, so that a seed names a case on every machine
 *
 * One expression draws at most one number between two sequence points: compilers evaluate arguments, operands and both sides of
 * an assignment in different orders.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

static inline uint64_t
random_bits (uint64_t *state)
{
  uint64_t z = *state += UINT64_C (0x9E3779B97F4A7C15);

  z = (z ^ z >> 30) * UINT64_C (0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C (0x94D049BB133111EB);
  return z ^ z >> 31;
}

/* low … high, both included */
static inline int64_t
random_between (uint64_t *state, int64_t low, int64_t high)
{
  return low + (int64_t) (random_bits (state) % (uint64_t) (high - low + 1));
}

static inline int
random_one_in (uint64_t *state, int n)
{
  return random_bits (state) % (uint64_t) n == 0;
}

/* low ≤ x < high */
static inline double
random_real (uint64_t *state, double low, double high)
{
  return low + (double) (random_bits (state) >> 11) * 0x1p-53 * (high - low);
}
