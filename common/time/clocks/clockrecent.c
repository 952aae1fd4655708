/* robocache: the newest messages of a topic, and what most of them agree on
 *
 * Several nodes send on a topic, and some stamp ahead, as transforms that hold for a while. A step of a clock is in all messages that follow.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "clockrecent.h"

#include <math.h>
#include <stdlib.h>

#include "common/time/numberorder.h"

/* Distance from a line that messages agree with (ns): less than a step, which has no slope. */
#define AGREE ((gdouble) ROBOCACHE_CLOCK_AGREE / 8.0)

void
robocache_clock_recent_add (RobocacheClockRecent *recent, const RobocacheClockPair *pair)
{
  recent->pairs[recent->n++ % ROBOCACHE_CLOCK_RECENT] = *pair;
}

guint
robocache_clock_recent_count (const RobocacheClockRecent *recent)
{
  return (guint) MIN (recent->n, ROBOCACHE_CLOCK_RECENT);
}

const RobocacheClockPair *
robocache_clock_recent_at (const RobocacheClockRecent *recent, guint i)
{
  return &recent->pairs[(recent->n - robocache_clock_recent_count (recent) + i) % ROBOCACHE_CLOCK_RECENT];
}

/* The upper of the two middle numbers, if their number is even. */
static gdouble
median_of (gdouble *numbers, guint n)
{
  qsort (numbers, n, sizeof (numbers[0]), robocache_compare_doubles);
  return numbers[n / 2];
}

/* Differences from that of the newest message, in which a double is exact. */
static gdouble
difference_at (const RobocacheClockRecent *recent, guint i)
{
  const RobocacheClockPair *pair = robocache_clock_recent_at (recent, i);
  const RobocacheClockPair *newest = robocache_clock_recent_at (recent, robocache_clock_recent_count (recent) - 1);

  return (gdouble) ((pair->log - pair->stamp) - (newest->log - newest->stamp));
}

/* Median of the slopes from each message to that half of them later. */
static gdouble
slope_of (const RobocacheClockRecent *recent)
{
  const guint half = robocache_clock_recent_count (recent) / 2;
  gdouble slopes[ROBOCACHE_CLOCK_RECENT / 2];

  for (guint i = 0; i < half; i++) {
    const gint64 length = robocache_clock_recent_at (recent, i + half)->log - robocache_clock_recent_at (recent, i)->log;

    slopes[i] = (difference_at (recent, i + half) - difference_at (recent, i)) / (gdouble) MAX (length, 1);
  }
  return half > 0 ? fmin (median_of (slopes, half), 0.0) : 0.0;
}

/* The least value from the median down without a gap in which another clock may be: delays may be of all sizes. numbers are sorted. */
static gdouble
least_with_median (const gdouble *numbers, guint n)
{
  guint i = n / 2;

  while (i > 0 && numbers[i] - numbers[i - 1] <= (gdouble) ROBOCACHE_CLOCK_AGREE)
    i--;
  return numbers[i];
}

/* The least of most differences at a log time if all change by that slope; *n_agree: messages that agree with their median. */
static gdouble
least_at (const RobocacheClockRecent *recent, gint64 log_ns, gdouble slope, guint *n_agree)
{
  const guint n = robocache_clock_recent_count (recent);
  gdouble values[ROBOCACHE_CLOCK_RECENT], median;

  for (guint i = 0; i < n; i++)
    values[i] = difference_at (recent, i) + slope * (gdouble) (log_ns - robocache_clock_recent_at (recent, i)->log);
  median = median_of (values, n);
  *n_agree = 0;
  for (guint i = 0; i < n; i++)
    *n_agree += fabs (values[i] - median) <= AGREE;
  return least_with_median (values, n);
}

gint64
robocache_clock_recent_difference (const RobocacheClockRecent *recent, gint64 log_ns, gdouble *slope)
{
  const guint n = robocache_clock_recent_count (recent);
  const RobocacheClockPair *newest = robocache_clock_recent_at (recent, n - 1);
  guint n_level, n_falling;
  gdouble least = least_at (recent, log_ns, 0.0, &n_level);

  *slope = 0.0;
  if (n_level < n) {
    const gdouble fall = slope_of (recent), falling = least_at (recent, log_ns, fall, &n_falling);

    if (n_falling > n_level) {
      *slope = fall;
      least = falling;
    }
  }
  return (newest->log - newest->stamp) + (gint64) rint (CLAMP (least, -0x1p61, 0x1p61));
}
