/* robocache: holds of a search, and the rows of a bracket
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_BRACKETS_H
#define ROBOCACHE_BRACKETS_H

#include <glib.h>

#include "kernels/interpolation.h"

G_BEGIN_DECLS

/* A hold limit of 200 ms, and none for rows all of whose channels are held. */
#define ROBOCACHE_HOLD_LIMIT_AUTO (-2)
/* Fits a search, whose limit may be that, to rows of which some channels are held, or all: then each row is in force until the next one,
 * or for as long as another limit says. */
void robocache_search_set_holds (RcSearch * search, gboolean has_holds, gboolean are_all_held);

/* The rows of a bracket, and the bracket of the same rows when they lie one after another from 0 on: writes their indices,
 * unless it is of a mean or lowpass, whose rows are those from robocache_bracket_first on, and of others at most four; and returns
 * how many there are. */
gint64 robocache_bracket_first (const RcBracket * bracket);
guint64 robocache_bracket_rows (const RcBracket * bracket, gint64 * rows);
RcBracket robocache_bracket_of_gathered (const RcBracket * bracket);

G_END_DECLS
#endif
