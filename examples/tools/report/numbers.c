/* robocache: numbers of tensors as doubles
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rows.h"

#include <string.h>

#include "kernels/arithmetic.h"

typedef gdouble (*Convert) (gconstpointer number);

#define PLAIN(name, type) \
static gdouble \
from_##name (gconstpointer number) \
{ \
  type value; \
\
  memcpy (&value, number, sizeof (value)); \
  return (gdouble) value; \
}

PLAIN (int8, gint8)
PLAIN (uint8, guint8)
PLAIN (int16, gint16)
PLAIN (uint16, guint16)
PLAIN (int32, gint32)
PLAIN (uint32, guint32)
PLAIN (int64, gint64)
PLAIN (uint64, guint64)
PLAIN (float32, gfloat)
PLAIN (float64, gdouble)

static gdouble
from_float16 (gconstpointer number)
{
  guint16 bits;

  memcpy (&bits, number, sizeof (bits));
  return (gdouble) rc_float32_from_float16 (bits);
}

static gdouble
from_bfloat16 (gconstpointer number)
{
  guint16 bits;

  memcpy (&bits, number, sizeof (bits));
  return (gdouble) rc_float32_from_bfloat16 (bits);
}

static const Convert converts[RC_N_DTYPES] = {
  [RC_INT8] = from_int8,[RC_UINT8] = from_uint8,[RC_INT16] = from_int16,[RC_UINT16] = from_uint16,[RC_INT32] = from_int32,
  [RC_UINT32] = from_uint32,[RC_INT64] = from_int64,[RC_UINT64] = from_uint64,[RC_FLOAT16] = from_float16,
  [RC_BFLOAT16] = from_bfloat16,[RC_FLOAT32] = from_float32,[RC_FLOAT64] = from_float64,
};

void
report_numbers_to_doubles (RcDtype dtype, gconstpointer numbers, gdouble *doubles, gsize n)
{
  const gsize size = rc_dtype_size (dtype);

  for (gsize i = 0; i < n; i++)
    doubles[i] = converts[dtype] ((const guint8 *) numbers + i * size);
}
