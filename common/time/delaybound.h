/* robocache: the line that points lie above by one-sided noise
 *
 * A message takes at least some time, and often more: arrival less sending time, over sending time, is a straight line
 * (offset and skew of two clocks) plus a delay that is never negative. The line is not the one of least squares but the
 * one below.
 *
 * With delays of density lambda just above zero, the likelihood of a line that has all points above it grows by
 * exp (lambda * height), and is 0 otherwise; the line of greatest likelihood is an edge of the lower convex hull (Moon,
 * Skelly and Towsley 1999; Zhang, Liu and Xia 2002). Since that one is above the true line more often than not, the mean
 * of all lines under that likelihood is taken, which is the Pitman estimator of a boundary: it has no bias, and its
 * variance is at hand. Doubles and no function of libm but square roots and rounding, so results are the same
 * everywhere.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_DELAYBOUND_H
#define ROBOCACHE_DELAYBOUND_H

#include <glib.h>

G_BEGIN_DECLS

/* Minimum number of points for a density of delays. */
#define ROBOCACHE_DELAY_BOUND_MIN_POINTS 10

typedef struct
{
  gdouble x, y;
} RobocachePoint;

/* y = value + slope * (x - x_mean), and how sure that is. */
typedef struct
{
  gdouble x_mean, value, slope;
  gdouble value_variance, slope_variance, covariance;
  gdouble density;              /* of points above the line, at the line: 1 / unit of y */
} RobocacheDelayBound;

/* Fits n >= ROBOCACHE_DELAY_BOUND_MIN_POINTS points of increasing x. slope and slope_sigma say what the slope is expected
 * to be. residuals and hull are scratch, with room for n. */
void robocache_delay_bound_fit (RobocacheDelayBound * line, const RobocachePoint * points, guint n, gdouble slope,
    gdouble slope_sigma, gdouble * residuals, guint * hull);

/* Height of the line at x, and its standard deviation. */
gdouble robocache_delay_bound_at (const RobocacheDelayBound * line, gdouble x);
gdouble robocache_delay_bound_sigma (const RobocacheDelayBound * line, gdouble x);

/* Greatest value for which the line of that slope, at x = 0, is below all points. */
gdouble robocache_delay_bound_touch (const RobocachePoint * points, guint n, gdouble slope);

G_END_DECLS
#endif
