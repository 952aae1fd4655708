/* robocache: by how much a sample is beside its tick, for sensors whose signals are known
 *
 * The row's values are f (time + d) with d unknown: by least squares over the channels, d = sum (e f') / sum (f' f') with
 * e = value - f (time). Channels have different phases, so they never all stand still at once.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "twohosts.h"

#include <math.h>

/* For the slope by central differences; the signals are below 10 Hz. */
#define HALF_STEP_NS 100000

void
alignment_error_init (AlignmentError *error, RobocacheTestKind kind, guint n_channels)
{
  error->kind = kind;
  error->n_channels = n_channels;
  error->errors = g_array_new (FALSE, FALSE, sizeof (gdouble));
}

void
alignment_error_clear (AlignmentError *error)
{
  g_clear_pointer (&error->errors, g_array_unref);
}

void
alignment_error_add (AlignmentError *error, gint64 time, const gfloat *row)
{
  gdouble product = 0.0, square = 0.0, beside;

  if (time < HALF_STEP_NS)
    return;
  for (guint c = 0; c < error->n_channels; c++) {
    const gdouble slope = (robocache_test_signal (error->kind, c, time + HALF_STEP_NS)
        - robocache_test_signal (error->kind, c, time - HALF_STEP_NS)) / (2.0 * HALF_STEP_NS);

    product += ((gdouble) row[c] - robocache_test_signal (error->kind, c, time)) * slope;
    square += slope * slope;
  }
  beside = product / square;
  g_array_append_val (error->errors, beside);
}

static gint
compare_sizes (gconstpointer a, gconstpointer b)
{
  const gdouble x = fabs (*(const gdouble *) a), y = fabs (*(const gdouble *) b);

  return (x > y) - (x < y);
}

void
alignment_error_print (FILE *out, AlignmentError *error, const gchar *label)
{
  const GArray *errors = error->errors;
  const guint n = errors->len;

  if (n == 0) {
    fprintf (out, "alignment error of %s: no tick was aligned\n", label);
    return;
  }
  g_array_sort (error->errors, compare_sizes);
  fprintf (out, "alignment error of %s: median %.3f ms, 99 %% %.3f ms, worst %.3f ms, of %u ticks\n", label,
      fabs (g_array_index (errors, gdouble, n / 2)) / 1e6,
      fabs (g_array_index (errors, gdouble, (guint) ((guint64) n * 99 / 100))) / 1e6,
      fabs (g_array_index (errors, gdouble, n - 1)) / 1e6, n);
}
