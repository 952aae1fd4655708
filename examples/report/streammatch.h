/* robocache: which stream of a recording is which of its samples
 *
 * A stream of samples has the name of a pad, and its rows a topic. They belong together if the topic ends in that name; else if the
 * rows that samples used, by their times, are rows of that topic alone.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_STREAMMATCH_H
#define REPORT_STREAMMATCH_H

#include "report.h"

G_BEGIN_DECLS

typedef struct _ReportMatch ReportMatch;
ReportMatch *report_match_new (void);
void report_match_free (ReportMatch * match);

/* A row of a stream, in order of arrival. */
void report_match_add_row (ReportMatch * match, ReportStream * input, gint64 time_ns);
/* A sample's stream used a row of that time, which arrived before. */
void report_match_add_use (ReportMatch * match, ReportStream * fused, gint64 row_time_ns);

/* The input of a stream of samples; NULL: unknown. */
ReportStream *report_match_find (const ReportMatch * match, const ReportStream * fused, const gchar * pad_name);

G_END_DECLS
#endif
