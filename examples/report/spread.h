/* robocache: how durations of either sign are spread
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_SPREAD_H
#define REPORT_SPREAD_H

#include "common/rows/histogram.h"

G_BEGIN_DECLS

/* Two histograms, of the durations below 0 and of the others. Bins are at most 3.2 % wide. */
typedef struct
{
  RobocacheHistogram *below, *above;    /* NULL: nothing yet */
  guint64 n;
} ReportSpread;

void report_spread_clear (ReportSpread * spread);
void report_spread_add (ReportSpread * spread, gint64 duration_ns);
/* The q-quantile in ns, 0 <= q <= 1; 0 when empty. */
gdouble report_spread_quantile (const ReportSpread * spread, gdouble q);
/* Durations in each of n equal parts of [from_ns, to_ns]. A bin that spans several is divided between them. */
void report_spread_divide (const ReportSpread * spread, gdouble from_ns, gdouble to_ns, gdouble * parts, guint n);

G_END_DECLS
#endif
