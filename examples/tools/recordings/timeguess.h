/* robocache: guesses the time column of a recording and its unit, from column names and the first lines
 *
 * The rules for names are those of robocacheparse. robocacheparse assumes seconds if a name has no unit; the programs can read a file
 * twice, so they also use the steps between times.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_TIMEGUESS_H
#define ROBOCACHE_EXAMPLES_TIMEGUESS_H

#include <stdio.h>

#include "gst/parse/records/timeguess.h"

G_BEGIN_DECLS

typedef struct
{
  RobocacheTimeSource source;
  gchar *unit_reason;           /* why this unit was chosen; NULL: the user has set it */
} TimeGuess;

/* Fills in a zeroed guess from the beginning of file or, if its rows are not in order, from the whole file. delimiter, column (a number
 * or name) and unit (a name) are NULL if the user did not set them. The time is never in arrival_column (-1: no such column). FALSE and
 * an error that says which option to set. */
gboolean time_guess (TimeGuess * guess, FILE * file, const gchar * delimiter, const gchar * column, const gchar * unit,
    gint arrival_column, GError ** error);
void time_guess_clear (TimeGuess * guess);

/* Finds the number of the column with the time of arrival, which is given by number or name. FALSE and an error when there is no such
 * column, or it has no number. */
gboolean time_column_find (gint * number, FILE * file, const gchar * delimiter, const gchar * column, GError ** error);

G_END_DECLS
#endif
