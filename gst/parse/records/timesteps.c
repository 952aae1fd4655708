/* robocache: steps back of a recording's clock
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "timesteps.h"

#include "kernels/interpolation.h"

static void
end_below (RobocacheTimeSteps *steps, gint64 reached)
{
  steps->reached = steps->previous = reached;
  steps->n_in_order = 0;
  steps->is_below = FALSE;
}

void
robocache_time_steps_add (RobocacheTimeSteps *steps, gint64 time_ns, guint64 record)
{
  if (!steps->has_rows || time_ns >= steps->reached) {
    steps->has_rows = TRUE;
    end_below (steps, time_ns);
    return;
  }
  if (!steps->is_below) {
    steps->is_below = TRUE;
    steps->low = time_ns;
    steps->low_record = record;
  }
  steps->n_in_order = time_ns < steps->previous ? 1 : steps->n_in_order + 1;
  steps->previous = time_ns;
  if (steps->n_in_order < ROBOCACHE_TIME_STEP_ROWS)
    return;
  if (steps->n++ == 0)
    steps->first = steps->low_record;
  steps->greatest = MAX (steps->greatest, rc_subtract_saturating (steps->reached, steps->low));
  end_below (steps, time_ns);
}

gchar *
robocache_time_steps_describe (const RobocacheTimeSteps *steps, const gchar *item)
{
  if (steps->n == 0)
    return NULL;
  return g_strdup_printf ("The time goes back %" G_GUINT64_FORMAT " time%s, first at %s %" G_GUINT64_FORMAT ", by up to %.3f s: "
      "the clock was set, or a counter restarted. Rows from before and after a step are mixed in order of time: cut the recording "
      "there, and use its parts separately",
      steps->n, steps->n == 1 ? "" : "s", item, steps->first, (gdouble) steps->greatest / 1e9);
}
