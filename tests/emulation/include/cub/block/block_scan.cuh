/* robocache: sums over the threads before, emulated
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

namespace cub
{
template <typename T, int THREADS>
class BlockScan
{
public:
  struct TempStorage
  {
    T until[THREADS];           /* the sum of threads 0 … i */
  };

  explicit BlockScan (TempStorage &storage) : storage (storage)
  {
  }

  void
  InclusiveSum (T own, T &sum)
  {
    add_up (own);
    sum = storage.until[threadIdx.x];
  }

  void
  ExclusiveSum (T own, T &sum)
  {
    add_up (own);
    sum = threadIdx.x > 0 ? storage.until[threadIdx.x - 1] : 0;
  }

  void
  ExclusiveSum (T own, T &sum, T &of_all)
  {
    ExclusiveSum (own, sum);
    of_all = storage.until[THREADS - 1];
  }

  /* ITEMS neighbours a thread. */
  template <int ITEMS>
  void
  ExclusiveSum (const T (&own)[ITEMS], T (&sums)[ITEMS], T &of_all)
  {
    T sum = 0;

    for (int i = 0; i < ITEMS; i++)
      sum += own[i];
    ExclusiveSum (sum, sum, of_all);
    for (int i = 0; i < ITEMS; i++) {
      const T next = sum + own[i];

      sums[i] = sum;
      sum = next;
    }
  }

private:
  TempStorage &storage;

  void
  add_up (T own)
  {
    storage.until[threadIdx.x] = own;
    __syncthreads ();
    for (int i = 1; threadIdx.x == 0 && i < THREADS; i++)
      storage.until[i] += storage.until[i - 1];
    __syncthreads ();
  }
};
}
