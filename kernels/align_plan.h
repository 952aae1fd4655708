/* robocache: a valid alignment in the form that backends read
 *
 * For the files in kernels/ only.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "align.h"
#include "arithmetic.h"

/* The type in which elements of a row are computed. Quaternions, angles and means are always computed in float64. */
typedef enum RcCompute
{
  RC_COMPUTE_FLOAT32,
  RC_COMPUTE_FLOAT64
} RcCompute;

/* Conversions of a copied row to the output's dtype. */
typedef enum RcCopy
{
  RC_COPY_BITS,                 /* same dtype */
  RC_COPY_INTEGERS,             /* exact or saturated, in int64 */
  RC_COPY_COMPUTED              /* converted to the type of the computation and from it */
} RcCopy;

/* n channels from `first` on that are treated alike: angles, holds, or positions, whose rates are the channels from `rate` on. */
typedef struct RcChannelRun
{
  int64_t first;
  int64_t n;
  int64_t rate;
} RcChannelRun;

typedef struct RcAlignStream
{
  RcDtype in;
  RcDtype out;
  RcCompute compute;
  RcCopy copy;
  RcSearch search;
  int64_t channels;
  int64_t in_size;              /* bytes per element */
  int64_t out_size;
  int64_t in_row;               /* bytes per row */
  int64_t out_row;
  int32_t *quaternions;         /* increasing */
  int64_t n_quaternions;
  RcChannelRun *angles;         /* increasing, without overlaps */
  int64_t n_angles;
  RcAngleLimits angle_limits;
  RcChannelRun *positions;      /* cover channels 0 … n_velocities - 1 in order */
  int64_t n_positions;
  int64_t n_velocities;
  RcChannelRun *holds;          /* increasing, not adjacent */
  int64_t n_holds;              /* runs */
} RcAlignStream;

struct RcAlignPlan
{
  RcBackend *backend;
  void *state;                  /* the backend's own */
  uint64_t scratch_bytes;
  int64_t n_streams;
  RcAlignStream *streams;
};
