/* robocache: guesses the time column of a recording and its unit from names and steps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_TIMEGUESS_H
#define ROBOCACHE_TIMEGUESS_H

#include "common/text/timetext.h"

G_BEGIN_DECLS

/* The source of a choice of column or unit. */
typedef enum
{
  ROBOCACHE_CHOSEN_BY_DEFAULT,
  ROBOCACHE_CHOSEN_BY_NAME,     /* by a name in the header */
  ROBOCACHE_CHOSEN_BY_USER
} RobocacheChoice;

/* The column and unit of a recording's times. */
typedef struct
{
  guint column;                 /* from 0 */
  RobocacheChoice column_by;
  RobocacheTimeUnit unit;       /* never auto */
  RobocacheChoice unit_by;
  gboolean has_dates;           /* a time was a date, which has no unit */
  gchar *name;                  /* name of the column; NULL without a header */
  gboolean is_unlikely;         /* the default column, whose name is not that of a time */
  gchar *others;                /* names of other columns that may be times, or NULL */
} RobocacheTimeSource;

void robocache_time_source_clear (RobocacheTimeSource * source);

/* Sets what the user did not set, from the names of n columns; names NULL: no header. The column is one named stamp,
 * timestamp, time or t, in this order, with or without a unit ("stamp_ns", "t [ms]"), or else column 0. The unit is the one in
 * its name, or else s. column < 0 and ROBOCACHE_TIME_UNIT_AUTO: not set. arrival_column (-1: none) is not a candidate. */
void robocache_time_source_guess (RobocacheTimeSource * source, gchar ** names, guint n, gint column,
    RobocacheTimeUnit unit, gint arrival_column);

/* Whether a sensor may have this step: 10 us to 100 s. */
gboolean robocache_time_step_is_possible (gdouble step_s);
/* The unit in which a step is usual for a sensor, 0.5 Hz to 20 kHz; if several units fit, the one whose rate is nearest to 100 Hz. FALSE:
 * none. */
gboolean robocache_time_unit_of_step (gdouble step, RobocacheTimeUnit * unit);
/* The same, for times near `time` that are in the years 2000 to 2100 with this unit. */
gboolean robocache_time_unit_of_date (gdouble time, gdouble step, RobocacheTimeUnit * unit);

/* Length of a unit in seconds. */
gdouble robocache_time_unit_seconds (RobocacheTimeUnit unit);

G_END_DECLS
#endif
