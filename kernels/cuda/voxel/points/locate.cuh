/* robocache: the bits of a tile of points, on the GPU
 *
 * A block of so many threads takes a tile, of which each thread has N points: four by four where points are packed, or one
 * by one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CUDA_VOXEL_LOCATE_CUH
#define RC_CUDA_VOXEL_LOCATE_CUH

#include "parts.cuh"

namespace rc
{
constexpr int EACH = RC_CUDA_VOXEL_POINTS_EACH;

/* What there is of a tile. */
struct Tile
{
  int64_t first;                /* point of the chunk */
  uint32_t n;
};

/* Which point of a tile a thread's number u is. */
template <int THREADS, bool FOURS>
__device__ __forceinline__ uint32_t
point_of (int u)
{
  return FOURS ? (u / 4 * THREADS + threadIdx.x) * 4 + u % 4 : u * THREADS + threadIdx.x;
}

template <int THREADS, bool FOURS, int N>
__device__ __forceinline__ uint32_t
valid_of (uint32_t n)
{
  uint32_t valid = 0;

  if (n == THREADS * N)
    return (1u << N) - 1;
#pragma unroll
  for (int u = 0; u < N; u++)
    valid |= (uint32_t) (point_of<THREADS, FOURS> (u) < n) << u;
  return valid;
}

/* Points near a face of a voxel are rare: they are read again, and divided. Where no product is sure, all points are. Returns a point's
 * bit, or none. */
template <class Source, int THREADS, bool FOURS>
__device__ __forceinline__ uint32_t
locate_again (const Grid &grid, const Format &format, const Chunk &chunk, const Part &part, const Tile &tile, int u,
    PointCounts *counts)
{
  const int64_t i = tile.first + point_of<THREADS, FOURS> (u);
  float p[3];

  if (Source::asks_address || chunk.is_aligned)
    Source::template read<true> (format, chunk, part.data, i, p);
  else
    Source::template read<false> (format, chunk, part.data, i, p);

  const int64_t voxel = voxel_by_quotient (grid, p[0], p[1], p[2]);

  count_miss (counts, voxel);
  return voxel < 0 ? RC_CUDA_VOXEL_NO_BIT : (uint32_t) voxel;
}

/* The bits of the points that a thread has, which are at p. */
template <class Source, int THREADS, bool FOURS, int N>
__device__ __forceinline__ void
find_bits (const Grid &grid, const Format &format, const Chunk &chunk, const Part &part, const Tile &tile,
    const float (&p)[N][3], uint32_t (&bits)[N],
    PointCounts *counts)
{
  const uint32_t valid = valid_of<THREADS, FOURS, N> (tile.n);
  uint32_t unclear = 0;

#pragma unroll
  for (int u = 0; u < N; u++) {
    if (!voxel_by_product (grid, p[u], &bits[u])) {
      const int miss = miss_without_division (grid, p[u]);

      if ((valid >> u & 1) != 0)
        count_miss (counts, miss);
      bits[u] = miss != 0 ? RC_CUDA_VOXEL_NO_BIT : bits[u];
      unclear |= (uint32_t) (miss == 0) << u;
    }
  }
  if (valid != (1u << N) - 1) {
#pragma unroll
    for (int u = 0; u < N; u++)
      bits[u] = valid >> u & 1 ? bits[u] : RC_CUDA_VOXEL_NO_BIT;
  }
#pragma unroll 1
  for (unclear &= valid; unclear != 0; unclear &= unclear - 1) {
    const int which = __ffs ((int) unclear) - 1;
    const uint32_t bit = locate_again<Source, THREADS, FOURS> (grid, format, chunk, part, tile, which, counts);

#pragma unroll
    for (int u = 0; u < N; u++)
      bits[u] = u == which ? bit : bits[u];
  }
}

/* float32 x, y, z alone: four points in three accesses of 16 bytes, all of them under way before the first is used. */
template <int THREADS>
__device__ __forceinline__ void
read_fours (const char *data, uint32_t n, float p[EACH][3])
{
#pragma unroll
  for (int g = 0; g < EACH / 4; g++) {
    const uint32_t first = point_of<THREADS, true> (g * 4);
    const float4 *from = reinterpret_cast<const float4 *> (data) + first / 4 * 3;

#pragma unroll
    for (int i = 0; i < 3; i++) {
      const float4 v = first < n ? from[i] : make_float4 (0, 0, 0, 0);
      const float values[4] = { v.x, v.y, v.z, v.w };

#pragma unroll
      for (int k = 0; k < 4; k++)
        p[g * 4 + (i * 4 + k) / 3][(i * 4 + k) % 3] = values[k];
    }
  }
}

template <class Source, bool ALIGNED, int THREADS, int N>
__device__ __forceinline__ void
read_each (const Format &format, const Chunk &chunk, const Part &part, const Tile &tile, float (&p)[N][3])
{
#pragma unroll
  for (int u = 0; u < N; u++) {
    const uint32_t i = point_of<THREADS, false> (u);

    p[u][0] = p[u][1] = p[u][2] = 0.0f;
    if (i < tile.n)
      Source::template read<ALIGNED> (format, chunk, part.data, tile.first + i, p[u]);
  }
}

/* Whether a tile is read four by four, which float32 alone can be. */
__device__ __forceinline__ bool
in_fours (const Chunk &chunk, const Tile &tile)
{
  return chunk.is_packed && tile.first % 4 == 0 && tile.n % 4 == 0;
}
}

#endif
