/* robocache: the exact grid of ticks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tickgrid.h"

#define NS_PER_S 1000000000

/* k * den * 10^9 takes up to 124 bits. */
typedef __int128 Wide;

gint64
robocache_tick_time (const RobocacheTickGrid *grid, gint64 k)
{
  gint64 product;
  Wide t;

  /* for ticks of years, which are divided many times faster */
  if (!__builtin_mul_overflow (k, (gint64) grid->den * NS_PER_S, &product))
    return product / grid->num;
  t = (Wide) k * grid->den * NS_PER_S / grid->num;
  return t > G_MAXINT64 ? G_MAXINT64 : (gint64) t;
}

gint64
robocache_tick_at_or_after (const RobocacheTickGrid *grid, gint64 t)
{
  gint64 k;

  if (t <= 0)
    return 0;
  /* floor (k p) >= t for the first integer k with k p >= t */
  k = (gint64) (((Wide) t * grid->num + (Wide) grid->den * NS_PER_S - 1) / ((Wide) grid->den * NS_PER_S));
  return k;
}

gint64
robocache_tick_period (const RobocacheTickGrid *grid)
{
  return robocache_tick_time (grid, 1);
}
