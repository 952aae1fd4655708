/* robocache: a check of max-gap against the interval of the rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "checks.h"

#include "common/text/timetext.h"

#define MIN_SPACINGS 8
#define MIN_SPACINGS_AT_END 3
/* A limit below this was probably meant in ms or s. */
#define MIN_LIKELY_GAP ROBOCACHE_MSECOND
/* With `previous`, max-gap is an age: ticks shortly after a row are aligned. */
#define MIN_PART_OF_PREVIOUS 8

static gboolean
is_too_small (RcInterpolation interpolation, gint64 max_gap, gint64 interval)
{
  if (interpolation == RC_MEAN || max_gap < 0)
    return FALSE;
  return max_gap < (interpolation == RC_PREVIOUS ? interval / MIN_PART_OF_PREVIOUS : interval);
}

/* Of the first rows: an automatic one does not know their period. */
static gint64
gap_of_first_rows (const RobocacheHistory *history, const RcSearch *search)
{
  if (search->max_gap_ns == RC_GAP_AUTO && history->row_period == 0)
    return RC_GAP_UNKNOWN;
  return robocache_history_max_gap (history, search, history->newest_row);
}

/* Why max-gap may be so small: the end of the warning. */
static const gchar *
explain (const RobocacheHistory *history, const RcSearch *search)
{
  if (search->max_gap_ns == RC_GAP_AUTO && history->row_period > 0)
    return ", or correct the framerate in the caps, of which max-gap is 8 periods";
  if (search->max_gap_ns == RC_GAP_AUTO)
    return " (the default, until the period is known from 8 rows)";
  return search->max_gap_ns >= 0 && search->max_gap_ns < MIN_LIKELY_GAP ? " (a number without a unit is in ns)" : "";
}

gchar *
robocache_gap_check (RobocacheGapCheck *check, const RobocacheHistory *history, const RcSearch *search, gboolean at_end)
{
  gchar *gap, *interval, *warning;
  gint64 median, max_gap;

  if (check->is_done || history->n_spacings < (at_end ? MIN_SPACINGS_AT_END : MIN_SPACINGS))
    return NULL;
  check->is_done = TRUE;
  median = robocache_history_median_spacing (history);
  max_gap = gap_of_first_rows (history, search);
  if (!is_too_small (search->interpolation, max_gap, median))
    return NULL;
  gap = robocache_duration_to_text (max_gap);
  interval = robocache_duration_to_text (median);
  warning = g_strdup_printf ("max-gap is %s, but the rows are %s apart, so ticks between rows are not aligned: set max-gap above %s%s",
      gap, interval, interval, explain (history, search));
  g_free (interval);
  g_free (gap);
  return warning;
}
