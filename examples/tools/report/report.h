/* robocache: the data of a report about a session: its streams and its ticks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "stream.h"

typedef struct
{
  gchar *title;                 /* title of the session: a file, or the program */
  gint64 begin_ns;              /* begin of the session, on the clock of all times */
  gint64 epoch_ns;              /* UTC of time 0; REPORT_NO_TIME: unknown */
  GPtrArray *streams;           /* elements are ReportStream */
  GHashTable *streams_by_name;  /* names as they were when the streams were made */
  GPtrArray *notes;             /* elements are texts */
  GPtrArray *settings;          /* elements are texts "fuse.rate=50/1": settings of the element that made the ticks, sorted; empty: unknown */

  guint64 n_ticks, n_dropped_ticks;
  gint64 first_tick_ns, last_tick_ns;
  /* only for live sessions */
  ReportTimeline lag, lateness; /* values: ns */
  ReportSpread lags, latenesses;
  const gchar *lateness_meaning;        /* a constant text */
} Report;

Report *report_new (const gchar * title, gint64 begin_ns);
void report_free (Report * report);

/* The stream of that name; it is created if there is none. */
ReportStream *report_get_stream (Report * report, const gchar * name);
/* Gives streams names for people, which their settings have, too. names: by the streams' names, of which a new name may be one. */
void report_rename_streams (Report * report, GHashTable * names);
void report_remove_stream (Report * report, ReportStream * stream);
void report_add_note (Report * report, const gchar * format, ...) G_GNUC_PRINTF (2, 3);

/* Adds a tick. lag_ns: from the tick to the decision of its sample; REPORT_NO_TIME: not live. */
void report_add_tick (Report * report, gint64 tick_ns, gint64 lag_ns, gint64 lateness_ns);

/* The times of the earliest and the latest row or tick. FALSE: there is no row or tick. */
gboolean report_get_extent (const Report * report, gint64 * begin_ns, gint64 * end_ns);
/* verdict.c: what is wrong in the session, in words, one finding a text. Free with g_ptr_array_unref. */
GPtrArray *report_find_faults (const Report * report);
/* Mean period of ticks in ns; 0: fewer than two ticks. */
gint64 report_get_tick_period (const Report * report);
