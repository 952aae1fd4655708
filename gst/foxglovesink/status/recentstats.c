/* robocache: statistics of the last second
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recentstats.h"

#include <string.h>

/* Statistics are read every 0.1 s, a little earlier or later. */
#define MAX_AGE_US (1050 * G_TIME_SPAN_MILLISECOND)

static void
forget_oldest (RobocacheRecentStats *recent)
{
  gst_structure_free (recent->read[0]);
  recent->n--;
  memmove (recent->read, recent->read + 1, recent->n * sizeof recent->read[0]);
  memmove (recent->at_us, recent->at_us + 1, recent->n * sizeof recent->at_us[0]);
}

void
robocache_recent_stats_add (RobocacheRecentStats *recent, GstStructure *stats, gint64 now_us)
{
  while (recent->n > 0 && (recent->n == ROBOCACHE_RECENT_STATS || now_us - recent->at_us[0] > MAX_AGE_US))
    forget_oldest (recent);
  recent->read[recent->n] = stats;
  recent->at_us[recent->n++] = now_us;
}

const GstStructure *
robocache_recent_stats_newest (const RobocacheRecentStats *recent)
{
  return recent->read[recent->n - 1];
}

gdouble
robocache_recent_stats_span (const RobocacheRecentStats *recent)
{
  return (gdouble) (recent->at_us[recent->n - 1] - recent->at_us[0]) / G_USEC_PER_SEC;
}

static guint64
read_counter (const GstStructure *stats, const gchar *part, const gchar *counter)
{
  const GValue *value = part ? gst_structure_get_value (stats, part) : NULL;
  const GstStructure *structure = value && G_VALUE_HOLDS (value, GST_TYPE_STRUCTURE) ? gst_value_get_structure (value) : NULL;
  guint64 n = 0;

  if (structure || !part)
    gst_structure_get_uint64 (part ? structure : stats, counter, &n);
  return n;
}

/* A counter that has shrunk began again. */
guint64
robocache_recent_stats_count (const RobocacheRecentStats *recent, const gchar *part, const gchar *counter)
{
  const guint64 now = read_counter (robocache_recent_stats_newest (recent), part, counter), before = read_counter (recent->read[0], part, counter);

  return now >= before ? now - before : now;
}

void
robocache_recent_stats_clear (RobocacheRecentStats *recent)
{
  while (recent->n > 0)
    forget_oldest (recent);
}
