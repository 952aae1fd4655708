/* robocache: holds of a search, and the rows of a bracket
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "brackets.h"

#include "common/time/nanoseconds.h"

/* ---- holds ---- */

#define USUAL_HOLD_LIMIT (200 * ROBOCACHE_MSECOND)

void
robocache_search_set_holds (RcSearch *search, gboolean has_holds, gboolean are_all_held)
{
  const gboolean is_auto = search->hold_limit_ns == ROBOCACHE_HOLD_LIMIT_AUTO;

  search->has_holds = has_holds != FALSE;
  if (is_auto)
    search->hold_limit_ns = are_all_held ? -1 : USUAL_HOLD_LIMIT;
  if (!are_all_held)
    return;
  search->interpolation = RC_PREVIOUS;  /* waits for no row after the tick */
  search->max_gap_ns = search->hold_limit_ns;
}

/* ---- brackets of gathered rows ---- */

/* Of a sum, the row before its first one may be held. */
gint64
robocache_bracket_first (const RcBracket *bracket)
{
  return MIN (bracket->row, bracket->hold);
}

guint64
robocache_bracket_rows (const RcBracket *bracket, gint64 *rows)
{
  switch (bracket->blend) {
    case RC_BLEND_NONE:
      return 0;
    case RC_BLEND_COPY:
      rows[0] = bracket->row;
      rows[1] = bracket->hold;
      return bracket->hold == bracket->row ? 1 : 2;
    case RC_BLEND_MEAN:
    case RC_BLEND_LOWPASS:
      return (guint64) (bracket->next - robocache_bracket_first (bracket));
    default:
      rows[0] = bracket->row;
      rows[1] = bracket->next;
      rows[2] = bracket->before;
      rows[3] = bracket->after;
      return bracket->blend == RC_BLEND_CUBIC ? 4 : 2;
  }
}

RcBracket
robocache_bracket_of_gathered (const RcBracket *bracket)
{
  const gint64 first = robocache_bracket_first (bracket);
  RcBracket gathered = *bracket;

  if (rc_bracket_is_sum (bracket)) {
    gathered.row = bracket->row - first;
    gathered.next = bracket->next - first;
    gathered.hold = bracket->hold - first;
    if (bracket->blend == RC_BLEND_MEAN)
      gathered.before = gathered.after = gathered.row;
    return gathered;
  }
  gathered.row = 0;
  gathered.next = 1;
  gathered.hold = bracket->blend == RC_BLEND_COPY && bracket->hold != bracket->row;
  gathered.before = bracket->blend == RC_BLEND_CUBIC ? 2 : 0;
  gathered.after = bracket->blend == RC_BLEND_CUBIC ? 3 : 0;
  if (bracket->blend == RC_BLEND_COPY)
    gathered.next = 0;
  return gathered;
}
