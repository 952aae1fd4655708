/* robocache: the ranges of features of the clouds of a window, each measured once
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cloudranges.h"

#include <string.h>

#define MIN_SLOTS 16

void
robocache_cloud_ranges_clear (RobocacheCloudRanges *ranges)
{
  g_free (ranges->numbers);
  g_free (ranges->values);
  g_free (ranges->maxima);
  *ranges = (RobocacheCloudRanges) { 0 };
}

/* Discards all ranges when the window needs more slots. */
static void
reserve (RobocacheCloudRanges *ranges, guint n_clouds, guint n_values)
{
  const guint n_slots = MAX (2 * n_clouds, MIN_SLOTS);

  if (n_clouds <= ranges->n_slots && n_values == ranges->n_values)
    return;
  robocache_cloud_ranges_clear (ranges);
  ranges->n_slots = n_slots;
  ranges->n_values = n_values;
  ranges->numbers = g_new0 (guint64, n_slots);
  ranges->values = g_new (gdouble, (gsize) n_slots * n_values);
  ranges->maxima = g_new (gdouble, n_values);
}

const gdouble *
robocache_cloud_ranges_update (RobocacheCloudRanges *ranges, const RobocacheCloudWindow *window, guint n_values,
    gboolean (*measure) (gpointer data, const RobocacheCloud *cloud, gdouble *values, GError **error), gpointer data,
    GError **error)
{
  const guint n = robocache_cloud_window_length (window);

  reserve (ranges, n, n_values);
  memset (ranges->maxima, 0, n_values * sizeof (gdouble));
  for (guint i = 0; i < n; i++) {
    const RobocacheCloud *cloud = robocache_cloud_window_nth (window, i);
    const guint slot = (guint) (cloud->number % ranges->n_slots);
    gdouble *values = ranges->values + (gsize) slot * n_values;

    if (ranges->numbers[slot] != cloud->number + 1) {
      ranges->numbers[slot] = 0;
      memset (values, 0, n_values * sizeof (gdouble));
      if (!measure (data, cloud, values, error))
        return NULL;
      ranges->numbers[slot] = cloud->number + 1;
    }
    for (guint k = 0; k < n_values; k++)
      ranges->maxima[k] = MAX (ranges->maxima[k], values[k]);
  }
  return ranges->maxima;
}
