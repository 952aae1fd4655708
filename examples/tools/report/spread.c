/* robocache: how durations of either sign are spread
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "series.h"

void
report_spread_clear (ReportSpread *spread)
{
  g_free (spread->below);
  g_free (spread->above);
  *spread = (ReportSpread) { 0 };
}

void
report_spread_add (ReportSpread *spread, gint64 duration_ns)
{
  RobocacheHistogram **side = duration_ns < 0 ? &spread->below : &spread->above;

  if (!*side)
    *side = g_new0 (RobocacheHistogram, 1);
  robocache_histogram_add (*side, duration_ns < 0 ? -MAX (duration_ns, -G_MAXINT64) : duration_ns);
  spread->n++;
}

gdouble
report_spread_quantile (const ReportSpread *spread, gdouble q)
{
  const guint64 n_below = spread->below ? spread->below->n : 0;
  const gdouble rank = q * (gdouble) spread->n;

  if (spread->n == 0)
    return 0.0;
  if (rank < (gdouble) n_below)
    return -(gdouble) robocache_histogram_quantile (spread->below, CLAMP (1.0 - rank / (gdouble) n_below, 1e-12, 1.0));
  if (!spread->above)
    return 0.0;
  return (gdouble) robocache_histogram_quantile (spread->above, CLAMP ((rank - (gdouble) n_below) / (gdouble) spread->above->n, 1e-12,
          1.0));
}

/* Bounds of a histogram's bin: 32 bins of 1 ns, then 32 for each power of two. */
static void
bounds_of_bin (guint bin, gdouble *from, gdouble *to)
{
  const guint octave = bin / 32;
  const gdouble width = octave < 2 ? 1.0 : (gdouble) (G_GUINT64_CONSTANT (1) << (octave - 1));

  *from = octave < 2 ? (gdouble) bin : (gdouble) (32 + bin % 32) * width;
  *to = *from + width;
}

/* Equal parts of a range of durations, which get what lies in them. */
typedef struct
{
  gdouble from, width;          /* of the first part, and of each */
  gdouble *parts;
  guint n;
} Parts;

static void
share_out (const Parts *to, gdouble low, gdouble high, gdouble count)
{
  const gdouble first = (low - to->from) / to->width, last = (high - to->from) / to->width;

  if (last < 0.0 || first >= (gdouble) to->n)
    return;
  for (guint i = (guint) MAX (first, 0.0); i < to->n && (gdouble) i < last; i++)
    to->parts[i] += count * (MIN (last, (gdouble) i + 1.0) - MAX (first, (gdouble) i)) / (last - first);
}

static void
divide_side (const Parts *to, const RobocacheHistogram *histogram, gboolean is_below)
{
  for (guint bin = 0; histogram && bin < ROBOCACHE_HISTOGRAM_BINS; bin++) {
    gdouble from, end;

    if (histogram->bins[bin] == 0)
      continue;
    bounds_of_bin (bin, &from, &end);
    share_out (to, is_below ? -end : from, is_below ? -from : end, histogram->bins[bin]);
  }
}

void
report_spread_divide (const ReportSpread *spread, gdouble from_ns, gdouble to_ns, gdouble *parts, guint n)
{
  const Parts to = { from_ns, (to_ns - from_ns) / n, parts, n };

  for (guint i = 0; i < n; i++)
    parts[i] = 0.0;
  divide_side (&to, spread->below, TRUE);
  divide_side (&to, spread->above, FALSE);
}
