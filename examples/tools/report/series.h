/* robocache: numbers of a session in bounded memory
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#include "common/rows/histogram.h"

/* ---- distribution of durations of either sign ---- */

/* Two histograms, of the durations below 0 and of the others. Bins are at most 3.2 % wide. */
typedef struct
{
  RobocacheHistogram *below, *above;    /* NULL: no duration yet */
  guint64 n;
} ReportSpread;

void report_spread_clear (ReportSpread * spread);
void report_spread_add (ReportSpread * spread, gint64 duration_ns);
/* The q-quantile in ns, 0 <= q <= 1; 0 when there are no durations. */
gdouble report_spread_quantile (const ReportSpread * spread, gdouble q);
/* Counts the durations in each of n equal parts of [from_ns, to_ns]. A bin that spans several parts is divided between them. */
void report_spread_divide (const ReportSpread * spread, gdouble from_ns, gdouble to_ns, gdouble * parts, guint n);

/* ---- counts and values over time, in a bounded number of columns ---- */

/* The width of a column is a power of two times a millisecond. If a timeline would need more columns, pairs of columns are merged. */

#define REPORT_MAX_COLUMNS 1024
#define REPORT_N_KINDS 3

typedef struct
{
  guint64 n[REPORT_N_KINDS];    /* count of each kind */
  gdouble min, max, sum;        /* minimum, maximum and sum of all values */
} ReportColumn;

typedef struct
{
  gint64 width_ns;
  gint64 first;                 /* the first column begins at first * width_ns */
  guint n_columns;              /* from the first used column to the last */
  guint64 n;                    /* count of everything that was added */
  ReportColumn *columns;        /* NULL: nothing was added yet */
} ReportTimeline;

void report_timeline_clear (ReportTimeline * timeline);
/* Adds an event of a kind < REPORT_N_KINDS, with a finite value. */
void report_timeline_add (ReportTimeline * timeline, gint64 time_ns, guint kind, gdouble value);

/* Returns a copy with at most max columns, each at least min_width_ns wide. Free with report_timeline_clear. */
ReportTimeline report_timeline_coarsen (const ReportTimeline * timeline, guint max, gint64 min_width_ns);

/* The count of a kind, and of a column's kinds. */
guint64 report_timeline_count (const ReportTimeline * timeline, guint kind);
guint64 report_column_n (const ReportColumn * column);

/* ---- a second of a session, row by row and tick by tick ---- */

/* Seconds are recorded 1, 2, 4, 8 … seconds after the beginning of the session. The last few are kept, so that at any end of the session
 * one from its later half is available. */

#define REPORT_N_EXCERPTS 3

/* The points of a second: their times, and a value for each channel. */
typedef struct
{
  GArray *times;                /* elements are gint64 */
  GArray *values;               /* elements are gdouble, n_channels for each time; may be NaN */
} ReportPoints;

typedef struct
{
  gint number;                  /* number of the second; -1: unused */
  ReportPoints rows, ticks;
} ReportSecond;

typedef struct
{
  gint64 begin_ns;              /* begin of the session */
  guint n_channels;
  ReportSecond seconds[REPORT_N_EXCERPTS];
} ReportExcerpt;

void report_excerpt_init (ReportExcerpt * excerpt, gint64 begin_ns, guint n_channels);
void report_excerpt_clear (ReportExcerpt * excerpt);
void report_excerpt_add (ReportExcerpt * excerpt, gboolean is_tick, gint64 time_ns, const gdouble * values);
/* The latest second with both rows and ticks, otherwise the latest with either. NULL: there is none. */
const ReportSecond *report_excerpt_choose (const ReportExcerpt * excerpt);
/* Moves the ticks of another excerpt, with the same session and number of channels, to this one. */
void report_excerpt_take_ticks (ReportExcerpt * excerpt, ReportExcerpt * other);
