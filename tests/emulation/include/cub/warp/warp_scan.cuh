/* robocache: sums over the lanes before, emulated
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

namespace cub
{
template <typename T>
class WarpScan
{
public:
  struct TempStorage
  {
    T of_lane[32];
  };

  explicit WarpScan (TempStorage &storage) : storage (storage)
  {
  }

  void
  ExclusiveSum (T own, T &sum)
  {
    T before = 0;

    storage.of_lane[emulation::lane ()] = own;
    __syncwarp ();
    for (unsigned i = 0; i < emulation::lane (); i++)
      before += storage.of_lane[i];
    sum = before;
    __syncwarp ();
  }

private:
  TempStorage &storage;
};
}
