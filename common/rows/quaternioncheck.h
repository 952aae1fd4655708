/* robocache: checks for quaternions that are not rotations: rows whose length is not 1, and means of scattered quaternions
 *
 * A row at a tick is copied unchanged; between rows, quaternions are normalised, and a quaternion of length 0 becomes NaN. So the length
 * reveals a wrong channel list, or a sensor without data. The length of rows in device memory is not checked.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_QUATERNIONCHECK_H
#define ROBOCACHE_QUATERNIONCHECK_H

#include <glib.h>

#include "kernels/dtype.h"

G_BEGIN_DECLS

/* Quaternions with one kind of fault. */
typedef struct
{
  guint64 n;
  gint32 channel;               /* first channel and length of the first such quaternion */
  gdouble length;
  gboolean is_reported;
} RobocacheOddQuaternions;

/* Faults of one stream. A zeroed struct is a valid empty check. */
typedef struct
{
  RobocacheOddQuaternions not_unit;     /* length differs from 1 by more than 1 %, but is not 0; NaN does not count */
  RobocacheOddQuaternions zero;
  guint64 n_scattered;          /* number of ticks with scattered quaternions */
  gboolean scattered_is_reported;
} RobocacheQuaternionCheck;

/* Checks n quaternions, given by their first channels, in n_rows rows of `channels` elements in host memory. */
void robocache_quaternion_check_rows (RobocacheQuaternionCheck * check, const gint32 * quaternions, gint64 n, RcDtype dtype,
    guint64 channels, const guint8 * rows, guint64 n_rows);
/* Counts n ticks that are missing because their quaternions have no mean. */
void robocache_quaternion_check_scattered (RobocacheQuaternionCheck * check, guint64 n);
/* Adds the faults of a later check to sum. */
void robocache_quaternion_check_add (RobocacheQuaternionCheck * sum, const RobocacheQuaternionCheck * check);
/* Returns a warning about a fault that was not reported yet; free with g_free. NULL: none. */
gchar *robocache_quaternion_check_take_warning (RobocacheQuaternionCheck * check);

G_END_DECLS
#endif
