/* robocache: one experimental kernel with several sizes of blocks, and loads of a thread under way
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bounds.h"

#include "items.cuh"

using namespace ablation;

namespace
{
template <int THREADS, int PAIRS>
__global__ void __launch_bounds__ (THREADS)
align_bounded (const __grid_constant__ EpisodesArgs args)
{
  __shared__ int64_t staged[SPAN_TIMES];
  __shared__ Tick ticks[TICKS];
  __shared__ Span span;
  const Item item = item_of (args, blockIdx.x);

  find_in_span<THREADS> (args, item, staged, &span, ticks);
  blend_rows<THREADS, PAIRS> (args, item, rows_of (args, item), 0, ticks);
}
}

#define BOUNDED(threads, pairs) { threads, pairs, reinterpret_cast<const void *> (align_bounded<threads, pairs>) }

const Bounds bounds_kernels[BOUNDS_KERNELS] = {
  BOUNDED (64, 4),
  BOUNDED (128, 1),
  BOUNDED (128, 2),
  BOUNDED (128, 4),
  BOUNDED (128, 8),
  BOUNDED (256, 1),
  BOUNDED (256, 2),
  BOUNDED (256, 4),
  BOUNDED (256, 8),
  BOUNDED (512, 4),
  BOUNDED (1024, 4),
};
