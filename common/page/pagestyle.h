/* robocache: what a report and the live page share beside numbers: the style sheet and the words
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* Streams have the classes accent-0 to accent-(N-1); marks of charts have the classes aligned, held, missing, before, line, area and bar. */
#define ROBOCACHE_PAGE_N_ACCENTS 8

extern const char robocache_page_style[];

/* ---- headings of charts, and what they mean ---- */

#define ROBOCACHE_WORDS_LAG "Lag"
#define ROBOCACHE_WORDS_LAG_MEANING "of ticks: from the tick to its sample"
#define ROBOCACHE_WORDS_STATUS "Status"
#define ROBOCACHE_WORDS_STATUS_MEANING "of its ticks"
#define ROBOCACHE_WORDS_AGE "Age"
#define ROBOCACHE_WORDS_AGE_MEANING "at ticks, % of ticks"
#define ROBOCACHE_WORDS_SIGNAL "Signal"
#define ROBOCACHE_WORDS_BEFORE "rows, before alignment"
#define ROBOCACHE_WORDS_AFTER "ticks, after alignment"

/* ---- what is wrong: formats for the name of a stream, and a share of ticks ---- */

#define ROBOCACHE_WORDS_MISSING_ALWAYS "%s is missing in every tick"
#define ROBOCACHE_WORDS_HELD "%s repeats its last row in %s of the ticks, because no newer row had arrived"
#define ROBOCACHE_WORDS_NO_ROW "%s has no row"
#define ROBOCACHE_WORDS_ALL_WELL "Every tick has a row of every stream, and no row is lost."
