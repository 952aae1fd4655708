/* robocache: sine, cosine and arctangent of any angle
 *
 * Included by .c and .cu, with the rules of arithmetic.h: every result has the same bits everywhere.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/arithmetic.h"

#define RC_TWO_OVER_PI 0x1.45f306dc9c883p-1
/* pi/2 in two parts of 25 bits and the rest, so that the product of k and either of the first two is exact for k < 2^28. */
#define RC_HALF_PI_HIGH 0x1.921fb5p+0
#define RC_HALF_PI_MIDDLE 0x1.110b46p-26
#define RC_HALF_PI_LOW 0x1.1a62633145c07p-54

/* Polynomials in x^2 for (sin x / x - 1) / x^2 and (cos x - 1 + x^2/2) / x^4 on [0, pi/4], found by the Remez exchange in 60 digits,
 * each coefficient then rounded to double. The exact polynomials are within 3.5e-18 and 5e-20 of the functions. */

RC_SHARED double
rc_sine_of_small (double x)     /* |x| <= pi/4 */
{
  const double u = x * x;
  double p = 0x1.5d9300ffafb2bp-33;

  p = p * u - 0x1.ae5e663a9d3b2p-26;
  p = p * u + 0x1.71de3577b6ac3p-19;
  p = p * u - 0x1.a01a019c11996p-13;
  p = p * u + 0x1.111111110f87ap-7;
  p = p * u - 0x1.5555555555549p-3;
  return x + x * u * p;
}

RC_SHARED double
rc_cosine_of_small (double x)   /* |x| <= pi/4 */
{
  const double u = x * x;
  double p = -0x1.8fae9c7b1e24bp-37;

  p = p * u + 0x1.1ee9ebe931b37p-29;
  p = p * u - 0x1.27e4f809f09efp-22;
  p = p * u + 0x1.a01a019cb1bdap-16;
  p = p * u - 0x1.6c16c16c1517ep-10;
  p = p * u + 0x1.555555555554cp-5;
  return 1.0 - (0.5 * u - u * u * p);
}

/* Sine and cosine of any x; NaN for an infinite x. Uses x - k pi/2 with the nearest k. A huge x has no meaningful remainder; its results
 * are in [-1, 1]. */
RC_SHARED void
rc_sine_cosine (double x, double *sine, double *cosine)
{
  const double k = rc_nearest (x * RC_TWO_OVER_PI);
  const double r = ((x - k * RC_HALF_PI_HIGH) - k * RC_HALF_PI_MIDDLE) - k * RC_HALF_PI_LOW;
  const double raised = r < -1.0 ? -1.0 : r;
  const double inside = raised > 1.0 ? 1.0 : raised;
  const double s = rc_sine_of_small (inside), c = rc_cosine_of_small (inside);
  const double quarter = k - 4.0 * rc_nearest (0.25 * k);       /* -2 to 2 */
  const double size = fabs (quarter);
  const double along = size == 1.0 ? c : s, across = size == 1.0 ? s : c;

  *sine = (size == 2.0) | (quarter == -1.0) ? -along : along;
  *cosine = (size == 2.0) | (quarter == 1.0) ? -across : across;
}

/* Angle of (x, y) from the x axis in (-pi, pi]; 0 for (0, 0). x and y are at most 1e150. Uses the arcsine of the smaller coordinate, and
 * between 30 and 60 degrees twice the arcsine for half the angle. */
RC_SHARED double
rc_arctangent (double y, double x)
{
  const double norm = sqrt (x * x + y * y), some = norm > 0.0 ? norm : 1.0;
  const double s = fabs (y) / some, c = fabs (x) / some;
  const double half = sqrt ((1.0 - c) * 0.5);
  const double arcsine = rc_arcsine_of_small (s <= 0.5 ? s : c <= 0.5 ? c : half);
  const double quadrant = s <= 0.5 ? arcsine : c <= 0.5 ? 0.5 * RC_PI - arcsine : 2.0 * arcsine;
  const double upper = x < 0.0 ? RC_PI - quadrant : quadrant;

  return y < 0.0 ? -upper : upper;
}
