/* robocache: voxel grids once more, the slow and obvious way, to test against
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

static uint16_t
half_of (double x)
{
  const double a = fabs (x);
  const uint16_t sign = signbit (x) ? 0x8000 : 0;
  int e;
  double q;

  if (isnan (x))
    return 0x7E00;
  if (a >= 65520.0)
    return sign | 0x7C00;
  if (a == 0.0)
    return sign;
  e = a < ldexp (1.0, -14) ? -14 : ilogb (a);
  q = rint (ldexp (a, 10 - e));
  return (uint16_t) (sign | (q < 1024.0 ? (int) q : ((e + 15) << 10) + (int) q - 1024));
}

static double
of_half (uint16_t h)
{
  const int e = h >> 10 & 31, m = h & 1023;
  const double a = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp (1024 + m, e - 25) : ldexp (m, -24);

  return h & 0x8000 ? -a : a;
}

void
oracle_store (void *out, int64_t i, RcDtype dtype, double x)
{
  if (dtype == RC_FLOAT16) {
    ((uint16_t *) out)[i] = half_of (x);
  } else if (dtype == RC_FLOAT32) {
    const uint32_t nan = 0x7FC00000;
    const float f = (float) x;

    memcpy ((float *) out + i, isnan (x) ? (const void *) &nan : (const void *) &f, sizeof (f));
  } else if (dtype == RC_FLOAT64) {
    ((double *) out)[i] = x;
  } else if (dtype == RC_UINT8) {
    ((uint8_t *) out)[i] = (uint8_t) x;
  } else {
    ((uint32_t *) out)[i] = (uint32_t) x;
  }
}

double
oracle_load (const void *in, int64_t i, RcDtype dtype)
{
  if (dtype == RC_FLOAT16)
    return of_half (((const uint16_t *) in)[i]);
  if (dtype == RC_FLOAT32)
    return (double) ((const float *) in)[i];
  if (dtype == RC_FLOAT64)
    return ((const double *) in)[i];
  return dtype == RC_UINT8 ? ((const uint8_t *) in)[i] : ((const uint32_t *) in)[i];
}

/* ---- points to voxels ---- */

typedef struct Pair
{
  int64_t voxel, point;
} Pair;

static int
compare_pairs (const void *a, const void *b)
{
  const Pair *p = a, *q = b;

  if (p->voxel != q->voxel)
    return p->voxel < q->voxel ? -1 : 1;
  return p->point < q->point ? -1 : p->point > q->point;
}

/* A negative number when the point is in no voxel. */
static int64_t
voxel_index (const RcVoxelSpec *spec, const double *point, RcVoxelCounters *counters)
{
  int64_t index[3];
  int nan = 0, infinite = 0, inside = 1;

  counters->points++;
  for (int axis = 0; axis < 3; axis++) {
    const float p = (float) point[axis];
    const float difference = p - (float) spec->origin[axis];
    const float q = floorf (difference / (float) spec->voxel_size[axis]);

    nan |= isnan (p) != 0;
    infinite |= isinf (p) != 0;
    inside &= q >= 0.0f && q < (float) spec->grid[axis];
    index[axis] = inside ? (int64_t) q : 0;
  }
  if (nan)
    counters->nan++;
  else if (infinite)
    counters->infinite++;
  else if (!inside)
    counters->outside++;
  else
    counters->inside++;
  if (nan || infinite || !inside)
    return nan ? RC_VOXEL_NAN : infinite ? RC_VOXEL_INFINITE : RC_VOXEL_OUTSIDE;
  return (index[2] * spec->grid[1] + index[1]) * spec->grid[0] + index[0];
}

/* ---- values ---- */

/* Value of a channel of a point, as the mode sees it. */
static double
channel_value (const RcVoxelSpec *spec, const OracleCloud *cloud, int64_t point, int64_t c)
{
  const double *p = cloud->values + point * cloud->fields;

  if (spec->mode == RC_VOXEL_CENTROID)
    return (double) (float) p[c] - (double) (float) spec->origin[c];
  return p[spec->points.first_feature + c];
}

/* Whether points become values of a voxel. */
static int
has_values (RcVoxelMode mode)
{
  return mode >= RC_VOXEL_MEAN && mode != RC_VOXEL_FIRST;
}

static double
clamped (const RcVoxelSpec *spec, double x)
{
  if (spec->mode == RC_VOXEL_MEAN && spec->feature_range > 0.0 && isfinite (x))
    return fmin (fmax (x, -spec->feature_range), spec->feature_range);
  return x;
}

/* 2^e above a magnitude. */
static int
exponent_above (double magnitude)
{
  int e = 0;

  if (magnitude > 0.0)
    frexp (magnitude, &e);
  return e;
}

static int
bits_of_count (int64_t n)
{
  return n <= 1 ? 0 : (int) ceil (log2 ((double) n));
}

static double
mean_of (const RcVoxelSpec *spec, const OracleCloud *cloud, const Pair *pairs, int64_t n, int64_t c, int k,
    double *plain)
{
  long double total = 0.0L;
  int64_t sum = 0;
  int nan = 0, plus = 0, minus = 0;

  for (int64_t i = 0; i < n; i++) {
    const double x = clamped (spec, channel_value (spec, cloud, pairs[i].point, c));

    nan |= isnan (x) != 0;
    plus |= x == INFINITY;
    minus |= x == -INFINITY;
    if (isfinite (x)) {
      sum += (int64_t) rint (ldexp (x, k));
      total += x;
    }
  }
  *plain = nan || (plus && minus) ? NAN : plus ? INFINITY : minus ? -INFINITY : (double) (total / n);
  return isfinite (*plain) ? ldexp ((double) sum / (double) n, -k) : *plain;
}

static double
extreme_of (const RcVoxelSpec *spec, const OracleCloud *cloud, const Pair *pairs, int64_t n, int64_t c)
{
  double best = channel_value (spec, cloud, pairs[0].point, c);

  for (int64_t i = 1; i < n && !isnan (best); i++) {
    const double x = channel_value (spec, cloud, pairs[i].point, c);
    const int greater = x > best || (x == best && signbit (best) && !signbit (x));
    const int less = x < best || (x == best && signbit (x) && !signbit (best));

    if (isnan (x) || (spec->mode == RC_VOXEL_MAX ? greater : less))
      best = x;
  }
  return best;
}

static void
fill_voxel (OracleGrid *grid, const RcVoxelSpec *spec, const OracleCloud *cloud, const Pair *pairs, int64_t n,
    const int *exponents, int count_bits)
{
  const int64_t m = grid->n_occupied++;

  grid->voxels[m] = pairs[0].voxel;
  grid->counts[m] = n;
  for (int64_t c = 0; c < grid->channels; c++) {
    double *result = &grid->results[m * grid->channels + c], *plain = &grid->plain_means[m * grid->channels + c];

    if (spec->mode == RC_VOXEL_OCCUPANCY || spec->mode == RC_VOXEL_FIRST) {
      *result = 1.0;
    } else if (spec->mode == RC_VOXEL_COUNT) {
      *result = (double) n;
    } else if (spec->mode == RC_VOXEL_MAX || spec->mode == RC_VOXEL_MIN) {
      *result = extreme_of (spec, cloud, pairs, n, c);
    } else {
      *result = mean_of (spec, cloud, pairs, n, c, 62 - exponents[c] - count_bits, plain);
      if (spec->mode == RC_VOXEL_CENTROID) {
        *result = (double) (float) spec->origin[c] + *result;
        *plain += (double) (float) spec->origin[c];
      }
    }
  }
}

static void
find_exponents (OracleGrid *grid, const RcVoxelSpec *spec, const OracleCloud *cloud, const Pair *pairs, int64_t n,
    int *exponents)
{
  const int valued = has_values (spec->mode);

  for (int64_t c = 0; c < grid->channels && valued; c++) {
    for (int64_t i = 0; i < n; i++) {
      const double x = channel_value (spec, cloud, pairs[i].point, c);

      if (isfinite (x))
        grid->magnitudes[c] = fmax (grid->magnitudes[c], fabs (x));
      if (spec->mode == RC_VOXEL_MEAN && spec->feature_range > 0.0 && isfinite (x) && fabs (x) > spec->feature_range)
        grid->counters.clamped++;
    }
    exponents[c] = exponent_above (spec->mode == RC_VOXEL_CENTROID
        ? (double) spec->grid[c] * (double) (float) spec->voxel_size[c]
        : spec->feature_range > 0.0 ? spec->feature_range : grid->magnitudes[c]);
  }
}

OracleGrid *
oracle_voxelize (const RcVoxelSpec *spec, const OracleCloud *cloud, int64_t n_points)
{
  OracleGrid *grid = calloc (1, sizeof (*grid));
  Pair *pairs = calloc ((size_t) cloud->n + 1, sizeof (*pairs));
  int64_t inside = 0;
  int *exponents;

  grid->channels = spec->mode == RC_VOXEL_CENTROID ? 3 : has_values (spec->mode) ? spec->points.features : 1;
  exponents = calloc ((size_t) grid->channels, sizeof (int));
  grid->point_voxels = calloc ((size_t) cloud->n + 1, sizeof (int64_t));
  for (int64_t i = 0; i < cloud->n; i++) {
    const int64_t v = voxel_index (spec, cloud->values + i * cloud->fields, &grid->counters);

    grid->point_voxels[i] = v;
    if (v >= 0)
      pairs[inside++] = (Pair) {v, i};
  }
  qsort (pairs, (size_t) inside, sizeof (*pairs), compare_pairs);
  grid->voxels = calloc ((size_t) inside + 1, sizeof (int64_t));
  grid->counts = calloc ((size_t) inside + 1, sizeof (int64_t));
  grid->results = calloc ((size_t) (inside * grid->channels) + 1, sizeof (double));
  grid->plain_means = calloc ((size_t) (inside * grid->channels) + 1, sizeof (double));
  grid->magnitudes = calloc ((size_t) grid->channels, sizeof (double));
  find_exponents (grid, spec, cloud, pairs, inside, exponents);
  for (int64_t first = 0, next; first < inside; first = next) {
    for (next = first; next < inside && pairs[next].voxel == pairs[first].voxel; next++);
    fill_voxel (grid, spec, cloud, pairs + first, next - first, exponents, bits_of_count (n_points));
  }
  grid->counters.occupied = grid->n_occupied;
  if (spec->output >= RC_VOXEL_SPARSE && grid->n_occupied > spec->max_voxels)
    grid->counters.over_cap = grid->n_occupied - spec->max_voxels;
  free (pairs);
  free (exponents);
  return grid;
}

void
oracle_free (OracleGrid *grid)
{
  free (grid->voxels);
  free (grid->counts);
  free (grid->results);
  free (grid->plain_means);
  free (grid->magnitudes);
  free (grid->point_voxels);
  free (grid);
}
