/* robocache: rows of sensor streams, aligned to ticks
 *
 * For each stream and each tick T one output row [channels] and one status, as `sample_at` in the definition of the
 * arithmetic (docs/explanation/arithmetic.md). One resampled stream is an alignment with n_streams = 1.
 *
 * A stream comes in one of two forms:
 *   brackets  the caller has found the rows of each tick (interpolation.h) and the run only blends them. Live pipelines.
 *   times     the run finds them itself in the rows' times. Recorded episodes, [batch, rows, channels] -> [batch, ticks, channels].
 *
 * Shapes are row-major and every axis but the innermost has a byte stride, so odd widths, padding and slices of a
 * larger row (concatenation) need no copy. Elements of one row are contiguous, at any address; lists of int64 and
 * brackets are aligned to 8 bytes, strides of such lists are multiples of 8. All sizes and indices are 64-bit. A stride
 * over an axis of length 1 is not read.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_ALIGN_H
#define RC_ALIGN_H

#include "backend.h"
#include "interpolation.h"
#include "dtype.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What caps and properties fix of one stream. The channel lists are copied by rc_align_plan. */
typedef struct RcAlignStreamSpec
{
  RcDtype in;                   /* of the rows */
  RcDtype out;                  /* of the output rows */
  int64_t channels;             /* elements of a row, >= 1 */
  RcSearch search;              /* interpolation always; the limits are used by the times form */
  const int32_t *quaternions;   /* first channel of each quaternion of 4 adjacent channels; must not overlap */
  int64_t n_quaternions;
  const int32_t *angles;        /* channels in radians; must not lie in a quaternion */
  int64_t n_angles;
  const int32_t *velocities;    /* hermite: channel p < n_velocities is a position, velocities[p] the channel of its rate per second */
  int64_t n_velocities;
} RcAlignStreamSpec;

typedef struct RcAlignSpec
{
  const RcAlignStreamSpec *streams;
  int64_t n_streams;            /* >= 1 */
} RcAlignSpec;

/* What one run adds to; the caller clears it. In the backend's memory (device memory for CUDA). */
typedef struct RcAlignCounters
{
  int64_t aligned;
  int64_t held;
  int64_t missing;
  int64_t disordered_episodes;  /* times form: episodes whose times decrease, or whose row count is not in 0 … n_rows;
                                   all their rows are MISSING */
} RcAlignCounters;

typedef struct RcAlignStreamArgs
{
  const void *rows;             /* [batch, n_rows, channels] of spec.in; NULL: the stream is absent, every row MISSING */
  int64_t n_rows;
  int64_t row_stride;           /* bytes between rows */
  int64_t batch_stride;         /* bytes between episodes; 0: all share the same rows */

  const RcBracket *brackets;    /* [ticks]: the brackets form, batch = 1. Row indices are into rows; before any work
                                   the CPU backend refuses others with RC_INVALID_ARGUMENT. The CUDA backend, which
                                   cannot look, makes such a tick MISSING. */
  const int64_t *times;         /* [batch, n_rows] ns, not decreasing: the times form, when brackets is NULL */
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

/* Validates spec, chooses and loads what runs it, and states its footprint. Enqueues nothing.
 * The backend must outlive the plan. footprint may be NULL.
 * Errors: RC_INVALID_ARGUMENT (a channel out of range, a quaternion past the end, no channels …), RC_UNSUPPORTED,
 * RC_NO_SPACE. */
RcStatus rc_align_plan (RcBackend * backend, const RcAlignSpec * spec, RcAlignPlan ** plan, RcFootprint * footprint,
    RcError * error);

/* Enqueues the alignment on stream. Allocates nothing, queries nothing, waits for nothing. One plan is used by one
 * thread at a time. Errors: RC_INVALID_ARGUMENT (a NULL output, a stride below the row's size, …), RC_DEVICE_FAILED.
 *
 * Arithmetic (docs/explanation/arithmetic.md):
 *   copies     a row that is copied, or HELD, keeps its bits when in == out. From integer to integer it is exact or
 *              saturated, never through a float.
 *   blends     computed in float64, weights included, when either dtype is float64, when out is an integer, or when
 *              in is a 32- or 64-bit integer; otherwise in float32, weights rounded to float32 once a row.
 *   always in float64, with one rounding at the end: means, and in blends quaternions and angles.
 * Of rows with equal times the last one counts, in a mean too. Conversion to integers rounds to nearest even, saturates
 * and makes 0 of NaN. A MISSING row is NaN, or 0 for integers. A computed or converted NaN is canonical (arithmetic.h). */
RcStatus rc_align_run (RcAlignPlan * plan, const RcAlignArgs * args, RcStream stream, RcError * error);

/* Its runs must have ended. */
void rc_align_plan_free (RcAlignPlan * plan);

#ifdef __cplusplus
}
#endif
#endif
