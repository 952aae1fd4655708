/* robocache: numbers of a message in the dtype of a row
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rownumbers.h"

#include <string.h>

#include "common/tensors/tensorelements.h"

/* The bits that integers of a kind take beside a sign; of floats, those of integers that they hold exactly. */
static const struct
{
  RcDtype dtype;
  gboolean is_float, is_signed;
  guint bits;
} kinds_of_numbers[] = {
  {RC_UINT8, FALSE, FALSE, 8}, {RC_INT8, FALSE, TRUE, 7}, {RC_UINT8, FALSE, FALSE, 8}, {RC_INT16, FALSE, TRUE, 15},
  {RC_UINT16, FALSE, FALSE, 16}, {RC_INT32, FALSE, TRUE, 31}, {RC_UINT32, FALSE, FALSE, 32}, {RC_INT64, FALSE, TRUE, 63},
  {RC_UINT64, FALSE, FALSE, 64}, {RC_FLOAT32, TRUE, TRUE, 24}, {RC_FLOAT64, TRUE, TRUE, 53},
};

/* In order of preference. */
static const RobocacheRosKind integers[] = { ROBOCACHE_ROS_UINT8, ROBOCACHE_ROS_INT8, ROBOCACHE_ROS_UINT16, ROBOCACHE_ROS_INT16,
  ROBOCACHE_ROS_UINT32, ROBOCACHE_ROS_INT32, ROBOCACHE_ROS_UINT64, ROBOCACHE_ROS_INT64
};

RcDtype
robocache_row_dtype_of_kind (RobocacheRosKind kind)
{
  return kinds_of_numbers[kind].dtype;
}

/* What a set of numbers needs. */
typedef struct
{
  gboolean has_number, has_float, is_signed;
  guint bits, float_bits;
} Needs;

static RcDtype
float_dtype (const Needs *needs, gboolean *is_exact)
{
  *is_exact = needs->bits <= 53;
  return needs->float_bits <= 24 && needs->bits <= 24 ? RC_FLOAT32 : RC_FLOAT64;
}

static RcDtype
integer_dtype (const Needs *needs, gboolean *is_exact)
{
  for (guint i = 0; i < G_N_ELEMENTS (integers); i++) {
    const RobocacheRosKind kind = integers[i];

    if (kinds_of_numbers[kind].bits >= needs->bits && kinds_of_numbers[kind].is_signed == needs->is_signed)
      return kinds_of_numbers[kind].dtype;
  }
  return float_dtype (needs, is_exact);
}

RcDtype
robocache_row_dtype_of_kinds (const gint *kinds, guint n, gboolean *is_exact)
{
  Needs needs = { 0 };

  *is_exact = TRUE;
  for (guint i = 0; i < n; i++) {
    if (kinds[i] < 0)
      continue;
    needs.has_number = TRUE;
    needs.is_signed |= kinds_of_numbers[kinds[i]].is_signed;
    needs.has_float |= kinds_of_numbers[kinds[i]].is_float;
    if (kinds_of_numbers[kinds[i]].is_float)
      needs.float_bits = MAX (needs.float_bits, kinds_of_numbers[kinds[i]].bits);
    else
      needs.bits = MAX (needs.bits, kinds_of_numbers[kinds[i]].bits);
  }
  return needs.has_float || !needs.has_number ? float_dtype (&needs, is_exact) : integer_dtype (&needs, is_exact);
}

/* An integer as int64; of uint64 the same bits. */
static gint64
read_integer (const RobocacheCdrReader *reader, const guint8 *from, RobocacheRosKind kind)
{
  union
  {
    gint8 i8;
    guint8 u8;
    gint16 i16;
    guint16 u16;
    gint32 i32;
    guint32 u32;
    gint64 i64;
  } number;

  robocache_cdr_copy_numbers (reader, &number, from, robocache_ros_kind_bytes (kind), 1);
  switch (kind) {
    case ROBOCACHE_ROS_INT8:
      return number.i8;
    case ROBOCACHE_ROS_INT16:
      return number.i16;
    case ROBOCACHE_ROS_UINT16:
      return number.u16;
    case ROBOCACHE_ROS_INT32:
      return number.i32;
    case ROBOCACHE_ROS_UINT32:
      return number.u32;
    case ROBOCACHE_ROS_INT64:
    case ROBOCACHE_ROS_UINT64:
      return number.i64;
    default:
      return number.u8;
  }
}

static gdouble
read_float (const RobocacheCdrReader *reader, const guint8 *from, RobocacheRosKind kind)
{
  guint8 number[sizeof (gdouble)];

  robocache_cdr_copy_numbers (reader, number, from, robocache_ros_kind_bytes (kind), 1);
  return robocache_element_read (robocache_row_dtype_of_kind (kind), number);
}

static void
write_integer (gpointer to, RcDtype dtype, gint64 number)
{
  const gsize size = rc_dtype_size (dtype);

  /* the low bytes of an integer are the same number in a smaller type that holds it */
  memcpy (to, (const guint8 *) &number + (G_BYTE_ORDER == G_BIG_ENDIAN ? sizeof (number) - size : 0), size);
}

void
robocache_row_number_convert (const RobocacheCdrReader *reader, const guint8 *from, RobocacheRosKind kind, RcDtype dtype, gpointer to)
{
  gdouble number;
  gfloat single;

  if (kind == ROBOCACHE_ROS_FLOAT64 && dtype == RC_FLOAT64 && !reader->is_swapped) {
    /* most numbers; a size that the compiler knows is one move */
    memcpy (to, from, sizeof (number));
  } else if (dtype == robocache_row_dtype_of_kind (kind)) {
    robocache_cdr_copy_numbers (reader, to, from, robocache_ros_kind_bytes (kind), 1);
  } else if (dtype == RC_FLOAT64) {
    number = read_float (reader, from, kind);
    memcpy (to, &number, sizeof (number));
  } else if (dtype == RC_FLOAT32) {
    single = (gfloat) read_float (reader, from, kind);
    memcpy (to, &single, sizeof (single));
  } else {
    write_integer (to, dtype, read_integer (reader, from, kind));
  }
}
