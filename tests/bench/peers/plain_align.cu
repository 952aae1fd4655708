/* robocache: an alignment as one writes it at first, for others to be compared with
 *
 * A thread for each element searches the times of its recording, as its neighbours do, too, and reads two rows.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/peers/plain_align.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define THREADS 256

template <typename T, typename Weight, bool NEAREST>
__global__ void
align (const int64_t *times, const T *rows, const int64_t *ticks, T *out, int64_t n, int64_t n_rows, int64_t n_ticks,
    int64_t n_channels)
{
  const int64_t i = blockIdx.x * (int64_t) THREADS + threadIdx.x;
  int64_t low = 0, high = n_rows;

  if (i >= n)
    return;
  const int64_t item = i / n_channels / n_ticks, channel = i % n_channels, tick = ticks[i / n_channels];
  const int64_t *t = times + item * n_rows;
  while (low < high) {
    const int64_t middle = (low + high) / 2;

    if (t[middle] <= tick)
      low = middle + 1;
    else
      high = middle;
  }
  const int64_t after = low < 1 ? 1 : low < n_rows ? low : n_rows - 1, before = after - 1;
  const T *y0 = rows + (item * n_rows + before) * n_channels + channel, *y1 = y0 + n_channels;
  if (NEAREST) {
    out[i] = tick - t[before] <= t[after] - tick ? *y0 : *y1;
  } else {
    const Weight w = (Weight) (tick - t[before]) / (Weight) (t[after] - t[before]);

    out[i] = (T) ((Weight) *y0 + w * ((Weight) *y1 - (Weight) *y0));
  }
}

template <typename T, typename Weight>
static void
launch (RcInterpolation interpolation, int64_t channels, const RcAlignArgs *args, const RcAlignStreamArgs *stream,
    cudaStream_t on)
{
  const int64_t n = args->batch * args->ticks * channels;
  const unsigned blocks = (unsigned) ((n + THREADS - 1) / THREADS);
  const auto kernel = interpolation == RC_NEAREST ? align<T, Weight, true> : align<T, Weight, false>;

  kernel<<<blocks, THREADS, 0, on>>> (stream->times, (const T *) stream->rows, args->tick_times, (T *) stream->out, n,
      stream->n_rows, args->ticks, channels);
}

int
bench_plain_has_align (RcInterpolation interpolation, RcDtype in, RcDtype out)
{
  return (interpolation == RC_LINEAR || interpolation == RC_NEAREST) && in == out && rc_dtype_is_float (in);
}

void
bench_plain_align (RcInterpolation interpolation, RcDtype dtype, int64_t channels, const RcAlignArgs *args,
    const RcAlignStreamArgs *stream, cudaStream_t on)
{
  if (dtype == RC_FLOAT64)
    launch<double, double> (interpolation, channels, args, stream, on);
  else if (dtype == RC_FLOAT32)
    launch<float, float> (interpolation, channels, args, stream, on);
  else if (dtype == RC_FLOAT16)
    launch<__half, float> (interpolation, channels, args, stream, on);
  else
    launch<__nv_bfloat16, float> (interpolation, channels, args, stream, on);
}
