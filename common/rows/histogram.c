/* robocache: a distribution of durations
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "histogram.h"

#define SUB_BITS 5              /* 32 bins a power of two */
#define SUB_BINS (1 << SUB_BITS)

/* Values below 32 have a bin of their own; above, the bin is the exponent and the next five bits. */
static guint
bin_of (guint64 value)
{
  guint exponent, bin;

  if (value < SUB_BINS)
    return (guint) value;
  exponent = 63 - __builtin_clzll (value);
  bin = ((exponent - SUB_BITS + 1) << SUB_BITS) | ((value >> (exponent - SUB_BITS)) & (SUB_BINS - 1));
  return MIN (bin, ROBOCACHE_HISTOGRAM_BINS - 1);
}

/* Greatest value of a bin. */
static gint64
bin_bound (guint bin)
{
  const guint exponent = bin >> SUB_BITS;

  if (exponent == 0)
    return bin;
  return (gint64) ((((guint64) SUB_BINS + (bin & (SUB_BINS - 1)) + 1) << (exponent - 1)) - 1);
}

void
robocache_histogram_add (RobocacheHistogram *histogram, gint64 duration_ns)
{
  duration_ns = MAX (duration_ns, 0);
  histogram->n++;
  histogram->max_ns = MAX (histogram->max_ns, duration_ns);
  histogram->bins[bin_of ((guint64) duration_ns)]++;
}

void
robocache_histogram_merge (RobocacheHistogram *histogram, const RobocacheHistogram *other)
{
  if (other->n == 0)
    return;
  histogram->n += other->n;
  histogram->max_ns = MAX (histogram->max_ns, other->max_ns);
  for (guint bin = 0; bin < ROBOCACHE_HISTOGRAM_BINS; bin++)
    histogram->bins[bin] += other->bins[bin];
}

gint64
robocache_histogram_quantile (const RobocacheHistogram *histogram, gdouble q)
{
  const guint64 rank = MAX ((guint64) 1, (guint64) (q * (gdouble) histogram->n + 0.9999999));
  guint64 seen = 0;

  if (histogram->n == 0)
    return 0;
  for (guint bin = 0; bin < ROBOCACHE_HISTOGRAM_BINS; bin++) {
    seen += histogram->bins[bin];
    if (seen >= rank)
      return MIN (bin_bound (bin), histogram->max_ns);
  }
  return histogram->max_ns;
}
