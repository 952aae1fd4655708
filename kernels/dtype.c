/* robocache: element types of tensors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "dtype.h"

static const struct
{
  const char *name;
  size_t size;
  int is_float;
} dtypes[RC_N_DTYPES] = {
  [RC_INT8] = {"int8", 1, 0},
  [RC_UINT8] = {"uint8", 1, 0},
  [RC_INT16] = {"int16", 2, 0},
  [RC_UINT16] = {"uint16", 2, 0},
  [RC_INT32] = {"int32", 4, 0},
  [RC_UINT32] = {"uint32", 4, 0},
  [RC_INT64] = {"int64", 8, 0},
  [RC_UINT64] = {"uint64", 8, 0},
  [RC_FLOAT16] = {"float16", 2, 1},
  [RC_BFLOAT16] = {"bfloat16", 2, 1},
  [RC_FLOAT32] = {"float32", 4, 1},
  [RC_FLOAT64] = {"float64", 8, 1},
};

static int
is_dtype (RcDtype dtype)
{
  return (unsigned) dtype < RC_N_DTYPES;
}

size_t
rc_dtype_size (RcDtype dtype)
{
  return is_dtype (dtype) ? dtypes[dtype].size : 0;
}

const char *
rc_dtype_name (RcDtype dtype)
{
  return is_dtype (dtype) ? dtypes[dtype].name : NULL;
}

int
rc_dtype_is_float (RcDtype dtype)
{
  return is_dtype (dtype) && dtypes[dtype].is_float;
}
