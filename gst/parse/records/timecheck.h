/* robocache: a check of the times of a recording's first rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_TIMECHECK_H
#define ROBOCACHE_TIMECHECK_H

#include "timeguess.h"

G_BEGIN_DECLS

/* Rows that an element judges. */
#define ROBOCACHE_TIME_CHECK_ROWS 100

/* A zeroed struct is empty. */
typedef struct
{
  gint64 times[ROBOCACHE_TIME_CHECK_ROWS];      /* ns, in the order of the file */
  guint n;
} RobocacheTimeCheck;

/* Adds the time of a row. TRUE: the check has all rows that it judges, and ignores more. */
gboolean robocache_time_check_add (RobocacheTimeCheck * check, gint64 time_ns);

typedef enum
{
  ROBOCACHE_TIMES_FIT,
  ROBOCACHE_TIMES_DOUBTFUL,     /* but the user chose the column and the unit, or the rows are nearly in order */
  ROBOCACHE_TIMES_IMPOSSIBLE    /* and the element chose the column, or the unit */
} RobocacheTimeVerdict;

/* The verdict on the first n times of a recording (ns, in its order) and, unless they fit, what is wrong with them and what to
 * set: free with g_free. */
RobocacheTimeVerdict robocache_times_judge (const gint64 * times, gsize n, const RobocacheTimeSource * source, gchar ** fault);

/* Median step of times that are sorted by this function, equal ones left out (ns); 0: they are all equal. */
gint64 robocache_time_median_step (gint64 * times, gsize n);

G_END_DECLS
#endif
