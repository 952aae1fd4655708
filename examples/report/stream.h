/* robocache: what a report says of one stream
 *
 * Its memory does not grow with the length of the session.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_STREAM_H
#define REPORT_STREAM_H

#include "excerpt.h"
#include "spread.h"
#include "timeline.h"

G_BEGIN_DECLS

#define REPORT_NO_TIME G_MININT64

/* Channels that are drawn: all of a stream that has no more than the first number, else as many as the second. */
#define REPORT_MAX_CHANNELS 16
#define REPORT_MANY_CHANNELS 8

/* Kinds of the status timeline, as in a sample. */
enum
{ REPORT_ALIGNED, REPORT_HELD, REPORT_MISSING };

/* Rows of one kind, of all that came in. */
typedef struct
{
  gchar *label;
  guint64 n;
} ReportCount;

typedef struct
{
  gint64 begin_ns, end_ns;      /* the rows around it */
} ReportGap;

#define REPORT_MAX_GAPS 64

typedef struct
{
  gchar *name;
  gchar *aligned_as;            /* its name in samples, where that differs; NULL */
  gchar *kind;                  /* "14 channels of float32"; NULL: unknown */
  gchar **channel_names;        /* NULL: numbers */
  guint n_channels, n_drawn;    /* 0: no signal is drawn */

  /* rows */
  guint64 n_rows, n_untimed, n_disordered, n_gaps, n_nonfinite;
  gint64 first_ns, last_ns;     /* the least and the greatest time; REPORT_NO_TIME */
  gint64 period_ns;             /* median of the first intervals; 0: unknown */
  GArray *first_intervals;      /* of gint64, until the period is known */
  GArray *gaps;                 /* of ReportGap: the longest */
  ReportTimeline rows;
  ReportSpread jitter, lateness;
  gboolean has_arrivals;        /* lateness is known */

  /* ticks */
  ReportTimeline status;        /* kinds: by status */
  ReportSpread age;

  ReportTimeline *before, *after;       /* [n_drawn] */
  ReportExcerpt excerpt;

  /* the account of rows */
  gchar *total_label;           /* NULL: none */
  guint64 total;
  GArray *counts;               /* of ReportCount, whose sum is the total */
  GPtrArray *notes;             /* of texts */
} ReportStream;

ReportStream *report_stream_new (const gchar * name, gint64 session_begin_ns);
void report_stream_free (ReportStream * stream);

/* Says what rows are, once. names: as many as channels, or NULL. */
void report_stream_set_channels (ReportStream * stream, const gchar * dtype, guint n_channels, const gchar * const *names);

/* A row: its time of capture or REPORT_NO_TIME, and its channels, or NULL where no signal is drawn. */
void report_stream_add_row (ReportStream * stream, gint64 time_ns, const gdouble * values);
/* How long after its capture a row arrived. */
void report_stream_add_lateness (ReportStream * stream, gint64 lateness_ns);
/* A tick. age_ns: REPORT_NO_TIME where no row is before it; values: NULL, or not finite, where it has none. */
void report_stream_add_tick (ReportStream * stream, gint64 tick_ns, guint status, gint64 age_ns, const gdouble * values);
/* The values of a tick alone; NULL: none. */
void report_stream_add_aligned (ReportStream * stream, gint64 tick_ns, const gdouble * values);
/* To be called when all rows are there. */
void report_stream_finish (ReportStream * stream);

/* Moves ticks of another stream, of the same channels and session, to this one. */
void report_stream_take_ticks (ReportStream * stream, ReportStream * other);

/* The account: a total, then its parts. Parts of 0 rows are left out, unless always is set. */
void report_stream_set_total (ReportStream * stream, const gchar * label, guint64 total);
void report_stream_add_count (ReportStream * stream, const gchar * label, guint64 n, gboolean always);
/* Rows of the total that no part has. */
gint64 report_stream_get_rest (const ReportStream * stream);
void report_stream_add_note (ReportStream * stream, const gchar * format, ...) G_GNUC_PRINTF (2, 3);

/* Its name for a channel. Free with g_free. */
gchar *report_stream_channel_name (const ReportStream * stream, guint channel);

G_END_DECLS
#endif
