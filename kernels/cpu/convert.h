/* robocache: conversions of rows between any dtype and the types of the computations
 *
 * Built once for each instruction set. Rows need no alignment. Loads and stores make a NaN canonical.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "cpu.h"
#include "kernels/dtype.h"

/* A type for elements at any address, which the compiler loads and stores without alignment, in vectors too. */
#define RC_LOOSE(type) typedef type type##_loose __attribute__ ((aligned (1), may_alias))

RC_LOOSE (int8_t);
RC_LOOSE (uint8_t);
RC_LOOSE (int16_t);
RC_LOOSE (uint16_t);
RC_LOOSE (int32_t);
RC_LOOSE (uint32_t);
RC_LOOSE (int64_t);
RC_LOOSE (uint64_t);
RC_LOOSE (float);
RC_LOOSE (double);

/* Indexed by RcDtype. An entry is NULL where align_plan.h never chooses it: 32- and 64-bit integers, float64 and integer results are not
 * computed in float32; int64 is used only for integers. */
typedef struct RcConversions
{
  void (*load_float32[RC_N_DTYPES]) (const void *row, float *out, int64_t n);
  void (*load_float64[RC_N_DTYPES]) (const void *row, double *out, int64_t n);
  void (*load_int64[RC_N_DTYPES]) (const void *row, int64_t *out, int64_t n);   /* uint64 saturates */
  void (*store_float32[RC_N_DTYPES]) (const float *values, void *row, int64_t n);
  void (*store_float64[RC_N_DTYPES]) (const double *values, void *row, int64_t n);
  void (*store_int64[RC_N_DTYPES]) (const int64_t *values, void *row, int64_t n);       /* saturates */
} RcConversions;

extern const RcConversions RC_LEVEL_NAME (rc_conversions);
