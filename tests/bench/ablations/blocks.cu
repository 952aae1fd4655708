/* robocache: one experimental kernel with several sizes of blocks, and loads of a thread under way
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "blocks.h"

#include "items.cuh"

using namespace ablation;

namespace
{
template <int THREADS, int PAIRS>
__global__ void __launch_bounds__ (THREADS)
align_sized (const __grid_constant__ EpisodesArgs args)
{
  __shared__ int64_t staged[SPAN_TIMES];
  __shared__ Tick ticks[TICKS];
  __shared__ Span span;
  const Item item = item_of (args, blockIdx.x);

  find_in_span<THREADS> (args, item, staged, &span, ticks);
  blend_rows<THREADS, PAIRS> (args, item, rows_of (args, item), 0, ticks);
}
}

#define SIZED(threads, pairs) { threads, pairs, reinterpret_cast<const void *> (align_sized<threads, pairs>) }

const Blocks blocks_kernels[BLOCKS_KERNELS] = {
  SIZED (64, 4),
  SIZED (128, 1),
  SIZED (128, 2),
  SIZED (128, 4),
  SIZED (128, 8),
  SIZED (256, 1),
  SIZED (256, 2),
  SIZED (256, 4),
  SIZED (256, 8),
  SIZED (512, 4),
  SIZED (1024, 4),
};
