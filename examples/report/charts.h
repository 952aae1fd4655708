/* robocache: the charts of a report
 *
 * Each appends a picture, or nothing and FALSE where it has no data.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_CHARTS_H
#define REPORT_CHARTS_H

#include "report.h"

G_BEGIN_DECLS

/* The time that all charts of a page have, and the distance of ticks. */
typedef struct
{
  gint64 begin_ns, end_ns;      /* end > begin */
  gint64 tick_period_ns;        /* 0: unknown */
} ReportSpan;

/* Of the whole stream: status of its ticks; small: a strip without an axis */
gboolean report_chart_status (GString * out, const ReportStream * stream, const ReportSpan * span, gboolean is_small);
gboolean report_chart_rate (GString * out, const ReportStream * stream, const ReportSpan * span);

/* A third of the page: how durations are spread. least_ns: half the width that it has at least. */
gboolean report_chart_spread (GString * out, const gchar * label, const ReportSpread * spread, gboolean is_symmetric,
    gdouble least_ns);

/* A channel before and after alignment: over the session, and in the excerpt. is_last: with numbers of the time axis */
gboolean report_chart_signal (GString * out, const ReportStream * stream, guint channel, const ReportSpan * span, gboolean is_last);
gboolean report_chart_excerpt (GString * out, const ReportStream * stream, guint channel, const ReportSpan * span, gboolean is_last);

/* Delays of ticks. */
gboolean report_chart_delay (GString * out, const gchar * label, const ReportTimeline * delays, const ReportSpan * span);

G_END_DECLS
#endif
