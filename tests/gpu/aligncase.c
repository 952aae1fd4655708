/* robocache: a random alignment of many streams, run on the CPU and on the GPU
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "aligncase.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define MS INT64_C (1000000)

/* ---- random numbers: splitmix64 ---- */

uint64_t
case_random (AlignCase *c)
{
  uint64_t z = c->state += UINT64_C (0x9E3779B97F4A7C15);

  z = (z ^ z >> 30) * UINT64_C (0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C (0x94D049BB133111EB);
  return z ^ z >> 31;
}

int64_t
case_range (AlignCase *c, int64_t low, int64_t high)
{
  return low + (int64_t) (case_random (c) % (uint64_t) (high - low + 1));
}

static int
one_in (AlignCase *c, int n)
{
  return case_random (c) % (uint64_t) n == 0;
}

/* ---- specs ---- */

static void
choose_special (AlignCase *c, int i)
{
  RcAlignStreamSpec *spec = &c->specs[i];
  int64_t k;

  spec->quaternions = c->lists[i][0];
  spec->angles = c->lists[i][1];
  spec->velocities = c->lists[i][2];
  if (spec->search.interpolation == RC_HERMITE) {
    spec->n_velocities = case_range (c, 0, spec->channels < 12 ? spec->channels : 12);
    for (k = 0; k < spec->n_velocities; k++)
      c->lists[i][2][k] = (int32_t) case_range (c, 0, spec->channels - 1);
  }
  if (one_in (c, 2))
    return;
  if (spec->channels >= 4)
    c->lists[i][0][spec->n_quaternions++] = (int32_t) case_range (c, 0, spec->channels - 4);
  for (k = 0; k < 6; k++) {
    const int32_t channel = (int32_t) case_range (c, 0, spec->channels - 1), q = c->lists[i][0][0];

    if (spec->n_quaternions == 0 || channel < q || channel >= q + 4)
      if (spec->n_angles < spec->channels)
        c->lists[i][1][spec->n_angles++] = channel;
  }
}

/* Positions with their rates after them in one run, and quaternions at multiples of 4. */
static void
choose_together (AlignCase *c, int i)
{
  RcAlignStreamSpec *spec = &c->specs[i];
  const int64_t groups = spec->channels / 4;
  int64_t k;

  spec->quaternions = c->lists[i][0];
  spec->velocities = c->lists[i][2];
  if (spec->search.interpolation == RC_HERMITE && groups >= 2) {
    spec->n_velocities = 4 * case_range (c, 1, groups / 2 < 4 ? groups / 2 : 4);
    for (k = 0; k < spec->n_velocities; k++)
      c->lists[i][2][k] = (int32_t) (spec->n_velocities + k);
    return;
  }
  for (k = 0; k < groups && spec->n_quaternions < 16; k++) {
    if (one_in (c, 2))
      c->lists[i][0][spec->n_quaternions++] = (int32_t) (4 * k);
  }
}

static void
choose_spec (AlignCase *c, const CaseWish *wish, int i)
{
  static const int64_t gaps[] = { -1, 15 * MS, 25 * MS, 0 }, holds[] = { 0, -1, 10 * MS };
  RcAlignStreamSpec *spec = &c->specs[i];

  spec->in = wish->in == ANY_DTYPE ? (RcDtype) case_range (c, 0, RC_N_DTYPES - 1) : wish->in;
  spec->out = wish->out == ANY_DTYPE ? (RcDtype) case_range (c, 0, RC_N_DTYPES - 1) : wish->out;
  spec->channels = wish->channels;
  if (wish->channels == RANDOM_SIZE)
    spec->channels = one_in (c, 8) ? case_range (c, 65, 1024) : one_in (c, 2) ? 8 * case_range (c, 1, 16)
        : case_range (c, 1, 41);
  spec->search.interpolation = (RcInterpolation) (wish->interpolation == ANY_INTERPOLATION
      ? case_range (c, 0, RC_MEAN) : wish->interpolation);
  spec->search.max_gap_ns = wish->plain ? -1 : gaps[case_range (c, 0, 3)];
  spec->search.hold_limit_ns = wish->plain ? 0 : holds[case_range (c, 0, 2)];
  spec->search.period_ns = case_range (c, 0, 30 * MS);
  if (wish->together)
    choose_together (c, i);
  else if (!wish->plain)
    choose_special (c, i);
}

/* ---- times ---- */

/* A search for the last of them goes astray at those that are far ahead. */
static void
end_badly (AlignCase *c, int64_t *times, int64_t n)
{
  int64_t i;

  for (i = case_range (c, 1, 3); i > 0 && n > 100; i--)
    times[case_range (c, n - 100, n - 2)] += 10000 * MS;
}

/* Irregular, with holes, and unless plain with equal ones; seldom at the ends of int64; seldom disordered. */
static void
fill_times (AlignCase *c, int64_t *times, int64_t n, int plain)
{
  int64_t t = case_range (c, -1000, 1000) * MS, i;

  for (i = 0; i < n; i++) {
    times[i] = t;
    if (!plain && one_in (c, 5))
      continue;
    t += case_range (c, 1, 20 * MS);
    if (one_in (c, 12))
      t += case_range (c, 60, 80) * MS;
  }
  if (plain || n < 2)
    return;
  if (one_in (c, 20))
    times[0] = INT64_MIN;
  if (one_in (c, 20))
    times[n - 1] = INT64_MAX;
  if (one_in (c, 12))
    times[case_range (c, 1, n - 1)] = times[0] - (times[0] > INT64_MIN);
  else if (one_in (c, 12))
    for (i = n / 3; i < n; i++)
      times[i] = times[n / 3];
}

static void
fill_ticks (AlignCase *c, int64_t *ticks, int64_t n, const int64_t *times, int64_t n_rows, int plain)
{
  const int64_t first = n_rows > 0 ? times[n_rows / 8] : 0;
  const int64_t last = n_rows > 0 ? times[n_rows - 1 - n_rows / 8] : 100 * MS;
  const int64_t span = last > first && (uint64_t) last - (uint64_t) first < (UINT64_C (1) << 62) ? last - first : 1;
  int64_t k;

  for (k = 0; k < n; k++) {
    if (plain)
      ticks[k] = first + (int64_t) ((double) span * (double) k / (double) n);
    else if (one_in (c, 6) && n_rows > 0)
      ticks[k] = times[case_range (c, 0, n_rows - 1)];
    else
      ticks[k] = (int64_t) ((uint64_t) first + (uint64_t) case_range (c, -span / 4, span + span / 4));
  }
  if (!plain && n > 0 && one_in (c, 10))
    ticks[case_range (c, 0, n - 1)] = one_in (c, 2) ? INT64_MIN : INT64_MAX;
}

static void
fill_ending (AlignCase *c, int64_t *ticks, int64_t n, const int64_t *times, int64_t n_rows)
{
  int64_t k;

  for (k = 0; k < n; k++)
    ticks[k] = times[n_rows - 1] - case_range (c, 0, MS);
}

/* ---- rows ---- */

static uint16_t
float16_of (double x)
{
  return (uint16_t) (x < 0 ? 0x8000 : 0) | (uint16_t) (0x3000 + (int) (fabs (x) * 0x1000) % 0x1800);
}

static void
put_element (RcDtype dtype, uint8_t *at, double x)
{
  const float f = (float) x;
  const uint16_t half = float16_of (x);
  uint64_t bits;

  memcpy (&bits, &x, 8);
  switch (dtype) {
    case RC_FLOAT64:
      memcpy (at, &x, 8);
      break;
    case RC_FLOAT32:
      memcpy (at, &f, 4);
      break;
    case RC_BFLOAT16:
      memcpy (at, (const uint8_t *) &f + 2, 2);
      break;
    case RC_FLOAT16:
      memcpy (at, &half, 2);
      break;
    default:
      bits = (uint64_t) (int64_t) (x * 1000);
      memcpy (at, &bits, rc_dtype_size (dtype));
      break;
  }
}

typedef enum
{
  NUMBERS,
  TINY,                         /* denormal, or nearly */
  BITS,                         /* of every kind */
  MIXED                         /* numbers, now and then any bits */
} Filling;

static void
fill_row (AlignCase *c, RcDtype dtype, uint8_t *row, int64_t channels, Filling filling)
{
  const int64_t size = (int64_t) rc_dtype_size (dtype);
  int64_t i;

  for (i = 0; i < channels; i++) {
    const uint64_t bits = case_random (c);

    if (filling == BITS || (filling == MIXED && bits % 11 == 0)) {
      const uint64_t other = case_random (c);

      memcpy (row + i * size, &other, (size_t) size);
    } else {
      put_element (dtype, row + i * size, ((double) (bits >> 11) * 0x1p-52 - 1.0)
          * (filling == TINY ? dtype == RC_FLOAT64 ? 1e-307 : 1e-38 : 4.0));
    }
  }
}

/* Rows at any address and distance; 0: no room. */
static int
make_rows (AlignCase *c, const CaseWish *wish, int i, int64_t rows, Arena *arena)
{
  const RcAlignStreamSpec *spec = &c->specs[i];
  RcAlignStreamArgs *args = &c->streams[i];
  const int64_t size = (int64_t) rc_dtype_size (spec->in), row = spec->channels * size;
  const int loose = !wish->plain && one_in (c, 3), shared = wish->share || (!wish->plain && one_in (c, 8));
  const Filling filling = wish->plain ? MIXED : (Filling) case_range (c, NUMBERS, MIXED);
  uint8_t *data;
  int64_t e, k;

  args->n_rows = rows;
  args->row_stride = row + (loose ? case_range (c, 0, 9) : wish->plain ? 0 : size * case_range (c, 0, 3));
  args->batch_stride = shared ? 0 : rows * args->row_stride + (loose ? case_range (c, 0, 9) : 0) + row;
  data = arena_take (arena, (shared ? 1 : c->args.batch) * (rows * args->row_stride + row + 16), loose
      ? case_range (c, 1, 17) : 0);
  if (data == NULL)
    return 0;
  for (e = 0; e < (shared ? 1 : c->args.batch); e++) {
    for (k = 0; k < rows; k++)
      fill_row (c, spec->in, data + e * args->batch_stride + k * args->row_stride, spec->channels, filling);
  }
  args->rows = data;
  return 1;
}

static int
make_times (AlignCase *c, const CaseWish *wish, int i, Arena *arena)
{
  RcAlignStreamArgs *args = &c->streams[i];
  const int shared = wish->share || (!wish->plain && one_in (c, 8));
  const int64_t lists = shared ? 1 : c->args.batch, apart = args->n_rows + (wish->plain ? 0 : case_range (c, 0, 2));
  int64_t *times = arena_take (arena, (lists * apart + 1) * 8, 0), *counts, e;

  if (times == NULL)
    return 0;
  args->times = times;
  args->times_batch_stride = shared ? 0 : apart * 8;
  for (e = 0; e < lists; e++) {
    fill_times (c, times + e * apart, args->n_rows, wish->plain || wish->ends_badly);
    if (wish->ends_badly)
      end_badly (c, times + e * apart, args->n_rows);
  }
  if (wish->plain || one_in (c, 2))
    return 1;
  counts = arena_take (arena, (c->args.batch + 1) * 8, 0);
  if (counts == NULL)
    return 0;
  args->row_counts = counts;
  for (e = 0; e < c->args.batch; e++)
    counts[e] = one_in (c, 15) ? (one_in (c, 2) ? -1 : args->n_rows + 1) : one_in (c, 2) ? args->n_rows
        : case_range (c, 0, args->n_rows);
  return 1;
}

/* The same search, done beforehand, in place of the times. */
static int
make_brackets (AlignCase *c, int i, Arena *arena)
{
  RcAlignStreamArgs *args = &c->streams[i];
  RcBracket *brackets = arena_take (arena, (c->args.ticks + 1) * (int64_t) sizeof (RcBracket), 0);
  int64_t k;

  if (brackets == NULL)
    return 0;
  for (k = 1; k < args->n_rows; k++) {
    if (args->times[k] < args->times[k - 1])
      return 1;                 /* disordered: only the run itself finds that */
  }
  for (k = 0; k < c->args.ticks; k++)
    brackets[k] = args->n_rows == 0 ? rc_bracket_none ()
        : rc_bracket_find (&c->specs[i].search, args->times, args->n_rows, c->args.tick_times[k]);
  args->brackets = brackets;
  args->times = NULL;
  args->row_counts = NULL;
  return 1;
}

static int
make_out (AlignCase *c, const CaseWish *wish, int i, Arena *arena)
{
  const RcAlignStreamSpec *spec = &c->specs[i];
  RcAlignStreamArgs *args = &c->streams[i];
  const int64_t size = (int64_t) rc_dtype_size (spec->out), row = spec->channels * size;
  const int loose = !wish->plain && one_in (c, 3), ticks_outside = !wish->plain && one_in (c, 6);
  const int64_t padding = loose ? case_range (c, 0, 9) : wish->plain ? 0 : size * case_range (c, 0, 3);
  int64_t *inner = ticks_outside ? &args->out_batch_stride : &args->out_row_stride;
  int64_t *outer = ticks_outside ? &args->out_row_stride : &args->out_batch_stride;
  const int64_t n_inner = ticks_outside ? c->args.batch : c->args.ticks;
  const int64_t n_outer = ticks_outside ? c->args.ticks : c->args.batch;

  *inner = row + padding;
  *outer = n_inner * *inner + padding + row;
  args->out = arena_take (arena, n_outer * *outer + row + 16, loose ? case_range (c, 1, 17) : 0);
  if (args->out == NULL)
    return 0;
  args->status_batch_stride = c->args.ticks + (wish->plain ? 0 : case_range (c, 0, 3));
  if (wish->plain || !one_in (c, 6))
    args->status = arena_take (arena, c->args.batch * args->status_batch_stride + 1, 0);
  if (wish->plain || !one_in (c, 6)) {
    args->counters = arena_take (arena, sizeof (RcAlignCounters), 0);
    if (args->counters == NULL)
      return 0;
    memset (args->counters, 0, sizeof (*args->counters));
  }
  return 1;
}

static int64_t
wished (AlignCase *c, int64_t wish, int64_t least, int64_t most)
{
  return wish == RANDOM_SIZE ? case_range (c, least, most) : wish;
}

/* Times of ticks fit those of the first stream. */
static int
make_ticks (AlignCase *c, const CaseWish *wish, Arena *arena)
{
  const RcAlignStreamArgs *first = &c->streams[0];
  const int shared = wish->share || (!wish->plain && one_in (c, 6));
  int64_t *ticks = arena_take (arena, ((shared ? 1 : c->args.batch) * c->args.ticks + 1) * 8, 0), e;

  if (ticks == NULL)
    return 0;
  c->args.tick_times = ticks;
  c->args.tick_times_batch_stride = shared ? 0 : c->args.ticks * 8;
  for (e = 0; e < (shared ? 1 : c->args.batch); e++) {
    const int64_t *times = first->times + (first->times_batch_stride / 8) * e;

    if (wish->ends_badly)
      fill_ending (c, ticks + e * c->args.ticks, c->args.ticks, times, first->n_rows);
    else
      fill_ticks (c, ticks + e * c->args.ticks, c->args.ticks, times, first->n_rows, wish->plain);
  }
  return 1;
}

int
case_make (AlignCase *c, const CaseWish *wish, uint64_t seed, Arena *arena)
{
  int i;

  memset (c, 0, sizeof (*c));
  arena_clear (arena);
  c->seed = c->state = seed;
  c->spec.streams = c->specs;
  c->spec.n_streams = wish->n_streams;
  c->args.streams = c->streams;
  c->args.batch = wished (c, wish->batch, 1, one_in (c, 8) ? 9 : 3);
  c->args.ticks = wished (c, wish->ticks, one_in (c, 10) ? 0 : 1, one_in (c, 4) ? 200 : 40);
  for (i = 0; i < wish->n_streams; i++) {
    const int64_t rows = wished (c, wish->rows, 0, one_in (c, 4) ? 150 : 40);

    choose_spec (c, wish, i);
    if (!make_rows (c, wish, i, rows, arena) || !make_times (c, wish, i, arena))
      return 0;
  }
  if (!make_ticks (c, wish, arena))
    return 0;
  for (i = 0; i < wish->n_streams; i++) {
    if (!make_out (c, wish, i, arena))
      return 0;
    if (!wish->plain && c->args.batch == 1 && one_in (c, 4) && !make_brackets (c, i, arena))
      return 0;
    if (!wish->plain && one_in (c, 20))
      c->streams[i].rows = NULL;
  }
  return 1;
}

const char *
case_text (const AlignCase *c)
{
  static __thread char text[512];
  const RcAlignStreamSpec *spec = &c->specs[0];
  const RcAlignStreamArgs *args = &c->streams[0];

  snprintf (text, sizeof (text), "seed %" PRIu64 ": %" PRId64 " streams, batch %" PRId64 ", %" PRId64 " ticks; first: "
      "%s to %s, %" PRId64 " rows, %" PRId64 " channels, interpolation %d, %s, rows %% 16 = %d, stride %" PRId64
      ", out %% 16 = %d, stride %" PRId64, c->seed, c->spec.n_streams, c->args.batch, c->args.ticks,
      rc_dtype_name (spec->in), rc_dtype_name (spec->out), args->n_rows, spec->channels, spec->search.interpolation,
      args->rows == NULL ? "absent" : args->brackets ? "brackets" : "times", (int) ((uintptr_t) args->rows % 16),
      args->row_stride, (int) ((uintptr_t) args->out % 16), args->out_row_stride);
  return text;
}

/* ---- running ---- */

void
case_run_cpu (const AlignCase *c, RcBackend *cpu, Test *test)
{
  RcAlignPlan *plan = NULL;
  RcError error;

  if (rc_align_plan (cpu, &c->spec, &plan, NULL, &error) != RC_OK
      || rc_align_run (plan, &c->args, NULL, &error) != RC_OK)
    test_fail (test, "CPU: %s (%s)", error.message, case_text (c));
  rc_align_plan_free (plan);
}

int
case_to_device (const AlignCase *c, Arena *arena, const Gpu *gpu, DeviceCase *device, Test *test)
{
  RcFootprint footprint;
  RcError error;
  int64_t i;

  memset (device, 0, sizeof (*device));
  if (!arena_upload (arena, gpu->stream)) {
    test_fail (test, "upload: %s (%s)", cudaGetErrorString (cudaGetLastError ()), case_text (c));
    return 0;
  }
  if (rc_align_plan (gpu->backend, &c->spec, &device->plan, &footprint, &error) != RC_OK) {
    test_fail (test, "plan: %s (%s)", error.message, case_text (c));
    return 0;
  }
  memcpy (device->streams, c->streams, sizeof (device->streams));
  for (i = 0; i < c->spec.n_streams; i++) {
    RcAlignStreamArgs *s = &device->streams[i];

    s->rows = arena_on_device (arena, s->rows);
    s->brackets = arena_on_device (arena, s->brackets);
    s->times = arena_on_device (arena, s->times);
    s->row_counts = arena_on_device (arena, s->row_counts);
    s->out = arena_on_device (arena, s->out);
    s->status = arena_on_device (arena, s->status);
    s->counters = arena_on_device (arena, s->counters);
  }
  device->args = c->args;
  device->args.streams = device->streams;
  device->args.tick_times = arena_on_device (arena, c->args.tick_times);
  if (cudaMalloc (&device->scratch, footprint.scratch_bytes) != cudaSuccess) {
    test_fail (test, "no memory for scratch");
    return 0;
  }
  device->args.scratch = device->scratch;
  return 1;
}

void
case_leave_device (DeviceCase *device)
{
  rc_align_plan_free (device->plan);
  cudaFree (device->scratch);
}

/* Which part of the case a byte of the arena is in. */
static const char *
part_at (const AlignCase *c, const uint8_t *p, int64_t *stream)
{
  int64_t i;

  for (i = 0; i < c->spec.n_streams; i++) {
    const RcAlignStreamArgs *s = &c->streams[i];
    const uint8_t *out = s->out, *status = s->status, *counters = (const uint8_t *) s->counters;

    *stream = i;
    if (p >= out && (status == NULL || p < status) && (counters == NULL || p < counters)
        && (i + 1 == c->spec.n_streams || p < (const uint8_t *) c->streams[i + 1].out))
      return "out";
    if (status != NULL && p >= status && p < status + c->args.batch * s->status_batch_stride)
      return "status";
    if (counters != NULL && p >= counters && p < counters + sizeof (*s->counters))
      return "counters";
  }
  return "an input";
}

void
case_compare (const AlignCase *c, Arena *arena, const Gpu *gpu, Test *test)
{
  const uint8_t *at;
  uint8_t here, there;
  int64_t stream = 0;
  const char *part;

  if (!arena_download (arena, gpu->stream)) {
    test_fail (test, "download: %s (%s)", cudaGetErrorString (cudaGetLastError ()), case_text (c));
    return;
  }
  at = arena_difference (arena, &here, &there);
  if (at == NULL)
    return;
  part = part_at (c, at, &stream);
  test_fail (test, "a byte of %s of stream %" PRId64 " (%s to %s, %" PRId64 " channels, interpolation %d) is %02x on the "
      "CPU and %02x on the GPU; %s", part, stream, rc_dtype_name (c->specs[stream].in),
      rc_dtype_name (c->specs[stream].out), c->specs[stream].channels, c->specs[stream].search.interpolation, here,
      there, case_text (c));
}

void
case_check (const AlignCase *c, Arena *arena, const Gpu *gpu, RcBackend *cpu, Test *test)
{
  DeviceCase device;
  RcError error;

  if (case_to_device (c, arena, gpu, &device, test)) {
    if (rc_align_run (device.plan, &device.args, gpu->stream, &error) != RC_OK)
      test_fail (test, "GPU: %s (%s)", error.message, case_text (c));
    case_run_cpu (c, cpu, test);
    case_compare (c, arena, gpu, test);
  }
  case_leave_device (&device);
}
