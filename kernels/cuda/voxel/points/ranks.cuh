/* robocache: ranks of voxels on the GPU, once their bits are ranked
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CUDA_VOXEL_RANKS_CUH
#define RC_CUDA_VOXEL_RANKS_CUH

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

/* How many bits are set before one; where it is not itself, or negative, RC_VOXEL_OUTSIDE. Words near which nothing is
 * set say anything: there are no more ranks than points. One branch: more of them nest too deep. */
__device__ __forceinline__ int64_t
rank_of_bit (const Job &job, const RcCudaVoxelBitmap &bitmap, int64_t item, int64_t bit)
{
  const uint2 word = bit >= 0 ? *reinterpret_cast<const uint2 *> (ranked_of_item (bitmap, item) + bit / 32)
      : make_uint2 (0, 0);
  const uint32_t own = 1u << (bit & 31);
  const int64_t rank = (int64_t) word.y + __popc (word.x & (own - 1));

  return (word.x & own) != 0 && rank < job.n_points ? rank : RC_VOXEL_OUTSIDE;
}

/* A voxel's place among those of the blocks that are occupied; negative where its block is not. */
__device__ __forceinline__ int64_t
bit_in_blocks (const Job &job, const Ranks &ranks, int64_t item, int64_t voxel)
{
  const int64_t block = rank_of_bit (job, ranks.bitmaps[0], item, voxel >> ranks.block_bits);
  const int64_t each = INT64_C (1) << ranks.block_bits;

  return block * each + (voxel & (each - 1));
}

/* The rank of a voxel that is marked, or RC_VOXEL_OUTSIDE where it is negative. Of one that is not, which range did not
 * see, or saw elsewhere, either, or that of another. */
__device__ __forceinline__ int64_t
rank_of_voxel (const Job &job, const Ranks &ranks, int64_t item, int64_t voxel)
{
  return ranks.block_bits == 0 ? rank_of_bit (job, ranks.bitmaps[0], item, voxel)
      : rank_of_bit (job, ranks.bitmaps[1], item, bit_in_blocks (job, ranks, item, voxel));
}

/* The same of a point; it lists its voxel, where that is wanted, as all points of it do. */
__device__ __forceinline__ int64_t
rank_point (const Job &job, const Ranks &ranks, int64_t item, int64_t voxel)
{
  const int64_t rank = rank_of_voxel (job, ranks, item, voxel);

  if (rank >= 0 && ranks.voxels_by_rank != NULL)
    ranks.voxels_by_rank[item * job.n_points + rank] = voxel;
  return rank;
}
}

#endif
