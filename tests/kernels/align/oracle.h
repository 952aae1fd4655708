/* robocache: the rows of an alignment, computed plainly in double
 *
 * Follows the definition of the arithmetic with libm (acos, sin, fmod): of the kernels only the names of modes and statuses
 * are used.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdlib.h>

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
  int *is_close_call;           /* becomes 1 where rounding decides a mean of quaternions */
  int64_t max_gap;              /* at the tick, ns; -1: none. oracle_sample sets it */
} OracleRows;

/* The angle x, made of rows from least to greatest, in their turn as the dtypes round its limits. */
static inline double
oracle_turn (const RcAlignStreamSpec *s, double x, double least, double greatest)
{
  const double pi = oracle_stored (s->in, ORACLE_PI), two_pi = oracle_stored (s->in, 2 * ORACLE_PI);
  double low, high;

  if (least >= 0 && greatest <= two_pi) {
    low = 0;
    high = two_pi;
  } else if (least >= -pi && greatest <= pi) {
    low = -pi;
    high = pi;
  } else {
    return x;
  }
  if (x < low || x >= high) {
    x = fmod (x - low, 2 * ORACLE_PI);
    x = low + (x < 0 ? x + 2 * ORACLE_PI : x);
  }
  return oracle_stored (s->out, x) >= oracle_stored (s->out, high) ? low : x;
}

static inline int
oracle_is_gap (const OracleRows *r, int64_t span)
{
  return r->max_gap >= 0 && span > r->max_gap;
}

static inline int
oracle_compare_spans (const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

  return (x > y) - (x < y);
}

/* 8 periods of the rows until the tick, from 20 ms to 1 s, and never below 2; 200 ms where fewer than 8 spacings tell the period. */
static inline int64_t
oracle_max_gap (const OracleRows *r, int64_t tick)
{
  uint64_t spans[64], n = 0;
  int64_t i = r->n - 1;
  double gap;

  if (r->spec->search.max_gap_ns != RC_GAP_AUTO)
    return r->spec->search.max_gap_ns;
  while (i >= 0 && r->t[i] > tick)
    i--;
  for (; i > 0 && n < 64; i--)
    spans[n++] = (uint64_t) r->t[i] - (uint64_t) r->t[i - 1];
  if (n < 8)
    return 200000000;
  qsort (spans, (size_t) n, sizeof (spans[0]), oracle_compare_spans);
  gap = fmax (fmin (fmax (8.0 * (double) spans[n / 2], 20e6), 1e9), 2.0 * (double) spans[n / 2]);
  return gap < 0x1p62 ? (int64_t) gap : INT64_MAX;
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

    row[a] = oracle_turn (s, y0[a] + w * oracle_wrap (y1[a] - y0[a]), fmin (y0[a], y1[a]), fmax (y0[a], y1[a]));
  }
}

static inline void
oracle_take (const OracleRows *r, int64_t i, double *row)
{
  memcpy (row, r->y + i * r->spec->channels, (size_t) r->spec->channels * sizeof (*row));
}

static inline double
oracle_mean_angle (const OracleRows *r, int64_t first, int64_t end, int32_t c)
{
  const int64_t d = r->spec->channels;
  double turned = r->y[first * d + c], sum = turned, least = turned, greatest = turned;

  for (int64_t i = first + 1; i < end; i++) {
    turned += oracle_wrap (r->y[i * d + c] - r->y[(i - 1) * d + c]);
    sum += turned;
    least = fmin (least, r->y[i * d + c]);
    greatest = fmax (greatest, r->y[i * d + c]);
  }
  return oracle_turn (r->spec, sum / (double) (end - first), least, greatest);
}

/* FALSE where no rotation stands for the rows. */
static inline int
oracle_mean_quaternion (const OracleRows *r, int64_t first, int64_t end, int32_t c, double *q)
{
  const int64_t d = r->spec->channels;
  double sum[4] = { 0 }, norm = 0;

  for (int64_t i = first; i < end; i++) {
    const double *y = r->y + i * d + c, *y0 = r->y + first * d + c;
    const double n = sqrt (y[0] * y[0] + y[1] * y[1] + y[2] * y[2] + y[3] * y[3]);
    const double dot = y[0] * y0[0] + y[1] * y0[1] + y[2] * y0[2] + y[3] * y0[3];

    *r->is_close_call |= fabs (dot) < 1e-9;
    for (int k = 0; k < 4; k++)
      sum[k] += (dot < 0 ? -y[k] : y[k]) / n;
  }
  for (int k = 0; k < 4; k++)
    norm += sum[k] * sum[k];
  norm = sqrt (norm);
  *r->is_close_call |= fabs (norm / (double) (end - first) - 0.5) < 1e-9;
  for (int k = 0; k < 4; k++)
    q[k] = norm < 0.5 * (double) (end - first) ? NAN : sum[k] / norm;
  return !(norm < 0.5 * (double) (end - first));
}

/* Missing: rows of a quaternion are scattered. *found: there are rows in the interval of the mean. */
static inline RcRowStatus
oracle_mean (const OracleRows *r, int64_t tick, double *row, int *found)
{
  const RcAlignStreamSpec *s = r->spec;
  const int64_t start = tick - s->search.period_ns / 2, before_end = start + s->search.period_ns;
  RcRowStatus status = RC_ALIGNED;
  int64_t first = 0, end;

  while (first < r->n && r->t[first] < start)
    first++;
  for (end = first; end < r->n && r->t[end] < before_end;)
    end++;
  *found = end > first;
  for (int64_t c = 0; c < s->channels && *found; c++) {
    row[c] = 0;
    for (int64_t i = first; i < end; i++)
      row[c] += r->y[i * s->channels + c];
    row[c] /= (double) (end - first);
  }
  for (int64_t c = 0; c < s->n_quaternions && *found; c++)
    if (!oracle_mean_quaternion (r, first, end, s->quaternions[c], row + s->quaternions[c]))
      status = RC_MISSING;
  for (int64_t c = 0; c < s->n_angles && *found; c++)
    row[s->angles[c]] = oracle_mean_angle (r, first, end, s->angles[c]);
  return status;
}

/* ---- lowpass ---- */

static inline int
oracle_compare_spacings (const void *a, const void *b)
{
  const int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;

  return (x > y) - (x < y);
}

/* The filter around a tick: rows first … end - 1, whose weights are there. */
typedef struct
{
  int64_t first, end;
  double lobes_per_ns, total;
  double *weights;              /* [rows] of the caller */
} OracleFilter;

static inline int64_t
oracle_median_spacing (const OracleRows *r, int64_t left)
{
  int64_t spacings[64], n = 0;

  for (int64_t i = left; i > 0 && n < 64; i--)
    spacings[n++] = r->t[i] - r->t[i - 1];
  qsort (spacings, (size_t) n, sizeof (spacings[0]), oracle_compare_spacings);
  return n > 0 ? spacings[n / 2] : 0;
}

static inline void
oracle_weigh (const OracleRows *r, int64_t tick, int64_t half, double spacing, OracleFilter *f)
{
  f->total = 0;
  for (int64_t i = f->first; i < f->end; i++) {
    const double d = (double) (r->t[i] - tick), z = ORACLE_PI * d * f->lobes_per_ns, taper = cos (0.5 * ORACLE_PI * d / (double) half);
    double share = spacing;

    if (i > f->first && i + 1 < f->end)
      share = fmin (share, 0.5 * (double) (r->t[i + 1] - r->t[i - 1]));
    f->weights[i] = (z == 0 ? 1 : sin (z) / z) * taper * taper * share;
    f->total += f->weights[i];
  }
}

/* Whether rows suffice for the filter; left is the last row at or before the tick. */
static inline int
oracle_find_filter (const OracleRows *r, int64_t tick, int64_t left, OracleFilter *f)
{
  const RcSearch *s = &r->spec->search;
  const int64_t spacing = oracle_median_spacing (r, left);
  int64_t half, i;

  if (spacing == 0)
    return 0;
  f->lobes_per_ns = s->cutoff_hz > 0 ? 2 * s->cutoff_hz / 1e9 : 0.8 / (double) (spacing > s->period_ns ? spacing : s->period_ns);
  half = (int64_t) ((double) s->lobes / f->lobes_per_ns);
  if ((double) spacing * f->lobes_per_ns > 1 || r->t[0] > tick - half || r->t[r->n - 1] < tick + half)
    return 0;
  for (f->first = 0; r->t[f->first] < tick - half;)
    f->first++;
  for (f->end = f->first; f->end < r->n && r->t[f->end] <= tick + half;)
    f->end++;
  for (i = f->first - (r->t[f->first] > tick - half); i + 1 < r->n && r->t[i] < tick + half; i++)
    if (oracle_is_gap (r, r->t[i + 1] - r->t[i]))
      return 0;
  oracle_weigh (r, tick, half, (double) spacing, f);
  *r->is_close_call |= fabs (f->total * f->lobes_per_ns - 0.5) < 1e-9;
  return f->end > f->first && f->total * f->lobes_per_ns >= 0.5;
}

static inline double
oracle_filter_angle (const OracleRows *r, const OracleFilter *f, int32_t c)
{
  const int64_t d = r->spec->channels;
  double turned = r->y[f->first * d + c], sum = f->weights[f->first] * turned, least = turned, greatest = turned;

  for (int64_t i = f->first + 1; i < f->end; i++) {
    turned += oracle_wrap (r->y[i * d + c] - r->y[(i - 1) * d + c]);
    sum += f->weights[i] * turned;
    least = fmin (least, r->y[i * d + c]);
    greatest = fmax (greatest, r->y[i * d + c]);
  }
  return oracle_turn (r->spec, sum / f->total, least, greatest);
}

/* FALSE where no rotation stands for the rows. */
static inline int
oracle_filter_quaternion (const OracleRows *r, const OracleFilter *f, int32_t c, double *q)
{
  const int64_t d = r->spec->channels;
  double norm = 0;

  memset (q, 0, 4 * sizeof (*q));
  for (int64_t i = f->first; i < f->end; i++) {
    const double *y = r->y + i * d + c, *y0 = r->y + f->first * d + c;
    const double n = sqrt (y[0] * y[0] + y[1] * y[1] + y[2] * y[2] + y[3] * y[3]);
    const double dot = y[0] * y0[0] + y[1] * y0[1] + y[2] * y0[2] + y[3] * y0[3];

    *r->is_close_call |= fabs (dot) < 1e-9;
    for (int k = 0; k < 4; k++)
      q[k] += f->weights[i] / f->total * (dot < 0 ? -y[k] : y[k]) / n;
  }
  for (int k = 0; k < 4; k++)
    norm += q[k] * q[k];
  norm = sqrt (norm);
  *r->is_close_call |= fabs (norm - 0.5) < 1e-9;
  for (int k = 0; k < 4; k++)
    q[k] = norm < 0.5 ? NAN : q[k] / norm;
  return !(norm < 0.5);
}

/* *found: rows suffice. */
static inline RcRowStatus
oracle_lowpass (const OracleRows *r, int64_t tick, int64_t left, double *row, int *found)
{
  const RcAlignStreamSpec *s = r->spec;
  OracleFilter f = {.weights = calloc ((size_t) r->n + 1, sizeof (*f.weights)) };
  RcRowStatus status = RC_ALIGNED;

  *found = left >= 0 && oracle_find_filter (r, tick, left, &f);
  for (int64_t c = 0; c < s->channels && *found; c++) {
    row[c] = 0;
    for (int64_t i = f.first; i < f.end; i++)
      row[c] += f.weights[i] * r->y[i * s->channels + c];
    row[c] /= f.total;
  }
  for (int64_t c = 0; c < s->n_quaternions && *found; c++)
    if (!oracle_filter_quaternion (r, &f, s->quaternions[c], row + s->quaternions[c]))
      status = RC_MISSING;
  for (int64_t c = 0; c < s->n_angles && *found; c++)
    row[s->angles[c]] = oracle_filter_angle (r, &f, s->angles[c]);
  free (f.weights);
  return status;
}

/* *found: there are rows for the tick, which then is not held. */
static inline RcRowStatus
oracle_aligned (const OracleRows *r, int64_t tick, double *row, int *found)
{
  const RcInterpolation how = r->spec->search.interpolation;
  int64_t i = -1;               /* last row at or before the tick */
  RcRowStatus status;

  while (i + 1 < r->n && r->t[i + 1] <= tick)
    i++;
  if (i < 0 && r->spec->n_holds > 0)
    return RC_MISSING;
  if (how == RC_PREVIOUS) {
    if (i < 0 || oracle_is_gap (r, tick - r->t[i]))
      return RC_MISSING;
    oracle_take (r, i, row);
    return RC_ALIGNED;
  }
  if (how == RC_MEAN) {
    status = oracle_mean (r, tick, row, found);
    if (*found)
      return status;
  }
  if (how == RC_LOWPASS) {
    status = oracle_lowpass (r, tick, i, row, found);
    if (*found)
      return status;
  }
  if (i >= 0 && r->t[i] == tick) {
    oracle_take (r, i, row);
    return how == RC_LOWPASS ? RC_HELD : RC_ALIGNED;
  }
  if (i < 0 || i + 1 == r->n || oracle_is_gap (r, r->t[i + 1] - r->t[i]))
    return RC_MISSING;
  if (how == RC_NEAREST)
    oracle_take (r, tick - r->t[i] <= r->t[i + 1] - tick ? i : i + 1, row);
  else
    oracle_between (r, i, tick, row);
  return how == RC_LOWPASS ? RC_HELD : RC_ALIGNED;
}

/* The row of all channels but those that are held. *has_row: it is made of some, missing or not. */
static inline RcRowStatus
oracle_blend (const OracleRows *r, int64_t tick, int64_t newest, double *row, int *has_row)
{
  const int64_t limit = r->spec->search.hold_limit_ns;
  const RcRowStatus status = oracle_aligned (r, tick, row, has_row);

  *has_row |= status != RC_MISSING;
  if (*has_row)
    return status;
  for (int64_t c = 0; c < r->spec->channels; c++)
    row[c] = NAN;
  if (limit == 0 || newest < 0 || (limit > 0 && tick - r->t[newest] > limit))
    return RC_MISSING;
  oracle_take (r, newest, row);
  return RC_HELD;
}

/* The row at tick before it is stored, and its status; NaN when missing. */
static inline RcRowStatus
oracle_sample (OracleRows *r, int64_t tick, double *row)
{
  int64_t newest = -1;
  int has_row = 0;
  RcRowStatus status;

  r->max_gap = oracle_max_gap (r, tick);
  while (newest + 1 < r->n && r->t[newest + 1] <= tick)
    newest++;
  status = oracle_blend (r, tick, newest, row, &has_row);
  for (int64_t k = 0; k < r->spec->n_holds && has_row; k++)
    row[r->spec->holds[k]] = r->y[newest * r->spec->channels + r->spec->holds[k]];
  return status;
}
