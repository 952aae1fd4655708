/* robocache: what repeated measurements say
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/common/spread.h"

#include <math.h>
#include <stdlib.h>

static int
compare_doubles (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

BenchSpread
bench_spread (double *values, int n)
{
  double mean = 0, squares = 0;
  int i;

  qsort (values, (size_t) n, sizeof (*values), compare_doubles);
  for (i = 0; i < n; i++)
    mean += values[i] / n;
  for (i = 0; i < n; i++)
    squares += (values[i] - mean) * (values[i] - mean) / n;
  return (BenchSpread) {
  .median = values[n / 2],.p5 = values[n / 20],.p95 = values[n - 1 - n / 20],.deviation = sqrt (squares)};
}
