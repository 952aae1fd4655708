/* robocache: rows of sensor streams, aligned to ticks
 *
 * Computes, for each stream and each tick T, one output row [channels] and one status, by the arithmetic that
 * docs/explanation/arithmetic.md defines. One resampled stream is an alignment with n_streams = 1.
 *
 * A stream has one of two forms:
 *   brackets  the caller has found the rows of each tick (interpolation.h), and the run only blends them. For live pipelines.
 *   times     the run finds the rows by their times. For recorded episodes, [batch, rows, channels] -> [batch, ticks, channels].
 *
 * Shapes are row-major. Every axis except the innermost has a byte stride, so odd widths, padding and slices of a
 * larger row (concatenation) need no copy. Elements of one row are contiguous, at any address. Lists of int64 and
 * brackets are aligned to 8 bytes, and strides of such lists are multiples of 8. All sizes and indices are 64-bit. The
 * stride of an axis of length 1 is not read.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "backend.h"
#include "interpolation.h"
#include "dtype.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The parameters of one stream that caps and properties fix. rc_align_plan copies the channel lists. */
typedef struct RcAlignStreamSpec
{
  RcDtype in;                   /* dtype of the input rows */
  RcDtype out;                  /* dtype of the output rows */
  int64_t channels;             /* elements of a row, >= 1 */
  RcSearch search;              /* interpolation; for the times form also the limits; has_holds is not read */
  const int32_t *quaternions;   /* first channel of each quaternion of 4 adjacent channels; must not overlap */
  int64_t n_quaternions;
  const int32_t *angles;        /* channels in radians; must not lie in a quaternion */
  int64_t n_angles;
  const int32_t *velocities;    /* hermite: channel p < n_velocities is a position, velocities[p] the channel of its rate per second */
  int64_t n_velocities;
  const int32_t *holds;         /* channels that are never blended; must not lie in a quaternion or be angles */
  int64_t n_holds;
} RcAlignStreamSpec;

typedef struct RcAlignSpec
{
  const RcAlignStreamSpec *streams;
  int64_t n_streams;            /* >= 1 */
} RcAlignSpec;

/* Counters to which each run adds; the caller clears them. They are in the backend's memory (device memory for CUDA). */
typedef struct RcAlignCounters
{
  int64_t aligned;
  int64_t held;
  int64_t missing;
  int64_t disordered_episodes;  /* times form: episodes whose times decrease, or whose row count is not in 0 … n_rows;
                                   all their rows are MISSING */
  int64_t scattered;            /* missing rows whose mean or lowpass has no result, because the quaternions are scattered */
} RcAlignCounters;

typedef struct RcAlignStreamArgs
{
  const void *rows;             /* [batch, n_rows, channels] of spec.in; NULL: the stream is absent, every row MISSING */
  int64_t n_rows;
  int64_t row_stride;           /* bytes between rows */
  int64_t batch_stride;         /* bytes between episodes; 0: all share the same rows */

  const RcBracket *brackets;    /* [ticks]: the brackets form, batch = 1. Row indices must lie in rows: otherwise the CPU backend returns
                                   RC_INVALID_ARGUMENT before any work, and the CUDA backend, which cannot check them, makes the tick
                                   MISSING. A mean or lowpass may be MISSING, if its rows are scattered. */
  const int64_t *times;         /* [batch, n_rows] ns, not decreasing: the times form, when brackets is NULL. With brackets,
                                   RC_BLEND_LOWPASS needs these times, and RC_LOWPASS in the spec. */
  int64_t times_batch_stride;   /* bytes; 0: all share the same times */
  const int64_t *row_counts;    /* [batch] valid rows of each episode, 0 … n_rows; NULL: all n_rows */

  void *out;                    /* [batch, ticks, channels] of spec.out; must not overlap rows */
  int64_t out_row_stride;       /* bytes between ticks */
  int64_t out_batch_stride;     /* bytes between episodes */
  uint8_t *status;              /* [batch, ticks] RcRowStatus; NULL: not wanted */
  int64_t status_batch_stride;  /* bytes */
  RcAlignCounters *counters;    /* NULL: not wanted */
} RcAlignStreamArgs;

typedef struct RcAlignArgs
{
  const RcAlignStreamArgs *streams;     /* as many as the spec has */
  int64_t batch;                /* >= 0; 1 for the brackets form */
  int64_t ticks;                /* >= 0 */
  const int64_t *tick_times;    /* [batch, ticks] ns; needed by the times form only */
  int64_t tick_times_batch_stride;      /* bytes; 0: all episodes share one list of ticks */
  void *scratch;                /* footprint.scratch_bytes, aligned to 256; NULL when that is 0 */
} RcAlignArgs;

typedef struct RcAlignPlan RcAlignPlan;

/* Validates spec, selects and loads the code that runs it, and sets *footprint. Enqueues nothing.
 * The backend must outlive the plan. footprint may be NULL.
 * Errors: RC_INVALID_ARGUMENT (a channel out of range, a quaternion past the end, no channels …), RC_UNSUPPORTED,
 * RC_NO_SPACE. */
RcStatus rc_align_plan (RcBackend * backend, const RcAlignSpec * spec, RcAlignPlan ** plan, RcFootprint * footprint,
    RcError * error);

/* Enqueues the alignment on stream. Allocates nothing, queries nothing, waits for nothing. One plan is used by one
 * thread at a time. Errors: RC_INVALID_ARGUMENT (a NULL output, a stride below the row's size, …), RC_DEVICE_FAILED.
 *
 * Arithmetic (docs/explanation/arithmetic.md):
 *   copies     a row that is copied or HELD keeps its bits if in == out. A copy from integer to integer is exact or saturated; it
 *              never passes through a float.
 *   blends     computed in float64, weights included, when either dtype is float64, when out is an integer, or when
 *              in is a 32- or 64-bit integer; otherwise in float32, weights rounded to float32 once a row.
 *   always in float64, with one rounding at the end: means, lowpass, quaternions and angles.
 * If the quaternions of a mean or lowpass are scattered (a norm below RC_MIN_MEAN_NORM), the result is NaN and the tick MISSING, whatever the
 * status in its bracket; the other channels are computed. A hold channel is copied from the newest row at or before the tick, whatever rows the
 * other channels use, unless the tick has no row. Of rows with equal times, only the last one is used, also in a sum. Conversion to integers rounds to nearest even, saturates
 * and makes 0 of NaN. A MISSING row is NaN, or 0 for integers. A computed or converted NaN is canonical (arithmetic.h). */
RcStatus rc_align_run (RcAlignPlan * plan, const RcAlignArgs * args, RcStream stream, RcError * error);

/* Runs of the plan must have ended. */
void rc_align_plan_free (RcAlignPlan * plan);

#ifdef __cplusplus
}
#endif
