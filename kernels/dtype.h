/* robocache: element types of tensors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Host byte order. float16 is IEEE binary16, bfloat16 the upper half of a binary32. */
typedef enum RcDtype
{
  RC_INT8,
  RC_UINT8,
  RC_INT16,
  RC_UINT16,
  RC_INT32,
  RC_UINT32,
  RC_INT64,
  RC_UINT64,
  RC_FLOAT16,
  RC_BFLOAT16,
  RC_FLOAT32,
  RC_FLOAT64,
  RC_N_DTYPES
} RcDtype;

/* Bytes per element; 0 if the value is not a dtype. */
size_t rc_dtype_size (RcDtype dtype);

/* The name in caps and files ("float32", "bfloat16", …); NULL if the value is not a dtype. */
const char *rc_dtype_name (RcDtype dtype);

int rc_dtype_is_float (RcDtype dtype);

#ifdef __cplusplus
}
#endif
