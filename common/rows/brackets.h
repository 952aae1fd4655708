/* robocache: sets the held channels of a search, and lists the rows of a bracket
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#include "kernels/interpolation.h"

/* A hold limit of 200 ms; no limit if all channels of the rows are held. */
#define ROBOCACHE_HOLD_LIMIT_AUTO (-2)
/* Adapts a search to rows of which some or all channels are held. Its hold limit may be ROBOCACHE_HOLD_LIMIT_AUTO. If all channels are held,
 * each row is in force until the next row, but at most for the hold limit. */
void robocache_search_set_holds (RcSearch * search, gboolean has_holds, gboolean are_all_held);

/* Index of the first row of a mean or lowpass, its held row included. */
gint64 robocache_bracket_first (const RcBracket * bracket);
/* Number of rows of a bracket. Writes their indices, at most four, to rows, except for a mean or lowpass: its rows are consecutive, from
 * robocache_bracket_first on. */
guint64 robocache_bracket_rows (const RcBracket * bracket, gint64 * rows);
/* The bracket of the same rows once they are gathered, one after another from index 0 on. */
RcBracket robocache_bracket_of_gathered (const RcBracket * bracket);
