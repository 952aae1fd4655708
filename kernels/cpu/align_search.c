/* robocache: the brackets of many ticks of an episode
 *
 * A search whose step needs the one before waits for the cache all the time. Here ticks do not wait for each other: rows
 * are expected on a line from the first tick to the last, which are at hand, and where they are from there is one comparison
 * of neighbours away. Positions and then brackets, in two loops: each has several ticks under way in the processor.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "align_search.h"

/* rc_lower_bound of what each tick is searched by. */
static void
find_firsts (const RcSearch *search, const int64_t *times, int64_t n, const int64_t *ticks, int64_t n_ticks,
    RcCpuCursor *cursor, int64_t *firsts)
{
  const int64_t row = cursor->row, expected = row + cursor->advance;
  const int64_t last = rc_lower_bound_near (times, n, expected, rc_search_time (search, ticks[n_ticks - 1]));
  const double step = (double) (last - row) / (double) n_ticks;
  int64_t k;

  for (k = 0; k < n_ticks; k++)
    firsts[k] = rc_lower_bound_near (times, n, row + (int64_t) ((double) (k + 1) * step),
        rc_search_time (search, ticks[k]));
  cursor->row = last;
  cursor->advance = last - row;
}

/* Inlined with an interpolation that is known, so that nothing is asked of it tick by tick. */
static inline __attribute__ ((always_inline)) void
find_brackets (RcInterpolation interpolation, const RcSearch *search, const int64_t *times, int64_t n,
    const int64_t *ticks, int64_t n_ticks, RcCpuCursor *cursor, RcBracket *brackets)
{
  RcSearch known = *search;
  int64_t firsts[RC_CPU_TICKS], k;

  known.interpolation = interpolation;
  find_firsts (&known, times, n, ticks, n_ticks, cursor, firsts);
  for (k = 0; k < n_ticks; k++)
    brackets[k] = rc_bracket_at (&known, times, n, firsts[k], ticks[k]);
}

void
RC_LEVEL_NAME (rc_cpu_find_brackets) (const RcSearch *search, const int64_t *times, int64_t n, const int64_t *ticks,
    int64_t n_ticks, RcCpuCursor *cursor, RcBracket *brackets)
{
  if (search->interpolation == RC_LINEAR)
    find_brackets (RC_LINEAR, search, times, n, ticks, n_ticks, cursor, brackets);
  else
    find_brackets (search->interpolation, search, times, n, ticks, n_ticks, cursor, brackets);
}
