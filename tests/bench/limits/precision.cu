/* robocache: rows stored as float32, float16 or bfloat16: time and error of their interpolation
 *   bench-precision [--csv FILE]
 * 128 episodes of 1,000 rows of 64 channels are interpolated to 500 ticks: joint angles (rad) and forces with impacts (N). Rows are
 * widened to float32, blended there and rounded to the type of the output. Errors are against float64 interpolation of the rows
 * before they were stored. The outputs are compared with the host's, bit for bit.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "tests/bench/limits/lab.cuh"

using namespace lab;

constexpr int EPISODES = 128, ROWS = 1000, TICKS = 500, CHANNELS = 64, THREADS = 256, N = EPISODES * TICKS * CHANNELS;
constexpr int64_t IN = (int64_t) EPISODES * ROWS * CHANNELS;

/* Rows are 1 ms apart, ticks 2 ms, a third of a row later. */
__host__ __device__ inline int
row_of (int tick)
{
  return 2 * tick;
}

constexpr float WEIGHT = 1.0f / 3;

template <typename In, typename Out>
__host__ __device__ inline Out
blend (In y0, In y1)
{
  const float a = (float) y0, b = (float) y1, difference = b - a;

  return (Out) (a + WEIGHT * difference);
}

/* A thread has 8 channels of a tick, which it reads and writes as vectors. */
template <typename In, typename Out>
__global__ void
interpolate (const In *rows, Out *out)
{
  struct alignas (16) Ins { In of[8]; };
  struct alignas (16) Outs { Out of[8]; };
  const int i = blockIdx.x * THREADS + threadIdx.x, tick = i * 8 / CHANNELS, channel = i * 8 % CHANNELS;
  const In *row = rows + ((int64_t) (tick / TICKS) * ROWS + row_of (tick % TICKS)) * CHANNELS + channel;
  const Ins y0 = *reinterpret_cast<const Ins *> (row), y1 = *reinterpret_cast<const Ins *> (row + CHANNELS);
  Outs y;

#pragma unroll
  for (int k = 0; k < 8; k++)
    y.of[k] = blend<In, Out> (y0.of[k], y1.of[k]);
  *reinterpret_cast<Outs *> (out + (int64_t) i * 8) = y;
}

/* ---- recordings ---- */

static float
joint_angle (int64_t i)
{
  const double seconds = (double) (i / CHANNELS % ROWS) * 1e-3, phase = (double) (i % CHANNELS);

  return (float) (2.5 * sin (6.28 * 0.5 * seconds + phase) + 1e-3 * uniform ());
}

/* A tenth of all rows are in an impact of up to 500 N. */
static float
force (int64_t i)
{
  const int64_t row = i / CHANNELS % ROWS;

  return (float) (5.0 * sin (6.28e-3 * (double) row) + (row % 200 < 20 ? 500.0 * exp (-(double) (row % 200) / 5) : 0) + 0.05 * uniform ());
}

static const struct
{
  const char *name, *unit;
  float (*value) (int64_t i);
} recordings[] = { {"joint angles", "rad", joint_angle}, {"forces with impacts", "N", force} };

/* ---- measurements ---- */

template <typename In, typename Out>
static void
measure (Lab *all, const float *exact, int recording, const char *in_name, const char *out_name)
{
  In *stored = static_cast<In *> (malloc (IN * sizeof (In))), *rows[MAX_COPIES];
  Out *outs[MAX_COPIES], *result;
  const int64_t bytes = IN * (int64_t) sizeof (In) + (int64_t) N * (int64_t) sizeof (Out);
  const int n = copies_for (*all, bytes);
  double squares = 0, most = 0;
  bool same = true;
  BenchSpread us;

  for (int64_t i = 0; i < IN; i++)
    stored[i] = (In) exact[i];
  for (int i = 0; i < n; i++) {
    rows[i] = upload (stored, IN);
    outs[i] = upload<Out> (nullptr, N);
  }
  us = time_runs (*all, n, [&] (int copy) {
      interpolate<In, Out><<<N / 8 / THREADS, THREADS, 0, all->stream>>> (rows[copy], outs[copy]);
  });
  result = download (outs[n - 1], N);
  for (int64_t i = 0; i < N; i++) {
    const int64_t tick = i / CHANNELS;
    const int64_t at = (tick / TICKS * ROWS + row_of ((int) (tick % TICKS))) * CHANNELS + i % CHANNELS;
    const Out expected = blend<In, Out> (stored[at], stored[at + CHANNELS]);
    const double truth = exact[at] + (double) WEIGHT * ((double) exact[at + CHANNELS] - exact[at]);
    const double error = fabs ((double) (float) result[i] - truth);

    same = same && memcmp (&result[i], &expected, sizeof (Out)) == 0;
    squares += error * error / N;
    most = fmax (most, error);
  }
  table_text (&all->table, recordings[recording].name);
  table_text (&all->table, in_name);
  table_text (&all->table, out_name);
  put_times (all, bytes, us);
  table_small (&all->table, sqrt (squares));
  table_small (&all->table, most);
  table_text (&all->table, recordings[recording].unit);
  put_checked (all, same);
  for (int i = 0; i < n; i++) {
    cudaFree (rows[i]);
    cudaFree (outs[i]);
  }
  free (result);
  free (stored);
}

int
main (int argc, char **argv)
{
  float *exact = static_cast<float *> (malloc (IN * sizeof (float)));
  Lab all;

  if (!open (&all, argc, argv, 8, false, "rows,stored_as,out_as,must_move_bytes,median_us,p95_us,achieved_gbps,error_rms,error_max,unit,checked"))
    return 0;
  for (int k = 0; k < 2; k++) {
    for (int64_t i = 0; i < IN; i++)
      exact[i] = recordings[k].value (i);
    measure<float, float> (&all, exact, k, "float32", "float32");
    measure<__half, float> (&all, exact, k, "float16", "float32");
    measure<__half, __half> (&all, exact, k, "float16", "float16");
    measure<__nv_bfloat16, float> (&all, exact, k, "bfloat16", "float32");
    measure<__nv_bfloat16, __nv_bfloat16> (&all, exact, k, "bfloat16", "bfloat16");
  }
  free (exact);
  return close (&all);
}
