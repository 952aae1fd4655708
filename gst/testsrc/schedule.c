/* robocache: rows of robocachetestsrc: their times, order and losses
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "schedule.h"

#include "counterhash.h"

/* Independent random numbers of one row, or of one pair of rows. */
enum
{
  RANDOM_JITTER,
  RANDOM_DROP,
  RANDOM_DISORDER
};

/* Time of capture of row k; G_MAXINT64 past the end of time. */
gint64
robocache_test_row_time (const RobocacheTestSettings *s, gint64 k)
{
  gint64 t = robocache_tick_time (&s->rate, k);

  if (s->jitter_ns == 0 || t > G_MAXINT64 - s->jitter_ns)
    return t;
  t -= s->jitter_ns;
  t += (gint64) robocache_hash_below (s->seed, RANDOM_JITTER, (guint64) k, 2 * (guint64) s->jitter_ns + 1);
  return MAX (t, 0);
}

/* The silence is a matter of the nominal time, so it takes the same rows whatever the jitter. */
RobocacheTestRowFate
robocache_test_row_fate (const RobocacheTestSettings *s, gint64 k)
{
  if (s->gap_ns > 0) {
    const gint64 t = robocache_tick_time (&s->rate, k);

    if (t >= s->gap_interval_ns && t % s->gap_interval_ns < s->gap_ns)
      return ROBOCACHE_TEST_ROW_SILENT;
  }
  if (s->drop > 0.0 && robocache_hash_unit (s->seed, RANDOM_DROP, (guint64) k) < s->drop)
    return ROBOCACHE_TEST_ROW_DROPPED;
  return ROBOCACHE_TEST_ROW_SENT;
}

static gboolean
is_swapped (const RobocacheTestSettings *s, gint64 pair)
{
  return s->disorder > 0.0 && robocache_hash_unit (s->seed, RANDOM_DISORDER, (guint64) pair) < s->disorder;
}

/* The row that is delivered as number `delivery`: rows 2 m and 2 m + 1 may change places. */
gint64
robocache_test_row_of_delivery (const RobocacheTestSettings *s, gint64 delivery)
{
  return is_swapped (s, delivery / 2) ? delivery ^ 1 : delivery;
}

/* No row from this delivery on is older. */
gint64
robocache_test_earliest_from (const RobocacheTestSettings *s, gint64 delivery)
{
  const gint64 t = robocache_tick_time (&s->rate, delivery & ~(gint64) 1);

  return t == G_MAXINT64 ? t : t - s->jitter_ns;
}

/* How late after its time of capture a row can be delivered: after a newer one. */
gint64
robocache_test_max_lateness (const RobocacheTestSettings *s)
{
  const gint64 period = robocache_tick_period (&s->rate);

  return s->disorder > 0.0 ? period + 2 * s->jitter_ns : MAX (2 * s->jitter_ns - period, 0);
}

/* Buffers of the recording that come before a delivery, but no more than limit. */
gint
robocache_test_sent_before (const RobocacheTestSettings *s, gint64 delivery, gint limit)
{
  gint64 sent = 0;

  if (s->drop == 0.0 && s->gap_ns == 0)
    return (gint) MIN (delivery, limit);
  for (gint64 d = 0; d < delivery && sent < limit; d++)
    sent += robocache_test_row_fate (s, robocache_test_row_of_delivery (s, d)) == ROBOCACHE_TEST_ROW_SENT;
  return (gint) sent;
}

gboolean
robocache_test_ends_swap (const RobocacheTestSettings *s, gint64 delivery)
{
  return (delivery & 1) && is_swapped (s, delivery / 2) && robocache_test_row_fate (s, delivery) == ROBOCACHE_TEST_ROW_SENT
      && robocache_test_row_fate (s, delivery - 1) == ROBOCACHE_TEST_ROW_SENT;
}
