/* robocache: what happened over time, in a bounded number of columns
 *
 * A column is as wide as a power of two times a millisecond. Where the time would need more columns, pairs of them become one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_TIMELINE_H
#define REPORT_TIMELINE_H

#include <glib.h>

G_BEGIN_DECLS

#define REPORT_MAX_COLUMNS 1024
#define REPORT_N_KINDS 3

typedef struct
{
  guint64 n[REPORT_N_KINDS];    /* of each kind */
  gdouble min, max, sum;        /* of all values */
} ReportColumn;

typedef struct
{
  gint64 width_ns;
  gint64 first;                 /* the first column begins at first * width_ns */
  guint n_columns;              /* from the first used one to the last */
  guint64 n;                    /* all that was added */
  ReportColumn *columns;        /* NULL: nothing yet */
} ReportTimeline;

void report_timeline_clear (ReportTimeline * timeline);
/* kind < REPORT_N_KINDS; the value is finite. */
void report_timeline_add (ReportTimeline * timeline, gint64 time_ns, guint kind, gdouble value);

/* The same with at most max columns, each at least min_width_ns wide. Free with report_timeline_clear. */
ReportTimeline report_timeline_coarsen (const ReportTimeline * timeline, guint max, gint64 min_width_ns);

/* Sum of all kinds. */
guint64 report_column_n (const ReportColumn * column);

G_END_DECLS
#endif
