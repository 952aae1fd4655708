/* robocache: selects how many channels a thread reads at once, by the rows of an item
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "rows.cuh"

namespace rc
{
/* Kernels for any dtypes and blends copy rows as bytes if no arithmetic is needed. */
template <class Types, int V, int U, bool LOOSE>
__device__ __forceinline__ void
move (const RcCudaAlignTask &task, const Rows<Types> &all)
{
  if constexpr (Types::mixed && Types::curves)
    move_rows_apart<Types, V, LOOSE> (task, all);
  else
    move_rows<Types, V, U, LOOSE> (task, all);
}

/* Makes the rows with task.elements at a time: the kernel's number, a half or a quarter of it, or one. */
template <class Types>
__device__ __forceinline__ void
make_rows (const RcCudaAlignTask &task, const Rows<Types> &all)
{
  constexpr int V = Types::elements, U = Types::rows, more = Types::curves ? U : 2 * U;
  constexpr int half = V / 2 < Types::least ? 1 : V / 2, quarter = V / 4 < Types::least ? 1 : V / 4;

  if (task.elements == V)
    move<Types, V, U, false> (task, all);
  else if (half > 1 && task.elements == half)
    move<Types, half, more, false> (task, all);
  else if (quarter > 1 && task.elements == quarter)
    move<Types, quarter, more, false> (task, all);
  else if (task.in_alignment >= size_of (Types::in (task)) && task.out_alignment >= size_of (Types::out (task)))
    move<Types, 1, more, false> (task, all);
  else
    move<Types, 1, 1, true> (task, all);
  if constexpr (Types::special) {
    make_quaternions<Types> (task, all);
    copy_holds<Types> (task, all);
  }
}
}
