/* robocache: a random alignment of many streams, run on every backend
 *
 * A case is a function of its seed and its wish. All of its memory is regions of one arena.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/align.h"
#include "tests/kernels/suite.h"

#define CASE_STREAMS 100
#define ANY_DTYPE RC_N_DTYPES
#define ANY_INTERPOLATION (RC_LOWPASS + 1)
#define RANDOM_SIZE (-1)

typedef struct
{
  RcDtype in, out;              /* or ANY_DTYPE */
  int interpolation;            /* or ANY_INTERPOLATION */
  int n_streams;
  int64_t batch, rows, ticks, channels; /* or RANDOM_SIZE */
  int plain;                    /* aligned, dense, increasing times, nothing absent: the fast paths */
  int share;                    /* episodes share rows and times */
  int together;                 /* special channels that kernels read several at a time: rates or quaternions */
  int ends_badly;               /* some times decrease near the end of each episode, where all ticks are */
  int tame;                     /* numbers and times that the oracle can follow, always and not in half of the cases */
  int dense;                    /* lowpass: rows that mostly cover its filters */
  int rotations;                /* angles and quaternions go on from row to row, through turns, their limits and both signs */
} AlignWish;

typedef struct
{
  uint64_t seed, random;
  int is_tame, has_rotations, is_dense;
  RcAlignStreamSpec specs[CASE_STREAMS];
  RcAlignStreamArgs streams[CASE_STREAMS];      /* host addresses */
  /* the same in times where streams has brackets; where it cannot be in times, equal to streams */
  RcAlignStreamArgs searched[CASE_STREAMS];
  int32_t lists[CASE_STREAMS][4][16];
  RcAlignSpec spec;
  RcAlignArgs args;
} AlignCase;

/* Clears the arena and fills it with the case. */
void align_case_make (AlignCase * c, const AlignWish * wish, uint64_t seed, Arena * arena);

/* The case in words. Valid until the next call in this thread. */
const char *align_case_text (const AlignCase * c);

/* Runs the case on the reference and on each place, and compares: with the oracle where it is tame, and bit for bit. */
void align_case_check (const AlignCase * c, Arena * arena, const Place * reference, const Place * places, int n_places,
    Test * test);

/* The parts of align_case_check. rc_align_run gets args with addresses of the place; it may be captured. */
typedef struct
{
  const Place *place;
  RcAlignStreamArgs streams[CASE_STREAMS];
  RcAlignArgs args;
  RcAlignPlan *plan;
  Scratch scratch;
} PlacedAlign;

/* Copies the case to the place and makes a plan there. Returns whether that succeeded; call align_leave in any case. */
int align_place (const AlignCase * c, Arena * arena, const Place * place, PlacedAlign * placed, Test * test);
void align_run_reference (const AlignCase * c, const Place * reference, Test * test);
void align_leave (PlacedAlign * placed, Test * test);

/* Sections of other files. */
void check_written_alignments (Suite * suite);
void check_order_of_operations (Suite * suite);
void check_align_errors (Suite * suite);
