/* robocache: a check of the times of a recording's first rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "timeguess.h"

/* Number of rows that an element checks. */
#define ROBOCACHE_TIME_CHECK_ROWS 100

/* A zeroed struct is empty. */
typedef struct
{
  gint64 times[ROBOCACHE_TIME_CHECK_ROWS];      /* ns, in the order of the file */
  guint n;
} RobocacheTimeCheck;

/* Adds the time of a row. TRUE: the check has all rows that it needs, and ignores more. */
gboolean robocache_time_check_add (RobocacheTimeCheck * check, gint64 time_ns);

typedef enum
{
  ROBOCACHE_TIMES_FIT,
  ROBOCACHE_TIMES_DOUBTFUL,     /* wrong, but the user chose the column and the unit, or the rows are nearly in order */
  ROBOCACHE_TIMES_IMPOSSIBLE    /* wrong, and the element chose the column or the unit */
} RobocacheTimeVerdict;

/* Checks the first n times of a recording (ns, in its order). Unless they are plausible, *fault describes the fault and the property to
 * set: free with g_free. */
RobocacheTimeVerdict robocache_times_judge (const gint64 * times, gsize n, const RobocacheTimeSource * source, gchar ** fault);

/* Sorts times, and returns their median step without steps of 0 (ns); 0: all times are equal. */
gint64 robocache_time_median_step (gint64 * times, gsize n);
