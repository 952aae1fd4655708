/* robocache: a second of a session, row by row and tick by tick
 *
 * Where the session is long enough, the second begins 1, 2, 4, 8 … seconds after its beginning: the last ones are kept, so that one
 * of the later half is left whenever the session ends.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_EXCERPT_H
#define REPORT_EXCERPT_H

#include <glib.h>

G_BEGIN_DECLS

#define REPORT_N_EXCERPTS 3

/* Points of a second: a time, then a value for each channel. */
typedef struct
{
  GArray *times;                /* of gint64 */
  GArray *values;               /* of gdouble, n_channels for each time; may be NaN */
} ReportPoints;

typedef struct
{
  gint number;                  /* which second; -1: unused */
  ReportPoints rows, ticks;
} ReportSecond;

typedef struct
{
  gint64 begin_ns;              /* of the session */
  guint n_channels;
  ReportSecond seconds[REPORT_N_EXCERPTS];
} ReportExcerpt;

void report_excerpt_init (ReportExcerpt * excerpt, gint64 begin_ns, guint n_channels);
void report_excerpt_clear (ReportExcerpt * excerpt);
void report_excerpt_add (ReportExcerpt * excerpt, gboolean is_tick, gint64 time_ns, const gdouble * values);
/* The latest second with both rows and ticks; else the latest with any. NULL: none. */
const ReportSecond *report_excerpt_choose (const ReportExcerpt * excerpt);
/* Moves the ticks of another one, of the same session and number of channels, to this one. */
void report_excerpt_take_ticks (ReportExcerpt * excerpt, ReportExcerpt * other);

G_END_DECLS
#endif
