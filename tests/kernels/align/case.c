/* robocache: a random alignment of many streams, run on every backend
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "case.h"

#include <inttypes.h>
#include <stdlib.h>

#include "oracle.h"
#include "tests/kernels/random.h"

#define MS INT64_C (1000000)

/* A run adds to its counters. */
static const RcAlignCounters counters_before = { 5, 6, 7, 8 };

/* ---- specs ---- */

static void
choose_special (AlignCase *c, int i)
{
  RcAlignStreamSpec *spec = &c->specs[i];

  spec->quaternions = c->lists[i][0];
  spec->angles = c->lists[i][1];
  spec->velocities = c->lists[i][2];
  if (spec->search.interpolation == RC_HERMITE) {
    spec->n_velocities = random_between (&c->random, 0, spec->channels < 12 ? spec->channels : 12);
    for (int64_t k = 0; k < spec->n_velocities; k++)
      c->lists[i][2][k] = (int32_t) random_between (&c->random, 0, spec->channels - 1);
  }
  if (random_one_in (&c->random, 2))
    return;
  if (spec->channels >= 4)
    c->lists[i][0][spec->n_quaternions++] = (int32_t) random_between (&c->random, 0, spec->channels - 4);
  for (int64_t k = 0; k < 6; k++) {
    const int32_t channel = (int32_t) random_between (&c->random, 0, spec->channels - 1), q = c->lists[i][0][0];

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

  spec->quaternions = c->lists[i][0];
  spec->velocities = c->lists[i][2];
  if (spec->search.interpolation == RC_HERMITE && groups >= 2) {
    spec->n_velocities = 4 * random_between (&c->random, 1, groups / 2 < 4 ? groups / 2 : 4);
    for (int64_t k = 0; k < spec->n_velocities; k++)
      c->lists[i][2][k] = (int32_t) (spec->n_velocities + k);
    return;
  }
  for (int64_t k = 0; k < groups && spec->n_quaternions < 16; k++) {
    if (random_one_in (&c->random, 2))
      c->lists[i][0][spec->n_quaternions++] = (int32_t) (4 * k);
  }
}

static int
is_rotation (const RcAlignStreamSpec *spec, int32_t channel)
{
  int is = 0;

  for (int64_t k = 0; k < spec->n_quaternions; k++)
    is |= channel >= spec->quaternions[k] && channel < spec->quaternions[k] + 4;
  for (int64_t k = 0; k < spec->n_angles; k++)
    is |= channel == spec->angles[k];
  return is;
}

/* Of any other channels, rates and positions among them. */
static void
choose_holds (AlignCase *c, int i)
{
  RcAlignStreamSpec *spec = &c->specs[i];
  const int64_t most = spec->channels < 16 ? spec->channels : 16;

  spec->holds = c->lists[i][3];
  for (int64_t n = random_between (&c->random, 1, most); n > 0; n--) {
    const int32_t channel = (int32_t) random_between (&c->random, 0, spec->channels - 1);

    if (!is_rotation (spec, channel))
      c->lists[i][3][spec->n_holds++] = channel;
  }
  spec->search.has_holds = spec->n_holds > 0;
}

static void
choose_spec (AlignCase *c, const AlignWish *wish, int i)
{
  static const int64_t gaps[] = { -1, 15 * MS, 25 * MS, 0, RC_GAP_AUTO }, holds[] = { 0, -1, 10 * MS };
  static const int64_t dense_gaps[] = { -1, 60 * MS, RC_GAP_AUTO };
  RcAlignStreamSpec *spec = &c->specs[i];

  spec->in = wish->in == ANY_DTYPE ? (RcDtype) random_between (&c->random, 0, RC_N_DTYPES - 1) : wish->in;
  spec->out = wish->out == ANY_DTYPE ? (RcDtype) random_between (&c->random, 0, RC_N_DTYPES - 1) : wish->out;
  spec->channels = wish->channels;
  if (wish->channels == RANDOM_SIZE)
    spec->channels = random_one_in (&c->random, 8) ? random_between (&c->random, 65, 1024) : random_one_in (&c->random, 2) ? 8 * random_between (&c->random, 1, 16)
        : random_between (&c->random, 1, 41);
  spec->search.interpolation = (RcInterpolation) (wish->interpolation == ANY_INTERPOLATION
      ? random_between (&c->random, 0, RC_LOWPASS) : wish->interpolation);
  spec->search.max_gap_ns = wish->plain ? -1 : gaps[random_between (&c->random, 0, 4)];
  spec->search.hold_limit_ns = wish->plain ? 0 : holds[random_between (&c->random, 0, 2)];
  spec->search.period_ns = random_between (&c->random, 0, 30 * MS);
  spec->search.lobes = (int32_t) random_between (&c->random, RC_MIN_LOBES, RC_MAX_LOBES);
  spec->search.cutoff_hz = random_one_in (&c->random, 2) ? 0 : random_real (&c->random, 5, 60);
  if (wish->dense)
    spec->search.max_gap_ns = dense_gaps[random_between (&c->random, 0, 2)];
  if (wish->together)
    choose_together (c, i);
  else if (!wish->plain)
    choose_special (c, i);
  if (!wish->plain && random_one_in (&c->random, 3))
    choose_holds (c, i);
}

/* ---- times ---- */

/* Irregular, with holes, and unless plain with equal ones; unless tame seldom at the ends of int64, and seldom disordered. */
static void
fill_times (AlignCase *c, int64_t *times, int64_t n, int plain)
{
  int64_t t = random_between (&c->random, -1000, 1000) * MS;

  for (int64_t i = 0; i < n; i++) {
    times[i] = t;
    if (!plain && random_one_in (&c->random, 5))
      continue;
    t += random_between (&c->random, c->is_tame ? MS : 1, 20 * MS);
    if (random_one_in (&c->random, c->is_dense ? 100 : 12))
      t += random_between (&c->random, 60, 80) * MS;
  }
  if (plain || c->is_tame || n < 2)
    return;
  if (random_one_in (&c->random, 20))
    times[0] = INT64_MIN;
  if (random_one_in (&c->random, 20))
    times[n - 1] = INT64_MAX;
  if (random_one_in (&c->random, 12))
    times[random_between (&c->random, 1, n - 1)] = times[0] - (times[0] > INT64_MIN);
  else if (random_one_in (&c->random, 12))
    for (int64_t i = n / 3; i < n; i++)
      times[i] = times[n / 3];
}

static int
compare_times (const void *a, const void *b)
{
  const int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;

  return (x > y) - (x < y);
}

/* In order, in reverse or in none. */
static void
order_ticks (AlignCase *c, int64_t *ticks, int64_t n)
{
  const int64_t order = random_between (&c->random, 0, 2);

  if (order > 0)
    qsort (ticks, (size_t) n, sizeof (*ticks), compare_times);
  for (int64_t k = 0; order == 2 && k < n / 2; k++) {
    const int64_t other = ticks[n - 1 - k];

    ticks[n - 1 - k] = ticks[k];
    ticks[k] = other;
  }
}

static void
fill_ticks (AlignCase *c, int64_t *ticks, int64_t n, const int64_t *times, int64_t n_rows, int plain)
{
  const int64_t first = n_rows > 0 ? times[n_rows / 8] : 0;
  const int64_t last = n_rows > 0 ? times[n_rows - 1 - n_rows / 8] : 100 * MS;
  const int64_t span = last > first && (uint64_t) last - (uint64_t) first < (UINT64_C (1) << 62) ? last - first : 1;

  for (int64_t k = 0; k < n; k++) {
    if (plain)
      ticks[k] = first + (int64_t) ((double) span * (double) k / (double) n);
    else if (random_one_in (&c->random, 6) && n_rows > 0)
      ticks[k] = times[random_between (&c->random, 0, n_rows - 1)];
    else
      ticks[k] = (int64_t) ((uint64_t) first + (uint64_t) random_between (&c->random, -span / 4, span + span / 4));
  }
  if (!plain && !c->is_tame && n > 0 && random_one_in (&c->random, 10)) {
    const int64_t end = random_one_in (&c->random, 2) ? INT64_MIN : INT64_MAX;

    ticks[random_between (&c->random, 0, n - 1)] = end;
  }
  if (!plain)
    order_ticks (c, ticks, n);
}

/* ---- rows ---- */

typedef enum
{
  NUMBERS,
  TINY,                         /* denormal, or nearly */
  BITS,                         /* of every kind */
  MIXED,                        /* numbers, now and then any bits */
  TAME                          /* numbers of one magnitude a channel */
} Filling;

/* Greatest magnitude of a tame channel: both dtypes hold it, and small multiples. */
static double
magnitude_of (const AlignCase *c, int i, int64_t channel)
{
  uint64_t random = c->seed + 1000 * (uint64_t) i + (uint64_t) channel;
  const RcAlignStreamSpec *spec = &c->specs[i];
  double magnitude = ldexp (1, (int) random_between (&random, -10, 10));

  if (!rc_dtype_is_float (spec->in))
    magnitude = fmin (100000.0, oracle_end_integer (spec->in) - 1);
  if (spec->in == RC_FLOAT16 || spec->out == RC_FLOAT16)
    magnitude = fmin (magnitude, 2000.0);
  for (int64_t k = 0; k < spec->n_angles; k++)
    magnitude = spec->angles[k] == channel ? c->has_rotations ? 300 : 10 : magnitude;
  for (int64_t k = 0; k < spec->n_quaternions; k++)
    if (channel >= spec->quaternions[k] && channel < spec->quaternions[k] + 4)
      magnitude = rc_dtype_is_float (spec->in) ? 1 : 100;
  return magnitude;
}

static void
fill_row (AlignCase *c, int i, uint8_t *row, Filling filling)
{
  const RcDtype dtype = c->specs[i].in;
  const int64_t size = (int64_t) rc_dtype_size (dtype);

  for (int64_t k = 0; k < c->specs[i].channels; k++) {
    const uint64_t bits = random_bits (&c->random);
    const double x = (double) (bits >> 11) * 0x1p-52 - 1.0;

    if (filling == BITS || (filling == MIXED && bits % 11 == 0)) {
      const uint64_t other = random_bits (&c->random);

      memcpy (row + k * size, &other, (size_t) size);
    } else {
      oracle_put (dtype, row + k * size, x * (filling == TAME ? magnitude_of (c, i, k)
              : filling == TINY ? dtype == RC_FLOAT64 ? 1e-307 : dtype == RC_FLOAT16 ? 1e-5 : 1e-38
              : rc_dtype_is_float (dtype) ? 4.0 : 4000.0));
    }
  }
}

/* A sensor's angle in the row after the one with this angle. */
static double
next_angle (AlignCase *c, int convention, RcDtype dtype, double angle)
{
  const double limits[] = { -ORACLE_PI, ORACLE_PI, 0, 2 * ORACLE_PI };
  const double reach = random_one_in (&c->random, 3) ? 3 : 0.1, step = random_real (&c->random, -reach, reach);

  if (convention < 2 && random_one_in (&c->random, 6))
    return oracle_stored (dtype, limits[2 * convention + (int) random_between (&c->random, 0, 1)]);
  if (random_one_in (&c->random, 8))
    return angle;
  angle += step;
  if (convention == 0)
    return oracle_wrap (angle);
  return convention == 1 ? angle - 2 * ORACLE_PI * floor (angle / (2 * ORACLE_PI)) : fmax (fmin (angle, 250), -250);
}

/* An orientation near the one of the row before, or seldom any, of either sign and about any length. */
static void
next_quaternion (AlignCase *c, double *q)
{
  const double spread = random_one_in (&c->random, 4) ? 2 : 0.2;
  double norm = 0;

  for (int k = 0; k < 4; k++) {
    q[k] += random_real (&c->random, -spread, spread);
    norm += q[k] * q[k];
  }
  for (int k = 0; k < 4; k++)
    q[k] /= sqrt (norm);
}

/* Replaces angles and quaternions of the n rows by what sensors send. */
static void
fill_rotations (AlignCase *c, int i, uint8_t *data, int64_t row_stride, int64_t n)
{
  const RcAlignStreamSpec *spec = &c->specs[i];
  const int64_t size = (int64_t) rc_dtype_size (spec->in);

  for (int64_t a = 0; a < spec->n_angles; a++) {
    const int convention = (int) random_between (&c->random, 0, 2);
    double angle = random_real (&c->random, 0, convention == 2 ? 100 : ORACLE_PI);

    for (int64_t k = 0; k < n; k++) {
      angle = next_angle (c, convention, spec->in, angle);
      oracle_put (spec->in, data + k * row_stride + spec->angles[a] * size, angle);
    }
  }
  for (int64_t a = 0; a < spec->n_quaternions; a++) {
    double q[4] = { 0.5, -0.5, 0.5, 0.5 };

    for (int64_t k = 0; k < n; k++) {
      const int sign = random_one_in (&c->random, 2) ? -1 : 1;
      const double scale = sign * random_real (&c->random, 0.9, 1);

      next_quaternion (c, q);
      for (int e = 0; e < 4; e++)
        oracle_put (spec->in, data + k * row_stride + (spec->quaternions[a] + e) * size, scale * q[e]);
    }
  }
}

/* Rows at any address and distance. */
static void
make_rows (AlignCase *c, const AlignWish *wish, int i, int64_t rows, Arena *arena)
{
  const RcAlignStreamSpec *spec = &c->specs[i];
  RcAlignStreamArgs *args = &c->streams[i];
  const int64_t size = (int64_t) rc_dtype_size (spec->in), row = spec->channels * size;
  const int loose = !wish->plain && random_one_in (&c->random, 3), shared = wish->share || (!wish->plain && random_one_in (&c->random, 8));
  const int episodes_inside = !wish->plain && !shared && random_one_in (&c->random, 6);    /* [rows, batch, channels] */
  const Filling filling = c->is_tame ? TAME : wish->plain ? MIXED : (Filling) random_between (&c->random, NUMBERS, MIXED);
  uint8_t *data;

  args->n_rows = rows;
  args->row_stride = row + (loose ? random_between (&c->random, 0, 9) : wish->plain ? 0 : size * random_between (&c->random, 0, 3));
  args->batch_stride = shared ? 0 : rows * args->row_stride + (loose ? random_between (&c->random, 0, 9) : 0) + row;
  data = arena_take (arena, "rows", (shared ? 1 : c->args.batch) * (rows * args->row_stride + row + 16), loose
      ? random_between (&c->random, 1, 17) : 0);
  if (episodes_inside) {
    args->batch_stride = args->row_stride;
    args->row_stride *= c->args.batch;
  }
  for (int64_t e = 0; e < (shared ? 1 : c->args.batch); e++) {
    for (int64_t k = 0; k < rows; k++)
      fill_row (c, i, data + e * args->batch_stride + k * args->row_stride, filling);
    if (wish->rotations)
      fill_rotations (c, i, data + e * args->batch_stride, args->row_stride, rows);
  }
  args->rows = data;
}

static void
make_times (AlignCase *c, const AlignWish *wish, int i, Arena *arena)
{
  RcAlignStreamArgs *args = &c->streams[i];
  const int shared = wish->share || (!wish->plain && random_one_in (&c->random, 8));
  const int64_t lists = shared ? 1 : c->args.batch, apart = args->n_rows + (wish->plain ? 0 : random_between (&c->random, 0, 2));
  int64_t *times = arena_take (arena, "times", (lists * apart + 1) * 8, 0), *counts;

  args->times = times;
  args->times_batch_stride = shared ? 0 : apart * 8;
  for (int64_t e = 0; e < lists; e++) {
    fill_times (c, times + e * apart, args->n_rows, wish->plain || wish->ends_badly);
    /* a search for the last of them goes astray at those that are far ahead */
    for (int64_t left = wish->ends_badly ? random_between (&c->random, 1, 3) : 0; left > 0 && args->n_rows > 100; left--)
      times[e * apart + random_between (&c->random, args->n_rows - 100, args->n_rows - 2)] += 10000 * MS;
  }
  if (wish->plain || random_one_in (&c->random, 2))
    return;
  counts = arena_take (arena, "row counts", (c->args.batch + 1) * 8, 0);
  args->row_counts = counts;
  for (int64_t e = 0; e < c->args.batch; e++)
    counts[e] = !c->is_tame && random_one_in (&c->random, 15) ? (random_one_in (&c->random, 2) ? -1 : args->n_rows + 1) : random_one_in (&c->random, 2) ? args->n_rows
        : random_between (&c->random, 0, args->n_rows);
}

static OracleRows oracle_rows (const AlignCase * c, int i, int64_t e, int *is_close_call);

/* Who finds brackets may also find which means are missing. */
static void
lose_scattered (AlignCase *c, int i, RcBracket *brackets)
{
  double *expected = calloc ((size_t) c->specs[i].channels, sizeof (*expected));
  int is_close_call = 0;
  OracleRows r = oracle_rows (c, i, 0, &is_close_call);

  for (int64_t k = 0; k < c->args.ticks; k++) {
    if (rc_bracket_is_sum (&brackets[k]) && oracle_sample (&r, c->args.tick_times[k], expected) == RC_MISSING && !is_close_call)
      brackets[k].status = RC_MISSING;
    is_close_call = 0;
  }
  free ((void *) r.t);
  free ((void *) r.y);
  free (expected);
}

/* The same search, done beforehand, in place of the times. A mean that skips rows of equal times needs their times. */
static void
make_brackets (AlignCase *c, int i, Arena *arena)
{
  RcAlignStreamArgs *args = &c->streams[i];
  RcBracket *brackets = arena_take (arena, "brackets", (c->args.ticks + 1) * (int64_t) sizeof (RcBracket), 0);
  int has_equal = 0;

  for (int64_t k = 1; k < args->n_rows; k++) {
    if (args->times[k] < args->times[k - 1])
      return;                   /* disordered: only the run itself finds that */
    has_equal |= args->times[k] == args->times[k - 1];
  }
  for (int64_t k = 0; k < c->args.ticks; k++)
    brackets[k] = args->n_rows == 0 ? rc_bracket_none ()
        : rc_bracket_find (&c->specs[i].search, args->times, args->n_rows, c->args.tick_times[k]);
  args->row_counts = NULL;
  c->searched[i] = *args;
  if (c->has_rotations && random_one_in (&c->random, 2))
    lose_scattered (c, i, brackets);
  args->brackets = brackets;
  if (c->specs[i].search.interpolation == RC_LOWPASS)
    return;                     /* its weights need the times */
  args->times = NULL;
  if (has_equal && c->specs[i].search.interpolation == RC_MEAN)
    c->searched[i] = *args;
}

static void
make_out (AlignCase *c, const AlignWish *wish, int i, Arena *arena)
{
  const RcAlignStreamSpec *spec = &c->specs[i];
  RcAlignStreamArgs *args = &c->streams[i];
  const int64_t size = (int64_t) rc_dtype_size (spec->out), row = spec->channels * size;
  const int loose = !wish->plain && random_one_in (&c->random, 3), ticks_outside = !wish->plain && random_one_in (&c->random, 6);
  const int64_t padding = loose ? random_between (&c->random, 0, 9) : wish->plain ? 0 : size * random_between (&c->random, 0, 3);
  int64_t *inner = ticks_outside ? &args->out_batch_stride : &args->out_row_stride;
  int64_t *outer = ticks_outside ? &args->out_row_stride : &args->out_batch_stride;
  const int64_t n_inner = ticks_outside ? c->args.batch : c->args.ticks;
  const int64_t n_outer = ticks_outside ? c->args.ticks : c->args.batch;

  *inner = row + padding;
  *outer = n_inner * *inner + padding + row;
  args->out = arena_take (arena, "out", n_outer * *outer + row + 16, loose ? random_between (&c->random, 1, 17) : 0);
  args->status_batch_stride = c->args.ticks + (wish->plain ? 0 : random_between (&c->random, 0, 3));
  if (wish->plain || !random_one_in (&c->random, 6))
    args->status = arena_take (arena, "status", c->args.batch * args->status_batch_stride + 1, 0);
  if (wish->plain || !random_one_in (&c->random, 6)) {
    args->counters = arena_take (arena, "counters", sizeof (RcAlignCounters), 0);
    *args->counters = counters_before;
  }
}

static int64_t
wished (AlignCase *c, int64_t wish, int64_t least, int64_t most)
{
  return wish == RANDOM_SIZE ? random_between (&c->random, least, most) : wish;
}

/* Times of ticks fit those of the first stream. */
static void
make_ticks (AlignCase *c, const AlignWish *wish, Arena *arena)
{
  const RcAlignStreamArgs *first = &c->streams[0];
  const int shared = wish->share || (!wish->plain && random_one_in (&c->random, 6));
  int64_t *ticks = arena_take (arena, "ticks", ((shared ? 1 : c->args.batch) * c->args.ticks + 1) * 8, 0);

  c->args.tick_times = ticks;
  c->args.tick_times_batch_stride = shared ? 0 : c->args.ticks * 8;
  for (int64_t e = 0; e < (shared ? 1 : c->args.batch); e++) {
    const int64_t *times = first->times + (first->times_batch_stride / 8) * e;

    for (int64_t k = 0; k < c->args.ticks && wish->ends_badly; k++)
      ticks[e * c->args.ticks + k] = times[first->n_rows - 1] - random_between (&c->random, 0, MS);
    if (!wish->ends_badly)
      fill_ticks (c, ticks + e * c->args.ticks, c->args.ticks, times, first->n_rows, wish->plain);
  }
}

void
align_case_make (AlignCase *c, const AlignWish *wish, uint64_t seed, Arena *arena)
{
  int64_t most_ticks;

  memset (c, 0, sizeof (*c));
  arena_clear (arena);
  c->seed = c->random = seed;
  c->has_rotations = wish->rotations;
  c->is_dense = wish->dense;
  c->is_tame = wish->tame || (!wish->plain && !wish->ends_badly && random_one_in (&c->random, 2));
  c->spec.streams = c->specs;
  c->spec.n_streams = wish->n_streams;
  c->args.streams = c->streams;
  c->args.batch = wished (c, wish->batch, 1, random_one_in (&c->random, 8) ? 9 : 3);
  most_ticks = random_one_in (&c->random, 4) ? 200 : 40;
  c->args.ticks = wished (c, wish->ticks, random_one_in (&c->random, 10) ? 0 : 1, most_ticks);
  for (int i = 0; i < wish->n_streams; i++) {
    const int64_t rows = wished (c, wish->rows, wish->dense ? 30 : 0, wish->dense || random_one_in (&c->random, 4) ? 150 : 40);

    choose_spec (c, wish, i);
    make_rows (c, wish, i, rows, arena);
    make_times (c, wish, i, arena);
  }
  make_ticks (c, wish, arena);
  for (int i = 0; i < wish->n_streams; i++) {
    make_out (c, wish, i, arena);
    c->searched[i] = c->streams[i];
    if (!wish->plain && c->args.batch == 1 && random_one_in (&c->random, 4))
      make_brackets (c, i, arena);
    if (!wish->plain && random_one_in (&c->random, 20))
      c->streams[i].rows = c->searched[i].rows = NULL;
  }
}

const char *
align_case_text (const AlignCase *c)
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

static int
plan_at (const AlignCase *c, const Place *place, RcAlignPlan **plan, RcFootprint *footprint, Test *test)
{
  RcError error;

  if (rc_align_plan (place->backend, &c->spec, plan, footprint, &error) != RC_OK)
    test_fail (test, "plan on %s: %s (%s)", place->name, error.message, align_case_text (c));
  return test_holds (test);
}

/* One tick of all episodes. */
static RcStatus
run_tick (const AlignCase *c, RcAlignPlan *plan, const RcAlignArgs *all, int64_t k, RcError *error)
{
  RcAlignStreamArgs streams[CASE_STREAMS];
  RcAlignArgs args = *all;

  memcpy (streams, all->streams, (size_t) c->spec.n_streams * sizeof (streams[0]));
  for (int64_t i = 0; i < c->spec.n_streams; i++) {
    streams[i].out = (uint8_t *) streams[i].out + k * streams[i].out_row_stride;
    streams[i].status = streams[i].status ? streams[i].status + k : NULL;
    streams[i].brackets = streams[i].brackets ? streams[i].brackets + k : NULL;
  }
  args.streams = streams;
  args.ticks = 1;
  args.tick_times += k;
  return rc_align_run (plan, &args, NULL, error);
}

/* The reference searches where others have brackets, and now and then computes tick by tick; of episodes in disorder it would
 * count each one at every tick. */
void
align_run_reference (const AlignCase *c, const Place *reference, Test *test)
{
  const int by_ticks = c->is_tame && c->args.batch == 1 && c->args.ticks > 0 && c->args.ticks < 64 && c->seed % 4 == 0;
  RcAlignArgs args = c->args;
  RcAlignPlan *plan = NULL;
  RcStatus status = RC_OK;
  RcError error;

  args.streams = c->searched;
  if (!plan_at (c, reference, &plan, NULL, test))
    return;
  if (!by_ticks)
    status = rc_align_run (plan, &args, NULL, &error);
  for (int64_t k = 0; by_ticks && k < c->args.ticks && status == RC_OK; k++)
    status = run_tick (c, plan, &args, k, &error);
  if (status != RC_OK)
    test_fail (test, "%s: %s (%s)", reference->name, error.message, align_case_text (c));
  rc_align_plan_free (plan);
}

int
align_place (const AlignCase *c, Arena *arena, const Place *place, PlacedAlign *placed, Test *test)
{
  RcFootprint footprint;

  memset (placed, 0, sizeof (*placed));
  placed->place = place;
  if (!arena_upload (arena, place, test) || !plan_at (c, place, &placed->plan, &footprint, test))
    return 0;
  memcpy (placed->streams, c->streams, sizeof (placed->streams));
  for (int64_t i = 0; i < c->spec.n_streams; i++) {
    RcAlignStreamArgs *s = &placed->streams[i];

    s->rows = arena_there (arena, place, s->rows);
    s->brackets = arena_there (arena, place, s->brackets);
    s->times = arena_there (arena, place, s->times);
    s->row_counts = arena_there (arena, place, s->row_counts);
    s->out = arena_there (arena, place, s->out);
    s->status = arena_there (arena, place, s->status);
    s->counters = arena_there (arena, place, s->counters);
  }
  placed->args = c->args;
  placed->args.streams = placed->streams;
  placed->args.tick_times = arena_there (arena, place, c->args.tick_times);
  placed->scratch = scratch_new (place, &footprint, 0, test);
  placed->args.scratch = placed->scratch.memory;
  return test_holds (test);
}

void
align_leave (PlacedAlign *placed, Test *test)
{
  if (placed->place == NULL)
    return;
  place_wait (placed->place, test);
  rc_align_plan_free (placed->plan);
  scratch_free (placed->place, &placed->scratch, test);
}

/* ---- the oracle ---- */

/* The rows of episode e as doubles; of equal times the last one. The caller frees t and y. */
static OracleRows
oracle_rows (const AlignCase *c, int i, int64_t e, int *is_close_call)
{
  const RcAlignStreamSpec *spec = &c->specs[i];
  const RcAlignStreamArgs *s = &c->searched[i];
  const int64_t n = s->rows == NULL ? 0 : s->row_counts ? s->row_counts[e] : s->n_rows;
  const int64_t *times = s->times + s->times_batch_stride / 8 * e;
  int64_t *t = calloc ((size_t) n + 1, sizeof (*t));
  double *y = calloc ((size_t) ((n + 1) * spec->channels), sizeof (*y));
  OracleRows r = { t, y, 0, spec, is_close_call };

  for (int64_t k = 0; k < n; k++) {
    const uint8_t *row = (const uint8_t *) s->rows + e * s->batch_stride + k * s->row_stride;

    if (r.n > 0 && t[r.n - 1] == times[k])
      r.n--;
    t[r.n] = times[k];
    for (int64_t ch = 0; ch < spec->channels; ch++)
      y[r.n * spec->channels + ch] = oracle_get (spec->in, row + ch * (int64_t) rc_dtype_size (spec->in));
    r.n++;
  }
  return r;
}

/* Whether an angle is, but for rounding, at a limit of a turn, where the oracle's may be at the other one. Limits are those of the
 * rows' dtype. */
static int
is_limit_of_turn (RcDtype in, RcDtype dtype, double angle)
{
  const double pi = oracle_stored (in, ORACLE_PI), two_pi = oracle_stored (in, 2 * ORACLE_PI);
  const double rounding = dtype == RC_FLOAT64 ? 1e-12 : dtype == RC_FLOAT32 ? 1e-6 : dtype == RC_FLOAT16 ? 0x1p-8 : 0x1p-5;

  return fmin (fabs (remainder (angle, ORACLE_PI)), fmin (fabs (fabs (angle) - pi), fabs (fabs (angle) - two_pi))) <= rounding;
}

static int
is_special (const RcAlignStreamSpec *spec, int64_t channel)
{
  int is = 0;

  for (int64_t k = 0; k < spec->n_angles; k++)
    is |= spec->angles[k] == channel;
  for (int64_t k = 0; k < spec->n_quaternions; k++)
    is |= channel >= spec->quaternions[k] && channel < spec->quaternions[k] + 4;
  return is;
}

static int
is_close (const AlignCase *c, int i, int64_t channel, double got, double expected)
{
  const RcAlignStreamSpec *spec = &c->specs[i];
  const double stored = oracle_stored (spec->out, expected);
  double off = fabs (got - expected), magnitude = magnitude_of (c, i, channel), tolerance;

  if (isnan (stored))
    return isnan (got);
  if (got == stored)
    return 1;
  if (!rc_dtype_is_float (spec->out))           /* a neighbour, where the oracle is about halfway */
    return fabs (got - stored) <= 1 && off <= 0.5 + 1e-9 * magnitude;
  for (int64_t k = 0; k < spec->n_angles; k++)
    if (spec->angles[k] == channel && is_limit_of_turn (spec->in, spec->out, got))
      off = is_limit_of_turn (spec->in, spec->out, expected) ? 0 : fmin (off, fabs (2 * ORACLE_PI - off));      /* neighbours */
  if (spec->search.interpolation == RC_HERMITE && channel < spec->n_velocities)
    magnitude += 0.1 * magnitude_of (c, i, spec->velocities[channel]);
  tolerance = spec->out == RC_FLOAT16 ? 0x1p-10 : spec->out == RC_BFLOAT16 ? 0x1p-8 : spec->out == RC_FLOAT64 ? 1e-12 : 1e-5;
  if (spec->search.interpolation == RC_CUBIC && !is_special (spec, channel))
    tolerance *= 100;           /* it overshoots beside holes */
  return off <= tolerance * fmax (magnitude, fabs (expected));
}

static void
check_row (const AlignCase *c, int i, const double *expected, int64_t e, int64_t k, Test *test)
{
  const RcAlignStreamSpec *spec = &c->specs[i];
  const RcAlignStreamArgs *s = &c->searched[i];
  const uint8_t *row = (const uint8_t *) s->out + e * s->out_batch_stride + k * s->out_row_stride;

  for (int64_t channel = 0; channel < spec->channels; channel++) {
    const double got = oracle_get (spec->out, row + channel * (int64_t) rc_dtype_size (spec->out));

    if (!is_close (c, i, channel, got, expected[channel]))
      test_fail (test, "stream %d, %s to %s, interpolation %d, episode %" PRId64 ", tick %" PRId64 ", channel %" PRId64 ": got "
          "%.17g, the oracle %.17g; %s", i, rc_dtype_name (spec->in), rc_dtype_name (spec->out),
          spec->search.interpolation, e, k, channel, got, expected[channel], align_case_text (c));
  }
}

static void
check_stream (const AlignCase *c, int i, Test *test)
{
  const RcAlignStreamArgs *s = &c->searched[i];
  double *expected = calloc ((size_t) c->specs[i].channels, sizeof (*expected));
  int64_t n[3] = { 0, 0, 0 };
  int close_calls = 0;

  for (int64_t e = 0; e < c->args.batch && test_holds (test); e++) {
    const int64_t *ticks = c->args.tick_times + c->args.tick_times_batch_stride / 8 * e;
    int is_close_call = 0;
    OracleRows r = oracle_rows (c, i, e, &is_close_call);

    for (int64_t k = 0; k < c->args.ticks && test_holds (test); k++) {
      const RcRowStatus status = oracle_sample (&r, ticks[k], expected);

      close_calls += is_close_call;
      if (is_close_call) {
        is_close_call = 0;
        continue;
      }
      n[status]++;
      if (s->status != NULL && s->status[e * s->status_batch_stride + k] != status)
        test_fail (test, "stream %d, tick at %" PRId64 ": status %d, the oracle %d; %s", i, ticks[k],
            s->status[e * s->status_batch_stride + k], (int) status, align_case_text (c));
      check_row (c, i, expected, e, k, test);
    }
    free ((void *) r.t);
    free ((void *) r.y);
  }
  free (expected);
  if (s->counters != NULL && test_holds (test) && close_calls == 0)
    test_expect (test, s->counters->aligned == counters_before.aligned + n[RC_ALIGNED]
        && s->counters->held == counters_before.held + n[RC_HELD] && s->counters->missing == counters_before.missing + n[RC_MISSING]
        && s->counters->disordered_episodes == counters_before.disordered_episodes, "counters of stream %d; %s", i,
        align_case_text (c));
}

/* Nothing but rows is written to the region of an output. */
static void
check_padding (const AlignCase *c, const Arena *arena, int i, Test *test)
{
  const RcAlignStreamArgs *s = &c->streams[i];
  const int64_t bytes = arena_bytes (arena, s->out), row = c->specs[i].channels * (int64_t) rc_dtype_size (c->specs[i].out);
  uint8_t *is_row = calloc (1, (size_t) bytes);

  for (int64_t e = 0; e < c->args.batch; e++) {
    for (int64_t k = 0; k < c->args.ticks; k++)
      memset (is_row + e * s->out_batch_stride + k * s->out_row_stride, 1, (size_t) row);
  }
  for (int64_t k = 0; k < bytes; k++)
    test_expect (test, is_row[k] || ((const uint8_t *) s->out)[k] == 0xA5, "byte %" PRId64 " past the rows of stream %d was "
        "written; %s", k, i, align_case_text (c));
  free (is_row);
}

void
align_case_check (const AlignCase *c, Arena *arena, const Place *reference, const Place *places, int n_places, Test *test)
{
  PlacedAlign *placed = calloc ((size_t) n_places, sizeof (*placed));
  RcError error;

  /* outputs are copied there before the reference writes them */
  for (int p = 0; p < n_places; p++) {
    if (align_place (c, arena, &places[p], &placed[p], test)) {
      CallerMode mode;
      RcStatus status;

      caller_mode_enter (&mode, &places[p], c->seed + (uint64_t) p);
      status = rc_align_run (placed[p].plan, &placed[p].args, places[p].stream, &error);
      caller_mode_leave (&mode, test);
      if (status != RC_OK)
        test_fail (test, "%s: %s (%s)", places[p].name, error.message, align_case_text (c));
    }
  }
  align_run_reference (c, reference, test);
  for (int i = 0; i < c->spec.n_streams && test_holds (test); i++) {
    if (c->is_tame && (c->searched[i].times != NULL || c->searched[i].rows == NULL))
      check_stream (c, i, test);
    check_padding (c, arena, i, test);
  }
  for (int p = 0; p < n_places; p++) {
    if (test_holds (test))
      arena_compare (arena, &places[p], align_case_text (c), test);
    align_leave (&placed[p], test);
  }
  free (placed);
}
