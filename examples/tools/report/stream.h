/* robocache: the data of a report about one stream
 *
 * Its memory does not grow with the length of the session.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/rows/decimationcheck.h"
#include "series.h"

#define REPORT_NO_TIME G_MININT64

/* A report draws all channels of a stream with at most the first number, otherwise as many as the second. */
#define REPORT_MAX_CHANNELS 16
#define REPORT_MANY_CHANNELS 8

/* Kinds of the status timeline, as in a sample. */
enum
{ REPORT_ALIGNED, REPORT_HELD, REPORT_MISSING };

/* The number of input rows with the same fate. */
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
  gchar *aligned_as;            /* the stream's name in samples, if it differs; otherwise NULL */
  gchar *kind;                  /* "14 channels of float32"; NULL: unknown */
  gchar **channel_names;        /* NULL: channels have only numbers */
  guint n_channels, n_drawn;    /* 0: no signal is drawn */

  /* rows */
  guint64 n_rows, n_untimed, n_disordered, n_gaps, n_nonfinite;
  gint64 first_ns, last_ns;     /* the least and the greatest time; REPORT_NO_TIME: none */
  gint64 period_ns;             /* median of the first intervals; 0: unknown */
  GArray *first_intervals;      /* elements are gint64; kept until the period is known */
  GArray *gaps;                 /* elements are ReportGap: the longest gaps */
  ReportTimeline rows;
  ReportSpread jitter, lateness;
  gboolean has_arrivals;        /* the lateness of rows is known */

  /* ticks */
  ReportTimeline status;        /* the kind is the status */
  ReportSpread age;
  guint64 n_ticks;
  gint64 first_tick_ns, last_tick_ns;
  guint32 unfiltered;           /* channels of which decimation is not measured, by their kinds */
  RobocacheDecimationCheck decimation;  /* of the rows' channels that are drawn */

  ReportTimeline *before, *after;       /* [n_drawn] */
  ReportExcerpt excerpt;

  /* the account of input rows */
  gchar *total_label;           /* NULL: no account */
  guint64 total;
  GArray *counts;               /* elements are ReportCount; their sum is the total */
  GPtrArray *notes;             /* elements are texts */
} ReportStream;

ReportStream *report_stream_new (const gchar * name, gint64 session_begin_ns);
void report_stream_free (ReportStream * stream);

/* Describes the rows; to be called once. names: one per channel, or NULL. */
void report_stream_set_channels (ReportStream * stream, const gchar * dtype, guint n_channels, const gchar * const *names);

/* Adds a row: its time of capture or REPORT_NO_TIME, and its channels, or NULL if no signal is drawn. */
void report_stream_add_row (ReportStream * stream, gint64 time_ns, const gdouble * values);
/* Removes the times and values of all rows so far, but keeps their count. */
void report_stream_forget_times (ReportStream * stream);
/* Adds the duration from the capture of a row to its arrival. */
void report_stream_add_lateness (ReportStream * stream, gint64 lateness_ns);
/* Adds a tick. age_ns: REPORT_NO_TIME if no row is before the tick; values: NULL or not finite if the tick has none. */
void report_stream_add_tick (ReportStream * stream, gint64 tick_ns, guint status, gint64 age_ns, const gdouble * values);
/* Adds only the values of a tick; NULL: no values. */
void report_stream_add_aligned (ReportStream * stream, gint64 tick_ns, const gdouble * values);
/* To be called after all rows were added. */
void report_stream_finish (ReportStream * stream);

/* Moves the ticks of another stream, with the same channels and session, to this one. */
void report_stream_take_ticks (ReportStream * stream, ReportStream * other);

/* Sets the account: first a total, then its parts. Parts of 0 rows are left out, unless always is set. */
void report_stream_set_total (ReportStream * stream, const gchar * label, guint64 total);
void report_stream_add_count (ReportStream * stream, const gchar * label, guint64 n, gboolean always);
/* The rows of the total that are in no part. */
gint64 report_stream_get_rest (const ReportStream * stream);
void report_stream_add_note (ReportStream * stream, const gchar * format, ...) G_GNUC_PRINTF (2, 3);

/* Describes the content of each channel that ticks are too slow for. Free with g_free; NULL: none. */
gchar *report_stream_describe_decimation (const ReportStream * stream);

/* The name of a channel in this stream. Free with g_free. */
gchar *report_stream_channel_name (const ReportStream * stream, guint channel);
