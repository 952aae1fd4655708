/* robocache: quaternions that are no rotations: rows whose length is not 1, and means of scattered ones
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "checks.h"

#include <math.h>

#include "common/tensors/tensorelements.h"

/* Beyond the rounding of float16 and of files with three decimals. */
#define TOLERANCE 0.01

static void
count (RobocacheOddQuaternions *odd, gint32 channel, gdouble length)
{
  if (odd->n++ > 0)
    return;
  odd->channel = channel;
  odd->length = length;
}

static gdouble
length_of (RcDtype dtype, const guint8 *quaternion)
{
  gdouble q[4];

  robocache_elements_read (dtype, quaternion, rc_dtype_size (dtype), 4, q);
  return sqrt (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
}

static void
check_row (RobocacheQuaternionCheck *check, const gint32 *quaternions, gint64 n, RcDtype dtype, guint64 channels,
    const guint8 *row)
{
  for (gint64 i = 0; i < n; i++) {
    const gint32 channel = quaternions[i];
    gdouble length;

    if (channel < 0 || (guint64) channel + 4 > channels)
      continue;                 /* the plan refuses it */
    length = length_of (dtype, row + (gsize) channel * rc_dtype_size (dtype));
    if (length == 0)
      count (&check->zero, channel, length);
    else if (fabs (length - 1) > TOLERANCE)
      count (&check->not_unit, channel, length);
  }
}

void
robocache_quaternion_check_rows (RobocacheQuaternionCheck *check, const gint32 *quaternions, gint64 n, RcDtype dtype, guint64 channels,
    const guint8 *rows, guint64 n_rows)
{
  for (guint64 i = 0; n > 0 && i < n_rows; i++)
    check_row (check, quaternions, n, dtype, channels, rows + i * channels * rc_dtype_size (dtype));
}

void
robocache_quaternion_check_scattered (RobocacheQuaternionCheck *check, guint64 n)
{
  check->n_scattered += n;
}

static void
add (RobocacheOddQuaternions *sum, const RobocacheOddQuaternions *odd)
{
  if (sum->n == 0) {
    sum->channel = odd->channel;
    sum->length = odd->length;
  }
  sum->n += odd->n;
}

void
robocache_quaternion_check_add (RobocacheQuaternionCheck *sum, const RobocacheQuaternionCheck *check)
{
  add (&sum->not_unit, &check->not_unit);
  add (&sum->zero, &check->zero);
  sum->n_scattered += check->n_scattered;
}

static gboolean
is_due (RobocacheOddQuaternions *odd)
{
  const gboolean due = odd->n > 0 && !odd->is_reported;

  odd->is_reported |= due;
  return due;
}

gchar *
robocache_quaternion_check_take_warning (RobocacheQuaternionCheck *check)
{
  const RobocacheOddQuaternions *odd = &check->not_unit;

  if (is_due (&check->zero))
    return g_strdup_printf ("the quaternion in channels %d to %d has length 0: interpolation gives NaN. Correct the source or the "
        "property quaternions; further ones are counted in stats (quaternions-zero)", check->zero.channel, check->zero.channel + 3);
  if (is_due (&check->not_unit))
    return g_strdup_printf ("the quaternion in channels %d to %d has length %.4g instead of 1: interpolation normalises it, but "
        "ticks on a row copy it. Correct the source or the property quaternions; further ones are counted in stats "
        "(quaternions-not-unit)", odd->channel,
        odd->channel + 3, odd->length);
  if (check->n_scattered > 0 && !check->scattered_is_reported) {
    check->scattered_is_reported = TRUE;
    return g_strdup ("the orientations within a tick differ too much for interpolation=mean (norm of the mean below 0.5): the tick "
        "is missing. Set interpolation=linear or a higher rate; further ticks are counted in stats (quaternions-scattered)");
  }
  return NULL;
}
