/* robocache: the spacings of a recording's rows: their median, jitter and gaps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

#include "common/time/numberorder.h"
#include "gst/parse/table/timecheck.h"
#include "kernels/interpolation.h"
#include "recording.h"

/* Share of the spacings, without gaps, that lie within the jitter. */
#define JITTER_QUANTILE 0.99

/* The option max-gap, as pads of robocachefuse understand it. */
static gint64
max_gap_of (const Recording *recording)
{
  const gchar *given = recording->given[RECORDING_MAX_GAP];
  gint64 max_gap;

  return given && recording_parse_duration (given, &max_gap) ? max_gap : RC_GAP_AUTO;
}

static void
note_gap (RecordingSpacings *spacings, gint64 begin, guint64 span)
{
  spacings->n_gaps++;
  if ((gint64) MIN (span, G_MAXINT64) <= spacings->longest)
    return;
  spacings->longest = (gint64) MIN (span, G_MAXINT64);
  spacings->longest_begin = begin;
}

void
recording_note_spacings (Recording *recording)
{
  const RcSearch search = {.max_gap_ns = max_gap_of (recording) };
  GArray *all = recording->all_times;
  gint64 *times = (gint64 *) (gpointer) all->data;
  const gint64 median = robocache_time_median_step (times, all->len);
  gint64 *deviations = g_new (gint64, MAX (all->len, 1));
  gsize n = 0;

  recording->has_times = all->len > 0;
  recording->step_s = (gdouble) median / 1e9;
  recording->spacings = (RecordingSpacings) { 0 };
  for (guint i = 0; i + 1 < all->len; i++) {
    const guint64 span = rc_span (times[i], times[i + 1]);

    if (!rc_within_gap (&search, times, i, span))
      note_gap (&recording->spacings, times[i], span);
    else if (span > 0)
      deviations[n++] = span > (guint64) median ? (gint64) (span - (guint64) median) : median - (gint64) span;
  }
  qsort (deviations, n, sizeof (gint64), robocache_compare_integers);
  if (n > 0)
    recording->spacings.jitter = deviations[MIN ((gsize) (JITTER_QUANTILE * (gdouble) n), n - 1)];
  g_free (deviations);
  g_clear_pointer (&recording->all_times, g_array_unref);
}
