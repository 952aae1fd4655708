/* robocache: places of keys in the order of a digit, emulated
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

namespace cub
{
/* Keys of a tile lie in warps, and in a warp by steps of 32; where digits are equal that order stays. Ascending only. */
template <int THREADS, int BITS, bool DESCENDING>
class BlockRadixRankMatch
{
  static constexpr int DIGITS = 1 << BITS, MAX_ITEMS = 32;
  static_assert (DIGITS == THREADS && !DESCENDING, "a thread has one digit");

public:
  struct TempStorage
  {
    uint16_t digits[THREADS * MAX_ITEMS], ranks[THREADS * MAX_ITEMS];
    uint32_t before[DIGITS + 1];
  };

  explicit BlockRadixRankMatch (TempStorage &storage) : storage (storage)
  {
  }

  /* before: how many keys have a digit below this thread's. */
  template <typename Key, int ITEMS, class DigitOf>
  void
  RankKeys (const Key (&keys)[ITEMS], int (&ranks)[ITEMS], DigitOf digit_of, int (&before)[1])
  {
    static_assert (ITEMS <= MAX_ITEMS && THREADS * MAX_ITEMS <= 1 << 16, "places are 16 bits");
    const int first = (int) threadIdx.x / 32 * 32 * ITEMS + (int) threadIdx.x % 32;

    for (int i = 0; i < ITEMS; i++)
      storage.digits[first + i * 32] = (uint16_t) digit_of.Digit (keys[i]);
    __syncthreads ();
    if (threadIdx.x == 0)
      rank_all (THREADS * ITEMS);
    __syncthreads ();
    for (int i = 0; i < ITEMS; i++)
      ranks[i] = storage.ranks[first + i * 32];
    before[0] = (int) storage.before[threadIdx.x];
  }

private:
  TempStorage &storage;

  void
  rank_all (int n)
  {
    uint32_t next[DIGITS];

    memset (storage.before, 0, sizeof (storage.before));
    for (int i = 0; i < n; i++)
      storage.before[storage.digits[i] + 1]++;
    for (int d = 0; d < DIGITS; d++) {
      storage.before[d + 1] += storage.before[d];
      next[d] = storage.before[d];
    }
    for (int i = 0; i < n; i++)
      storage.ranks[i] = (uint16_t) next[storage.digits[i]]++;
  }
};
}
