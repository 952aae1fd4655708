/* robocache: a distribution of durations
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* A distribution of durations with fixed bins: each power of two of ns has 32 equal bins, so a quantile is at most 3.2 % above the true
 * quantile. Negative values count as 0. */
#define ROBOCACHE_HISTOGRAM_BINS (60 * 32)

/* A zeroed struct is a valid empty histogram. */
typedef struct
{
  guint64 n;
  gint64 max_ns;
  guint32 bins[ROBOCACHE_HISTOGRAM_BINS];
} RobocacheHistogram;

void robocache_histogram_add (RobocacheHistogram * histogram, gint64 duration_ns);
/* Adds the values of another histogram. */
void robocache_histogram_merge (RobocacheHistogram * histogram, const RobocacheHistogram * other);
/* Upper bound of the bin of the q-quantile (0 < q <= 1), at most max_ns; 0: empty. */
gint64 robocache_histogram_quantile (const RobocacheHistogram * histogram, gdouble q);
