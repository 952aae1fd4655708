/* robocache: voxel grids, computed the slow and obvious way
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "oracle.h"

#include <math.h>
#include <stdlib.h>

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

/* The linear index, or the number of RC_VOXEL_INDEX that says why there is none. */
static int64_t
voxel_of (const RcVoxelSpec *spec, const double *point)
{
  int64_t index[3];
  int nan = 0, infinite = 0, inside = 1;

  for (int axis = 0; axis < 3; axis++) {
    const float p = (float) point[axis];
    const float q = floorf ((p - (float) spec->origin[axis]) / (float) spec->voxel_size[axis]);

    nan |= isnan (p) != 0;
    infinite |= isinf (p) != 0;
    inside &= q >= 0.0f && q < (float) spec->grid[axis];
    index[axis] = inside ? (int64_t) q : 0;
  }
  if (nan || infinite || !inside)
    return nan ? RC_VOXEL_NAN : infinite ? RC_VOXEL_INFINITE : RC_VOXEL_OUTSIDE;
  return (index[2] * spec->grid[1] + index[1]) * spec->grid[0] + index[0];
}

/* ---- values ---- */

/* Value of a channel of a point in the mode. */
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
  return mode >= RC_VOXEL_MEAN && !rc_voxel_lists_points (mode);
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

    if (spec->mode == RC_VOXEL_OCCUPANCY || rc_voxel_lists_points (spec->mode)) {
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
        grid->clamped[pairs[i].point]++;
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
  grid->clamped = calloc ((size_t) cloud->n + 1, sizeof (int64_t));
  grid->points = calloc ((size_t) cloud->n + 1, sizeof (int64_t));
  for (int64_t i = 0; i < cloud->n; i++) {
    const int64_t v = voxel_of (spec, cloud->values + i * cloud->fields);

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
    fill_voxel (grid, spec, cloud, pairs + first, next - first, exponents, n_points <= 1 ? 0 : (int) ceil (log2 ((double) n_points)));
  }
  for (int64_t i = 0; i < inside; i++)
    grid->points[i] = pairs[i].point;
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
  free (grid->clamped);
  free (grid->points);
  free (grid);
}
