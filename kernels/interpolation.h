/* robocache: which rows surround a tick, with which weights and which status
 *
 * The one place where time becomes weights: the elements use it on their history of rows, the kernels on recorded
 * episodes, on the CPU and on the GPU. Times are int64 ns; differences are taken in integers, then divided in double.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_INTERPOLATION_H
#define RC_INTERPOLATION_H

#include <stdint.h>

#include "shared.h"

typedef enum RcInterpolation
{
  RC_LINEAR,
  RC_NEAREST,                   /* an exact midpoint takes the earlier row */
  RC_PREVIOUS,                  /* needs nothing after the tick */
  RC_CUBIC,                     /* Hermite cubic; tangents of the parabola through three rows, one-sided at an end or a gap */
  RC_HERMITE,                   /* Hermite cubic with measured rates as tangents, linear for the other channels */
  RC_MEAN                       /* of the rows with T - period/2 <= t < T - period/2 + period; linear when there is none */
} RcInterpolation;

typedef enum RcRowStatus
{
  RC_ALIGNED = 0,
  RC_HELD = 1,                  /* the newest row at or before the tick, repeated */
  RC_MISSING = 2                /* NaN, or 0 for integers */
} RcRowStatus;

typedef struct RcSearch
{
  RcInterpolation interpolation;
  int64_t max_gap_ns;           /* a bracket wider than this is a gap; for RC_PREVIOUS the greatest age; -1: never */
  int64_t hold_limit_ns;        /* greatest age of a row that is held where there is no bracket; 0: do not hold; -1: forever */
  int64_t period_ns;            /* of the ticks; used by RC_MEAN */
} RcSearch;

typedef enum RcBlend
{
  RC_BLEND_NONE,                /* no row: MISSING */
  RC_BLEND_COPY,                /* row */
  RC_BLEND_LINEAR,              /* y + w (y[next] - y) */
  RC_BLEND_CUBIC,               /* y + c[0] (y[next] - y) + c[1] (y[before] - y) + c[2] (y[after] - y) */
  RC_BLEND_HERMITE,             /* positions: y + c[0] (y[next] - y) + c[1] rate + c[2] rate[next]; others linear */
  RC_BLEND_MEAN                 /* of the rows row … next - 1 */
} RcBlend;

/* One tick of one stream. Row indices count from the first row of the array that was searched. */
typedef struct RcBracket
{
  int32_t blend;                /* RcBlend */
  int32_t status;               /* RcRowStatus */
  int64_t row;                  /* the last row before the tick, the copied row, or the first row of a mean */
  int64_t next;                 /* the first row after the tick, or one past the last row of a mean */
  int64_t before;               /* cubic: the row before row; row itself where it has no weight */
  int64_t after;                /* cubic: the row after next; row where it has no weight */
  double w;                     /* (T - t[row]) / (t[next] - t[row]), in (0, 1) */
  double c[3];                  /* see RcBlend; rates are per second */
} RcBracket;

/* First index of times[0 … n) (not decreasing) whose time is >= t; n when there is none. The step is a selection and
 * not a branch, which would be mispredicted every other time. */
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

/* First index whose time is > t; n when there is none. */
RC_SHARED int64_t
rc_upper_bound (const int64_t * times, int64_t n, int64_t t)
{
  return t == INT64_MAX ? n : rc_lower_bound (times, n, t + 1);
}

#define RC_NEAR INT64_C (8)     /* times that are looked at around a guess */

/* rc_lower_bound from a guess, which may be any row: close to it times are counted, without a branch that could be
 * mispredicted, and beyond that steps double. On a GPU threads wait for the one that guessed worst, so each one bisects. */
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

/* The last row that has the time of row i; i where that is past the end. Mostly it is row i, but where a sensor's clock
 * stood still all rows have one time: they are not walked over. On a GPU, where registers are short, they are. */
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

/* The last row before the time of row i; -1 when there is none. */
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

/* The last row at or before t, when first is rc_lower_bound of t; -1 when there is none. */
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

/* later - earlier for any pair in that order: never overflows. */
RC_SHARED uint64_t
rc_span (int64_t earlier, int64_t later)
{
  return (uint64_t) later - (uint64_t) earlier;
}

/* A limit of -1 is no limit. */
RC_SHARED int
rc_within (uint64_t span, int64_t limit)
{
  return limit < 0 || span <= (uint64_t) limit;
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
  RcBracket b = { RC_BLEND_COPY, status, row, row, row, row, 0.0, {0.0, 0.0, 0.0} };

  return b;
}

RC_SHARED RcBracket
rc_bracket_none (void)
{
  RcBracket b = { RC_BLEND_NONE, RC_MISSING, 0, 0, 0, 0, 0.0, {0.0, 0.0, 0.0} };

  return b;
}

/* Factors of the Hermite cubic with tangents m0 = (dl h + dr hl) / (hl + h) and m1 likewise (the derivative of the
 * parabola through three rows), gathered by row differences from y[row]. */
RC_SHARED void
rc_bracket_cubic (RcBracket * b, const int64_t * times, int64_t n, int64_t max_gap_ns)
{
  const double h = (double) rc_span (times[b->row], times[b->next]);
  const double w = b->w, w2 = w * w, w3 = w2 * w;
  const double h01 = 3.0 * w2 - 2.0 * w3;
  const double h10 = w3 - 2.0 * w2 + w, h11 = w3 - w2;
  const int64_t before = rc_last_before (times, b->row), after = rc_last_equal (times, n, b->next + 1);
  double k0 = 1.0, k1 = 1.0;

  b->blend = RC_BLEND_CUBIC;
  b->c[1] = b->c[2] = 0.0;
  if (before >= 0 && rc_within (rc_span (times[before], times[b->row]), max_gap_ns)) {
    const double hl = (double) rc_span (times[before], times[b->row]);

    k0 = hl / (hl + h);
    b->c[1] = -(h10 * h * h / (hl * (hl + h)));
    b->before = before;
  }
  if (after < n && rc_within (rc_span (times[b->next], times[after]), max_gap_ns)) {
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

/* What the rows of a tick are searched by: the bracket functions below take rc_lower_bound of this. */
RC_SHARED int64_t
rc_search_time (const RcSearch * search, int64_t tick)
{
  return search->interpolation == RC_MEAN ? rc_mean_start (tick, search->period_ns) : tick;
}

/* The last row at or before the tick, unless it is older than the limit. */
RC_SHARED RcBracket
rc_bracket_previous (const int64_t * times, int64_t n, int64_t first, int64_t tick, int64_t limit, RcRowStatus status)
{
  const int64_t row = rc_last_until (times, n, first, tick);

  return row >= 0 && rc_within (rc_span (times[row], tick), limit) ? rc_bracket_copy (row, status) : rc_bracket_none ();
}

/* The bracket without holding. */
RC_SHARED RcBracket
rc_bracket_aligned (const RcSearch * search, const int64_t * times, int64_t n, int64_t first, int64_t tick)
{
  RcBracket b = rc_bracket_none ();
  int64_t right;                /* last row of the next time at or after the tick */
  uint64_t h;

  if (search->interpolation == RC_PREVIOUS)
    return rc_bracket_previous (times, n, first, tick, search->max_gap_ns, RC_ALIGNED);

  if (search->interpolation == RC_MEAN) {
    const int64_t end = rc_lower_bound_near (times, n, first, rc_mean_end (tick, search->period_ns));

    if (end > first) {
      b.blend = RC_BLEND_MEAN;
      b.status = RC_ALIGNED;
      b.row = b.before = b.after = first;
      b.next = end;
      return b;
    }
  }                             /* no row from its start to its end: first is that at or after the tick, too */

  if (first == n)
    return b;
  right = rc_last_equal (times, n, first);      /* of equal times the last one wins */
  if (times[right] == tick)
    return rc_bracket_copy (right, RC_ALIGNED);

  if (first == 0)
    return rc_bracket_none ();
  b.row = first - 1;
  h = rc_span (times[b.row], times[right]);
  if (!rc_within (h, search->max_gap_ns))
    return rc_bracket_none ();

  if (search->interpolation == RC_NEAREST)
    return rc_bracket_copy (rc_span (times[b.row], tick) <= rc_span (tick, times[right]) ? b.row : right, RC_ALIGNED);

  b.status = RC_ALIGNED;
  b.next = right;
  b.before = b.after = b.row;
  b.w = (double) rc_span (times[b.row], tick) / (double) h;
  if (search->interpolation == RC_CUBIC)
    rc_bracket_cubic (&b, times, n, search->max_gap_ns);
  else if (search->interpolation == RC_HERMITE)
    rc_bracket_hermite (&b, (double) h / 1e9);
  else
    b.blend = RC_BLEND_LINEAR;
  return b;
}

/* rc_bracket_find where first, rc_lower_bound of rc_search_time, is known. */
RC_SHARED RcBracket
rc_bracket_at (const RcSearch * search, const int64_t * times, int64_t n, int64_t first, int64_t tick)
{
  const RcBracket b = rc_bracket_aligned (search, times, n, first, tick);

  if (b.blend != RC_BLEND_NONE || search->hold_limit_ns == 0)
    return b;
  return rc_bracket_previous (times, n, first, tick, search->hold_limit_ns, RC_HELD);
}

/* The rows of times[0 … n) (not decreasing) that make the output row at tick, their weights and the status. */
RC_SHARED RcBracket
rc_bracket_find (const RcSearch * search, const int64_t * times, int64_t n, int64_t tick)
{
  return rc_bracket_at (search, times, n, rc_lower_bound (times, n, rc_search_time (search, tick)), tick);
}

#endif
