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

/* The first delivery of a row at or after a time, of which rows before it are a part; a pair begins at an even row. */
gint64
robocache_test_delivery_from (const RobocacheTestSettings *s, gint64 time_ns)
{
  return time_ns <= 0 ? 0 : robocache_tick_at_or_after (&s->rate, time_ns - s->jitter_ns) & ~(gint64) 1;
}

/* How late after its time of capture a row can be delivered: after a newer one. */
gint64
robocache_test_max_lateness (const RobocacheTestSettings *s)
{
  const gint64 period = robocache_tick_period (&s->rate);

  return s->disorder > 0.0 ? period + 2 * s->jitter_ns : MAX (2 * s->jitter_ns - period, 0);
}

static gboolean
is_sent (const RobocacheTestSettings *s, gint64 delivery)
{
  return robocache_test_row_fate (s, robocache_test_row_of_delivery (s, delivery)) == ROBOCACHE_TEST_ROW_SENT;
}

/* Buffers of the recording that come before a delivery, but no more than limit. */
gint
robocache_test_sent_before (const RobocacheTestSettings *s, gint64 delivery, gint limit)
{
  gint64 sent = 0;

  if (s->drop == 0.0 && s->gap_ns == 0)
    return (gint) MIN (delivery, limit);
  for (gint64 d = 0; d < delivery && sent < limit; d++)
    sent += is_sent (s, d);
  return (gint) sent;
}

/* The delivery after the first `limit` rows that are sent, but at most `most`. */
static gint64
end_of_rows (const RobocacheTestSettings *s, gint limit, gint64 most)
{
  gint64 end = 0;

  if (limit < 0 || (s->drop == 0.0 && s->gap_ns == 0))
    return limit < 0 ? most : MIN (limit, most);
  for (gint sent = 0; end < most && sent < limit; end++)
    sent += is_sent (s, end);
  return end;
}

gint64
robocache_test_row_in_force (const RobocacheTestSettings *s, gint64 time_ns, gint limit)
{
  const gint64 later = time_ns > G_MAXINT64 - s->jitter_ns - 1 ? G_MAXINT64 : time_ns + s->jitter_ns + 1;
  const gint64 n_pairs = MIN (robocache_tick_at_or_after (&s->rate, later), G_MAXINT64 - 2) / 2 + 1;
  gint64 newest_ns = -1, newest = -1;

  if (time_ns <= 0 || s->drop >= 1.0)
    return -1;
  for (gint64 d = end_of_rows (s, limit, 2 * n_pairs); d > 0; d--) {
    const gint64 k = robocache_test_row_of_delivery (s, d - 1), t = robocache_test_row_time (s, k);

    /* no row of an earlier delivery is newer */
    if (newest_ns >= 0 && newest_ns - s->jitter_ns >= robocache_tick_time (&s->rate, (d - 1) | 1))
      break;
    if (t <= time_ns && t > newest_ns && is_sent (s, d - 1)) {
      newest_ns = t;
      newest = k;
    }
  }
  return newest_ns == time_ns ? -1 : newest;
}

gboolean
robocache_test_ends_swap (const RobocacheTestSettings *s, gint64 delivery)
{
  return (delivery & 1) && is_swapped (s, delivery / 2) && robocache_test_row_fate (s, delivery) == ROBOCACHE_TEST_ROW_SENT
      && robocache_test_row_fate (s, delivery - 1) == ROBOCACHE_TEST_ROW_SENT;
}
