/* robocache: elements of a tensor as numbers
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tensorelements.h"

#include <string.h>

#include "kernels/arithmetic.h"

#define READ(type, convert) \
  for (gsize i = 0; i < n; i++) { \
    type element; \
 \
    memcpy (&element, from + i * stride, sizeof element); \
    to[i] = (gdouble) convert (element); \
  } \
  break

void
robocache_elements_read (RcDtype dtype, const guint8 *from, gsize stride, gsize n, gdouble *to)
{
  switch (dtype) {
    case RC_INT8:
      READ (gint8,);
    case RC_UINT8:
      READ (guint8,);
    case RC_INT16:
      READ (gint16,);
    case RC_UINT16:
      READ (guint16,);
    case RC_INT32:
      READ (gint32,);
    case RC_UINT32:
      READ (guint32,);
    case RC_INT64:
      READ (gint64,);
    case RC_UINT64:
      READ (guint64,);
    case RC_FLOAT16:
      READ (guint16, rc_float32_from_float16);
    case RC_BFLOAT16:
      READ (guint16, rc_float32_from_bfloat16);
    case RC_FLOAT32:
      READ (gfloat,);
    default:
      READ (gdouble,);
  }
}

gdouble
robocache_element_read (RcDtype dtype, const guint8 *at)
{
  gdouble element;

  robocache_elements_read (dtype, at, 0, 1, &element);
  return element;
}
