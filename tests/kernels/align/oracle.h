/* robocache: the rows of an alignment, computed plainly in double
 *
 * Follows the definition of the arithmetic with libm (acos, sin, fmod): of the kernels only the names of modes and statuses
 * are used.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TEST_ALIGN_ORACLE_H
#define TEST_ALIGN_ORACLE_H

#include "kernels/align.h"
#include "tests/kernels/numbers.h"

#define ORACLE_PI 3.14159265358979323846

static inline double
oracle_wrap (double a)
{
  double r = fmod (ORACLE_PI - a, 2 * ORACLE_PI);

  if (r < 0)
    r += 2 * ORACLE_PI;
  return ORACLE_PI - r;
}

static inline void
oracle_slerp (const double *a, const double *b, double w, double *q)
{
  double na = 0, nb = 0, d = 0, n = 0, fa, fb;

  for (int i = 0; i < 4; i++) {
    na += a[i] * a[i];
    nb += b[i] * b[i];
  }
  for (int i = 0; i < 4; i++)
    d += a[i] / sqrt (na) * (b[i] / sqrt (nb));
  fa = 1 - w;
  fb = w;
  if (fabs (d) <= 0.9995) {
    const double angle = acos (fabs (d));

    fa = sin ((1 - w) * angle) / sin (angle);
    fb = sin (w * angle) / sin (angle);
  }
  if (d < 0)
    fb = -fb;
  for (int i = 0; i < 4; i++) {
    q[i] = fa * (a[i] / sqrt (na)) + fb * (b[i] / sqrt (nb));
    n += q[i] * q[i];
  }
  for (int i = 0; i < 4; i++)
    q[i] /= sqrt (n);
}

/* Rows y [n, channels] at strictly increasing times t. */
typedef struct
{
  const int64_t *t;
  const double *y;
  int64_t n;
  const RcAlignStreamSpec *spec;
} OracleRows;

static inline int
oracle_is_gap (const OracleRows *r, int64_t span)
{
  return r->spec->search.max_gap_ns >= 0 && span > r->spec->search.max_gap_ns;
}

/* Slope of channel c at row i, a ns. */
static inline double
oracle_tangent (const OracleRows *r, int64_t i, int64_t c)
{
  const int64_t d = r->spec->channels;
  const int left = i > 0 && !oracle_is_gap (r, r->t[i] - r->t[i - 1]);
  const int right = i + 1 < r->n && !oracle_is_gap (r, r->t[i + 1] - r->t[i]);
  double hl = 0, hr = 0, dl = 0, dr = 0;

  if (left) {
    hl = (double) (r->t[i] - r->t[i - 1]);
    dl = (r->y[i * d + c] - r->y[(i - 1) * d + c]) / hl;
  }
  if (right) {
    hr = (double) (r->t[i + 1] - r->t[i]);
    dr = (r->y[(i + 1) * d + c] - r->y[i * d + c]) / hr;
  }
  if (left && right)
    return (dl * hr + dr * hl) / (hl + hr);
  return left ? dl : dr;
}

static inline double
oracle_hermite (double w, double h, double y0, double y1, double m0, double m1)
{
  return (2 * w * w * w - 3 * w * w + 1) * y0 + (w * w * w - 2 * w * w + w) * h * m0
      + (3 * w * w - 2 * w * w * w) * y1 + (w * w * w - w * w) * h * m1;
}

static inline void
oracle_between (const OracleRows *r, int64_t i, int64_t tick, double *row)
{
  const RcAlignStreamSpec *s = r->spec;
  const double h = (double) (r->t[i + 1] - r->t[i]), w = (double) (tick - r->t[i]) / h;
  const double *y0 = r->y + i * s->channels, *y1 = y0 + s->channels;

  for (int64_t c = 0; c < s->channels; c++) {
    row[c] = (1 - w) * y0[c] + w * y1[c];
    if (s->search.interpolation == RC_CUBIC)
      row[c] = oracle_hermite (w, h, y0[c], y1[c], oracle_tangent (r, i, c), oracle_tangent (r, i + 1, c));
    if (s->search.interpolation == RC_HERMITE && c < s->n_velocities)
      row[c] = oracle_hermite (w, h / 1e9, y0[c], y1[c], y0[s->velocities[c]], y1[s->velocities[c]]);
  }
  for (int64_t c = 0; c < s->n_quaternions; c++)
    oracle_slerp (y0 + s->quaternions[c], y1 + s->quaternions[c], w, row + s->quaternions[c]);
  for (int64_t c = 0; c < s->n_angles; c++) {
    const int32_t a = s->angles[c];

    row[a] = oracle_wrap (y0[a] + w * oracle_wrap (y1[a] - y0[a]));
  }
}

static inline void
oracle_take (const OracleRows *r, int64_t i, double *row)
{
  memcpy (row, r->y + i * r->spec->channels, (size_t) r->spec->channels * sizeof (*row));
}

/* FALSE when there is no row in the interval of the mean. */
static inline int
oracle_mean (const OracleRows *r, int64_t tick, double *row)
{
  const int64_t start = tick - r->spec->search.period_ns / 2, end = start + r->spec->search.period_ns;
  int64_t count = 0;

  for (int64_t c = 0; c < r->spec->channels; c++) {
    row[c] = 0;
    for (int64_t i = count = 0; i < r->n; i++) {
      if (r->t[i] >= start && r->t[i] < end) {
        row[c] += r->y[i * r->spec->channels + c];
        count++;
      }
    }
    row[c] /= (double) count;
  }
  return count > 0;
}

static inline RcRowStatus
oracle_aligned (const OracleRows *r, int64_t tick, double *row)
{
  const RcInterpolation how = r->spec->search.interpolation;
  int64_t i = -1;               /* last row at or before the tick */

  while (i + 1 < r->n && r->t[i + 1] <= tick)
    i++;
  if (how == RC_PREVIOUS) {
    if (i < 0 || oracle_is_gap (r, tick - r->t[i]))
      return RC_MISSING;
    oracle_take (r, i, row);
    return RC_ALIGNED;
  }
  if (how == RC_MEAN && oracle_mean (r, tick, row))
    return RC_ALIGNED;
  if (i >= 0 && r->t[i] == tick) {
    oracle_take (r, i, row);
    return RC_ALIGNED;
  }
  if (i < 0 || i + 1 == r->n || oracle_is_gap (r, r->t[i + 1] - r->t[i]))
    return RC_MISSING;
  if (how == RC_NEAREST)
    oracle_take (r, tick - r->t[i] <= r->t[i + 1] - tick ? i : i + 1, row);
  else
    oracle_between (r, i, tick, row);
  return RC_ALIGNED;
}

/* The row at tick before it is stored, and its status; NaN when missing. */
static inline RcRowStatus
oracle_sample (const OracleRows *r, int64_t tick, double *row)
{
  const int64_t limit = r->spec->search.hold_limit_ns;
  RcRowStatus status = oracle_aligned (r, tick, row);
  int64_t i = -1;

  if (status != RC_MISSING)
    return status;
  for (int64_t c = 0; c < r->spec->channels; c++)
    row[c] = NAN;
  while (i + 1 < r->n && r->t[i + 1] <= tick)
    i++;
  if (limit == 0 || i < 0 || (limit > 0 && tick - r->t[i] > limit))
    return RC_MISSING;
  oracle_take (r, i, row);
  return RC_HELD;
}

#endif
