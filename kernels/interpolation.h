/* robocache: the rows around a tick, their weights and the status of the tick
 *
 * All weights are computed here. The elements use this code for their history of rows, the kernels for recorded episodes, on the CPU and on
 * the GPU. Times are int64 ns. Differences are computed in integers, then divided in double.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "arithmetic.h"
#include "shared.h"

typedef enum RcInterpolation
{
  RC_LINEAR,
  RC_NEAREST,                   /* an exact midpoint takes the earlier row */
  RC_PREVIOUS,                  /* needs no row after the tick */
  RC_CUBIC,                     /* Hermite cubic; tangents of the parabola through three rows, one-sided at an end or a gap */
  RC_HERMITE,                   /* Hermite cubic with measured rates as tangents, linear for the other channels */
  RC_MEAN,                      /* mean of the rows with T - period/2 <= t < T - period/2 + period; linear when there is no such row */
  RC_LOWPASS                    /* windowed sinc of the rows around T; if these do not cover the filter, the values of linear with status HELD */
} RcInterpolation;

typedef enum RcRowStatus
{
  RC_ALIGNED = 0,
  RC_HELD = 1,                  /* the newest row at or before the tick, repeated */
  RC_MISSING = 2                /* NaN, or 0 for integers; for a mean or lowpass possibly only in scattered quaternions (align.h) */
} RcRowStatus;

typedef struct RcSearch
{
  RcInterpolation interpolation;
  int64_t max_gap_ns;           /* a bracket wider than this is a gap; for RC_PREVIOUS the greatest age; -1: no limit; or RC_GAP_AUTO */
  int64_t hold_limit_ns;        /* greatest age of a row that is held if there is no bracket; 0: do not hold; -1: no limit */
  int64_t period_ns;            /* period of the ticks; used by RC_MEAN and RC_LOWPASS */
  double cutoff_hz;             /* RC_LOWPASS; 0: 0.4 times the rate of the ticks or of the rows, whichever is lower */
  int32_t lobes;                /* RC_LOWPASS: lobes on either side of the tick, RC_MIN_LOBES to RC_MAX_LOBES */
  int16_t ends_open;            /* RC_LOWPASS: the row after the filter's end may be missing, if the last row is at most one spacing before this end */
  int16_t has_holds;            /* brackets have the row of hold channels; a tick before the first row is MISSING, also with RC_MEAN */
} RcSearch;

typedef enum RcBlend
{
  RC_BLEND_NONE,                /* no row: MISSING */
  RC_BLEND_COPY,                /* row */
  RC_BLEND_LINEAR,              /* y + w (y[next] - y) */
  RC_BLEND_CUBIC,               /* y + c[0] (y[next] - y) + c[1] (y[before] - y) + c[2] (y[after] - y) */
  RC_BLEND_HERMITE,             /* positions: y + c[0] (y[next] - y) + c[1] rate + c[2] rate[next]; others linear */
  RC_BLEND_MEAN,                /* mean of the rows row … next - 1 */
  RC_BLEND_LOWPASS              /* sum of the rows row … next - 1, with the weights of rc_lowpass_weight */
} RcBlend;

/* The rows and weights of one tick of one stream. Row indices count from the first row of the array that was searched. */
typedef struct RcBracket
{
  int32_t blend;                /* RcBlend */
  int32_t status;               /* RcRowStatus */
  int64_t row;                  /* the last row before the tick, the copied row, or the first row of a mean or lowpass */
  int64_t next;                 /* the first row after the tick, or one past the last row of a mean or lowpass */
  int64_t before;               /* cubic: the row before row; row itself if its weight is 0. lowpass: the tick, ns */
  int64_t after;                /* cubic: the row after `next`, or `row` if that row has weight 0. lowpass: half the filter's width, ns */
  double w;                     /* (T - t[row]) / (t[next] - t[row]), in (0, 1); lowpass: the sum of the weights, ns */
  double c[3];                  /* see RcBlend; rates are per second. lowpass: lobes per ns, median spacing of rows in ns */
  int64_t hold;                 /* the newest row at or before the tick, for hold channels; `row` if the search has no hold channels */
} RcBracket;

/* As max_gap_ns: the limit is rc_gap_of_period of the median of the last RC_MAX_SPACINGS spacings up to the last row before the tick, or of
 * all spacings if there are fewer; RC_GAP_UNKNOWN with fewer than RC_MIN_SPACINGS. */
#define RC_GAP_AUTO (-2)
#define RC_GAP_PERIODS 8
#define RC_MIN_GAP INT64_C (20000000)   /* ns, like the next two */
#define RC_MAX_GAP INT64_C (1000000000)
#define RC_GAP_UNKNOWN INT64_C (200000000)
#define RC_MIN_SPACINGS 8

#define RC_MIN_LOBES 2
#define RC_DEFAULT_LOBES 4
#define RC_MAX_LOBES 8
#define RC_MIN_CUTOFF 1e-3      /* Hz */
#define RC_MAX_CUTOFF 1e6
#define RC_MAX_SPACINGS 64      /* spacings up to the tick, whose median is the spacing of rows */
/* If the weights sum up to less than this part of a whole filter, rows are too few or too far apart for the filter. */
#define RC_MIN_LOWPASS_PART 0.5

/* Whether the blend uses the rows row … next - 1. */
RC_SHARED int
rc_bracket_is_sum (const RcBracket * b)
{
  return b->blend == RC_BLEND_MEAN || b->blend == RC_BLEND_LOWPASS;
}

/* Whether such a sum may be missing, because no rotation represents scattered quaternions (RC_MIN_MEAN_NORM). */
RC_SHARED int
rc_bracket_is_scattered (const RcBracket * b)
{
  return rc_bracket_is_sum (b) && b->status == RC_MISSING;
}

/* First index of times[0 … n) (not decreasing) whose time is >= t; n without such a time. Each step is a selection, because half of all
 * branches would be mispredicted. */
RC_SHARED int64_t
rc_lower_bound (const int64_t * times, int64_t n, int64_t t)
{
  int64_t first = 0;

  RC_SHARED_LOOP
  while (n > 1) {
    const int64_t half = n / 2;

    first += times[first + half - 1] < t ? half : 0;
    n -= half;
  }
  return first + (n == 1 && times[first] < t);
}

/* First index whose time is > t; n without such a time. */
RC_SHARED int64_t
rc_upper_bound (const int64_t * times, int64_t n, int64_t t)
{
  return t == INT64_MAX ? n : rc_lower_bound (times, n, t + 1);
}

#define RC_NEAR INT64_C (8)     /* times that are compared around a guess */

/* rc_lower_bound from a guess, which may be any row. Close to the guess, it counts times, without a branch that could be mispredicted;
 * further away, it doubles the step. On a GPU, threads would wait for the thread with the worst guess, so every thread bisects. */
RC_SHARED int64_t
rc_lower_bound_near (const int64_t * times, int64_t n, int64_t guess, int64_t t)
{
#ifdef __CUDA_ARCH__
  return rc_lower_bound (times, n, t);
#else
  int64_t first = guess - RC_NEAR / 2, before = 0, step = RC_NEAR, i;

  if (n < RC_NEAR)
    return rc_lower_bound (times, n, t);
  first = first < n - RC_NEAR ? first : n - RC_NEAR;
  first = first > 0 ? first : 0;
  RC_SHARED_VECTORS
  for (i = 0; i < RC_NEAR; i++)
    before += times[first + i] < t;
  if (before == 0)
    return rc_lower_bound (times, first, t);
  first += before;
  if (before < RC_NEAR)
    return first;
  while (n - first > step && times[first + step - 1] < t) {
    first += step;
    step *= 2;
  }
  return first + rc_lower_bound (times + first, n - first < step ? n - first : step, t);
#endif
}

/* First index whose time is > t, from a guess. */
RC_SHARED int64_t
rc_upper_bound_near (const int64_t * times, int64_t n, int64_t guess, int64_t t)
{
  return t == INT64_MAX ? n : rc_lower_bound_near (times, n, guess, t + 1);
}

/* The last row with the time of row i; i if i is past the end. Usually this is row i. If a sensor's clock stood still, many rows have the
 * same time: the search then skips them in larger steps, but on a GPU, which has few registers, it goes row by row. */
RC_SHARED int64_t
rc_last_equal (const int64_t * times, int64_t n, int64_t i)
{
#ifdef __CUDA_ARCH__
  RC_SHARED_LOOP
  while (i + 1 < n && times[i + 1] == times[i])
    i++;
  return i;
#else
  return i + 1 < n && times[i + 1] == times[i] ? rc_upper_bound_near (times, n, i, times[i]) - 1 : i;
#endif
}

/* The last row before the time of row i; -1 without such a row. */
RC_SHARED int64_t
rc_last_before (const int64_t * times, int64_t i)
{
#ifdef __CUDA_ARCH__
  int64_t before = i - 1;

  RC_SHARED_LOOP
  while (before >= 0 && times[before] == times[i])
    before--;
  return before;
#else
  return i > 0 && times[i - 1] == times[i] ? rc_lower_bound_near (times, i, i, times[i]) - 1 : i - 1;
#endif
}

/* The last row at or before t, if first is rc_lower_bound of t; -1 without such a row. */
RC_SHARED int64_t
rc_last_until (const int64_t * times, int64_t n, int64_t first, int64_t t)
{
#ifdef __CUDA_ARCH__
  RC_SHARED_LOOP
  while (first < n && times[first] == t)
    first++;
  return first - 1;
#else
  return first < n && times[first] == t ? rc_last_equal (times, n, first) : first - 1;
#endif
}

/* later - earlier, for any two times in this order; never overflows. */
RC_SHARED uint64_t
rc_span (int64_t earlier, int64_t later)
{
  return (uint64_t) later - (uint64_t) earlier;
}

/* Whether a duration is within a limit; -1: no limit. */
RC_SHARED int
rc_within (uint64_t span, int64_t limit)
{
  return limit < 0 || span <= (uint64_t) limit;
}

/* The max-gap (ns) that RC_GAP_AUTO gives rows with this period (ns): RC_GAP_PERIODS periods, within RC_MIN_GAP and RC_MAX_GAP, at least two. */
RC_SHARED int64_t
rc_gap_of_period (int64_t period)
{
  const int64_t two = period < INT64_MAX / 2 ? 2 * period : INT64_MAX;
  int64_t gap = period < RC_MAX_GAP / RC_GAP_PERIODS ? RC_GAP_PERIODS * period : RC_MAX_GAP;

  gap = gap < RC_MIN_GAP ? RC_MIN_GAP : gap;
  return gap < two ? two : gap;
}

/* Whether a span is no gap. It lies beside row, the last row before the tick. With RC_GAP_AUTO, the spacings whose gap would be shorter are
 * counted, because a median takes far longer. */
RC_SHARED int
rc_within_gap (const RcSearch * search, const int64_t * times, int64_t row, uint64_t span)
{
  /* the shortest period whose gap is at least the span */
  const uint64_t period = span <= (uint64_t) RC_MAX_GAP ? (span + RC_GAP_PERIODS - 1) / RC_GAP_PERIODS : span - span / 2;
  int64_t before, n = 0, shorter = 0;

  if (search->max_gap_ns != RC_GAP_AUTO)
    return rc_within (span, search->max_gap_ns);
  if (span <= (uint64_t) RC_MIN_GAP)
    return 1;
  RC_SHARED_LOOP
  for (before = rc_last_before (times, row); before >= 0 && n < RC_MAX_SPACINGS; n++) {
    shorter += rc_span (times[before], times[row]) < period;
    row = before;
    before = rc_last_before (times, row);
  }
  return n < RC_MIN_SPACINGS ? span <= (uint64_t) RC_GAP_UNKNOWN : shorter <= n / 2;
}

RC_SHARED int64_t
rc_add_saturating (int64_t a, int64_t b)
{
  if (b > 0 && a > INT64_MAX - b)
    return INT64_MAX;
  if (b < 0 && a < INT64_MIN - b)
    return INT64_MIN;
  return a + b;
}

RC_SHARED int64_t
rc_subtract_saturating (int64_t a, int64_t b)
{
  if (b < 0 && a > INT64_MAX + b)
    return INT64_MAX;
  if (b > 0 && a < INT64_MIN + b)
    return INT64_MIN;
  return a - b;
}

/* First instant of the interval that RC_MEAN averages over, and the first instant after it. */
RC_SHARED int64_t
rc_mean_start (int64_t tick, int64_t period_ns)
{
  return rc_add_saturating (tick, -(period_ns / 2));
}

RC_SHARED int64_t
rc_mean_end (int64_t tick, int64_t period_ns)
{
  return rc_add_saturating (tick, period_ns - period_ns / 2);
}

RC_SHARED RcBracket
rc_bracket_copy (int64_t row, RcRowStatus status)
{
  RcBracket b = { RC_BLEND_COPY, status, row, row, row, row, 0.0, {0.0, 0.0, 0.0}, row };

  return b;
}

RC_SHARED RcBracket
rc_bracket_none (void)
{
  RcBracket b = { RC_BLEND_NONE, RC_MISSING, 0, 0, 0, 0, 0.0, {0.0, 0.0, 0.0}, 0 };

  return b;
}

/* Factors of the Hermite cubic with tangents m0 = (dl h + dr hl) / (hl + h) and m1 likewise (the derivative of the parabola through three
 * rows), as factors of differences from y[row]. */
RC_SHARED void
rc_bracket_cubic (RcBracket * b, const RcSearch * search, const int64_t * times, int64_t n)
{
  const double h = (double) rc_span (times[b->row], times[b->next]);
  const double w = b->w, w2 = w * w, w3 = w2 * w;
  const double h01 = 3.0 * w2 - 2.0 * w3;
  const double h10 = w3 - 2.0 * w2 + w, h11 = w3 - w2;
  const int64_t before = rc_last_before (times, b->row), after = rc_last_equal (times, n, b->next + 1);
  double k0 = 1.0, k1 = 1.0;

  b->blend = RC_BLEND_CUBIC;
  b->c[1] = b->c[2] = 0.0;
  if (before >= 0 && rc_within_gap (search, times, b->row, rc_span (times[before], times[b->row]))) {
    const double hl = (double) rc_span (times[before], times[b->row]);

    k0 = hl / (hl + h);
    b->c[1] = -(h10 * h * h / (hl * (hl + h)));
    b->before = before;
  }
  if (after < n && rc_within_gap (search, times, b->row, rc_span (times[b->next], times[after]))) {
    const double hr = (double) rc_span (times[b->next], times[after]);

    k1 = (hr - h) / hr;
    b->c[2] = h11 * h * h / (hr * (h + hr));
    b->after = after;
  }
  b->c[0] = h01 + h10 * k0 + h11 * k1;
}

RC_SHARED void
rc_bracket_hermite (RcBracket * b, double h_s)
{
  const double w = b->w, w2 = w * w, w3 = w2 * w;

  b->blend = RC_BLEND_HERMITE;
  b->c[0] = 3.0 * w2 - 2.0 * w3;
  b->c[1] = (w3 - 2.0 * w2 + w) * h_s;
  b->c[2] = (w3 - w2) * h_s;
}

/* The time to search for: the bracket functions below need its rc_lower_bound. */
RC_SHARED int64_t
rc_search_time (const RcSearch * search, int64_t tick)
{
  return search->interpolation == RC_MEAN ? rc_mean_start (tick, search->period_ns) : tick;
}

/* The bracket of the last row at or before the tick, unless this row is older than the limit. */
RC_SHARED RcBracket
rc_bracket_previous (const int64_t * times, int64_t n, int64_t first, int64_t tick, int64_t limit, RcRowStatus status)
{
  const int64_t row = rc_last_until (times, n, first, tick);

  return row >= 0 && rc_within (rc_span (times[row], tick), limit) ? rc_bracket_copy (row, status) : rc_bracket_none ();
}

/* The row nearest to a tick between left and right. */
RC_SHARED RcBracket
rc_bracket_nearest (const RcSearch * search, const int64_t * times, int64_t left, int64_t right, int64_t tick)
{
  const int is_left = rc_span (times[left], tick) <= rc_span (tick, times[right]);
  RcBracket b = rc_bracket_copy (is_left ? left : right, RC_ALIGNED);

  b.hold = search->has_holds ? left : b.row;
  return b;
}

/* The mean of the rows first … end - 1. */
RC_SHARED RcBracket
rc_bracket_mean (const RcSearch * search, const int64_t * times, int64_t n, int64_t first, int64_t end, int64_t tick)
{
  RcBracket b = rc_bracket_copy (first, RC_ALIGNED);

  b.blend = RC_BLEND_MEAN;
  b.next = end;
  if (search->has_holds)
    b.hold = rc_last_until (times, n, rc_lower_bound_near (times, n, first, tick), tick);
  return b.hold >= 0 ? b : rc_bracket_none ();
}

/* The bracket without holding. */
RC_SHARED RcBracket
rc_bracket_aligned (const RcSearch * search, const int64_t * times, int64_t n, int64_t first, int64_t tick)
{
  RcBracket b = rc_bracket_none ();
  int64_t right;                /* of the rows with the earliest time at or after the tick, the last one */
  uint64_t h;

  if (search->interpolation == RC_PREVIOUS) {
    b = rc_bracket_previous (times, n, first, tick, -1, RC_ALIGNED);
    return b.blend == RC_BLEND_NONE || rc_within_gap (search, times, b.row, rc_span (times[b.row], tick)) ? b : rc_bracket_none ();
  }

  if (search->interpolation == RC_MEAN) {
    const int64_t end = rc_lower_bound_near (times, n, first, rc_mean_end (tick, search->period_ns));

    if (end > first)
      return rc_bracket_mean (search, times, n, first, end, tick);
  }                             /* no row in the interval, so first is also the first row at or after the tick */

  if (first == n)
    return b;
  right = rc_last_equal (times, n, first);      /* of rows with equal times the last one counts */
  if (times[right] == tick)
    return rc_bracket_copy (right, RC_ALIGNED);

  if (first == 0)
    return rc_bracket_none ();
  b.row = first - 1;
  h = rc_span (times[b.row], times[right]);
  if (!rc_within_gap (search, times, b.row, h))
    return rc_bracket_none ();

  if (search->interpolation == RC_NEAREST)
    return rc_bracket_nearest (search, times, b.row, right, tick);

  b.status = RC_ALIGNED;
  b.next = right;
  b.before = b.after = b.hold = b.row;
  b.w = (double) rc_span (times[b.row], tick) / (double) h;
  if (search->interpolation == RC_CUBIC)
    rc_bracket_cubic (&b, search, times, n);
  else if (search->interpolation == RC_HERMITE)
    rc_bracket_hermite (&b, (double) h / 1e9);
  else
    b.blend = RC_BLEND_LINEAR;
  return b;
}

/* ---- lowpass ---- */

/* The median of the spacings of the last RC_MAX_SPACINGS + 1 times up to row, or of fewer at the beginning. Of two middle values, it is
 * the greater one. 0 without a spacing. */
RC_SHARED_CALL int64_t
rc_median_spacing (const int64_t * times, int64_t row)
{
  uint64_t sorted[RC_MAX_SPACINGS];
  int64_t before = rc_last_before (times, row);
  int n = 0, i;

  for (; before >= 0 && n < RC_MAX_SPACINGS; row = before, before = rc_last_before (times, row)) {
    const uint64_t spacing = rc_span (times[before], times[row]);

    for (i = n++; i > 0 && sorted[i - 1] > spacing; i--)
      sorted[i] = sorted[i - 1];
    sorted[i] = spacing;
  }
  if (n == 0)
    return 0;
  return sorted[n / 2] < (uint64_t) INT64_MAX ? (int64_t) sorted[n / 2] : INT64_MAX;
}

/* Lobes of the sinc per ns: twice the cutoff. spacing_ns: the spacing of the rows, above 0. */
RC_SHARED double
rc_lowpass_lobe_rate (const RcSearch * search, int64_t spacing_ns)
{
  const int64_t longer = spacing_ns > search->period_ns ? spacing_ns : search->period_ns;

  return search->cutoff_hz > 0.0 ? 2.0 * search->cutoff_hz / 1e9 : 0.8 / (double) longer;
}

/* Half the width of the filter: it reaches this far to either side of a tick. */
RC_SHARED int64_t
rc_lowpass_half_width (int32_t lobes, double lobe_rate)
{
  const double half = (double) lobes / lobe_rate;

  return half < 1.0 ? 1 : half < 0x1p62 ? (int64_t) half : INT64_C (1) << 62;
}

/* sin (pi z) / (pi z) */
RC_SHARED double
rc_sinc (double z)              /* 0 <= z < 2^31 */
{
  const double whole = floor (z + 0.5), part = z - whole;
  const double sine = rc_sine (RC_PI * fabs (part));
  const int is_below = (part < 0.0) != ((int32_t) whole % 2 != 0);

  return z == 0.0 ? 1.0 : (is_below ? -sine : sine) / (RC_PI * z);
}

/* The weight of row i in the sum b of rows with these times; i is the last row with its time. The weight is the sinc, times the square of a
 * cosine that is 0 at the filter's end, times the duration that the row represents. */
RC_SHARED_CALL double
rc_lowpass_weight (const RcBracket * b, const int64_t * times, int64_t i)
{
  const double apart = (double) (times[i] < b->before ? rc_span (times[i], b->before) : rc_span (b->before, times[i]));
  const double taper = rc_sine (0.5 * RC_PI * (1.0 - apart / (double) b->after));
  double share = b->c[1];
  int64_t before = i;

  RC_SHARED_LOOP
  while (before > b->row && times[before] == times[i])
    before--;
  if (times[before] != times[i] && i + 1 < b->next) {
    const double both = 0.5 * (double) rc_span (times[before], times[i + 1]);

    share = both < share ? both : share;
  }
  return rc_sinc (apart * b->c[0]) * (taper * taper) * share;
}

/* The first row from i on, before end, that is the last row with its time; end without such a row. So equal times count once. */
RC_SHARED int64_t
rc_counted_row (const int64_t * times, int64_t end, int64_t i)
{
  RC_SHARED_LOOP
  while (i + 1 < end && times[i + 1] == times[i])
    i++;
  return i;
}

/* Whether rows reach from start to end, with no spacing above max-gap. The rows in between are row to next - 1; left is the last row at or
 * before the tick. */
RC_SHARED int
rc_lowpass_is_covered (const RcSearch * search, const int64_t * times, int64_t n, const RcBracket * b, int64_t left, int64_t start,
    int64_t end)
{
  int64_t i = b->row, last = b->next - 1;
  uint64_t greatest = 0;

  if (b->row >= b->next)
    return 0;
  i -= times[i] > start;
  last += times[last] < end;
  if (i < 0)
    return 0;
  if (last == n && !(search->ends_open && rc_within (rc_span (times[n - 1], end), (int64_t) b->c[1])))
    return 0;
  last -= last == n;
  RC_SHARED_LOOP
  for (; i < last && search->max_gap_ns != -1; i++) {
    const uint64_t spacing = rc_span (times[i], times[i + 1]);

    greatest = spacing > greatest ? spacing : greatest;
  }
  return rc_within_gap (search, times, left, greatest);
}

/* Finds the filter around a tick; 0: the rows do not suffice for it. first: rc_lower_bound of the tick. */
RC_SHARED_CALL int
rc_bracket_lowpass (const RcSearch * search, const int64_t * times, int64_t n, int64_t first, int64_t tick, RcBracket * b)
{
  const int64_t left = rc_last_until (times, n, first, tick);
  const int64_t spacing = left >= 0 ? rc_median_spacing (times, left) : 0;
  int64_t start, end, i;

  if (spacing == 0)
    return 0;
  b->c[0] = rc_lowpass_lobe_rate (search, spacing);
  b->c[1] = (double) spacing;
  b->c[2] = b->w = 0.0;
  b->before = tick;
  b->after = rc_lowpass_half_width (search->lobes, b->c[0]);
  start = rc_subtract_saturating (tick, b->after);
  end = rc_add_saturating (tick, b->after);
  b->row = rc_lower_bound (times, first, start);
  b->next = rc_upper_bound_near (times, n, left, end);
  b->hold = search->has_holds ? left : b->row;
  if (b->c[0] * b->c[1] > 1.0 || !rc_lowpass_is_covered (search, times, n, b, left, start, end))
    return 0;
  RC_SHARED_LOOP
  for (i = rc_counted_row (times, b->next, b->row); i < b->next; i = rc_counted_row (times, b->next, i + 1))
    b->w = b->w + rc_lowpass_weight (b, times, i);
  b->blend = RC_BLEND_LOWPASS;
  b->status = RC_ALIGNED;
  return b->w * b->c[0] >= RC_MIN_LOWPASS_PART;
}

/* ---- all interpolations ---- */

/* rc_bracket_at for any interpolation; RC_LOWPASS is linear here. */
RC_SHARED RcBracket
rc_bracket_unfiltered (const RcSearch * search, const int64_t * times, int64_t n, int64_t first, int64_t tick)
{
  const RcBracket b = rc_bracket_aligned (search, times, n, first, tick);

  if (b.blend != RC_BLEND_NONE || search->hold_limit_ns == 0)
    return b;
  return rc_bracket_previous (times, n, first, tick, search->hold_limit_ns, RC_HELD);
}

/* rc_bracket_find with a known first, the rc_lower_bound of rc_search_time. */
RC_SHARED RcBracket
rc_bracket_at (const RcSearch * search, const int64_t * times, int64_t n, int64_t first, int64_t tick)
{
  RcBracket b;

  if (search->interpolation == RC_LOWPASS && rc_bracket_lowpass (search, times, n, first, tick, &b))
    return b;
  b = rc_bracket_unfiltered (search, times, n, first, tick);
  if (search->interpolation == RC_LOWPASS && b.blend != RC_BLEND_NONE)
    b.status = RC_HELD;
  return b;
}

/* The rows of times[0 … n) (not decreasing) from which the output row at tick is made, their weights, and its status. */
RC_SHARED RcBracket
rc_bracket_find (const RcSearch * search, const int64_t * times, int64_t n, int64_t tick)
{
  return rc_bracket_at (search, times, n, rc_lower_bound (times, n, rc_search_time (search, tick)), tick);
}
