/* robocache: the bits of a tile of points, on the GPU
 *
 * A block of THREADS threads takes a tile. Each thread has N points: every THREADS-th point, or four adjacent ones at a
 * time where points are packed.
 *
 *   float p[N][3];
 *   uint32_t bits[N];
 *
 *   read_each<Source, true, THREADS> (format, chunk, part, tile, p);
 *   find_bits<Source, THREADS, false> (grid, format, chunk, part, tile, p, bits, &counts);
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "parts.cuh"

namespace rc
{
constexpr int EACH = RC_CUDA_VOXEL_POINTS_EACH;

/* The points of a chunk that a tile has. */
struct Tile
{
  int64_t first;                /* number in the chunk */
  uint32_t n;
};

/* The place in its tile of a thread's point u.
 *
 *   THREADS = 256, thread 3            u  0  1    2    3     4
 *   point_of<256, false> (u)              3  259  515  771   1027
 *   point_of<256, true> (u), by fours     12 13   14   15    1036
 */
template <int THREADS, bool FOURS>
__device__ __forceinline__ uint32_t
point_of (int u)
{
  return FOURS ? (u / 4 * THREADS + threadIdx.x) * 4 + u % 4 : u * THREADS + threadIdx.x;
}

/* A bit for each point of the thread that a tile of n points has. */
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

/* The bit of a point whose product is not sure, since it is near a face of a voxel. The point is read again, and divided.
 * Most points do not need this, unless the grid is so extreme that no product is sure. */
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

/* Sets bits to the voxels of the thread's points, which are at p, or to RC_CUDA_VOXEL_NO_BIT. Counts those that miss the
 * grid. */
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

/* Reads packed float32 x, y, z: four points in three accesses of 16 bytes. All loads are under way before the first value
 * is used.
 *
 *   access 0  x0 y0 z0 x1      access 1  y1 z1 x2 y2      access 2  z2 x3 y3 z3
 */
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

/* Reads points one by one, from a source of any format. Points beyond the tile are 0, 0, 0. */
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

/* Whether read_fours can read the tile. The points must be float32. */
__device__ __forceinline__ bool
in_fours (const Chunk &chunk, const Tile &tile)
{
  return chunk.is_packed && tile.first % 4 == 0 && tile.n % 4 == 0;
}
}
