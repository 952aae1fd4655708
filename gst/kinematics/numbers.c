/* robocache: robocachekinematics, numbers of rows of any floating-point type
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "numbers.h"

#include "kernels/arithmetic.h"

#define DEFINE_LOAD(name, Type, VALUE) \
  static void \
  load_##name (const guint8 *from, gdouble *to, guint64 n) \
  { \
    for (guint64 i = 0; i < n; i++) { \
      Type x; \
\
      memcpy (&x, from + i * sizeof (x), sizeof (x)); \
      to[i] = VALUE; \
    } \
  }

#define DEFINE_STORE(name, Type, VALUE) \
  static void \
  store_##name (const gdouble *from, guint8 *to, guint64 n) \
  { \
    for (guint64 i = 0; i < n; i++) { \
      const Type x = VALUE (from[i]); \
\
      memcpy (to + i * sizeof (x), &x, sizeof (x)); \
    } \
  }

DEFINE_LOAD (float16, guint16, rc_float32_from_float16 (x))
DEFINE_LOAD (bfloat16, guint16, rc_float32_from_bfloat16 (x))
DEFINE_LOAD (float32, gfloat, x)
DEFINE_LOAD (float64, gdouble, x)
DEFINE_STORE (float16, guint16, rc_float16_from_float64)
DEFINE_STORE (bfloat16, guint16, rc_bfloat16_from_float64)
DEFINE_STORE (float32, gfloat, rc_float32_from_float64)
DEFINE_STORE (float64, gdouble, rc_canonical64)

void
robocache_numbers_load (RcDtype dtype, gconstpointer from, gdouble *to, guint64 n)
{
  static void (*const loads[RC_N_DTYPES]) (const guint8 *from, gdouble *to, guint64 n) = {
    [RC_FLOAT16] = load_float16, [RC_BFLOAT16] = load_bfloat16, [RC_FLOAT32] = load_float32, [RC_FLOAT64] = load_float64,
  };

  loads[dtype] (from, to, n);
}

void
robocache_numbers_store (RcDtype dtype, const gdouble *from, gpointer to, guint64 n)
{
  static void (*const stores[RC_N_DTYPES]) (const gdouble *from, guint8 *to, guint64 n) = {
    [RC_FLOAT16] = store_float16, [RC_BFLOAT16] = store_bfloat16, [RC_FLOAT32] = store_float32, [RC_FLOAT64] = store_float64,
  };

  stores[dtype] (from, to, n);
}
