/* robocache: which column of a recording is the time, and in which unit, by its names and its first lines
 *
 * The rules for names are robocacheparse's. It takes seconds where a name has no unit; the programs, which can read a file
 * twice, look at the steps as well.
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
  gchar *unit_reason;           /* NULL: the unit was given */
} TimeGuess;

/* Fills in a zeroed guess from the beginning of file or, where its rows are not in order, from all of it. NULL where the user did
 * not set it: delimiter, column by number or name, unit by name. arrival_column (-1: none) is not the time. FALSE and an error
 * that says what to set. */
gboolean time_guess (TimeGuess * guess, FILE * file, const gchar * delimiter, const gchar * column, const gchar * unit,
    gint arrival_column, GError ** error);
void time_guess_clear (TimeGuess * guess);

/* The number of the column with the time of arrival, given by number or name. FALSE and an error when there is no such
 * column, or no number in it. */
gboolean time_column_find (gint * number, FILE * file, const gchar * delimiter, const gchar * column, GError ** error);

G_END_DECLS
#endif
