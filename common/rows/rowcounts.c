/* robocache: counters of the rows of a stream
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rowcounts.h"

#include <string.h>

#include "kernels/interpolation.h"

static const gchar *const reason_fields[ROBOCACHE_N_DROP_REASONS] = {
  [ROBOCACHE_DROPPED_NO_TIME] = "rows-dropped-no-time",
  [ROBOCACHE_DROPPED_NO_REFERENCE] = "rows-dropped-no-reference",
  [ROBOCACHE_DROPPED_AHEAD] = "rows-dropped-ahead",
  [ROBOCACHE_DROPPED_OUTSIDE_SEGMENT] = "rows-dropped-outside-segment",
  [ROBOCACHE_DROPPED_CLOCK_JUMP] = "rows-dropped-clock-jump",
  [ROBOCACHE_DROPPED_OVERFLOW] = "rows-dropped-overflow",
  [ROBOCACHE_DROPPED_FLUSH] = "rows-dropped-flush",
  [ROBOCACHE_DROPPED_REFUSED] = "rows-dropped-refused",
  [ROBOCACHE_DROPPED_REMOVED] = "rows-dropped-removed",
  [ROBOCACHE_DROPPED_NAN] = "rows-dropped-nan",
  [ROBOCACHE_DROPPED_MALFORMED] = "rows-dropped-malformed",
};

const gchar *
robocache_drop_reason_field (RobocacheDropReason reason)
{
  return reason_fields[reason];
}

const gchar *
robocache_drop_reason_name (RobocacheDropReason reason)
{
  return reason_fields[reason] + strlen ("rows-dropped-");
}

guint64
robocache_row_counts_dropped (const RobocacheRowCounts *counts)
{
  guint64 sum = 0;

  for (guint i = 0; i < ROBOCACHE_N_DROP_REASONS; i++)
    sum += counts->dropped[i];
  return sum;
}

void
robocache_row_counts_refuse (RobocacheRowCounts *counts, RobocacheDropReason reason, guint64 n_rows)
{
  counts->in += n_rows;
  counts->dropped[reason] += n_rows;
}

void
robocache_row_counts_add (RobocacheRowCounts *sum, const RobocacheRowCounts *counts)
{
  sum->in += counts->in;
  sum->used += counts->used;
  sum->late += counts->late;
  sum->overtaken += counts->overtaken;
  sum->duplicate += counts->duplicate;
  sum->superseded += counts->superseded;
  for (guint i = 0; i < ROBOCACHE_N_DROP_REASONS; i++)
    sum->dropped[i] += counts->dropped[i];
}

/* ---- losses ---- */

static void
lose (RobocacheLoss *pending, gint64 time, gint64 lateness, guint64 n_rows)
{
  if (pending->n == 0)
    pending->time = time;
  pending->lateness = MAX (pending->lateness, lateness);
  pending->n += n_rows;
}

void
robocache_losses_late (RobocacheLosses *losses, gint64 time, gint64 lateness)
{
  if (losses == NULL)
    return;
  robocache_histogram_add (&losses->lateness, lateness);
  lose (&losses->pending, time, lateness, 1);
}

void
robocache_losses_dropped (RobocacheLosses *losses, gint64 time, guint64 n_rows)
{
  if (losses)
    lose (&losses->pending, time, 0, n_rows);
}

gboolean
robocache_losses_flush (RobocacheLosses *losses, RobocacheLoss *loss)
{
  *loss = losses->pending;
  memset (&losses->pending, 0, sizeof (losses->pending));
  return loss->n > 0;
}

/* A time before the last report wraps to a long span. */
static gboolean
is_report_due (const RobocacheLosses *losses, gint64 now_ns, gint64 interval_ns)
{
  if (!losses->reported || interval_ns <= 0)
    return TRUE;
  return now_ns != G_MININT64 && rc_span (losses->reported_ns, now_ns) >= (guint64) interval_ns;
}

gboolean
robocache_losses_are_due (const RobocacheLosses *losses, gint64 now_ns, gint64 interval_ns)
{
  return losses->pending.n > 0 && is_report_due (losses, now_ns, interval_ns);
}

gboolean
robocache_losses_take (RobocacheLosses *losses, gint64 now_ns, gint64 interval_ns, RobocacheLoss *loss)
{
  if (!robocache_losses_are_due (losses, now_ns, interval_ns))
    return FALSE;
  losses->reported = TRUE;
  losses->reported_ns = now_ns;
  return robocache_losses_flush (losses, loss);
}
