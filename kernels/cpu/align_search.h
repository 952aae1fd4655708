/* robocache: the brackets of many ticks of an episode, built once for each instruction set
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_CPU_ALIGN_SEARCH_H
#define RC_CPU_ALIGN_SEARCH_H

#include "cpu.h"

/* How far a search has come. Ticks in order, at about as many rows from one to the next, are found where they are expected;
 * any others are found, too. Begin with zeros. */
typedef struct RcCpuCursor
{
  int64_t row;                  /* the first one at or after the last tick */
  int64_t advance;              /* rows from the ticks before to the last ones */
} RcCpuCursor;

/* rc_bracket_find of each of the RC_CPU_TICKS ticks, or fewer, in n > 0 times that never decrease. */
void RC_LEVEL_NAME (rc_cpu_find_brackets) (const RcSearch * search, const int64_t * times, int64_t n,
    const int64_t * ticks, int64_t n_ticks, RcCpuCursor * cursor, RcBracket * brackets);

#endif
