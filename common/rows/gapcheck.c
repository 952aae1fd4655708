/* robocache: a check of max-gap against the interval of the rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "gapcheck.h"

#include "common/text/timetext.h"

#define MIN_SPACINGS 8
#define MIN_SPACINGS_AT_END 3
/* A limit below this was probably meant in ms or s. */
#define MIN_LIKELY_GAP ROBOCACHE_MSECOND
/* With `previous`, max-gap is an age: ticks shortly after a row are aligned. */
#define MIN_PART_OF_PREVIOUS 8

static gboolean
is_too_small (const RcSearch *search, gint64 interval)
{
  if (search->interpolation == RC_MEAN || search->max_gap_ns < 0)
    return FALSE;
  return search->max_gap_ns < (search->interpolation == RC_PREVIOUS ? interval / MIN_PART_OF_PREVIOUS : interval);
}

gchar *
robocache_gap_check (RobocacheGapCheck *check, const RobocacheHistory *history, const RcSearch *search, gboolean at_end)
{
  gchar *gap, *interval, *warning;
  gint64 median;

  if (check->is_done || history->n_spacings < (at_end ? MIN_SPACINGS_AT_END : MIN_SPACINGS))
    return NULL;
  check->is_done = TRUE;
  median = robocache_history_median_spacing (history);
  if (!is_too_small (search, median))
    return NULL;
  gap = robocache_duration_to_text (search->max_gap_ns);
  interval = robocache_duration_to_text (median);
  warning = g_strdup_printf ("max-gap is %s, but the rows are %s apart, so ticks between rows are not aligned: set max-gap above %s%s",
      gap, interval, interval, search->max_gap_ns < MIN_LIKELY_GAP ? " (a number without a unit is in ns)" : "");
  g_free (interval);
  g_free (gap);
  return warning;
}
