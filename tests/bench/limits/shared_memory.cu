/* robocache: a search for rows in global memory and in shared memory
 *   bench-shared-memory [--csv FILE]
 * The rows of a tick are found with ten to twelve dependent loads. A block searches for the rows of its 64 ticks in global memory, or
 * first copies the times to shared memory: all times of the episode, or those between its first and its last tick.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/limits/episodes.cuh"

using namespace lab;

constexpr int MAX_STAGED = 512; /* times of a span; more are searched in global memory */

__global__ void __launch_bounds__ (THREADS)
search_global (const Episodes all)
{
  __shared__ Tick ticks[TICKS];
  const Item item = item_of (all);

  find_ticks (item, item.times, all.n_rows, 0, ticks);
  blend_rows (all, item, item.rows, 0, ticks);
}

__device__ __forceinline__ void
stage (const int64_t *times, int32_t n, int64_t *staged)
{
  for (int32_t i = threadIdx.x; i < n; i += THREADS)
    staged[i] = times[i];
  __syncthreads ();
}

__global__ void __launch_bounds__ (THREADS)
search_all_staged (const Episodes all)
{
  extern __shared__ int64_t staged[];
  __shared__ Tick ticks[TICKS];
  const Item item = item_of (all);

  stage (item.times, all.n_rows, staged);
  find_ticks (item, staged, all.n_rows, 0, ticks);
  blend_rows (all, item, item.rows, 0, ticks);
}

__global__ void __launch_bounds__ (THREADS)
search_span_staged (const Episodes all)
{
  __shared__ int64_t staged[MAX_STAGED];
  __shared__ Tick ticks[TICKS];
  __shared__ int2 found;
  const Item item = item_of (all);
  const int2 span = find_span (all, item, &found);
  const int32_t n = span.y - span.x;
  const int64_t *times = item.times + span.x;

  if (n <= MAX_STAGED) {
    stage (times, n, staged);
    times = staged;
  }
  find_ticks (item, times, n, span.x, ticks);
  blend_rows (all, item, item.rows, 0, ticks);
}

int
main (int argc, char **argv)
{
  static Recording recording;
  Lab all;

  if (!open (&all, argc, argv, 7, false, EPISODES_COLUMNS))
    return 0;
  for (const Shape &shape : shapes) {
    const size_t all_times = (size_t) shape.n_rows * sizeof (int64_t);
    const struct
    {
      const char *name;
      void (*kernel) (const Episodes);
      size_t shared_bytes;
    } variants[] = { {"search in global memory", search_global, 0}, {"all times staged", search_all_staged, all_times},
      {"times of the ticks staged", search_span_staged, 0} };

    make_recording (all, shape, &recording);
    for (const auto &variant : variants)
      measure (&all, recording, variant.name, reinterpret_cast<const void *> (variant.kernel), variant.shared_bytes,
          [&] (const Episodes &episodes, int) {
            variant.kernel<<<episodes.n_items, THREADS, variant.shared_bytes, all.stream>>> (episodes);
          });
    bench_copies_close (&recording.copies);
  }
  return close (&all);
}
