/* robocache: the brackets of many ticks of an episode, built once for each instruction set
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "cpu.h"

/* The state of a search. The rows of the next tick are expected as many rows later as for the tick before; the guess makes the search
 * fast if ticks are in order and evenly spaced, and any other tick is found, too. Begin with zeros. */
typedef struct RcCpuCursor
{
  int64_t row;                  /* the first row at or after the last tick */
  int64_t advance;              /* rows between the ticks of the last two calls */
} RcCpuCursor;

/* Calls rc_bracket_find for each of at most RC_CPU_TICKS ticks, in n > 0 times that never decrease. */
void RC_LEVEL_NAME (rc_cpu_find_brackets) (const RcSearch * search, const int64_t * times, int64_t n,
    const int64_t * ticks, int64_t n_ticks, RcCpuCursor * cursor, RcBracket * brackets);
