/* robocache: the line that points lie above by one-sided noise
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "delaybound.h"

#include <math.h>
#include <stdlib.h>

#include "numberorder.h"

/* Lines whose likelihood is less than exp (-DEPTH) of the greatest do not count. */
#define DEPTH 14.0
#define STEPS_A_SIDE 64
/* The density is that of the nearest fifth of the points. */
#define NEAR_SHARE 5
#define N_PASSES 2
/* Times are whole ns: a least distance, so that delays that are all equal have a density. */
#define MIN_DISTANCE 1.0

/* What a likelihood needs. Points are counted from x_mean. */
typedef struct
{
  const RobocachePoint *points;
  gdouble x_mean;
  const guint *hull;
  guint n_hull;
  gdouble density, slope, slope_sigma;
} Likelihood;

/* exp (x) for x <= 0. */
static gdouble
exp_of_negative (gdouble x)
{
  const gdouble ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;
  gdouble k, r, sum = 1.0;

  if (x < -700.0)
    return 0.0;
  k = rint (x * 1.4426950408889634);
  r = (x - k * ln2_high) - k * ln2_low;
  for (guint i = 13; i > 0; i--)
    sum = 1.0 + sum * r / i;
  return ldexp (sum, (gint) k);
}

/* ---- the lower convex hull ---- */

static gboolean
is_left_turn (const RobocachePoint *a, const RobocachePoint *b, const RobocachePoint *c)
{
  return (b->y - a->y) * (c->x - a->x) < (c->y - a->y) * (b->x - a->x);
}

/* Andrew's monotone chain. */
static guint
find_hull (const RobocachePoint *points, guint n, guint *hull)
{
  guint n_hull = 0;

  for (guint i = 0; i < n; i++) {
    while (n_hull > 1 && !is_left_turn (&points[hull[n_hull - 2]], &points[hull[n_hull - 1]], &points[i]))
      n_hull--;
    hull[n_hull++] = i;
  }
  return n_hull;
}

static gdouble
edge_slope (const Likelihood *l, guint i)
{
  const RobocachePoint *a = &l->points[l->hull[i]], *b = &l->points[l->hull[i + 1]];

  return (b->y - a->y) / (b->x - a->x);
}

/* Slope of the edge below x_mean: the line of greatest likelihood, where nothing is expected of the slope. */
static gdouble
middle_slope (const Likelihood *l)
{
  guint i = 0;

  while (i + 2 < l->n_hull && l->points[l->hull[i + 1]].x < l->x_mean)
    i++;
  return edge_slope (l, i);
}

/* Height at x_mean of the highest line of that slope. */
static gdouble
greatest_height (const Likelihood *l, gdouble slope)
{
  gdouble least = HUGE_VAL;

  for (guint i = 0; i < l->n_hull; i++) {
    const RobocachePoint *p = &l->points[l->hull[i]];

    least = fmin (least, p->y - slope * (p->x - l->x_mean));
  }
  return least;
}

/* ---- likelihood of slopes ---- */

/* Logarithm, with the heights summed up. */
static gdouble
log_likelihood (const Likelihood *l, gdouble slope)
{
  const gdouble off = (slope - l->slope) / l->slope_sigma;

  return l->density * greatest_height (l, slope) - 0.5 * off * off;
}

/* The likelihood is concave, a parabola for the slopes at which the line rests on one point of the hull. */
static gdouble
likeliest_slope (const Likelihood *l)
{
  gdouble best = 0.0, best_value = -HUGE_VAL;

  for (guint i = 0; i < l->n_hull; i++) {
    const gdouble x = l->points[l->hull[i]].x - l->x_mean;
    gdouble slope = l->slope - l->density * x * l->slope_sigma * l->slope_sigma, value;

    if (i > 0)
      slope = fmax (slope, edge_slope (l, i - 1));
    if (i + 1 < l->n_hull)
      slope = fmin (slope, edge_slope (l, i));
    value = log_likelihood (l, slope);
    if (value > best_value) {
      best = slope;
      best_value = value;
    }
  }
  return best;
}

/* How far to one side (direction 1 or -1) slopes count. */
static gdouble
reach (const Likelihood *l, gdouble best, gdouble direction)
{
  const gdouble least = log_likelihood (l, best) - DEPTH;
  gdouble inside = 0.0, outside = 1e-12;

  while (log_likelihood (l, best + direction * outside) > least) {
    inside = outside;
    outside *= 2.0;
  }
  for (guint i = 0; i < 8; i++) {
    const gdouble middle = 0.5 * (inside + outside);

    if (log_likelihood (l, best + direction * middle) > least)
      inside = middle;
    else
      outside = middle;
  }
  return outside;
}

typedef struct
{
  gdouble weight, slope, height, slope2, height2, both;
} Moments;

/* The trapezoidal rule over one side; slopes and heights as differences from the best. */
static void
add_side (Moments *m, const Likelihood *l, gdouble best, gdouble reach_and_sign)
{
  const gdouble step = reach_and_sign / STEPS_A_SIDE;
  const gdouble top = log_likelihood (l, best), height = greatest_height (l, best);

  for (guint i = 0; i <= STEPS_A_SIDE; i++) {
    const gdouble s = i * step;
    const gdouble h = greatest_height (l, best + s) - height;
    const gdouble ends = i == 0 || i == STEPS_A_SIDE ? 0.5 : 1.0;
    const gdouble w = ends * fabs (step) * exp_of_negative (fmin (log_likelihood (l, best + s) - top, 0.0));

    m->weight += w;
    m->slope += w * s;
    m->height += w * h;
    m->slope2 += w * s * s;
    m->height2 += w * h * h;
    m->both += w * s * h;
  }
}

/* Below the greatest height the likelihood falls off as exp (-density * depth): 1 / density in the mean. */
static void
mean_line (RobocacheDelayBound *line, const Likelihood *l)
{
  const gdouble best = likeliest_slope (l), depth = 1.0 / l->density;
  Moments m = { 0.0 };
  gdouble slope, height;

  add_side (&m, l, best, -reach (l, best, -1.0));
  add_side (&m, l, best, reach (l, best, 1.0));
  slope = m.slope / m.weight;
  height = m.height / m.weight;
  line->x_mean = l->x_mean;
  line->slope = best + slope;
  line->value = greatest_height (l, best) + height - depth;
  line->slope_variance = fmax (m.slope2 / m.weight - slope * slope, 0.0);
  line->value_variance = fmax (m.height2 / m.weight - height * height, 0.0) + depth * depth;
  line->covariance = m.both / m.weight - slope * height;
  line->density = l->density;
}

/* ---- the density of points just above the line ---- */

/* Of the k nearest points two are the line's own. */
static gdouble
density_above (const Likelihood *l, guint n, gdouble slope, gdouble *residuals)
{
  const gdouble height = greatest_height (l, slope);
  const guint k = MAX (ROBOCACHE_DELAY_BOUND_MIN_POINTS, n / NEAR_SHARE);

  for (guint i = 0; i < n; i++)
    residuals[i] = l->points[i].y - slope * (l->points[i].x - l->x_mean) - height;
  qsort (residuals, n, sizeof (residuals[0]), robocache_compare_doubles);
  return (k - 2) / fmax (residuals[k - 1], MIN_DISTANCE);
}

void
robocache_delay_bound_fit (RobocacheDelayBound *line, const RobocachePoint *points, guint n, gdouble slope,
    gdouble slope_sigma, gdouble *residuals, guint *hull)
{
  Likelihood l = {.points = points,.hull = hull,.slope = slope,.slope_sigma = slope_sigma };
  gdouble sum = 0.0;

  for (guint i = 0; i < n; i++)
    sum += points[i].x;
  l.x_mean = sum / n;
  l.n_hull = find_hull (points, n, hull);
  line->slope = CLAMP (middle_slope (&l), slope - 3.0 * slope_sigma, slope + 3.0 * slope_sigma);
  for (guint pass = 0; pass < N_PASSES; pass++) {
    l.density = density_above (&l, n, line->slope, residuals);
    mean_line (line, &l);
  }
}

gdouble
robocache_delay_bound_at (const RobocacheDelayBound *line, gdouble x)
{
  return line->value + line->slope * (x - line->x_mean);
}

gdouble
robocache_delay_bound_sigma (const RobocacheDelayBound *line, gdouble x)
{
  const gdouble d = x - line->x_mean;

  return sqrt (fmax (line->value_variance + 2.0 * d * line->covariance + d * d * line->slope_variance, 0.0));
}

gdouble
robocache_delay_bound_touch (const RobocachePoint *points, guint n, gdouble slope)
{
  gdouble least = HUGE_VAL;

  for (guint i = 0; i < n; i++)
    least = fmin (least, points[i].y - slope * points[i].x);
  return least;
}
