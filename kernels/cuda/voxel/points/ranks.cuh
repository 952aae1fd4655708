/* robocache: ranks of voxels on the GPU, looked up in a bitmap whose words are ranked
 *
 * sparse/rank.cu stores with each word of the bitmap how many bits are set before it. The rank of a bit is that number plus
 * the set bits below it in its word:
 *
 *   words    0b0110  0b0000  0b1001
 *   before   0       2       2
 *   rank of bit 2 (word 0): 0 + 1 = 1      of bit 2 * 32 + 3 (word 2): 2 + 1 = 3
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "points.cuh"

namespace rc
{
__device__ __forceinline__ uint32_t *
bits_of_item (const RcCudaVoxelBitmap &bitmap, int64_t item)
{
  return reinterpret_cast<uint32_t *> (bitmap.bits + item * bitmap.bits_apart);
}

__device__ __forceinline__ RcCudaVoxelWord *
ranked_of_item (const RcCudaVoxelBitmap &bitmap, int64_t item)
{
  return bitmap.ranked + item * bitmap.ranked_apart;
}

/* Number of bits that are set before a bit; RC_VOXEL_OUTSIDE if the bit is not set, or negative. Words without a set bit nearby
 * hold anything, so ranks beyond the number of points are refused. A single branch, since they nest too deep. */
__device__ __forceinline__ int64_t
rank_of_bit (const Job &job, const RcCudaVoxelBitmap &bitmap, int64_t item, int64_t bit)
{
  const uint2 word = bit >= 0 ? *reinterpret_cast<const uint2 *> (ranked_of_item (bitmap, item) + bit / 32)
      : make_uint2 (0, 0);
  const uint32_t own = 1u << (bit & 31);
  const int64_t rank = (int64_t) word.y + __popc (word.x & (own - 1));

  return (word.x & own) != 0 && rank < job.n_points ? rank : RC_VOXEL_OUTSIDE;
}

/* In a grid of blocks, the bit of a voxel in the bitmap of occupied blocks: voxel `v` of the block of rank `r` has bit r *
 * block + v. Negative if its block is not occupied. */
__device__ __forceinline__ int64_t
bit_in_blocks (const Job &job, const Ranks &ranks, int64_t item, int64_t voxel)
{
  const int64_t block = rank_of_bit (job, ranks.bitmaps[0], item, voxel >> ranks.block_bits);
  const int64_t each = INT64_C (1) << ranks.block_bits;

  return block * each + (voxel & (each - 1));
}

/* The rank of a voxel that is marked; RC_VOXEL_OUTSIDE if it is negative. A voxel that is not marked, because range did not
 * see its point or saw it elsewhere, gets RC_VOXEL_OUTSIDE or the rank of another voxel. */
__device__ __forceinline__ int64_t
rank_of_voxel (const Job &job, const Ranks &ranks, int64_t item, int64_t voxel)
{
  return ranks.block_bits == 0 ? rank_of_bit (job, ranks.bitmaps[0], item, voxel)
      : rank_of_bit (job, ranks.bitmaps[1], item, bit_in_blocks (job, ranks, item, voxel));
}

/* The rank of a point's voxel. Stores the voxel in the list by rank, if that is wanted. All points of a voxel store the
 * same. */
__device__ __forceinline__ int64_t
rank_point (const Job &job, const Ranks &ranks, int64_t item, int64_t voxel)
{
  const int64_t rank = rank_of_voxel (job, ranks, item, voxel);

  if (rank >= 0 && ranks.voxels_by_rank != NULL)
    ranks.voxels_by_rank[item * job.n_points + rank] = voxel;
  return rank;
}
}
