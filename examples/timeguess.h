/* robocache: which column of a recording is the time, and in which unit, by its first lines
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_TIMEGUESS_H
#define ROBOCACHE_EXAMPLES_TIMEGUESS_H

#include <stdio.h>

#include "gst/parse/records/recordtime.h"

G_BEGIN_DECLS

typedef struct
{
  guint column;
  RobocacheTimeUnit unit;
  gchar *reason;                /* NULL: the unit was given */
  gdouble step_s;               /* median time between rows; 0 when there is but one time */
} TimeGuess;

/* Reads the beginning of file. What is given is NULL or wins: a delimiter, a column by number or name, a unit by name.
 * FALSE and an error that says what to give. */
gboolean time_guess (TimeGuess * guess, FILE * file, const gchar * delimiter, const gchar * column, const gchar * unit,
    GError ** error);

/* The number of the column with the time of arrival, given by number or name. FALSE and an error when there is no such
 * column, or no number in it. */
gboolean time_column_find (gint * number, FILE * file, const gchar * delimiter, const gchar * column, GError ** error);

G_END_DECLS
#endif
