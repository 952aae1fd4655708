/* robocache: what repeated measurements say
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_SPREAD_H
#define BENCH_SPREAD_H

#ifdef __cplusplus
extern "C" {
#endif

/* In the unit of what was measured. Of fewer than 20 values p5 is the least and p95 the greatest. */
typedef struct
{
  double median, p5, p95, deviation;
} BenchSpread;

/* Of n values, at least one; sorts them. */
BenchSpread bench_spread (double *values, int n);

#ifdef __cplusplus
}
#endif
#endif
