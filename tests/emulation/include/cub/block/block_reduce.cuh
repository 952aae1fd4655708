/* robocache: sums over a block, emulated
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

namespace cub
{
template <typename T, int THREADS>
class BlockReduce
{
public:
  struct TempStorage
  {
    T of_thread[THREADS];
  };

  explicit BlockReduce (TempStorage &storage) : storage (storage)
  {
  }

  /* Only the first thread has it; what others get is of no use to anyone. */
  T
  Sum (T own)
  {
    T sum = 0;

    storage.of_thread[threadIdx.x] = own;
    __syncthreads ();
    for (int i = 0; i < THREADS; i++)
      sum += storage.of_thread[i];
    return threadIdx.x == 0 ? sum : ~sum;
  }

private:
  TempStorage &storage;
};
}
