/* robocache: a random alignment of many streams, run on the CPU and on the GPU
 *
 * A case is a function of its seed and its wish. All of its memory is regions of one arena. The GPU works on a copy of
 * it and is right when the arena, brought back, is byte for byte what the CPU has made of it: outputs, statuses and
 * counters the same, and everything else, padding included, untouched.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TEST_ALIGNCASE_H
#define TEST_ALIGNCASE_H

#include "arena.h"
#include "kernels/align.h"
#include "report.h"

#define CASE_STREAMS 100
#define ANY_DTYPE RC_N_DTYPES
#define ANY_INTERPOLATION (RC_MEAN + 1)
#define RANDOM_SIZE (-1)

typedef struct
{
  RcDtype in, out;              /* or ANY_DTYPE */
  int interpolation;            /* or ANY_INTERPOLATION */
  int n_streams;
  int64_t batch, rows, ticks, channels; /* or RANDOM_SIZE */
  int plain;                    /* aligned, dense, increasing times, nothing absent: what is fast */
  int share;                    /* episodes share rows and times */
  int together;                 /* special channels that kernels can take several of at a time: rates or quaternions */
  int ends_badly;               /* some times go back near the end of each episode, where all ticks are */
} CaseWish;

typedef struct
{
  uint64_t seed;
  uint64_t state;               /* of the random numbers */
  RcAlignStreamSpec specs[CASE_STREAMS];
  RcAlignStreamArgs streams[CASE_STREAMS];      /* host addresses */
  int32_t lists[CASE_STREAMS][3][16];
  RcAlignSpec spec;
  RcAlignArgs args;
} AlignCase;

uint64_t case_random (AlignCase * c);
/* A number of low … high. */
int64_t case_range (AlignCase * c, int64_t low, int64_t high);

/* Clears the arena and fills it with the case; 0 when it does not fit. */
int case_make (AlignCase * c, const CaseWish * wish, uint64_t seed, Arena * arena);

/* What the case is, for messages. Valid until the next call in this thread. */
const char *case_text (const AlignCase * c);

/* Runs the case on both, and compares. */
void case_check (const AlignCase * c, Arena * arena, const Gpu * gpu, RcBackend * cpu, Test * test);

/* The parts of case_check. rc_align_run gets args with addresses of the device; it may be captured. */
typedef struct
{
  RcAlignStreamArgs streams[CASE_STREAMS];
  RcAlignArgs args;
  RcAlignPlan *plan;
  void *scratch;
} DeviceCase;

int case_to_device (const AlignCase * c, Arena * arena, const Gpu * gpu, DeviceCase * device, Test * test);
void case_run_cpu (const AlignCase * c, RcBackend * cpu, Test * test);
/* Waits for the stream, brings the arena back and compares it with what the CPU made. */
void case_compare (const AlignCase * c, Arena * arena, const Gpu * gpu, Test * test);
void case_leave_device (DeviceCase * device);

#endif
