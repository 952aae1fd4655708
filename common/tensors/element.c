/* robocache: one element of a tensor as a number
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element.h"

#include <string.h>

#include "kernels/arithmetic.h"

typedef union
{
  gint8 i8;
  guint8 u8;
  gint16 i16;
  guint16 u16;
  gint32 i32;
  guint32 u32;
  gint64 i64;
  guint64 u64;
  gfloat f32;
  gdouble f64;
} Element;

gdouble
robocache_element_read (RcDtype dtype, const guint8 *at)
{
  Element element = { 0 };

  memcpy (&element, at, rc_dtype_size (dtype));
  switch (dtype) {
    case RC_INT8:
      return element.i8;
    case RC_UINT8:
      return element.u8;
    case RC_INT16:
      return element.i16;
    case RC_UINT16:
      return element.u16;
    case RC_INT32:
      return element.i32;
    case RC_UINT32:
      return element.u32;
    case RC_INT64:
      return (gdouble) element.i64;
    case RC_UINT64:
      return (gdouble) element.u64;
    case RC_FLOAT16:
      return rc_float32_from_float16 (element.u16);
    case RC_BFLOAT16:
      return rc_float32_from_bfloat16 (element.u16);
    case RC_FLOAT32:
      return element.f32;
    default:
      return element.f64;
  }
}
