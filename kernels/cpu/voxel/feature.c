/* robocache: features of points on the CPU, and values of voxels
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "feature.h"

#define LOAD(name, type, value) \
  static double \
  load_##name (const char *p) \
  { \
    type x; \
\
    memcpy (&x, p, sizeof (x)); \
    return (double) value; \
  }

LOAD (int8, int8_t, x)
LOAD (uint8, uint8_t, x)
LOAD (int16, int16_t, x)
LOAD (uint16, uint16_t, x)
LOAD (int32, int32_t, x)
LOAD (uint32, uint32_t, x)
LOAD (int64, int64_t, x)
LOAD (uint64, uint64_t, x)
LOAD (float16, uint16_t, rc_float32_from_float16 (x))
LOAD (bfloat16, uint16_t, rc_float32_from_bfloat16 (x))
LOAD (float32, float, x)
LOAD (float64, double, x)

const RcCpuLoadFeature rc_cpu_load_feature[RC_N_DTYPES] = {
  [RC_INT8] = load_int8,
  [RC_UINT8] = load_uint8,
  [RC_INT16] = load_int16,
  [RC_UINT16] = load_uint16,
  [RC_INT32] = load_int32,
  [RC_UINT32] = load_uint32,
  [RC_INT64] = load_int64,
  [RC_UINT64] = load_uint64,
  [RC_FLOAT16] = load_float16,
  [RC_BFLOAT16] = load_bfloat16,
  [RC_FLOAT32] = load_float32,
  [RC_FLOAT64] = load_float64,
};

static void
store_float16 (void *out, int64_t i, double x)
{
  ((uint16_t *) out)[i] = rc_float16_from_float64 (x);
}

static void
store_float32 (void *out, int64_t i, double x)
{
  ((float *) out)[i] = rc_float32_from_float64 (x);
}

const RcCpuStoreValue rc_cpu_store_value[RC_N_DTYPES] = {
  [RC_FLOAT16] = store_float16,
  [RC_FLOAT32] = store_float32,
};
