/* robocache: rows in shared memory by loads, bulk copies and tensor maps (TMA)
 *   bench-tma [--csv FILE]
 * The rows of a block's 64 ticks are adjacent. A block reads the two rows of each tick with loads. Or one thread starts an asynchronous
 * copy of all of these rows to shared memory, as one bulk copy or as boxes of a tensor map, while each tick searches for its rows.
 * The second shape needs only half of the rows. For compute capability 9.0 and newer.
 * PTX ISA: cp.async.bulk, cp.async.bulk.tensor, mbarrier.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda.h>

#include "tests/bench/limits/episodes.cuh"

using namespace lab;

constexpr int BOX_ROWS = 8;
constexpr uint32_t BUFFER_BYTES = 48 << 10;     /* for rows; longer spans are read with loads */

/* ---- PTX ---- */

__device__ __forceinline__ uint32_t
shared_address (const void *p)
{
  return (uint32_t) __cvta_generic_to_shared (p);
}

/* By one thread, before the block waits. */
__device__ __forceinline__ void
barrier_init (uint64_t *barrier)
{
  asm volatile ("mbarrier.init.shared::cta.b64 [%0], 1;"::"r" (shared_address (barrier)):"memory");
  asm volatile ("fence.mbarrier_init.release.cluster;":::"memory");
}

/* The phase ends when so many bytes have arrived. */
__device__ __forceinline__ void
barrier_expect (uint64_t *barrier, uint32_t bytes)
{
  asm volatile ("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"::"r" (shared_address (barrier)), "r" (bytes):"memory");
}

__device__ __forceinline__ void
barrier_wait (uint64_t *barrier)
{
  uint32_t done = 0;

  while (!done)
    asm volatile ("{\n"
        ".reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n"
        "selp.u32 %0, 1, 0, p;\n"
        "}":"=r" (done):"r" (shared_address (barrier)):"memory");
}

/* Addresses and bytes are multiples of 16. */
__device__ __forceinline__ void
bulk_copy (void *to, const void *from, uint32_t bytes, uint64_t *barrier)
{
  asm volatile ("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
      ::"r" (shared_address (to)), "l" (__cvta_generic_to_global (from)), "r" (bytes), "r" (shared_address (barrier)):"memory");
}

/* A box of the map, from (column 0, row) on. */
__device__ __forceinline__ void
tensor_copy (void *to, const CUtensorMap *map, int32_t row, uint64_t *barrier)
{
  asm volatile ("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {0, %2}], [%3];"
      ::"r" (shared_address (to)), "l" (reinterpret_cast<uint64_t> (map)), "r" (row), "r" (shared_address (barrier)):"memory");
}

/* ---- kernels ---- */

extern __shared__ __align__ (128) char buffer[];

__global__ void __launch_bounds__ (THREADS)
copy_by_loads (const __grid_constant__ Episodes all, const __grid_constant__ CUtensorMap)
{
  __shared__ Tick ticks[TICKS];
  __shared__ int2 found;
  const Item item = item_of (all);
  const int2 span = find_span (all, item, &found);

  find_ticks (item, item.times + span.x, span.y - span.x, span.x, ticks);
  blend_rows (all, item, item.rows, 0, ticks);
}

template <bool BOXES>
__global__ void __launch_bounds__ (THREADS)
copy_by_tma (const __grid_constant__ Episodes all, const __grid_constant__ CUtensorMap map)
{
  __shared__ uint64_t barrier;
  __shared__ Tick ticks[TICKS];
  __shared__ int2 found;
  const Item item = item_of (all);

  if (threadIdx.x == 0)
    barrier_init (&barrier);
  const int2 span = find_span (all, item, &found);
  const int32_t n = span.y - span.x, boxes = (n + BOX_ROWS - 1) / BOX_ROWS;
  const uint32_t row_bytes = (uint32_t) all.channels * 4, bytes = (uint32_t) (BOXES ? boxes * BOX_ROWS : n) * row_bytes;
  const bool fits = bytes <= BUFFER_BYTES;

  if (threadIdx.x == 0 && fits) {
    barrier_expect (&barrier, bytes);
    if constexpr (BOXES) {
      for (int32_t i = 0; i < boxes; i++)
        tensor_copy (buffer + i * BOX_ROWS * row_bytes, &map, item.first_row + span.x + i * BOX_ROWS, &barrier);
    } else {
      bulk_copy (buffer, item.rows + (int64_t) span.x * (all.channels / 4), bytes, &barrier);
    }
  }
  find_ticks (item, item.times + span.x, n, span.x, ticks);
  if (fits)
    barrier_wait (&barrier);
  blend_rows (all, item, fits ? reinterpret_cast<const float4 *> (buffer) : item.rows, fits ? span.x : 0, ticks);
}

/* ---- tensor maps ---- */

typedef CUresult (*Encode) (CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *,
    const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
    CUtensorMapFloatOOBfill);

/* The rows of all episodes as float32 [rows, channels], in boxes of whole rows. */
static void
make_map (const Shape &shape, const Episodes &episodes, CUtensorMap *map)
{
  const cuuint64_t sizes[] = { (cuuint64_t) shape.channels, (cuuint64_t) shape.episodes * (cuuint64_t) shape.n_rows };
  const cuuint64_t strides[] = { (cuuint64_t) shape.channels * 4 };
  const cuuint32_t box[] = { (cuuint32_t) shape.channels, BOX_ROWS }, steps[] = { 1, 1 };
  cudaDriverEntryPointQueryResult found;
  void *encode;

  bench_must_cuda (cudaGetDriverEntryPointByVersion ("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found), "driver");
  if (found != cudaDriverEntryPointSuccess || reinterpret_cast<Encode> (encode) (map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2,
          (void *) episodes.rows, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
          CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
    bench_must_cuda (cudaErrorUnknown, "cuTensorMapEncodeTiled");
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    void (*kernel) (const Episodes, const CUtensorMap);
    size_t shared_bytes;
  } variants[] = { {"rows by loads", copy_by_loads, 0}, {"rows by a bulk copy", copy_by_tma<false>, BUFFER_BYTES},
    {"rows by a tensor map", copy_by_tma<true>, BUFFER_BYTES} };
  static CUtensorMap maps[BENCH_MAX_COPIES];
  static Recording recording;
  Lab all;

  if (!open (&all, argc, argv, 9, false, EPISODES_COLUMNS))
    return 0;
  for (const Shape &shape : shapes) {
    make_recording (all, shape, &recording);
    for (int i = 0; i < recording.copies.n; i++)
      make_map (shape, episodes_of (recording, i), &maps[i]);
    for (const auto &variant : variants)
      measure (&all, recording, variant.name, reinterpret_cast<const void *> (variant.kernel), variant.shared_bytes,
          [&] (const Episodes &episodes, int copy) {
            variant.kernel<<<episodes.n_items, THREADS, variant.shared_bytes, all.stream>>> (episodes, maps[copy]);
          });
    bench_copies_close (&recording.copies);
  }
  return close (&all);
}
