/* robocache: fits the line below points with one-sided noise
 *
 * A message takes at least some time, and often more: (arrival - sending time) as a function of sending time is a straight line (offset
 * and skew of two clocks) plus a delay that is never negative. So the line is not that of least squares, but lies below the points.
 *
 * If delays have density lambda just above zero, the likelihood of a line below all points grows as exp (lambda * height), and all
 * other lines have likelihood 0. The line of greatest likelihood is an edge of the lower convex hull (Moon,
 * Skelly and Towsley 1999; Zhang, Liu and Xia 2002). Since this line is usually above the true line, the mean of all lines under this
 * likelihood is used. It is the Pitman estimator of a boundary: it has no bias, and its variance is known. The computation uses
 * doubles, and only square roots and rounding of libm, so results are the same on every machine.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* Minimum number of points for a density of delays. */
#define ROBOCACHE_DELAY_BOUND_MIN_POINTS 10

typedef struct
{
  gdouble x, y;
} RobocachePoint;

/* The line y = value + slope * (x - x_mean), and its uncertainty. */
typedef struct
{
  gdouble x_mean, value, slope;
  gdouble value_variance, slope_variance, covariance;
  gdouble density;              /* number of points per unit of y, just above the fitted line */
} RobocacheDelayBound;

/* Fits n >= ROBOCACHE_DELAY_BOUND_MIN_POINTS points of increasing x. slope and slope_sigma are the expected slope and its standard
 * deviation. residuals and hull are scratch for n items. */
void robocache_delay_bound_fit (RobocacheDelayBound * line, const RobocachePoint * points, guint n, gdouble slope,
    gdouble slope_sigma, gdouble * residuals, guint * hull);

/* Height of the line at x, and its standard deviation. */
gdouble robocache_delay_bound_at (const RobocacheDelayBound * line, gdouble x);
gdouble robocache_delay_bound_sigma (const RobocacheDelayBound * line, gdouble x);

/* Greatest value at x = 0 for which the line with this slope is below all points. */
gdouble robocache_delay_bound_touch (const RobocachePoint * points, guint n, gdouble slope);
