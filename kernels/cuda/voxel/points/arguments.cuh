/* robocache: the arguments of the voxel kernels in C++, and kernels with the list of the arguments that they take
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>

#include <type_traits>

#include "kernels/cuda/voxel/host/kernels.h"

namespace rc
{
/* The offset of an argument in RcCudaVoxelArguments, by its type. A type that is no argument has none. */
template <typename Argument>
constexpr uint16_t offset_of = UINT16_MAX;

#define ARGUMENT(Name, member) \
    using Name = RcCudaVoxel ## Name; \
    template <> inline constexpr uint16_t offset_of<Name> = offsetof (RcCudaVoxelArguments, member);

ARGUMENT (Grid, grid)
ARGUMENT (Format, format)
ARGUMENT (Values, values)
ARGUMENT (Job, job)
ARGUMENT (Chunk, chunk)
ARGUMENT (Accumulators, accumulators)
ARGUMENT (Ranks, ranks)
ARGUMENT (Stored, stored)
ARGUMENT (First, first)
ARGUMENT (Group, group)
ARGUMENT (Digit, digit)
ARGUMENT (Bins, bins)
ARGUMENT (Slabs, slabs)
ARGUMENT (Window, window)
ARGUMENT (Dense, dense)
ARGUMENT (Rows, rows)
ARGUMENT (Map, map)
ARGUMENT (Clear, clear)
ARGUMENT (Ranges, ranges)
#undef ARGUMENT
template <> inline constexpr uint16_t offset_of<uint32_t> = offsetof (RcCudaVoxelArguments, bitmap);

/* The list of a kernel's arguments, from its type.
 *
 *   __global__ void set_scales (const Values values, const Job job);
 *
 *   PartsOf<decltype (set_scales)>::parts   { 2, { offsetof values, offsetof job } }
 */
template <typename Kernel>
struct PartsOf;

template <typename... Arguments>
struct PartsOf<void (Arguments...)>
{
  static_assert (((offset_of<std::remove_const_t<Arguments>> != UINT16_MAX) && ...), "parts of RcCudaVoxelArguments");
  static constexpr RcCudaVoxelParts parts = { sizeof... (Arguments), { offset_of<std::remove_const_t<Arguments>>... } };
};
}

/* An RcCudaVoxelKernel of a kernel and its arguments.
 *
 *   const RcCudaVoxelKernel rc_cuda_voxel_set_scales = VOXEL_KERNEL (set_scales);
 */
#define VOXEL_KERNEL(...) { KERNEL (__VA_ARGS__), rc::PartsOf<decltype (__VA_ARGS__)>::parts }
